//! Samplers: the ways to sample a belief. A study or a player asks a sampler for a [`Belief`](super::Belief) and depends on nothing
//! else.
//!
//! A type of another crate can implement [`Sampler`]; [`HistoryBelief`] does most of the work
//! for it.

use std::sync::Arc;

use super::bootstrap;
use super::exact::Posterior;
use super::{BeliefOptions, BoxedBelief, HistoryBelief, ParticleBelief, SamplingMethod, SharedModel};
use hyperplay_machine::{Bulk, Role, Seed};

/// A way to sample a belief.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_machine::{Bulk, BudgetAccount};
/// use hyperplay_think::belief::{
///     Belief, HistoryBelief, OpponentModel, Sampler, TracedHistory, Uniform, UpdateOutcome,
/// };
///
/// /// Plain rejection: a history that contradicts the evidence is drawn again from the first step on.
/// struct Rejection;
///
/// impl<M: Bulk + 'static> Sampler<M> for Rejection {
///     fn belief(
///         &self,
///         machine: &Arc<M>,
///         role: Role,
///         model: &Arc<dyn OpponentModel>,
///         particles: usize,
///     ) -> Box<dyn Belief<M>> {
///         Box::new(HistoryBelief::new(machine, role, model, particles, |histories, evidence, budget, seed| {
///             let mut account = BudgetAccount::new(*budget);
///             let mut accepted: Vec<(TracedHistory<M::State>, f64)> = Vec::new();
///             for particle in 0..histories.wanted {
///                 let mut rng = seed.index(particle).rng();
///                 let mut history = histories.initial();
///                 while history.step() < evidence.step() {
///                     if !account.spend() {
///                         histories.replace(accepted);
///                         return UpdateOutcome::Depleted { step: evidence.step() };
///                     }
///                     let next = histories.extend(&history, evidence, &mut rng);
///                     history = next.unwrap_or_else(|| histories.initial());
///                 }
///                 accepted.push((history, 1.0));
///             }
///             histories.replace(accepted);
///             UpdateOutcome::Sampled
///         }))
///     }
///
///     fn is_independent(&self) -> bool {
///         true
///     }
/// }
///
/// let model: Arc<dyn OpponentModel> = Arc::new(Uniform);
/// let mut belief = Rejection.belief(&machine, candidate, &model, 2_000);
/// assert_eq!(belief.update(&evidence, &Budget::nodes(100_000), &Seed::root(1)), UpdateOutcome::Sampled);
/// let right = belief.particles().iter().filter(|particle| belief.history(particle) == truth).count();
/// assert!((right as f64 / 2_000.0 - 2.0 / 3.0).abs() < 0.04, "{right}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Sampler<M: Bulk>: Send + Sync {
    /// The belief of `role` before the first step, of `particles` particles, under a model of the other roles.
    fn belief(&self, machine: &Arc<M>, role: Role, model: &SharedModel, particles: usize) -> BoxedBelief<M>;

    /// Whether the particles are independent draws without weights, which is what a chi-squared test asks for.
    fn is_independent(&self) -> bool {
        false
    }

    /// `particles` draws from a posterior that is known already, as positions in its list of histories, for a sampler
    /// that would otherwise compute the same posterior itself. `None` for all others.
    fn draw_from(&self, posterior: &Posterior, particles: usize, seed: &Seed) -> Option<Vec<usize>> {
        let _ = (posterior, particles, seed);
        None
    }
}

/// Samples by a [`ParticleBelief`] with these options; the number of particles is given when a belief is made.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::belief::{
///     BeliefOptions, BootstrapSampler, IndependentSampler, OpponentModel, ParticleSampler, Sampler, Uniform,
/// };
///
/// let model: Arc<dyn OpponentModel> = Arc::new(Uniform);
/// let sampled = ParticleSampler(BeliefOptions { enumerate: false, ..BeliefOptions::default() });
/// let samplers: [&dyn Sampler<Interpreter>; 3] = [&sampled, &BootstrapSampler, &IndependentSampler];
/// for sampler in samplers {
///     let mut belief = sampler.belief(&machine, candidate, &model, 200);
///     belief.update(&evidence, &Budget::UNLIMITED, &Seed::root(1));
///     let right = belief.particles().iter().filter(|particle| belief.history(particle) == truth);
///     let weight: f64 = right.map(|particle| particle.weight).sum();
///     assert!((weight - 2.0 / 3.0).abs() < 0.1, "{weight}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParticleSampler(pub BeliefOptions);

impl<M: Bulk + 'static> Sampler<M> for ParticleSampler {
    fn belief(&self, machine: &Arc<M>, role: Role, model: &SharedModel, particles: usize) -> BoxedBelief<M> {
        let options = BeliefOptions { particles, ..self.0.clone() };
        Box::new(ParticleBelief::new(Arc::clone(machine), role, Arc::clone(model), options))
    }

    fn is_independent(&self) -> bool {
        self.0.method == SamplingMethod::Rejection && !self.0.enumerate
    }
}

/// Samples by the plain particle filter: each particle makes a step drawn by the model, those that contradict the
/// percepts get weight 0, and the others are resampled. Once none is left, none comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BootstrapSampler;

impl<M: Bulk + 'static> Sampler<M> for BootstrapSampler {
    fn belief(&self, machine: &Arc<M>, role: Role, model: &SharedModel, particles: usize) -> BoxedBelief<M> {
        Box::new(HistoryBelief::new(machine, role, model, particles, bootstrap::follow))
    }
}
