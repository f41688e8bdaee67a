//! What a player may spend on one decision, as a number and not as a point in time.

use std::time::Duration;

use super::super::decision::{Decision, Player, View};
use hyperplay_machine::{Budget, Seed};

/// What a player may spend on each decision.
///
/// ```
/// use std::time::Duration;
///
/// use hyperplay_play::player::DecisionBudget;
///
/// let budget = DecisionBudget { nodes: Some(100), time: None };
/// assert!(budget.reproduces() && budget.begin().nodes == Some(100));
/// let timed = DecisionBudget { time: Some(Duration::from_secs(60)), ..budget };
/// assert!(!timed.reproduces() && timed.begin().left() > Some(Duration::from_secs(50)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DecisionBudget {
    /// States that may be visited; none for no limit.
    pub nodes: Option<u64>,
    /// Time; none for no limit.
    pub time: Option<Duration>,
}

impl DecisionBudget {
    /// The budget of a decision that begins now.
    pub fn begin(&self) -> Budget {
        let budget = self.time.map_or(Budget::UNLIMITED, Budget::time);
        Budget { nodes: self.nodes, ..budget }
    }

    /// Whether the same budget gives the same result every time, that is, whether it has no time.
    pub fn reproduces(&self) -> bool {
        self.time.is_none()
    }
}

/// A player with a budget of its own, whatever the referee grants.
///
/// ```
/// use hyperplay_machine::{Budget, Evidence, Role, Seed, StateMachine, StateMachineExt};
/// use hyperplay_play::player::{BudgetedPlayer, Decision, DecisionBudget, Player, View};
///
/// /// Says how many states it may visit.
/// struct Frank;
///
/// impl Player for Frank {
///     fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
///         let explanation = vec![format!("{:?}", budget.nodes)];
///         Decision { explanation, ..Decision::uniform(view.legal, seed) }
///     }
/// }
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// # let text = "(role me) (init on) (legal me wait) (<= terminal (not (true on))) (goal me 0)";
/// # let game = load(Source::new("wait", text), None).game.expect("the rules are in order");
/// # let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// # let (role, seed) = (Role::new(0), Seed::root(1));
/// # let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch())[role].clone();
/// # let (evidence, legal) = (Evidence::new(role), &legal[..]);
/// let budget = DecisionBudget { nodes: Some(7), time: None };
/// let mut player = BudgetedPlayer::new(Box::new(Frank), budget);
/// let decision = player.decide(&View { evidence: &evidence, legal }, &Budget::UNLIMITED, &seed);
/// assert_eq!(decision.explanation, ["Some(7)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        self.player.decide(view, &self.budget.begin(), seed)
    }

    fn update_time(&self) -> Option<Duration> {
        self.player.update_time()
    }
}
