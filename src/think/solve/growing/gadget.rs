//! Gadgets: the choice that another role has before the roots of a sub-game, which keeps the new policy from giving that
//! role more than it had before.
//!
//! For each class of evidence that the other role may have at the roots there is an *alternative*: its value under the last
//! solve. By **resolve** it takes either that or the sub-game, class by class. By **maxmargin** it chooses the class where
//! the sub-game gives it the most over the alternative, so the smallest margin is maximised. The searching role gains nothing
//! by giving a class more than its alternative, since that class then enters.
//!
//! Where nobody enters, nothing is learnt, and a gadget game has many equilibria that differ in the whole game. So the choice is
//! *perturbed*: a part of the weight of a root is what the role did under the last solve, whatever it would choose now. Against
//! an equilibrium this part alone gives up no safety, since no policy gains on it as a whole. Of a role that follows a model it
//! is at least as great as the probability of that.
//!
//! References: Burch, Johanson, Bowling, *Solving Imperfect Information Games Using Decomposition* (2014); Moravcik et al.,
//! *Refining Subgames in Large Imperfect Information Games* (2016); Zhang, Sandholm (2025); Kubicek, Lisy, Sandholm,
//! *Equilibrium Refinements Improve Subgame Solving in Imperfect-Information Games* (2026).

use super::super::regret::{PREDICTED, RegretRule};

/// Which choice other roles have before the roots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GadgetKind {
    /// None: they play as the last solve says. That is not safe.
    None,
    /// The alternative or the sub-game, for each class of evidence.
    Resolve,
    /// A class of evidence.
    Maxmargin,
}

/// The choice of a role before the roots.
#[derive(Clone)]
pub(super) struct Gadget {
    kind: GadgetKind,
    /// The part of a weight that is what the role did under the last solve.
    perturbation: f64,
    /// By class: the alternative, in goals less 50.
    pub(super) alternatives: Vec<f64>,
    /// By class: the weight of entering. By resolve half of it is alike for all; by maxmargin all classes count alike.
    entries: Vec<f64>,
    regrets: Vec<f64>,
    /// By class: the probabilities of entering and not, or one of choosing it.
    policy: Vec<f64>,
}

impl Gadget {
    /// A gadget of which this part is what the role did under the last solve; by class of the role the alternative, its reach,
    /// and what its roots weigh for it. None if there is only one class, where the most that can be had is to give it as
    /// little as possible.
    pub(super) fn new(
        (kind, perturbation): (GadgetKind, f64),
        alternatives: Vec<f64>,
        reach: &[f64],
        weights: &[f64],
    ) -> Option<Gadget> {
        let classes = alternatives.len();
        let mean = |of: &[f64]| of.iter().sum::<f64>() / classes as f64;
        let (mean_reach, mean_weight) = (mean(reach), mean(weights));
        let (entries, policy): (Vec<f64>, Vec<f64>) = match kind {
            GadgetKind::Resolve if classes > 1 => {
                (reach.iter().map(|reach| (reach + mean_reach) / 2.0).collect(), [1.0, 0.0].repeat(classes))
            }
            GadgetKind::Maxmargin if classes > 1 => {
                let even =
                    weights.iter().map(|&weight| if weight > 0.0 { mean_weight / weight } else { 0.0 });
                (even.collect(), vec![1.0 / classes as f64; classes])
            }
            _ => return None,
        };
        Some(Gadget { kind, perturbation, alternatives, entries, regrets: vec![0.0; policy.len()], policy })
    }

    /// How probably the role enters with a class; for maxmargin over that of an even choice.
    pub(super) fn entered(&self, class: usize) -> f64 {
        match self.kind {
            GadgetKind::Maxmargin => self.policy[class] * self.alternatives.len() as f64,
            _ => self.policy[2 * class],
        }
    }

    /// The factor of the roots of a class for the other roles.
    pub(super) fn factor(&self, class: usize, reach: f64) -> f64 {
        self.perturbation * reach + (1.0 - self.perturbation) * self.entries[class] * self.entered(class)
    }

    /// What the role has with its best choice: by class its reach, the weight of its roots and the sum of their values.
    pub(super) fn best(&self, reach: &[f64], classes: &[(f64, f64)]) -> f64 {
        let as_before: f64 = classes.iter().zip(reach).map(|((_, value), reach)| reach * value).sum();
        let each = classes.iter().zip(&self.alternatives).zip(&self.entries);
        let chosen =
            each.map(|((&(weight, value), alternative), entry)| entry * (value - weight * alternative));
        let chosen = match self.kind {
            GadgetKind::Maxmargin => {
                self.alternatives.len() as f64 * chosen.fold(f64::NEG_INFINITY, f64::max)
            }
            _ => chosen.map(|gain| gain.max(0.0)).sum(),
        };
        self.perturbation * as_before + (1.0 - self.perturbation) * chosen
    }

    /// Updates the choice after a pass of its role: by class, the weight of its roots and the sum of their values.
    pub(super) fn update(&mut self, iteration: u64, classes: &[(f64, f64)]) {
        let factors = RegretRule::PredictiveDiscounted.factors(iteration);
        let Gadget { kind, alternatives, regrets, policy, .. } = self;
        let each = classes.iter().zip(&*alternatives);
        if *kind == GadgetKind::Maxmargin {
            let margin = |(&(weight, value), alternative): (&(f64, f64), &f64)| match weight {
                0.0 => -alternative,
                weight => value / weight - alternative,
            };
            let gains: Vec<f64> = each.map(margin).collect();
            factors.update::<PREDICTED>(regrets, policy, &gains);
            return;
        }
        let moves = regrets.chunks_exact_mut(2).zip(policy.chunks_exact_mut(2));
        for ((regrets, policy), (&(weight, value), alternative)) in moves.zip(each) {
            factors.update::<PREDICTED>(regrets, policy, &[value, weight * alternative]);
        }
    }
}
