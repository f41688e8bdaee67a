//! Type graphs: sets of ground terms, given by the constants and functors that may stand at each position.
//!
//! A node is a set of terms: some constants, and for some functors the compound terms whose arguments are each in the
//! set of a further node. A node may also hold every term, as [`ANY`] does. The set of several nodes together is their
//! intersection, a [`Meet`]. Nodes only grow.
//!
//! Termination is by widening. The arguments of a functor get nodes of their own under each node, until the functor has
//! occurred [`Widening::repeats`] times on the way from the root; from there on the nodes of its last occurrence are
//! used again, so the graph gets a cycle. At the depth or the number of nodes of the [`Widening`], the arguments of a
//! functor get nodes that the whole graph shares. Using a node again can only make the sets larger.
//!
//! Every step is paid from a [`Budget`]. If the budget is used up while the graph grows, the graph may lack terms and
//! is of no use.
//!
//! Reference: type graphs and their widening are those of Van Hentenryck, Cortesi, Le Charlier (VanHentenryck95).

use rustc_hash::{FxHashMap, FxHashSet};

use hyperplay_machine::terms::Symbol;

/// The name and the arity of a compound term.
pub(super) type Functor = (Symbol, usize);

/// The index of a node.
pub(super) type NodeId = usize;

/// The node that holds every term, those of other rulesheets included.
pub(super) const ANY: NodeId = 0;

/// The number of elementary steps that may still be made.
#[derive(Clone, Copy, Debug)]
pub(in crate::gdl) struct Budget(pub(in crate::gdl) u64);

/// The budget is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exhausted;

/// A result within a budget.
pub(super) type Within<T = ()> = Result<T, Exhausted>;

impl Budget {
    fn spend(&mut self, cost: usize) -> Within {
        self.0 = self.0.checked_sub(cost as u64).ok_or(Exhausted)?;
        Ok(())
    }
}

/// How far recursive terms are told apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widening {
    /// How often a functor may occur on a path before its nodes are used again.
    pub(super) repeats: usize,
    /// The longest path.
    pub(super) depth: usize,
    /// The largest number of nodes that are not shared by the whole graph.
    pub(super) nodes: usize,
}

#[derive(Clone, Debug, Default)]
struct Node {
    constants: FxHashSet<Symbol>,
    functors: FxHashMap<Functor, Box<[NodeId]>>,
    /// Whether every term is in the node, whatever it lists.
    is_any: bool,
    /// The node and the functor that this node is an argument of; `None` for roots and shared nodes.
    parent: Option<(NodeId, Functor)>,
    depth: usize,
    is_shared: bool,
}

/// The terms that are in all of some nodes, less some constants.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Meet {
    /// The nodes, sorted; at least one.
    pub(super) nodes: Vec<NodeId>,
    /// Constants that are excluded.
    pub(super) without: Vec<Symbol>,
    /// If given, the only constant that is admitted.
    pub(super) only: Option<Symbol>,
}

impl Meet {
    /// The terms of these nodes.
    fn of(mut nodes: Vec<NodeId>) -> Meet {
        nodes.sort_unstable();
        nodes.dedup();
        Meet { nodes, without: Vec::new(), only: None }
    }

    /// Restricts the terms to those of another node.
    pub(super) fn add(&mut self, node: NodeId) {
        if let Err(place) = self.nodes.binary_search(&node) {
            self.nodes.insert(place, node);
        }
    }

    fn admits(&self, constant: Symbol) -> bool {
        self.only.is_none_or(|only| only == constant) && !self.without.contains(&constant)
    }
}

/// The nodes.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    shared: FxHashMap<Functor, Box<[NodeId]>>,
    widening: Widening,
    /// Whether a node has grown since this was set to false.
    pub(super) has_grown: bool,
    /// The same for the nodes that the whole graph shares.
    pub(super) shared_has_grown: bool,
}

impl Graph {
    pub(super) fn new(widening: Widening) -> Graph {
        let nodes = vec![Node { is_any: true, ..Node::default() }];
        Graph { nodes, shared: FxHashMap::default(), widening, has_grown: false, shared_has_grown: false }
    }

    /// A new root without terms.
    pub(super) fn root(&mut self) -> NodeId {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn grown(&mut self, node: NodeId) {
        self.has_grown = true;
        self.shared_has_grown |= self.nodes[node].is_shared;
    }

    /// Whether every term is in a node.
    pub(super) fn is_any(&self, node: NodeId) -> bool {
        self.nodes[node].is_any
    }

    /// Whether a constant is in a node.
    pub(super) fn has_constant(&self, node: NodeId, constant: Symbol) -> bool {
        self.nodes[node].is_any || self.nodes[node].constants.contains(&constant)
    }

    /// The nodes of the arguments of a functor, if a node lists the functor.
    pub(super) fn arguments(&self, node: NodeId, functor: Functor) -> Option<&[NodeId]> {
        self.nodes[node].functors.get(&functor).map(|arguments| &arguments[..])
    }

    /// Whether no term is in a node.
    pub(super) fn is_empty(&self, node: NodeId) -> bool {
        let node = &self.nodes[node];
        node.constants.is_empty() && node.functors.is_empty() && !node.is_any
    }

    /// The constants, with arity 0, and the functors that a node lists, sorted.
    pub(super) fn known(&self, node: NodeId) -> Vec<Functor> {
        let node = &self.nodes[node];
        let constants = node.constants.iter().map(|&constant| (constant, 0));
        let mut known: Vec<Functor> = constants.chain(node.functors.keys().copied()).collect();
        known.sort_unstable();
        known
    }

    /// Adds a constant.
    pub(super) fn add_constant(&mut self, node: NodeId, constant: Symbol, budget: &mut Budget) -> Within {
        budget.spend(1)?;
        if self.nodes[node].constants.insert(constant) {
            self.grown(node);
        }
        Ok(())
    }

    /// Adds a functor, and gives the nodes of its arguments.
    pub(super) fn add_functor(
        &mut self,
        node: NodeId,
        functor: Functor,
        budget: &mut Budget,
    ) -> Within<Box<[NodeId]>> {
        budget.spend(1 + functor.1)?;
        if let Some(arguments) = self.nodes[node].functors.get(&functor) {
            return Ok(arguments.clone());
        }
        let arguments = self.widened(node, functor, budget)?;
        self.nodes[node].functors.insert(functor, arguments.clone());
        self.grown(node);
        Ok(arguments)
    }

    /// The nodes for the arguments of a functor that is new in a node.
    fn widened(&mut self, node: NodeId, functor: Functor, budget: &mut Budget) -> Within<Box<[NodeId]>> {
        budget.spend(self.nodes[node].depth)?;
        let mut repeats = 0;
        let mut last = None;
        let mut below = node;
        while let Some((parent, by)) = self.nodes[below].parent {
            if by == functor {
                repeats += 1;
                last = last.or(Some(parent));
            }
            below = parent;
        }
        if let Some(last) = last
            && (repeats >= self.widening.repeats || self.nodes[node].depth >= self.widening.depth)
        {
            return Ok(self.nodes[last].functors[&functor].clone());
        }
        let is_shared = self.nodes[node].is_shared
            || self.nodes[node].depth >= self.widening.depth
            || self.nodes.len() + functor.1 > self.widening.nodes;
        if is_shared && let Some(arguments) = self.shared.get(&functor) {
            return Ok(arguments.clone());
        }
        let first = self.nodes.len();
        let new = Node {
            parent: (!is_shared).then_some((node, functor)),
            depth: self.nodes[node].depth + 1,
            is_shared,
            ..Node::default()
        };
        self.nodes.extend(std::iter::repeat_n(new, functor.1));
        let arguments: Box<[NodeId]> = (first..first + functor.1).collect();
        if is_shared {
            self.shared.insert(functor, arguments.clone());
        }
        Ok(arguments)
    }

    /// Whether every term is in all nodes of a meet.
    pub(super) fn is_any_meet(&self, meet: &Meet) -> bool {
        meet.only.is_none() && meet.nodes.iter().all(|&node| self.is_any(node))
    }

    /// Adds all terms of a meet to a node.
    pub(super) fn include(&mut self, target: NodeId, meet: &Meet, budget: &mut Budget) -> Within {
        let mut seen: FxHashSet<(NodeId, Meet)> = FxHashSet::default();
        let mut open = vec![(target, meet.clone())];
        while let Some((target, meet)) = open.pop() {
            budget.spend(1 + meet.nodes.len())?;
            if meet.nodes.binary_search(&target).is_ok() || !seen.insert((target, meet.clone())) {
                continue;
            }
            if self.is_any_meet(&meet) {
                if !std::mem::replace(&mut self.nodes[target].is_any, true) {
                    self.grown(target);
                }
                continue;
            }
            for constant in self.constants(&meet, budget)? {
                self.add_constant(target, constant, budget)?;
            }
            for (functor, arguments) in self.functors(&meet, budget)? {
                let below = self.add_functor(target, functor, budget)?;
                open.extend(below.iter().copied().zip(arguments));
            }
        }
        Ok(())
    }

    /// The constants of a meet that is not any term, in no particular order.
    pub(super) fn constants(&self, meet: &Meet, budget: &mut Budget) -> Within<Vec<Symbol>> {
        let Some(smallest) = self.smallest(meet, |node| node.constants.len()) else {
            return Ok(meet.only.into_iter().collect());
        };
        budget.spend(self.nodes[smallest].constants.len())?;
        let constants = self.nodes[smallest].constants.iter().copied();
        let in_all = |constant: &Symbol| {
            meet.admits(*constant) && meet.nodes.iter().all(|&node| self.has_constant(node, *constant))
        };
        Ok(constants.filter(in_all).collect())
    }

    /// Whether a meet that is not any term has a constant.
    fn has_constants(&self, meet: &Meet, budget: &mut Budget) -> Within<bool> {
        let Some(smallest) = self.smallest(meet, |node| node.constants.len()) else {
            return Ok(meet.only.is_some());
        };
        let mut seen = 0;
        let in_all = self.nodes[smallest].constants.iter().any(|&constant| {
            seen += 1;
            meet.admits(constant) && meet.nodes.iter().all(|&node| self.has_constant(node, constant))
        });
        budget.spend(seen)?;
        Ok(in_all)
    }

    /// The functors of a meet with the meets of their arguments, none of which is known to be empty, in no particular
    /// order.
    pub(super) fn functors(&self, meet: &Meet, budget: &mut Budget) -> Within<Vec<(Functor, Vec<Meet>)>> {
        let mut result = Vec::new();
        for functor in self.common(meet, budget)? {
            let arguments = self.below(meet, functor, budget)?;
            if self.all_have_terms(&arguments, NESTED, budget)? {
                result.push((functor, arguments));
            }
        }
        Ok(result)
    }

    /// Whether some term may be in a meet. The answer may be true of an empty meet if its nodes differ only deep inside
    /// terms.
    pub(super) fn has_terms(&self, meet: &Meet, budget: &mut Budget) -> Within<bool> {
        self.has_terms_within(meet, NESTED, budget)
    }

    fn has_terms_within(&self, meet: &Meet, nested: usize, budget: &mut Budget) -> Within<bool> {
        if let ([node], [], None) = (&meet.nodes[..], &meet.without[..], meet.only) {
            return Ok(!self.is_empty(*node));
        }
        if nested == 0 || self.is_any_meet(meet) || self.has_constants(meet, budget)? {
            return Ok(true);
        }
        for functor in self.common(meet, budget)? {
            let arguments = self.below(meet, functor, budget)?;
            if self.all_have_terms(&arguments, nested, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn all_have_terms(&self, meets: &[Meet], nested: usize, budget: &mut Budget) -> Within<bool> {
        for meet in meets {
            if !self.has_terms_within(meet, nested - 1, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The functors that are in all nodes of a meet.
    fn common(&self, meet: &Meet, budget: &mut Budget) -> Within<Vec<Functor>> {
        if meet.only.is_some() {
            return Ok(Vec::new());
        }
        let Some(smallest) = self.smallest(meet, |node| node.functors.len()) else {
            return Ok(Vec::new());
        };
        budget.spend(self.nodes[smallest].functors.len())?;
        let functors = self.nodes[smallest].functors.keys().copied();
        let in_all = |functor: &Functor| {
            let lists = |&node: &NodeId| self.is_any(node) || self.nodes[node].functors.contains_key(functor);
            meet.nodes.iter().all(lists)
        };
        Ok(functors.filter(in_all).collect())
    }

    /// The meets of the arguments of a functor that is in all nodes of a meet.
    fn below(&self, meet: &Meet, functor: Functor, budget: &mut Budget) -> Within<Vec<Meet>> {
        budget.spend(functor.1 * meet.nodes.len())?;
        let argument = |position| {
            let listing = meet.nodes.iter().filter(|&&node| !self.is_any(node));
            Meet::of(listing.map(|&node| self.nodes[node].functors[&functor][position]).collect())
        };
        Ok((0..functor.1).map(argument).collect())
    }

    /// The smallest node of a meet, of those that do not hold every term.
    fn smallest(&self, meet: &Meet, size: impl Fn(&Node) -> usize) -> Option<NodeId> {
        let listing = meet.nodes.iter().copied().filter(|&node| !self.is_any(node));
        listing.min_by_key(|&node| size(&self.nodes[node]))
    }
}

/// How deep inside terms it is decided whether a meet is empty.
const NESTED: usize = 6;
