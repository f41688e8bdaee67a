//! Evaluation: what a search says about the moves of one role in one state.

use std::fmt;

use hyperplay_engine::machine::Move;

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
    /// Alpha-beta to this depth, mobility at its leaves.
    AlphaBeta(u32),
    /// Not judged: the budget did not allow it.
    Unjudged,
    /// By a search of another crate, which describes its method in a few words that continue the phrase "one state
    /// ...".
    Other(&'static str),
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
            Method::AlphaBeta(depth) => write!(f, "searched {depth} steps deep, then judged by mobility"),
            Method::Other(how) => f.write_str(how),
            Method::Unjudged => f.write_str("not judged, the budget ran out"),
        }
    }
}

/// What the moves of a role are worth in a state.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_play::search::{Evaluation, Method};
///
/// let moves = machine.legal_by_role(&state, &mut machine.scratch())[candidate].clone();
/// let (stay, other) = (moves[0], joint("noop", "noop")[0]);
/// let evaluation = Evaluation {
///     values: vec![0.0, 100.0],
///     method: Method::Playouts(10),
///     ..Evaluation::unjudged(moves)
/// };
/// assert_eq!((evaluation.value(stay), evaluation.value(other)), (Some(0.0), None));
/// assert_eq!((evaluation.best(), evaluation.mean()), (100.0, 50.0));
/// assert_eq!(evaluation.method.to_string(), "10 random playouts a move");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    /// The legal moves of the role, in the natural order of terms.
    pub moves: Vec<Move>,
    /// The expected goal of each move, 0..=100; empty if the state was not judged.
    pub values: Vec<f64>,
    /// The optimal mixed move, in the order of `moves`, where a zero-sum search found both roles choosing at once.
    pub mixture: Option<Vec<f64>>,
    /// How it was judged.
    pub method: Method,
}

impl Evaluation {
    /// The evaluation of a state that was not judged.
    pub fn unjudged(moves: Vec<Move>) -> Self {
        Evaluation { moves, values: Vec::new(), mixture: None, method: Method::Unjudged }
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
