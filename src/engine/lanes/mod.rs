//! The bit-sliced engine: random playouts in 64, 256, 512 or 1,024 lanes at a time.
//!
//! A proposition of the game is a plane with one bit a lane, and one pass over a program of three-input tables makes a
//! whole random step in every lane: count the legal moves, choose, step, test for the end (`circuit.rs`, `draw.rs`).
//! Lanes start from given states, with given first moves, and each start has its own tally (`plan.rs`, `vector.rs`).
//! What concerns single states is the propagator's.

mod choosers;
mod circuit;
mod code;
mod counter;
mod draw;
mod plan;
mod policy;
mod random;
#[cfg(test)]
mod tests;
mod trace;
mod vector;

use std::sync::Arc;

use choosers::Chooser;
use circuit::Circuit;
use code::Code;
use plan::Plan;
use vector::{Vector, Work};

pub use code::Detail;
pub use policy::Policy;
pub use trace::{Step, Tracer};
pub use vector::Usage;

use super::State;
use super::propagator::{Propagator, PropagatorScratch};
use crate::machine::{
    Budget, Bulk, ByRole, Goal, JointMove, Move, Percepts, Role, Seed, Start, StateMachine, StateMachineExt,
    Successor, Tally,
};
use hyperplay_logic::gdl::{Game, TermId, TermStore};

/// How many lanes play in step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One word.
    Lanes64,
    /// Four words.
    Lanes256,
    /// Eight words.
    Lanes512,
    /// Sixteen words: two registers of 512 bits for each look at what is to be computed.
    Lanes1024,
}

/// The bit-sliced engine of a game.
#[derive(Debug)]
pub struct Lanes {
    propagator: Arc<Propagator>,
    /// None where playouts are made one by one.
    code: Option<Code>,
    width: Option<Width>,
    policies: ByRole<Policy>,
}

/// What one thread computes with.
#[derive(Debug)]
pub struct LanesScratch {
    single: PropagatorScratch,
    narrow: Vector<1>,
    middle: Vector<4>,
    wide: Vector<8>,
    widest: Vector<16>,
}

impl Lanes {
    /// The engine beside the propagator of a game: every role draws uniformly, and the width is that which the number
    /// of playouts asks for.
    pub fn new(propagator: Arc<Propagator>) -> Lanes {
        let policies = uniform(&propagator);
        Lanes::with(propagator, policies, Detail::Ends, None)
    }

    /// The engine with policies for the roles, computing so much detail in each step, in vectors of one width or of the
    /// one that fits.
    pub fn with(
        propagator: Arc<Propagator>,
        policies: ByRole<Policy>,
        detail: Detail,
        width: Option<Width>,
    ) -> Lanes {
        let circuit = Circuit::new(propagator.propnet(), &policies);
        Lanes { code: Some(Code::new(circuit, detail)), propagator, width, policies }
    }

    /// The propagator alone, whose playouts are made one by one. It is of the same type, so that what is generic over
    /// machines is compiled once for both.
    pub fn none(propagator: Arc<Propagator>) -> Lanes {
        Lanes { code: None, width: None, policies: uniform(&propagator), propagator }
    }

    /// Whether playouts are made in lanes.
    pub fn are_there(&self) -> bool {
        self.code.is_some()
    }

    /// The game.
    pub fn game(&self) -> &Game {
        self.propagator.game()
    }

    /// The fluents that hold in a state, each once, in the natural order of terms.
    pub fn holds(&self, state: &State) -> Vec<TermId> {
        self.propagator.holds(state)
    }

    /// Makes now what would be made when it is first needed.
    pub fn prepare(&self) {
        self.propagator.prepare();
    }

    /// The engine for single states.
    pub fn propagator(&self) -> &Arc<Propagator> {
        &self.propagator
    }

    /// As [`Bulk::playouts`], and how the lanes were used, if there are any.
    pub fn measured_playouts(
        &self,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut LanesScratch,
    ) -> (Vec<Tally>, Option<Usage>) {
        let Some(code) = &self.code else {
            return (self.propagator.playouts(starts, seed, budget, &mut scratch.single), None);
        };
        let mut tallies: Vec<Tally> = starts.iter().map(|_| Tally::new(self.roles().len())).collect();
        let images: Vec<Option<Vec<u64>>> =
            starts.iter().map(|start| self.image(&code.circuit, start, &mut scratch.single)).collect();
        let counts = starts.iter().zip(&images);
        let counts = counts.map(|(start, image)| if image.is_some() { start.count } else { 0 });
        let plan = Plan::new(counts);
        // A first move that is not legal is made all the same, as by every engine, but not by a choice among the legal.
        for (index, start) in starts.iter().enumerate().filter(|(index, _)| images[*index].is_none()) {
            let seed = seed.child("plain").index(index);
            let single = std::slice::from_ref(start);
            tallies[index] = self.propagator.playouts(single, &seed, budget, &mut scratch.single).remove(0);
        }
        let images: Vec<Vec<u64>> = images.into_iter().map(Option::unwrap_or_default).collect();
        let LanesScratch { single, narrow, middle, wide, widest } = scratch;
        let mut goals = |words: &[u64]| self.propagator.goals(&State::new(words), single);
        let work = Work { code, images: &images, plan: &plan, seed, budget, goals: &mut goals };
        let width = self.width.unwrap_or(match plan.ends.len() {
            0..=1 => Width::Lanes64,
            2..=4 => Width::Lanes256,
            5..=15 => Width::Lanes512,
            _ => Width::Lanes1024,
        });
        let usage = match width {
            Width::Lanes64 => narrow.play(work, &mut tallies, &mut |_, _| true),
            Width::Lanes256 => middle.play(work, &mut tallies, &mut |_, _| true),
            Width::Lanes512 => wide.play(work, &mut tallies, &mut |_, _| true),
            Width::Lanes1024 => widest.play(work, &mut tallies, &mut |_, _| true),
        };
        (tallies, Some(usage))
    }

    /// The inputs of a start, in words: its bits, then the forced choices. None if a first move is not legal.
    fn image(
        &self,
        circuit: &Circuit,
        start: &Start<State>,
        scratch: &mut PropagatorScratch,
    ) -> Option<Vec<u64>> {
        let mut image = vec![0; circuit.first.div_ceil(64)];
        let words = start.state.words();
        let own = circuit.bits.div_ceil(64);
        image[..own].copy_from_slice(&words[..own]);
        let mut legal = Vec::new();
        for &(role, own) in &start.first {
            self.propagator.legal(&start.state, role, scratch, &mut legal);
            let place = legal.iter().position(|&other| other == own)?;
            let moves = &self.propagator.propnet().roles[role].moves;
            let choice = circuit.choices.iter().find(|choice| match &choice.chooser {
                Chooser::Alone(alone) => *alone == role,
                Chooser::InTurn(turns) => turns.iter().any(|turn| turn.role == role),
            });
            let choice = choice.expect("every role has a choice");
            if let Chooser::InTurn(turns) = &choice.chooser
                && turns.iter().any(|turn| turn.role == role && moves[turn.idle] == own)
            {
                continue; // it is not its turn
            }
            let before =
                legal[..place].iter().map(|own| self.policies[role].leaves(std::slice::from_ref(own)).len());
            let rank: usize = before.sum();
            let bits = (0..choice.bits).map(|bit| (bit, rank >> bit & 1)).chain([(choice.bits, 1)]);
            for (bit, value) in bits {
                let input = choice.forced + bit;
                image[input / 64] |= (value as u64) << (input % 64);
            }
        }
        Some(image)
    }
}

fn uniform(propagator: &Propagator) -> ByRole<Policy> {
    ByRole::from_fn(propagator.roles().len(), |_| Policy::Uniform)
}

impl StateMachine for Lanes {
    type State = State;
    type Scratch = LanesScratch;

    fn scratch(&self) -> LanesScratch {
        LanesScratch {
            single: self.propagator.scratch(),
            narrow: Vector::new(),
            middle: Vector::new(),
            wide: Vector::new(),
            widest: Vector::new(),
        }
    }

    fn terms(&self) -> &TermStore {
        self.propagator.terms()
    }

    fn roles(&self) -> &ByRole<String> {
        self.propagator.roles()
    }

    fn random(&self) -> Option<Role> {
        self.propagator.random()
    }

    fn initial(&self) -> State {
        self.propagator.initial()
    }

    fn legal(&self, state: &State, role: Role, scratch: &mut LanesScratch, out: &mut Vec<Move>) {
        self.propagator.legal(state, role, &mut scratch.single, out);
    }

    fn next(&self, state: &State, joint: &JointMove, scratch: &mut LanesScratch) -> State {
        self.propagator.next(state, joint, &mut scratch.single)
    }

    fn percepts(&self, state: &State, joint: &JointMove, role: Role, scratch: &mut LanesScratch) -> Percepts {
        self.propagator.percepts(state, joint, role, &mut scratch.single)
    }

    fn terminal(&self, state: &State, scratch: &mut LanesScratch) -> bool {
        self.propagator.terminal(state, &mut scratch.single)
    }

    fn goal(&self, state: &State, role: Role, scratch: &mut LanesScratch) -> Goal {
        self.propagator.goal(state, role, &mut scratch.single)
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        self.propagator.fluents(state)
    }
}

impl Bulk for Lanes {
    fn expand(&self, steps: &[(&State, &JointMove)], scratch: &mut LanesScratch) -> Vec<Successor<State>> {
        self.propagator.expand(steps, &mut scratch.single)
    }

    fn advance(
        &self,
        steps: &[(&State, &JointMove)],
        scratch: &mut LanesScratch,
    ) -> Vec<(State, Option<ByRole<Goal>>)> {
        self.propagator.advance(steps, &mut scratch.single)
    }

    fn at_once(&self) -> u32 {
        if self.are_there() { 4096 } else { self.propagator.at_once() }
    }

    fn playouts(
        &self,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut LanesScratch,
    ) -> Vec<Tally> {
        self.measured_playouts(starts, seed, budget, scratch).0
    }
}
