//! The result of a check: a verdict, the reason, and the bytes.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, strum::Display, Serialize)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// The player did what is asked.
    Pass,
    /// The player did not.
    Fail,
    /// The check does not apply to this player.
    Skipped,
}

/// One request and what came back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckExchange {
    /// The request: the message, or the bytes where these are the matter.
    pub sent: String,
    /// The bytes that were received.
    #[serde(serialize_with = "as_text")]
    pub received: Vec<u8>,
    /// Why there is no answer, if there is none.
    pub error: Option<String>,
    /// How long it took.
    #[serde(rename = "seconds", serialize_with = "in_seconds")]
    pub elapsed: Duration,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CheckReport {
    /// The name of the check.
    pub name: &'static str,
    /// The demand that it makes of a player.
    pub about: &'static str,
    /// How it ended.
    pub verdict: CheckVerdict,
    /// Why it failed or was skipped, or what else is worth knowing.
    pub reason: Option<String>,
    /// How long the check took.
    #[serde(rename = "seconds", serialize_with = "in_seconds")]
    pub elapsed: Duration,
    /// The messages that were exchanged.
    pub exchanges: Vec<CheckExchange>,
}

fn as_text<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&String::from_utf8_lossy(bytes))
}

fn in_seconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(time.as_secs_f64())
}

/// Why a check ended before its last line.
#[derive(Debug)]
pub(super) enum CheckEnd {
    Fail(String),
    Skip(String),
}

/// What a check found worth saying, or why it ended early.
pub(super) type Checked<T = Option<String>> = Result<T, CheckEnd>;

/// The player has failed.
pub(super) fn fail<T>(reason: impl Into<String>) -> Checked<T> {
    Err(CheckEnd::Fail(reason.into()))
}

/// The player need not be able to do this.
pub(super) fn skip<T>(reason: impl Into<String>) -> Checked<T> {
    Err(CheckEnd::Skip(reason.into()))
}

/// Bytes as one line: control characters are escaped, and the middle of a long text is left out.
///
/// ```
/// use hyperplay_net::compliance::shown_bytes;
///
/// assert_eq!(shown_bytes(b"HTTP/1.0 200 OK\r\n\r\nnoop\xff", 60), r"HTTP/1.0 200 OK\r\n\r\nnoop\xff");
/// assert_eq!(shown_bytes(b"0123456789abcdefghijklmnopqrstuvwxyz", 20), "0123456789[16 bytes more]qrstuvwxyz");
/// ```
pub fn shown_bytes(bytes: &[u8], most: usize) -> String {
    let show = |bytes: &[u8]| -> String { bytes.utf8_chunks().map(|chunk| shown_chunk(&chunk)).collect() };
    if bytes.len() <= most {
        return show(bytes);
    }
    // The end says more than the beginning: there the answer stands.
    let head = most / 2;
    let tail = most - head;
    let left_out = bytes.len() - head - tail;
    format!("{}[{left_out} bytes more]{}", show(&bytes[..head]), show(&bytes[bytes.len() - tail..]))
}

fn shown_chunk(chunk: &std::str::Utf8Chunk<'_>) -> String {
    let text = chunk.valid().chars().flat_map(|c| -> Box<dyn Iterator<Item = char>> {
        if c.is_control() { Box::new(c.escape_debug()) } else { Box::new(std::iter::once(c)) }
    });
    let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
    text.collect::<String>() + &invalid.collect::<String>()
}
