//! The circuit as a program, and the planes in which the program leaves what the lanes need.

use super::circuit::Circuit;
use crate::program::LutProgram;
use crate::propnet::Wire;
use hyperplay_machine::ByRole;

/// The results of a program beside the random playouts themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LaneDetail {
    /// Nothing else.
    #[default]
    Ends,
    /// The percepts of every role at every step.
    Percepts,
    /// The moves made, and what every role perceives.
    Steps,
}

/// A circuit as a program.
#[derive(Debug)]
pub(super) struct LanesCode {
    /// The circuit; its network is no longer needed and is empty.
    pub circuit: Circuit,
    /// The program.
    pub program: LutProgram,
    /// For each bit that changes, the plane of its next value.
    pub next: Vec<(usize, usize)>,
    /// Next values that are bits of the state themselves: they are copied to spare planes before the state changes.
    pub staged: Vec<(usize, usize)>,
    /// The planes of the outputs.
    pub goes: usize,
    /// See [`Circuit::stuck`].
    pub stuck: usize,
    /// See [`Circuit::terminal`].
    pub terminal: usize,
    /// See [`Circuit::counted`].
    pub counted: Vec<usize>,
    /// The moves made, with [`LaneDetail::Steps`].
    pub does: ByRole<Vec<usize>>,
    /// The percepts, with [`LaneDetail::Percepts`] and [`LaneDetail::Steps`].
    pub percepts: ByRole<Vec<usize>>,
}

impl LanesCode {
    /// Compiles a circuit.
    pub(super) fn new(mut circuit: Circuit, detail: LaneDetail) -> LanesCode {
        let none = |lists: &ByRole<Vec<Wire>>| ByRole::from_fn(lists.len(), |_| Vec::new());
        let does = if detail == LaneDetail::Steps { circuit.does.clone() } else { none(&circuit.does) };
        let percepts =
            if detail == LaneDetail::Ends { none(&circuit.percepts) } else { circuit.percepts.clone() };
        let all = |lists: &ByRole<Vec<Wire>>| lists.values().concat();
        let fixed = [circuit.goes, circuit.stuck, circuit.terminal];
        let outputs = [&circuit.next[..], &fixed, &circuit.counted, &all(&does), &all(&percepts)].concat();
        let program = LutProgram::compile(&circuit.network, &outputs);
        let mut planes = program.outputs.iter().copied();
        let next: Vec<usize> = planes.by_ref().take(circuit.bits).collect();
        let mut take = || planes.next().expect("there is one for each output");
        let (goes, stuck, terminal) = (take(), take(), take());
        let counted: Vec<usize> = planes.by_ref().take(circuit.counted.len()).collect();
        let mut by_role = |lists: &ByRole<Vec<Wire>>| {
            lists.map(|list| planes.by_ref().take(list.len()).collect::<Vec<usize>>())
        };
        let (does, percepts) = (by_role(&does), by_role(&percepts));
        let mut staged = Vec::new();
        let next = next
            .into_iter()
            .enumerate()
            .filter(|(bit, plane)| bit != plane)
            .map(|(bit, plane)| {
                if plane >= circuit.bits {
                    return (bit, plane);
                }
                staged.push((plane, program.planes + staged.len()));
                (bit, program.planes + staged.len() - 1)
            })
            .collect();
        circuit.network = crate::propnet::Network::new(0);
        LanesCode { next, staged, goes, stuck, terminal, counted, does, percepts, program, circuit }
    }

    /// The planes that a vector needs.
    pub(super) fn planes(&self) -> usize {
        self.program.planes + self.staged.len()
    }
}
