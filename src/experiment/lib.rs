//! Experiments: the matches that one file describes, played on one machine or on many, and the reports on them.
//!
//! ```text
//! experiment.toml --config, grid--> ExperimentConfig --plan--> ExperimentPlan (its hash is the identity)
//!     ExperimentPlan + games --arena--> matches --run, journal--> matches.K-of-N.jsonl, turns..., timings...
//!         --merge--> matches.jsonl, turns.jsonl --summary--> report (Markdown, CSV, HTML), export
//!     ExperimentPlan + games --arena--> answers of the entrants --exploit--> exploit.jsonl --> NashConv in the report
//! ```
//!
//! The plan and its seed determine every byte of the matches and turns, whatever the number of threads and shards and
//! however often a run was interrupted. Wall times are in files of their own.
//!
//! Third-party: `toml`, `serde`, `serde_json` (files), `rayon` (threads), `parking_lot` (locks), `thiserror`.

mod adjusted;
mod arena;
mod belief_strength;
mod belief_tables;
mod best;
mod checkpoint;
mod columns;
mod config;
mod cost_figures;
mod cross_table;
mod decision_log;
mod document;
mod estimate;
mod exploit;
mod exploit_record;
mod exploit_tables;
mod export;
mod export_decisions;
mod factors;
mod features;
mod folder;
mod generations;
mod grid;
mod joined;
mod journal;
mod meetings;
mod merge;
mod pairings;
mod plan;
mod pool;
mod recorder;
mod results;
mod role_scores;
mod run;
mod score_figures;
mod score_tables;
mod sequence;
mod sequential_test;
mod standings;
mod stored;
mod summary;
mod tables;
mod walk;
mod watched;
mod wording;
mod work;
mod written;

pub use adjusted::ScoreAdjustment;
pub use arena::Arena;
pub use belief_strength::{BeliefMeasurement, BeliefSums, DealSums};
pub use belief_tables::{MeasuredBeliefs, belief_tables};
pub use best::Answer;
pub use checkpoint::forget_checkpoints;
pub use config::place;
pub use config::{ConfigError, ConfigResult, ExperimentConfig, MeetingSchedule, NamedGame, OnFault, SCHEMA};
pub use decision_log::DecisionLog;
pub use document::document;
pub use estimate::{CellSample, Estimate, RECORD_FILES, estimate};
pub use exploit::ExploitRun;
pub use exploit_record::{
    EXPLOIT, ExploitFile, ExploitFinding, ExploitRecord, ExploitedEntrant, ExploitedRole,
};
pub use exploit_tables::exploit_tables;
pub use export::export;
pub use features::export_features;
pub use folder::{
    PLAN, Planned, division, extended, lock_beside, refuse_other_division, resolved, set_aside,
};
pub use generations::Generations;
pub use hyperplay_lab::records::{
    DamagedLine, FAILED, HeldRecord, MatchRecord, ParticlesRecord, PositionRecord, Record, RecordHeader,
    SeenRecord, StateRecord, TimingRecord, TurnRecord, TurnTime,
};
pub use hyperplay_lab::shards::{Shard, locked};
pub use joined::{Selection, exploited, joined};
pub use journal::{EarlierRun, Journal, Recording};
pub use merge::{Merged, merge};
pub use plan::{
    Cell, Entrant, ExperimentPlan, MatchPlace, PlanGame, SeatPermutations, StoppingCriterion, StoppingRule,
};
pub use pool::{PlannedFolder, Pool};
pub use recorder::{MatchFailure, RecordLines, SeatFault};
pub use results::{MissingMatches, Results};
pub use role_scores::{MatchScores, RoleScores};
pub use run::{RunEnd, RunTask, WINDOW, run};
pub use sequence::{NextMatch, Sequence};
pub use sequential_test::{SequentialTest, SequentialVerdict};
pub use standings::Standing;
pub use stored::{FinishedMatch, UNREACHABLE};
pub use summary::{CellSummary, Contrast, EntrantSummary, ExperimentSummary, REPLACED, StepSummary};
pub use tables::{disturbed, tables, unreliable};
pub use walk::walk;
pub use work::DecisionWork;
