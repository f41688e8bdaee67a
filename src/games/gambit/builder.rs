//! The builder: a document from nodes that are pushed in pre-order.
//!
//! Everything that a node refers to is registered first: the moves of a chance node, an information set. A node is then
//! pushed by its id alone, so a tree with many nodes and few sets costs little. Nothing is checked before
//! [`GambitBuilder::finish`], which checks all invariants of a document. The reader uses the same builder.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::error::{GambitCause, GambitError, GambitPlace};
use super::file::{
    GambitChance, GambitChanceId, GambitFile, GambitNode, GambitOutcomeId, GambitSet, GambitSetId,
};
use super::fraction::{self, Fraction};
use super::recall::{RecallFault, recall_fault};

/// Builds a document.
///
/// ```
/// use hyperplay_games::gambit::{Fraction, GambitBuilder, GambitFile};
///
/// // Chance throws a coin, and Alice calls it without having seen it.
/// let half = Fraction::new(1, 2);
/// let mut builder = GambitBuilder::new("A coin", "", &["Alice"]);
/// let coin = builder.chance_moves(&[("heads", half), ("tails", half)]);
/// let call = builder.information_set(0, "", &["heads", "tails"]);
/// let (lose, win) = (Fraction::from_integer(0), Fraction::from_integer(1));
/// builder.chance(coin);
/// for payoffs in [[win, lose], [lose, win]] {
///     builder.decision(call);
///     payoffs.iter().for_each(|&payoff| builder.terminal(&[payoff]));
/// }
/// let file: GambitFile = builder.finish()?;
///
/// let mut text = Vec::new();
/// file.write(&mut text)?;
/// assert_eq!(
///     String::from_utf8(text)?,
///     r#"EFG 2 R "A coin" { "Alice" }
/// c "" 1 "" { "heads" 1/2 "tails" 1/2 } 0
/// p "" 1 1 "" { "heads" "tails" } 0
/// t "" 1 "" { 1 }
/// t "" 2 "" { 0 }
/// p "" 1 1 "" { "heads" "tails" } 0
/// t "" 2 "" { 0 }
/// t "" 1 "" { 1 }
/// "#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GambitBuilder {
    file: GambitFile,
    /// The number of each set in messages: as its author knows it.
    numbers: Vec<i64>,
    /// How many sets of each player there are.
    registered: FxHashMap<u32, i64>,
    chances: IndexSet<GambitChance, FxBuildHasher>,
    outcomes: IndexSet<Vec<Fraction>, FxBuildHasher>,
}

impl GambitBuilder {
    /// A document without nodes.
    pub fn new<S: AsRef<str>>(title: &str, comment: &str, players: &[S]) -> Self {
        let file = GambitFile {
            title: title.to_owned(),
            comment: comment.to_owned(),
            players: players.iter().map(|name| name.as_ref().to_owned()).collect(),
            ..GambitFile::default()
        };
        GambitBuilder { file, ..GambitBuilder::default() }
    }

    /// Registers an information set of a player, whose index counts from 0. Two calls make two sets.
    pub fn information_set<S: AsRef<str>>(&mut self, player: u32, name: &str, moves: &[S]) -> GambitSetId {
        let count = self.registered.entry(player).or_default();
        *count += 1;
        let number = *count;
        let moves = moves.iter().map(|label| label.as_ref().to_owned()).collect();
        self.numbered_set(player, number, name.to_owned(), moves)
    }

    /// As [`GambitBuilder::information_set`], with the number that messages use.
    pub(super) fn numbered_set(
        &mut self,
        player: u32,
        number: i64,
        name: String,
        moves: Vec<String>,
    ) -> GambitSetId {
        let id = GambitSetId(as_index(self.file.sets.len()));
        self.file.sets.push(GambitSet { player, number: 0, name, moves });
        self.numbers.push(number);
        id
    }

    /// Registers the moves of a chance node. The same moves have the same id.
    pub fn chance_moves<S: AsRef<str>>(&mut self, moves: &[(S, Fraction)]) -> GambitChanceId {
        let moves = moves.iter().map(|(label, share)| (label.as_ref().to_owned(), *share)).collect();
        GambitChanceId(as_index(self.chances.insert_full(GambitChance { moves }).0))
    }

    /// The set with an id, as registered.
    pub(super) fn registered_set(&self, id: GambitSetId) -> &GambitSet {
        &self.file.sets[id.index()]
    }

    /// The chance moves with an id, as registered.
    pub(super) fn registered_chance(&self, id: GambitChanceId) -> &GambitChance {
        &self.chances[id.index()]
    }

    /// Pushes a chance node.
    pub fn chance(&mut self, moves: GambitChanceId) {
        self.file.nodes.push(GambitNode::Chance(moves));
    }

    /// Pushes a node of a player.
    pub fn decision(&mut self, set: GambitSetId) {
        self.file.nodes.push(GambitNode::Decision(set));
    }

    /// Pushes an end, with the payoff of each player.
    pub fn terminal(&mut self, payoffs: &[Fraction]) {
        let known = self.outcomes.get_index_of(payoffs);
        let index = known.unwrap_or_else(|| self.outcomes.insert_full(payoffs.to_vec()).0);
        self.file.nodes.push(GambitNode::Terminal(GambitOutcomeId(as_index(index))));
    }

    /// The document.
    ///
    /// # Errors
    /// If the nodes are not one tree, or another invariant of a document is broken.
    pub fn finish(self) -> Result<GambitFile, GambitError> {
        self.finish_at(&GambitPlace::Node)
    }

    /// As [`GambitBuilder::finish`], with the place of each node.
    pub(super) fn finish_at(mut self, place: &dyn Fn(u32) -> GambitPlace) -> Result<GambitFile, GambitError> {
        let fail = |node: u32, cause| Err(GambitError { place: place(node), cause });
        self.file.chances = std::mem::take(&mut self.chances).into_iter().collect();
        self.file.outcomes = std::mem::take(&mut self.outcomes).into_iter().collect();
        if let Err((node, cause)) = self.balanced().and_then(|()| self.in_order()) {
            return fail(node, cause);
        }
        match recall_fault(&self.file) {
            None => Ok(self.file),
            Some(RecallFault { node, first, set, absent_minded }) => {
                let player = self.file.set(set).player + 1;
                let (number, first) = (self.numbers[set.index()], place(first));
                let cause = if absent_minded {
                    let what = format!(
                        "absent-mindedness: information set {number} of player {player} comes again here, \
                         on a path through its node at {first}"
                    );
                    let remedy =
                        "give the nodes different set numbers: a player remembers that it was here before";
                    GambitCause::new(what, remedy)
                } else {
                    let what = format!(
                        "imperfect recall: player {player} reaches information set {number} here and at \
                         {first} by different own moves"
                    );
                    let remedy =
                        "give the nodes different set numbers: a player remembers its own sets and moves";
                    GambitCause::new(what, remedy)
                };
                fail(node, cause)
            }
        }
    }

    /// Whether the nodes are one tree.
    fn balanced(&self) -> Result<(), (u32, GambitCause)> {
        let nodes = &self.file.nodes;
        let Ok(count) = u32::try_from(nodes.len()) else {
            return Err((u32::MAX, GambitCause::too_large("the number of nodes")));
        };
        let mut missing = 1_u64;
        for (index, &node) in (0..).zip(nodes) {
            if missing == 0 {
                return Err((index, GambitCause::extra_nodes()));
            }
            let moves = self.file.move_count(node);
            if moves == 0 && !matches!(node, GambitNode::Terminal(_)) {
                return Err((index, GambitCause::no_moves()));
            }
            missing = missing - 1 + moves as u64;
        }
        if missing > 0 {
            return Err((count.saturating_sub(1), GambitCause::missing_nodes(missing)));
        }
        Ok(())
    }

    /// Puts the tables into the order of first appearance, and checks each entry where it appears first.
    fn in_order(&mut self) -> Result<(), (u32, GambitCause)> {
        let file = &mut self.file;
        let players = file.players.len();
        let mut of_player = vec![0; players];
        let mut sets = Renumbering::new(std::mem::take(&mut file.sets));
        let mut chances = Renumbering::new(std::mem::take(&mut file.chances));
        let mut outcomes = Renumbering::new(std::mem::take(&mut file.outcomes));
        let mut numbers = Vec::with_capacity(self.numbers.len());
        for (index, node) in (0..).zip(&mut file.nodes) {
            match node {
                GambitNode::Chance(id) => chances.place(&mut id.0, |chance| check_chance(chance)),
                GambitNode::Decision(id) => {
                    let old = id.index();
                    let number = |set: &mut GambitSet| {
                        let count = of_player
                            .get_mut(set.player as usize)
                            .ok_or_else(|| GambitCause::no_player(i64::from(set.player) + 1, players))?;
                        *count += 1;
                        set.number = *count;
                        numbers.push(self.numbers[old]);
                        Ok(())
                    };
                    sets.place(&mut id.0, number)
                }
                GambitNode::Terminal(id) => {
                    outcomes.place(&mut id.0, |payoffs| check_payoffs(payoffs, players))
                }
            }
            .map_err(|cause| (index, cause))?;
        }
        (file.sets, file.chances, file.outcomes) = (sets.new, chances.new, outcomes.new);
        self.numbers = numbers;
        Ok(())
    }
}

/// A table on its way into the order of first appearance.
struct Renumbering<T> {
    old: Vec<Option<T>>,
    place: Vec<u32>,
    new: Vec<T>,
}

impl<T> Renumbering<T> {
    fn new(old: Vec<T>) -> Self {
        Renumbering { place: vec![0; old.len()], old: old.into_iter().map(Some).collect(), new: Vec::new() }
    }

    /// Gives an entry its new index. It is passed to `check` when it appears first.
    fn place(
        &mut self,
        id: &mut u32,
        check: impl FnOnce(&mut T) -> Result<(), GambitCause>,
    ) -> Result<(), GambitCause> {
        let index = *id as usize;
        if let Some(mut entry) = self.old[index].take() {
            check(&mut entry)?;
            self.place[index] = as_index(self.new.len());
            self.new.push(entry);
        }
        *id = self.place[index];
        Ok(())
    }
}

fn as_index(place: usize) -> u32 {
    u32::try_from(place).expect("a table has fewer than 2^32 entries, as memory is finite")
}

pub(super) fn check_chance(chance: &GambitChance) -> Result<(), GambitCause> {
    let mut sum = Fraction::from_integer(0);
    for (label, probability) in &chance.moves {
        let too_large = || GambitCause::too_large(format_args!("the probability of '{label}'"));
        if *probability < Fraction::from_integer(0) {
            let what = format!("the probability {probability} of '{label}' is negative");
            return Err(GambitCause::new(what, "probabilities are between 0 and 1"));
        }
        let probability = fraction::in_range(*probability).ok_or_else(too_large)?;
        sum = fraction::add(sum, probability).ok_or_else(too_large)?;
    }
    if sum == Fraction::from_integer(1) {
        return Ok(());
    }
    let what = format!("the probabilities of the chance node sum to {sum}, not to 1");
    Err(GambitCause::new(what, "write them as exact fractions, such as 1/3 instead of 0.333"))
}

fn check_payoffs(payoffs: &[Fraction], players: usize) -> Result<(), GambitCause> {
    if payoffs.len() != players {
        return Err(GambitCause::payoffs(payoffs.len(), players));
    }
    let large = payoffs.iter().find(|payoff| fraction::in_range(**payoff).is_none());
    large.map_or(Ok(()), |payoff| Err(GambitCause::too_large(format_args!("the payoff {payoff}"))))
}
