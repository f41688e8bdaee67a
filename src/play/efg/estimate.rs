//! How large a tree is, estimated from random paths.
//!
//! A path from the root chooses uniformly among the children of each node. On it the sum 1 + b1 + b1 b2 + ..., where b1,
//! b2, ... are the numbers of children met, is an unbiased estimate of the number of nodes. The mean over many paths
//! has a standard error, and its distribution is skewed: a few heavy paths may be missing, so the estimate tends to be low.
//!
//! Reference: Knuth, *Estimating the Efficiency of Backtrack Programs*, Mathematics of Computation 29 (1975).

use std::time::Instant;

use std::fmt;

use rand::RngExt;

use super::tree::TreeError;
use hyperplay_engine::machine::{JointMove, PLAYOUT_STEPS, Seed, StateMachine, StateMachineExt};

/// An estimate of the size of a tree.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_play::efg::{SizeEstimate, estimate_size};
///
/// // Knuth's estimate is unbiased: the tree has 43 nodes.
/// let SizeEstimate { nodes, error, probes } = estimate_size(&*machine, 1_000, &Seed::root(1))?;
/// assert!(probes == 1_000 && (nodes - 43.0).abs() < 4.0 * error + 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SizeEstimate {
    /// The mean number of nodes.
    pub nodes: f64,
    /// Its standard error.
    pub error: f64,
    /// Paths that were drawn.
    pub probes: usize,
}

impl SizeEstimate {
    /// The interval that holds the true number in about 95 of 100 estimates, if paths do not differ too much.
    pub fn interval(&self) -> (f64, f64) {
        ((self.nodes - 1.96 * self.error).max(1.0), self.nodes + 1.96 * self.error)
    }
}

impl fmt::Display for SizeEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.interval();
        let SizeEstimate { nodes, probes, .. } = self;
        match nodes {
            ..1e6 => write!(f, "about {nodes:.0} [{low:.0}, {high:.0}] nodes by {probes} random paths"),
            _ => write!(f, "about {nodes:.2e} [{low:.1e}, {high:.1e}] nodes by {probes} random paths"),
        }
    }
}

/// Estimates the number of nodes of a tree from so many random paths.
///
/// # Errors
/// As [`GameTree::build`](super::GameTree::build), but for the size.
pub fn estimate_size<M: StateMachine>(
    machine: &M,
    probes: usize,
    seed: &Seed,
) -> Result<SizeEstimate, TreeError> {
    estimate_size_until(machine, probes, seed, None, &|| false)
}

/// Estimates as [`estimate_size`] does, from fewer paths if `stop` returns true or the deadline passes before. The
/// deadline also stops an evaluation of the rules.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_play::efg::{TreeError, estimate_size_until};
///
/// assert_eq!(estimate_size_until(&*machine, 1_000, &Seed::root(1), None, &|| true), Err(TreeError::Stopped));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`estimate_size`], and [`TreeError::Stopped`] before the end of the first path.
pub fn estimate_size_until<M: StateMachine>(
    machine: &M,
    probes: usize,
    seed: &Seed,
    deadline: Option<Instant>,
    stop: &dyn Fn() -> bool,
) -> Result<SizeEstimate, TreeError> {
    let mut scratch = machine.scratch();
    machine.set_deadline(&mut scratch, deadline);
    // Welford's sums: sizes may be so large that their squares are not finite.
    let (mut mean, mut squares, mut count) = (0.0, 0.0, 0);
    for probe in 0..probes {
        let nodes = match one_path(machine, &seed.index(probe), &mut scratch, stop) {
            Err(TreeError::Stopped) if count > 0 => break,
            nodes => nodes?,
        };
        count += 1;
        let before = nodes - mean;
        mean += before / count as f64;
        squares += before * (nodes - mean);
    }
    // One path says nothing about the spread.
    let error = (squares / (count as f64 * (count as f64 - 1.0))).sqrt();
    let error = if error.is_nan() { f64::INFINITY } else { error };
    Ok(SizeEstimate { nodes: mean, error, probes: count })
}

/// The estimate of one path.
fn one_path<M: StateMachine>(
    machine: &M,
    seed: &Seed,
    scratch: &mut M::Scratch,
    stop: &dyn Fn() -> bool,
) -> Result<f64, TreeError> {
    let mut rng = seed.rng();
    let mut state = machine.initial();
    let (mut nodes, mut width) = (1.0, 1.0);
    let mut legal = Vec::new();
    for step in 0.. {
        let is_over = machine.terminal(&state, scratch);
        if machine.is_interrupted(scratch) {
            return Err(TreeError::Stopped);
        }
        if let Some(failure) = machine.take_failure(scratch) {
            return Err(failure.into());
        }
        if is_over {
            break;
        }
        if step >= PLAYOUT_STEPS {
            return Err(TreeError::Endless { steps: step });
        }
        if stop() {
            return Err(TreeError::Stopped);
        }
        let mut moves = Vec::with_capacity(machine.roles().len());
        // The order of the choosers does not matter for the widths' products, only for their partial sums: `random`
        // stands first, then the others in role order.
        let mut widths = Vec::with_capacity(machine.roles().len());
        for role in machine.each_role() {
            machine.legal(&state, role, scratch, &mut legal);
            if machine.is_interrupted(scratch) {
                return Err(TreeError::Stopped);
            }
            if legal.is_empty() {
                return Err(match machine.take_failure(scratch) {
                    Some(failure) => failure.into(),
                    None => TreeError::NoLegalMove { role: machine.roles()[role].clone(), step },
                });
            }
            let place = if machine.random() == Some(role) { 0 } else { widths.len() };
            widths.insert(place, legal.len());
            moves.push(legal[rng.random_range(0..legal.len())]);
        }
        for choices in widths.into_iter().filter(|&choices| choices > 1) {
            width *= choices as f64;
            nodes += width;
        }
        state = machine.next(&state, &JointMove::new(moves), scratch);
    }
    Ok(nodes)
}
