//! Grids: which shapes of fluents lie on a board, with which axes, and what stands in its cells.
//!
//! A shape lies on a grid if two of its slots have ordered domains, at least one of them strongly (`order`). Of the other
//! slots, those with an order before the coordinates, and roles before them, are *keys*: each of their values has a panel
//! of its own. The others are the contents of a cell. If every slot has an order, the last one is the content. A fluent
//! that has coordinates only marks a cell. A shape with one ordered slot before its only content is a row of cells.
//!
//! **Where the axes lie.** Letters are columns. Otherwise the names of the variables in the rules decide (`?row` and
//! `?rank`, `?column` and `?file`, `?x` and `?y`), and without such names the first coordinate is the column. If the column
//! comes first, as in `(x, y)`, rows are counted upward; if the row comes first, as in a matrix, downward. The axes are
//! labelled, so a drawing is never ambiguous.

use hyperplay_logic::gdl::{Game, TermId, TermStore};
use rustc_hash::FxHashMap;

use super::order::Strength;
use super::shape::Shape;

/// The most coordinates of an axis, the most panels of a shape, and the most roles with panels of their own.
const LONGEST: usize = 26;
const TALLEST: usize = 40;
const PANELS: usize = 12;

/// The words for what is no piece.
const BLANK: [&str; 4] = ["blank", "empty", "none", "free"];

/// The marks of fluents that have coordinates only, beside contents.
const MARKS: [&str; 6] = ["*", "!", "#", "@", "%", "&"];

/// An axis: its coordinates in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Axis {
    pub(super) terms: Vec<TermId>,
    pub(super) at: FxHashMap<TermId, usize>,
}

impl Axis {
    fn new(terms: Vec<TermId>) -> Axis {
        let at = terms.iter().enumerate().map(|(at, &term)| (term, at)).collect();
        Axis { terms, at }
    }
}

/// How the cells of a layer are written.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Sign {
    /// The fluent has coordinates only.
    Mark(String),
    /// The contents, and which one is drawn as an empty cell.
    Contents { slots: Vec<usize>, blank: Option<TermId>, are_single: bool },
}

/// The fluents of one shape on a grid.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) shape: usize,
    pub(super) column: usize,
    /// None in a row of cells.
    pub(super) row: Option<usize>,
    pub(super) sign: Sign,
}

/// One board: its axes, and the layers that lie on it. The first layer names the board.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) columns: Axis,
    /// None in a row of cells.
    pub(super) rows: Option<Axis>,
    pub(super) upward: bool,
    pub(super) layers: Vec<Layer>,
    /// The slots of the first layer that tell this board from others of the same shape, with their values.
    pub(super) keys: Vec<(usize, TermId)>,
}

/// What the slots of a shape are for on a grid.
struct Candidate {
    shape: usize,
    column: usize,
    row: Option<usize>,
    keys: Vec<usize>,
    contents: Vec<usize>,
}

/// The grids of some shapes, in their order.
pub(super) fn grids(game: &Game, shapes: &[Shape]) -> Vec<Grid> {
    let found: Vec<Candidate> =
        (0..shapes.len()).filter_map(|at| candidate(game.terms(), shapes, at)).collect();
    let mut grids: Vec<Grid> = Vec::new();
    // What has contents comes first, so that marks can lie on it.
    let (full, marks): (Vec<Candidate>, Vec<Candidate>) =
        found.into_iter().partition(|candidate| !candidate.contents.is_empty());
    for candidate in full {
        let blank = blank(game.terms(), &shapes[candidate.shape], &candidate);
        let sign = Sign::Contents { slots: candidate.contents.clone(), blank, are_single: false };
        put(&mut grids, shapes, &candidate, sign);
    }
    let hosts = grids.len();
    for candidate in marks {
        let lies_on = |grid: &Grid| {
            let (columns, rows) = axes(shapes, &candidate);
            let inside = |axis: &Axis, part: &Axis| part.terms.iter().all(|term| axis.at.contains_key(term));
            let fits = inside(&grid.columns, &columns)
                && grid.rows.as_ref().zip(rows.as_ref()).is_some_and(|(axis, part)| inside(axis, part));
            fits && grid.keys.is_empty() && candidate.keys.is_empty() && grid.layers.len() <= MARKS.len()
        };
        let sign = |mark: &str| Sign::Mark(mark.to_owned());
        match grids.iter().position(lies_on) {
            Some(at) => {
                let number =
                    grids[at].layers.iter().filter(|layer| matches!(layer.sign, Sign::Mark(_))).count();
                let sign = if at < hosts { sign(MARKS[number]) } else { sign("") };
                let Candidate { shape, column, row, .. } = candidate;
                grids[at].layers.push(Layer { shape, column, row, sign });
            }
            None => put(&mut grids, shapes, &candidate, sign("")),
        }
    }
    grids
}

/// Adds a board for each value of the keys.
fn put(grids: &mut Vec<Grid>, shapes: &[Shape], candidate: &Candidate, sign: Sign) {
    let (columns, rows) = axes(shapes, candidate);
    let mut values: Vec<Vec<(usize, TermId)>> = vec![Vec::new()];
    for &key in &candidate.keys {
        let domain = shapes[candidate.shape].slots[key].domain.as_deref().unwrap_or_default();
        let longer = |row: &Vec<(usize, TermId)>| {
            let row = row.clone();
            domain.iter().map(move |&term| [&row[..], &[(key, term)]].concat())
        };
        values = values.iter().flat_map(longer).collect();
    }
    let upward = candidate.row.is_some_and(|row| candidate.column < row);
    for keys in values {
        let Candidate { shape, column, row, .. } = *candidate;
        let layers = vec![Layer { shape, column, row, sign: sign.clone() }];
        grids.push(Grid { columns: columns.clone(), rows: rows.clone(), upward, layers, keys });
    }
}

fn axes(shapes: &[Shape], candidate: &Candidate) -> (Axis, Option<Axis>) {
    let axis = |slot: usize| {
        let order = shapes[candidate.shape].slots[slot].order.as_ref();
        Axis::new(order.map(|(_, terms)| terms.clone()).unwrap_or_default())
    };
    (axis(candidate.column), candidate.row.map(axis))
}

/// What the slots of a shape are for, if it lies on a grid.
fn candidate(terms: &TermStore, shapes: &[Shape], at: usize) -> Option<Candidate> {
    let shape = &shapes[at];
    let count = shape.slots.len();
    let mut lines: Vec<usize> = (0..count).filter(|&slot| length(shape, slot) >= 2).collect();
    if count >= 3 && lines.len() == count {
        lines.pop();
    }
    if lines.len() >= 2 {
        let (first, second) = (lines[lines.len() - 2], lines[lines.len() - 1]);
        if let Some(candidate) = plane(terms, shape, at, first, second, &lines[..lines.len() - 2]) {
            return Some(candidate);
        }
    }
    row(shape, at)
}

/// The number of coordinates of a slot; 0 if it has no order.
fn length(shape: &Shape, slot: usize) -> usize {
    shape.slots[slot].order.as_ref().map_or(0, |(_, terms)| terms.len())
}

fn strength(shape: &Shape, slot: usize) -> Option<Strength> {
    shape.slots[slot].order.as_ref().map(|(strength, _)| *strength)
}

/// A shape whose coordinates are at two slots.
fn plane(
    terms: &TermStore,
    shape: &Shape,
    at: usize,
    first: usize,
    second: usize,
    further: &[usize],
) -> Option<Candidate> {
    let is_strong = |slot| strength(shape, slot) == Some(Strength::Strong);
    let (column, row) = orientation(terms, shape, first, second);
    let fits = length(shape, column) <= LONGEST && length(shape, row) <= TALLEST;
    if !fits || !(is_strong(first) || is_strong(second)) {
        return None;
    }
    if shape.slots.len() == 2 && is_function(shape, first, second) {
        return None;
    }
    let roles: Vec<usize> = (0..first).filter(|&slot| shape.slots[slot].is_role).collect();
    let rest = |keys: &[usize]| {
        (0..shape.slots.len())
            .filter(|slot| ![first, second].contains(slot) && !keys.contains(slot))
            .collect()
    };
    let panels = |keys: &[usize]| {
        keys.iter()
            .map(|&slot| shape.slots[slot].domain.as_ref().map_or(usize::MAX, Vec::len))
            .fold(1_usize, usize::saturating_mul)
    };
    let mut keys = further.to_vec();
    if !roles.iter().any(|&role| is_place(shape, role)) {
        keys.extend(roles);
    }
    keys.sort_unstable();
    if panels(&keys) > PANELS {
        return None;
    }
    Some(Candidate { shape: at, column, row: Some(row), contents: rest(&keys), keys })
}

/// A shape that is a row of cells: the coordinate, and one content.
fn row(shape: &Shape, at: usize) -> Option<Candidate> {
    let [key, content] = &shape.slots[..] else { return None };
    let same = key.domain.is_some() && key.domain == content.domain;
    let counted = length(shape, 1) >= 2;
    if length(shape, 0) < 3
        || length(shape, 0) > LONGEST
        || same
        || content.domain.is_none()
        || (counted && !is_function(shape, 0, 1))
    {
        return None;
    }
    Some(Candidate { shape: at, column: 0, row: None, keys: Vec::new(), contents: vec![1] })
}

/// Which of two slots is the column and which is the row.
fn orientation(terms: &TermStore, shape: &Shape, first: usize, second: usize) -> (usize, usize) {
    let is_word = |slot: usize| {
        let domain = shape.slots[slot].domain.as_deref().unwrap_or_default();
        domain.iter().all(|&term| terms.symbols().name(terms.functor(term)).parse::<i64>().is_err())
    };
    match (is_word(first), is_word(second)) {
        (true, false) => return (first, second),
        (false, true) => return (second, first),
        _ => {}
    }
    let votes = shape.slots[first].row_votes - shape.slots[second].row_votes;
    if votes > 0 { (second, first) } else { (first, second) }
}

/// Whether the second slot looks like a value of the first: several initial fluents, each with another first one.
fn is_function(shape: &Shape, first: usize, second: usize) -> bool {
    let mut keys: Vec<TermId> = shape.initially.iter().map(|slots| slots[first]).collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    count >= 2 && keys.len() == count && keys.len() == length(shape, first) && second > first
}

/// Whether a role stands where it is on the board: initially each is at most at one place, and some are.
fn is_place(shape: &Shape, role: usize) -> bool {
    let mut roles: Vec<TermId> = shape.initially.iter().map(|slots| slots[role]).collect();
    let count = roles.len();
    roles.sort_unstable();
    roles.dedup();
    count > 0 && roles.len() == count
}

/// The content that means that nothing is there.
fn blank(terms: &TermStore, shape: &Shape, candidate: &Candidate) -> Option<TermId> {
    let [content] = candidate.contents[..] else { return None };
    let slot = &shape.slots[content];
    let domain = slot.domain.as_ref()?;
    let name = |term: TermId| terms.symbols().name(terms.functor(term)).to_lowercase();
    if let Some(&blank) = domain.iter().find(|&&term| BLANK.contains(&name(term).as_str())) {
        return Some(blank);
    }
    let often = |term: TermId| slot.initially.iter().filter(|&&other| other == term).count();
    let &b = domain.iter().find(|&&term| name(term) == "b")?;
    let is_black = domain.iter().any(|&term| ["w", "white"].contains(&name(term).as_str()));
    let is_most = often(b) > 0 && domain.iter().all(|&term| often(term) <= often(b));
    (is_most && !is_black).then_some(b)
}
