//! Slots: the places of the particles, and what a particle does in an update, as [tasks](super::in_step).
//!
//! [`Growing`] brings a particle down to the last step: where its budget runs out it starts anew from the root, with a
//! weight that counts the attempts, unless it has a base, below which it is then given up. [`Tested`] tests the
//! branches beside a particle. [`Regrowing`] does both for one that was dead, from the root. [`Searching`] looks for any
//! history at all.

use super::advance::{self, Draw, Growth, Restarting};
use super::in_step::{Asked, Task};
use super::options::{Options, Weight};
use super::tree::{NodeId, ROOT, Tree};
use super::weight::Testing;
use hyperplay_engine::machine::{Budget, BudgetAccount, Bulk, Seed};

/// How often a particle whose budget ran out is started anew in one update.
const ATTEMPTS: usize = 3;

/// A place for a particle.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) node: NodeId,
    /// The depth from which the weight is computed.
    pub(super) base: usize,
    /// The logarithm of the weight at the base.
    pub(super) ln_base: f64,
    /// Whether anything below the base may explain the evidence.
    pub(super) alive: bool,
}

impl Slot {
    pub(super) fn at_root() -> Self {
        Slot { node: ROOT, base: 0, ln_base: 0.0, alive: true }
    }
}

/// How a particle looks for a way down.
enum Way {
    Growing(advance::Growing),
    Restarting(Box<Restarting>),
}

/// A particle on its way to the last step.
pub(super) struct Growing {
    slot: Slot,
    backtrack: bool,
    /// Whether all branches of its nodes will be tested.
    whole: bool,
    budget: Budget,
    /// States that one attempt may visit.
    states: u64,
    /// States that all attempts may still visit.
    share: u64,
    meter: BudgetAccount,
    seed: Seed,
    attempt: usize,
    way: Option<Way>,
}

impl Growing {
    pub(super) fn new(slot: Slot, options: &Options, budget: &Budget, share: u64, seed: Seed) -> Self {
        let meter = BudgetAccount::new(budget.with_nodes(share.min(options.states)));
        let whole = options.weight == Weight::Posterior;
        let (backtrack, states, budget) = (options.backtrack, options.states, *budget);
        Growing { slot, backtrack, whole, budget, states, share, meter, seed, attempt: 0, way: None }
    }

    /// The particle, and what is left of its budget.
    pub(super) fn end(self) -> (Slot, BudgetAccount) {
        (self.slot, self.meter)
    }

    fn begin(&self) -> Way {
        let Slot { node, base, .. } = self.slot;
        let seed = self.seed.index(self.attempt);
        if self.backtrack {
            Way::Growing(advance::Growing::new(node, base, Draw::Random { seed, whole: self.whole }))
        } else {
            Way::Restarting(Box::new(Restarting::new(node, &seed)))
        }
    }
}

impl<M: Bulk> Task<M> for Growing {
    fn go_on(&mut self, tree: &mut Tree<M>, asked: &mut Asked) -> bool {
        while self.slot.alive && self.attempt < ATTEMPTS {
            let way = match self.way.take() {
                Some(way) => way,
                None => self.begin(),
            };
            let growth = match self.way.insert(way) {
                Way::Growing(growing) => growing.go_on(tree, asked, &mut self.meter),
                Way::Restarting(restarting) => restarting.go_on(tree, asked, &mut self.meter),
            };
            match growth {
                None => return false,
                Some(Growth::Reached(node)) => {
                    self.slot.node = node;
                    self.way = None;
                    return true;
                }
                Some(Growth::Dead) => self.slot.alive = false,
                // No time: it goes on from where it is at the next update.
                Some(Growth::Spent) if self.budget.is_late() => return true,
                Some(Growth::Spent) if self.slot.base > 0 => self.slot.alive = false,
                Some(Growth::Spent) => {
                    // From the root again, with a weight that counts the attempts.
                    let ln_base = -((self.attempt + 2) as f64).ln();
                    self.slot = Slot { ln_base, ..Slot::at_root() };
                    self.share = self.share.saturating_sub(self.meter.spent());
                    self.meter = BudgetAccount::new(self.budget.with_nodes(self.share.min(self.states)));
                    self.attempt += 1;
                    self.way = None;
                }
            }
        }
        true
    }
}

/// A particle whose branches are tested.
pub(super) struct Tested<'m> {
    testing: Testing,
    meter: &'m mut BudgetAccount,
    whole: bool,
}

impl<'m> Tested<'m> {
    pub(super) fn new<M: Bulk>(
        tree: &Tree<M>,
        node: NodeId,
        base: usize,
        meter: &'m mut BudgetAccount,
    ) -> Self {
        Tested { testing: Testing::new(tree, node, base), meter, whole: false }
    }

    /// Whether all could be tested.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }
}

impl<M: Bulk> Task<M> for Tested<'_> {
    fn go_on(&mut self, tree: &mut Tree<M>, asked: &mut Asked) -> bool {
        let end = self.testing.go_on(tree, asked, self.meter);
        self.whole = end == Some(true);
        end.is_some()
    }
}

/// A search for one history that explains the evidence, whichever it be.
pub(super) struct Searching {
    growing: advance::Growing,
    meter: BudgetAccount,
    node: Option<NodeId>,
}

impl Searching {
    pub(super) fn new(budget: &Budget) -> Self {
        let growing = advance::Growing::new(ROOT, 0, Draw::Any);
        Searching { growing, meter: BudgetAccount::new(*budget), node: None }
    }

    /// What was found.
    pub(super) fn node(&self) -> Option<NodeId> {
        self.node
    }
}

impl<M: Bulk> Task<M> for Searching {
    fn go_on(&mut self, tree: &mut Tree<M>, asked: &mut Asked) -> bool {
        let growth = self.growing.go_on(tree, asked, &mut self.meter);
        if let Some(Growth::Reached(node)) = growth {
            self.node = Some(node);
        }
        growth.is_some()
    }
}

/// A particle grown from the root and tested: without its tests its weight would be wrong.
pub(super) struct Regrowing {
    growing: advance::Growing,
    testing: Option<(NodeId, Testing)>,
    meter: BudgetAccount,
    node: Option<NodeId>,
}

impl Regrowing {
    pub(super) fn new(seed: Seed, meter: BudgetAccount) -> Self {
        let growing = advance::Growing::new(ROOT, 0, Draw::Random { seed, whole: true });
        Regrowing { growing, testing: None, meter, node: None }
    }

    /// Where it came to; `None` if it is dead or its budget did not last.
    pub(super) fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// What is left of its budget.
    pub(super) fn end(self) -> BudgetAccount {
        self.meter
    }
}

impl<M: Bulk> Task<M> for Regrowing {
    fn go_on(&mut self, tree: &mut Tree<M>, asked: &mut Asked) -> bool {
        if self.testing.is_none() {
            match self.growing.go_on(tree, asked, &mut self.meter) {
                None => return false,
                Some(Growth::Reached(node)) => self.testing = Some((node, Testing::new(tree, node, 0))),
                Some(Growth::Dead | Growth::Spent) => return true,
            }
        }
        let Some((node, testing)) = &mut self.testing else { return true };
        let end = testing.go_on(tree, asked, &mut self.meter);
        self.node = (end == Some(true)).then_some(*node);
        end.is_some()
    }
}
