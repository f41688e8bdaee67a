//! The part that the traversals of both methods share: who traverses, what is drawn, what is added to the average.
//!
//! In a traversal one role estimates the regrets of its moves. The others draw their moves as they play, and the policy
//! that one of them plays is added to its average: that they are met as often as they go there is the weight it needs.
//! So each role is averaged in the traversals of the role before it. (With three roles or more the weight also depends
//! on what the third plays at that time, so that the average is not exactly that of the theory, which promises nothing
//! there anyway.)

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::met::Sampled;
use super::super::sequences::MIDDLE;
use super::accounts::Accounts;
use super::positions::MetPositions;
use super::rule::add_to_average;
use super::target::Aim;
use crate::tree::{CHANCE, Chooser, Following, UNEVEN_CHANCE};
use hyperplay_machine::{Bulk, draw_weighted};

/// One traversal.
pub(super) struct Traversal<'a, M: Bulk> {
    pub(super) machine: &'a M,
    pub(super) positions: &'a mut MetPositions<M>,
    pub(super) accounts: &'a mut Accounts,
    pub(super) rng: &'a mut ChaCha8Rng,
    /// The place of the role that estimates regrets; [`NOBODY`] if only averages are made.
    pub(super) role: u32,
    /// The place of the role whose average is made.
    pub(super) averaged: u32,
    /// The weight of the iteration.
    pub(super) weight: f64,
    /// Nodes visited: draws, decisions and ends.
    pub(super) visits: u64,
    pub(super) widest: u64,
    pub(super) aim: Aim<'a>,
    /// By how much the draws of the others since the last own choice were made too seldom, because others are aimed at.
    pub(super) ratio: f64,
}

/// No role.
pub(super) const NOBODY: u32 = UNEVEN_CHANCE - 1;

/// Where a traversal stands: at a chooser of a position, after the choices of those before it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    position: u32,
    /// The choosers that are left: the place of the next, and of the last plus 1.
    next: u32,
    end: u32,
    /// The choices so far, as a number.
    choice: u64,
}

impl Node {
    /// After one more choice.
    #[inline(always)]
    pub(super) fn after(self, chooser: &Chooser, own: u32) -> Node {
        Node { next: self.next + 1, choice: self.choice + u64::from(own) * chooser.stride, ..self }
    }
}

/// Where the draws of others lead.
pub(super) enum Stop {
    /// To the end of the game, which has a number.
    End(u32),
    /// To a choice of the traversing role.
    Own(Node, Chooser),
}

impl<M: Bulk> Traversal<'_, M> {
    /// What an end is worth to the role: its goal less the middle.
    #[inline(always)]
    pub(super) fn payoff(&self, end: u32) -> f64 {
        f64::from(self.positions.tree.goals(end).values()[self.role as usize]) - MIDDLE
    }

    /// The first node of a position.
    #[inline(always)]
    pub(super) fn enter(&self, position: u32) -> Node {
        let (next, end) = self.positions.tree.places(position);
        Node { position, next, end, choice: 0 }
    }

    /// Goes on to the next choice of the traversing role, or to the end. The amount added to the average has the weight
    /// of the iteration times `scale`.
    #[inline(always)]
    pub(super) fn run(&mut self, mut node: Node, scale: f64) -> Sampled<Stop> {
        loop {
            self.visits += 1;
            if node.next == node.end {
                match self.positions.follow(self.machine, self.accounts, node.position, node.choice)? {
                    Following::End(end) => return Ok(Stop::End(end)),
                    Following::Position(position) => node = self.enter(position),
                }
            }
            let chooser = self.positions.tree.chooser(node.next);
            let Chooser { role, moves, first, .. } = chooser;
            if role == self.role {
                return Ok(Stop::Own(node, chooser));
            }
            let (own, ratio) = if role == CHANCE {
                self.aim.draw(self.rng.random_range(0..moves), |_| 1.0 / f64::from(moves))
            } else if role == UNEVEN_CHANCE {
                let weights = self.positions.tree.weights(&chooser);
                let share = |place| weights[place as usize] as f64 / weights.iter().sum::<u64>() as f64;
                self.aim.draw(draw_weighted(weights, self.rng) as u32, share)
            } else {
                let policy = self.accounts.policy(first, moves);
                let drawn = self.aim.draw(policy.draw(self.rng), |own| policy.share(own));
                let total = policy.total;
                if role == self.averaged {
                    let weight = self.weight * scale * self.ratio;
                    add_to_average(self.accounts.of(first, moves), total, weight);
                }
                drawn
            };
            self.ratio *= ratio;
            node = node.after(&chooser, own);
        }
    }
}
