//! The player `ismcts`: it searches all states that its evidence leaves possible in one tree of what the roles know.
//!
//! The belief is that of [`hyperplay`](mod@super::hyperplay), with the same keys. Every simulation of the search
//! ([`hyperplay_think::search::ismcts`]) begins in a particle that is drawn by its weight. The knowledge of another
//! role in a particle is its knowledge after the history of that particle. (Where a belief is enumerated by states, one
//! history stands for all that end in a state: the key `exact_update`.)
//!
//! Since a move is worth its mean over all states that the player cannot tell apart, now and later in the tree, it can
//! value information. It does not bluff: the facts that it alone knows are true in all particles, so the other roles
//! learn in the tree from nothing else and play as if they knew it. How the policy follows from the simulations is one
//! of four rules ([`FinalMove`]). By default moves that were visited seldom are not played, because their visits were
//! exploration (thresholding, Ganzfried et al. 2012). The number of simulations reproduces; a deadline or a node budget
//! ends the search before. A tree can be kept from decision to decision, and then it grows in between too, where the
//! player thinks ahead and the number of simulations is not said.
//!
//! Reference: Cowling, Powley, Whitehouse, *Information Set Monte Carlo Tree Search*, IEEE Transactions on
//! Computational Intelligence and AI in Games 4, 2012.

use std::sync::Arc;

use super::deliberation::Deliberation;
use super::judgement::{Judgement, greedy};
use super::own_belief::{Choice, Possible};
use super::selection::IsPlain;
use super::{Decision, DecisionCost, OwnBelief, Player, Reason, SpecWord};
use hyperplay_engine::Engine;
use hyperplay_machine::{
    Budget, Bulk as _, Move, MoveWeights, Seed, Start, StateMachine as _, StateMachineExt as _,
};
use hyperplay_think::search::{IsmctsOptions, IsmctsTrees, Observers, SimulatedMove};

/// How a policy follows from the simulations. Where roles choose at once, draws by regret matching stand for visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalMove {
    /// The move that was visited most; ties are mixed evenly.
    Visits,
    /// A move as often as its share of the visits.
    Mixed,
    /// The same among the moves that were visited at least half as often as the one visited most.
    Thresholded,
    /// The move with the greatest mean; ties are mixed evenly.
    Value,
}

/// What a move needs of the visits of the one visited most in order to be played, as measured (`docs/measurements.md`).
const LEAST_SHARE: f64 = 0.5;

/// How many particles stand for what another role holds possible.
const HELD: usize = 20;

impl SpecWord for Observers {
    const WORDS: &'static [(&'static str, Observers)] =
        &[("every", Observers::Every), ("one", Observers::One)];
}

impl SpecWord for FinalMove {
    const WORDS: &'static [(&'static str, FinalMove)] = &[
        ("thresholded", FinalMove::Thresholded),
        ("visits", FinalMove::Visits),
        ("mixed", FinalMove::Mixed),
        ("value", FinalMove::Value),
    ];
}

/// The player `ismcts` for one match: the particles of its belief are searched.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_engine::{EngineKind, Engines};
/// use hyperplay_think::belief::{ParticleSampler, Uniform};
/// use hyperplay_play::player::{FinalMove, OwnBelief, Player, View, ismcts};
/// use hyperplay_think::search::IsmctsOptions;
///
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let evidence = machine.evidence(&truth, candidate, &mut machine.scratch());
/// let state = machine.replay(&truth, &mut machine.scratch());
/// let legal = machine.legal_by_role(&state, &mut machine.scratch())[candidate].clone();
/// let options = IsmctsOptions { simulations: 1_000, exploration: 0.5, ..IsmctsOptions::default() };
/// for (last, most) in [(FinalMove::Visits, 0.0), (FinalMove::Value, 0.0), (FinalMove::Mixed, 0.2)] {
///     let (model, sampler) = (Arc::new(Uniform), Arc::new(ParticleSampler::default()));
///     let belief = OwnBelief::new(machine.clone(), candidate, model, sampler, 20);
///     let mut player = ismcts(belief, options, last);
///     let view = View { evidence: &evidence, legal: &legal };
///     let decision = player.decide(&view, &Budget::UNLIMITED, &Seed::root(1));
///     assert!(decision.policy[0].1 <= most, "it seldom stays");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ismcts(belief: OwnBelief, options: IsmctsOptions, last: FinalMove) -> impl Player {
    clocked(belief, [options; 2], last, None, true)
}

/// The same with options for decisions without a deadline and for those with, with others where there is nothing to mix,
/// and with a tree that is kept or not.
pub(super) fn clocked(
    belief: OwnBelief,
    options: [IsmctsOptions; 2],
    last: FinalMove,
    plain: Option<Plain>,
    is_kept: bool,
) -> impl Player {
    belief.player_with(TreeChoice { trees: None, options, last, plain, is_kept }, is_kept)
}

/// Lets the engine compile what playouts by weights need, so that the clock of the first decision does not pay for it. An
/// engine that makes one playout after the other compiles nothing.
pub(super) fn prepare(machine: &Engine) {
    let (state, mut scratch) = (machine.initial(), machine.scratch());
    if machine.at_once() > 1 && !machine.terminal(&state, &mut scratch) {
        let legal = machine.legal_by_role(&state, &mut scratch);
        let weights = Some(Arc::new(MoveWeights::new(legal.map(|_| MoveWeights::MOST))));
        let start = Start { state, first: Vec::new(), weights, count: 1 };
        machine.playouts(&[start], &Seed::root(0), &Budget::UNLIMITED, &mut scratch);
    }
}

/// The exploration and the rule where there is nothing to mix.
#[derive(Clone)]
pub(super) struct Plain {
    pub(super) is_plain: IsPlain,
    pub(super) exploration: f64,
    pub(super) last: FinalMove,
}

/// The most bytes that a tree which is not kept leaves allocated for the next decision, while the player waits.
const LEFT: usize = 64 << 20;

/// The choice from one tree.
struct TreeChoice {
    trees: Option<IsmctsTrees<Engine>>,
    options: [IsmctsOptions; 2],
    last: FinalMove,
    plain: Option<Plain>,
    is_kept: bool,
}

impl Clone for TreeChoice {
    /// A copy needs no tree that is not kept, and none of its memory.
    fn clone(&self) -> Self {
        let TreeChoice { ref trees, options, last, ref plain, is_kept } = *self;
        TreeChoice {
            trees: trees.as_ref().filter(|_| is_kept).cloned(),
            options,
            last,
            plain: plain.clone(),
            is_kept,
        }
    }
}

impl Choice for TreeChoice {
    fn choose(&mut self, deliberation: Deliberation<'_>, possible: &Possible<'_>) -> Decision {
        if let Some(plain) = self.plain.take().filter(|plain| (plain.is_plain)(&deliberation.budget)) {
            self.options.iter_mut().for_each(|options| options.exploration = plain.exploration);
            self.last = plain.last;
        }
        let options = self.options[usize::from(!deliberation.budget.reproduces())];
        let trees = self.trees.get_or_insert_with(|| IsmctsTrees::new(deliberation.machine, &options));
        let decision = search(trees, deliberation, possible, &options, self.last);
        if !self.is_kept {
            let is_large = trees.bytes() > LEFT;
            trees.clear();
            self.trees.take_if(|_| is_large);
        }
        decision
    }

    /// Also where there was no choice, which is so where the others are to move.
    fn think_ahead(&mut self, deliberation: Deliberation<'_>, possible: &Possible<'_>) -> bool {
        let [counted, options] = self.options;
        // Options that are the same with a deadline and without say how many simulations a decision makes.
        if !self.is_kept || options == counted {
            return false;
        }
        let trees = self.trees.get_or_insert_with(|| IsmctsTrees::new(deliberation.machine, &options));
        let (mut context, legal) = deliberation.context();
        let options = IsmctsOptions { model_share: possible.modelled, ..options };
        possible.searching(&mut context, HELD, |context, possible| {
            trees.search_ahead(context, possible, legal, &options)
        })
    }
}

fn search(
    trees: &mut IsmctsTrees<Engine>,
    deliberation: Deliberation<'_>,
    possible: &Possible<'_>,
    options: &IsmctsOptions,
    last: FinalMove,
) -> Decision {
    let (own, seed, mut failure) = (deliberation.legal, deliberation.seed, None);
    let decision = deliberation.unless_forced(|mut context, legal| {
        let options = IsmctsOptions { model_share: possible.modelled, ..*options };
        let made = possible.searching(&mut context, HELD, |context, possible| {
            trees.search(context, possible, legal, &options)
        });
        failure = made.failure.clone();
        let cost = DecisionCost { states: made.steps, playouts: made.playouts };
        (judge(&made.moves, legal, last), cost, vec![Reason::simulated(&made)])
    });
    decision.admitting(failure, own, seed)
}

/// The policy that the simulations suggest.
fn judge(moves: &[SimulatedMove], legal: &[Move], last: FinalMove) -> Judgement {
    let counted: Vec<f64> = moves.iter().map(|simulated| f64::from(simulated.counted)).collect();
    let most = counted.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return Judgement::none(legal);
    }
    let mixed = |least: f64| {
        let kept = |count: f64| if count >= least { count } else { 0.0 };
        let total: f64 = counted.iter().copied().map(kept).sum();
        counted.iter().map(|&count| kept(count) / total).collect()
    };
    let policy = match last {
        FinalMove::Visits => greedy(&counted),
        FinalMove::Mixed => mixed(0.0),
        FinalMove::Thresholded => mixed(LEAST_SHARE * most),
        FinalMove::Value => {
            let value = |simulated: &SimulatedMove| simulated.value.unwrap_or(f64::NEG_INFINITY);
            greedy(&moves.iter().map(value).collect::<Vec<f64>>())
        }
    };
    let values = moves.iter().filter_map(|simulated| Some((simulated.own, simulated.value?)));
    let visits = moves.iter().map(|simulated| (simulated.own, simulated.visits)).collect();
    Judgement { values: values.collect(), visits, ..Judgement::of(legal, policy) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};

    #[test]
    fn a_move_with_less_than_half_of_the_most_visits_is_played_only_if_all_are_mixed() {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let legal = names.map(|name| Move(terms.intern(name, &[])));
        let made = [(60, 30.0), (30, 20.0), (10, 50.0)];
        let simulated = |(own, (counted, value))| SimulatedMove {
            own,
            visits: 100 - counted,
            counted,
            value: Some(value),
        };
        let moves: Vec<SimulatedMove> = legal.into_iter().zip(made).map(simulated).collect();
        for (last, expected) in [
            (FinalMove::Visits, [1.0, 0.0, 0.0]),
            (FinalMove::Mixed, [0.6, 0.3, 0.1]),
            (FinalMove::Thresholded, [2.0 / 3.0, 1.0 / 3.0, 0.0]),
            (FinalMove::Value, [0.0, 0.0, 1.0]),
        ] {
            let policy = judge(&moves, &legal, last).policy;
            let near = |(own, share): (&(Move, f64), f64)| (own.1 - share).abs() < 1e-9;
            assert!(policy.iter().zip(expected).all(near), "{last:?}: {policy:?}");
        }
    }
}
