//! Covers: which nodes of a graph become 3-input look-up tables.
//!
//! Each node keeps a few cuts, found from those of its two wires. The first rounds choose by area flow (the cost of a
//! cut shared among its readers), the last ones by exact area: the number of look-up tables that a node's cut adds to
//! those that are needed anyway. O(nodes) for a fixed number of cuts a node.
//!
//! Invariants: every leaf of a chosen cut is an input or is itself covered; look-up tables come in topological order.
//!
//! Reference: Mishchenko, Chatterjee, Brayton, *Improvements to Technology Mapping for LUT-Based FPGAs*, IEEE TCAD
//! 2007; Mishchenko, Cho, Chatterjee, Brayton, *Combinational and Sequential Mapping with Priority Cuts*, ICCAD 2007.

use smallvec::SmallVec;

use super::cut::Cut;
use super::graph::Graph;
use crate::propnet::Wire;

/// Cuts kept for each node, the node itself apart.
const CUTS: usize = 6;
/// Rounds by area flow, then by exact area.
const FLOW_ROUNDS: usize = 3;
const EXACT_ROUNDS: usize = 2;

/// The nodes that become look-up tables, in topological order, each with its cut.
pub(super) fn cover(graph: &Graph) -> Vec<(u32, Cut)> {
    let mut covering = Covering::new(graph);
    for round in 0..FLOW_ROUNDS {
        covering.choose_by_flow(round > 0);
        covering.count_references();
    }
    for _ in 0..EXACT_ROUNDS {
        covering.choose_by_exact_area();
    }
    (0..graph.ands.len())
        .filter(|&node| !graph.is_leaf(node) && covering.references[node] > 0)
        .map(|node| (node as u32, covering.cuts[node][0]))
        .collect()
}

struct Covering<'g> {
    graph: &'g Graph,
    /// The cuts of each node, the chosen one first.
    cuts: Vec<SmallVec<[Cut; CUTS]>>,
    /// The leaves of the chosen cuts, close together in memory, with the constant in unused places.
    chosen: Vec<[u32; 3]>,
    /// The share of a node's cost that one reader pays.
    flow: Vec<f32>,
    /// The estimated number of readers of a node.
    readers: Vec<f32>,
    /// How many chosen cuts and outputs read a node.
    references: Vec<u32>,
    depth: Vec<u32>,
    /// The memory of [`take`](Covering::take) and [`release`](Covering::release): the leaves that are still to be counted.
    open: Vec<[u32; 3]>,
}

impl Covering<'_> {
    fn new(graph: &Graph) -> Covering<'_> {
        let size = graph.ands.len();
        let mut readers = vec![0.0; size];
        let wires = graph.ands.iter().enumerate().filter(|(number, _)| !graph.is_leaf(*number));
        for wire in wires.flat_map(|(_, wires)| wires).chain(&graph.outputs) {
            readers[wire.gate()] += 1.0;
        }
        Covering {
            graph,
            cuts: vec![SmallVec::new(); size],
            chosen: vec![[0; 3]; size],
            flow: vec![0.0; size],
            readers,
            references: vec![0; size],
            depth: vec![0; size],
            open: Vec::new(),
        }
    }

    fn choose_by_flow(&mut self, blend: bool) {
        for number in self.graph.inputs + 1..self.graph.ands.len() {
            if blend {
                let counted = (self.references[number] as f32).max(1.0);
                self.readers[number] = (2.0 * self.readers[number] + counted) / 3.0;
            }
            let mut ranked: SmallVec<[(f32, u32, Cut); 2 * CUTS]> = self
                .candidates(number)
                .into_iter()
                .map(|cut| {
                    let leaves = || cut.leaves().iter().map(|&leaf| leaf as usize);
                    let flow = 1.0 + leaves().map(|leaf| self.flow[leaf]).sum::<f32>();
                    let depth = 1 + leaves().map(|leaf| self.depth[leaf]).max().unwrap_or(0);
                    (flow, depth, cut)
                })
                .collect();
            ranked.sort_by(|a, b| {
                let rank = |(flow, depth, cut): &(f32, u32, Cut)| (*flow, *depth, cut.leaves().len());
                rank(a).partial_cmp(&rank(b)).expect("no flow is NaN")
            });
            ranked.truncate(CUTS);
            let (flow, depth, _) = ranked[0];
            self.flow[number] = flow / self.readers[number].max(1.0);
            self.depth[number] = depth;
            self.cuts[number] = ranked.into_iter().map(|(_, _, cut)| cut).collect();
            self.chosen[number] = self.cuts[number][0].padded_leaves();
        }
    }

    /// The cuts of a node from those of its wires, none within another.
    fn candidates(&self, number: usize) -> SmallVec<[Cut; 2 * CUTS]> {
        let [left, right] = self.graph.ands[number];
        let cuts_of = |wire: Wire| {
            let number = wire.gate();
            std::iter::once(Cut::trivial(number as u32)).chain(self.cuts[number].iter().copied())
        };
        let mut found: SmallVec<[Cut; 2 * CUTS]> = SmallVec::new();
        for a in cuts_of(left) {
            for b in cuts_of(right) {
                let Some(cut) = a.and(left.is_negated(), &b, right.is_negated()) else { continue };
                if !found.iter().any(|other| other.is_within(&cut)) {
                    found.retain(|other| !cut.is_within(other));
                    found.push(cut);
                }
            }
        }
        found
    }

    fn count_references(&mut self) {
        self.references.fill(0);
        for &wire in &self.graph.outputs {
            self.references[wire.gate()] += 1;
        }
        for number in (self.graph.inputs + 1..self.graph.ands.len()).rev() {
            if self.references[number] > 0 {
                self.chosen[number].iter().for_each(|&leaf| self.references[leaf as usize] += 1);
            }
        }
    }

    fn choose_by_exact_area(&mut self) {
        for number in self.graph.inputs + 1..self.graph.ands.len() {
            if self.references[number] == 0 || self.cuts[number].len() == 1 {
                continue;
            }
            self.release(self.chosen[number]);
            let areas = (0..self.cuts[number].len()).map(|at| {
                let leaves = self.cuts[number][at].padded_leaves();
                let area = self.take(leaves);
                self.release(leaves);
                (area, at)
            });
            let best = areas.min().map_or(0, |(_, at)| at);
            self.cuts[number].swap(0, best);
            self.chosen[number] = self.cuts[number][0].padded_leaves();
            self.take(self.chosen[number]);
        }
    }

    /// Refers to the leaves of a cut; gives the number of look-up tables that this adds.
    fn take(&mut self, leaves: [u32; 3]) -> u32 {
        let mut area = 0;
        self.open.push(leaves);
        while let Some(leaves) = self.open.pop() {
            area += 1;
            for leaf in leaves.map(|leaf| leaf as usize) {
                self.references[leaf] += 1;
                if self.references[leaf] == 1 && !self.graph.is_leaf(leaf) {
                    self.open.push(self.chosen[leaf]);
                }
            }
        }
        area
    }

    /// Undoes [`take`](Covering::take).
    fn release(&mut self, leaves: [u32; 3]) {
        self.open.push(leaves);
        while let Some(leaves) = self.open.pop() {
            for leaf in leaves.map(|leaf| leaf as usize) {
                self.references[leaf] -= 1;
                if self.references[leaf] == 0 && !self.graph.is_leaf(leaf) {
                    self.open.push(self.chosen[leaf]);
                }
            }
        }
    }
}
