//! Why a text is no message: one variant a cause, with its place and, where there is one, the remedy.
//!
//! A place is a column in bytes from 1. Quotations from the text are shortened and have no control characters, so that
//! an error can go into a log as it is.

use thiserror::Error;

/// Why a text is no message.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MessageError {
    /// There is nothing but blanks and comments.
    #[error("the message is empty; a game master sends a list such as `(INFO)`")]
    Empty,
    /// The text is longer than is accepted.
    #[error("the message has {bytes} bytes; at most {limit} are read")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// Too many lists lie inside one another.
    #[error("column {}: more than {limit} lists lie inside one another", at + 1)]
    TooDeep {
        /// The place of the list that is one too many.
        at: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A list has no end.
    #[error("column {}: this `(` is never closed; the message is cut off, or a `)` is missing", at + 1)]
    NotClosed {
        /// Where the list begins.
        at: usize,
    },
    /// A list ends that has no beginning.
    #[error("column {}: this `)` closes nothing; remove it", at + 1)]
    ClosedTooOften {
        /// The place of the parenthesis.
        at: usize,
    },
    /// Something stands behind the message.
    #[error("column {}: `{found}` stands behind the end of the message; send one message at a time", at + 1)]
    Trailing {
        /// Where it begins.
        at: usize,
        /// The text that stands there.
        found: String,
    },
    /// The text is a word, not a list.
    #[error("column {}: `{found}` is no list; a message is a list such as `(PLAY id 0 NIL NIL)`", at + 1)]
    NoList {
        /// Where it begins.
        at: usize,
        /// The text that stands there.
        found: String,
    },
    /// The list does not begin with a word.
    #[error("column {}: the message does not begin with a word; the words are START, PLAY, SEES, STOP, ABORT, INFO and PREVIEW", at + 1)]
    NoKeyword {
        /// Where the word was expected.
        at: usize,
    },
    /// The list begins with another word.
    #[error("column {}: `{found}` is no message; there are START, PLAY, SEES, STOP, ABORT, INFO and PREVIEW", at + 1)]
    UnknownKeyword {
        /// Where the word stands.
        at: usize,
        /// The word.
        found: String,
    },
    /// The message has too few or too many members.
    #[error("column {}: {keyword} has {found} members after the word; it is `{form}`", at + 1)]
    WrongCount {
        /// Where the message begins.
        at: usize,
        /// The word of the message.
        keyword: &'static str,
        /// How many members it has.
        found: usize,
        /// The form of the message.
        form: &'static str,
    },
    /// A list stands where a name is expected.
    #[error("column {}: {what} is a list; it is one word", at + 1)]
    NoName {
        /// Where it begins.
        at: usize,
        /// The thing that was expected.
        what: &'static str,
    },
    /// A name is too long.
    #[error("column {}: {what} has more than {limit} bytes; give it a shorter name", at + 1)]
    LongName {
        /// Where it begins.
        at: usize,
        /// The thing that it names.
        what: &'static str,
        /// The most bytes.
        limit: usize,
    },
    /// A word stands where a list is expected.
    #[error("column {}: {what} is `{found}`; it is a list in parentheses", at + 1)]
    NoMembers {
        /// Where it begins.
        at: usize,
        /// The thing that was expected.
        what: &'static str,
        /// The word.
        found: String,
    },
    /// A list is no term: it is empty, or begins with a list.
    #[error("column {}: this list is no term; a term is a word or a list that begins with a word", at + 1)]
    NoTerm {
        /// Where the list begins.
        at: usize,
    },
    /// An answer has nothing but blanks and comments.
    #[error("the answer is empty; it is one term")]
    NoAnswer,
    /// An answer has more than one term.
    #[error("column {}: `{found}` stands behind the first term; an answer is one term", at + 1)]
    MoreThanOneTerm {
        /// Where it begins.
        at: usize,
        /// The text that stands there.
        found: String,
    },
    /// A clock is no number of seconds.
    #[error("column {}: the {clock} is `{found}`; it is a number of seconds such as 10 or 2.5", at + 1)]
    BadClock {
        /// Where it stands.
        at: usize,
        /// Which clock.
        clock: &'static str,
        /// The text that stands there.
        found: String,
    },
    /// The number of the step is no number.
    #[error("column {}: the number of moves made is `{found}`; it is a whole number from 0", at + 1)]
    BadNumber {
        /// Where it stands.
        at: usize,
        /// The text that stands there.
        found: String,
    },
}

/// A part of the text as an error quotes it.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    shown
}
