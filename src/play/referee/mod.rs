//! The referee: one match played, recorded and checked. The field calls it the *game master*.
//!
//! ```text
//! machine + players + seed --match_loop--> Match --transcript--> one line of JSON --verify--> checked
//!                             | actor, clock, fault
//! ```
//!
//! A player's fault is data, not an error. A transcript that is replayed comes to the same end.
//!
//! Third-party: `serde`, `serde_json` (transcripts), `gethostname` and `humantime`
//! (the part of a transcript that says where and when) and `rayon` (many matches).

mod actor;
#[cfg(test)]
mod ahead_tests;
mod clock;
mod evidence_record;
mod explain;
#[cfg(test)]
mod explain_tests;
#[cfg(test)]
mod failing;
mod fault;
mod interrupt;
mod match_loop;
mod played;
mod real_time;
mod running;
mod series;
#[cfg(test)]
mod toy;
mod transcript;
mod verify;
mod walk;

pub use clock::{ClockTurn, Clocks, date, match_id, unix_millis};
pub use evidence_record::{
    EVIDENCE_SCHEMA, EvidenceHeading, EvidenceOutcome, EvidenceRecord, EvidenceStep, ToldClocks,
};
pub use explain::{EvidenceVerdict, ExplainEffort, explained, verify_evidence};
pub use fault::{Fault, FaultKind, Substitute};
pub use hyperplay_machine::Stopwatch;
pub use interrupt::Interrupt;
pub use match_loop::{Settings, play_match};
pub use played::{Match, MatchOutcome, MatchStep};
pub use real_time::{
    AgentStart, ChrononClock, ChrononNews, ChrononRecord, Command, CommandInbox, CommandRecord,
    CommandRefusal, InteractionAgent, ManagedInteraction, ManagedSettings, PlayerAgent, manage, simulated,
    verify_commands,
};
pub use series::{Concurrency, match_seed, play_series};
pub use transcript::{
    DecisionRecord, FaultRecord, Heading, MatchLimits, RunInfo, SCHEMA, StepRecord, Transcript, host,
};
pub use verify::{Agreement, TranscriptDifference, verify};
pub use walk::{TranscriptWalk, WalkedStep};
