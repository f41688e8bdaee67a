//! Bootstrap: the plain particle filter, the baseline of every other sampler.
//!
//! In each step, each particle makes a joint move drawn by the model among those that agree with the own move. The
//! weight of the particle is 1 if the successor explains what was perceived, and 0 otherwise. If some particles have
//! weight 0, all are resampled systematically. The sampler does not remember contradictions and takes no move back.
//! When all particles have weight 0, the belief is depleted for the rest of the match. A step costs one state for
//! each particle.
//!
//! Reference: Gordon93 (`docs/REFERENCES.md`).

use super::{Histories, UpdateOutcome};
use hyperplay_machine::{Budget, BudgetAccount, Bulk, Evidence, Seed};

/// Brings the particles to the last step of the evidence. If the deadline cuts a step off they stay where they were.
pub(super) fn follow<M: Bulk>(
    histories: &mut Histories<M>,
    evidence: &Evidence,
    budget: &Budget,
    seed: &Seed,
) -> UpdateOutcome {
    let mut account = BudgetAccount::new(*budget);
    if histories.step() == Some(0) {
        let initial = histories.initial();
        histories.replace(vec![(initial, 1.0); histories.wanted]);
    }
    while let Some(step) = histories.step().filter(|&step| step < evidence.step()) {
        let seed = seed.index(step + 1);
        let held = histories.take();
        let mut next = Vec::with_capacity(held.len());
        for (particle, (history, _)) in held.iter().enumerate() {
            if !account.spend() {
                break;
            }
            let extended = histories.extend(history, evidence, &mut seed.index(particle).rng());
            next.extend(extended.map(|history| (history, 1.0)));
        }
        if budget.is_late() {
            histories.replace(held);
            return UpdateOutcome::Depleted { step: evidence.step() };
        }
        let is_whole = next.len() == held.len();
        histories.replace(if account.is_exhausted() { Vec::new() } else { next });
        if !is_whole {
            histories.resample(&mut seed.child("resample").rng());
        }
    }
    match histories.step() {
        Some(_) => UpdateOutcome::Sampled,
        None => UpdateOutcome::Depleted { step: evidence.step() },
    }
}
