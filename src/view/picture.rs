//! A picture: a state as panels with cells, lines, and a legend, before it is written.
//!
//! Invariant: every fact stands in a cell or in a line. The text of a cell tells which facts of its panel's layers hold
//! there, with the legend.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use hyperplay_logic::gdl::{Symbol, TermId};

use super::BoardLayout;
use super::grid::{ALONE, Grid, LONGEST, Layer, Sign, TALLEST};

/// The sign of a cell with nothing in it.
const BLANK: &str = ".";

/// A fact with its probability.
pub(super) type Fact = (TermId, f64);

/// What is at least this probable is certain, and what is at most one less this is impossible.
pub(super) const CERTAIN: f64 = 1.0 - 1e-9;

/// A state, ready to be written.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Picture {
    pub(super) panels: Vec<Panel>,
    /// What the signs in the cells stand for.
    pub(super) legend: Vec<(String, String)>,
    /// Things in somebody's hands: the relation, and for each first argument the rest.
    pub(super) hands: Vec<Hands>,
    /// Relations with one argument and their values, and facts in full.
    pub(super) lines: Vec<Line>,
    /// What is not certain: alternatives with their probabilities, the most probable first.
    pub(super) uncertain: Vec<Vec<(f64, String)>>,
    /// Those of the uncertain facts that stand in no cell.
    pub(super) open: Vec<String>,
    /// For each board and each thing that may stand in its cells: how probable that is, in percent, cell by cell.
    pub(super) shares: Vec<Panel>,
}

/// The fluents of one relation with several arguments.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Hands {
    pub(super) relation: String,
    /// For each first argument what it is told of, the other arguments.
    pub(super) owners: Vec<(String, Vec<String>)>,
}

/// A relation with one argument and its values, or a fact in full.
pub(super) type Line = (String, Vec<String>);

/// One board.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) columns: Vec<String>,
    /// The rows from the top; a row of cells alone has no name.
    pub(super) rows: Vec<(String, Vec<Cell>)>,
}

/// One cell.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_changed: bool,
}

/// What is known of the cells of a panel while facts come.
pub(super) struct Board<'l> {
    pub(super) grid: &'l Grid,
    /// By row and column: what stands there, with the layer.
    cells: BTreeMap<(usize, usize), Vec<(usize, String)>>,
    uncertain: BTreeSet<(usize, usize)>,
    /// The cells that a cropped board reaches.
    shown: Vec<(usize, usize)>,
    /// Whether a cropped board reaches too far to be drawn; its facts then stand in lines.
    pub(super) is_too_large: bool,
}

impl Picture {
    /// The picture of some facts.
    pub(super) fn of(layout: &BoardLayout, facts: &[Fact]) -> Picture {
        Picture::beside(layout, facts, &[])
    }

    /// The picture of a state, with the cells marked that differ in the state before.
    pub(super) fn of_change(layout: &BoardLayout, before: &[Fact], now: &[Fact]) -> Picture {
        let before_picture = Picture::beside(layout, before, now);
        let mut picture = Picture::beside(layout, now, before);
        for (panel, old) in picture.panels.iter_mut().zip(&before_picture.panels) {
            mark_changes(panel, old);
        }
        picture
    }

    /// The picture of some facts, whose cropped boards are large enough for others too.
    fn beside(layout: &BoardLayout, facts: &[Fact], others: &[Fact]) -> Picture {
        let terms = layout.game.terms();
        let mut facts: Vec<Fact> = facts.iter().copied().filter(|(_, p)| *p > 1.0 - CERTAIN).collect();
        facts.sort_by(|a, b| terms.compare(a.0, b.0).then(b.1.total_cmp(&a.1)));
        facts.dedup_by_key(|fact| fact.0);
        let mut boards = Board::all(layout, &facts, others);
        let mut drawing = Drawing { layout, legend: Vec::new(), rest: Vec::new(), uncertain: Vec::new() };
        for &(fact, probability) in &facts {
            drawing.place(&mut boards, fact, probability);
        }
        let panels = boards.iter().filter(|board| !board.is_too_large);
        let panels: Vec<Panel> = panels.map(|board| board.panel(layout)).collect();
        let (hands, lines) = drawing.lists();
        let mut legend = drawing.legend;
        legend.sort();
        legend.dedup();
        let shares = shares(layout, &boards, &facts);
        // What the boards show is not listed again.
        if !shares.is_empty() {
            drawing.uncertain.retain(|(place, _)| !matches!(place, Place::Cell(..)));
        }
        let open = drawing.uncertain.iter().filter(|(place, _)| !matches!(place, Place::Cell(..)));
        let open = open.flat_map(|(_, facts)| facts).map(|(_, fact)| fact.clone()).collect();
        let uncertain = drawing.uncertain.into_iter().map(|(_, mut alternatives)| {
            alternatives.sort_by(|a, b| b.0.total_cmp(&a.0));
            alternatives
        });
        Picture { panels, legend, hands, lines, uncertain: uncertain.collect(), open, shares }
    }
}

/// What may stand in the cells of a board: the board, the layer, and the contents.
type Thing = (usize, usize, Vec<TermId>);

/// Probabilities by row and column.
type Shares = BTreeMap<(usize, usize), f64>;

/// The most boards of probabilities; if there are more, the facts are listed.
const SHARES: usize = 6;

/// The boards of probabilities. Things that are certain wherever they may be have none.
fn shares(layout: &BoardLayout, boards: &[Board<'_>], facts: &[Fact]) -> Vec<Panel> {
    let terms = layout.game.terms();
    // By board, layer and contents: the probabilities of its cells.
    let mut things: BTreeMap<Thing, Shares> = BTreeMap::new();
    for &(fact, probability) in facts {
        let shape = layout.by_functor.get(&(terms.functor(fact), terms.arguments(fact).len()));
        let Some((shape, slots)) = shape.and_then(|&at| Some((at, layout.shapes[at].read(fact, terms)?)))
        else {
            continue;
        };
        let spot = boards.iter().enumerate().find_map(|(at, board)| Some((at, board.spot(shape, &slots)?)));
        let Some((board, (layer, row, column))) = spot else { continue };
        let contents = match &boards[board].grid.layers[layer].sign {
            Sign::Mark(_) => Vec::new(),
            Sign::Contents { slots: of, .. } => of.iter().map(|&slot| slots[slot]).collect(),
        };
        things.entry((board, layer, contents)).or_default().insert((row, column), probability);
    }
    things.retain(|_, cells| cells.values().any(|probability| *probability < CERTAIN));
    if things.len() > SHARES {
        return Vec::new();
    }
    let panel = |((board, layer, contents), cells): (Thing, Shares)| {
        let (board, mut keys) = (&boards[board], boards[board].grid.keys.clone());
        let layer = &board.grid.layers[layer];
        if let Sign::Contents { slots, .. } = &layer.sign {
            keys.extend(slots.iter().copied().zip(contents));
        }
        let title = format!("{} in %", layout.pattern(&layout.shapes[layer.shape], layer, &keys));
        board.panel_of(title, |cell| cells.get(&cell).map_or_else(|| ".".to_owned(), |&share| percent(share)))
    };
    let mut things: Vec<(Thing, Shares)> = things.into_iter().collect();
    let is_blank = |(board, layer, contents): &Thing| match &boards[*board].grid.layers[*layer].sign {
        Sign::Contents { blank: Some(blank), .. } => contents.first() == Some(blank),
        _ => false,
    };
    // In the natural order of terms, and last what says that nothing is there.
    things.sort_by(|(a, _), (b, _)| {
        let place = |thing: &Thing| (thing.0, is_blank(thing), thing.1);
        let terms = a.2.iter().zip(&b.2).map(|(&a, &b)| terms.compare(a, b));
        place(a).cmp(&place(b)).then(terms.fold(Ordering::Equal, Ordering::then))
    });
    things.into_iter().map(panel).collect()
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

fn mark_changes(panel: &mut Panel, old: &Panel) {
    let now = panel.rows.iter_mut().flat_map(|(_, cells)| cells);
    let before = old.rows.iter().flat_map(|(_, cells)| cells);
    for (cell, old) in now.zip(before) {
        cell.is_changed = cell.text != old.text;
    }
}

/// What belongs together if it is uncertain: a cell of a board, or a relation with its first argument.
#[derive(Clone, PartialEq, Eq)]
enum Place {
    Cell(usize, usize, usize),
    Hand(Symbol, Option<TermId>),
}

/// The facts that are being placed.
struct Drawing<'l> {
    layout: &'l BoardLayout,
    legend: Vec<(String, String)>,
    /// The certain facts that are on no board.
    rest: Vec<TermId>,
    /// In the order of the first fact of each place.
    uncertain: Vec<(Place, Vec<(f64, String)>)>,
}

impl Drawing<'_> {
    fn place(&mut self, boards: &mut [Board<'_>], fact: TermId, probability: f64) {
        let (layout, terms) = (self.layout, self.layout.game.terms());
        let is_certain = probability >= CERTAIN;
        let shape = layout.by_functor.get(&(terms.functor(fact), terms.arguments(fact).len()));
        let slots =
            shape.and_then(|&shape| layout.shapes[shape].read(fact, terms).map(|slots| (shape, slots)));
        let spot = slots.as_ref().and_then(|(shape, slots)| {
            boards.iter().enumerate().find_map(|(at, board)| Some((at, board.spot(*shape, slots)?)))
        });
        if let (Some((shape, slots)), Some((board, (layer, row, column)))) = (&slots, spot) {
            let cell = (row, column);
            if is_certain {
                let text = self.sign(&boards[board].grid.layers[layer], *shape, slots);
                boards[board].cells.entry(cell).or_default().push((layer, text));
            } else {
                boards[board].uncertain.insert(cell);
                self.doubt(Place::Cell(board, row, column), fact, probability);
            }
        } else if is_certain {
            self.rest.push(fact);
        } else {
            let owner = if terms.arguments(fact).len() > 1 { terms.arguments(fact).first() } else { None };
            let place = Place::Hand(terms.functor(fact), owner.copied());
            self.doubt(place, fact, probability);
        }
    }

    fn doubt(&mut self, place: Place, fact: TermId, probability: f64) {
        let shown = self.layout.game.show(fact);
        match self.uncertain.iter_mut().find(|(other, _)| *other == place) {
            Some((_, alternatives)) => alternatives.push((probability, shown)),
            None => self.uncertain.push((place, vec![(probability, shown)])),
        }
    }

    /// How a fact is written in its cell, which the legend explains.
    fn sign(&mut self, layer: &Layer, shape: usize, slots: &[TermId]) -> String {
        let (sign, name) = self.layout.sign_of(layer, shape, slots);
        if let Some(name) = name {
            self.legend.push((sign.clone(), name));
        }
        sign
    }

    /// What is on no board: things in hands, then values and facts.
    fn lists(&self) -> (Vec<Hands>, Vec<Line>) {
        let (game, terms) = (&self.layout.game, self.layout.game.terms());
        let name = |fact: TermId| game.show(terms.intern(terms.functor(fact), &[]));
        let mut hands: Vec<Hands> = Vec::new();
        let mut lines: Vec<Line> = Vec::new();
        let mut alone: Vec<String> = Vec::new();
        // The facts are in natural order, so those of one relation and first argument follow each other.
        let mut last = None;
        for &fact in &self.rest {
            let shown = |&term: &TermId| game.show(term);
            match terms.arguments(fact) {
                [] => alone.push(game.show(fact)),
                [value] => match lines.last_mut().filter(|(of, _)| *of == name(fact)) {
                    Some((_, values)) => values.push(shown(value)),
                    None => lines.push((name(fact), vec![shown(value)])),
                },
                [first, rest @ ..] => {
                    let kind = (terms.functor(fact), rest.len());
                    let rest = rest.iter().map(shown).collect::<Vec<_>>().join(" ");
                    if last.map(|(kind, _)| kind) != Some(kind) {
                        hands.push(Hands { relation: name(fact), owners: Vec::new() });
                    }
                    if let Some(Hands { owners, .. }) = hands.last_mut() {
                        if last != Some((kind, *first)) {
                            owners.push((game.show(*first), Vec::new()));
                        }
                        owners.last_mut().into_iter().for_each(|(_, things)| things.push(rest.clone()));
                    }
                    last = Some((kind, *first));
                }
            }
        }
        lines.extend(alone.into_iter().map(|fact| (fact, Vec::new())));
        (hands, lines)
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
        let shown = grid.crop.clone().unwrap_or_default();
        Board { grid, cells: BTreeMap::new(), uncertain: BTreeSet::new(), shown, is_too_large: false }
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

    fn panel(&self, layout: &BoardLayout) -> Panel {
        let first = &self.grid.layers[0];
        let title = self.title(layout);
        let has_blank = matches!(first.sign, Sign::Contents { blank: Some(_), .. });
        let absent = if has_blank { "" } else { "." };
        self.panel_of(title, |cell| self.text(cell, absent))
    }

    /// A fluent of the board with the words for its coordinates.
    pub(super) fn title(&self, layout: &BoardLayout) -> String {
        let first = &self.grid.layers[0];
        layout.pattern(&layout.shapes[first.shape], first, &self.grid.keys)
    }

    /// A panel with these texts by row and column.
    fn panel_of(&self, title: String, text: impl Fn((usize, usize)) -> String) -> Panel {
        let Grid { columns, rows, upward, .. } = self.grid;
        let (drawn_rows, drawn_columns) = self.extent();
        let mut lines: Vec<(String, Vec<Cell>)> = drawn_rows
            .map(|row| {
                let name = rows.as_ref().map_or_else(String::new, |axis| axis.names[row].clone());
                let cell = |column| Cell { text: text((row, column)), is_changed: false };
                (name, drawn_columns.clone().map(cell).collect())
            })
            .collect();
        if *upward {
            lines.reverse();
        }
        Panel { title, columns: columns.names[drawn_columns].to_vec(), rows: lines }
    }

    fn text(&self, cell: (usize, usize), absent: &str) -> String {
        let mut items: Vec<(usize, &str)> = self.cells.get(&cell).map_or_else(Vec::new, |items| {
            items.iter().map(|(layer, text)| (*layer, text.as_str())).collect()
        });
        items.sort_unstable();
        if self.uncertain.contains(&cell) {
            items.push((usize::MAX, "?"));
        }
        let texts: Vec<&str> = items.into_iter().map(|(_, text)| text).collect();
        let are_single = texts.iter().all(|text| text.chars().count() == 1);
        if texts.is_empty() { absent.to_owned() } else { texts.join(if are_single { "" } else { "+" }) }
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
                let is_single = pairs().all(|(_, table)| table.are_single());
                let sign = signs.join(if is_single { "" } else { "-" });
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
