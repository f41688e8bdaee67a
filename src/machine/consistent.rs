//! Steps that agree with what one role has observed: the two questions that a belief asks in bulk.
//!
//! All histories of a belief stand at the same step of the evidence when it is extended. So the own move, the own
//! percepts and whether the game is over are constants of the whole call ([`ObservedStep`]), and an engine with lanes
//! compares them in planes. [`draw`] and [`select_consistent`] are the plain forms over any [`StateMachine`]; they are what
//! [`Bulk::draw_consistent`](super::Bulk::draw_consistent) and
//! [`Bulk::select_consistent`](super::Bulk::select_consistent) provide.

use rand::Rng;

use super::{
    Budget, ChanceDistribution, JointMove, Move, Observation, Role, Seed, StateMachine, StateMachineExt,
};

/// Attempts between two looks at the clock.
const ATTEMPTS_A_LOOK: usize = 64;

/// The observation of one step by one role: the condition that a step of a consistent history meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObservedStep<'e> {
    /// The role.
    pub role: Role,
    /// Its move and its percepts.
    pub observation: &'e Observation,
    /// Whether the game is over after the step.
    pub is_end: bool,
}

/// Attempts to make one step that agrees with an observation.
#[derive(Debug)]
pub struct StepAttempts<'a, S> {
    /// The states in which attempts begin.
    pub starts: &'a [S],
    /// For each attempt, in which of them.
    pub attempts: &'a [u32],
    /// What was observed of the step.
    pub observed: ObservedStep<'a>,
    /// All randomness comes from it.
    pub seed: &'a Seed,
    /// Its deadline ends the attempts; its nodes do not matter.
    pub budget: &'a Budget,
}

/// A step that agrees with an observation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsistentStep<S> {
    /// Which of the attempts, or of the steps asked about, it is.
    pub place: usize,
    /// The joint move.
    pub joint: JointMove,
    /// The state after it.
    pub state: S,
}

/// The consistent steps among some attempts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsistentDraws<S> {
    /// The number of attempts made, which are the first ones: all of them, unless the deadline passed.
    pub tried: usize,
    /// Those that agree, in the order of the attempts.
    pub steps: Vec<ConsistentStep<S>>,
}

/// Whether a step agrees with an observation, and the state after it.
fn successor<M: StateMachine + ?Sized>(
    machine: &M,
    state: &M::State,
    joint: &JointMove,
    observed: &ObservedStep<'_>,
    scratch: &mut M::Scratch,
) -> Option<M::State> {
    if machine.percepts(state, joint, observed.role, scratch) != observed.observation.percepts {
        return None;
    }
    let next = machine.next(state, joint, scratch);
    let agrees = machine.terminal(&next, scratch) == observed.is_end;
    // After an interruption nothing is known to agree.
    (agrees && !machine.is_interrupted(scratch)).then_some(next)
}

/// The plain form of [`Bulk::draw_consistent`](super::Bulk::draw_consistent).
pub(super) fn draw<M: StateMachine + ?Sized>(
    machine: &M,
    asked: &StepAttempts<'_, M::State>,
    scratch: &mut M::Scratch,
) -> ConsistentDraws<M::State> {
    let (mut rng, mut steps, mut legal) = (asked.seed.rng(), Vec::new(), LegalOf::default());
    for (place, &start) in asked.attempts.iter().enumerate() {
        if place % ATTEMPTS_A_LOOK == 0 && asked.budget.is_late() {
            return ConsistentDraws { tried: place, steps };
        }
        let state = &asked.starts[start as usize];
        if legal.start.replace(start) != Some(start) {
            legal.list(machine, state, &asked.observed, scratch);
        }
        let made = legal.draw(&mut rng).and_then(|joint| {
            let state = successor(machine, state, &joint, &asked.observed, scratch)?;
            Some(ConsistentStep { place, joint, state })
        });
        if machine.is_interrupted(scratch) {
            return ConsistentDraws { tried: place, steps };
        }
        steps.extend(made);
    }
    ConsistentDraws { tried: asked.attempts.len(), steps }
}

/// The legal moves in the state that an attempt began from: the next attempt often begins there too.
#[derive(Default)]
struct LegalOf {
    start: Option<u32>,
    /// For each role, those that agree with the observation, and which of them it makes; none for all where the game is
    /// over.
    moves: Vec<(Vec<Move>, ChanceDistribution)>,
}

impl LegalOf {
    fn list<M: StateMachine + ?Sized>(
        &mut self,
        machine: &M,
        state: &M::State,
        observed: &ObservedStep<'_>,
        scratch: &mut M::Scratch,
    ) {
        self.moves.resize(machine.roles().len(), Default::default());
        let is_over = machine.terminal(state, scratch);
        for (role, (moves, chance)) in machine.each_role().zip(&mut self.moves) {
            moves.clear();
            if !is_over {
                machine.legal(state, role, scratch, moves);
            }
            *chance = if role == observed.role {
                observed.observation.own.among(moves)
            } else if machine.random() == Some(role) && !is_over {
                ChanceDistribution::of(machine, state, scratch)
            } else {
                ChanceDistribution::default()
            };
        }
    }

    /// A joint move of them; a move that is the only one takes no randomness.
    fn draw(&self, rng: &mut impl Rng) -> Option<JointMove> {
        let of_role = |(moves, chance): &(Vec<Move>, ChanceDistribution)| match moves[..] {
            [] => None,
            [only] => Some(only),
            _ => Some(moves[chance.draw(moves.len(), rng)]),
        };
        self.moves.iter().map(of_role).collect::<Option<Vec<Move>>>().map(JointMove::new)
    }
}

/// The plain form of [`Bulk::select_consistent`](super::Bulk::select_consistent).
pub fn select_consistent<M: StateMachine + ?Sized>(
    machine: &M,
    steps: &[(&M::State, &JointMove)],
    observed: &ObservedStep<'_>,
    scratch: &mut M::Scratch,
) -> Vec<(usize, M::State)> {
    let agreeing = |(place, (state, joint)): (usize, &(&M::State, &JointMove))| {
        successor(machine, state, joint, observed, scratch).map(|next| (place, next))
    };
    steps.iter().enumerate().filter_map(agreeing).collect()
}
