//! Belief keys: the parts of a belief as keys of a spec, so that each can be measured alone, in a match or by itself.

use std::sync::Arc;

use super::catalogue::{Key, Kind, SWITCH};
use super::models::Assumed;
use super::spec::Spec;
use crate::belief::{BeliefOptions, OpponentModel, Weight};
use hyperplay_engine::machine::Bulk;

/// How many particles.
pub const PARTICLES: Key = Key {
    name: "particles",
    kind: Kind::Count(1, 10_000_000),
    default: "200",
    about: "particles sampled where the information set is too large to be kept whole",
};

/// Whether the information set is kept whole while it is small.
pub const ENUMERATE: Key = Key {
    name: "enumerate",
    kind: SWITCH,
    default: "on",
    about: "whether the whole information set is kept while it is small",
};

/// What small means.
pub const WHOLE: Key = Key {
    name: "whole",
    kind: Kind::Count(1, 100_000_000),
    default: "500",
    about: "the most histories kept whole, where this exceeds the particles",
};

/// Whether states are kept where histories are too many.
pub const FILTER: Key = Key {
    name: "filter",
    kind: SWITCH,
    default: "on",
    about: "whether the distinct states are kept whole where the histories are too many, if these are few enough",
};

/// How particles are weighted.
pub const WEIGHT: Key = Key {
    name: "weight",
    kind: Kind::Word(&["none", "choice", "posterior"]),
    default: "posterior",
    about: "all alike; by prior probability, as published; or by posterior over sampling probability",
};

/// What a particle does at a contradiction.
pub const BACKTRACK: Key = Key {
    name: "backtrack",
    kind: SWITCH,
    default: "on",
    about: "whether a particle takes moves back at a contradiction; otherwise it starts anew",
};

/// Whether equal histories become one particle.
pub const MERGE: Key = Key {
    name: "merge",
    kind: SWITCH,
    default: "on",
    about: "whether particles with equal histories become one with their weight",
};

/// Metropolis-Hastings moves.
pub const REJUVENATE: Key = Key {
    name: "rejuvenate",
    kind: Kind::Count(0, 1_000_000),
    default: "8",
    about: "the most Metropolis-Hastings moves made with every particle after a step, at least one if not 0",
};

/// The budget of one particle.
pub const STATES: Key = Key {
    name: "states",
    kind: Kind::Count(1, 1_000_000_000),
    default: "500",
    about: "states that one particle may visit in a step before it is given up",
};

/// The options that a spec with all keys of this file asks for.
///
/// # Panics
/// If the entry of the spec lacks one of them.
pub fn belief_options(spec: &Spec) -> BeliefOptions {
    options_but_particles(spec, usize::try_from(spec.count("particles")).unwrap_or(usize::MAX))
}

/// The options that a spec with all keys of this file but [`PARTICLES`] asks for.
pub(super) fn options_but_particles(spec: &Spec, particles: usize) -> BeliefOptions {
    BeliefOptions {
        particles,
        enumerate: spec.is_on("enumerate"),
        enumerate_limit: usize::try_from(spec.count("whole")).unwrap_or(usize::MAX),
        exact_update: spec.is_on("filter"),
        weight: match spec.word("weight") {
            "none" => Weight::None,
            "choice" => Weight::BranchingFactor,
            _ => Weight::Posterior,
        },
        backtrack: spec.is_on("backtrack"),
        merge: spec.is_on("merge"),
        rejuvenate: usize::try_from(spec.count("rejuvenate")).unwrap_or(usize::MAX),
        states: spec.count("states"),
    }
}

/// The opponent model that a spec with the keys `model` and `epsilon` asks for.
///
/// # Panics
/// As [`belief_options`].
pub fn opponent_model<M: Bulk + 'static>(spec: &Spec, machine: &Arc<M>) -> Arc<dyn OpponentModel> {
    Assumed::of(spec).build(machine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::registry;

    #[test]
    fn the_defaults_are_those_of_the_belief() {
        let spec = registry::read("hyperplay").unwrap();
        assert_eq!(belief_options(&spec), BeliefOptions::default());
    }

    #[test]
    fn every_key_reaches_its_option() {
        let spec = registry::read(
            "hyperplay:particles=7,enumerate=off,whole=9,filter=off,weight=choice,backtrack=off,merge=off,rejuvenate=3,states=11",
        );
        let options = belief_options(&spec.unwrap());
        let expected = BeliefOptions {
            particles: 7,
            enumerate: false,
            enumerate_limit: 9,
            exact_update: false,
            weight: Weight::BranchingFactor,
            backtrack: false,
            merge: false,
            rejuvenate: 3,
            states: 11,
        };
        assert_eq!(options, expected);
    }
}
