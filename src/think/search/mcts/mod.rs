//! UCT: a tree of playouts over each state, in which every role learns which of its moves bring it most.
//!
//! All trees grow in lockstep. In a round, every tree makes the same number of descents. Then one call of
//! [`Bulk::advance`] computes all new leaves, one call gives their [values](super::LeafValues), and these
//! are credited. So an engine that works on many states at once gets its blocks even from a single tree. Rounds grow
//! with the trees and taper off towards the end ([`Blocks`]), because descents of one round do not learn from each
//! other. With a deadline, lanes that a round would leave idle play more from the same leaves. Chance is sampled,
//! `random` uniformly. The value of an own move is the mean goal of the playouts that began with it.
//!
//! The number of descents is divided evenly by state before anything starts. Whatever ends the work (that number, the
//! nodes, the deadline), the trees have had the same number of descents. Without a deadline the result depends on the
//! seed alone: tree `t` draws its descents from `seed/select/t`, round `r` its playouts from `seed/playout/r`.
//!
//! References: Kocsis, Szepesvári 2006; Finnsson, Björnsson 2008 (UCT in general game playing).

mod forest;

use forest::Forest;

use super::batch_size::BatchSize;
use super::context::SearchContext;
use super::evaluation::{Evaluation, Method};
use super::playout::{OpenState, Playouts};
use hyperplay_machine::{Budget, Bulk};

/// How many descents a round has, all trees together. `growth`, `taper` and `most` of 1 make one descent after the
/// other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// As many as were made before the round, divided by this.
    pub growth: u64,
    /// As many as were made before the round, divided by this, while such a round leaves lanes of the machine empty, each leaf
    /// with [`fill`](Blocks::fill) playouts. At least 1. A number that is not below `growth` changes nothing.
    pub early: u64,
    /// As many as there will still be, divided by this: the last ones make up for the haste of the others, else a move
    /// that was lucky in the last round would be chosen.
    pub taper: u64,
    /// The most descents of a round.
    pub most: u64,
    /// Playouts from each new leaf, at most, to fill the lanes that a machine [has](Bulk::at_once): 1 for none but
    /// those that are requested.
    pub fill: u32,
}

impl Blocks {
    /// How many descents the next round has. `made` descents were made before it, `rest` are still to come, and the round is to
    /// fill `lanes` lanes ([`lanes()`]).
    pub(super) fn size(&self, made: u64, rest: u64, lanes: u32) -> u64 {
        let early = (made / self.early).min(u64::from(lanes / self.fill));
        (made / self.growth).max(early).min(rest / self.taper).clamp(1, self.most)
    }

    /// How many playouts a round with `leaves` leaves makes from each of them in order to fill `lanes` lanes.
    pub(super) fn playouts_each(&self, lanes: u32, leaves: u64) -> u32 {
        (lanes / leaves.clamp(1, 1 << 20) as u32).clamp(1, self.fill)
    }
}

/// The number of lanes that a round is to fill: all of the machine under a clock alone, and 1 where playouts or states are counted,
/// because those are too dear to fill lanes with.
pub(super) fn lanes<M: Bulk>(machine: &M, budget: &Budget) -> u32 {
    if budget.reproduces() || budget.nodes.is_some() { 1 } else { machine.at_once() }
}

impl Default for Blocks {
    /// As measured (`docs/measurements.md`).
    fn default() -> Self {
        Blocks { growth: 64, early: 64, taper: 8, most: 512, fill: 16 }
    }
}

/// Judges the moves of the context's role in each state by a tree over it with up to `descents` descents, at least
/// one for each own move. The weights and shares of the states are not used.
///
/// ```
#[doc = include_str!("../../monty_hall.example")]
/// use hyperplay_think::search::{Blocks, OpenState, SearchContext, uct};
///
/// let mut scratch = machine.scratch();
/// let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
/// let mut context = SearchContext::new(&*machine, candidate, budget, seed, &mut scratch);
/// let moves = machine.legal_by_role(&state, context.scratch)[candidate].clone();
/// let open = OpenState { state: &state, moves, weight: 1.0, share: 1 };
/// let made = uct(&mut context, &[open], 100, &Blocks::default());
/// assert_eq!(made.evaluations[0].values, [0.0, 100.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn uct<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[OpenState<'_, M::State>],
    descents: u64,
    blocks: &Blocks,
) -> Playouts {
    context.by_deadline(|context| grow(context, states, descents, blocks))
}

fn grow<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[OpenState<'_, M::State>],
    descents: u64,
    blocks: &Blocks,
) -> Playouts {
    let SearchContext { machine, role, ref budget, leaves, ref weights, ref seed, ref mut scratch } =
        *context;
    let mut forest = Forest::new(machine, role, states, scratch);
    let mut streams: Vec<_> = (0..states.len()).map(|tree| seed.child("select").index(tree).rng()).collect();
    let least = states.iter().map(|open| open.moves.len() as u64).max().unwrap_or(0);
    let (wanted, count) = (descents.max(least), states.len() as u64);
    let (mut made, mut batch, mut all) = (0, BatchSize::new(*budget), 0);
    let lanes = lanes(machine, budget);
    for round in 0.. {
        let rest = (wanted - made).min(batch.rest() / count.max(1));
        let block = (blocks.size(made * count, rest * count, lanes) / count.max(1)).max(1).min(wanted - made);
        let weight = blocks.playouts_each(lanes, block * count);
        let size = match batch.size(count, block) {
            0 if made < least && count > 0 && !budget.is_late() => 1,
            size => u64::from(size),
        };
        let Some(forest) = forest.as_mut().filter(|_| size > 0) else { break };
        for (tree, rng) in streams.iter_mut().enumerate() {
            (0..size).for_each(|_| forest.descend(tree, weight, rng));
        }
        // A descent visits one state, the leaf, be it new or an end already known.
        let descents = size * count;
        let Some(mut starts) = forest.grow(machine, weight, scratch) else { break };
        starts.iter_mut().for_each(|start| start.weights.clone_from(weights));
        let tallies = leaves.tallies(machine, &starts, &seed.child("playout").index(round), budget, scratch);
        forest.learn(weight, &tallies);
        all += tallies.iter().map(|tally| u64::from(tally.count)).sum::<u64>();
        batch.spend(descents, descents + tallies.iter().map(|tally| tally.steps).sum::<u64>());
        made += size;
    }
    let evaluations = states.iter().enumerate().map(|(tree, open)| {
        let arms = forest.as_ref().map_or(&[][..], |forest| forest.arms(tree));
        Evaluation::sampled(&open.moves, arms, Method::Uct(arms.iter().map(|arm| arm.known).sum()))
    });
    Playouts { evaluations: evaluations.collect(), playouts: all, steps: batch.steps }
}

#[cfg(test)]
mod tests {
    use super::super::context::toy_context as context;
    use super::*;
    use crate::toy::{Toy, at, choice, end};
    use hyperplay_machine::{Budget, Role, StateMachine, StateMachineExt};
    use std::time::Duration;

    fn run(toy: &Toy, role: usize, descents: u64, budget: Budget) -> Playouts {
        let moves = toy.legal_by_role(&toy.initial(), &mut ())[Role::new(role)].clone();
        let open = OpenState { state: &at(0), moves, weight: 1.0, share: 1 };
        uct(&mut context(toy, role, budget), &[open], descents, &Blocks::default())
    }

    #[test]
    fn rounds_grow_and_taper_off() {
        let blocks = Blocks { growth: 10, early: 10, taper: 5, most: 40, fill: 1 };
        let mut sizes = Vec::new();
        let mut made = 0;
        while made < 1_000 {
            sizes.push(blocks.size(made, 1_000 - made, 1));
            made += sizes.last().unwrap();
        }
        let top = sizes.iter().position(|&size| size == 40).unwrap();
        assert!(sizes[..top].is_sorted() && sizes[top..].is_sorted_by(|a, b| a >= b), "{sizes:?}");
        assert_eq!((sizes[0], sizes.last()), (1, Some(&1)));
        let plain = Blocks { growth: 1, early: 1, taper: 1, most: 1, fill: 1 };
        assert_eq!(plain.size(1_000, 1_000, 1), 1);
    }

    #[test]
    fn rounds_grow_faster_while_lanes_are_left() {
        let blocks = Blocks { growth: 100, early: 10, taper: 1, most: 4096, fill: 4 };
        let sizes = |lanes| [50, 1_000, 2_000, 10_000].map(|made| blocks.size(made, 1 << 30, lanes));
        assert_eq!(sizes(1), [1, 10, 20, 100], "one playout after the other");
        assert_eq!(sizes(128), [5, 32, 32, 100]);
    }

    /// The first move gives the other a choice between 100 and 0 for the first role, the second a certain 40.
    fn trap() -> Toy {
        let table = [choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 4]), choice(&[1, 1], &[5])];
        Toy::table(
            &["a", "b"],
            table.into_iter().chain([end(&[100, 0]), end(&[0, 100]), end(&[40, 60])]).collect(),
        )
    }

    #[test]
    fn the_tree_sees_the_answer_of_the_other_where_flat_playouts_do_not() {
        let made = run(&trap(), 0, 1_000, Budget::UNLIMITED);
        let values = &made.evaluations[0].values;
        assert!(values[0] < 30.0, "{values:?}");
        assert_eq!(values[1], 40.0);
        assert_eq!(made.evaluations[0].method, Method::Uct(1_000));
        assert_eq!(made, run(&trap(), 0, 1_000, Budget::UNLIMITED));
    }

    #[test]
    fn random_does_not_learn() {
        let table = vec![choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 4]), end(&[40, 0])];
        let toy = Toy::table_with_random(
            &["a", "random"],
            table.into_iter().chain([end(&[100, 0]), end(&[0, 0])]).collect(),
        );
        let values = &run(&toy, 0, 4_000, Budget::UNLIMITED).evaluations[0].values;
        assert!((values[0] - 50.0).abs() < 3.0, "{values:?}");
    }

    #[test]
    fn moves_made_at_once_are_learnt_by_each_role_for_itself() {
        // The second row dominates, then the first column.
        let table = vec![choice(&[2, 2], &[1, 2, 3, 1]), end(&[0, 100]), end(&[60, 40]), end(&[70, 30])];
        let toy = Toy::table(&["a", "b"], table);
        for role in 0..2 {
            let made = run(&toy, role, 2_000, Budget::UNLIMITED);
            assert_eq!(made.evaluations[0].moves.len(), 2);
            assert_eq!(made.playouts, 0, "every descent ends the game");
        }
    }

    #[test]
    fn a_state_that_ends_for_want_of_a_move_leaves_the_others_alone() {
        let toy = Toy::table(
            &["a", "b"],
            vec![choice(&[2, 0], &[]), choice(&[3, 1], &[2, 3, 2]), end(&[40, 0]), end(&[70, 0])],
        );
        let states = [at(0), at(1), at(0), at(1)];
        let opens: Vec<_> = states
            .iter()
            .map(|state| {
                let moves = toy.legal_by_role(state, &mut ())[Role::new(0)].clone();
                OpenState { state, moves, weight: 1.0, share: 1 }
            })
            .collect();
        let made = uct(&mut context(&toy, 0, Budget::UNLIMITED), &opens, 30, &Blocks::default());
        for (place, evaluation) in made.evaluations.iter().enumerate() {
            let values: &[f64] = if place % 2 == 0 { &[] } else { &[40.0, 70.0, 40.0] };
            assert_eq!(evaluation.values, values);
        }
    }

    #[test]
    fn a_role_with_one_move_learns_what_it_is_worth() {
        let toy = Toy::table(&["a", "b"], vec![choice(&[1, 2], &[1, 1]), end(&[40, 0])]);
        assert_eq!(run(&toy, 0, 10, Budget::UNLIMITED).evaluations[0].values, [40.0]);
    }

    #[test]
    fn nodes_end_the_descents_but_every_move_is_tried() {
        let made = run(&trap(), 0, 1_000, Budget::nodes(1));
        assert!(!made.evaluations[0].values.is_empty() && made.steps < 60, "{made:?}");
        let late = run(&trap(), 0, 1_000, Budget::time(Duration::ZERO));
        assert_eq!(late.evaluations[0].method, Method::Unjudged);
    }
}
