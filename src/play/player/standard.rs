//! The players and samplers of this crate, as entries of the standard registry.

use std::sync::Arc;

use super::equilibrium::{with_equilibria, with_equilibrium_model};
use super::models::with_models;
use super::policy_player::PolicyPlayer;
use super::search_keys::{leaf_key, leaves_of, with_searches};
use super::selection::with_selection;
use super::{
    Assumed, Clairvoyant, FinalMove, LegalPlayer, OwnBelief, RandomPlayer, Registry, RegistryError,
    SearchEffort, Seat, Spec, SpecEntry, SpecError, SpecKey, SpecKind, VotePolicy, belief_keys,
};
use hyperplay_engine::Engine;
use hyperplay_machine::Role;
use hyperplay_think::belief::{BootstrapSampler, IndependentSampler, ParticleSampler};
use hyperplay_think::search::{HistoryUse, IsmctsOptions, Observers, PostponedOptions};
use hyperplay_think::solve::AimOptions;

impl Registry {
    /// The players, samplers, searches and opponent models of this crate.
    pub fn standard() -> Registry {
        made().expect("the entries of this crate are in order")
    }
}

fn made() -> Result<Registry, RegistryError> {
    let registry = with_equilibrium_model(with_models(Registry::empty())?)?;
    let registry = with_samplers(with_searches(registry)?)?;
    with_equilibria(with_selection(with_players(registry)?)?)
}

fn with_players(registry: Registry) -> Result<Registry, RegistryError> {
    let random = SpecEntry::new("random", "This player chooses uniformly among the legal moves.");
    let legal =
        SpecEntry::new("legal", "This player plays the first legal move in the natural order of terms.");
    let hyperplay =
        "This player searches every state that its evidence leaves possible and averages the values.";
    let hyperplay = believing("hyperplay", hyperplay, SearchEffort::keys());
    let pimc = "This player searches every state that its evidence leaves possible and lets the states vote.";
    let policy = "The player takes the move with the most votes (vote), or each move as often as its share of the votes (mixed).";
    let policy = SpecKey::word("policy", VotePolicy::Vote, policy);
    let pimc = believing("pimc", pimc, std::iter::once(policy).chain(SearchEffort::keys()));
    let ismcts = "This player searches all states that its evidence leaves possible in one tree of what the roles know.";
    let ismcts = believing("ismcts", ismcts, ismcts_keys());
    let hyperplay2 = "This player simulates the rest of the game with every role, its own included, playing from what that role knows.";
    let hyperplay2 = believing("hyperplay2", hyperplay2, hyperplay2_keys());
    let epimc = "This player is hyperplay, but makes its next choices by what the roles know and searches states after them.";
    let epimc = believing("epimc", epimc, epimc_keys().into_iter().chain(SearchEffort::keys()));
    let oos = "This player minimises regret by sampling, in one tree for the match, and aims at what its evidence leaves possible.";
    let oos = believing("oos", oos, oos_keys());
    let clairvoyant =
        "This player searches the true state, which it is shown; it is the control for hyperplay.";
    let mut clairvoyant = SpecEntry::new("clairvoyant", clairvoyant);
    clairvoyant.keys.extend(SearchEffort::keys().map(SpecKey::of_one_state));
    clairvoyant.keys.push(SpecKey::engine());
    let policy = SpecEntry::new(
        "policy",
        "This player draws its moves from a policy file, uniformly where the file says nothing.",
    )
    .with(SpecKey::policy_file("path", "The player reads this policy file."));
    registry
        .with_player(random, |_, _| Ok(|_: &Arc<Engine>, _| Seat::player(RandomPlayer)))?
        .with_player(legal, |_, _| Ok(|_: &Arc<Engine>, _| Seat::player(LegalPlayer)))?
        .with_player(hyperplay, |spec, registry| {
            let (belief, search) = (belief_of(spec, registry)?, SearchEffort::search(spec, registry)?);
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(super::hyperplay(belief(engine, role), Arc::clone(&search)))
            })
        })?
        .with_player(clairvoyant, |spec, registry| {
            let (leaves, search) = (leaves_of(spec)?, SearchEffort::search(spec, registry)?);
            Ok(move |engine: &Arc<Engine>, role: Role| {
                let player = Clairvoyant::new(Arc::clone(engine), role, Arc::clone(&search));
                Seat::clairvoyant(player.with_leaves(leaves(engine)))
            })
        })?
        .with_player(pimc, |spec, registry| {
            let (belief, search) = (belief_of(spec, registry)?, SearchEffort::search(spec, registry)?);
            let policy = spec.word::<VotePolicy>("policy");
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(super::pimc(belief(engine, role), Arc::clone(&search), policy))
            })
        })?
        .with_player(ismcts, |spec, registry| {
            let (belief, last) = (belief_of(spec, registry)?, spec.word::<FinalMove>("final"));
            let (exploration, memory) = (spec.real("exploration"), spec.size("memory") << 20);
            let is_kept = spec.word::<bool>("keep");
            let options = counted_and_timed(spec, "simulations").map(|simulations| IsmctsOptions {
                simulations,
                exploration,
                memory,
                trees: spec.size("trees"),
                others: spec.size("others"),
                observers: spec.word("observers"),
                history: spec.word("history"),
                model_share: spec.real("modelled"),
                ..IsmctsOptions::default()
            });
            Ok(move |engine: &Arc<Engine>, role: Role| {
                super::ismcts::prepare(engine, options[0].history);
                Seat::player(super::ismcts::clocked(belief(engine, role), options, last, is_kept))
            })
        })?
        .with_player(hyperplay2, |spec, registry| {
            let belief = belief_of(spec, registry)?;
            let inner = registry.player_of(spec.inner("inner"))?;
            let simulations = counted_and_timed(spec, "simulations");
            Ok(move |engine: &Arc<Engine>, role: Role| {
                let machine = Arc::clone(engine);
                Seat::player(super::hyperplay2(machine, belief(engine, role), inner.clone(), simulations))
            })
        })?
        .with_player(epimc, |spec, registry| {
            let (belief, search) = (belief_of(spec, registry)?, SearchEffort::search(spec, registry)?);
            let choices = u32::try_from(spec.count("postpone")).expect("the key has no greater value");
            let options = PostponedOptions { choices, states: spec.size("tree") };
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(super::epimc(belief(engine, role), Arc::clone(&search), options))
            })
        })?
        .with_player(oos, |spec, registry| {
            let (belief, share) = (belief_of(spec, registry)?, spec.real("target"));
            let memory = spec.size("memory") << 20;
            let options = counted_and_timed(spec, "iterations").map(|iterations| AimOptions {
                iterations,
                share,
                memory,
            });
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(super::oos(belief(engine, role), options))
            })
        })?
        .with_player(policy, |spec, _| {
            let file = Arc::clone(spec.policy("path")?);
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(PolicyPlayer::new(Arc::clone(engine), role, Arc::clone(&file)))
            })
        })
}

/// The entry of a player that has a belief, with its own keys behind the number of particles.
fn believing(name: &'static str, about: &'static str, own: impl IntoIterator<Item = SpecKey>) -> SpecEntry {
    let mut entry = SpecEntry::new(name, about).with(belief_keys::particles());
    entry.keys.extend(own);
    entry.keys.push(belief_keys::sampler());
    entry.keys.extend(Assumed::keys());
    entry.keys.push(SpecKey::engine());
    entry
}

/// The belief that the spec of a [`believing`] player asks for.
fn belief_of(
    spec: &Spec,
    registry: &Registry,
) -> Result<impl Fn(&Arc<Engine>, Role) -> OwnBelief + Send + Sync + use<>, SpecError> {
    let (assumed, particles) = (Assumed::of(spec, registry)?, spec.size("particles"));
    let (sampler, leaves) = (belief_keys::sampler_of(spec, registry)?, leaves_of(spec)?);
    Ok(move |engine: &Arc<Engine>, role| {
        OwnBelief::new(Arc::clone(engine), role, assumed.model(engine), Arc::clone(&sampler), particles)
            .with_leaves(leaves(engine))
    })
}

/// Simulations of a decision under a clock, for clocks of hours.
const SIMULATIONS_UNDER_A_CLOCK: u64 = 1_000_000_000;

/// The number that a key gives for decisions without a deadline and for those with: without a limit there, unless the spec
/// says one.
fn counted_and_timed(spec: &Spec, key: &str) -> [u64; 2] {
    let counted = spec.count(key);
    [counted, if spec.is_given(key) { counted } else { SIMULATIONS_UNDER_A_CLOCK }]
}

fn oos_keys() -> [SpecKey; 3] {
    [
        SpecKey::count(
            "iterations",
            1..=1_000_000_000,
            10_000,
            "A decision makes this number of iterations, each with a traversal for every role.",
        )
        .clocked("as many as the time allows"),
        SpecKey::real(
            "target",
            0.0..=0.99,
            0.9,
            "An iteration goes through what the evidence leaves possible with this probability, and anywhere otherwise.",
        ),
        SpecKey::count(
            "memory",
            1..=1_000_000,
            256,
            "The tree takes about this number of megabytes at most; one that takes more than half of it when a decision begins is begun anew.",
        ),
    ]
}

fn epimc_keys() -> [SpecKey; 2] {
    [
        SpecKey::count(
            "postpone",
            1..=16,
            2,
            "This number of own choices, the present one included, are made by what the roles know; with 1 the player is hyperplay.",
        ),
        SpecKey::count(
            "tree",
            1..=10_000_000,
            20_000,
            "The tree of these choices holds at most this number of states; where it does not fit, fewer choices are postponed.",
        ),
    ]
}

fn hyperplay2_keys() -> [SpecKey; 2] {
    [
        SpecKey::count(
            "simulations",
            1..=1_000_000_000,
            500,
            "A decision simulates the rest of the game this number of times, equally often with each move, and at least once.",
        )
        .clocked("as many as the time allows"),
        SpecKey::spec(
            "inner",
            SpecKind::Player,
            "hyperplay:particles=8,playouts=50",
            "Every role plays as this player in a simulation, a fresh one for each of its decisions. One of them may spend a hundredth of \
             the time and of the nodes.",
        ),
    ]
}

fn ismcts_keys() -> [SpecKey; 11] {
    [
        SpecKey::count(
            "simulations",
            1..=1_000_000_000,
            10_000,
            "A decision makes this number of simulations, each from a particle down the tree, and at least one for each move.",
        )
        .clocked("as many as the time allows"),
        leaf_key(),
        SpecKey::real(
            "exploration",
            0.0..=100.0,
            0.7,
            "This is the weight of exploration in UCB1, for goals scaled to 0..1.",
        ),
        SpecKey::count(
            "memory",
            1..=1_000_000,
            256,
            "The tree takes about this number of megabytes at most; when it is full, simulations are played out from its edge.",
        ),
        SpecKey::count(
            "trees",
            1..=1_024,
            1,
            "This number of trees are searched side by side, on as many threads as there are, and what they learnt of the moves is added up.",
        ),
        SpecKey::count(
            "others",
            0..=1_000_000,
            0,
            "For this number of evidences of other roles, half of the simulations begin at the states that these roles hold possible; \
             where roles alternate they learn from nothing else.",
        ),
        SpecKey::word(
            "observers",
            Observers::Every,
            "A choice of another role is told apart by what that role knows (every), or by what the player knows (one; others is not used \
             then).",
        ),
        SpecKey::word(
            "history",
            HistoryUse::AtOnce,
            "Playouts make a move the more often the more it has brought in the tree: in no game (off), where roles move at once (at_once), or \
             in all games (on).",
        ),
        SpecKey::real(
            "modelled",
            0.0..=1.0,
            0.0,
            "In this share of the simulations the other roles choose by the model.",
        ),
        SpecKey::word("keep", false, "The tree of a decision is searched on at the next one."),
        SpecKey::word(
            "final",
            FinalMove::Thresholded,
            "The player takes the move that was visited most (visits), each move as often as its share of the visits (mixed), the \
             same without moves that were visited less than half as often as the first (thresholded), or the move of the greatest \
             mean (value).",
        ),
    ]
}

/// The particle belief of this crate with other defaults of its keys.
fn particle_sampler(name: &'static str, about: &'static str, defaults: &[(&str, &'static str)]) -> SpecEntry {
    let mut entry = SpecEntry::new(name, about);
    entry.keys = belief_keys::keys()
        .into_iter()
        .map(|key| match defaults.iter().find(|(name, _)| key.name == *name) {
            Some(&(_, default)) => key.with_default(default),
            None => key,
        })
        .collect();
    entry
}

fn with_samplers(mut registry: Registry) -> Result<Registry, RegistryError> {
    let plain = [("enumerate", "off"), ("merge", "off")];
    let with = |more: &[(&'static str, &'static str)]| [&plain, more].concat();
    let particle = [
        particle_sampler("hyperplay", "This sampler is the belief of the player hyperplay.", &[]),
        particle_sampler(
            "hyperplay12",
            "This sampler is HyperPlay as published: it backtracks, weights particles by 1/branching factor and does nothing \
             else.",
            &with(&[("method", "backtracking"), ("weight", "branching")]),
        ),
        particle_sampler(
            "hyperplay12-unweighted",
            "This sampler is hyperplay12 with equal weights, so it has the distribution of plain backtracking.",
            &with(&[("method", "backtracking"), ("weight", "none")]),
        ),
        particle_sampler(
            "rejection",
            "This sampler draws whole histories and keeps those that explain the evidence; it is exact but expensive.",
            &with(&[("method", "rejection"), ("states", "1000000")]),
        ),
    ];
    let bootstrap = SpecEntry::new(
        "bootstrap",
        "This sampler is the plain particle filter: it draws steps by the model, drops those that contradict the percepts and \
         resamples.",
    );
    let exact = SpecEntry::new(
        "exact",
        "This sampler draws independently from the exact posterior; it is the control, whose figures are the baselines.",
    );
    for (place, entry) in particle.into_iter().enumerate() {
        if place == 3 {
            registry = registry.with_sampler(bootstrap.clone(), |_, _| Ok(BootstrapSampler))?;
        }
        registry =
            registry.with_sampler(entry, |spec, _| Ok(ParticleSampler(belief_keys::options(spec)?)))?;
    }
    registry.with_sampler(exact, |_, _| Ok(IndependentSampler))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_think::belief::{BeliefOptions, SamplingMethod, Weight};

    fn options(text: &str) -> BeliefOptions {
        belief_keys::options(Registry::standard().sampler(text).unwrap().spec()).unwrap()
    }

    #[test]
    fn every_sampler_is_what_it_says() {
        assert_eq!(options("hyperplay"), BeliefOptions { particles: 1, ..BeliefOptions::default() });
        let published = BeliefOptions {
            enumerate: false,
            method: SamplingMethod::Backtracking,
            weight: Weight::BranchingFactor,
            merge: false,
            ..options("hyperplay")
        };
        assert_eq!(options("hyperplay12"), published);
        let unweighted = BeliefOptions { weight: Weight::None, ..published.clone() };
        let rejection = BeliefOptions { method: SamplingMethod::Rejection, states: 1_000_000, ..published };
        assert_eq!(options("rejection"), rejection);
        assert_eq!(options("hyperplay12-unweighted"), unweighted);
        let registry = Registry::standard();
        let names: Vec<&str> = registry.entries(SpecKind::Sampler).map(|entry| &*entry.name).collect();
        assert_eq!(
            names,
            ["hyperplay", "hyperplay12", "hyperplay12-unweighted", "bootstrap", "rejection", "exact"]
        );
        let is_independent = |text: &str| registry.sampler(text).unwrap().sampler().is_independent();
        assert!(is_independent("exact") && is_independent("rejection") && !is_independent("bootstrap"));
    }

    #[test]
    fn a_key_at_the_default_of_its_sampler_is_not_printed() {
        let registry = Registry::standard();
        let printed = |text: &str| registry.sampler(text).unwrap().spec().to_string();
        assert_eq!(printed("hyperplay12:enumerate=off,merge=on"), "hyperplay12:merge=on");
        assert_eq!(printed("hyperplay:enumerate=off,merge=on"), "hyperplay:enumerate=off");
        assert!(registry.sampler("hyperplay:particles=3").is_err());
        for sampler in registry.entries(SpecKind::Sampler) {
            let text = format!("{}:model=softmax,epsilon=0.5", sampler.name);
            assert_eq!(printed(&text), text);
            assert!(registry.sampler(&format!("{}:epsilon=2", sampler.name)).is_err());
        }
    }

    #[test]
    fn a_model_is_written_with_and_without_brackets() {
        let registry = Registry::standard();
        for (text, canonical) in [
            ("hyperplay:model=uniform", "hyperplay"),
            ("hyperplay:epsilon=0.001,model=softmax", "hyperplay:model=softmax"),
            ("hyperplay:epsilon=0.0,model=softmax:level=2", "hyperplay:model=softmax:level=2,epsilon=0"),
            ("hyperplay:model=softmax", "hyperplay:model=softmax"),
            ("hyperplay:model=[softmax:level=2]", "hyperplay:model=softmax:level=2"),
            ("hyperplay:model=softmax:level=1,particles=3", "hyperplay:particles=3,model=softmax"),
            (
                "hyperplay:model=[softmax:temperature=5,level=2]",
                "hyperplay:model=[softmax:level=2,temperature=5]",
            ),
        ] {
            let player = registry.player(text).unwrap();
            assert_eq!(player.spec().to_string(), canonical);
            assert_eq!(registry.player(canonical).unwrap(), player);
        }
    }

    #[test]
    fn uniform_opponents_do_not_tremble() {
        let registry = Registry::standard();
        let assumed = |text: &str| Assumed::of(registry.player(text).unwrap().spec(), &registry).unwrap();
        assert_eq!(assumed("hyperplay:epsilon=0.3"), assumed("hyperplay"));
        assert_eq!(assumed("hyperplay:model=softmax,epsilon=1"), assumed("hyperplay"));
        assert_ne!(assumed("hyperplay:model=softmax,epsilon=0.3"), assumed("hyperplay:model=softmax"));
        let exactly = Assumed::exactly(registry.model("softmax").unwrap());
        assert_eq!(assumed("hyperplay:model=softmax,epsilon=0"), exactly);
    }

    #[test]
    fn an_error_of_a_model_says_what_there_is() {
        let error = |text: &str| Registry::standard().player(text).unwrap_err().to_string();
        assert_eq!(
            error("hyperplay:model=best"),
            "'model=best': there is no opponent model 'best'; there are uniform, file, softmax, equilibrium"
        );
        for epsilon in ["nan", "-0.5", "1.5", "x"] {
            assert_eq!(
                error(&format!("hyperplay:model=softmax,epsilon={epsilon}")),
                format!("'epsilon={epsilon}': expected a decimal number from 0 to 1")
            );
        }
        assert_eq!(
            error("hyperplay:model=softmax:heat=1"),
            "'model=softmax:heat=1': 'softmax' has no key 'heat'; its keys are level, temperature, particles, playouts, nodes"
        );
        let missing = Registry::standard().player("hyperplay:model=file:no/such.json");
        assert!(matches!(missing, Err(SpecError::File(_))));
    }
}
