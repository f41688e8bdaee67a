//! Toy: a game written down as a table, for tests of the search only.
//!
//! Moves are called `0`, `1`, ... for every role; there are no percepts; state 0 is the initial one.

use hyperplay_engine::machine::{Bulk, ByRole, Goal, JointMove, Move, Percepts, Role, StateMachine};
use hyperplay_logic::gdl::{Symbols, TermStore};

/// A state of the table.
pub(crate) enum Entry {
    End(Vec<u8>),
    /// How many moves each role has, and the next state by joint move, the last role's move changing fastest.
    Choice(Vec<usize>, Vec<usize>),
}

/// A terminal state.
pub(crate) fn end(goals: &[u8]) -> Entry {
    Entry::End(goals.to_vec())
}

/// A state with moves.
pub(crate) fn choice(moves: &[usize], next: &[usize]) -> Entry {
    assert_eq!(moves.iter().product::<usize>(), next.len());
    Entry::Choice(moves.to_vec(), next.to_vec())
}

pub(crate) struct Toy {
    terms: TermStore,
    roles: ByRole<String>,
    random: Option<Role>,
    moves: Vec<Move>,
    entries: Vec<Entry>,
}

impl Toy {
    /// A game without chance.
    pub(crate) fn new(roles: &[&str], entries: Vec<Entry>) -> Self {
        let mut symbols = Symbols::new();
        let names: Vec<_> = (0..10).map(|number| symbols.intern(&number.to_string())).collect();
        let terms = TermStore::new(symbols);
        let moves = names.into_iter().map(|name| Move(terms.intern(name, &[]))).collect();
        let roles = ByRole::new(roles.iter().map(|&role| role.to_owned()).collect());
        Toy { terms, roles, random: None, moves, entries }
    }

    /// A game whose last role is `random`.
    pub(crate) fn with_random(roles: &[&str], entries: Vec<Entry>) -> Self {
        let random = Some(Role::new(roles.len() - 1));
        Toy { random, ..Toy::new(roles, entries) }
    }
}

impl StateMachine for Toy {
    type State = usize;
    type Scratch = ();

    fn scratch(&self) {}

    fn terms(&self) -> &TermStore {
        &self.terms
    }

    fn roles(&self) -> &ByRole<String> {
        &self.roles
    }

    fn random(&self) -> Option<Role> {
        self.random
    }

    fn initial(&self) -> usize {
        0
    }

    fn legal(&self, state: &usize, role: Role, (): &mut (), out: &mut Vec<Move>) {
        out.clear();
        if let Entry::Choice(moves, _) = &self.entries[*state] {
            out.extend(&self.moves[..moves[role.index()]]);
        }
    }

    fn next(&self, state: &usize, joint: &JointMove, (): &mut ()) -> usize {
        let Entry::Choice(moves, next) = &self.entries[*state] else { panic!("{state} is terminal") };
        let position = joint.iter().zip(moves).fold(0, |position, (own, count)| {
            position * count + self.moves.iter().position(|listed| listed == own).unwrap()
        });
        next[position]
    }

    fn percepts(&self, _: &usize, _: &JointMove, _: Role, (): &mut ()) -> Percepts {
        Percepts::default()
    }

    fn terminal(&self, state: &usize, (): &mut ()) -> bool {
        matches!(self.entries[*state], Entry::End(_))
    }

    fn goal(&self, state: &usize, role: Role, (): &mut ()) -> Goal {
        match &self.entries[*state] {
            Entry::End(goals) => Goal::clamped(i64::from(goals[role.index()])),
            Entry::Choice(..) => Goal::default(),
        }
    }

    fn fluents(&self, state: &usize) -> Vec<String> {
        vec![state.to_string()]
    }
}

impl Bulk for Toy {}
