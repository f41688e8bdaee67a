//! Pictures as text, readable in 80 columns without colour.
//!
//! Panels stand side by side as long as they fit. A cell that has changed is in brackets. A board that is too wide is
//! drawn with narrow gaps, and in parts below each other if that does not suffice.

use std::collections::BTreeSet;

use super::BoardLayout;
use super::grid::Sign;
use super::picture::{alternatives, percent, shares};
use super::shown::{BoardCell, BoardPanel, BoardPicture, BoardRow, GroupThing, HandGroup, LineGroup};

/// The longest line.
const WIDTH: usize = 78;

/// Parts up to this length stand beside each other.
const SHORT: usize = 20;

/// The width of the gap between two panels.
const GAP: usize = 3;

/// A picture as lines, with the probabilities of what is not certain.
pub(super) fn write(layout: &BoardLayout, picture: &BoardPicture) -> String {
    let mut out = known(layout, picture);
    let shares = shares(layout, picture);
    put_panels(&mut out, &shares);
    // Facts that the boards show are not listed again.
    for mut facts in alternatives(layout, picture, shares.is_empty()) {
        facts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let parts =
            facts.iter().map(|&(fact, share)| format!("{} % {}", percent(share), layout.game.show(fact)));
        wrap(&mut out, "?", &separated(parts, ","));
    }
    or_nothing(out)
}

/// A picture as lines, in which what is not certain is named and no more.
pub(super) fn write_known(layout: &BoardLayout, picture: &BoardPicture) -> String {
    let mut out = known(layout, picture);
    let open = alternatives(layout, picture, false).into_iter().flatten();
    wrap(&mut out, "? may hold:", &separated(open.map(|(fact, _)| layout.game.show(fact)), ","));
    or_nothing(out)
}

fn or_nothing(out: String) -> String {
    if out.is_empty() { "nothing holds\n".to_owned() } else { out }
}

/// The certain facts, and the cells that are not certain.
fn known(layout: &BoardLayout, picture: &BoardPicture) -> String {
    let mut out = String::new();
    put_panels(&mut out, &picture.panels.iter().map(|panel| written(layout, panel)).collect::<Vec<_>>());
    let cells = picture.panels.iter().flat_map(|panel| &panel.rows).flat_map(|row| &row.cells);
    let signs = cells.flat_map(|cell| &cell.signs).filter(|sign| sign.is_certain() && sign.sign != sign.name);
    let legend: BTreeSet<(&str, &str)> = signs.map(|sign| (sign.sign.as_str(), sign.name.as_str())).collect();
    let words = legend.into_iter().map(|(sign, meaning)| format!("{sign} is {meaning}"));
    wrap(&mut out, "", &separated(words, ","));
    for HandGroup { relation: name, owners, .. } in &picture.hands {
        let owners = owners.iter().map(|owner| (&owner.name, certain(&owner.things)));
        let parts = owners.filter(|(_, things)| !things.is_empty()).map(|(owner, things)| {
            let is_long = things.iter().any(|thing| thing.contains(' '));
            format!("{owner}: {}", things.join(if is_long { ", " } else { " " }))
        });
        let parts = separated(parts, " |");
        let length = parts.iter().map(|part| part.chars().count() + 1).sum::<usize>();
        let is_short = parts.iter().all(|part| part.chars().count() <= SHORT);
        if name.chars().count() + length > WIDTH && !is_short {
            parts.iter().for_each(|part| wrap_words(&mut out, name, part.trim_end_matches(" |")));
        } else if is_short {
            wrap(&mut out, name, &parts);
        } else {
            wrap_words(&mut out, name, &parts.join(" "));
        }
    }
    let is_alone = |line: &&LineGroup| {
        line.values.iter().all(|value| layout.game.terms().arguments(value.fact).is_empty())
    };
    let with_values = picture.lines.iter().filter(|line| !is_alone(line));
    let valued =
        with_values.map(|line| (&line.name, certain(&line.values))).filter(|line| !line.1.is_empty());
    let line = |name: &String, values: &[&str]| format!("{name}: {}", values.join(" "));
    let is_long = |line: &String| line.chars().count() + 4 > WIDTH;
    let mut short: Vec<String> = Vec::new();
    for (name, values) in valued {
        match line(name, &values) {
            text if is_long(&text) => wrap(&mut out, &format!("{name}:"), &values),
            text => short.push(text),
        }
    }
    let alone = picture.lines.iter().filter(is_alone).flat_map(|line| certain(&line.values));
    short.extend(alone.map(str::to_owned));
    wrap(&mut out, "", &separated(short.into_iter(), "  "));
    out
}

/// The things that hold for certain.
fn certain(things: &[GroupThing]) -> Vec<&str> {
    things.iter().filter(|thing| thing.is_certain()).map(|thing| thing.text.as_str()).collect()
}

/// A panel whose cells have their signs as texts.
fn written(layout: &BoardLayout, panel: &BoardPanel) -> BoardPanel {
    let has_blank = matches!(layout.grids[panel.grid].layers[0].sign, Sign::Contents { blank: Some(_), .. });
    let mut panel = panel.clone();
    for cell in panel.rows.iter_mut().flat_map(|row| &mut row.cells) {
        let certain = cell.signs.iter().filter(|sign| sign.is_certain());
        let mut items: Vec<(usize, &str)> = certain.map(|sign| (sign.layer, sign.sign.as_str())).collect();
        items.sort_unstable();
        if cell.signs.iter().any(|sign| !sign.is_certain()) {
            items.push((usize::MAX, "?"));
        }
        let texts: Vec<&str> = items.into_iter().map(|(_, text)| text).collect();
        let are_single = texts.iter().all(|text| text.chars().count() == 1);
        cell.text = match texts[..] {
            [] if has_blank => String::new(),
            [] => ".".to_owned(),
            _ => texts.join(if are_single { "" } else { "+" }),
        };
    }
    panel
}

/// Panels, as many beside each other as fit.
fn put_panels(out: &mut String, panels: &[BoardPanel]) {
    let blocks: Vec<Vec<String>> = panels.iter().flat_map(panel).collect();
    let rows = rows(&blocks);
    // Rows of panels that are equally long look calmer.
    let even: Vec<&[Vec<String>]> = blocks.chunks(blocks.len().div_ceil(rows.len().max(1)).max(1)).collect();
    let are_even = even.iter().all(|row| row_width(row) <= WIDTH);
    (if are_even { even } else { rows }).into_iter().for_each(|row| put_beside(out, row));
}

/// Facts behind a sign; empty if there are none.
pub(super) fn signed(sign: &str, facts: &[String]) -> String {
    let mut out = String::new();
    wrap(&mut out, sign, facts);
    out
}

/// All but the last with a separator behind them.
fn separated(parts: impl Iterator<Item = String>, separator: &str) -> Vec<String> {
    let mut parts: Vec<String> = parts.collect();
    let last = parts.len().saturating_sub(1);
    parts.iter_mut().take(last).for_each(|part| part.push_str(separator));
    parts
}

/// Words behind a first one, in lines; the lines after the first one are indented.
fn wrap(out: &mut String, first: &str, words: &[impl AsRef<str>]) {
    if words.is_empty() {
        return;
    }
    let mut line = first.to_owned();
    let mut is_begun = false;
    for word in words.iter().map(AsRef::as_ref) {
        if is_begun && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(line.trim_end());
            out.push('\n');
            line = "   ".to_owned();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        is_begun = true;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

fn wrap_words(out: &mut String, first: &str, text: &str) {
    wrap(out, first, &text.split(' ').collect::<Vec<_>>());
}

fn block_width(block: &[String]) -> usize {
    block.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

fn row_width(blocks: &[Vec<String>]) -> usize {
    blocks.iter().map(|block| block_width(block) + GAP).sum::<usize>().saturating_sub(GAP)
}

/// As many blocks beside each other as fit.
fn rows(blocks: &[Vec<String>]) -> Vec<&[Vec<String>]> {
    let mut out = Vec::new();
    let mut rest = blocks;
    while !rest.is_empty() {
        let fits = (1..=rest.len()).take_while(|&count| row_width(&rest[..count]) <= WIDTH).last();
        let (row, others) = rest.split_at(fits.unwrap_or(1));
        out.push(row);
        rest = others;
    }
    out
}

fn put_beside(out: &mut String, blocks: &[Vec<String>]) {
    let height = blocks.iter().map(|block| block.len()).max().unwrap_or(0);
    for row in 0..height {
        let mut line = String::new();
        for (at, block) in blocks.iter().enumerate() {
            let part = block.get(row).map_or("", String::as_str);
            let width = block_width(block) + if at + 1 < blocks.len() { GAP } else { 0 };
            line.push_str(&format!("{part:width$}"));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// The lines of a panel; several blocks if its columns do not fit.
fn panel(panel: &BoardPanel) -> Vec<Vec<String>> {
    let count = |text: &String| text.chars().count();
    let cells = panel.rows.iter().flat_map(|row| &row.cells);
    let width = cells.map(|cell| count(&cell.text)).chain(panel.columns.iter().map(count)).max().unwrap_or(1);
    let names = panel.rows.iter().map(|row| count(&row.name)).max().unwrap_or(0);
    let is_changed = panel.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.changed);
    let fits = |gap: usize| 2 + names + panel.columns.len() * (width + gap) <= WIDTH;
    // Brackets need a column on either side.
    let gap = if fits(2) || is_changed { 2 } else { 1 };
    let most = (WIDTH.saturating_sub(2 + names) / (width + gap)).max(1);
    let mut blocks = Vec::new();
    for from in (0..panel.columns.len()).step_by(most) {
        let part = from..(from + most).min(panel.columns.len());
        let title = if from == 0 { panel.title.clone() } else { format!("{}, continued", panel.title) };
        let mut lines = vec![title];
        let head = panel.columns[part.clone()].iter().map(|name| centred(name, width, gap, false));
        lines.push(format!("{:margin$}{}", "", head.collect::<String>(), margin = names + 2));
        for BoardRow { name, cells } in &panel.rows {
            let cells = cells[part.clone()]
                .iter()
                .map(|BoardCell { text, changed, .. }| centred(text, width, gap, *changed));
            lines.push(format!("  {name:>names$}{}", cells.collect::<String>()));
        }
        blocks.push(lines.into_iter().map(|line| line.trim_end().to_owned()).collect());
    }
    blocks
}

/// A cell with its gap: a blank or a bracket before it, and behind it if the gap is wide.
fn centred(text: &str, width: usize, gap: usize, is_changed: bool) -> String {
    let [open, close] = if is_changed { ["[", "]"] } else { [" ", " "] };
    format!("{open}{text:^width$}{}", if gap > 1 { close } else { "" })
}
