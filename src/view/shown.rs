//! A picture: a state, or what is believed of one, as panels with cells, groups of things, and a legend.
//!
//! Text is one form of drawing it; code that draws in another form reads the same picture. A cell lists every fact that
//! may hold in it, with its probability; a fact that lies on no panel stands in a group. The look of a group
//! ([`GroupKind`]) is guessed from names and values, and nothing depends on the guess but the drawing.
//!
//! Invariant: every fact stands in a cell or in a group, once.

use serde::Serialize;

use super::BoardKind;
use hyperplay_logic::gdl::TermId;

/// A fact with at least this probability is certain, and a fact with at most one less this is impossible.
pub(super) const CERTAIN: f64 = 1.0 - 1e-9;

/// A state, or what is believed of one, as data.
///
/// ```
/// use hyperplay_logic::gdl::{Source, load};
/// use hyperplay_view::{
///     BoardCell, BoardLayout, BoardPanel, BoardPicture, BoardRow, BoardSign, GroupThing, HandGroup, HandOwner, LegendEntry,
///     LineGroup,
/// };
///
/// let text = "(role red) (index 1) (index 2) (index 3) (<= (init (cell ?row ?column none)) (index ?row) (index ?column))
///     (init (step 1)) (init (has red coin)) (<= (legal red (mark ?row ?column)) (true (cell ?row ?column none)))
///     (<= (next (cell ?row ?column red)) (does red (mark ?row ?column))) (<= (next (step 2)) (true (step 1)))
///     (<= terminal (true (step 2))) (goal red 50)";
/// let game = load(Source::new("marks.kif", text), None).game.expect("the rules are in order");
/// let read = |text: &str| game.terms().read(text).expect("a term of this game");
/// let facts = ["(cell 2 3 red)", "(step 2)", "(has red coin)"].map(|text| (read(text), 1.0));
/// let layout = BoardLayout::of(&game);
/// let picture: BoardPicture = layout.picture(&facts, None);
/// let panel: &BoardPanel = &picture.panels[0];
/// let row: &BoardRow = &panel.rows[1];
/// let cell: &BoardCell = &row.cells[2];
/// let sign: &BoardSign = &cell.signs[0];
/// assert_eq!((row.name.as_str(), panel.columns[2].as_str(), cell.text.as_str()), ("2", "3", "red"));
/// let legend: &LegendEntry = &picture.legend[0];
/// assert_eq!((&legend.sign, legend.meaning.as_str()), (&sign.sign, "red"));
/// let (hand, line): (&HandGroup, &LineGroup) = (&picture.hands[0], &picture.lines[0]);
/// let owner: &HandOwner = &hand.owners[0];
/// let thing: &GroupThing = &owner.things[0];
/// assert_eq!((owner.name.as_str(), thing.text.as_str(), line.name.as_str()), ("red", "coin", "step"));
/// // A move that names the cell.
/// let target = &layout.targets(read("(mark 2 3)"), &picture)[0];
/// assert_eq!((target.row.as_deref(), target.column.as_deref()), (Some("2"), Some("3")));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardPicture {
    /// `boards`, `hands` or `facts`: what the drawings of this game consist of.
    pub kind: BoardKind,
    /// The boards.
    pub panels: Vec<BoardPanel>,
    /// The meanings of the signs, in their order.
    pub legend: Vec<LegendEntry>,
    /// Facts with several arguments that lie on no board.
    pub hands: Vec<HandGroup>,
    /// Facts with one argument or none that lie on no board.
    pub lines: Vec<LineGroup>,
    /// Facts of the picture before that are gone and lay on no board.
    pub gone: Vec<String>,
}

/// One board: a table of cells, the rows from the top.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardPanel {
    /// A fluent of the board with words in place of its coordinates.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<BoardRow>,
    /// The grid of the layout.
    #[serde(skip)]
    pub(super) grid: usize,
}

/// One row; a row of cells alone has no name.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardRow {
    /// Its name.
    pub name: String,
    /// Its cells, one for each column.
    pub cells: Vec<BoardCell>,
}

/// One cell.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct BoardCell {
    /// The content that is certain to stand there, in words.
    pub text: String,
    /// Whether it differs from the picture before.
    pub changed: bool,
    /// The signs that may stand there, the likeliest first.
    pub signs: Vec<BoardSign>,
}

/// A sign that may stand in a cell.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BoardSign {
    /// One or two letters; `.` for nothing.
    pub sign: String,
    /// Its meaning.
    pub name: String,
    /// The probability that it stands there.
    pub probability: f64,
    /// The fact, and its layer of the grid.
    #[serde(skip)]
    pub(super) fact: TermId,
    #[serde(skip)]
    pub(super) layer: usize,
}

/// The meaning of a sign.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct LegendEntry {
    /// The sign.
    pub sign: String,
    /// Its meaning.
    pub meaning: String,
}

/// The form in which a group of facts is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupKind {
    /// Cards.
    Cards,
    /// Dice.
    Dice,
    /// A number.
    Counter,
    /// Small marks.
    Marks,
    /// Words in a table.
    Table,
}

/// The facts of one relation with several arguments.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HandGroup {
    /// The relation.
    pub relation: String,
    /// The form in which it is drawn.
    pub kind: GroupKind,
    /// By first argument.
    pub owners: Vec<HandOwner>,
}

/// The facts of a relation with one first argument.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HandOwner {
    /// The first argument.
    pub name: String,
    /// The other arguments of each fact.
    pub things: Vec<GroupThing>,
}

/// The facts of one relation with one argument, or one fact without arguments, whose name stands in place of a value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LineGroup {
    /// The relation.
    pub name: String,
    /// The form in which it is drawn.
    pub kind: GroupKind,
    /// The arguments.
    pub values: Vec<GroupThing>,
}

/// One fact of a group.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupThing {
    /// The text that tells it from the other facts of the group.
    pub text: String,
    /// The probability that it holds.
    pub probability: f64,
    /// Whether it differs from the picture before.
    pub changed: bool,
    /// The fact.
    #[serde(skip)]
    pub(super) fact: TermId,
}

/// A cell, a column or a thing that a move names.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct MoveTarget {
    /// The panel, by its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panel: Option<usize>,
    /// The name of the row; absent where the move names a column only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// The name of the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// A thing in a hand: the relation and the thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hand: Option<(String, String)>,
}

impl BoardSign {
    /// Whether it stands there for certain.
    pub fn is_certain(&self) -> bool {
        self.probability >= CERTAIN
    }
}

impl GroupThing {
    /// Whether it holds for certain.
    pub fn is_certain(&self) -> bool {
        self.probability >= CERTAIN
    }
}

impl BoardPicture {
    /// The facts that lie on no board.
    pub(super) fn things(&self) -> impl Iterator<Item = &GroupThing> {
        let hands = self.hands.iter().flat_map(|hand| &hand.owners).flat_map(|owner| &owner.things);
        hands.chain(self.lines.iter().flat_map(|line| &line.values))
    }
}
