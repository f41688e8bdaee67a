//! The players: programs that play a role.
//!
//! This is the only place where belief and search meet: `hyperplay` judges its moves in every state that its evidence
//! leaves possible and averages the values (`judgement`), `pimc` lets these states vote (`vote`), and `ismcts` searches
//! them in one tree. A player is written down as a [`Spec`], which is read against a
//! [`Registry`]. A crate can add players, samplers, searches and opponent models of its own to a registry;
//! `docs/extending.md` shows how.
//!
//! Everything in this layer is written for [`Engine`](hyperplay_engine::Engine), so it is compiled once.
//!
//! Third-party: `rand` (drawing from a policy), `rayon` (asking side by side), `rustc-hash` (grouping by state),
//! `parking_lot` (locks), `serde`, `serde_json` (the files that specs name), `thiserror`.

mod asked;
mod belief_keys;
mod catalogue;
mod certain;
mod clairvoyant;
mod companion;
mod configured;
mod decision;
mod deliberation;
mod engine_key;
mod epimc;
mod equilibrium;
mod evidence_seed;
mod explained;
mod guarded;
mod hyperplay;
mod hyperplay2;
mod ismcts;
mod judged;
mod judgement;
pub(crate) mod learning;
mod learnt;
mod legal;
mod linear_file;
mod margin;
mod mean_matrix;
mod models;
mod oos;
mod outside;
mod own_belief;
mod pimc;
mod player_thread;
mod policy_check;
mod policy_file;
mod policy_player;
mod policy_writer;
mod random;
mod reason;
mod registry;
mod remembered;
mod respelled;
mod search_keys;
mod seat;
mod selection;
mod shared;
mod softmax;
mod spec;
mod spec_error;
mod spec_reader;
#[cfg(test)]
mod spec_tests;
mod standard;
mod subgame;
mod thought_ahead;
mod vote;

pub use asked::{
    AskError, Asked, AskedCounts, AskedModel, AskedPolicy, Asking, BudgetedPlayer, DecisionBudget,
    LocalBestResponse, LocalResponseOptions, ask_policy,
};
pub use catalogue::{FileKind, KeyType, SpecEntry, SpecKey, SpecKind, SpecWord};
pub use certain::{certain_moves, is_last_move};
pub use clairvoyant::Clairvoyant;
pub use companion::{Companion, is_certain};
pub use configured::{Assumed, Configured, ModelSpec, PlayerSpec, SamplerSpec};
pub use decision::{
    BelievedState, ClairvoyantPlayer, ClairvoyantView, Decision, DecisionCost, HeldBelief, Player, View,
};
pub use epimc::epimc;
pub use guarded::guarded;
pub use hyperplay::hyperplay;
pub use hyperplay2::hyperplay2;
pub use ismcts::{FinalMove, ismcts};
pub use legal::LegalPlayer;
pub use linear_file::{LinearFile, LinearValues};
pub use margin::Overrun;
pub use oos::oos;
pub use outside::{answered_belief, explaining};
pub use own_belief::OwnBelief;
pub use pimc::pimc;
pub use player_thread::PlayerThread;
pub use policy_check::{PolicyFindings, check_policy};
pub use policy_file::{FileOrigin, PolicyFile, SpecFileError, counts_of, profile_of, unsaid};
pub use policy_writer::{PolicyDocument, PolicyEntry, SolverState, entries_of, known_in_words};
pub use random::RandomPlayer;
pub use reason::Reason;
pub use registry::Registry;
pub use search_keys::SearchEffort;
pub use seat::{HUMAN, LateAnswer, REMOTE, RemoteEnd, RemoteFailure, RemotePlayer, RemoteStart, Seat};
pub use selection::{GameFeatures, Selection};
pub use spec::{Spec, SpecFile};
pub use spec_error::{RegistryError, SpecError, SpecResult};
pub use thought_ahead::ThoughtAhead;
pub use vote::VotePolicy;
