//! The sequence form: a game as own sequences of moves and a sparse table of payoffs.
//!
//! A *sequence* of a role is what it did on the way to a node: its moves at its information sets. With perfect recall
//! the last of them fixes all. A *plan* gives each sequence the product of the own probabilities on it; then the
//! expected payoff is linear in the plan of each role. For every end of the game the table has one entry: the sequences
//! of all roles that lead there, and the payoff times the probability of chance. It lies once for each role, in rows by
//! own sequence, so that the gains of all sequences of a role are one pass over memory.
//!
//! A payoff is (goal - 50) / unit. All sums are made in an order that the game fixes, whatever the number of threads.
//!
//! Reference: von Stengel, *Efficient Computation of Behavior Strategies* (1996); Koller, Megiddo, von Stengel, *Fast
//! Algorithms for Finding Randomized Strategies in Game Trees* (1994).

mod rows;
mod treeplex;

use std::ops::Range;

use rayon::prelude::*;
use smallvec::SmallVec;

use super::profile::{Profile, normalise};
use super::tree::GameTree;
use hyperplay_machine::Role;

pub(super) use rows::Rows;
use treeplex::Draws;
pub(super) use treeplex::{Block, Treeplex};

/// The middle of the goals, which counts as a payoff of 0.
pub(super) const MIDDLE: f64 = 50.0;

/// A game in sequence form.
#[derive(Clone, Debug)]
pub struct SequenceForm {
    /// The roles that decide, in role order.
    pub(super) players: Vec<PlayerForm>,
    /// How many roles there are, `random` included.
    pub(super) roles: usize,
    /// The sum of payoffs, if it is the same at every end.
    pub constant_sum: Option<f64>,
    /// The length of a profile.
    pub(super) pool: usize,
}

/// The part of one role.
#[derive(Clone, Debug)]
pub(super) struct PlayerForm {
    pub(super) role: Role,
    pub(super) treeplex: Treeplex,
    pub(super) rows: Rows,
}

impl SequenceForm {
    /// The sequence form of a tree, with `unit` goal points for a payoff of 1. Takes time and memory in proportion to
    /// the number of nodes.
    pub fn new(tree: &GameTree, unit: f64) -> SequenceForm {
        let leaves = rows::leaves(tree);
        let players: Vec<Role> = tree.players().collect();
        let payoff = |role: Role, outcome: u32| {
            (f64::from(tree.goals_of(outcome)[role.index()].value()) - MIDDLE) / unit
        };
        let forms = players.par_iter().enumerate().map(|(place, &role)| {
            let treeplex = Treeplex::new(tree, role, &leaves.counts(place, tree.pool_len()));
            (role, treeplex)
        });
        let forms: Vec<(Role, Treeplex)> = forms.collect();
        let rows: Vec<Rows> = (0..players.len())
            .into_par_iter()
            .map(|own| {
                let treeplexes: Vec<&Treeplex> = forms.iter().map(|(_, treeplex)| treeplex).collect();
                Rows::new(&leaves, own, &treeplexes, |outcome| payoff(players[own], outcome))
            })
            .collect();
        let constant_sum =
            tree.constant_sum().map(|sum| (f64::from(sum) - MIDDLE * players.len() as f64) / unit);
        let players = forms
            .into_iter()
            .zip(rows)
            .map(|((role, treeplex), rows)| PlayerForm { role, treeplex, rows })
            .collect();
        SequenceForm { players, roles: tree.roles().len(), constant_sum, pool: tree.pool_len() }
    }

    /// The game in which a role is found out before the match, with the probability `share`, to play as a profile says, which only it
    /// hears of. Its best policies are restricted Nash responses (Johanson, Zinkevich, Bowling 2007): with 0 equilibria, with 1 best
    /// responses to the profile. A policy of the role is that of a match in which it is free.
    ///
    /// # Panics
    /// If the profile is of another tree.
    #[must_use]
    pub fn restricted(&self, role: Role, share: f64, profile: &Profile) -> SequenceForm {
        let Some(fixed) = self.players.iter().position(|player| player.role == role) else {
            return self.clone();
        };
        let reaches = self.plans(profile).swap_remove(fixed).into_iter();
        let draws =
            (0..).zip(reaches).map(|(sequence, reach)| vec![(sequence, 1.0 - share), (0, share * reach)]);
        self.drawn(fixed, &self.players[fixed].treeplex, &draws.collect::<Vec<_>>())
    }

    /// The game in which a role is made, at each of its information sets anew, to move as a profile says, with the probability `share` of
    /// the set in the tree. Its best policies are data-biased responses (Johanson, Bowling 2009). Of a profile of
    /// this game, the shares of the role at the sets of the tree mean nothing: it has others, by what it was made to do before, so
    /// [`losses`](SequenceForm::losses) has no meaning for it. Its table of payoffs is up to 2^k times as large where the role decides k
    /// times on a way; `None` if it has more than `most` entries.
    ///
    /// # Panics
    /// If the profile is of another tree.
    pub fn data_biased(
        &self,
        role: Role,
        share: impl Fn(usize) -> f64,
        profile: &Profile,
        most: usize,
    ) -> Option<SequenceForm> {
        let Some(fixed) = self.players.iter().position(|player| player.role == role) else {
            return Some(self.clone());
        };
        let PlayerForm { treeplex, rows, .. } = &self.players[fixed];
        let ways = treeplex.ways(&share, &profile.0).into_iter().enumerate();
        let entries: f64 = ways.map(|(sequence, ways)| ways * rows.row(sequence).count() as f64).sum();
        (entries <= most as f64).then(|| {
            let (treeplex, draws) = treeplex.biased(share, &profile.0);
            SequenceForm { pool: self.pool + treeplex.len(), ..self.drawn(fixed, &treeplex, &draws) }
        })
    }

    /// The game in which a player has these sequences, and by chance one of them for each that it has here.
    fn drawn(&self, fixed: usize, treeplex: &Treeplex, draws: &[Draws]) -> SequenceForm {
        let player = |(own, player): (usize, &PlayerForm)| {
            let slot = (own != fixed).then(|| fixed - usize::from(own < fixed));
            let treeplex = if own == fixed { treeplex } else { &player.treeplex }.clone();
            PlayerForm { role: player.role, rows: player.rows.drawn(slot, draws, treeplex.len()), treeplex }
        };
        let players: Vec<PlayerForm> = self.players.iter().enumerate().map(player).collect();
        // There is chance now.
        SequenceForm { roles: self.roles.max(players.len() + 1), players, ..*self }
    }

    /// How many roles decide.
    pub fn player_count(&self) -> usize {
        self.players.len()
    }

    /// How many ends of the game there are: the entries of the table.
    pub fn entries(&self) -> usize {
        self.players.first().map_or(0, |player| player.rows.entries())
    }

    /// The gains of all sequences of one role, where the others follow their plans (one for each player; the own is
    /// not read). The gain of a sequence is the sum over the ends right below it.
    pub(super) fn gains(&self, own: usize, plans: &[Vec<f64>]) -> Vec<f64> {
        let others = plans.iter().enumerate().filter(|&(place, _)| place != own);
        let others: Plans<'_> = others.map(|(_, plan)| &plan[..]).collect();
        let PlayerForm { treeplex, rows, .. } = &self.players[own];
        let mut gains = vec![0.0; treeplex.len()];
        rows.gains(0, &others, &mut gains);
        gains
    }

    /// The profile with the shares that `list` lists of the sequences of a player at each of its sets, divided by their sum;
    /// even where the sum is 0.
    pub(super) fn profile_by(&self, list: impl Fn(usize, Range<usize>, &mut Vec<f64>)) -> Profile {
        let (mut profile, mut shares) = (Profile(vec![0.0; self.pool]), Vec::new());
        for (own, PlayerForm { treeplex, .. }) in self.players.iter().enumerate() {
            for set in 0..treeplex.sets.len() {
                shares.clear();
                list(own, treeplex.range(set), &mut shares);
                normalise(&mut shares);
                for (sequence, &share) in treeplex.range(set).zip(&shares) {
                    profile.0[treeplex.place(sequence)] = share;
                }
            }
        }
        profile
    }
}

/// Plans of some players; up to two lie in place.
pub(super) type Plans<'a> = SmallVec<[&'a [f64]; 2]>;
