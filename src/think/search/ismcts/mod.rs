//! Information set Monte Carlo tree search: one tree over all states held possible, in which every role learns which of
//! its moves bring it most, given what it knows.
//!
//! A simulation draws a state by its weight (it is *determinized*) and goes down the tree. A node is what the role that
//! chooses knows: its own moves and percepts, from the first step of the match on. So a move is judged by its mean over
//! all states that the role cannot tell apart, and no role acts on what it cannot know. That is the difference from a
//! tree over each state. At a node that is in the tree the role selects by UCB1 over the moves that are legal in this
//! state ([`bandits`]). The first node that is not in the tree is added, and a random playout follows. Its goals are
//! credited to all choices on the way, each role's own goal to its own choices. `random` draws. Roles that move at once
//! select each by its own node (decoupled UCT), and a simulation adds a node of one of them.
//!
//! Simulations are made in rounds that grow with the tree ([`Blocks`]). Those of a round go down together ([`round`]):
//! one call of [`Bulk::expand`] a step computes what no simulation has met, and one call of [`Bulk::playouts`] makes the
//! playouts. The states and what is known there are in [`Positions`], the arena of all trees. Without a deadline the
//! result depends on the seed alone: all draws of the tree are from `seed/select`, those of the playouts of round `r`
//! from `seed/playout/r`.
//!
//! It does not converge to an equilibrium. Where roles move at once even the values may be wrong, because bandits do not draw and what two of them do is correlated (Shafiei, Sturtevant, Schaeffer 2009).
//!
//! References: Cowling, Powley, Whitehouse 2012. Their SO-ISMCTS keeps one tree of what the searching role knows; here
//! the nodes of every role are its own information sets, as in `ISMCTSBot` of OpenSpiel (Lanctot et al. 2019) and as in
//! their MO-ISMCTS.

mod bandits;
mod round;

use std::hash::Hash;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use bandits::Bandits;
use round::Round;

use super::batch_size::BatchSize;
use super::context::SearchContext;
use super::mcts::Blocks;
use crate::tree::{Chooser, Following, Positions};
use hyperplay_machine::{Budget, Bulk, Evidence, Move, Role, StateMachineExt};

/// The states that a role holds possible, with what the roles know there.
pub struct PossibleStates<'a, S> {
    /// The states, none terminal, each with its weight. There is one at least, and the weights are positive. Equal
    /// states in which other roles know different things stand apart.
    pub states: &'a [(&'a S, f64)],
    /// The evidence of a role in the state of this number. For the role that decides it is asked once, of the first
    /// state; for the others when a state is first drawn. An answer after the deadline of the search is not used.
    pub known: &'a dyn Fn(usize, Role) -> Evidence,
}

/// How much is searched, and how.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IsmctsOptions {
    /// Simulations.
    pub simulations: u64,
    /// The weight of exploration in UCB1, for goals scaled to 0..=1.
    pub exploration: f64,
    /// How many simulations go down together; the playouts that fill lanes are not used.
    pub blocks: Blocks,
    /// About the most bytes of the tree. One that is full grows no more: simulations that come to its edge are played out
    /// from there.
    pub memory: usize,
}

impl Default for IsmctsOptions {
    fn default() -> Self {
        // Rounds as measured (`docs/measurements.md`).
        let blocks = Blocks { growth: 64, taper: 8, most: 4096, fill: 1 };
        IsmctsOptions { simulations: 10_000, exploration: 0.7, blocks, memory: 256 << 20 }
    }
}

/// The result of the simulations for one move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimulatedMove {
    /// The move.
    pub own: Move,
    /// Simulations that began with it, and those that came by when the tree was searched before.
    pub visits: u32,
    /// The mean goal of these, 0..=100; `None` if there was none.
    pub value: Option<f64>,
}

/// The work of a search, and its results.
#[derive(Clone, PartialEq, Debug)]
pub struct Simulations {
    /// The moves that can be chosen, in the order in which they were given.
    pub moves: Vec<SimulatedMove>,
    /// Simulations made.
    pub simulations: u64,
    /// Those of them that ended with a playout; the others came to the end of the game in the tree.
    pub playouts: u64,
    /// States visited: one for each simulation, and those of the playouts.
    pub steps: u64,
    /// Information sets of all roles in the tree.
    pub information_sets: usize,
    /// States in the tree, without the ends of the game.
    pub worlds: usize,
}

/// Searches all states held possible in one tree, for the context's role, which can choose among `legal`; at least one
/// simulation for each of these moves.
///
/// ```
#[doc = include_str!("../../monty_hall.example")]
/// use hyperplay_think::search::{IsmctsOptions, PossibleStates, SearchContext, SimulatedMove, Simulations, ismcts};
///
/// // The candidate has chosen door 2, and door 3 was opened. The car is behind door 1, or behind door 2.
/// let mut scratch = machine.scratch();
/// let other = History(vec![joint("(choose 2)", "(hide 2)"), joint("noop", "(open 3)")]);
/// let other = machine.replay(&other, &mut scratch);
/// let legal = machine.legal_by_role(&state, &mut scratch)[candidate].clone();
/// // No other role chooses, so it does not matter what others know.
/// let known = |_, role| Evidence::new(role);
/// let possible = PossibleStates { states: &[(&state, 2.0), (&other, 1.0)], known: &known };
///
/// let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
/// let mut context = SearchContext { machine: &*machine, role: candidate, budget, seed, scratch: &mut scratch };
/// let options = IsmctsOptions { simulations: 1_000, exploration: 0.5, ..IsmctsOptions::default() };
/// let Simulations { moves, simulations, information_sets, worlds, .. } =
///     ismcts(&mut context, &possible, &legal, &options);
/// assert_eq!((simulations, information_sets, worlds), (1_000, 1, 2));
/// let [stay, SimulatedMove { own, visits, value }] = moves[..] else { panic!("two moves are legal") };
/// assert_eq!(machine.show_move(own), "switch");
/// assert!(visits > 800 && stay.visits > 5 && (value.expect("it was tried") - 200.0 / 3.0).abs() < 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ismcts<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    possible: &PossibleStates<'_, M::State>,
    legal: &[Move],
    options: &IsmctsOptions,
) -> Simulations {
    IsmctsTree::new(context.machine, options).search(context, possible, legal, options)
}

/// A tree that is kept from decision to decision of one role: what was learnt below the moves that were made is still
/// known. It holds what the roles know from the first step of the match on, so nothing in it becomes wrong.
///
/// A tree that takes more than half of its memory when a decision begins is given up, and the next one begins empty. So is
/// one with so many simulations that a count of visits might come to its end.
pub struct IsmctsTree<M: Bulk> {
    positions: Positions<M>,
    bandits: Bandits,
    /// Simulations made in it: no count of visits is greater.
    simulations: u64,
}

/// A tree with more simulations is given up when a decision begins.
const MOST: u64 = 1 << 31;

impl<M: Bulk> IsmctsTree<M> {
    /// The tree without a position.
    pub fn new(machine: &M, options: &IsmctsOptions) -> Self {
        let bandits = Bandits::new(options.exploration);
        IsmctsTree { positions: Positions::new(machine), bandits, simulations: 0 }
    }

    /// As [`ismcts`], in this tree.
    pub fn search(
        &mut self,
        context: &mut SearchContext<'_, M>,
        possible: &PossibleStates<'_, M::State>,
        legal: &[Move],
        options: &IsmctsOptions,
    ) -> Simulations {
        if self.bytes() > options.memory / 2 || self.simulations > MOST {
            *self = IsmctsTree::new(context.machine, options);
        }
        context.by_deadline(|context| simulate(self, context, possible, legal, options))
    }

    /// Searches before a decision is asked for, while the tree stays so small that the decision goes on with it. Returns
    /// whether more is of use.
    pub fn search_ahead(
        &mut self,
        context: &mut SearchContext<'_, M>,
        possible: &PossibleStates<'_, M::State>,
        legal: &[Move],
        options: &IsmctsOptions,
    ) -> bool {
        // There are simulations in the tree already, so a round may be larger; and none is the last one before a choice.
        let blocks = Blocks { growth: 8, taper: 1, ..options.blocks };
        let options = IsmctsOptions { memory: options.memory / 8 * 3, blocks, ..*options };
        let has_room = |tree: &Self| tree.bytes() <= options.memory && tree.simulations < MOST / 2;
        if has_room(self) {
            context.by_deadline(|context| simulate(self, context, possible, legal, &options));
        }
        has_room(self)
    }

    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        self.positions.bytes() + self.bandits.bytes()
    }
}

/// The positions of the states held possible.
struct Roots<'a, S> {
    possible: &'a PossibleStates<'a, S>,
    role: Role,
    /// What the role that decides knows, the same in all of them.
    class: u32,
    /// The positions of the tree in which it knows that, by what the roles know and the state.
    met: FxHashMap<(Vec<u32>, S), u32>,
    /// For each state held possible, once it was drawn, its position.
    list: Vec<Option<Following>>,
}

impl<'a, S: Clone + Eq + Hash> Roots<'a, S> {
    fn new<M: Bulk<State = S>>(
        tree: &mut IsmctsTree<M>,
        role: Role,
        possible: &'a PossibleStates<'a, S>,
    ) -> Self {
        let class = tree.positions.class(&(possible.known)(0, role));
        let met = tree.positions.of_class(role, class);
        let met = met.map(|(position, state, known)| ((known.to_vec(), state.clone()), position)).collect();
        Roots { possible, role, class, met, list: vec![None; possible.states.len()] }
    }

    /// The position of a state held possible; `None` if the deadline passed meanwhile.
    fn get<M: Bulk<State = S>>(
        &mut self,
        place: usize,
        tree: &mut IsmctsTree<M>,
        machine: &M,
        budget: &Budget,
        scratch: &mut M::Scratch,
    ) -> Option<Following> {
        if let Some(root) = self.list[place] {
            return Some(root);
        }
        let PossibleStates { states, known } = *self.possible;
        let mut classes = vec![0; machine.roles().len()];
        // Nobody asks what `random` knows.
        for role in machine.each_role().filter(|&role| Some(role) != machine.random()) {
            classes[role.index()] =
                if role == self.role { self.class } else { tree.positions.class(&known(place, role)) };
        }
        if budget.is_late() {
            return None; // what the others know may have been cut off
        }
        let state = states[place].0.clone();
        let root = (classes, state);
        self.list[place] = match self.met.get(&root) {
            Some(&position) => Some(Following::Position(position)),
            None => tree.positions.add(machine, root.1, &root.0, scratch),
        };
        tree.bandits.grow(&tree.positions.sets);
        self.list[place]
    }
}

fn simulate<M: Bulk>(
    tree: &mut IsmctsTree<M>,
    context: &mut SearchContext<'_, M>,
    possible: &PossibleStates<'_, M::State>,
    legal: &[Move],
    options: &IsmctsOptions,
) -> Simulations {
    let SearchContext { machine, role, ref budget, ref seed, ref mut scratch } = *context;
    let mut places = Roots::new(tree, role, possible);
    let own = Chooser::apart(&mut tree.positions.sets, role, places.class, legal);
    tree.bandits.grow(&tree.positions.sets);
    tree.bandits.open(own.set);
    let mut round = Round::new();
    let mut rng = seed.child("select").rng();
    let mut total = 0.0;
    let upto: Vec<f64> = possible.states.iter().map(|&(_, weight)| (total += weight, total).1).collect();
    let (blocks, least, roles) = (options.blocks, legal.len() as u64, machine.roles().len());
    let wanted = options.simulations.max(least);
    let (mut made, mut batch, mut playouts) = (0, BatchSize::new(*budget), 0);
    let (mut drawn, mut roots, mut counts, mut sums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0.. {
        let block = blocks.size(made, (wanted - made).min(batch.rest())).min(wanted - made);
        let size = match batch.size(1, block) {
            0 if made < least && !budget.is_late() => 1,
            size => size,
        };
        if size == 0 {
            break;
        }
        draw(&upto, size, &mut rng, &mut drawn);
        roots.clear();
        roots.extend(drawn.iter().map_while(|&place| places.get(place, tree, machine, budget, scratch)));
        let is_full = tree.bytes() > options.memory;
        let IsmctsTree { positions, bandits, .. } = tree;
        round.begin();
        let is_whole = roots.len() == drawn.len()
            && round.descend(&roots, machine, positions, bandits, is_full, &mut rng, budget, scratch);
        counts.clear();
        counts.resize(size as usize, 0_u32);
        if !is_whole {
            // The deadline cut descents off: they say nothing.
            round.learn(roles, &counts, &[], bandits);
            break;
        }
        sums.clear();
        sums.resize(size as usize * roles, 0_u64);
        let mut credit = |descent: u32, count: u32, sum: &dyn Fn(Role) -> u64| {
            counts[descent as usize] = count;
            for role in machine.each_role() {
                sums[descent as usize * roles + role.index()] = sum(role);
            }
        };
        for &(descent, end) in &round.ends {
            let goals = positions.goals(end);
            credit(descent, 1, &|role| u64::from(goals[role].value()));
        }
        let mut steps = u64::from(size);
        if !round.starts.is_empty() {
            let tallies =
                machine.playouts(&round.starts, &seed.child("playout").index(number), budget, scratch);
            for (&descent, tally) in round.leaves.iter().zip(&tallies) {
                steps += tally.steps;
                playouts += u64::from(tally.count);
                credit(descent, tally.count, &|role| tally.sum[role]);
            }
        }
        round.learn(roles, &counts, &sums, bandits);
        batch.spend(u64::from(size), steps);
        made += u64::from(size);
        if machine.is_interrupted(scratch) {
            break;
        }
    }
    tree.simulations += made;
    let arms = own.numbers(&tree.positions.sets).map(|number| tree.bandits.arm(number));
    let moves = legal.iter().zip(arms).map(|(own, arm)| SimulatedMove {
        own: *own,
        visits: arm.known,
        value: (arm.known > 0).then(|| arm.mean()),
    });
    Simulations {
        moves: moves.collect(),
        simulations: made,
        playouts,
        steps: batch.steps,
        information_sets: tree.bandits.open,
        worlds: tree.positions.len(),
    }
}

/// Draws `count` states in proportion to their weights, of which `upto` has the sums: by one number for all of them, so
/// that each comes up as often as it should to within one, and in random order.
fn draw(upto: &[f64], count: u32, rng: &mut impl Rng, drawn: &mut Vec<usize>) {
    drawn.clear();
    let total = upto.last().copied().unwrap_or(0.0);
    let (offset, mut place) = (rng.random::<f64>(), 0);
    for number in 0..count {
        let at = (f64::from(number) + offset) / f64::from(count) * total;
        place += upto[place..].partition_point(|&upto| upto <= at);
        place = place.min(upto.len() - 1);
        drawn.push(place);
    }
    drawn.shuffle(rng);
}

#[cfg(test)]
mod tests;
