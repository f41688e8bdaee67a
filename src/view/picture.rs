//! Where facts lie on the boards of a layout, how they are written there, and what is open in a picture.
//!
//! Invariant: the signs of a cell tell which facts of its panel's layers hold there, with the legend.

use std::cmp::Ordering;
use std::ops::Range;

use hyperplay_logic::gdl::{Symbol, TermId};

use super::BoardLayout;
use super::grid::{ALONE, Grid, LONGEST, Layer, Sign, TALLEST};
use super::shown::{BoardCell, BoardPanel, BoardPicture, BoardRow, BoardSign, CERTAIN};

/// The sign of a cell with nothing in it.
const BLANK: &str = ".";

/// A fact with its probability.
pub(super) type Fact = (TermId, f64);

/// A grid, as far as it is drawn for some facts.
pub(super) struct Board<'l> {
    pub(super) grid: &'l Grid,
    /// The cells that a cropped board reaches.
    shown: Vec<(usize, usize)>,
    /// Whether a cropped board reaches too far to be drawn; its facts then stand in lines.
    pub(super) is_too_large: bool,
}

/// The most boards of probabilities; if there are more, the facts are listed.
const SHARES: usize = 6;

/// For each board and each thing that may stand in its cells: how probable that is, in percent, cell by cell. Things
/// that are certain wherever they may be have none; there are none at all if they are too many.
pub(super) fn shares(layout: &BoardLayout, picture: &BoardPicture) -> Vec<BoardPanel> {
    let terms = layout.game.terms();
    if picture.panels.iter().flat_map(signs).all(|(.., sign)| sign.is_certain()) {
        return Vec::new();
    }
    // Last of a board what says that nothing is there; then by layer and contents.
    let mut things: Vec<(usize, bool, usize, Vec<TermId>, BoardPanel)> = Vec::new();
    for (at, panel) in picture.panels.iter().enumerate() {
        let layers = &layout.grids[panel.grid].layers;
        for (row, column, sign) in signs(panel) {
            let Some((shape, slots)) = layout.slots_of(sign.fact) else { continue };
            let layer = &layers[sign.layer];
            let (contents, is_blank) = match &layer.sign {
                Sign::Mark(_) => (Vec::new(), false),
                Sign::Contents { slots: of, blank, .. } => {
                    let contents: Vec<TermId> = of.iter().map(|&slot| slots[slot]).collect();
                    let is_blank = blank.is_some() && contents.first() == blank.as_ref();
                    (contents, is_blank)
                }
            };
            let is_it = |thing: &&mut (usize, bool, usize, Vec<TermId>, BoardPanel)| {
                (thing.0, thing.2, &thing.3) == (at, sign.layer, &contents)
            };
            let of_thing = match things.iter_mut().find(is_it) {
                Some((.., panel)) => panel,
                None => {
                    let keys: Vec<(usize, TermId)> = slots.into_iter().enumerate().collect();
                    let title = format!("{} in %", layout.pattern(&layout.shapes[shape], layer, &keys));
                    let mut empty = BoardPanel { title, ..panel.clone() };
                    for cell in empty.rows.iter_mut().flat_map(|row| &mut row.cells) {
                        *cell = BoardCell { text: BLANK.to_owned(), ..BoardCell::default() };
                    }
                    things.push((at, is_blank, sign.layer, contents, empty));
                    &mut things.last_mut().expect("it was pushed").4
                }
            };
            let cell = &mut of_thing.rows[row].cells[column];
            (cell.text, cell.signs) = (percent(sign.probability), vec![sign.clone()]);
        }
    }
    things.retain(|(.., panel)| signs(panel).any(|(.., sign)| !sign.is_certain()));
    if things.len() > SHARES {
        return Vec::new();
    }
    things.sort_by(|a, b| {
        let contents = a.3.iter().zip(&b.3).map(|(&a, &b)| terms.compare(a, b));
        (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)).then(contents.fold(Ordering::Equal, Ordering::then))
    });
    things.into_iter().map(|(.., panel)| panel).collect()
}

/// The signs of a panel with the positions of their rows and columns.
fn signs(panel: &BoardPanel) -> impl Iterator<Item = (usize, usize, &BoardSign)> {
    panel.rows.iter().enumerate().flat_map(|(row, BoardRow { cells, .. })| {
        let cells = cells.iter().enumerate();
        cells.flat_map(move |(column, cell)| cell.signs.iter().map(move |sign| (row, column, sign)))
    })
}

/// A place whose facts belong together if they are uncertain: a cell of a board, or a relation with its first argument.
#[derive(PartialEq, Eq)]
enum Place {
    Cell(usize, usize, usize),
    Hand(Symbol, Option<TermId>),
}

/// The uncertain facts with their probabilities: those of one place together, in natural order. Those on boards are
/// left out unless they are asked for.
pub(super) fn alternatives(layout: &BoardLayout, picture: &BoardPicture, with_cells: bool) -> Vec<Vec<Fact>> {
    let terms = layout.game.terms();
    let mut facts: Vec<(Place, Fact)> = Vec::new();
    for (at, panel) in picture.panels.iter().enumerate().filter(|_| with_cells) {
        let open = signs(panel).filter(|(.., sign)| !sign.is_certain());
        facts.extend(
            open.map(|(row, column, sign)| (Place::Cell(at, row, column), (sign.fact, sign.probability))),
        );
    }
    facts.extend(picture.things().filter(|thing| !thing.is_certain()).map(|thing| {
        let owner = terms.arguments(thing.fact).first().filter(|_| terms.arguments(thing.fact).len() > 1);
        (Place::Hand(terms.functor(thing.fact), owner.copied()), (thing.fact, thing.probability))
    }));
    facts.sort_by(|(_, a), (_, b)| terms.compare(a.0, b.0));
    let mut places: Vec<(Place, Vec<Fact>)> = Vec::new();
    for (place, fact) in facts {
        match places.iter_mut().find(|(other, _)| *other == place) {
            Some((_, facts)) => facts.push(fact),
            None => places.push((place, vec![fact])),
        }
    }
    places.into_iter().map(|(_, facts)| facts).collect()
}

/// A probability in percent. One that is neither 0 nor 1 is not shown as such.
pub(super) fn percent(probability: f64) -> String {
    match 100.0 * probability {
        _ if probability >= CERTAIN => "100".to_owned(),
        percent if percent < 0.5 => "<1".to_owned(),
        percent if percent > 99.5 => ">99".to_owned(),
        percent => format!("{percent:.0}"),
    }
}

impl<'l> Board<'l> {
    /// The boards of a layout, those that are cropped large enough for these facts and those.
    pub(super) fn all(layout: &'l BoardLayout, facts: &[Fact], others: &[Fact]) -> Vec<Board<'l>> {
        let mut boards: Vec<Board<'_>> = layout.grids.iter().map(Board::new).collect();
        for board in boards.iter_mut().filter(|board| board.grid.crop.is_some()) {
            board.extend(layout, facts);
            board.extend(layout, others);
            let (rows, columns) = board.extent();
            board.is_too_large = rows.len() > TALLEST || columns.len() > LONGEST;
        }
        boards
    }

    fn new(grid: &'l Grid) -> Board<'l> {
        Board { shown: grid.crop.clone().unwrap_or_default(), grid, is_too_large: false }
    }

    /// The layer, row and column of a fact on this board.
    pub(super) fn spot(&self, shape: usize, slots: &[TermId]) -> Option<(usize, usize, usize)> {
        let layer = self.grid.layers.iter().position(|layer| layer.shape == shape)?;
        let Layer { column, row, .. } = self.grid.layers[layer];
        if self.is_too_large || self.grid.keys.iter().any(|&(slot, term)| slots[slot] != term) {
            return None;
        }
        let row = match (row, &self.grid.rows) {
            (Some(row), Some(axis)) => *axis.at.get(&slots[row])?,
            _ => 0,
        };
        Some((layer, row, *self.grid.columns.at.get(&slots[column])?))
    }

    /// Makes a cropped board large enough for some facts.
    fn extend(&mut self, layout: &BoardLayout, facts: &[Fact]) {
        for &(fact, _) in facts {
            let spot = layout.slots_of(fact).and_then(|(shape, slots)| self.spot(shape, &slots));
            self.shown.extend(spot.map(|(_, row, column)| (row, column)));
        }
    }

    /// The rows and columns that are drawn.
    pub(super) fn extent(&self) -> (Range<usize>, Range<usize>) {
        let Grid { rows, columns, crop, .. } = self.grid;
        if crop.is_none() {
            return (0..rows.as_ref().map_or(1, |axis| axis.names.len()), 0..columns.names.len());
        }
        let range = |of: fn(&(usize, usize)) -> usize| {
            let cells = || self.shown.iter().map(of);
            let (first, last) = (cells().min(), cells().max());
            first.unwrap_or(0)..last.unwrap_or(0) + 1
        };
        (range(|cell| cell.0), range(|cell| cell.1))
    }

    /// A fluent of the board with the words for its coordinates.
    pub(super) fn title(&self, layout: &BoardLayout) -> String {
        let first = &self.grid.layers[0];
        layout.pattern(&layout.shapes[first.shape], first, &self.grid.keys)
    }
}

impl BoardLayout {
    /// The shape of a fact, and what stands at its slots.
    pub(super) fn slots_of(&self, fact: TermId) -> Option<(usize, Vec<TermId>)> {
        let terms = self.game.terms();
        let &shape = self.by_functor.get(&(terms.functor(fact), terms.arguments(fact).len()))?;
        Some((shape, self.shapes[shape].read(fact, terms)?))
    }

    /// How a fact is written in its cell, and what that stands for where it is not the name itself.
    pub(super) fn sign_of(&self, layer: &Layer, shape: usize, slots: &[TermId]) -> (String, Option<String>) {
        let game = &self.game;
        match &layer.sign {
            Sign::Mark(mark) if mark == ALONE => (mark.clone(), None),
            Sign::Mark(mark) => (mark.clone(), Some(self.pattern(&self.shapes[shape], layer, &[]))),
            Sign::Contents { slots: contents, blank: Some(blank), .. } if slots[contents[0]] == *blank => {
                (BLANK.to_owned(), Some(game.show(*blank)))
            }
            Sign::Contents { slots: contents, glyphs, .. } => {
                let pairs = || contents.iter().zip(glyphs).map(|(&slot, table)| (slots[slot], table));
                let signs: Vec<String> = pairs().map(|(term, table)| table.get(term, game)).collect();
                let names: Vec<String> = pairs().map(|(term, _)| game.show(term)).collect();
                let sign = signs.join(if pairs().all(|(_, table)| table.are_single()) { "" } else { "-" });
                (sign, (signs != names).then(|| names.join(" ")))
            }
        }
    }

    /// A fluent of a layer, with the words for its coordinates in place of them.
    pub(super) fn pattern(
        &self,
        shape: &super::shape::Shape,
        layer: &Layer,
        keys: &[(usize, TermId)],
    ) -> String {
        let word = |slot: usize| {
            if slot == layer.column && layer.row == Some(slot) {
                "square".to_owned()
            } else if slot == layer.column {
                "column".to_owned()
            } else if Some(slot) == layer.row {
                "row".to_owned()
            } else {
                let key = keys.iter().find(|(key, _)| *key == slot);
                key.map_or("_".to_owned(), |&(_, term)| self.game.show(term))
            }
        };
        let words: Vec<String> = (0..shape.slots.len()).map(word).collect();
        shape.with(&words, &self.game)
    }
}
