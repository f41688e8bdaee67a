//! Games by name: every way from a name or a text to a game.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

pub mod automaton;
pub mod builtin;
pub mod gambit;
pub mod names;
pub mod repository;

use hyperplay_logic::gdl::{self, Loaded, Source, Syntax};

/// Reads and checks a text in GDL or in SIDL, whichever it is.
///
/// ```
/// use hyperplay_logic::gdl::{Language, Source};
///
/// let text = "branching([stop], nil).\noperation(stop) :- not(over), next(over).\nfact(over, 0). terminal :- over. init(account(a, 0)).";
/// let game = hyperplay_games::load(Source::new("stop", text), None).game.expect("the text has no error");
/// assert_eq!(game.language(), Language::Sidl);
/// ```
pub fn load(source: Source, syntax: Option<Syntax>) -> Loaded {
    let is_sidl = syntax.is_none() && hyperplay_sidl::is_sidl(&source);
    if is_sidl { hyperplay_sidl::load(source) } else { gdl::load(source, syntax) }
}
