//! Faults of the rules that a tree shows: ends with several goals of a role or with none, and states without a legal
//! move.
//!
//! They are repaired as in play: the first goal in rule order counts, 0 where there is none, and a history in which a
//! role has no legal move ends with the goals of its last state. A tree counts each kind by role, with the line of play
//! to the first.

use std::fmt;

use hyperplay_machine::counted;

/// Which fault of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeFaultKind {
    /// Several goals of a role hold at an end.
    SeveralGoals,
    /// No goal of a role holds at an end.
    MissingGoal,
    /// A role has no legal move in a state that is no end.
    NoLegalMove,
}

/// A fault at some ends of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeFault {
    /// Which fault it is.
    pub kind: TreeFaultKind,
    /// Whose goals or moves.
    pub role: String,
    /// At how many histories.
    pub histories: u64,
    /// The joint moves to one of them, each in role order and in parentheses.
    pub line: Vec<String>,
}

impl fmt::Display for TreeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TreeFault { kind, role, histories, line } = self;
        let (what, repair) = match kind {
            TreeFaultKind::SeveralGoals => ("has several goals", "the first in rule order counts"),
            TreeFaultKind::MissingGoal => ("has no goal", "it counts as 0"),
            TreeFaultKind::NoLegalMove => {
                ("has no legal move, and the game is not over", "the goals of that state count")
            }
        };
        let (ends, line) = (counted(*histories, "end"), line.join(" "));
        let line = if line.is_empty() { "at the start" } else { line.as_str() };
        write!(f, "{role} {what} at {ends} of the game tree ({repair}); for example after {line}")
    }
}
