//! Options: which built-in algorithm searches, how much it may cost, and how the playouts are shared.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How a state is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// The rest of the game completely where it fits in all states, else by sampling, as measured best
    /// (`docs/measurements.md`).
    #[default]
    Auto,
    /// The rest of the game completely; if it does not fit in all states, flat playouts in all, and a remark.
    Exact,
    /// The rest of the game completely, every role playing uniformly: what infinitely many playouts would say. If it
    /// does not fit in all states, flat playouts in all, and a remark.
    Uniform,
    /// Alpha-beta, mobility at its leaves, to one depth in all states; if moves do not alternate in some state, flat
    /// playouts in all, and a remark.
    AlphaBeta,
    /// A tree of playouts, each role learning its moves.
    Uct,
    /// Playouts of each move.
    Flat,
}

/// The items that are given playouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlayoutShare {
    /// Every distinct state, however many histories end in it.
    #[default]
    State,
    /// Every particle: a state in which `k` histories end gets `k` times the playouts of one in which one ends.
    Particle,
}

/// How many playouts a decision makes and how they are shared, written `N` or `N/move`.
///
/// `N` are the playouts of a decision. Every distinct state gets as many, and most of them go to the moves that are
/// best by then. `N/move` are the playouts of each move of each particle, as in the published experiments: all moves
/// get equally many. The words `/state` or `/particle`, then `/halving` or `/even`, change one of these at a time.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::search::{
///     Algorithm, PlayoutBudget, SearchContext, SearchOptions, StateSearch, WeightedState,
/// };
///
/// let mut scratch = machine.scratch();
/// let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
/// let mut context = SearchContext::new(&*machine, candidate, budget, seed, &mut scratch);
/// // Three histories that end in one state, in which there are two moves.
/// let states = [WeightedState { state: &state, weight: 1.0, histories: 3 }];
/// for (text, made) in [("5/move", 3 * 2 * 5), ("5/move/state/halving", 2 * 5), ("12", 12)] {
///     let playouts: PlayoutBudget = text.parse().expect("it is a budget");
///     assert_eq!(playouts.to_string(), text);
///     let options = SearchOptions { algorithm: Algorithm::Flat, playouts, ..SearchOptions::default() };
///     assert_eq!(options.evaluate(&mut context, &states).playouts, made);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayoutBudget {
    /// Playouts, at least 1.
    pub count: u64,
    /// Whether each move gets `count` playouts; otherwise all moves of all states get them together.
    pub per_move: bool,
    /// The items that get them. Trees share theirs evenly: only their sum depends on it.
    pub share: PlayoutShare,
    /// Whether flat playouts drop the poorer half of the moves again and again; otherwise all moves share evenly.
    pub halving: bool,
}

impl PlayoutBudget {
    /// `count` playouts for each move of each particle.
    pub const fn per_move(count: u64) -> PlayoutBudget {
        PlayoutBudget { count, per_move: true, share: PlayoutShare::Particle, halving: false }
    }

    /// `count` playouts for a decision.
    pub const fn decision(count: u64) -> PlayoutBudget {
        PlayoutBudget { count, per_move: false, share: PlayoutShare::State, halving: true }
    }

    /// What `N` or `N/move` alone means, with as many playouts.
    const fn usual(self) -> PlayoutBudget {
        if self.per_move { PlayoutBudget::per_move(self.count) } else { PlayoutBudget::decision(self.count) }
    }

    /// The same budget without a word on what gets the playouts, for a single history: there it is without effect.
    #[must_use]
    pub const fn usually_shared(self) -> PlayoutBudget {
        PlayoutBudget { share: self.usual().share, ..self }
    }
}

/// Those of a decision.
impl From<u64> for PlayoutBudget {
    fn from(count: u64) -> Self {
        PlayoutBudget::decision(count)
    }
}

impl fmt::Display for PlayoutBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlayoutBudget { count, per_move, share, halving } = *self;
        write!(f, "{count}")?;
        let usual = self.usual();
        let words = [
            (per_move, "/move"),
            (share != usual.share, if share == PlayoutShare::State { "/state" } else { "/particle" }),
            (halving != usual.halving, if halving { "/halving" } else { "/even" }),
        ];
        words.iter().filter(|(is_said, _)| *is_said).try_for_each(|(_, word)| f.write_str(word))
    }
}

/// A text that is no [`PlayoutBudget`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("expected a whole number of 1 or more, as in 2000, or a number for each move, as in 16/move")]
pub struct PlayoutBudgetError;

impl FromStr for PlayoutBudget {
    type Err = PlayoutBudgetError;

    fn from_str(text: &str) -> Result<Self, PlayoutBudgetError> {
        let mut words = text.split('/').peekable();
        let digits = words.next().unwrap_or_default().replace('_', "");
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let count = digits.parse().ok().filter(|&count| is_plain && count > 0).ok_or(PlayoutBudgetError)?;
        let mut budget = match words.next_if_eq(&"move") {
            Some(_) => PlayoutBudget::per_move(count),
            None => PlayoutBudget::decision(count),
        };
        let mut is_next = |word: &str| words.next_if_eq(&word).is_some();
        let shares = [("state", PlayoutShare::State), ("particle", PlayoutShare::Particle)];
        let share = shares.into_iter().find(|(word, _)| is_next(word));
        let halving = [("halving", true), ("even", false)].into_iter().find(|(word, _)| is_next(word));
        budget.share = share.map_or(budget.share, |(_, share)| share);
        budget.halving = halving.map_or(budget.halving, |(_, halving)| halving);
        if words.next().is_some() { Err(PlayoutBudgetError) } else { Ok(budget) }
    }
}

/// How much search a decision may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Which search.
    pub algorithm: Algorithm,
    /// States visited by exhaustive search, all states to be judged together.
    pub nodes: u64,
    /// Playouts, and how they are shared.
    pub playouts: PlayoutBudget,
}

impl Default for SearchOptions {
    /// As a player searches whose spec says nothing of it.
    fn default() -> Self {
        SearchOptions { algorithm: Algorithm::Auto, nodes: 2_000, playouts: PlayoutBudget::decision(2_000) }
    }
}
