//! Messages are read, written and scrambled as the field's game masters do it; nothing that arrives can stop the
//! reader.

mod captured;
mod scrambled;
mod written;

use std::time::Duration;

use super::{Message, StartMessage, StepMessage};

fn step(text: &str) -> StepMessage {
    match Message::read(text) {
        Ok(Message::Play(step) | Message::Stop(step)) => step,
        other => panic!("{text}: {other:?}"),
    }
}

fn terms(words: &[&str]) -> Option<Vec<String>> {
    Some(words.iter().map(|&word| word.to_owned()).collect())
}

fn error(text: &str) -> String {
    Message::read(text).unwrap_err().to_string()
}

#[test]
fn keywords_are_read_in_any_case_and_names_keep_their_spelling() {
    let start = Message::read("(start Base.Match1 (player A) ((role (player A))\n(P ?X) ) 2.5 0)").unwrap();
    let expected = StartMessage {
        id: "Base.Match1".into(),
        role: "(player A)".into(),
        rules: "(role (player A))\n(P ?X)".into(),
        startclock: Duration::from_millis(2500),
        playclock: Duration::ZERO,
    };
    assert_eq!(start, Message::Start(expected));
    assert_eq!(Message::read(" ( Abort\tm ) ; done"), Ok(Message::Abort { id: "m".into() }));
    let preview = Message::Preview { rules: "(role x)".into(), clock: Duration::from_secs(3) };
    assert_eq!(Message::read("(PREVIEW ((role x)) 3)"), Ok(preview));
}

#[test]
fn info_is_read_with_and_without_parentheses() {
    for text in ["(INFO)", "( info )", "info", "INFO\r\n", "(INFO)\u{0}"] {
        assert_eq!(Message::read(text), Ok(Message::Info), "{text:?}");
    }
}

#[test]
fn the_dialects_are_told_by_their_members() {
    let official = step("(PLAY m 1 (Choose  2) ((DOES c (CHOOSE 2)) (a\nb) ))");
    assert_eq!(official.numbered, Some((1, Some("(Choose 2)".into()))));
    assert_eq!(official.seen, terms(&["(DOES c (CHOOSE 2))", "(a b)"]));
    let of_2011 = step("(SEES m ((a) b ))");
    assert_eq!((of_2011.numbered, of_2011.seen), (None, terms(&["(a)", "b"])));
}

#[test]
fn nil_is_no_step_and_an_empty_list_is_a_step_in_which_nothing_was_seen() {
    assert_eq!(step("(PLAY m 0 NIL nil)").numbered, Some((0, None)));
    assert_eq!(step("(PLAY m 0 NIL nil)").seen, None);
    assert_eq!(step("(PLAY m Nil)").seen, None);
    assert_eq!(step("(PLAY m ())").seen, terms(&[]));
    assert_eq!(step("(STOP m 3 noop ( ))").seen, terms(&[]));
    // After a step a move may be called nil, and a master may write NIL for an empty list: both are kept.
    assert_eq!(step("(PLAY m 2 NIL NIL)").numbered, Some((2, Some("NIL".into()))));
    assert_eq!(step("(PLAY m 2 NIL NIL)").seen, None);
    assert_eq!(step("(PLAY m 2 () NIL)").numbered, Some((2, None)));
}

#[test]
fn clocks_are_read_digit_by_digit() {
    let clock = |text: &str| match Message::read(&format!("(PREVIEW () {text})")) {
        Ok(Message::Preview { clock, .. }) => Some(clock),
        Ok(other) => panic!("{other:?}"),
        Err(error) => {
            assert!(error.to_string().starts_with("column 13: the previewclock is"), "{text}: {error}");
            None
        }
    };
    assert_eq!(clock("10"), Some(Duration::from_secs(10)));
    assert_eq!(clock("007."), Some(Duration::from_secs(7)));
    assert_eq!(clock(".5"), Some(Duration::from_millis(500)));
    assert_eq!(clock("1.0000000019"), Some(Duration::new(1, 1)));
    let year = Some(Duration::from_secs(366 * 86_400));
    assert_eq!(clock("99999999999999999999999999.9"), year);
    for wrong in ["-1", "NaN", "inf", "1e3", "1.2.3", ".", "+3", "\u{663}", "(3)", "0x10"] {
        assert_eq!(clock(wrong), None, "{wrong}");
    }
}

#[test]
fn every_error_says_place_cause_and_remedy() {
    let cases = [
        ("", "the message is empty; a game master sends a list such as `(INFO)`"),
        ("(PLAY m", "column 1: this `(` is never closed; the message is cut off, or a `)` is missing"),
        ("(INFO))", "column 7: this `)` closes nothing; remove it"),
        (
            "(INFO) hello",
            "column 8: `hello` stands behind the end of the message; send one message at a time",
        ),
        ("hello", "column 1: `hello` is no list; a message is a list such as `(PLAY id 0 NIL NIL)`"),
        (
            "()",
            "column 2: the message does not begin with a word; the words are START, PLAY, SEES, STOP, ABORT, INFO and \
             PREVIEW",
        ),
        (
            "(hi\u{1b}m)",
            "column 2: `hi` is no message; there are START, PLAY, SEES, STOP, ABORT, INFO and PREVIEW",
        ),
        ("(INFO x)", "column 1: INFO has 1 members after the word; it is `(INFO)`"),
        (
            "(PLAY m 1 a)",
            "column 1: PLAY has 3 members after the word; it is `(PLAY id n LASTMOVE (p1 p2 ))` or `(PLAY id (p1 p2 ))`",
        ),
        ("(ABORT (m))", "column 8: the name of the match is a list; it is one word"),
        ("(PLAY m noop)", "column 9: the list of percepts or moves is `noop`; it is a list in parentheses"),
        (
            "(PLAY m (a ((b) c)))",
            "column 12: this list is no term; a term is a word or a list that begins with a word",
        ),
        (
            "(PLAY m (a (b ())))",
            "column 12: this list is no term; a term is a word or a list that begins with a word",
        ),
        (
            "(PREVIEW () soon)",
            "column 13: the previewclock is `soon`; it is a number of seconds such as 10 or 2.5",
        ),
        ("(PLAY m -1 a ())", "column 9: the number of moves made is `-1`; it is a whole number from 0"),
        (
            "(PLAY m 99999999999999999999 a ())",
            "column 9: the number of moves made is `99999999999999999999`; it is a whole number from 0",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text:?}");
    }
    let long = error(&"x".repeat(1000));
    assert!(long.len() < 150, "what is quoted is shortened: {long}");
    let deep = format!("(PLAY m ({}{}))", "(f ".repeat(2_000), ")".repeat(2_000));
    assert_eq!(error(&deep), "column 3004: more than 1000 lists lie inside one another");
}
