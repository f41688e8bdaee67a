//! Information set Monte Carlo tree search: one tree over all states held possible, in which every role learns which of
//! its moves bring it most, given what it knows.
//!
//! A simulation draws a state by its weight (it is *determinized*) and goes down the tree. A node is what the role that
//! chooses knows: its own moves and percepts, from the first step of the match on. So a move is judged by its mean over
//! all states that the role cannot tell apart, and no role acts on what it cannot know. That is the difference from a
//! tree over each state. At a node that is in the tree the role selects by UCB1 over the moves that are legal in this
//! state ([`bandits`]). The first node that is not in the tree is added, and a random playout follows. Its goals are
//! credited to all choices on the way, each role's own goal to its own choices. `random` draws. Roles that choose at once do
//! so each at its own node, by regret matching ([`matching`]), and a simulation adds a node of one of them.
//!
//! Simulations are made in rounds that grow with the tree ([`Blocks`]): a few calls of [`Bulk::expand`] compute what no
//! simulation has met, and one call of [`Bulk::playouts`] makes the playouts ([`round`]). The states and what is known
//! there are in [`Positions`], the arena of all trees. Without a deadline the
//! result depends on the seed alone: all draws of the tree are from `seed/select`, those of the playouts of round `r`
//! from `seed/playout/r`.
//!
//! The searching role knows something in all states that it holds possible, and the others learn from nothing else, so they
//! act as if they knew it too. Two options change that: half of the simulations can begin where the others believe to be
//! ([`roots`]), and in a share of them the others can choose by a model ([`modelled`]).
//!
//! It does not converge to an equilibrium where roles move in turn. Where they choose at once the average of what is drawn comes near
//! one in small games. With UCB1 in the place of regret matching ([`IsmctsOptions::regrets`]) even the values may be wrong there, because
//! bandits do not draw and what two of them do is correlated (Shafiei, Sturtevant, Schaeffer 2009).
//!
//! References: Cowling, Powley, Whitehouse 2012. Their SO-ISMCTS keeps one tree of what the searching role knows
//! ([`Observers::One`]); by default the nodes of every role are its own information sets, as in `ISMCTSBot` of OpenSpiel
//! (Lanctot et al. 2019) and as in their MO-ISMCTS.

mod bandits;
mod history;
mod matching;
mod modelled;
mod roots;
mod round;
mod trees;

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;

use bandits::Bandits;
use history::MoveHistory;
pub use modelled::Model;
use modelled::Modelled;
use roots::{Draws, Learners, Others, Root, Roots};
use round::Round;
pub use trees::IsmctsTrees;

use super::batch_size::BatchSize;
use super::context::SearchContext;
use super::mcts::{Blocks, lanes};
use crate::tree::{Chooser, Following, Positions};
use hyperplay_machine::{Budget, Bulk, EvaluationFailure, Evidence, Move, Role};

/// The states that a role holds possible, with what the roles know there.
pub struct PossibleStates<'a, S> {
    /// The states, none terminal, each with its weight. There is one at least, and the weights are positive. Equal
    /// states in which other roles know different things stand apart.
    pub states: &'a [(&'a S, f64)],
    /// The evidence of a role in the state of this number. For the role that decides it is asked once, of the first
    /// state; for the others when a state is first drawn. An answer after the deadline of the search is not used.
    pub known: &'a (dyn Fn(usize, Role) -> Evidence + Sync),
    /// What another role holds possible in the state of this number, where that is searched as well. It may be what the role
    /// that decides knows to be false.
    pub held: Option<&'a Held<'a, S>>,
    /// The choice of the other roles in a share of the simulations.
    pub model: Option<&'a Model<'a>>,
}

/// A state that another role holds possible.
#[derive(Clone, Debug)]
pub struct HeldState<S> {
    /// The state, which is not terminal.
    pub state: S,
    /// Its weight, which is positive.
    pub weight: f64,
    /// The evidence of each role there.
    pub known: Vec<Evidence>,
}

/// The states that a role holds possible in the state of a number, and how many states were visited to find them.
pub type Held<'a, S> = dyn Fn(usize, Role, &Budget) -> (Vec<HeldState<S>>, u64) + Sync + 'a;

/// By whose evidence the choices of a role are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observers {
    /// By its own (MO-ISMCTS).
    Every,
    /// By that of the role that searches (SO-ISMCTS). What others believe is not searched then.
    One,
}

/// How much is searched, and how.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IsmctsOptions {
    /// Simulations.
    pub simulations: u64,
    /// The weight of exploration in UCB1, for goals scaled to 0..=1.
    pub exploration: f64,
    /// How many trees are searched side by side, each with its part of the simulations and of the memory.
    pub trees: usize,
    /// How many simulations make a round.
    pub blocks: Blocks,
    /// About the most bytes of the tree. One that is full grows no more: simulations that come to its edge are played out
    /// from there.
    pub memory: usize,
    /// How many other roles' evidences are searched from what they hold possible.
    pub others: usize,
    /// By whose evidence choices are told apart.
    pub observers: Observers,
    /// Whether roles that choose at once match their regrets. Otherwise each selects by UCB1 (decoupled UCT).
    pub regrets: bool,
    /// Whether playouts choose by what each move has brought in the tree.
    pub history: bool,
    /// The share of the simulations, 0..=1, in which the other roles choose by a model (restricted Nash response, Johanson,
    /// Zinkevich, Bowling 2007).
    pub model_share: f64,
}

impl Default for IsmctsOptions {
    fn default() -> Self {
        // Rounds as measured (`docs/measurements.md`).
        let blocks = Blocks { growth: 64, early: 16, taper: 8, most: 4096, fill: 16 };
        IsmctsOptions {
            simulations: 10_000,
            exploration: 0.7,
            trees: 1,
            blocks,
            memory: 256 << 20,
            others: 0,
            observers: Observers::Every,
            regrets: true,
            history: false,
            model_share: 0.0,
        }
    }
}

/// The result of the simulations for one move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimulatedMove {
    /// The move.
    pub own: Move,
    /// Simulations that began with it, and those that came by when the tree was searched before.
    pub visits: u32,
    /// Those of them that count in a policy: where [regrets](IsmctsOptions::regrets) were matched those that were drawn by regrets,
    /// and else all.
    pub counted: u32,
    /// The mean goal of its visits, 0..=100; `None` if there was none.
    pub value: Option<f64>,
}

/// The work of a search, and its results.
#[derive(Clone, PartialEq, Debug)]
pub struct Simulations {
    /// The moves that can be chosen, in the order in which they were given.
    pub moves: Vec<SimulatedMove>,
    /// Simulations made.
    pub simulations: u64,
    /// Visits of the moves in the tree before.
    pub before: u64,
    /// Those of them that ended with a playout; the others came to the end of the game in the tree.
    pub playouts: u64,
    /// States visited: one for each simulation, and those of the playouts.
    pub steps: u64,
    /// Information sets of all roles in the tree.
    pub information_sets: usize,
    /// States in the tree, without the ends of the game.
    pub worlds: usize,
    /// The failure of an evaluation of the rules that the search met, if any.
    pub failure: Option<EvaluationFailure>,
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
/// let possible = PossibleStates { states: &[(&state, 2.0), (&other, 1.0)], known: &known, held: None, model: None };
///
/// let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
/// let mut context = SearchContext::new(&*machine, candidate, budget, seed, &mut scratch);
/// let options = IsmctsOptions { simulations: 1_000, exploration: 0.5, ..IsmctsOptions::default() };
/// let Simulations { moves, simulations, information_sets, worlds, .. } =
///     ismcts(&mut context, &possible, &legal, &options);
/// assert_eq!((simulations, information_sets, worlds), (1_000, 1, 2));
/// let [stay, SimulatedMove { own, visits, value, .. }] = moves[..] else { panic!("two moves are legal") };
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
    IsmctsTrees::new(context.machine, options).search(context, possible, legal, options)
}

/// A tree that is kept from decision to decision of one role: what was learnt below the moves that were made is still
/// known. It holds what the roles know from the first step of the match on, so nothing in it becomes wrong.
///
/// A tree that takes more than half of its memory when a decision begins is given up, and the next one begins empty. So is
/// one with more than 2^31 simulations, because its counts of visits have 32 bits.
#[derive_where::derive_where(Clone)]
pub struct IsmctsTree<M: Bulk> {
    positions: Positions<M>,
    bandits: Bandits,
    history: MoveHistory,
    /// Simulations made in it: no count of visits is greater.
    simulations: u64,
}

/// A tree with more simulations is given up when a decision begins.
const MOST: u64 = 1 << 31;

impl<M: Bulk> IsmctsTree<M> {
    /// The tree without a position.
    pub fn new(machine: &M) -> Self {
        IsmctsTree {
            positions: Positions::new(machine),
            bandits: Bandits::default(),
            history: MoveHistory::new(machine.roles().len()),
            simulations: 0,
        }
    }

    /// Forgets everything. The memory is kept for the next search, because to ask the system for it anew takes a tenth of a search.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.bandits.clear();
        self.history.clear();
        self.simulations = 0;
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
            self.clear();
        }
        context.by_deadline(|context| simulate(self, context, possible, legal, options, false))
    }

    /// Searches before a decision is asked for, while the tree stays so small that the decision goes on with it. In the first
    /// step of a simulation the other roles choose by the model, uniformly if there is none. Returns whether more is of use.
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
            context.by_deadline(|context| simulate(self, context, possible, legal, &options, true));
        }
        has_room(self)
    }

    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        self.positions.bytes() + self.bandits.bytes()
    }
}

/// A search in one tree, and its means.
struct Parts<'a, M: Bulk> {
    machine: &'a M,
    /// The place of the role that decides.
    own: u32,
    tree: &'a mut IsmctsTree<M>,
    /// Whether the tree grows no more.
    is_full: bool,
    model: Modelled<'a>,
    rng: ChaCha8Rng,
    budget: &'a Budget,
    scratch: &'a mut M::Scratch,
}

impl<M: Bulk> Parts<'_, M> {
    /// Adds a state in which the roles know this. `None` if the deadline passed meanwhile.
    fn add(&mut self, state: M::State, known: &[u32]) -> Option<Following> {
        let IsmctsTree { positions, bandits, .. } = &mut *self.tree;
        let added = positions.add(self.machine, state, known, self.scratch);
        bandits.grow(&positions.sets);
        added
    }
}

fn simulate<M: Bulk>(
    tree: &mut IsmctsTree<M>,
    context: &mut SearchContext<'_, M>,
    possible: &PossibleStates<'_, M::State>,
    legal: &[Move],
    options: &IsmctsOptions,
    is_ahead: bool,
) -> Simulations {
    let SearchContext { machine, role, ref budget, leaves, ref seed, ref mut scratch, .. } = *context;
    let (of_role, rng) = (role.index() as u32, seed.child("select").rng());
    tree.positions.observer = (options.observers == Observers::One).then_some(role);
    tree.bandits.exploration = options.exploration as f32;
    tree.bandits.is_matching = options.regrets;
    tree.history.begin();
    let model = Modelled::new(possible.model, options.model_share);
    let parts = &mut Parts { machine, own: of_role, tree, is_full: false, model, rng, budget, scratch };
    let mut own = Roots::new(parts, role, possible);
    let root = Chooser::apart(&mut parts.tree.positions.sets, role, own.class, legal);
    parts.tree.bandits.grow(&parts.tree.positions.sets);
    parts.tree.bandits.open(root.set, &parts.tree.positions.sets);
    let visits = parts.tree.bandits.known(&root, &parts.tree.positions.sets).map(|arm| u64::from(arm.known));
    let before = visits.sum();
    let mut draws = Draws::new(possible.states.iter().map(|&(_, weight)| weight));
    let mut others = Others::new(&mut own, &mut draws, options, parts);
    let is_alone = others.is_empty();
    let mut round = Round::default();
    // One for each move at least; every second one may begin where others do.
    let least = legal.len() as u64 * if is_alone { 1 } else { 2 };
    let blocks = options.blocks;
    let (wanted, lanes) = (options.simulations.max(least), lanes(machine, budget));
    let (mut made, mut batch, mut playouts) = (0, BatchSize::new(budget.less(others.cost)), 0);
    let (mut roots, mut weights) = (Vec::new(), None);
    for number in 0.. {
        let rest = (wanted - made).min(batch.rest());
        let block = blocks.size(made, rest, lanes).min(wanted - made);
        let size = match batch.size(1, block) {
            0 if made < least && !budget.is_late() => 1,
            size => size,
        };
        if size == 0 {
            break;
        }
        roots.clear();
        let of_others = if is_alone { 0 } else { size / 2 };
        let is_shared = is_alone || parts.tree.positions.is_at_once;
        for &place in draws.draw(size - of_others, &mut parts.rng) {
            let Some(from) = own.get(place, parts) else { break };
            let is_modelled = parts.model.is_next(&mut parts.rng);
            let learners = if is_shared && !is_modelled { Learners::All } else { Learners::Only(of_role) };
            // The next belief will weigh by the model what the others do now.
            let modelled = if is_modelled { usize::MAX } else { usize::from(is_ahead) };
            roots.push(Root { from, learners, modelled });
        }
        roots.extend(others.draw(of_others, &mut parts.rng));
        parts.is_full = parts.tree.bytes() > options.memory;
        let IsmctsTree { positions, bandits, history, .. } = &mut *parts.tree;
        round.begin(&roots, options.history || !bandits.wide.is_empty());
        if history.is_due() {
            bandits.widen(&positions.sets, history);
            weights = options.history.then(|| Arc::new(history.weights()));
        }
        if roots.len() < size as usize || !round.descend(parts) {
            round.withdraw(parts.tree);
            break;
        }
        let mut steps = u64::from(size);
        if !round.starts.is_empty() {
            let each = blocks.playouts_each(lanes, round.starts.len() as u64);
            round.starts.iter_mut().for_each(|start| {
                start.count = each;
                start.weights = weights.clone();
            });
            let seed = seed.child("playout").index(number);
            let tallies = leaves.tallies(machine, &round.starts, &seed, budget, parts.scratch);
            steps += tallies.iter().map(|tally| tally.steps).sum::<u64>();
            playouts += tallies.iter().map(|tally| u64::from(tally.count)).sum::<u64>();
            round.learn_leaves(&tallies, parts.tree);
        }
        batch.spend(u64::from(size), steps);
        made += u64::from(size);
        if machine.is_interrupted(parts.scratch) {
            break;
        }
    }
    parts.tree.simulations += made;
    let IsmctsTree { positions, bandits, .. } = &*parts.tree;
    let counted = bandits.counted(&root, &positions.sets);
    let moves = legal.iter().zip(bandits.known(&root, &positions.sets)).zip(counted);
    let moves = moves.map(|((own, arm), counted)| SimulatedMove {
        own: *own,
        visits: arm.known,
        counted,
        value: (arm.known > 0).then(|| arm.mean()),
    });
    Simulations {
        moves: moves.collect(),
        simulations: made,
        before,
        playouts,
        steps: batch.steps + others.cost,
        information_sets: bandits.open,
        worlds: positions.len(),
        failure: None,
    }
}

#[cfg(test)]
mod at_once_tests;
#[cfg(test)]
mod edge_tests;
#[cfg(test)]
mod roots_tests;
#[cfg(test)]
mod tests;
