//! The key `engine`: the engine on which a player evaluates the rules.

use super::catalogue::{SpecKey, SpecWord};
use super::spec::Spec;
use hyperplay_engine::EngineKind;

/// The name of the key.
const ENGINE: &str = "engine";

/// Which engine a player asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EngineWish {
    /// The one of the match.
    OfTheMatch,
    /// Another one.
    Kind(EngineKind),
}

impl SpecWord for EngineWish {
    const WORDS: &'static [(&'static str, EngineWish)] = &[
        ("match", EngineWish::OfTheMatch),
        (EngineKind::Auto.as_str(), EngineWish::Kind(EngineKind::Auto)),
        (EngineKind::Interpreter.as_str(), EngineWish::Kind(EngineKind::Interpreter)),
        (EngineKind::Propagator.as_str(), EngineWish::Kind(EngineKind::Propagator)),
        (EngineKind::Lanes.as_str(), EngineWish::Kind(EngineKind::Lanes)),
    ];
}

impl SpecKey {
    /// The key `engine`, for a player that evaluates the rules itself. The code that builds the player gives it the
    /// engine that the spec names.
    pub fn engine() -> SpecKey {
        let about = "which engine evaluates the rules for this player; match: the one of the match";
        SpecKey::word(ENGINE, EngineWish::OfTheMatch, about)
    }
}

/// The engine that a spec asks for; `None` for the one of the match, and for a player without the key.
pub(super) fn engine(spec: &Spec) -> Option<EngineKind> {
    if *spec.entry().key(ENGINE)? != SpecKey::engine() {
        return None;
    }
    match spec.word(ENGINE) {
        EngineWish::OfTheMatch => None,
        EngineWish::Kind(kind) => Some(kind),
    }
}
