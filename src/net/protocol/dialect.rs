//! The dialects of the protocol, by the names that the command line gives them.

use std::fmt;

use hyperplay_play::player::SpecWord;

/// How a game master says what happened in a step.
///
/// ```
/// use hyperplay_net::protocol::WireDialect;
///
/// let names = [WireDialect::Gdl2, WireDialect::Gdl2Of2011, WireDialect::Gdl1].map(|dialect| dialect.to_string());
/// assert_eq!(names, ["gdl2", "gdl2-2011", "gdl1"]);
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
    /// The dialect of messages. The official one is told by the numbers of its steps, the others by the game: whether it
    /// is one of imperfect information ([`Game::is_imperfect`](hyperplay_logic::gdl::Game::is_imperfect)).
    pub fn told(is_numbered: bool, is_imperfect: bool) -> WireDialect {
        match (is_numbered, is_imperfect) {
            (true, _) => WireDialect::Gdl2,
            (false, true) => WireDialect::Gdl2Of2011,
            (false, false) => WireDialect::Gdl1,
        }
    }
}

impl SpecWord for WireDialect {
    const WORDS: &'static [(&'static str, Self)] =
        &[("gdl2", WireDialect::Gdl2), ("gdl2-2011", WireDialect::Gdl2Of2011), ("gdl1", WireDialect::Gdl1)];
}

impl fmt::Display for WireDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word(*self))
    }
}

/// The word of a value in specs and on the command line.
pub(super) fn word<W: SpecWord>(value: W) -> &'static str {
    W::WORDS.iter().find(|(_, other)| *other == value).expect("every value has a word").0
}
