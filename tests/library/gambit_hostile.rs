//! No text makes the reader of Gambit's files panic; what it reads can be written, read again and converted.
//!
//! Texts are the samples mutilated at random (tokens deleted, doubled, swapped, replaced; cut; spliced with another
//! sample) and texts made of nothing but tokens. Each text has a number, and its stream is seeded by it alone: a failure
//! names the number and shows the text, and `HYPERPLAY_HOSTILE=number` runs that one text.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hyperplay::games::gambit::{Fraction, GambitFile, GambitNode, GambitPlace, KifOptions, to_kif};
use hyperplay::gdl::{Source, Syntax, read};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Pieces of text that have a meaning in the format, and some that have none.
const PIECES: [&str; 44] = [
    "EFG",
    "2",
    "R",
    "D",
    "\"\"",
    "\"a\"",
    "\"b\"",
    "\"",
    "\\\"",
    "\\",
    "{",
    "}",
    "c",
    "p",
    "t",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "1/2",
    "1/3",
    "2/3",
    "0.5",
    "1/0",
    "1e9",
    "1e99",
    "-1e-30",
    ".",
    "-",
    "/",
    ",",
    "\n",
    "\t",
    "\r\n",
    "\u{b}",
    "x",
    "é",
    "\u{feff}",
    "\u{0}",
    "🎲",
    "79228162514264337593543950336",
    "1/79228162514264337593543950335",
    "99999999999999999999999999999999999999999999",
];

fn samples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/efg");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// The text of a number.
fn text(number: u64, samples: &[String]) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    let piece = |rng: &mut ChaCha8Rng| *PIECES.choose(rng).unwrap();
    if rng.random_bool(0.1) {
        let blank = [" ", "", "\n"];
        return (0..rng.random_range(0..100))
            .map(|_| piece(&mut rng).to_owned() + blank.choose(&mut rng).unwrap())
            .collect();
    }
    let mut tokens = split(samples.choose(&mut rng).unwrap());
    for _ in 0..rng.random_range(1..6) {
        let (a, b) = (rng.random_range(0..=tokens.len()), rng.random_range(0..=tokens.len()));
        let (a, b) = (a.min(b), a.max(b));
        match rng.random_range(0..14) {
            0 => drop(tokens.drain(a..b.min(a + 4))),
            1 => tokens.insert(a, piece(&mut rng)),
            2 => tokens.truncate(b),
            3 => drop(tokens.drain(..a)),
            4 => {
                let copy = tokens[a..b.min(a + 30)].to_vec();
                drop(tokens.splice(b..b, copy));
            }
            5 => {
                let other = split(samples.choose(&mut rng).unwrap());
                let from = rng.random_range(0..other.len());
                drop(tokens.splice(a..b, other[from..].iter().copied()));
            }
            _ if tokens.is_empty() => {}
            6 => {
                let last = tokens.len() - 1;
                tokens.swap(a.min(last), b.min(last));
            }
            // A number for a number leaves most texts well formed.
            7..=12 => {
                let numbers: Vec<usize> = (0..tokens.len()).filter(|&at| is_number(tokens[at])).collect();
                if let (Some(&at), Some(&from)) = (numbers.choose(&mut rng), numbers.choose(&mut rng)) {
                    tokens[at] = tokens[from];
                }
            }
            _ => {
                let last = tokens.len() - 1;
                tokens[a.min(last)] = piece(&mut rng);
            }
        }
    }
    tokens.concat()
}

fn is_number(token: &str) -> bool {
    token.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Words with the blanks behind them; quotation marks and braces by themselves.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive(|c: char| c.is_whitespace() || "{}\",".contains(c)).collect()
}

/// The nodes of a game. Chance nodes are given by their probabilities: labels that only differ in what is not legal
/// become equal when they are written, and chance nodes with them.
fn shape(file: &GambitFile) -> Vec<(Option<GambitNode>, Vec<Fraction>)> {
    let of = |&node: &GambitNode| match node {
        GambitNode::Chance(id) => (None, file.chance(id).moves.iter().map(|(_, share)| *share).collect()),
        other => (Some(other), Vec::new()),
    };
    file.nodes().iter().map(of).collect()
}

/// Runs one text through everything; returns whether it is a game.
fn run(text: &str) -> bool {
    let file = match GambitFile::read(text) {
        Ok(file) => file,
        Err(error) => {
            let GambitPlace::Text { line, column } = error.place else { panic!("{error}") };
            let lines = text.split('\n').count();
            assert!(line >= 1 && line as usize <= lines && column >= 1, "{error}");
            let length = text.split('\n').nth(line as usize - 1).unwrap().chars().count();
            assert!(column as usize <= length + 1, "{error}");
            assert!(!error.to_string().is_empty() && !error.remedy().is_empty());
            return false;
        }
    };
    let written = |file: &GambitFile| {
        let mut out = Vec::new();
        file.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let once = written(&file);
    let again = GambitFile::read(&once).unwrap();
    assert_eq!((shape(&again), again.outcomes()), (shape(&file), file.outcomes()));
    assert_eq!(written(&again), once);
    for round in [false, true] {
        if let Ok(kif) = to_kif(&file, "hostile", &KifOptions { round, ..KifOptions::default() }) {
            assert_eq!(read(Source::new("hostile", &kif.text), Some(Syntax::Kif)).1, []);
        }
    }
    true
}

fn check(numbers: std::ops::Range<u64>) {
    let samples = samples();
    let numbers = match std::env::var("HYPERPLAY_HOSTILE").ok().and_then(|number| number.parse::<u64>().ok())
    {
        Some(number) => number..number + 1,
        None => numbers,
    };
    let all = numbers.end - numbers.start;
    let games = numbers.into_par_iter().filter(|&number| {
        let text = text(number, &samples);
        let result = catch_unwind(AssertUnwindSafe(|| run(&text)));
        result.unwrap_or_else(|_| panic!("text {number} breaks:\n{text}"))
    });
    let games = games.count() as u64;
    println!("{games} of {all} texts are games");
    assert!(all == 1 || games * 20 > all, "{games} of {all} texts are games");
}

#[test]
fn thousands_of_mutilated_texts_are_read_or_refused() {
    check(0..5000);
}

/// The long form: `cargo test --release --test library -- --ignored gambit_hostile`.
#[test]
#[ignore = "takes two minutes of two cores; the short form runs always"]
fn a_million_mutilated_texts_are_read_or_refused() {
    check(0..1_000_000);
}
