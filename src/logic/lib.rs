//! Logic: the language of rulesheets, and the evaluation of stratified logic programs.
//!
//! [`gdl`] turns the text of a rulesheet into a [`gdl::Game`], or reports what is wrong with it. [`datalog`] evaluates
//! stratified logic programs and knows nothing about games. [`sidl`] reads a second language, for interactions in time.
//!
//! ```
//! use hyperplay_logic::gdl::{Source, load};
//!
//! let text = "(role x) (legal x noop) (goal x 100) terminal";
//! let game = load(Source::new("tiny.kif", text), None).game.expect("the text has no error");
//! assert_eq!(game.rules().len(), 4);
//! ```

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

pub mod datalog;
pub mod gdl;
pub mod sidl;

use gdl::{Loaded, Source, Syntax};

/// Reads and checks a text in GDL or in SIDL, whichever it is.
///
/// ```
/// use hyperplay_logic::gdl::{Language, Source};
///
/// let text = "branching([stop], nil).\noperation(stop) :- not(over), next(over).\nfact(over, 0). terminal :- over. init(account(a, 0)).";
/// let game = hyperplay_logic::load(Source::new("stop", text), None).game.expect("the text has no error");
/// assert_eq!(game.language(), Language::Sidl);
/// ```
pub fn load(source: Source, syntax: Option<Syntax>) -> Loaded {
    if syntax.is_none() && sidl::is_sidl(&source) { sidl::load(source) } else { gdl::load(source, syntax) }
}
