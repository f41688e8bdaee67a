//! Belief: which histories one role considers possible, given all that it has perceived.
//!
//! A [`Belief`] is a weighted set of [`Particle`]s. Each particle is a history that, replayed from the initial state,
//! reproduces the role's evidence exactly. The weights estimate the posterior P(h|Q) = P(Q|h) P(h) / P(Q), where
//! P(Q|h) is 1 or 0 and P(h) is the product of the other roles' move probabilities under an [`OpponentModel`];
//! `random` is uniform.
//!
//! ```text
//! Evidence --enumerated while small--> posterior, exactly
//!     |---whole histories drawn----------> independent draws
//!     |---drawn step by step-------------> draws of a large population
//!     +---backtracking, moves------------> where nothing else gets through
//! ```
//!
//! [`ParticleBelief`] also is HyperPlay as published (Schofield, Cerexhe, Thielscher, *HyperPlay: A Solution to General
//! Game Playing with Imperfect Information*, 2012), by its options. [`exact`] is the independent oracle that it is compared
//! with. This layer sees only [`machine`](hyperplay_machine).
//!
//! Evidence that no history explains and a budget that ran out are results ([`UpdateOutcome`]), never panics.
//!
//! A [`Sampler`] makes beliefs. Those of this crate are [`ParticleSampler`], [`BootstrapSampler`] and
//! [`IndependentSampler`]. A sampler of another crate implements the same trait; a [`HistoryBelief`] keeps the
//! histories for it, so that it only says how they follow the evidence.
//!
//! Third-party: `rand`, `rand_chacha` (draws), `rayon` (threads), `indexmap`, `rustc-hash`, `smallvec` (joint moves).

pub mod exact;

mod backtracking;
mod bootstrap;
mod forward;
mod histories;
mod independent;
mod joints;
mod model;
mod opponents;
mod options;
mod particle_belief;
mod resample;
mod sampler;
mod trembling;

#[cfg(test)]
mod tests;

pub use histories::{Histories, HistoryBelief, TracedHistory};
pub use independent::{IndependentSampler, draws};
pub use model::{OpponentModel, PolicyAndFailure, SharedModel, Uniform};
pub use options::{BeliefOptions, SamplingMethod, Weight};
pub use particle_belief::ParticleBelief;
pub use resample::{effective_size, systematic};
pub use sampler::{BootstrapSampler, ParticleSampler, Sampler};
pub use trembling::Trembling;

use std::time::Instant;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use hyperplay_machine::{
    Budget, Bulk, EvaluationFailure, Evidence, History, ObservedStep, Role, Seed, StateMachine,
};

/// The name of a particle in the belief that reports it. The number is the belief's own: only that belief can say which
/// history it stands for, and only until its next update.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ParticleId(pub usize);

/// One history that explains the evidence, with its share of the belief.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Particle {
    /// Which history: ask the belief.
    pub id: ParticleId,
    /// The weight; those of all particles sum to 1.
    pub weight: f64,
}

/// Particles in the order in which their histories come first; if they are to `merge`, equal histories as one.
fn merged(particles: impl Iterator<Item = Particle>, merge: bool) -> Vec<Particle> {
    if !merge {
        return particles.collect();
    }
    let mut sums: IndexMap<ParticleId, f64, FxBuildHasher> = IndexMap::default();
    particles.for_each(|Particle { id, weight }| *sums.entry(id).or_default() += weight);
    sums.into_iter().map(|(id, weight)| Particle { id, weight }).collect()
}

/// The observation of a step, counted from 0.
fn observed_step(evidence: &Evidence, step: usize) -> ObservedStep<'_> {
    let is_end = evidence.over && step + 1 == evidence.step();
    ObservedStep { role: evidence.role, observation: &evidence.steps[step], is_end }
}

/// What was followed, or with which outcome an update ends that has no particles.
type Followed<T = ()> = Result<T, UpdateOutcome>;

/// Refuses evidence that no history explains, if that is seen in the initial state.
fn refuse<M: StateMachine>(machine: &M, evidence: &Evidence, scratch: &mut M::Scratch) -> Followed {
    let is_over = machine.terminal(&machine.initial(), scratch);
    if machine.is_interrupted(scratch) {
        return Err(UpdateOutcome::Depleted { step: evidence.step() });
    }
    let is_right = is_over == (evidence.over && evidence.step() == 0);
    if is_right { Ok(()) } else { Err(UpdateOutcome::Inconsistent { step: evidence.step().min(1) }) }
}

/// How an update ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateOutcome {
    /// The particles are the complete information set and their weights the posterior. Where it has too many histories,
    /// they are one history for each state, drawn from the posterior given that state, and weighted by its probability.
    Enumerated,
    /// The particles are a sample.
    Sampled,
    /// The budget ran out before one history was found that explains this step. There are no particles; the next
    /// update tries again.
    Depleted {
        /// The number of steps to be explained.
        step: usize,
    },
    /// It is proven that no history to which the opponent model gives a positive probability explains this step. Under
    /// uniform opponents: the rules and the match disagree.
    Inconsistent {
        /// The step, counted from 1; 0 for the initial state.
        step: usize,
    },
}

/// The cost of an update. The cost of an opponent model is not included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpdateCost {
    /// States visited, in all.
    pub states: u64,
    /// How often a particle on its way to the last step took a move back.
    pub backtracks: u64,
    /// Steps drawn at random and compared with the observation, in bulk; they are among the states.
    pub attempts: u64,
    /// Those of them that agreed.
    pub accepted: u64,
}

/// How the particles of an update were found.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumString, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum UpdateMethod {
    /// All histories that explain the evidence, or all states that they end in, were found.
    Enumeration,
    /// Whole histories were drawn, and those that explain the evidence kept: independent draws from the posterior.
    Rejection,
    /// Histories that explained the evidence before the last step were extended by it, until enough had been.
    #[strum(serialize = "particle filter")]
    ParticleFilter,
    /// Histories were found by backtracking.
    Backtracking,
    /// In another way.
    #[default]
    Other,
}

impl UpdateCost {
    /// Counts attempts, and those that agreed.
    pub(crate) fn spend(&mut self, tried: u64, agreed: u64) {
        self.states += tried;
        self.attempts += tried;
        self.accepted += agreed;
    }
}

/// A belief by any sampler.
pub type BoxedBelief<M> = Box<dyn Belief<M>>;

/// Which histories one role considers possible, and with what probability.
pub trait Belief<M: Bulk>: Send + Sync {
    /// Follows the evidence, which may have grown by any number of steps since the last update. Evidence that does
    /// not continue the former is a new match. All randomness comes from `seed`, which is another one at every update.
    ///
    /// The deadline of the budget also stops evaluations. Work that is cut off by it must have no part in the
    /// particles: a belief with a scratch of its own uses
    /// [`by_deadline`](hyperplay_machine::StateMachineExt::by_deadline).
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> UpdateOutcome;

    /// A copy, which follows evidence as this one would; `None` if it cannot be copied.
    fn fork(&self) -> Option<BoxedBelief<M>> {
        None
    }

    /// The particles, weights summing to 1; empty when depleted or inconsistent. Where merging is on, their histories
    /// differ.
    fn particles(&self) -> &[Particle];

    /// The state after a particle's history.
    fn state(&self, particle: &Particle) -> &M::State;

    /// The joint moves of a particle.
    fn history(&self, particle: &Particle) -> History;

    /// The evidence of `role` if a particle is true.
    fn evidence(&self, particle: &Particle, role: Role) -> Evidence;

    /// The same; an answer that is given after the deadline may be cut off, and is not to be used.
    fn evidence_until(&self, particle: &Particle, role: Role, _deadline: Option<Instant>) -> Evidence {
        self.evidence(particle, role)
    }

    /// The cost of the last update.
    fn cost(&self) -> UpdateCost;

    /// How the particles were found.
    fn method(&self) -> UpdateMethod {
        UpdateMethod::Other
    }

    /// Why an evaluation of the rules met a limit in an update, if one did since the last call; forgets it. Until the
    /// failure has been taken, the particles may be wrong. A belief with a scratch of its own asks the machine
    /// ([`StateMachine::take_failure`]).
    fn take_failure(&mut self) -> Option<EvaluationFailure> {
        None
    }
}
