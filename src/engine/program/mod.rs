//! Programs: a network as straight-line code of three-input tables, run on many cases at once.
//!
//! A *plane* holds one bit for each case: `[u64; W]` is a plane of 64 x `W` cases. The way from a network: gates of two
//! wires (`graph.rs`), few tables that cover them (`cut.rs`, `cover.rs`), long runs of equal tables (`schedule.rs`),
//! planes that are used again (`slots.rs`), loops over planes (`execute.rs`).

mod cover;
mod cut;
mod execute;
mod graph;
mod planes;
mod schedule;
mod slots;
#[cfg(test)]
pub(super) mod tests;

use crate::propnet::{Network, Wire};
use schedule::LutBatch;

pub use planes::Planes;

/// The outputs of a network as straight-line code.
#[derive(Clone, Debug)]
pub struct LutProgram {
    inputs: usize,
    planes: usize,
    runs: Vec<LutBatch>,
    operands: Vec<[u32; 3]>,
    outputs: Vec<usize>,
}

impl LutProgram {
    /// The code that computes the outputs of a network. O(n log n) in the wires.
    pub fn compile(network: &Network, outputs: &[Wire]) -> LutProgram {
        let graph = graph::Graph::new(network, outputs);
        let cover = cover::cover(&graph);
        let first = first_table(graph.inputs);
        let mut schedule = schedule::schedule(&graph, &cover, first);
        LutProgram {
            inputs: graph.inputs,
            planes: slots::reuse(&mut schedule, first),
            runs: schedule.runs,
            operands: schedule.operands,
            outputs: schedule.outputs,
        }
    }

    /// The inputs: planes 0 to this, which [`run`](LutProgram::run) leaves as they are.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of planes needed.
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// The number of tables computed in a pass.
    pub fn tables(&self) -> usize {
        self.operands.len()
    }

    /// The number of runs of equal tables.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// The plane of an output, in the order given to [`compile`](LutProgram::compile).
    pub fn output(&self, index: usize) -> usize {
        self.outputs[index]
    }

    /// Computes all outputs on 64 x `W` cases. O(tables), without allocation.
    ///
    /// # Panics
    /// If there are fewer than [`planes`](LutProgram::planes) planes.
    pub fn run<const W: usize>(&self, planes: &mut [[u64; W]]) {
        execute::execute(&self.runs, &self.operands, planes);
    }
}

/// The first plane that is written: a table without inputs still reads some plane.
fn first_table(inputs: usize) -> usize {
    inputs.max(1)
}
