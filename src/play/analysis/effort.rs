//! How much random play and search a check may use.

/// How much is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Random matches.
    pub matches: usize,
    /// Their seed.
    pub seed: u64,
    /// The longest match that counts as ending, in steps.
    pub limit: usize,
    /// Joint moves that the search may try.
    pub search: usize,
}
