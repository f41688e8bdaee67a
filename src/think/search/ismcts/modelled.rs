//! Other roles that choose by a model, in a share of the simulations.

use rand::distr::Distribution as _;
use rand::distr::weighted::WeightedIndex;
use rand::{Rng, RngExt as _};
use rustc_hash::FxHashMap;

use crate::tree::{Chooser, Positions};
use hyperplay_machine::{Bulk, Evidence, Move, Role};

/// The probabilities with which a role chooses among the moves that are legal, given what it knows.
pub type Model<'a> = dyn Fn(Role, &Evidence, &[Move]) -> Vec<f64> + Sync + 'a;

/// A model with its share, and its policies that were asked for.
pub(super) struct Modelled<'a> {
    model: Option<&'a Model<'a>>,
    share: f64,
    /// By what the role knows, and where its moves stand; `None` where the model rules all of them out.
    policies: FxHashMap<(u32, u32), Option<WeightedIndex<f64>>>,
}

impl<'a> Modelled<'a> {
    pub(super) fn new(model: Option<&'a Model<'a>>, share: f64) -> Self {
        let share = if model.is_some() { share } else { 0.0 };
        Modelled { model, share, policies: FxHashMap::default() }
    }

    /// Whether the next simulation is one of the share.
    pub(super) fn is_next(&self, rng: &mut impl Rng) -> bool {
        self.share > 0.0 && rng.random_bool(self.share)
    }

    /// Draws the place of a move of a chooser.
    pub(super) fn draw<M: Bulk>(
        &mut self,
        position: u32,
        chooser: &Chooser,
        positions: &Positions<M>,
        rng: &mut impl Rng,
    ) -> u32 {
        let role = Role::new(chooser.role as usize);
        let class = positions.known(position)[role.index()];
        let policy = self.policies.entry((class, chooser.first)).or_insert_with(|| {
            let evidence = positions.evidence(role, class);
            let number = |number| positions.sets.moves()[number as usize];
            let legal: Vec<Move> = chooser.numbers(&positions.sets).map(number).collect();
            WeightedIndex::new((self.model?)(role, &evidence, &legal)).ok()
        });
        match policy {
            Some(policy) => policy.sample(rng) as u32,
            None => rng.random_range(0..chooser.moves),
        }
    }
}
