//! The player `random`, which chooses uniformly among the legal moves. Every table of results compares with it.

use super::decision::{Decision, Player, View};
use hyperplay_machine::{Budget, Seed};

/// The player `random`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPlayer;

impl Player for RandomPlayer {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        Decision::uniform(view.legal, seed)
    }
}
