//! The graph a program is compiled from: a network with every gate taken apart into gates of two wires.
//!
//! An AND of many wires is built from the wires that are ready first, three at a time, so that few
//! 3-input look-up tables are needed and they are not deep. Only what an output needs is kept.
//!
//! Invariant: node 0 is the constant, nodes 1 to `inputs` the inputs, and the wires into a later node lead to nodes
//! with smaller numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::propnet::{Gate, Network, Wire};

/// A node or its complement: the number doubled, plus one for the complement.
pub(super) type Edge = u32;

/// The node of an edge.
pub(super) fn node(edge: Edge) -> usize {
    (edge >> 1) as usize
}

/// Whether an edge is complemented.
pub(super) fn is_negated(edge: Edge) -> bool {
    edge & 1 == 1
}

/// Gates of two wires.
#[derive(Debug)]
pub(super) struct Graph {
    /// How many inputs there are.
    pub inputs: usize,
    /// The wires into each node; those of the constant and of the inputs mean nothing.
    pub ands: Vec<[Edge; 2]>,
    /// The outputs, in the order given.
    pub outputs: Vec<Edge>,
    levels: Vec<u32>,
    unique: FxHashMap<[Edge; 2], u32>,
}

impl Graph {
    /// The graph of the outputs of a network. O(n log n) in the wires.
    pub(super) fn new(network: &Network, outputs: &[Wire]) -> Graph {
        let inputs = network.inputs();
        let mut graph = Graph {
            inputs,
            ands: vec![[0, 0]; inputs + 1],
            outputs: Vec::new(),
            levels: vec![0; inputs + 1],
            unique: FxHashMap::default(),
        };
        let mut edges: Vec<Edge> = Vec::with_capacity(network.gates().len());
        let needed = network.needed(outputs.iter().copied());
        for (gate, needed) in network.gates().iter().zip(needed) {
            edges.push(match gate {
                Gate::And(wires) if needed => graph.and(wires, &edges),
                Gate::Input(number) => (number + 1) << 1,
                Gate::And(_) | Gate::False => 0,
            });
        }
        graph.outputs = outputs.iter().map(|&wire| edge_of(&edges, wire)).collect();
        graph
    }

    /// Whether a node is the constant or an input.
    pub(super) fn is_leaf(&self, node: usize) -> bool {
        node <= self.inputs
    }

    fn and(&mut self, wires: &[Wire], edges: &[Edge]) -> Edge {
        let inputs = wires.iter().map(|&wire| edge_of(edges, wire));
        let mut ready: BinaryHeap<Reverse<(u32, Edge)>> =
            inputs.map(|edge| Reverse((self.levels[node(edge)], edge))).collect();
        while let (Some(Reverse((_, first))), Some(Reverse((_, second)))) = (ready.pop(), ready.pop()) {
            let pair = self.pair(first, second);
            // The third one joins the same look-up table.
            let joined = match ready.pop() {
                Some(Reverse((_, third))) => self.pair(pair, third),
                None => return pair,
            };
            if ready.is_empty() {
                return joined;
            }
            ready.push(Reverse((self.levels[node(joined)], joined)));
        }
        unreachable!("a gate has two wires or more")
    }

    fn pair(&mut self, a: Edge, b: Edge) -> Edge {
        let pair = [a.min(b), a.max(b)];
        match pair {
            [a, b] if a == b => return a,
            [a, b] if a ^ 1 == b => return 0,
            [0, _] => return 0,
            [1, b] => return b,
            _ => {}
        }
        if let Some(&node) = self.unique.get(&pair) {
            return node << 1;
        }
        let number = u32::try_from(self.ands.len()).expect("memory ends before 2^31 nodes");
        self.ands.push(pair);
        self.levels.push(1 + pair.map(|edge| self.levels[node(edge)]).into_iter().max().unwrap_or(0));
        self.unique.insert(pair, number);
        number << 1
    }
}

fn edge_of(edges: &[Edge], wire: Wire) -> Edge {
    edges[wire.gate()] ^ Edge::from(wire.is_negated())
}
