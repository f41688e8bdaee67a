//! How large a tree is, estimated from a sample of each of its levels.
//!
//! A sweep goes through the tree step by step. It keeps at most `width` of the histories of a level; if more histories
//! follow from these, it keeps a random one of each k, where k is their number divided by the width. The histories
//! stand in the order of the tree, so each part of a level is kept in proportion to its size, and each history that is
//! kept stands for as many others as the product of the factors k so far. The sum of what they stand for is an unbiased
//! estimate of the number of nodes. While no level is wider than the sweep, it is the number itself.
//!
//! Random paths that choose uniformly among the children of each node (Knuth) meet most often what lies in the small
//! parts of a tree, and their estimates differ by orders of magnitude. Sweeps follow the large parts. Ten narrow sweeps
//! measure how deep the tree is, and ten wide ones how large. The interval is a t interval of the logarithms of these;
//! it is wider than independent normal errors ask for, because the errors are skewed, and was measured on games of
//! known size (`tests/library/tree_sizes.rs`).
//!
//! Reference: Knuth, *Estimating the Efficiency of Backtrack Programs*, Mathematics of Computation 29 (1975); Chen,
//! *Heuristic Sampling: A Method for Predicting the Performance of Tree Searching Programs*, SIAM Journal on Computing
//! 21 (1992).

use std::time::Instant;

use rand::{Rng, RngExt};

use super::size_estimate::SizeEstimate;
use super::tree::TreeError;
use hyperplay_machine::{Bulk, ByRole, JointMove, Move, PLAYOUT_STEPS, Seed, StateMachineExt};

/// Independent sweeps of an estimate.
const SWEEPS: usize = 10;

/// The width of narrow sweeps.
const NARROW: usize = 8;

/// A tree is larger than any limit if a sweep alone, or a part of it, has this number of nodes: an unbiased estimate is
/// seldom a thousand times too large (Markov).
const ENORMOUS: f64 = 1e16;

/// States between two looks at whether to stop.
const BLOCK: usize = 1024;

/// Estimates the number of nodes of a tree from about `states` states; at least [`PLAYOUT_STEPS`] may be needed to meet
/// the end of a game.
///
/// # Errors
/// As [`GameTree::build`](super::GameTree::build), but for the size.
pub fn estimate_size<M: Bulk>(machine: &M, states: usize, seed: &Seed) -> Result<SizeEstimate, TreeError> {
    estimate_size_until(machine, states, seed, None, &|| false)
}

/// Estimates as [`estimate_size`] does, from fewer states if `stop` returns true or the deadline passes before. The
/// deadline also stops an evaluation of the rules.
///
/// # Errors
/// As [`estimate_size`], and [`TreeError::Stopped`] before the end of the second sweep.
pub fn estimate_size_until<M: Bulk>(
    machine: &M,
    states: usize,
    seed: &Seed,
    deadline: Option<Instant>,
    stop: &dyn Fn() -> bool,
) -> Result<SizeEstimate, TreeError> {
    let mut scratch = machine.scratch();
    machine.set_deadline(&mut scratch, deadline);
    let (mut last, mut found, mut visited, mut width) = (Vec::new(), Vec::new(), 1, NARROW);
    let mut cut_off = 1.0;
    for number in 0..2 * SWEEPS {
        if number == SWEEPS {
            width = NARROW * (states / visited).max(1);
            last = std::mem::take(&mut found);
        }
        let (nodes, weight) = (1.0, 1.0);
        let mut sweep = Sweep { machine, width, stop, scratch: &mut scratch, nodes, weight, visited: 0 };
        match sweep.go(&seed.index(number)) {
            Ok(()) if sweep.weight == 1.0 => return Ok(SizeEstimate::exact(sweep.nodes)),
            Ok(()) => found.push(sweep.nodes),
            Err(TreeError::Stopped) => {
                cut_off = sweep.nodes;
                break;
            }
            Err(error) => return Err(error),
        }
        visited += sweep.visited;
    }
    // Narrow sweeps where there was no time for two wide ones.
    let largest = found.iter().copied().fold(cut_off, f64::max);
    match [found, last].into_iter().find(|sweeps| sweeps.len() > 1) {
        Some(sweeps) => Ok(SizeEstimate::of(&sweeps, visited)),
        None if largest > ENORMOUS && !stop() => {
            Ok(SizeEstimate { nodes: largest, interval: (ENORMOUS, f64::INFINITY), states: Some(visited) })
        }
        None => Err(TreeError::Stopped),
    }
}

/// One way through the tree, level by level.
struct Sweep<'a, M: Bulk> {
    machine: &'a M,
    /// The most histories that are kept of a level.
    width: usize,
    stop: &'a dyn Fn() -> bool,
    scratch: &'a mut M::Scratch,
    /// The estimate.
    nodes: f64,
    /// How many histories each that is kept stands for.
    weight: f64,
    visited: usize,
}

impl<M: Bulk> Sweep<'_, M> {
    fn go(&mut self, seed: &Seed) -> Result<(), TreeError> {
        let mut rng = seed.rng();
        let initial = self.machine.initial();
        let is_over = self.machine.terminal(&initial, self.scratch);
        let mut level = if is_over { Vec::new() } else { vec![initial] };
        self.check()?;
        for _ in 0..PLAYOUT_STEPS {
            if level.is_empty() {
                return Ok(());
            }
            level = self.next_level(&level, &mut rng)?;
        }
        Err(TreeError::Endless(PLAYOUT_STEPS))
    }

    /// The histories that are kept of those that follow.
    fn next_level(&mut self, level: &[M::State], rng: &mut impl Rng) -> Result<Vec<M::State>, TreeError> {
        let mut legal = Vec::with_capacity(level.len());
        // The number of histories that follow from this one and those before it.
        let mut sums: Vec<u64> = Vec::with_capacity(level.len());
        // The same as they are, where there are 2^64 or more; of these only the last ones are drawn.
        let (mut total, mut all) = (0_u64, 0.0);
        for state in level {
            let own = self.machine.legal_by_role(state, self.scratch);
            let (width, histories) = self.widths(&own);
            total = total.saturating_add(width);
            all += histories;
            sums.push(total);
            legal.push(own);
            self.check()?;
        }
        let kept = total.min(self.width as u64) as usize;
        let stride = total as f64 / kept as f64;
        self.weight *= if kept == 0 { 1.0 } else { all / kept as f64 };
        let step = |number: usize| {
            let child = match kept as u64 == total {
                true => number as u64,
                false => (((number as f64 + rng.random::<f64>()) * stride) as u64).min(total - 1),
            };
            let from = sums.partition_point(|&sum| sum <= child);
            (&level[from], joint_at(&legal[from], sums[from] - 1 - child))
        };
        let steps: Vec<(&M::State, JointMove)> = (0..kept).map(step).collect();
        let mut next = Vec::with_capacity(kept);
        for block in steps.chunks(BLOCK) {
            let asked: Vec<_> = block.iter().map(|(state, joint)| (*state, joint)).collect();
            let reached = self.machine.advance(&asked, self.scratch);
            self.check()?;
            next.extend(reached.into_iter().filter(|(_, end)| end.is_none()).map(|(state, _)| state));
        }
        self.visited += kept;
        Ok(next)
    }

    /// Counts the nodes of one step, a level for each role that chooses, `random` first. The histories that follow: `u64::MAX` if
    /// there are more, and how many there are.
    fn widths(&mut self, legal: &ByRole<Vec<Move>>) -> (u64, f64) {
        let random = self.machine.random();
        let others = self.machine.each_role().filter(|&role| Some(role) != random);
        let (mut width, mut histories) = (1_u64, 1.0);
        if legal.values().iter().any(Vec::is_empty) {
            return (0, 0.0); // a fault of the rules, at which the tree ends
        }
        for role in random.into_iter().chain(others).filter(|&role| legal[role].len() > 1) {
            width = width.saturating_mul(legal[role].len() as u64);
            histories *= legal[role].len() as f64;
            self.nodes += self.weight * histories;
        }
        (width, histories)
    }

    fn check(&mut self) -> Result<(), TreeError> {
        if self.machine.is_interrupted(self.scratch) || (self.stop)() {
            return Err(TreeError::Stopped);
        }
        self.machine.take_failure(self.scratch).map_or(Ok(()), |failure| Err(failure.into()))
    }
}

/// The joint move of this number, counted from the last one, the last role's move changing fastest.
fn joint_at(legal: &ByRole<Vec<Move>>, number: u64) -> JointMove {
    let mut rest = number;
    let mut moves: Vec<Move> = Vec::with_capacity(legal.len());
    for own in legal.values().iter().rev() {
        moves.push(own[own.len() - 1 - (rest % own.len() as u64) as usize]);
        rest /= own.len() as u64;
    }
    moves.reverse();
    JointMove::new(moves)
}
