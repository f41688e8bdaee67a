//! The faults of a game in extensive form: the place, the cause, and advice on how to correct it.

use std::fmt::Display;

use thiserror::Error;

use hyperplay_machine::counted;

/// Where something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum GambitPlace {
    /// A place in a text; line and column (in characters) from 1.
    #[error("line {line}, column {column}")]
    Text {
        /// The line.
        line: u32,
        /// The column.
        column: u32,
    },
    /// A node that a program pushed, counted from 0 in pre-order. It is shown counted from 1.
    #[error("node {}", u64::from(*.0) + 1)]
    Node(u32),
}

/// Why a text or the nodes of a program are not a game in extensive form.
///
/// ```
/// use hyperplay_games::gambit::{GambitFile, GambitPlace};
///
/// let text = "EFG 2 R \"A coin\" { \"Alice\" }\nc \"\" 1 \"\" { \"heads\" 1/2 \"tails\" 1/3 } 0";
/// let error = GambitFile::read(text).unwrap_err();
/// assert_eq!(error.place, GambitPlace::Text { line: 2, column: 1 });
/// assert_eq!(error.to_string(), "line 2, column 1: the probabilities of the chance node sum to 5/6, not to 1");
/// assert_eq!(error.remedy(), "write them as exact fractions, such as 1/3 instead of 0.333");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}: {cause}")]
pub struct GambitError {
    /// Where it is.
    pub place: GambitPlace,
    /// Its cause.
    pub(super) cause: GambitCause,
}

impl GambitError {
    /// Advice on how to correct it.
    pub fn remedy(&self) -> &'static str {
        self.cause.remedy
    }
}

/// The cause of an error in words, with a remedy. Players and information sets have their numbers as in the file, from 1.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what}")]
pub(super) struct GambitCause {
    what: String,
    remedy: &'static str,
}

/// The causes that are met in several places.
impl GambitCause {
    pub(super) fn new(what: impl Into<String>, remedy: &'static str) -> GambitCause {
        GambitCause { what: what.into(), remedy }
    }

    /// A number, or how many there are of something, is larger than is computed with.
    pub(super) fn too_large(what: impl Display) -> GambitCause {
        let remedy = "numerators and denominators may be up to 2^96, and nodes up to 2^32";
        GambitCause::new(format!("{what} cannot be represented exactly here"), remedy)
    }

    /// The nodes end before the tree does.
    pub(super) fn missing_nodes(missing: u64) -> GambitCause {
        let more = if missing == 1 { "node is" } else { "nodes are" };
        let remedy = "every move of a node needs a subtree, in the order of the moves";
        GambitCause::new(format!("the tree ends here, but {missing} more {more} expected"), remedy)
    }

    /// The tree ends before the nodes do.
    pub(super) fn extra_nodes() -> GambitCause {
        let remedy = "leave it out, or add the move that leads to it to a node above";
        GambitCause::new("the tree is complete before this", remedy)
    }

    /// A chance node or decision without moves.
    pub(super) fn no_moves() -> GambitCause {
        GambitCause::new("the node has no moves", "a node without moves is an end: t NAME OUTCOME")
    }

    /// The game has fewer players.
    pub(super) fn no_player(player: i64, players: usize) -> GambitCause {
        let remedy = "players are numbered from 1 in the order of the header";
        GambitCause::new(format!("there is no player {player}: the game has {players}"), remedy)
    }

    /// An end has payoffs for more or fewer players than there are.
    pub(super) fn payoffs(given: usize, players: usize) -> GambitCause {
        let are = if given == 1 { "payoff is" } else { "payoffs are" };
        let what = format!("{given} {are} given for {}", counted(players as u64, "player"));
        GambitCause::new(what, "give one payoff for each player")
    }

    /// A set that is named by its number only, before it was given.
    pub(super) fn unknown_set(set: &str) -> GambitCause {
        let remedy = "give its name and moves where it occurs first";
        GambitCause::new(format!("{set} was not given with its moves before"), remedy)
    }

    /// A set that comes again with other moves or another name.
    pub(super) fn set_mismatch(set: &str, first: GambitPlace, difference: &str) -> GambitCause {
        let remedy = "give both occurrences the same name and moves, or different numbers";
        GambitCause::new(format!("{set} differs from its first occurrence ({first}): {difference}"), remedy)
    }
}
