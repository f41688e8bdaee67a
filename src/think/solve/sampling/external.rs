//! External sampling: the traversing role tries all its moves.
//!
//! The worth of a node is then an unbiased estimate over the draws of the others, and the regret of a move at an
//! information set is its worth less the mean worth of what is played. No weights are needed: an information set is met
//! as often as the others and chance go there.
//!
//! Reference: Lanctot, Waugh, Zinkevich, Bowling, *Monte Carlo Sampling for Regret Minimization in Extensive Games*
//! (NIPS 2009), section 3.2.

use super::super::met::{Sampled, SamplingError};
use super::rule::Policy;
use super::traversal::{Node, Stop, Traversal};
use hyperplay_machine::Bulk;

/// The most nodes of an iteration.
pub(super) const VISITS: u64 = 20_000_000;

/// The most own choices on a path.
const DEPTH: u32 = 2_000;

impl<M: Bulk> Traversal<'_, M> {
    /// The worth of what follows a node. `values` is empty or belongs to callers, and is left as it was.
    pub(super) fn external(&mut self, node: Node, values: &mut Vec<f64>, depth: u32) -> Sampled<f64> {
        let (node, chooser) = match self.run(node, 1.0)? {
            Stop::End(end) => return Ok(self.payoff(end)),
            Stop::Own(node, chooser) => (node, chooser),
        };
        if self.visits > self.widest || depth >= DEPTH {
            return Err(SamplingError::TooWide(self.widest));
        }
        let begin = values.len();
        for own in 0..chooser.moves {
            let before = self.positions.tree.len();
            let value = self.external(node.after(&chooser, own), values, depth + 1)?;
            self.positions.release(before);
            values.push(value);
        }
        let accounts = self.accounts.of(chooser.first, chooser.moves);
        let own = &values[begin..];
        let worth = Policy::new(accounts).mean(own);
        for (account, value) in accounts.iter_mut().zip(own) {
            account.regret += self.weight * (value - worth);
        }
        values.truncate(begin);
        Ok(worth)
    }
}
