//! The histories of a tree by their numbers.

use crate::belief::ParticleId;

/// A history in the tree of one belief.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// The empty history.
pub(crate) const ROOT: NodeId = NodeId(0);

impl From<NodeId> for ParticleId {
    fn from(NodeId(number): NodeId) -> Self {
        ParticleId(number as usize)
    }
}

/// The node that a particle of this tree stands for.
impl From<ParticleId> for NodeId {
    fn from(ParticleId(number): ParticleId) -> Self {
        NodeId(u32::try_from(number).expect("memory ends long before 2^32 histories"))
    }
}
