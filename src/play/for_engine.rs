//! Generic code of `think` and of the referee, compiled for an [`Engine`] once.
//!
//! A generic function is compiled in the crate that calls it with its types: in each of these crates anew, and with the
//! optimisation of that crate. The crates above this one only read, write and show, and are compiled without
//! optimisation. So they call through this module where think or the referee does the work. Its functions add nothing to those of the
//! same names, but that `perft` can be interrupted.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::player::Seat;
use super::referee::{
    self, Agreement, EvidenceRecord, EvidenceVerdict, ExplainEffort, Interrupt, Match, MatchStep, Settings,
};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{
    ByRole, Evidence, JointMoves, Observation, Role, Seed, State, StateMachine, StateMachineExt,
};
use hyperplay_think::belief::exact::{self, Enumeration, ExactError, Posterior};
use hyperplay_think::belief::{BeliefOptions, OpponentModel, ParticleSampler, Sampler};
use hyperplay_think::solve::{
    self, GameTree, GrowingMinimiser, MonteCarloMinimiser, Sampled, SizeEstimate, TreeError, TreeLimits,
};

/// States with at most this number of joint moves are followed by two steps without looking for an interrupt.
const UNINTERRUPTED: u64 = 1 << 12;

/// Plays one match.
///
/// # Errors
/// See [`referee::play_match`].
pub fn play_match(
    machine: &Engine,
    players: ByRole<Option<Seat>>,
    settings: &Settings,
    seed: &Seed,
    interrupt: &Interrupt,
    watch: &mut dyn FnMut(&MatchStep),
) -> io::Result<Match> {
    referee::play_match(machine, players, settings, seed, interrupt, watch)
}

/// Looks for histories that explain the record of a player.
///
/// # Errors
/// See [`referee::verify_evidence`].
pub fn verify_evidence(
    machine: &Arc<Engine>,
    rules: &str,
    record: &EvidenceRecord,
    effort: &ExplainEffort,
) -> Agreement<EvidenceVerdict> {
    referee::verify_evidence(machine, rules, record, effort)
}

/// The information set of a role before the first step.
pub fn enumeration<'a>(
    machine: &'a Engine,
    role: Role,
    model: &'a dyn OpponentModel,
    limit: usize,
) -> Enumeration<'a, Engine> {
    Enumeration::new(machine, role, model, limit)
}

/// Takes in what was observed in one more step, after which the match goes on.
///
/// # Errors
/// See [`Enumeration::observe`].
pub fn observe(of: &mut Enumeration<'_, Engine>, observed: &Observation) -> Result<(), ExactError> {
    of.observe(observed, false)
}

/// The information set of a role with its posterior.
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
) -> Sampled {
    minimiser.iterate(machine, count, seed)
}

/// Makes `count` iterations on a tree that grows.
///
/// # Errors
/// See [`GrowingMinimiser::iterate`].
pub fn grow(minimiser: &mut GrowingMinimiser<Engine>, machine: &Engine, count: u64, seed: &Seed) -> Sampled {
    minimiser.iterate(machine, count, seed)
}

/// Counts the sequences of `depth` joint moves (`StateMachineExt::perft`), `u64::MAX` if there are more; nothing if it was
/// interrupted.
pub fn perft(
    machine: &Engine,
    state: &State,
    depth: usize,
    interrupt: &Interrupt,
    scratch: &mut EngineScratch,
) -> Option<u64> {
    if interrupt.is_raised() {
        return None;
    }
    if depth < 2 || machine.terminal(state, scratch) {
        return Some(machine.perft(state, depth, scratch));
    }
    let legal = machine.legal_by_role(state, scratch);
    if depth == 2 && JointMoves::count(&legal) <= UNINTERRUPTED {
        return Some(machine.perft(state, depth, scratch));
    }
    JointMoves::new(&legal).try_fold(0, |sum: u64, joint| {
        let next = machine.next(state, &joint, scratch);
        Some(sum.saturating_add(perft(machine, &next, depth - 1, interrupt, scratch)?))
    })
}
