//! Layer 4, the players: programs that play a role.
//!
//! This is the only place where belief and search meet: `hyperplay` judges its moves in every state that its evidence
//! leaves possible and averages the values (`judgement`). A player is written down as a [`Spec`] and built by
//! [`registry::build`], the only place where players lose their type.
//!
//! Third-party: `rand` (drawing from a policy), `rustc-hash` (grouping by state), `serde`, `serde_json` (policy files),
//! `thiserror`.

pub mod models;
pub mod registry;
pub mod samplers;

mod belief_keys;
mod catalogue;
mod clairvoyant;
mod decision;
mod deliberation;
mod hyperplay;
mod judgement;
mod legal;
mod policy_file;
mod random;
mod remembered;
mod softmax;
mod spec;
mod spec_reader;

pub use belief_keys::{
    BACKTRACK, ENUMERATE, FILTER, MERGE, PARTICLES, REJUVENATE, STATES, WEIGHT, WHOLE, belief_options,
    opponent_model,
};
pub use catalogue::{Entry, Key, Kind, SWITCH};
pub use clairvoyant::Clairvoyant;
pub use decision::{Cost, Decision, Held, Player, View};
pub use hyperplay::HyperPlay;
pub use legal::LegalPlayer;
pub use models::{EPSILON, MODEL};
pub use policy_file::{PolicyError, PolicyFile};
pub use random::RandomPlayer;
pub use spec::{Spec, SpecError};
