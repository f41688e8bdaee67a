//! UCT: a tree of playouts over each state, in which every role learns which of its moves bring it most.
//!
//! All trees grow in step. A round lets every tree make the same number of descents, asks [`Bulk::advance`] for all
//! new leaves in one call and [`Bulk::playouts`] for one playout from each in another, and credits the goals: an
//! engine that works on many states at once gets its blocks even from a single tree. Chance is sampled, `random`
//! uniformly. The value of an own move is the mean goal of the descents that began with it.
//!
//! The number of descents is divided evenly by state before anything starts. Whatever ends the work (that number, the
//! nodes, the deadline), the trees have had the same number of descents. Without a deadline the result depends on the
//! seed alone: tree `t` draws its descents from `seed/select/t`, round `r` its playouts from `seed/playout/r`.
//!
//! References: Kocsis, Szepesvári 2006; Finnsson, Björnsson 2008 (UCT in general game playing).

mod node;
mod select;

use node::{Descent, Leaf, Tree};
use select::Arm;

use super::evaluation::{Evaluation, Method};
use super::playout::Playouts;
use crate::machine::{Budget, Bulk, Move, Role, Seed, Start};

/// Descents of a round, all trees together, where that many are possible.
const BLOCK: u64 = 16;

/// Judges the moves of `role` in each state, not terminal, by a tree over it with up to `descents` playouts, at least
/// one for each own move. Each state comes with the legal moves of the role.
pub fn uct<M: Bulk>(
    machine: &M,
    states: &[(&M::State, Vec<Move>)],
    role: Role,
    descents: u64,
    budget: &Budget,
    seed: &Seed,
    scratch: &mut M::Scratch,
) -> Playouts {
    let mut trees: Vec<Tree<M::State>> =
        states.iter().map(|(state, _)| Tree::new((*state).clone())).collect();
    let mut streams: Vec<_> = (0..trees.len()).map(|tree| seed.child("select").index(tree).rng()).collect();
    let least = states.iter().map(|(_, moves)| moves.len() as u64).max().unwrap_or(0);
    let (wanted, block) = (descents.max(least), (BLOCK / trees.len().max(1) as u64).max(1));
    let (mut made, mut playouts, mut steps) = (0, 0, 0);
    for round in 0.. {
        let spent = budget.nodes.is_some_and(|nodes| made >= least && steps >= nodes);
        if made == wanted || spent || trees.is_empty() || budget.is_late() {
            break;
        }
        let size = block.min(wanted - made);
        let mut waiting: Vec<(usize, Descent)> = Vec::new();
        for (index, (tree, rng)) in trees.iter_mut().zip(&mut streams).enumerate() {
            for _ in 0..size {
                waiting.push((index, tree.descend(machine, rng, scratch)));
            }
        }
        // A descent visits one state, the leaf, be it new or an end already known.
        steps += waiting.len() as u64;
        let open = settle(&mut trees, waiting, machine, scratch);
        let starts: Vec<Start<M::State>> = open
            .iter()
            .map(|(.., state)| Start { state: state.clone(), first: Vec::new(), count: 1 })
            .collect();
        let tallies = machine.playouts(&starts, &seed.child("playout").index(round), budget, scratch);
        for ((tree, descent, _), tally) in open.iter().zip(&tallies) {
            steps += tally.steps;
            if tally.count > 0 {
                playouts += 1;
                trees[*tree].learn(descent, |role| tally.sum[role]);
            }
        }
        made += size;
    }
    let evaluations =
        trees.iter().zip(states).map(|(tree, (_, moves))| evaluation(tree, moves, role)).collect();
    Playouts { evaluations, playouts, steps }
}

/// Computes the states that the descents came to, in one call; the goals of those that end the game are credited at
/// once, the others come back: the tree, the descent and the state.
fn settle<M: Bulk>(
    trees: &mut [Tree<M::State>],
    descents: Vec<(usize, Descent)>,
    machine: &M,
    scratch: &mut M::Scratch,
) -> Vec<(usize, Descent, M::State)> {
    let steps: Vec<_> = descents
        .iter()
        .filter_map(|(tree, descent)| match &descent.leaf {
            Leaf::New(joint) => Some((trees[*tree].parent(descent), joint)),
            Leaf::End(_) => None,
        })
        .collect();
    let mut successors = machine.advance(&steps, scratch).into_iter();
    let mut open = Vec::new();
    for (index, descent) in descents {
        let tree = &mut trees[index];
        let goals = match &descent.leaf {
            Leaf::End(goals) => Some(goals.clone()),
            Leaf::New(_) => {
                let (state, end) = successors.next().expect("one successor for each new leaf");
                tree.grow(&descent, state.clone(), end.clone());
                if end.is_none() {
                    open.push((index, descent, state));
                    continue;
                }
                end
            }
        };
        if let Some(goals) = goals {
            tree.learn(&descent, |role| u64::from(goals[role].value()));
        }
    }
    open
}

/// A state of which some move is not known is not judged: there is nothing to compare.
fn evaluation<S: Clone>(tree: &Tree<S>, moves: &[Move], role: Role) -> Evaluation {
    let arms = tree.arms(role);
    let known = arms.iter().map(|arm| arm.known).min().unwrap_or(0);
    let (values, method) = if known == 0 {
        (Vec::new(), Method::Unjudged)
    } else {
        let descents = arms.iter().map(|arm| arm.known).sum();
        (arms.iter().map(Arm::mean).collect(), Method::Uct(descents))
    };
    Evaluation { moves: moves.to_vec(), values, mixture: None, method }
}

#[cfg(test)]
mod tests {
    use super::super::toy::{Toy, choice, end};
    use super::*;
    use crate::machine::{StateMachine, StateMachineExt};
    use std::time::Duration;

    fn run(toy: &Toy, role: usize, descents: u64, budget: Budget) -> Playouts {
        let role = Role::new(role);
        let legal = toy.legal_by_role(&toy.initial(), &mut ())[role].clone();
        uct(toy, &[(&0, legal)], role, descents, &budget, &Seed::root(1), &mut ())
    }

    /// The first move gives the other a choice between 100 and 0 for the first role, the second a certain 40.
    fn trap() -> Toy {
        let table = [choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 4]), choice(&[1, 1], &[5])];
        Toy::new(
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
        let toy = Toy::with_random(
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
        let toy = Toy::new(&["a", "b"], table);
        for role in 0..2 {
            let made = run(&toy, role, 2_000, Budget::UNLIMITED);
            assert_eq!(made.evaluations[0].moves.len(), 2);
            assert_eq!(made.playouts, 0, "every descent ends the game");
        }
    }

    #[test]
    fn nodes_end_the_descents_but_every_move_is_tried() {
        let made = run(&trap(), 0, 1_000, Budget::nodes(1));
        assert!(!made.evaluations[0].values.is_empty() && made.steps < 60, "{made:?}");
        let late = run(&trap(), 0, 1_000, Budget::time(Duration::ZERO));
        assert_eq!(late.evaluations[0].method, Method::Unjudged);
    }
}
