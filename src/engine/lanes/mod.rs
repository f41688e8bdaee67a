//! The bit-sliced engine: random playouts in 64, 256, 512 or 1,024 lanes at a time.
//!
//! A proposition of the game is a plane with one bit for each lane. One pass over a program of 3-input look-up tables
//! makes a whole random step in every lane: it counts the legal moves, draws one for each role, makes the step, and
//! tests for the end (`circuit.rs`, `draw.rs`). Lanes start from given states with given first moves, and each start
//! has its own tally (`plan.rs`, `vector.rs`). The [`Propagator`] answers questions about single states.

mod active_player;
mod circuit;
mod code;
mod consistent;
mod counter;
mod draw;
mod drawing;
mod image;
mod plan;
mod random;
#[cfg(test)]
mod tests;
mod trace;
mod vector;
#[cfg(test)]
mod weights_tests;

use std::sync::OnceLock;

use circuit::Circuit;
use code::LanesCode;
use consistent::{ConsistentCodes, DrawScratch};
use plan::PlayoutPlan;
use vector::{LaneWork, Vector};

pub use code::LaneDetail;
pub use trace::{TracedStep, Tracer};
pub use vector::LaneUsage;

use super::propagator::{Propagator, PropagatorScratch};
use hyperplay_machine::{Budget, Bulk, Seed, Start, State, StateMachine, StateMachineExt, Tally};

/// How many lanes play in lockstep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LaneWidth {
    /// One word.
    Lanes64,
    /// Four words.
    Lanes256,
    /// Eight words.
    Lanes512,
    /// Sixteen words: two registers of 512 bits for each instruction that is decoded.
    Lanes1024,
}

/// A random step of a game as a circuit, and how playouts run on it.
///
/// Lanes only make playouts and draw steps that agree with an observation. A [`NetworkEngine`](crate::NetworkEngine)
/// combines them with the propagator that they were made from.
#[derive(Debug)]
pub struct Lanes {
    code: LanesCode,
    /// The code in which the roles choose by weights, compiled when it is first needed.
    weighted: OnceLock<LanesCode>,
    /// The width of the vectors; if `None`, the number of playouts decides.
    width: Option<LaneWidth>,
    consistent: ConsistentCodes,
}

/// The vectors that one thread makes playouts with, and the planes of its consistent draws. Each allocates its memory
/// when it first plays.
#[derive(Clone, Debug, Default)]
pub(crate) struct LanesScratch {
    narrow: Vector<1>,
    middle: Vector<4>,
    wide: Vector<8>,
    widest: Vector<16>,
    draws: DrawScratch,
}

impl Lanes {
    /// The lanes of a game, in which every role chooses uniformly.
    pub fn new(propagator: &Propagator) -> Lanes {
        Lanes::with(propagator, LaneDetail::Ends)
    }

    /// The lanes in which each step computes this detail.
    pub fn with(propagator: &Propagator, detail: LaneDetail) -> Lanes {
        let circuit = Circuit::new(&propagator.propnet, |_| false);
        let consistent = ConsistentCodes::new(propagator.roles().len());
        Lanes { code: LanesCode::new(circuit, detail), weighted: OnceLock::new(), width: None, consistent }
    }

    /// The code of playouts from these starts: of uniform ones, or of those by weights.
    fn code(&self, propagator: &Propagator, starts: &[Start<State>]) -> &LanesCode {
        if starts.iter().all(|start| start.weights.is_none()) {
            return &self.code;
        }
        self.weighted.get_or_init(|| {
            let circuit = Circuit::new(&propagator.propnet, |role| propagator.random() != Some(role));
            LanesCode::new(circuit, LaneDetail::Ends)
        })
    }

    /// The playouts of [`Bulk::playouts`], and how the lanes were used.
    pub(crate) fn playouts(
        &self,
        propagator: &Propagator,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        single: &mut PropagatorScratch,
        vectors: &mut LanesScratch,
    ) -> (Vec<Tally>, LaneUsage) {
        let roles = propagator.roles().len();
        let mut tallies: Vec<Tally> = starts.iter().map(|_| Tally::new(roles)).collect();
        let code = self.code(propagator, starts);
        let images = code.images(propagator, starts, single);
        let counts = starts.iter().zip(&images);
        let counts = counts.map(|(start, image)| if image.is_some() { start.count } else { 0 });
        let plan = PlayoutPlan::new(counts);
        // A first move that is not legal is made all the same, as by every engine, but not by a choice among the legal.
        for (index, start) in starts.iter().enumerate().filter(|(index, _)| images[*index].is_none()) {
            let seed = seed.child("plain").index(index);
            tallies[index] =
                propagator.playouts(std::slice::from_ref(start), &seed, budget, single).remove(0);
        }
        let images: Vec<Vec<u64>> = images.into_iter().map(Option::unwrap_or_default).collect();
        let mut goals = |words: &[u64]| propagator.goals(&State::new(words), single);
        let work = LaneWork { code, images: &images, plan: &plan, seed, budget, goals: &mut goals };
        let width = self.width.unwrap_or(match plan.ends.len() {
            0..=1 => LaneWidth::Lanes64,
            2..=4 => LaneWidth::Lanes256,
            5..=15 => LaneWidth::Lanes512,
            _ => LaneWidth::Lanes1024,
        });
        let usage = match width {
            LaneWidth::Lanes64 => vectors.narrow.play(work, &mut tallies, &mut |_, _| true),
            LaneWidth::Lanes256 => vectors.middle.play(work, &mut tallies, &mut |_, _| true),
            LaneWidth::Lanes512 => vectors.wide.play(work, &mut tallies, &mut |_, _| true),
            LaneWidth::Lanes1024 => vectors.widest.play(work, &mut tallies, &mut |_, _| true),
        };
        (tallies, usage)
    }
}
