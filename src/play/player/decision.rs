//! The view that a player is shown, and the decision that it answers.
//!
//! The type of a player fixes what it may know. A [`Player`] is shown a [`View`], which holds only what its role
//! knows. A [`ClairvoyantPlayer`] is shown a [`ClairvoyantView`], which also holds the true history. The
//! [`Seat`](super::Seat) of a player says which of the two it is, and a referee passes the history only to the second
//! kind.

use std::time::Duration;

use rand::RngExt;

use super::reason::Reason;
use hyperplay_machine::{Budget, EvaluationFailure, Evidence, History, Move, Seed, share_at};
use hyperplay_think::belief::UpdateMethod;

/// The view that a player is shown when it must move.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// All that its role knows.
    pub evidence: &'a Evidence,
    /// The legal moves of its role, in the natural order of terms, never empty. One of them is chosen, whatever the
    /// states that a player considers possible say.
    pub legal: &'a [Move],
}

/// The view that a clairvoyant player is shown when it must move.
#[derive(Clone, Copy, Debug)]
pub struct ClairvoyantView<'a> {
    /// The view that every player of its role is shown.
    pub own: View<'a>,
    /// The joint moves made so far.
    pub history: &'a History,
}

/// The cost of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DecisionCost {
    /// States visited, in belief update and search together.
    pub states: u64,
    /// Playouts made.
    pub playouts: u64,
}

/// The content of a belief when a decision was made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeldBelief {
    /// Particles, those with equal histories counted once where these are merged.
    pub particles: usize,
    /// The distinct states that they end in.
    pub states: usize,
    /// The effective sample size of the particles, from 1 to their number.
    pub effective: f64,
    /// Whether they were the complete information set, with the exact posterior.
    pub is_enumerated: bool,
    /// How they were found.
    pub method: UpdateMethod,
    /// The steps that the last update drew at random and compared with what was observed; none where another method
    /// found the particles.
    pub attempts: u64,
    /// Those of them that agreed.
    pub accepted: u64,
}

/// The answer of a player.
///
/// ```
/// use hyperplay_machine::{Budget, Evidence, Role, Seed, StateMachine, StateMachineExt};
/// use hyperplay_think::belief::UpdateMethod;
/// use hyperplay_play::player::{Decision, DecisionCost, Registry, Seat, View};
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let role = Role::new(0);
/// let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch())[role].clone();
/// let view = View { evidence: &Evidence::new(role), legal: &legal };
/// let seat = Registry::standard().player("hyperplay")?.seat(&machine, role);
/// let Seat::Player(mut player) = seat else { panic!("it is not clairvoyant") };
///
/// let Decision { choice, cost, held, .. } = player.decide(&view, &Budget::UNLIMITED, &Seed::root(1));
/// assert_eq!(machine.show_move(choice), "yes");
/// let held = held.expect("it has a belief");
/// assert_eq!((held.particles, held.states, held.effective, held.is_enumerated), (1, 1, 1.0, true));
/// assert_eq!((held.method, held.attempts, held.accepted), (UpdateMethod::Enumeration, 0, 0));
/// assert_ne!(cost, DecisionCost::default());
/// // A player that does not reason spends nothing.
/// assert_eq!(Decision::uniform(&legal, &Seed::root(1)).cost, DecisionCost { states: 0, playouts: 0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The move, drawn from the policy.
    pub choice: Move,
    /// The distribution over moves that the choice was drawn from; sums to 1. That of `hyperplay` is even over the
    /// moves whose values are within 1e-9 of the best; where both sides of a zero-sum game move at once in some state
    /// held possible, it is the optimal mixed move of the mean of the matrix games.
    pub policy: Vec<(Move, f64)>,
    /// The expected goal of each move considered, 0..=100; empty for players that do not reason.
    pub values: Vec<(Move, f64)>,
    /// How often the search made each move; empty where it does not say, as all do but `ismcts`.
    pub visits: Vec<(Move, u32)>,
    /// The cost of the decision.
    pub cost: DecisionCost,
    /// The belief that was held; none for players without a belief and for a depleted one.
    pub held: Option<HeldBelief>,
    /// Whether the belief had no particle left.
    pub depleted: bool,
    /// Whether the belief was depleted at the last decision, and has particles again: histories that explain
    /// everything.
    pub recovered: bool,
    /// The failure of an evaluation of the rules that the player met, if any: its answer rests on less than it says.
    pub failure: Option<EvaluationFailure>,
    /// The reasons, as data: the belief, how it was judged, and whether an evaluation of the rules failed.
    /// [`explain`](Decision::explain) puts them into words.
    pub reasons: Vec<Reason>,
}

impl Decision {
    /// The decision for a move drawn uniformly from the legal ones, of which there is at least one.
    ///
    /// # Panics
    /// If there is none.
    pub fn uniform(legal: &[Move], seed: &Seed) -> Decision {
        Decision::draw(uniform(legal), seed)
    }

    /// The decision for a move drawn from `policy`, without values, cost or reasons. The policy is not empty and
    /// sums to 1.
    ///
    /// # Panics
    /// If it is empty.
    pub fn draw(policy: Vec<(Move, f64)>, seed: &Seed) -> Decision {
        let number = seed.child("choice").rng().random();
        let place = share_at(policy.iter().map(|(_, share)| *share), number);
        let (choice, _) = policy[place.expect("some legal move has a positive share")];
        Decision {
            choice,
            policy,
            values: Vec::new(),
            visits: Vec::new(),
            cost: DecisionCost::default(),
            held: None,
            depleted: false,
            recovered: false,
            failure: None,
            reasons: Vec::new(),
        }
    }
}

/// The policy that gives every move the same share.
pub(super) fn uniform(moves: &[Move]) -> Vec<(Move, f64)> {
    moves.iter().map(|&own| (own, 1.0 / moves.len() as f64)).collect()
}

/// A program that plays one role of one match.
///
/// ```
/// use hyperplay_machine::{Budget, Seed};
/// use hyperplay_play::player::{Decision, Player, View};
///
/// /// Plays the last legal move.
/// struct Last;
///
/// impl Player for Last {
///     fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
///         Decision::draw(vec![(view.legal[view.legal.len() - 1], 1.0)], seed)
///     }
/// }
///
/// // It has no belief that would follow the evidence.
/// assert_eq!(Last.update_time(), None);
/// assert_eq!(Last.believed(), []);
/// ```
pub trait Player: Send {
    /// Chooses a legal move before the budget runs out. All randomness comes from `seed`, which is another one at
    /// every step.
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision;

    /// Uses the time before the first step, if the player can; all it prepares it could also do in its first decision.
    fn prepare(&mut self, budget: &Budget, seed: &Seed) {
        let _ = (budget, seed);
    }

    /// Uses time in which nothing is asked: after a decision, before the next evidence is known. `evidence` is that of
    /// the decision. Returns whether more time would be of use; it is called again and again with small budgets.
    fn think_ahead(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        let _ = (evidence, budget, seed);
        false
    }

    /// The legal moves after this evidence, for a caller that does not know them: the moves that are legal in every
    /// state that the player holds possible, in the natural order of terms. `None` if the player holds none possible,
    /// or has no belief.
    fn legal_after(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Option<Vec<Move>> {
        let _ = (evidence, budget, seed);
        None
    }

    /// Whether its policy at a decision depends on what it has worked out at earlier ones of the match, as that of a player
    /// does that keeps a tree. Such a player is judged along matches and not at each information set by itself.
    fn carries_plan(&self) -> bool {
        false
    }

    /// A copy of the player as it is after its last decision, which decides in future as this one would. With copies a plan
    /// is asked about in several courses of a match. `None` if the player cannot be copied.
    fn fork(&self) -> Option<Box<dyn Player>> {
        None
    }

    /// How long the belief took to follow the evidence at the last decision; none for players without a belief. Wall
    /// time, so no part of a [`Decision`].
    fn update_time(&self) -> Option<Duration> {
        None
    }

    /// The states that it held possible at the last decision, the likeliest first; none for players without a belief,
    /// and where the belief had no history. A caller that wants to record them asks after the decision.
    fn believed(&self) -> Vec<BelievedState> {
        Vec::new()
    }
}

/// A state that a player holds possible, in words.
#[derive(Clone, PartialEq, Debug)]
pub struct BelievedState {
    /// Its share of the belief; the weights of all states sum to 1.
    pub weight: f64,
    /// In how many of the particles it is the last state.
    pub histories: u32,
    /// The facts that hold in it, as terms in their natural order.
    pub facts: Vec<String>,
}

/// A program that plays one role of one match and is shown the true history: a control for experiments, no opponent for
/// a fair match.
///
/// ```
/// use hyperplay_machine::{Budget, Role, Seed};
/// use hyperplay_play::player::{ClairvoyantPlayer, ClairvoyantView, Decision, Seat};
///
/// /// Repeats what the first role did last, where that is legal.
/// struct Copycat;
///
/// impl ClairvoyantPlayer for Copycat {
///     fn decide(&mut self, view: &ClairvoyantView<'_>, _: &Budget, seed: &Seed) -> Decision {
///         let seen = view.history.0.last().map(|joint| joint.of(Role::new(0)));
///         match seen.filter(|own| view.own.legal.contains(own)) {
///             Some(own) => Decision::draw(vec![(own, 1.0)], seed),
///             None => Decision::uniform(view.own.legal, seed),
///         }
///     }
/// }
///
/// assert!(Seat::clairvoyant(Copycat).is_clairvoyant());
/// ```
pub trait ClairvoyantPlayer: Send {
    /// As [`Player::decide`].
    fn decide(&mut self, view: &ClairvoyantView<'_>, budget: &Budget, seed: &Seed) -> Decision;
}

impl Decision {
    /// The decision of a player that met `failure` while it decided. It says so, and it moves at random where its
    /// choice is not one of the legal moves that it was shown.
    pub(super) fn admitting(
        mut self,
        failure: Option<EvaluationFailure>,
        legal: &[Move],
        seed: &Seed,
    ) -> Decision {
        let Some(failure) = failure else { return self };
        self.reasons.push(Reason::Failed);
        self.failure = Some(failure);
        if !legal.contains(&self.choice) {
            self.reasons.push(Reason::Random);
            let Decision { choice, policy, .. } = Decision::uniform(legal, seed);
            return Decision { choice, policy, values: Vec::new(), ..self };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};

    #[test]
    fn a_choice_that_is_not_legal_is_replaced_only_after_a_failure() {
        let mut symbols = Symbols::new();
        let names = ["go", "stop", "zero"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let [go, stop, wrong] = names.map(|name| Move(terms.intern(name, &[])));
        let legal = [go, stop];
        let (seed, failure) = (Seed::root(1), EvaluationFailure { reason: "too deep".to_owned() });
        let decision = || Decision::draw(vec![(wrong, 1.0)], &seed);
        assert_eq!(decision().admitting(None, &legal, &seed).choice, wrong);
        let admitted = decision().admitting(Some(failure.clone()), &legal, &seed);
        assert!(legal.contains(&admitted.choice) && admitted.policy.len() == 2);
        let kept = Decision::draw(vec![(legal[1], 1.0)], &seed).admitting(Some(failure), &legal, &seed);
        assert_eq!((kept.choice, kept.reasons), (legal[1], vec![Reason::Failed]));
        assert_eq!(kept.failure, admitted.failure);
        assert!(kept.failure.is_some() && decision().failure.is_none());
    }
}
