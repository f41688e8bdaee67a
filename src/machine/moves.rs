//! Moves, joint moves, percepts and goals.
//!
//! Moves and percepts are ids of ground terms in the store that all engines of one game share, so they mean the same to
//! the referee, to every player and to every engine.

use std::num::IntErrorKind;
use std::ops::Deref;

use smallvec::SmallVec;

use super::role::Role;
use crate::terms::TermId;

/// A term that a role may do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move(pub TermId);

/// A term that a role may perceive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Percept(pub TermId);

/// One move per role, in role order.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct JointMove(SmallVec<[Move; FEW]>);

/// Moves that are kept in place; most games have no more roles.
const FEW: usize = 4;

impl JointMove {
    /// The joint move with these moves in role order.
    pub fn new(moves: impl IntoIterator<Item = Move>) -> Self {
        let mut joint = SmallVec::new();
        for own in moves {
            joint.push(own);
        }
        JointMove(joint)
    }

    /// The joint move of `roles` roles, at least one, each move computed by the number of its role.
    #[inline(always)]
    pub fn from_fn(roles: usize, own: impl Fn(usize) -> Move) -> Self {
        if roles > FEW {
            return JointMove::new((0..roles).map(own));
        }
        // A list that is written at once costs less than one that grows.
        let first = own(0);
        let moves = std::array::from_fn(|role| if role == 0 || role >= roles { first } else { own(role) });
        JointMove(SmallVec::from_buf_and_len(moves, roles))
    }

    /// The move of one role.
    #[inline]
    pub fn of(&self, role: Role) -> Move {
        self.0[role.index()]
    }

    /// The joint move in which `role` does `own` instead.
    #[inline]
    pub fn with(mut self, role: Role, own: Move) -> Self {
        self.0[role.index()] = own;
        self
    }
}

impl Deref for JointMove {
    type Target = [Move];
    #[inline]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}

/// The percepts of one role after one step: a set, kept in the natural order of terms. The empty set is information
/// too: the role learns that there was nothing else to perceive.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Percepts(Box<[Percept]>);

impl Percepts {
    /// The set of these percepts; sorted by `compare`, each once.
    pub fn new(mut percepts: Vec<Percept>, compare: impl Fn(Percept, Percept) -> std::cmp::Ordering) -> Self {
        percepts.sort_unstable_by(|&a, &b| compare(a, b));
        percepts.dedup();
        Percepts(percepts.into())
    }

    /// The set of these percepts, which are in the natural order, each once.
    #[inline]
    pub fn in_order(percepts: impl Into<Box<[Percept]>>) -> Self {
        Percepts(percepts.into())
    }
}

impl Deref for Percepts {
    type Target = [Percept];
    #[inline]
    fn deref(&self) -> &[Percept] {
        &self.0
    }
}

/// A goal value as written in the rules: 0..=100.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Goal(u8);

impl Goal {
    /// The best goal value, 100.
    pub const MAX: Goal = Goal(100);

    /// The goal nearest to `value` in 0..=100.
    pub fn clamped(value: i64) -> Goal {
        Goal(value.clamp(0, 100) as u8)
    }

    /// The goal nearest to the whole number that a text is, of any length; `None` if it is no whole number.
    pub fn nearest(text: &str) -> Option<Goal> {
        match text.parse::<i64>() {
            Ok(value) => Some(Goal::clamped(value)),
            Err(error) => match error.kind() {
                IntErrorKind::PosOverflow => Some(Goal::MAX),
                IntErrorKind::NegOverflow => Some(Goal::default()),
                _ => None,
            },
        }
    }

    /// The value, 0..=100.
    pub fn value(self) -> u8 {
        self.0
    }
}

impl From<Goal> for f64 {
    fn from(goal: Goal) -> f64 {
        f64::from(goal.0)
    }
}
