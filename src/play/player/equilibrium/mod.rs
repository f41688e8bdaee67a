//! The players `equilibrium` and `auto`: they solve the game before the first move and play by the solution.
//!
//! At its first decision, or before it where there is time to prepare, `equilibrium` builds the game tree, minimises
//! regret until NashConv is small or the time of that decision (the start clock is part of it) is over, and then draws
//! every move from the average policy. Where the tree does not fit, it says so and plays as another player does,
//! `hyperplay` if nothing else is said. `auto` plays as `selected` there, and is more careful: it measures the game first and solves it only if it has
//! at most two roles that decide, a constant sum, a tree that fits, and a solution that is reached in time.
//!
//! With a budget in nodes each iteration visits every node of the tree, and building it does once.
//!
//! One spec solves a game once: its players of all matches share the solution. Without a deadline the solution is the
//! same on any machine.

mod model;
mod solved_game;

use std::sync::Arc;

use super::catalogue::{about, entry};
use super::margin::SAFE_SHARE;
use super::selection::SELECTED;
use super::shared::Shared;
use super::{
    Decision, Player, PlayerSpec, Reason, Registry, RegistryError, Seat, Spec, SpecKey, SpecKind, SpecResult,
    View,
};
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed};
use hyperplay_think::belief::SharedModel;
use model::EquilibriumModel;
use solved_game::{Advice, SolveEffort, Solved, SolvedGame};

/// The keys of whatever solves its game; the table has under `of` what the time is.
fn keys(of: &str) -> [SpecKey; 4] {
    [
        SpecKey::real("seconds", 0.0..=1e6, 0.0, about(of, "seconds")),
        SpecKey::real("nash_conv", 0.0..=100.0, 0.0001, about("solver", "nash_conv")),
        SpecKey::count("iterations", 1..=1_000_000_000, 20_000, about("solver", "iterations")),
        SpecKey::count("nodes", 1..=1 << 30, 5_000_000, about("solver", "nodes")),
    ]
}

fn effort(spec: &Spec, careful: bool) -> SolveEffort {
    SolveEffort {
        nash_conv: spec.real("nash_conv"),
        iterations: spec.count("iterations"),
        nodes: spec.size("nodes"),
        careful,
    }
}

/// Adds the opponent model that solves its game.
pub(super) fn with_equilibrium_model(registry: Registry) -> Result<Registry, RegistryError> {
    let mut entry = entry("model", "equilibrium");
    entry.keys.extend(keys("equilibrium"));
    registry.with_model(entry, |spec, _| {
        let (effort, seconds) = (effort(spec, false), spec.real("seconds"));
        let shared = Arc::new(Shared::default());
        Ok(move |engine: &Arc<Engine>| -> SharedModel {
            let (machine, shared) = (Arc::clone(engine), Arc::clone(&shared));
            Arc::new(EquilibriumModel { machine, effort, seconds, shared })
        })
    })
}

/// Adds the players that solve their game.
pub(super) fn with_equilibria(registry: Registry) -> Result<Registry, RegistryError> {
    let solving = |name: &'static str, otherwise: &'static str| {
        let mut entry = entry("player", name);
        entry.keys.extend(keys("solver"));
        entry
            .with(SpecKey::spec("otherwise", SpecKind::Player, otherwise, about("solver", "otherwise")))
            .with(SpecKey::engine())
    };
    registry
        .with_player(solving("equilibrium", "hyperplay"), |spec, registry| builder(spec, registry, false))?
        .with_player(solving("auto", SELECTED), |spec, registry| builder(spec, registry, true))
}

fn builder(
    spec: &Spec,
    registry: &Registry,
    careful: bool,
) -> SpecResult<impl Fn(&Arc<Engine>, Role) -> Seat + use<>> {
    let effort = effort(spec, careful);
    let otherwise = Arc::new(registry.player_of(spec.inner("otherwise"))?);
    let seconds = spec.real("seconds");
    let shared = Arc::new(Shared::default());
    Ok(move |engine: &Arc<Engine>, role: Role| {
        Seat::player(Equilibrium {
            machine: Arc::clone(engine),
            role,
            effort,
            seconds,
            shared: Arc::clone(&shared),
            solved: None,
            otherwise: Arc::clone(&otherwise),
            seat: None,
        })
    })
}

/// A player that solves its game.
struct Equilibrium {
    machine: Arc<Engine>,
    role: Role,
    effort: SolveEffort,
    seconds: f64,
    shared: Arc<Shared<Solved>>,
    solved: Option<Arc<Solved>>,
    otherwise: Arc<PlayerSpec>,
    /// The player that plays where there is no solution, once it was needed.
    seat: Option<Seat>,
}

impl Equilibrium {
    /// The solution, computed by whoever needs it first.
    fn solved(&mut self, budget: &Budget) -> Arc<Solved> {
        if let Some(solved) = &self.solved {
            return Arc::clone(solved);
        }
        let effort = self.effort;
        let mut budget = budget.share(SAFE_SHARE);
        if self.seconds > 0.0 {
            budget = budget.within(std::time::Duration::from_secs_f64(self.seconds));
        }
        let machine = Arc::clone(&self.machine);
        let solved = self.shared.get(&self.machine, || SolvedGame::solve(&machine, &effort, &budget));
        self.solved = Some(Arc::clone(&solved));
        solved
    }

    /// Lets the other player decide.
    fn by_other(&mut self, reason: String, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let seat = self.seat.get_or_insert_with(|| self.otherwise.seat(&self.machine, self.role));
        let Seat::Player(player) = seat else {
            let mut decision = Decision::uniform(view.legal, seed);
            let otherwise = self.otherwise.spec();
            let why = format!("{otherwise} would see the true history: a legal move at random");
            decision.reasons = vec![Reason::said(reason), Reason::said(why)];
            return decision;
        };
        let mut decision = player.decide(view, budget, seed);
        let instead = format!("{reason}; plays as {}", self.otherwise.spec());
        decision.reasons.insert(0, Reason::said(instead));
        decision
    }
}

impl Player for Equilibrium {
    fn prepare(&mut self, budget: &Budget, seed: &Seed) {
        if self.solved(budget).is_err() {
            let seat = self.seat.get_or_insert_with(|| self.otherwise.seat(&self.machine, self.role));
            if let Seat::Player(player) = seat {
                player.prepare(budget, seed);
            }
        }
    }

    fn legal_after(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Option<Vec<Move>> {
        let solved = self.solved(budget);
        if let Ok(game) = &*solved
            && let Some((set, _)) = game.advice(evidence)
        {
            return Some(game.tree.moves(set).to_vec());
        }
        match &mut self.seat {
            Some(Seat::Player(player)) => player.legal_after(evidence, budget, seed),
            _ => None,
        }
    }

    fn think_ahead(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        match &mut self.seat {
            Some(Seat::Player(player)) => player.think_ahead(evidence, budget, seed),
            _ => false,
        }
    }

    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let solved = self.solved(budget);
        let game = match &*solved {
            Ok(game) => game,
            Err(reason) => return self.by_other(format!("no equilibrium: {reason}"), view, budget, seed),
        };
        let advice = game.advice(view.evidence);
        match advice {
            Some((set, advice)) if game.tree.moves(set) == view.legal => {
                let mut decision = drawn(view, &advice, seed);
                decision.reasons = vec![Reason::said(game.describe(self.role)), Reason::Mixed];
                decision
            }
            _ if view.legal.len() == 1 => Decision::uniform(view.legal, seed),
            _ => {
                let reason = "the equilibrium says nothing about this evidence".to_owned();
                self.by_other(reason, view, budget, seed)
            }
        }
    }
}

/// The decision that follows the advice.
fn drawn(view: &View<'_>, advice: &Advice<'_>, seed: &Seed) -> Decision {
    let policy = view.legal.iter().copied().zip(advice.shares.iter().copied()).collect();
    let mut decision = Decision::draw(policy, seed);
    let values = view.legal.iter().copied().zip(advice.values.iter().copied());
    decision.values = values.filter(|(_, value)| value.is_finite()).collect();
    decision
}
