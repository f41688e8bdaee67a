//! The features of a game by which a method is selected for it, measured in random matches.
//!
//! The matches are those of one fixed seed and their number is bounded by states, so the features depend on the rules
//! alone. Information is hidden at a step if some role perceives the same after another move of one of the others that
//! leads to another state. One other move is tried for each of the others, drawn at random.
//!
//! References: Rice76, Knuth75b.

use rand::RngExt;
use serde::Serialize;

use hyperplay_machine::{Budget, JointMoves, Role, Seed, StateMachine, StateMachineExt};

/// The most matches, and the most states visited in all of them.
const MATCHES: usize = 20;
const STATES: usize = 2_000;

/// The features of a game: counts over random matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct GameFeatures {
    /// Steps in all matches.
    pub steps: usize,
    /// Those of them at which two roles or more have a choice, besides `random`.
    pub at_once: usize,
    /// Those of them at which something is hidden from a role other than `random`.
    pub hidden: usize,
    /// Choices of roles other than `random` among two moves or more.
    pub choices: usize,
    /// The moves among which they chose.
    pub moves: usize,
    /// Matches that came to their end.
    pub matches: usize,
    /// How many complete histories the game has, at most [`u64::MAX`], by the estimate of Knuth75b: the product of the numbers of joint moves, in the match where it is the greatest.
    pub histories: u64,
}

impl GameFeatures {
    /// The features of the game of a machine; `None` if the deadline passed on the way.
    pub(super) fn of<M: StateMachine>(
        machine: &M,
        scratch: &mut M::Scratch,
        budget: &Budget,
    ) -> Option<GameFeatures> {
        let mut features = GameFeatures::default();
        machine.by_deadline(budget.deadline, scratch, |scratch| {
            for number in 0..MATCHES {
                let mut histories = 1_u64;
                let mut rng = Seed::root(1).child("features").index(number).rng();
                let mut state = machine.initial();
                while !machine.terminal(&state, scratch) && features.steps < STATES && !budget.is_late() {
                    let Some(joint) = machine.random_joint(&state, scratch, &mut rng) else { break };
                    let legal = machine.legal_by_role(&state, scratch);
                    histories = histories.saturating_mul(JointMoves::count(&legal));
                    let choosing: Vec<Role> =
                        machine.each_role().filter(|&role| legal[role].len() > 1).collect();
                    let next = machine.next(&state, &joint, scratch);
                    let hides = choosing.iter().any(|&other| {
                        let moves = &legal[other];
                        let another = joint.clone().with(other, moves[rng.random_range(0..moves.len())]);
                        let mut observers = machine
                            .each_role()
                            .filter(|&role| role != other && Some(role) != machine.random());
                        machine.next(&state, &another, scratch) != next
                            && observers.any(|role| {
                                let seen = machine.percepts(&state, &joint, role, scratch);
                                seen == machine.percepts(&state, &another, role, scratch)
                            })
                    });
                    let deciding = choosing.iter().filter(|&&role| Some(role) != machine.random());
                    let moves: Vec<usize> = deciding.map(|&role| legal[role].len()).collect();
                    features.moves += moves.iter().sum::<usize>();
                    features.choices += moves.len();
                    features.at_once += usize::from(moves.len() > 1);
                    features.hidden += usize::from(hides);
                    features.steps += 1;
                    state = next;
                }
                if machine.is_interrupted(scratch) || budget.is_late() {
                    return None;
                }
                features.matches += 1;
                features.histories = features.histories.max(histories);
            }
            Some(features)
        })
    }
}
