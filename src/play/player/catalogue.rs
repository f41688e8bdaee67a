//! The kinds of entries that a spec can name, and the types of the keys that can be set in it.
//!
//! A [`Registry`](super::Registry) holds a [`SpecEntry`] for each player, sampler, search and opponent model. Specs
//! are read against these entries and help texts are printed from them, so the two always know the same keys.
//!
//! The sentences about the entries and keys of this crate are in `about.tsv`.
//!
//! An entry and its keys own their text or borrow it for ever, so a crate that adds a player can compute them.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use hyperplay_think::search::PlayoutBudget;

/// The name of the sampler that [starts a program](super::Registry::with_programs).
pub(super) const PROGRAM: &str = "program";

/// Words of the program, or those that were made while it runs.
pub type Words = Cow<'static, str>;

/// The kind of thing that a spec describes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum SpecKind {
    /// A player.
    Player,
    /// A way to sample a belief.
    Sampler,
    /// A way to judge the moves in states that are known.
    Search,
    /// A model of how the other roles choose.
    #[strum(to_string = "opponent model")]
    Model,
}

impl SpecKind {
    /// All of them, in the order in which help lists them.
    pub const ALL: [SpecKind; 4] = [SpecKind::Player, SpecKind::Sampler, SpecKind::Search, SpecKind::Model];

    /// The plural of its name, in one word.
    pub fn plural(self) -> &'static str {
        match self {
            SpecKind::Player => "players",
            SpecKind::Sampler => "samplers",
            SpecKind::Search => "searches",
            SpecKind::Model => "models",
        }
    }
}

/// Something that a spec can name.
///
/// ```
/// use hyperplay_play::player::{SpecEntry, SpecKey};
///
/// let entry = SpecEntry::new("stubborn", "This player repeats its last move where it can.")
///     .with(SpecKey::count("memory", 1..=100, 10, "The player remembers this many moves."))
///     .with(SpecKey::word("angry", false, "The player prefers moves that hurt, or does not."));
/// assert_eq!(entry.key("memory").unwrap().default, "10");
/// assert_eq!(entry.key("angry").unwrap().kind.to_string(), "on or off");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecEntry {
    /// Its name.
    pub name: Words,
    /// A description of the entry, in a whole sentence: `hyperplay players` prints it as it is.
    pub about: Words,
    /// Its keys, in the order in which they are printed.
    pub keys: Vec<SpecKey>,
}

impl SpecEntry {
    /// An entry without keys.
    pub fn new(name: impl Into<Words>, about: impl Into<Words>) -> Self {
        SpecEntry { name: name.into(), about: about.into(), keys: Vec::new() }
    }

    /// The same entry with one more key.
    #[must_use]
    pub fn with(mut self, key: SpecKey) -> Self {
        self.keys.push(key);
        self
    }

    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&SpecKey> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// A key of a [`SpecEntry`].
///
/// ```
/// use hyperplay_play::player::{FileKind, KeyType, SpecKey};
///
/// let speed = SpecKey::real("speed", 0.0..=1.0, 0.5, "how fast it plays").with_default("0.25");
/// assert_eq!((&*speed.default, speed.kind), ("0.25", KeyType::Real(0.0, 1.0)));
/// assert_eq!(SpecKey::policy_file("path", "what it plays").kind, KeyType::File(FileKind::Policy));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecKey {
    /// Its name.
    pub name: Words,
    /// The type of its values.
    pub kind: KeyType,
    /// The value that holds if it is not given, as it would be written in a spec.
    pub default: Words,
    /// A description of its effect, in a whole sentence.
    pub about: Words,
    /// Whether in some case, as under a clock, another value takes the place of the default. Then a value that is written counts
    /// as given, be it the default or not.
    pub is_replaced: bool,
}

impl SpecKey {
    fn new(name: Words, kind: KeyType, default: Words, about: Words) -> Self {
        SpecKey { name, kind, default, about, is_replaced: false }
    }

    /// A key whose value is a whole number in a range.
    pub fn count(
        name: impl Into<Words>,
        range: RangeInclusive<u64>,
        default: u64,
        about: impl Into<Words>,
    ) -> Self {
        let kind = KeyType::Count(*range.start(), *range.end());
        SpecKey::new(name.into(), kind, default.to_string().into(), about.into())
    }

    /// A key whose value says how many playouts a decision makes.
    pub fn playouts(name: impl Into<Words>, default: PlayoutBudget, about: impl Into<Words>) -> Self {
        let default = default.to_string().into();
        let kind = KeyType::Playouts { of_one_state: false };
        SpecKey::new(name.into(), kind, default, about.into())
    }

    /// The same key for a player that searches one state: to say what gets the playouts is without effect.
    #[must_use]
    pub(super) fn of_one_state(mut self) -> Self {
        if let KeyType::Playouts { of_one_state } = &mut self.kind {
            *of_one_state = true;
        }
        self
    }

    /// A key whose value is a decimal number in a range.
    pub fn real(
        name: impl Into<Words>,
        range: RangeInclusive<f64>,
        default: f64,
        about: impl Into<Words>,
    ) -> Self {
        let kind = KeyType::Real(*range.start(), *range.end());
        SpecKey::new(name.into(), kind, default.to_string().into(), about.into())
    }

    /// A key whose value is one of the words of a type; a `bool` is `on` or `off`.
    ///
    /// # Panics
    /// If the list of the type lacks the default.
    pub fn word<W: SpecWord>(name: impl Into<Words>, default: W, about: impl Into<Words>) -> Self {
        let words = W::WORDS.iter().map(|&(word, _)| word.into()).collect();
        let of_default = W::WORDS.iter().find(|(_, value)| *value == default);
        let &(word, _) = of_default.expect("the list of words names every value");
        SpecKey::new(name.into(), KeyType::Word(words), word.into(), about.into())
    }

    /// A key whose value is itself a spec, with its default as it would be written.
    pub fn spec(
        name: impl Into<Words>,
        kind: SpecKind,
        default: impl Into<Words>,
        about: impl Into<Words>,
    ) -> Self {
        SpecKey::new(name.into(), KeyType::Spec(kind), default.into(), about.into())
    }

    /// The only key of an entry whose value is the path of a policy file, as in `file:PATH`.
    pub fn policy_file(name: impl Into<Words>, about: impl Into<Words>) -> Self {
        SpecKey::new(name.into(), KeyType::File(FileKind::Policy), Cow::Borrowed(""), about.into())
    }

    /// A key whose value is the path of a file, or this word for none.
    pub(super) fn file_or(
        kind: FileKind,
        none: &'static str,
        name: &'static str,
        about: &'static str,
    ) -> Self {
        SpecKey::new(name.into(), KeyType::File(kind), none.into(), about.into())
    }

    /// Whether it is the only key of its entry, whose path stands behind the name.
    pub fn stands_alone(&self) -> bool {
        matches!(self.kind, KeyType::File(_)) && self.default.is_empty()
    }

    /// A key whose value is a text without commas; `what` says what it is, as in "an address".
    pub fn text(
        name: impl Into<Words>,
        what: &'static str,
        default: impl Into<Words>,
        about: impl Into<Words>,
    ) -> Self {
        SpecKey::new(name.into(), KeyType::Text(what), default.into(), about.into())
    }

    /// The same key, where a clock takes the place of the default: `limit` says how far, as in "without a limit".
    #[must_use]
    pub fn clocked(self, limit: &str) -> Self {
        self.replaced("Under a clock", limit)
    }

    /// The same key, where in some case this value takes the place of the default.
    pub(super) fn replaced(mut self, case: &str, value: &str) -> Self {
        self.about = format!("{} {case} it is {value} unless it is written.", self.about).into();
        self.is_replaced = true;
        self
    }

    /// The same key with another default, as it would be written in a spec.
    #[must_use]
    pub fn with_default(mut self, default: impl Into<Words>) -> Self {
        self.default = default.into();
        self
    }
}

/// The type of a [`SpecKey`].
#[derive(Clone, PartialEq, Debug)]
pub enum KeyType {
    /// A whole number from the first to the second, both included. Digits may be grouped, as in `10_000`.
    Count(u64, u64),
    /// A number in decimal digits, with a point or without and perhaps a minus, from the first to the second, both
    /// included.
    Real(f64, f64),
    /// A [`PlayoutBudget`].
    Playouts {
        /// Whether one state gets all, so that budgets that differ only in what gets the playouts are one value.
        of_one_state: bool,
    },
    /// One of these words.
    Word(Vec<Words>),
    /// A spec of this kind; brackets around it may be left out if no comma stands in it.
    Spec(SpecKind),
    /// A text without commas, which is not empty; this says what it is.
    Text(&'static str),
    /// The path of a file, which is read with the spec. An entry with a key for a policy file has no other, and the path
    /// stands right behind the colon; for another file the default says that there is none.
    File(FileKind),
}

/// The kind of file that a spec names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
pub enum FileKind {
    /// A [policy file](super::PolicyFile).
    #[strum(to_string = "policy file")]
    Policy,
    /// A [file of linear leaf values](super::LinearFile).
    #[strum(to_string = "file of linear leaf values")]
    Linear,
}

/// No bound of a [`KeyType::Real`] is NaN.
/// The sentence of `about.tsv` about a name: that of an entry of a kind, or of a key of whatever has it.
///
/// # Panics
/// If it has none: every entry and key of the [standard registry](super::Registry::standard) is made in a test.
pub(super) fn about(of: &str, name: &str) -> &'static str {
    let own = |line: &'static str| {
        line.strip_prefix(of)?.strip_prefix('\t')?.strip_prefix(name)?.strip_prefix('\t')
    };
    include_str!("about.tsv").lines().find_map(own).expect("the table has every entry and key")
}

/// An entry without keys, with the sentence of `about.tsv` about it.
pub(super) fn entry(kind: &str, name: &'static str) -> SpecEntry {
    SpecEntry::new(name, about(kind, name))
}

impl Eq for KeyType {}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyType::Count(least, u64::MAX) => write!(f, "a whole number of {least} or more"),
            KeyType::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            KeyType::Real(least, most) => write!(f, "a decimal number from {least} to {most}"),
            KeyType::Playouts { .. } => f.write_str("a whole number N or N/move"),
            KeyType::Word(words) => f.write_str(&words.join(" or ")),
            KeyType::Spec(kind) => write!(f, "the spec of a {kind}"),
            KeyType::Text(what) => f.write_str(what),
            KeyType::File(kind) => write!(f, "the path of a {kind}"),
        }
    }
}

/// A type whose values are words of a spec. Reading, printing and help all use its one list of words.
///
/// ```
/// use hyperplay_play::player::{Registry, SpecEntry, SpecKey, SpecWord, Seat, RandomPlayer};
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// enum Mood {
///     Calm,
///     Wild,
/// }
///
/// impl SpecWord for Mood {
///     const WORDS: &'static [(&'static str, Mood)] = &[("calm", Mood::Calm), ("wild", Mood::Wild)];
/// }
///
/// let entry = SpecEntry::new("moody", "plays by its mood").with(SpecKey::word("mood", Mood::Calm, "which"));
/// let registry = Registry::standard().with_player(entry, |spec, _| {
///     assert_eq!(spec.word::<Mood>("mood"), Mood::Wild);
///     Ok(|_: &_, _| Seat::player(RandomPlayer))
/// })?;
/// registry.player("moody:mood=wild")?;
/// let error = registry.player("moody:mood=sad").unwrap_err();
/// assert_eq!(error.to_string(), "'mood=sad': expected calm or wild");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SpecWord: Copy + PartialEq + 'static {
    /// Every value with its word, in the order in which help lists them.
    const WORDS: &'static [(&'static str, Self)];
}

impl SpecWord for bool {
    const WORDS: &'static [(&'static str, bool)] = &[("on", true), ("off", false)];
}
