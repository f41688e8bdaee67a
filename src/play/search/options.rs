//! Options: which built-in algorithm searches, and how much it may cost.

/// How a state is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// The rest of the game completely where it fits in all states, else by sampling, as measured best
    /// (`docs/measurements.md`).
    #[default]
    Auto,
    /// The rest of the game completely; if it does not fit in all states, flat playouts in all, and a remark.
    Exact,
    /// The rest of the game completely, every role playing uniformly: what infinitely many playouts would say. If it does
    /// not fit in all states, flat playouts in all, and a remark.
    Uniform,
    /// Alpha-beta, mobility at its leaves, to one depth in all states; if moves do not alternate in some state, flat
    /// playouts in all, and a remark.
    AlphaBeta,
    /// A tree of playouts, each role learning its moves.
    Uct,
    /// Playouts of each move.
    Flat,
}

/// How much search a decision may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Which search.
    pub algorithm: Algorithm,
    /// States visited by exhaustive search, all states to be judged together.
    pub nodes: u64,
    /// Playouts, all moves of all states together.
    pub playouts: u64,
    /// If given, playouts for each move of each state instead.
    pub per_move: Option<u64>,
}
