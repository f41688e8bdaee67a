//! Flattening: the outputs of a network as few levels of ANDs, each of as many literals as there are.
//!
//! An AND of ANDs is one AND of all their wires, an OR of ORs likewise, so only the changes between the two remain as
//! levels. How many wires an AND has costs nothing where it is looked up ([`masks`](super::masks)), so what several
//! gates share is written into each of them, as long as the whole stays within [`GROWTH`] times the network.
//!
//! Invariant: a literal of a gate is an input of the network or a gate of a lower level, or the complement of either.

use rustc_hash::FxHashMap;

use crate::propnet::{Gate, Network, Wire};

/// How many times the wires of the network may be written.
const GROWTH: usize = 8;

/// ANDs of literals, level by level.
#[derive(Debug)]
pub(super) struct Flat {
    /// The gates that other gates need, by level, each with its number in the network.
    pub levels: Vec<Vec<(usize, Vec<Wire>)>>,
    /// For each output, the literals whose AND it is, and whether it is the complement of that.
    pub outputs: Vec<(Vec<Wire>, bool)>,
}

impl Flat {
    /// The outputs of a network. O(n log n) in the wires.
    pub(super) fn new(network: &Network, outputs: &[Wire]) -> Flat {
        let literals = literals(network, outputs);
        let outputs: Vec<(Vec<Wire>, bool)> = outputs
            .iter()
            .map(|&wire| match &network.gates()[wire.gate()] {
                // An AND of nothing is on.
                Gate::False => (Vec::new(), !wire.is_negated()),
                Gate::Input(_) => (vec![wire], false),
                Gate::And(_) => (literals[wire.gate()].clone(), wire.is_negated()),
            })
            .collect();
        let mut needed = vec![false; network.gates().len()];
        let mark = |wires: &[Wire], needed: &mut Vec<bool>| {
            wires.iter().for_each(|wire| needed[wire.gate()] = true);
        };
        outputs.iter().for_each(|(wires, _)| mark(wires, &mut needed));
        for gate in (0..literals.len()).rev().filter(|&gate| !literals[gate].is_empty()) {
            if needed[gate] {
                mark(&literals[gate], &mut needed);
            }
        }
        let mut level = vec![0; literals.len()];
        let mut levels: Vec<Vec<(usize, Vec<Wire>)>> = Vec::new();
        for (gate, literals) in
            literals.into_iter().enumerate().filter(|(gate, own)| needed[*gate] && !own.is_empty())
        {
            level[gate] = 1 + literals.iter().map(|wire| level[wire.gate()]).max().unwrap_or(0);
            levels.resize(levels.len().max(level[gate]), Vec::new());
            levels[level[gate] - 1].push((gate, literals));
        }
        // Gates of the same inputs lie together, so that few words of gates need any one input.
        levels.iter_mut().for_each(|gates| gates.sort_by(|a, b| a.1.cmp(&b.1)));
        Flat { levels, outputs }
    }
}

/// The literals of every AND gate that an output needs; none for the other gates.
fn literals(network: &Network, outputs: &[Wire]) -> Vec<Vec<Wire>> {
    let needed = network.needed(outputs.iter().copied());
    let ands = || network.gates().iter().enumerate().filter(|(gate, _)| needed[*gate]);
    let mut uses: FxHashMap<usize, usize> = FxHashMap::default();
    let (mut budget, mut literals) = (0, vec![Vec::new(); needed.len()]);
    for (_, gate) in ands() {
        if let Gate::And(wires) = gate {
            budget += GROWTH * wires.len();
            wires
                .iter()
                .filter(|wire| !wire.is_negated())
                .for_each(|wire| *uses.entry(wire.gate()).or_default() += 1);
        }
    }
    for (number, gate) in ands() {
        let Gate::And(wires) = gate else { continue };
        let mut own: Vec<Wire> = Vec::new();
        for &wire in wires {
            let inner: &[Wire] = if wire.is_negated() { &[] } else { &literals[wire.gate()] };
            if inner.is_empty() || uses[&wire.gate()] > 1 && inner.len() > budget {
                own.push(wire);
            } else {
                own.extend(inner);
            }
        }
        own.sort_unstable();
        own.dedup();
        budget = budget.saturating_sub(own.len());
        literals[number] = own;
    }
    literals
}
