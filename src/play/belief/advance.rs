//! Advance and backtrack: one particle is brought down to the last step of the evidence.
//!
//! `HyperPlay12`: draw a joint move among those that agree with the own move and are not known to lead nowhere; keep
//! it if its successor explains what was perceived, else mark it dead and draw again; where none is left, mark the
//! prefix dead and take its last move back. What is dead is shared by all particles.
//!
//! [`Growing`] and [`Restarting`] are the work of one particle as far as it goes without visiting a state; what it must
//! know next it asks for, and all particles' questions are answered in blocks ([`in_step`](super::in_step)).
//!
//! Finding one consistent history is FNP-complete, so a particle has a budget of visited states. A particle never
//! takes back moves above its *base*: the part of its history that its weight no longer accounts for.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::branches::Branch;
use super::in_step::Asked;
use super::order::Order;
use super::tree::{NodeId, ROOT, Tree};
use hyperplay_engine::machine::{BudgetAccount, Bulk, Seed};

/// A node with at most this many branches is expanded at once when all its branches will be needed.
pub(super) const AT_ONCE: u64 = 64;

/// How an attempt to reach the last step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Growth {
    /// At this node.
    Reached(NodeId),
    /// Nothing below the base explains the evidence.
    Dead,
    /// The budget ran out.
    Spent,
}

/// Where the order of the branches comes from.
pub(super) enum Draw {
    /// Random, by depth; `whole` expands small nodes at once, since all their branches will be tested for the weight.
    Random { seed: Seed, whole: bool },
    /// Whatever finds a way down.
    Any,
}

/// A history that grows to the last step, taking moves back where nothing else is left, down to `base`.
pub(super) struct Growing {
    node: NodeId,
    base: usize,
    draw: Draw,
    /// One order for each depth from the base on; those below the node are stale.
    orders: Vec<Option<Order>>,
    /// The branch of the node that was asked for.
    next: Option<u64>,
}

impl Growing {
    pub(super) fn new(from: NodeId, base: usize, draw: Draw) -> Self {
        Growing { node: from, base, draw, orders: Vec::new(), next: None }
    }

    /// Goes on until a branch must be tried first; `None` then.
    pub(super) fn go_on<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        asked: &mut Asked,
        meter: &mut BudgetAccount,
    ) -> Option<Growth> {
        loop {
            let (node, depth) = (self.node, tree.depth(self.node));
            if depth == tree.target() {
                tree.witness(node);
                return Some(Growth::Reached(node));
            }
            let branches = tree.branches(node);
            if matches!(self.draw, Draw::Random { whole: true, .. })
                && branches.count() <= AT_ONCE
                && !branches.is_tried()
            {
                return (!asked.all(tree, node, meter)).then_some(Growth::Spent);
            }
            if branches.is_barren() {
                self.next = None;
                tree.bury(node);
                match tree.parent(node) {
                    Some((parent, _)) if depth > self.base => {
                        self.node = parent;
                        tree.spent.backtracks += u64::from(matches!(self.draw, Draw::Random { .. }));
                    }
                    _ => return Some(Growth::Dead),
                }
                continue;
            }
            let index = self.next.take().unwrap_or_else(|| self.draw(tree, depth));
            match tree.branches(node).branch(index) {
                Branch::Open(child) => self.node = child,
                Branch::Dead => {}
                Branch::Untried => {
                    if !asked.one(tree, node, index, meter) {
                        return Some(Growth::Spent);
                    }
                    self.next = Some(index);
                    return None;
                }
            }
        }
    }

    /// The next branch of the node in its order that is not known to be dead.
    fn draw<M: Bulk>(&mut self, tree: &mut Tree<M>, depth: usize) -> u64 {
        let place = depth - self.base;
        self.orders.truncate(place + 1);
        self.orders.resize_with(place + 1, || None);
        let node = self.node;
        let order = self.orders[place].get_or_insert_with(|| match &self.draw {
            Draw::Random { seed, .. } => Order::random(tree, node, &seed.index(depth)),
            Draw::Any => Order::natural(tree, node),
        });
        let branches = tree.branches(node);
        order
            .find(|&index| branches.branch(index) != Branch::Dead)
            .expect("an order names every branch, and each named before was found dead")
    }
}

/// A history that grows without taking anything back: at the first contradiction it starts anew from the root. What is
/// dead is remembered but still drawn, so accepted histories have the posterior distribution. Every step drawn is a state
/// visited, whoever has visited it before, and nothing is marked as dead that explains its own step: it costs what it
/// would cost without the tree.
pub(super) struct Restarting {
    node: NodeId,
    rng: ChaCha8Rng,
    /// The branch of the node that was asked for.
    next: Option<u64>,
}

impl Restarting {
    pub(super) fn new(from: NodeId, seed: &Seed) -> Self {
        Restarting { node: from, rng: seed.rng(), next: None }
    }

    /// Goes on until a branch must be tried first; `None` then.
    pub(super) fn go_on<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        asked: &mut Asked,
        meter: &mut BudgetAccount,
    ) -> Option<Growth> {
        while tree.depth(self.node) < tree.target() {
            let (index, is_drawn) = match self.next.take() {
                Some(index) => (Some(index), false),
                None => {
                    if tree.branches(ROOT).is_barren() {
                        return Some(Growth::Dead);
                    }
                    if asked.is_late || !meter.spend() {
                        return Some(Growth::Spent);
                    }
                    (draw_any(tree, self.node, &mut self.rng), true)
                }
            };
            let branch = index.map(|index| (index, tree.branches(self.node).branch(index)));
            // What others found out, or are about to, is visited all the same.
            let is_known = match branch {
                Some((index, Branch::Untried)) => !asked.push(tree, self.node, index),
                Some(_) => true,
                None => false,
            };
            tree.spent.states += u64::from(is_drawn && is_known);
            match branch {
                Some((index, Branch::Untried)) => {
                    self.next = Some(index);
                    return None;
                }
                Some((_, Branch::Open(child))) => self.node = child,
                Some((_, Branch::Dead)) | None => {
                    despair(tree, self.node);
                    self.node = ROOT;
                    tree.spent.backtracks += 1;
                }
            }
        }
        tree.witness(self.node);
        Some(Growth::Reached(self.node))
    }
}

/// Marks a node and its prefixes as hopeless, up to the first of which that is not known. A hopeless root is refuted.
fn despair<M: Bulk>(tree: &mut Tree<M>, node: NodeId) {
    let mut next = Some(node);
    while let Some(node) = next {
        let branches = tree.branches(node);
        if !branches.is_tried() || branches.missing().next().is_some() {
            return;
        }
        let open = branches.open();
        if !open.iter().all(|&(_, child)| tree.is_hopeless(child)) {
            return;
        }
        if node == ROOT {
            open.into_iter().for_each(|(index, _)| tree.branches(ROOT).close(index));
        }
        tree.branches(node).hopeless = true;
        next = tree.parent(node).map(|(above, _)| above);
    }
}

/// Any branch of a node, dead or not, by its probability; `None` if it has none.
pub(super) fn draw_any<M: Bulk>(tree: &mut Tree<M>, node: NodeId, rng: &mut ChaCha8Rng) -> Option<u64> {
    let branches = tree.branches(node);
    (branches.count() > 0).then(|| {
        if branches.is_uniform() {
            return rng.random_range(0..branches.count());
        }
        let mut left: f64 = rng.random();
        (0..branches.count())
            .find(|&index| {
                left -= branches.probability(index);
                left < 0.0
            })
            .unwrap_or(0)
    })
}
