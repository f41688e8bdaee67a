//! The part that the traversals of both methods share: who traverses, what is drawn, what is added to the average.
//!
//! In a traversal one role estimates the regrets of its moves. The others draw their moves as they play, and the policy
//! that one of them plays is added to its average: that they are met as often as they go there is the weight it needs.
//! So each role is averaged in the traversals of the role before it. (With three roles or more the weight also depends
//! on what the third plays at that time, so that the average is not exactly that of the theory, which promises nothing
//! there anyway.)

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::error::SamplingError;
use super::positions::{CHANCE, Chooser, Following, Positions, UNEVEN_CHANCE};
use super::rule::add_to_average;
use super::sets::Sets;
use hyperplay_machine::{Bulk, draw_weighted};

/// One traversal.
pub(super) struct Traversal<'a, M: Bulk> {
    pub(super) machine: &'a M,
    pub(super) positions: &'a mut Positions<M>,
    pub(super) sets: &'a mut Sets,
    pub(super) rng: &'a mut ChaCha8Rng,
    /// The place of the role that estimates regrets; [`NOBODY`] if only averages are made.
    pub(super) role: u32,
    /// The place of the role whose average is made.
    pub(super) averaged: u32,
    /// The weight of the iteration.
    pub(super) weight: f64,
    /// Nodes visited: draws, decisions and ends.
    pub(super) visits: u64,
}

/// No role.
pub(super) const NOBODY: u32 = u32::MAX - 1;

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
    /// The first node of a position.
    #[inline(always)]
    pub(super) fn enter(&self, position: u32) -> Node {
        let (next, end) = self.positions.choosers(position);
        Node { position, next, end, choice: 0 }
    }

    /// Goes on to the next choice of the traversing role, or to the end. The amount added to the average has the weight
    /// of the iteration times `scale`.
    #[inline(always)]
    pub(super) fn run(&mut self, mut node: Node, scale: f64) -> Result<Stop, SamplingError> {
        loop {
            self.visits += 1;
            if node.next == node.end {
                match self.positions.follow(self.machine, self.sets, node.position, node.choice)? {
                    Following::End(end) => return Ok(Stop::End(end)),
                    Following::Position(position) => node = self.enter(position),
                }
            }
            let chooser = self.positions.chooser(node.next);
            let Chooser { role, moves, first, .. } = chooser;
            if role == self.role {
                return Ok(Stop::Own(node, chooser));
            }
            let own = if role == CHANCE {
                self.rng.random_range(0..moves)
            } else if role == UNEVEN_CHANCE {
                draw_weighted(self.positions.weights(first, moves), self.rng) as u32
            } else {
                let policy = self.sets.policy(first, moves);
                let (own, total) = (policy.draw(self.rng), policy.total());
                if role == self.averaged {
                    add_to_average(self.sets.accounts(first, moves), total, self.weight * scale);
                }
                own
            };
            node = node.after(&chooser, own);
        }
    }
}
