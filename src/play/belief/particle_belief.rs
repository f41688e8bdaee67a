//! Particle belief: the weighted histories of one role, kept from step to step.
//!
//! The life of an update:
//! 1. while the information set is small it is kept whole ([`enumerate`]), as histories or as states, and the weights are
//!    the posterior;
//! 2. growing past the limits, particles are drawn from it systematically; from then on ([`sample`]) each is brought
//!    down to the new step by advancing and backtracking ([`advance`]), within its budget of states;
//! 3. the branches beside the particles are tested, and the weights computed ([`weight`]);
//! 4. when the effective sample size is below half (or whenever weights differ, if moves follow), particles are
//!    resampled ([`resample`]), each with the mean of the old weights;
//! 5. they are rejuvenated ([`rejuvenate`]), the oftener the more uneven the weights were;
//! 6. when all are dead, a larger sample is built from the first step on ([`rebuild`]);
//! 7. when few different ones are left, the whole information set is looked for again.
//!
//! [`enumerate`]: super::enumerate
//! [`advance`]: super::advance
//! [`weight`]: super::weight
//! [`resample`]: super::resample
//! [`rejuvenate`]: super::rejuvenate
//! [`rebuild`]: super::rebuild
//! [`sample`]: super::sample

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::enumerate::{self, Extended, Whole};
use super::model::OpponentModel;
use super::options::Options;
use super::rebuild::rebuild;
use super::resample::systematic;
use super::sample::Sample;
use super::tree::{NodeId, ROOT, Tree};
use super::weight::normalised;
use super::{Belief, Cost, Outcome, Particle};
use hyperplay_engine::machine::{Budget, BudgetAccount, Bulk, Evidence, History, Role, Seed};

/// After a search for the whole information set failed, the next one waits twice as many updates, up to this.
const PATIENCE: usize = 16;

enum Held {
    Whole(Whole),
    Sampled(Sample),
}

/// The belief of one role as weighted particles; HyperPlay's sampling layer.
pub struct ParticleBelief<M: Bulk> {
    options: Options,
    tree: Tree<M>,
    held: Held,
    particles: Vec<Particle>,
    /// What was spent before this update, and in it.
    before: Cost,
    cost: Cost,
    /// Updates to wait before the next search for the whole set, and how long the last wait was.
    patience: (usize, usize),
}

impl<M: Bulk> ParticleBelief<M> {
    /// The belief of `role` before the first step.
    pub fn new(machine: Arc<M>, role: Role, model: Arc<dyn OpponentModel>, options: Options) -> Self {
        let options = Options { particles: options.particles.max(1), ..options };
        let tree = Tree::new(machine, model, role);
        let mut belief = ParticleBelief {
            held: Held::Sampled(Sample::new(&options)),
            particles: vec![Particle { node: ROOT, weight: 1.0 }],
            before: Cost::default(),
            cost: Cost::default(),
            patience: (1, 1),
            options,
            tree,
        };
        belief.forget();
        belief
    }

    /// Whether the particles are the whole information set with its posterior.
    pub fn is_whole(&self) -> bool {
        matches!(self.held, Held::Whole(_))
    }

    fn forget(&mut self) {
        self.held = if self.options.enumerate {
            Held::Whole(Whole::new())
        } else {
            Held::Sampled(Sample::new(&self.options))
        };
        self.patience = (1, 1);
    }

    fn follow(&mut self, budget: &Budget, seed: &Seed) -> Outcome {
        if !self.tree.begins() {
            self.particles.clear();
            return Outcome::Inconsistent { step: 0 };
        }
        if let Held::Whole(whole) = &mut self.held {
            let states =
                budget.nodes.map_or(self.options.all_states(), |nodes| nodes.min(self.options.all_states()));
            let filter = self.options.filter && self.tree.is_memoryless();
            let filter_seed = seed.child("filter");
            let filter = filter.then_some(&filter_seed);
            match whole.extend(&mut self.tree, self.options.limit(), states / 2, budget, filter) {
                Extended::Done => return self.report_whole(),
                Extended::Empty { step } => {
                    self.particles.clear();
                    return Outcome::Inconsistent { step };
                }
                Extended::TooLarge => {
                    let (nodes, weights) = whole.weighted();
                    let mut rng = seed.child("draw").rng();
                    let drawn = systematic(&weights, self.options.particles, &mut rng);
                    let nodes = drawn.into_iter().map(|position| nodes[position]);
                    self.held = Held::Sampled(Sample::drawn(&self.tree, &self.options, nodes));
                }
            }
        }
        let left = self.left(budget);
        let Held::Sampled(sample) = &mut self.held else { return Outcome::Whole };
        let mut updated = sample.update(&mut self.tree, &self.options, &left, seed);
        if matches!(updated, Err(Outcome::Depleted { .. })) && self.options.has_bases() {
            let left = |tree: &Tree<M>| budget.less(tree.spent.since(self.before).states);
            let (before, seed) = (left(&self.tree), seed.child("rebuild"));
            updated = rebuild(&mut self.tree, &self.options, &before, &seed).and_then(|rebuilt| {
                *sample = rebuilt;
                let after = left(&self.tree);
                sample.update(&mut self.tree, &self.options, &after, &seed.child("move"))
            });
        }
        match updated {
            Ok(logarithms) => {
                let nodes = sample.nodes().collect();
                self.report(nodes, &logarithms);
                self.find_whole(budget, seed)
            }
            Err(none) => {
                self.particles.clear();
                none
            }
        }
    }

    /// Drops what no particle needs, where there is too much of it.
    fn prune(&mut self) {
        if self.tree.is_crowded() {
            let held: Box<dyn Iterator<Item = &mut NodeId>> = match &mut self.held {
                Held::Whole(whole) => Box::new(whole.nodes_mut()),
                Held::Sampled(sample) => Box::new(sample.nodes_mut()),
            };
            self.tree.prune(held.chain(self.particles.iter_mut().map(|particle| &mut particle.node)));
        }
    }

    /// The part of a budget that this update has not used yet.
    fn left(&self, budget: &Budget) -> Budget {
        budget.less(self.tree.spent.since(self.before).states)
    }

    fn report_whole(&mut self) -> Outcome {
        if let Held::Whole(whole) = &self.held {
            let (nodes, weights) = whole.weighted();
            let particles = nodes.into_iter().zip(weights);
            self.particles = particles.map(|(node, weight)| Particle { node, weight }).collect();
        }
        Outcome::Whole
    }

    /// The particles are few: perhaps the information set has become small. Looks for all of it.
    fn find_whole(&mut self, budget: &Budget, seed: &Seed) -> Outcome {
        let (wait, last) = self.patience;
        if !self.options.enumerate || self.distinct() * 2 > self.options.particles {
            return Outcome::Sampled;
        }
        if wait > 1 {
            self.patience = (wait - 1, last);
            return Outcome::Sampled;
        }
        let spent = self.tree.spent.since(self.before).states;
        let all = self.options.all_states();
        let nodes = (all / 4).min(all.saturating_sub(spent));
        let left = self.left(budget);
        let mut meter = BudgetAccount::new(left.with_nodes(left.nodes.map_or(nodes, |left| nodes.min(left))));
        let found = enumerate::search(&mut self.tree, self.options.limit(), &mut meter);
        match found.or_else(|| self.find_states(nodes, budget, seed)) {
            Some(whole) => {
                self.held = Held::Whole(whole);
                self.patience = (1, 1);
                self.report_whole()
            }
            None => {
                let next = (last * 2).min(PATIENCE);
                self.patience = (next, next);
                Outcome::Sampled
            }
        }
    }

    /// The number of different states held, or of histories where these make a difference.
    fn distinct(&self) -> usize {
        if self.options.filter && self.tree.is_memoryless() {
            let states = self.particles.iter().map(|particle| self.tree.state(particle.node));
            return states.collect::<FxHashSet<&M::State>>().len();
        }
        let nodes = self.particles.iter().map(|particle| particle.node);
        nodes.collect::<FxHashSet<NodeId>>().len()
    }

    /// The whole information set as states, from the beginning on.
    fn find_states(&mut self, nodes: u64, budget: &Budget, seed: &Seed) -> Option<Whole> {
        if !self.options.filter || !self.tree.is_memoryless() {
            return None;
        }
        let left = self.left(budget);
        let nodes = left.nodes.map_or(nodes, |left| nodes.min(left));
        let mut whole = Whole::new();
        let limit = self.options.limit();
        let extended = whole.extend(&mut self.tree, limit, nodes, &left, Some(&seed.child("filter")));
        matches!(extended, Extended::Done).then_some(whole)
    }

    fn report(&mut self, nodes: Vec<NodeId>, logarithms: &[f64]) {
        let mut place: FxHashMap<NodeId, usize> = FxHashMap::default();
        self.particles.clear();
        for (node, weight) in
            nodes.into_iter().zip(normalised(logarithms)).filter(|(_, weight)| *weight > 0.0)
        {
            match place.get(&node) {
                Some(&at) if self.options.merge => self.particles[at].weight += weight,
                _ => {
                    place.insert(node, self.particles.len());
                    self.particles.push(Particle { node, weight });
                }
            }
        }
    }
}

impl<M: Bulk> Belief<M> for ParticleBelief<M> {
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Outcome {
        if !self.tree.learn(evidence) {
            self.forget();
        }
        self.before = self.tree.spent;
        let outcome = self.follow(budget, seed);
        self.cost = self.tree.spent.since(self.before);
        self.prune();
        outcome
    }

    fn particles(&self) -> &[Particle] {
        &self.particles
    }

    fn state(&self, particle: &Particle) -> &M::State {
        self.tree.state(particle.node)
    }

    fn history(&self, particle: &Particle) -> History {
        self.tree.history(particle.node)
    }

    fn evidence(&self, particle: &Particle, role: Role) -> Evidence {
        self.tree.evidence_of(particle.node, role)
    }

    fn cost(&self) -> Cost {
        self.cost
    }
}
