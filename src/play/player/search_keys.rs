//! The keys `search`, `nodes`, `playouts` and `per_move` of players that search, and the searches that this crate has.

use std::sync::Arc;

use super::catalogue::{SpecEntry, SpecKey, SpecKind};
use super::registry::Registry;
use super::spec::Spec;
use super::spec_error::{RegistryError, SpecError};
use crate::search::{Algorithm, SearchOptions, StateSearch};
use hyperplay_engine::Engine;

/// How much work a player asks a search to do for one decision.
///
/// A search of another crate is registered with a reader that is given the effort:
///
/// ```
/// use hyperplay_play::player::{Registry, SearchEffort, SpecEntry};
/// use hyperplay_play::search::{Algorithm, SearchOptions};
///
/// let entry = SpecEntry::new("brief", "This search grows a tree of a tenth of the playouts.");
/// let registry = Registry::standard().with_search(entry, |_, effort: &SearchEffort| {
///     let playouts = effort.playouts.div_ceil(10);
///     Ok(SearchOptions { algorithm: Algorithm::Uct, nodes: 0, playouts, per_move: None })
/// })?;
/// let player = registry.player("hyperplay:search=brief,playouts=500")?;
/// assert_eq!(player.spec().to_string(), "hyperplay:search=brief,playouts=500");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchEffort {
    /// States visited by exhaustive search, in all states held possible together.
    pub nodes: u64,
    /// Playouts, for all moves of all these states together.
    pub playouts: u64,
    /// If given, playouts for each move of each of these states instead.
    pub per_move: Option<u64>,
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
            let SearchEffort { nodes, playouts, per_move } = *effort;
            Ok(SearchOptions { algorithm, nodes, playouts, per_move })
        })?;
    }
    Ok(registry)
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
    /// assert_eq!(names, ["search", "nodes", "playouts", "per_move", "model", "epsilon"]);
    /// ```
    pub fn keys() -> [SpecKey; 4] {
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
        };
        registry.search_of(spec.inner("search"), &effort)
    }
}
