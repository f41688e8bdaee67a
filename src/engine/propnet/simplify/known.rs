//! The values that are known wherever a gate matters, and those that follow from them directly.
//!
//! A wire implies the wires of its AND, the legality of a move that is made, and that no other member of its group is
//! on. There is no search, and implications are followed to a bounded length.

use super::super::network::{Network, Wire};
use super::groups::Groups;

/// How many wires are followed from one wire.
const REACH: usize = 256;

/// Wires of a network that are known to be on.
pub(super) struct Known<'a> {
    groups: &'a Groups,
    /// The wire that follows from each input that is a move: its legality.
    legal: Vec<Option<Wire>>,
    /// Whether each wire is known to be on, by index.
    on: Vec<bool>,
    /// The member of each group that is known to be on.
    chosen: Vec<Option<Wire>>,
    /// The known wires, in the order in which they became known.
    pub(super) trail: Vec<Wire>,
}

impl<'a> Known<'a> {
    /// Nothing.
    pub(super) fn new(inputs: usize, groups: &'a Groups) -> Known<'a> {
        let chosen = vec![None; groups.all().len()];
        Known { groups, legal: vec![None; inputs], on: Vec::new(), chosen, trail: Vec::new() }
    }

    /// States that a wire is on wherever an input is.
    pub(super) fn follows(&mut self, input: usize, wire: Wire) {
        self.legal[input] = Some(wire);
    }

    /// The wire that follows from the input of `wire`, where `wire` is an input or the complement of one.
    pub(super) fn legal_of(&self, wire: Wire) -> Option<Wire> {
        *self.legal.get(wire.gate().checked_sub(1)?)?
    }

    /// Whether a wire is known to be on.
    pub(super) fn holds(&self, wire: Wire) -> bool {
        if wire == Wire::TRUE || self.on.get(wire.index()).is_some_and(|&known| known) {
            return true;
        }
        let chosen = || self.chosen[self.groups.of(wire)?];
        wire.is_negated() && chosen().is_some_and(|chosen| chosen != !wire)
    }

    /// Makes a wire known, with what follows from it; false if it contradicts what is known.
    pub(super) fn assume(&mut self, network: &Network, wire: Wire) -> bool {
        self.on.resize(2 * network.gates().len(), false);
        let mut open = vec![wire];
        let mut reach = REACH;
        while let Some(wire) = open.pop() {
            if self.holds(!wire) {
                return false;
            }
            if std::mem::replace(&mut self.on[wire.index()], true) {
                continue;
            }
            self.trail.push(wire);
            if wire.is_negated() {
                continue;
            }
            if let Some(group) = self.groups.of(wire) {
                self.chosen[group].get_or_insert(wire);
            }
            let inner = network.fanin(wire);
            if inner.len() <= reach {
                reach -= inner.len();
                open.extend_from_slice(inner);
            }
            open.extend(self.legal_of(wire));
        }
        true
    }

    /// Forgets what became known since the trail had a length.
    pub(super) fn forget(&mut self, length: usize) {
        for wire in self.trail.drain(length..) {
            self.on[wire.index()] = false;
            if let Some(group) = self.groups.of(wire)
                && self.chosen[group] == Some(wire)
            {
                self.chosen[group] = None;
            }
        }
    }
}
