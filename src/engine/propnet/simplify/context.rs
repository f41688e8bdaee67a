//! Pass: each gate is simplified by what is known wherever its value matters.
//!
//! A gate with one reader matters only where the other wires of that reader are on, and those of its reader, and so on:
//! this is its *context*. Wires that the context switches on are dropped from ANDs, and gates that it switches off are
//! dropped with everything below them: `x & !(x & y)` becomes `x & !y`, and `x & !(y & !(x & z))` becomes `x & !(y &
//! !z)`. The context also knows what follows from its wires: the wires of an AND; the legality of a move that is made;
//! that no other member of a group is on.
//!
//! Invariant: the known values hold wherever the gate being rewritten matters, because all of it stays in the ANDs on
//! the way from there to the root. Legality may be used because only what happens in a step reads moves, and only legal
//! moves are made.
//!
//! Each gate is rewritten once, and the consequences of one wire are followed to a bounded length, so the pass takes
//! O(wires). This is absorption and one-sided redundancy removal without search.

use super::super::net::Propnet;
use super::super::network::{Gate, Network, Wire, follow};
use super::groups::Groups;
use super::known::Known;
use super::rebuild::{live, readers, sweep, with_outputs};

/// How deep a context goes: deeper gates are treated as if they had more readers.
const DEPTH: u32 = 64;
/// Gates with more wires are not looked into from outside.
const WIDTH: usize = 64;

/// The game with every gate simplified in its context.
pub fn context(net: &Propnet, groups: &Groups) -> Propnet {
    let live = live(net);
    let mut rewriting = Rewriting {
        net,
        root: roots(net),
        network: Network::new(net.network.inputs()),
        place: vec![Wire::FALSE; live.len()],
        known: Known::new(net.network.inputs(), groups),
    };
    let early = net.network.needed(net.roles.values().iter().flat_map(|role| role.legal.iter().copied()));
    rewriting.rewrite_all(|gate| early[gate]);
    for (range, role) in net.does().values().iter().zip(net.roles.values()) {
        for (input, &wire) in range.clone().zip(&role.legal) {
            rewriting.known.follows(input, rewriting.placed(wire));
        }
    }
    rewriting.rewrite_all(|gate| live[gate] && !early[gate]);
    sweep(with_outputs(net, rewriting.network, &rewriting.place))
}

/// The gates that stand for themselves: inputs, and what has several readers or would make a context too deep.
fn roots(net: &Propnet) -> Vec<bool> {
    let readers = readers(net);
    let mut height = vec![0_u32; readers.len()];
    let mut root = vec![true; readers.len()];
    for (number, gate) in net.network.gates().iter().enumerate() {
        if let Gate::And(wires) = gate {
            let inner = wires.iter().filter(|wire| !root[wire.gate()]).map(|wire| height[wire.gate()] + 1);
            height[number] = inner.max().unwrap_or(1);
            root[number] = readers[number] != 1 || height[number] >= DEPTH;
        }
    }
    root
}

struct Rewriting<'a> {
    net: &'a Propnet,
    root: Vec<bool>,
    network: Network,
    place: Vec<Wire>,
    known: Known<'a>,
}

impl Rewriting<'_> {
    fn placed(&self, wire: Wire) -> Wire {
        follow(&self.place, wire)
    }

    fn rewrite_all(&mut self, include: impl Fn(usize) -> bool) {
        for (number, gate) in self.net.network.gates().iter().enumerate() {
            match gate {
                Gate::Input(input) => self.place[number] = self.network.input(*input as usize),
                Gate::And(_) if self.root[number] && include(number) => {
                    self.place[number] = self.rewrite(number);
                    debug_assert!(self.known.trail.is_empty());
                }
                Gate::False | Gate::And(_) => {}
            }
        }
    }

    /// The new wire of a gate, in the present context.
    fn rewrite(&mut self, gate: usize) -> Wire {
        let start = self.known.trail.len();
        let wire = self.rewrite_and(gate).map_or(Wire::FALSE, |wires| self.network.and(&wires));
        self.known.forget(start);
        wire
    }

    /// The wires of a gate in the present context; `None` if it is off. Leaves behind what they make known.
    fn rewrite_and(&mut self, gate: usize) -> Option<Vec<Wire>> {
        let (mut leaves, mut inner) = (Vec::new(), Vec::new());
        let mut open = vec![gate];
        while let Some(gate) = open.pop() {
            let Gate::And(wires) = &self.net.network.gates()[gate] else { continue };
            for &wire in wires {
                match (self.root[wire.gate()], wire.is_negated()) {
                    (true, _) => leaves.push(self.placed(wire)),
                    (false, false) => open.push(wire.gate()),
                    (false, true) => inner.push(wire.gate()),
                }
            }
        }
        // Moves say most, then the gates built last.
        let is_move = |wire: Wire| !wire.is_negated() && self.known.legal_of(wire).is_some();
        leaves.sort_by_key(|&wire| (!is_move(wire), wire.is_negated(), std::cmp::Reverse(wire)));
        inner.sort_unstable();
        let mut wires = Vec::with_capacity(leaves.len() + inner.len());
        for leaf in leaves {
            self.take(leaf, &mut wires)?;
        }
        for gate in inner {
            let wire = !self.rewrite(gate);
            self.take(wire, &mut wires)?;
        }
        Some(wires)
    }

    /// Adds a wire to an AND, as far as the context does not decide it. `None` if the AND is off.
    fn take(&mut self, wire: Wire, wires: &mut Vec<Wire>) -> Option<()> {
        let wire = self.reduce(wire);
        if wire == Wire::TRUE {
            return Some(());
        }
        wires.push(wire);
        (wire != Wire::FALSE && self.known.assume(&self.network, wire)).then_some(())
    }

    /// The simpler form of a wire in the present context, if there is one.
    fn reduce(&self, wire: Wire) -> Wire {
        if self.known.holds(wire) {
            return Wire::TRUE;
        }
        if self.known.holds(!wire) {
            return Wire::FALSE;
        }
        let inner = self.network.fanin(wire);
        if inner.is_empty() || inner.len() > WIDTH {
            return wire;
        }
        if inner.iter().any(|&inner| self.known.holds(!inner)) {
            return Wire::FALSE.negate_if(wire.is_negated());
        }
        let mut open = inner.iter().filter(|&&inner| !self.known.holds(inner));
        match (open.next(), open.next()) {
            (None, _) => Wire::TRUE.negate_if(wire.is_negated()),
            (Some(only), None) => only.negate_if(wire.is_negated()),
            _ => wire,
        }
    }
}
