//! Evaluation: what a search says about the moves of one role in one state.

use std::fmt;

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
    /// Alpha-beta to this depth, mobility at its leaves.
    AlphaBeta(u32),
    /// Not judged: the budget did not allow it.
    Unjudged,
    /// By a search of another crate, which describes its method in a few words that continue the phrase "one state
    /// ...".
    Other(&'static str),
}

impl Method {
    /// Whether values by the two estimate the same game in the same way, be it with more or less work.
    ///
    /// ```
    /// use hyperplay_think::search::Method;
    ///
    /// assert!(Method::Playouts(10).is_like(Method::Playouts(20)));
    /// assert!(!Method::Playouts(10).is_like(Method::Uct(10)));
    /// ```
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
            Method::AlphaBeta(depth) => write!(f, "searched {depth} steps deep, then judged by mobility"),
            Method::Other(how) => f.write_str(how),
            Method::Unjudged => f.write_str("not judged, the budget ran out"),
        }
    }
}

/// The matrix game that a state is, where a role and its only opponent both have a choice there and what one wins the
/// other loses.
///
/// ```
/// use hyperplay_engine::Interpreter;
/// use hyperplay_machine::{Budget, Role, Seed, StateMachine};
/// use hyperplay_logic::gdl::{Source, load};
/// use hyperplay_think::search::matrix::Matrix;
/// use hyperplay_think::search::{RootMatrix, SearchContext, exact};
///
/// // Matching pennies.
/// let text = "(role even) (role odd) (face heads) (face tails) (init start)
///     (<= (legal ?role ?face) (role ?role) (face ?face))
///     (<= (next same) (does even ?face) (does odd ?face))
///     (<= terminal (not (true start)))
///     (<= (goal even 100) (true same)) (<= (goal even 0) (not (true same)))
///     (<= (goal odd 0) (true same)) (<= (goal odd 100) (not (true same)))";
/// let game = load(Source::new("pennies", text), None).game.expect("the rules are in order");
/// let machine = Interpreter::new(&game)?;
/// let (mut scratch, budget, seed) = (machine.scratch(), Budget::nodes(100), Seed::root(1));
/// let role = Role::new(0);
/// let mut context = SearchContext { machine: &machine, role, budget, seed, scratch: &mut scratch };
/// let evaluation = exact(&mut context, &machine.initial()).0.expect("it fits");
/// assert_eq!(evaluation.mixture, Some(vec![0.5, 0.5]));
///
/// let RootMatrix { opponent, columns, payoffs } = evaluation.matrix.expect("both have a choice");
/// assert_eq!((opponent, columns.len()), (Role::new(1), 2));
/// assert_eq!(payoffs, Matrix::from_rows(&[&[100.0, 0.0], &[0.0, 100.0]]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct RootMatrix {
    /// The other role with a choice.
    pub opponent: Role,
    /// Its legal moves: the columns.
    pub columns: Vec<Move>,
    /// What the role whose moves are judged gets; its legal moves are the rows, in the order of [`Evaluation::moves`].
    pub payoffs: Matrix,
}

/// What the moves of a role are worth in a state.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::search::{Evaluation, Method};
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
