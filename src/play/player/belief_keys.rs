//! The options of a belief as keys of a spec, so that the effect of each can be measured, in a match or in a study.

use std::sync::Arc;

use super::catalogue::about;
use super::configured::{EPSILON, MODEL};
use super::{Registry, Spec, SpecError, SpecKey, SpecKind, SpecResult, SpecWord};
use hyperplay_engine::Engine;
use hyperplay_think::belief::{BeliefOptions, Sampler, SamplingMethod, Weight};

impl SpecWord for Weight {
    const WORDS: &'static [(&'static str, Weight)] =
        &[("none", Weight::None), ("branching", Weight::BranchingFactor)];
}

impl SpecWord for SamplingMethod {
    const WORDS: &'static [(&'static str, SamplingMethod)] = &[
        ("auto", SamplingMethod::Auto),
        ("rejection", SamplingMethod::Rejection),
        ("filter", SamplingMethod::ParticleFilter),
        ("backtracking", SamplingMethod::Backtracking),
    ];
}

/// How many particles.
pub(super) fn particles() -> SpecKey {
    SpecKey::count("particles", 1..=10_000_000, 200, about("belief", "particles"))
}

/// Which sampler.
pub(super) fn sampler() -> SpecKey {
    SpecKey::spec("sampler", SpecKind::Sampler, "hyperplay", about("belief", "sampler"))
}

/// How far the opponent model is followed in the search. A model that is named takes the place of the default.
pub(super) fn modelled() -> SpecKey {
    SpecKey { is_replaced: true, ..SpecKey::real(MODELLED, 0.0..=1.0, 0.0, about("assumed", MODELLED)) }
}

/// The key [`modelled`].
pub(super) const MODELLED: &str = "modelled";

/// The keys of the particle belief but [`particles`].
pub(super) fn keys() -> [SpecKey; 8] {
    [
        SpecKey::word("enumerate", true, about("belief", "enumerate")),
        SpecKey::count("enumerate_limit", 1..=100_000_000, 500, about("belief", "enumerate_limit")),
        SpecKey::word("exact_update", true, about("belief", "exact_update")),
        SpecKey::word("weight", Weight::BranchingFactor, about("belief", "weight")),
        SpecKey::word("method", SamplingMethod::Auto, about("belief", "method")),
        SpecKey::count("population", 0..=10_000_000, 0, about("belief", "population")),
        SpecKey::word("merge", true, about("belief", "merge")),
        SpecKey::count("states", 1..=1_000_000_000, 500, about("belief", "states")),
    ]
}

/// The options that a spec with these [`keys`] asks for, but for the number of particles. HyperPlay as published
/// enumerates nothing.
pub(super) fn options(spec: &Spec) -> SpecResult<BeliefOptions> {
    let options = BeliefOptions {
        particles: 1,
        enumerate: spec.word("enumerate"),
        enumerate_limit: spec.size("enumerate_limit"),
        exact_update: spec.word("exact_update"),
        weight: spec.word("weight"),
        method: spec.word("method"),
        population: spec.size("population"),
        merge: spec.word("merge"),
        states: spec.count("states"),
    };
    if options.method == SamplingMethod::Backtracking && options.enumerate {
        let why = "backtracking is HyperPlay as published, which enumerates nothing; take the sampler hyperplay12 without enumerate=on, or leave the \
                   method out";
        return Err(SpecError::Refused { key: "method".to_owned(), why: why.to_owned() });
    }
    Ok(options)
}

/// The sampler that the spec of a player names by the key [`sampler`].
pub(super) fn sampler_of(spec: &Spec, registry: &Registry) -> SpecResult<Arc<dyn Sampler<Engine>>> {
    let inner = spec.inner("sampler");
    if let Some(key) = [MODEL, EPSILON].into_iter().find(|key| inner.is_given(key)) {
        let why = "is a key of the player and not of its sampler; write it outside the brackets".to_owned();
        return Err(SpecError::Refused { key: key.to_owned(), why });
    }
    Ok(Arc::clone(registry.sampler_of(inner)?.sampler()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options_of(text: &str) -> BeliefOptions {
        let player = Registry::standard().player(text).unwrap();
        let particles = player.spec().size("particles");
        BeliefOptions { particles, ..options(player.spec().inner("sampler")).unwrap() }
    }

    #[test]
    fn the_defaults_are_those_of_the_belief() {
        assert_eq!(options_of("hyperplay"), BeliefOptions::default());
    }

    #[test]
    fn every_key_reaches_its_option() {
        let options = options_of(
            "hyperplay:particles=7,sampler=[hyperplay:enumerate=off,enumerate_limit=9,exact_update=off,weight=none,\
             method=rejection,population=5,merge=off,states=11]",
        );
        let expected = BeliefOptions {
            particles: 7,
            enumerate: false,
            enumerate_limit: 9,
            exact_update: false,
            weight: Weight::None,
            method: SamplingMethod::Rejection,
            population: 5,
            merge: false,
            states: 11,
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn what_nobody_makes_any_more_is_an_error_that_says_what_replaces_it() {
        let error = |text: &str| Registry::standard().sampler(text).unwrap_err().to_string();
        assert_eq!(
            error("hyperplay:rejuvenate=0,enumerate=off"),
            "the key 'rejuvenate' of version 0.2 is written in another way; write hyperplay:enumerate=off"
        );
        let published = error("hyperplay:method=backtracking");
        assert!(
            published.ends_with("take the sampler hyperplay12 without enumerate=on, or leave the method out"),
            "{published}"
        );
        assert_eq!(error("hyperplay:weight=posterior"), "'weight=posterior': expected none or branching");
    }

    #[test]
    fn the_particle_filter_serves_every_model() {
        let registry = Registry::standard();
        for text in ["hyperplay", "pimc"] {
            let text = format!("{text}:sampler=[hyperplay:method=filter],model=[softmax:level=2]");
            assert_eq!(options_of(&text).method, SamplingMethod::ParticleFilter);
        }
        assert!(registry.sampler("hyperplay:method=filter,model=[softmax:level=2]").is_ok());
    }

    #[test]
    fn a_player_samples_by_any_sampler_and_a_model_in_its_brackets_is_refused() {
        let registry = Registry::standard();
        for (text, canonical) in [
            ("hyperplay:sampler=hyperplay", "hyperplay"),
            ("hyperplay:sampler=bootstrap,particles=9", "hyperplay:particles=9,sampler=bootstrap"),
            ("hyperplay:sampler=hyperplay:enumerate=off", "hyperplay:sampler=hyperplay:enumerate=off"),
            ("hyperplay:model=softmax,sampler=hyperplay12", "hyperplay:sampler=hyperplay12,model=softmax"),
        ] {
            assert_eq!(registry.player(text).unwrap().spec().to_string(), canonical);
        }
        let error = |text: &str| registry.player(text).unwrap_err().to_string();
        assert_eq!(
            error("hyperplay:sampler=bootstrap:model=softmax"),
            "'model': is a key of the player and not of its sampler; write it outside the brackets"
        );
    }
}
