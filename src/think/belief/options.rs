//! The options of a belief. Each option can be changed alone, so that its effect can be measured.
//!
//! The defaults are the most accurate sampler. The information set is enumerated while it is small. After that, the
//! particles are drawn by whichever method gets them at the least cost. HyperPlay as published (`HyperPlay12`) is
//! `method: SamplingMethod::Backtracking, merge: false`; plain rejection is `enumerate: false, method:
//! SamplingMethod::Rejection`.

/// How particles that are found by [backtracking](SamplingMethod::Backtracking) are weighted. All others are draws from
/// the posterior, and weigh the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weight {
    /// All alike: what backtracking samples.
    None,
    /// By the prior probability of the history, as published: the product of `1/|J|` under uniform opponents. Right only
    /// when the particles are distinct and read as an enumeration.
    #[default]
    BranchingFactor,
}

/// How histories are sampled that are not enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SamplingMethod {
    /// As is cheapest: rejection or a particle filter. Where neither gets through, histories are found by backtracking, and
    /// moved.
    #[default]
    Auto,
    /// Whole histories are drawn in every update, and those that explain the evidence are kept.
    Rejection,
    /// A particle filter alone.
    ParticleFilter,
    /// HyperPlay as published: backtracking alone, and nothing is enumerated.
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
///     weight: Weight::BranchingFactor,
///     merge: false,
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
    /// How particles that are found by backtracking alone are weighted.
    pub weight: Weight,
    /// Whether particles with equal histories are reported as one.
    pub merge: bool,
    /// States that each particle may visit in one update before it begins anew, which it does three times.
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
            weight: Weight::default(),
            merge: true,
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
}
