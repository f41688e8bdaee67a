//! The prefix tree of a belief: every history that was met and explains the evidence so far, as a node.
//!
//! A node is a prefix of histories, and its number is its key. It holds the state, which branch of its parent it is,
//! what every role perceived of that step, and its [`Branches`]. All particles of a belief share the tree.
//!
//! Successors beside the particles are kept, because many will be requested again. But when the tree has become
//! [large](Tree::is_large), it is [compacted](Tree::compact): nodes that are on no particle's history are dropped.
//! The tree still knows which branches are inconsistent.
//!
//! An update may have a deadline ([`Tree::begin_update`]). An evaluation that the deadline stops leaves no trace: its
//! answer becomes neither a node nor a branch, and from then on the tree [is cut](Tree::is_cut) and grows no more until
//! the next update.
//!
//! Invariant: a node explains the evidence of all steps up to its depth (every move is legal, the own move is
//! admitted, the own percepts are equal, and the game is over exactly where the evidence says so), and no node lies
//! below a terminal one. Successors that do not explain the evidence never become nodes; their branch is
//! inconsistent.
//!
//! [`Tree::expand`] is the only way to new nodes. It expands in blocks what many particles request
//! ([`lockstep`](super::lockstep)); every state visited is paid for from a
//! [`BudgetAccount`](hyperplay_machine::BudgetAccount).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::branches::{Branches, joint_policy};
use super::node_id::{NodeId, ROOT};
use crate::belief::UpdateCost;
use crate::belief::model::OpponentModel;
use crate::tree::Numbered;
use hyperplay_machine::{
    Budget, Bulk, ByRole, ChanceDistribution, EvaluationFailure, Evidence, History, JointMove, Move,
    Observation, OwnMove, Percepts, Role, StateMachineExt, Successor,
};

/// A tree with fewer nodes is never compacted: it takes some tens of megabytes.
const LARGE: usize = 1 << 19;

/// A tree is large when it has grown by one such part of what the last compaction left.
const GROWTH: usize = 4;

struct Node<S> {
    parent: NodeId,
    /// Which branch of the parent it is.
    index: u64,
    state: S,
    /// Its place in the list of all that was perceived.
    percepts: u32,
    /// A hash of what the roles that the opponent model speaks of know; 0 for all under uniform opponents.
    known: u128,
    depth: u32,
    /// The greatest depth at which a descendant is known.
    reach: u32,
    branches: Option<Box<Branches>>,
}

pub(in crate::belief) struct Tree<M: Bulk> {
    machine: Arc<M>,
    model: Arc<dyn OpponentModel>,
    scratch: M::Scratch,
    evidence: Evidence,
    nodes: Vec<Node<M::State>>,
    /// The number of nodes from which on the tree is large.
    large: usize,
    /// All that the roles perceived of some step; many nodes share it.
    perceived: Numbered<ByRole<Percepts>>,
    /// The lists of moves that nodes share.
    lists: FxHashSet<Arc<ByRole<Vec<Move>>>>,
    deepest: usize,
    /// The cost since the beginning.
    pub(in crate::belief) spent: UpdateCost,
    /// A failure of evaluation that the opponent model met, or a tree which was dropped.
    failure: Option<EvaluationFailure>,
    /// The deadline of this update.
    deadline: Budget,
    /// Whether an evaluation of this update was stopped by its deadline.
    is_cut: bool,
    /// The answer about the branches of a node that were not computed in time.
    unknown: Box<Branches>,
}

impl<M: Bulk> Tree<M> {
    pub(in crate::belief) fn new(machine: Arc<M>, model: Arc<dyn OpponentModel>, role: Role) -> Self {
        let scratch = machine.scratch();
        let evidence = Evidence::new(role);
        let mut tree = Tree {
            machine,
            model,
            scratch,
            evidence,
            nodes: Vec::new(),
            large: LARGE,
            perceived: Numbered::default(),
            lists: FxHashSet::default(),
            deepest: 0,
            spent: UpdateCost::default(),
            failure: None,
            deadline: Budget::UNLIMITED,
            is_cut: false,
            unknown: Box::new(Branches::unknown()),
        };
        tree.clear();
        tree
    }

    /// A tree of the same game and role that knows nothing, and goes on counting what is spent.
    pub(in crate::belief) fn empty_like(&self) -> Self {
        let mut new = Tree::new(Arc::clone(&self.machine), Arc::clone(&self.model), self.evidence.role);
        new.begin_update(&self.deadline);
        Tree { spent: self.spent, ..new }
    }

    /// Begins an update: evaluations stop at this deadline from now on, until [`end_update`](Tree::end_update).
    pub(in crate::belief) fn begin_update(&mut self, budget: &Budget) {
        (self.is_cut, self.deadline) = (false, Budget { nodes: None, ..*budget });
        self.machine.set_deadline(&mut self.scratch, budget.deadline);
    }

    /// Ends an update. Later questions have no deadline.
    pub(in crate::belief) fn end_update(&mut self) {
        self.begin_update(&Budget::UNLIMITED);
    }

    /// Whether the deadline of this update stopped an evaluation. Then nothing more is found out in it.
    pub(in crate::belief) fn is_cut(&mut self) -> bool {
        self.is_cut = self.is_cut || self.machine.is_interrupted(&self.scratch);
        self.is_cut
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.large = LARGE;
        self.nodes.push(Node {
            parent: ROOT,
            index: 0,
            state: self.machine.initial(),
            percepts: self.perceived.insert_full(ByRole::default()).0 as u32,
            known: 0,
            depth: 0,
            reach: 0,
            branches: None,
        });
        self.deepest = 0;
    }

    /// Records new evidence. Returns false if it does not continue the evidence known so far; the tree is then
    /// emptied.
    pub(in crate::belief) fn learn(&mut self, evidence: &Evidence) -> bool {
        let continues = self.evidence.follow(evidence);
        if !continues {
            self.clear();
        }
        continues
    }

    /// Whether the initial state explains that nothing has happened yet.
    pub(in crate::belief) fn begins(&mut self) -> bool {
        self.target() > 0
            || self.machine.terminal(&self.nodes[0].state, &mut self.scratch) == self.evidence.over
    }

    /// The data on which the probability of all that may follow a history depends: its state, and the knowledge of the
    /// roles that the model speaks of. A hash of 128 bits tells their knowledge apart.
    pub(in crate::belief) fn key(&self, node: NodeId) -> (&M::State, u128) {
        let Node { state, known, .. } = self.node(node);
        (state, *known)
    }

    /// The hash of what the roles that the model speaks of know after a step.
    fn known_after(&self, parent: NodeId, joint: &JointMove, percepts: &ByRole<Percepts>) -> u128 {
        if self.model.is_uniform() {
            return 0;
        }
        let is_modelled = |role: &Role| *role != self.evidence.role && Some(*role) != self.machine.random();
        let half = |half: u8| {
            let mut hasher = DefaultHasher::new();
            (half, self.node(parent).known).hash(&mut hasher);
            for role in self.machine.each_role().filter(is_modelled) {
                (joint.of(role), &percepts[role]).hash(&mut hasher);
            }
            u128::from(hasher.finish())
        };
        half(0) << 64 | half(1)
    }

    /// Why an evaluation of the rules met a limit, if one did since the last call.
    pub(in crate::belief) fn take_failure(&mut self) -> Option<EvaluationFailure> {
        let own = self.machine.take_failure(&mut self.scratch);
        self.failure.take().or(own)
    }

    /// Remembers the failure that another tree of the same belief, which is about to be dropped, has met.
    pub(in crate::belief) fn keep_failure(&mut self, other: &mut Tree<M>) {
        self.failure = self.take_failure().or_else(|| other.take_failure());
    }

    /// The evidence that is to be explained.
    pub(in crate::belief) fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The number of steps to be explained.
    pub(in crate::belief) fn target(&self) -> usize {
        self.evidence.step()
    }

    /// Whether it is proven that no history explains the evidence.
    pub(in crate::belief) fn is_refuted(&mut self) -> bool {
        self.target() > 0 && self.branches(ROOT).is_exhausted()
    }

    /// The first step whose evidence nothing met so far explains.
    pub(in crate::belief) fn unexplained(&self) -> usize {
        self.deepest + 1
    }

    pub(in crate::belief) fn depth(&self, node: NodeId) -> usize {
        self.node(node).depth as usize
    }

    pub(in crate::belief) fn reach(&self, node: NodeId) -> usize {
        self.node(node).reach as usize
    }

    pub(in crate::belief) fn state(&self, node: NodeId) -> &M::State {
        &self.node(node).state
    }

    /// The parent, and which of its branches leads here; `None` at the root.
    pub(in crate::belief) fn parent(&self, node: NodeId) -> Option<(NodeId, u64)> {
        (node != ROOT).then(|| (self.node(node).parent, self.node(node).index))
    }

    /// The steps above a node, from the last to the first: each as the node before it and the branch taken.
    pub(in crate::belief) fn steps(&self, node: NodeId) -> impl Iterator<Item = (NodeId, u64)> + '_ {
        std::iter::successors(self.parent(node), |&(above, _)| self.parent(above))
    }

    pub(in crate::belief) fn history(&self, node: NodeId) -> History {
        let mut joints: Vec<JointMove> =
            self.steps(node).map(|(above, index)| self.joint(above, index)).collect();
        joints.reverse();
        History(joints)
    }

    /// The joint move of a branch of a node that has successors.
    fn joint(&self, node: NodeId, index: u64) -> JointMove {
        let branches = self.node(node).branches.as_ref();
        branches.expect("a node with a successor has branches").joint(index)
    }

    /// The evidence of `role` after a history.
    pub(in crate::belief) fn evidence_of(&self, node: NodeId, role: Role) -> Evidence {
        let mut steps = Vec::with_capacity(self.depth(node));
        let mut below = node;
        for (above, index) in self.steps(node) {
            let percepts = self.perceived[self.node(below).percepts as usize][role].clone();
            steps.push(Observation { own: OwnMove::Known(self.joint(above, index).of(role)), percepts });
            below = above;
        }
        steps.reverse();
        let over = self.evidence.over && self.depth(node) == self.target();
        Evidence { role, steps, over }
    }

    /// The branches of a node above the target. Where the deadline passed before they were computed, they are one that
    /// is untried, and the tree is cut.
    pub(in crate::belief) fn branches(&mut self, node: NodeId) -> &mut Branches {
        if self.node(node).branches.is_none() {
            let branches = self.make_branches(node);
            if self.is_cut() {
                *self.unknown = Branches::unknown();
                return &mut self.unknown;
            }
            self.nodes[node.number()].branches = Some(Box::new(branches));
        }
        self.nodes[node.number()].branches.as_mut().expect("made above")
    }

    fn make_branches(&mut self, node: NodeId) -> Branches {
        let Node { state, depth, .. } = &self.nodes[node.number()];
        let me = self.evidence.role;
        let mut legal = self.machine.legal_by_role(state, &mut self.scratch);
        let own = self.evidence.steps[*depth as usize].own.among(&mut legal[me]);
        let chance = ChanceDistribution::of(&*self.machine, state, &mut self.scratch);
        if self.machine.terminal(state, &mut self.scratch) {
            // Only the initial state can be terminal here.
            legal[me].clear();
        }
        if self.is_cut() {
            return Branches::unknown();
        }
        let mut failure = self.failure.take();
        let known = |role| self.evidence_of(node, role);
        let policy =
            joint_policy(&*self.machine, &*self.model, (me, own), &legal, &chance, known, &mut failure);
        self.failure = failure;
        let shared = self.lists.get(&legal).map(Arc::clone);
        let moves = shared.unwrap_or_else(|| {
            let moves = Arc::new(legal);
            self.lists.insert(Arc::clone(&moves));
            moves
        });
        Branches::new(moves, policy)
    }

    /// Makes nodes of those successors that explain the evidence. The branches are untried, each is given once, and
    /// all are paid for. After the deadline there are fewer results: those of the first requests only.
    pub(in crate::belief) fn expand(&mut self, requests: &[(NodeId, u64)]) -> Vec<Option<NodeId>> {
        if self.machine.at_once() > 1 || self.deadline.reproduces() {
            return self.expand_together(requests);
        }
        // One after the other, so that what was computed before the deadline counts.
        requests.chunks(1).flat_map(|one| self.expand_together(one)).collect()
    }

    fn expand_together(&mut self, requests: &[(NodeId, u64)]) -> Vec<Option<NodeId>> {
        if self.is_cut() {
            return Vec::new();
        }
        let joints: Vec<JointMove> =
            requests.iter().map(|&(node, index)| self.branches(node).joint(index)).collect();
        let states = requests.iter().map(|(node, _)| &self.nodes[node.number()].state);
        let steps: Vec<(&M::State, &JointMove)> = states.zip(&joints).collect();
        let successors = self.machine.expand(&steps, &mut self.scratch);
        if self.is_cut() {
            return Vec::new();
        }
        self.spent.states += requests.len() as u64;
        let made = requests.iter().zip(successors);
        let made = made.zip(&joints);
        made.map(|((&(node, index), successor), joint)| self.take(node, index, joint, successor)).collect()
    }

    fn take(
        &mut self,
        parent: NodeId,
        index: u64,
        joint: &JointMove,
        successor: Successor<M::State>,
    ) -> Option<NodeId> {
        let depth = self.depth(parent) + 1;
        let Successor { state, percepts, end, .. } = successor;
        let over = self.evidence.over && depth == self.target();
        let seen = &self.evidence.steps[depth - 1].percepts;
        if percepts[self.evidence.role] != *seen || end.is_some() != over {
            return None;
        }
        let child = NodeId::numbered(self.nodes.len());
        let known = self.known_after(parent, joint, &percepts);
        let (percepts, short) = (self.perceived.insert_full(percepts).0 as u32, depth as u32);
        let node = Node { parent, index, state, percepts, known, depth: short, reach: short, branches: None };
        self.nodes.push(node);
        self.branches(parent).set_open(index, child);
        self.deepest = self.deepest.max(depth);
        Some(child)
    }

    /// Marks the branch that leads to a node as inconsistent, because all branches of the node are.
    pub(in crate::belief) fn prune(&mut self, node: NodeId) {
        if let Some((parent, index)) = self.parent(node) {
            self.branches(parent).mark_dead(index);
        }
    }

    /// Whether nothing below a node explains the evidence, as rejection found out.
    pub(in crate::belief) fn is_hopeless(&self, node: NodeId) -> bool {
        self.node(node).branches.as_ref().is_some_and(|branches| branches.is_hopeless)
    }

    /// Records along its prefixes that a node exists at its depth.
    pub(in crate::belief) fn witness(&mut self, node: NodeId) {
        let depth = self.node(node).depth;
        let mut node = node;
        while self.node(node).reach < depth || self.node(node).depth == depth {
            self.nodes[node.number()].reach = depth;
            match self.parent(node) {
                Some((parent, _)) => node = parent,
                None => break,
            }
        }
    }

    /// Whether there are enough nodes that those of no particle should be dropped.
    pub(in crate::belief) fn is_large(&self) -> bool {
        self.nodes.len() >= self.large
    }

    /// Drops all nodes but these and their prefixes, and gives these their new numbers. The tree still knows whether
    /// a dropped branch was open or inconsistent. Takes time linear in the number of nodes.
    pub(in crate::belief) fn compact<'a>(&mut self, kept: impl Iterator<Item = &'a mut NodeId>) {
        const GONE: u32 = u32::MAX;
        let mut numbers = vec![GONE; self.nodes.len()];
        numbers[ROOT.number()] = 0;
        let kept: Vec<&mut NodeId> = kept.collect();
        for node in &kept {
            let mut node = **node;
            while numbers[node.number()] == GONE {
                numbers[node.number()] = 0;
                node = self.node(node).parent;
            }
        }
        // A prefix has a lower number than what continues it, before and after.
        for (next, number) in (0..).zip(numbers.iter_mut().filter(|number| **number != GONE)) {
            *number = next;
        }
        let number = |node: NodeId| {
            (numbers[node.number()] != GONE).then(|| NodeId::numbered(numbers[node.number()] as usize))
        };
        let mut place = 0;
        self.nodes.retain_mut(|node| {
            let stays = numbers[place] != GONE;
            place += 1;
            if stays {
                node.parent = number(node.parent).expect("prefixes of what is kept are kept");
                if let Some(branches) = &mut node.branches {
                    branches.renumber(number);
                }
            }
            stays
        });
        for node in kept {
            *node = NodeId::numbered(numbers[node.number()] as usize);
        }
        self.large = LARGE.max(self.nodes.len() + self.nodes.len() / GROWTH);
    }

    fn node(&self, node: NodeId) -> &Node<M::State> {
        &self.nodes[node.number()]
    }
}
