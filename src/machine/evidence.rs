//! Histories and evidence: what happened in a match, and what one role knows of it.

use super::moves::{JointMove, Move, Percepts};
use super::role::Role;

/// The joint moves made from the initial state on; the GDL-II papers call it a *development*.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct History(pub Vec<JointMove>);

impl History {
    /// The number of joint moves made.
    pub fn step(&self) -> usize {
        self.0.len()
    }
}

/// The knowledge of a role about its own move at one step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OwnMove {
    /// The move that the referee recorded.
    Known(Move),
    /// One of these. Some game masters replace a late move and do not tell which move they made instead.
    OneOf(Box<[Move]>),
}

impl OwnMove {
    /// Whether `candidate` may have been the move.
    pub fn admits(&self, candidate: Move) -> bool {
        match self {
            OwnMove::Known(known) => *known == candidate,
            OwnMove::OneOf(possible) => possible.contains(&candidate),
        }
    }
}

/// The observation of a role in one step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Observation {
    /// Its own move.
    pub own: OwnMove,
    /// The percepts of the role.
    pub percepts: Percepts,
}

/// All that a role knows besides the rules: its own moves and percepts, step by step, and whether the match is over.
///
/// ```
/// use hyperplay_machine::{Evidence, Move, Observation, OwnMove, Percepts, Role};
/// use hyperplay_logic::gdl::{Symbols, TermStore};
///
/// let mut symbols = Symbols::new();
/// let names = ["x", "y"].map(|name| symbols.intern(name));
/// let terms = TermStore::new(symbols);
/// let [x, y] = names.map(|name| Move(terms.intern(name, &[])));
/// let mut evidence = Evidence::new(Role::new(0));
/// let before = evidence.clone();
/// evidence.steps.push(Observation { own: OwnMove::Known(x), percepts: Percepts::default() });
/// assert_eq!(evidence.step(), 1);
/// assert!(evidence.continues(&before) && !before.continues(&evidence));
/// assert_eq!(evidence.until(0), before);
/// let mut followed = before.clone();
/// assert!(followed.follow(&evidence) && followed == evidence && !followed.follow(&before));
/// assert!(evidence.steps[0].own.admits(x) && !evidence.steps[0].own.admits(y));
/// assert!(OwnMove::OneOf([x, y].into()).admits(y));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Evidence {
    /// Whose evidence it is.
    pub role: Role,
    /// One observation a step.
    pub steps: Vec<Observation>,
    /// Whether the last step ended the match.
    pub over: bool,
}

impl Evidence {
    /// The evidence of a role before the first step.
    pub fn new(role: Role) -> Self {
        Evidence { role, steps: Vec::new(), over: false }
    }

    /// The number of steps observed.
    pub fn step(&self) -> usize {
        self.steps.len()
    }

    /// Whether it may belong to the same match as `former`: it is equal to `former` or continues it by some steps.
    pub fn continues(&self, former: &Evidence) -> bool {
        let known = former.step();
        self.role == former.role
            && self.steps.get(..known).is_some_and(|start| *start == *former.steps)
            && if self.step() == known { self.over == former.over } else { !former.over }
    }

    /// Becomes `newer`, and returns whether that [continues](Evidence::continues) what was known. Then only its new
    /// steps are copied.
    pub fn follow(&mut self, newer: &Evidence) -> bool {
        let continues = newer.continues(self);
        if continues {
            self.steps.extend_from_slice(&newer.steps[self.step()..]);
            self.over = newer.over;
        } else {
            self.clone_from(newer);
        }
        continues
    }

    /// The evidence after the first `step` steps.
    ///
    /// # Panics
    /// If fewer were observed.
    pub fn until(&self, step: usize) -> Self {
        let over = self.over && step == self.step();
        Evidence { role: self.role, steps: self.steps[..step].to_vec(), over }
    }
}
