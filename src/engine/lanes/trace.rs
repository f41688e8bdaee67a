//! Traces: a record of every step that the lanes make, for the comparison with another engine.

use std::sync::Arc;

use super::Lanes;
use super::code::{LaneDetail, LanesCode};
use super::plan::PlayoutPlan;
use super::vector::{LaneWork, Vector};
use crate::packed::gather;
use crate::propnet::Propnet;
use crate::{NetworkEngine, Propagator};
use hyperplay_machine::{
    Budget, ByRole, Goal, JointMove, Move, Percept, Percepts, Role, Seed, Start, State, StateMachine,
    StateMachineExt, Successor, Tally,
};

/// A state, the joint move drawn in it, and the result of the step.
pub type TracedStep = (State, JointMove, Successor<State>);

/// Lanes that make the same draws as the lanes of an engine and keep every step.
#[derive(Debug)]
pub struct Tracer {
    /// The engine for the states of the steps.
    pub propagator: Arc<Propagator>,
    lanes: Lanes,
}

impl Tracer {
    /// The tracer of an engine, if it has lanes; compiles their circuit anew, with all detail.
    pub fn new(engine: &NetworkEngine) -> Option<Tracer> {
        let propagator = Arc::clone(&engine.propagator);
        let lanes = Lanes::with(&propagator, LaneDetail::Steps);
        engine.lanes.is_some().then_some(Tracer { propagator, lanes })
    }

    /// The steps of the playouts that [`playouts`](hyperplay_machine::Bulk::playouts) makes from these starts, lane by
    /// lane as they come, and the tallies; at most `limit` steps of each lane, and only from starts whose first moves
    /// are legal. In a GDL-I game no percepts are given: everybody perceives the joint move.
    pub fn trace(&self, starts: &[Start<State>], limit: usize, seed: &Seed) -> (Vec<TracedStep>, Vec<Tally>) {
        let Tracer { propagator, lanes } = self;
        let (code, mut single) = (&lanes.code, propagator.scratch());
        let images = code.images(propagator, starts, &mut single);
        let counts = starts.iter().zip(&images);
        let plan =
            PlayoutPlan::new(counts.map(|(start, image)| if image.is_some() { start.count } else { 0 }));
        let images: Vec<Vec<u64>> = images.into_iter().map(Option::unwrap_or_default).collect();
        let mut tallies: Vec<Tally> = starts.iter().map(|_| Tally::new(propagator.roles().len())).collect();
        let mut goals = |words: &[u64]| propagator.goals(&State::new(words), &mut single);
        let budget = &Budget::UNLIMITED;
        let work = LaneWork { code, images: &images, plan: &plan, seed, budget, goals: &mut goals };
        let (mut steps, mut passes) = (Vec::new(), 0);
        let mut vector = Vector::<1>::default();
        vector.play(work, &mut tallies, &mut |planes, &[active]| {
            if passes == limit {
                return false;
            }
            passes += 1;
            read(code, &propagator.propnet, planes, active, &mut steps);
            true
        });
        (steps, tallies)
    }
}

/// Adds what the active lanes do in a pass.
fn read(code: &LanesCode, net: &Propnet, planes: &[[u64; 1]], active: u64, steps: &mut Vec<TracedStep>) {
    let bits = code.circuit.bits;
    // Each bit's next value: its own plane where it does not change.
    let mut next: Vec<[u64; 1]> = planes[..bits].to_vec();
    for &(bit, plane) in &code.next {
        let staged = code.staged.iter().find(|(_, to)| *to == plane);
        next[bit] = planes[staged.map_or(plane, |&(from, _)| from)];
    }
    let states = gather(64, &planes[..bits], 0).zip(gather(64, &next, 0));
    for (lane, (state, next)) in states.enumerate() {
        let is_on = |plane: usize| planes[plane][0] >> lane & 1 == 1;
        if active >> lane & 1 == 0 || !is_on(code.goes) {
            continue;
        }
        let joint: Vec<Move> = net
            .roles
            .iter()
            .map(|(role, own)| {
                let made = code.does[role].iter().position(|&plane| is_on(plane));
                own.moves[made.expect("a role makes a move in every step")]
            })
            .collect();
        let percepts = |role: Role| {
            let seen = net.roles[role].percepts.iter().zip(&code.percepts[role]);
            let seen: Vec<Percept> =
                seen.filter(|(_, plane)| is_on(**plane)).map(|(&(percept, _), _)| percept).collect();
            Percepts::in_order(seen)
        };
        let goal = |role: Role| -> Goal {
            let code_of_role = &code.circuit.goals[role];
            let counted = code_of_role.counted.iter().find(|(_, counter)| is_on(code.counted[*counter]));
            counted.map_or(code_of_role.rest, |&(goal, _)| goal)
        };
        let roles = net.roles.len();
        steps.push((
            state,
            JointMove::new(joint),
            Successor {
                state: next,
                percepts: ByRole::from_fn(roles, percepts),
                end: is_on(code.terminal).then(|| ByRole::from_fn(roles, goal)),
                is_faulty: false, // lanes read no more goals than they need
            },
        ));
    }
}
