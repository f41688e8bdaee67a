//! The player's contract: what it is shown, what it answers.

use std::time::Duration;

use rand::RngExt;

use hyperplay_engine::machine::{Budget, Evidence, History, Move, Seed};

/// The share of the time until the deadline that a player that reasons uses; the rest is for whatever cannot be
/// interrupted and for the way back to the referee.
pub(super) const SAFE_SHARE: f64 = 0.85;

/// What a player is shown when it must move.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// All that its role knows.
    pub evidence: &'a Evidence,
    /// The legal moves of its role, in the natural order of terms, never empty. A player that reasons works out its
    /// own and reads this only when its belief is depleted.
    pub legal: &'a [Move],
    /// The true history: only for players registered as clairvoyant.
    pub history: Option<&'a History>,
}

/// What a decision cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// States visited, in belief update and search together.
    pub states: u64,
    /// Playouts made.
    pub playouts: u64,
}

/// What a belief held when a decision was made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Held {
    /// Particles, those with equal histories counted once where these are merged.
    pub particles: usize,
    /// The distinct states that they end in.
    pub states: usize,
    /// The effective sample size of the particles, from 1 to their number.
    pub effective: f64,
    /// Whether they were the whole information set.
    pub whole: bool,
}

/// The answer of a player.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The move, drawn from the policy.
    pub choice: Move,
    /// The distribution over moves that the choice was drawn from; sums to 1. Moves whose values are within 1e-9 of
    /// the best share it evenly; where a single state is held possible and both sides move at once there, it is the
    /// optimal mixed move.
    pub policy: Vec<(Move, f64)>,
    /// The expected goal of each move considered, 0..=100; empty for players that do not reason.
    pub values: Vec<(Move, f64)>,
    /// What it cost.
    pub cost: Cost,
    /// What was held possible; none for players without a belief and for a depleted one.
    pub held: Option<Held>,
    /// Whether the belief had no particle left.
    pub depleted: bool,
    /// Sentences and belief for `explain`: what was believed and how it was judged.
    pub explanation: Vec<String>,
}

impl Decision {
    /// The decision for a move drawn from `policy`, without values, cost or explanation. The policy is not empty and
    /// sums to 1.
    pub fn draw(policy: Vec<(Move, f64)>, seed: &Seed) -> Decision {
        let mut left = seed.child("choice").rng().random::<f64>();
        let drawn = policy.iter().find(|&&(_, share)| {
            left -= share;
            left < 0.0
        });
        // Rounding may leave a remainder behind the last share.
        let last = policy.iter().rfind(|&&(_, share)| share > 0.0);
        let &(choice, _) = drawn.or(last).expect("some legal move has a positive share");
        Decision {
            choice,
            policy,
            values: Vec::new(),
            cost: Cost::default(),
            held: None,
            depleted: false,
            explanation: Vec::new(),
        }
    }
}

/// The policy that gives every move the same share.
pub(super) fn uniform(moves: &[Move]) -> Vec<(Move, f64)> {
    moves.iter().map(|&own| (own, 1.0 / moves.len() as f64)).collect()
}

/// A program that plays one role of one match.
pub trait Player: Send {
    /// Chooses a legal move before the budget runs out. All randomness comes from `seed`, which is another one at
    /// every step.
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision;

    /// Whether the player must be shown the true history.
    fn is_clairvoyant(&self) -> bool {
        false
    }

    /// How long the belief took to follow the evidence at the last decision; none for players without a belief. Wall
    /// time, so no part of a [`Decision`].
    fn update_time(&self) -> Option<Duration> {
        None
    }
}
