//! Node: one tree of states with what each role has learnt at each of them.
//!
//! A tree grows by one node a descent. [`Tree::descend`] follows the bandits from the root to the first joint move
//! that has no node yet ([`Leaf::New`]) or to the end of the game. [`Tree::learn`] credits the goals to every arm on
//! the way. The tree does not step the game: the caller advances the new leaves of many descents in one call. A state
//! that is reached in two ways has two nodes.
//!
//! A descent counts as many times as its leaf has playouts, also where it comes to an end. An arm counts playouts, and
//! their mean is that of its descents.
//!
//! Invariant: `tried >= known` for every arm, with equality when no descent is under way and no deadline has passed.

use rand::Rng;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::bandit::{Arm, select};
use hyperplay_machine::{Bulk, ByRole, ChanceDistribution, Goal, JointMove, Move, Role, StateMachineExt};

/// The weight of exploration, for goals scaled to 0..=1 (that of Finnsson, Björnsson 2008).
const EXPLORATION: f64 = 0.4;

/// Nodes of a tree, so that it fits the memory: a descent that comes to its edge then plays out from there.
const MOST_NODES: usize = 1 << 20;

/// A node by its position in its tree.
pub(super) type Index = u32;

/// A state of the tree.
#[derive(Debug)]
struct Node<S> {
    state: S,
    /// The goals, if the game is over here (or a role has no move, a fault of the rules that ends the game here).
    end: Option<ByRole<Goal>>,
    /// The moves and what is known of them, by role; empty until the first descent through the node.
    legal: ByRole<Vec<Move>>,
    arms: ByRole<Vec<Arm>>,
    /// How likely the moves of `random` are.
    chance: ChanceDistribution,
}

/// One step of a descent: at which node, and the position of the move of each role.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Taken {
    node: Index,
    positions: SmallVec<[u32; 4]>,
}

/// Where a descent came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// The end of the game.
    End(ByRole<Goal>),
    /// A joint move whose successor is no node yet.
    New(JointMove),
}

/// A way down the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Descent {
    path: Vec<Taken>,
    /// How often it counts: the playouts that are made from its leaf.
    pub weight: u32,
    /// Where it came to.
    pub leaf: Leaf,
}

/// The tree over one state.
#[derive(Debug)]
pub(super) struct Tree<S> {
    nodes: Vec<Node<S>>,
    /// By node and number of the joint move there.
    children: FxHashMap<(Index, u64), Index>,
}

impl<S: Clone> Tree<S> {
    /// The tree that has only its root, not terminal.
    pub fn new(root: S) -> Self {
        let mut tree = Tree { nodes: Vec::new(), children: FxHashMap::default() };
        tree.push(root, None);
        tree
    }

    fn push(&mut self, state: S, end: Option<ByRole<Goal>>) -> Index {
        let empty = || ByRole::new(Vec::new());
        self.nodes.push(Node {
            state,
            end,
            legal: ByRole::default(),
            arms: empty(),
            chance: ChanceDistribution::default(),
        });
        Index::try_from(self.nodes.len() - 1).expect("memory ends long before 2^32 nodes")
    }

    /// The moves of a role at the root with what is known of them, after the first descent.
    pub fn arms(&self, role: Role) -> &[Arm] {
        self.nodes[0].arms.values().get(role.index()).map_or(&[], Vec::as_slice)
    }

    /// Goes down until something is new or the game is over; `random` draws, every other role selects. `None` if the
    /// deadline of the scratch passed on the way.
    pub fn descend<M: Bulk<State = S>>(
        &mut self,
        machine: &M,
        weight: u32,
        rng: &mut impl Rng,
        scratch: &mut M::Scratch,
    ) -> Option<Descent> {
        let mut path = Vec::new();
        let mut at: Index = 0;
        loop {
            if !self.open(at, machine, scratch) {
                return None;
            }
            let node = &mut self.nodes[at as usize];
            if let Some(goals) = &node.end {
                return Some(Descent { path, weight, leaf: Leaf::End(goals.clone()) });
            }
            let mut positions = SmallVec::with_capacity(node.legal.len());
            let mut number: u64 = 0;
            for role in machine.each_role() {
                let arms = &mut node.arms[role];
                let position = if Some(role) == machine.random() {
                    node.chance.draw(arms.len(), rng)
                } else {
                    let tried = arms.iter().map(|arm| arm.tried).sum();
                    select(arms.iter().map(|arm| (arm, tried)), EXPLORATION, rng)
                };
                arms[position].tried += weight;
                number = number * arms.len() as u64 + position as u64;
                positions.push(position as u32);
            }
            let child = self.children.get(&(at, number)).copied();
            if child.is_none() {
                let moves = positions.iter().zip(node.legal.values()).map(|(&at, moves)| moves[at as usize]);
                let joint = JointMove::new(moves);
                path.push(Taken { node: at, positions });
                return Some(Descent { path, weight, leaf: Leaf::New(joint) });
            }
            path.push(Taken { node: at, positions });
            at = child.expect("just looked at");
        }
    }

    /// Asks for the moves of a node when a descent first passes through it; false if the deadline passed meanwhile.
    fn open<M: Bulk<State = S>>(&mut self, at: Index, machine: &M, scratch: &mut M::Scratch) -> bool {
        let node = &mut self.nodes[at as usize];
        if node.end.is_some() || !node.legal.is_empty() {
            return true;
        }
        let legal = machine.legal_by_role(&node.state, scratch);
        let is_end = legal.values().iter().any(Vec::is_empty);
        let end = is_end.then(|| machine.goals(&node.state, scratch));
        if machine.is_interrupted(scratch) {
            return false;
        }
        node.arms = ByRole::new(legal.values().iter().map(|m| vec![Arm::default(); m.len()]).collect());
        let chance = ChanceDistribution::of(machine, &node.state, scratch);
        (node.legal, node.end, node.chance) = (legal, end, chance);
        true
    }

    /// The state whose successor a descent asks for.
    pub fn parent(&self, descent: &Descent) -> &S {
        &self.nodes[descent.path.last().map_or(0, |taken| taken.node) as usize].state
    }

    /// Adds the successor that a descent needs, unless another descent of the same block has.
    pub fn grow(&mut self, descent: &Descent, state: S, end: Option<ByRole<Goal>>) {
        let Some(last) = descent.path.last() else { return };
        let arms = &self.nodes[last.node as usize].arms;
        let number = last
            .positions
            .iter()
            .zip(arms.values())
            .fold(0_u64, |number, (&position, arms)| number * arms.len() as u64 + u64::from(position));
        if self.nodes.len() < MOST_NODES && !self.children.contains_key(&(last.node, number)) {
            let child = self.push(state, end);
            self.children.insert((last.node, number), child);
        }
    }

    /// Credits the goals of the end that a descent came to.
    pub fn end(&mut self, descent: &Descent, goals: &ByRole<Goal>) {
        let weight = descent.weight;
        self.learn(descent, weight, |role| u64::from(weight) * u64::from(goals[role].value()));
    }

    /// Credits the sums of the goals of `count` playouts to every arm on the way of a descent.
    pub fn learn(&mut self, descent: &Descent, count: u32, sum: impl Fn(Role) -> u64) {
        for Taken { node, positions } in &descent.path {
            let arms = &mut self.nodes[*node as usize].arms;
            for (index, &position) in positions.iter().enumerate() {
                let role = Role::new(index);
                let arm = &mut arms[role][position as usize];
                arm.known += count;
                arm.sum += sum(role);
            }
        }
    }
}
