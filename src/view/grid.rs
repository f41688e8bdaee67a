//! Grids: which shapes of fluents lie on a board, with which axes, and what stands in its cells.
//!
//! A shape lies on a grid if two of its slots have ordered domains, at least one of them strongly (`order`). If every
//! slot has an order, the last one is the content. Of the other slots, those with an order before the coordinates are
//! *keys*: each of their values has a panel of its own; so have roles before the coordinates, and any few terms there
//! if something comes behind the coordinates. The others are the contents of a cell. A fluent that has coordinates only
//! marks a cell, and lies on a grid only if the names of its variables say so, or on the grid of another fluent. A
//! shape with one ordered slot before its only content is a row of cells. A slot whose terms are squares such as `a1`
//! is both coordinates.
//!
//! The domains may contain more coordinates than the board has. A grid whose initial fluents begin in its first corner
//! and do not reach the other one is *cropped*: it is drawn as far as its initial fluents and those of the state reach,
//! and not at all where that is too far.
//!
//! **Where the axes lie.** Letters are columns. Otherwise the names of the variables in the rules decide (`?row` and
//! `?rank`, `?column` and `?file`, `?x` and `?y`), and without such names the first coordinate is the column. If the
//! column comes first, as in `(x, y)`, rows are counted upward; if the row comes first, as in a matrix, downward. The
//! axes are labelled, so a drawing is never ambiguous.

use hyperplay_logic::gdl::{Game, TermId, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};

use super::glyphs::Glyphs;
use super::order::Strength;
use super::shape::{Shape, Slot};

/// The most columns and rows that are drawn.
pub(super) const LONGEST: usize = 26;
pub(super) const TALLEST: usize = 40;
/// The most coordinates of an axis that is cropped, and the most panels of a shape.
const CROPPED: usize = 1_000;
const PANELS: usize = 12;

/// The fewest initial fluents that show how large a board is.
const CORNER: usize = 8;

/// The words for what is no piece.
const BLANK: [&str; 4] = ["blank", "empty", "none", "free"];

/// The mark of a fluent that is alone on its board.
pub(super) const ALONE: &str = "#";

/// The marks of fluents that have coordinates only, beside contents.
const MARKS: [&str; 6] = ["*", "!", "@", "%", "&", "$"];

/// An axis: the names of its coordinates in order, and the position of each term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Axis {
    pub(super) names: Vec<String>,
    pub(super) at: FxHashMap<TermId, usize>,
}

/// How the cells of a layer are written.
#[derive(Clone, Debug)]
pub(super) enum Sign {
    /// The fluent has coordinates only.
    Mark(String),
    /// The contents, and which one is drawn as an empty cell.
    Contents { slots: Vec<usize>, blank: Option<TermId>, glyphs: Vec<Glyphs> },
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
    /// Of a cropped grid: the initial rows and columns, which are always drawn.
    pub(super) crop: Option<Vec<(usize, usize)>>,
    pub(super) layers: Vec<Layer>,
    /// The slots of the first layer that tell this board from others of the same shape, with their values.
    pub(super) keys: Vec<(usize, TermId)>,
}

/// The use of the slots of a shape on a grid.
#[derive(Default)]
struct Candidate {
    shape: usize,
    column: usize,
    row: Option<usize>,
    keys: Vec<usize>,
    contents: Vec<usize>,
    /// Whether one slot is both coordinates.
    is_split: bool,
    /// Whether the names of the variables tell rows from columns.
    is_named: bool,
}

/// The grids of some shapes, in their order.
pub(super) fn grids(game: &Game, shapes: &[Shape]) -> Vec<Grid> {
    let found: Vec<Candidate> =
        (0..shapes.len()).filter_map(|at| candidate(game.terms(), shapes, at)).collect();
    let mut grids: Vec<Grid> = Vec::new();
    // Shapes with contents come first, so that marks can lie on them.
    let (full, marks): (Vec<Candidate>, Vec<Candidate>) =
        found.into_iter().partition(|candidate| !candidate.contents.is_empty());
    for candidate in full {
        let blank = blank(game.terms(), &shapes[candidate.shape], &candidate);
        let sign = Sign::Contents { slots: candidate.contents.clone(), blank, glyphs: Vec::new() };
        put(game, &mut grids, shapes, &candidate, sign);
    }
    let hosts = grids.len();
    for candidate in marks {
        let (columns, rows) = axes(game, shapes, &candidate);
        let inside = |axis: &Axis, part: &Axis| part.at.keys().all(|term| axis.at.contains_key(term));
        let fits = |grid: &Grid| {
            let rows = grid.rows.as_ref().zip(rows.as_ref());
            inside(&grid.columns, &columns) && rows.is_some_and(|(axis, part)| inside(axis, part))
        };
        let may_share = |grid: &Grid| {
            fits(grid)
                && grid.keys.is_empty()
                && candidate.keys.is_empty()
                && grid.layers.len() <= MARKS.len()
        };
        let is_board = candidate.is_named || grids[..hosts].iter().any(fits);
        let sign = |mark: &str| Sign::Mark(mark.to_owned());
        match grids.iter().position(may_share) {
            Some(at) => {
                let is_mark = |layer: &&Layer| matches!(layer.sign, Sign::Mark(_));
                let number = grids[at].layers.iter().filter(is_mark).count();
                let sign = if at < hosts { sign(MARKS[number]) } else { sign("") };
                let Candidate { shape, column, row, .. } = candidate;
                grids[at].layers.push(Layer { shape, column, row, sign });
            }
            None if is_board => put(game, &mut grids, shapes, &candidate, sign("")),
            None => {}
        }
    }
    grids
}

/// Adds a board for each value of the keys.
fn put(game: &Game, grids: &mut Vec<Grid>, shapes: &[Shape], candidate: &Candidate, sign: Sign) {
    let shape = &shapes[candidate.shape];
    let (columns, rows) = axes(game, shapes, candidate);
    let mut values: Vec<Vec<(usize, TermId)>> = vec![Vec::new()];
    for &key in &candidate.keys {
        let domain = shape.slots[key].domain.as_deref().unwrap_or_default();
        let longer = |row: &Vec<(usize, TermId)>| {
            let row = row.clone();
            domain.iter().map(move |&term| [&row[..], &[(key, term)]].concat())
        };
        values = values.iter().flat_map(longer).collect();
    }
    let upward = candidate.row.is_some_and(|row| candidate.column < row || candidate.is_split);
    let crop = rows.as_ref().zip(candidate.row).and_then(|(rows, row)| {
        let cell = |slots: &Vec<TermId>| {
            Some((*rows.at.get(&slots[row])?, *columns.at.get(&slots[candidate.column])?))
        };
        crop(
            &shape.initially.iter().filter_map(cell).collect::<Vec<_>>(),
            rows.names.len(),
            columns.names.len(),
        )
    });
    for keys in values {
        let Candidate { shape, column, row, .. } = *candidate;
        let layers = vec![Layer { shape, column, row, sign: sign.clone() }];
        let (columns, rows, crop) = (columns.clone(), rows.clone(), crop.clone());
        grids.push(Grid { columns, rows, upward, crop, layers, keys });
    }
}

/// The initial cells of a grid that is cropped.
fn crop(cells: &[(usize, usize)], rows: usize, columns: usize) -> Option<Vec<(usize, usize)>> {
    let (row, column) = (cells.iter().map(|cell| cell.0).max(), cells.iter().map(|cell| cell.1).max());
    let begins = cells.iter().any(|cell| cell.0 == 0) && cells.iter().any(|cell| cell.1 == 0);
    let ends_before =
        row.is_some_and(|row| row + 1 < rows) && column.is_some_and(|column| column + 1 < columns);
    let is_corner = cells.len() >= CORNER && begins && ends_before;
    (is_corner || rows > TALLEST || columns > LONGEST).then(|| cells.to_vec())
}

fn axes(game: &Game, shapes: &[Shape], candidate: &Candidate) -> (Axis, Option<Axis>) {
    let slots = &shapes[candidate.shape].slots;
    if candidate.is_split {
        let domain = slots[candidate.column].domain.as_deref().unwrap_or_default();
        let squares = squares(game.terms(), domain).unwrap_or_default();
        return (
            part_axis(squares.iter().map(|(term, letter, _)| (*term, (0, letter.clone())))),
            Some(part_axis(squares.iter().map(|(term, _, number)| (*term, (*number, number.to_string()))))),
        );
    }
    let axis = |slot: usize| {
        let terms = slots[slot].order.as_ref().map(|(_, terms)| terms.clone()).unwrap_or_default();
        let names = terms.iter().map(|&term| game.show(term)).collect();
        Axis { names, at: terms.into_iter().enumerate().map(|(at, term)| (term, at)).collect() }
    };
    (axis(candidate.column), candidate.row.map(axis))
}

/// An axis of the parts of squares, in the order of the parts.
fn part_axis(parts: impl Iterator<Item = (TermId, (u64, String))> + Clone) -> Axis {
    let mut names: Vec<(u64, String)> = parts.clone().map(|(_, part)| part).collect();
    names.sort_unstable();
    names.dedup();
    let at = parts.map(|(term, part)| (term, names.binary_search(&part).unwrap_or_default())).collect();
    Axis { names: names.into_iter().map(|(_, name)| name).collect(), at }
}

/// The letter and the number of terms such as `a1`, if all of them are such squares of several columns and rows.
fn squares(terms: &TermStore, domain: &[TermId]) -> Option<Vec<(TermId, String, u64)>> {
    let split = |&term: &TermId| {
        let name = terms.symbols().name(terms.functor(term));
        let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
        let number = name[1..].parse().ok().filter(|_| terms.arguments(term).is_empty())?;
        Some((term, letter.to_lowercase().to_string(), number))
    };
    let squares: Vec<(TermId, String, u64)> = domain.iter().map(split).collect::<Option<_>>()?;
    let (_, letter, number) = squares.first()?;
    let is_wide = squares.iter().any(|square| square.1 != *letter);
    (is_wide && squares.iter().any(|square| square.2 != *number)).then_some(squares)
}

/// The use of the slots of a shape, if it lies on a grid.
fn candidate(terms: &TermStore, shapes: &[Shape], at: usize) -> Option<Candidate> {
    let shape = &shapes[at];
    let count = shape.slots.len();
    let mut lines: Vec<usize> = (0..count).filter(|&slot| length(shape, slot) >= 2).collect();
    if count >= 3 && lines.len() == count {
        // Four and more equal coordinates are the ends of a line rather than a place.
        if count >= 4 && shape.slots[count - 1].order.as_ref() == shape.slots[count - 2].order.as_ref() {
            return None;
        }
        lines.pop();
    }
    if let [further @ .., first, second] = &lines[..]
        && let Some(candidate) = plane(terms, shapes, at, *first, *second, further)
    {
        return Some(candidate);
    }
    row(shape, at).or_else(|| split(terms, shape, at))
}

/// The number of coordinates of a slot; 0 if it has no order.
fn length(shape: &Shape, slot: usize) -> usize {
    shape.slots[slot].order.as_ref().map_or(0, |(_, terms)| terms.len())
}

/// A shape whose coordinates are at two slots.
fn plane(
    terms: &TermStore,
    shapes: &[Shape],
    at: usize,
    first: usize,
    second: usize,
    further: &[usize],
) -> Option<Candidate> {
    let shape = &shapes[at];
    let strength = |slot: usize| shape.slots[slot].order.as_ref().map(|(strength, _)| *strength);
    let (column, row, is_named) = orientation(terms, shapes, at, first, second);
    let same_order = shape.slots[first].order == shape.slots[second].order;
    let is_shown = same_order && shape.slots.len() > 2 && shape.initially.len() >= CORNER;
    let longest = |most: usize| if is_named || is_shown { CROPPED } else { most };
    let fits = length(shape, column) <= longest(LONGEST) && length(shape, row) <= longest(TALLEST);
    let strengths = [strength(first), strength(second)];
    let is_line = strengths.contains(&Some(Strength::Strong)) && !strengths.contains(&Some(Strength::Named));
    if !fits || !(is_line || is_named) || (shape.slots.len() == 2 && is_function(shape, 0, 1) && !is_named) {
        return None;
    }
    let size = |slot: usize| shape.slots[slot].domain.as_ref().map_or(usize::MAX, Vec::len);
    let panels = |keys: &[usize]| keys.iter().map(|&slot| size(slot)).fold(1, usize::saturating_mul);
    let mut keys = further.to_vec();
    let before: Vec<usize> = (0..first).filter(|slot| !further.contains(slot)).collect();
    let is_followed = second + 1 < shape.slots.len();
    let are_roles = before.iter().all(|&slot| shape.slots[slot].is_role);
    if is_followed {
        keys.extend(&before);
    } else {
        let roles: Vec<usize> = before.into_iter().filter(|&slot| shape.slots[slot].is_role).collect();
        keys.extend(roles.into_iter().filter(|&role| !is_place(shape, role)));
    }
    keys.sort_unstable();
    if panels(&keys) > PANELS && !are_roles {
        keys = further.to_vec();
    }
    if panels(&keys) > PANELS {
        return None;
    }
    let other = |slot: &usize| ![first, second].contains(slot) && !keys.contains(slot);
    let contents = (0..shape.slots.len()).filter(other).collect();
    Some(Candidate { shape: at, column, row: Some(row), keys, contents, is_split: false, is_named })
}

/// A shape that is a row of cells: the coordinate, and one content.
fn row(shape: &Shape, at: usize) -> Option<Candidate> {
    let [key, content] = &shape.slots[..] else { return None };
    let same = key.domain.is_some() && key.domain == content.domain;
    let is_counted = content.order.as_ref().is_some_and(|(strength, _)| *strength > Strength::Named);
    let fits = (3..=LONGEST).contains(&length(shape, 0)) && content.domain.is_some();
    if !fits || ((same || is_counted) && !is_function(shape, 0, 1)) {
        return None;
    }
    Some(Candidate { shape: at, contents: vec![1], ..Candidate::default() })
}

/// A shape whose first slot is a square, and whose second one is what stands there initially on every square.
fn split(terms: &TermStore, shape: &Shape, at: usize) -> Option<Candidate> {
    let [square, _] = &shape.slots[..] else { return None };
    let domain = square.domain.as_ref()?;
    let is_full = shape.initially.len() == domain.len() && is_place(shape, 0);
    if !is_full || squares(terms, domain).is_none() {
        return None;
    }
    let (row, contents) = (Some(0), vec![1]);
    Some(Candidate { shape: at, row, contents, is_split: true, is_named: true, ..Candidate::default() })
}

/// Which of two slots is the column and which is the row, and whether the names of the variables say so.
fn orientation(
    terms: &TermStore,
    shapes: &[Shape],
    at: usize,
    first: usize,
    second: usize,
) -> (usize, usize, bool) {
    let slots = &shapes[at].slots;
    let is_word = |slot: usize| {
        let coordinates = slots[slot].order.as_ref().map(|(_, terms)| &terms[..]).unwrap_or_default();
        coordinates.iter().all(|&term| terms.symbols().name(terms.functor(term)).parse::<i64>().is_err())
    };
    let own = [slots[first].row_votes, slots[second].row_votes];
    let is_named = own[0].signum() * own[1].signum() == -1;
    match (is_word(first), is_word(second)) {
        (true, false) => return (first, second, is_named),
        (false, true) => return (second, first, is_named),
        _ => {}
    }
    // Shapes on the same board lie the same way: neighbouring slots with the same coordinates vote together.
    let same = |pair: &[Slot]| pair[0].order == slots[first].order && pair[1].order == slots[second].order;
    let pairs = shapes.iter().flat_map(|shape| shape.slots.windows(2)).filter(|pair| same(pair));
    let votes: i32 = pairs.map(|pair| pair[0].row_votes - pair[1].row_votes).sum();
    if votes > 0 { (second, first, is_named) } else { (first, second, is_named) }
}

/// Whether the second slot looks like a value of the first: initially every coordinate of the first has one value.
fn is_function(shape: &Shape, first: usize, second: usize) -> bool {
    let count = shape.initially.len();
    count >= 2 && is_place(shape, first) && count == length(shape, first) && second > first
}

/// Whether each term at a slot is at one place initially, and some are.
fn is_place(shape: &Shape, slot: usize) -> bool {
    let terms: FxHashSet<TermId> = shape.initially.iter().map(|slots| slots[slot]).collect();
    !terms.is_empty() && terms.len() == shape.initially.len()
}

/// The content that means that nothing is there.
fn blank(terms: &TermStore, shape: &Shape, candidate: &Candidate) -> Option<TermId> {
    let [content] = candidate.contents[..] else { return None };
    let domain = shape.slots[content].domain.as_ref()?;
    let names: FxHashMap<String, TermId> =
        domain.iter().map(|&term| (terms.symbols().name(terms.functor(term)).to_lowercase(), term)).collect();
    if let Some(&blank) = BLANK.iter().find_map(|&word| names.get(word)) {
        return Some(blank);
    }
    // `nolight` beside `light`. The domain is in a fixed order, the table of names is not.
    let other = |&&term: &&TermId| {
        let name = terms.symbols().name(terms.functor(term)).to_lowercase();
        name.strip_prefix("no").is_some_and(|rest| names.contains_key(rest))
    };
    if let Some(&blank) = domain.iter().find(other) {
        return Some(blank);
    }
    let mut often: FxHashMap<TermId, usize> = FxHashMap::default();
    shape.initially.iter().for_each(|slots| *often.entry(slots[content]).or_default() += 1);
    let &b = names.get("b")?;
    let is_black = ["w", "white"].iter().any(|&word| names.contains_key(word));
    let most = often.values().copied().max().unwrap_or_default();
    (!is_black && often.get(&b).is_some_and(|&count| count == most)).then_some(b)
}
