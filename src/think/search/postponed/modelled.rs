//! The opponent model in the tree: how the other roles choose by it, and playouts at the edge that choose so too.
//!
//! A model is asked once for each information set of another role. Playouts know no information sets: they make a move of
//! another role by the mean of what the model says of it in the tree, over what a uniform choice would give it.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::context::SearchContext;
use super::super::ismcts::Model;
use crate::tree::{Positions, UNEVEN_CHANCE};
use hyperplay_machine::{Bulk, ByRole, Move, MoveWeights, Role};

/// The policies of a model in a tree.
pub(super) struct TreeModel {
    /// How probably another role follows it at a choice.
    pub(super) share: f64,
    /// By number of a move: its probability; none without a model.
    pub(super) policy: Vec<f64>,
    /// By role and move, over all information sets: the sum of its probability over that of a uniform choice, and how many
    /// they are.
    means: FxHashMap<(Role, Move), (f64, f64)>,
}

impl TreeModel {
    /// Asks a model of the other roles; what it was not asked before the deadline is uniform.
    pub(super) fn new<M: Bulk>(
        context: &SearchContext<'_, M>,
        positions: &Positions<M>,
        model: Option<&Model<'_>>,
        share: f64,
    ) -> TreeModel {
        let mut made = TreeModel { share: 0.0, policy: Vec::new(), means: FxHashMap::default() };
        let Some(model) = model.filter(|_| share > 0.0) else { return made };
        (made.share, made.policy) = (share, vec![0.0; positions.sets.moves().len()]);
        let (own, mut asked) = (context.role.index() as u32, FxHashSet::default());
        let all =
            (0..positions.len() as u32).flat_map(|at| positions.choosers(at).iter().map(move |of| (at, of)));
        for (position, chooser) in all.filter(|(_, of)| of.role < UNEVEN_CHANCE && of.role != own) {
            if !asked.insert((chooser.set, chooser.first)) || context.budget.is_late() {
                continue;
            }
            let role = Role::new(chooser.role as usize);
            let evidence = positions.evidence(role, positions.known(position)[role.index()]);
            let numbers: Vec<u32> = chooser.numbers(&positions.sets).collect();
            let legal: Vec<Move> =
                numbers.iter().map(|&number| positions.sets.moves()[number as usize]).collect();
            let policy = model(role, &evidence, &legal);
            for ((number, own), share) in numbers.into_iter().zip(&legal).zip(policy) {
                made.policy[number as usize] = share;
                let (sum, sets) = made.means.entry((role, *own)).or_default();
                (*sum, *sets) = (*sum + share * legal.len() as f64, *sets + 1.0);
            }
        }
        made
    }

    /// The weights by which playouts choose; none without a model. What is not followed counts as uniform.
    pub(super) fn weights(&self, roles: usize) -> Option<Arc<MoveWeights>> {
        let mean = |&(sum, sets): &(f64, f64)| self.share * sum / sets + 1.0 - self.share;
        let most = self.means.values().map(mean).fold(1.0, f64::max);
        let weight = |mean: f64| (mean / most * f64::from(MoveWeights::MOST)).round() as u8;
        let mut weights = MoveWeights::new(ByRole::from_fn(roles, |_| weight(1.0)));
        self.means.iter().for_each(|(&(role, own), of)| weights.set(role, own, weight(mean(of))));
        (self.share > 0.0).then(|| Arc::new(weights))
    }
}
