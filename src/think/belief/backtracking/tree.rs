//! The prefix tree of a search: every history that was met and explains the evidence so far, as a node.
//!
//! All particles share it. When it is [large](Tree::is_large) it is [compacted](Tree::compact) to what some nodes
//! continue.
//!
//! An evaluation that the deadline stops leaves no trace: its answer becomes neither a node nor a branch.
//!
//! Invariant: a node explains the evidence of all steps up to its depth, and successors that do not never become nodes.

use std::sync::Arc;

use super::branches::{Among, Branch, Branches};
use super::node_id::{NodeId, ROOT};
use crate::belief::joints::LegalJoints;
use crate::belief::opponents::{Opponents, agreeing, policies};
use crate::belief::{Followed, ParticleId, UpdateCost, observed_step, refuse};
use hyperplay_machine::{Budget, BudgetAccount, Bulk, EvaluationFailure, Evidence, History, JointMove, Role};

/// A tree with more nodes is large: it takes some hundreds of megabytes.
const LARGE: usize = 1 << 19;

/// A node with at most this many branches is expanded completely where all of them will be needed.
const SMALL: u64 = 64;

#[derive(Clone)]
struct Node<S> {
    parent: NodeId,
    /// Which branch of the parent it is.
    index: u64,
    state: S,
    /// What the roles that the opponent model speaks of know.
    known: u32,
    depth: usize,
    branches: Option<Box<Branches>>,
}

#[derive_where::derive_where(Clone)]
pub(crate) struct Tree<M: Bulk> {
    machine: Arc<M>,
    scratch: M::Scratch,
    pub(crate) opponents: Option<Opponents>,
    evidence: Evidence,
    nodes: Vec<Node<M::State>>,
    large: usize,
    deepest: usize,
    deadline: Budget,
    /// The cost of this update.
    pub(crate) spent: UpdateCost,
}

impl<M: Bulk> Tree<M> {
    pub(crate) fn new(machine: Arc<M>, role: Role, opponents: Option<Opponents>) -> Self {
        let mut tree = Tree {
            scratch: machine.scratch(),
            opponents,
            evidence: Evidence::new(role),
            nodes: Vec::new(),
            large: LARGE,
            deepest: 0,
            deadline: Budget::UNLIMITED,
            spent: UpdateCost::default(),
            machine,
        };
        tree.push(ROOT, 0, tree.machine.initial(), 0, 0);
        tree
    }

    fn push(&mut self, parent: NodeId, index: u64, state: M::State, known: u32, depth: usize) -> NodeId {
        let node = NodeId::from(ParticleId(self.nodes.len()));
        self.nodes.push(Node { parent, index, state, known, depth, branches: None });
        self.deepest = self.deepest.max(depth);
        node
    }

    /// Begins an update: this is the evidence, which continues that of the last update, and evaluations stop at the
    /// deadline of the budget until [`end`](Tree::end).
    pub(crate) fn begin(&mut self, evidence: &Evidence, budget: &Budget) {
        self.evidence.follow(evidence);
        self.spent = UpdateCost::default();
        self.deadline = Budget { nodes: None, ..*budget };
        self.machine.set_deadline(&mut self.scratch, budget.deadline);
    }

    /// Ends an update. Later questions have no deadline.
    pub(crate) fn end(&mut self) {
        self.deadline = Budget::UNLIMITED;
        self.machine.set_deadline(&mut self.scratch, None);
    }

    /// Why an evaluation of the rules met a limit, if one did since the last call.
    pub(crate) fn take_failure(&mut self) -> Option<EvaluationFailure> {
        let of_model = self.opponents.as_mut().and_then(|opponents| opponents.failure.take());
        self.machine.take_failure(&mut self.scratch).or(of_model)
    }

    /// The number of steps to be explained.
    pub(crate) fn target(&self) -> usize {
        self.evidence.step()
    }

    /// The first step that no history explains, if it is known that none explains all.
    pub(crate) fn refuted(&self) -> Option<usize> {
        let root = self.nodes[0].branches.as_ref();
        (self.target() > 0 && root.is_some_and(|root| root.is_exhausted())).then_some(self.deepest + 1)
    }

    fn node(&self, node: NodeId) -> &Node<M::State> {
        &self.nodes[node.number()]
    }

    pub(crate) fn depth(&self, node: NodeId) -> usize {
        self.node(node).depth
    }

    pub(crate) fn state(&self, node: NodeId) -> &M::State {
        &self.node(node).state
    }

    /// What the roles that the opponent model speaks of know.
    pub(crate) fn known(&self, node: NodeId) -> u32 {
        self.node(node).known
    }

    /// The steps above a node, from the last to the first: each as the branches of the node before it, that node, and
    /// the branch taken.
    pub(crate) fn steps(&self, node: NodeId) -> impl Iterator<Item = (&Branches, NodeId, u64)> {
        std::iter::successors(Some(node), |&node| (node != ROOT).then(|| self.node(node).parent)).map_while(
            |node| {
                let Node { parent, index, .. } = self.node(node);
                let branches = self.node(*parent).branches.as_ref().filter(|_| node != ROOT)?;
                Some((&**branches, *parent, *index))
            },
        )
    }

    pub(crate) fn history(&self, node: NodeId) -> History {
        let joint = |(branches, _, index): (&Branches, _, _)| branches.joints.joint(index);
        let mut joints: Vec<JointMove> = self.steps(node).map(joint).collect();
        joints.reverse();
        History(joints)
    }

    /// The branches of a node above the target; `None` if the deadline passed before they were known, or there are too many.
    pub(crate) fn branches(&mut self, node: NodeId) -> Option<&mut Branches> {
        let Tree { machine, scratch, opponents, evidence, nodes, deadline, .. } = self;
        let Node { state, known, depth, branches, .. } = &mut nodes[node.number()];
        if branches.is_none() {
            let policies = |legal: &_| policies(opponents.as_mut(), *known, legal, deadline);
            let own = (evidence.role, &evidence.steps[*depth].own);
            let joints = LegalJoints::of(&**machine, state, own, policies, scratch)?;
            // Branches are numbered by 64 bits.
            if machine.is_interrupted(scratch) || joints.count() == u64::MAX {
                return None;
            }
            *branches = Some(Box::new(Branches::new(joints)));
        }
        branches.as_deref_mut()
    }

    /// Tries some untried branches of a node that has [branches](Tree::branches), each of which the account pays for;
    /// false if it does not grant them all, or the deadline passed.
    pub(crate) fn expand(&mut self, node: NodeId, untried: &[u64], account: &mut BudgetAccount) -> bool {
        if self.deadline.is_late() || !untried.iter().all(|_| account.spend()) {
            return false;
        }
        let Tree { machine, scratch, opponents, evidence, nodes, .. } = self;
        let Node { state, known, depth, branches: Some(branches), .. } = &nodes[node.number()] else {
            return false;
        };
        let (known, depth) = (*known, *depth);
        let joints: Vec<JointMove> = untried.iter().map(|&index| branches.joints.joint(index)).collect();
        let steps: Vec<(&M::State, &JointMove)> = joints.iter().map(|joint| (state, joint)).collect();
        let (opponents, observed) = (opponents.as_mut(), observed_step(evidence, depth));
        let agreeing = agreeing(opponents, &**machine, &steps, |_| known, &observed, scratch);
        let Some(agreeing) = agreeing else { return false };
        self.spent.states += untried.len() as u64;
        let mut made = vec![Branch::Contradicted; untried.len()];
        for (place, state, known) in agreeing {
            made[place] = Branch::Open(self.push(node, untried[place], state, known, depth + 1));
        }
        if let Some(branches) = &mut self.nodes[node.number()].branches {
            untried.iter().zip(made).for_each(|(&index, branch)| branches.set(index, branch));
        }
        true
    }

    /// The branches of a node that explain their own step, for which all are tried; all where they are many. With their
    /// probability; `None` if that cannot be paid for.
    pub(crate) fn own(&mut self, node: NodeId, account: &mut BudgetAccount) -> Option<(Among, f64)> {
        let branches = self.branches(node)?;
        if branches.count() > SMALL {
            return Some((Among::All, 1.0));
        }
        let untried = branches.untried();
        if !untried.is_empty() && !self.expand(node, &untried, account) {
            return None;
        }
        Some((Among::OwnConsistent, self.branches(node)?.mass(Among::OwnConsistent)))
    }

    /// Refuses evidence that nothing explains, if that is seen in the initial state.
    pub(crate) fn refuse(&mut self) -> Followed {
        refuse(&*self.machine, &self.evidence, &mut self.scratch)
    }

    /// Marks the branch that leads to a node as dead, and gives the node above.
    pub(crate) fn prune(&mut self, node: NodeId) -> NodeId {
        let Node { parent, index, .. } = *self.node(node);
        if let Some(branches) = self.nodes[parent.number()].branches.as_mut().filter(|_| node != ROOT) {
            branches.set(index, Branch::Dead);
        }
        parent
    }

    /// The node of a history that explains the evidence; `None` if it cannot be paid for.
    pub(crate) fn insert(&mut self, history: &History, account: &mut BudgetAccount) -> Option<NodeId> {
        history.0.iter().try_fold(ROOT, |node, joint| {
            let index = self.branches(node)?.joints.index_of(joint);
            self.child(node, index, account)
        })
    }

    /// The node that a branch leads to, which is tried if it was not; `None` if that cannot be paid for, or it leads
    /// nowhere.
    pub(crate) fn child(&mut self, node: NodeId, index: u64, account: &mut BudgetAccount) -> Option<NodeId> {
        if self.branches(node)?.branch(index).is_none() && !self.expand(node, &[index], account) {
            return None;
        }
        match self.branches(node)?.branch(index)? {
            Branch::Open(child) => Some(child),
            Branch::Contradicted | Branch::Dead => None,
        }
    }

    /// Whether the tree has reached the number of nodes at which those that no particle needs are dropped.
    pub(crate) fn is_large(&self) -> bool {
        self.nodes.len() >= self.large
    }

    /// Drops all but these nodes and what they continue, and gives these their new numbers. It also forgets which
    /// branches were tried.
    pub(crate) fn compact(&mut self, kept: &mut [NodeId]) {
        let histories: Vec<History> = kept.iter().map(|&node| self.history(node)).collect();
        self.nodes.truncate(1);
        self.nodes[0].branches = None;
        let mut unlimited = BudgetAccount::new(Budget::UNLIMITED);
        for (node, history) in kept.iter_mut().zip(histories) {
            *node = self.insert(&history, &mut unlimited).unwrap_or(ROOT);
        }
        self.large = LARGE.max(2 * self.nodes.len());
    }
}
