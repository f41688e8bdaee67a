//! Why a message got no answer: one variant a cause.

use std::io;

use thiserror::Error;

/// The work that was being done when an exchange failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, strum::Display)]
pub enum ExchangeStage {
    /// The connection was being made.
    #[strum(serialize = "the connection was being made")]
    Connecting,
    /// The message was being sent.
    #[strum(serialize = "the message was being sent")]
    Sending,
    /// The answer was awaited.
    #[strum(serialize = "the answer was awaited")]
    Receiving,
}

/// Why a message got no answer.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The name of the host is unknown.
    #[error("{0}: the host is unknown; check its name")]
    UnknownHost(String),
    /// Nothing listens there, or no way leads there.
    #[error("{0}: no connection ({1}); is the player started, and is this its port?")]
    Unreachable(String, io::Error),
    /// The deadline passed.
    #[error("the time was up while {0}")]
    TimedOut(ExchangeStage),
    /// The connection broke.
    #[error("the connection broke while {0} ({1})")]
    Broken(ExchangeStage, io::Error),
    /// The connection was closed without a byte of an answer.
    #[error("the connection was closed without an answer")]
    Empty,
    /// The connection was closed inside the answer, of which this many bytes had come.
    #[error("the connection was closed inside the answer, after {0} bytes")]
    ClosedEarly(usize),
    /// The answer is longer than this many bytes.
    #[error("the answer is longer than {0} bytes; an answer is one term")]
    TooLong(usize),
    /// The received bytes are no answer of HTTP.
    #[error("the answer is no HTTP ({0}); it begins with a line such as `HTTP/1.0 200 OK`")]
    NotHttp(&'static str),
    /// The answer has a status that is not 200.
    #[error("the answer has the status {0} {1}; a player answers 200 OK")]
    Status(u16, String),
    /// The answer is no text, from this byte on, counted from 1.
    #[error("the answer is no text: byte {0} is not UTF-8")]
    NotText(usize),
}

impl ExchangeError {
    /// Whether the deadline passed. All other errors are those of a connection or of an answer.
    pub fn is_timeout(&self) -> bool {
        matches!(self, ExchangeError::TimedOut(..))
    }

    /// Whether there was nobody to take the connection.
    pub fn is_refused(&self) -> bool {
        let refused = io::ErrorKind::ConnectionRefused;
        matches!(self, ExchangeError::Unreachable(_, error) if error.kind() == refused)
    }
}
