//! A game as a boolean function.
//!
//! The inputs of the network are the bits of a state, then the moves, role after role. Its outputs say what is legal,
//! perceived, next, terminal and worth a goal. The network decides every query exactly as the rules do, for every
//! reachable state and every joint move in which each role makes exactly one of its moves; once it is simplified,
//! exactly one of its legal moves.
//!
//! Invariants: the terms of every list are in the natural order, so an engine that goes through a list gives its
//! answers in that order; equal bits are equal states; no output that a state alone decides depends on a move.

use super::network::{Network, Wire};
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{ByRole, Goal, Move, Percept};

/// A fluent and the bit of the state that says whether it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fluent {
    /// The fluent.
    pub term: TermId,
    /// The bit. Fluents that always hold together share one.
    pub bit: usize,
}

/// The part of the network that concerns one role.
#[derive(Clone, Debug, Default)]
pub struct RoleNet {
    /// The moves that may ever be legal.
    pub moves: Vec<Move>,
    /// Whether each is legal.
    pub legal: Vec<Wire>,
    /// Goal values with their conditions; the first one that holds counts, and it is 0 where none does.
    pub goals: Vec<(Goal, Wire)>,
    /// The percepts that may ever occur, each with its condition. Empty in a GDL-I game, where the joint move is
    /// perceived.
    pub percepts: Vec<(Percept, Wire)>,
}

/// The propositional network of a game.
#[derive(Clone, Debug)]
pub struct Propnet {
    /// All functions. Input `b` is bit `b` of the state; then come the moves.
    pub network: Network,
    /// The fluents that change.
    pub fluents: Vec<Fluent>,
    /// The fluents that hold in every state.
    pub fixed: Vec<TermId>,
    /// The initial state, by bit.
    pub initial: Vec<bool>,
    /// The next state, by bit.
    pub next: Vec<Wire>,
    /// Whether the game is over.
    pub terminal: Wire,
    /// The part that concerns each role.
    pub roles: ByRole<RoleNet>,
}

impl Propnet {
    /// The number of bits of a state.
    pub fn bits(&self) -> usize {
        self.next.len()
    }

    /// The inputs that are the moves of each role.
    pub fn does(&self) -> ByRole<std::ops::Range<usize>> {
        let mut first = self.bits();
        self.roles.map(|role| {
            let start = first;
            first += role.moves.len();
            start..first
        })
    }

    /// All outputs, in a fixed order: next by bit, terminal, then role by role legal, goals, percepts.
    pub fn outputs(&self) -> impl Iterator<Item = Wire> + '_ {
        let of_role = |role: &RoleNet| -> Vec<Wire> {
            let goals = role.goals.iter().map(|&(_, wire)| wire);
            let percepts = role.percepts.iter().map(|&(_, wire)| wire);
            role.legal.iter().copied().chain(goals).chain(percepts).collect()
        };
        let ends = std::iter::once(self.terminal);
        self.next.iter().copied().chain(ends).chain(self.roles.values().iter().flat_map(of_role))
    }
}
