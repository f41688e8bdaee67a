//! Records: the lines that experiments write of matches, decisions and beliefs, and the files in which they stand.
//!
//! They stand here and not in `hyperplay-experiment`, because most of the time of a report is in reading them: this crate is compiled
//! for speed, and that one is not.
//!
//! Third-party: `serde_json` (lines), `flate2` (compressed files), `thiserror`.

mod lines;
mod record;

pub use lines::{
    DamagedLine, FoundLines, MAX_LINE, Mark, Source, copy, in_place, is_packed, kept, move_aside, record,
};
pub use record::{
    FAILED, HeldRecord, MatchRecord, ParticlesRecord, PositionRecord, Record, RecordHeader, SeenRecord,
    StateRecord, TimingRecord, TurnRecord, TurnTime,
};
