//! Catalogue: what a spec can name, and the type of everything that can be set about it.
//!
//! A catalogue is a constant list of [`Entry`]s. Specs are read against it, help texts are printed from it, so neither
//! can know of a key that the other does not.

use std::fmt;

/// Something that a spec can name.
#[derive(PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Its keys, in the order in which they are printed.
    pub keys: &'static [Key],
}

/// A key of an [`Entry`].
#[derive(PartialEq, Eq, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What may stand behind it.
    pub kind: Kind,
    /// What holds if it is not given; spelt as in a spec.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
}

/// The type of a [`Key`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A whole number from the first to the second, both included. Digits may be grouped, as in `10_000`.
    Count(u64, u64),
    /// A number in decimal digits, with a point or without, from the first to the second, both included.
    Real(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Another spec from the same catalogue.
    Nested,
    /// A spec from this catalogue; brackets around it may be left out if no comma stands in it.
    From(&'static [Entry]),
    /// The path of a [policy file](super::PolicyFile), which is read with the spec. An entry with a key of this type has no
    /// other, and the value stands right behind the colon.
    Policy,
}

/// No bound of a [`Kind::Real`] is NaN.
impl Eq for Kind {}

/// `on` or `off`.
pub const SWITCH: Kind = Kind::Word(&["on", "off"]);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Count(least, u64::MAX) => write!(f, "a whole number of {least} or more"),
            Kind::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            Kind::Real(least, most) => write!(f, "a decimal number from {least} to {most}"),
            Kind::Word(words) => f.write_str(&words.join(" or ")),
            Kind::Nested => f.write_str("a spec in brackets"),
            Kind::From(catalogue) => {
                for (place, entry) in catalogue.iter().enumerate() {
                    let before = if place == 0 { "" } else { " or " };
                    match entry.keys {
                        [] => write!(f, "{before}{}", entry.name)?,
                        [Key { kind: Kind::Policy, .. }] => write!(f, "{before}{}:PATH", entry.name)?,
                        _ => write!(f, "{before}{}:key=value,...", entry.name)?,
                    }
                }
                Ok(())
            }
            Kind::Policy => f.write_str("the path of a policy file"),
        }
    }
}
