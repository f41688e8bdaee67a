//! Rendering of findings: file, line, column, the line of the source, a caret, the second place and the suggestion.
//!
//! ```text
//! error[unsafe-variable]: the variable ?y of the head is not bound
//!   ┌─ game.kif:3:10
//!   │
//! 3 │ (<= (p ?x ?y) (q ?x))
//!   │           ^^
//! ```
//!
//! The layout is that of `codespan-reporting`, which only this file uses. The word in the header and the colours are
//! our own, because the severities differ. A place in a line that is too long to be shown is given as line and
//! column.

use std::borrow::Cow;
use std::io;

use codespan_reporting::diagnostic::{self, Diagnostic, Label, LabelStyle};
use codespan_reporting::files::{Error, Files, SimpleFile};
use codespan_reporting::term::{self, Config, WriteStyle};

use super::{Finding, Severity, Source, Span};

/// A line with more bytes than this is not shown.
const LONG_LINE: usize = 400;

/// All findings as text, one below the other. With `colour`, escape sequences for a terminal are included. Control
/// characters of the source are replaced, so the text is safe to print.
///
/// ```
/// use hyperplay_logic::gdl::{Source, load, render};
///
/// let loaded = load(Source::new("t.kif", "(role x"), None);
/// let text = render(&loaded.findings[..1], &loaded.rulesheet.source, false);
/// assert!(text.starts_with("error[unbalanced-parenthesis]: this `(` is never closed\n  ┌─ t.kif:1:1\n"));
/// ```
pub fn render(findings: &[Finding], source: &Source, colour: bool) -> String {
    let text = without_control_characters(source.text());
    let file = SimpleFile::new(source.name(), &*text);
    let mut page = RenderedText { text: Vec::new(), severity: Severity::Note, colour, header: false };
    for finding in findings {
        page.severity = finding.severity;
        term::emit_to_write_style(&mut page, &Config::default(), &file, &diagnostic(finding, &file, source))
            .expect("the places lie in the file, and writing to memory does not fail");
    }
    String::from_utf8_lossy(&page.text).into_owned()
}

fn diagnostic(finding: &Finding, file: &SimpleFile<&str, &str>, source: &Source) -> Diagnostic<()> {
    let severity = match finding.severity {
        Severity::Note => diagnostic::Severity::Note,
        Severity::Warning => diagnostic::Severity::Warning,
        Severity::Fault | Severity::Error => diagnostic::Severity::Error,
    };
    let mut diagnostic =
        Diagnostic::new(severity).with_code(finding.code).with_message(printable(&finding.message));
    let related = finding.related.iter().map(|(span, label)| (*span, Some(label)));
    for (span, label) in std::iter::once((finding.span, None)).chain(related) {
        let span = inside(span, source);
        if !shown(span, file).unwrap_or(false) {
            let (line, column) = source.line_column(span.start);
            let place = format!("{}:{line}:{column}", source.name());
            let note = label.map_or(place.clone(), |label| format!("{place}: {}", printable(label)));
            diagnostic = diagnostic.with_note(note);
            continue;
        }
        let place = match label {
            None => Label::primary((), span.start..span.end),
            Some(label) => Label::secondary((), span.start..span.end).with_message(printable(label)),
        };
        diagnostic = diagnostic.with_label(place);
    }
    match &finding.help {
        Some(help) => diagnostic.with_note(format!("help: {}", printable(help))),
        None => diagnostic,
    }
}

/// The text with every character that controls a terminal replaced by a harmless one of the same length in bytes.
fn without_control_characters(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(obeyed) {
        return text.into();
    }
    let harmless = |c: char| match c.len_utf8() {
        _ if !obeyed(c) => c,
        1 => ' ',
        2 => '\u{a0}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(harmless).collect()
}

/// The span, restricted to the text and extended to whole characters.
fn inside(span: Span, source: &Source) -> Span {
    let text = source.text();
    let start = text.floor_char_boundary(span.start.min(text.len()));
    Span::new(start, text.ceil_char_boundary(span.end.clamp(start, text.len())))
}

/// Whether the lines of a span are short enough to be shown.
fn shown(span: Span, file: &SimpleFile<&str, &str>) -> Result<bool, Error> {
    for line in file.line_index((), span.start)?..=file.line_index((), span.end)? {
        if file.line_range((), line)?.len() > LONG_LINE {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A message, which may quote the source, shortened and without control characters.
fn printable(text: &str) -> String {
    let clean = |c: char| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c };
    if text.len() <= LONG_LINE {
        return text.chars().map(clean).collect();
    }
    text[..text.floor_char_boundary(LONG_LINE)].chars().map(clean).chain(['…']).collect()
}

/// The text that has been rendered so far.
struct RenderedText {
    text: Vec<u8>,
    /// The severity of the finding that is being rendered.
    severity: Severity,
    colour: bool,
    /// Whether the word for the severity comes next.
    header: bool,
}

impl RenderedText {
    /// Switches to a style given by the numbers of its escape sequence.
    fn style(&mut self, numbers: &str) -> io::Result<()> {
        if self.colour {
            self.text.extend_from_slice(format!("\u{1b}[0m\u{1b}[{numbers}m").as_bytes());
        }
        Ok(())
    }

    fn severity_style(&self) -> &'static str {
        match self.severity {
            Severity::Note => "1;32",
            Severity::Warning => "1;33",
            Severity::Fault => "1;35",
            Severity::Error => "1;31",
        }
    }
}

impl io::Write for RenderedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The first piece of a header is the word of codespan-reporting for the severity.
        if std::mem::take(&mut self.header) {
            self.text.extend_from_slice(self.severity.to_string().as_bytes());
        } else {
            self.text.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteStyle for RenderedText {
    fn set_header(&mut self, _: diagnostic::Severity) -> io::Result<()> {
        self.style(self.severity_style())?;
        self.header = true;
        Ok(())
    }

    fn set_header_message(&mut self) -> io::Result<()> {
        self.style("1")
    }

    fn set_line_number(&mut self) -> io::Result<()> {
        self.style("34")
    }

    fn set_note_bullet(&mut self) -> io::Result<()> {
        self.style("34")
    }

    fn set_source_border(&mut self) -> io::Result<()> {
        self.style("34")
    }

    fn set_label(&mut self, _: diagnostic::Severity, style: LabelStyle) -> io::Result<()> {
        self.style(if style == LabelStyle::Primary { self.severity_style() } else { "34" })
    }

    fn reset(&mut self) -> io::Result<()> {
        if self.colour {
            self.text.extend_from_slice(b"\x1b[0m");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::FindingCode;
    use super::*;

    #[test]
    fn a_finding_is_shown_with_both_places_and_its_help() {
        let source = Source::new("g.kif", "(role a)\n(role a)\n");
        let finding = Finding::fault(FindingCode::DuplicateRole, Span::new(9, 17), "the role a stands twice")
            .related(Span::new(0, 8), "first here")
            .help("take it out");
        let expected = "\
fault[duplicate-role]: the role a stands twice
  ┌─ g.kif:2:1
  │
1 │ (role a)
  │ -------- first here
2 │ (role a)
  │ ^^^^^^^^
  │
  = help: take it out

";
        assert_eq!(render(std::slice::from_ref(&finding), &source, false), expected);
        assert!(render(&[finding], &source, true).contains("\u{1b}[1;35mfault"));
    }

    #[test]
    fn no_text_breaks_the_renderer() {
        let long = "x".repeat(1_000_000);
        for text in ["", "\u{1b}[31m\u{0}\t\r(", "ÄÖ\r\n\u{202e}字", "a\n\n\n", &long] {
            let source = Source::new("t", text);
            for (start, end) in
                [(0, 0), (0, 1), (1, 3), (5, 2), (0, text.len()), (text.len(), text.len() + 9)]
            {
                let finding = Finding::syntax(Span::new(start, end), "no \u{1b} good")
                    .related(Span::new(end, start), "there");
                let shown = render(&[finding], &source, false);
                assert!(shown.starts_with("error[syntax]: no \u{fffd} good\n"));
                assert!(!shown.contains('\u{1b}'), "{shown:?}");
                assert!(shown.len() < 2000);
            }
        }
    }
}
