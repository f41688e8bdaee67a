//! Registry: every player there is, with its keys, and how it is built from a spec.
//!
//! The only place where players lose their type: they are generic over the machine, the referee holds `dyn Player`. The
//! catalogue is what a spec is read against and what help texts print; [`build`] must know every name in it (a test
//! builds them all).

use std::path::Path;
use std::sync::Arc;

use super::belief_keys::{
    BACKTRACK, ENUMERATE, FILTER, MERGE, PARTICLES, REJUVENATE, STATES, WEIGHT, WHOLE, belief_options,
    opponent_model,
};
use super::catalogue::{Entry, Key, Kind};
use super::clairvoyant::Clairvoyant;
use super::decision::Player;
use super::hyperplay::HyperPlay;
use super::legal::LegalPlayer;
use super::models::{EPSILON, MODEL};
use super::random::RandomPlayer;
use super::spec::{Spec, SpecError};
use crate::search::{Algorithm, SearchOptions};
use hyperplay_engine::EngineKind;
use hyperplay_engine::machine::{Bulk, Role};

const SEARCH: Key = Key {
    name: "search",
    kind: Kind::Word(&["auto", "exact", "uniform", "alphabeta", "uct", "flat"]),
    default: "auto",
    about: "how each state is searched; auto: exact where it fits, else uct in a single state, flat in several",
};

const NODES: Key = Key {
    name: "nodes",
    kind: Kind::Count(0, 1_000_000_000),
    default: "2000",
    about: "states that exact, uniform and alphabeta search may visit, shared evenly by the states held possible",
};

const PLAYOUTS: Key = Key {
    name: "playouts",
    kind: Kind::Count(1, 1_000_000_000),
    default: "2000",
    about: "random playouts where exact search does not fit, flat or in a tree, at least one a move and state",
};

const PER_MOVE: Key = Key {
    name: "per_move",
    kind: Kind::Count(0, 1_000_000),
    default: "0",
    about: "if not 0: playouts for each move of each state held possible, instead of their number in all",
};

const ENGINE: Key = Key {
    name: "engine",
    kind: Kind::Word(&["match", "auto", "interpreter", "propagator", "lanes"]),
    default: "match",
    about: "which engine evaluates the rules for this player; match: the one of the match",
};

const PLAYERS: &[Entry] = &[
    Entry { name: "random", about: "chooses uniformly among the legal moves", keys: &[] },
    Entry { name: "legal", about: "plays the first legal move in the natural order of terms", keys: &[] },
    Entry {
        name: "hyperplay",
        about: "searches every state that its evidence leaves possible and averages the values",
        keys: &[
            PARTICLES, SEARCH, NODES, PLAYOUTS, PER_MOVE, ENUMERATE, WHOLE, FILTER, WEIGHT, BACKTRACK, MERGE,
            REJUVENATE, STATES, MODEL, EPSILON, ENGINE,
        ],
    },
    Entry {
        name: "clairvoyant",
        about: "searches the true state, which it is shown: the control for hyperplay",
        keys: &[SEARCH, NODES, PLAYOUTS, PER_MOVE, ENGINE],
    },
];

/// All players with their keys.
pub fn players() -> &'static [Entry] {
    PLAYERS
}

/// Reads the spec of a player; paths in it are relative to the working directory.
///
/// # Errors
/// [`SpecError`] says what there is instead.
pub fn read(text: &str) -> Result<Spec, SpecError> {
    Spec::parse(text, PLAYERS)
}

/// As [`read`], with paths relative to the folder `base`.
///
/// # Errors
/// As [`read`].
pub fn read_in(text: &str, base: &Path) -> Result<Spec, SpecError> {
    Spec::parse_in(text, PLAYERS, base)
}

/// As [`read`], but opens no policy file: for whoever wants to know the keys of a player and does not build it.
///
/// # Errors
/// As [`read`].
pub fn read_unopened(text: &str) -> Result<Spec, SpecError> {
    Spec::parse_unopened(text, PLAYERS)
}

/// The engine that a spec asks for; `None` for the one of the match. Whoever builds the player chooses the machine by
/// it.
pub fn engine(spec: &Spec) -> Option<EngineKind> {
    let has_key = spec.entry().keys.iter().any(|key| key.name == ENGINE.name);
    has_key.then(|| EngineKind::named(spec.word(ENGINE.name))).flatten()
}

/// Builds the player of a spec for one role of one match, on a machine that [`engine()`] has chosen.
///
/// # Panics
/// If the spec was read against another catalogue than [`players`], or by [`read_unopened`].
pub fn build<M: Bulk + 'static>(spec: &Spec, machine: &Arc<M>, role: Role) -> Box<dyn Player> {
    let machine = Arc::clone(machine);
    match spec.name() {
        "random" => Box::new(RandomPlayer),
        "legal" => Box::new(LegalPlayer),
        "hyperplay" => {
            let (model, belief) = (opponent_model(spec, &machine), belief_options(spec));
            Box::new(HyperPlay::new(machine, role, model, belief, search_options(spec)))
        }
        "clairvoyant" => Box::new(Clairvoyant::new(machine, role, search_options(spec))),
        name => panic!("the catalogue of players has '{name}', but nothing builds it"),
    }
}

fn search_options(spec: &Spec) -> SearchOptions {
    let algorithm = match spec.word("search") {
        "exact" => Algorithm::Exact,
        "uniform" => Algorithm::Uniform,
        "alphabeta" => Algorithm::AlphaBeta,
        "uct" => Algorithm::Uct,
        "flat" => Algorithm::Flat,
        _ => Algorithm::Auto,
    };
    let per_move = Some(spec.count("per_move")).filter(|&each| each > 0);
    SearchOptions { algorithm, nodes: spec.count("nodes"), playouts: spec.count("playouts"), per_move }
}
