//! Drawing: the picture of facts by the layout of a game, and the places in it at which a move aims.

use std::collections::{BTreeMap, BTreeSet};

use super::BoardLayout;
use super::picture::{Board, Fact};
use super::shown::{
    BoardCell, BoardPanel, BoardPicture, BoardRow, BoardSign, CERTAIN, GroupKind, GroupThing, HandGroup,
    HandOwner, LegendEntry, LineGroup, MoveTarget,
};
use hyperplay_logic::gdl::TermId;

impl BoardLayout {
    /// A state, or what is believed of one, as data: facts with their probabilities, and those of the picture before,
    /// if what has changed is to be marked. Facts that are impossible are left out.
    pub fn picture(&self, facts: &[(TermId, f64)], before: Option<&[(TermId, f64)]>) -> BoardPicture {
        let terms = self.game.terms();
        let mut facts: Vec<Fact> = facts.iter().copied().filter(|(_, p)| *p > 1.0 - CERTAIN).collect();
        facts.sort_by(|a, b| terms.compare(a.0, b.0).then(b.1.total_cmp(&a.1)));
        facts.dedup_by_key(|fact| fact.0);
        let boards = Board::all(self, &facts, before.unwrap_or(&[]));
        let before: Option<BTreeMap<TermId, f64>> = before.map(|facts| facts.iter().copied().collect());
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
        for cell in cells.values_mut() {
            cell.signs.sort_by(|a, b| b.probability.total_cmp(&a.probability));
            let certain = cell.signs.iter().filter(|sign| sign.is_certain());
            cell.text = certain.map(|sign| sign.name.as_str()).collect::<Vec<_>>().join(", ");
        }
        let shown = boards.iter().enumerate().filter(|(_, board)| !board.is_too_large);
        let panels = shown.map(|(at, board)| self.panel_of(at, board, &mut cells)).collect();
        let (hands, lines) = self.groups(&rest, has_changed);
        BoardPicture {
            kind: self.kind(),
            panels,
            legend: legend.into_iter().collect(),
            hands,
            lines,
            gone: terms.sorted(gone).into_iter().map(|fact| self.game.show(fact)).collect(),
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
        let (mut hands, mut lines) = (Vec::new(), Vec::new());
        let kind = |fact: &Fact| (terms.functor(fact.0), terms.arguments(fact.0).len());
        let first = |fact: &Fact| terms.arguments(fact.0)[0];
        let words =
            |parts: &[TermId]| parts.iter().map(|&part| game.show(part)).collect::<Vec<_>>().join(" ");
        let thing = |&(fact, probability): &Fact, text: String| {
            let changed = has_changed(fact, probability);
            GroupThing { text, probability, changed, fact }
        };
        for group in rest.chunk_by(|a, b| kind(a) == kind(b)) {
            let (functor, arity) = kind(&group[0]);
            let name = game.show(terms.intern(functor, &[]));
            let described = |fact: &Fact, from: usize| thing(fact, words(&terms.arguments(fact.0)[from..]));
            match arity {
                0 => {
                    let values = vec![thing(&group[0], name.clone())];
                    lines.push(LineGroup { name, kind: GroupKind::Marks, values });
                }
                1 => {
                    let values: Vec<GroupThing> = group.iter().map(|fact| described(fact, 0)).collect();
                    let kind = group_kind(&name, values.iter().map(|value| value.text.as_str()));
                    lines.push(LineGroup { name, kind, values });
                }
                _ => {
                    let owner = |own: &[Fact]| HandOwner {
                        name: game.show(first(&own[0])),
                        things: own.iter().map(|fact| described(fact, 1)).collect(),
                    };
                    let owners: Vec<HandOwner> =
                        group.chunk_by(|a, b| first(a) == first(b)).map(owner).collect();
                    let things = owners.iter().flat_map(|owner| &owner.things);
                    let kind = group_kind(&name, things.map(|thing| thing.text.as_str()));
                    hands.push(HandGroup { relation: name, kind, owners });
                }
            }
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
    let cell = |row, column| MoveTarget { panel: Some(number), row, column, hand: None };
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
