//! Re-initialisation: a new sample, where every particle of the old one is inconsistent and restarting all from the
//! root did not help.
//!
//! A sample that holds too few histories may have moved away from all consistent ones: none of its histories, and
//! nothing near them, explains the next step, although many other histories do. A search near them therefore finds
//! little. So [`larger`] samples follow the evidence from the start, each twice the size of the one before, in a tree
//! of their own and step by step from the first. The particles are drawn from the first of these samples that
//! arrives; they estimate the posterior as any sample of that size does. (16 particles of Krieg-TicTacToe 5x5 were in
//! this situation before step 28. Cutting their histories off and extending them again, a hundred times and then
//! depth first, found nothing in sixteen million states.)
//!
//! If no sample arrives within half the budget, [`any`] history is looked for depth first, with the tree that knows
//! what is inconsistent. All particles begin at the history that was found, and they make as many moves as the
//! options allow. So where [weights tell how a history was found](BeliefOptions::tracks_resampling), a belief is
//! depleted only when the caller's budget ends, or [this one](LEAST_STATES).

use super::lockstep;
use super::lockstep::particle::RootTask;
use super::node_id::NodeId;
use super::sample::Sample;
use super::tree::Tree;
use super::weight::normalised;
use crate::belief::UpdateOutcome;
use crate::belief::options::BeliefOptions;
use crate::belief::resample::systematic;
use hyperplay_machine::{Budget, Bulk, Seed};

/// A re-initialisation may visit as many states as the particles may in an update, and at least this number.
const LEAST_STATES: u64 = 1 << 22;

/// The least number of particles that are tried.
const LEAST_PARTICLES: usize = 64;

/// A sample at the last step of the evidence of a tree, whose place another one may have taken. All its particles are
/// of one weight.
///
/// # Errors
/// Why there is none: the evidence is refuted, or nothing was found within the budget.
pub(in crate::belief) fn reinitialise<M: Bulk>(
    tree: &mut Tree<M>,
    options: &BeliefOptions,
    budget: &Budget,
    seed: &Seed,
) -> Result<Sample, UpdateOutcome> {
    let before = tree.spent.states;
    let own = options.all_states().max(LEAST_STATES);
    let most = budget.nodes.map_or(own, |nodes| nodes.min(own));
    let mut particles = (2 * options.particles).max(LEAST_PARTICLES);
    while !budget.is_late() {
        let left = (most / 2).saturating_sub(tree.spent.states - before);
        if left < particles as u64 {
            break; // not a state for each
        }
        let size = BeliefOptions { particles, ..options.clone() };
        match larger(tree, &size, &budget.with_nodes(left), &seed.index(particles)) {
            Ok((nodes, weights)) => {
                let drawn = systematic(&weights, options.particles, &mut seed.child("draw").rng());
                return Ok(Sample::drawn(tree, options, drawn.into_iter().map(|place| nodes[place])));
            }
            Err(refuted @ UpdateOutcome::Inconsistent { .. }) => return Err(refuted),
            Err(_) => particles *= 2,
        }
    }
    let left = most.saturating_sub(tree.spent.states - before);
    any(tree, options, &budget.with_nodes(left))
}

/// The histories of a sample of this size, with their weights, brought from the first step of the evidence to the
/// last in a new tree, which takes the place of the old one. If it ends on the way the old tree stays.
fn larger<M: Bulk>(
    tree: &mut Tree<M>,
    options: &BeliefOptions,
    budget: &Budget,
    seed: &Seed,
) -> Result<(Vec<NodeId>, Vec<f64>), UpdateOutcome> {
    let before = tree.spent.states;
    let evidence = tree.evidence().clone();
    let mut other = tree.empty_like();
    let mut sample = Sample::new(options);
    let mut logarithms = Vec::new();
    for step in 1..=evidence.step() {
        other.learn(&evidence.until(step));
        sample.compact(&mut other, std::iter::empty());
        let left = budget.less(other.spent.states - before);
        match sample.update(&mut other, options, &left, &seed.index(step)) {
            Ok(updated) => logarithms = updated,
            Err(ended) => {
                tree.spent = other.spent;
                tree.keep_failure(&mut other);
                return Err(ended);
            }
        }
    }
    other.keep_failure(tree);
    *tree = other;
    Ok((sample.nodes().collect(), normalised(&logarithms)))
}

/// Puts all particles at the first history that is found.
fn any<M: Bulk>(
    tree: &mut Tree<M>,
    options: &BeliefOptions,
    budget: &Budget,
) -> Result<Sample, UpdateOutcome> {
    let mut search = [RootTask::search(budget)];
    lockstep::run(tree, &mut search, budget);
    let [search] = search;
    match search.node() {
        Some(node) => Ok(Sample::copies(tree, options, node)),
        None if tree.is_refuted() => Err(UpdateOutcome::Inconsistent { step: tree.unexplained() }),
        None => Err(UpdateOutcome::Depleted { step: tree.target() }),
    }
}
