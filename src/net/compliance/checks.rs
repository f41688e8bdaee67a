//! The list of the checks, and running them one after the other.

use std::time::Instant;

use super::conversation::Conversation;
use super::games::{COLOURS, LAMPS, TREASURE, TURNS};
use super::master::{AS_WRITTEN, CheckClocks, GDL1, GDL2, OF_2011, Telling};
use super::verdict::{CheckEnd, CheckReport, CheckVerdict, Checked};
use super::{match_checks as matches, server_checks as server};
use crate::http::client::Address;

/// How a check is run: what it found worth saying, or why it ended early.
pub(super) type CheckRun = fn(&mut Conversation) -> Checked;

/// The names of all checks, in the order in which they run.
pub fn checks() -> impl Iterator<Item = &'static str> {
    RUNS.iter().map(|&(name, _)| name)
}

/// The demand that a check makes of a player.
fn about(name: &str) -> &'static str {
    let mut lines = include_str!("checks.tsv").lines();
    let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
    found.expect("the file has every check")
}

/// The checks by name.
const RUNS: &[(&str, CheckRun)] = &[
    ("info", server::info),
    ("start", matches::start),
    ("gdl2", |talk| matches::legal(talk, LAMPS, GDL2)),
    ("gdl2-2011", |talk| matches::legal(talk, LAMPS, OF_2011)),
    ("gdl1", |talk| matches::legal(talk, COLOURS, GDL1)),
    ("gdl1-as-gdl2", |talk| matches::legal(talk, COLOURS, GDL2)),
    ("gdl1-untold", |talk| matches::legal(talk, TURNS, OF_2011)),
    ("stop", matches::stop),
    ("upper-case", |talk| matches::spelt(talk, LAMPS, GDL2)),
    ("as-written", |talk| matches::spelt(talk, LAMPS, AS_WRITTEN)),
    ("scrambled", |talk| matches::legal(talk, LAMPS, Telling { scrambled: true, ..GDL2 })),
    ("forced-move", |talk| matches::legal(talk, TREASURE, GDL2)),
    ("percept-order", |talk| matches::legal(talk, TREASURE, Telling { reversed: true, ..GDL2 })),
    ("replaced-move", matches::replaced_move),
    ("lost-answer", matches::lost_answer),
    ("wrong-belief", matches::wrong_belief),
    ("repeated-play", matches::repeated_play),
    ("late-play", matches::late_play),
    ("two-matches", matches::two_matches),
    ("abort", matches::abort),
    ("unknown-match", server::unknown_match),
    ("reply-form", server::reply_form),
    ("closes", server::closes),
    ("header-case", server::header_case),
    ("idle-connection", server::idle_connection),
    ("garbage", server::garbage),
    ("get", server::get),
    ("preview", matches::preview),
    ("options", server::options),
    ("clocks", server::clocks),
];

/// Runs the checks that are `wanted` on a player. `watch` sees every report as soon as it is there; when `go_on` says
/// no, no further check begins.
pub fn run_checks(
    address: &Address,
    clocks: CheckClocks,
    wanted: &dyn Fn(&str) -> bool,
    mut go_on: impl FnMut() -> bool,
    mut watch: impl FnMut(&CheckReport),
) -> Vec<CheckReport> {
    let mut conversation = Conversation::new(address.clone(), clocks);
    let mut reports = Vec::new();
    for &(name, run) in RUNS.iter().filter(|(name, _)| wanted(name)) {
        if !go_on() {
            break;
        }
        let begin = Instant::now();
        let (verdict, reason) = match run(&mut conversation) {
            Ok(note) => (CheckVerdict::Pass, note),
            Err(CheckEnd::Fail(reason)) => (CheckVerdict::Fail, Some(reason)),
            Err(CheckEnd::Skip(reason)) => (CheckVerdict::Skipped, Some(reason)),
        };
        let elapsed = begin.elapsed();
        let exchanges = std::mem::take(&mut conversation.exchanges);
        conversation.abandon();
        let report = CheckReport { name, about: about(name), verdict, reason, exchanges, elapsed };
        watch(&report);
        reports.push(report);
    }
    reports
}
