//! Every captured message is read, told apart, and written again with the same bytes.
//!
//! The captured matches are not part of the project: the environment variable `HYPERPLAY_WIRE` names their folder.
//! Without it the test says that it is skipped.

use hyperplay_logic::gdl::{Source, load};

use super::super::captures::captures;
use super::super::{Message, Phrasing, WireDialect, WireLetters, game_line, with_joint_moves};

#[test]
fn every_captured_message_is_read_and_written_again_with_the_same_bytes() {
    let Some(captures) = captures() else { return };
    let mut count = 0;
    for (file, requests) in captures {
        let mut is_imperfect = None;
        let mut told = WireDialect::Gdl2;
        for (place, body) in requests.iter().map(|request| &request.body).enumerate() {
            let message = Message::read(body).unwrap_or_else(|error| panic!("{file}: {error}\n{body}"));
            match &message {
                Message::Start(start) => {
                    assert_eq!(place, 0);
                    let game = load(Source::new("t.kif", start.rules.clone()), None).game.unwrap();
                    is_imperfect = Some(game.is_imperfect());
                    let line = WireLetters::Upper.spell(&game_line(&game));
                    let appended =
                        with_joint_moves(line.rsplit_once(" (<= (SEES").map_or("", |(line, _)| line));
                    let appended = WireLetters::Upper.spell(&appended);
                    assert!(
                        start.rules == line || file.starts_with("v1v2") && start.rules == appended,
                        "{file}: the rules are printed as they came:\n{line}\n{}",
                        start.rules
                    );
                }
                Message::Play(step) | Message::Stop(step) => {
                    assert_eq!(step.seen.is_none(), place == 1, "{file}: {body}");
                    told = WireDialect::told(step.numbered.is_some(), is_imperfect.unwrap());
                }
                other => panic!("{file}: {other:?}"),
            }
            let phrasing = Phrasing { dialect: told, letters: WireLetters::Upper };
            assert_eq!(&phrasing.write(&message), body, "{file}");
            count += 1;
        }
        let expected = match file.as_str() {
            "mh-gc2011.txt" => WireDialect::Gdl2Of2011,
            "v1v1.txt" => WireDialect::Gdl1,
            _ => WireDialect::Gdl2,
        };
        assert_eq!(told, expected, "{file}");
    }
    assert!(count >= 40, "{count} messages are captured");
}
