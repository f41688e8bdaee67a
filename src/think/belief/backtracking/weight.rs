//! Weights: the importance weights with which backtracking estimates the posterior.
//!
//! Let J be the branches of a prefix and G those that lead to a consistent history. Whatever is known to be
//! inconsistent, the branch that a particle finally keeps at the prefix is drawn from G. So a history h is sampled
//! with probability `prod 1/|G|`, where its prior is `prod 1/|J|`, and its importance weight is `W(h) = prod |G|/|J|`
//! over the steps from its resampling time on. For a model that is not uniform, the sizes are the sums of the
//! probabilities.
//!
//! A particle that was resampled at the last step makes one step of the *optimal proposal*: a successor drawn given
//! what was perceived, weighted by the probability of perceiving it, `|G|/|J|` (Doucet, Godsill, Andrieu 2000).
//!
//! G is known only at the end of an update. The [branch tests](super::lockstep::branch_test) look for a consistent
//! history below every branch that was not taken, within what is left of the particle's budget. A branch that stays
//! untested counts as consistent. All weights are logarithms until they are [`normalised`].

use super::node_id::NodeId;
use super::tree::Tree;
use hyperplay_machine::Bulk;

/// The logarithm of `prod |G|/|J|` over the steps of a history from `resampled_at` on.
pub(in crate::belief) fn ln_ratio<M: Bulk>(tree: &mut Tree<M>, node: NodeId, resampled_at: usize) -> f64 {
    let above = steps_below(tree, node, resampled_at);
    above.into_iter().map(|above| tree.branches(above).consistent_mass().ln()).sum()
}

/// The prefixes of a history from its last step up to the depth `resampled_at`.
pub(in crate::belief) fn steps_below<M: Bulk>(
    tree: &Tree<M>,
    node: NodeId,
    resampled_at: usize,
) -> Vec<NodeId> {
    tree.steps(node).map(|(above, _)| above).take_while(|&above| tree.depth(above) >= resampled_at).collect()
}

/// The logarithm of the prior probability of a history, given the own moves.
pub(in crate::belief) fn ln_prior<M: Bulk>(tree: &mut Tree<M>, node: NodeId) -> f64 {
    let steps: Vec<(NodeId, u64)> = tree.steps(node).collect();
    steps.into_iter().map(|(above, index)| tree.branches(above).probability(index).ln()).sum()
}

/// The weights with these logarithms, summing to 1. Empty for none.
pub(in crate::belief) fn normalised(logarithms: &[f64]) -> Vec<f64> {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logarithms.iter().map(|ln| (ln - greatest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// The logarithm of the mean of `count` weights, of which these are the ones that are not 0.
pub(in crate::belief) fn ln_mean(logarithms: &[f64], count: usize) -> f64 {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logarithms.iter().map(|ln| (ln - greatest).exp()).sum();
    greatest + sum.ln() - (count as f64).ln()
}

/// The effective sample size of normalised weights: the number of equal weights that would vary as little.
///
/// ```
/// use hyperplay_think::belief::effective_size;
///
/// assert_eq!(effective_size([0.25, 0.25, 0.25, 0.25]), 4.0);
/// assert_eq!(effective_size([1.0, 0.0, 0.0, 0.0]), 1.0);
/// ```
pub fn effective_size(weights: impl IntoIterator<Item = f64>) -> f64 {
    let squares: f64 = weights.into_iter().map(|weight| weight * weight).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}

/// Lets the particles that were restarted and the others share the total weight by their effective sizes. The mean of
/// all weights stays what it was for the others.
pub(in crate::belief) fn share_weight(logarithms: &mut [f64], restarted: &[bool]) {
    let part = |wanted: bool, logarithms: &[f64]| -> Vec<f64> {
        let of = logarithms.iter().zip(restarted).filter(|&(_, &restarted)| restarted == wanted);
        of.map(|(&ln, _)| ln).filter(|ln| ln.is_finite()).collect()
    };
    let (new, old) = (part(true, logarithms), part(false, logarithms));
    if new.is_empty() || old.is_empty() {
        return;
    }
    let (new_size, old_size) = (effective_size(normalised(&new)), effective_size(normalised(&old)));
    let (new_sum, old_sum) = (ln_mean(&new, 1), ln_mean(&old, 1));
    let all = new_size + old_size;
    for (ln, &restarted) in logarithms.iter_mut().zip(restarted) {
        *ln += if restarted { old_sum - new_sum + (new_size / all).ln() } else { (old_size / all).ln() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_weights_sum_to_one_however_small_they_were() {
        let weights = normalised(&[-2000.0, -2000.0 + 2_f64.ln(), f64::NEG_INFINITY]);
        for (weight, expected) in weights.iter().zip([1.0 / 3.0, 2.0 / 3.0, 0.0]) {
            assert!((weight - expected).abs() < 1e-12);
        }
        assert!((ln_mean(&[-2000.0, -2000.0 + 3_f64.ln()], 4) + 2000.0).abs() < 1e-9);
    }

    #[test]
    fn the_effective_size_counts_equal_weights() {
        assert!((effective_size([0.25; 4]) - 4.0).abs() < 1e-12);
        assert!((effective_size([1.0, 0.0]) - 1.0).abs() < 1e-12);
        assert_eq!(effective_size([]), 0.0);
    }

    #[test]
    fn restarted_particles_share_the_weight_by_effective_size() {
        let mut logarithms = [1.0_f64.ln(), f64::NEG_INFINITY, 0.01_f64.ln(), 0.01_f64.ln()];
        share_weight(&mut logarithms, &[false, false, true, true]);
        for (ln, expected) in logarithms.iter().zip([1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]) {
            assert!((ln.exp() - expected).abs() < 1e-12);
        }
    }
}
