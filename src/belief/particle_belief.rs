//! Particle belief: the weighted histories of one role, kept from step to step.
//!
//! The life of an update:
//! 1. while the information set is small it is kept whole ([`enumerate`]), and the weights are the posterior;
//! 2. growing past the limits, particles are drawn from it systematically; from then on each particle is
//!    brought down to the new step by advancing and backtracking ([`advance`]), within its budget of states;
//! 3. the branches beside the particles are tested, and the weights computed ([`weight`]);
//! 4. when the effective sample size is below half (or whenever weights differ, if moves follow), particles are
//!    resampled ([`resample`]), each with the mean of the old weights;
//! 5. they are rejuvenated ([`rejuvenate`]) as often as asked for.
//!
//! A particle's *base* is the depth from which its weight is computed and above which it takes nothing back: 0 for a
//! particle grown from the root, the last step for one that was resampled or rejuvenated. All particles of an update
//! have their weights on one scale, that of the probability of the evidence. A particle that has no continuation below
//! its base has weight 0 and waits for the next resampling; when none is left, all are regrown from the root.
//!
//! Every particle draws from its own stream and pays from its own budget, split before starting. The tree shared by
//! all holds facts only, so results depend neither on the order of particles nor on threads, budgets aside.
//!
//! [`enumerate`]: super::enumerate
//! [`advance`]: super::advance
//! [`weight`]: super::weight
//! [`resample`]: super::resample
//! [`rejuvenate`]: super::rejuvenate

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::advance::{Draw, Growth, grow, restart};
use super::enumerate::{self, Extended, Whole};
use super::model::OpponentModel;
use super::options::{Options, Weight};
use super::rejuvenate;
use super::resample::systematic;
use super::tree::{NodeId, ROOT, Tree};
use super::weight::{effective_size, ln_mean, ln_prior, ln_ratio, normalised, test_siblings};
use super::{Belief, Cost, Outcome, Particle};
use crate::machine::{Budget, Bulk, Evidence, History, Meter, Role, Seed};

/// How often a particle whose budget ran out is started anew in one update.
const ATTEMPTS: usize = 3;

/// After a search for the whole information set failed, the next one waits twice as many updates, up to this.
const PATIENCE: usize = 16;

/// A place for a particle.
#[derive(Clone, Debug)]
struct Slot {
    node: NodeId,
    base: usize,
    /// The logarithm of the weight at the base.
    ln_base: f64,
    /// Whether anything below the base may explain the evidence.
    alive: bool,
}

impl Slot {
    fn at_root() -> Self {
        Slot { node: ROOT, base: 0, ln_base: 0.0, alive: true }
    }
}

enum Held {
    Whole(Whole),
    Sampled(Vec<Slot>),
}

/// The belief of one role as weighted particles; HyperPlay's sampling layer.
pub struct ParticleBelief<M: Bulk> {
    options: Options,
    tree: Tree<M>,
    held: Held,
    particles: Vec<Particle>,
    /// States visited before this update, and in it.
    before: u64,
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
            held: Held::Sampled(Vec::new()),
            particles: vec![Particle { node: ROOT, weight: 1.0 }],
            before: 0,
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
            Held::Sampled(vec![Slot::at_root(); self.options.particles])
        };
        self.patience = (1, 1);
    }

    fn follow(&mut self, budget: &Budget, seed: &Seed) -> Outcome {
        if let Held::Whole(whole) = &mut self.held {
            let states = self.options.states.saturating_mul(self.options.particles as u64);
            let states = budget.nodes.map_or(states, |nodes| states.min(nodes)) / 2;
            let limit = self.options.whole.max(self.options.particles);
            match whole.extend(&mut self.tree, limit, states, budget) {
                Extended::Done => return self.report_whole(),
                Extended::Empty { step } => {
                    self.particles.clear();
                    return Outcome::Inconsistent { step };
                }
                Extended::TooLarge => {
                    let whole = std::mem::replace(whole, Whole(Vec::new()));
                    self.held = Held::Sampled(self.draw(&whole, seed));
                }
            }
        }
        let outcome = self.sample(budget, seed);
        if outcome == Outcome::Sampled && self.options.enumerate {
            return self.find_whole(budget);
        }
        outcome
    }

    /// The part of a budget that this update has not used yet.
    fn left(&self, budget: &Budget) -> Budget {
        let spent = self.tree.visited() - self.before;
        Budget { nodes: budget.nodes.map(|nodes| nodes.saturating_sub(spent)), ..*budget }
    }

    fn report_whole(&mut self) -> Outcome {
        let Held::Whole(whole) = &self.held else { return Outcome::Sampled };
        let logarithms: Vec<f64> = whole.0.iter().map(|&(_, ln_prior)| ln_prior).collect();
        let nodes = whole.0.iter().map(|&(node, _)| node);
        self.particles =
            nodes.zip(normalised(&logarithms)).map(|(node, weight)| Particle { node, weight }).collect();
        Outcome::Whole
    }

    /// Particles drawn from a whole information set, by its posterior.
    fn draw(&self, whole: &Whole, seed: &Seed) -> Vec<Slot> {
        let logarithms: Vec<f64> = whole.0.iter().map(|&(_, ln_prior)| ln_prior).collect();
        let mut rng = seed.child("draw").rng();
        systematic(&normalised(&logarithms), self.options.particles, &mut rng)
            .into_iter()
            .map(|position| {
                let node = whole.0[position].0;
                Slot { node, base: self.base(self.tree.depth(node)), ln_base: 0.0, alive: true }
            })
            .collect()
    }

    /// Weights that do not ask how a history was found allow taking back everything.
    fn base(&self, depth: usize) -> usize {
        if self.options.weight == Weight::Posterior && self.options.backtrack { depth } else { 0 }
    }

    /// The particles are few: perhaps the information set has become small. Looks for all of it.
    fn find_whole(&mut self, budget: &Budget) -> Outcome {
        let mut distinct: Vec<NodeId> = self.particles.iter().map(|particle| particle.node).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let (wait, last) = self.patience;
        if distinct.len() * 2 > self.options.particles {
            return Outcome::Sampled;
        }
        if wait > 1 {
            self.patience = (wait - 1, last);
            return Outcome::Sampled;
        }
        let nodes = self.options.states.saturating_mul(self.options.particles as u64) / 4;
        let left = self.left(budget);
        let mut meter = Meter::new(left.with_nodes(left.nodes.map_or(nodes, |left| nodes.min(left))));
        let limit = self.options.whole.max(self.options.particles);
        match enumerate::search(&mut self.tree, limit, &mut meter) {
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

    fn sample(&mut self, budget: &Budget, seed: &Seed) -> Outcome {
        let target = self.tree.target();
        let mut meters = self.grow_all(budget, seed);
        if !self.any_reached() && !self.is_refuted() {
            // Nothing below the bases, or no budget: all from the root.
            self.set_slots(vec![Slot::at_root(); self.options.particles]);
            meters = self.grow_all(budget, &seed.child("regrow"));
        }
        if self.is_refuted() {
            self.particles.clear();
            return Outcome::Inconsistent { step: self.tree.unexplained() };
        }
        if !self.any_reached() {
            self.particles.clear();
            return Outcome::Depleted { step: target };
        }
        let mut logarithms = self.weigh(&mut meters);
        let slots = self.slots();
        let weights = normalised(&logarithms);
        // Moves forget where a particle came from, so weights kept through them would only add noise.
        let least = if self.options.rejuvenate > 0 { 0.99 } else { 0.5 };
        let too_uneven = effective_size(weights.iter().copied()) < least * slots.len() as f64;
        if too_uneven && self.options.weight == Weight::Posterior && self.options.backtrack {
            let mean = ln_mean(&logarithms, slots.len());
            let drawn = systematic(&weights, slots.len(), &mut seed.child("resample").rng());
            let slots: Vec<Slot> = drawn
                .into_iter()
                .map(|from| Slot { node: slots[from].node, base: target, ln_base: mean, alive: true })
                .collect();
            logarithms = vec![mean; slots.len()];
            self.set_slots(slots);
        }
        if self.options.rejuvenate > 0 {
            self.rejuvenate(&logarithms, &mut meters, seed);
        }
        self.report(&logarithms)
    }

    /// Brings every particle down to the last step, if its budget lasts. Returns what is left of the budgets.
    fn grow_all(&mut self, budget: &Budget, seed: &Seed) -> Vec<Meter> {
        let left = self.left(budget).nodes.unwrap_or(u64::MAX);
        let Held::Sampled(slots) = &mut self.held else { return Vec::new() };
        let whole = self.options.weight == Weight::Posterior;
        let seed = seed.child("particle");
        let mut meters = Vec::with_capacity(slots.len());
        for (particle, slot) in slots.iter_mut().enumerate() {
            let mut share = left / self.options.particles as u64;
            let mut meter = Meter::new(budget.with_nodes(share.min(self.options.states)));
            for attempt in 0..ATTEMPTS {
                if !slot.alive {
                    break;
                }
                let seed = seed.index(particle).index(attempt);
                let growth = if self.options.backtrack {
                    let draw = Draw::Random { seed: &seed, whole };
                    grow(&mut self.tree, slot.node, slot.base, draw, &mut meter)
                } else {
                    restart(&mut self.tree, slot.node, &seed, &mut meter)
                };
                match growth {
                    Growth::Reached(node) => {
                        slot.node = node;
                        break;
                    }
                    Growth::Dead => slot.alive = false,
                    // No time: it goes on from where it is at the next update.
                    Growth::Spent if budget.is_late() => break,
                    Growth::Spent if slot.base > 0 => slot.alive = false,
                    Growth::Spent => {
                        // From the root again, with a weight that counts the attempts.
                        let ln_base = -((attempt + 2) as f64).ln();
                        *slot = Slot { ln_base, ..Slot::at_root() };
                        share = share.saturating_sub(meter.spent());
                        meter = Meter::new(budget.with_nodes(share.min(self.options.states)));
                    }
                }
            }
            meters.push(meter);
        }
        meters
    }

    /// The logarithm of every slot's weight.
    fn weigh(&mut self, meters: &mut [Meter]) -> Vec<f64> {
        let Held::Sampled(slots) = &self.held else { return Vec::new() };
        let target = self.tree.target();
        if self.options.weight == Weight::Posterior && self.options.backtrack {
            for (slot, meter) in slots.iter().zip(meters) {
                if slot.alive && self.tree.depth(slot.node) == target {
                    test_siblings(&mut self.tree, slot.node, slot.base, meter);
                }
            }
        }
        slots
            .iter()
            .map(|slot| {
                if !slot.alive || self.tree.depth(slot.node) < target {
                    return f64::NEG_INFINITY;
                }
                match self.options.weight {
                    Weight::None => 0.0,
                    Weight::Choice => ln_prior(&mut self.tree, slot.node),
                    // Accepted by rejection: as probable as the posterior says.
                    Weight::Posterior if !self.options.backtrack => 0.0,
                    Weight::Posterior => slot.ln_base + ln_ratio(&mut self.tree, slot.node, slot.base),
                }
            })
            .collect()
    }

    fn rejuvenate(&mut self, logarithms: &[f64], meters: &mut [Meter], seed: &Seed) {
        let mut slots = self.slots();
        let target = self.tree.target();
        let held: Vec<usize> =
            (0..slots.len()).filter(|&slot| logarithms[slot] > f64::NEG_INFINITY).collect();
        let mut moving: Vec<(NodeId, Meter)> =
            held.iter().map(|&slot| (slots[slot].node, meters[slot].clone())).collect();
        for round in 0..self.options.rejuvenate {
            rejuvenate::pass(&mut self.tree, &mut moving, &seed.child("rejuvenate").index(round));
        }
        for (&slot, (node, _)) in held.iter().zip(&moving) {
            let base = self.base(target);
            slots[slot] = Slot { node: *node, base, ln_base: logarithms[slot], alive: true };
        }
        self.set_slots(slots);
    }

    fn report(&mut self, logarithms: &[f64]) -> Outcome {
        let slots = self.slots();
        let mut place: FxHashMap<NodeId, usize> = FxHashMap::default();
        self.particles.clear();
        for (slot, weight) in slots.iter().zip(normalised(logarithms)) {
            if weight <= 0.0 {
                continue;
            }
            let particle = Particle { node: slot.node, weight };
            match place.get(&slot.node) {
                Some(&at) if self.options.merge => self.particles[at].weight += weight,
                _ => {
                    place.insert(slot.node, self.particles.len());
                    self.particles.push(particle);
                }
            }
        }
        Outcome::Sampled
    }

    fn slots(&self) -> Vec<Slot> {
        match &self.held {
            Held::Sampled(slots) => slots.clone(),
            Held::Whole(_) => Vec::new(),
        }
    }

    fn set_slots(&mut self, slots: Vec<Slot>) {
        self.held = Held::Sampled(slots);
    }

    fn any_reached(&self) -> bool {
        let target = self.tree.target();
        self.slots().iter().any(|slot| slot.alive && self.tree.depth(slot.node) == target)
    }

    /// Whether it is proven that no history explains the evidence.
    fn is_refuted(&mut self) -> bool {
        self.tree.target() > 0 && self.tree.branches(ROOT).is_barren()
    }
}

impl<M: Bulk> Belief<M> for ParticleBelief<M> {
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Outcome {
        if !self.tree.learn(evidence) {
            self.forget();
        }
        self.before = self.tree.visited();
        let outcome = self.follow(budget, seed);
        self.cost = Cost { states: self.tree.visited() - self.before };
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
