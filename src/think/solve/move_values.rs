//! The value of each move of an information set, computed node by node.
//!
//! The value of a move is the expected payoff of its role after it, over the histories of the information set, weighted
//! by how probably chance and the other roles lead there, if all play by the profile afterwards. Where they never lead
//! there, it has no value. This walks the tree and not the sequence form, so it is also the slow second way to
//! [`judge`](super::SequenceForm::judge).

use super::profile::Profile;
use super::tree::{GameTree, NodeKind};
use hyperplay_machine::Role;

/// Values of nodes and moves for one role under a profile, in goals.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveValues {
    /// The expected goal at the start.
    pub value: f64,
    /// The expected goal after each move, in the order of a profile; NaN where chance and the other roles never lead to
    /// the information set, and for the moves of other roles.
    pub moves: Vec<f64>,
}

impl MoveValues {
    /// The values for a role. Takes time and memory in proportion to the number of nodes.
    pub fn new(tree: &GameTree, profile: &Profile, role: Role) -> MoveValues {
        let values = node_values(tree, profile, role);
        let mut sums = vec![0.0; tree.pool_len()];
        let mut masses = vec![0.0; tree.sets().len()];
        for (node, reach) in tree.node_reach(profile, Some(role)).into_iter().enumerate() {
            if let NodeKind::Decision { set } = tree.kind(node)
                && tree.sets()[set].role == role
            {
                masses[set] += reach;
                for (value, place) in values[tree.children(node)].iter().zip(tree.sets()[set].range()) {
                    sums[place] += reach * value;
                }
            }
        }
        let mut moves = vec![f64::NAN; tree.pool_len()];
        for (number, set) in tree.sets().iter().enumerate() {
            if set.role == role && masses[number] > 0.0 {
                set.range().for_each(|place| moves[place] = sums[place] / masses[number]);
            }
        }
        MoveValues { value: values[0], moves }
    }
}

/// The expected goal of a role at each node.
pub fn node_values(tree: &GameTree, profile: &Profile, role: Role) -> Vec<f64> {
    let mut values = vec![0.0; tree.len()];
    // Children stand behind their parents.
    for node in (0..tree.len()).rev() {
        let children = &values[tree.children(node)];
        values[node] = match tree.kind(node) {
            NodeKind::Terminal { goals } => f64::from(goals[role.index()]),
            NodeKind::Chance { moves, distribution } if distribution.is_uniform() => {
                children.iter().sum::<f64>() / moves.len() as f64
            }
            NodeKind::Chance { moves, distribution } => {
                let each = children.iter().enumerate();
                each.map(|(place, value)| value * distribution.probability(place, moves.len())).sum()
            }
            NodeKind::Decision { set } => {
                children.iter().zip(profile.of(tree, set)).map(|(value, share)| value * share).sum()
            }
        };
    }
    values
}
