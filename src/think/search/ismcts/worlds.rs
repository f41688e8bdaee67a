//! The worlds of a search: the states that its descents came to, each with what every role knows there.
//!
//! A world is a state held possible and what was done since. It keeps the answers of the machine (legal moves, end and
//! goals) and the class of every role's evidence, so a descent through worlds that were met before asks the machine
//! nothing and allocates nothing. In a small game soon all worlds have been met.
//!
//! Worlds are not what the search learns about. The learnt statistics lie with the [`Information`], which all worlds
//! share in which a role knows the same.
//!
//! Invariant: a world that is no end gives every role at least one legal move.

use std::ops::Range;

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::PossibleStates;
use super::information::{Class, Information};
use hyperplay_machine::{
    Budget, Bulk, ByRole, ChanceDistribution, Goal, JointMove, Move, Role, StateMachineExt, Successor,
};

/// The most worlds that are kept; later descents end where the next one would begin. With all that belongs to it a
/// world takes half a kilobyte to one.
const MOST: usize = 1 << 20;

/// The most steps of a descent. It matters only where nobody has a choice for so long.
const DEEPEST: usize = 1_000;

/// A world by its number.
type Number = u32;

#[derive(Debug)]
struct World<S> {
    state: S,
    /// The goals, if the game is over here (or a role has no move, a fault of the rules that ends the game here).
    end: Option<ByRole<Goal>>,
    /// By role: the class of its evidence, and where its legal moves are listed.
    sides: ByRole<(Class, Range<u32>)>,
    /// How likely the moves of `random` are.
    chance: ChanceDistribution,
}

/// A choice that a descent made: at which class, the place of the move in its bandit, the move, and whose it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    class: Class,
    place: u32,
    own: Move,
    role: Role,
}

/// Where a descent came to.
#[derive(Debug)]
pub(super) enum Leaf<S> {
    /// The end of the game, with its goals.
    End(ByRole<Goal>),
    /// A state to play out, with the moves that are fixed for the first step if there are some.
    Open(S, Vec<(Role, Move)>),
}

/// The tree of a search.
pub(super) struct Worlds<'a, M: Bulk> {
    machine: &'a M,
    exploration: f64,
    possible: &'a PossibleStates<'a, M::State>,
    /// The evidence classes of the roles, and the statistics of their moves.
    pub information: Information,
    /// The class of the role that decides, which is the same in all states held possible.
    pub own: Class,
    /// The world of each state held possible, once it was drawn.
    roots: Vec<Option<Number>>,
    worlds: Vec<World<M::State>>,
    children: FxHashMap<(Number, JointMove), Number>,
    /// The legal moves of all worlds.
    moves: Vec<Move>,
    legal: Vec<Move>,
    role: Role,
    /// The most worlds.
    pub most: usize,
}

impl<'a, M: Bulk> Worlds<'a, M> {
    /// No world yet. The role that decides can choose among `legal`.
    pub fn new(
        machine: &'a M,
        role: Role,
        possible: &'a PossibleStates<'a, M::State>,
        legal: &[Move],
        exploration: f64,
    ) -> Self {
        let mut information = Information::default();
        let own = information.add();
        information.open(own, legal);
        Worlds {
            machine,
            exploration,
            possible,
            information,
            own,
            roots: vec![None; possible.states.len()],
            worlds: Vec::new(),
            children: FxHashMap::default(),
            moves: Vec::new(),
            legal: Vec::new(),
            role,
            most: MOST,
        }
    }

    /// The number of worlds met.
    pub fn len(&self) -> usize {
        self.worlds.len()
    }

    /// Goes down from a state held possible to the end of the game or to the first information set that is not of the
    /// tree, which is added. `random` draws, every other role selects; the choices are added to `taken`.
    ///
    /// Where several roles come to new information sets at once, one of these is drawn and added, and a playout begins
    /// with the moves of the roles that could select. If all were added together, the bandits of two roles in equal
    /// positions would stay equal and make the same moves for ever, and neither would learn what else its moves are
    /// worth. If one role always came first, it would have the better of the other.
    ///
    /// `None` if the deadline passed on the way.
    pub fn descend(
        &mut self,
        place: usize,
        rng: &mut impl Rng,
        budget: &Budget,
        scratch: &mut M::Scratch,
        taken: &mut Vec<Taken>,
    ) -> Option<Leaf<M::State>> {
        let mut at = match self.roots[place] {
            Some(at) => at,
            None => self.root(place, budget, scratch)?,
        };
        for step in 0.. {
            let Worlds { machine, ref mut information, ref worlds, ref moves, exploration, .. } = *self;
            let World { state, end, sides, chance } = &worlds[at as usize];
            if let Some(goals) = end {
                return Some(Leaf::End(goals.clone()));
            }
            let legal = |listed: &Range<u32>| &moves[listed.start as usize..listed.end as usize];
            let (from, mut fresh) = (taken.len(), SmallVec::<[Role; 4]>::new());
            let joint = JointMove::new(sides.iter().map(|(role, (class, listed))| {
                let legal = legal(listed);
                if Some(role) == machine.random() {
                    return legal[chance.draw(legal.len(), rng)];
                }
                if information.is_open(*class) {
                    let (chosen, place) = information.select(*class, legal, exploration, rng);
                    taken.push(Taken { class: *class, place, role, own: legal[chosen] });
                    return legal[chosen];
                }
                if legal.len() > 1 {
                    fresh.push(role);
                }
                legal[0]
            }));
            if !fresh.is_empty() {
                let (class, listed) = &sides[fresh[rng.random_range(0..fresh.len())]];
                information.open(*class, legal(listed));
            }
            let is_leaf = !fresh.is_empty() || step == DEEPEST;
            let key = (at, joint);
            let next = if is_leaf { None } else { self.children.get(&key).copied() };
            at = match next {
                Some(next) => next,
                None if is_leaf || worlds.len() >= self.most => {
                    let selected = taken[from..].iter().map(|&Taken { role, own, .. }| (role, own));
                    return Some(Leaf::Open(state.clone(), selected.collect()));
                }
                None => self.child(key, scratch)?,
            };
        }
        unreachable!("a descent has a deepest step")
    }

    /// Credits the sums of the goals of `count` playouts to the choices of a descent.
    pub fn learn(&mut self, taken: &[Taken], count: u32, sum: impl Fn(Role) -> u64) {
        for &Taken { class, place, role, .. } in taken {
            self.information.learn(class, place, count, sum(role));
        }
    }

    fn root(&mut self, place: usize, budget: &Budget, scratch: &mut M::Scratch) -> Option<Number> {
        let PossibleStates { states, known } = *self.possible;
        let classes = ByRole::from_fn(self.machine.roles().len(), |role| {
            // Nobody asks what `random` knows.
            if role == self.role || Some(role) == self.machine.random() {
                self.own
            } else {
                self.information.class(known(place, role))
            }
        });
        if budget.is_late() {
            return None; // what the others know may have been cut off
        }
        let root = self.add(states[place].0.clone(), None, classes, scratch)?;
        self.roots[place] = Some(root);
        Some(root)
    }

    fn child(&mut self, key: (Number, JointMove), scratch: &mut M::Scratch) -> Option<Number> {
        let (machine, sides) = (self.machine, &self.worlds[key.0 as usize].sides);
        let step = (&self.worlds[key.0 as usize].state, &key.1);
        let Successor { state, mut percepts, end, .. } =
            machine.expand(&[step], scratch).pop().expect("one successor for one step");
        if machine.is_interrupted(scratch) {
            return None;
        }
        let classes = ByRole::from_fn(sides.len(), |role| {
            let class = sides[role].0;
            if end.is_some() || Some(role) == machine.random() {
                return class;
            }
            self.information.after(class, key.1.of(role), std::mem::take(&mut percepts[role]))
        });
        let child = self.add(state, end, classes, scratch)?;
        self.children.insert(key, child);
        Some(child)
    }

    fn add(
        &mut self,
        state: M::State,
        mut end: Option<ByRole<Goal>>,
        classes: ByRole<Class>,
        scratch: &mut M::Scratch,
    ) -> Option<Number> {
        let Worlds { machine, ref mut moves, ref mut legal, .. } = *self;
        let listed = moves.len();
        let sides = ByRole::from_fn(classes.len(), |role| {
            let from = moves.len();
            if end.is_none() {
                machine.legal(&state, role, scratch, legal);
                moves.append(legal);
            }
            (classes[role], from as u32..moves.len() as u32)
        });
        if end.is_none() && sides.values().iter().any(|(_, listed)| listed.is_empty()) {
            end = Some(machine.goals(&state, scratch));
        }
        let chance = match end {
            None => ChanceDistribution::of(machine, &state, scratch),
            Some(_) => ChanceDistribution::default(),
        };
        if machine.is_interrupted(scratch) {
            moves.truncate(listed);
            return None;
        }
        self.worlds.push(World { state, end, sides, chance });
        Some((self.worlds.len() - 1) as Number)
    }
}
