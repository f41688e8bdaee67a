//! Noting the faults of the rules at the nodes of a tree under construction.

use super::GameTree;
use super::fault::{TreeFault, TreeFaultKind};
use hyperplay_machine::{Bulk, JointMove, Role, StateMachineExt};

impl GameTree {
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

    /// The joint moves to a node. A role with one move makes it; the nodes above say what the others chose.
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
