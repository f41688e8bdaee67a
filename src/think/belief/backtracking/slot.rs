//! A particle of a sample, without what draws and weighs it.

use super::node_id::{NodeId, ROOT};

/// A place for a particle.
#[derive(Clone, Debug)]
pub(in crate::belief) struct Slot {
    pub(in crate::belief) node: NodeId,
    /// The depth from which the weight is computed.
    pub(in crate::belief) resampled_at: usize,
    /// The logarithm of the weight at that depth.
    pub(in crate::belief) ln_weight: f64,
    /// Whether anything from that depth on may explain the evidence.
    pub(in crate::belief) is_consistent: bool,
}

impl Slot {
    pub(in crate::belief) fn at_root() -> Self {
        Slot { node: ROOT, resampled_at: 0, ln_weight: 0.0, is_consistent: true }
    }
}
