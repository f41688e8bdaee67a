//! Layers 0 and 1, logic: rules as text, checked, and the evaluation of stratified logic programs.
//!
//! [`gdl`] turns the text of a rulesheet into a [`gdl::Game`], or says what is wrong with it. [`datalog`] derives what
//! follows from rules; no word of games is known to it.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

pub mod datalog;
pub mod gdl;
