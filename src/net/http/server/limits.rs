//! The limits of a server.

use std::time::Duration;

/// The unit in which bytes at once are counted.
pub(super) const BLOCK: usize = 64 * 1024;

/// The limits of a server on what it takes from its clients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerLimits {
    /// Connections at a time. Beyond it the one that has been silent for the longest time is closed.
    pub connections: usize,
    /// Bytes of a head.
    pub head_bytes: usize,
    /// Headers of a head.
    pub headers: usize,
    /// Bytes of a body: more than the largest rulesheet that is read.
    pub body_bytes: usize,
    /// Bytes of all bodies at a time, beyond the first 64 KiB of each.
    pub bytes_at_once: usize,
    /// The longest time without a byte of a request.
    pub idle: Duration,
    /// The longest time from the first byte of a request to its last.
    pub request: Duration,
    /// The longest time in which a client takes no byte of an answer.
    pub stall: Duration,
    /// Whether an answer is given up when the client closes its side, as browsers do when a page is left. Game masters
    /// close theirs behind the message and wait.
    pub hears_hangup: bool,
}

impl Default for ServerLimits {
    fn default() -> Self {
        ServerLimits {
            connections: 1024,
            head_bytes: 16 * 1024,
            headers: 64,
            body_bytes: 17 << 20,
            bytes_at_once: 64 << 20,
            idle: Duration::from_secs(1),
            request: Duration::from_secs(20),
            stall: Duration::from_secs(30),
            hears_hangup: false,
        }
    }
}
