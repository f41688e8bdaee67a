//! The faults of a game in extensive form: the place, the cause, and advice on how to correct it.

use thiserror::Error;

use super::fraction::Fraction;

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
/// use hyperplay_games::gambit::{GambitCause, GambitFile, GambitPlace};
///
/// let text = "EFG 2 R \"A coin\" { \"Alice\" }\nc \"\" 1 \"\" { \"heads\" 1/2 \"tails\" 1/3 } 0";
/// let error = GambitFile::read(text).unwrap_err();
/// assert_eq!(error.place, GambitPlace::Text { line: 2, column: 1 });
/// assert!(matches!(error.cause, GambitCause::Probabilities { .. }));
/// assert_eq!(error.to_string(), "line 2, column 1: the probabilities of the chance node sum to 5/6, not to 1");
/// assert_eq!(error.remedy(), "write them as exact fractions, such as 1/3 instead of 0.333");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}: {cause}")]
pub struct GambitError {
    /// Where it is.
    pub place: GambitPlace,
    /// Its cause.
    pub cause: GambitCause,
}

impl GambitError {
    /// Advice on how to correct it.
    pub fn remedy(&self) -> &'static str {
        self.cause.remedy()
    }
}

/// The cause of an error. Players and information sets have their numbers as in the file, from 1.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GambitCause {
    /// Something else stands where a part of the format is expected.
    #[error("{expected} is expected here, not {found}")]
    Malformed {
        /// The part that could stand here.
        expected: &'static str,
        /// The part that stands here.
        found: String,
    },
    /// A quotation mark has no partner.
    #[error("the text that begins here has no closing quotation mark")]
    UnclosedText,
    /// A number divides by zero.
    #[error("{number} divides by zero")]
    DividesByZero {
        /// The number.
        number: String,
    },
    /// A number is larger or finer than 2^96 allows, or there are more nodes than 2^32.
    #[error("{what} cannot be represented exactly here")]
    TooLarge {
        /// The name of the quantity that is too large.
        what: String,
    },
    /// The text or the program ends before the tree does.
    #[error("the tree ends here, but {missing} more node{} expected", if *.missing == 1 { " is" } else { "s are" })]
    MissingNodes {
        /// How many nodes are missing at least.
        missing: u64,
    },
    /// Something follows although the tree is complete.
    #[error("the tree is complete before this")]
    ExtraNodes,
    /// There is no such player.
    #[error("there is no player {player}: the game has {players}")]
    PlayerOutOfRange {
        /// The number of the player.
        player: i64,
        /// How many players there are.
        players: u32,
    },
    /// An information set is abbreviated before it was given in full.
    #[error("{set} was not given with its moves before")]
    UnknownSet {
        /// Which set.
        set: String,
    },
    /// An information set is given again, and otherwise.
    #[error("{set} differs from its first occurrence ({first}): {difference}")]
    SetMismatch {
        /// Which set.
        set: String,
        /// Where it was given first.
        first: GambitPlace,
        /// In what it differs.
        difference: String,
    },
    /// A set without moves.
    #[error("the node has no moves")]
    NoMoves,
    /// The probabilities of a chance node do not sum to 1.
    #[error("the probabilities of the chance node sum to {sum}, not to 1")]
    Probabilities {
        /// Their sum.
        sum: Fraction,
    },
    /// A probability is negative.
    #[error("the probability {probability} of '{label}' is negative")]
    NegativeProbability {
        /// The label of the move.
        label: String,
        /// Its probability.
        probability: Fraction,
    },
    /// A player that reaches two nodes of a set has done or known other things before.
    #[error(
        "imperfect recall: player {player} reaches information set {number} here and at {first} by different own moves"
    )]
    ImperfectRecall {
        /// The player.
        player: u32,
        /// The number of its set.
        number: i64,
        /// Where the first node of the set is.
        first: GambitPlace,
    },
    /// A set is met twice on one path.
    #[error(
        "absent-mindedness: information set {number} of player {player} comes again here, on a path through its node at {first}"
    )]
    AbsentMinded {
        /// The player.
        player: u32,
        /// The number of its set.
        number: i64,
        /// Where the first node of the set is.
        first: GambitPlace,
    },
    /// An outcome is named by its number before it was given with its payoffs.
    #[error("outcome {number} was not given with its payoffs before")]
    UnknownOutcome {
        /// Its number.
        number: i64,
    },
    /// An outcome is given again, with other payoffs.
    #[error("outcome {number} has other payoffs than at its first occurrence ({first})")]
    OutcomeMismatch {
        /// Its number.
        number: i64,
        /// Where it was given first.
        first: GambitPlace,
    },
    /// Outcome 0, which means that there is none, has payoffs.
    #[error("outcome 0 means no outcome, so it has no payoffs")]
    NullOutcome,
    /// There are not as many payoffs as players.
    #[error("{given} payoff{} given for {players} player{}", if *.given == 1 { " is" } else { "s are" }, if *.players == 1 { "" } else { "s" })]
    Payoffs {
        /// How many payoffs there are.
        given: u32,
        /// How many players there are.
        players: u32,
    },
}

impl GambitCause {
    /// Advice on how to correct it.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            GambitCause::Malformed { .. } => {
                "a node is c NAME SET SETNAME { LABEL PROBABILITY ... } OUTCOME, \
                 p NAME PLAYER SET SETNAME { LABEL ... } OUTCOME, or t NAME OUTCOME OUTCOMENAME { PAYOFF ... }"
            }
            GambitCause::UnclosedText => "close it; a quotation mark inside a text is written \\\"",
            GambitCause::DividesByZero { .. } => "correct the number",
            GambitCause::TooLarge { .. } => {
                "numerators and denominators may be up to 2^96, and nodes up to 2^32"
            }
            GambitCause::MissingNodes { .. } => {
                "every move of a node needs a subtree, in the order of the moves"
            }
            GambitCause::ExtraNodes => "leave it out, or add the move that leads to it to a node above",
            GambitCause::PlayerOutOfRange { .. } => "players are numbered from 1 in the order of the header",
            GambitCause::UnknownSet { .. } => "give its name and moves where it occurs first",
            GambitCause::SetMismatch { .. } => {
                "give both occurrences the same name and moves, or different numbers"
            }
            GambitCause::NoMoves => "a node without moves is an end: t NAME OUTCOME",
            GambitCause::Probabilities { .. } => {
                "write them as exact fractions, such as 1/3 instead of 0.333"
            }
            GambitCause::NegativeProbability { .. } => "probabilities are between 0 and 1",
            GambitCause::ImperfectRecall { .. } => {
                "give the nodes different set numbers: a player remembers its own sets and moves"
            }
            GambitCause::AbsentMinded { .. } => {
                "give the nodes different set numbers: a player remembers that it was here before"
            }
            GambitCause::UnknownOutcome { .. } => {
                "give its name and payoffs where it occurs first, or write 0 for none"
            }
            GambitCause::OutcomeMismatch { .. } => {
                "give both occurrences the same payoffs, or different numbers"
            }
            GambitCause::NullOutcome => "give the outcome another number",
            GambitCause::Payoffs { .. } => "give one payoff for each player",
        }
    }
}
