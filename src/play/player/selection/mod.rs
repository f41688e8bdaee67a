//! The player `selected`: it plays as `subgame`, `ismcts` or `hyperplay`, whichever its rule selects for the game.
//!
//! The rule reads nothing but the [features](GameFeatures) of the game and the number of its roles. It was made after matches of `ismcts` and `hyperplay` in
//! fourteen games, and of `subgame` in nine, were seen (`docs/measurements.md`). Where the time was up before the
//! features were known, the player is `hyperplay`. States visited for the features are not counted in a budget of nodes.
//!
//! Reference: Rice76 (algorithm selection).

mod features;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;

use super::catalogue::entry;
use super::shared::Shared;
use super::{
    BelievedState, Decision, Player, PlayerSpec, Reason, Registry, RegistryError, Seat, SpecKey, View,
};
pub use features::GameFeatures;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed, StateMachine as _};

/// Its name in specs.
pub(super) const SELECTED: &str = "selected";

/// The player that solves the game around what its role knows, the one that searches one tree of what the roles know, and the one
/// that searches each state.
const SUBGAME: &str = "subgame";
const TREE: &str = "ismcts";
const STATES: &str = "hyperplay";

/// Where something is hidden, a game with at most this number of histories is solved around what a role knows.
const SMALL: u64 = 20_000_000;

/// Where roles move at once, the tree is selected if they choose among fewer moves than this in the mean.
const FEW: usize = 8;

/// The share of the time in which it is found out whether there is anything to mix.
const LOOKING: f64 = 0.2;

/// The share of the time of a decision in which the features must be known.
const SHARE: f64 = 0.1;

/// What plays in a game, and why.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Selection {
    /// The name of the player in specs: `subgame`, `ismcts` or `hyperplay`.
    pub player: &'static str,
    /// Why, in words.
    pub reason: &'static str,
    /// The features of the game; `None` if the time was up before they were known.
    pub features: Option<GameFeatures>,
}

impl Selection {
    /// What is selected for the game of a machine. Without a deadline it depends on the rules alone.
    pub fn of(machine: &Engine, budget: &Budget) -> Selection {
        let features = GameFeatures::of(machine, &mut machine.scratch(), budget);
        let has_one_player = machine.roles().len() == 2 && machine.random().is_some();
        let few = |of: &GameFeatures| of.moves < FEW * of.choices;
        let (player, reason) = match &features {
            None => (STATES, "the time was up before the game was known"),
            Some(of) if of.hidden == 0 => (STATES, "nothing is hidden"),
            Some(_) if has_one_player => (SUBGAME, "something is hidden, and one role decides"),
            Some(of) if of.histories <= SMALL => (SUBGAME, "something is hidden, and the game is small"),
            Some(of) if of.at_once == 0 => (TREE, "something is hidden, and roles move one after the other"),
            Some(of) if few(of) => (TREE, "something is hidden, and roles move at once among few moves"),
            Some(_) => (STATES, "something is hidden, and roles move at once among many moves"),
        };
        Selection { player, reason, features }
    }
}

/// Answers within part of a budget whether nothing is hidden and roles move in turn, so that there is nothing to mix.
pub(super) type IsPlain = Arc<dyn Fn(&Budget) -> bool + Send + Sync>;

/// The same for a machine, found out once for all players that share the answer. Where the time is up first it is taken not to be so, and the next
/// question looks again.
pub(super) fn is_plain(machine: &Arc<Engine>, shared: &Shared<Mutex<Option<bool>>>) -> IsPlain {
    let (machine, known) = (Arc::clone(machine), shared.get(machine, Mutex::default));
    Arc::new(move |budget| {
        let mut known = known.lock();
        if known.is_none() {
            let features = GameFeatures::of(&*machine, &mut machine.scratch(), &budget.share(LOOKING));
            *known = features.map(|of| of.hidden == 0 && of.at_once == 0);
        }
        known.unwrap_or(false)
    })
}

/// Adds the player.
pub(super) fn with_selection(registry: Registry) -> Result<Registry, RegistryError> {
    registry.with_player(entry("player", SELECTED).with(SpecKey::engine()), |_, registry| {
        let players = Arc::new([registry.player(STATES)?, registry.player(TREE)?, registry.player(SUBGAME)?]);
        let shared = Arc::new(Shared::default());
        Ok(move |machine: &Arc<Engine>, role: Role| {
            let (machine, players, shared) = (Arc::clone(machine), Arc::clone(&players), Arc::clone(&shared));
            Seat::player(Selected { machine, role, players, shared, player: None })
        })
    })
}

/// The player for one match.
struct Selected {
    machine: Arc<Engine>,
    role: Role,
    /// Those that may be selected.
    players: Arc<[PlayerSpec; 3]>,
    shared: Arc<Shared<Selection>>,
    /// The one that plays, once it was selected, and why it does.
    player: Option<(Box<dyn Player>, String)>,
}

impl Selected {
    fn player(&mut self, budget: &Budget) -> &mut (Box<dyn Player>, String) {
        let Selected { machine, role, players, shared, player } = self;
        player.get_or_insert_with(|| {
            let selection = shared.get(machine, || Selection::of(machine, &budget.share(SHARE)));
            let selected = players.iter().find(|player| player.spec().name() == selection.player);
            let spec = selected.expect("one of them is selected");
            let Seat::Player(player) = spec.seat(machine, *role) else {
                unreachable!("all of them know what their role knows")
            };
            (player, format!("{}: plays as {}", selection.reason, spec.spec()))
        })
    }
}

impl Player for Selected {
    fn prepare(&mut self, budget: &Budget, seed: &Seed) {
        self.player(budget).0.prepare(budget, seed);
    }

    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let (player, reason) = self.player(budget);
        let mut decision = player.decide(view, budget, seed);
        decision.reasons.insert(0, Reason::said(reason.clone()));
        decision
    }

    fn think_ahead(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        self.player(budget).0.think_ahead(evidence, budget, seed)
    }

    fn legal_after(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Option<Vec<Move>> {
        self.player(budget).0.legal_after(evidence, budget, seed)
    }

    fn update_time(&self) -> Option<Duration> {
        self.player.as_ref()?.0.update_time()
    }

    fn believed(&self) -> Vec<BelievedState> {
        self.player.as_ref().map_or_else(Vec::new, |(player, _)| player.believed())
    }
}
