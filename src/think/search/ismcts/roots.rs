//! Where simulations begin: at the states that the searching role holds possible, and at those that the others do.
//!
//! The other roles may hold possible what the searching role knows to be false, and they act on that. So half of the
//! simulations can begin at states that another role holds possible ([`Others`]). This is one step of knowledge: the
//! states of another role are those that it holds possible in states which the searching role holds possible. In them the
//! searching role learns only where it does not know what it really knows.
//!
//! From the other half, which begins at the states that the searching role holds possible, it alone learns, and the others
//! do what they have learnt, where roles alternate. Where roles move at once all learn from all simulations. A role that learns
//! against others who do not comes to one best answer, and what is played at once must be mixed.

use std::hash::Hash;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use super::{HeldState, IsmctsOptions, Observers, Parts, PossibleStates};
use crate::tree::Following;
use hyperplay_machine::{Budget, Bulk, Role, StateMachineExt as _};

/// The share of the budget in which the other roles' knowledge is looked up.
const LOOKING_UP: f64 = 0.2;

/// The roles that learn from a descent. The others do what they have learnt from other descents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Learners {
    All,
    Only(u32),
    AllBut(u32),
}

impl Learners {
    #[inline(always)]
    pub(super) fn has(self, role: u32) -> bool {
        match self {
            Learners::All => true,
            Learners::Only(learner) => role == learner,
            Learners::AllBut(other) => role != other,
        }
    }
}

/// Where a descent begins, who learns from it, and in how many steps the others choose by a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) from: Following,
    pub(super) learners: Learners,
    pub(super) modelled: usize,
}

/// Draws places in proportion to weights.
#[derive(Debug, Default)]
pub(super) struct Draws {
    /// The sums of the weights up to each place.
    upto: Vec<f64>,
    drawn: Vec<usize>,
}

impl Draws {
    pub(super) fn new(weights: impl Iterator<Item = f64>) -> Draws {
        let mut total = 0.0;
        Draws { upto: weights.map(|weight| (total += weight, total).1).collect(), drawn: Vec::new() }
    }

    /// Draws `count` places by one number for all of them, so that each comes up as often as it should to within one,
    /// and in random order.
    pub(super) fn draw(&mut self, count: u32, rng: &mut impl Rng) -> &[usize] {
        self.drawn.clear();
        let total = self.upto.last().copied().unwrap_or(0.0);
        let (offset, mut place) = (rng.random::<f64>(), 0);
        for number in 0..count {
            let at = (f64::from(number) + offset) / f64::from(count) * total;
            place += self.upto[place..].partition_point(|&upto| upto <= at);
            place = place.min(self.upto.len() - 1);
            self.drawn.push(place);
        }
        self.drawn.shuffle(rng);
        &self.drawn
    }
}

/// The positions of the states held possible.
pub(super) struct Roots<'a, S> {
    possible: &'a PossibleStates<'a, S>,
    role: Role,
    /// What the role that decides knows, the same in all of them.
    pub(super) class: u32,
    /// The positions of the tree in which it knows that, by what the roles know and the state.
    met: FxHashMap<(Vec<u32>, S), u32>,
    /// For each state held possible, once it was drawn, its position.
    list: Vec<Option<Following>>,
}

impl<'a, S: Clone + Eq + Hash> Roots<'a, S> {
    pub(super) fn new<M: Bulk<State = S>>(
        parts: &mut Parts<'_, M>,
        role: Role,
        possible: &'a PossibleStates<'a, S>,
    ) -> Self {
        let positions = &mut parts.tree.positions;
        let class = positions.class(&(possible.known)(0, role));
        let met = positions.of_class(role, class);
        let met = met.map(|(position, state, known)| ((known.to_vec(), state.clone()), position)).collect();
        Roots { possible, role, class, met, list: vec![None; possible.states.len()] }
    }

    /// The position of a state held possible; `None` if the deadline passed meanwhile.
    pub(super) fn get<M: Bulk<State = S>>(
        &mut self,
        place: usize,
        parts: &mut Parts<'_, M>,
    ) -> Option<Following> {
        if let Some(root) = self.list[place] {
            return Some(root);
        }
        let PossibleStates { states, known, .. } = *self.possible;
        let (role, class) = (self.role, self.class);
        let positions = &mut parts.tree.positions;
        let classes = parts.machine.each_role().map(|each| match each {
            // Nobody asks what `random` knows.
            each if Some(each) == parts.machine.random() => 0,
            each if each == role => class,
            each => positions.class(&known(place, each)),
        });
        let root = (classes.collect::<Vec<u32>>(), states[place].0.clone());
        if parts.budget.is_late() {
            return None; // what the others know may have been cut off
        }
        self.list[place] = match self.met.get(&root) {
            Some(&position) => Some(Following::Position(position)),
            None => parts.add(root.1, &root.0),
        };
        self.list[place]
    }
}

/// The states that other roles hold possible.
#[derive(Default)]
pub(super) struct Others {
    roots: Vec<Root>,
    draws: Draws,
    /// States visited in looking them up.
    pub(super) cost: u64,
}

impl Others {
    /// Looks up what other roles hold possible in states drawn from those that the searching role does, until there are
    /// as many such evidences as the options say, or a share of the time is up.
    pub(super) fn new<M: Bulk>(
        own: &mut Roots<'_, M::State>,
        draws: &mut Draws,
        options: &IsmctsOptions,
        parts: &mut Parts<'_, M>,
    ) -> Others {
        let mut made = Others::default();
        let is_searched = options.others > 0 && options.observers == Observers::Every;
        let Some(held) = own.possible.held.filter(|_| is_searched) else { return made };
        let nodes = parts.budget.nodes.map(|nodes| (nodes as f64 * LOOKING_UP) as u64);
        let budget = Budget { nodes, ..parts.budget.share(LOOKING_UP) };
        let is_other = |role: &Role| *role != own.role && Some(*role) != parts.machine.random();
        let others: Vec<Role> = parts.machine.each_role().filter(is_other).collect();
        // For each evidence of another role how often it was drawn, and its states.
        let mut of_class: FxHashMap<(Role, u32), usize> = FxHashMap::default();
        let mut lists: Vec<(f64, Vec<(f64, Root)>)> = Vec::new();
        let places = draws.draw(options.others as u32, &mut parts.rng).to_vec();
        for (place, &other) in places.iter().flat_map(|place| others.iter().map(move |other| (*place, other)))
        {
            let left = budget.less(made.cost);
            if left.is_late() || left.nodes == Some(0) || lists.len() >= options.others {
                break;
            }
            let Some(position) = own.get(place, parts).and_then(Following::position) else { break };
            let class = parts.tree.positions.known(position)[other.index()];
            let list = *of_class.entry((other, class)).or_insert(lists.len());
            if list == lists.len() {
                let (states, cost) = held(place, other, &left);
                made.cost += cost;
                let root = |HeldState { state, weight, known }: HeldState<M::State>| {
                    let classes: Vec<u32> = known.iter().map(|of| parts.tree.positions.class(of)).collect();
                    let is_own = classes[own.role.index()] == own.class;
                    let role = own.role.index() as u32;
                    let learners = if is_own { Learners::AllBut(role) } else { Learners::All };
                    Some((weight, Root { from: parts.add(state, &classes)?, learners, modelled: 0 }))
                };
                lists.push((0.0, states.into_iter().map_while(root).collect()));
            }
            lists[list].0 += 1.0;
        }
        let weighted = lists
            .iter()
            .flat_map(|(times, roots)| roots.iter().map(move |(weight, root)| (times * weight, *root)));
        made.draws = Draws::new(weighted.clone().map(|(weight, _)| weight));
        made.roots = weighted.map(|(_, root)| root).collect();
        made
    }

    /// Whether nothing of the kind is known.
    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Draws `count` of the states.
    pub(super) fn draw(&mut self, count: u32, rng: &mut impl Rng) -> impl Iterator<Item = Root> {
        let Others { roots, draws, .. } = self;
        draws.draw(count, rng).iter().map(|&place| roots[place])
    }
}
