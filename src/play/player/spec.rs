//! Spec: how a player is written down, as in `hyperplay:particles=64,enumerate=off`.
//!
//! A spec is a name from a [`catalogue`](super::catalogue) and values for some of its keys, `name:key=value,key=value`; a
//! value that is itself a spec stands in brackets, `inner=[hyperplay:particles=4]`. Every key has a type, a range and
//! a default, and whatever the catalogue does not list is an error that says what it lists.
//!
//! Printing is canonical: keys in the order of the catalogue, those at their default left out, numbers in plain
//! digits. So two spellings of one player print the same, which is what transcripts and configuration hashes hold, and
//! reading what was printed gives the same spec. The path of a policy file stays as it is written; what the file says is
//! known by its hash ([`Spec::policy_hashes`]). A spec knows nothing of what it builds; the
//! [`registry`](super::registry) does.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::catalogue::{Entry, Key, Kind};
use super::policy_file::{PolicyError, PolicyFile};
use super::spec_reader::{MAX_NESTING, Reader};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Count(u64),
    Real(f64),
    Word(&'static str),
    Nested(Box<Spec>),
    /// A path as written, and the file unless it was left unopened.
    Policy(PathBuf, Option<Arc<PolicyFile>>),
}

/// What lies in the range of a [`Kind::Real`] is not NaN.
impl Eq for Value {}

/// Why a text is no spec.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// The name is not in the catalogue.
    #[error("there is no '{name}'; there are {}", known.join(", "))]
    UnknownName {
        /// As written.
        name: String,
        /// The names of the catalogue.
        known: Vec<&'static str>,
    },
    /// The entry has no such key.
    #[error("'{name}' has no key '{key}'; {}", listed(known))]
    UnknownKey {
        /// The entry.
        name: &'static str,
        /// As written.
        key: String,
        /// The keys of the entry.
        known: Vec<&'static str>,
    },
    /// The value does not have the key's type or lies outside its range.
    #[error("'{key}={value}': expected {expected}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// As written.
        value: String,
        /// The type of the key.
        expected: Kind,
    },
    /// A key is given twice.
    #[error("the key '{key}' is given twice")]
    Repeated {
        /// The key.
        key: &'static str,
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
    /// A value of another entry that is no spec.
    #[error("'{key}={value}': {error}")]
    Inner {
        /// The key.
        key: &'static str,
        /// As written.
        value: String,
        /// What is wrong with it.
        error: Box<SpecError>,
    },
    /// Brackets in brackets in brackets.
    #[error("specs are nested more than {MAX_NESTING} deep")]
    TooDeep,
}

fn listed(keys: &[&str]) -> String {
    if keys.is_empty() { "it has no keys".to_owned() } else { format!("its keys are {}", keys.join(", ")) }
}

/// A name of a catalogue with values for its keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    pub(super) entry: &'static Entry,
    /// By position of the key; only what differs from the default.
    pub(super) given: BTreeMap<usize, Value>,
}

impl Spec {
    /// Reads a spec, and the policy files that it names, from paths relative to the working directory.
    ///
    /// # Errors
    /// [`SpecError`] says what is not as the catalogue has it.
    pub fn parse(text: &str, catalogue: &'static [Entry]) -> Result<Spec, SpecError> {
        Spec::parse_in(text, catalogue, Path::new(""))
    }

    /// As [`parse`](Spec::parse), with the paths of policy files relative to the folder `base`.
    ///
    /// # Errors
    /// As [`parse`](Spec::parse).
    pub fn parse_in(text: &str, catalogue: &'static [Entry], base: &Path) -> Result<Spec, SpecError> {
        Reader { base: Some(base) }.spec(text, catalogue)
    }

    /// As [`parse`](Spec::parse), but opens no policy file: its keys can be looked at where the files are not at hand,
    /// and nothing that has an opponent model can be built from it.
    ///
    /// # Errors
    /// As [`parse`](Spec::parse).
    pub fn parse_unopened(text: &str, catalogue: &'static [Entry]) -> Result<Spec, SpecError> {
        Reader { base: None }.spec(text, catalogue)
    }

    /// The entry of the catalogue.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// The value of a numeric key.
    ///
    /// # Panics
    /// If the entry has no such key of that type: the code that builds from a spec disagrees with the catalogue.
    pub fn count(&self, key: &str) -> u64 {
        let (position, key) = self.key(key);
        match self.given.get(&position) {
            Some(Value::Count(count)) => *count,
            _ => key.default.parse().expect("the default of a numeric key is a number"),
        }
    }

    /// The value of a key that is a decimal number.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn real(&self, key: &str) -> f64 {
        let (position, key) = self.key(key);
        match self.given.get(&position) {
            Some(Value::Real(real)) => *real,
            _ => key.default.parse().expect("the default of a numeric key is a number"),
        }
    }

    /// The value of a key of words.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn word(&self, key: &str) -> &'static str {
        let (position, key) = self.key(key);
        match self.given.get(&position) {
            Some(Value::Word(word)) => word,
            _ => key.default,
        }
    }

    /// Whether a switch is on.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn is_on(&self, key: &str) -> bool {
        self.word(key) == "on"
    }

    /// The value of a nested key; `catalogue` as in [`parse`](Spec::parse), for the default.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn nested(&self, key: &str, catalogue: &'static [Entry]) -> Spec {
        let (position, key) = self.key(key);
        match self.given.get(&position) {
            Some(Value::Nested(spec)) => (**spec).clone(),
            _ => Spec::parse(key.default, catalogue).expect("the default of a nested key is a spec"),
        }
    }

    /// The value of a key that has a catalogue of its own.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn inner(&self, key: &str) -> Spec {
        let (position, key) = self.key(key);
        match (self.given.get(&position), key.kind) {
            (Some(Value::Nested(spec)), _) => (**spec).clone(),
            (_, Kind::From(catalogue)) => {
                Spec::parse(key.default, catalogue).expect("the default of a nested key is a spec")
            }
            _ => panic!("the key '{}' has no catalogue of its own", key.name),
        }
    }

    /// The policy file that the value of a key names; `None` if none is given, or it was left unopened.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn policy(&self, key: &str) -> Option<&Arc<PolicyFile>> {
        match self.given.get(&self.key(key).0) {
            Some(Value::Policy(_, file)) => file.as_ref(),
            _ => None,
        }
    }

    /// All policy files that the spec and the specs in it name, with their paths as written, in the order in which they
    /// are printed; those left unopened are not among them.
    pub fn policies(&self) -> Vec<(&Path, &PolicyFile)> {
        let mut found = Vec::new();
        for value in self.given.values() {
            match value {
                Value::Policy(path, Some(file)) => found.push((path.as_path(), file.as_ref())),
                Value::Nested(spec) => found.extend(spec.policies()),
                Value::Count(_) | Value::Real(_) | Value::Word(_) | Value::Policy(_, None) => {}
            }
        }
        found
    }

    /// The hashes of all [`policies`](Spec::policies) by their paths as written: what the printed spec does not say of
    /// the player. Belongs into every identity that a spec is part of.
    pub fn policy_hashes(&self) -> BTreeMap<String, String> {
        let hash = |(path, file): (&Path, &PolicyFile)| (path.display().to_string(), file.hash().to_owned());
        self.policies().into_iter().map(hash).collect()
    }

    fn key(&self, name: &str) -> (usize, &'static Key) {
        let mut keys = self.entry.keys.iter().enumerate();
        keys.find(|(_, key)| key.name == name).expect("whoever reads a spec asks for keys of its entry only")
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        let mut separator = ':';
        for (&position, value) in &self.given {
            let key = &self.entry.keys[position];
            if let Value::Policy(path, _) = value {
                write!(f, ":{}", path.display())?;
                continue;
            }
            write!(f, "{separator}{}=", key.name)?;
            match value {
                Value::Count(count) => write!(f, "{count}")?,
                Value::Real(real) => write!(f, "{real}")?,
                Value::Word(word) => f.write_str(word)?,
                Value::Nested(spec) => {
                    let text = spec.to_string();
                    let plain = key.kind != Kind::Nested && !text.contains([',', '[', ']']);
                    if plain { f.write_str(&text)? } else { write!(f, "[{text}]")? }
                }
                Value::Policy(..) => {}
            }
            separator = ',';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::SWITCH;
    use super::*;
    use proptest::prelude::*;

    const COUNT: Key =
        Key { name: "particles", kind: Kind::Count(1, 10_000), default: "200", about: "how many" };
    const WEIGHT: Key =
        Key { name: "weight", kind: Kind::Word(&["none", "choice"]), default: "choice", about: "which" };
    const SHARE: Key = Key { name: "share", kind: Kind::Real(0.0, 1.0), default: "0.001", about: "how much" };
    const MERGE: Key = Key { name: "merge", kind: SWITCH, default: "on", about: "whether" };
    const INNER: Key = Key { name: "inner", kind: Kind::Nested, default: "plain", about: "who" };
    const CATALOGUE: &[Entry] = &[
        Entry { name: "plain", about: "nothing to set", keys: &[] },
        Entry { name: "rich", about: "much to set", keys: &[COUNT, WEIGHT, SHARE, MERGE, INNER] },
    ];

    fn read(text: &str) -> Result<Spec, SpecError> {
        Spec::parse(text, CATALOGUE)
    }

    fn error(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn keys_not_given_have_their_default() {
        let spec = read("rich:merge=off").unwrap();
        assert_eq!(
            (spec.count("particles"), spec.word("weight"), spec.real("share"), spec.is_on("merge")),
            (200, "choice", 0.001, false)
        );
        assert_eq!(spec.nested("inner", CATALOGUE), read("plain").unwrap());
    }

    #[test]
    fn printing_is_canonical() {
        for (text, canonical) in [
            ("plain", "plain"),
            ("plain:", "plain"),
            ("rich:weight=none,particles=1_000", "rich:particles=1000,weight=none"),
            (" rich : merge = on , particles = 0200 ", "rich"),
            (
                "rich:inner=[rich:particles=4,merge=off],merge=off",
                "rich:merge=off,inner=[rich:particles=4,merge=off]",
            ),
            ("rich:inner=[plain]", "rich"),
            ("rich:share=0.0010", "rich"),
            ("rich:share=00.250,merge=off", "rich:share=0.25,merge=off"),
            ("rich:share=1.0", "rich:share=1"),
            ("rich:share=0", "rich:share=0"),
            ("rich:share=0.00000000000000000001", "rich:share=0.00000000000000000001"),
        ] {
            assert_eq!(read(text).unwrap().to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn an_error_says_what_there_is() {
        assert_eq!(error("poor"), "there is no 'poor'; there are plain, rich");
        assert_eq!(
            error("rich:size=3"),
            "'rich' has no key 'size'; its keys are particles, weight, share, merge, inner"
        );
        assert_eq!(error("plain:size=3"), "'plain' has no key 'size'; it has no keys");
        assert_eq!(error("rich:particles=0"), "'particles=0': expected a whole number from 1 to 10000");
        assert_eq!(error("rich:particles=+1"), "'particles=+1': expected a whole number from 1 to 10000");
        for share in ["1.01", "-0.1", "-0", "+0.5", "NaN", "inf", "1e-3", ".5", "1.", "0.1.2", "", "."] {
            let expected = format!("'share={share}': expected a decimal number from 0 to 1");
            assert_eq!(error(&format!("rich:share={share}")), expected);
        }
        assert_eq!(error("rich:weight=some"), "'weight=some': expected none or choice");
        assert_eq!(error("rich:merge=on,merge=on"), "the key 'merge' is given twice");
        assert_eq!(error("rich:merge"), "'merge' is not of the form key=value");
        assert_eq!(error("rich:merge=on,"), "'' is not of the form key=value");
        assert_eq!(error("rich:inner=[plain"), "the brackets of 'rich:inner=[plain' do not match");
        assert_eq!(error("rich:inner=plain"), "'inner=plain': expected a spec in brackets");
        assert_eq!(error("rich:inner=[poor]"), "there is no 'poor'; there are plain, rich");
    }

    #[test]
    fn hostile_nesting_is_refused() {
        let text = "rich:inner=[".repeat(10_000) + &"]".repeat(10_000);
        assert_eq!(read(&text), Err(SpecError::TooDeep));
    }

    fn any_spec() -> impl Strategy<Value = String> {
        let keys = (1_u64..300, prop::bool::ANY, prop::bool::ANY, 0.0..=1.0_f64);
        let leaf = Just("plain".to_owned());
        leaf.prop_recursive(4, 16, 1, move |inner| {
            (keys.clone(), inner).prop_map(|((particles, none, off, share), inner)| {
                let weight = if none { "none" } else { "choice" };
                let merge = if off { "off" } else { "on" };
                format!(
                    "rich:inner=[{inner}],weight={weight},merge={merge},share={share},particles={particles}"
                )
            })
        })
    }

    proptest! {
        #[test]
        fn reading_what_was_printed_gives_the_same_spec(text in any_spec()) {
            let spec = read(&text).unwrap();
            let printed = spec.to_string();
            let again = read(&printed).unwrap();
            prop_assert_eq!(&again, &spec);
            prop_assert_eq!(again.to_string(), printed);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-z:=,\\[\\]éß 0-9]{0,40}") {
            let _ = read(&text);
            let _ = read(&format!("rich:{text}"));
        }
    }
}
