//! The number of nodes of a tree, as far as it was estimated.

use std::fmt;

use hyperplay_machine::counted;

/// Half of the interval in standard errors: that of a t interval at 99 % for the number of sweeps made.
const STUDENT: f64 = 3.25;

/// An estimate of the size of a tree.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::solve::{SizeEstimate, estimate_size};
///
/// // The tree has 43 nodes and no level that is too wide, so all of it is visited.
/// let estimate = estimate_size(&*machine, 1_000, &Seed::root(1))?;
/// assert!(estimate.is_exact() && estimate.nodes == 43.0);
/// assert_eq!(estimate.to_string(), "43 nodes, all of them visited");
/// assert!(!estimate.surely_exceeds(43) && estimate.surely_exceeds(42));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SizeEstimate {
    /// The mean number of nodes.
    pub nodes: f64,
    /// From where to where the true number lies in at least 95 of 100 estimates.
    pub interval: (f64, f64),
    /// States that were visited; none are said where all of the tree was.
    pub states: Option<usize>,
}

impl SizeEstimate {
    pub(super) fn exact(nodes: f64) -> Self {
        SizeEstimate { nodes, interval: (nodes, nodes), states: None }
    }

    /// From the estimates of several sweeps.
    pub(super) fn of(sweeps: &[f64], states: usize) -> Self {
        let count = sweeps.len() as f64;
        // Sizes may be so large that their sum is not finite.
        let nodes = sweeps.iter().map(|nodes| nodes / count).sum::<f64>().min(f64::MAX);
        let logarithms: Vec<f64> = sweeps.iter().map(|nodes| nodes.min(f64::MAX).ln()).collect();
        let mean = logarithms.iter().sum::<f64>() / count;
        let squares = logarithms.iter().map(|logarithm| (logarithm - mean).powi(2)).sum::<f64>();
        // Where all sweeps agree, rounding is left.
        let error = (squares / (count - 1.0) / count).sqrt().max(1e-4);
        let factor = (STUDENT * error).exp();
        SizeEstimate { nodes, interval: ((nodes / factor).max(1.0), nodes * factor), states: Some(states) }
    }

    /// Whether all of the tree was visited.
    pub fn is_exact(&self) -> bool {
        self.states.is_none()
    }

    /// Whether the tree has more nodes, by the interval at twice its width and at least a quarter.
    pub fn surely_exceeds(&self, nodes: usize) -> bool {
        let (low, high) = self.interval;
        let factor = if self.is_exact() || high.is_infinite() { 1.0 } else { (low / self.nodes).min(0.8) };
        low * factor > nodes as f64
    }
}

impl fmt::Display for SizeEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SizeEstimate { nodes, interval: (low, high), states } = self;
        match nodes {
            _ if self.is_exact() => write!(f, "{nodes:.0} nodes, all of them visited"),
            ..1e6 => write!(f, "about {nodes:.0} [{low:.0}, {high:.0}] nodes"),
            _ => write!(f, "about {nodes:.2e} [{low:.1e}, {high:.1e}] nodes"),
        }?;
        states.map_or(Ok(()), |states| write!(f, " by a sample of {}", counted(states as u64, "state")))
    }
}
