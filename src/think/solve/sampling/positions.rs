//! The positions that traversals meet, in the arena of all trees: which are kept, and what has no place in a tree.
//!
//! Steps in which nobody chooses are made at once: what is noted after a choice is the next position in which somebody
//! does.
//!
//! The first positions that are met are kept, up to a limit. So near the root, and in all of a small game, a traversal
//! asks the machine nothing; in Leduc poker that makes it forty times as fast. Later positions lie on top of the kept
//! ones as on a stack, are noted nowhere, and are given up on the way back. The result of a traversal does not depend on
//! the limit.

use super::super::met::{Sampled, check};
use super::super::tree::TreeError;
use super::accounts::Accounts;
use crate::tree::{Following, Positions};
use hyperplay_machine::{Bulk, History};

/// About the most bytes of the positions that are kept.
const KEPT: usize = 64 << 20;

/// All positions that are held.
#[derive_where::derive_where(Clone)]
pub(super) struct MetPositions<M: Bulk> {
    pub(super) scratch: M::Scratch,
    pub(super) tree: Positions<M>,
    /// How many steps lead to each.
    steps: Vec<u32>,
    /// How many positions are kept for ever, once that is fixed.
    kept: u32,
    /// The most bytes of these.
    pub(super) memory: usize,
}

impl<M: Bulk> MetPositions<M> {
    pub(super) fn new(machine: &M) -> Self {
        let (scratch, tree) = (machine.scratch(), Positions::serial(machine));
        MetPositions { scratch, tree, steps: Vec::new(), kept: u32::MAX, memory: KEPT }
    }

    /// Gives up the positions met since the given number was reached, but not those that are kept.
    #[inline(always)]
    pub(super) fn release(&mut self, before: usize) {
        if before >= self.kept as usize {
            self.tree.truncate(before);
            self.steps.truncate(before);
        }
    }

    /// The first position, or the end, of a game.
    pub(super) fn root(&mut self, machine: &M, accounts: &mut Accounts) -> Sampled<Following> {
        let root = self.tree.root(machine, &mut self.scratch);
        self.settle(machine, accounts, root, 0)
    }

    /// The position or the end that follows a choice at a position.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        machine: &M,
        accounts: &mut Accounts,
        position: u32,
        choice: u64,
    ) -> Sampled<Following> {
        match self.tree.following(position, choice) {
            Some(following) => Ok(following),
            None => self.discover(machine, accounts, position, choice),
        }
    }

    /// The places of the moves of a history, one for each chooser on its way. The first stands for a move that nobody has,
    /// since any history may be aimed at.
    pub(super) fn places(
        &mut self,
        machine: &M,
        accounts: &mut Accounts,
        mut at: Following,
        history: &History,
    ) -> Sampled<Vec<u32>> {
        let mut places = Vec::new();
        while let Following::Position(position) = at {
            let Some(joint) = history.0.get(self.steps[position as usize] as usize) else { break };
            let mut choice = 0;
            for chooser in self.tree.choosers(position) {
                let made = self.tree.place_of(machine, chooser, joint).unwrap_or(0);
                choice += u64::from(made) * chooser.stride;
                places.push(made);
            }
            at = self.follow(machine, accounts, position, choice)?;
        }
        Ok(places)
    }

    #[inline(never)]
    fn discover(
        &mut self,
        machine: &M,
        accounts: &mut Accounts,
        position: u32,
        choice: u64,
    ) -> Sampled<Following> {
        let next = self.tree.follow(machine, position, choice, &mut self.scratch);
        let following = self.settle(machine, accounts, next, self.steps[position as usize] + 1)?;
        // The successor of a position that is not kept is not kept either.
        let last = if let Following::Position(next) = following { next } else { position };
        if last < self.kept {
            self.tree.note(position, choice, following);
        }
        Ok(following)
    }

    /// Makes steps until somebody has a choice.
    fn settle(
        &mut self,
        machine: &M,
        accounts: &mut Accounts,
        mut next: Option<Following>,
        mut step: u32,
    ) -> Sampled<Following> {
        loop {
            // Before anything is refused: the sets of a position that no iteration can pass are met too.
            accounts.grow(self.tree.sets.moves().len());
            if let Some(failure) = machine.take_failure(&mut self.scratch) {
                return Err(TreeError::Failed(failure).into());
            }
            let position = match next.ok_or(TreeError::Stopped)? {
                Following::Position(position) => position,
                end => return Ok(end),
            };
            self.steps.push(step);
            check(machine, &self.tree, position, step)?;
            if !self.tree.choosers(position).is_empty() {
                if self.tree.bytes() > self.memory {
                    self.kept = self.kept.min(position);
                }
                return Ok(Following::Position(position));
            }
            next = self.tree.follow(machine, position, 0, &mut self.scratch);
            step += 1;
        }
    }
}
