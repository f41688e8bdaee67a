//! Logic: the language of rulesheets, and the evaluation of stratified logic programs.
//!
//! [`gdl`] turns the text of a rulesheet into a [`gdl::Game`], or reports what is wrong with it. [`datalog`] evaluates
//! stratified logic programs and knows nothing about games.
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
