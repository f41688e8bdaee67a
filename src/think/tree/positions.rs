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

use rustc_hash::FxHashMap;

use super::classes::{EvidenceClasses, Numbered, PerceptSets};
use super::sets::{InformationSets, NAMED};
use hyperplay_machine::{
    Bulk, ByRole, ChanceDistribution, Evidence, Goal, JointMove, Move, Role, StateMachineExt, Successor,
};

/// A position with more choices than this keeps what follows them in a table and not in a list.
const LISTED: u64 = 64;

/// The most roles that have numbers.
const MOST_ROLES: usize = 256;

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
    pub(crate) fn position(self) -> Option<u32> {
        match self {
            Following::Position(position) => Some(position),
            Following::End(_) => None,
        }
    }

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
    /// The information set, unless it is `random`.
    pub(crate) set: u32,
    /// The number of its first move, which the others follow; or [`NAMED`] plus the place where their numbers stand.
    /// For `random`, where its moves lie.
    pub(crate) first: u32,
    /// The factor by which a move counts.
    pub(crate) stride: u64,
}

impl Chooser {
    /// A chooser with these moves in this order, at no position.
    pub(crate) fn apart(sets: &mut InformationSets, role: Role, class: u32, legal: &[Move]) -> Chooser {
        let (set, first) = sets.meet(role, class, legal);
        Chooser { role: role.index() as u32, moves: legal.len() as u32, set, first, stride: 1 }
    }

    /// Whether its moves are others than those of its set, or in another order.
    pub(crate) fn is_named(&self) -> bool {
        self.first >= NAMED
    }

    /// Whether the positions of its set differ in their moves.
    #[inline(always)]
    pub(crate) fn is_uneven(&self, sets: &InformationSets) -> bool {
        self.is_named() || sets.is_uneven(self.set)
    }

    /// The number of the move at a place, where the chooser is not `random`.
    #[inline(always)]
    pub(crate) fn number(&self, place: u32, sets: &InformationSets) -> u32 {
        match self.first.checked_sub(NAMED) {
            None => self.first + place,
            Some(named) => sets.named(named, self.moves)[place as usize],
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
#[derive_where::derive_where(Clone, Default)]
pub(crate) struct Positions<M: Bulk> {
    roles: usize,
    random: Option<Role>,
    /// Whether a step is serialised as in an extensive form: `random` comes first, and a role with one move never chooses.
    is_serial: bool,
    /// Whether every role knows the state, so that each position is a class of its own.
    is_in_sight: bool,
    /// The role by whose evidence the choices of all roles are told apart, if it is not each role's own.
    pub(crate) observer: Option<Role>,
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
    /// Whether some position has more choices than a number can tell apart.
    pub(crate) is_too_wide: bool,
    ends: Numbered<ByRole<Goal>>,
    /// Reused: the legal moves of a role.
    legal: Vec<Move>,
}

impl<M: Bulk> Positions<M> {
    /// No position yet.
    pub(crate) fn new(machine: &M) -> Self {
        let roles = machine.roles().len();
        Positions {
            roles,
            random: machine.random(),
            classes: ByRole::from_fn(roles, |_| EvidenceClasses::default()),
            sets: InformationSets::new(roles),
            ..Positions::default()
        }
    }

    /// No position yet, of a tree in extensive form. Behind the roles of the game its sets have as many numbers for choices of the same
    /// roles that are no moves.
    pub(crate) fn serial(machine: &M) -> Self {
        let sets = InformationSets::new((2 * machine.roles().len()).min(MOST_ROLES));
        Positions { is_serial: true, sets, ..Positions::new(machine) }
    }

    /// No position yet, of a tree in which every role knows the state.
    pub(crate) fn in_sight(machine: &M) -> Self {
        Positions { is_in_sight: true, ..Positions::new(machine) }
    }

    /// Forgets all positions and what is known in them, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.begin.clear();
        self.choosers.clear();
        self.slots.clear();
        self.table.clear();
        self.states.clear();
        self.firsts.clear();
        self.known.clear();
        self.draws.clear();
        self.weights.clear();
        self.classes.values_mut().iter_mut().for_each(EvidenceClasses::clear);
        self.percepts.clear();
        self.sets.clear();
        self.ends.clear();
        (self.is_at_once, self.is_too_wide) = (false, false);
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

    /// How many classes of evidence were met by all roles.
    pub(crate) fn classes(&self) -> usize {
        self.classes.values().iter().map(|classes| classes.met.len()).sum()
    }

    pub(crate) fn state(&self, position: u32) -> &M::State {
        &self.states[position as usize]
    }

    /// The classes of what the roles know at a position.
    pub(crate) fn known(&self, position: u32) -> &[u32] {
        &self.known[position as usize * self.roles..][..self.roles]
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
        let (begin, end) = self.places(position);
        &self.choosers[begin as usize..end as usize]
    }

    /// Whether several roles choose at a position, besides `random`.
    #[inline(always)]
    pub(crate) fn several_choose(&self, position: u32) -> bool {
        self.choosers(position).iter().filter(|chooser| chooser.role < UNEVEN_CHANCE).count() > 1
    }

    /// The places of the choosers of a position: of the first, and of the last plus 1.
    #[inline(always)]
    pub(crate) fn places(&self, position: u32) -> (u32, u32) {
        let begin = self.begin[position as usize].choosers;
        let next = self.begin.get(position as usize + 1);
        (begin, next.map_or(self.choosers.len() as u32, |next| next.choosers))
    }

    /// The chooser at a place.
    #[inline(always)]
    pub(crate) fn chooser(&self, place: u32) -> Chooser {
        self.choosers[place as usize]
    }

    /// How many choices there are at a position.
    pub(crate) fn choices(&self, position: u32) -> u64 {
        self.choosers(position).iter().map(|chooser| u64::from(chooser.moves)).product()
    }

    /// How many roles there are, `random` included.
    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// The weights of the moves of a chooser that is `random`.
    pub(crate) fn weights(&self, chooser: &Chooser) -> &[u64] {
        &self.weights[chooser.first as usize..(chooser.first + chooser.moves) as usize]
    }

    /// The goals of an end.
    pub(crate) fn goals(&self, end: u32) -> &ByRole<Goal> {
        &self.ends[end as usize]
    }

    /// Whether the goals of the roles that decide have the same sum at every end that was met.
    pub(crate) fn has_constant_sum(&self, machine: &M) -> bool {
        let of_players = |goals: &ByRole<Goal>| -> u32 {
            let players = goals.iter().filter(|&(role, _)| Some(role) != machine.random());
            players.map(|(_, goal)| u32::from(goal.value())).sum()
        };
        let mut sums = self.ends.iter().map(of_players);
        sums.next().is_none_or(|first| sums.all(|sum| sum == first))
    }

    /// The class of some evidence of a role from the first step of the match on. Where it is not said which own move was
    /// made, the first of those that are possible stands for it. All evidence of `random` is one class.
    pub(crate) fn class(&mut self, evidence: &Evidence) -> u32 {
        let Positions { classes, percepts, random, .. } = self;
        let steps = evidence.steps.iter().filter(|_| Some(evidence.role) != *random);
        steps.fold(0, |class, step| match step.own.named().first() {
            Some(&own) => classes[evidence.role].after(class, own, percepts.number(&step.percepts)),
            None => class,
        })
    }

    /// The information set of some evidence, if it was met.
    pub(crate) fn set(&self, evidence: &Evidence) -> Option<u32> {
        let classes = &self.classes[evidence.role];
        let class = classes.class_of(evidence, &self.percepts, &classes.met)?;
        self.sets.of_class(evidence.role, class)
    }

    /// The class of a role before the last step, and its move in that step; none before the first step.
    pub(crate) fn step_before(&self, role: Role, class: u32) -> Option<(u32, Move)> {
        self.classes[role].step_before(class)
    }

    /// The evidence of a class of a role.
    pub(crate) fn evidence(&self, role: Role, class: u32) -> Evidence {
        self.classes[role].evidence(role, class, &self.percepts)
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

    /// Adds the initial state, if it is no end. `None` if the deadline passed meanwhile.
    pub(crate) fn root(&mut self, machine: &M, scratch: &mut M::Scratch) -> Option<Following> {
        let state = machine.initial();
        if machine.terminal(&state, scratch) {
            return Some(self.end(machine.goals(&state, scratch)));
        }
        self.add(machine, state, &vec![0; self.roles], scratch)
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
            let is_known = !machine.is_interrupted(scratch);
            let Some(&first) = self.legal.first().filter(|_| is_known) else {
                self.choosers.truncate(lengths.0);
                self.firsts.truncate(lengths.1);
                let goals = is_known.then(|| machine.goals(&state, scratch))?;
                return (!machine.is_interrupted(scratch)).then(|| self.end(goals));
            };
            self.firsts.push(first);
            let (moves, is_random) = (self.legal.len() as u32, Some(role) == machine.random());
            // A role with one move makes it, but learns from it where it has a choice in another state that it cannot
            // tell apart.
            let never = is_random || self.is_serial;
            let class = known[self.observer.unwrap_or(role).index()];
            if moves < 2 && (never || self.sets.of_class(role, class).is_none()) {
                continue;
            }
            // A role whose choice no longer fits into the number makes its first move: no game that is played has so many.
            let Some(next) = stride.checked_mul(u64::from(moves)) else {
                self.is_too_wide = true;
                continue;
            };
            let (of, (set, first)) = if is_random {
                let chance = ChanceDistribution::of(machine, &state, scratch);
                let first = self.draws.len() as u32;
                self.draws.extend_from_slice(&self.legal);
                self.weights.extend((0..self.legal.len()).map(|place| chance.weight(place)));
                (if chance.is_uniform() { CHANCE } else { UNEVEN_CHANCE }, (0, first))
            } else {
                (role.index() as u32, self.sets.meet(role, class, &self.legal))
            };
            self.choosers.push(Chooser { role: of, moves, set, first, stride });
            stride = next;
        }
        let choosers = &mut self.choosers[lengths.0..];
        if self.is_serial
            && let Some(place) = choosers.iter().position(|of| of.role >= UNEVEN_CHANCE)
        {
            choosers[..=place].rotate_right(1);
        }
        self.begin.push(Begin { choosers: lengths.0 as u32, slots: UNKNOWN });
        self.is_at_once |= self.several_choose(position);
        self.states.push(state);
        self.known.extend_from_slice(known);
        Some(Following::Position(position))
    }

    fn end(&mut self, goals: ByRole<Goal>) -> Following {
        Following::End(self.ends.insert_full(goals).0 as u32)
    }

    /// The joint move of a choice.
    pub(crate) fn joint(&self, machine: &M, position: u32, choice: u64) -> JointMove {
        let firsts = position as usize * self.roles;
        let mut joint = JointMove::new(self.firsts[firsts..firsts + self.roles].iter().copied());
        for chooser in self.choosers(position) {
            let place = (choice / chooser.stride % u64::from(chooser.moves)) as u32;
            joint = match machine.random() {
                Some(random) if chooser.role >= UNEVEN_CHANCE => {
                    joint.with(random, self.draws[(chooser.first + place) as usize])
                }
                _ => {
                    let own = self.sets.moves()[chooser.number(place, &self.sets) as usize];
                    joint.with(Role::new(chooser.role as usize), own)
                }
            };
        }
        joint
    }

    /// The place of a move of a joint move among those of a chooser, if it is there.
    pub(crate) fn place_of(&self, machine: &M, chooser: &Chooser, joint: &JointMove) -> Option<u32> {
        let (role, moves) = match machine.random() {
            Some(random) if chooser.role >= UNEVEN_CHANCE => {
                (random, &self.draws[chooser.first as usize..][..chooser.moves as usize])
            }
            _ => (Role::new(chooser.role as usize), self.sets.of(chooser.set)),
        };
        (0..).zip(moves).find(|&(_, &own)| own == joint.of(role)).map(|(place, _)| place)
    }

    /// Follows choices whose successors are not known, each once, in one call of the machine. False if the deadline
    /// passed meanwhile: then none of them is noted.
    pub(crate) fn grow(&mut self, machine: &M, wanted: &[(u32, u64)], scratch: &mut M::Scratch) -> bool {
        let Some(followings) = self.followings(machine, wanted, scratch) else { return false };
        for (&(position, choice), following) in wanted.iter().zip(followings) {
            self.note(position, choice, following);
        }
        true
    }

    /// Follows choices, each once, in one call of the machine, and does not note what follows them. `None` if the deadline
    /// passed meanwhile.
    pub(crate) fn followings(
        &mut self,
        machine: &M,
        wanted: &[(u32, u64)],
        scratch: &mut M::Scratch,
    ) -> Option<Vec<Following>> {
        let joints: Vec<JointMove> =
            wanted.iter().map(|&(position, choice)| self.joint(machine, position, choice)).collect();
        let steps: Vec<_> =
            wanted.iter().zip(&joints).map(|(&(position, _), joint)| (self.state(position), joint)).collect();
        let successors = self.expand(machine, &steps, scratch);
        if machine.is_interrupted(scratch) {
            return None;
        }
        let arrivals = wanted.iter().zip(&joints).zip(successors);
        arrivals
            .map(|((&(position, _), joint), successor)| {
                self.arrive(machine, position, joint, successor, scratch)
            })
            .collect()
    }

    /// Follows one choice, and does not note what follows it. `None` if the deadline passed meanwhile.
    pub(crate) fn follow(
        &mut self,
        machine: &M,
        position: u32,
        choice: u64,
        scratch: &mut M::Scratch,
    ) -> Option<Following> {
        let joint = self.joint(machine, position, choice);
        let successor = self.expand(machine, &[(self.state(position), &joint)], scratch).pop();
        if machine.is_interrupted(scratch) {
            return None;
        }
        self.arrive(machine, position, &joint, successor.expect("one for each step"), scratch)
    }

    /// The successors of steps, with percepts where somebody needs them.
    fn expand(
        &self,
        machine: &M,
        steps: &[(&M::State, &JointMove)],
        scratch: &mut M::Scratch,
    ) -> Vec<Successor<M::State>> {
        if !self.is_in_sight {
            return machine.expand(steps, scratch);
        }
        let made = machine.advance(steps, scratch).into_iter();
        let bare = |(state, end)| Successor { state, percepts: ByRole::default(), end, is_faulty: false };
        made.map(bare).collect()
    }

    /// Adds what a joint move leads to.
    fn arrive(
        &mut self,
        machine: &M,
        position: u32,
        joint: &JointMove,
        successor: Successor<M::State>,
        scratch: &mut M::Scratch,
    ) -> Option<Following> {
        let Successor { state, percepts, end, .. } = successor;
        if let Some(goals) = end {
            return Some(self.end(goals));
        }
        let known = ByRole::from_fn(self.roles, |role| {
            if self.is_in_sight {
                return self.sets.fresh_class();
            }
            if Some(role) == machine.random() {
                return 0;
            }
            let before = self.known[position as usize * self.roles + role.index()];
            self.classes[role].after(before, joint.of(role), self.percepts.number(&percepts[role]))
        });
        self.add(machine, state, known.values(), scratch)
    }

    /// Gives up the positions from this number on. No choice is noted that leads to one of them; what is known of their
    /// information sets stays.
    pub(crate) fn truncate(&mut self, count: usize) {
        let Some(begin) = self.begin.get(count) else { return };
        let mut given_up = self.choosers.drain(begin.choosers as usize..);
        if let Some(draw) = given_up.find(|chooser| chooser.role >= UNEVEN_CHANCE) {
            self.draws.truncate(draw.first as usize);
            self.weights.truncate(draw.first as usize);
        }
        drop(given_up);
        self.begin.truncate(count);
        self.states.truncate(count);
        self.firsts.truncate(count * self.roles);
        self.known.truncate(count * self.roles);
    }

    /// Notes what follows a choice.
    pub(crate) fn note(&mut self, position: u32, choice: u64, following: Following) {
        let begin = self.begin[position as usize];
        let slots = match begin.slots {
            UNKNOWN => {
                let choices = self.choices(position);
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
