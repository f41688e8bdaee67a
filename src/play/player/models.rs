//! The opponent models of this crate: how the other roles are assumed to choose.
//!
//! `uniform`; `file:PATH`, a [policy file](super::PolicyFile), which is read with the spec; `softmax:...`; `learnt:...`. In a spec
//! with commas a model stands in brackets, `model=[softmax:level=2,temperature=5]`. Beside it stands the key `epsilon`,
//! the probability of a tremble, so that a move to which the model gives probability 0 is not ruled out.

use std::sync::Arc;

use super::catalogue::{about, entry};
use super::configured::UNIFORM;
use super::learnt::LEARNT;
use super::policy_file::FilePolicy;
use super::softmax::{Softmax, SoftmaxOptions};
use super::{Registry, RegistryError, SpecKey, SpecKind};
use hyperplay_engine::Engine;
use hyperplay_think::belief::{SharedModel, Uniform};

/// Adds the opponent models of this crate.
pub(super) fn with_models(registry: Registry) -> Result<Registry, RegistryError> {
    let file = entry("model", "file").with(SpecKey::policy_file("path", about("file", "path")));
    let softmax = entry("model", "softmax")
        .with(SpecKey::count("level", 1..=4, 1, about("softmax", "level")))
        .with(SpecKey::count("temperature", 1..=1_000, 10, about("softmax", "temperature")))
        .with(SpecKey::count("particles", 1..=100_000, 16, about("softmax", "particles")))
        .with(SpecKey::count("playouts", 1..=1_000_000, 100, about("softmax", "playouts")))
        .with(SpecKey::count("nodes", 0..=1_000_000, 1_000, about("softmax", "nodes")));
    let learnt = entry("model", LEARNT)
        .with(SpecKey::spec("prior", SpecKind::Model, UNIFORM, about(LEARNT, "prior")))
        .with(SpecKey::real("weight", 0.01..=1e6, 2.0, about(LEARNT, "weight")))
        .with(SpecKey::real("half_life", 0.0..=1e9, 0.0, about(LEARNT, "half_life")));
    registry
        .with_model(entry("model", UNIFORM), |_, _| {
            Ok(|_: &Arc<Engine>| -> SharedModel { Arc::new(Uniform) })
        })?
        .with_model(file, |spec, _| {
            let file = Arc::clone(spec.policy("path")?);
            Ok(move |engine: &Arc<Engine>| -> SharedModel {
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
            Ok(move |engine: &Arc<Engine>| -> SharedModel {
                Arc::new(Softmax::new(Arc::clone(engine), options))
            })
        })?
        .with_model(learnt, |spec, registry| {
            let made = super::learnt::learnt(spec, registry, &Arc::default())?;
            Ok(move |engine: &Arc<Engine>| made(engine))
        })
}
