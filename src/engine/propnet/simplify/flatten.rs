//! Pass: an AND of ANDs is one AND, where the inner one has no other reader.
//!
//! No gate becomes more expensive by this. The pass [`share`](super::share()) takes apart again what was merged too
//! far.

use super::rebuild::{readers, rebuild};
use crate::propnet::{Gate, Propnet, Wire};

/// The game with every AND that only another AND reads merged into it.
pub fn flatten(net: &Propnet) -> Propnet {
    let readers = readers(net);
    let gates = net.network.gates();
    rebuild(net, &mut |network, number, wires| {
        let Gate::And(old) = &gates[number] else { return Wire::FALSE };
        let mut flat = Vec::with_capacity(wires.len());
        for (&old, &wire) in old.iter().zip(wires) {
            let inner = network.fanin(wire);
            if readers[old.gate()] == 1 && !old.is_negated() && !wire.is_negated() && !inner.is_empty() {
                flat.extend_from_slice(inner);
            } else {
                flat.push(wire);
            }
        }
        network.and(&flat)
    })
}
