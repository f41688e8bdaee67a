//! The player `legal`, which always plays the first legal move in the natural order of terms. It uses no randomness,
//! so a match between two such players is the same under every seed.

use super::decision::{Decision, Player, View};
use hyperplay_machine::{Budget, Seed};

/// The player `legal`.
#[derive(Clone, Copy, Debug, Default)]
pub struct LegalPlayer;

impl Player for LegalPlayer {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        Decision::draw(vec![(view.legal[0], 1.0)], seed)
    }
}
