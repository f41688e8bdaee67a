//! The histories of a tree by their numbers.

use crate::belief::ParticleId;

/// A history in the tree of one belief.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(in crate::belief) struct NodeId(u32);

impl NodeId {
    /// The history with this number, of a belief that counts its own.
    pub(in crate::belief) fn numbered(number: usize) -> NodeId {
        NodeId(u32::try_from(number).expect("memory ends long before 2^32 histories"))
    }

    pub(in crate::belief) fn number(self) -> usize {
        self.0 as usize
    }
}

impl From<NodeId> for ParticleId {
    fn from(node: NodeId) -> Self {
        ParticleId(node.number())
    }
}

/// The node that a particle of this tree stands for.
impl From<ParticleId> for NodeId {
    fn from(ParticleId(number): ParticleId) -> Self {
        NodeId::numbered(number)
    }
}

/// The empty history.
pub(in crate::belief) const ROOT: NodeId = NodeId(0);
