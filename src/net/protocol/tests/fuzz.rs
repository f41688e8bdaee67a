//! Whatever arrives, the reader answers with a message or an error, in linear time and without a panic.
//!
//! The short form reads 20,000 texts in `cargo test`. The long form reads 1,000,000:
//! `cargo test --release -p hyperplay-net -- --ignored a_million`.

use std::time::{Duration, Instant};

use hyperplay_machine::Seed;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::super::{Message, Phrasing, WireDialect, WireLetters};

/// Messages as game masters send them.
const GOOD: [&str; 9] = [
    "(START kr OPLAYER ((ROLE XPLAYER) (ROLE OPLAYER) (INIT (CELL 1 1 B)) (<= (LEGAL ?P (MARK ?M ?N)) (ROLE ?P)) ) 5 5)",
    "(PLAY kr 0 NIL NIL)",
    "(PLAY kr 1 (MARK 1 1) ((YOUGOTIT 1 1) ))",
    "(STOP mh_gc2011 ((DOES CANDIDATE SWITCH) (CAR 3) ))",
    "(PLAY v1v1 ((MARK 1 1) NOOP))",
    "(SEES m ())",
    "(ABORT kr)",
    "(INFO)",
    "(PREVIEW ((ROLE X) (INIT (P 1)) ) 10)",
];

/// Pieces that are put into messages.
const PIECES: [&str; 20] = [
    "(",
    ")",
    "((",
    "))",
    " ",
    ";",
    "\n",
    "\u{0}",
    "NIL",
    "()",
    "999999999999999999999999999999",
    "-1",
    "1e308",
    "NaN",
    "\u{feff}",
    "?x",
    "\u{fffd}",
    "\"",
    "<=",
    "\u{3c3}",
];

fn input(rng: &mut impl Rng) -> String {
    let length = 1 << rng.random_range(0..11);
    let bytes = |rng: &mut dyn Rng, length: usize| {
        let mut bytes = vec![0; length];
        rng.fill_bytes(&mut bytes);
        bytes
    };
    match rng.random_range(0..6) {
        // Random bytes, read as a server reads them.
        0 => String::from_utf8_lossy(&bytes(rng, length)).into_owned(),
        // A good message with bytes changed, removed and put in.
        1 | 2 => {
            let mut text = GOOD.choose(rng).unwrap().as_bytes().to_vec();
            for _ in 0..rng.random_range(1..6) {
                let at = rng.random_range(0..text.len());
                match rng.random_range(0..3) {
                    0 => text[at] = rng.random(),
                    1 if text.len() > 1 => drop(text.remove(at)),
                    _ => text.insert(at, rng.random()),
                }
            }
            String::from_utf8_lossy(&text).into_owned()
        }
        // A good message with a piece in it, or cut off.
        3 => {
            let good = *GOOD.choose(rng).unwrap();
            let (before, after) = good.split_at(rng.random_range(0..=good.len()));
            match rng.random() {
                true => before.to_owned(),
                false => format!("{before}{}{after}", PIECES.choose(rng).unwrap()),
            }
        }
        // Pieces without sense.
        4 => (0..rng.random_range(0..60)).map(|_| *PIECES.choose(rng).unwrap()).collect(),
        // Deep nesting.
        _ => {
            let depth = rng.random_range(0..3_000);
            format!("(PLAY m {}a{})", "(f ".repeat(depth), ")".repeat(rng.random_range(0..=depth)))
        }
    }
}

/// How many texts were messages.
fn fuzz(count: usize) -> usize {
    let mut rng = Seed::root(18).child("message reader").rng();
    let mut messages = 0;
    for _ in 0..count {
        let text = input(&mut rng);
        match Message::read(&text) {
            Err(error) => assert!(error.to_string().len() < 400, "{error}"),
            Ok(message) => {
                messages += 1;
                // A message that was read can be written, and is then read as the same.
                let phrasing = Phrasing { dialect: WireDialect::Gdl2, letters: WireLetters::AsWritten };
                let written = phrasing.write(&message);
                let numbered_nothing = matches!(&message, Message::Play(step) | Message::Stop(step)
                    if matches!(&step.numbered, Some((made, None)) if *made > 0));
                let has_comment = written.contains(';');
                assert!(
                    numbered_nothing || has_comment || Message::read(&written).as_ref() == Ok(&message),
                    "{text:?}\n{written:?}"
                );
            }
        }
    }
    messages
}

#[test]
fn twenty_thousand_texts_are_read_without_a_panic() {
    let messages = fuzz(20_000);
    assert!((1_000..19_000).contains(&messages), "{messages} are messages");
}

#[test]
#[ignore = "long: a million texts"]
fn a_million_texts_are_read_without_a_panic() {
    let begin = Instant::now();
    let messages = fuzz(1_000_000);
    println!("1,000,000 texts, {messages} of them messages, in {:.1} s", begin.elapsed().as_secs_f64());
    assert!(messages > 50_000);
}

#[test]
fn the_time_is_linear_in_the_worst_texts() {
    // 4 MB each; a quadratic pass over one of these would take hours.
    let size = 4 << 20;
    let texts = [
        "(".repeat(size),
        format!("(PLAY m ({}))", "a ".repeat(size / 2)),
        format!("(PLAY m ({}))", "(a) ".repeat(size / 4)),
        format!("(PLAY m ({}))", "() ".repeat(size / 3)),
        format!("(START m r ({}) 1 1)", "(a ;(\n)".repeat(size / 7)),
        format!("(PLAY {})", "x".repeat(size)),
        format!("(PREVIEW () {})", "9".repeat(size)),
        ";".repeat(size),
        format!("(PLAY m ({}", "(f ".repeat(size / 3)),
    ];
    let begin = Instant::now();
    for text in &texts {
        if let Ok(message) = Message::read(text) {
            assert!(!Phrasing::default().write(&message).is_empty());
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(600), "{:?}", begin.elapsed());
}
