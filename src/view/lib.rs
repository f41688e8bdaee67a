//! Boards: what a state of a game looks like, from its rules alone.
//!
//! ```text
//! rules --shape, initial, order--> slots --grid--> layout     facts --picture, shown--> picture --text--> text
//! ```
//!
//! A [`BoardLayout`] says which fluents lie on a board, and on which axes. It is found from the domains of the fluents'
//! positions and from the initial facts, without playing (`grid` states the rules). A picture is a state as data:
//! panels with cells, lines of hands and counters, and a legend ([`BoardPicture`]). Only `text` knows how that is
//! written; the page of the kiosk draws the same picture.
//!
//! Invariants: a layout is found for every game, and depends on the rules alone. A picture contains every fact: in a
//! cell, or in a line. Two different states have different texts.
//!
//! It does not know that a game is a known one, and it does not look at states to find a layout.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod drawn;
mod glyphs;
mod grid;
mod initial;
mod order;
mod picture;
mod shape;
mod shown;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use hyperplay_logic::gdl::{Game, Symbol, TermId};

use glyphs::Glyphs;
use grid::{ALONE, Grid, Layer, Sign, grids};
use picture::Fact;
use shape::{Shape, shapes};
pub use shown::{
    BoardCell, BoardPanel, BoardPicture, BoardRow, BoardSign, GroupKind, GroupThing, HandGroup, HandOwner,
    LegendEntry, LineGroup, MoveTarget,
};

/// The kind of drawing of a game's states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, serde::Serialize)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum BoardKind {
    /// Boards: grids, or rows of cells.
    Boards,
    /// No board, but things that belong to somebody or something, such as hands of cards.
    Hands,
    /// Facts without such a structure.
    Facts,
}

/// How the states of a game are drawn.
///
/// ```
/// use hyperplay_logic::gdl::{Source, TermId, load};
/// use hyperplay_view::{BoardKind, BoardLayout};
///
/// let text = "(role x) (role o) (index 1) (index 2) (index 3)
///     (<= (init (cell ?row ?column b)) (index ?row) (index ?column)) (init (control x))
///     (<= (legal ?r (mark ?row ?column)) (true (control ?r)) (true (cell ?row ?column b)))
///     (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
///     (<= (next (cell ?row ?column ?r)) (does ?r (mark ?row ?column)))
///     (<= (next (cell ?row ?column ?p)) (true (cell ?row ?column ?p)) (distinct ?p b))
///     (<= terminal (not (true (control x)))) (goal x 50) (goal o 50)";
/// let game = load(Source::new("marks.kif", text), None).game.expect("the rules are fine");
/// let layout = BoardLayout::of(&game);
/// assert_eq!(layout.kind(), BoardKind::Boards);
///
/// let facts = |texts: &[&str]| -> Vec<TermId> {
///     texts.iter().map(|text| game.terms().read(text).expect("a fact of this game")).collect()
/// };
/// let before = facts(&["(cell 1 1 b)", "(cell 2 3 b)", "(control x)"]);
/// let now = facts(&["(cell 1 1 b)", "(cell 2 3 x)", "(control x)"]);
/// let drawn = "\
/// (cell row column _)
///     1  2  3
///   1 .
///   2       x
///   3
/// . is b
/// control: x
/// ";
/// assert_eq!(layout.draw(&now), drawn);
/// assert!(layout.draw_change(&before, &now).contains("  2      [x]"));
///
/// let [b, x] = ["(cell 2 3 b)", "(cell 2 3 x)"].map(|text| game.terms().read(text).expect("a fact"));
/// let believed = layout.draw_belief(&[(b, 0.25), (x, 0.75)]);
/// assert!(believed.contains("  2       ?"));
/// assert!(believed.contains("(cell row column x) in %") && believed.contains("  2 .   .   75"));
/// assert!(!layout.draw_known(&[(b, 0.25), (x, 0.75)]).contains("75"));
/// assert_eq!(BoardKind::Hands.to_string(), "hands");
/// ```
#[derive(Clone, Debug)]
pub struct BoardLayout {
    game: Game,
    shapes: Vec<Shape>,
    /// The position of the shape with a functor and arity.
    by_functor: BTreeMap<(Symbol, usize), usize>,
    grids: Vec<Grid>,
}

impl BoardLayout {
    /// The layout of a game. Bounded: at most some millions of elementary steps, and a table of facts where they do not
    /// suffice.
    pub fn of(game: &Game) -> BoardLayout {
        let shapes = shapes(game);
        let mut grids = grids(game, &shapes);
        name_contents(game, &shapes, &mut grids);
        name_marks(game, &shapes, &mut grids);
        let by_functor = shapes.iter().enumerate();
        let by_functor = by_functor.map(|(at, shape)| ((shape.functor, shape.arguments.len()), at)).collect();
        BoardLayout { game: game.clone(), shapes, by_functor, grids }
    }

    /// The kind of the drawings.
    pub fn kind(&self) -> BoardKind {
        if !self.grids.is_empty() {
            BoardKind::Boards
        } else if self.shapes.iter().any(|shape| shape.arguments.len() > 1) {
            BoardKind::Hands
        } else {
            BoardKind::Facts
        }
    }

    /// A state as text: the boards, then what is in hands, then what else holds. Every line ends with a line feed. The
    /// order of the facts does not matter.
    pub fn draw(&self, facts: &[TermId]) -> String {
        self.draw_belief(&certain(facts))
    }

    /// A state as text after a step: the boards with the cells that have changed in brackets. Where there is no board,
    /// only what has come (`+`) and what has gone (`-`); empty if nothing has changed.
    pub fn draw_change(&self, before: &[TermId], now: &[TermId]) -> String {
        if self.kind() == BoardKind::Boards {
            return text::write(self, &self.picture(&certain(now), Some(&certain(before))));
        }
        let without = |facts: &[TermId], others: &[TermId]| -> Vec<String> {
            let only = facts.iter().filter(|fact| !others.contains(fact)).copied();
            self.game.terms().sorted(only).into_iter().map(|fact| self.game.show(fact)).collect()
        };
        text::signed("-", &without(before, now)) + &text::signed("+", &without(now, before))
    }

    /// The belief about a state as text: facts with their probabilities. A certain cell is drawn as in a state; a cell
    /// that is not certain is drawn as `?`, and the probabilities stand below. Facts that are impossible are left out.
    pub fn draw_belief(&self, facts: &[(TermId, f64)]) -> String {
        text::write(self, &self.picture(facts, None))
    }

    /// The knowledge about a state as text: as [`draw_belief`](BoardLayout::draw_belief), but the probabilities of what
    /// is not certain are left out.
    pub fn draw_known(&self, facts: &[(TermId, f64)]) -> String {
        text::write_known(self, &self.picture(facts, None))
    }
}

fn certain(facts: &[TermId]) -> Vec<Fact> {
    facts.iter().map(|&fact| (fact, 1.0)).collect()
}

/// Gives the contents of cells their glyphs. Boards with one content a cell share a table, so that a glyph means the
/// same on each; where several terms make the content, each slot has a table of its own.
fn name_contents(game: &Game, shapes: &[Shape], grids: &mut [Grid]) {
    let table = |terms: Vec<TermId>| {
        let named =
            game.terms().sorted(terms).into_iter().map(|term| (term, game.show(term))).collect::<Vec<_>>();
        Glyphs::of(&named)
    };
    let domain = |shape: usize, slot: usize| shapes[shape].slots[slot].domain.clone().unwrap_or_default();
    let mut all: Vec<TermId> = Vec::new();
    for layer in grids.iter().flat_map(|grid| &grid.layers) {
        if let Sign::Contents { slots, blank, .. } = &layer.sign
            && let [slot] = slots[..]
        {
            all.extend(domain(layer.shape, slot).into_iter().filter(|term| Some(*term) != *blank));
        }
    }
    let shared = table(all);
    for layer in grids.iter_mut().flat_map(|grid| &mut grid.layers) {
        let shape = layer.shape;
        if let Sign::Contents { slots, glyphs, .. } = &mut layer.sign {
            *glyphs = match slots[..] {
                [_] => vec![shared.clone()],
                _ => slots.iter().map(|&slot| table(domain(shape, slot))).collect(),
            };
        }
    }
}

/// Gives the layers of boards without contents their marks: letters of their names, or `#` if there is one layer.
fn name_marks(game: &Game, shapes: &[Shape], grids: &mut [Grid]) {
    for grid in grids {
        let is_mark = |layer: &Layer| matches!(&layer.sign, Sign::Mark(mark) if mark.is_empty());
        if !grid.layers.iter().all(is_mark) {
            continue;
        }
        let functor = |layer: &Layer| shapes[layer.shape].functor;
        let names = grid.layers.iter().map(|layer| {
            let functor = functor(layer);
            (game.terms().intern(functor, &[]), game.terms().symbols().name(functor).to_owned())
        });
        let glyphs = Glyphs::of(&names.collect::<Vec<_>>());
        let is_alone = grid.layers.len() == 1;
        for layer in &mut grid.layers {
            let term = game.terms().intern(shapes[layer.shape].functor, &[]);
            layer.sign = Sign::Mark(if is_alone { ALONE.to_owned() } else { glyphs.get(term, game) });
        }
    }
}
