//! The history of moves: what each move of each role has brought in a tree, wherever it was made.
//!
//! Playouts can choose by it: a move is made the more often the more it has brought. Only the choices of the tree are taken
//! into the history. A mean of few visits is drawn towards the middle.
//!
//! Where an information set has very many moves, those that were not tried there are worth what they were worth elsewhere. So
//! it need not try all of them once before it tries the good ones again.
//!
//! References: Finnsson, Björnsson 2008 (move-average sampling, with the weights of a Gibbs distribution); Gelly, Wang 2006
//! (first-play urgency).

use rustc_hash::FxHashMap;

use super::super::bandit::Arm;
use hyperplay_machine::{ByRole, Move, MoveWeights, Role};

/// By how much better one move is than another, for goals scaled to 0..=1, if it is made e times as often. As measured
/// (`docs/measurements.md`).
const TEMPERATURE: f64 = 0.1;

/// Visits with a goal of 50 that are added to those of each move.
const PRIOR: f64 = 10.0;

/// What follows from the history is computed anew when there are more visits by this part of those before.
const PART: u64 = 8;

/// What follows is first computed after this number of visits.
const FIRST: u64 = 64;

/// What each move has brought.
#[derive(Clone, Debug)]
pub(super) struct MoveHistory {
    arms: ByRole<FxHashMap<Move, Arm>>,
    /// Visits of all moves, and from how many on it is due.
    visits: u64,
    due: u64,
}

impl MoveHistory {
    /// The history of a game of `roles` roles in which nothing was played.
    pub(super) fn new(roles: usize) -> Self {
        MoveHistory { arms: ByRole::from_fn(roles, |_| FxHashMap::default()), visits: 0, due: FIRST }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.arms.values_mut().iter_mut().for_each(FxHashMap::clear);
        (self.visits, self.due) = (0, FIRST);
    }

    /// Credits the sum of the goals of `count` visits to a move.
    pub(super) fn learn(&mut self, role: Role, own: Move, count: u32, sum: u64) {
        self.arms[role].entry(own).or_default().learn(count, sum);
        self.visits += u64::from(count);
    }

    fn mean(arm: &Arm) -> f64 {
        (arm.sum as f64 / 100.0 + PRIOR / 2.0) / (f64::from(arm.known) + PRIOR)
    }

    /// The mean of a move, wherever it was made; the middle if it was not.
    pub(super) fn value(&self, role: Role, own: Move) -> f64 {
        self.arms[role].get(&own).map_or(0.5, MoveHistory::mean)
    }

    /// Begins a search, for which everything is computed anew.
    pub(super) fn begin(&mut self) {
        self.due = FIRST;
    }

    /// Whether so much was learnt since this last said so that what follows from the history is to be computed anew.
    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.visits >= self.due;
        if is_due {
            self.due = self.visits + self.visits / PART;
        }
        is_due
    }

    /// The weights by which playouts choose.
    pub(super) fn weights(&self) -> MoveWeights {
        let best = self.arms.map(|arms| arms.values().map(MoveHistory::mean).fold(0.5, f64::max));
        let weight = |role: Role, mean: f64| {
            (((mean - best[role]) / TEMPERATURE).exp() * f64::from(MoveWeights::MOST)).round() as u8
        };
        let mut weights = MoveWeights::new(ByRole::from_fn(best.len(), |role| weight(role, 0.5)));
        for (role, arms) in self.arms.iter() {
            arms.iter().for_each(|(&own, arm)| weights.set(role, own, weight(role, MoveHistory::mean(arm))));
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::terms::{Symbols, TermStore};

    #[test]
    fn a_move_that_brought_more_has_a_greater_weight_and_one_that_was_not_made_that_of_the_middle() {
        let mut symbols = Symbols::new();
        let names = ["good", "even", "bad", "unmade"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let [good, even, bad, unmade] = names.map(|name| Move(terms.intern(name, &[])));
        let (one, other) = (Role::new(0), Role::new(1));
        let mut history = MoveHistory::new(2);
        assert!(!history.is_due());
        // Means of .6, .5 and .3 when the prior of 10 visits is added.
        history.learn(one, good, 190, 190 * 60 + 100);
        history.learn(one, even, 190, 190 * 50);
        history.learn(one, bad, 30, 30 * 30 - 200);
        history.learn(other, good, 50, 0);
        assert!(history.is_due() && !history.is_due());
        let weights = history.weights();
        let of = |role| [good, even, bad, unmade].map(|own| weights.of(role, own));
        // 15 times 1, e^-1, e^-3, and e^-1 for the middle.
        assert_eq!(of(one), [15, 6, 1, 6]);
        assert_eq!(of(other), [1, 15, 15, 15], "a role of which nothing good is known");
    }
}
