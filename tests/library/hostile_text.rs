//! No text, however it is made, makes the readers, the validator, the renderer or the writers panic or hang.
//!
//! Texts are rulesheets mutilated at random (tokens and bytes deleted, doubled, swapped, inserted; cut; nested;
//! spliced with another; sprinkled with odd characters) and texts made of nothing but tokens. Each text has a number,
//! and its stream is seeded by it alone: a failure names the number and shows the text, and
//! `HYPERPLAY_HOSTILE=number` runs that one text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::common;
use hyperplay::gdl::{Severity, Source, Syntax, load, print, read, render};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Texts of games are cut to this length first, so that many can be tried.
const LENGTH: usize = 3000;

/// More than any text of this length may take, in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Pieces of text that have a meaning in one of the syntaxes.
const PIECES: [&str; 86] = [
    "(",
    ")",
    "(",
    ")",
    "<=",
    ":-",
    "&",
    "|",
    "~",
    "not",
    "and",
    "or",
    "distinct",
    "role",
    "init",
    "true",
    "does",
    "next",
    "legal",
    "goal",
    "terminal",
    "base",
    "input",
    "sees",
    "percept",
    "random",
    "?x",
    "?y",
    "X",
    "Y",
    "_",
    ",",
    ".",
    "'",
    "''",
    "?",
    "??",
    ";",
    "%",
    "//",
    "\n",
    "\r\n",
    "\n\n",
    "a",
    "b",
    "f",
    "100",
    "0",
    "-1",
    "'++'",
    "?'a-b'",
    "\u{0}",
    "\u{1b}[31m",
    "\u{feff}",
    "\u{202e}",
    "é",
    "ẞ",
    "İ",
    "字",
    "🎲",
    "⇐",
    "∧",
    "¬",
    "\t",
    "!=",
    "\\=",
    "=",
    "==",
    "<>",
    "<",
    "&&",
    "||",
    "\\+",
    "!",
    "<-",
    "..",
    "/*",
    "*/",
    "?_",
    "-",
    "-2",
    "(X,Y)",
    "((",
    "))",
    "%\n",
    "\r",
];

fn rng(number: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(number)
}

/// The text of a number.
fn text(number: u64, rulesheets: &[(String, String)]) -> String {
    let mut rng = rng(number);
    let Some((_, sheet)) = rulesheets.choose(&mut rng).filter(|_| rng.random_bool(0.9)) else {
        return soup(&mut rng);
    };
    let mut text = window(sheet, &mut rng).to_owned();
    for _ in 0..rng.random_range(1..8) {
        text = mutilate(&text, rulesheets, &mut rng);
    }
    text
}

/// A text of pieces.
fn soup(rng: &mut ChaCha8Rng) -> String {
    let blank = [" ", "", "\n"];
    (0..rng.random_range(0..300))
        .map(|_| {
            format!(
                "{}{}",
                PIECES.choose(rng).expect("there are some"),
                blank.choose(rng).expect("there are some")
            )
        })
        .collect()
}

/// At most `LENGTH` bytes of a text, mostly from its beginning.
fn window<'t>(text: &'t str, rng: &mut ChaCha8Rng) -> &'t str {
    let last = text.len().saturating_sub(LENGTH);
    let start = if rng.random_bool(0.5) { 0 } else { rng.random_range(0..=last) };
    let start = text.floor_char_boundary(start);
    &text[start..text.floor_char_boundary((start + LENGTH).min(text.len()))]
}

/// One random change.
fn mutilate(text: &str, rulesheets: &[(String, String)], rng: &mut ChaCha8Rng) -> String {
    let piece = *PIECES.choose(rng).expect("there are some");
    let mut place = || text.floor_char_boundary(rng.random_range(0..=text.len()));
    let (mut from, mut to) = (place(), place());
    if from > to {
        (from, to) = (to, from);
    }
    let near = text.floor_char_boundary(from + (to - from) % 9);
    match rng.random_range(0..13) {
        0 => format!("{}{}", &text[..from], &text[near.max(from)..]),
        1 => format!("{}{}{}", &text[..near], &text[from.min(near)..near], &text[near..]),
        2 => format!("{}{piece}{}", &text[..from], &text[from..]),
        3 => format!("{} {piece} {}", &text[..from], &text[from..]),
        4 => text[..to].to_owned(),
        5 => text[from..].to_owned(),
        6 => tokens(text, rng, |tokens, a, b| tokens.swap(a, b)),
        7 => tokens(text, rng, |tokens, a, _| {
            tokens.remove(a);
        }),
        8 => tokens(text, rng, |tokens, a, b| tokens.insert(a, tokens[b])),
        9 => tokens(text, rng, |tokens, a, _| tokens[a] = piece),
        10 => {
            let nest = rng.random_range(1..400);
            let (open, close) = *[("(", ")"), ("(f ", ")"), ("f(", ")"), ("~", ""), ("(not ", ")")]
                .choose(rng)
                .expect("there are some");
            format!("{}{}x{}{}", &text[..from], open.repeat(nest), close.repeat(nest), &text[from..])
        }
        11 => {
            let other = rulesheets.choose(rng).map_or("", |(_, other)| window(other, rng));
            format!("{}{other}{}", &text[..from], &text[to..])
        }
        _ => {
            let odd = char::from_u32(rng.random_range(0..0x11_0000)).unwrap_or('\u{85}');
            format!("{}{odd}{}", &text[..from], &text[from..])
        }
    }
}

/// The text with its tokens changed; `change` gets two positions.
fn tokens<'t>(
    text: &'t str,
    rng: &mut ChaCha8Rng,
    change: impl FnOnce(&mut Vec<&'t str>, usize, usize),
) -> String {
    let mut tokens: Vec<&str> = text
        .split_inclusive(|c: char| c.is_whitespace() || "(),&~|".contains(c))
        .filter(|t| !t.is_empty())
        .collect();
    if let Some(last) = tokens.len().checked_sub(1) {
        let (a, b) = (rng.random_range(0..=last), rng.random_range(0..=last));
        change(&mut tokens, a, b);
    }
    tokens.concat()
}

/// Runs one text through everything.
fn run(text: &str) {
    for syntax in [None, Some(Syntax::Kif), Some(Syntax::Infix)] {
        let source = Source::new("hostile", text);
        let loaded = load(source.clone(), syntax);
        let error = loaded.findings.iter().any(|finding| finding.severity == Severity::Error);
        assert_eq!(loaded.game.is_none(), error, "a game stands for a text without an error");
        for finding in &loaded.findings {
            assert!(finding.span.start <= finding.span.end && finding.span.end <= source.text().len());
            assert!(!finding.message.is_empty());
        }
        render(&loaded.findings[..loaded.findings.len().min(10)], &source, true);
        for to in [Syntax::Kif, Syntax::Infix] {
            let printed = print(&loaded.rulesheet, to);
            let (again, findings) = read(Source::new("printed", &printed), Some(to));
            if loaded.game.is_some() {
                assert_eq!(findings, [], "{to:?}");
                assert_eq!(again.clauses.len(), loaded.rulesheet.clauses.len());
            }
        }
    }
}

fn check(numbers: std::ops::Range<u64>) {
    let rulesheets = common::rulesheets();
    let numbers = match std::env::var("HYPERPLAY_HOSTILE").ok().and_then(|number| number.parse::<u64>().ok())
    {
        Some(number) => number..number + 1,
        None => numbers,
    };
    numbers.into_par_iter().for_each(|number| {
        let text = text(number, &rulesheets);
        let begin = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| run(&text)));
        let late = begin.elapsed() > PATIENCE;
        assert!(result.is_ok() && !late, "text {number} {}:\n{text}", if late { "hangs" } else { "breaks" });
    });
}

#[test]
fn thousands_of_mutilated_texts_are_read_and_validated() {
    check(0..3000);
}

/// The long form: `cargo test --release --test library -- --ignored hostile_text`.
#[test]
#[ignore = "takes eight minutes of one core; the short form runs always"]
fn a_million_mutilated_texts_are_read_and_validated() {
    check(0..1_000_000);
}

#[test]
fn large_monotonous_texts_are_refused_or_read_fast() {
    let begin = Instant::now();
    for piece in PIECES.into_iter().chain([
        "(\n", "(p\n", ")\n", "(<= ", "(<= p\n", "p :- q ", "p(", "~(", "x ~y ", "p, ", "(p, ", "(p ; ",
        "p(a ;", "X = Y, ", "(X, ", "(X) = ",
    ]) {
        let monotonous = piece.repeat(20_000);
        for syntax in [Syntax::Kif, Syntax::Infix] {
            for text in [monotonous.clone(), format!("p :- {monotonous}"), format!("(<= p {monotonous}")] {
                let source = Source::new("large", &text);
                let (rulesheet, findings) = read(source.clone(), Some(syntax));
                assert!(findings.len() <= 102, "{piece:?}");
                render(&findings, &source, false);
                print(&rulesheet, Syntax::Infix);
            }
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "{piece:?} takes too long");
    }
    let huge = "(p) ".repeat(5 << 20);
    assert_eq!(read(Source::new("huge", &huge), None).1.len(), 1);
}
