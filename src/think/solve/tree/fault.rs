//! Faults of the rules that a tree shows: ends with several goals of a role or with none, and states without a legal move.
//!
//! They are repaired as in play: the first goal in rule order counts, 0 where there is none, and a history in which a role has
//! no legal move ends with the goals of its last state. A tree counts each kind by role, with the line of play to the first.

use std::fmt;

use super::builder::Builder;
use hyperplay_machine::{Bulk, JointMove, Role, StateMachineExt, counted};

/// Which fault of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeFaultKind {
    /// Several goals of a role hold at an end.
    SeveralGoals,
    /// No goal of a role holds at an end.
    MissingGoal,
    /// A role has no legal move in a state that is no end.
    NoLegalMove,
}

/// What is wrong at some ends of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeFault {
    /// Which fault it is.
    pub kind: TreeFaultKind,
    /// Whose goals or moves.
    pub role: String,
    /// At how many histories.
    pub histories: u64,
    /// The joint moves to one of them, each in role order and in parentheses.
    pub line: Vec<String>,
}

impl fmt::Display for TreeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TreeFault { kind, role, histories, line } = self;
        let (what, repair) = match kind {
            TreeFaultKind::SeveralGoals => ("has several goals", "the first in rule order counts"),
            TreeFaultKind::MissingGoal => ("has no goal", "it counts as 0"),
            TreeFaultKind::NoLegalMove => {
                ("has no legal move, and the game is not over", "the goals of that state count")
            }
        };
        let (ends, line) = (counted(*histories, "end"), line.join(" "));
        let line = if line.is_empty() { "at the start" } else { line.as_str() };
        write!(f, "{role} {what} at {ends} of the game tree ({repair}); for example after {line}")
    }
}

impl Builder {
    /// Notes what is wrong with the goals of a state that is an end.
    pub(super) fn note_goals<M: Bulk>(
        &mut self,
        machine: &M,
        node: u32,
        state: &M::State,
        scratch: &mut M::Scratch,
    ) {
        for role in machine.each_role().filter(|&role| Some(role) != machine.random()) {
            match machine.goal_count(state, role, scratch) {
                0 => self.note(machine, node, TreeFaultKind::MissingGoal, role, scratch),
                1 => {}
                _ => self.note(machine, node, TreeFaultKind::SeveralGoals, role, scratch),
            }
        }
    }

    /// Notes a fault at a node.
    pub(super) fn note<M: Bulk>(
        &mut self,
        machine: &M,
        node: u32,
        kind: TreeFaultKind,
        role: Role,
        scratch: &mut M::Scratch,
    ) {
        let role = &self.roles[role];
        if let Some(known) = self.faults.iter_mut().find(|known| known.kind == kind && known.role == *role) {
            known.histories += 1;
            return;
        }
        let show = |joint: JointMove| {
            let moves = machine.each_role().map(|role| machine.show_move(joint.of(role)));
            format!("({})", moves.collect::<Vec<_>>().join(" "))
        };
        let line = self.line_to(machine, node, scratch).into_iter().map(show).collect();
        self.faults.push(TreeFault { kind, role: role.clone(), histories: 1, line });
    }

    /// The joint moves to a node. Who has one move makes it; the nodes above say what the others chose.
    fn line_to<M: Bulk>(&self, machine: &M, node: u32, scratch: &mut M::Scratch) -> Vec<JointMove> {
        let mut choices = Vec::new();
        let mut below = node;
        while below != 0 {
            let above = self.nodes[below as usize].parent;
            choices.push((below - self.nodes[above as usize].first) as usize);
            below = above;
        }
        let (mut state, mut line) = (machine.initial(), Vec::new());
        while !choices.is_empty() {
            let legal = machine.legal_by_role(&state, scratch);
            let mut joint = JointMove::new(legal.values().iter().map(|moves| moves[0]));
            let others = machine.each_role().filter(|&role| Some(role) != machine.random());
            for role in machine.random().into_iter().chain(others).filter(|&role| legal[role].len() > 1) {
                joint = joint.with(role, legal[role][choices.pop().expect("a node for each choice")]);
            }
            state = machine.next(&state, &joint, scratch);
            line.push(joint);
        }
        line
    }
}
