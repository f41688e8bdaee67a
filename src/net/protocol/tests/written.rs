//! A message that is written is read back equal.

use std::time::Duration;

use hyperplay_logic::gdl::fold;
use hyperplay_play::player::SpecWord as _;
use proptest::prelude::*;

use super::super::{Message, Phrasing, StartMessage, StepMessage, WireDialect, WireLetters};

#[path = "../../../../tests/common/property.rs"]
mod property;

#[test]
fn a_message_is_written_as_the_dresden_master_does() {
    let step = |numbered: Option<(usize, Option<&str>)>, seen: Option<&[&str]>| StepMessage {
        id: "Match1".into(),
        numbered: numbered.map(|(made, last)| (made, last.map(str::to_owned))),
        seen: seen.map(|seen| seen.iter().map(|&term| term.to_owned()).collect()),
    };
    let write = |dialect, message: &Message| Phrasing { dialect, letters: WireLetters::Upper }.write(message);
    let first = Message::Play(step(Some((0, None)), None));
    assert_eq!(write(WireDialect::Gdl2, &first), "(PLAY Match1 0 NIL NIL)");
    assert_eq!(write(WireDialect::Gdl2Of2011, &first), "(PLAY Match1 NIL)");
    let last = Message::Stop(step(Some((3, Some("(mark 1 1)"))), Some(&["(mark 1 1)", "noop"])));
    assert_eq!(write(WireDialect::Gdl2, &last), "(STOP Match1 3 (MARK 1 1) ((MARK 1 1) NOOP ))");
    assert_eq!(write(WireDialect::Gdl2Of2011, &last), "(STOP Match1 ((MARK 1 1) NOOP ))");
    assert_eq!(write(WireDialect::Gdl1, &last), "(STOP Match1 ((MARK 1 1) NOOP))");
    let nothing = Message::Play(step(Some((1, Some("noop"))), Some(&[])));
    assert_eq!(write(WireDialect::Gdl2, &nothing), "(PLAY Match1 1 NOOP ())");
    assert_eq!(write(WireDialect::Gdl2, &Message::Abort { id: "Match1".into() }), "(ABORT Match1)");
    assert_eq!(write(WireDialect::Gdl2, &Message::Info), "(INFO)");
    let preview = Message::Preview { rules: "(role x)".into(), clock: Duration::from_millis(1500) };
    assert_eq!(write(WireDialect::Gdl2, &preview), "(PREVIEW ((ROLE X) ) 1.5)");
}

#[test]
fn a_comment_in_the_last_line_of_the_rules_does_not_swallow_the_clocks() {
    let start = StartMessage {
        id: "m".into(),
        role: "x".into(),
        rules: "(role x) ; the only one".into(),
        startclock: Duration::from_secs(1),
        playclock: Duration::from_secs(2),
    };
    let text = Phrasing::default().write(&Message::Start(start));
    assert!(
        matches!(Message::read(&text), Ok(Message::Start(start)) if start.playclock.as_secs() == 2),
        "{text}"
    );
}

fn word() -> impl Strategy<Value = String> {
    // A name is any text that has no blank, no parenthesis and no semicolon.
    "[a-zA-Z0-9_?+<=.\u{e4}\u{df}\u{3c3}-]{1,8}"
}

fn term() -> impl Strategy<Value = String> {
    word().prop_recursive(4, 24, 4, |inner| {
        (word(), prop::collection::vec(inner, 0..4)).prop_map(|(name, arguments)| {
            let all: Vec<String> = std::iter::once(name).chain(arguments).collect();
            format!("({})", all.join(" "))
        })
    })
}

fn rules() -> impl Strategy<Value = String> {
    (prop::collection::vec(term(), 0..6), prop::sample::select(vec!["", " ", "\n", " )\n"]))
        .prop_map(|(terms, end)| terms.join(" ") + end)
        .prop_filter("balanced", |rules| !rules.contains(" )\n"))
}

fn clock() -> impl Strategy<Value = Duration> {
    (0_u64..1_000_000, prop::sample::select(vec![0_u32, 500_000_000, 1, 999_999_999]))
        .prop_map(|(seconds, nanoseconds)| Duration::new(seconds, nanoseconds))
}

fn step() -> impl Strategy<Value = StepMessage> {
    let terms = || prop::collection::vec(term(), 0..5);
    let numbered = prop_oneof![
        Just(Some((0, None))),
        Just(None),
        (1_usize..1_000_000, term()).prop_map(|(made, last)| Some((made, Some(last))))
    ];
    (word(), numbered, prop::option::of(terms())).prop_map(|(id, numbered, seen)| StepMessage {
        id,
        numbered,
        seen,
    })
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        Just(Message::Info),
        word().prop_map(|id| Message::Abort { id }),
        (rules(), clock()).prop_map(|(rules, clock)| Message::Preview { rules, clock }),
        (word(), term(), rules(), clock(), clock()).prop_map(|(id, role, rules, startclock, playclock)| {
            Message::Start(StartMessage { id, role, rules, startclock, playclock })
        }),
        step().prop_map(Message::Play),
        step().prop_map(Message::Stop),
    ]
}

/// A message as a dialect and its letters leave it.
fn as_sent(message: &Message, phrasing: Phrasing) -> Message {
    let spell = |text: &String| phrasing.letters.spell(text);
    let step = |step: &StepMessage| StepMessage {
        id: step.id.clone(),
        numbered: step
            .numbered
            .as_ref()
            .filter(|_| phrasing.dialect == WireDialect::Gdl2)
            .map(|(made, last)| (*made, last.as_ref().map(spell))),
        seen: step.seen.as_ref().map(|seen| seen.iter().map(spell).collect()),
    };
    match message {
        Message::Info | Message::Abort { .. } => message.clone(),
        Message::Preview { rules, clock } => Message::Preview { rules: spell(rules), clock: *clock },
        Message::Start(start) => Message::Start(StartMessage {
            role: spell(&start.role),
            rules: spell(&start.rules),
            ..start.clone()
        }),
        Message::Play(sent) => Message::Play(step(sent)),
        Message::Stop(sent) => Message::Stop(step(sent)),
    }
}

proptest! {
    #![proptest_config(property::cases(256))]

    #[test]
    fn every_message_that_is_written_is_read_back_equal(message in message()) {
        for &(_, dialect) in WireDialect::WORDS {
            for &(_, letters) in WireLetters::WORDS {
                let phrasing = Phrasing { dialect, letters };
                let text = phrasing.write(&message);
                let read = Message::read(&text);
                prop_assert_eq!(read, Ok(as_sent(&message, phrasing)), "{}", text);
            }
        }
    }

    #[test]
    fn upper_case_never_makes_two_names_equal_or_one_name_another(name in "\\PC{1,12}") {
        let upper = WireLetters::Upper.spell(&name);
        prop_assert_eq!(fold(&upper), fold(&name));
    }
}
