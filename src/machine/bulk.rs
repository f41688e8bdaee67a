//! Many successors or playouts in one call.
//!
//! Belief and search ask for work in bulk and never step a state one by one, so an engine that advances hundreds of
//! states at once can serve them without a change. The provided methods are the plain form over any [`StateMachine`].
//! An engine with lanes overrides them: its expansions must be the same, and its playouts must have the same
//! distribution.

use std::sync::Arc;

use super::chance::draw_weighted;
use super::consistent::{self, ConsistentDraws, ObservedStep, StepAttempts};
use super::weights::MoveWeights;
use super::{Budget, ByRole, Goal, JointMove, Move, Percepts, Role, Seed, StateMachine, StateMachineExt};

/// The longest playout, in steps; one that is not over by then counts with the goals of its last state. An engine may
/// stop earlier by up to a quarter of it.
pub const PLAYOUT_STEPS: usize = 10_000;

/// Steps of a playout between two looks at the clock.
const STEPS_A_LOOK: usize = 16;

/// The result of one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Successor<S> {
    /// The state after the step.
    pub state: S,
    /// The percepts of each role at the step.
    pub percepts: ByRole<Percepts>,
    /// The goals, if the step ended the game.
    pub end: Option<ByRole<Goal>>,
    /// Whether the step ended the game with [a fault of the goals](StateMachineExt::has_goal_fault).
    pub is_faulty: bool,
}

/// The state after a step and, where it is terminal, the goals.
pub type Reached<S> = (S, Option<ByRole<Goal>>);

/// Playouts to make from one state.
#[derive(Clone, Debug)]
pub struct Start<S> {
    /// Where they start; not terminal.
    pub state: S,
    /// The moves that are fixed for the first step, by role: the others choose.
    pub first: Vec<(Role, Move)>,
    /// By which weights the roles choose; uniformly if `None`. `random` draws as the rules say.
    pub weights: Option<Arc<MoveWeights>>,
    /// How many.
    pub count: u32,
}

/// The sum of playouts from one start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Playouts made.
    pub count: u32,
    /// How many of them were cut off because they were too long ([`PLAYOUT_STEPS`]); they count with the goals of
    /// their last state.
    pub unfinished: u32,
    /// Steps made in all of them.
    pub steps: u64,
    /// The sum of the goals of each role.
    pub sum: ByRole<u64>,
    /// The sum of the squared goals of each role.
    pub squares: ByRole<u64>,
}

impl Tally {
    /// The sum of no playouts, for `roles` roles.
    pub fn new(roles: usize) -> Self {
        let zero = || ByRole::from_fn(roles, |_| 0);
        Tally { count: 0, unfinished: 0, steps: 0, sum: zero(), squares: zero() }
    }

    /// Adds playouts that ended with this goal of a role to its sums.
    pub fn add(&mut self, role: Role, goal: Goal, playouts: u32) {
        let (goal, playouts) = (u64::from(goal.value()), u64::from(playouts));
        self.sum[role] += goal * playouts;
        self.squares[role] += goal * goal * playouts;
    }

    /// The mean goal of a role, 0 before the first playout.
    pub fn mean(&self, role: Role) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum[role] as f64 / f64::from(self.count) }
    }
}

/// Work on many states at once.
///
/// ```
/// use hyperplay_engine::Interpreter;
/// use hyperplay_machine::{
///     Budget, Bulk, ConsistentDraws, ConsistentStep, JointMoves, Observation, ObservedStep, OwnMove, Role, Seed, Start,
///     StateMachine, StateMachineExt, StepAttempts, Successor,
/// };
/// # use hyperplay_logic::gdl::{self, Source};
/// # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
/// #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
/// # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
/// let machine = Interpreter::new(&game)?;
/// let (mut scratch, start) = (machine.scratch(), machine.initial());
/// let legal = machine.legal_by_role(&start, &mut scratch);
///
/// // Every joint move of a state in one call.
/// let joints: Vec<_> = JointMoves::new(&legal).collect();
/// let steps: Vec<_> = joints.iter().map(|joint| (&start, joint)).collect();
/// let successors = machine.expand(&steps, &mut scratch);
/// let goals: Vec<_> = successors.iter().map(|next| next.end.as_ref().unwrap()[Role::new(0)].value()).collect();
/// assert_eq!(goals, [100, 0]);
/// let Successor { state, percepts, .. } = &successors[0];
/// assert_eq!(machine.fluents(state), ["(did x)"]);
/// assert_eq!(percepts[Role::new(1)].len(), 2);
/// // Without the percepts; and one after the other, as this engine makes all its playouts.
/// assert_eq!(&machine.advance(&steps, &mut scratch)[0].0, state);
/// assert_eq!(machine.at_once(), 1);
///
/// // The step that remains when b sees that a made the move x; and the attempts among five that find it.
/// let percepts = percepts[Role::new(1)].clone();
/// let observation = Observation { own: OwnMove::Known(legal[Role::new(1)][0]), percepts };
/// let observed = ObservedStep { role: Role::new(1), observation: &observation, is_end: true };
/// assert_eq!(machine.select_consistent(&steps, &observed, &mut scratch), [(0, state.clone())]);
/// let starts = std::slice::from_ref(&start);
/// let (seed, budget) = (Seed::root(1), Budget::UNLIMITED);
/// let asked = StepAttempts { starts, attempts: &[0; 5], observed, seed: &seed, budget: &budget };
/// let ConsistentDraws { tried, steps: found } = machine.draw_consistent(&asked, &mut scratch);
/// assert!(tried == 5 && found.len() < 5);
/// let is_x = |step: &ConsistentStep<_>| step.joint == joints[0] && step.state == *state && step.place < 5;
/// assert!(found.iter().all(is_x));
///
/// // Ten random playouts, in which the first move of `a` is x.
/// let first = vec![(Role::new(0), legal[Role::new(0)][0])];
/// let start = Start { state: start, first, weights: None, count: 10 };
/// let tallies = machine.playouts(&[start], &Seed::root(1), &Budget::UNLIMITED, &mut scratch);
/// assert_eq!((tallies[0].count, tallies[0].steps, tallies[0].unfinished), (10, 10, 0));
/// assert_eq!(tallies[0].mean(Role::new(0)), 100.0);
/// # Ok::<(), hyperplay_engine::EngineError>(())
/// ```
pub trait Bulk: StateMachine {
    /// The successor of every (state, joint move), in the order given.
    fn expand(
        &self,
        steps: &[(&Self::State, &JointMove)],
        scratch: &mut Self::Scratch,
    ) -> Vec<Successor<Self::State>> {
        expand_each(self, steps, scratch)
    }

    /// The state and, where it is terminal, the goals after every (state, joint move), in the order given. This is
    /// [`expand`](Bulk::expand) without the percepts, for search, which does not read them.
    fn advance(
        &self,
        steps: &[(&Self::State, &JointMove)],
        scratch: &mut Self::Scratch,
    ) -> Vec<Reached<Self::State>> {
        advance_each(self, steps, scratch)
    }

    /// Makes attempts at one step that agrees with an observation. Attempt `i` starts in `starts[attempts[i]]`, where
    /// the observing role makes its own move ([one of those](super::OwnMove::among) that the observation admits and that
    /// are legal) and every other role chooses uniformly. It succeeds if the percepts and the end of the game are those observed.
    /// No attempt succeeds in a terminal state, or where a role has no legal move.
    ///
    /// Attempts are independent. An engine with lanes gives other draws with the same distribution. The call stops when the
    /// deadline has passed, also inside an evaluation. Visits one state for each attempt.
    fn draw_consistent(
        &self,
        asked: &StepAttempts<'_, Self::State>,
        scratch: &mut Self::Scratch,
    ) -> ConsistentDraws<Self::State> {
        self.by_deadline(asked.budget.deadline, scratch, |scratch| consistent::draw(self, asked, scratch))
    }

    /// Which of these steps agree with an observation in percepts and end, by number, with the states after them. That
    /// the moves are legal, and that the own move is the one observed, is for the caller to see to.
    fn select_consistent(
        &self,
        steps: &[(&Self::State, &JointMove)],
        observed: &ObservedStep<'_>,
        scratch: &mut Self::Scratch,
    ) -> Vec<(usize, Self::State)> {
        consistent::select_consistent(self, steps, observed, scratch)
    }

    /// How many playouts a call should have. An engine that makes many playouts side by side is not fully used by
    /// fewer. It is 1 for an engine that makes them one after the other.
    fn at_once(&self) -> u32 {
        1
    }

    /// Random playouts from every start, in the order given. Playout `p` of start `s` draws from the stream
    /// `seed/s/p`, so a result depends on neither the grouping nor the threads. The call stops when the deadline of
    /// `budget` has passed, also inside an evaluation, and a playout that is interrupted does not count. The node
    /// budget does not matter here, because the caller chose the counts.
    fn playouts(
        &self,
        starts: &[Start<Self::State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut Self::Scratch,
    ) -> Vec<Tally> {
        let from = |(index, start): (usize, &Start<Self::State>), scratch: &mut Self::Scratch| {
            let seed = seed.index(index);
            let mut tally = Tally::new(self.roles().len());
            for playout in 0..start.count {
                let seed = seed.index(playout as usize);
                if budget.is_late() || !one_playout(self, start, &seed, budget, scratch, &mut tally) {
                    break;
                }
            }
            tally
        };
        self.by_deadline(budget.deadline, scratch, |scratch| {
            starts.iter().enumerate().map(|start| from(start, scratch)).collect()
        })
    }
}

/// The plain form of [`Bulk::expand`].
pub fn expand_each<M: StateMachine + ?Sized>(
    machine: &M,
    steps: &[(&M::State, &JointMove)],
    scratch: &mut M::Scratch,
) -> Vec<Successor<M::State>> {
    let successor = |&(state, joint): &(&M::State, &JointMove)| {
        let roles = machine.roles().len();
        let percepts = ByRole::from_fn(roles, |role| machine.percepts(state, joint, role, scratch));
        let (state, end) = reached(machine, state, joint, scratch);
        let is_faulty = end.is_some() && machine.has_goal_fault(&state, scratch);
        Successor { state, percepts, end, is_faulty }
    };
    steps.iter().map(successor).collect()
}

/// The plain form of [`Bulk::advance`].
pub fn advance_each<M: StateMachine + ?Sized>(
    machine: &M,
    steps: &[(&M::State, &JointMove)],
    scratch: &mut M::Scratch,
) -> Vec<Reached<M::State>> {
    steps.iter().map(|(state, joint)| reached(machine, state, joint, scratch)).collect()
}

fn reached<M: StateMachine + ?Sized>(
    machine: &M,
    state: &M::State,
    joint: &JointMove,
    scratch: &mut M::Scratch,
) -> Reached<M::State> {
    let next = machine.next(state, joint, scratch);
    let end = machine.terminal(&next, scratch).then(|| machine.goals(&next, scratch));
    (next, end)
}

/// False if the deadline passed before it was over.
fn one_playout<M: StateMachine + ?Sized>(
    machine: &M,
    start: &Start<M::State>,
    seed: &Seed,
    budget: &Budget,
    scratch: &mut M::Scratch,
    tally: &mut Tally,
) -> bool {
    let mut rng = seed.rng();
    let mut state = start.state.clone();
    let mut fixed: &[(Role, Move)] = &start.first;
    let mut legal = Vec::new();
    let mut is_unfinished = false;
    for step in 1.. {
        if machine.terminal(&state, scratch) {
            break;
        }
        if step > PLAYOUT_STEPS {
            is_unfinished = true;
            break;
        }
        let mut moves = Vec::with_capacity(machine.roles().len());
        for role in machine.each_role() {
            if let Some(&(_, own)) = fixed.iter().find(|(of, _)| *of == role) {
                moves.push(own);
                continue;
            }
            machine.legal(&state, role, scratch, &mut legal);
            if !legal.is_empty() {
                moves.push(match &start.weights {
                    Some(weights) if machine.random() != Some(role) => {
                        let weights: Vec<u64> =
                            legal.iter().map(|&own| u64::from(weights.of(role, own))).collect();
                        legal[draw_weighted(&weights, &mut rng)]
                    }
                    _ => legal[machine.draw_for(role, &state, legal.len(), scratch, &mut rng)],
                });
            }
        }
        if moves.len() < machine.roles().len() {
            break; // a role without a move: a fault of the rules; the playout ends here
        }
        fixed = &[];
        state = machine.next(&state, &JointMove::new(moves), scratch);
        tally.steps += 1;
        if step % STEPS_A_LOOK == 0 && budget.is_late() {
            return false;
        }
    }
    let goals = machine.goals(&state, scratch);
    if machine.is_interrupted(scratch) {
        return false; // what looked like the end may be none
    }
    tally.count += 1;
    tally.unfinished += u32::from(is_unfinished);
    for role in machine.each_role() {
        tally.add(role, goals[role], 1);
    }
    true
}
