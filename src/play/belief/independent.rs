//! Independent draws: the oracle's posterior, sampled. What perfect sampling holds, at the price of enumeration.
//!
//! Every update enumerates the information set anew ([`exact`]), which shares no code with the samplers it is compared
//! with. An information set of more than [`LIMIT`] histories counts as depleted.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::exact::{self, ExactError, Posterior};
use super::tree::NodeId;
use super::{Belief, Cost, OpponentModel, Outcome, Particle};
use hyperplay_engine::machine::{Budget, Bulk, Evidence, History, Role, Seed, StateMachineExt};

/// The largest information set that is enumerated.
const LIMIT: usize = 1 << 20;

/// So many independent draws of a history, as places in the list of the posterior; with `squared`, by the squares of
/// the probabilities, which is wrong on purpose.
pub fn draws(posterior: &Posterior, count: usize, squared: bool, rng: &mut impl Rng) -> Vec<usize> {
    let share =
        |&(_, probability): &(History, f64)| if squared { probability * probability } else { probability };
    let sums: Vec<f64> = posterior
        .histories
        .iter()
        .scan(0.0, |sum, history| {
            *sum += share(history);
            Some(*sum)
        })
        .collect();
    let all = sums.last().copied().unwrap_or(0.0);
    let one = |_| {
        let place = rng.random::<f64>() * all;
        sums.partition_point(|&sum| sum <= place).min(sums.len() - 1)
    };
    (0..count).map(one).collect()
}

pub(super) struct Independent<M: Bulk> {
    machine: Arc<M>,
    model: Arc<dyn OpponentModel>,
    scratch: M::Scratch,
    count: usize,
    squared: bool,
    /// By number of the node.
    held: Vec<(History, M::State)>,
    particles: Vec<Particle>,
    cost: Cost,
}

impl<M: Bulk> Independent<M> {
    pub(super) fn new(machine: Arc<M>, model: Arc<dyn OpponentModel>, count: usize, squared: bool) -> Self {
        let scratch = machine.scratch();
        let held = vec![(History::default(), machine.initial())];
        let particles = vec![Particle { node: NodeId::numbered(0), weight: 1.0 }];
        Independent { machine, model, scratch, count, squared, held, particles, cost: Cost::default() }
    }
}

impl<M: Bulk> Belief<M> for Independent<M> {
    fn update(&mut self, evidence: &Evidence, _: &Budget, seed: &Seed) -> Outcome {
        self.held.clear();
        self.particles.clear();
        self.cost = Cost::default();
        match exact::posterior(&*self.machine, evidence, &*self.model, LIMIT) {
            Ok(posterior) => {
                self.cost.states = posterior.states;
                for at in draws(&posterior, self.count, self.squared, &mut seed.rng()) {
                    let history = posterior.histories[at].0.clone();
                    let state = self.machine.replay(&history, &mut self.scratch);
                    let node = NodeId::numbered(self.held.len());
                    self.particles.push(Particle { node, weight: 1.0 / self.count as f64 });
                    self.held.push((history, state));
                }
                Outcome::Sampled
            }
            Err(ExactError::TooLarge { step, .. }) => Outcome::Depleted { step },
            Err(ExactError::Failed(_)) => Outcome::Depleted { step: evidence.step() },
            Err(ExactError::Inconsistent { step }) => Outcome::Inconsistent { step },
        }
    }

    fn particles(&self) -> &[Particle] {
        &self.particles
    }

    fn state(&self, particle: &Particle) -> &M::State {
        &self.held[particle.node.number()].1
    }

    fn history(&self, particle: &Particle) -> History {
        self.held[particle.node.number()].0.clone()
    }

    fn evidence(&self, particle: &Particle, role: Role) -> Evidence {
        let mut scratch = self.machine.scratch();
        self.machine.evidence(&self.held[particle.node.number()].0, role, &mut scratch)
    }

    fn cost(&self) -> Cost {
        self.cost
    }
}
