//! The keys `search`, `nodes`, `playouts`, `per_move`, `count` and `halving` of players that search, and the searches that this crate has.

use std::sync::Arc;

use super::catalogue::{SpecEntry, SpecKey, SpecKind, SpecWord};
use super::registry::Registry;
use super::spec::Spec;
use super::spec_error::{RegistryError, SpecError};
use hyperplay_engine::Engine;
use hyperplay_think::search::{Algorithm, PlayoutCount, SearchOptions, StateSearch};

impl SpecWord for PlayoutCount {
    const WORDS: &'static [(&'static str, PlayoutCount)] =
        &[("state", PlayoutCount::State), ("history", PlayoutCount::History)];
}

/// How much work a player asks a search to do for one decision.
///
/// A search of another crate is registered with a reader that is given the effort
/// ([`Registry::with_search`](super::Registry::with_search)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchEffort {
    /// States visited by exhaustive search, in all states held possible together.
    pub nodes: u64,
    /// Playouts, for all moves of all these states together.
    pub playouts: u64,
    /// If given, playouts for each move of each of these states instead.
    pub per_move: Option<u64>,
    /// What gets these playouts: every distinct state, or every history held possible.
    pub count: PlayoutCount,
    /// Whether most flat playouts go to the moves that are best by then.
    pub halving: bool,
}

impl Default for SearchEffort {
    /// That of a spec that says nothing of it.
    fn default() -> Self {
        let SearchOptions { nodes, playouts, per_move, count, halving, .. } = SearchOptions::default();
        SearchEffort { nodes, playouts, per_move, count, halving }
    }
}

const SEARCHES: [(&str, Algorithm, &str); 6] = [
    (
        "auto",
        Algorithm::Auto,
        "This search is exact where that fits in all states; otherwise it is uct in a single state and flat in several.",
    ),
    (
        "exact",
        Algorithm::Exact,
        "This search visits the rest of the game where that fits in all states, and otherwise it is flat.",
    ),
    (
        "uniform",
        Algorithm::Uniform,
        "This search averages the rest of the game under uniform play of all roles where that fits in all states, and \
         otherwise it is flat.",
    ),
    (
        "alphabeta",
        Algorithm::AlphaBeta,
        "This search is alpha-beta with the mobility at its leaves where moves alternate, and otherwise it is flat.",
    ),
    ("uct", Algorithm::Uct, "This search grows a tree of playouts (UCT)."),
    ("flat", Algorithm::Flat, "This search makes playouts that begin with each move."),
];

/// Adds the searches of this crate.
pub(super) fn with_searches(mut registry: Registry) -> Result<Registry, RegistryError> {
    for (name, algorithm, about) in SEARCHES {
        registry = registry.with_search(SpecEntry::new(name, about), move |_, effort| {
            let SearchEffort { nodes, playouts, per_move, count, halving } = *effort;
            Ok(SearchOptions { algorithm, nodes, playouts, per_move, count, halving })
        })?;
    }
    Ok(registry)
}

impl SearchEffort {
    /// The keys of a player that searches.
    pub fn keys() -> [SpecKey; 6] {
        [
            SpecKey::spec(
                "search",
                SpecKind::Search,
                "auto",
                "This search values the moves in every state that is held possible.",
            ),
            SpecKey::count(
                "nodes",
                0..=1_000_000_000,
                2_000,
                "An exact, uniform or alphabeta search visits at most so many states, in all states held possible together.",
            ),
            SpecKey::count(
                "playouts",
                1..=1_000_000_000,
                2_000,
                "A decision makes so many random playouts where an exact search does not fit, and at least one for each move and \
                 state.",
            ),
            SpecKey::count(
                "per_move",
                0..=1_000_000,
                0,
                "If this is not 0, each move of each state held possible gets so many playouts, and the key playouts has no effect.",
            ),
            SpecKey::word(
                "count",
                PlayoutCount::State,
                "Every distinct state gets the playouts of per_move (state), or every particle does (history), so that a state in \
                 which k particles end gets k times as many; with merge=on, equal histories are one particle.",
            ),
            SpecKey::word(
                "halving",
                true,
                "Flat playouts drop the poorer half of the moves again and again, so that the better ones get most of them, or all \
                 moves get equally many.",
            ),
        ]
    }

    /// The search that a spec with these [keys](SearchEffort::keys) asks for.
    ///
    /// # Errors
    /// If the search cannot be made of its spec.
    ///
    /// # Panics
    /// If the entry of the spec lacks one of the keys.
    pub fn search(spec: &Spec, registry: &Registry) -> Result<Arc<dyn StateSearch<Engine>>, SpecError> {
        let effort = SearchEffort {
            nodes: spec.count("nodes"),
            playouts: spec.count("playouts"),
            per_move: Some(spec.count("per_move")).filter(|&each| each > 0),
            count: spec.word("count"),
            halving: spec.word("halving"),
        };
        registry.search_of(spec.inner("search"), &effort)
    }
}

#[cfg(test)]
mod tests {
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
            assert_eq!(*effort, SearchEffort::default());
            Ok(SearchOptions::default())
        });
        assert!(registry.unwrap().player("hyperplay:search=told").is_ok());
    }

    #[test]
    fn count_and_halving_are_printed_where_they_differ_from_their_defaults() {
        let registry = Registry::standard();
        for player in ["hyperplay", "clairvoyant", "pimc"] {
            let printed =
                |keys: &str| registry.player(&format!("{player}:{keys}")).unwrap().spec().to_string();
            assert_eq!(printed("count=state,halving=on"), player);
            assert_eq!(printed("halving=off,count=history"), format!("{player}:count=history,halving=off"));
            let error = registry.player(&format!("{player}:count=move")).unwrap_err().to_string();
            assert_eq!(error, "'count=move': expected state or history");
        }
        assert!(registry.player("ismcts:count=history").is_err());
    }

    /// The other role says one of four numbers, which `me` does not hear and of which the state keeps only whether it is low:
    /// two states, in each of which two histories end.
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
        let game =
            load(Source::new("four_numbers", FOUR_NUMBERS), None).game.expect("the rules are in order");
        let machine = Engines::new(&game).get(EngineKind::Auto).unwrap();
        let (me, scratch) = (Role::new(0), &mut machine.scratch());
        let joint = machine.random_joint(&machine.initial(), scratch, &mut Seed::root(3).rng()).unwrap();
        let history = hyperplay_machine::History(vec![joint]);
        let evidence = machine.evidence(&history, me, scratch);
        let legal = machine.legal_by_role(&machine.replay(&history, scratch), scratch)[me].clone();
        let view = View { evidence: &evidence, legal: &legal };
        let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
        match Registry::standard().player(spec).unwrap().seat(&machine, me) {
            Seat::Player(mut player) => player.decide(&view, &budget, &seed),
            Seat::Clairvoyant(mut player) => {
                player.decide(&ClairvoyantView { own: view, history: &history }, &budget, &seed)
            }
            Seat::Remote(_) => panic!("no other program is asked here"),
        }
    }

    #[test]
    fn with_count_history_every_particle_gets_the_playouts_of_a_move() {
        let flat = "search=flat,per_move=5,halving=off";
        let made = |keys: &str| {
            let decision = decide(&format!("hyperplay:{flat},{keys}"));
            (decision.held.unwrap().states, decision.cost.playouts)
        };
        // All four histories, with two moves in each of two states.
        assert_eq!(made("count=state"), (2, 5 * 2 * 2));
        assert_eq!(made("count=history"), (2, 5 * 2 * 4));
        // As many particles as were asked for, equal ones included; merged, they are the four histories at most.
        let drawn = "enumerate=off,method=backtracking,particles=32";
        assert_eq!(made(&format!("{drawn},merge=off,count=history")), (2, 5 * 2 * 32));
        assert_eq!(made(&format!("{drawn},count=history")), (2, 5 * 2 * 4));
        let voted = decide(&format!("pimc:{flat},count=history"));
        assert_eq!(voted.cost.playouts, 5 * 2 * 4);
        // The true state is one history.
        for count in ["state", "history"] {
            assert_eq!(decide(&format!("clairvoyant:{flat},count={count}")).cost.playouts, 5 * 2);
        }
    }

    /// The weights are those of the belief, whatever the playouts: the values are the same.
    #[test]
    fn what_is_counted_changes_no_weight() {
        let values = |count: &str| decide(&format!("hyperplay:search=flat,per_move=5,count={count}")).values;
        assert_eq!(values("state"), values("history"));
        assert!(values("state").iter().all(|&(_, value)| value == 50.0));
    }
}
