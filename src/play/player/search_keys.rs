//! The keys `search`, `leaf`, `nodes` and `playouts` of players that search, and the searches that this crate has.
//!
//! **Under a clock** a player thinks as long as it gains from it. A decision with a deadline makes playouts until its
//! time is up, unless the spec says how many, and an exact search gets more nodes, unless the spec says one of the
//! two. So the keys that are written only lower what the clock allows. A decision without a deadline has the defaults.

use std::sync::Arc;

use super::catalogue::{about, entry};
use super::linear_file::LinearValues;
use super::{FileKind, Registry, RegistryError, Spec, SpecKey, SpecKind, SpecResult};
use hyperplay_engine::Engine;
use hyperplay_machine::State;
use hyperplay_think::search::{
    Algorithm, Evaluations, LeafValues, PlayoutBudget, RandomPlayouts, SearchContext, SearchOptions,
    StateSearch, WeightedState,
};

/// How much work a player asks a search to do for one decision.
///
/// A search of another crate is registered with a reader that is given the effort:
///
/// ```
/// use hyperplay_play::player::{Registry, SearchEffort, SpecEntry};
/// use hyperplay_think::search::{Algorithm, PlayoutBudget, SearchOptions};
///
/// let entry = SpecEntry::new("brief", "This search grows a tree of a tenth of the playouts.");
/// let registry = Registry::standard().with_search(entry, |_, effort: &SearchEffort| {
///     let playouts = PlayoutBudget { count: effort.playouts.count.div_ceil(10), ..effort.playouts };
///     Ok(SearchOptions { algorithm: Algorithm::Uct, playouts, ..SearchOptions::default() })
/// })?;
/// let player = registry.player("hyperplay:search=brief,playouts=500")?;
/// assert_eq!(player.spec().to_string(), "hyperplay:search=brief,playouts=500");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchEffort {
    /// States visited by exhaustive search, in all states held possible together.
    pub nodes: u64,
    /// Playouts, and how they are shared.
    pub playouts: PlayoutBudget,
}

impl Default for SearchEffort {
    /// That of a spec that says nothing of it.
    fn default() -> Self {
        let SearchOptions { nodes, playouts, .. } = SearchOptions::default();
        SearchEffort { nodes, playouts }
    }
}

/// Nodes of an exact search under a clock: what takes a small part of a second on most games, and little memory.
const NODES_UNDER_A_CLOCK: u64 = 20_000;

/// Playouts of a decision under a clock, for clocks of hours: the error of a value is then a fiftieth of a point.
const MOST_UNDER_A_CLOCK: u64 = 1 << 23;

/// A search with one effort for decisions without a deadline and one for those with.
struct Clocked {
    counted: Arc<dyn StateSearch<Engine>>,
    timed: Arc<dyn StateSearch<Engine>>,
}

impl StateSearch<Engine> for Clocked {
    fn evaluate(
        &self,
        context: &mut SearchContext<'_, Engine>,
        states: &[WeightedState<'_, State>],
    ) -> Evaluations {
        let search = if context.budget.reproduces() { &self.counted } else { &self.timed };
        search.evaluate(context, states)
    }
}

/// The key for leaf values.
const LEAF: &str = "leaf";

const SEARCHES: [(&str, Algorithm); 6] = [
    ("auto", Algorithm::Auto),
    ("exact", Algorithm::Exact),
    ("uniform", Algorithm::Uniform),
    ("alphabeta", Algorithm::AlphaBeta),
    ("uct", Algorithm::Uct),
    ("flat", Algorithm::Flat),
];

/// Adds the searches of this crate.
pub(super) fn with_searches(mut registry: Registry) -> Result<Registry, RegistryError> {
    for (name, algorithm) in SEARCHES {
        registry = registry.with_search(entry("search", name), move |_, effort| {
            let SearchEffort { nodes, playouts } = *effort;
            Ok(SearchOptions { algorithm, nodes, playouts })
        })?;
    }
    Ok(registry)
}

/// The key of a player whose search has leaves. Its reader gives [`leaves_of`] to the player.
pub(super) fn leaf_key() -> SpecKey {
    SpecKey::file_or(FileKind::Linear, "playouts", LEAF, about("effort", LEAF))
}

/// The leaf values that a spec asks for; [`RandomPlayouts`] if it has no such key.
pub(super) fn leaves_of(
    spec: &Spec,
) -> SpecResult<impl Fn(&Arc<Engine>) -> Arc<dyn LeafValues<Engine>> + Send + Sync + use<>> {
    let file = spec.entry().key(LEAF).map(|_| spec.linear(LEAF)).transpose()?.flatten().cloned();
    Ok(move |engine: &Arc<Engine>| -> Arc<dyn LeafValues<Engine>> {
        match &file {
            Some(file) => Arc::new(LinearValues::new(engine, file)),
            None => Arc::new(RandomPlayouts),
        }
    })
}

impl SearchEffort {
    /// The keys of a player that searches.
    ///
    /// ```
    /// use hyperplay_play::player::{Assumed, SearchEffort, SpecEntry};
    ///
    /// let mut entry = SpecEntry::new("mine", "This player searches and takes the others to follow a model.");
    /// entry.keys.extend(SearchEffort::keys());
    /// entry.keys.extend(Assumed::keys());
    /// let names: Vec<&str> = entry.keys.iter().map(|key| &*key.name).collect();
    /// assert_eq!(names, ["search", "leaf", "nodes", "playouts", "model", "epsilon"]);
    /// ```
    pub fn keys() -> [SpecKey; 4] {
        [
            SpecKey::spec("search", SpecKind::Search, "auto", about("effort", "search")),
            leaf_key(),
            SpecKey::count("nodes", 0..=1_000_000_000, 2_000, about("effort", "nodes")).clocked("20,000"),
            SpecKey::playouts("playouts", PlayoutBudget::decision(2_000), about("effort", "playouts"))
                .clocked("as many as the time allows"),
        ]
    }

    /// The nodes that a spec with these keys allows for decisions without a deadline and for those with.
    pub(super) fn nodes(spec: &Spec) -> [u64; 2] {
        let nodes = spec.count("nodes");
        let is_said = spec.is_given("nodes") || spec.is_given("playouts");
        [nodes, if is_said { nodes } else { NODES_UNDER_A_CLOCK }]
    }

    /// The search that a spec with these [keys](SearchEffort::keys) asks for. For a decision with a deadline, keys that
    /// are not written set no limit, so the search must end at the deadline.
    ///
    /// # Errors
    /// If the search cannot be made of its spec.
    ///
    /// # Panics
    /// If the entry of the spec lacks one of the keys.
    pub fn search(spec: &Spec, registry: &Registry) -> SpecResult<Arc<dyn StateSearch<Engine>>> {
        let effort = SearchEffort { nodes: spec.count("nodes"), playouts: spec.playouts("playouts") };
        let search = |effort| registry.search_of(spec.inner("search"), &effort);
        if spec.is_given("playouts") {
            return search(effort);
        }
        let [_, nodes] = SearchEffort::nodes(spec);
        let timed = SearchEffort { nodes, playouts: MOST_UNDER_A_CLOCK.into() };
        Ok(Arc::new(Clocked { counted: search(effort)?, timed: search(timed)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::SpecEntry;
    use super::*;
    use crate::player::seat::Seat;
    use crate::player::{ClairvoyantView, Decision, View};
    use hyperplay_engine::{EngineKind, Engines};
    use hyperplay_logic::gdl::{Source, load};
    use hyperplay_machine::{Budget, Role, Seed, StateMachine as _, StateMachineExt};

    #[test]
    fn the_effort_of_a_spec_that_says_nothing_is_the_default() {
        let registry = Registry::standard();
        let entry = SpecEntry::new("told", "a search that says which effort it was given");
        let registry = registry.with_search(entry, |_, effort| {
            let under_a_clock =
                SearchEffort { nodes: NODES_UNDER_A_CLOCK, playouts: MOST_UNDER_A_CLOCK.into() };
            assert!([SearchEffort::default(), under_a_clock].contains(effort), "{effort:?}");
            Ok(SearchOptions::default())
        });
        assert!(registry.unwrap().player("hyperplay:search=told").is_ok());
    }

    #[test]
    fn playouts_are_printed_in_the_shortest_spelling() {
        let registry = Registry::standard();
        for player in ["hyperplay", "clairvoyant", "pimc"] {
            let printed = |playouts: &str| {
                let text = format!("{player}:playouts={playouts}");
                registry
                    .player(&text)
                    .map(|player| player.spec().to_string())
                    .map_err(|error| error.to_string())
            };
            // A number that is written holds under a clock too, so it is no default.
            for plain in ["2000", "2_000", "2000/state", "2000/halving", "2000/state/halving"] {
                assert_eq!(printed(plain), Ok(format!("{player}:playouts=2000")), "{plain}");
            }
            for (text, canonical) in [
                ("08", "8"),
                ("8/move/particle/even", "8/move"),
                ("8/move/state", "8/move/state"),
                ("8/move/state/halving", "8/move/state/halving"),
                ("8/particle/even", "8/particle/even"),
            ] {
                // In one state it makes no difference what gets the playouts.
                let shares = if player == "clairvoyant" { ["/state", "/particle"] } else { ["", ""] };
                let canonical =
                    shares.iter().fold(canonical.to_owned(), |text, share| text.replace(share, ""));
                assert_eq!(printed(text), Ok(format!("{player}:playouts={canonical}")));
            }
            for wrong in
                ["0", "", "+1", "/move", "8/", "8/step", "8/even/state", "8/move/move", "8/state/particle"]
            {
                let error = printed(wrong).unwrap_err();
                assert!(
                    error.starts_with(&format!("'playouts={wrong}': expected a whole number")),
                    "{error}"
                );
            }
        }
    }

    /// The other role says one of four numbers, which `me` does not hear and of which the state keeps only whether it
    /// is low: two states, in each of which two histories end.
    const FOUR_NUMBERS: &str = "(role me) (role other) (init (step 1))
        (number 1) (number 2) (number 3) (number 4) (low 1) (low 2)
        (<= (legal other (say ?n)) (number ?n) (true (step 1))) (<= (legal other wait) (true (step 2)))
        (<= (legal me wait) (true (step 1)))
        (<= (legal me left) (true (step 2))) (<= (legal me right) (true (step 2)))
        (<= (next low) (does other (say ?n)) (low ?n))
        (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
        (<= (next won) (does me left) (true low)) (<= (next won) (does me right) (not (true low)))
        (<= terminal (true (step 3)))
        (<= (goal me 100) (true won)) (<= (goal me 0) (not (true won)))
        (<= (goal other 0) (true won)) (<= (goal other 100) (not (true won)))
        (<= (sees me nothing) (true (step 1)))";

    /// The decision of a player after the first step.
    fn decide(spec: &str) -> Decision {
        decide_within(spec, Budget::UNLIMITED)
    }

    fn decide_within(spec: &str, budget: Budget) -> Decision {
        let game =
            load(Source::new("four_numbers", FOUR_NUMBERS), None).game.expect("the rules are in order");
        let machine = Engines::new(&game).get(EngineKind::Auto).unwrap();
        let (me, scratch) = (Role::new(0), &mut machine.scratch());
        let joint = machine.random_joint(&machine.initial(), scratch, &mut Seed::root(3).rng()).unwrap();
        let history = hyperplay_machine::History(vec![joint]);
        let evidence = machine.evidence(&history, me, scratch);
        let legal = machine.legal_by_role(&machine.replay(&history, scratch), scratch)[me].clone();
        let view = View { evidence: &evidence, legal: &legal };
        let seed = Seed::root(1);
        match Registry::standard().player(spec).unwrap().seat(&machine, me) {
            Seat::Player(mut player) => player.decide(&view, &budget, &seed),
            Seat::Clairvoyant(mut player) => {
                player.decide(&ClairvoyantView { own: view, history: &history }, &budget, &seed)
            }
            Seat::Remote(_) => panic!("no other program is asked here"),
        }
    }

    #[test]
    fn what_gets_the_playouts_of_a_move_is_a_particle_or_a_state() {
        let made = |player: &str, playouts: &str, keys: &str| {
            let decision = decide(&format!("{player}:search=flat,playouts={playouts}{keys}"));
            (decision.held.map(|held| held.states), decision.cost.playouts)
        };
        // All four histories, with two moves in each of two states.
        assert_eq!(made("hyperplay", "5/move/state", ""), (Some(2), 5 * 2 * 2));
        assert_eq!(made("hyperplay", "5/move", ""), (Some(2), 5 * 2 * 4));
        // As many particles as were asked for, equal ones included; merged, they are the four histories at most.
        let drawn = |merge: &str| {
            let sampler = format!("hyperplay:enumerate=off,method=backtracking{merge}");
            made("hyperplay", "5/move", &format!(",particles=32,sampler=[{sampler}]"))
        };
        assert_eq!(drawn(",merge=off"), (Some(2), 5 * 2 * 32));
        assert_eq!(drawn(""), (Some(2), 5 * 2 * 4));
        assert_eq!(made("pimc", "5/move", "").1, 5 * 2 * 4);
        // The true state is one history.
        for playouts in ["5/move", "5/move/state"] {
            assert_eq!(made("clairvoyant", playouts, ""), (None, 5 * 2));
        }
    }

    #[test]
    fn under_a_clock_a_decision_goes_on_until_it_is_exact_or_the_time_is_up() {
        let playouts = |spec: &str, millis: u64| {
            decide_within(spec, Budget::time(std::time::Duration::from_millis(millis))).cost.playouts
        };
        for player in ["hyperplay", "pimc", "clairvoyant"] {
            // Four states fit an exact search, whatever the clock.
            assert_eq!(playouts(player, 3_600_000), 0, "{player}");
            let flat = format!("{player}:search=flat");
            assert_eq!(decide(&flat).cost.playouts, 2_000, "{player}");
            assert_eq!(playouts(&format!("{flat},playouts=2000"), 3_600_000), 2_000, "{player}");
            assert!(playouts(&flat, 1_000) > 2_000, "{player}");
        }
        assert_eq!(
            playouts("ismcts:simulations=300", 3_600_000),
            playouts("ismcts:simulations=300", 7_200_000)
        );
    }

    /// The weights are those of the belief, whatever the playouts: the values are the same.
    #[test]
    fn what_gets_playouts_changes_no_weight() {
        let values = |playouts: &str| decide(&format!("hyperplay:search=flat,playouts={playouts}")).values;
        assert_eq!(values("5/move/state"), values("5/move"));
        assert!(values("5/move").iter().all(|&(_, value)| value == 50.0));
    }
}
