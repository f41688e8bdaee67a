//! A machine and players written by hand, for the tests of the referee only.
//!
//! `random` lays a coin, which the guesser does not see, then the guesser names a side: 100 for both if it is right,
//! else 0. The guesser perceives `thud` when the coin is laid.

use std::thread;
use std::time::Duration;

use crate::player::{Cost, Decision, Player, View};
use hyperplay_engine::machine::{
    Budget, ByRole, Goal, JointMove, Move, Percept, Percepts, Role, Seed, StateMachine,
};
use hyperplay_logic::gdl::{Symbols, TermStore};

/// The game.
pub struct Coin {
    terms: TermStore,
    roles: ByRole<String>,
    pub heads: Move,
    pub tails: Move,
    pub noop: Move,
    thud: Percept,
}

impl Coin {
    pub fn new() -> Self {
        let mut symbols = Symbols::new();
        let [heads, tails, noop, thud] = ["heads", "tails", "noop", "thud"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let [heads, tails, noop, thud] = [heads, tails, noop, thud].map(|symbol| terms.intern(symbol, &[]));
        let roles = ByRole::new(vec!["random".to_owned(), "guesser".to_owned()]);
        Coin { terms, roles, heads: Move(heads), tails: Move(tails), noop: Move(noop), thud: Percept(thud) }
    }
}

/// The moves that matter: the coin as it lies, then the guess.
pub type Moves = (Option<Move>, Option<Move>);

impl StateMachine for Coin {
    type State = Moves;
    type Scratch = ();

    fn scratch(&self) {}

    fn terms(&self) -> &TermStore {
        &self.terms
    }

    fn roles(&self) -> &ByRole<String> {
        &self.roles
    }

    fn random(&self) -> Option<Role> {
        Some(Role::new(0))
    }

    fn initial(&self) -> Moves {
        (None, None)
    }

    fn legal(&self, state: &Moves, role: Role, (): &mut (), out: &mut Vec<Move>) {
        out.clear();
        let turn = usize::from(state.0.is_some());
        if role.index() == turn { out.extend([self.heads, self.tails]) } else { out.push(self.noop) }
    }

    fn next(&self, state: &Moves, joint: &JointMove, (): &mut ()) -> Moves {
        match state.0 {
            None => (Some(joint.of(Role::new(0))), None),
            coin => (coin, Some(joint.of(Role::new(1)))),
        }
    }

    fn percepts(&self, state: &Moves, _: &JointMove, role: Role, (): &mut ()) -> Percepts {
        let seen = if role.index() == 1 && state.0.is_none() { vec![self.thud] } else { Vec::new() };
        Percepts::new(seen, |a, b| self.terms.compare(a.0, b.0))
    }

    fn terminal(&self, state: &Moves, (): &mut ()) -> bool {
        state.1.is_some()
    }

    fn goal(&self, state: &Moves, _: Role, (): &mut ()) -> Goal {
        Goal::clamped(if state.0 == state.1 { 100 } else { 0 })
    }

    fn fluents(&self, state: &Moves) -> Vec<String> {
        [state.0, state.1].into_iter().flatten().map(|own| self.terms.show(own.0)).collect()
    }
}

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
        let coin = Coin::new();
        let peek = view.history.and_then(|history| history.0.first()).map(|joint| joint.of(Role::new(0)));
        let choice = match self.0 {
            Behaviour::First => view.legal[0],
            Behaviour::Illegal if view.legal.len() == 1 => coin.heads,
            Behaviour::Illegal => coin.noop,
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
