//! Counterfactual regret minimisation on the sequence form.
//!
//! Every information set minimises its own regret; the average policy of all iterations approaches an equilibrium in
//! zero-sum games of two roles, and an optimum in games of one role. With more roles, or with other goals, nothing is
//! guaranteed, and NashConv says how near it came. The roles take turns: each is updated against the last policies of
//! the others. Reads every end of the game once for each role and iteration.
//!
//! The result does not depend on the number of threads: each sum is made by one thread, in the order of the game.
//!
//! Reference: Zinkevich, Johanson, Bowling, Piccione, *Regret Minimization in Games with Incomplete Information* (NIPS
//! 2007); [`RegretRule`] names the papers of the variants.

mod block;
mod checkpoint;
mod player;
mod rule;

use super::profile::Profile;
use super::sequences::{Plans, SequenceForm};
use player::PlayerState;

pub use checkpoint::{CheckpointError, RegretCheckpoint};
pub(super) use rule::PREDICTED;
pub use rule::RegretRule;

/// A regret minimiser for all roles of a game.
///
/// ```
#[doc = include_str!("../../monty_hall.example")]
/// use hyperplay_think::solve::{GameTree, RegretMinimiser, RegretRule, SequenceForm, TreeLimits};
///
/// let tree = GameTree::build(&*machine, &TreeLimits::default())?;
/// let form = SequenceForm::new(&tree, 1.0);
/// let mut minimiser = RegretMinimiser::new(&form, RegretRule::CfrPlus);
/// minimiser.iterate(&form, 100);
/// assert_eq!((minimiser.iterations, minimiser.rule), (100, RegretRule::CfrPlus));
/// let average = minimiser.average(&form);
/// assert!((form.judge(&average).values[candidate] - 50.0 / 3.0).abs() < 0.01);
///
/// // The numbers that it keeps can be written down; a minimiser that continues from it does the same as the first.
/// let mut again = RegretMinimiser::resumed(&form, &minimiser.checkpoint())?;
/// again.iterate(&form, 10);
/// minimiser.iterate(&form, 10);
/// assert_eq!(again.average(&form), minimiser.average(&form));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct RegretMinimiser {
    /// The rule.
    pub rule: RegretRule,
    /// Iterations made.
    pub iterations: u64,
    players: Vec<PlayerState>,
}

impl RegretMinimiser {
    /// A minimiser before its first iteration: every role plays uniformly.
    pub fn new(form: &SequenceForm, rule: RegretRule) -> RegretMinimiser {
        let players = form.players.iter().map(|player| PlayerState::new(&player.treeplex)).collect();
        RegretMinimiser { rule, iterations: 0, players }
    }

    /// Makes `count` iterations on the game for which it was made.
    pub fn iterate(&mut self, form: &SequenceForm, count: u64) {
        for _ in 0..count {
            self.iterations += 1;
            let factors = self.rule.factors(self.iterations);
            for (own, player) in form.players.iter().enumerate() {
                let (before, rest) = self.players.split_at_mut(own);
                let (state, after) = rest.split_first_mut().expect("a state for each player");
                let others: Plans<'_> = before.iter().chain(&*after).map(|other| &other.plan[..]).collect();
                state.update(player, &others, &factors);
            }
        }
    }

    /// The average policies.
    pub fn average(&self, form: &SequenceForm) -> Profile {
        form.profile_by(|own, sequences, shares| {
            shares.extend_from_slice(self.players[own].kept.average(sequences));
        })
    }
}
