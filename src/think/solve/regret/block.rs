//! One iteration on a part of a treeplex: the loops in which a solver spends its time.
//!
//! Upwards: the gains of the sequences are read from the payoff table. The worth of an information set is the mean gain
//! of its moves under what is played; the instant regret of a move is its gain less that. The worth is added to the
//! gain of the parent sequence, the last set first, so the gains of a set are complete when it is reached. Downwards:
//! the probabilities of the sequences are multiplied along, and added to the average.
//!
//! A part is the trunk or one block of [`Treeplex`]; all its arrays are slices that begin with its own first sequence.
//! The parent of the topmost sets of a block lies in the trunk; their worth is given back.

use super::rule::{Factors, POSITIVE, PREDICTED, SIGNED, Way};
use crate::solve::sequences::{Block, Rows, Treeplex};

/// The numbers that a part keeps, by own sequence.
pub(super) struct Part<'a> {
    pub(super) block: &'a Block,
    /// Regrets as the rule keeps them.
    pub(super) regrets: &'a mut [f64],
    /// The policy that is played at its information set.
    pub(super) policy: &'a mut [f64],
    /// The product of what is played on the way.
    pub(super) plan: &'a mut [f64],
    /// The weighted sum of all plans so far.
    pub(super) sum: &'a mut [f64],
    pub(super) gains: &'a mut [f64],
    /// The worth of each set of the part.
    pub(super) worth: &'a mut [f64],
}

impl Part<'_> {
    /// Reads the gains from the table; the others follow their plans.
    pub(super) fn read_gains(&mut self, rows: &Rows, others: &[&[f64]]) {
        rows.gains(self.block.sequences.start, others, self.gains);
    }

    /// Updates regrets and what is played, the last set first.
    pub(super) fn update(&mut self, treeplex: &Treeplex, factors: &Factors) {
        match factors.way() {
            POSITIVE => self.update_in::<POSITIVE>(treeplex, factors),
            SIGNED => self.update_in::<SIGNED>(treeplex, factors),
            _ => self.update_in::<PREDICTED>(treeplex, factors),
        }
    }

    #[inline(always)]
    fn update_in<const WAY: Way>(&mut self, treeplex: &Treeplex, factors: &Factors) {
        let begin = self.block.sequences.start;
        let sets = self.block.sets.clone();
        let (first, parents) = (&treeplex.first[sets.start..sets.end + 1], &treeplex.parent[sets]);
        for (set, &parent) in parents.iter().enumerate().rev() {
            let range = first[set] as usize - begin..first[set + 1] as usize - begin;
            let (regrets, policy) = (&mut self.regrets[range.clone()], &mut self.policy[range.clone()]);
            let worth = factors.update::<WAY>(regrets, policy, &self.gains[range]);
            self.worth[set] = worth;
            if let Some(inside) = (parent as usize).checked_sub(begin) {
                self.gains[inside] += worth;
            }
        }
    }

    /// Writes the plan and adds it to the average, the first set first. `above` is the probability of a sequence of the
    /// trunk.
    pub(super) fn descend(&mut self, treeplex: &Treeplex, weight: f64, above: impl Fn(usize) -> f64) {
        let begin = self.block.sequences.start;
        let sets = self.block.sets.clone();
        let (first, parents) = (&treeplex.first[sets.start..sets.end + 1], &treeplex.parent[sets]);
        for (set, &parent) in parents.iter().enumerate() {
            let reach = match (parent as usize).checked_sub(begin) {
                Some(inside) => self.plan[inside],
                None => above(parent as usize),
            };
            let range = first[set] as usize - begin..first[set + 1] as usize - begin;
            let plan = &mut self.plan[range.clone()];
            let sum = &mut self.sum[range.clone()];
            for ((plan, sum), share) in plan.iter_mut().zip(sum).zip(&self.policy[range]) {
                *plan = reach * share;
                *sum += weight * *plan;
            }
        }
    }
}
