//! Regret minimisation in a tree whose edge has values: CFR+ over its positions.
//!
//! The value of a position is the expected goal of the searching role. That role makes it great, the role that is opposed
//! to it makes it small, and all others draw uniformly; each of them but the first follows the [model](TreeModel) with its share
//! instead, and learns from the rest. An iteration visits every position once. Both update their regrets at
//! once, negative ones are set to 0, and the average counts an iteration as often as others were made before it.
//!
//! A policy is read at a position, over the moves that it has, so it does not matter whether all positions of an
//! information set have the same ones. What is added to an average at each position of a set is the same there.
//!
//! Reference: Tammelin, *Solving Large Imperfect Information Games Using CFR+* (2014).

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::super::evaluation::Evaluation;
use super::modelled::TreeModel;
use crate::tree::{Chooser, Following, Positions, UNEVEN_CHANCE};
use hyperplay_machine::{Bulk, Role};

/// A number for each move of a role, or for each role.
type Numbers = SmallVec<[f64; 8]>;

/// The numbers that are kept for a move.
#[derive(Clone, Default)]
struct Account {
    regret: f64,
    average: f64,
    /// What is added to the regret after the iteration.
    gain: f64,
}

/// The game below the states held possible.
pub(super) struct Subgame<'a, M: Bulk> {
    positions: &'a Positions<M>,
    role: Role,
    /// The role whose gain is the loss of the other.
    opposed: Option<Role>,
    /// What a search says of the positions at the edge.
    edge: FxHashMap<u32, &'a Evaluation>,
    model: TreeModel,
    /// Iterations made.
    iterations: f64,
    /// By the numbers of moves.
    accounts: Vec<Account>,
    /// Whether the averages are played.
    is_average: bool,
}

impl<'a, M: Bulk> Subgame<'a, M> {
    /// `None` if some position at the edge was not judged.
    pub(super) fn new(
        positions: &'a Positions<M>,
        (role, opposed): (Role, Option<Role>),
        edge: FxHashMap<u32, &'a Evaluation>,
        model: TreeModel,
    ) -> Option<Self> {
        let is_judged = edge.values().all(|evaluation| !evaluation.values.is_empty());
        let accounts = vec![Account::default(); positions.sets.moves().len()];
        let (iterations, is_average) = (0.0, false);
        is_judged.then_some(Self { positions, role, opposed, edge, model, iterations, accounts, is_average })
    }

    /// One iteration from the roots, each with its weight.
    pub(super) fn iterate(&mut self, roots: &[(Following, f64)]) {
        self.visit_all(roots);
        for account in &mut self.accounts {
            account.regret = (account.regret + std::mem::take(&mut account.gain)).max(0.0);
        }
        self.iterations += 1.0;
    }

    /// The average policy over the first `count` moves, those of the root, and their values if all play by their averages.
    pub(super) fn average(mut self, roots: &[(Following, f64)], count: usize) -> (Vec<f64>, Vec<f64>) {
        self.is_average = true;
        let worth = self.visit_all(roots);
        let own = &self.accounts[..count];
        let policy = normalised(own.iter().map(|account| account.average));
        (policy.to_vec(), own.iter().map(|account| worth + account.gain).collect())
    }

    /// The expected value of the roots.
    fn visit_all(&mut self, roots: &[(Following, f64)]) -> f64 {
        let roles = self.positions.roles();
        let visit = |&(root, weight): &(Following, f64)| {
            let mut reach: Numbers = smallvec![1.0; roles + 1];
            reach[roles] = weight;
            weight * self.visit(root, &reach)
        };
        roots.iter().map(visit).sum()
    }

    /// The expected value below; `reach` is what each role contributes to the probability of getting there, chance last.
    fn visit(&mut self, at: Following, reach: &[f64]) -> f64 {
        let position = match at {
            Following::End(end) => return f64::from(self.positions.goals(end)[self.role].value()),
            Following::Position(position) => position,
        };
        let choosers = self.positions.choosers(position);
        if let Some(&evaluation) = self.edge.get(&position) {
            let Some(own) = choosers.iter().find(|chooser| chooser.role == self.role.index() as u32) else {
                return evaluation.mean();
            };
            let (sets, mean) = (&self.positions.sets, evaluation.mean());
            let value = |number: u32| evaluation.value(sets.moves()[number as usize]).unwrap_or(mean);
            return self.learn(own, &own.numbers(sets).map(value).collect::<Numbers>(), reach);
        }
        let shares: SmallVec<[Numbers; 3]> = choosers.iter().map(|chooser| self.shares(chooser)).collect();
        let mut gains: SmallVec<[Numbers; 3]> = shares.iter().map(|of| smallvec![0.0; of.len()]).collect();
        let mut worth = 0.0;
        for choice in 0..self.positions.choices(position) {
            let place = |chooser: &Chooser| (choice / chooser.stride % u64::from(chooser.moves)) as usize;
            let mut next: Numbers = reach.into();
            for (chooser, shares) in choosers.iter().zip(&shares) {
                next[(chooser.role as usize).min(reach.len() - 1)] *= shares[place(chooser)];
            }
            let following = self.positions.following(position, choice).expect("inside the tree all is known");
            let value = self.visit(following, &next);
            let parts = || choosers.iter().zip(&shares).map(|(chooser, shares)| shares[place(chooser)]);
            worth += parts().product::<f64>() * value;
            for (skipped, chooser) in choosers.iter().enumerate() {
                let others = parts().enumerate().filter(|&(at, _)| at != skipped);
                gains[skipped][place(chooser)] += others.map(|(_, share)| share).product::<f64>() * value;
            }
        }
        for (chooser, gains) in choosers.iter().zip(&gains) {
            if self.decides(chooser) {
                self.learn(chooser, gains, reach);
            }
        }
        worth
    }

    /// Notes what each move of a chooser is worth, and what it plays where it does not follow the model; the expected value then.
    fn learn(&mut self, chooser: &Chooser, values: &[f64], reach: &[f64]) -> f64 {
        let shares = self.learnt(chooser);
        let worth: f64 = shares.iter().zip(values).map(|(share, value)| share * value).sum();
        let role = chooser.role as usize;
        let sign = if role == self.role.index() { 1.0 } else { -1.0 };
        let others = reach.iter().enumerate().filter(|&(of, _)| of != role);
        let weight = sign * others.map(|(_, reach)| reach).product::<f64>();
        let numbers = chooser.numbers(&self.positions.sets);
        for ((number, share), value) in numbers.zip(&shares).zip(values) {
            let account = &mut self.accounts[number as usize];
            account.gain += weight * (value - worth);
            if !self.is_average {
                account.average += self.iterations * reach[role] * share;
            }
        }
        worth
    }

    /// Whether a chooser is one of the roles whose policies are looked for.
    fn decides(&self, chooser: &Chooser) -> bool {
        let is = |role: Role| role.index() as u32 == chooser.role;
        is(self.role) || self.opposed.is_some_and(is)
    }

    /// What a chooser plays.
    fn shares(&self, chooser: &Chooser) -> Numbers {
        let (mut shares, share) = (self.learnt(chooser), self.model.share);
        if share > 0.0 && chooser.role < UNEVEN_CHANCE && chooser.role != self.role.index() as u32 {
            let numbers = chooser.numbers(&self.positions.sets);
            let policy = normalised(numbers.map(|number| self.model.policy[number as usize]));
            let mix = |(own, by_model): (&mut f64, f64)| *own = share * by_model + (1.0 - share) * *own;
            shares.iter_mut().zip(policy).for_each(mix);
        }
        shares
    }

    /// What a chooser plays where it does not follow the model.
    fn learnt(&self, chooser: &Chooser) -> Numbers {
        if chooser.role == UNEVEN_CHANCE {
            return normalised(self.positions.weights(chooser).iter().map(|&weight| weight as f64));
        }
        if !self.decides(chooser) {
            return smallvec![1.0 / f64::from(chooser.moves); chooser.moves as usize];
        }
        let known = |account: &Account| if self.is_average { account.average } else { account.regret };
        normalised(chooser.numbers(&self.positions.sets).map(|number| known(&self.accounts[number as usize])))
    }
}

/// Numbers that are not negative, divided by their sum; even if they are all 0.
fn normalised(numbers: impl Iterator<Item = f64>) -> Numbers {
    let mut numbers: Numbers = numbers.collect();
    let (sum, even) = (numbers.iter().sum::<f64>(), 1.0 / numbers.len() as f64);
    numbers.iter_mut().for_each(|number| *number = if sum > 0.0 { *number / sum } else { even });
    numbers
}
