//! Boolean functions of some inputs, as a graph of AND gates with negation on the wires.
//!
//! A [`Wire`] is a gate or its complement, so NOT costs nothing, and OR is an AND with all its wires negated. Only
//! [`Network::and`] makes gates. It sorts the wires, folds what is trivial and gives equal gates the same number, so
//! two wires that are built in the same way are the same wire.
//!
//! Invariants: the wires into a gate lead to gates with smaller numbers (the gates are in topological order); they are
//! sorted, each gate at most once, at least two, none constant.
//!
//! Reference: Kuehlmann, Paruthi, Krohm, Ganai, *Robust Boolean Reasoning for Equivalence Checking*, IEEE TCAD 2002
//! (and-inverter graphs; here a gate may have any number of wires).

use std::hash::BuildHasher;
use std::ops::Not;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A gate of a [`Network`] or its complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Wire(u32);

impl Wire {
    /// The wire that is never on.
    pub const FALSE: Wire = Wire(0);
    /// The wire that is always on.
    pub const TRUE: Wire = Wire(1);

    /// The wire of the gate with this number.
    pub(crate) fn of_gate(gate: usize) -> Wire {
        Wire(u32::try_from(gate << 1).expect("memory ends before 2^31 gates"))
    }

    /// The number of the gate.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether this is the complement of the gate.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The number of the wire: twice the gate's, plus one for the complement.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// This wire, or its complement if `negate`.
    pub fn negate_if(self, negate: bool) -> Wire {
        Wire(self.0 ^ u32::from(negate))
    }
}

impl Not for Wire {
    type Output = Wire;
    fn not(self) -> Wire {
        Wire(self.0 ^ 1)
    }
}

/// The function that a gate computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gate {
    /// Never on; gate 0 and no other.
    False,
    /// The input with this number.
    Input(u32),
    /// On where all these wires are.
    And(Box<[Wire]>),
}

/// Boolean functions of some inputs.
///
/// ```
/// use hyperplay_engine::propnet::{Gate, Network, Wire, value_of};
///
/// let mut network = Network::new(2);
/// let (a, b) = (network.input(0), network.input(1));
/// let both = network.and(&[a, b]);
/// assert_eq!(network.or(&[!a, !b]), !both);
/// assert_eq!((network.and(&[a, !a]), network.or(&[a, !a])), (Wire::FALSE, Wire::TRUE));
/// assert!((!both).is_negated() && both.negate_if(true) == !both);
/// assert_eq!(network.gates()[both.gate()], Gate::And([a, b].into()));
/// let values = network.evaluate(&[0b1100, 0b1010]);
/// assert_eq!(value_of(&values, both), 0b1000);
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    gates: Vec<Gate>,
    inputs: usize,
    /// The AND gates by their wires.
    unique: HashTable<u32>,
}

impl Network {
    /// A network of inputs only: gates 1 to `inputs`.
    pub fn new(inputs: usize) -> Network {
        let numbers = 0..u32::try_from(inputs).expect("memory ends before 2^31 gates");
        let gates = std::iter::once(Gate::False).chain(numbers.map(Gate::Input)).collect();
        Network { gates, inputs, unique: HashTable::new() }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The wire of an input.
    pub fn input(&self, number: usize) -> Wire {
        debug_assert!(number < self.inputs);
        Wire::of_gate(number + 1)
    }

    /// The wires of all inputs, in order.
    pub(crate) fn input_wires(&self) -> Vec<Wire> {
        (0..self.inputs).map(|number| self.input(number)).collect()
    }

    /// All gates, in topological order.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The wires into the gate of a wire; none for an input or a constant.
    pub(crate) fn fanin(&self, wire: Wire) -> &[Wire] {
        match &self.gates[wire.gate()] {
            Gate::And(wires) => wires,
            Gate::False | Gate::Input(_) => &[],
        }
    }

    /// The wire that is on where all `wires` are. O(n log n).
    pub fn and(&mut self, wires: &[Wire]) -> Wire {
        let mut sorted = wires.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.retain(|&wire| wire != Wire::TRUE);
        if sorted.first() == Some(&Wire::FALSE) || sorted.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Wire::FALSE;
        }
        match sorted[..] {
            [] => return Wire::TRUE,
            [only] => return only,
            _ => {}
        }
        let gates = &self.gates;
        let hash = FxBuildHasher.hash_one(&sorted[..]);
        let same = |&gate: &u32| matches!(&gates[gate as usize], Gate::And(wires) if **wires == sorted[..]);
        if let Some(&gate) = self.unique.find(hash, same) {
            return Wire::of_gate(gate as usize);
        }
        let wire = Wire::of_gate(self.gates.len());
        let rehash = |&gate: &u32| match &gates[gate as usize] {
            Gate::And(wires) => FxBuildHasher.hash_one(&wires[..]),
            Gate::False | Gate::Input(_) => 0,
        };
        self.unique.insert_unique(hash, wire.gate() as u32, rehash);
        self.gates.push(Gate::And(sorted.into()));
        wire
    }

    /// The wire that is on where one of `wires` is.
    pub fn or(&mut self, wires: &[Wire]) -> Wire {
        let negated: Vec<Wire> = wires.iter().map(|&wire| !wire).collect();
        !self.and(&negated)
    }

    /// The wires into all gates.
    pub(crate) fn wires(&self) -> usize {
        (0..self.gates.len()).map(|gate| self.fanin(Wire::of_gate(gate)).len()).sum()
    }

    /// For every gate, whether some of these wires depend on it. O(wires).
    pub(crate) fn needed(&self, by: impl IntoIterator<Item = Wire>) -> Vec<bool> {
        let mut needed = vec![false; self.gates.len()];
        for wire in by {
            needed[wire.gate()] = true;
        }
        for number in (0..needed.len()).rev() {
            if let (true, Gate::And(wires)) = (needed[number], &self.gates[number]) {
                for wire in wires {
                    needed[wire.gate()] = true;
                }
            }
        }
        needed
    }

    /// Builds wires of another network here, from these wires for its inputs. O(wires).
    ///
    /// # Panics
    /// If there is not one wire for each input.
    pub(crate) fn import(&mut self, other: &Network, inputs: &[Wire], wires: &[Wire]) -> Vec<Wire> {
        let needed = other.needed(wires.iter().copied());
        let place = self.rebuild(other, inputs, &needed, &mut |network, _, wires| network.and(wires));
        wires.iter().map(|&wire| follow(&place, wire)).collect()
    }

    /// Builds the needed gates of another network here, from these wires for its inputs: for each gate the wire that
    /// replaces it, `FALSE` where it is not needed. `make` is given the number of a gate and the wires that replaced
    /// those into it, each in the place of its own and so in no order. O(wires) beside what `make` does.
    ///
    /// # Panics
    /// If there is not one wire for each input.
    pub(super) fn rebuild(
        &mut self,
        other: &Network,
        inputs: &[Wire],
        needed: &[bool],
        make: &mut dyn FnMut(&mut Network, usize, &[Wire]) -> Wire,
    ) -> Vec<Wire> {
        assert_eq!(inputs.len(), other.inputs);
        let mut place: Vec<Wire> = Vec::with_capacity(other.gates.len());
        let mut into = Vec::new();
        for (number, gate) in other.gates.iter().enumerate() {
            place.push(match gate {
                Gate::Input(input) => inputs[*input as usize],
                Gate::And(wires) if needed[number] => {
                    into.clear();
                    into.extend(wires.iter().map(|&wire| follow(&place, wire)));
                    make(self, number, &into)
                }
                Gate::And(_) | Gate::False => Wire::FALSE,
            });
        }
        place
    }

    /// The values of all gates for these values of the inputs, 64 cases at once: bit `k` of each word belongs to
    /// case `k`. O(wires).
    ///
    /// # Panics
    /// If there is not one word for each input.
    pub fn evaluate(&self, inputs: &[u64]) -> Vec<u64> {
        let mut values = Vec::new();
        self.evaluate_into(inputs, &mut values);
        values
    }

    /// As [`Network::evaluate`], into a vector that is used again.
    ///
    /// # Panics
    /// If there is not one word for each input.
    pub(crate) fn evaluate_into(&self, inputs: &[u64], values: &mut Vec<u64>) {
        assert_eq!(inputs.len(), self.inputs);
        values.clear();
        values.reserve(self.gates.len());
        for gate in &self.gates {
            let value = match gate {
                Gate::False => 0,
                Gate::Input(number) => inputs[*number as usize],
                Gate::And(wires) => wires.iter().fold(!0, |all, &wire| all & value_of(values, wire)),
            };
            values.push(value);
        }
    }
}

/// The wire that replaces a wire, where these replace the gates.
pub(crate) fn follow(place: &[Wire], wire: Wire) -> Wire {
    place[wire.gate()].negate_if(wire.is_negated())
}

/// The value of a wire among the values of all gates.
pub fn value_of(values: &[u64], wire: Wire) -> u64 {
    let value = values[wire.gate()];
    if wire.is_negated() { !value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_trivial_is_folded_and_what_is_equal_is_shared() {
        let mut network = Network::new(3);
        let [a, b, c] = [0, 1, 2].map(|number| network.input(number));
        assert_eq!(network.and(&[]), Wire::TRUE);
        assert_eq!(network.or(&[]), Wire::FALSE);
        assert_eq!(network.and(&[a, a, Wire::TRUE]), a);
        assert_eq!(network.and(&[a, b, !a]), Wire::FALSE);
        assert_eq!(network.or(&[a, !a]), Wire::TRUE);
        assert_eq!(network.and(&[a, b, c]), network.and(&[c, b, a, b]));
        assert_eq!(network.or(&[!a, !b]), !network.and(&[a, b]));
        assert_eq!(network.gates().len(), 6);
    }

    #[test]
    fn a_network_computes_what_it_was_built_from() {
        let mut network = Network::new(3);
        let [a, b, c] = [0, 1, 2].map(|number| network.input(number));
        let both = network.and(&[a, b]);
        let either = network.or(&[both, !c]);
        let values = network.evaluate(&[0b1010_1010, 0b1100_1100, 0b1111_0000]);
        assert_eq!(value_of(&values, either) & 0xff, 0b1000_1000 | 0b0000_1111);
    }
}
