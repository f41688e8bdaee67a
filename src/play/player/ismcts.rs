//! The player `ismcts`: it searches all states that its evidence leaves possible in one tree of what the roles know.
//!
//! The belief is that of [`hyperplay`](mod@super::hyperplay), with the same keys. Every simulation of the search
//! ([`hyperplay_think::search::ismcts`]) begins in a particle that is drawn by its weight. The knowledge of another
//! role in a particle is its knowledge after the history of that particle. (Where a belief is enumerated by states, one
//! history stands for all that end in a state: the key `exact_update`.)
//!
//! Since a move is worth its mean over all states that the player cannot tell apart, now and later in the tree, it can
//! value information. It does not bluff: the facts that it alone knows are true in all particles, so the other roles
//! learn in the tree from nothing else and play as if they knew it. Its final move is one of three ([`FinalMove`]). The
//! number of simulations reproduces; a deadline or a node budget ends the search before.
//!
//! Reference: Cowling, Powley, Whitehouse, *Information Set Monte Carlo Tree Search*, IEEE Transactions on
//! Computational Intelligence and AI in Games 4, 2012.

use super::deliberation::Deliberation;
use super::judgement::{Judgement, greedy};
use super::own_belief::Possible;
use super::{Decision, DecisionCost, OwnBelief, Player, Reason, SpecWord};
use hyperplay_machine::Move;
use hyperplay_think::search::{self, IsmctsOptions, PossibleStates, SimulatedMove};

/// How a policy follows from the simulations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalMove {
    /// The move that was visited most; ties are mixed evenly.
    Visits,
    /// A move as often as its share of the visits.
    Mixed,
    /// The move with the greatest mean; ties are mixed evenly.
    Value,
}

impl SpecWord for FinalMove {
    const WORDS: &'static [(&'static str, FinalMove)] =
        &[("visits", FinalMove::Visits), ("mixed", FinalMove::Mixed), ("value", FinalMove::Value)];
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
    clocked(belief, [options; 2], last)
}

/// The same with options for decisions without a deadline and for those with.
pub(super) fn clocked(belief: OwnBelief, options: [IsmctsOptions; 2], last: FinalMove) -> impl Player {
    belief.player(move |deliberation, possible| {
        let options = options[usize::from(!deliberation.budget.reproduces())];
        search(deliberation, possible, &options, last)
    })
}

fn search(
    deliberation: Deliberation<'_>,
    possible: &Possible<'_>,
    options: &IsmctsOptions,
    last: FinalMove,
) -> Decision {
    deliberation.unless_forced(|mut context, legal| {
        let (states, known) = possible.knowing(context.budget.deadline);
        let possible = PossibleStates { states: &states, known: &known };
        let made = search::ismcts(&mut context, &possible, legal, options);
        let cost = DecisionCost { states: made.steps, playouts: made.playouts };
        (judge(&made.moves, legal, last), cost, vec![Reason::simulated(&made)])
    })
}

/// The policy that the simulations suggest.
fn judge(moves: &[SimulatedMove], legal: &[Move], last: FinalMove) -> Judgement {
    let visits: Vec<f64> = moves.iter().map(|simulated| f64::from(simulated.visits)).collect();
    let total: f64 = visits.iter().sum();
    if total == 0.0 {
        return Judgement::none(legal);
    }
    let policy = match last {
        FinalMove::Visits => greedy(&visits),
        FinalMove::Mixed => visits.iter().map(|visits| visits / total).collect(),
        FinalMove::Value => {
            let value = |simulated: &SimulatedMove| simulated.value.unwrap_or(f64::NEG_INFINITY);
            greedy(&moves.iter().map(value).collect::<Vec<f64>>())
        }
    };
    let values = moves.iter().filter_map(|simulated| Some((simulated.own, simulated.value?)));
    Judgement { values: values.collect(), ..Judgement::of(legal, policy) }
}
