//! The graph a program is compiled from: a network with every gate taken apart into gates of two wires.
//!
//! An AND of many wires is built from the wires that are ready first, three at a time, so that few
//! 3-input look-up tables are needed and they are not deep. Only what an output needs is kept.
//!
//! Invariant: node 0 is the constant, nodes 1 to `inputs` the inputs, and the wires into a later node lead to nodes
//! with smaller numbers. So a [`Wire`] is a node or its complement, as in a [`Network`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::propnet::{Gate, Network, Wire, follow};

/// Gates of two wires.
#[derive(Debug)]
pub(super) struct Graph {
    /// How many inputs there are.
    pub inputs: usize,
    /// The wires into each node; those of the constant and of the inputs mean nothing.
    pub ands: Vec<[Wire; 2]>,
    /// The outputs, in the order given.
    pub outputs: Vec<Wire>,
    levels: Vec<u32>,
    unique: FxHashMap<[Wire; 2], Wire>,
}

impl Graph {
    /// The graph of the outputs of a network. O(n log n) in the wires.
    pub(super) fn new(network: &Network, outputs: &[Wire]) -> Graph {
        let inputs = network.inputs();
        let mut graph = Graph {
            inputs,
            ands: vec![[Wire::FALSE; 2]; inputs + 1],
            outputs: Vec::new(),
            levels: vec![0; inputs + 1],
            unique: FxHashMap::default(),
        };
        let mut placed: Vec<Wire> = Vec::with_capacity(network.gates().len());
        let needed = network.needed(outputs.iter().copied());
        for (gate, needed) in network.gates().iter().zip(needed) {
            placed.push(match gate {
                Gate::And(wires) if needed => graph.and(wires, &placed),
                Gate::Input(number) => network.input(*number as usize),
                Gate::And(_) | Gate::False => Wire::FALSE,
            });
        }
        graph.outputs = outputs.iter().map(|&wire| follow(&placed, wire)).collect();
        graph
    }

    /// Whether a node is the constant or an input.
    pub(super) fn is_leaf(&self, node: usize) -> bool {
        node <= self.inputs
    }

    fn and(&mut self, wires: &[Wire], placed: &[Wire]) -> Wire {
        if let [first, second] = *wires {
            return self.pair(follow(placed, first), follow(placed, second));
        }
        let inputs = wires.iter().map(|&wire| follow(placed, wire));
        let mut ready: BinaryHeap<Reverse<(u32, Wire)>> =
            inputs.map(|wire| Reverse((self.levels[wire.gate()], wire))).collect();
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
            ready.push(Reverse((self.levels[joined.gate()], joined)));
        }
        unreachable!("a gate has two wires or more")
    }

    fn pair(&mut self, a: Wire, b: Wire) -> Wire {
        let pair = [a.min(b), a.max(b)];
        match pair {
            [a, b] if a == b => return a,
            [a, b] if a == !b => return Wire::FALSE,
            [Wire::FALSE, _] => return Wire::FALSE,
            [Wire::TRUE, b] => return b,
            _ => {}
        }
        if let Some(&known) = self.unique.get(&pair) {
            return known;
        }
        let made = Wire::of_gate(self.ands.len());
        self.ands.push(pair);
        self.levels.push(1 + pair.map(|wire| self.levels[wire.gate()]).into_iter().max().unwrap_or(0));
        self.unique.insert(pair, made);
        made
    }
}
