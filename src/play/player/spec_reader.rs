//! Reads the text of a spec as a [`Spec`], using the entries of a registry.
//!
//! The caller says which folder the paths of files are relative to, or that the files are not to be opened.

use std::path::Path;
use std::sync::Arc;

use super::respelled::respelled;
use super::seat::{HUMAN, REMOTE};
use super::spec::{SpecFile, SpecValue};
use super::{FileKind, KeyType, Registry, Spec, SpecEntry, SpecError, SpecKey, SpecKind, SpecResult};
use hyperplay_logic::gdl::did_you_mean;
use hyperplay_think::search::PlayoutBudget;

/// Specs nested deeper than this are refused.
pub(super) const MAX_NESTING: usize = 8;

/// Reads specs.
#[derive(Clone, Copy)]
pub(super) struct SpecReader<'a> {
    /// The entries that specs can name.
    pub(super) registry: &'a Registry,
    /// The folder that paths of files are relative to; with none the files are left unopened.
    pub(super) base: Option<&'a Path>,
}

impl SpecReader<'_> {
    /// Reads a spec of some kind.
    pub(super) fn spec(self, text: &str, kind: SpecKind) -> SpecResult<Spec> {
        self.nested(text, kind, 0)
    }

    /// The defaults of an entry of this registry, each read as if it were given; a policy file has none.
    pub(super) fn check_defaults(self, entry: &SpecEntry) -> SpecResult {
        let mut keys = entry.keys.iter().filter(|key| !key.stands_alone());
        keys.try_for_each(|key| self.value(key, &key.default, 0).map(drop))
    }

    fn nested(self, text: &str, kind: SpecKind, depth: usize) -> SpecResult<Spec> {
        if depth > MAX_NESTING {
            return Err(SpecError::TooDeep);
        }
        let (name, rest) = named(text);
        let entry = Arc::clone(self.registry.named(kind, name)?);
        if let [SpecKey { kind: KeyType::File(of), default, .. }] = &entry.keys[..]
            && default.is_empty()
        {
            let path = rest.trim();
            if path.is_empty() {
                return Err(SpecError::NoPath(name.to_owned()));
            }
            let values = vec![self.file(*of, Path::new(path))?];
            return Ok(Spec { kind, entry, values, given: vec![true] });
        }
        let mut values: Vec<Option<(&str, SpecValue)>> = vec![None; entry.keys.len()];
        for part in parts(rest).ok_or_else(|| SpecError::Brackets(text.to_owned()))? {
            let known = || entry.keys.iter().map(|key| key.name.clone().into_owned()).collect();
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| SpecError::NotAPair { part: part.trim().to_owned(), known: known() })?;
            let name = name.trim();
            let mut keys = entry.keys.iter().enumerate();
            let (position, key) =
                keys.find(|(_, key)| key.name == name).ok_or_else(|| match self.respelled(text, kind) {
                    Some(spec) => SpecError::Respelled { key: name.to_owned(), spec },
                    None => SpecError::UnknownKey {
                        name: entry.name.clone().into_owned(),
                        key: name.to_owned(),
                        known: known(),
                    },
                })?;
            if values[position].is_some() {
                return Err(SpecError::Repeated(name.to_owned()));
            }
            let value = value.trim();
            values[position] = Some((value, self.value(key, value, depth)?));
        }
        let all = entry.keys.iter().zip(values).map(|(key, value)| match value {
            Some((text, value)) => {
                let is_given = self.is_other_than_default(key, text, &value, depth)?;
                Ok((value, is_given))
            }
            None => Ok((self.value(key, &key.default, depth)?, false)),
        });
        let (values, given) = all.collect::<SpecResult<(Vec<_>, Vec<_>)>>()?;
        Ok(Spec { kind, entry, values, given })
    }

    /// A spec of version 0.2 as it is written today, canonical if it can be read; `None` if the two are written alike.
    pub(super) fn respelled(self, text: &str, kind: SpecKind) -> Option<String> {
        let today = respelled(text, kind)?;
        Some(self.spec(&today, kind).map_or(today, |spec| spec.to_string()))
    }

    /// Whether a value, written as `text`, differs from the default of its key, or that can be replaced. The default is read only where the
    /// texts do not tell: it may be a spec in which the same key is given.
    fn is_other_than_default(
        self,
        key: &SpecKey,
        text: &str,
        value: &SpecValue,
        depth: usize,
    ) -> SpecResult<bool> {
        if key.is_replaced || text == key.default {
            return Ok(key.is_replaced);
        }
        if let SpecValue::Spec(spec) = value {
            let (name, _) = named(unbracketed(&key.default));
            if name != spec.name() {
                return Ok(true);
            }
        }
        match self.value(key, &key.default, depth) {
            Ok(default) => Ok(*value != default),
            // The value's own files could be read, so the default names another one.
            Err(SpecError::File(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn value(self, key: &SpecKey, text: &str, depth: usize) -> SpecResult<SpecValue> {
        let meant = || match &key.kind {
            KeyType::Word(words) => did_you_mean(text, words.iter().map(|word| &**word)),
            KeyType::Real(least, most) => {
                in_range(text, *least, *most).map_or(String::new(), |real| format!(" (write {real})"))
            }
            _ => String::new(),
        };
        let bad = || SpecError::BadValue {
            key: key.name.clone().into_owned(),
            value: text.to_owned(),
            expected: format!("{}{}", key.kind, meant()),
        };
        match &key.kind {
            KeyType::Count(least, most) => {
                let digits = text.replace('_', "");
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
                let count = digits.parse().ok().filter(|count| plain && (least..=most).contains(&count));
                count.map(SpecValue::Count).ok_or_else(bad)
            }
            KeyType::Real(least, most) => {
                let real = in_range(text, *least, *most).filter(|_| is_decimal(text, *least < 0.0));
                real.map(SpecValue::Real).ok_or_else(bad)
            }
            KeyType::Playouts { of_one_state } => {
                let budget: PlayoutBudget = text.parse().map_err(|_| bad())?;
                Ok(SpecValue::Playouts(if *of_one_state { budget.usually_shared() } else { budget }))
            }
            KeyType::Word(words) => {
                words.iter().position(|word| word == text).map(SpecValue::Word).ok_or_else(bad)
            }
            KeyType::Spec(kind) => {
                let spec = self.nested(unbracketed(text), *kind, depth + 1).map_err(|error| match error {
                    error @ (SpecError::File(_) | SpecError::TooDeep) => error,
                    error => SpecError::Inner {
                        key: key.name.clone().into_owned(),
                        value: text.to_owned(),
                        error: Box::new(error),
                    },
                })?;
                if *kind == SpecKind::Player && [HUMAN, REMOTE].contains(&spec.name()) {
                    let why = format!(
                        "'{}' plays a role of its own, and is not asked inside another player",
                        spec.name()
                    );
                    return Err(SpecError::Refused { key: key.name.clone().into_owned(), why });
                }
                Ok(SpecValue::Spec(Box::new(spec)))
            }
            KeyType::Text(_) if text.is_empty() => Err(bad()),
            KeyType::Text(_) => Ok(SpecValue::Text(text.to_owned())),
            KeyType::File(_) if text == key.default => Ok(SpecValue::Text(text.to_owned())),
            KeyType::File(_) if text.is_empty() => Err(bad()),
            KeyType::File(kind) => self.file(*kind, Path::new(text)),
        }
    }

    fn file(self, kind: FileKind, path: &Path) -> SpecResult<SpecValue> {
        let read = |base: &Path| SpecFile::read(kind, &base.join(path));
        Ok(SpecValue::File(path.to_owned(), self.base.map(read).transpose()?))
    }
}

/// The name that a spec begins with, and what follows behind its colon.
pub(super) fn named(text: &str) -> (&str, &str) {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    (name.trim(), rest)
}

/// A spec without the brackets around it, if there are any.
pub(super) fn unbracketed(text: &str) -> &str {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}

/// A number of this range, in any form that Rust reads.
fn in_range(text: &str, least: f64, most: f64) -> Option<f64> {
    // Adding zero makes -0 the zero that prints as 0.
    text.parse().ok().filter(|real| (least..=most).contains(real)).map(|real: f64| real + 0.0)
}

/// Whether a text is digits, with a point between two of them or without, and perhaps a minus before
/// them if it may be negative.
fn is_decimal(text: &str, may_be_negative: bool) -> bool {
    let text = text.strip_prefix('-').filter(|_| may_be_negative).unwrap_or(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').map_or_else(|| digits(text), |(whole, part)| digits(whole) && digits(part))
}

/// The parts between the commas that stand outside brackets; `None` if the brackets do not match.
pub(super) fn parts(text: &str) -> Option<Vec<&str>> {
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
