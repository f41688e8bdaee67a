//! Judgement: what a profile is worth, what a best response gains against it, and where.
//!
//! The best response of a role maximises, from the last information sets to the first, the gain of each. Against fixed
//! other policies that is exact. NashConv is the sum over the roles of what a best response gains; it is 0 exactly in
//! an equilibrium. In a zero-sum game of two roles exploitability is half of it.
//!
//! The *loss* of an information set says where it is gained: how probably the role itself goes there, times the
//! difference between the best move and its own mix, where chance and the other roles are weighted as they play and
//! the role plays best afterwards. The losses of a role sum to what its best response gains.
//!
//! Reference: Johanson et al., *Accelerating Best Response Calculation in Large Extensive Games* (2011); Lanctot et
//! al., *A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning* (2017), for NashConv.

use rayon::prelude::*;

use super::profile::Profile;
use super::sequences::{PlayerForm, SequenceForm, Treeplex};
use hyperplay_machine::ByRole;

/// The value of a profile and the possible gain against it; all in payoffs, 0 for `random`.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::solve::{GameTree, Profile, SequenceForm, TreeLimits, Verdict};
///
/// let tree = GameTree::build(&*machine, &TreeLimits::default())?;
/// let Verdict { values, best_responses, nash_conv } = SequenceForm::new(&tree, 50.0).judge(&Profile::uniform(&tree));
/// assert!(values[candidate].abs() < 1e-12 && (best_responses[candidate] - 1.0 / 3.0).abs() < 1e-12);
/// assert!((nash_conv - 1.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// The expected payoff of each role.
    pub values: ByRole<f64>,
    /// The expected payoff of each role if it alone plays a best response.
    pub best_responses: ByRole<f64>,
    /// The sum of the differences.
    pub nash_conv: f64,
}

impl SequenceForm {
    /// Judges a profile. Reads every end of the game once for each role.
    ///
    /// # Panics
    /// If the profile is of another tree.
    pub fn judge(&self, profile: &Profile) -> Verdict {
        let plans = self.plans(profile);
        let each: Vec<(f64, f64)> = (0..self.players.len())
            .into_par_iter()
            .map(|own| {
                let mut gains = self.gains(own, &plans);
                let value = gains.iter().zip(&plans[own]).map(|(gain, reach)| gain * reach).sum();
                climb(&self.players[own].treeplex, &mut gains);
                (value, gains[0])
            })
            .collect();
        let mut verdict = Verdict {
            values: ByRole::from_fn(self.roles, |_| 0.0),
            best_responses: ByRole::from_fn(self.roles, |_| 0.0),
            nash_conv: 0.0,
        };
        for (PlayerForm { role, .. }, (value, best)) in self.players.iter().zip(each) {
            verdict.values[*role] = value;
            verdict.best_responses[*role] = best;
            // Nothing is better than a best response, but rounding may say so.
            verdict.nash_conv += (best - value).max(0.0);
        }
        verdict
    }

    /// The profile that has the same consequences as a draw of one of these profiles before the match, each as likely as
    /// the others and for each role by itself: the mean of their plans. Even where no profile leads.
    ///
    /// # Panics
    /// If a profile is of another tree.
    pub fn mean_profile<'a>(&self, profiles: impl IntoIterator<Item = &'a Profile>) -> Profile {
        let mut sums: Vec<Vec<f64>> =
            self.players.iter().map(|player| vec![0.0; player.treeplex.len()]).collect();
        for profile in profiles {
            for (sum, plan) in sums.iter_mut().zip(self.plans(profile)) {
                sum.iter_mut().zip(plan).for_each(|(sum, part)| *sum += part);
            }
        }
        self.profile_by(|own, sequences, shares| shares.extend_from_slice(&sums[own][sequences]))
    }

    /// The plans of all players under a profile.
    pub(super) fn plans(&self, profile: &Profile) -> Vec<Vec<f64>> {
        // That of a game in which a role is made to move is longer.
        assert!(profile.0.len() >= self.pool, "the profile is of this tree");
        let treeplexes = self.players.iter().map(|player| &player.treeplex);
        treeplexes.map(|own| own.plan(|sequence| profile.0[own.place(sequence)])).collect()
    }

    /// What each sequence of a player gains against the plans of the others, if it plays best after it.
    fn best_gains(&self, own: usize, plans: &[Vec<f64>]) -> Vec<f64> {
        let mut gains = self.gains(own, plans);
        climb(&self.players[own].treeplex, &mut gains);
        gains
    }

    /// A best response of every role to the others under a profile: at each information set the first of the best
    /// moves.
    pub fn best_responses(&self, profile: &Profile) -> Profile {
        let plans = self.plans(profile);
        let gains: Vec<Vec<f64>> = (0..plans.len()).map(|own| self.best_gains(own, &plans)).collect();
        self.profile_by(|own, sequences, shares| {
            let gains = &gains[own][sequences];
            let most = greatest(gains);
            // Gains that differ by rounding are equal.
            let slack = 1e-12 * most.abs().max(1e-12);
            let first = gains.iter().position(|&gain| gain >= most - slack);
            shares.extend((0..gains.len()).map(|place| if Some(place) == first { 1.0 } else { 0.0 }));
        })
    }

    /// The loss of every information set of the tree under a profile, in payoffs. The losses of a role sum to what its
    /// best response gains.
    pub fn losses(&self, profile: &Profile) -> Vec<f64> {
        let plans = self.plans(profile);
        let sets = self.players.iter().map(|player| player.treeplex.sets.len()).sum();
        let mut losses = vec![0.0; sets];
        for (own, PlayerForm { treeplex, .. }) in self.players.iter().enumerate() {
            let gains = self.best_gains(own, &plans);
            for (set, &parent) in treeplex.parent.iter().enumerate() {
                let range = treeplex.range(set);
                let most = greatest(&gains[range.clone()]);
                let mixed: f64 =
                    range.map(|sequence| gains[sequence] * profile.0[treeplex.place(sequence)]).sum();
                losses[treeplex.sets[set] as usize] = plans[own][parent as usize] * (most - mixed);
            }
        }
        losses
    }
}

/// Adds the greatest gain at every information set to its parent sequence, the last set first.
fn climb(treeplex: &Treeplex, gains: &mut [f64]) {
    for (set, &parent) in treeplex.parent.iter().enumerate().rev() {
        gains[parent as usize] += greatest(&gains[treeplex.range(set)]);
    }
}

fn greatest(gains: &[f64]) -> f64 {
    gains.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
