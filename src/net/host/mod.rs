//! The game master: players behind addresses, and the records of matches that other programs read.
//!
//! The match itself is that of [`play_match`](hyperplay_play::referee::play_match). This module adds one more kind of
//! seat, the player [`remote`](with_remote), two forms in which a match is kept: ggp.org's record ([`ggp_record()`]),
//! and what a viewer may see of each state ([`SightRules`]); and the games for other programs ([`serve_repository`]).

mod ggp_record;
mod remote;
mod repository;
mod sight;

pub use ggp_record::{RecordHeading, ggp_record};
pub use remote::{remote_spec, with_remote};
pub use repository::serve_repository;
pub use sight::{SightError, SightRules};
