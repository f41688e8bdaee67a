//! The player `oos`: regret minimisation by sampling, in one tree for the match, that aims at what its evidence leaves
//! possible (online outcome sampling).
//!
//! The belief is that of [`hyperplay`](fn@super::hyperplay), with the same keys, and says only where to aim: the iterations
//! of a decision go through one of the particles with a given probability, and all draws are weighted accordingly. So what
//! is learnt is the policy of the whole game from its beginning on, in which the others do not know what this role knows.
//! It is kept for the next decision, and the average policy is played. Where two roles decide and one wins what the other
//! loses it approaches an equilibrium.
//!
//! A number of iterations reproduces; a node budget counts the nodes visited. A tree that takes more than half of its
//! memory when a decision begins is begun anew. Where the rules give the minimiser no tree, the move is drawn at random, and the player says why.
//!
//! Reference: Lisy, Lanctot, Bowling, *Online Monte Carlo Counterfactual Regret Minimization for Search in Imperfect
//! Information Games*, AAMAS 2015.

use super::deliberation::Deliberation;
use super::judgement::Judgement;
use super::own_belief::Possible;
use super::{DecisionCost, OwnBelief, Player, Reason};
use hyperplay_think::solve::{AimOptions, MonteCarloMinimiser, SamplingError, SamplingScheme, TreeError};

/// The player `oos` for one match, with options for decisions without a deadline and for those with.
pub fn oos(belief: OwnBelief, options: [AimOptions; 2]) -> impl Player {
    let mut kept: Option<MonteCarloMinimiser<_>> = None;
    let choose = move |deliberation: Deliberation<'_>, possible: &Possible<'_>| {
        let (legal, seed, mut failure) = (deliberation.legal, deliberation.seed, None);
        let decision = deliberation.unless_forced(|context, legal| {
            let options = options[usize::from(!context.budget.reproduces())];
            kept.take_if(|minimiser| minimiser.bytes() > options.memory / 2);
            let minimiser = kept
                .get_or_insert_with(|| MonteCarloMinimiser::new(context.machine, SamplingScheme::Outcome));
            let (belief, particles) = (possible.belief, possible.belief.particles());
            // Asked before the time is up, because an answer after the deadline may be cut off.
            let known = belief.evidence_until(&particles[0], context.role, context.budget.deadline);
            let (visits, before) = (minimiser.visits, minimiser.iterations);
            let histories = particles.iter().map(|particle| (belief.history(particle), particle.weight));
            let done =
                minimiser.iterate_aimed(context.machine, histories, &options, &context.budget, &context.seed);
            let mut reasons = vec![Reason::said(format!(
                "{} iterations, {} of them for this decision; {} information sets were met",
                minimiser.iterations,
                minimiser.iterations - before,
                minimiser.information_sets()
            ))];
            if let Err(error) = done {
                reasons.push(Reason::said(error.to_string()));
                if let SamplingError::Rules(TreeError::Failed(found)) = error {
                    failure = Some(found);
                }
            }
            let share = |(moves, shares): (&[_], Vec<f64>)| -> Option<Vec<f64>> {
                let place = |own| moves.iter().position(|listed| listed == own);
                legal.iter().map(|own| Some(shares[place(own)?])).collect()
            };
            let policy = minimiser.policy(&known).and_then(share);
            let judgement =
                policy.map_or_else(|| Judgement::none(legal), |policy| Judgement::of(legal, policy));
            (judgement, DecisionCost { states: minimiser.visits - visits, playouts: 0 }, reasons)
        });
        decision.admitting(failure, legal, seed)
    };
    belief.player_with(choose, true)
}
