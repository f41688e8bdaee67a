//! Pass: pairs of wires that several gates have in common become gates of their own.
//!
//! The pair that most gates share is taken out first, so gates with many wires become trees that share what they can.
//! The counts of pairs in the queue may be out of date and are checked when their turn comes. That keeps the cost
//! near-linear: only wires with several readers are paired, and gates with very many such wires pair them only with
//! their neighbours.
//!
//! Reference: Hosangadi, Fallah, Kastner, *Optimizing Polynomial Expressions by Algebraic Factorization and Common
//! Subexpression Elimination*, IEEE TCAD 2006 (greedy two-term common subexpressions).

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
    while let Some((count, (a, b))) = sharing.queue.pop() {
        sharing.take(count, a, b);
        if sharing.work > WORK {
            break;
        }
    }
    sharing.network(net)
}

/// Pairs of wires by how many gates are thought to share them. Of those of one number the last one comes out first.
#[derive(Default)]
struct Queue(Vec<Vec<(Wire, Wire)>>);

impl Queue {
    /// Adds a pair, unless it is shared by no two gates.
    fn push(&mut self, count: usize, pair: (Wire, Wire)) {
        if count > 1 {
            self.0.resize_with(self.0.len().max(count + 1), Vec::new);
            self.0[count].push(pair);
        }
    }

    /// A pair that most gates share, and their number.
    fn pop(&mut self) -> Option<(usize, (Wire, Wire))> {
        while let Some(pairs) = self.0.last_mut() {
            if let Some(pair) = pairs.pop() {
                return Some((self.0.len() - 1, pair));
            }
            self.0.pop();
        }
        None
    }
}

struct Sharing {
    /// The wires into each gate, sorted; the gates of the network, then the new ones. Empty for what is no AND.
    wires: Vec<SmallVec<[Wire; 4]>>,
    /// The gates that read each wire, by index, sorted.
    readers: Vec<Vec<u32>>,
    /// Gates with more wires are too wide for all their pairs.
    wide: usize,
    queue: Queue,
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
        pairs.sort_unstable();
        let mut queue = Queue::default();
        pairs.chunk_by(|a, b| a == b).rev().for_each(|equal| queue.push(equal.len(), equal[0]));
        Sharing { wires, readers, wide, queue, work: 0 }
    }

    /// The gates that read both wires, sorted.
    fn common(&mut self, a: Wire, b: Wire) -> Vec<u32> {
        let [a, b] = [a, b].map(|wire| &self.readers[wire.index()][..]);
        let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        self.work += few.len();
        common(few, many)
    }

    /// Takes a pair out of the gates that share it, if these are as many as was thought.
    fn take(&mut self, count: usize, a: Wire, b: Wire) {
        let common = self.common(a, b);
        if common.len() < count {
            return self.queue.push(common.len(), (a, b));
        }
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
        let rest: Vec<u32> = common.into_iter().filter(|&gate| gate != pair).collect();
        for read in [a, b] {
            let mut gone = rest.iter().peekable();
            self.readers[read.index()].retain(|gate| gone.next_if_eq(&gate).is_none());
        }
        // The wires beside the pair, where it is new.
        let mut beside: Vec<Wire> = Vec::new();
        for gate in rest {
            let wires = &mut self.wires[gate as usize];
            let near = near(wires, a, b, self.wide);
            self.work += 4 * wires.len();
            wires.retain(|other| *other != a && *other != b);
            if let Err(place) = wires.binary_search(&wire) {
                wires.insert(place, wire);
                self.readers[wire.index()].push(gate);
                beside.extend(near);
            }
        }
        // What read the wire already, and what reads it now: two sorted parts.
        self.readers[wire.index()].sort();
        beside.sort_unstable();
        for gates in beside.chunk_by(|a, b| a == b) {
            let other = gates[0];
            let count = if existing.is_some() { self.common(other, wire).len() } else { gates.len() };
            self.queue.push(count, (other.min(wire), other.max(wire)));
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

/// The numbers that both sorted lists have, of which the first is not the longer one.
fn common(few: &[u32], mut many: &[u32]) -> Vec<u32> {
    let is_far = many.len() > 16 * few.len();
    let is_in_both = |gate: &&u32| {
        let skipped = match is_far {
            true => many.partition_point(|other| other < *gate),
            false => many.iter().take_while(|other| other < gate).count(),
        };
        many = &many[skipped..];
        many.first() == Some(*gate)
    };
    few.iter().filter(is_in_both).copied().collect()
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
