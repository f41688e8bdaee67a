//! Building a tree: blocks of histories are expanded in bulk, the deepest first.
//!
//! 1. A block of histories that were met and not expanded is taken from the top of a stack, so that few states are held
//!    at a time: about the depth of the game times the branching times the block.
//! 2. The legal moves of every role are asked for each. The choosers are `random`, then the other roles in role order,
//!    each with two or more moves; they become levels of nodes, and each leaf of these levels is one joint move. Where
//!    nobody chooses, the node stays open for the state after the only step. Leaves follow each other as numbers whose
//!    digits are the moves of the choosers, the first one most significant.
//! 3. [`Bulk::expand`] makes the steps of the block, [`STEPS`] at a time. A state that is over becomes a terminal node; any
//!    other is pushed with what each role knows of it.
//!
//! The order in which nodes are made depends on the size of a block; [`layout`](super::layout) removes that.
//!
//! A tree that is not finished after [`UNMEASURED`] nodes is measured, so that one that is far too large does not fill
//! the memory first. Smaller trees are built in less time than the measurement takes.

use std::time::{Duration, Instant};

use super::super::estimate::estimate_size_until;
use super::super::size_estimate::SizeEstimate;
use super::error::TreeError;
use super::fault::TreeFaultKind;
use super::{CHANCE, DECISION, GameTree, Node, TERMINAL};
use crate::tree::{EvidenceClasses, InformationSets, NAMED, Numbered, PerceptSets};
use hyperplay_machine::{
    Budget, Bulk, ByRole, ChanceDistribution, Goal, JointMove, Move, PLAYOUT_STEPS, Role, Seed,
    StateMachineExt, Successor,
};

/// The most histories that are expanded at a time. The first blocks are smaller, so that a limit of time is kept where
/// the rules are slow.
const BLOCK: usize = 1024;

/// The steps that are made at a time, and the nodes between two looks at the limits. A state of many roles may have millions.
const STEPS: usize = 1 << 12;

/// The states whose legal moves are asked for between two looks at the limits.
const STATES: usize = 32;

/// Nodes after which a tree that is not finished is measured.
const UNMEASURED: usize = 1 << 15;

/// The most states that are visited to measure a tree.
const MEASURING: usize = 1 << 17;

/// The most time in which a tree is measured while it is built; in what is left of a limit of time half of it.
const MEASURING_TIME: Duration = Duration::from_millis(1_500);

/// No number.
const NONE: u32 = u32::MAX;

/// How far a tree may be built.
#[derive(Clone, Copy)]
pub struct TreeLimits<'a> {
    /// The most nodes; at most 2^30.
    pub nodes: usize,
    /// Asked now and then, with the number of nodes so far: whether to give up.
    pub stop: &'a (dyn Fn(usize) -> bool + Sync),
    /// When to give up, also inside an evaluation of the rules; `None` for no such time.
    pub deadline: Option<Instant>,
}

impl Default for TreeLimits<'_> {
    fn default() -> Self {
        TreeLimits { nodes: 30_000_000, stop: &|_| false, deadline: None }
    }
}

/// A history that is not expanded yet.
struct Open<S> {
    state: S,
    node: u32,
    step: u32,
    /// The evidence class of each role; 0 for `random`.
    known: ByRole<u32>,
}

/// A step to be made: the place of its history in the block, the node that it leads to, and the joint move.
type Step = (u32, u32, JointMove);

/// The nodes after the choices of one step, and who chose.
struct Leaves {
    nodes: std::ops::Range<u32>,
    choosers: Vec<Role>,
}

/// The tree that was built so far.
struct Builder {
    /// Nodes in the order in which they were met, without the information sets.
    tree: GameTree,
    sets: InformationSets,
}

impl GameTree {
    /// Builds the tree of a game.
    ///
    /// # Errors
    /// [`TreeError`] says why there is none: too large, endless, stopped, or a fault of the rules.
    pub fn build<M: Bulk>(machine: &M, limits: &TreeLimits<'_>) -> Result<GameTree, TreeError> {
        let mut builder = Builder::new(machine);
        match builder.expand_all(machine, limits) {
            Ok(()) => Ok(builder.tree.laid_out(&builder.sets)),
            Err(Stopped::TooLarge) => {
                let made = builder.tree.nodes.len();
                drop(builder);
                let estimate = limits.measure(machine, made, limits.deadline)?;
                Err(TreeError::TooLarge { limit: limits.nodes, estimate })
            }
            Err(Stopped::Because(error)) => Err(error),
        }
    }
}

impl TreeLimits<'_> {
    /// The most nodes.
    fn most(&self) -> usize {
        self.nodes.min(1 << 30)
    }

    /// Whether to give up at this number of nodes.
    fn is_over(&self, nodes: usize) -> bool {
        (self.stop)(nodes) || self.budget().is_late()
    }

    /// The time that is left.
    fn budget(&self) -> Budget {
        Budget { deadline: self.deadline, ..Budget::UNLIMITED }
    }

    /// Measures a tree of which `made` nodes were made, with no more work than building what is allowed.
    fn measure<M: Bulk>(
        &self,
        machine: &M,
        made: usize,
        deadline: Option<Instant>,
    ) -> Result<SizeEstimate, TreeError> {
        let states = self.nodes.clamp(1 << 12, MEASURING);
        estimate_size_until(machine, states, &Seed::root(0), deadline, &|| (self.stop)(made))
    }
}

/// Why the building stopped.
enum Stopped {
    TooLarge,
    Because(TreeError),
}

impl From<TreeError> for Stopped {
    fn from(error: TreeError) -> Self {
        Stopped::Because(error)
    }
}

/// Whether all that the machine said so far is right: the time was not over, and the rules could be evaluated.
fn check<M: Bulk>(machine: &M, scratch: &mut M::Scratch) -> Result<(), Stopped> {
    if machine.is_interrupted(scratch) {
        return Err(TreeError::Stopped.into());
    }
    machine.take_failure(scratch).map_or(Ok(()), |failure| Err(TreeError::Failed(failure).into()))
}

impl Builder {
    fn new<M: Bulk>(machine: &M) -> Self {
        let roles = machine.roles().len();
        let tree = GameTree {
            nodes: Vec::new(),
            roles: machine.roles().clone(),
            random: machine.random(),
            sets: Vec::new(),
            pool: Vec::new(),
            draws: Numbered::default(),
            goals: Numbered::default(),
            classes: ByRole::from_fn(roles, |_| EvidenceClasses::default()),
            percepts: PerceptSets::default(),
            depth: 0,
            faults: Vec::new(),
        };
        Builder { tree, sets: InformationSets::new(roles) }
    }

    fn expand_all<M: Bulk>(&mut self, machine: &M, limits: &TreeLimits<'_>) -> Result<(), Stopped> {
        let mut scratch = machine.scratch();
        machine.set_deadline(&mut scratch, limits.deadline);
        let state = machine.initial();
        self.push_node(0);
        let is_over = machine.terminal(&state, &mut scratch);
        check(machine, &mut scratch)?;
        if is_over {
            let goals = machine.goals(&state, &mut scratch);
            self.tree.note_goals(machine, 0, &state, &mut scratch);
            self.end(0, goals);
            return check(machine, &mut scratch);
        }
        let mut stack =
            vec![Open { state, node: 0, step: 0, known: ByRole::from_fn(self.tree.roles.len(), |_| 0) }];
        let limit = limits.most();
        let (mut size, mut is_measured) = (1, false);
        while !stack.is_empty() {
            if (limits.stop)(self.tree.nodes.len()) {
                return Err(TreeError::Stopped.into());
            }
            if self.tree.nodes.len() >= UNMEASURED && !is_measured {
                is_measured = true;
                let time = limits.budget().share(0.5).within(MEASURING_TIME);
                match limits.measure(machine, self.tree.nodes.len(), time.deadline) {
                    Ok(estimate) if estimate.surely_exceeds(limit) => {
                        return Err(TreeError::TooLarge { limit, estimate }.into());
                    }
                    Ok(_) | Err(TreeError::Stopped) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            let block = stack.split_off(stack.len().saturating_sub(size));
            size = (2 * size).min(BLOCK);
            self.expand_block(machine, &block, limits, &mut scratch, &mut stack)?;
            check(machine, &mut scratch)?;
        }
        Ok(())
    }

    fn expand_block<M: Bulk>(
        &mut self,
        machine: &M,
        block: &[Open<M::State>],
        limits: &TreeLimits<'_>,
        scratch: &mut M::Scratch,
        stack: &mut Vec<Open<M::State>>,
    ) -> Result<(), Stopped> {
        let mut steps: Vec<Step> = Vec::with_capacity(2 * block.len());
        let mut legal: ByRole<Vec<Move>> = ByRole::from_fn(self.tree.roles.len(), |_| Vec::new());
        for (place, open) in block.iter().enumerate() {
            if place % STATES == STATES - 1 && limits.is_over(self.tree.nodes.len()) {
                return Err(TreeError::Stopped.into());
            }
            for role in machine.each_role() {
                machine.legal(&open.state, role, scratch, &mut legal[role]);
                if machine.is_interrupted(scratch) {
                    return Err(TreeError::Stopped.into());
                }
            }
            if legal.values().iter().any(Vec::is_empty) {
                check(machine, scratch)?;
                for (role, _) in legal.iter().filter(|(_, moves)| moves.is_empty()) {
                    self.tree.note(machine, open.node, TreeFaultKind::NoLegalMove, role, scratch);
                }
                self.end(open.node, machine.goals(&open.state, scratch));
                continue;
            }
            if open.step as usize >= PLAYOUT_STEPS {
                return Err(TreeError::Endless(open.step as usize).into());
            }
            let chance = ChanceDistribution::of(machine, &open.state, scratch);
            let leaves = self.serialise(machine, open, (&legal, &chance), limits)?;
            let first = JointMove::new(legal.values().iter().map(|moves| moves[0]));
            for (leaf, node) in leaves.nodes.enumerate() {
                let (mut joint, mut rest) = (first.clone(), leaf);
                for &role in leaves.choosers.iter().rev() {
                    let moves = &legal[role];
                    joint = joint.with(role, moves[rest % moves.len()]);
                    rest /= moves.len();
                }
                steps.push((place as u32, node, joint));
                if steps.len() == STEPS {
                    self.make(machine, block, &steps, scratch, stack)?;
                    steps.clear();
                    if limits.is_over(self.tree.nodes.len()) {
                        return Err(TreeError::Stopped.into());
                    }
                }
            }
        }
        self.make(machine, block, &steps, scratch, stack)
    }

    /// Makes steps of a block.
    fn make<M: Bulk>(
        &mut self,
        machine: &M,
        block: &[Open<M::State>],
        steps: &[Step],
        scratch: &mut M::Scratch,
        stack: &mut Vec<Open<M::State>>,
    ) -> Result<(), Stopped> {
        let asked: Vec<(&M::State, &JointMove)> =
            steps.iter().map(|(place, _, joint)| (&block[*place as usize].state, joint)).collect();
        let successors = machine.expand(&asked, scratch);
        check(machine, scratch)?;
        for ((place, node, joint), Successor { state, percepts, end, is_faulty }) in
            steps.iter().zip(successors)
        {
            if let Some(goals) = end {
                if is_faulty {
                    self.tree.note_goals(machine, *node, &state, scratch);
                }
                self.end(*node, goals);
                continue;
            }
            let open = &block[*place as usize];
            let mut known = open.known.clone();
            for role in machine.each_role().filter(|&role| Some(role) != self.tree.random) {
                let seen = self.tree.percepts.number(&percepts[role]);
                known[role] = self.tree.classes[role].after(open.known[role], joint.of(role), seen);
            }
            stack.push(Open { state, node: *node, step: open.step + 1, known });
        }
        Ok(())
    }

    /// Makes the nodes of one step, a level for each role that chooses.
    fn serialise<M: Bulk>(
        &mut self,
        machine: &M,
        open: &Open<M::State>,
        (legal, chance): (&ByRole<Vec<Move>>, &ChanceDistribution),
        limits: &TreeLimits<'_>,
    ) -> Result<Leaves, Stopped> {
        let random = self.tree.random;
        let others = machine.each_role().filter(|&role| Some(role) != random);
        let choosers = random.into_iter().chain(others).filter(|&role| legal[role].len() > 1);
        let mut leaves = Leaves { nodes: open.node..open.node + 1, choosers: choosers.collect() };
        let levels = leaves.choosers.iter().scan(1, |width: &mut usize, &role| {
            *width = width.saturating_mul(legal[role].len());
            Some(*width)
        });
        if levels.fold(self.tree.nodes.len(), usize::saturating_add) > limits.most() {
            return Err(Stopped::TooLarge);
        }
        for &role in &leaves.choosers {
            let moves = &legal[role];
            let tag = (moves.len() as u32) << 2;
            let (label, tag) = if Some(role) == random {
                (
                    self.tree.draws.insert_full((moves.as_slice().into(), chance.clone())).0 as u32,
                    tag | CHANCE,
                )
            } else {
                (self.set(machine, role, open, moves)?, tag | DECISION)
            };
            let begin = self.tree.nodes.len() as u32;
            for node in leaves.nodes {
                let first = self.tree.nodes.len();
                let Node { parent, .. } = self.tree.nodes[node as usize];
                self.tree.nodes[node as usize] = Node { parent, first: first as u32, label, tag };
                moves.iter().for_each(|_| self.push_node(node));
                let made = self.tree.nodes.len();
                if first / STEPS < made / STEPS && limits.is_over(made) {
                    return Err(TreeError::Stopped.into());
                }
            }
            leaves.nodes = begin..self.tree.nodes.len() as u32;
        }
        Ok(leaves)
    }

    fn push_node(&mut self, parent: u32) {
        self.tree.nodes.push(Node { parent, first: 0, label: NONE, tag: TERMINAL });
    }

    /// The information set of what a role knows; its moves must be these.
    fn set<M: Bulk>(
        &mut self,
        machine: &M,
        role: Role,
        open: &Open<M::State>,
        moves: &[Move],
    ) -> Result<u32, TreeError> {
        let (set, first) = self.sets.meet(role, open.known[role], moves);
        if first < NAMED {
            return Ok(set);
        }
        Err(TreeError::moves_differ(machine, role, open.step, [self.sets.of(set), moves]))
    }

    fn end(&mut self, node: u32, goals: ByRole<Goal>) {
        let label = self.tree.goals.insert_full(goals).0 as u32;
        let node = &mut self.tree.nodes[node as usize];
        *node = Node { parent: node.parent, first: 0, label, tag: TERMINAL };
    }
}
