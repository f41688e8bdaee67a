//! The players and samplers of this crate, as entries of the standard registry.

use std::sync::Arc;

use super::belief_keys::MODELLED;
use super::catalogue::{about, entry};
use super::epimc::{self, unpostponed};
use super::equilibrium::{with_equilibria, with_equilibrium_model};
use super::ismcts::Plain;
use super::models::with_models;
use super::policy_file::FilePolicy;
use super::policy_player::PolicyPlayer;
use super::search_keys::{leaf_key, leaves_of, with_searches};
use super::selection::{is_plain, with_selection};
use super::shared::Shared;
use super::subgame::subgame;
use super::{
    Assumed, Clairvoyant, FileKind, FinalMove, LegalPlayer, OwnBelief, RandomPlayer, Registry, RegistryError,
    SearchEffort, Seat, Spec, SpecEntry, SpecKey, SpecKind, SpecResult, VotePolicy, belief_keys,
};
use hyperplay_engine::Engine;
use hyperplay_machine::terms::fold;
use hyperplay_machine::{ByRole, Role, StateMachine as _};
use hyperplay_think::belief::{BootstrapSampler, IndependentSampler, OpponentModel as _, ParticleSampler};
use hyperplay_think::search::{IsmctsOptions, Observers, PostponedOptions};
use hyperplay_think::solve::{AimOptions, Blueprint, GadgetKind, GrowingOptions};

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
    let policy = SpecKey::word("policy", VotePolicy::Vote, about("pimc", "policy"));
    let searching = || SearchEffort::keys().into_iter().chain([belief_keys::modelled()]);
    let pimc = believing("pimc", std::iter::once(policy).chain(searching()));
    let epimc = believing("epimc", epimc_keys().into_iter().chain(searching()));
    let mut clairvoyant = entry("player", "clairvoyant");
    clairvoyant.keys.extend(SearchEffort::keys().map(SpecKey::of_one_state));
    clairvoyant.keys.push(SpecKey::engine());
    let policy = entry("player", "policy").with(SpecKey::policy_file("path", about("policy", "path")));
    registry
        .with_player(entry("player", "random"), |_, _| Ok(|_: &Arc<Engine>, _| Seat::player(RandomPlayer)))?
        .with_player(entry("player", "legal"), |_, _| Ok(|_: &Arc<Engine>, _| Seat::player(LegalPlayer)))?
        .with_player(believing("hyperplay", searching()), |spec, registry| {
            let (belief, search) = (belief_of(spec, registry)?, SearchEffort::search(spec, registry)?);
            let options = unpostponed(SearchEffort::nodes(spec));
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(epimc::clocked(belief(engine, role), Arc::clone(&search), options, None))
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
            let (policy, options) = (spec.word("policy"), unpostponed(SearchEffort::nodes(spec)));
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(epimc::clocked(belief(engine, role), Arc::clone(&search), options, Some(policy)))
            })
        })?
        .with_player(believing("ismcts", ismcts_keys()), |spec, registry| {
            let (belief, last) = (belief_of(spec, registry)?, spec.word::<FinalMove>("final"));
            let (exploration, memory) = (spec.real("exploration"), spec.size("memory") << 20);
            let (is_kept, shared) = (spec.word::<bool>("keep"), Arc::new(Shared::default()));
            let [is_written, has_rule] = ["exploration", "final"].map(|key| spec.is_given(key));
            let plain_exploration = if is_written { exploration } else { PLAIN_EXPLORATION };
            let plain_last = if has_rule { last } else { FinalMove::Visits };
            let options = counted_and_timed(spec, "simulations").map(|simulations| IsmctsOptions {
                simulations,
                exploration,
                memory,
                trees: spec.size("trees"),
                others: spec.size("others"),
                observers: spec.word("observers"),
                regrets: spec.word("regrets"),
                history: spec.word("history"),
                ..IsmctsOptions::default()
            });
            Ok(move |engine: &Arc<Engine>, role: Role| {
                if options[0].history {
                    super::ismcts::prepare(engine);
                }
                let plain = (!is_written || !has_rule).then(|| Plain {
                    is_plain: is_plain(engine, &shared),
                    exploration: plain_exploration,
                    last: plain_last,
                });
                Seat::player(super::ismcts::clocked(belief(engine, role), options, last, plain, is_kept))
            })
        })?
        .with_player(believing("hyperplay2", hyperplay2_keys()), |spec, registry| {
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
            let options = PostponedOptions { choices, states: spec.size("tree"), model_share: 0.0 };
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(super::epimc(belief(engine, role), Arc::clone(&search), options))
            })
        })?
        .with_player(believing("oos", oos_keys()), |spec, registry| {
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
        .with_player(
            believing("subgame", subgame_keys().into_iter().chain(searching())),
            |spec, registry| {
                let (belief, search) = (belief_of(spec, registry)?, SearchEffort::search(spec, registry)?);
                let nodes = spec.size("tree");
                let timed = if spec.is_given("tree") { nodes } else { TREE_UNDER_A_CLOCK };
                let (gadget, perturbation) = (spec.word("gadget"), spec.real("perturbation"));
                let (roots, default) = (spec.size("roots"), GrowingOptions::default());
                let iterations = counted_and_timed(spec, "iterations");
                let continuations = spec.size("continuations") as u32;
                let options =
                    |nodes| GrowingOptions { nodes, gadget, perturbation, roots, continuations, ..default };
                let solves = [(iterations[0], options(nodes)), (iterations[1], options(timed))];
                let (moves, sampled) = (spec.size("moves"), spec.count("sampled"));
                let file = |key| spec.is_given(key).then(|| spec.policy(key).cloned());
                let (blueprint, shared) = (file("blueprint").transpose()?, Arc::new(Shared::default()));
                Ok(move |engine: &Arc<Engine>, role: Role| {
                    let blueprint = blueprint.as_ref().map(|file| -> Blueprint {
                        // A role of which the file says nothing is learnt.
                        let is_listed = |role: &String| file.roles().contains(&&*fold(role));
                        let listed = ByRole::new(engine.roles().values().iter().map(is_listed).collect());
                        let file = FilePolicy::new(Arc::clone(engine), Arc::clone(file));
                        Arc::new(move |role, evidence, legal| {
                            listed[role].then(|| file.policy(role, evidence, legal))
                        })
                    });
                    let known = (blueprint, sampled, is_plain(engine, &shared));
                    Seat::player(subgame(belief(engine, role), Arc::clone(&search), solves, moves, known))
                })
            },
        )?
        .with_player(policy, |spec, _| {
            let file = Arc::clone(spec.policy("path")?);
            Ok(move |engine: &Arc<Engine>, role: Role| {
                Seat::player(PolicyPlayer::new(Arc::clone(engine), role, Arc::clone(&file)))
            })
        })
}

/// The entry of a player that has a belief, with its own keys behind the number of particles.
fn believing(name: &'static str, own: impl IntoIterator<Item = SpecKey>) -> SpecEntry {
    let mut entry = entry("player", name).with(belief_keys::particles());
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
) -> SpecResult<impl Fn(&Arc<Engine>, Role) -> OwnBelief + Send + Sync + use<>> {
    let (assumed, particles) = (Assumed::of(spec, registry)?, spec.size("particles"));
    let (sampler, leaves) = (belief_keys::sampler_of(spec, registry)?, leaves_of(spec)?);
    let is_said = spec.entry().key(MODELLED).is_some() && spec.is_given(MODELLED);
    let modelled = is_said.then(|| spec.real(MODELLED));
    Ok(move |engine: &Arc<Engine>, role| {
        OwnBelief::new(Arc::clone(engine), role, assumed.model(engine), Arc::clone(&sampler), particles)
            .with_leaves(leaves(engine))
            .with_modelled(modelled)
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
        SpecKey::count("iterations", 1..=1_000_000_000, 10_000, about("oos", "iterations"))
            .clocked("as many as the time allows"),
        SpecKey::real("target", 0.0..=0.99, 0.9, about("oos", "target")),
        SpecKey::count("memory", 1..=1_000_000, 256, about("oos", "memory")),
    ]
}

/// Nodes of a tree under a clock: about 250 megabytes.
const TREE_UNDER_A_CLOCK: usize = 1_000_000;

fn subgame_keys() -> [SpecKey; 9] {
    [
        SpecKey::count("iterations", 1..=1_000_000_000, 200, about("subgame", "iterations"))
            .clocked("as many as the time allows"),
        SpecKey::count("tree", 1..=1_000_000_000, 20_000, about("subgame", "tree")).clocked("1,000,000"),
        SpecKey::word("gadget", GadgetKind::Resolve, about("subgame", "gadget")),
        SpecKey::real("perturbation", 0.0..=1.0, 0.1, about("subgame", "perturbation")),
        SpecKey::count("roots", 1..=1_000_000, 200, about("subgame", "roots")),
        SpecKey::count("continuations", 1..=3, 1, about("subgame", "continuations")),
        SpecKey::count("moves", 0..=1_000_000, 0, about("subgame", "moves")),
        SpecKey::file_or(FileKind::Policy, "none", "blueprint", about("subgame", "blueprint")),
        SpecKey::count("sampled", 0..=1_000_000_000, 10_000, about("subgame", "sampled")).clocked("0"),
    ]
}

fn epimc_keys() -> [SpecKey; 2] {
    [
        SpecKey::count("postpone", 1..=16, 2, about("epimc", "postpone")),
        SpecKey::count("tree", 1..=10_000_000, 20_000, about("epimc", "tree")),
    ]
}

fn hyperplay2_keys() -> [SpecKey; 2] {
    [
        SpecKey::count("simulations", 1..=1_000_000_000, 500, about("hyperplay2", "simulations"))
            .clocked("as many as the time allows"),
        SpecKey::spec(
            "inner",
            SpecKind::Player,
            "hyperplay:particles=8,playouts=50",
            about("hyperplay2", "inner"),
        ),
    ]
}

/// Where there is nothing to mix `ismcts` explores by this unless it is told, as measured (`docs/measurements.md`).
const PLAIN_EXPLORATION: f64 = 0.15;
const PLAIN: &str = "Where nothing is hidden and roles move in turn";

fn ismcts_keys() -> [SpecKey; 12] {
    [
        SpecKey::count("simulations", 1..=1_000_000_000, 10_000, about("ismcts", "simulations"))
            .clocked("as many as the time allows"),
        leaf_key(),
        SpecKey::real("exploration", 0.0..=100.0, 0.7, about("ismcts", "exploration"))
            .replaced(PLAIN, "0.15"),
        SpecKey::count("memory", 1..=1_000_000, 256, about("ismcts", "memory")),
        SpecKey::count("trees", 1..=1_024, 1, about("ismcts", "trees")),
        SpecKey::count("others", 0..=1_000_000, 0, about("ismcts", "others")),
        SpecKey::word("observers", Observers::Every, about("ismcts", "observers")),
        SpecKey::word("regrets", true, about("ismcts", "regrets")),
        SpecKey::word("history", false, about("ismcts", "history")),
        belief_keys::modelled(),
        SpecKey::word("keep", false, about("ismcts", "keep")),
        SpecKey::word("final", FinalMove::Thresholded, about("ismcts", "final")).replaced(PLAIN, "visits"),
    ]
}

/// The particle belief of this crate with other defaults of its keys.
fn particle_sampler(name: &'static str, defaults: &[(&str, &'static str)]) -> SpecEntry {
    let with_default = |key: SpecKey| match defaults.iter().find(|(name, _)| key.name == *name) {
        Some(&(_, default)) => key.with_default(default),
        None => key,
    };
    SpecEntry { keys: belief_keys::keys().map(with_default).into(), ..entry("sampler", name) }
}

fn with_samplers(registry: Registry) -> Result<Registry, RegistryError> {
    let plain = |name: &'static str, more: [(&str, &'static str); 2]| {
        particle_sampler(name, &[[("enumerate", "off"), ("merge", "off")], more].concat())
    };
    let made = |spec: &Spec, _: &Registry| belief_keys::options(spec).map(ParticleSampler);
    registry
        .with_sampler(particle_sampler("hyperplay", &[]), made)?
        .with_sampler(plain("hyperplay12", [("method", "backtracking"), ("weight", "branching")]), made)?
        .with_sampler(
            plain("hyperplay12-unweighted", [("method", "backtracking"), ("weight", "none")]),
            made,
        )?
        .with_sampler(entry("sampler", "bootstrap"), |_, _| Ok(BootstrapSampler))?
        .with_sampler(plain("rejection", [("method", "rejection"), ("states", "1000000")]), made)?
        .with_sampler(entry("sampler", "exact"), |_, _| Ok(IndependentSampler))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_think::belief::{BeliefOptions, SamplingMethod, Weight};

    fn options(text: &str) -> BeliefOptions {
        belief_keys::options(Registry::standard().sampler(text).unwrap().spec()).unwrap()
    }

    #[test]
    fn every_sentence_of_the_table_is_about_an_entry_or_a_key() {
        let registry = Registry::standard();
        let kinds = SpecKind::ALL.into_iter();
        let entries: Vec<&SpecEntry> = kinds.flat_map(|kind| registry.entries(kind)).collect();
        let keys: Vec<&SpecKey> = entries.iter().flat_map(|entry| &entry.keys).collect();
        for line in include_str!("about.tsv").lines().skip(1) {
            let [_, name, about] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let of_entry = entries.iter().any(|entry| entry.name == name && entry.about == about);
            let of_key = keys.iter().any(|key| key.name == name && key.about.starts_with(about));
            assert!(of_entry || of_key, "{line}");
        }
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
            "'model=best': there is no opponent model 'best'; there are uniform, file, softmax, learnt, equilibrium"
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
        assert!(matches!(missing, Err(crate::player::SpecError::File(_))));
    }
}
