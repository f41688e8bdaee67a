//! The errors of specs and of the registry: why a text is not a spec, and why an entry cannot be registered.

use std::path::PathBuf;

use thiserror::Error;

use super::catalogue::SpecKind;
use super::policy_file::PolicyError;
use super::spec_reader::MAX_NESTING;

/// Why a text is no spec.
///
/// ```
/// use hyperplay_play::player::Registry;
///
/// let error = Registry::standard().player("hyperplay:colour=red").unwrap_err();
/// assert!(error.to_string().starts_with("'hyperplay' has no key 'colour'; its keys are particles, "));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// Nothing of this name is registered.
    #[error("there is no '{name}'; there are {}", known.join(", "))]
    UnknownName {
        /// As written.
        name: String,
        /// The registered names.
        known: Vec<String>,
    },
    /// The entry has no such key.
    #[error("'{name}' has no key '{key}'; {}", listed(known))]
    UnknownKey {
        /// The entry.
        name: String,
        /// As written.
        key: String,
        /// The keys of the entry.
        known: Vec<String>,
    },
    /// The value does not have the key's type or lies outside its range.
    #[error("'{key}={value}': expected {expected}")]
    BadValue {
        /// The key.
        key: String,
        /// As written.
        value: String,
        /// What the key expects.
        expected: String,
    },
    /// A key is given twice.
    #[error("the key '{key}' is given twice")]
    Repeated {
        /// The key.
        key: String,
    },
    /// A part between commas that is not `key=value`.
    #[error("'{part}' is not of the form key=value")]
    NotAPair {
        /// The part.
        part: String,
    },
    /// A bracket without its partner.
    #[error("the brackets of '{text}' do not match")]
    Brackets {
        /// The whole text.
        text: String,
    },
    /// A policy file that cannot be used.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A player that draws from a policy file is given without one.
    #[error("'{name}' needs the path of a policy file, as in {name}:policy.json")]
    NoPath {
        /// The entry.
        name: String,
    },
    /// A policy file is needed, but the spec was read without opening its files.
    #[error("the policy file {} was not opened", path.display())]
    Unopened {
        /// Its path.
        path: PathBuf,
    },
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
        /// What is wrong with it.
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

fn listed(keys: &[String]) -> String {
    if keys.is_empty() { "it has no keys".to_owned() } else { format!("its keys are {}", keys.join(", ")) }
}

/// Why something cannot be registered.
///
/// ```
/// use hyperplay_play::player::{KeyType, Registry, RegistryError, Seat, SpecEntry, SpecKey, RandomPlayer};
///
/// let depth = SpecKey::count("depth", 1..=9, 10, "how deep it looks");
/// assert_eq!(depth.kind, KeyType::Count(1, 9));
/// let entry = SpecEntry::new("deep", "looks deep").with(depth);
/// let refused = Registry::standard().with_player(entry, |_, _| Ok(|_: &_, _| Seat::player(RandomPlayer)));
/// let error = refused.unwrap_err();
/// assert!(matches!(error, RegistryError::Default { .. }));
/// assert_eq!(error.to_string(), "the default of 'deep': 'depth=10': expected a whole number from 1 to 9");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RegistryError {
    /// Its name is taken.
    #[error("there is a {kind} '{name}' already")]
    Taken {
        /// What it is.
        kind: SpecKind,
        /// Its name.
        name: String,
    },
    /// A name that no spec can contain.
    #[error("the name '{name}': expected letters, digits, '-', '_' and '.'")]
    Name {
        /// As given.
        name: String,
    },
    /// Two keys have the same name.
    #[error("'{entry}' has two keys '{key}'")]
    TwoKeys {
        /// Whose keys.
        entry: String,
        /// Their name.
        key: String,
    },
    /// A key for a policy file stands beside another key.
    #[error("'{entry}' has a policy file and other keys; a policy file stands alone")]
    PolicyFile {
        /// Whose key.
        entry: String,
    },
    /// The default of a key is no value of its type, or a spec that this registry cannot read.
    #[error("the default of '{entry}': {error}")]
    Default {
        /// Whose key.
        entry: String,
        /// What is wrong with it.
        error: SpecError,
    },
}
