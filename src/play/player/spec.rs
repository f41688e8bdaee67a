//! A spec says in one line what is to be built, as in `hyperplay:particles=64,enumerate=off`.
//!
//! A spec is the name of a [registered](super::Registry) entry and values for some of its keys,
//! `name:key=value,key=value`. A value that is itself a spec stands in brackets,
//! `model=[softmax:level=2,temperature=5]`. Every key has a type, a range and a default. A key that the entry does not
//! list is an error that says what it lists.
//!
//! A spec that was read holds a typed value for every key, given or not, so a builder has nothing left to parse and no
//! default of its own.
//!
//! Printing is canonical: keys in the order of the entry, those at their default left out, numbers in plain digits. So
//! two spellings of one player print the same, which is what transcripts and configuration hashes hold, and
//! reading what was printed gives the same spec. The path of a file stays as it is written; the content of the file is
//! known by its hash ([`Spec::file_hashes`]).

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogue::PROGRAM;
use super::learnt::LEARNT;
use super::{
    FileKind, FileOrigin, KeyType, LinearFile, PolicyFile, SpecEntry, SpecError, SpecFileError, SpecKey,
    SpecKind, SpecResult, SpecWord,
};
use hyperplay_logic::gdl::{did_you_mean, fold};
use hyperplay_think::search::PlayoutBudget;

/// The value of a key.
#[derive(Clone, PartialEq, Debug, strum::EnumTryAs)]
pub(super) enum SpecValue {
    Count(u64),
    Real(f64),
    Playouts(PlayoutBudget),
    /// The position of the word in the list of the key.
    Word(usize),
    Spec(Box<Spec>),
    Text(String),
    /// A path as written, and the file unless it was left unopened.
    File(PathBuf, Option<SpecFile>),
}

/// A file that a spec names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecFile {
    /// A policy file.
    Policy(Arc<PolicyFile>),
    /// A file of linear leaf values.
    Linear(Arc<LinearFile>),
}

impl SpecFile {
    pub(super) fn read(kind: FileKind, path: &Path) -> Result<SpecFile, SpecFileError> {
        Ok(match kind {
            FileKind::Policy => SpecFile::Policy(Arc::new(PolicyFile::read(path)?)),
            FileKind::Linear => SpecFile::Linear(Arc::new(LinearFile::read(path)?)),
        })
    }

    fn origin(&self) -> &FileOrigin {
        match self {
            SpecFile::Policy(file) => &file.origin,
            SpecFile::Linear(file) => &file.origin,
        }
    }

    /// The hash of its text, `sha256:` and 64 digits.
    pub fn hash(&self) -> &str {
        &self.origin().hash
    }

    /// Why it does not fit a game with these roles and this hash of the rules: it is of another game, speaks of other
    /// roles, or does not speak of all.
    fn misfit(&self, roles: &[String], rules: &str) -> Option<String> {
        let FileOrigin { path, rules: own, .. } = self.origin();
        let path = path.display();
        if let Some(other) = own.as_ref().filter(|&other| other != rules) {
            return Some(format!("{path}: it is of another game, with rules {other}; these are {rules}"));
        }
        let (listed, must_be_all) = match self {
            SpecFile::Policy(file) => (file.roles(), false),
            SpecFile::Linear(file) => (file.roles(), true),
        };
        let is_known = |of: &str| roles.iter().any(|role| fold(role) == of);
        if let Some(stranger) = listed.iter().find(|role| !is_known(role)) {
            let (meant, roles) = (did_you_mean(stranger, roles.iter().map(String::as_str)), roles.join(", "));
            return Some(format!("{path}: the game has no role '{stranger}'{meant}; its roles are {roles}"));
        }
        let is_left_out =
            |role: &&String| must_be_all && fold(role) != "random" && !listed.contains(&&*fold(role));
        let left_out = roles.iter().find(is_left_out)?;
        Some(format!("{path}: it says nothing about the role '{left_out}'; list every role"))
    }
}

/// No value in the range of a [`KeyType::Real`] is NaN.
impl Eq for SpecValue {}

/// A registered name with a value for each of its keys.
///
/// ```
/// use hyperplay_play::player::{ModelSpec, PlayerSpec, Registry, SamplerSpec, Spec};
///
/// let registry = Registry::standard();
/// let player: PlayerSpec = registry.player("hyperplay: particles=0_64, sampler=[hyperplay: enumerate=off, merge=on]")?;
/// let spec: &Spec = player.spec();
/// assert_eq!(spec.to_string(), "hyperplay:particles=64,sampler=hyperplay:enumerate=off");
/// assert_eq!((spec.name(), spec.count("particles"), spec.size("particles")), ("hyperplay", 64, 64));
/// assert_eq!(spec.real("epsilon"), 0.001);
/// let sampler = spec.inner("sampler");
/// assert!(!sampler.word::<bool>("enumerate") && sampler.word::<bool>("merge"));
/// assert!(spec.is_given("particles") && !sampler.is_given("merge"));
/// assert_eq!(spec.inner("model").name(), "uniform");
///
/// // Samplers and opponent models are described alike.
/// let sampler: SamplerSpec = registry.sampler("rejection:model=softmax:level=2")?;
/// let model: ModelSpec = registry.model("softmax:level=2")?;
/// assert_eq!(sampler.spec().inner("model"), model.spec());
/// # Ok::<(), hyperplay_play::player::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    pub(super) kind: SpecKind,
    pub(super) entry: Arc<SpecEntry>,
    /// By position of the key.
    pub(super) values: Vec<SpecValue>,
    /// By position of the key: whether the value differs from the default, or is written where a clock replaces that.
    pub(super) given: Vec<bool>,
}

impl Spec {
    /// The kind of thing that it describes.
    pub fn kind(&self) -> SpecKind {
        self.kind
    }

    /// The entry that it was read against.
    pub fn entry(&self) -> &SpecEntry {
        &self.entry
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Whether it describes a player that is [another program](super::REMOTE).
    pub fn is_remote(&self) -> bool {
        self.kind == SpecKind::Player && self.name() == super::seat::REMOTE
    }

    /// Whether the value of a key differs from its default, or the key is written and its default can be
    /// [replaced](SpecKey::is_replaced).
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn is_given(&self, key: &str) -> bool {
        self.given[self.key(key).0]
    }

    /// The value of a numeric key.
    ///
    /// # Panics
    /// If the entry has no such key of that type: the code that builds from a spec disagrees with its own entry.
    pub fn count(&self, key: &str) -> u64 {
        *self.value(key).try_as_count_ref().unwrap_or_else(|| panic!("the key '{key}' is no whole number"))
    }

    /// The value of a numeric key as a size; values beyond what the processor addresses become the largest.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn size(&self, key: &str) -> usize {
        usize::try_from(self.count(key)).unwrap_or(usize::MAX)
    }

    /// The value of a key that is a decimal number.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn real(&self, key: &str) -> f64 {
        *self.value(key).try_as_real_ref().unwrap_or_else(|| panic!("the key '{key}' is no decimal number"))
    }

    /// The value of a key that says how many playouts a decision makes.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn playouts(&self, key: &str) -> PlayoutBudget {
        *self
            .value(key)
            .try_as_playouts_ref()
            .unwrap_or_else(|| panic!("the key '{key}' is no number of playouts"))
    }

    /// The value of a key of words, as the type that the key was [made](SpecKey::word) of.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn word<W: SpecWord>(&self, key: &str) -> W {
        let (position, of) = self.key(key);
        let (KeyType::Word(words), SpecValue::Word(index)) = (&of.kind, &self.values[position]) else {
            panic!("the key '{key}' is no word");
        };
        let &(word, value) = W::WORDS.get(*index).expect("the key has the words of this type");
        assert!(words[*index] == word, "the key '{key}' has the words of another type");
        value
    }

    /// The value of a key that is itself a spec.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn inner(&self, key: &str) -> &Spec {
        self.value(key).try_as_spec_ref().unwrap_or_else(|| panic!("the key '{key}' is no spec"))
    }

    /// The value of a key that is a text.
    ///
    /// # Panics
    /// As [`count`](Spec::count).
    pub fn text(&self, key: &str) -> &str {
        self.value(key).try_as_text_ref().unwrap_or_else(|| panic!("the key '{key}' is no text"))
    }

    /// The error that says that the value of a key cannot be what it is, for whoever builds from a spec.
    pub fn refuse(&self, key: &str, expected: impl Into<String>) -> SpecError {
        let value = match self.value(key) {
            SpecValue::Text(text) => text.clone(),
            other => format!("{other:?}"),
        };
        SpecError::BadValue { key: key.to_owned(), value, expected: expected.into() }
    }

    /// The policy file that the value of a key names.
    ///
    /// # Errors
    /// If it was left unopened.
    ///
    /// # Panics
    /// As [`count`](Spec::count), and if it is the word for no file, which [`is_given`](Spec::is_given) excludes.
    pub fn policy(&self, key: &str) -> SpecResult<&Arc<PolicyFile>> {
        match self.file(key)? {
            Some(SpecFile::Policy(file)) => Ok(file),
            _ => panic!("the key '{key}' is no policy file"),
        }
    }

    /// The file of linear leaf values that the value of a key names, if there is one.
    pub(super) fn linear(&self, key: &str) -> SpecResult<Option<&Arc<LinearFile>>> {
        Ok(self.file(key)?.and_then(|file| match file {
            SpecFile::Linear(file) => Some(file),
            SpecFile::Policy(_) => None,
        }))
    }

    fn file(&self, key: &str) -> SpecResult<Option<&SpecFile>> {
        match self.value(key) {
            SpecValue::File(path, None) => Err(SpecError::Unopened(path.clone())),
            SpecValue::File(_, file) => Ok(file.as_ref()),
            _ => Ok(None),
        }
    }

    /// All files that the spec and the specs in it name, with their paths as written, in the order in which they are
    /// printed; those left unopened are not among them.
    pub fn files(&self) -> Vec<(&Path, &SpecFile)> {
        let mut found = Vec::new();
        for value in &self.values {
            match value {
                SpecValue::File(path, Some(file)) => found.push((path.as_path(), file)),
                SpecValue::Spec(spec) => found.extend(spec.files()),
                _ => {}
            }
        }
        found
    }

    /// The commands of the programs that it and the specs in it start.
    pub fn commands(&self) -> Vec<&str> {
        let is_program = self.kind == SpecKind::Sampler && self.name() == PROGRAM;
        let keys = self.entry.keys.iter().zip(&self.values);
        let own = keys.filter(|(key, _)| is_program && key.name == "command");
        let own = own.filter_map(|(_, value)| value.try_as_text_ref()).map(String::as_str);
        let inner = self.values.iter().filter_map(SpecValue::try_as_spec_ref);
        own.chain(inner.flat_map(|spec| spec.commands())).collect()
    }

    /// Whether it or a spec in it names a file, opened or not, or starts a program.
    pub fn reaches_outside(&self) -> bool {
        !self.commands().is_empty()
            || self.values.iter().any(|value| match value {
                SpecValue::File(..) => true,
                SpecValue::Spec(spec) => spec.reaches_outside(),
                _ => false,
            })
    }

    /// Whether it is, or a spec in it is, the opponent model `learnt`.
    pub fn learns(&self) -> bool {
        let is_inside = |value: &SpecValue| value.try_as_spec_ref().is_some_and(|spec| spec.learns());
        self.kind == SpecKind::Model && self.name() == LEARNT || self.values.iter().any(is_inside)
    }

    /// The hashes of all [`files`](Spec::files) by their paths as written: the part of the player that the printed spec
    /// does not contain. It belongs in every identity that a spec is part of.
    pub fn file_hashes(&self) -> BTreeMap<String, String> {
        let hash = |(path, file): (&Path, &SpecFile)| (path.display().to_string(), file.hash().to_owned());
        self.files().into_iter().map(hash).collect()
    }

    /// Why the spec does not fit a game with these roles and this hash of the rules: a file that it names is of another
    /// game, speaks of other roles, or does not speak of all that it must. `None` if it fits, and for a spec without
    /// files. [`Spec::MISFIT_REMEDY`] says what to do.
    pub fn misfit(&self, roles: &[String], rules: &str) -> Option<String> {
        self.files().into_iter().find_map(|(_, file)| file.misfit(roles, rules))
    }

    /// The remedy for a [`misfit`](Spec::misfit).
    pub const MISFIT_REMEDY: &str = "take a file of this game, with its roles named as in the rules";

    fn key(&self, name: &str) -> (usize, &SpecKey) {
        let mut keys = self.entry.keys.iter().enumerate();
        keys.find(|(_, key)| key.name == name).expect("whoever reads a spec asks for keys of its entry only")
    }

    fn value(&self, name: &str) -> &SpecValue {
        &self.values[self.key(name).0]
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.entry.name)?;
        let mut separator = ':';
        let given =
            self.given.iter().zip(&self.values).zip(&self.entry.keys).filter(|((given, _), _)| **given);
        for ((_, value), key) in given {
            match (value, &key.kind) {
                (SpecValue::File(path, _), _) if key.stands_alone() => write!(f, ":{}", path.display())?,
                (SpecValue::File(path, _), _) => write!(f, "{separator}{}={}", key.name, path.display())?,
                (SpecValue::Count(count), _) => write!(f, "{separator}{}={count}", key.name)?,
                (SpecValue::Real(real), _) => write!(f, "{separator}{}={real}", key.name)?,
                (SpecValue::Playouts(playouts), _) => write!(f, "{separator}{}={playouts}", key.name)?,
                (SpecValue::Text(text), _) => write!(f, "{separator}{}={text}", key.name)?,
                (SpecValue::Word(index), KeyType::Word(words)) => {
                    write!(f, "{separator}{}={}", key.name, words[*index])?;
                }
                (SpecValue::Word(_), _) => unreachable!("only a key of words has a word"),
                (SpecValue::Spec(spec), _) => {
                    let text = spec.to_string();
                    let (open, close) = if text.contains([',', '[', ']']) { ("[", "]") } else { ("", "") };
                    write!(f, "{separator}{}={open}{text}{close}", key.name)?;
                }
            }
            separator = ',';
        }
        Ok(())
    }
}
