//! Pass: pairs of wires that several gates have in common become gates of their own.
//!
//! The pair that most gates share is taken out first, so gates with many wires become trees that share what they can.
//! The counts of pairs in the queue may be out of date and are checked when their turn comes. That keeps the cost
//! near-linear: only wires with several readers are paired, and gates with very many such wires pair them only with
//! their neighbours.
//!
//! Reference: Hosangadi, Fallah, Kastner, *Optimizing Polynomial Expressions by Algebraic Factorization and Common
//! Subexpression Elimination*, IEEE TCAD 2006 (greedy two-term common subexpressions).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::rebuild::{live, sweep, with_outputs};
use crate::propnet::{Gate, Network, Propnet, Wire};

/// How many pairs are counted, about. The gates with most wires pair each only with the next [`WINDOW`] if there would
/// be more pairs.
const PAIRS: usize = 3_000_000;
const WINDOW: usize = 6;
/// How many readers, and a quarter as many wires, are looked at before what is left stays unshared.
const WORK: usize = 20_000_000;

/// The game with pairs of wires shared.
pub fn share(net: &Propnet) -> Propnet {
    let mut sharing = Sharing::new(net);
    while let Some((count, Reverse((a, b)))) = sharing.queue.pop() {
        sharing.take(count, a, b);
        if sharing.work > WORK {
            break;
        }
    }
    sharing.network(net)
}

struct Sharing {
    /// The wires into each gate, sorted; the gates of the network, then the new ones. Empty for what is no AND.
    wires: Vec<SmallVec<[Wire; 4]>>,
    /// The gates that read, or once read, each wire, by index.
    readers: Vec<Vec<u32>>,
    /// Gates with more wires are too wide for all their pairs.
    wide: usize,
    /// How many gates read each pair, as far as is known; too little for pairs of gates with very many wires.
    counts: FxHashMap<(Wire, Wire), u32>,
    queue: BinaryHeap<(u32, Reverse<(Wire, Wire)>)>,
    /// The wires and readers looked at.
    work: usize,
}

impl Sharing {
    fn new(net: &Propnet) -> Sharing {
        let live = live(net);
        let mut wires = vec![SmallVec::new(); live.len()];
        let mut readers = vec![Vec::new(); 2 * live.len()];
        for (number, gate) in net.network.gates().iter().enumerate() {
            if let (true, Gate::And(into)) = (live[number], gate) {
                wires[number] = SmallVec::from_slice(into);
                into.iter().for_each(|wire| readers[wire.index()].push(number as u32));
            }
        }
        let mut pairs: Vec<(Wire, Wire)> = Vec::new();
        let shared = |gate: &[Wire]| -> Vec<Wire> {
            gate.iter().copied().filter(|wire| readers[wire.index()].len() > 1).collect()
        };
        let wide = width(wires.iter().map(|gate| shared(gate).len()));
        for gate in &wires {
            let shared = shared(gate);
            let reach = if shared.len() > wide { WINDOW } else { wide };
            for (index, &a) in shared.iter().enumerate() {
                pairs.extend(shared[index + 1..].iter().take(reach).map(|&b| (a, b)));
            }
        }
        // Most pairs are in one gate alone, and a table of those would be large.
        pairs.sort_unstable();
        let equal = pairs.chunk_by(|a, b| a == b).filter(|equal| equal.len() > 1);
        let counts: FxHashMap<(Wire, Wire), u32> =
            equal.map(|equal| (equal[0], equal.len() as u32)).collect();
        let queue = counts.iter().map(|(&pair, &count)| (count, Reverse(pair))).collect();
        Sharing { wires, readers, wide, counts, queue, work: 0 }
    }

    /// The gates that read both wires.
    fn common(&mut self, a: Wire, b: Wire) -> Vec<u32> {
        self.work += self.readers[a.index()].len().min(self.readers[b.index()].len());
        let (few, other) =
            if self.readers[a.index()].len() <= self.readers[b.index()].len() { (a, b) } else { (b, a) };
        let mut common = Vec::new();
        self.readers[few.index()].retain(|&gate| {
            let [is_read, is_common] =
                [few, other].map(|wire| self.wires[gate as usize].binary_search(&wire).is_ok());
            common.extend((is_read && is_common).then_some(gate));
            is_read
        });
        common
    }

    /// Takes a pair out of the gates that share it, if these are as many as was thought.
    fn take(&mut self, count: u32, a: Wire, b: Wire) {
        let known = self.counts.get(&(a, b)).copied().unwrap_or(0);
        if known < count {
            if known > 1 {
                self.queue.push((known, Reverse((a, b))));
            }
            return;
        }
        let common = self.common(a, b);
        self.counts.insert((a, b), common.len() as u32);
        if common.len() < count as usize {
            if common.len() > 1 {
                self.queue.push((common.len() as u32, Reverse((a, b))));
            }
            return;
        }
        self.counts.remove(&(a, b));
        let existing = common.iter().copied().find(|&gate| self.wires[gate as usize].len() == 2);
        let pair = existing.unwrap_or_else(|| {
            self.wires.push(SmallVec::from_slice(&[a, b]));
            self.readers.extend([Vec::new(), Vec::new()]);
            let number = self.wires.len() as u32 - 1;
            self.readers[a.index()].push(number);
            self.readers[b.index()].push(number);
            number
        });
        let wire = Wire::of_gate(pair as usize);
        // The wires beside the pair, and whether the pair is new beside them.
        let mut beside: Vec<(Wire, bool)> = Vec::new();
        for gate in common.into_iter().filter(|&gate| gate != pair) {
            let wires = &mut self.wires[gate as usize];
            let near = near(wires, a, b, self.wide);
            self.work += 4 * wires.len();
            wires.retain(|other| *other != a && *other != b);
            let is_new = wires.binary_search(&wire).map_err(|place| wires.insert(place, wire)).is_err();
            if is_new {
                self.readers[wire.index()].push(gate);
            }
            beside.extend(near.into_iter().filter(|&other| other != wire).map(|other| (other, is_new)));
        }
        // Gates that share a pair often share more, so each wire is counted once for all of them.
        beside.sort_unstable();
        for gates in beside.chunk_by(|a, b| a.0 == b.0) {
            let other = gates[0].0;
            for old in [a, b] {
                if let Some(count) = self.counts.get_mut(&(old.min(other), old.max(other))) {
                    *count = count.saturating_sub(gates.len() as u32);
                }
            }
            let new = gates.iter().filter(|(_, is_new)| *is_new).count() as u32;
            if new == 0 || self.readers[other.index()].len() <= 1 {
                continue;
            }
            let pair = (other.min(wire), other.max(wire));
            let count = self.counts.entry(pair).or_default();
            *count += new;
            if *count > 1 {
                self.queue.push((*count, Reverse(pair)));
            } else {
                self.counts.remove(&pair);
            }
        }
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
        sweep(with_outputs(net, network, &place))
    }
}

/// The width up to which gates of these widths may count all their pairs.
fn width(widths: impl Iterator<Item = usize>) -> usize {
    let mut widths: Vec<usize> = widths.collect();
    widths.sort_unstable();
    let mut pairs = 0;
    let fits = |width: &&usize| {
        pairs += **width * **width / 2;
        pairs <= PAIRS
    };
    widths.iter().take_while(fits).last().map_or(0, |&width| width).max(2 * WINDOW)
}

/// The wires of a gate other than two of it: all, or those near the two if they are very many.
fn near(wires: &[Wire], a: Wire, b: Wire, wide: usize) -> Vec<Wire> {
    let others = |wires: &[Wire]| -> Vec<Wire> {
        wires.iter().copied().filter(|&other| other != a && other != b).collect()
    };
    if wires.len() <= wide {
        return others(wires);
    }
    let around = |wire: Wire| {
        let place = wires.partition_point(|&other| other < wire);
        place.saturating_sub(WINDOW)..(place + WINDOW + 1).min(wires.len())
    };
    let mut near: Vec<Wire> =
        [around(a), around(b)].into_iter().flat_map(|range| others(&wires[range])).collect();
    near.sort_unstable();
    near.dedup();
    near
}
