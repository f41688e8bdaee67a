//! Programs: a network as straight-line code of 3-input look-up tables (LUTs), run on many cases at once.
//!
//! A *plane* holds one bit for each case: `[u64; W]` is a plane of 64 x `W` cases. A network becomes a program in five
//! steps. It is taken apart into gates of two wires (`graph.rs`); few look-up tables are chosen that cover the gates
//! (`cut.rs`, `cover.rs`); look-up tables of the same function are put into long batches (`schedule.rs`); planes whose
//! values nobody reads any more are used again (`slots.rs`); and one loop computes each batch (`execute.rs`).

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

pub(crate) use planes::Planes;

/// The outputs of a network as straight-line code.
#[derive(Clone, Debug)]
pub(crate) struct LutProgram {
    /// The inputs: planes 0 to this, which [`run`](LutProgram::run) leaves as they are.
    pub(crate) inputs: usize,
    /// The number of planes needed.
    pub(crate) planes: usize,
    batches: Vec<LutBatch>,
    operands: Vec<[u32; 3]>,
    /// The plane of each output, in the order given to [`compile`](LutProgram::compile).
    pub(crate) outputs: Vec<usize>,
}

impl LutProgram {
    /// The code that computes the outputs of a network. O(n log n) in the wires.
    pub(crate) fn compile(network: &Network, outputs: &[Wire]) -> LutProgram {
        let graph = graph::Graph::new(network, outputs);
        let cover = cover::cover(&graph);
        // A look-up table without inputs still reads some plane.
        let first = graph.inputs.max(1);
        let mut schedule = schedule::schedule(&graph, &cover, first);
        LutProgram {
            inputs: graph.inputs,
            planes: slots::reuse(&mut schedule, first),
            batches: schedule.batches,
            operands: schedule.operands,
            outputs: schedule.outputs,
        }
    }

    /// The number of look-up tables computed in a pass.
    pub(crate) fn luts(&self) -> usize {
        self.operands.len()
    }

    /// Computes all outputs on 64 x `W` cases. O(look-up tables), without allocation.
    ///
    /// # Panics
    /// If there are fewer than [`planes`](LutProgram::planes) planes.
    pub(crate) fn run<const W: usize>(&self, planes: &mut [[u64; W]]) {
        execute::execute(&self.batches, &self.operands, planes);
    }
}
