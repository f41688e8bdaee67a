//! Samplers: the ways to sample a belief that can be measured side by side, as specs with the keys of a belief.
//!
//! The same keys as a player's, with other defaults: `ours` is the belief that `hyperplay` plays on, the others are what
//! it is compared with. How many particles there are is no key here: the meter asks for several numbers.

use std::sync::Arc;

use super::belief_keys::{
    BACKTRACK, ENUMERATE, FILTER, MERGE, MODEL, REJUVENATE, STATES, WEIGHT, WHOLE, opponent_model,
    options_but_particles,
};
use super::{Entry, Key, Spec, SpecError};
use crate::belief::meter::Method;
use crate::belief::{OpponentModel, Uniform};

const SAMPLERS: &[Entry] = &[
    Entry {
        name: "ours",
        about: "the belief of the player hyperplay",
        keys: &[ENUMERATE, WHOLE, FILTER, WEIGHT, BACKTRACK, MERGE, REJUVENATE, STATES, MODEL],
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
        ],
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
        ],
    },
    Entry {
        name: "exact",
        about: "independent draws from the exact posterior: the control, whose figures are the floors",
        keys: &[],
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

/// What a spec asks the meter to measure, and the opponent model it is measured under.
///
/// # Panics
/// If the spec was read against another catalogue than [`samplers`].
pub fn build(spec: &Spec) -> (Method, Arc<dyn OpponentModel>) {
    match spec.name() {
        "exact" => (Method::Independent, Arc::new(Uniform)),
        _ => (Method::Particles(options_but_particles(spec, 1)), opponent_model(spec)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{Options, Weight};

    fn options(text: &str) -> Options {
        let (Method::Particles(options), _) = build(&read(text).unwrap()) else { panic!("{text}") };
        options
    }

    #[test]
    fn every_sampler_is_what_it_says() {
        assert_eq!(options("ours"), Options { particles: 1, ..Options::default() });
        let published = Options {
            enumerate: false,
            weight: Weight::Choice,
            merge: false,
            rejuvenate: 0,
            ..options("ours")
        };
        assert_eq!(options("hyperplay12"), published);
        let rejection = Options { backtrack: false, weight: Weight::None, states: 1_000_000, ..published };
        assert_eq!(options("rejection"), rejection);
        assert_eq!(build(&read("exact").unwrap()).0, Method::Independent);
    }

    #[test]
    fn a_key_at_the_default_of_its_sampler_is_not_printed() {
        assert_eq!(read("hyperplay12:enumerate=off,merge=on").unwrap().to_string(), "hyperplay12:merge=on");
        assert_eq!(read("ours:enumerate=off,merge=on").unwrap().to_string(), "ours:enumerate=off");
        assert!(read("ours:particles=3").is_err());
    }
}
