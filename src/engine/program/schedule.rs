//! Schedules: the look-up tables of a cover in an order that computes many equal ones in a row.
//!
//! The change from one function to another costs time, because it is a branch that the processor cannot predict. So all
//! look-up tables of one function that are ready are computed in one batch, and the function with most of them comes
//! first. There are 80 functions of three inputs if the inputs may change places. Each node is kept as itself or as its
//! complement, whichever makes fewer different functions.
//!
//! Invariants: a batch reads only planes that are written before it. An output is kept as itself, and it needs a plane
//! of its own where its complement is an output too. No plane is written twice here; `slots.rs` then lets planes be
//! used again.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::cut::{Cut, complement_leaf, depends_on, reorder};
use super::graph::Graph;
use crate::propnet::Wire;

/// Look-up tables of one function in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LutBatch {
    /// The truth table, of the least form under exchange of its inputs.
    pub function: u8,
    /// How many.
    pub length: usize,
    /// The plane that the first one writes; the others write those after it.
    pub target: usize,
}

/// Batches, the planes that their look-up tables read, and the planes of the outputs.
#[derive(Debug, Default)]
pub(super) struct LutSchedule {
    /// The batches, in order.
    pub batches: Vec<LutBatch>,
    /// The planes that each look-up table reads, in the order of the look-up tables.
    pub operands: Vec<[u32; 3]>,
    /// The plane of each output.
    pub outputs: Vec<usize>,
}

/// A 3-input look-up table to be computed and the nodes that it reads: inputs first, then the look-up tables in
/// topological order.
#[derive(Clone, Copy, Debug)]
struct Lut3 {
    function: u8,
    reads: [u32; 3],
    size: usize,
}

impl Lut3 {
    fn reads(&self) -> &[u32] {
        &self.reads[..self.size]
    }
}

/// Sweeps over all nodes when their polarity is chosen.
const POLARITY_SWEEPS: usize = 3;

/// The order in which to compute a cover, written from plane `first` on. O(n log n) in the look-up tables.
pub(super) fn schedule(graph: &Graph, cover: &[(u32, Cut)], first: usize) -> LutSchedule {
    let inputs = graph.inputs;
    let nodes = (1..=inputs as u32).chain(cover.iter().map(|(node, _)| *node));
    let places: FxHashMap<u32, u32> = nodes.zip(0..).collect();
    let mut luts: Vec<Lut3> = cover
        .iter()
        .map(|(_, cut)| {
            let mut reads = [0; 3];
            for (read, leaf) in reads.iter_mut().zip(cut.leaves()) {
                *read = places[leaf];
            }
            Lut3 { function: cut.table, reads, size: cut.leaves().len() }
        })
        .collect();
    let outputs = outputs(graph, &places, &mut luts);
    choose_polarity(&mut luts, inputs, &outputs);
    let (planes, batches, operands) = in_batches(&luts, inputs, first);
    let outputs = outputs.into_iter().map(|place| planes[place as usize] as usize).collect();
    LutSchedule { batches, operands, outputs }
}

/// The place of each output: the look-up table of its node, complemented if no output is the node itself, or else a new
/// look-up table.
fn outputs(graph: &Graph, places: &FxHashMap<u32, u32>, luts: &mut Vec<Lut3>) -> Vec<u32> {
    let inputs = graph.inputs;
    let nodes = graph.outputs.iter().filter(|&&wire| !wire.is_negated() && wire.gate() != 0);
    let mut found: FxHashMap<Wire, u32> = nodes.map(|&wire| (wire, places[&(wire.gate() as u32)])).collect();
    let readers = readers(luts, inputs);
    let add = |luts: &mut Vec<Lut3>, function: u8, reads: [u32; 3], size: usize| {
        luts.push(Lut3 { function, reads, size });
        (inputs + luts.len() - 1) as u32
    };
    for &wire in &graph.outputs {
        if found.contains_key(&wire) {
            continue;
        }
        let number = wire.gate();
        let place = if number == 0 {
            add(luts, if wire.is_negated() { 0xff } else { 0 }, [0; 3], 0)
        } else if graph.is_leaf(number) || found.contains_key(&!wire) {
            add(luts, 0x55, [places[&(number as u32)], 0, 0], 1)
        } else {
            let place = places[&(number as u32)];
            let at = place as usize - inputs;
            luts[at] = complemented(&luts[at]);
            for &reader in &readers[place as usize] {
                luts[reader as usize] = with_complemented_read(&luts[reader as usize], place);
            }
            place
        };
        found.insert(wire, place);
    }
    graph.outputs.iter().map(|wire| found[wire]).collect()
}

/// Complements look-up tables, and what their readers make of them, where that makes the different functions fewer.
fn choose_polarity(luts: &mut [Lut3], inputs: usize, outputs: &[u32]) {
    let mut is_output = vec![false; inputs + luts.len()];
    for &place in outputs {
        is_output[place as usize] = true;
    }
    let readers = readers(luts, inputs);
    let mut frequency = [0_u32; 256];
    let kind = |lut: &Lut3| usize::from(least(lut.function).0);
    for lut in luts.iter() {
        frequency[kind(lut)] += 1;
    }
    for _ in 0..POLARITY_SWEEPS {
        for at in 0..luts.len() {
            if is_output[inputs + at] {
                continue;
            }
            let touched: Vec<(usize, Lut3)> = std::iter::once((at, complemented(&luts[at])))
                .chain(readers[inputs + at].iter().map(|&reader| {
                    (reader as usize, with_complemented_read(&luts[reader as usize], (inputs + at) as u32))
                }))
                .collect();
            let before: u32 = touched.iter().map(|&(at, _)| frequency[kind(&luts[at])]).sum();
            let after: u32 = touched.iter().map(|(_, lut)| frequency[kind(lut)]).sum();
            if after > before {
                for (at, lut) in touched {
                    frequency[kind(&luts[at])] -= 1;
                    frequency[kind(&lut)] += 1;
                    luts[at] = lut;
                }
            }
        }
    }
}

fn complemented(lut: &Lut3) -> Lut3 {
    Lut3 { function: !lut.function, ..*lut }
}

fn with_complemented_read(lut: &Lut3, read: u32) -> Lut3 {
    let places = (0..lut.size).filter(|&at| lut.reads[at] == read);
    Lut3 { function: places.fold(lut.function, complement_leaf), ..*lut }
}

/// The look-up tables that read each place.
fn readers(luts: &[Lut3], inputs: usize) -> Vec<Vec<u32>> {
    let mut readers = vec![Vec::new(); inputs + luts.len()];
    for (at, lut) in luts.iter().enumerate() {
        for &read in lut.reads() {
            readers[read as usize].push(at as u32);
        }
    }
    readers
}

/// The least form of a function under exchange of its inputs, and where each input then stands.
fn least(function: u8) -> (u8, [usize; 3]) {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    static LEAST: LazyLock<Vec<(u8, [usize; 3])>> = LazyLock::new(|| {
        let of = |function: u8| ORDERS.map(|places| (reorder(function, places), places)).into_iter().min();
        (0..=u8::MAX).map(|function| of(function).expect("there are six orders")).collect()
    });
    LEAST[usize::from(function)]
}

/// The plane of each place, the batches in order, and the operands of their look-up tables.
fn in_batches(luts: &[Lut3], inputs: usize, first: usize) -> (Vec<u32>, Vec<LutBatch>, Vec<[u32; 3]>) {
    let kind = |lut: &Lut3| usize::from(least(lut.function).0);
    let mut planes: Vec<u32> = (0..(inputs + luts.len()) as u32).collect();
    let (mut batches, mut operands) = (Vec::new(), Vec::with_capacity(luts.len()));
    // The look-up tables whose operands are computed, by function.
    let mut ready: Vec<Vec<u32>> = vec![Vec::new(); 256];
    // For each look-up table, how many of its operands are not computed yet, and which tables read it.
    let (mut waiting, mut readers) = (Vec::with_capacity(luts.len()), readers(luts, inputs));
    for (at, lut) in luts.iter().enumerate() {
        waiting.push(lut.reads().iter().filter(|&&read| read as usize >= inputs).count());
        if waiting[at] == 0 {
            ready[kind(lut)].push(at as u32);
        }
    }
    while let Some(function) = (0..256).rev().max_by_key(|&function| ready[function].len()) {
        let mut batch = std::mem::take(&mut ready[function]);
        if batch.is_empty() {
            break;
        }
        // Neighbours in the planes they read are neighbours in those they write.
        batch.sort_by_cached_key(|&at| operands_of(&luts[at as usize], &planes));
        let target = first + operands.len();
        batches.push(LutBatch { function: function as u8, length: batch.len(), target });
        for &at in &batch {
            planes[inputs + at as usize] = (first + operands.len()) as u32;
            operands.push(operands_of(&luts[at as usize], &planes));
        }
        for at in batch {
            for reader in std::mem::take(&mut readers[inputs + at as usize]) {
                waiting[reader as usize] -= 1;
                if waiting[reader as usize] == 0 {
                    ready[kind(&luts[reader as usize])].push(reader);
                }
            }
        }
    }
    (planes, batches, operands)
}

/// The planes that a look-up table reads, in the order of its least form. Where it depends on none, any plane will do.
fn operands_of(lut: &Lut3, planes: &[u32]) -> [u32; 3] {
    let (form, places) = least(lut.function);
    let mut operands = [None; 3];
    for (at, &read) in lut.reads().iter().enumerate() {
        operands[places[at]] = Some(planes[read as usize]);
    }
    let any = operands.iter().flatten().copied().next().unwrap_or(0);
    debug_assert!((0..3).all(|at| operands[at].is_some() || !depends_on(form, at)));
    operands.map(|operand| operand.unwrap_or(any))
}
