//! The budget of a player for one decision, as a number and not as a point in time.

use std::time::Duration;

use super::super::decision::{Decision, Player, View};
use hyperplay_machine::{Budget, CancelFlag, Seed};

/// The budget of a player for each decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DecisionBudget {
    /// States that may be visited; none for no limit.
    pub nodes: Option<u64>,
    /// Time; none for no limit.
    pub time: Option<Duration>,
    /// When this flag is raised, decisions end at once, and nobody wants them any more.
    pub cancel: Option<CancelFlag>,
}

impl DecisionBudget {
    /// The budget of a decision that begins now.
    pub fn begin(&self) -> Budget {
        let DecisionBudget { nodes, time, cancel } = *self;
        Budget { nodes, cancel, ..time.map_or(Budget::UNLIMITED, Budget::time) }
    }

    /// Whether the same budget gives the same result every time, that is, whether it has no time.
    pub fn reproduces(&self) -> bool {
        self.time.is_none()
    }
}

/// A player with a budget of its own, whatever the referee grants, who can still cancel its decisions.
pub struct BudgetedPlayer {
    player: Box<dyn Player>,
    budget: DecisionBudget,
}

impl BudgetedPlayer {
    /// The player with this budget.
    pub fn new(player: Box<dyn Player>, budget: DecisionBudget) -> Self {
        BudgetedPlayer { player, budget }
    }
}

impl Player for BudgetedPlayer {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        self.player.decide(view, &Budget { cancel: budget.cancel, ..self.budget.begin() }, seed)
    }

    fn update_time(&self) -> Option<Duration> {
        self.player.update_time()
    }
}
