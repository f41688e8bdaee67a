//! Layer 6, the referee: one match played, recorded and checked; the field's *game master*.
//!
//! ```text
//! machine + players + seed --match_loop--> Match --transcript--> one line of JSON --replay--> checked
//!                             | actor, clock, fault
//! ```
//!
//! A fault is data, not an error; a transcript replays to the same end.
//!
//! Third-party: `serde`, `serde_json` (transcripts), `gethostname` and `humantime`
//! (the part of a transcript that says where and when), `statrs` (Student's t), `rayon` (many matches), `petgraph`
//! (the graph of reachable states).

mod actor;
mod clock;
mod fault;
mod interrupt;
mod issue;
mod match_loop;
mod places;
mod prospects;
mod reach;
mod replay;
mod score;
mod series;
mod simulate;
mod survey;
#[cfg(test)]
mod toy;
mod transcript;
mod winnable;

pub use actor::{Actor, Line, Question};
pub use clock::{Clocks, Turn, date};
pub use fault::{Fault, FaultKind};
pub use hyperplay_engine::machine::Stopwatch;
pub use interrupt::Interrupt;
pub use match_loop::{Match, Outcome, Settings, Step, play_match};
pub use reach::{Kind, Node, Reach, Sight, reach};
pub use replay::{Difference, replay};
pub use score::Score;
pub use series::{match_seed, play_series};
pub use simulate::{Effort, simulate};
pub use survey::{Basis, Survey, Words, survey};
pub use transcript::{
    DecisionRecord, FaultRecord, Heading, Limits, Run, SCHEMA, StepRecord, Transcript, host,
};
pub use winnable::{Verdict, strongly, weakly};
