//! The result of reading a spec: a value from which a player, sampler or model can be built without further parsing.
//!
//! Reading a spec calls the reader of its entry, which turns the values into typed options and may refuse them. The
//! engine and the role are given later, and building cannot fail then.

use std::fmt;
use std::sync::Arc;

use super::catalogue::{SpecKind, about};
use super::engine_key::engine;
use super::learnt::SeenMatches;
use super::{Registry, Seat, Spec, SpecKey, SpecResult};
use hyperplay_engine::{Engine, EngineKind};
use hyperplay_machine::Role;
use hyperplay_think::belief::{Sampler, SharedModel, Trembling};

/// Builds a player for one role of one match.
pub type PlayerBuild = Arc<dyn Fn(&Arc<Engine>, Role) -> Seat + Send + Sync>;

/// Builds an opponent model for one game.
pub type ModelBuild = Arc<dyn Fn(&Arc<Engine>) -> SharedModel + Send + Sync>;

/// What was read from a spec, with the spec. Two are equal if their specs are.
#[derive(Clone)]
pub struct Configured<B> {
    pub(super) spec: Spec,
    pub(super) made: B,
    pub(super) registry: Registry,
    /// What a player saw of the matches of its series.
    pub(super) seen: Arc<SeenMatches>,
}

/// A player that was read from a spec.
pub type PlayerSpec = Configured<PlayerBuild>;

/// A way to sample a belief that was read from a spec, with the opponent model that it assumes.
pub type SamplerSpec = Configured<(Assumed, Arc<dyn Sampler<Engine>>)>;

/// An opponent model that was read from a spec.
pub type ModelSpec = Configured<ModelBuild>;

impl<B> Configured<B> {
    pub(super) fn new(spec: &Spec, made: B, registry: &Registry) -> Configured<B> {
        Configured { spec: spec.clone(), made, registry: registry.clone(), seen: Arc::default() }
    }

    /// The spec.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }
}

impl<B> PartialEq for Configured<B> {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl<B> Eq for Configured<B> {}

impl<B> fmt::Debug for Configured<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Configured({})", self.spec)
    }
}

impl PlayerSpec {
    /// The engine that the spec asks for; `None` for the one of the match. The caller that builds the player chooses
    /// the machine by it.
    pub fn engine(&self) -> Option<EngineKind> {
        engine(&self.spec)
    }

    /// A fresh player for one role of one match, on a machine that [`engine`](PlayerSpec::engine) has chosen.
    pub fn seat(&self, machine: &Arc<Engine>, role: Role) -> Seat {
        (self.made)(machine, role)
    }
}

impl SamplerSpec {
    /// The opponent model under which it samples.
    pub fn assumed(&self) -> &Assumed {
        &self.made.0
    }

    /// The sampler.
    pub fn sampler(&self) -> &Arc<dyn Sampler<Engine>> {
        &self.made.1
    }
}

impl ModelSpec {
    /// The model on a machine.
    pub fn model(&self, machine: &Arc<Engine>) -> SharedModel {
        (self.made)(machine)
    }
}

/// The assumption of a player or a sampler about the other roles: an opponent model with its tremble.
#[derive(Clone, PartialEq, Debug)]
pub struct Assumed {
    model: ModelSpec,
    epsilon: f64,
}

/// The tremble is a probability: never NaN.
impl Eq for Assumed {}

/// The key for the model.
pub(super) const MODEL: &str = "model";
/// The standard model of uniform opponents.
pub(super) const UNIFORM: &str = "uniform";
/// The key for its tremble.
pub(super) const EPSILON: &str = "epsilon";

impl Assumed {
    /// The keys `model` and `epsilon`, for an entry whose reader calls [`of`](Assumed::of).
    pub fn keys() -> [SpecKey; 2] {
        [
            SpecKey::spec(MODEL, SpecKind::Model, UNIFORM, about("assumed", MODEL)),
            SpecKey::real(EPSILON, 0.0..=1.0, 0.001, about("assumed", EPSILON)),
        ]
    }

    /// The assumption that a spec with the [keys](Assumed::keys) `model` and `epsilon` asks for. Uniform opponents have
    /// no tremble, and those who do nothing but tremble are uniform. Whether a model [`is_uniform`] is known once it is
    /// built; only the standard model `uniform` is known by its spec, so that all that assume it are equal.
    ///
    /// [`is_uniform`]: hyperplay_think::belief::OpponentModel::is_uniform
    ///
    /// # Errors
    /// If the model cannot be made of its spec.
    ///
    /// # Panics
    /// If the entry of the spec lacks one of the keys.
    pub fn of(spec: &Spec, registry: &Registry) -> SpecResult<Self> {
        let (model, epsilon) = (registry.model_of(spec.inner(MODEL))?, spec.real(EPSILON));
        if epsilon >= 1.0 {
            return Ok(Assumed::exactly(registry.model(UNIFORM)?));
        }
        let epsilon = if model == registry.model(UNIFORM)? { 0.0 } else { epsilon };
        Ok(Assumed { model, epsilon })
    }

    /// A model without a tremble: a policy that is really played.
    pub fn exactly(model: ModelSpec) -> Self {
        Assumed { model, epsilon: 0.0 }
    }

    /// The spec of the model behind the tremble.
    pub fn spec(&self) -> &Spec {
        &self.model.spec
    }

    /// The model with its tremble, on a machine; a uniform one has none.
    pub fn model(&self, machine: &Arc<Engine>) -> SharedModel {
        let (model, epsilon) = (self.model.model(machine), self.epsilon);
        if epsilon > 0.0 && !model.is_uniform() { Arc::new(Trembling::new(model, epsilon)) } else { model }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::SpecEntry;
    use hyperplay_engine::Engines;
    use hyperplay_logic::gdl::{Source, load};
    use hyperplay_machine::{Evidence, Move};
    use hyperplay_think::belief::{OpponentModel, Uniform};

    /// Always the first move.
    struct First;

    impl OpponentModel for First {
        fn policy(&self, _: Role, _: &Evidence, legal: &[Move]) -> Vec<f64> {
            (0..legal.len()).map(|place| if place == 0 { 1.0 } else { 0.0 }).collect()
        }
    }

    #[test]
    fn a_registered_model_trembles_unless_it_is_uniform() {
        let text = "(role me) (legal me wait) (init on) (<= terminal (not (true on))) (goal me 0)";
        let game = load(Source::new("wait", text), None).game.unwrap();
        let machine = Engines::new(&game).get(EngineKind::Interpreter).unwrap();
        for (model, trembles) in [(Arc::new(Uniform) as SharedModel, false), (Arc::new(First), true)] {
            let shared = Arc::clone(&model);
            let registry = Registry::standard().with_model(SpecEntry::new("mine", "a model"), move |_, _| {
                let shared = Arc::clone(&shared);
                Ok(move |_: &Arc<Engine>| Arc::clone(&shared))
            });
            let registry = registry.unwrap();
            let spec = registry.player("hyperplay:model=mine,epsilon=0.3").unwrap();
            let assumed = Assumed::of(spec.spec(), &registry).unwrap();
            assert_eq!(Arc::ptr_eq(&assumed.model(&machine), &model), !trembles);
        }
    }
}
