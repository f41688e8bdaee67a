//! Console: lines from standard input and text to the person who types them.
//!
//! A thread of its own reads standard input, because nothing can stop a read: a prompt ends when a line comes, when the
//! clock runs out or when the program is interrupted, whichever is first. A line that is typed after the clock has run
//! out is not taken for the answer to the next question. The dialogue goes to standard output, or to standard error
//! where standard output has a report in JSON.

use std::io::{self, BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::output::{Output, log_text, printable};
use hyperplay_play::referee::Interrupt;

/// How long a prompt waits before it looks at the interrupt again.
const LOOK: Duration = Duration::from_millis(100);

/// The result of a prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    /// A line, without its end.
    Line(String),
    /// The clock has run out.
    Late,
    /// There is nothing more to read.
    Ended,
    /// The program was interrupted, the person leaves, or nobody reads what is written.
    Gone,
}

/// A conversation with one person at one keyboard.
pub struct Console {
    lines: Option<Receiver<String>>,
    interrupt: Interrupt,
    on_stderr: bool,
    /// Whether the last prompt ended without a line: input that is still typed belongs to it.
    is_behind: bool,
    /// Whether a person types. Lines that come from a file or a pipe are shown behind the prompt.
    by_hand: bool,
}

impl Console {
    /// A conversation that ends with the interrupt.
    pub fn new(interrupt: Interrupt, on_stderr: bool) -> Self {
        Console { lines: None, interrupt, on_stderr, is_behind: false, by_hand: io::stdin().is_terminal() }
    }

    /// Whether a person types at a terminal and reads there.
    pub fn is_terminal(&self) -> bool {
        self.by_hand && if self.on_stderr { io::stderr().is_terminal() } else { io::stdout().is_terminal() }
    }

    /// Writes a text as it is. If that fails, nobody reads: the conversation is over.
    pub fn say(&mut self, text: &str) {
        if self.on_stderr {
            log_text(text);
        } else if Output::new().now(text).is_err() {
            self.interrupt.raise();
        }
    }

    /// Writes a prompt and waits for a line, until a deadline if there is one.
    pub fn ask(&mut self, prompt: &str, deadline: Option<Instant>) -> Typed {
        let (by_hand, is_behind) = (self.by_hand, std::mem::take(&mut self.is_behind));
        let lines = self.lines.get_or_insert_with(read_lines);
        if by_hand && is_behind {
            // Input that was not ended by Enter is still with the terminal.
            let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
            while lines.try_recv().is_ok() {}
        }
        self.say(prompt);
        let typed = self.wait(deadline);
        match &typed {
            Typed::Line(line) if !by_hand => self.say(&format!("{}\n", printable(line))),
            Typed::Line(_) => {}
            Typed::Late | Typed::Ended | Typed::Gone => {
                self.is_behind = true;
                self.say("\n");
            }
        }
        typed
    }

    fn wait(&mut self, deadline: Option<Instant>) -> Typed {
        let lines = self.lines.get_or_insert_with(read_lines);
        loop {
            if self.interrupt.is_raised() {
                return Typed::Gone;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match lines.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
                Ok(line) => return Typed::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Typed::Ended,
                Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left <= LOOK) => {
                    return Typed::Late;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// The lines of standard input; the channel closes at its end.
fn read_lines() -> Receiver<String> {
    let (sender, lines) = channel();
    let read = move || {
        // A line that is no UTF-8 is no move either, and the answer says so.
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { return };
            if sender.send(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned()).is_err() {
                return;
            }
        }
    };
    // Without a thread the channel is closed at once, as at the end of the input.
    let _ = thread::Builder::new().name("keyboard".to_owned()).spawn(read);
    lines
}
