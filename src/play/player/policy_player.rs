//! The player `policy`: it plays as a policy file says.
//!
//! Each move is drawn from the probabilities of the entry for what the role knows. Where the file has no entry for it,
//! every legal move is as likely as any other, and the decision says so.

use std::sync::Arc;

use super::decision::{Decision, Player, View, uniform};
use super::policy_file::{FilePolicy, PolicyFile};
use super::reason::Reason;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Role, Seed};

/// The player `policy`.
pub(super) struct PolicyPlayer {
    policy: FilePolicy,
    role: Role,
}

impl PolicyPlayer {
    pub(super) fn new(machine: Arc<Engine>, role: Role, file: Arc<PolicyFile>) -> Self {
        PolicyPlayer { policy: FilePolicy::new(machine, file), role }
    }
}

impl Player for PolicyPlayer {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        let written = self.policy.written(self.role, view.evidence, view.legal);
        let reasons = match &written {
            None if view.legal.len() > 1 => {
                vec![Reason::said("the policy file says nothing here: a legal move at random")]
            }
            _ => Vec::new(),
        };
        let shares = written.map(|shares| view.legal.iter().copied().zip(shares).collect());
        let mut decision = Decision::draw(shares.unwrap_or_else(|| uniform(view.legal)), seed);
        decision.reasons = reasons;
        decision
    }
}
