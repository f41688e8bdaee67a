//! The positions of a tree: states with what every role knows there.
//!
//! A position lists its *choosers*: the roles with two moves or more, `random` among them. A *choice* is one move of
//! each chooser, as one number, and leads to the end of the game or to another position. Many choices are followed in
//! one call of [`Bulk::expand`]. Two ways to the same state are two positions.
//!
//! A descent through positions that were met asks the machine nothing and allocates nothing. What it reads at a position
//! is a few numbers; the states lie apart.
//!
//! Invariant: in a position that is no end every role has at least one legal move. (Where the rules leave a role without
//! one, the game ends there.)

use hashbrown::HashMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::classes::{EvidenceClasses, PerceptSets};
use super::sets::{IN_ORDER, InformationSets};
use hyperplay_machine::{
    Bulk, ByRole, ChanceDistribution, Evidence, Goal, JointMove, Move, Role, StateMachineExt, Successor,
};

/// A position with more choices than this keeps what follows them in a table and not in a list.
const LISTED: u64 = 64;

/// What follows a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Following {
    /// The end of the game: its number.
    End(u32),
    /// A position: its number.
    Position(u32),
}

/// Not known.
const UNKNOWN: u32 = u32::MAX;
/// In a table.
const IN_TABLE: u32 = u32::MAX - 1;

impl Following {
    /// Twice a number, plus 1 for an end.
    fn slot(self) -> u32 {
        match self {
            Following::Position(number) => number << 1,
            Following::End(number) => number << 1 | 1,
        }
    }

    #[inline(always)]
    fn of_slot(slot: u32) -> Option<Following> {
        match slot {
            UNKNOWN => None,
            slot if slot & 1 == 0 => Some(Following::Position(slot >> 1)),
            slot => Some(Following::End(slot >> 1)),
        }
    }
}

/// A role that chooses at a position, and how its moves count in the number of a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chooser {
    /// The place of the role; [`CHANCE`] or [`UNEVEN_CHANCE`] for `random`.
    pub(crate) role: u32,
    /// How many moves there are.
    pub(crate) moves: u32,
    /// The information set; for `random`, where its moves lie.
    pub(crate) set: u32,
    /// Where its moves are named, or [`IN_ORDER`].
    pub(crate) named: u32,
    /// The factor by which a move counts.
    pub(crate) stride: u64,
}

impl Chooser {
    /// Whether the positions of its set differ in their moves.
    #[inline(always)]
    pub(crate) fn is_uneven(&self, sets: &InformationSets) -> bool {
        self.named != IN_ORDER || sets.is_uneven(self.set)
    }

    /// The number of the move at a place, where the chooser is not `random`.
    #[inline(always)]
    pub(crate) fn number(&self, place: u32, sets: &InformationSets) -> u32 {
        match self.named {
            IN_ORDER => sets.list()[self.set as usize].first + place,
            named => sets.named(named, self.moves)[place as usize],
        }
    }

    /// The numbers of all its moves.
    pub(crate) fn numbers<'s>(&self, sets: &'s InformationSets) -> impl Iterator<Item = u32> + use<'s> {
        let chooser = *self;
        (0..self.moves).map(move |place| chooser.number(place, sets))
    }
}

/// The role of chance whose moves are equally likely.
pub(crate) const CHANCE: u32 = u32::MAX;
/// The role of chance whose moves have weights.
pub(crate) const UNEVEN_CHANCE: u32 = u32::MAX - 1;

/// Where the choosers of a position begin, and what follows its choices.
#[derive(Clone, Copy, Debug)]
struct Begin {
    choosers: u32,
    slots: u32,
}

/// The positions of a tree, with the classes and the information sets of their roles.
pub(crate) struct Positions<M: Bulk> {
    roles: usize,
    begin: Vec<Begin>,
    choosers: Vec<Chooser>,
    slots: Vec<u32>,
    table: FxHashMap<(u32, u64), u32>,
    states: Vec<M::State>,
    /// For each position and role: the first move, which is the only one of a role that does not choose.
    firsts: Vec<Move>,
    /// For each position and role: the class of its evidence.
    known: Vec<u32>,
    /// The moves of `random`, and the weight of each.
    draws: Vec<Move>,
    weights: Vec<u64>,
    classes: ByRole<EvidenceClasses>,
    percepts: PerceptSets,
    pub(crate) sets: InformationSets,
    /// Whether several roles choose at some position, besides `random`.
    pub(crate) is_at_once: bool,
    ends: HashMap<ByRole<Goal>, u32, FxBuildHasher>,
    goals: Vec<ByRole<Goal>>,
    /// Reused: the legal moves of a role.
    legal: Vec<Move>,
}

impl<M: Bulk> Positions<M> {
    /// No position yet.
    pub(crate) fn new(machine: &M) -> Self {
        let roles = machine.roles().len();
        Positions {
            roles,
            begin: Vec::new(),
            choosers: Vec::new(),
            slots: Vec::new(),
            table: FxHashMap::default(),
            states: Vec::new(),
            firsts: Vec::new(),
            known: Vec::new(),
            draws: Vec::new(),
            weights: Vec::new(),
            classes: ByRole::from_fn(roles, |_| EvidenceClasses::default()),
            percepts: PerceptSets::default(),
            sets: InformationSets::new(roles),
            is_at_once: false,
            ends: HashMap::default(),
            goals: Vec::new(),
            legal: Vec::new(),
        }
    }

    /// How many positions there are.
    pub(crate) fn len(&self) -> usize {
        self.begin.len()
    }

    /// About how many bytes all this takes.
    pub(crate) fn bytes(&self) -> usize {
        let a_position = size_of::<Begin>() + size_of::<M::State>() + self.roles * 32;
        let lists = 8 * (self.draws.len() + self.weights.len()) + 4 * self.slots.len();
        self.len() * a_position
            + self.choosers.len() * size_of::<Chooser>()
            + 32 * self.table.len()
            + lists
            + self.sets.bytes()
    }

    pub(crate) fn state(&self, position: u32) -> &M::State {
        &self.states[position as usize]
    }

    /// The positions in which a role knows this, with their states and what all roles know there.
    pub(crate) fn of_class(&self, role: Role, class: u32) -> impl Iterator<Item = (u32, &M::State, &[u32])> {
        let known = self.known.chunks_exact(self.roles);
        let all =
            (0..).zip(&self.states).zip(known).map(|((position, state), known)| (position, state, known));
        all.filter(move |(_, _, known)| known[role.index()] == class)
    }

    #[inline(always)]
    pub(crate) fn choosers(&self, position: u32) -> &[Chooser] {
        let begin = self.begin[position as usize].choosers as usize;
        let next = self.begin.get(position as usize + 1);
        &self.choosers[begin..next.map_or(self.choosers.len(), |next| next.choosers as usize)]
    }

    /// The weights of the moves of a chooser that is `random`.
    pub(crate) fn weights(&self, chooser: &Chooser) -> &[u64] {
        &self.weights[chooser.set as usize..(chooser.set + chooser.moves) as usize]
    }

    /// The goals of an end.
    pub(crate) fn goals(&self, end: u32) -> &ByRole<Goal> {
        &self.goals[end as usize]
    }

    /// The class of some evidence of a role from the first step of the match on. Where it is not said which own move was
    /// made, the first of those that are possible stands for it.
    pub(crate) fn class(&mut self, evidence: &Evidence) -> u32 {
        let Positions { classes, percepts, .. } = self;
        evidence.steps.iter().fold(0, |class, step| match step.own.named().first() {
            Some(&own) => classes[evidence.role].after(class, own, percepts.number(&step.percepts)),
            None => class,
        })
    }

    /// What follows a choice at a position, if that is known.
    #[inline(always)]
    pub(crate) fn following(&self, position: u32, choice: u64) -> Option<Following> {
        match self.begin[position as usize].slots {
            UNKNOWN => None,
            IN_TABLE => self.table.get(&(position, choice)).and_then(|&slot| Following::of_slot(slot)),
            slots => Following::of_slot(self.slots[slots as usize + choice as usize]),
        }
    }

    /// Adds a state that is no end, in which the roles know this. `None` if the deadline passed meanwhile.
    pub(crate) fn add(
        &mut self,
        machine: &M,
        state: M::State,
        known: &[u32],
        scratch: &mut M::Scratch,
    ) -> Option<Following> {
        let (position, lengths) = (self.len() as u32, (self.choosers.len(), self.firsts.len()));
        let mut stride = 1_u64;
        for role in machine.each_role() {
            machine.legal(&state, role, scratch, &mut self.legal);
            if machine.is_interrupted(scratch) {
                self.choosers.truncate(lengths.0);
                self.firsts.truncate(lengths.1);
                return None;
            }
            let Some(&first) = self.legal.first() else {
                self.choosers.truncate(lengths.0);
                self.firsts.truncate(lengths.1);
                let goals = machine.goals(&state, scratch);
                return (!machine.is_interrupted(scratch)).then(|| self.end(goals));
            };
            self.firsts.push(first);
            let (moves, is_random) = (self.legal.len() as u32, Some(role) == machine.random());
            // A role with one move makes it, but learns from it where it has a choice in another state that it cannot
            // tell apart.
            if moves < 2 && (is_random || self.sets.of_class(role, known[role.index()]).is_none()) {
                continue;
            }
            // A role whose choice no longer fits into the number makes its first move: no game that is played has so many.
            let Some(next) = stride.checked_mul(u64::from(moves)) else { continue };
            let (of, (set, named)) = if is_random {
                let chance = ChanceDistribution::of(machine, &state, scratch);
                let set = self.draws.len() as u32;
                self.draws.extend_from_slice(&self.legal);
                self.weights.extend((0..self.legal.len()).map(|place| chance.weight(place)));
                (if chance.is_uniform() { CHANCE } else { UNEVEN_CHANCE }, (set, 0))
            } else {
                (role.index() as u32, self.sets.meet(role, known[role.index()], &self.legal))
            };
            self.choosers.push(Chooser { role: of, moves, set, named, stride });
            stride = next;
        }
        let deciders = self.choosers[lengths.0..].iter().filter(|chooser| chooser.role < UNEVEN_CHANCE);
        self.is_at_once |= deciders.count() > 1;
        self.begin.push(Begin { choosers: lengths.0 as u32, slots: UNKNOWN });
        self.states.push(state);
        self.known.extend_from_slice(known);
        Some(Following::Position(position))
    }

    fn end(&mut self, goals: ByRole<Goal>) -> Following {
        let (number, list) = (self.ends.len() as u32, &mut self.goals);
        Following::End(*self.ends.entry(goals).or_insert_with_key(|goals| {
            list.push(goals.clone());
            number
        }))
    }

    /// The joint move of a choice.
    fn joint(&self, machine: &M, position: u32, choice: u64) -> JointMove {
        let firsts = position as usize * self.roles;
        let mut joint = JointMove::new(self.firsts[firsts..firsts + self.roles].iter().copied());
        for chooser in self.choosers(position) {
            let place = (choice / chooser.stride % u64::from(chooser.moves)) as u32;
            joint = match machine.random() {
                Some(random) if chooser.role >= UNEVEN_CHANCE => {
                    joint.with(random, self.draws[(chooser.set + place) as usize])
                }
                _ => {
                    let own = self.sets.moves()[chooser.number(place, &self.sets) as usize];
                    joint.with(Role::new(chooser.role as usize), own)
                }
            };
        }
        joint
    }

    /// Follows choices whose successors are not known, each once, in one call of the machine. False if the deadline
    /// passed meanwhile: then some of them may still not be known.
    pub(crate) fn grow(&mut self, machine: &M, wanted: &[(u32, u64)], scratch: &mut M::Scratch) -> bool {
        let joints: Vec<JointMove> =
            wanted.iter().map(|&(position, choice)| self.joint(machine, position, choice)).collect();
        let steps: Vec<_> =
            wanted.iter().zip(&joints).map(|(&(position, _), joint)| (self.state(position), joint)).collect();
        let successors = machine.expand(&steps, scratch);
        if machine.is_interrupted(scratch) {
            return false;
        }
        let mut known = vec![0; self.roles];
        for ((&(position, choice), joint), successor) in wanted.iter().zip(&joints).zip(successors) {
            let Successor { state, percepts, end, .. } = successor;
            let following = match end {
                Some(goals) => Some(self.end(goals)),
                None => {
                    for (role, percepts) in
                        percepts.iter().filter(|(role, _)| Some(*role) != machine.random())
                    {
                        let before = self.known[position as usize * self.roles + role.index()];
                        let seen = self.percepts.number(percepts);
                        known[role.index()] = self.classes[role].after(before, joint.of(role), seen);
                    }
                    self.add(machine, state, &known, scratch)
                }
            };
            let Some(following) = following else { return false };
            self.note(position, choice, following);
        }
        true
    }

    fn note(&mut self, position: u32, choice: u64, following: Following) {
        let begin = self.begin[position as usize];
        let slots = match begin.slots {
            UNKNOWN => {
                let last = self.choosers(position).last();
                let choices = last.map_or(1, |last| last.stride * u64::from(last.moves));
                let slots = if choices > LISTED { IN_TABLE } else { self.slots.len() as u32 };
                if slots != IN_TABLE {
                    self.slots.resize(self.slots.len() + choices as usize, UNKNOWN);
                }
                self.begin[position as usize].slots = slots;
                slots
            }
            slots => slots,
        };
        match slots {
            IN_TABLE => {
                self.table.insert((position, choice), following.slot());
            }
            slots => self.slots[slots as usize + choice as usize] = following.slot(),
        }
    }
}
