//! What is kept for each move of the information sets that were met, by the number of the move.

use super::super::profile::normalise;
use super::rule::{Account, Policy};

/// The accounts of all moves.
#[derive(Clone)]
pub(super) struct Accounts {
    accounts: Vec<Account>,
    /// A guess at what each move is worth; none where no guesses are used.
    baselines: Vec<f64>,
    has_baselines: bool,
}

impl Accounts {
    pub(super) fn new(has_baselines: bool) -> Accounts {
        Accounts { accounts: Vec::new(), baselines: Vec::new(), has_baselines }
    }

    /// Makes room for this number of moves.
    pub(super) fn grow(&mut self, moves: usize) {
        self.accounts.resize(moves, Account::default());
        if self.has_baselines {
            self.baselines.resize(moves, 0.0);
        }
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.accounts) + size_of_val(&*self.baselines)
    }

    /// The numbers that are kept for `moves` moves from `first` on.
    #[inline(always)]
    pub(super) fn of(&mut self, first: u32, moves: u32) -> &mut [Account] {
        &mut self.accounts[first as usize..(first + moves) as usize]
    }

    /// The same, with the guesses.
    #[inline(always)]
    pub(super) fn with_baselines(&mut self, first: u32, moves: u32) -> (&mut [Account], &mut [f64]) {
        let range = first as usize..(first + moves) as usize;
        (&mut self.accounts[range.clone()], &mut self.baselines[range])
    }

    /// The policy that is played.
    #[inline(always)]
    pub(super) fn policy(&self, first: u32, moves: u32) -> Policy<'_> {
        Policy::new(&self.accounts[first as usize..(first + moves) as usize])
    }

    /// The average policy; even where nothing was averaged.
    pub(super) fn average(&self, first: u32, moves: u32) -> Vec<f64> {
        let accounts = &self.accounts[first as usize..(first + moves) as usize];
        let mut shares: Vec<f64> = accounts.iter().map(|account| account.average).collect();
        normalise(&mut shares);
        shares
    }
}
