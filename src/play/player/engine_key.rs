//! The key `engine`: the engine on which a player evaluates the rules.

use super::catalogue::about;
use super::{Spec, SpecKey, SpecWord};
use hyperplay_engine::EngineKind;

/// The name of the key.
const ENGINE: &str = "engine";

/// The engine that a player asks for; `None` for the one of the match.
impl SpecWord for Option<EngineKind> {
    const WORDS: &'static [(&'static str, Option<EngineKind>)] = &[
        ("match", None),
        (EngineKind::Auto.as_str(), Some(EngineKind::Auto)),
        (EngineKind::Interpreter.as_str(), Some(EngineKind::Interpreter)),
        (EngineKind::Propagator.as_str(), Some(EngineKind::Propagator)),
        (EngineKind::Lanes.as_str(), Some(EngineKind::Lanes)),
    ];
}

impl SpecKey {
    /// The key `engine`, for a player that evaluates the rules itself. The code that builds the player gives it the
    /// engine that the spec names.
    pub fn engine() -> SpecKey {
        SpecKey::word(ENGINE, None::<EngineKind>, about("engine", ENGINE))
    }
}

/// The engine that a spec asks for; `None` for the one of the match, and for a player without the key. A key of this
/// name with the same words is this key, whatever its default and its sentence; one of another type is a key of the
/// player's own.
pub(super) fn engine(spec: &Spec) -> Option<EngineKind> {
    if spec.entry().key(ENGINE)?.kind != SpecKey::engine().kind {
        return None;
    }
    spec.word(ENGINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{LegalPlayer, Registry, Seat, SpecEntry};

    fn asked(key: SpecKey, text: &str) -> Option<EngineKind> {
        let entry = SpecEntry::new("mine", "a player").with(key);
        let registry =
            Registry::standard().with_player(entry, |_, _| Ok(|_: &_, _| Seat::player(LegalPlayer)));
        registry.unwrap().player(text).unwrap().engine()
    }

    #[test]
    fn the_type_of_the_key_decides_and_not_its_default_or_its_sentence() {
        let own = || SpecKey { about: "on which engine it thinks".into(), ..SpecKey::engine() };
        assert_eq!(asked(own(), "mine"), None);
        assert_eq!(asked(own(), "mine:engine=lanes"), Some(EngineKind::Lanes));
        assert_eq!(asked(own().with_default("propagator"), "mine"), Some(EngineKind::Propagator));
        let power = SpecKey::count("engine", 1..=9, 1, "how strong its engine is");
        assert_eq!(asked(power, "mine:engine=3"), None);
    }
}
