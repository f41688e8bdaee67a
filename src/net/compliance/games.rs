//! The games of the checks: small rules, written so that each asks one thing of a player, whose role is the first one.
//!
//! The head of each file says what is asked. The names have capitals inside, so that a player that changes the case of a
//! name is noticed.

pub(super) const LAMPS: &str = include_str!("games/lamps.kif");
pub(super) const COLOURS: &str = include_str!("games/colours.kif");
pub(super) const TREASURE: &str = include_str!("games/treasure.kif");
pub(super) const NUMBERS: &str = include_str!("games/numbers.kif");
pub(super) const BELL: &str = include_str!("games/bell.kif");
pub(super) const PATHS: &str = include_str!("games/paths.kif");
pub(super) const TURNS: &str = include_str!("games/turns.kif");

#[cfg(test)]
mod tests {
    use hyperplay_logic::gdl::{Source, load};

    use super::*;

    #[test]
    fn the_rules_are_without_findings() {
        for game in [LAMPS, COLOURS, TREASURE, NUMBERS, BELL, PATHS, TURNS] {
            let loaded = load(Source::new("check.kif", game), None);
            assert!(loaded.findings.is_empty(), "{game}: {:?}", loaded.findings);
            assert_eq!(loaded.game.unwrap().is_imperfect(), ![COLOURS, TURNS].contains(&game));
        }
    }
}
