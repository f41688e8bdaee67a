//! Players written by hand for the coin game of [`toy`](crate::toy), for the tests of the referee only.

use std::thread;
use std::time::Duration;

use crate::player::{ClairvoyantPlayer, ClairvoyantView, Decision, Player, Seat, View};
use crate::toy::{HEADS, NOOP, Toy};
use hyperplay_machine::{Budget, Role, Seed};

/// The behaviour of a test player.
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
}

struct Guesser(Behaviour);

/// Reads the coin off the true history.
struct Peeking;

/// The guesser that behaves so.
pub fn guess(behaviour: Behaviour) -> Seat {
    Seat::player(Guesser(behaviour))
}

/// The guesser that is never wrong.
pub fn peek() -> Seat {
    Seat::clairvoyant(Peeking)
}

impl Player for Guesser {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        let coin = Toy::coin();
        let choice = match self.0 {
            Behaviour::First => view.legal[0],
            Behaviour::Illegal if view.legal.len() == 1 => coin.mv(HEADS),
            Behaviour::Illegal => coin.mv(NOOP),
            Behaviour::Panics => panic!("as it must"),
            Behaviour::Sleeps(time) => {
                thread::sleep(time);
                view.legal[0]
            }
        };
        Decision::draw(vec![(choice, 1.0)], seed)
    }
}

impl ClairvoyantPlayer for Peeking {
    fn decide(&mut self, view: &ClairvoyantView<'_>, _: &Budget, seed: &Seed) -> Decision {
        let laid = view.history.0.first().map(|joint| joint.of(Role::new(0)));
        Decision::draw(vec![(laid.unwrap_or(view.own.legal[0]), 1.0)], seed)
    }
}
