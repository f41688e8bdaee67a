//! Pass: everything that never changes is folded into constants.
//!
//! The pass computes the greatest set of constants that is consistent with itself. A bit keeps its initial value until
//! its next value may differ, a move is not made until it may be legal, and a gate is constant as long as the wires
//! into it make it so. Values only ever change from a constant to unknown, so each gate is looked at once for each wire
//! that changes: O(wires) in all, besides one look at the outputs in each round.
//!
//! A role that is left with one move always makes it.

use hyperplay_logic::gdl::{TermId, TermStore};

use super::rebuild::{InputSource, substitute};
use crate::propnet::{Gate, Propnet, Wire};

/// Three-valued: `None` is unknown.
type Value = Option<bool>;

struct Flow {
    /// The value of each gate.
    values: Vec<Value>,
    /// For each gate the number of wires into it that are constantly off.
    off: Vec<u32>,
    /// The gates that read each gate, with the wires' negation, as ranges of `readers`.
    first: Vec<usize>,
    readers: Vec<(u32, bool)>,
}

impl Flow {
    fn new(net: &Propnet) -> Flow {
        let gates = net.network.gates();
        let mut first = vec![0; gates.len() + 1];
        for gate in gates {
            if let Gate::And(wires) = gate {
                wires.iter().for_each(|wire| first[wire.gate() + 1] += 1);
            }
        }
        for gate in 0..gates.len() {
            first[gate + 1] += first[gate];
        }
        let mut readers = vec![(0, false); first[gates.len()]];
        let mut free = first.clone();
        let mut flow = Flow {
            values: Vec::with_capacity(gates.len()),
            off: vec![0; gates.len()],
            first,
            readers: Vec::new(),
        };
        for (number, gate) in gates.iter().enumerate() {
            let value = match gate {
                Gate::False => false,
                Gate::Input(input) => net.initial.get(*input as usize).copied().unwrap_or(false),
                Gate::And(wires) => {
                    for wire in wires {
                        readers[free[wire.gate()]] = (number as u32, wire.is_negated());
                        free[wire.gate()] += 1;
                        flow.off[number] += u32::from(flow.value(*wire) == Some(false));
                    }
                    flow.off[number] == 0
                }
            };
            flow.values.push(Some(value));
        }
        flow.readers = readers;
        flow
    }

    fn value(&self, wire: Wire) -> Value {
        self.values[wire.gate()].map(|on| on != wire.is_negated())
    }

    /// Lets a gate be unknown, and all that follows from it.
    fn release(&mut self, gate: usize) {
        let mut released = vec![(gate, self.values[gate])];
        self.values[gate] = None;
        while let Some((gate, before)) = released.pop() {
            for index in self.first[gate]..self.first[gate + 1] {
                let (reader, negated) = self.readers[index];
                let reader = reader as usize;
                if before == Some(negated) {
                    self.off[reader] -= 1;
                }
                if self.off[reader] == 0 && self.values[reader].is_some() {
                    released.push((reader, self.values[reader]));
                    self.values[reader] = None;
                }
            }
        }
    }
}

/// The inputs that are constant in every reachable state: bits with their values, moves that are never legal.
fn constant_inputs(net: &Propnet) -> Vec<InputSource> {
    let mut flow = Flow::new(net);
    let bits = net.bits();
    let legal: Vec<Wire> = net.roles.values().iter().flat_map(|role| role.legal.iter().copied()).collect();
    let gate = |input: usize| net.network.input(input).gate();
    loop {
        let changes = |input: &usize| match input.checked_sub(bits) {
            None => flow.value(net.next[*input]) != Some(net.initial[*input]),
            Some(index) => flow.value(legal[index]) != Some(false),
        };
        let changed: Vec<usize> = (0..net.network.inputs())
            .filter(|&input| flow.values[gate(input)].is_some())
            .filter(changes)
            .collect();
        if changed.is_empty() {
            break;
        }
        changed.into_iter().for_each(|input| flow.release(gate(input)));
    }
    let mut sources: Vec<InputSource> = (0..net.network.inputs())
        .map(|input| flow.values[gate(input)].map_or(InputSource::Itself, InputSource::Constant))
        .collect();
    for range in net.does().values() {
        let mut made = range.clone().filter(|&input| sources[input] == InputSource::Itself);
        if let (Some(only), None) = (made.next(), made.next()) {
            sources[only] = InputSource::Constant(true);
        }
    }
    sources
}

/// The game without bits that keep their initial value for ever and without moves that are never legal. The store
/// gives the natural order in which fluents that always hold are listed.
pub fn constants(net: &Propnet, store: &TermStore) -> Propnet {
    fold(net, &constant_inputs(net), store)
}

/// The game with inputs replaced, and the fluents that turned out to hold always listed in natural order.
pub(super) fn fold(net: &Propnet, sources: &[InputSource], store: &TermStore) -> Propnet {
    let (mut out, always) = substitute(net, sources);
    if !always.is_empty() {
        out.fixed.extend(always.into_iter().map(|fluent| fluent.term));
        out.fixed.sort_by(|&a: &TermId, &b: &TermId| store.compare(a, b));
    }
    out
}
