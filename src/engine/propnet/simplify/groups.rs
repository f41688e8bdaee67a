//! Groups of inputs of which at most one, or exactly one, is on: the moves of a role, the contents of a cell.

use crate::propnet::{Propnet, Wire};

/// Disjoint groups of inputs of a network.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The group of each input.
    of: Vec<Option<usize>>,
    groups: Vec<Group>,
}

/// Inputs of which at most one is on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The inputs, ascending.
    pub inputs: Vec<usize>,
    /// Whether one of them is always on.
    pub exact: bool,
}

impl Groups {
    /// Each role makes exactly one of its moves. Functions of the state alone read no move, so they are not concerned.
    pub fn moves(net: &Propnet) -> Groups {
        let mut groups = Groups { of: vec![None; net.network.inputs()], groups: Vec::new() };
        for range in net.does().values().iter().filter(|range| !range.is_empty()) {
            groups.add(Group { inputs: range.clone().collect(), exact: true });
        }
        groups
    }

    /// Adds a group of inputs that are in none yet.
    pub(super) fn add(&mut self, group: Group) {
        for &input in &group.inputs {
            debug_assert!(self.of[input].is_none());
            self.of[input] = Some(self.groups.len());
        }
        self.groups.push(group);
    }

    /// All groups.
    pub fn all(&self) -> &[Group] {
        &self.groups
    }

    /// The number of the group that the gate of a wire is in. Inputs are gates 1, 2, ... of every network.
    pub(super) fn of(&self, wire: Wire) -> Option<usize> {
        *self.of.get(wire.gate().checked_sub(1)?)?
    }
}
