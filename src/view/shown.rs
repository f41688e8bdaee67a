//! A picture: a state, or what is believed of one, as panels with cells, groups of things, and a legend.
//!
//! Text is one form of drawing it; code that draws in another form reads the same picture. A cell lists every fact that
//! may hold in it, with its probability; a fact that lies on no panel stands in a group. The look of a group
//! ([`GroupKind`]) is guessed from names and values, and nothing depends on the guess but the drawing.
//!
//! Invariant: every fact stands in a cell or in a group, once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::BoardLayout;
use super::picture::{Board, CERTAIN, Fact};
use hyperplay_logic::gdl::TermId;

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
    pub kind: &'static str,
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

/// The probabilities of the picture before by fact; none if there is no picture before.
type Before = Option<BTreeMap<TermId, f64>>;

impl BoardLayout {
    /// A state, or what is believed of one, as data: facts with their probabilities, and those of the picture before,
    /// if what has changed is to be marked. Facts that are impossible are left out.
    pub fn picture(&self, facts: &[(TermId, f64)], before: Option<&[(TermId, f64)]>) -> BoardPicture {
        let terms = self.game.terms();
        let mut facts: Vec<Fact> = facts.iter().copied().filter(|(_, p)| *p > 1.0 - CERTAIN).collect();
        facts.sort_by(|a, b| terms.compare(a.0, b.0).then(b.1.total_cmp(&a.1)));
        facts.dedup_by_key(|fact| fact.0);
        let boards = Board::all(self, &facts, before.unwrap_or(&[]));
        let before: Before = before.map(|facts| facts.iter().copied().collect());
        let has_changed = |fact: TermId, probability: f64| {
            let is_now = |before: &BTreeMap<TermId, f64>| {
                (before.get(&fact).copied().unwrap_or(0.0) - probability).abs() > 1e-9
            };
            before.as_ref().is_some_and(is_now)
        };
        let mut cells: BTreeMap<(usize, usize, usize), BoardCell> = BTreeMap::new();
        let mut legend = BTreeSet::new();
        let mut rest: Vec<Fact> = Vec::new();
        for &(fact, probability) in &facts {
            let Some((shape, slots, board, (layer, row, column))) = self.spot_of(&boards, fact) else {
                rest.push((fact, probability));
                continue;
            };
            let (sign, meaning) = self.sign_of(&boards[board].grid.layers[layer], shape, &slots);
            let name = meaning.clone().unwrap_or_else(|| sign.clone());
            legend.extend(meaning.map(|meaning| LegendEntry { sign: sign.clone(), meaning }));
            let cell = cells.entry((board, row, column)).or_default();
            cell.changed |= has_changed(fact, probability);
            cell.signs.push(BoardSign { sign, name, probability, fact, layer });
        }
        let mut gone: Vec<TermId> = Vec::new();
        for (&fact, _) in before.iter().flatten().filter(|(_, probability)| **probability > 1.0 - CERTAIN) {
            if facts.iter().any(|(now, _)| *now == fact) {
                continue;
            }
            match self.spot_of(&boards, fact) {
                Some((_, _, board, (_, row, column))) => {
                    cells.entry((board, row, column)).or_default().changed = true;
                }
                None => gone.push(fact),
            }
        }
        gone.sort_by(|&a, &b| terms.compare(a, b));
        for cell in cells.values_mut() {
            cell.signs.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            let certain = cell.signs.iter().filter(|sign| sign.is_certain());
            cell.text = certain.map(|sign| sign.name.as_str()).collect::<Vec<_>>().join(", ");
        }
        let shown = boards.iter().enumerate().filter(|(_, board)| !board.is_too_large);
        let panels = shown.map(|(at, board)| self.panel_of(at, board, &mut cells)).collect();
        let (hands, lines) = self.groups(&rest, has_changed);
        BoardPicture {
            kind: self.kind().as_str(),
            panels,
            legend: legend.into_iter().collect(),
            hands,
            lines,
            gone: gone.into_iter().map(|fact| self.game.show(fact)).collect(),
        }
    }

    /// The things that a move names, in the order of its arguments: cells where two arguments are coordinates of a
    /// board, a column where one argument can only be that, and things in hands.
    pub fn targets(&self, own: TermId, picture: &BoardPicture) -> Vec<MoveTarget> {
        let mut words: Vec<String> = Vec::new();
        collect_words(self, own, &mut words);
        let on_boards = picture.panels.iter().enumerate().find_map(|(number, panel)| {
            let found = cells_named(number, panel, &words);
            (!found.is_empty()).then_some(found)
        });
        if let Some(found) = on_boards {
            return found;
        }
        let text = words.join(" ");
        let is_named =
            |thing: &GroupThing| words.contains(&thing.text) || text.ends_with(&format!(" {}", thing.text));
        let named_in = |are_numbers: bool| {
            let hands = picture.hands.iter().filter(|hand| (hand.kind == GroupKind::Counter) == are_numbers);
            let mut found: Vec<MoveTarget> = Vec::new();
            for hand in hands {
                let things = hand.owners.iter().flat_map(|owner| &owner.things);
                for thing in things.filter(|thing| is_named(thing)) {
                    let hand = Some((hand.relation.clone(), thing.text.clone()));
                    let target = MoveTarget { hand, ..MoveTarget::default() };
                    if !found.contains(&target) {
                        found.push(target);
                    }
                }
            }
            found
        };
        // A card that is called 2 is meant rather than two points.
        let found = named_in(false);
        if found.is_empty() { named_in(true) } else { found }
    }

    /// The shape and slots of a fact, and the board and the cell where it lies.
    #[expect(clippy::type_complexity, reason = "it is taken apart where it is used")]
    fn spot_of(
        &self,
        boards: &[Board<'_>],
        fact: TermId,
    ) -> Option<(usize, Vec<TermId>, usize, (usize, usize, usize))> {
        let (shape, slots) = self.slots_of(fact)?;
        let spot = boards.iter().enumerate().find_map(|(at, board)| Some((at, board.spot(shape, &slots)?)));
        spot.map(|(board, place)| (shape, slots, board, place))
    }

    fn panel_of(
        &self,
        at: usize,
        board: &Board<'_>,
        cells: &mut BTreeMap<(usize, usize, usize), BoardCell>,
    ) -> BoardPanel {
        let (rows, columns) = board.extent();
        let name =
            |row: usize| board.grid.rows.as_ref().map_or_else(String::new, |axis| axis.names[row].clone());
        let mut lines: Vec<BoardRow> = rows
            .map(|row| {
                let cell = |column| cells.remove(&(at, row, column)).unwrap_or_default();
                BoardRow { name: name(row), cells: columns.clone().map(cell).collect() }
            })
            .collect();
        if board.grid.upward {
            lines.reverse();
        }
        let columns = board.grid.columns.names[columns].to_vec();
        BoardPanel { title: board.title(self), columns, rows: lines, grid: at }
    }

    /// The facts that lie on no board, which are in natural order.
    fn groups(
        &self,
        rest: &[Fact],
        has_changed: impl Fn(TermId, f64) -> bool,
    ) -> (Vec<HandGroup>, Vec<LineGroup>) {
        let (game, terms) = (&self.game, self.game.terms());
        let mut hands: Vec<HandGroup> = Vec::new();
        let mut lines: Vec<LineGroup> = Vec::new();
        let mut last = None;
        for &(fact, probability) in rest {
            let changed = has_changed(fact, probability);
            let thing = |text: String| GroupThing { text, probability, changed, fact };
            let name = game.show(terms.intern(terms.functor(fact), &[]));
            let kind = (terms.functor(fact), terms.arguments(fact).len());
            match terms.arguments(fact) {
                [] => {
                    let values = vec![thing(name.clone())];
                    lines.push(LineGroup { name, kind: GroupKind::Marks, values });
                }
                &[value] => {
                    if last != Some((kind, None)) {
                        lines.push(LineGroup { name, kind: GroupKind::Table, values: Vec::new() });
                    }
                    lines.last_mut().into_iter().for_each(|line| line.values.push(thing(game.show(value))));
                    last = Some((kind, None));
                }
                &[first, ref others @ ..] => {
                    let text = others.iter().map(|&term| game.show(term)).collect::<Vec<_>>().join(" ");
                    if last.map(|(of, _)| of) != Some(kind) {
                        hands.push(HandGroup { relation: name, kind: GroupKind::Table, owners: Vec::new() });
                    }
                    let Some(hand) = hands.last_mut() else { continue };
                    if last != Some((kind, Some(first))) {
                        hand.owners.push(HandOwner { name: game.show(first), things: Vec::new() });
                    }
                    hand.owners
                        .last_mut()
                        .into_iter()
                        .for_each(|owner| owner.things.push(thing(text.clone())));
                    last = Some((kind, Some(first)));
                }
            }
        }
        for line in &mut lines {
            if line.kind != GroupKind::Marks {
                line.kind = group_kind(&line.name, line.values.iter().map(|value| value.text.as_str()));
            }
        }
        for hand in &mut hands {
            let things = hand.owners.iter().flat_map(|owner| &owner.things);
            hand.kind = group_kind(&hand.relation, things.map(|thing| thing.text.as_str()));
        }
        (hands, lines)
    }
}

/// The form in which a group is drawn, by the words in its name and by its values.
fn group_kind<'t>(name: &str, mut values: impl Iterator<Item = &'t str> + Clone) -> GroupKind {
    let name = name.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let number = |text: &str| text.parse::<i64>().ok();
    if says(&["dice", "die", "roll"])
        && values.clone().all(|text| number(text).is_some_and(|n| (1..=6).contains(&n)))
    {
        GroupKind::Dice
    } else if says(&["card", "hand", "hold", "deck", "dealt", "trump"]) {
        GroupKind::Cards
    } else if values.clone().all(|text| number(text).is_some()) {
        GroupKind::Counter
    } else if values.all(|text| text.chars().count() <= 2) {
        GroupKind::Marks
    } else {
        GroupKind::Table
    }
}

/// The constants in the arguments of a move, in order.
fn collect_words(layout: &BoardLayout, term: TermId, words: &mut Vec<String>) {
    let terms = layout.game.terms();
    for &argument in terms.arguments(term) {
        if terms.arguments(argument).is_empty() {
            words.push(layout.game.show(argument));
        } else {
            collect_words(layout, argument, words);
        }
    }
}

/// The cells of a panel that some words name: pairs of coordinates one after the other, squares such as `a1`, or a
/// column alone.
fn cells_named(number: usize, panel: &BoardPanel, words: &[String]) -> Vec<MoveTarget> {
    let has_row = |word: &String| panel.rows.iter().any(|row| row.name == *word);
    let has_column = |word: &String| panel.columns.contains(word);
    // Behind the name of the relation, which may be spelt like an axis.
    let words_of_title = || panel.title.split(|c: char| "(), ".contains(c)).filter(|word| !word.is_empty());
    let axis = words_of_title().skip(1).find(|word| ["column", "row"].contains(word));
    let is_column_first = axis == Some("column");
    let cell = |row: Option<String>, column: Option<String>| MoveTarget {
        panel: Some(number),
        row,
        column,
        hand: None,
    };
    let is_row_of_cells = panel.rows.iter().all(|row| row.name.is_empty());
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let pair = words.get(at + 1).and_then(|second| {
            let first = &words[at];
            let (column, row) = if is_column_first { (first, second) } else { (second, first) };
            (has_row(row) && has_column(column)).then(|| cell(Some(row.clone()), Some(column.clone())))
        });
        let square = || {
            let split = words[at].char_indices().nth(1).map(|(split, _)| words[at].split_at(split))?;
            let (column, row) = (split.0.to_owned(), split.1.to_owned());
            (words_of_title().skip(1).any(|word| word == "square") && has_row(&row) && has_column(&column))
                .then(|| cell(Some(row), Some(column)))
        };
        if let Some(target) = pair.filter(|_| !is_row_of_cells) {
            found.push(target);
            at += 2;
            continue;
        }
        found.extend(square());
        at += 1;
    }
    if found.is_empty() {
        // One coordinate alone: a cell of a row of cells, or a column.
        let columns = words.iter().filter(|word| has_column(word));
        found.extend(columns.map(|word| cell(is_row_of_cells.then(String::new), Some(word.clone()))));
    }
    found
}
