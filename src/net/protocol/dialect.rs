//! The dialects of the protocol, by the names that the command line gives them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How a game master says what happened in a step.
///
/// ```
/// use hyperplay_net::protocol::WireDialect;
///
/// assert_eq!("gdl2-2011".parse(), Ok(WireDialect::Gdl2Of2011));
/// let names = WireDialect::ALL.map(|dialect| dialect.to_string());
/// assert_eq!(names, ["gdl2", "gdl2-2011", "gdl1"]);
/// let error = "gdl3".parse::<WireDialect>().unwrap_err();
/// assert_eq!(error.to_string(), "`gdl3` is no dialect; there are gdl2, gdl2-2011 and gdl1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WireDialect {
    /// The official GDL-II: the number of moves made, the own recorded move, the percepts.
    #[default]
    Gdl2,
    /// GDL-II as game masters spoke it in 2011: the percepts only.
    Gdl2Of2011,
    /// GDL-I: the joint move in the order of the roles.
    Gdl1,
}

impl WireDialect {
    /// All dialects.
    pub const ALL: [WireDialect; 3] = [WireDialect::Gdl2, WireDialect::Gdl2Of2011, WireDialect::Gdl1];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            WireDialect::Gdl2 => "gdl2",
            WireDialect::Gdl2Of2011 => "gdl2-2011",
            WireDialect::Gdl1 => "gdl1",
        }
    }
}

impl fmt::Display for WireDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no dialect.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{0}` is no dialect; there are gdl2, gdl2-2011 and gdl1")]
pub struct UnknownDialect(pub String);

impl FromStr for WireDialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        let found = WireDialect::ALL.into_iter().find(|dialect| dialect.name() == text);
        found.ok_or_else(|| UnknownDialect(text.to_owned()))
    }
}
