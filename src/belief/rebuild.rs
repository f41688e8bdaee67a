//! Rebuild: a new sample where every particle of the old one is dead, and growing all from the root did not help.
//!
//! A sample that holds too few histories comes into a corner: none of them, and nothing near them, explains the next
//! step, though many histories do. Searching around them finds little. So [`larger`] samples follow the evidence anew, each
//! twice the size of the one before, in a tree of their own and step by step from the first; from one that arrives the
//! particles are drawn. They estimate the posterior as any sample of that size does. (16 particles of Krieg-TicTacToe 5x5
//! were in such a corner before step 28: cutting their histories off and growing them again, a hundred times and then depth first,
//! found nothing in sixteen million states. 64 arrive with 0.6 million.)
//!
//! If none arrives within half the budget, [`any`] history is looked for depth first, with the tree that knows what is dead.
//! The particles begin at what was found and make all moves allowed. So a belief with backtracking is depleted only
//! when the caller's budget ends, or [this one](LEAST_STATES).

use super::in_step;
use super::options::Options;
use super::resample::systematic;
use super::sample::Sample;
use super::slot::Searching;
use super::tree::{NodeId, Tree};
use super::weight::normalised;
use crate::machine::{Budget, Bulk, Seed};

/// A rebuild may visit as many states as the update itself, and at least so many.
const LEAST_STATES: u64 = 1 << 22;

/// The least number of particles that are tried.
const LEAST_PARTICLES: usize = 64;

/// The tree, where another one takes its place, with particles at the last step of its evidence, all of one weight.
/// `None` if nothing was found within the budget.
pub(super) fn rebuild<M: Bulk>(
    tree: &mut Tree<M>,
    options: &Options,
    budget: &Budget,
    seed: &Seed,
) -> Option<Sample> {
    let before = tree.visited();
    let most = options.all_states().max(LEAST_STATES);
    let all = budget.with_nodes(budget.nodes.map_or(most, |nodes| nodes.min(most)));
    let left = |tree: &Tree<M>| all.less(tree.visited() - before);
    let half = all.nodes.map_or(0, |nodes| nodes / 2);
    let mut particles = (2 * options.particles).max(LEAST_PARTICLES);
    while tree.visited() - before < half && !all.is_late() {
        let size = Options { particles, ..options.clone() };
        if let Some((nodes, weights)) = larger(tree, &size, &left(tree), &seed.index(particles)) {
            let drawn = systematic(&weights, options.particles, &mut seed.child("draw").rng());
            return Some(Sample::drawn(tree, options, drawn.into_iter().map(|place| nodes[place])));
        }
        particles *= 2;
    }
    any(tree, options, &left(tree))
}

/// The histories of a sample of this size, with their weights, brought from the first step of the evidence to the last in
/// a new tree, which takes the place of the old one. `None` if it was depleted on the way; the tree then stays.
fn larger<M: Bulk>(
    tree: &mut Tree<M>,
    options: &Options,
    budget: &Budget,
    seed: &Seed,
) -> Option<(Vec<NodeId>, Vec<f64>)> {
    let before = tree.visited();
    let evidence = tree.evidence().clone();
    let mut other = tree.anew();
    let mut sample = Sample::new(options);
    let mut logarithms = Vec::new();
    for step in 1..=evidence.step() {
        other.learn(&evidence.until(step));
        sample.prune(&mut other, std::iter::empty());
        let left = budget.less(other.visited() - before);
        match sample.update(&mut other, options, &left, &seed.index(step)) {
            Ok(updated) => logarithms = updated,
            Err(_) => {
                tree.spent = other.spent;
                return None;
            }
        }
    }
    *tree = other;
    Some((sample.nodes().collect(), normalised(&logarithms)))
}

/// All particles at one history, whichever is found first.
fn any<M: Bulk>(tree: &mut Tree<M>, options: &Options, budget: &Budget) -> Option<Sample> {
    let mut searching = [Searching::new(budget)];
    in_step::run(tree, &mut searching, budget);
    let [searching] = searching;
    searching.node().map(|node| Sample::copies(tree, options, node))
}
