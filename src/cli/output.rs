//! Output: results to standard output, everything else to standard error.
//!
//! This is the only place that writes to either. Results are written line by line, so a reader of a pipe sees each as
//! it is made. If the reader of a pipe has closed it, the command ends quietly (see `failure`).

use std::fmt::{Arguments, Display};
use std::io::{self, IsTerminal, Stdout, Write};

use serde_json::Value;

use super::failure::CommandResult;

/// Standard output.
pub struct Output(Stdout);

impl Output {
    /// The standard output of this program.
    pub fn new() -> Self {
        Output(io::stdout())
    }

    /// Writes one line.
    ///
    /// # Errors
    /// If standard output cannot be written to; so for the others.
    pub fn line(&self, line: impl Display) -> CommandResult {
        Ok(writeln!(self.0.lock(), "{line}")?)
    }

    /// Writes text as it is.
    ///
    /// # Errors
    /// See [`line`](Output::line).
    pub fn text(&self, text: &str) -> CommandResult {
        Ok(self.0.lock().write_all(text.as_bytes())?)
    }

    /// Writes text that does not end a line, so that it is seen at once.
    ///
    /// # Errors
    /// See [`line`](Output::line).
    pub fn now(&self, text: &str) -> CommandResult {
        let mut out = self.0.lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Writes one JSON document, indented.
    ///
    /// # Errors
    /// See [`line`](Output::line).
    pub fn json(&self, value: &Value) -> CommandResult {
        self.line(format_args!("{value:#}"))
    }
}

/// Writes one line to standard error; if that fails, there is no one left to tell.
pub fn log(line: Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes text as it is to standard error.
pub fn log_text(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A text from elsewhere in a line of our own: without control characters, which would act on the terminal, and not
/// longer than can be read.
pub fn printable(text: &str) -> String {
    const MOST: usize = 400;
    let shown: String = text.chars().take(MOST).collect();
    let clean: String = shown
        .chars()
        .flat_map(|each| if each.is_control() { each.escape_default().collect() } else { vec![each] })
        .collect();
    if text.chars().nth(MOST).is_some() { clean + "..." } else { clean }
}

/// The first `most` words, with blanks between them, and how many more there are.
pub fn some(words: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = words.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("and {more} more"));
    words.take(most).chain(more).collect::<Vec<_>>().join(" ")
}

/// Whether what is written to standard output (or standard error) may be coloured.
pub fn colour(stderr: bool) -> bool {
    let terminal = if stderr { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    terminal && std::env::var_os("NO_COLOR").is_none()
}
