//! Spec reader: from the text of a spec to a [`Spec`], against a catalogue.
//!
//! Whoever reads says where the policy files named in it are: in which folder their paths begin, or that they are to be
//! left unopened.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::catalogue::{Entry, Key, Kind};
use super::policy_file::PolicyFile;
use super::spec::{Spec, SpecError, Value};

/// Specs nested deeper than this are refused.
pub(super) const MAX_NESTING: usize = 8;

/// Reads specs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    /// The folder that paths of policy files are relative to; with none the files are left unopened.
    pub(super) base: Option<&'a Path>,
}

impl Reader<'_> {
    /// Reads a spec.
    pub(super) fn spec(self, text: &str, catalogue: &'static [Entry]) -> Result<Spec, SpecError> {
        self.nested(text, catalogue, 0)
    }

    fn nested(self, text: &str, catalogue: &'static [Entry], depth: usize) -> Result<Spec, SpecError> {
        if depth > MAX_NESTING {
            return Err(SpecError::TooDeep);
        }
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim();
        let entry =
            catalogue.iter().find(|entry| entry.name == name).ok_or_else(|| SpecError::UnknownName {
                name: name.to_owned(),
                known: catalogue.iter().map(|entry| entry.name).collect(),
            })?;
        if let [Key { kind: Kind::Policy, .. }] = entry.keys {
            return Ok(Spec { entry, given: BTreeMap::from([(0, self.policy(Path::new(rest.trim()))?)]) });
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
            let value = self.value(key, value, catalogue, depth)?;
            if value != self.value(key, &bracketed(key), catalogue, depth)? {
                given.insert(position, value);
            }
        }
        Ok(Spec { entry, given })
    }

    fn value(
        self,
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
            Kind::Real(least, most) => {
                let real = text.parse().ok().filter(|real| is_decimal(text) && (least..=most).contains(real));
                real.map(Value::Real).ok_or_else(bad)
            }
            Kind::Word(words) => {
                words.iter().find(|&&word| word == text).map(|&word| Value::Word(word)).ok_or_else(bad)
            }
            Kind::Nested => {
                let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or_else(bad)?;
                Ok(Value::Nested(Box::new(self.nested(inner, catalogue, depth + 1)?)))
            }
            Kind::From(catalogue) => {
                let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
                let spec = self.nested(inner, catalogue, depth + 1).map_err(|error| match error {
                    SpecError::Policy(error) => SpecError::Policy(error),
                    error => {
                        SpecError::Inner { key: key.name, value: text.to_owned(), error: Box::new(error) }
                    }
                })?;
                Ok(Value::Nested(Box::new(spec)))
            }
            Kind::Policy => unreachable!("an entry with a policy file has no other key"),
        }
    }

    fn policy(self, path: &Path) -> Result<Value, SpecError> {
        let read = |base: &Path| PolicyFile::read(&base.join(path)).map(Arc::new);
        Ok(Value::Policy(path.to_owned(), self.base.map(read).transpose()?))
    }
}

/// Whether a text is digits, with a point between two of them or without.
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').map_or_else(|| digits(text), |(whole, part)| digits(whole) && digits(part))
}

/// The default as it would be written.
fn bracketed(key: &Key) -> String {
    if key.kind == Kind::Nested { format!("[{}]", key.default) } else { key.default.to_owned() }
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
    use super::*;
    use hyperplay_logic::gdl::text_hash;

    const MODELS: &[Entry] = &[
        Entry { name: "plain", about: "nothing to set", keys: &[] },
        Entry {
            name: "file",
            about: "as a file says",
            keys: &[Key { name: "path", kind: Kind::Policy, default: "", about: "which" }],
        },
    ];
    const CATALOGUE: &[Entry] = &[
        Entry { name: "plain", about: "nothing to set", keys: &[] },
        Entry {
            name: "rich",
            about: "a model, and another spec",
            keys: &[
                Key { name: "model", kind: Kind::From(MODELS), default: "plain", about: "which" },
                Key { name: "inner", kind: Kind::Nested, default: "plain", about: "who" },
            ],
        },
    ];

    const NESTED: &str = "rich:model=file:a.json,inner=[rich:inner=[rich:model=file:sub/b.json]]";

    #[test]
    fn policy_files_are_found_at_any_depth_and_stay_as_written() {
        let base = std::env::temp_dir().join(format!("hyperplay-specs-{}", std::process::id()));
        std::fs::create_dir_all(base.join("sub")).unwrap();
        let texts = ["a", "b"].map(|role| {
            format!(
                r#"{{"schema": "hyperplay.policy/1",
                     "policy": [{{"role": "{role}", "evidence": [], "moves": {{"m": 1}}}}]}}"#
            )
        });
        for (name, text) in ["a.json", "sub/b.json"].iter().zip(&texts) {
            std::fs::write(base.join(name), text).unwrap();
        }
        let read = || Spec::parse_in(NESTED, CATALOGUE, &base).unwrap();
        let spec = read();
        assert_eq!(spec.to_string(), NESTED);
        let found: Vec<(&Path, Vec<&str>)> =
            spec.policies().into_iter().map(|(path, file)| (path, file.roles())).collect();
        assert_eq!(found, [(Path::new("a.json"), vec!["a"]), (Path::new("sub/b.json"), vec!["b"])]);
        let hashes = spec.policy_hashes();
        assert_eq!(
            (&hashes["a.json"], &hashes["sub/b.json"]),
            (&text_hash(&texts[0]), &text_hash(&texts[1]))
        );

        std::fs::write(base.join("sub/b.json"), texts[0].as_str()).unwrap();
        let changed = read();
        assert_eq!(changed.to_string(), spec.to_string());
        assert_ne!(changed, spec);
        assert_eq!(changed.policy_hashes()["a.json"], changed.policy_hashes()["sub/b.json"]);
        std::fs::remove_dir_all(&base).unwrap();

        let unread = Spec::parse_in(NESTED, CATALOGUE, &base).unwrap_err().to_string();
        assert!(unread.starts_with(&base.join("a.json").display().to_string()), "{unread}");
    }

    #[test]
    fn a_spec_can_be_looked_at_without_its_policy_files() {
        let spec = Spec::parse_unopened(NESTED, CATALOGUE).unwrap();
        assert_eq!(spec.to_string(), NESTED);
        assert!(spec.policies().is_empty() && spec.policy_hashes().is_empty());
        assert!(spec.inner("model").policy("path").is_none());
    }
}
