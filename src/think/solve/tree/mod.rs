//! A game as a tree: every history, in flat arrays.
//!
//! A node has 16 bytes. The children of a node are contiguous, in the natural order of the moves, and what follows from
//! the first child stands before what follows from the second (depth first). Information sets are numbered in the order
//! in which their first nodes stand; their moves lie in one pool, so that a policy for all of them is one array.
//!
//! Always true: parents stand before their children; all nodes of an information set have the same role, the same moves
//! and the same evidence; the moves of `random` are equally likely.
//!
//! Reference: Thielscher, *GDL-II* (2011), section 4; Kuhn, *Extensive Games and the Problem of Information* (1953).

mod builder;
mod error;
mod fault;
mod index;
mod layout;
mod note_faults;

use std::ops::Range;

use crate::tree::{EvidenceClasses, Numbered, PerceptSets};
use hyperplay_machine::{ByRole, ChanceDistribution, Evidence, Goal, Move, Role};

pub use builder::TreeLimits;
pub use error::TreeError;
pub use fault::{TreeFault, TreeFaultKind};
pub use index::EvidenceIndex;

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind<'a> {
    /// The game is over: goals in role order.
    Terminal {
        /// One of each role.
        goals: &'a [Goal],
    },
    /// `random` makes one of these moves.
    Chance {
        /// In natural order, one for each child.
        moves: &'a [Move],
        /// How likely each of them is.
        distribution: &'a ChanceDistribution,
    },
    /// The role of an information set chooses one of its moves.
    Decision {
        /// Its number.
        set: usize,
    },
}

/// An information set: the histories that one role cannot tell apart where it has two or more moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InformationSet {
    /// Whose.
    pub role: Role,
    /// How many histories it has.
    pub histories: u32,
    /// The first of its nodes.
    pub node: u32,
    /// The own information set before it, and the number of the move made there; none if this is the role's first
    /// decision.
    pub former: Option<(u32, u32)>,
    class: u32,
    moves: (u32, u32),
}

impl InformationSet {
    /// Where its moves lie in the pool of all information sets ([`GameTree::moves`]), and where its probabilities lie
    /// in a profile.
    pub fn range(&self) -> Range<usize> {
        self.moves.0 as usize..self.moves.1 as usize
    }
}

const TERMINAL: u32 = 0;
const CHANCE: u32 = 1;

/// The moves of `random` at a node, and how likely they are.
type Draw = (Box<[Move]>, ChanceDistribution);
const DECISION: u32 = 2;

/// A node. Its kind stands in the two lowest bits of `tag`, the number of its children above them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    parent: u32,
    /// The first child.
    first: u32,
    /// The number of the information set, of the list of moves of `random`, or of the goals.
    label: u32,
    tag: u32,
}

impl Node {
    fn children(&self) -> u32 {
        self.tag >> 2
    }
}

/// A game in extensive form.
///
/// ```
#[doc = include_str!("../../monty_hall.example")]
/// use hyperplay_machine::ByRole;
/// use hyperplay_think::solve::{GameTree, InformationSet, TreeError, TreeLimits, TreeSize};
///
/// let tree = GameTree::build(&*machine, &TreeLimits::default())?;
/// let TreeSize { chance, decisions, terminals, .. } = tree.size();
/// assert_eq!((chance, decisions, terminals), (1 + 3, 3 + 12, 24));
/// assert_eq!(tree.size().information_sets, ByRole::new(vec![7, 0]));
/// assert_eq!(tree.size().sequences, ByRole::new(vec![1 + 3 + 6 * 2, 1]));
/// assert_eq!((tree.size().nodes(), tree.size().depth, tree.size().largest_set), (43, 4, 3));
///
/// // The evidence of the candidate when it has chosen door 2 and door 3 was opened.
/// let set = tree.sets().iter().position(|set| tree.evidence(set) == evidence).expect("it is in the tree");
/// let InformationSet { role, former, histories, .. } = tree.sets()[set];
/// assert_eq!((role, former, histories), (candidate, Some((0, 1)), 2));
/// let names: Vec<String> = tree.moves(set).iter().map(|&own| machine.show_move(own)).collect();
/// assert_eq!(names, ["stay", "switch"]);
/// let first = tree.sets()[set].node as usize;
/// // With the car behind door 1 only door 3 can be opened, so no node stands between it and the choice of a door.
/// assert_eq!(tree.parent(first).map(|choice| tree.children(choice).len()), Some(3));
///
/// let limits = TreeLimits { nodes: 10, ..TreeLimits::default() };
/// assert!(matches!(GameTree::build(&*machine, &limits), Err(TreeError::TooLarge { limit: 10, .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameTree {
    nodes: Vec<Node>,
    roles: ByRole<String>,
    /// The role that draws at chance nodes, if there is one.
    pub random: Option<Role>,
    sets: Vec<InformationSet>,
    /// The moves of all information sets.
    pool: Vec<Move>,
    /// The moves of `random` at chance nodes and their distribution, each pair once.
    draws: Numbered<Draw>,
    /// Goals at terminal nodes.
    goals: Numbered<ByRole<Goal>>,
    classes: ByRole<EvidenceClasses>,
    percepts: PerceptSets,
    depth: u32,
    faults: Vec<TreeFault>,
}

/// How large a tree is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeSize {
    /// Chance histories.
    pub chance: u64,
    /// Histories where a role but `random` decides.
    pub decisions: u64,
    /// Terminal histories.
    pub terminals: u64,
    /// Information sets by role.
    pub information_sets: ByRole<u64>,
    /// Sequences of own moves by role, the empty one included.
    pub sequences: ByRole<u64>,
    /// Decisions and draws on the longest path.
    pub depth: u32,
    /// Histories of the largest information set.
    pub largest_set: u32,
    /// The faults of the rules at some ends of the game.
    pub faults: Vec<TreeFault>,
}

impl TreeSize {
    /// All nodes: chance, decision and terminal histories, the root included.
    pub fn nodes(&self) -> u64 {
        self.chance + self.decisions + self.terminals
    }
}

impl GameTree {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The names of the roles.
    pub fn roles(&self) -> &ByRole<String> {
        &self.roles
    }

    /// The roles that decide: all but `random`.
    pub fn players(&self) -> impl Iterator<Item = Role> + use<> {
        let random = self.random;
        (0..self.roles.len()).map(Role::new).filter(move |&role| Some(role) != random)
    }

    /// The kind of a node; the root is node 0.
    pub fn kind(&self, node: usize) -> NodeKind<'_> {
        let Node { label, tag, .. } = self.nodes[node];
        match tag & 3 {
            TERMINAL => NodeKind::Terminal { goals: self.goals_of(label) },
            CHANCE => {
                let (moves, distribution) = &self.draws[label as usize];
                NodeKind::Chance { moves, distribution }
            }
            _ => NodeKind::Decision { set: label as usize },
        }
    }

    /// The children of a node, in the order of the moves; none of a terminal node.
    pub fn children(&self, node: usize) -> Range<usize> {
        let node = &self.nodes[node];
        node.first as usize..(node.first + node.children()) as usize
    }

    /// The parent of a node; none of the root.
    pub fn parent(&self, node: usize) -> Option<usize> {
        (node > 0).then(|| self.nodes[node].parent as usize)
    }

    /// The information sets of all roles.
    pub fn sets(&self) -> &[InformationSet] {
        &self.sets
    }

    /// The moves of an information set, in natural order.
    pub fn moves(&self, set: usize) -> &[Move] {
        &self.pool[self.sets[set].range()]
    }

    /// The number of moves of all information sets: the length of a profile.
    pub fn pool_len(&self) -> usize {
        self.pool.len()
    }

    /// The evidence of its role at an information set.
    pub fn evidence(&self, set: &InformationSet) -> Evidence {
        self.classes[set.role].evidence(set.role, set.class, &self.percepts)
    }

    /// The goals of a terminal node by number: what distinct payoffs there are.
    pub fn outcome(&self, node: usize) -> Option<usize> {
        let node = &self.nodes[node];
        (node.tag & 3 == TERMINAL).then_some(node.label as usize)
    }

    /// The goals of an outcome, in role order.
    pub(in crate::solve) fn goals_of(&self, outcome: u32) -> &[Goal] {
        self.goals[outcome as usize].values()
    }

    /// The sum of all roles' goals but that of `random`, if it is the same at every end: the game is then zero-sum up
    /// to a constant.
    pub fn constant_sum(&self) -> Option<u32> {
        let sum =
            |goals: &[Goal]| self.players().map(|role| u32::from(goals[role.index()].value())).sum::<u32>();
        let mut sums = self.goals.iter().map(|goals| sum(goals.values()));
        let first = sums.next()?;
        sums.all(|other| other == first).then_some(first)
    }

    /// The faults of the rules at some ends of the game, as [`build`](GameTree::build) met it.
    pub fn faults(&self) -> &[TreeFault] {
        &self.faults
    }

    /// Counts what there is. Visits every node.
    pub fn size(&self) -> TreeSize {
        let mut counts = [0_u64; 3];
        for node in &self.nodes {
            counts[(node.tag & 3) as usize] += 1;
        }
        let [terminals, chance, decisions] = counts;
        let mut information_sets = ByRole::from_fn(self.roles.len(), |_| 0);
        let mut sequences = ByRole::from_fn(self.roles.len(), |_| 1);
        for set in &self.sets {
            information_sets[set.role] += 1;
            sequences[set.role] += set.range().len() as u64;
        }
        let largest_set = self.sets.iter().map(|set| set.histories).max().unwrap_or(0);
        let (depth, faults) = (self.depth, self.faults.clone());
        TreeSize { chance, decisions, terminals, information_sets, sequences, depth, largest_set, faults }
    }
}
