//! Weights: what makes backtracking estimate the posterior.
//!
//! Whatever is known to be dead, the branch that a particle finally keeps at a prefix is drawn from G, the branches
//! that lead to a consistent history. So a history h is sampled with probability `prod 1/|G|`, where its prior is
//! `prod 1/|J|`, and its importance weight is `W(h) = prod |G|/|J|` over the steps below its base. For a model that is
//! not uniform, the sizes are the sums of the probabilities.
//!
//! With the last step as its base a particle makes one step of the *optimal proposal*: a successor drawn given what was
//! perceived, and for a weight the probability of perceiving it, `|G|/|J|` (Doucet, Godsill, Andrieu 2000).
//!
//! G is known only at the end of an update: [`Testing`] looks for a way down from every branch not taken, within
//! what is left of the particle's budget. What stays untested counts as alive. All weights are logarithms until
//! [`normalised`].

use super::advance::{Draw, Growing, Growth};
use super::in_step::Asked;
use super::tree::{NodeId, Tree};
use hyperplay_engine::machine::{BudgetAccount, Bulk};

/// Finds out for every branch beside a history, from the last step up to its base, whether it leads to a consistent
/// history. What one particle is finding out, another waits for.
pub(super) struct Testing {
    /// The prefixes still to be tested, the first one last.
    above: Vec<NodeId>,
    /// The successors of the prefix under test that are still to be grown.
    siblings: Option<Vec<NodeId>>,
    growing: Option<Growing>,
}

impl Testing {
    pub(super) fn new<M: Bulk>(tree: &Tree<M>, node: NodeId, base: usize) -> Self {
        let mut above = steps_below(tree, node, base);
        above.reverse();
        Testing { above, siblings: None, growing: None }
    }

    /// Goes on until a branch must be tried first; `None` then. False when the budget ran out.
    pub(super) fn go_on<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        asked: &mut Asked,
        meter: &mut BudgetAccount,
    ) -> Option<bool> {
        let target = tree.target();
        while let Some(&above) = self.above.last() {
            if let Some(growing) = &mut self.growing {
                if growing.go_on(tree, asked, meter)? == Growth::Spent {
                    tree.branches(above).testing = false;
                    return Some(false);
                }
                self.growing = None;
            }
            if let Some(siblings) = &mut self.siblings {
                match siblings.pop() {
                    Some(sibling) if tree.reach(sibling) < target => {
                        self.growing = Some(Growing::new(sibling, tree.depth(sibling), Draw::Any));
                    }
                    Some(_) => {}
                    None => {
                        self.siblings = None;
                        let branches = tree.branches(above);
                        (branches.tested, branches.testing) = (target as u32, false);
                        self.above.pop();
                    }
                }
                continue;
            }
            let branches = tree.branches(above);
            if branches.tested as usize == target {
                self.above.pop();
            } else if branches.testing {
                return None;
            } else if branches.missing().next().is_some() {
                return (!asked.every(tree, above, meter)).then_some(false);
            } else {
                branches.testing = true;
                let open = branches.open().into_iter().rev();
                self.siblings = Some(open.map(|(_, sibling)| sibling).collect());
            }
        }
        Some(true)
    }
}

/// The logarithm of `prod |G|/|J|` over the steps of a history below `base`.
pub(super) fn ln_ratio<M: Bulk>(tree: &mut Tree<M>, node: NodeId, base: usize) -> f64 {
    let above = steps_below(tree, node, base);
    above.into_iter().map(|above| tree.branches(above).alive_mass().ln()).sum()
}

/// The prefixes of a history from its last step up to the base.
fn steps_below<M: Bulk>(tree: &Tree<M>, node: NodeId, base: usize) -> Vec<NodeId> {
    tree.steps(node).map(|(above, _)| above).take_while(|&above| tree.depth(above) >= base).collect()
}

/// The logarithm of the prior probability of a history, given the own moves.
pub(super) fn ln_prior<M: Bulk>(tree: &mut Tree<M>, node: NodeId) -> f64 {
    let steps: Vec<(NodeId, u64)> = tree.steps(node).collect();
    steps.into_iter().map(|(above, index)| tree.branches(above).probability(index).ln()).sum()
}

/// The weights with these logarithms, summing to 1. Empty for none.
pub(super) fn normalised(logarithms: &[f64]) -> Vec<f64> {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logarithms.iter().map(|ln| (ln - greatest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// The logarithm of the mean of `count` weights, of which these are the ones that are not 0.
pub(super) fn ln_mean(logarithms: &[f64], count: usize) -> f64 {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logarithms.iter().map(|ln| (ln - greatest).exp()).sum();
    greatest + sum.ln() - (count as f64).ln()
}

/// The effective sample size of normalised weights: as many equal ones would vary as little.
pub fn effective_size(weights: impl IntoIterator<Item = f64>) -> f64 {
    let squares: f64 = weights.into_iter().map(|weight| weight * weight).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}

/// Lets particles regrown from the root and the others share the total weight by their effective sizes. The mean of all weights stays what
/// it was for the others.
pub(super) fn share(logarithms: &mut [f64], regrown: &[bool]) {
    let part = |wanted: bool, logarithms: &[f64]| -> Vec<f64> {
        let of = logarithms.iter().zip(regrown).filter(|&(_, &regrown)| regrown == wanted);
        of.map(|(&ln, _)| ln).filter(|ln| ln.is_finite()).collect()
    };
    let (new, old) = (part(true, logarithms), part(false, logarithms));
    if new.is_empty() || old.is_empty() {
        return;
    }
    let (new_size, old_size) = (effective_size(normalised(&new)), effective_size(normalised(&old)));
    let (new_sum, old_sum) = (ln_mean(&new, 1), ln_mean(&old, 1));
    let all = new_size + old_size;
    for (ln, &regrown) in logarithms.iter_mut().zip(regrown) {
        *ln += if regrown { old_sum - new_sum + (new_size / all).ln() } else { (old_size / all).ln() };
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
    fn regrown_particles_share_the_weight_by_effective_size() {
        let mut logarithms = [1.0_f64.ln(), f64::NEG_INFINITY, 0.01_f64.ln(), 0.01_f64.ln()];
        share(&mut logarithms, &[false, false, true, true]);
        for (ln, expected) in logarithms.iter().zip([1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]) {
            assert!((ln.exp() - expected).abs() < 1e-12);
        }
    }
}
