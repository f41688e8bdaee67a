//! Generic code of `think`, compiled for an [`Engine`] once.
//!
//! A generic function is compiled in the crate that calls it with its types: in each of these crates anew, and with the
//! optimisation of that crate. The crates above this one only read, write and show, and are compiled with little
//! optimisation. So they call through this module where think does the work. Its functions add nothing to those of the
//! same names.

use std::sync::Arc;
use std::time::Instant;

use hyperplay_engine::Engine;
use hyperplay_machine::{Evidence, Role, Seed};
use hyperplay_think::belief::exact::{self, ExactError, Posterior};
use hyperplay_think::belief::{
    Belief, BeliefOptions, OpponentModel, ParticleBelief, ParticleSampler, Sampler,
};
use hyperplay_think::solve::{
    self, GameTree, MonteCarloMinimiser, SamplingError, SizeEstimate, TreeError, TreeLimits,
};

/// The information set of this evidence with its posterior, if no step has more than `limit` histories.
///
/// # Errors
/// See [`exact::posterior`].
pub fn posterior(
    machine: &Engine,
    evidence: &Evidence,
    model: &dyn OpponentModel,
    limit: usize,
) -> Result<Posterior, ExactError> {
    exact::posterior(machine, evidence, model, limit)
}

/// A particle belief of `role` before the first step.
pub fn particle_belief(
    machine: &Arc<Engine>,
    role: Role,
    model: &Arc<dyn OpponentModel>,
    options: BeliefOptions,
) -> Box<dyn Belief<Engine>> {
    Box::new(ParticleBelief::new(Arc::clone(machine), role, Arc::clone(model), options))
}

/// A sampler of particle beliefs.
pub fn particle_sampler(options: BeliefOptions) -> Arc<dyn Sampler<Engine>> {
    Arc::new(ParticleSampler(options))
}

/// The tree of a game.
///
/// # Errors
/// See [`GameTree::build`].
pub fn game_tree(machine: &Engine, limits: &TreeLimits<'_>) -> Result<GameTree, TreeError> {
    GameTree::build(machine, limits)
}

/// The size of the tree of a game, by estimate.
///
/// # Errors
/// See [`solve::estimate_size_until`].
pub fn estimate_size_until(
    machine: &Engine,
    states: usize,
    seed: &Seed,
    deadline: Option<Instant>,
    stop: &dyn Fn() -> bool,
) -> Result<SizeEstimate, TreeError> {
    solve::estimate_size_until(machine, states, seed, deadline, stop)
}

/// Makes `count` iterations of a Monte Carlo minimiser.
///
/// # Errors
/// See [`MonteCarloMinimiser::iterate`].
pub fn iterate(
    minimiser: &mut MonteCarloMinimiser<Engine>,
    machine: &Engine,
    count: u64,
    seed: &Seed,
) -> Result<(), SamplingError> {
    minimiser.iterate(machine, count, seed)
}
