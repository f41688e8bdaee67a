//! The options of a belief. Each option can be changed alone, so that its effect can be measured.
//!
//! The defaults are the most accurate sampler. The information set is enumerated while it is small. After that, the
//! belief has weighted particles, which are moved after every update; the more uneven their weights were, the more
//! moves are made. (With 64 particles, bias TV is 1.3 times its baseline without moves on Krieg-TicTacToe 3x3 and 1.7
//! times on small Battleships, with one move a particle 1.07 and 1.16, with five 1.0 and 1.04. With a handful of
//! particles, weights without moves decide better.) As published (`HyperPlay12`) it is `enumerate: false, weight:
//! Weight::BranchingFactor, rejuvenate: 0`; plain rejection is `enumerate: false, backtrack: false, weight:
//! Weight::None, rejuvenate: 0`.

/// How particles are weighted. The derivation stands in `backtracking/weight.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weight {
    /// All alike.
    None,
    /// By the prior probability of the history: the product of `1/|J|` under uniform opponents. Right only when the
    /// particles are distinct and read as an enumeration.
    BranchingFactor,
    /// By the ratio of posterior to sampling probability: the product of `|G|/|J|`.
    #[default]
    Posterior,
}

/// How histories are sampled that are not enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SamplingMethod {
    /// As is cheapest: rejection, a particle filter, or backtracking where neither gets through.
    #[default]
    Auto,
    /// Whole histories are drawn in every update, and those that explain the evidence are kept.
    Rejection,
    /// A particle filter alone.
    ParticleFilter,
    /// Backtracking alone.
    Backtracking,
}

/// The parts of a [`ParticleBelief`](super::ParticleBelief).
///
/// ```
/// use hyperplay_think::belief::{BeliefOptions, SamplingMethod, Weight};
///
/// let published = BeliefOptions {
///     method: SamplingMethod::Backtracking,
///     particles: 64,
///     enumerate: false,
///     weight: Weight::BranchingFactor,
///     rejuvenate: 0,
///     ..BeliefOptions::default()
/// };
/// assert_ne!(published, BeliefOptions { particles: 64, ..BeliefOptions::default() });
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BeliefOptions {
    /// How many particles are sampled once the information set is too large to be enumerated.
    pub particles: usize,
    /// Whether the information set is enumerated while it is small.
    pub enumerate: bool,
    /// The most histories that are enumerated, where this exceeds the number of particles.
    pub enumerate_limit: usize,
    /// Whether an information set with more histories is enumerated by its distinct states, if these are few enough,
    /// and updated exactly. Under an opponent model states are told apart by what the other roles know in them.
    pub exact_update: bool,
    /// How particles are weighted.
    pub weight: Weight,
    /// Whether particles with equal histories are reported as one.
    pub merge: bool,
    /// The most Metropolis-Hastings moves made with every particle after an update. With 1 or more at least one is
    /// made, and as many as change every particle that uneven weights cost twice
    /// ([`effective_size`](super::effective_size)), going by the share of moves that changed something at the update
    /// before.
    pub rejuvenate: usize,
    /// States that each particle may visit in one update before it is given up.
    pub states: u64,
    /// How what is not enumerated is sampled.
    pub method: SamplingMethod,
    /// Histories in the population of a particle filter, of which the particles are drawn; 0 for 16 times the
    /// particles, but 1,024 at least, and 65,536 or the particles, if these are more, at most.
    pub population: usize,
}

impl Default for BeliefOptions {
    fn default() -> Self {
        BeliefOptions {
            particles: 200,
            enumerate: true,
            enumerate_limit: 500,
            exact_update: true,
            weight: Weight::Posterior,
            merge: true,
            rejuvenate: 8,
            states: 500,
            method: SamplingMethod::Auto,
            population: 0,
        }
    }
}

impl BeliefOptions {
    /// Histories in the population of a particle filter.
    pub(super) fn population(&self) -> usize {
        let usual = (16 * self.particles).clamp(1 << 10, 1 << 16);
        let population = if self.population == 0 { usual } else { self.population };
        population.max(self.particles)
    }

    /// The most histories that are enumerated.
    pub(super) fn limit(&self) -> usize {
        self.enumerate_limit.max(self.particles)
    }

    /// The states that all particles together may visit in one update.
    pub(super) fn all_states(&self) -> u64 {
        self.states.saturating_mul(self.particles as u64)
    }

    /// The states that each particle may visit in an update in which some were visited already.
    pub(super) fn share_after(&self, spent: u64) -> u64 {
        self.all_states().saturating_sub(spent) / self.particles as u64
    }

    /// Whether a particle that met a contradiction takes its last moves back; otherwise it starts again from the root.
    pub(super) fn backtracks(&self) -> bool {
        self.method != SamplingMethod::Rejection
    }

    /// Whether weights tell how a history was found, so that it matters when a particle was last resampled.
    pub(super) fn tracks_resampling(&self) -> bool {
        self.weight == Weight::Posterior && self.backtracks()
    }

    /// The resampling time of a particle drawn from the posterior at this depth. Weights that do not depend on how a
    /// history was found allow to take back everything.
    pub(super) fn resampled_at(&self, depth: usize) -> usize {
        if self.tracks_resampling() { depth } else { 0 }
    }
}
