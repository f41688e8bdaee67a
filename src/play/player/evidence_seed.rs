//! The random stream of what a role knows, for opponent models whose answers are functions of the evidence.
//!
//! The stream depends on the evidence as it is printed, so it is the same on every engine and in every process.

use hyperplay_engine::Engine;
use hyperplay_machine::{Evidence, Seed, StateMachine as _};

/// The stream of the evidence below a seed, which stands for the role and for whatever else an answer depends on.
pub(super) fn evidence_seed(machine: &Engine, seed: Seed, evidence: &Evidence) -> Seed {
    let terms = machine.terms();
    evidence.steps.iter().fold(seed, |seed, step| {
        let own: String = step.own.named().iter().map(|own| terms.show(own.0)).collect();
        step.percepts.iter().fold(seed.child(&own), |seed, percept| seed.child(&terms.show(percept.0)))
    })
}
