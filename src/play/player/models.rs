//! The opponent models of this crate: how the other roles are assumed to choose.
//!
//! `uniform`; `file:PATH`, a [policy file](super::PolicyFile), which is read with the spec; `softmax:...`. In a spec
//! with commas a model stands in brackets, `model=[softmax:level=2,temperature=5]`. Beside it stands the key `epsilon`,
//! the probability of a tremble, so that a move to which the model gives probability 0 is not ruled out.

use std::sync::Arc;

use super::configured::UNIFORM;
use super::policy_file::FilePolicy;
use super::softmax::{Softmax, SoftmaxOptions};
use super::{Registry, RegistryError, SpecEntry, SpecKey};
use hyperplay_engine::Engine;
use hyperplay_think::belief::{OpponentModel, Uniform};

/// Adds the opponent models of this crate.
pub(super) fn with_models(registry: Registry) -> Result<Registry, RegistryError> {
    let uniform = SpecEntry::new(UNIFORM, "This model takes every legal move to be equally likely.");
    let file = SpecEntry::new(
        "file",
        "This model follows a policy file, and is uniform where the file says nothing.",
    )
    .with(SpecKey::policy_file("path", "The model reads this policy file."));
    let about = "This model chooses better moves more often, by the values that hyperplay finds from what the role knows.";
    let softmax = SpecEntry::new("softmax", about)
        .with(SpecKey::count(
            "level",
            1..=4,
            1,
            "A role at level 1 takes all others to play uniformly, and one at level k takes them to play at level k - 1.",
        ))
        .with(SpecKey::count(
            "temperature",
            1..=1_000,
            10,
            "A move that is worth this number of goal points less is chosen e times less often.",
        ))
        .with(SpecKey::count("particles", 1..=100_000, 16, "The belief of the modelled role has this number of particles."))
        .with(SpecKey::count(
            "playouts",
            1..=1_000_000,
            100,
            "A modelled decision makes this number of playouts where an exhaustive search does not fit.",
        ))
        .with(SpecKey::count(
            "nodes",
            0..=1_000_000,
            1_000,
            "The exhaustive search of a modelled decision visits at most this number of states.",
        ));
    registry
        .with_model(uniform, |_, _| Ok(|_: &Arc<Engine>| -> Arc<dyn OpponentModel> { Arc::new(Uniform) }))?
        .with_model(file, |spec, _| {
            let file = Arc::clone(spec.policy("path")?);
            Ok(move |engine: &Arc<Engine>| -> Arc<dyn OpponentModel> {
                Arc::new(FilePolicy::new(Arc::clone(engine), Arc::clone(&file)))
            })
        })?
        .with_model(softmax, |spec, _| {
            let options = SoftmaxOptions {
                level: spec.count("level"),
                temperature: spec.count("temperature"),
                particles: spec.size("particles"),
                playouts: spec.count("playouts"),
                nodes: spec.count("nodes"),
            };
            Ok(move |engine: &Arc<Engine>| -> Arc<dyn OpponentModel> {
                Arc::new(Softmax::new(Arc::clone(engine), options))
            })
        })
}
