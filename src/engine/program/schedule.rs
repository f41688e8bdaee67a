//! Schedules: the tables of a cover in an order that computes many equal ones in a row.
//!
//! What costs time is the change from one kind of table to another (a branch that no predictor foresees), so all
//! tables of a kind that are ready are computed in one run, the kind with most of them first. There are 80 kinds of
//! tables of three inputs if these may change places; whether a node is kept as itself or as its complement is chosen
//! so that few kinds occur.
//!
//! Invariants: a run reads only planes written before it; an output is kept as itself, and needs a plane of its own
//! where its complement is an output too. Here no plane is written twice; `slots.rs` then lets planes be used again.

use rustc_hash::FxHashMap;

use super::cut::{Cut, complement_leaf, depends_on, reorder};
use super::graph::{Edge, Graph, is_negated, node};

/// Tables of one kind in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LutBatch {
    /// The table, of the least form under exchange of its inputs.
    pub table: u8,
    /// How many.
    pub length: usize,
    /// The plane that the first one writes; the others write those after it.
    pub target: usize,
}

/// Runs, the planes that their tables read, and the planes of the outputs.
#[derive(Debug, Default)]
pub struct LutSchedule {
    /// The runs, in order.
    pub runs: Vec<LutBatch>,
    /// The planes that each table reads, in the order of the tables.
    pub operands: Vec<[u32; 3]>,
    /// The plane of each output.
    pub outputs: Vec<usize>,
}

/// A table to be computed and the nodes it reads: inputs first, then the tables in topological order.
#[derive(Clone, Copy, Debug)]
struct Lut3 {
    table: u8,
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

/// The order in which to compute a cover, written from plane `first` on. O(n log n) in the tables.
pub fn schedule(graph: &Graph, cover: &[(u32, Cut)], first: usize) -> LutSchedule {
    let inputs = graph.inputs;
    let mut places: FxHashMap<u32, u32> = FxHashMap::default();
    for input in 0..inputs {
        places.insert(input as u32 + 1, input as u32);
    }
    for (at, (node, _)) in cover.iter().enumerate() {
        places.insert(*node, (inputs + at) as u32);
    }
    let mut tables: Vec<Lut3> = cover
        .iter()
        .map(|(_, cut)| {
            let mut reads = [0; 3];
            for (read, leaf) in reads.iter_mut().zip(cut.leaves()) {
                *read = places[leaf];
            }
            Lut3 { table: cut.table, reads, size: cut.leaves().len() }
        })
        .collect();
    let outputs = outputs(graph, &places, &mut tables);
    choose_polarity(&mut tables, inputs, &outputs);
    let mut order = Order::new(&tables, inputs, first);
    order.emit_all(&tables);
    let plane = |place: u32| order.planes[place as usize] as usize;
    LutSchedule {
        outputs: outputs.into_iter().map(plane).collect(),
        runs: order.runs,
        operands: order.operands,
    }
}

/// The place of each output: the table of its node, complemented if no output is the node itself, else a new table.
fn outputs(graph: &Graph, places: &FxHashMap<u32, u32>, tables: &mut Vec<Lut3>) -> Vec<u32> {
    let inputs = graph.inputs;
    let mut found: FxHashMap<Edge, u32> = FxHashMap::default();
    for &edge in graph.outputs.iter().filter(|&&edge| !is_negated(edge) && node(edge) != 0) {
        found.insert(edge, places[&(node(edge) as u32)]);
    }
    let readers = readers(tables, inputs);
    let add = |tables: &mut Vec<Lut3>, table: u8, reads: [u32; 3], size: usize| {
        tables.push(Lut3 { table, reads, size });
        (inputs + tables.len() - 1) as u32
    };
    for &edge in &graph.outputs {
        if found.contains_key(&edge) {
            continue;
        }
        let number = node(edge);
        let place = if number == 0 {
            add(tables, if is_negated(edge) { 0xff } else { 0 }, [0; 3], 0)
        } else if graph.is_leaf(number) || found.contains_key(&(edge ^ 1)) {
            add(tables, 0x55, [places[&(number as u32)], 0, 0], 1)
        } else {
            let place = places[&(number as u32)];
            let at = place as usize - inputs;
            tables[at] = complemented(&tables[at]);
            for &reader in &readers[place as usize] {
                tables[reader as usize] = with_complemented_read(&tables[reader as usize], place);
            }
            place
        };
        found.insert(edge, place);
    }
    graph.outputs.iter().map(|edge| found[edge]).collect()
}

/// Complements tables, and what their readers make of them, where that makes the kinds of tables fewer.
fn choose_polarity(tables: &mut [Lut3], inputs: usize, outputs: &[u32]) {
    let mut is_output = vec![false; inputs + tables.len()];
    for &place in outputs {
        is_output[place as usize] = true;
    }
    let readers = readers(tables, inputs);
    let mut frequency = [0_u32; 256];
    let kind = |table: &Lut3| usize::from(least(table.table).0);
    for table in tables.iter() {
        frequency[kind(table)] += 1;
    }
    for _ in 0..POLARITY_SWEEPS {
        for at in 0..tables.len() {
            if is_output[inputs + at] {
                continue;
            }
            let touched: Vec<(usize, Lut3)> = std::iter::once((at, complemented(&tables[at])))
                .chain(readers[inputs + at].iter().map(|&reader| {
                    (reader as usize, with_complemented_read(&tables[reader as usize], (inputs + at) as u32))
                }))
                .collect();
            let before: u32 = touched.iter().map(|&(at, _)| frequency[kind(&tables[at])]).sum();
            let after: u32 = touched.iter().map(|(_, table)| frequency[kind(table)]).sum();
            if after > before {
                for (at, table) in touched {
                    frequency[kind(&tables[at])] -= 1;
                    frequency[kind(&table)] += 1;
                    tables[at] = table;
                }
            }
        }
    }
}

fn complemented(table: &Lut3) -> Lut3 {
    Lut3 { table: !table.table, ..*table }
}

fn with_complemented_read(table: &Lut3, read: u32) -> Lut3 {
    let places = (0..table.size).filter(|&at| table.reads[at] == read);
    Lut3 { table: places.fold(table.table, complement_leaf), ..*table }
}

/// The tables that read each place.
fn readers(tables: &[Lut3], inputs: usize) -> Vec<Vec<u32>> {
    let mut readers = vec![Vec::new(); inputs + tables.len()];
    for (at, table) in tables.iter().enumerate() {
        for &read in table.reads() {
            readers[read as usize].push(at as u32);
        }
    }
    readers
}

/// The least form of a table under exchange of its inputs, and where each input then stands.
fn least(table: u8) -> (u8, [usize; 3]) {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let forms = ORDERS.map(|places| (reorder(table, places), places));
    forms.into_iter().min().expect("there are six")
}

struct Order {
    /// The plane of each place, once it is computed.
    planes: Vec<u32>,
    runs: Vec<LutBatch>,
    operands: Vec<[u32; 3]>,
    /// The tables whose operands are computed, by kind.
    ready: Vec<Vec<u32>>,
    waiting: Vec<usize>,
    readers: Vec<Vec<u32>>,
    inputs: usize,
    next: usize,
}

impl Order {
    fn new(tables: &[Lut3], inputs: usize, first: usize) -> Order {
        let mut order = Order {
            planes: (0..(inputs + tables.len()) as u32).collect(),
            runs: Vec::new(),
            operands: Vec::with_capacity(tables.len()),
            ready: vec![Vec::new(); 256],
            waiting: Vec::with_capacity(tables.len()),
            readers: readers(tables, inputs),
            inputs,
            next: first,
        };
        for (at, table) in tables.iter().enumerate() {
            let open = table.reads().iter().filter(|&&read| read as usize >= inputs).count();
            order.waiting.push(open);
            if open == 0 {
                order.ready[usize::from(least(table.table).0)].push(at as u32);
            }
        }
        order
    }

    fn emit_all(&mut self, tables: &[Lut3]) {
        while let Some(kind) = (0..256).rev().max_by_key(|&kind| self.ready[kind].len()) {
            let mut run = std::mem::take(&mut self.ready[kind]);
            if run.is_empty() {
                return;
            }
            // Neighbours in the planes they read are neighbours in those they write.
            run.sort_by_cached_key(|&at| self.operands_of(&tables[at as usize]));
            self.runs.push(LutBatch { table: kind as u8, length: run.len(), target: self.next });
            for &at in &run {
                let operands = self.operands_of(&tables[at as usize]);
                self.operands.push(operands);
                self.planes[self.inputs + at as usize] = self.next as u32;
                self.next += 1;
            }
            for at in run {
                for reader in std::mem::take(&mut self.readers[self.inputs + at as usize]) {
                    self.waiting[reader as usize] -= 1;
                    if self.waiting[reader as usize] == 0 {
                        let kind = usize::from(least(tables[reader as usize].table).0);
                        self.ready[kind].push(reader);
                    }
                }
            }
        }
    }

    /// The planes a table reads, as its least form wants them. What it does not depend on is any plane.
    fn operands_of(&self, table: &Lut3) -> [u32; 3] {
        let (form, places) = least(table.table);
        let mut operands = [None; 3];
        for (at, &read) in table.reads().iter().enumerate() {
            operands[places[at]] = Some(self.planes[read as usize]);
        }
        let any = operands.iter().flatten().copied().next().unwrap_or(0);
        debug_assert!((0..3).all(|at| operands[at].is_some() || !depends_on(form, at)));
        operands.map(|operand| operand.unwrap_or(any))
    }
}
