//! What a solve of a sub-game ends with: its own policies, or those of the last solve.
//!
//! Few iterations leave policies that are worse than a good trunk. So at the end of a solve both are judged in the same game,
//! the sub-game with its gadgets: each other role plays its best response on the grown tree and makes its best choice before the roots.
//! Where the others have no less against the new policies than against the last ones, the last ones stay, of all roles and in
//! the whole sub-game. Then a solve gives no more away than the last one did, as far as the tree says. Where the last tree was
//! not grown it has no policies, and the new ones are judged in both cases.
//!
//! Without a gadget nothing is asked of the new policies, with a model others do not respond, and with more roles or another sum
//! what the others have less is not what the role has more: there the new policies stand.

use std::time::Duration;

use super::estimate::NOBODY;
use super::gadget::GadgetKind;
use super::{GrowingMinimiser, range};
use crate::tree::Following;
use hyperplay_machine::{Budget, Bulk};

/// The time that it takes to judge policies below the roots, in passes.
const IN_PASSES: f64 = 2.0;

/// Sums of goals that differ by less are the same.
const LEAST: f64 = 1e-6;

impl<M: Bulk> GrowingMinimiser<M> {
    /// Goes back to the policies of the last solve where the new ones of the sub-game give the other roles as much or more, once in a
    /// sub-game. Where the time would probably not do, nothing happens.
    pub fn settle(&mut self, budget: &Budget) {
        let is_short = budget.left().is_some_and(|left| left < self.settling());
        let own = self.tree.roots.searcher().filter(|_| self.may_settle() && !is_short);
        let Some(own) = own.filter(|_| self.has_constant_sum()) else { return };
        let (new, last) = (self.average_everywhere(), std::mem::take(&mut self.last));
        let mut old = new.clone();
        for set in self.tree.sets_below() {
            if let Some(last) = last.get(range(set)).filter(|last| last.iter().any(|share| *share > 0.0)) {
                old[range(set)].copy_from_slice(last);
            }
        }
        if self.conceded(own, &old) > self.conceded(own, &new) {
            return;
        }
        self.subgame.stays = true;
        for set in self.tree.sets_below() {
            let sums = &mut self.sums[range(set)];
            let all = sums.iter().sum::<f64>();
            let all = if all > 0.0 { all } else { 1.0 };
            sums.iter_mut().zip(&old[range(set)]).for_each(|(sum, share)| *sum = all * share);
        }
    }

    /// About the time that it takes to settle: twice that of making the gadgets, and two passes, because the tree has grown since.
    pub(super) fn settling(&self) -> Duration {
        let time = || self.judging + self.time_of(self.passing).mul_f64(IN_PASSES);
        if self.may_settle() { time() } else { Duration::ZERO }
    }

    /// Whether there are policies of a last solve, and something that says which are better.
    fn may_settle(&self) -> bool {
        let is_asked = self.model.is_none() && self.options.gadget != GadgetKind::None;
        is_asked && !self.subgame.follows && self.players.len() == 2 && !self.last.is_empty()
    }

    /// Whether what the roles have together is the same at all ends and leaves of the tree.
    fn has_constant_sum(&self) -> bool {
        let (tree, roles) = (&self.tree, || self.players.iter().map(|&role| role as usize));
        let of_leaf = |leaf: u32| roles().map(|role| tree.value(leaf, 0, role)).sum::<f64>();
        let of_end = |end: u32| roles().map(|role| tree.payoff(end, role)).sum::<f64>();
        let sums = tree.by_step.iter().flatten().flat_map(|&position| {
            let followings = tree.followings(position);
            let leaf = followings.is_empty().then(|| of_leaf(position));
            let ends = followings.iter().filter_map(|following| match following {
                Following::End(end) => Some(of_end(*end)),
                Following::Position(_) => None,
            });
            leaf.into_iter().chain(ends)
        });
        let (least, most) =
            sums.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), sum| (a.min(sum), b.max(sum)));
        most - least < LEAST
    }

    /// What the other roles have in the sub-game, each at its best, in the sum.
    fn conceded(&self, own: usize, policy: &[f64]) -> f64 {
        let others = self.players.iter().copied().filter(|&role| role as usize != own);
        let best = |role: u32| {
            let (side, best) = (&self.tree.roots.sides[role as usize], self.best_response(role, policy));
            let sums = self.tree.roots.sums(role, |position| Some(best.values[position as usize]));
            match &side.gadget {
                Some(gadget) => gadget.best(&side.reach, &sums),
                None => sums.iter().zip(&side.reach).map(|((_, value), reach)| reach * value).sum(),
            }
        };
        others.map(best).sum()
    }

    /// These shares of moves where the tree is grown, and 0 elsewhere.
    pub(super) fn at_grown(&self, shares: &[f64]) -> Vec<f64> {
        let mut at_grown = vec![0.0; shares.len()];
        let grown = self.tree.by_step.iter().flatten().filter(|&&at| !self.tree.followings(at).is_empty());
        let choosers = grown.flat_map(|&at| self.tree.positions.choosers(at));
        for chooser in choosers.filter(|of| of.role < NOBODY) {
            let moves = chooser.first as usize..(chooser.first + chooser.moves) as usize;
            at_grown[moves.clone()].copy_from_slice(&shares[moves]);
        }
        at_grown
    }
}
