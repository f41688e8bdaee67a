//! Models: the opponent models there are, as values of the key `model`: how the other roles are taken to choose.
//!
//! `uniform`; `file:PATH`, a [policy file](super::PolicyFile), read with the spec; `softmax:...`. In a spec with commas it stands in
//! brackets, `model=[softmax:level=2,temperature=5]`. Beside it stands the key `epsilon`: a tremble, so that a move to which
//! the model gives probability 0 is not ruled out.

use std::sync::Arc;

use super::catalogue::{Entry, Key, Kind};
use super::policy_file::FilePolicy;
use super::softmax::{Softmax, SoftmaxOptions};
use super::spec::Spec;
use crate::belief::{OpponentModel, Trembling, Uniform};
use hyperplay_engine::machine::Bulk;
use hyperplay_logic::gdl::fold;

/// The path of a policy file.
const PATH: Key = Key { name: "path", kind: Kind::Policy, default: "", about: "the policy file" };

const LEVEL: Key = Key {
    name: "level",
    kind: Kind::Count(1, 4),
    default: "1",
    about: "1: takes all others to play uniformly; k: as at level k - 1",
};

const TEMPERATURE: Key = Key {
    name: "temperature",
    kind: Kind::Count(1, 1_000),
    default: "10",
    about: "in goal points; a move worth so much less is chosen e times less often",
};

const PARTICLES: Key =
    Key { name: "particles", kind: Kind::Count(1, 100_000), default: "16", about: "of its own belief" };

const PLAYOUTS: Key = Key {
    name: "playouts",
    kind: Kind::Count(1, 1_000_000),
    default: "100",
    about: "of a decision, where exhaustive search does not fit",
};

const NODES: Key = Key {
    name: "nodes",
    kind: Kind::Count(0, 1_000_000),
    default: "1000",
    about: "states that the exhaustive search of a decision may visit",
};

const MODELS: &[Entry] = &[
    Entry { name: "uniform", about: "every legal move alike", keys: &[] },
    Entry { name: "file", about: "as a policy file says, uniformly where it says nothing", keys: &[PATH] },
    Entry {
        name: "softmax",
        about: "better moves more often, by the values of hyperplay on the role's own evidence",
        keys: &[LEVEL, TEMPERATURE, PARTICLES, PLAYOUTS, NODES],
    },
];

/// The opponent model.
pub const MODEL: Key = Key {
    name: "model",
    kind: Kind::From(MODELS),
    default: "uniform",
    about: "how the other roles are taken to choose",
};

/// The tremble of the opponent model.
pub const EPSILON: Key = Key {
    name: "epsilon",
    kind: Kind::Real(0.0, 1.0),
    default: "0.001",
    about: "with which probability they are taken to choose uniformly and not by the model",
};

/// An opponent model with its tremble.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// The model.
    model: Spec,
    /// The tremble, a value of [`EPSILON`].
    epsilon: Tremble,
}

/// A probability: never NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Tremble(f64);

impl Eq for Tremble {}

impl Assumed {
    /// What a spec with the keys [`MODEL`] and [`EPSILON`] asks for. Uniform opponents have no tremble, and those who do
    /// nothing but tremble are uniform.
    ///
    /// # Panics
    /// If the entry of the spec lacks one of the keys.
    pub fn of(spec: &Spec) -> Self {
        let (model, epsilon) = (spec.inner(MODEL.name), spec.real(EPSILON.name));
        if epsilon >= 1.0 {
            return Assumed::exactly(read(MODEL.default).expect("the default of the key is a model"));
        }
        let epsilon = if model.name() == "uniform" { 0.0 } else { epsilon };
        Assumed { model, epsilon: Tremble(epsilon) }
    }

    /// A model without a tremble: a policy that is really played.
    pub fn exactly(model: Spec) -> Self {
        Assumed { model, epsilon: Tremble(0.0) }
    }

    /// The model behind the tremble.
    pub fn model(&self) -> &Spec {
        &self.model
    }

    /// Builds it.
    ///
    /// # Panics
    /// As [`build`].
    pub fn build<M: Bulk + 'static>(&self, machine: &Arc<M>) -> Arc<dyn OpponentModel> {
        let (model, Tremble(epsilon)) = (build(&self.model, machine), self.epsilon);
        if epsilon > 0.0 { Arc::new(Trembling::new(model, epsilon)) } else { model }
    }
}

/// All opponent models with their keys.
pub fn models() -> &'static [Entry] {
    MODELS
}

/// Reads the spec of an opponent model by itself.
///
/// # Errors
/// [`SpecError`](super::SpecError) says what there is instead.
pub fn read(text: &str) -> Result<Spec, super::SpecError> {
    Spec::parse(text, MODELS)
}

/// Builds the opponent model of a spec that was [`read`] or is the value of the key [`MODEL`].
///
/// # Panics
/// If the spec was read against another catalogue than [`models`], or its policy file was left unopened.
pub fn build<M: Bulk + 'static>(spec: &Spec, machine: &Arc<M>) -> Arc<dyn OpponentModel> {
    let machine = Arc::clone(machine);
    match spec.name() {
        "uniform" => Arc::new(Uniform),
        "file" => {
            let file = spec.policy(PATH.name).expect("whoever builds had the policy file opened");
            Arc::new(FilePolicy::new(machine, Arc::clone(file)))
        }
        "softmax" => Arc::new(Softmax::new(
            machine,
            SoftmaxOptions {
                level: spec.count("level"),
                temperature: spec.count("temperature"),
                particles: usize::try_from(spec.count("particles")).unwrap_or(usize::MAX),
                playouts: spec.count("playouts"),
                nodes: spec.count("nodes"),
            },
        )),
        name => panic!("the catalogue of opponent models has '{name}', but nothing builds it"),
    }
}

/// What to do about a [`misfit`].
pub const REMEDY: &str = "name the roles in the policy file as the rules do";

/// Why a spec does not fit a game with these roles: a policy file that it names speaks of others. `None` if it fits, and
/// for a spec without a policy file.
pub fn misfit(spec: &Spec, roles: &[String]) -> Option<String> {
    let is_known = |of: &str| roles.iter().any(|role| fold(role) == of);
    spec.policies().into_iter().find_map(|(_, file)| {
        let stranger = file.roles().into_iter().find(|role| !is_known(role))?;
        Some(format!(
            "{}: the game has no role '{stranger}'; its roles are {}",
            file.path().display(),
            roles.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::Assumed;
    use crate::player::{SpecError, registry};

    #[test]
    fn a_model_is_written_with_and_without_brackets() {
        for (text, canonical) in [
            ("hyperplay:model=uniform", "hyperplay"),
            ("hyperplay:epsilon=0.001,model=softmax", "hyperplay:model=softmax"),
            ("hyperplay:epsilon=0.0,model=softmax:level=2", "hyperplay:model=softmax:level=2,epsilon=0"),
            ("hyperplay:model=softmax", "hyperplay:model=softmax"),
            ("hyperplay:model=[softmax:level=2]", "hyperplay:model=softmax:level=2"),
            ("hyperplay:model=softmax:level=1,particles=3", "hyperplay:particles=3,model=softmax"),
            (
                "hyperplay:model=[softmax:temperature=5,level=2]",
                "hyperplay:model=[softmax:level=2,temperature=5]",
            ),
        ] {
            let spec = registry::read(text).unwrap();
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(registry::read(canonical).unwrap(), spec);
        }
    }

    #[test]
    fn uniform_opponents_do_not_tremble() {
        let assumed = |text: &str| Assumed::of(&registry::read(text).unwrap());
        assert_eq!(assumed("hyperplay:epsilon=0.3"), assumed("hyperplay"));
        assert_eq!(assumed("hyperplay:model=softmax,epsilon=1"), assumed("hyperplay"));
        assert_ne!(assumed("hyperplay:model=softmax,epsilon=0.3"), assumed("hyperplay:model=softmax"));
        let exactly = Assumed::exactly(super::read("softmax").unwrap());
        assert_eq!(assumed("hyperplay:model=softmax,epsilon=0"), exactly);
    }

    #[test]
    fn an_error_of_a_model_says_what_there_is() {
        let error = |text: &str| registry::read(text).unwrap_err().to_string();
        assert_eq!(
            error("hyperplay:model=best"),
            "'model=best': there is no 'best'; there are uniform, file, softmax"
        );
        for epsilon in ["nan", "-0.5", "1.5", "x"] {
            assert_eq!(
                error(&format!("hyperplay:model=softmax,epsilon={epsilon}")),
                format!("'epsilon={epsilon}': expected a decimal number from 0 to 1")
            );
        }
        assert_eq!(
            error("hyperplay:model=softmax:heat=1"),
            "'model=softmax:heat=1': 'softmax' has no key 'heat'; its keys are level, temperature, particles, playouts, nodes"
        );
        assert!(matches!(registry::read("hyperplay:model=file:no/such.json"), Err(SpecError::Policy(_))));
    }
}
