//! The information sets that a traversal has met, and what is kept for each of their moves.
//!
//! All moves lie in one pool. A set is found by what its role knows, once for each position; after that its place in
//! the pool stands with the position.

use super::super::tree::TreeError;
use super::rule::{Account, Policy};
use hyperplay_machine::{Bulk, ByRole, Move, Role};

/// An information set.
#[derive(Clone, Copy, Debug)]
pub(super) struct MetSet {
    pub(super) role: Role,
    pub(super) class: u32,
    pub(super) first: u32,
    pub(super) moves: u32,
}

/// All information sets met.
pub(super) struct Sets {
    pub(super) list: Vec<MetSet>,
    pub(super) moves: Vec<Move>,
    accounts: Vec<Account>,
    /// A guess at what each move is worth; none where no guesses are used.
    baselines: Vec<f64>,
    has_baselines: bool,
    /// By role and class: 1 plus the number of the set, 0 where there is none.
    of_class: ByRole<Vec<u32>>,
}

impl Sets {
    pub(super) fn new(roles: usize, has_baselines: bool) -> Sets {
        Sets {
            list: Vec::new(),
            moves: Vec::new(),
            accounts: Vec::new(),
            baselines: Vec::new(),
            has_baselines,
            of_class: ByRole::from_fn(roles, |_| Vec::new()),
        }
    }

    /// The set of a class, if it was met.
    pub(super) fn of_class(&self, role: Role, class: u32) -> Option<&MetSet> {
        let number = self.of_class[role].get(class as usize)?.checked_sub(1)?;
        Some(&self.list[number as usize])
    }

    /// Where the moves of a class of evidence lie, which must be these.
    pub(super) fn meet<M: Bulk>(
        &mut self,
        machine: &M,
        role: Role,
        class: u32,
        moves: &[Move],
        step: u32,
    ) -> Result<u32, TreeError> {
        if let Some(&MetSet { first, moves: count, .. }) = self.of_class(role, class) {
            let former = &self.moves[first as usize..(first + count) as usize];
            if former == moves {
                return Ok(first);
            }
            return Err(TreeError::moves_differ(machine, role, step, [former, moves]));
        }
        let first = self.moves.len() as u32;
        self.moves.extend_from_slice(moves);
        self.accounts.resize(self.moves.len(), Account::default());
        if self.has_baselines {
            self.baselines.resize(self.moves.len(), 0.0);
        }
        self.list.push(MetSet { role, class, first, moves: moves.len() as u32 });
        let numbers = &mut self.of_class[role];
        if numbers.len() <= class as usize {
            numbers.resize(class as usize + 1, 0);
        }
        numbers[class as usize] = self.list.len() as u32;
        Ok(first)
    }

    /// The numbers that are kept for `moves` moves from `first` on.
    #[inline(always)]
    pub(super) fn accounts(&mut self, first: u32, moves: u32) -> &mut [Account] {
        &mut self.accounts[first as usize..(first + moves) as usize]
    }

    /// The same, with the guesses.
    #[inline(always)]
    pub(super) fn with_baselines(&mut self, first: u32, moves: u32) -> (&mut [Account], &mut [f64]) {
        let range = first as usize..(first + moves) as usize;
        (&mut self.accounts[range.clone()], &mut self.baselines[range])
    }

    /// The policy that is played at a set.
    #[inline(always)]
    pub(super) fn policy(&self, first: u32, moves: u32) -> Policy<'_> {
        Policy::new(&self.accounts[first as usize..(first + moves) as usize])
    }

    /// The average policy at a set; even where nothing was averaged.
    pub(super) fn average(&self, set: &MetSet) -> Vec<f64> {
        let accounts = &self.accounts[set.first as usize..(set.first + set.moves) as usize];
        let sum: f64 = accounts.iter().map(|account| account.average).sum();
        let even = 1.0 / accounts.len() as f64;
        accounts.iter().map(|account| if sum > 0.0 { account.average / sum } else { even }).collect()
    }
}
