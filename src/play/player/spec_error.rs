//! The errors of specs and of the registry: why a text is not a spec, and why an entry cannot be registered.

use std::path::PathBuf;

use thiserror::Error;

use super::spec_reader::{MAX_NESTING, unbracketed};
use super::{KeyType, Registry, SpecFileError, SpecKind};
use hyperplay_logic::gdl::did_you_mean;

/// What is made of the text of a spec.
pub type SpecResult<T = ()> = Result<T, SpecError>;

/// Why a text is no spec.
///
/// ```
/// use hyperplay_play::player::Registry;
///
/// let error = Registry::standard().player("hyperplay:colour=red").unwrap_err();
/// assert!(error.to_string().starts_with("'hyperplay' has no key 'colour'; its keys are "));
/// let error = Registry::standard().player("random:colour=red").unwrap_err();
/// assert_eq!(error.to_string(), "'random' has no key 'colour'; it has no keys");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// Nothing of this name is registered.
    #[error("there is no {kind} '{name}'{}; there are {}", meant(name, known), known.join(", "))]
    UnknownName {
        /// The kind of entry that was looked for.
        kind: SpecKind,
        /// As written.
        name: String,
        /// The registered names.
        known: Vec<String>,
    },
    /// The entry has no such key.
    #[error("'{name}' has no key '{key}'{}; {}", meant(key, known), listed(known))]
    UnknownKey {
        /// The entry.
        name: String,
        /// As written.
        key: String,
        /// The keys of the entry.
        known: Vec<String>,
    },
    /// The entry had such a key in version 0.2.
    #[error("the key '{key}' of version 0.2 is written in another way; write {spec}")]
    Respelled {
        /// As written.
        key: String,
        /// The whole spec as it is written today.
        spec: String,
    },
    /// The value does not have the key's type or lies outside its range.
    #[error("'{key}={value}': expected {expected}")]
    BadValue {
        /// The key.
        key: String,
        /// As written.
        value: String,
        /// The values that the key expects.
        expected: String,
    },
    /// A key is given twice.
    #[error("the key '{0}' is given twice")]
    Repeated(String),
    /// A part between commas that is not `key=value`.
    #[error("'{part}' is not of the form key=value{}", hint(part, known))]
    NotAPair {
        /// The part.
        part: String,
        /// The keys of the entry.
        known: Vec<String>,
    },
    /// A bracket without its partner.
    #[error("the brackets of '{0}' do not match")]
    Brackets(String),
    /// A file that cannot be used.
    #[error(transparent)]
    File(#[from] SpecFileError),
    /// A player that draws from a policy file is given without one.
    #[error("'{0}' needs the path of a policy file, as in {0}:policy.json")]
    NoPath(String),
    /// A file is needed, but the spec was read without opening its files.
    #[error("the file {} was not opened", _0.display())]
    Unopened(PathBuf),
    /// Two keys contradict each other, or the reader of the entry rejects a value.
    #[error("'{key}': {why}")]
    Refused {
        /// The key.
        key: String,
        /// Why, and what to do instead.
        why: String,
    },
    /// A value of another entry that is no spec.
    #[error("'{key}={value}': {error}")]
    Inner {
        /// The key.
        key: String,
        /// As written.
        value: String,
        /// The error in it.
        error: Box<SpecError>,
    },
    /// The spec was read against a registry in which its name stands for an entry with other keys.
    #[error("the spec '{spec}' was read against a registry with another '{name}'")]
    OtherRegistry {
        /// The spec.
        spec: String,
        /// The name of the entry.
        name: String,
    },
    /// Brackets in brackets in brackets, or a default that needs itself.
    #[error("specs are nested more than {MAX_NESTING} deep")]
    TooDeep,
}

/// Up to this many keys are listed in an error.
const FEW: usize = 12;

fn listed(keys: &[String]) -> String {
    match keys.len() {
        0 => "it has no keys".to_owned(),
        1..=FEW => format!("its keys are {}", keys.join(", ")),
        many => format!("it has {many} keys"),
    }
}

/// The nearest of the names, as a question.
fn meant(name: &str, known: &[String]) -> String {
    did_you_mean(name, known.iter().map(String::as_str))
}

/// The intended meaning of a part without a value: a key, or nothing of the entry.
fn hint(part: &str, known: &[String]) -> String {
    if known.iter().any(|key| key == part) { format!(", as in {part}=...") } else { meant(part, known) }
}

impl SpecError {
    /// Whether it is about a file that a spec names, and not about the spec.
    pub fn is_of_file(&self) -> bool {
        match self {
            SpecError::File(_) | SpecError::NoPath(..) | SpecError::Unopened(..) => true,
            SpecError::Inner { error, .. } => error.is_of_file(),
            _ => false,
        }
    }

    /// The entry that an error in a spec is about: the kind whose list answers it and, unless the name itself is
    /// unknown, the name of the entry. An error in a spec inside the spec is about the inner one.
    pub fn about(&self, registry: &Registry, kind: SpecKind, text: &str) -> (SpecKind, Option<String>) {
        let name = text.split(':').next().unwrap_or_default().trim();
        match self {
            SpecError::UnknownName { kind, .. } => (*kind, None),
            SpecError::Inner { key, value, error } => {
                let mut entries = registry.entries(kind);
                let entry = entries.find(|entry| entry.name == name);
                match entry.and_then(|entry| entry.key(key)).map(|key| &key.kind) {
                    Some(KeyType::Spec(inner)) => error.about(registry, *inner, unbracketed(value)),
                    _ => (kind, Some(name.to_owned())),
                }
            }
            _ => (kind, Some(name.to_owned())),
        }
    }
}

/// Why something cannot be registered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RegistryError {
    /// Its name is taken or cannot be written in a spec, or its keys contradict each other.
    #[error("{0}")]
    Unfit(String),
    /// The default of a key is no value of its type, or a spec that this registry cannot read.
    #[error("the default of '{entry}': {error}")]
    Default {
        /// Whose key.
        entry: String,
        /// The error in it.
        error: SpecError,
    },
}
