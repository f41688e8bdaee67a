//! Search: where neither whole histories nor a filter get through, histories are found by backtracking.
//!
//! Each history at hand is continued by a [walk] that takes back no more than was added. A history that cannot be
//! continued is replaced by a walk from the empty history, until some of these have failed; and if no history was found,
//! such walks go on, each with twice the budget of the one before. So a belief is depleted only when the budget of its
//! caller ends, or [this one](LEAST_STATES).
//!
//! **The weight.** Let J be the branches of a node and G those that lead to a consistent history. A walk keeps a branch
//! drawn from G, so a history that it adds weighs `prod |G|/|J|` over the steps that were added (with a model, the sums
//! of the probabilities). A branch of which nothing is known counts as one of G. Histories that were continued and those
//! that begin anew share the total weight by their numbers.
//!
//! **The moves.** The histories are resampled by their weights, and each makes [some moves](MOVES) of [Metropolis and
//! Hastings](moved), which leave the posterior as it is and come nearer to it from anything else. Their number is fixed
//! beforehand: moves that went on until something changed would favour histories that are easily left.
//!
//! The next step goes on from these histories by the filter.

use std::sync::Arc;

use super::population::PopulationBuilder;
use super::trajectory::Trajectory;
use super::{Forward, Kind};
use crate::belief::backtracking::branches::Among;
use crate::belief::backtracking::metropolis::moved;
use crate::belief::backtracking::node_id::{NodeId, ROOT};
use crate::belief::backtracking::tree::Tree;
use crate::belief::backtracking::walk::{WalkEnd, walk};
use crate::belief::resample::{normalised, systematic};
use crate::belief::{BeliefOptions, Followed, UpdateOutcome};
use hyperplay_machine::{Budget, BudgetAccount, Bulk, Evidence, Seed};

/// A search may visit as many states as the particles may in an update, and at least this number.
const LEAST_STATES: u64 = 1 << 22;

/// Walks for each particle: the bias of weighted histories is inversely proportional to their number.
const WALKS: usize = 4;

/// Moves of every history.
const MOVES: usize = 8;

/// Walks of which one is to find any history at all, each with twice the budget of the one before.
const ANY: usize = 64;

/// After this number of walks from the empty history that failed, those that were found must do.
const FAILURES: usize = 2;

impl<M: Bulk> Forward<M> {
    /// Finds histories that explain all the evidence, near those at hand if it can.
    pub(super) fn search(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        let new = || Box::new(Tree::new(Arc::clone(&self.machine), evidence.role, None));
        let mut tree = self.tree.take().unwrap_or_else(new);
        tree.opponents = self.opponents.take();
        tree.begin(evidence, budget);
        let found = self.found(&mut tree, budget, &seed.child("search"));
        tree.end();
        self.cost.states += tree.spent.states;
        self.cost.backtracks += tree.spent.backtracks;
        self.failure = self.failure.take().or(tree.take_failure());
        let ended = found.map(|nodes| self.take_over(&tree, &nodes));
        self.opponents = tree.opponents.take();
        // What it knows helps if the search goes on.
        self.tree = Some(tree).filter(|tree| ended.is_err() && !tree.is_large() && self.failure.is_none());
        ended
    }

    /// Makes these histories the population.
    fn take_over(&mut self, tree: &Tree<M>, nodes: &[NodeId]) {
        let from = self.last_enumerated.as_ref().map_or(0, |last| last.generation);
        self.genealogy = self.genealogy.until(from);
        (from..tree.target()).for_each(|_| self.genealogy.begin());
        let mut builder = PopulationBuilder::new(nodes.len());
        for &node in nodes {
            let (joints, state) = (tree.history(node).0, tree.state(node).clone());
            let trajectory = Trajectory { from: 0, joints, state, known: tree.known(node), count: 1 };
            builder.add_trajectory(&mut self.genealogy, 0, 0, trajectory);
        }
        (self.kind, self.population, self.growth) = (Kind::Searched, builder.population, 1);
        self.trials.resize(self.trials.len().max(tree.target()), [0; 2]);
    }

    /// As many nodes at the last step as particles are wanted, or why there is none.
    fn found(&self, tree: &mut Tree<M>, budget: &Budget, seed: &Seed) -> Followed<Vec<NodeId>> {
        let BeliefOptions { particles: wanted, states, .. } = self.options;
        let most = self.options.all_states().max(LEAST_STATES).min(self.left());
        let account = |tree: &Tree<M>, share: u64| {
            BudgetAccount::new(budget.with_nodes(share.min(most.saturating_sub(tree.spent.states))))
        };
        let at_hand = match self.population.len() {
            0 => Vec::new(),
            _ => self.population.systematic(WALKS * wanted, &mut seed.child("at hand").rng()),
        };
        let (mut continued, mut anew, mut failures) = (Vec::new(), Vec::new(), 0);
        for particle in 0..WALKS * wanted {
            if budget.is_late() || tree.is_large() {
                break;
            }
            let mut account = account(tree, states);
            let mut rng = seed.child("walk").index(particle).rng();
            let at_hand = at_hand.get(particle).map(|&entry| self.history(entry as usize));
            let from = at_hand.and_then(|history| tree.insert(&history, &mut account));
            let depth = self.depth();
            match from.map(|from| walk(tree, from, depth, &mut account, &mut rng)) {
                Some(WalkEnd::Reached(node)) => continued.push((node, depth)),
                _ if failures >= FAILURES => {}
                _ => match walk(tree, ROOT, 0, &mut account, &mut rng) {
                    WalkEnd::Reached(node) => anew.push((node, 0)),
                    WalkEnd::Inconsistent | WalkEnd::OutOfBudget => failures += 1,
                },
            }
        }
        let mut share = states.saturating_mul(wanted as u64);
        for attempt in 0.. {
            if !continued.is_empty() || !anew.is_empty() {
                break;
            }
            if let Some(step) = tree.refuted() {
                return Err(UpdateOutcome::Inconsistent { step });
            }
            if budget.is_late() || tree.spent.states >= most || attempt == ANY {
                return Err(UpdateOutcome::Depleted { step: tree.target() });
            }
            let mut rng = seed.child("any").index(attempt).rng();
            if let WalkEnd::Reached(node) = walk(tree, ROOT, 0, &mut account(tree, share), &mut rng) {
                anew.push((node, 0));
            }
            share = share.saturating_mul(2);
        }
        // All are weighed by what is known at the end.
        let weighted = |nodes: Vec<(NodeId, usize)>| -> Vec<(NodeId, f64)> {
            nodes.into_iter().map(|(node, depth)| (node, ln_weight(tree, node, depth))).collect()
        };
        let mut nodes = self.resampled(&[weighted(continued), weighted(anew)], seed);
        for round in 0..MOVES {
            for (particle, node) in nodes.iter_mut().enumerate() {
                if budget.is_late() || tree.is_large() {
                    return Ok(nodes);
                }
                let mut rng = seed.child("move").index(round).index(particle).rng();
                *node = moved(tree, *node, &mut account(tree, states), &mut rng).unwrap_or(*node);
            }
        }
        Ok(nodes)
    }

    /// As many nodes as particles are wanted, drawn by their weights from groups, each of which weighs as many as it has.
    fn resampled(&self, groups: &[Vec<(NodeId, f64)>], seed: &Seed) -> Vec<NodeId> {
        let count = groups.iter().map(Vec::len).sum::<usize>() as f64;
        let (mut nodes, mut weights) = (Vec::new(), Vec::new());
        for group in groups {
            let (of, logarithms): (Vec<NodeId>, Vec<f64>) = group.iter().copied().unzip();
            let share = of.len() as f64 / count;
            nodes.extend(of);
            weights.extend(normalised(&logarithms).into_iter().map(|weight| share * weight));
        }
        let drawn = systematic(&weights, self.options.particles, &mut seed.child("resample").rng());
        drawn.into_iter().map(|place| nodes[place]).collect()
    }
}

/// The logarithm of `prod |G|/|J|` over the steps of a history from a depth on.
fn ln_weight<M: Bulk>(tree: &Tree<M>, node: NodeId, from: usize) -> f64 {
    let added = tree.steps(node).take(tree.depth(node) - from);
    added.map(|(branches, ..)| branches.mass(Among::Consistent).ln()).sum()
}
