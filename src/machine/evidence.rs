//! Histories and evidence: what happened in a match, and what one role knows of it.

use rand::{Rng, RngExt};

use super::{ChanceDistribution, JointMove, Move, Percepts, Role};

/// The joint moves made from the initial state on; the GDL-II papers call it a *development*.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct History(pub Vec<JointMove>);

impl History {
    /// The number of joint moves made.
    pub fn step(&self) -> usize {
        self.0.len()
    }
}

/// Where the referee does not tell the own move, one answer in this number is taken to be lost on its way. It is a
/// stated prior, not a measured one: small, so that without a sign to the contrary the move that was sent was made.
const LOST: u64 = 64;

/// The knowledge of a role about its own move at one step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OwnMove {
    /// The move that the referee recorded.
    Known(Move),
    /// One of these, each as likely as the others.
    OneOf(Box<[Move]>),
    /// The referee does not tell it. It is the move that was sent, if one was sent in time. But where that was not
    /// legal, and where it was lost, the referee has made a legal move at random in its place.
    Untold(Option<Move>),
}

impl OwnMove {
    /// Whether `candidate` may have been the move, if it was legal.
    pub fn admits(&self, candidate: Move) -> bool {
        match self {
            OwnMove::Known(known) => *known == candidate,
            OwnMove::OneOf(possible) => possible.contains(&candidate),
            OwnMove::Untold(_) => true,
        }
    }

    /// Keeps those of the legal moves that may have been the move. Returns how likely each of them was, which is part
    /// of the probability of a history.
    pub fn among(&self, legal: &mut Vec<Move>) -> ChanceDistribution {
        legal.retain(|&candidate| self.admits(candidate));
        match self {
            OwnMove::Untold(Some(sent)) if legal.len() > 1 && legal.contains(sent) => {
                let made = (LOST - 1) * legal.len() as u64 + 1;
                let weight = |own: &Move| if own == sent { made } else { 1 };
                ChanceDistribution::weighted(legal.iter().map(weight).collect())
            }
            _ => ChanceDistribution::default(),
        }
    }

    /// Whether an answer is lost, by a draw from the prior.
    pub fn is_lost(rng: &mut impl Rng) -> bool {
        rng.random_range(0..LOST) == 0
    }

    /// The moves that are named: the one recorded, the possible ones, or the one sent.
    pub fn named(&self) -> &[Move] {
        match self {
            OwnMove::Known(own) => std::slice::from_ref(own),
            OwnMove::OneOf(possible) => possible,
            OwnMove::Untold(sent) => sent.as_slice(),
        }
    }

    /// The move that was made, as far as it is known without the rules: the one recorded, or else the one sent.
    pub fn presumed(&self) -> Option<Move> {
        match self {
            OwnMove::OneOf(_) => None,
            OwnMove::Known(_) | OwnMove::Untold(_) => self.named().first().copied(),
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
/// // A move that was sent and is not told was made with the probability 63/64 + 1/128 where it was one of two.
/// let (untold, mut legal) = (OwnMove::Untold(Some(x)), vec![x, y]);
/// assert_eq!((untold.among(&mut legal).probabilities(2), untold.presumed()), (vec![127.0 / 128.0, 1.0 / 128.0], Some(x)));
/// assert!(untold.among(&mut vec![y]).is_uniform(), "it was not legal: another one was made for certain");
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
