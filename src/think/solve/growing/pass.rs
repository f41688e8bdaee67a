//! A pass over the tree for one role: how probably each position is reached, and what each of its moves gains.
//!
//! Down the tree go two probabilities for each position: that the role itself goes there, and that all others and chance
//! do. Up the tree go the values. The gain of a move is the sum over the positions of its set of what follows it, each
//! with the probability of the others (a *counterfactual value*). Where several roles choose in one step none sees what
//! the others choose, so a step needs no nodes of its own: its choices are summed.

use super::grown::{GrownTree, each_choice};
use super::range;
use super::roots::Root;
use crate::tree::{Chooser, Following};
use hyperplay_machine::Bulk;

/// The numbers of a pass.
#[derive(Clone, Default)]
pub(super) struct Pass {
    /// By position.
    pub(super) own: Vec<f64>,
    pub(super) others: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// By number of a move.
    pub(super) gains: Vec<f64>,
    /// By set: how probably the role itself goes there, and how probably the others do, over all its grown positions.
    pub(super) reach: Vec<[f64; 2]>,
}

/// The policies in a pass, by number of a move: that of the role, and those of the others.
#[derive(Clone, Copy)]
pub(super) struct Policies<'a> {
    pub(super) role: u32,
    pub(super) own: &'a [f64],
    pub(super) others: &'a [f64],
}

impl Policies<'_> {
    /// The probabilities of the moves of a chooser.
    #[inline(always)]
    fn of<'s, M: Bulk>(&'s self, tree: &'s GrownTree<M>, chooser: &Chooser) -> &'s [f64] {
        let of = if chooser.role == self.role { self.own } else { self.others };
        tree.shares(chooser, of)
    }

    /// Multiplies the probabilities of the moves that make a choice: those of the others with chance, and the own one.
    #[inline(always)]
    fn shares<M: Bulk>(&self, tree: &GrownTree<M>, choosers: &[Chooser], places: &[u32]) -> (f64, f64) {
        let (mut others, mut own) = (1.0, 1.0);
        for (chooser, &place) in choosers.iter().zip(places) {
            let factor = if chooser.role == self.role { &mut own } else { &mut others };
            *factor *= self.of(tree, chooser)[place as usize];
        }
        (others, own)
    }
}

impl Pass {
    /// Goes down from the roots, with the weights that they have for the role.
    pub(super) fn descend_from_roots<M: Bulk>(&mut self, tree: &GrownTree<M>, policies: Policies<'_>) {
        self.descend(tree, policies, |root| tree.roots.weights(root, policies.role));
    }

    /// Goes down from the roots with these probabilities: of the role itself, and of all others and chance.
    pub(super) fn descend<M: Bulk>(
        &mut self,
        tree: &GrownTree<M>,
        policies: Policies<'_>,
        weights: impl Fn(&Root) -> (f64, f64),
    ) {
        let (positions, sets) = (tree.positions.len(), &tree.positions.sets);
        // What is not below the roots is not read.
        for numbers in [&mut self.own, &mut self.others, &mut self.values] {
            numbers.resize(positions, 0.0);
            tree.by_step.iter().flatten().for_each(|&position| numbers[position as usize] = 0.0);
        }
        self.gains.resize(sets.moves().len(), 0.0);
        self.reach.resize(sets.list().len(), [0.0; 2]);
        for &set in &tree.sets {
            self.reach[set as usize] = [0.0; 2];
            self.gains[range(sets.list()[set as usize])].fill(0.0);
        }
        for root in &tree.roots.list {
            let place = root.position as usize;
            (self.own[place], self.others[place]) = weights(root);
        }
        for &position in tree.by_step.iter().flatten() {
            let (own, others) = (self.own[position as usize], self.others[position as usize]);
            if own == 0.0 && others == 0.0 {
                continue;
            }
            let is_own = |chooser: &&Chooser| chooser.role == policies.role;
            let (choosers, followings) = (tree.choosers(position), tree.followings(position));
            for chooser in choosers.iter().filter(is_own) {
                let [reached, of_others] = &mut self.reach[chooser.set as usize];
                (*reached, *of_others) = (own, *of_others + others);
            }
            if followings.is_empty() {
                for chooser in tree.positions.choosers(position).iter().filter(is_own) {
                    self.reach[chooser.set as usize][0] = own;
                }
            }
            if let [chooser] = choosers {
                let is_own = chooser.role == policies.role;
                for (following, share) in followings.iter().zip(policies.of(tree, chooser)) {
                    if let Following::Position(next) = *following {
                        let (of_others, of_own) = if is_own { (1.0, *share) } else { (*share, 1.0) };
                        self.others[next as usize] += others * of_others;
                        self.own[next as usize] = own * of_own;
                    }
                }
                continue;
            }
            each_choice(choosers, followings.len(), |choice, places| {
                if let Following::Position(next) = followings[choice] {
                    let shares = policies.shares(tree, choosers, places);
                    self.others[next as usize] += others * shares.0;
                    self.own[next as usize] = own * shares.1;
                }
            });
        }
    }

    /// Values the positions after a number of steps, and adds what the moves there gain. Later positions have values.
    pub(super) fn climb<M: Bulk>(&mut self, tree: &GrownTree<M>, step: usize, policies: Policies<'_>) {
        let role = policies.role as usize;
        for &position in &tree.by_step[step] {
            let others = self.others[position as usize];
            if others == 0.0 {
                continue;
            }
            let (choosers, followings) = (tree.choosers(position), tree.followings(position));
            let own = choosers.iter().position(|chooser| chooser.role == policies.role);
            let (mut worth, gains) = (0.0, &mut self.gains);
            let after = |choice: usize| match followings[choice] {
                Following::End(end) => tree.payoff(end, role),
                Following::Position(next) => self.values[next as usize],
            };
            let mut add = |places: &[u32], value: f64| {
                let shares = policies.shares(tree, choosers, places);
                let value = shares.0 * value;
                worth += shares.1 * value;
                if let Some(own) = own {
                    gains[(choosers[own].first + places[own]) as usize] += others * value;
                }
            };
            if followings.is_empty() {
                let ways = tree.continuations.weights.len();
                each_choice(choosers, ways, |way, places| add(places, tree.value(position, way, role)));
            } else if let [chooser] = choosers {
                for (choice, share) in policies.of(tree, chooser).iter().enumerate() {
                    let value = after(choice);
                    worth += share * value;
                    if own.is_some() {
                        gains[chooser.first as usize + choice] += others * value;
                    }
                }
            } else {
                each_choice(choosers, followings.len(), |choice, places| add(places, after(choice)));
            }
            self.values[position as usize] = worth;
        }
    }

    /// The sum of the values of the roots to the role of the pass, each with the probability of the others, after all
    /// positions were valued.
    pub(super) fn value<M: Bulk>(&self, tree: &GrownTree<M>) -> f64 {
        let value = |root: &Root| self.others[root.position as usize] * self.values[root.position as usize];
        tree.roots.list.iter().map(value).sum()
    }
}
