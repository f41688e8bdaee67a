//! Spec: how a player is written down, as in `hyperplay:particles=64,enumerate=off`.
//!
//! A spec is a name from a [`catalogue`](super::catalogue) and values for some of its keys, `name:key=value,key=value`; a
//! value that is itself a spec stands in brackets, `inner=[hyperplay:particles=4]`. Every key has a type, a range and
//! a default, and whatever the catalogue does not list is an error that says what it lists.
//!
//! Printing is canonical: keys in the order of the catalogue, those at their default left out, numbers in plain
//! digits. So two spellings of one player print the same, which is what transcripts and configuration hashes hold, and
//! reading what was printed gives the same spec. A spec knows nothing of what it builds; the
//! [`registry`](super::registry) does.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::catalogue::{Entry, Key, Kind};
use super::policy_file::{PolicyError, PolicyFile};

/// Specs nested deeper than this are refused.
const MAX_NESTING: usize = 8;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Count(u64),
    Word(&'static str),
    Nested(Box<Spec>),
    Policy(Arc<PolicyFile>),
}

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
    entry: &'static Entry,
    /// By position of the key; only what differs from the default.
    given: BTreeMap<usize, Value>,
}

impl Spec {
    /// Reads a spec.
    ///
    /// # Errors
    /// [`SpecError`] says what is not as the catalogue has it.
    pub fn parse(text: &str, catalogue: &'static [Entry]) -> Result<Spec, SpecError> {
        parse(text, catalogue, 0)
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

    /// The policy file that the value of a key names; `None` if none is given.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn policy(&self, key: &str) -> Option<&Arc<PolicyFile>> {
        match self.given.get(&self.key(key).0) {
            Some(Value::Policy(file)) => Some(file),
            _ => None,
        }
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
            if let Value::Policy(file) = value {
                write!(f, ":{}", file.path().display())?;
                continue;
            }
            write!(f, "{separator}{}=", key.name)?;
            match value {
                Value::Count(count) => write!(f, "{count}")?,
                Value::Word(word) => f.write_str(word)?,
                Value::Nested(spec) => {
                    let text = spec.to_string();
                    let plain = key.kind != Kind::Nested && !text.contains([',', '[', ']']);
                    if plain { f.write_str(&text)? } else { write!(f, "[{text}]")? }
                }
                Value::Policy(_) => {}
            }
            separator = ',';
        }
        Ok(())
    }
}

fn parse(text: &str, catalogue: &'static [Entry], depth: usize) -> Result<Spec, SpecError> {
    if depth > MAX_NESTING {
        return Err(SpecError::TooDeep);
    }
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let name = name.trim();
    let entry = catalogue.iter().find(|entry| entry.name == name).ok_or_else(|| SpecError::UnknownName {
        name: name.to_owned(),
        known: catalogue.iter().map(|entry| entry.name).collect(),
    })?;
    if let [Key { kind: Kind::Policy, .. }] = entry.keys {
        let given = BTreeMap::from([(0, Value::Policy(Arc::new(PolicyFile::read(Path::new(rest.trim()))?)))]);
        return Ok(Spec { entry, given });
    }
    let mut seen = Vec::new();
    let mut given = BTreeMap::new();
    for part in parts(rest).ok_or_else(|| SpecError::Brackets { text: text.to_owned() })? {
        let (name, value) =
            part.split_once('=').ok_or_else(|| SpecError::NotAPair { part: part.to_owned() })?;
        let (name, value) = (name.trim(), value.trim());
        let mut keys = entry.keys.iter().enumerate();
        let (position, key) =
            keys.find(|(_, key)| key.name == name).ok_or_else(|| SpecError::UnknownKey {
                name: entry.name,
                key: name.to_owned(),
                known: entry.keys.iter().map(|key| key.name).collect(),
            })?;
        if seen.contains(&position) {
            return Err(SpecError::Repeated { key: key.name });
        }
        seen.push(position);
        let value = read_value(key, value, catalogue, depth)?;
        if value != read_value(key, &bracketed(key), catalogue, depth)? {
            given.insert(position, value);
        }
    }
    Ok(Spec { entry, given })
}

/// The default as it would be written.
fn bracketed(key: &Key) -> String {
    if key.kind == Kind::Nested { format!("[{}]", key.default) } else { key.default.to_owned() }
}

fn read_value(
    key: &'static Key,
    text: &str,
    catalogue: &'static [Entry],
    depth: usize,
) -> Result<Value, SpecError> {
    let bad = || SpecError::BadValue { key: key.name, value: text.to_owned(), expected: key.kind };
    match key.kind {
        Kind::Count(least, most) => {
            let digits = text.replace('_', "");
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            let count = digits.parse().ok().filter(|count| plain && (least..=most).contains(count));
            count.map(Value::Count).ok_or_else(bad)
        }
        Kind::Word(words) => {
            words.iter().find(|&&word| word == text).map(|&word| Value::Word(word)).ok_or_else(bad)
        }
        Kind::Nested => {
            let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or_else(bad)?;
            Ok(Value::Nested(Box::new(parse(inner, catalogue, depth + 1)?)))
        }
        Kind::From(catalogue) => {
            let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
            let spec = parse(inner, catalogue, depth + 1).map_err(|error| match error {
                SpecError::Policy(error) => SpecError::Policy(error),
                error => SpecError::Inner { key: key.name, value: text.to_owned(), error: Box::new(error) },
            })?;
            Ok(Value::Nested(Box::new(spec)))
        }
        Kind::Policy => unreachable!("an entry with a policy file has no other key"),
    }
}

/// The parts between the commas that stand outside brackets; `None` if the brackets do not match.
fn parts(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut open) = (Vec::new(), 0, 0_u32);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => open += 1,
            b']' => open = open.checked_sub(1)?,
            b',' if open == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        parts.push(&text[start..]);
    }
    (open == 0).then_some(parts)
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
    const MERGE: Key = Key { name: "merge", kind: SWITCH, default: "on", about: "whether" };
    const INNER: Key = Key { name: "inner", kind: Kind::Nested, default: "plain", about: "who" };
    const CATALOGUE: &[Entry] = &[
        Entry { name: "plain", about: "nothing to set", keys: &[] },
        Entry { name: "rich", about: "much to set", keys: &[COUNT, WEIGHT, MERGE, INNER] },
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
            (spec.count("particles"), spec.word("weight"), spec.is_on("merge")),
            (200, "choice", false)
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
        ] {
            assert_eq!(read(text).unwrap().to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn an_error_says_what_there_is() {
        assert_eq!(error("poor"), "there is no 'poor'; there are plain, rich");
        assert_eq!(
            error("rich:size=3"),
            "'rich' has no key 'size'; its keys are particles, weight, merge, inner"
        );
        assert_eq!(error("plain:size=3"), "'plain' has no key 'size'; it has no keys");
        assert_eq!(error("rich:particles=0"), "'particles=0': expected a whole number from 1 to 10000");
        assert_eq!(error("rich:particles=+1"), "'particles=+1': expected a whole number from 1 to 10000");
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
        let keys = (1_u64..300, prop::bool::ANY, prop::bool::ANY);
        let leaf = Just("plain".to_owned());
        leaf.prop_recursive(4, 16, 1, move |inner| {
            (keys.clone(), inner).prop_map(|((particles, none, off), inner)| {
                let weight = if none { "none" } else { "choice" };
                let merge = if off { "off" } else { "on" };
                format!("rich:inner=[{inner}],weight={weight},merge={merge},particles={particles}")
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
