//! Pass: pairs of wires that several gates have in common become gates of their own.
//!
//! The pair that most gates share is taken out first; gates with many wires so become trees that share what they can.
//! Counts of pairs only wait in the queue and are checked when their turn comes, so the cost is near-linear: only
//! wires with several readers are paired, and gates with very many of them only with their neighbours.
//!
//! Reference: Hosangadi, Fallah, Kastner, *Optimizing Polynomial Expressions by Algebraic Factorization and Common
//! Subexpression Elimination*, IEEE TCAD 2006 (greedy two-term common subexpressions).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::super::net::Propnet;
use super::super::network::{Gate, Network, Wire};
use super::rebuild::{follow, live, sweep, with_outputs};

/// Gates with more wires that may be shared pair each only with the next [`WINDOW`].
const WIDE: usize = 48;
const WINDOW: usize = 6;

/// The game with pairs of wires shared.
pub fn share(net: &Propnet) -> Propnet {
    let mut sharing = Sharing::new(net);
    while let Some((count, Reverse((a, b)))) = sharing.queue.pop() {
        sharing.take(count, a, b);
    }
    sharing.network(net)
}

struct Sharing {
    /// The wires into each gate, sorted; the gates of the network, then the new ones. Empty for what is no AND.
    wires: Vec<Vec<Wire>>,
    /// The gates that read, or once read, each wire, by index.
    readers: Vec<Vec<u32>>,
    queue: BinaryHeap<(u32, Reverse<(Wire, Wire)>)>,
}

impl Sharing {
    fn new(net: &Propnet) -> Sharing {
        let live = live(net);
        let mut wires = vec![Vec::new(); live.len()];
        let mut readers = vec![Vec::new(); 2 * live.len()];
        for (number, gate) in net.network.gates().iter().enumerate() {
            if let (true, Gate::And(into)) = (live[number], gate) {
                wires[number] = into.to_vec();
                into.iter().for_each(|wire| readers[wire.index()].push(number as u32));
            }
        }
        let mut counts: FxHashMap<(Wire, Wire), u32> = FxHashMap::default();
        for gate in &wires {
            let shared: Vec<Wire> =
                gate.iter().copied().filter(|wire| readers[wire.index()].len() > 1).collect();
            let reach = if shared.len() > WIDE { WINDOW } else { WIDE };
            for (index, &a) in shared.iter().enumerate() {
                for &b in shared[index + 1..].iter().take(reach) {
                    *counts.entry((a, b)).or_default() += 1;
                }
            }
        }
        let pairs = counts.into_iter().filter(|&(_, count)| count > 1);
        let queue = pairs.map(|(pair, count)| (count, Reverse(pair))).collect();
        Sharing { wires, readers, queue }
    }

    /// The gates that read both wires.
    fn common(&mut self, a: Wire, b: Wire) -> Vec<u32> {
        let wires = &self.wires;
        let reads = |gate: u32, wire: Wire| wires[gate as usize].binary_search(&wire).is_ok();
        let (few, other) =
            if self.readers[a.index()].len() <= self.readers[b.index()].len() { (a, b) } else { (b, a) };
        self.readers[few.index()].retain(|&gate| reads(gate, few));
        self.readers[few.index()].iter().copied().filter(|&gate| reads(gate, other)).collect()
    }

    /// Takes a pair out of the gates that share it, if these are as many as was thought.
    fn take(&mut self, count: u32, a: Wire, b: Wire) {
        let common = self.common(a, b);
        if common.len() < count as usize {
            if common.len() > 1 {
                self.queue.push((common.len() as u32, Reverse((a, b))));
            }
            return;
        }
        let existing = common.iter().copied().find(|&gate| self.wires[gate as usize].len() == 2);
        let pair = existing.unwrap_or_else(|| {
            self.wires.push(vec![a, b]);
            self.readers.extend([Vec::new(), Vec::new()]);
            let number = self.wires.len() as u32 - 1;
            self.readers[a.index()].push(number);
            self.readers[b.index()].push(number);
            number
        });
        let wire = Wire::of_gate(pair as usize);
        let mut counts: FxHashMap<Wire, u32> = FxHashMap::default();
        for gate in common.into_iter().filter(|&gate| gate != pair) {
            let wires = &mut self.wires[gate as usize];
            wires.retain(|&other| other != a && other != b);
            for &other in wires.iter().filter(|other| self.readers[other.index()].len() > 1) {
                *counts.entry(other).or_default() += 1;
            }
            if let Err(place) = wires.binary_search(&wire) {
                wires.insert(place, wire);
                self.readers[wire.index()].push(gate);
            }
        }
        // Gates that read this pair already count too, but the check of the count will find them.
        let pairs = counts.into_iter().filter(|&(_, count)| count > 1);
        self.queue.extend(pairs.map(|(other, count)| (count, Reverse((other.min(wire), other.max(wire))))));
    }

    /// The game over the gates as they are now.
    fn network(self, net: &Propnet) -> Propnet {
        let mut network = Network::new(net.network.inputs());
        let mut place: Vec<Option<Wire>> = vec![None; self.wires.len()];
        place[0] = Some(Wire::FALSE);
        for input in 0..net.network.inputs() {
            let wire = network.input(input);
            place[wire.gate()] = Some(wire);
        }
        let mut open: Vec<usize> = Vec::new();
        let mut ready = Vec::new();
        for root in 0..net.network.gates().len() {
            if self.wires[root].is_empty() {
                continue;
            }
            open.push(root);
            while let Some(&gate) = open.last() {
                let before = open.len();
                open.extend(
                    self.wires[gate].iter().map(|wire| wire.gate()).filter(|&gate| place[gate].is_none()),
                );
                if open.len() > before {
                    continue;
                }
                open.pop();
                if place[gate].is_none() {
                    ready.clear();
                    let placed =
                        |wire: &Wire| place[wire.gate()].unwrap_or(Wire::FALSE).negate_if(wire.is_negated());
                    ready.extend(self.wires[gate].iter().map(placed));
                    place[gate] = Some(network.and(&ready));
                }
            }
        }
        let place: Vec<Wire> = place.into_iter().map(|wire| wire.unwrap_or(Wire::FALSE)).collect();
        sweep(with_outputs(net, network, |wire| follow(&place, wire)))
    }
}
