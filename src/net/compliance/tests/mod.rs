//! The checks tell a correct player from broken ones, and each defect by the checks that ask for what is missing.

mod player;

use std::time::Duration;

use super::{CheckClocks, CheckReport, CheckVerdict, checks, run_checks};
use crate::http::client::{Address, request};
use crate::protocol::captures::captures;
use player::{Defect, serve};

/// Short for a player whose answers are waited for in vain, and long for one that answers at once, so that it is not
/// late on a busy machine.
fn clocks(defect: Defect) -> CheckClocks {
    let waits = matches!(defect, Defect::Silent | Defect::OneByOne | Defect::KeepsOpen | Defect::Late);
    let clock = Duration::from_millis(if waits { 800 } else { 5000 });
    CheckClocks { startclock: clock, playclock: clock, grace: clock / 2 }
}

fn run(defect: Defect, wanted: &[&str]) -> Vec<CheckReport> {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.contains(&name);
    run_checks(&serve(defect), clocks(defect), &is_wanted, || true, |_| {})
}

fn with(reports: &[CheckReport], verdict: CheckVerdict) -> Vec<&'static str> {
    reports.iter().filter(|report| report.verdict == verdict).map(|report| report.name).collect()
}

/// The checks that a player with a defect fails, all others passing.
fn failed(defect: Defect) -> Vec<&'static str> {
    // One check pauses for longer than a clock; the correct player is asked for it too.
    let is_asked = |name: &&str| defect == Defect::None || *name != "late-play";
    let names: Vec<&str> = checks().filter(is_asked).collect();
    let reports = run(defect, &names);
    assert_eq!(reports.len(), names.len());
    let skipped = with(&reports, CheckVerdict::Skipped);
    assert!(skipped.is_empty() || defect == Defect::OneMatch, "{skipped:?}");
    for report in reports.iter().filter(|report| report.verdict == CheckVerdict::Fail) {
        assert!(report.reason.is_some(), "{report:?}");
        assert!(report.name == "clocks" || !report.exchanges.is_empty(), "{report:?}");
    }
    with(&reports, CheckVerdict::Fail)
}

#[test]
fn a_correct_player_passes_every_check() {
    assert_eq!(failed(Defect::None), [""; 0]);
}

#[test]
fn a_silent_player_fails_at_once_in_everything_it_is_asked() {
    let wanted = ["info", "start", "gdl2", "closes", "garbage", "clocks"];
    let reports = run(Defect::Silent, &wanted);
    assert_eq!(with(&reports, CheckVerdict::Fail), wanted);
    assert_eq!(reports[0].reason.as_deref(), Some("the time was up while the answer was awaited"));
}

#[test]
fn an_answer_that_is_no_term_fails_wherever_an_answer_is_read() {
    let reports = run(Defect::Junk, &["info", "start", "closes", "header-case", "idle-connection"]);
    assert_eq!(with(&reports, CheckVerdict::Fail), ["info", "start"]);
    let reason = reports[1].reason.as_deref();
    assert_eq!(reason, Some("START was answered with `this is ) junk`; the answer is `ready`"));
}

#[test]
fn a_player_that_keeps_connections_open_fails_in_the_check_of_that_alone() {
    assert_eq!(failed(Defect::KeepsOpen), ["closes"]);
}

#[test]
fn a_player_that_answers_in_other_letters_fails_in_the_checks_of_spelling() {
    assert_eq!(failed(Defect::LowerCase), ["upper-case", "as-written"]);
}

#[test]
fn a_player_that_does_not_look_at_percepts_fails_where_they_decide() {
    let failed = failed(Defect::Blind);
    assert!(failed.contains(&"forced-move") && failed.contains(&"percept-order"), "{failed:?}");
    assert!(!failed.contains(&"gdl2"), "{failed:?}");
}

#[test]
fn a_player_that_follows_its_own_moves_fails_when_another_one_was_recorded() {
    assert_eq!(failed(Defect::OwnMoves), ["replaced-move"]);
}

#[test]
fn a_player_that_takes_equal_percepts_for_a_repetition_fails_after_a_lost_answer() {
    assert_eq!(failed(Defect::Repeating), ["gdl1-untold", "lost-answer"]);
}

#[test]
fn a_player_that_believes_in_what_it_has_sent_does_not_recover() {
    assert_eq!(failed(Defect::Stubborn), ["lost-answer", "wrong-belief"]);
}

#[test]
fn a_player_that_needs_joint_moves_fails_where_nothing_is_told() {
    assert_eq!(failed(Defect::JointMoves), ["gdl1-untold"]);
}

#[test]
fn a_player_that_takes_a_repeated_message_for_a_new_one_fails() {
    assert_eq!(failed(Defect::Forgetful), ["repeated-play"]);
}

#[test]
fn a_player_that_serves_one_connection_after_the_other_is_blocked_by_an_idle_one() {
    assert_eq!(failed(Defect::OneByOne), ["idle-connection", "clocks"]);
}

#[test]
fn a_player_that_is_late_fails_in_the_check_of_the_clocks_alone() {
    let reports = run(Defect::Late, &["gdl2", "forced-move", "clocks"]);
    assert_eq!(with(&reports, CheckVerdict::Fail), ["clocks"]);
    let reason = reports[2].reason.as_deref().unwrap();
    assert!(reason.starts_with("5 of 9 answers were late: (PLAY check"), "{reason}");
}

#[test]
fn a_player_without_content_length_fails_in_the_form_of_answers() {
    assert_eq!(failed(Defect::NoLength), ["reply-form"]);
}

#[test]
fn a_player_that_knows_no_abort_fails_in_abort() {
    assert_eq!(failed(Defect::NoAbort), ["abort"]);
}

#[test]
fn a_player_of_one_match_is_not_asked_for_two() {
    let reports = run(Defect::OneMatch, &["gdl2", "two-matches", "abort"]);
    assert_eq!(with(&reports, CheckVerdict::Fail), [""; 0]);
    assert_eq!(with(&reports, CheckVerdict::Skipped), ["two-matches"]);
}

#[test]
fn a_request_has_the_bytes_of_every_captured_one() {
    let address = Address::parse("http://127.0.0.1").unwrap();
    for (file, requests) in captures().unwrap_or_default() {
        for captured in requests {
            let bytes = request(&address, &captured.body, "Gamecontroller");
            assert_eq!(bytes, format!("{}\r\n\r\n{}", captured.head, captured.body), "{file}");
        }
    }
}
