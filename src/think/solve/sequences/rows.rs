//! The table of payoffs of one role, in rows by its own sequences.
//!
//! An entry is an end of the game: the sequences of the other roles, and the own payoff times the probability of
//! chance. With two roles it has 12 bytes.

use std::collections::BTreeMap;

use super::super::tree::{GameTree, NodeKind};
use super::treeplex::{Draws, Treeplex};

/// Every end of a game, as the tree has it.
pub(super) struct LeafTable {
    /// For each leaf and each player the place in a profile of its last move, plus 1; 0 where it made none.
    places: Vec<u32>,
    chances: Vec<f64>,
    outcomes: Vec<u32>,
    players: usize,
}

impl LeafTable {
    /// How many leaves lie right below each place of a profile, for one player.
    pub(super) fn counts(&self, player: usize, pool: usize) -> Vec<u32> {
        let mut counts = vec![0; pool];
        for &place in self.places.iter().skip(player).step_by(self.players) {
            if place > 0 {
                counts[place as usize - 1] += 1;
            }
        }
        counts
    }
}

/// The leaves of a tree, depth first.
pub(super) fn leaves(tree: &GameTree) -> LeafTable {
    let players: Vec<usize> = tree.players().map(|role| role.index()).collect();
    let mut position = vec![usize::MAX; tree.roles().len()];
    players.iter().enumerate().for_each(|(place, &role)| position[role] = place);
    let count = players.len();
    let mut table =
        LeafTable { places: Vec::new(), chances: Vec::new(), outcomes: Vec::new(), players: count };
    let mut open: Vec<(u32, f64)> = vec![(0, 1.0)];
    let mut stack: Vec<u32> = vec![0; count];
    let mut own = vec![0; count];
    while let Some((node, chance)) = open.pop() {
        own.copy_from_slice(&stack[stack.len() - count..]);
        stack.truncate(stack.len() - count);
        let node = node as usize;
        match tree.kind(node) {
            NodeKind::Terminal { .. } => {
                table.places.extend_from_slice(&own);
                table.chances.push(chance);
                table.outcomes.push(tree.outcome(node).expect("it is terminal") as u32);
            }
            NodeKind::Chance { moves, distribution } => {
                for (place, child) in tree.children(node).enumerate().rev() {
                    open.push((child as u32, distribution.part(chance, place, moves.len())));
                    stack.extend_from_slice(&own);
                }
            }
            NodeKind::Decision { set } => {
                let set = &tree.sets()[set];
                let player = position[set.role.index()];
                for (child, place) in tree.children(node).zip(set.range()).rev() {
                    open.push((child as u32, chance));
                    own[player] = place as u32 + 1;
                    stack.extend_from_slice(&own);
                }
            }
        }
    }
    table
}

/// The rows of one role.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Rows {
    /// Where the row of each own sequence begins; one more at the end.
    begin: Vec<u32>,
    /// The sequences of the others, in role order, for each entry.
    others: Vec<u32>,
    payoffs: Vec<f64>,
    /// How many others there are.
    width: usize,
}

impl Rows {
    /// Sorts the leaves by the own sequence.
    pub(super) fn new(
        leaves: &LeafTable,
        own: usize,
        treeplexes: &[&Treeplex],
        payoff: impl Fn(u32) -> f64,
    ) -> Rows {
        let sequence = |player: usize, place: u32| match place {
            0 => 0,
            place => treeplexes[player].sequence[place as usize - 1],
        };
        let (count, width) = (leaves.outcomes.len(), leaves.players - 1);
        let own_sequence = |leaf: usize| sequence(own, leaves.places[leaf * leaves.players + own]) as usize;
        let mut begin = vec![0_u32; treeplexes[own].len() + 1];
        (0..count).for_each(|leaf| begin[own_sequence(leaf) + 1] += 1);
        (1..begin.len()).for_each(|row| begin[row] += begin[row - 1]);
        let mut next = begin.clone();
        let mut rows = Rows { begin, others: vec![0; count * width], payoffs: vec![0.0; count], width };
        for leaf in 0..count {
            let row = &mut next[own_sequence(leaf)];
            let entry = *row as usize;
            *row += 1;
            rows.payoffs[entry] = leaves.chances[leaf] * payoff(leaves.outcomes[leaf]);
            let at = &leaves.places[leaf * leaves.players..][..leaves.players];
            let others = (0..leaves.players).filter(|&player| player != own);
            for (slot, player) in rows.others[entry * width..][..width].iter_mut().zip(others) {
                *slot = sequence(player, at[player]);
            }
        }
        rows
    }

    pub(in crate::solve) fn entries(&self) -> usize {
        self.payoffs.len()
    }

    /// The rows of a game in which every sequence of a role is one of several by chance, with these probabilities. `slot` is its place
    /// among the others; none if these are its rows, which are `length` then.
    pub(super) fn drawn(&self, slot: Option<usize>, draws: &[Draws], length: usize) -> Rows {
        let mut sums: BTreeMap<(usize, Vec<u32>), f64> = BTreeMap::new();
        for row in 0..self.begin.len() - 1 {
            for (others, payoff) in self.row(row) {
                for &(drawn, share) in &draws[slot.map_or(row, |slot| others[slot] as usize)] {
                    let mut key = (row, others.to_vec());
                    match slot {
                        Some(slot) => key.1[slot] = drawn,
                        None => key.0 = drawn as usize,
                    }
                    *sums.entry(key).or_default() += share * payoff;
                }
            }
        }
        let mut rows =
            Rows { begin: vec![0; length + 1], others: vec![], payoffs: vec![], width: self.width };
        for ((row, others), payoff) in sums.into_iter().filter(|(_, payoff)| *payoff != 0.0) {
            rows.begin[row + 1] += 1;
            rows.others.extend(others);
            rows.payoffs.push(payoff);
        }
        (1..rows.begin.len()).for_each(|row| rows.begin[row] += rows.begin[row - 1]);
        rows
    }

    /// The entries of the row of an own sequence: the sequences of the others, and the payoff.
    pub(in crate::solve) fn row(&self, sequence: usize) -> impl Iterator<Item = (&[u32], f64)> {
        let entries = self.begin[sequence] as usize..self.begin[sequence + 1] as usize;
        entries.map(|entry| (&self.others[entry * self.width..][..self.width], self.payoffs[entry]))
    }

    /// Writes the gains of the sequences from `from` on, as many as there is room for.
    pub(in crate::solve) fn gains(&self, from: usize, others: &[&[f64]], gains: &mut [f64]) {
        let begins = &self.begin[from..from + gains.len() + 1];
        match others {
            [] => {
                for (gain, row) in gains.iter_mut().zip(begins.windows(2)) {
                    *gain = self.payoffs[row[0] as usize..row[1] as usize].iter().sum();
                }
            }
            [other] => {
                for (gain, row) in gains.iter_mut().zip(begins.windows(2)) {
                    let entries = row[0] as usize..row[1] as usize;
                    let columns = &self.others[entries.clone()];
                    let row = columns.iter().zip(&self.payoffs[entries]);
                    *gain = row.map(|(&column, payoff)| payoff * other[column as usize]).sum();
                }
            }
            _ => {
                for (gain, row) in gains.iter_mut().zip(begins.windows(2)) {
                    let entries = row[0] as usize..row[1] as usize;
                    *gain = entries
                        .map(|entry| {
                            let columns = &self.others[entry * self.width..][..self.width];
                            let reach =
                                columns.iter().zip(others).map(|(&column, plan)| plan[column as usize]);
                            reach.fold(self.payoffs[entry], |product, share| product * share)
                        })
                        .sum();
                }
            }
        }
    }
}
