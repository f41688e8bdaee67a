//! Players written by hand for the coin game of [`toy`](crate::toy), for the tests of the referee only.

use std::thread;
use std::time::Duration;

use crate::player::{Cost, Decision, Player, View};
use crate::toy::{HEADS, NOOP, Toy};
use hyperplay_engine::machine::{Budget, Role, Seed};

/// What a test player does.
#[derive(Clone, Copy)]
pub enum Behaviour {
    /// Answers with its first legal move.
    First,
    /// Answers with a move that is never legal for it when asked.
    Illegal,
    /// Panics.
    Panics,
    /// Answers after this time.
    Sleeps(Duration),
    /// Reads the coin off the true history.
    Peeks,
    /// Would read it, but is not clairvoyant.
    Hopes,
}

struct Guesser(Behaviour);

/// The guesser that behaves so.
pub fn guess(behaviour: Behaviour) -> Box<dyn Player> {
    Box::new(Guesser(behaviour))
}

impl Player for Guesser {
    fn decide(&mut self, view: &View<'_>, _: &Budget, _: &Seed) -> Decision {
        let coin = Toy::coin();
        let peek = view.history.and_then(|history| history.0.first()).map(|joint| joint.of(Role::new(0)));
        let choice = match self.0 {
            Behaviour::First => view.legal[0],
            Behaviour::Illegal if view.legal.len() == 1 => coin.mv(HEADS),
            Behaviour::Illegal => coin.mv(NOOP),
            Behaviour::Panics => panic!("as it must"),
            Behaviour::Sleeps(time) => {
                thread::sleep(time);
                view.legal[0]
            }
            Behaviour::Peeks | Behaviour::Hopes => peek.unwrap_or(view.legal[0]),
        };
        Decision {
            choice,
            policy: vec![(choice, 1.0)],
            values: Vec::new(),
            cost: Cost::default(),
            held: None,
            depleted: false,
            explanation: Vec::new(),
        }
    }

    fn is_clairvoyant(&self) -> bool {
        matches!(self.0, Behaviour::Peeks)
    }
}
