//! One question to a player, and what can go wrong with the answer.
//!
//! Nothing that goes wrong is an error here: an answer is always a policy, the one that the referee would let the
//! player follow. A player that panics moves uniformly, and the probability that it would give to moves that are not
//! legal is shared evenly among the legal ones, because the referee draws a legal move instead. [`AskedCounts`] says
//! how often that happened.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;

use super::DecisionBudget;
use crate::player::{Decision, Player, PlayerSpec, Seat, View, guarded};
use hyperplay_engine::Engine;
use hyperplay_machine::{EvaluationFailure, Move, Role, Seed};
use hyperplay_think::solve::GameTree;

/// How players are asked at the information sets of a tree.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The tree.
    pub tree: &'a GameTree,
    /// The budget of each decision.
    pub budget: DecisionBudget,
    /// The root of all randomness.
    pub seed: &'a Seed,
    /// Whether each information set is asked as the player decides there in the match of this seed, after all own
    /// decisions before it; or else by itself.
    pub along_match: bool,
    /// Asked before each decision and after it: whether to give up. What cancels the decisions must be told by it too.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called after each decision.
    pub tick: &'a (dyn Fn() + Sync),
}

/// What a player that was asked gives.
pub type Asked<T = ()> = Result<T, AskError>;

/// Why a player was not asked.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AskError {
    /// The player of this spec is shown the true history.
    #[error(
        "the player '{0}' is clairvoyant: what it does depends on the true history, so it has no policy by \
         information set"
    )]
    Clairvoyant(String),
    /// The player of this spec is another program.
    #[error(
        "the player '{0}' is another program, which is told of the matches that it plays and not asked for a policy"
    )]
    Remote(String),
    /// The caller asked to stop.
    #[error("the player was not asked everywhere: it was interrupted")]
    Stopped,
}

/// The cost of the answers of a player, and what went wrong with them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AskedCounts {
    /// Decisions made.
    #[serde(rename = "count")]
    pub decisions: u64,
    /// States visited in them.
    pub states: u64,
    /// Playouts made in them.
    pub playouts: u64,
    /// Decisions on a depleted belief.
    pub depleted: u64,
    /// Decisions in which an evaluation of the rules failed.
    pub failed: u64,
    /// Decisions in which the player panicked: it counts as uniform there.
    pub crashed: u64,
    /// Decisions that gave something to a move that is not legal, or were no distribution.
    pub illegal: u64,
    /// Decisions that took more time than the budget had.
    pub late: u64,
    /// The message of the first decision that failed or crashed.
    #[serde(rename = "first_message")]
    pub first: Option<String>,
}

impl AskedCounts {
    /// Adds what comes after.
    pub fn add(&mut self, other: AskedCounts) {
        self.decisions += other.decisions;
        self.states += other.states;
        self.playouts += other.playouts;
        self.depleted += other.depleted;
        self.failed += other.failed;
        self.crashed += other.crashed;
        self.illegal += other.illegal;
        self.late += other.late;
        self.first = self.first.take().or(other.first);
    }

    fn faults(&self) -> [(u64, &'static str); 5] {
        [
            (self.depleted, "on a depleted belief"),
            (self.failed, "on a failed evaluation of the rules"),
            (self.crashed, "crashed"),
            (self.illegal, "with illegal moves"),
            (self.late, "late"),
        ]
    }

    /// Whether anything went wrong.
    pub fn is_faulty(&self) -> bool {
        self.faults().iter().any(|&(count, _)| count > 0)
    }
}

impl fmt::Display for AskedCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let met = || self.faults().into_iter().filter(|&(count, _)| count > 0);
        match &met().collect::<Vec<_>>()[..] {
            [] => write!(f, "{} decisions without a fault", self.decisions)?,
            [(count, what)] => write!(f, "{count} of {} decisions {what}", self.decisions)?,
            several => {
                let parts: Vec<String> =
                    several.iter().map(|(count, what)| format!("{count} {what}")).collect();
                write!(f, "of {} decisions {}", self.decisions, parts.join(", "))?;
            }
        }
        self.first.as_ref().map_or(Ok(()), |first| write!(f, "; the first: {first}"))
    }
}

/// The answer of a player.
pub(super) struct Answer {
    /// The probabilities of the legal moves, in their order.
    pub(super) policy: Vec<f64>,
    /// One decision.
    pub(super) counts: AskedCounts,
    /// The failure of an evaluation that the decision rests on.
    pub(super) failure: Option<EvaluationFailure>,
}

impl AskError {
    /// Why a player in a seat cannot be asked, if it cannot.
    pub fn of(player: &PlayerSpec, seat: &Seat) -> Option<AskError> {
        let spec = || player.spec().to_string();
        match seat {
            Seat::Player(_) => None,
            Seat::Clairvoyant(_) => Some(AskError::Clairvoyant(spec())),
            Seat::Remote(_) => Some(AskError::Remote(spec())),
        }
    }
}

/// Whether a player can be asked at all.
pub(super) fn check(player: &PlayerSpec, machine: &Arc<Engine>, role: Role) -> Asked {
    // One that panics when it is seated is asked: each of its answers is a crash.
    guarded(|| AskError::of(player, &player.seat(machine, role))).ok().flatten().map_or(Ok(()), Err)
}

/// A seat of a player that can be asked; the message of its panic once it has crashed.
pub(super) struct AskedSeat(Result<Box<dyn Player>, String>);

impl AskedSeat {
    pub(super) fn new(player: &PlayerSpec, machine: &Arc<Engine>, role: Role) -> AskedSeat {
        AskedSeat(guarded(|| match player.seat(machine, role) {
            Seat::Player(player) => player,
            _ => panic!("it was another kind of seat before"),
        }))
    }

    /// A copy, if the player can be copied.
    pub(super) fn fork(&self) -> Option<AskedSeat> {
        let player = match &self.0 {
            Ok(player) => guarded(|| player.fork()).transpose()?,
            Err(panic) => Err(panic.clone()),
        };
        Some(AskedSeat(player))
    }

    /// Its answer to one question.
    pub(super) fn answer(&mut self, view: &View<'_>, budget: &DecisionBudget, seed: &Seed) -> Answer {
        let mut counts = AskedCounts { decisions: 1, ..AskedCounts::default() };
        let budget = budget.begin();
        let decision = self.guarded(|player| (player.decide(view, &budget, seed), budget.is_late()));
        match decision {
            Ok((Decision { policy, cost, depleted, failure, .. }, late)) => {
                let (policy, is_legal) = among(&policy, view.legal);
                counts.states = cost.states;
                counts.playouts = cost.playouts;
                counts.depleted = depleted.into();
                counts.failed = failure.is_some().into();
                counts.illegal = (!is_legal).into();
                counts.late = late.into();
                counts.first = failure.as_ref().map(|failure| failure.to_string());
                Answer { policy, counts, failure }
            }
            Err(panic) => {
                counts.crashed = 1;
                counts.first = Some(panic);
                Answer { policy: even(view.legal), counts, failure: None }
            }
        }
    }

    /// Asks something of the player; one that panics has crashed for all questions after this one too.
    pub(super) fn guarded<T>(&mut self, ask: impl FnOnce(&mut dyn Player) -> T) -> Result<T, String> {
        let player = self.0.as_mut().map_err(|panic| panic.clone())?;
        let answer = guarded(|| ask(&mut **player));
        if let Err(panic) = &answer {
            self.0 = Err(panic.clone());
        }
        answer
    }
}

/// The shares of the legal moves in a policy, and whether it is a distribution over legal moves.
fn among(policy: &[(Move, f64)], legal: &[Move]) -> (Vec<f64>, bool) {
    let total: f64 = policy.iter().map(|&(_, share)| share).sum();
    if !(total.is_finite() && total > 0.0 && policy.iter().all(|&(_, share)| share >= 0.0)) {
        return (even(legal), false);
    }
    let mut shares = vec![0.0; legal.len()];
    let mut illegal = 0.0;
    for &(own, share) in policy {
        match legal.iter().position(|&listed| listed == own) {
            Some(place) => shares[place] += share / total,
            None => illegal += share / total,
        }
    }
    shares.iter_mut().for_each(|share| *share += illegal / legal.len() as f64);
    (shares, illegal == 0.0)
}

fn even(legal: &[Move]) -> Vec<f64> {
    vec![1.0 / legal.len() as f64; legal.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};

    #[test]
    fn what_is_given_to_illegal_moves_is_what_the_referee_draws() {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let [a, b, c] = names.map(|name| Move(terms.intern(name, &[])));
        let legal = [a, b];
        for (policy, expected, is_legal) in [
            (vec![(b, 1.0)], [0.0, 1.0], true),
            (vec![(b, 0.5), (a, 0.25), (b, 0.25)], [0.25, 0.75], true),
            (vec![(a, 0.5), (c, 0.5)], [0.75, 0.25], false),
            (vec![(c, 1.0)], [0.5, 0.5], false),
            (vec![(a, 2.0), (b, 2.0)], [0.5, 0.5], true),
            (vec![(a, f64::NAN)], [0.5, 0.5], false),
            (vec![(a, 2.0), (b, -1.0)], [0.5, 0.5], false),
            (vec![], [0.5, 0.5], false),
        ] {
            assert_eq!(among(&policy, &legal), (expected.to_vec(), is_legal), "{policy:?}");
        }
    }
}
