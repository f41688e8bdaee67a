//! The policy that is played at an information set: regret matching.
//!
//! Moves are played in proportion to the positive parts of their regrets, all alike where no regret is positive. To set
//! negative regrets to 0, as CFR+ does, makes sampling slower: measured on four games, NashConv after the same number
//! of iterations is 1.3 to 4 times as large.

use rand::{Rng, RngExt};

use hyperplay_machine::share_at;

/// The numbers that are kept for a move.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Account {
    /// The sum of all estimates of its regret, those of iteration t times t.
    pub(super) regret: f64,
    /// The sum of what was played, likewise, in proportion to how often its role goes there.
    pub(super) average: f64,
}

/// The policy that is played at an information set.
#[derive(Clone, Copy)]
pub(super) struct Policy<'a> {
    accounts: &'a [Account],
    /// The sum of the positive regrets.
    pub(super) total: f64,
}

impl<'a> Policy<'a> {
    #[inline(always)]
    pub(super) fn new(accounts: &'a [Account]) -> Policy<'a> {
        Policy { accounts, total: accounts.iter().map(|account| account.regret.max(0.0)).sum() }
    }

    /// A move, drawn.
    #[inline(always)]
    pub(super) fn draw(&self, rng: &mut impl Rng) -> u32 {
        let count = self.accounts.len();
        if self.total <= 0.0 {
            return rng.random_range(0..count as u32);
        }
        let positive = self.accounts.iter().map(|account| account.regret.max(0.0));
        share_at(positive, rng.random::<f64>() * self.total).unwrap_or(0) as u32
    }

    /// The probability of a move.
    #[inline(always)]
    pub(super) fn share(&self, place: u32) -> f64 {
        self.share_of(&self.accounts[place as usize])
    }

    #[inline(always)]
    fn share_of(&self, account: &Account) -> f64 {
        if self.total > 0.0 { account.regret.max(0.0) / self.total } else { 1.0 / self.accounts.len() as f64 }
    }

    /// The mean of a value of each move, as it is played.
    #[inline(always)]
    pub(super) fn mean(&self, values: &[f64]) -> f64 {
        self.accounts.iter().zip(values).map(|(account, value)| self.share_of(account) * value).sum()
    }
}

/// Adds what is played to the average.
#[inline(always)]
pub(super) fn add_to_average(accounts: &mut [Account], total: f64, weight: f64) {
    if total > 0.0 {
        let scale = weight / total;
        accounts.iter_mut().for_each(|account| account.average += scale * account.regret.max(0.0));
    } else {
        let even = weight / accounts.len() as f64;
        accounts.iter_mut().for_each(|account| account.average += even);
    }
}
