//! Samplers: the ways to sample a belief that can be measured side by side, as specs with the keys of a belief.
//!
//! The same keys as a player's, with other defaults: `ours` is the belief that `hyperplay` plays on, the others are what
//! it is compared with. How many particles there are is no key here: the meter asks for several numbers.

use std::sync::Arc;

use super::belief_keys::{
    BACKTRACK, ENUMERATE, FILTER, MERGE, REJUVENATE, STATES, WEIGHT, WHOLE, opponent_model,
    options_but_particles,
};
use super::models::{EPSILON, MODEL};
use super::{Entry, Key, Spec, SpecError};
use crate::belief::{BootstrapSampler, IndependentSampler, OpponentModel, ParticleSampler, Sampler};
use hyperplay_engine::machine::Bulk;

const SAMPLERS: &[Entry] = &[
    Entry {
        name: "ours",
        about: "the belief of the player hyperplay",
        keys: &[ENUMERATE, WHOLE, FILTER, WEIGHT, BACKTRACK, MERGE, REJUVENATE, STATES, MODEL, EPSILON],
    },
    Entry {
        name: "hyperplay12",
        about: "HyperPlay as published: backtracking, particles weighted by 1/choice factor, nothing else",
        keys: &[
            Key { default: "off", ..ENUMERATE },
            WHOLE,
            FILTER,
            Key { default: "choice", ..WEIGHT },
            BACKTRACK,
            Key { default: "off", ..MERGE },
            Key { default: "0", ..REJUVENATE },
            STATES,
            MODEL,
            EPSILON,
        ],
    },
    Entry {
        name: "hyperplay12-unweighted",
        about: "the same with all particles alike: what retrying alone samples",
        keys: &[
            Key { default: "off", ..ENUMERATE },
            WHOLE,
            FILTER,
            Key { default: "none", ..WEIGHT },
            BACKTRACK,
            Key { default: "off", ..MERGE },
            Key { default: "0", ..REJUVENATE },
            STATES,
            MODEL,
            EPSILON,
        ],
    },
    Entry {
        name: "bootstrap",
        about: "the plain particle filter: steps drawn by the model, those that contradict the percepts dropped, resampled",
        keys: &[MODEL, EPSILON],
    },
    Entry {
        name: "rejection",
        about: "every particle starts anew at its first contradiction: exact, and dear",
        keys: &[
            Key { default: "off", ..ENUMERATE },
            WHOLE,
            FILTER,
            Key { default: "none", ..WEIGHT },
            Key { default: "off", ..BACKTRACK },
            Key { default: "off", ..MERGE },
            Key { default: "0", ..REJUVENATE },
            Key { default: "1000000", ..STATES },
            MODEL,
            EPSILON,
        ],
    },
    Entry {
        name: "exact",
        about: "independent draws from the exact posterior: the control, whose figures are the floors",
        keys: &[MODEL, EPSILON],
    },
];

/// All samplers with their keys.
pub fn samplers() -> &'static [Entry] {
    SAMPLERS
}

/// Reads the spec of a sampler.
///
/// # Errors
/// [`SpecError`] says what there is instead.
pub fn read(text: &str) -> Result<Spec, SpecError> {
    Spec::parse(text, SAMPLERS)
}

/// The way to sample that a spec asks for, and what it takes the other roles to do.
///
/// # Panics
/// If the spec was read against another catalogue than [`samplers`].
pub fn build<M: Bulk + 'static>(
    spec: &Spec,
    machine: &Arc<M>,
) -> (Box<dyn Sampler<M>>, Arc<dyn OpponentModel>) {
    let sampler: Box<dyn Sampler<M>> = match spec.name() {
        "exact" => Box::new(IndependentSampler),
        "bootstrap" => Box::new(BootstrapSampler),
        _ => Box::new(ParticleSampler(options_but_particles(spec, 1))),
    };
    (sampler, opponent_model(spec, machine))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{BeliefOptions, Weight};

    fn options(text: &str) -> BeliefOptions {
        options_but_particles(&read(text).unwrap(), 1)
    }

    #[test]
    fn every_sampler_is_what_it_says() {
        assert_eq!(options("ours"), BeliefOptions { particles: 1, ..BeliefOptions::default() });
        let published = BeliefOptions {
            enumerate: false,
            weight: Weight::BranchingFactor,
            merge: false,
            rejuvenate: 0,
            ..options("ours")
        };
        assert_eq!(options("hyperplay12"), published);
        let rejection =
            BeliefOptions { backtrack: false, weight: Weight::None, states: 1_000_000, ..published };
        assert_eq!(options("rejection"), rejection.clone());
        let unweighted = BeliefOptions { weight: Weight::None, states: 500, backtrack: true, ..rejection };
        assert_eq!(options("hyperplay12-unweighted"), unweighted);
    }

    #[test]
    fn a_key_at_the_default_of_its_sampler_is_not_printed() {
        assert_eq!(read("hyperplay12:enumerate=off,merge=on").unwrap().to_string(), "hyperplay12:merge=on");
        assert_eq!(read("ours:enumerate=off,merge=on").unwrap().to_string(), "ours:enumerate=off");
        assert!(read("ours:particles=3").is_err());
        for sampler in samplers() {
            let text = format!("{}:model=softmax,epsilon=0.5", sampler.name);
            assert_eq!(read(&text).unwrap().to_string(), text);
            assert!(read(&format!("{}:epsilon=2", sampler.name)).is_err());
        }
    }
}
