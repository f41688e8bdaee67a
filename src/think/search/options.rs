//! Options: which built-in algorithm searches, how much it may cost, and how the playouts are shared.

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

/// What is given the playouts that are asked for by the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlayoutCount {
    /// Every distinct state, however many histories end in it.
    #[default]
    State,
    /// Every history: a state in which `k` histories end gets `k` times the playouts of one in which one ends.
    History,
}

/// How much search a decision may cost, and how its playouts are shared.
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
    /// What gets these playouts. Trees share theirs evenly: only their sum depends on it.
    pub count: PlayoutCount,
    /// Whether flat playouts drop the poorer half of the moves again and again; otherwise all moves share evenly.
    pub halving: bool,
}

impl Default for SearchOptions {
    /// As a player searches whose spec says nothing of it.
    fn default() -> Self {
        SearchOptions {
            algorithm: Algorithm::Auto,
            nodes: 2_000,
            playouts: 2_000,
            per_move: None,
            count: PlayoutCount::State,
            halving: true,
        }
    }
}
