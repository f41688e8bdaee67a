//! Symbols: names of players, sets and moves as words that every reader of GDL takes for one constant.
//!
//! Letters become lower-case, because GDL ignores case; digits stay; `+` becomes `plus`, and `-` before a digit at the
//! beginning or after a blank `minus`; another letter or digit of Unicode becomes its code point, as in `u00e9`; all
//! other characters become `_`, in rows one, and none at either end. A name of which nothing is left gets a number, as
//! does the name of a player or set that begins with a digit. A word with a meaning in the rulesheet gets a `_` at its
//! end. Where two names among siblings become equal, the later one gets `_2`, `_3`, ...

use std::fmt::Write as _;

use crate::gambit::file::GambitFile;
use crate::gambit::label::distinct;

/// The words of GDL-II and of our rulesheets.
const RESERVED: [&str; 22] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept",
    "distinct", "not", "and", "or", "random", "did", "noop", "at", "waiting", "copy",
];

/// The symbols of a document.
pub(super) struct GambitSymbols {
    /// Of each player.
    pub(super) roles: Vec<String>,
    /// Of each information set; unique among those of its player.
    pub(super) sets: Vec<String>,
    /// Of the moves of each information set; unique among them.
    pub(super) moves: Vec<Vec<String>>,
    /// Of the moves of each chance node; unique among them.
    pub(super) chances: Vec<Vec<String>>,
}

impl GambitSymbols {
    pub(super) fn new(file: &GambitFile) -> Self {
        let names = file.players.iter().enumerate().map(|(index, name)| named(name, "player", index));
        let roles = unique(names.collect());
        let mut sets = vec![String::new(); file.sets.len()];
        for player in 0..file.players.len() {
            let own = file.sets.iter().enumerate().filter(|(_, set)| set.player as usize == player);
            let names = own.clone().map(|(_, set)| named(&set.name, "set", set.number as usize - 1));
            for ((index, _), symbol) in own.zip(unique(names.collect())) {
                sets[index] = symbol;
            }
        }
        let of_moves = |labels: &mut dyn Iterator<Item = &String>| {
            let symbols = labels.enumerate().map(|(index, label)| match symbol(label) {
                empty if empty.is_empty() => format!("move_{}", index + 1),
                // A move may well be called noop.
                noop if noop == "noop_" => "noop".to_owned(),
                other => other,
            });
            unique(symbols.collect())
        };
        let moves = file.sets.iter().map(|set| of_moves(&mut set.moves.iter())).collect();
        let chances = &file.chances;
        let chances = chances.iter().map(|chance| of_moves(&mut chance.moves.iter().map(|(label, _)| label)));
        GambitSymbols { roles, sets, moves, chances: chances.collect() }
    }
}

/// The symbol of a player or set; `kind` and its number if there is nothing else.
fn named(name: &str, kind: &str, index: usize) -> String {
    let symbol = symbol(name);
    match symbol.bytes().next() {
        None => format!("{kind}_{}", index + 1),
        Some(first) if first.is_ascii_digit() => format!("{kind}_{symbol}"),
        Some(_) => symbol,
    }
}

/// A name as a symbol; empty if it has no letter or digit.
fn symbol(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let begins = out.is_empty() || out.ends_with('_');
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            '+' => out.push_str(if begins { "plus_" } else { "_plus_" }),
            '-' if begins && chars.peek().is_some_and(char::is_ascii_digit) => out.push_str("minus_"),
            c if c.is_alphanumeric() => {
                write!(out, "u{:04x}", u32::from(c)).expect("a string can be written to")
            }
            _ if begins => {}
            _ => out.push('_'),
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    if RESERVED.contains(&out.as_str()) {
        out.push('_');
    }
    out
}

fn unique(symbols: Vec<String>) -> Vec<String> {
    distinct(symbols.into_iter().map(|symbol| (symbol, true)).collect(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, expected) in [
            ("Raise", "raise"),
            ("Take it!", "take_it"),
            ("(1,1)", "1_1"),
            ("+1", "plus_1"),
            ("-1", "minus_1"),
            ("a-b", "a_b"),
            ("a+b", "a_plus_b"),
            ("x -2", "x_minus_2"),
            ("Größe", "gru00f6u00dfe"),
            ("??", ""),
            ("Random", "random_"),
            ("NOT", "not_"),
            ("a;b(c)", "a_b_c"),
            ("\u{1F3B2}", ""),
        ] {
            assert_eq!(symbol(name), expected, "{name}");
        }
        assert_eq!(named("1", "player", 0), "player_1");
        assert_eq!(named("", "set", 6), "set_7");
    }

    #[test]
    fn siblings_are_distinct_ignoring_case() {
        assert_eq!(unique(["H", "h", "h 2"].map(symbol).to_vec()), ["h", "h_3", "h_2"]);
    }
}
