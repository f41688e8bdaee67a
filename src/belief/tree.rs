//! The prefix tree of a belief: every history that was met and explains the evidence so far, as a node.
//!
//! A node is a prefix; its key is its number. It holds the state, the joint move that led to it, what every role
//! perceived of that step, and its [`Branches`]. All particles of a belief share the tree, for the whole match.
//!
//! Invariant: a node explains the evidence of all steps up to its depth (every move legal, the own move admitted, the
//! own percepts equal, over exactly where the evidence says so), and no node lies below a terminal one. Successors
//! that do not explain the evidence never become nodes; their branch is dead.
//!
//! [`Tree::expand`] is the only way to new nodes. It expands in blocks what many particles ask for
//! ([`in_step`](super::in_step)); every state visited is paid for from a [`Meter`](crate::machine::Meter).

use std::sync::Arc;

use super::Cost;
use super::branches::Branches;
use super::model::OpponentModel;
use crate::machine::{
    Bulk, ByRole, Evidence, History, JointMove, Observation, OwnMove, Percepts, Role, StateMachineExt,
    Successor,
};

/// A history in the tree of one belief.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The history with this number, of a belief that counts its own.
    pub(super) fn numbered(number: usize) -> NodeId {
        NodeId(u32::try_from(number).expect("memory ends long before 2^32 histories"))
    }

    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// The empty history.
pub(super) const ROOT: NodeId = NodeId(0);

struct Node<S> {
    parent: NodeId,
    /// Which branch of the parent it is.
    index: u64,
    joint: JointMove,
    state: S,
    percepts: ByRole<Percepts>,
    depth: usize,
    /// The greatest depth at which a descendant is known.
    reach: usize,
    branches: Option<Box<Branches>>,
}

pub(super) struct Tree<M: Bulk> {
    machine: Arc<M>,
    model: Arc<dyn OpponentModel>,
    scratch: M::Scratch,
    evidence: Evidence,
    nodes: Vec<Node<M::State>>,
    deepest: usize,
    /// What was spent since the beginning.
    pub(super) spent: Cost,
}

impl<M: Bulk> Tree<M> {
    pub(super) fn new(machine: Arc<M>, model: Arc<dyn OpponentModel>, role: Role) -> Self {
        let scratch = machine.scratch();
        let evidence = Evidence::new(role);
        let mut tree =
            Tree { machine, model, scratch, evidence, nodes: Vec::new(), deepest: 0, spent: Cost::default() };
        tree.clear();
        tree
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node {
            parent: ROOT,
            index: 0,
            joint: JointMove::default(),
            state: self.machine.initial(),
            percepts: ByRole::default(),
            depth: 0,
            reach: 0,
            branches: None,
        });
        self.deepest = 0;
    }

    /// Takes in evidence. False if it does not continue the evidence known so far: the tree is then empty again.
    pub(super) fn learn(&mut self, evidence: &Evidence) -> bool {
        let known = self.evidence.step();
        let continues = evidence.role == self.evidence.role
            && evidence.steps.get(..known).is_some_and(|start| *start == *self.evidence.steps)
            && if evidence.step() == known {
                evidence.over == self.evidence.over
            } else {
                !self.evidence.over
            };
        if continues {
            self.evidence.steps.extend_from_slice(&evidence.steps[known..]);
            self.evidence.over = evidence.over;
        } else {
            self.evidence = evidence.clone();
            self.clear();
        }
        continues
    }

    /// Whether the initial state explains that nothing has happened yet.
    pub(super) fn begins(&mut self) -> bool {
        self.target() > 0
            || self.machine.terminal(&self.nodes[0].state, &mut self.scratch) == self.evidence.over
    }

    /// Whether what follows a history depends on its state alone.
    pub(super) fn is_memoryless(&self) -> bool {
        self.model.is_uniform()
    }

    /// The number of steps to be explained.
    pub(super) fn target(&self) -> usize {
        self.evidence.step()
    }

    /// Whether it is proven that no history explains the evidence.
    pub(super) fn is_refuted(&mut self) -> bool {
        self.target() > 0 && self.branches(ROOT).is_barren()
    }

    /// The first step whose evidence nothing met so far explains.
    pub(super) fn unexplained(&self) -> usize {
        self.deepest + 1
    }

    /// States visited since the beginning.
    pub(super) fn visited(&self) -> u64 {
        self.spent.states
    }

    pub(super) fn depth(&self, node: NodeId) -> usize {
        self.node(node).depth
    }

    pub(super) fn reach(&self, node: NodeId) -> usize {
        self.node(node).reach
    }

    pub(super) fn state(&self, node: NodeId) -> &M::State {
        &self.node(node).state
    }

    /// The parent, and which of its branches leads here; `None` at the root.
    pub(super) fn parent(&self, node: NodeId) -> Option<(NodeId, u64)> {
        (node != ROOT).then(|| (self.node(node).parent, self.node(node).index))
    }

    /// The steps above a node, from the last to the first: each as the node before it and the branch taken.
    pub(super) fn steps(&self, node: NodeId) -> impl Iterator<Item = (NodeId, u64)> + '_ {
        std::iter::successors(self.parent(node), |&(above, _)| self.parent(above))
    }

    pub(super) fn history(&self, node: NodeId) -> History {
        let mut joints = Vec::with_capacity(self.depth(node));
        let mut below = node;
        for (above, _) in self.steps(node) {
            joints.push(self.node(below).joint.clone());
            below = above;
        }
        joints.reverse();
        History(joints)
    }

    /// What `role` knows after a history.
    pub(super) fn evidence_of(&self, node: NodeId, role: Role) -> Evidence {
        let mut steps = Vec::with_capacity(self.depth(node));
        let mut below = node;
        for (above, _) in self.steps(node) {
            let Node { joint, percepts, .. } = self.node(below);
            steps.push(Observation { own: OwnMove::Known(joint.of(role)), percepts: percepts[role].clone() });
            below = above;
        }
        steps.reverse();
        let over = self.evidence.over && self.depth(node) == self.target();
        Evidence { role, steps, over }
    }

    /// The branches of a node above the target.
    pub(super) fn branches(&mut self, node: NodeId) -> &mut Branches {
        if self.node(node).branches.is_none() {
            let branches = self.make_branches(node);
            self.nodes[node.0 as usize].branches = Some(Box::new(branches));
        }
        self.nodes[node.0 as usize].branches.as_mut().expect("made above")
    }

    fn make_branches(&mut self, node: NodeId) -> Branches {
        let Node { state, depth, .. } = &self.nodes[node.0 as usize];
        let me = self.evidence.role;
        let mut legal = self.machine.legal_by_role(state, &mut self.scratch);
        let own = &self.evidence.steps[*depth].own;
        legal[me].retain(|&candidate| own.admits(candidate));
        if self.machine.terminal(state, &mut self.scratch) {
            // Only the initial state can be terminal here.
            legal[me].clear();
        }
        let policy = (!self.model.is_uniform()).then(|| {
            ByRole::from_fn(legal.len(), |role| {
                let moves = &legal[role];
                if role == me || Some(role) == self.machine.random() {
                    vec![1.0 / moves.len() as f64; moves.len()]
                } else {
                    self.model.policy(role, &self.evidence_of(node, role), moves)
                }
            })
        });
        Branches::new(legal, policy)
    }

    /// Makes nodes of those successors that explain the evidence. The branches are untried, each given once, and paid for.
    pub(super) fn expand(&mut self, asked: &[(NodeId, u64)]) -> Vec<Option<NodeId>> {
        let joints: Vec<JointMove> =
            asked.iter().map(|&(node, index)| self.branches(node).joint(index)).collect();
        let states = asked.iter().map(|(node, _)| &self.nodes[node.0 as usize].state);
        let steps: Vec<(&M::State, &JointMove)> = states.zip(&joints).collect();
        let successors = self.machine.expand(&steps, &mut self.scratch);
        self.spent.states += asked.len() as u64;
        let made = asked.iter().zip(joints).zip(successors);
        made.map(|((&(node, index), joint), successor)| self.take(node, index, joint, successor)).collect()
    }

    fn take(
        &mut self,
        parent: NodeId,
        index: u64,
        joint: JointMove,
        successor: Successor<M::State>,
    ) -> Option<NodeId> {
        let depth = self.depth(parent) + 1;
        let Successor { state, percepts, end } = successor;
        let over = self.evidence.over && depth == self.target();
        let seen = &self.evidence.steps[depth - 1].percepts;
        if percepts[self.evidence.role] != *seen || end.is_some() != over {
            return None;
        }
        let child = NodeId::numbered(self.nodes.len());
        self.nodes.push(Node { parent, index, joint, state, percepts, depth, reach: depth, branches: None });
        self.branches(parent).set_open(index, child);
        self.deepest = self.deepest.max(depth);
        Some(child)
    }

    /// Marks the branch that leads to a node as dead, because all branches of the node are.
    pub(super) fn bury(&mut self, node: NodeId) {
        if let Some((parent, index)) = self.parent(node) {
            self.branches(parent).close(index);
        }
    }

    /// Records along its prefixes that a node exists at its depth.
    pub(super) fn witness(&mut self, node: NodeId) {
        let depth = self.depth(node);
        let mut node = node;
        while self.node(node).reach < depth || self.node(node).depth == depth {
            self.nodes[node.0 as usize].reach = depth;
            match self.parent(node) {
                Some((parent, _)) => node = parent,
                None => break,
            }
        }
    }

    fn node(&self, node: NodeId) -> &Node<M::State> {
        &self.nodes[node.0 as usize]
    }
}
