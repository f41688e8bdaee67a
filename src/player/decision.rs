//! The player's contract: what it is shown, what it answers.

use crate::machine::{Budget, Evidence, History, Move, Seed};

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

/// The answer of a player.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The move, drawn from the policy.
    pub choice: Move,
    /// The distribution over moves that the choice was drawn from; sums to 1. Moves whose values are within 1e-9 of
    /// the best share it evenly.
    pub policy: Vec<(Move, f64)>,
    /// The expected goal of each move considered, 0..=100; empty for players that do not reason.
    pub values: Vec<(Move, f64)>,
    /// What it cost.
    pub cost: Cost,
    /// Whether the belief had no particle left.
    pub depleted: bool,
    /// Sentences and belief for `explain`: what was believed and how it was judged.
    pub explanation: Vec<String>,
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
}
