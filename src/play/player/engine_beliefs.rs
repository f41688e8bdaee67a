//! Two functions of the belief, for an [`Engine`]: the exact posterior and the particle belief.
//!
//! They add nothing to [`exact::posterior`] and [`ParticleBelief::new`], which are generic over the machine. Their one
//! caller is the evaluation harness of `hyperplay_lab`. Because they are not generic, the belief is compiled for the
//! engine in this crate, and not once more in that one. A caller that has the spec of a sampler makes its belief by
//! [`Sampler::belief`](hyperplay_think::belief::Sampler::belief) instead.

use std::sync::Arc;

use hyperplay_engine::Engine;
use hyperplay_machine::{Evidence, Role};
use hyperplay_think::belief::exact::{self, ExactError, Posterior};
use hyperplay_think::belief::{Belief, BeliefOptions, OpponentModel, ParticleBelief};

/// The information set of this evidence with its posterior, if no step has more than `limit` histories.
///
/// # Errors
/// See [`exact::posterior`].
pub fn posterior(
    machine: &Engine,
    evidence: &Evidence,
    model: &dyn OpponentModel,
    limit: usize,
) -> Result<Posterior, ExactError> {
    exact::posterior(machine, evidence, model, limit)
}

/// A particle belief of `role` before the first step.
pub fn particle_belief(
    machine: &Arc<Engine>,
    role: Role,
    model: &Arc<dyn OpponentModel>,
    options: BeliefOptions,
) -> Box<dyn Belief<Engine>> {
    Box::new(ParticleBelief::new(Arc::clone(machine), role, Arc::clone(model), options))
}
