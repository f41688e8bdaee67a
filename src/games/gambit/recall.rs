//! Perfect recall: whether every player remembers its own information sets and moves.
//!
//! A player has perfect recall if, for each of its information sets, the sequence of its own (set, move) pairs on the
//! way to every node of the set is the same. A set that is met twice on one path breaks this too; it is told apart as
//! absent-mindedness.
//!
//! As long as no fault was found, a set fixes the sequence before it, so a sequence is its last (set, move) pair and is
//! stored as that. One walk in pre-order keeps the current sequence of each player; it takes O(nodes) time, and a list
//! of the nodes above the current one instead of recursion.
//!
//! Definition: Kuhn, *Extensive Games and the Problem of Information* (1953); absent-mindedness: Piccione and
//! Rubinstein, *On the Interpretation of Decision Problems with Imperfect Recall* (1997).

use super::file::{GambitFile, GambitNode, GambitSetId};

/// The first node in pre-order at which a player has forgotten something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RecallFault {
    pub(super) node: u32,
    /// The first node of the same set.
    pub(super) first: u32,
    pub(super) set: GambitSetId,
    /// Whether the set stands twice on the path to `node`.
    pub(super) absent_minded: bool,
}

/// The own moves of a player so far: the last one, with its set. `None` before the first.
type Sequence = Option<(GambitSetId, u32)>;

/// A node above the current one.
struct Above {
    node: GambitNode,
    next: u32,
    /// The sequence of the player that moves here, before its move.
    before: Sequence,
}

/// Looks for a player without perfect recall. The nodes are one tree.
pub(super) fn recall_fault(file: &GambitFile) -> Option<RecallFault> {
    let mut now: Vec<Sequence> = vec![None; file.players.len()];
    // The first node of each set, and the sequence before it.
    let mut met: Vec<Option<(u32, Sequence)>> = vec![None; file.sets.len()];
    let mut above: Vec<Above> = Vec::new();
    for (index, &node) in (0..).zip(&file.nodes) {
        while let Some(last) = above.last_mut() {
            let player = match last.node {
                GambitNode::Decision(set) => Some((set, file.set(set).player as usize)),
                _ => None,
            };
            if (last.next as usize) < file.move_count(last.node) {
                if let Some((set, player)) = player {
                    now[player] = Some((set, last.next));
                }
                last.next += 1;
                break;
            }
            if let Some((_, player)) = player {
                now[player] = last.before;
            }
            above.pop();
        }
        let mut before = None;
        if let GambitNode::Decision(set) = node {
            before = now[file.set(set).player as usize];
            match met[set.index()] {
                None => met[set.index()] = Some((index, before)),
                Some((_, known)) if known == before => {}
                Some((first, _)) => {
                    let absent_minded = contains(before, set, &met);
                    return Some(RecallFault { node: index, first, set, absent_minded });
                }
            }
        }
        if file.move_count(node) > 0 {
            above.push(Above { node, next: 0, before });
        }
    }
    None
}

/// Whether a set stands in a sequence.
fn contains(mut sequence: Sequence, set: GambitSetId, met: &[Option<(u32, Sequence)>]) -> bool {
    while let Some((last, _)) = sequence {
        if last == set {
            return true;
        }
        sequence = met[last.index()].and_then(|(_, before)| before);
    }
    false
}
