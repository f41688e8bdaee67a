//! Gambit's file format of games in extensive form (`.efg`): document, reader, writer, and conversion to rules.
//!
//! [`GambitFile`] is the document. It comes from a text ([`GambitFile::read`]) or from a program that pushes the nodes
//! of a tree in pre-order ([`GambitBuilder`]), as [`to_gambit`] does with a game tree. It goes into a text that Gambit
//! and OpenSpiel read ([`GambitFile::write`]), or into a GDL-II rulesheet ([`to_kif`]).
//!
//! Invariant of every document: the nodes are one whole tree in pre-order; the probabilities of a chance node sum to 1
//! exactly; every payoff vector has one payoff for each player; every player has perfect recall. Whatever breaks it is
//! a [`GambitError`] with its place. No text makes the reader panic, and no function here recurses along the tree.
//!
//! A document keeps the game: title, comment, names of players, labels of moves, probabilities, information
//! sets with their names, and payoffs. Names of nodes, of outcomes and of chance sets are read and dropped, and payoffs
//! at inner nodes are added to the ends below them, which is what they mean.
//!
//! Format: the Gambit project, *Game representation formats*; the forms that its reader accepts beyond that text were
//! taken from its behaviour. Perfect recall: Kuhn, *Extensive Games and the Problem of Information* (1953).

mod builder;
mod error;
mod file;
mod fraction;
mod from_tree;
mod kif;
mod label;
mod read;
mod recall;
#[cfg(test)]
mod tests;
mod token;
mod write;

pub use builder::GambitBuilder;
pub use error::{GambitError, GambitPlace};
pub use file::{
    GambitChance, GambitChanceId, GambitFile, GambitNode, GambitOutcomeId, GambitSet, GambitSetId,
};
pub use fraction::Fraction;
pub use from_tree::{GambitGame, to_gambit};
pub use kif::{GambitKif, GoalScale, KifError, KifOptions, to_kif};
