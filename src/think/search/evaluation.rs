//! Evaluation: what a search says about the moves of one role in one state.

use std::fmt;

use super::bandit::Arm;
use super::matrix::Matrix;
use hyperplay_machine::{Move, Role};

/// How a state was judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Method {
    /// The rest of the game searched completely, both roles playing optimally.
    ExactZeroSum,
    /// The rest of the game searched completely, the others playing uniformly.
    ExactVersusUniform,
    /// The rest of the game searched completely; no other role has a choice.
    ExactAlone,
    /// Random playouts, this many for each move at least.
    Playouts(u32),
    /// A tree of playouts, this many in all.
    Uct(u32),
    /// The rest of the game searched completely, every role playing uniformly.
    Uniform,
    /// Alpha-beta to this depth, with mobility or the leaf values of the context there.
    AlphaBeta(u32),
    /// Not judged: the budget did not allow it.
    Unjudged,
    /// By a search of another crate, which describes its method in a few words that continue the phrase "one state
    /// ...".
    Other(&'static str),
}

impl Method {
    /// Whether values by the two estimate the same game in the same way, be it with more or less work.
    pub fn is_like(self, other: Method) -> bool {
        match (self, other) {
            (Method::Other(how), Method::Other(as_well)) => how == as_well,
            _ => std::mem::discriminant(&self) == std::mem::discriminant(&other),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::ExactZeroSum => f.write_str("searched exhaustively, both sides playing their best"),
            Method::ExactVersusUniform => {
                f.write_str("searched exhaustively, the others assumed to play uniformly")
            }
            Method::ExactAlone => f.write_str("searched exhaustively, no other role choosing"),
            Method::Playouts(count) => write!(f, "{count} random playouts a move"),
            Method::Uct(count) => write!(f, "searched by a tree of {count} playouts"),
            Method::Uniform => f.write_str("searched exhaustively, all assumed to play uniformly"),
            Method::AlphaBeta(depth) => write!(f, "searched {depth} steps deep, then estimated"),
            Method::Other(how) => f.write_str(how),
            Method::Unjudged => f.write_str("not judged, the budget ran out"),
        }
    }
}

/// The matrix game that a state is, where a role and its only opponent both have a choice there and what one wins the
/// other loses.
#[derive(Clone, PartialEq, Debug)]
pub struct RootMatrix {
    /// The other role with a choice.
    pub opponent: Role,
    /// Its legal moves: the columns.
    pub columns: Vec<Move>,
    /// The payoffs of the role whose moves are judged; its legal moves are the rows, in the order of
    /// [`Evaluation::moves`].
    pub payoffs: Matrix,
}

/// The values of the moves of a role in a state.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    /// The legal moves of the role, in the natural order of terms.
    pub moves: Vec<Move>,
    /// The expected goal of each move, 0..=100; empty if the state was not judged.
    pub values: Vec<f64>,
    /// The optimal mixed move, in the order of `moves`, where a zero-sum search found both roles choosing at once.
    pub mixture: Option<Vec<f64>>,
    /// The matrix game that the state is, where a zero-sum search found both roles choosing at once. A decision over
    /// several states solves the mean of their matrices and not `values`, because one move is chosen for all of them.
    pub matrix: Option<RootMatrix>,
    /// How it was judged.
    pub method: Method,
}

impl Evaluation {
    /// The evaluation of a state that was not judged.
    pub fn unjudged(moves: Vec<Move>) -> Self {
        Evaluation { moves, values: Vec::new(), mixture: None, matrix: None, method: Method::Unjudged }
    }

    /// The evaluation by playouts: for each move what is known of it. A state of which some move was never tried is not
    /// judged: there is nothing to compare.
    pub(super) fn sampled(moves: &[Move], arms: &[Arm], method: Method) -> Self {
        let unjudged = Evaluation::unjudged(moves.to_vec());
        match arms.iter().any(|arm| arm.known == 0) || arms.is_empty() {
            true => unjudged,
            false => Evaluation { values: arms.iter().map(Arm::mean).collect(), method, ..unjudged },
        }
    }

    /// The value of a move; `None` if it is not legal or the state was not judged.
    pub fn value(&self, own: Move) -> Option<f64> {
        let position = self.moves.iter().position(|&legal| legal == own)?;
        self.values.get(position).copied()
    }

    /// The greatest value; 0 if the state was not judged.
    pub fn best(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    /// The mean value: what a uniform choice is worth; 0 if the state was not judged.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }
}
