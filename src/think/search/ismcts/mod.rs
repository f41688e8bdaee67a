//! Information set Monte Carlo tree search: one tree over all states held possible, in which every role learns which of
//! its moves bring it most, given what it knows.
//!
//! A simulation draws a state by its weight (it is *determinized*) and goes down the tree. A node is what the role that
//! chooses knows: its own moves and percepts, from the first step of the match on ([`information`]). So a move is
//! judged by its mean over all states that the role cannot tell apart, and no role acts on what it cannot know. That is
//! the difference from a tree over each state. At a node that is in the tree the role selects by UCB1 over the moves
//! that are legal in this state. The first node that is not in the tree is added, and a random playout follows. Its
//! goals are credited to all choices on the way, each role's own goal to its own choices. `random` draws. Roles that
//! move at once select each by its own node (decoupled UCT), and a simulation adds a node of one of them.
//!
//! Simulations are made in rounds that grow with the tree, as those of [`uct`](super::uct): one call of
//! [`Bulk::playouts`] makes the playouts of a round. Simulations that come to the end of the game are credited at once.
//! Without a deadline the result depends on the seed alone: all draws of the tree are from `seed/select`, those of the
//! playouts of round `r` from `seed/playout/r`.
//!
//! It does not converge to an equilibrium. Where roles move at once even the values may be wrong, because bandits do
//! not draw and what two of them do is correlated (Shafiei, Sturtevant, Schaeffer 2009).
//!
//! Reference: Cowling, Powley, Whitehouse 2012. Their SO-ISMCTS keeps one tree of what the searching role knows; here
//! the nodes of every role are its own information sets, as in `ISMCTSBot` of OpenSpiel (Lanctot et al. 2019) and as in
//! their MO-ISMCTS.

mod information;
mod worlds;

use rand::RngExt;

use worlds::{Leaf, Taken, Worlds};

use super::batch_size::BatchSize;
use super::context::SearchContext;
use super::mcts::Blocks;
use hyperplay_machine::{Bulk, Evidence, Move, Role, Start};

/// The states that a role holds possible, with what the roles know there.
pub struct PossibleStates<'a, S> {
    /// The states, none terminal, each with its weight. There is one at least, and the weights are positive. Equal
    /// states in which other roles know different things stand apart.
    pub states: &'a [(&'a S, f64)],
    /// The evidence of another role in the state of this number. It is asked for a state when it is first drawn. An
    /// answer after the deadline of the search is not used.
    pub known: &'a dyn Fn(usize, Role) -> Evidence,
}

/// How much is searched, and how.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IsmctsOptions {
    /// Simulations.
    pub simulations: u64,
    /// The weight of exploration in UCB1, for goals scaled to 0..=1.
    pub exploration: f64,
}

/// The result of the simulations for one move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimulatedMove {
    /// The move.
    pub own: Move,
    /// Simulations that began with it.
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
    /// States in which these lie.
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
/// let options = IsmctsOptions { simulations: 1_000, exploration: 0.5 };
/// let Simulations { moves, simulations, information_sets, worlds, .. } =
///     ismcts(&mut context, &possible, &legal, &options);
/// assert_eq!((simulations, information_sets, worlds), (1_000, 1, 2 + 4));
/// let [stay, SimulatedMove { own, visits, value }] = moves[..] else { panic!("two moves are legal") };
/// assert_eq!(machine.show_move(own), "switch");
/// assert!(visits > 800 && stay.visits > 10 && (value.expect("it was tried") - 200.0 / 3.0).abs() < 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ismcts<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    possible: &PossibleStates<'_, M::State>,
    legal: &[Move],
    options: &IsmctsOptions,
) -> Simulations {
    context.by_deadline(|context| simulate(context, possible, legal, options))
}

fn simulate<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    possible: &PossibleStates<'_, M::State>,
    legal: &[Move],
    options: &IsmctsOptions,
) -> Simulations {
    let SearchContext { machine, role, ref budget, ref seed, ref mut scratch } = *context;
    let mut worlds = Worlds::new(machine, role, possible, legal, options.exploration);
    let mut rng = seed.child("select").rng();
    let mut total = 0.0;
    let upto: Vec<f64> = possible.states.iter().map(|&(_, weight)| (total += weight, total).1).collect();
    let (blocks, least) = (Blocks::default(), legal.len() as u64);
    let wanted = options.simulations.max(least);
    let (mut made, mut batch, mut playouts) = (0, BatchSize::new(*budget), 0);
    // The choices of the simulations of a round one after the other, and those simulations that wait for a playout.
    let (mut taken, mut waiting, mut starts) = (Vec::<Taken>::new(), Vec::new(), Vec::new());
    for round in 0.. {
        let block = blocks.size(made, (wanted - made).min(batch.rest())).min(wanted - made);
        let size = match batch.size(1, block) {
            0 if made < least && !budget.is_late() => 1,
            size => u64::from(size),
        };
        if size == 0 {
            break;
        }
        let mut size_made = 0;
        while size_made < size {
            let drawn = rng.random::<f64>() * total;
            let place = upto.partition_point(|&upto| upto <= drawn).min(upto.len() - 1);
            let from = taken.len();
            match worlds.descend(place, &mut rng, budget, scratch, &mut taken) {
                None => {
                    // The deadline cut the simulation off: it says nothing.
                    taken.truncate(from);
                    break;
                }
                Some(Leaf::End(goals)) => {
                    worlds.learn(&taken[from..], 1, |role| u64::from(goals[role].value()));
                    taken.truncate(from);
                }
                Some(Leaf::Open(state, first)) => {
                    waiting.push(from..taken.len());
                    starts.push(Start { state, first, count: 1 });
                }
            }
            size_made += 1;
        }
        let size = size_made;
        let mut steps = size;
        if !starts.is_empty() {
            let tallies = machine.playouts(&starts, &seed.child("playout").index(round), budget, scratch);
            for (range, tally) in waiting.drain(..).zip(&tallies) {
                steps += tally.steps;
                playouts += u64::from(tally.count);
                worlds.learn(&taken[range], tally.count, |role| tally.sum[role]);
            }
        }
        starts.clear();
        taken.clear();
        batch.spend(size, steps);
        made += size;
        if machine.is_interrupted(scratch) {
            break;
        }
    }
    let of = |own: &Move| {
        let (_, arm) = worlds.information.moves(worlds.own).find(|(listed, _)| listed == own)?;
        (arm.known > 0).then(|| (arm.known, arm.mean()))
    };
    let moves = legal.iter().map(|own| {
        let said = of(own);
        let visits = said.map_or(0, |(visits, _)| visits);
        SimulatedMove { own: *own, visits, value: said.map(|(_, mean)| mean) }
    });
    Simulations {
        moves: moves.collect(),
        simulations: made,
        playouts,
        steps: batch.steps,
        information_sets: worlds.information.open,
        worlds: worlds.len(),
    }
}

#[cfg(test)]
mod tests;
