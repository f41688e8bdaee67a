//! Why a text is no message: a sentence with the place, the cause and, where there is one, the remedy.
//!
//! A place is a column in bytes from 1. Quotations from the text are shortened and have no control characters, so that
//! an error can go into a log as it is.

use std::fmt::Display;

use thiserror::Error;

/// Why a text is no message.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct MessageError(pub(super) String);

impl MessageError {
    /// An error at a place in bytes from 0.
    pub(super) fn at(at: usize, why: impl Display) -> MessageError {
        MessageError(format!("column {}: {why}", at + 1))
    }
}

/// A text from elsewhere as an error quotes it: printable, and its first `most` characters.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).flat_map(char::escape_debug).collect();
    if text.chars().nth(most).is_some() {
        shown.push_str("...");
    }
    shown
}
