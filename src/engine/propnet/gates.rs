//! The gates of a game under construction, counted against the limits.

use super::limits::{GroundingLimits, TooLarge, What, check};
use super::network::{Network, Wire};
use hyperplay_logic::datalog::Condition;

/// Bytes of an atom: its tuple, its places in the tables, its wire.
const ATOM_BYTES: u64 = 80;
/// Bytes of an instance that waits for its atom to be complete.
const WAY_BYTES: u64 = 8;
/// Bytes of a gate: its wires, twice, and its place in the table.
const GATE_BYTES: u64 = 140;

/// One instance of a rule of a recursive stratum.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The number of the head among the atoms of the stratum.
    pub(super) head: usize,
    /// The numbers of the atoms of the stratum in the body.
    pub(super) own: Box<[usize]>,
    /// The rest of the body.
    pub(super) rest: Wire,
}

/// The gates of a game under construction.
#[derive(Debug)]
pub(super) struct Gates {
    pub(super) network: Network,
    /// For each relation that depends on the state, the wire of each row.
    pub(super) wires: Vec<Vec<Wire>>,
    limits: GroundingLimits,
    /// Atoms of the domain.
    atoms: u64,
    /// Instances of rules so far.
    pub(super) instances: u64,
    /// The most bytes that were in use, by estimate.
    pub(super) bytes: u64,
}

impl Gates {
    /// Gates over the inputs of a network, with `relations` relations that hold `atoms` atoms.
    pub(super) fn new(network: Network, relations: usize, atoms: usize, limits: &GroundingLimits) -> Gates {
        let wires = vec![Vec::new(); relations];
        Gates { network, wires, limits: *limits, atoms: atoms as u64, instances: 0, bytes: 0 }
    }

    /// Checks that `instances` more instances may be added.
    pub(super) fn expect(&self, instances: u64, relation: &str) -> Result<(), TooLarge> {
        check(self.instances + instances, self.limits.instances, || What::Instances(relation.to_owned()))
    }

    /// The wire of a condition whose relation is built.
    pub(super) fn value(&self, condition: &Condition) -> Wire {
        self.wires[condition.relation][condition.row].negate_if(condition.negated)
    }

    /// Counts one more instance, `waiting` of which are not yet gates.
    pub(super) fn count(&mut self, waiting: usize, relation: &str) -> Result<(), TooLarge> {
        self.instances += 1;
        check(self.instances, self.limits.instances, || What::Instances(relation.to_owned()))?;
        self.weigh(waiting, relation)
    }

    /// Checks the gates and the bytes.
    pub(super) fn weigh(&mut self, waiting: usize, relation: &str) -> Result<(), TooLarge> {
        let gates = self.network.gates().len();
        check(gates as u64, self.limits.gates as u64, || What::Gates(relation.to_owned()))?;
        let bytes = self.atoms * ATOM_BYTES + gates as u64 * GATE_BYTES + waiting as u64 * WAY_BYTES;
        self.bytes = self.bytes.max(bytes);
        check(bytes, self.limits.bytes, || What::Bytes)
    }
}
