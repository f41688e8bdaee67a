//! The document: a game in extensive form as a list of nodes in pre-order, and the tables that the nodes refer to.
//!
//! Invariants: see the header of the folder. The tables are in the order in which the nodes first refer to them, every
//! entry is referred to, chance moves and payoff vectors are different from one another, and the information sets of a
//! player are numbered 1, 2, ... in that order. So two documents of the same game are equal.
//!
//! In pre-order a node is followed by the subtree of its first move, then by that of its second move, and so on; the
//! numbers of moves alone fix the tree. [`GambitFile::parents`] gives the tree in the other direction.

use super::fraction::Fraction;

/// The index of an information set in a document.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GambitSetId(pub(super) u32);

/// The index of the moves of a chance node in a document. Chance nodes with the same moves share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GambitChanceId(pub(super) u32);

/// The index of a payoff vector in a document. Ends with the same payoffs share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GambitOutcomeId(pub(super) u32);

impl GambitSetId {
    /// The position in [`GambitFile::sets`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl GambitChanceId {
    /// The position among the chance moves of the document.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl GambitOutcomeId {
    /// The position in [`GambitFile::outcomes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GambitNode {
    /// Chance moves.
    Chance(GambitChanceId),
    /// A player moves; the set says which one.
    Decision(GambitSetId),
    /// The game has ended.
    Terminal(GambitOutcomeId),
}

/// An information set: nodes that its player cannot tell apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GambitSet {
    /// The index of the player, from 0.
    pub player: u32,
    /// The number among the sets of this player in the order of first appearance, from 1.
    pub number: u32,
    /// The name; may be empty.
    pub name: String,
    /// The labels of the moves; at least one.
    pub moves: Vec<String>,
}

/// The moves of a chance node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GambitChance {
    /// Labels with probabilities, which sum to 1; at least one.
    pub moves: Vec<(String, Fraction)>,
}

/// A game in extensive form.
///
/// ```
/// use hyperplay_games::gambit::{Fraction, GambitFile};
///
/// // Bob cannot see Alice's choice: both of his nodes are in his set 1, which is given in full only once.
/// let file = GambitFile::read(
///     r#"EFG 2 R "Matching pennies" { "Alice" "Bob" }
///     p "" 1 1 "" { "heads" "tails" } 0
///     p "" 2 1 "" { "heads" "tails" } 0
///     t "" 1 "same" { 1 -1 }
///     t "" 2 "different" { -1 1 }
///     p "" 2 1 0
///     t "" 2
///     t "" 1"#,
/// )?;
/// assert_eq!(file.title, "Matching pennies");
/// assert_eq!(file.comment, "");
/// assert_eq!(file.players, ["Alice", "Bob"]);
/// assert_eq!((file.nodes.len(), file.sets.len()), (7, 2));
/// let one = Fraction::from_integer(1);
/// assert_eq!(file.outcomes, [[one, -one], [-one, one]]);
/// assert_eq!(file.parents()[5], Some((4, 0)));
///
/// let mut text = Vec::new();
/// file.write(&mut text)?;
/// assert_eq!(GambitFile::read(str::from_utf8(&text)?)?, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GambitFile {
    /// The title.
    pub title: String,
    /// The comment; empty if there is none.
    pub comment: String,
    /// The names of the players.
    pub players: Vec<String>,
    /// All information sets, in the order of first appearance.
    pub sets: Vec<GambitSet>,
    pub(super) chances: Vec<GambitChance>,
    /// All payoff vectors, each a payoff for each player, in the order of first appearance.
    pub outcomes: Vec<Vec<Fraction>>,
    /// The nodes in pre-order; the first is the root.
    pub nodes: Vec<GambitNode>,
}

impl GambitFile {
    /// One information set.
    ///
    /// # Panics
    /// If it is of another document.
    pub fn set(&self, id: GambitSetId) -> &GambitSet {
        &self.sets[id.index()]
    }

    /// The moves of a chance node.
    ///
    /// # Panics
    /// If they are of another document.
    pub fn chance(&self, id: GambitChanceId) -> &GambitChance {
        &self.chances[id.index()]
    }

    /// The number of moves of a node.
    pub fn move_count(&self, node: GambitNode) -> usize {
        match node {
            GambitNode::Chance(id) => self.chance(id).moves.len(),
            GambitNode::Decision(id) => self.set(id).moves.len(),
            GambitNode::Terminal(_) => 0,
        }
    }

    /// For each node the node above it and the position of the move that leads here; `None` for the root. O(nodes).
    pub fn parents(&self) -> Vec<Option<(u32, u32)>> {
        let mut parents = Vec::with_capacity(self.nodes.len());
        // The nodes above the current one, each with the position of its next move.
        let mut above: Vec<(u32, u32)> = Vec::new();
        for (index, &node) in (0..).zip(&self.nodes) {
            while above
                .last()
                .is_some_and(|&(parent, next)| next as usize == self.move_count(self.nodes[parent as usize]))
            {
                above.pop();
            }
            parents.push(above.last_mut().map(|(parent, next)| {
                *next += 1;
                (*parent, *next - 1)
            }));
            if self.move_count(node) > 0 {
                above.push((index, 0));
            }
        }
        parents
    }
}
