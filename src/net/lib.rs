//! The network protocol of general game playing: hyperplay as a player of other game masters, and as a game master of
//! other players.
//!
//! ```text
//! protocol     messages: read, written, scrambled                 no network
//! http         one message on one connection: client and server   std, hyper, axum, tokio
//! serve        the player server: messages in, moves out
//! host         the game master: players behind addresses
//! real_time    interactions in real time: agents that are other programs
//! compliance   what a player server must be able to do, as a table
//! ```
//!
//! Beside `lab`; the parts that both need (series of matches, transcripts) lie in `hyperplay_play::referee`.

#![cfg_attr(
    test,
    allow(clippy::duplicate_mod, reason = "tests of several layers draw by `tests/common/property.rs`")
)]

pub mod compliance;
pub mod host;
pub mod http;
pub mod protocol;
pub mod real_time;
pub mod serve;
