//! The numbers that a regret minimiser keeps for one role, and one update of it.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::block::Part;
use super::rule::Factors;
use crate::solve::profile::normalise;
use crate::solve::sequences::{Block, PlayerForm, Treeplex};

/// What a later run continues from, by own sequence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    /// Regrets as the rule keeps them.
    pub(super) regrets: Vec<f64>,
    /// What is played.
    pub(super) policy: Vec<f64>,
    /// The weighted sum of all plans so far.
    pub(super) sum: Vec<f64>,
}

impl Kept {
    /// The shares of the sequences of a set in the average; they sum to anything.
    pub(super) fn average(&self, sequences: Range<usize>) -> &[f64] {
        let sum = &self.sum[sequences.clone()];
        // Where it never went, what is played there is as good as any.
        if sum.iter().sum::<f64>() <= 0.0 { &self.policy[sequences] } else { sum }
    }
}

/// The state of one role, by own sequence.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PlayerState {
    pub(super) kept: Kept,
    pub(super) plan: Vec<f64>,
    gains: Vec<f64>,
    worth: Vec<f64>,
}

impl PlayerState {
    /// The state before the first iteration: all moves alike.
    pub(super) fn new(treeplex: &Treeplex) -> PlayerState {
        let (zeros, mut policy) = (vec![0.0; treeplex.len()], vec![1.0; treeplex.len()]);
        (0..treeplex.sets.len()).for_each(|set| normalise(&mut policy[treeplex.range(set)]));
        PlayerState::resumed(treeplex, Kept { regrets: zeros.clone(), policy, sum: zeros })
    }

    /// The state that goes on from these numbers.
    pub(super) fn resumed(treeplex: &Treeplex, kept: Kept) -> PlayerState {
        let plan = treeplex.plan(|sequence| kept.policy[sequence]);
        PlayerState { kept, plan, gains: vec![0.0; treeplex.len()], worth: vec![0.0; treeplex.sets.len()] }
    }

    /// One update against the plans of the others.
    pub(super) fn update(&mut self, form: &PlayerForm, others: &[&[f64]], factors: &Factors) {
        let PlayerForm { treeplex, rows, .. } = form;
        let trunk = treeplex.trunk_block();
        if treeplex.blocks.is_empty() {
            // Small games go this short way; the other one would cost them a tenth of the time.
            let mut whole = self.whole(&trunk);
            whole.read_gains(rows, others);
            whole.update(treeplex, factors);
            whole.descend(treeplex, factors.weight, |_| unreachable!("no sequence lies above the trunk"));
            return;
        }
        let (mut top, mut parts) = self.parts(&trunk, &treeplex.blocks);
        parts.par_iter_mut().for_each(|part| {
            part.read_gains(rows, others);
            part.update(treeplex, factors);
        });
        top.read_gains(rows, others);
        for part in &parts {
            for (set, worth) in part.block.sets.clone().zip(&*part.worth) {
                let parent = treeplex.parent[set] as usize;
                if parent < part.block.sequences.start {
                    top.gains[parent] += worth;
                }
            }
        }
        top.update(treeplex, factors);
        top.descend(treeplex, factors.weight, |_| unreachable!("no sequence lies above the trunk"));
        let above = &*top.plan;
        parts.par_iter_mut().for_each(|part| part.descend(treeplex, factors.weight, |parent| above[parent]));
    }

    /// All sequences from the first of a block on, as one part.
    fn whole<'a>(&'a mut self, block: &'a Block) -> Part<'a> {
        Part {
            block,
            regrets: &mut self.kept.regrets,
            policy: &mut self.kept.policy,
            plan: &mut self.plan,
            sum: &mut self.kept.sum,
            gains: &mut self.gains,
            worth: &mut self.worth,
        }
    }

    /// The trunk and the blocks.
    fn parts<'a>(&'a mut self, trunk: &'a Block, blocks: &'a [Block]) -> (Part<'a>, Vec<Part<'a>>) {
        let mut left = self.whole(trunk);
        (split(&mut left, trunk), blocks.iter().map(|block| split(&mut left, block)).collect())
    }
}

/// Takes a block off the front of what is left.
fn split<'a>(left: &mut Part<'a>, block: &'a Block) -> Part<'a> {
    fn take<'a>(slice: &mut &'a mut [f64], count: usize) -> &'a mut [f64] {
        slice.split_off_mut(..count).expect("the blocks cover the treeplex once")
    }
    let (sequences, sets) = (block.sequences.len(), block.sets.len());
    Part {
        block,
        regrets: take(&mut left.regrets, sequences),
        policy: take(&mut left.policy, sequences),
        plan: take(&mut left.plan, sequences),
        sum: take(&mut left.sum, sequences),
        gains: take(&mut left.gains, sequences),
        worth: take(&mut left.worth, sets),
    }
}
