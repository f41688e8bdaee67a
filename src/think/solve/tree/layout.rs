//! The final order of a tree: children side by side, subtrees depth first, information sets by first appearance.
//!
//! The nodes below a node lie in one range: first its children, then what lies below the first child, below the second,
//! and so on. Sizes are summed from the last node made to the first (a child is made after its parent), places are
//! given from the first to the last.

use super::{CHANCE, DECISION, GameTree, InformationSet, Node};
use crate::tree::InformationSets;

impl GameTree {
    /// A tree whose nodes stand in the order in which they were met, in the final order, with the sets that were met.
    pub(super) fn laid_out(mut self, sets: &InformationSets) -> GameTree {
        for role in (0..self.roles.len()).map(hyperplay_machine::Role::new) {
            self.classes[role].freeze();
        }
        (self.nodes, self.depth) = in_depth_first_order(std::mem::take(&mut self.nodes));
        number_sets(&mut self, sets);
        self
    }
}

fn in_depth_first_order(made: Vec<Node>) -> (Vec<Node>, u32) {
    // How many nodes lie below each.
    let mut below = vec![0_u32; made.len()];
    for (node, Node { parent, .. }) in made.iter().enumerate().skip(1).rev() {
        below[*parent as usize] += below[node] + 1;
    }
    // Where each node goes, and where its children begin.
    let mut place = vec![0_u32; made.len()];
    let mut first = below;
    let mut laid = vec![Node { parent: 0, first: 0, label: 0, tag: 0 }; made.len()];
    let mut depths = vec![0_u32; made.len()];
    let mut deepest = 0;
    let mut begin = 1;
    for (node, &Node { parent, first: child, label, tag }) in made.iter().enumerate() {
        if node == 0 {
            first[0] = begin;
        }
        let children = tag >> 2;
        let own_first = first[node];
        laid[place[node] as usize] = Node {
            parent: place[parent as usize],
            first: if children == 0 { 0 } else { own_first },
            label,
            tag,
        };
        begin = own_first + children;
        for number in 0..children {
            let child = (child + number) as usize;
            place[child] = own_first + number;
            let size = first[child];
            first[child] = begin;
            begin += size;
            depths[child] = depths[node] + 1;
            deepest = deepest.max(depths[child]);
        }
    }
    (laid, deepest)
}

/// Numbers the information sets by their first nodes, and finds the own decision before each.
fn number_sets(tree: &mut GameTree, met: &InformationSets) {
    let origins = met.origins();
    tree.pool.reserve(met.moves().len());
    let mut numbers = vec![u32::MAX; origins.len()];
    for node in 0..tree.nodes.len() {
        let Node { label, tag, .. } = tree.nodes[node];
        if tag & 3 != DECISION {
            continue;
        }
        if numbers[label as usize] == u32::MAX {
            numbers[label as usize] = tree.sets.len() as u32;
            let (role, class) = origins[label as usize];
            let first = tree.pool.len() as u32;
            tree.pool.extend_from_slice(met.of(label));
            let moves = (first, tree.pool.len() as u32);
            let former = own_decision_before(tree, node, role);
            tree.sets.push(InformationSet { role, histories: 0, node: node as u32, former, class, moves });
        }
        let number = numbers[label as usize];
        tree.nodes[node].label = number;
        tree.sets[number as usize].histories += 1;
    }
}

/// The last decision of a role above a node: its information set, which has its final number, and the move.
fn own_decision_before(tree: &GameTree, node: usize, role: hyperplay_machine::Role) -> Option<(u32, u32)> {
    let mut below = node;
    while below > 0 {
        let above = tree.nodes[below].parent as usize;
        let Node { first, label, tag, .. } = tree.nodes[above];
        if tag & 3 == DECISION && tree.sets[label as usize].role == role {
            return Some((label, below as u32 - first));
        }
        debug_assert!(tag & 3 == CHANCE || tag & 3 == DECISION, "only these have children");
        below = above;
    }
    None
}
