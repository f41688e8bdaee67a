//! Sampler: the ways to sample a belief, as equals. Whatever measures or plays asks one for a [`Belief`] and knows no more.

use std::sync::Arc;

use super::bootstrap::Bootstrap;
use super::independent::Independent;
use super::{Belief, OpponentModel, Options, ParticleBelief, Weight};
use hyperplay_engine::machine::{Bulk, Role};

/// A way to sample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sampler {
    /// A [`ParticleBelief`] with these options; the number of particles is said when a belief is asked for.
    Particles(Options),
    /// The plain particle filter: each particle makes a step drawn by the model, those that contradict the percepts
    /// get weight 0, and the others are resampled. Nothing else: once none is left, none comes back.
    Bootstrap,
    /// Independent draws from the exact posterior: the control, whose figures are the floors.
    Independent,
    /// Independent draws from the *square* of the posterior: wrong on purpose, the control that every figure must
    /// catch. Not in the catalogue.
    Squared,
}

impl Sampler {
    /// Whether particles are independent draws without weights, which is what a chi-squared test asks for.
    pub fn is_independent(&self) -> bool {
        match self {
            Sampler::Independent | Sampler::Squared => true,
            Sampler::Bootstrap => false,
            Sampler::Particles(options) => {
                let rejection = !options.backtrack && options.weight != Weight::Choice;
                rejection && !options.enumerate && options.rejuvenate == 0
            }
        }
    }

    /// A belief of `role` before the first step, of so many particles.
    pub fn belief<M: Bulk + 'static>(
        &self,
        machine: &Arc<M>,
        role: Role,
        model: &Arc<dyn OpponentModel>,
        particles: usize,
    ) -> Box<dyn Belief<M>> {
        let (machine, model) = (Arc::clone(machine), Arc::clone(model));
        match self {
            Sampler::Particles(options) => {
                let options = Options { particles, ..options.clone() };
                Box::new(ParticleBelief::new(machine, role, model, options))
            }
            Sampler::Bootstrap => Box::new(Bootstrap::new(machine, role, model, particles)),
            Sampler::Independent => Box::new(Independent::new(machine, model, particles, false)),
            Sampler::Squared => Box::new(Independent::new(machine, model, particles, true)),
        }
    }
}
