//! Pictures as text, readable in 80 columns without colour.
//!
//! Panels stand side by side as long as they fit. A cell that has changed is in brackets. A board that is too wide is
//! drawn with narrow gaps, and in parts below each other if that does not suffice.

use super::picture::{Cell, Hands, Line, Panel, Picture, percent};

/// The longest line.
const WIDTH: usize = 78;

/// Parts up to this length stand beside each other.
const SHORT: usize = 20;

/// What stands between two panels.
const GAP: usize = 3;

/// A picture as lines, with the probabilities of what is not certain.
pub(super) fn write(picture: &Picture) -> String {
    let mut out = known(picture);
    put_panels(&mut out, &picture.shares);
    for alternatives in &picture.uncertain {
        let parts =
            alternatives.iter().map(|(probability, fact)| format!("{} % {fact}", percent(*probability)));
        wrap(&mut out, "?", &separated(parts, ","));
    }
    or_nothing(out)
}

/// A picture as lines, in which what is not certain is named and no more.
pub(super) fn write_known(picture: &Picture) -> String {
    let mut out = known(picture);
    wrap(&mut out, "? may hold:", &separated(picture.open.iter().cloned(), ","));
    or_nothing(out)
}

fn or_nothing(out: String) -> String {
    if out.is_empty() { "nothing holds\n".to_owned() } else { out }
}

/// What is certain, and the cells that are not.
fn known(picture: &Picture) -> String {
    let mut out = String::new();
    put_panels(&mut out, &picture.panels);
    if !picture.legend.is_empty() {
        let words = picture.legend.iter().map(|(sign, meaning)| format!("{sign} is {meaning}"));
        wrap(&mut out, "", &separated(words, ","));
    }
    for Hands { relation: name, owners } in &picture.hands {
        let parts = owners.iter().map(|(owner, things)| {
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
    let line = |name: &String, values: &[String]| match values {
        [] => name.clone(),
        _ => format!("{name}: {}", values.join(" ")),
    };
    let is_long = |(name, values): &&Line| line(name, values).chars().count() + 4 > WIDTH;
    for (name, values) in picture.lines.iter().filter(is_long) {
        wrap(&mut out, &format!("{name}:"), values);
    }
    let short = picture.lines.iter().filter(|line| !is_long(line)).map(|(name, values)| line(name, values));
    wrap(&mut out, "", &separated(short, "  "));
    out
}

/// Panels, as many beside each other as fit.
fn put_panels(out: &mut String, panels: &[Panel]) {
    let blocks: Vec<Vec<String>> = panels.iter().flat_map(panel).collect();
    let rows = rows(&blocks);
    // Rows of panels that are equally long look calmer.
    let each = blocks.len().div_ceil(rows.len().max(1));
    let even: Vec<&[Vec<String>]> = blocks.chunks(each.max(1)).collect();
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

/// Words behind a first one, in lines; what follows the first line is indented.
fn wrap(out: &mut String, first: &str, words: &[String]) {
    if words.is_empty() {
        return;
    }
    let mut line = first.to_owned();
    let mut is_begun = false;
    for word in words {
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
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    wrap(out, first, &words);
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
fn panel(panel: &Panel) -> Vec<Vec<String>> {
    let count = |text: &String| text.chars().count();
    let cells = panel.rows.iter().flat_map(|(_, cells)| cells);
    let width = cells.map(|cell| count(&cell.text)).chain(panel.columns.iter().map(count)).max().unwrap_or(1);
    let names = panel.rows.iter().map(|(name, _)| count(name)).max().unwrap_or(0);
    let is_changed = panel.rows.iter().flat_map(|(_, cells)| cells).any(|cell| cell.is_changed);
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
        for (name, cells) in &panel.rows {
            let cells = cells[part.clone()]
                .iter()
                .map(|Cell { text, is_changed }| centred(text, width, gap, *is_changed));
            lines.push(format!("  {name:>names$}{}", cells.collect::<String>()));
        }
        blocks.push(lines.into_iter().map(|line| line.trim_end().to_owned()).collect());
    }
    blocks
}

/// A cell with its gap: a blank or a bracket before it, and behind it if the gap is wide.
fn centred(text: &str, width: usize, gap: usize, is_changed: bool) -> String {
    let [open, close] = if is_changed { ["[", "]"] } else { [" ", " "] };
    let close = if gap > 1 { close } else { "" };
    format!("{open}{text:^width$}{close}")
}
