//! The list of the checks, and running them one after the other.

use std::time::Instant;

use super::conversation::Conversation;
use super::master::CheckClocks;
use super::verdict::{CheckEnd, CheckReport, CheckVerdict};
use super::{match_checks as matches, server_checks as server};
use crate::http::client::Address;

/// How a check is run: what it found worth saying, or why it ended early.
pub(super) type CheckRun = fn(&mut Conversation) -> Result<Option<String>, CheckEnd>;

/// A check of a player server.
#[derive(Clone, Copy, Debug)]
pub struct ComplianceCheck {
    /// Its name.
    pub name: &'static str,
    /// The demand that it makes of a player.
    pub about: &'static str,
    run: CheckRun,
}

const fn check(name: &'static str, about: &'static str, run: CheckRun) -> ComplianceCheck {
    ComplianceCheck { name, about, run }
}

/// All checks, in the order in which they run.
pub fn checks() -> &'static [ComplianceCheck] {
    CHECKS
}

const CHECKS: &[ComplianceCheck] = &[
    check("info", "INFO is answered at once with ((name X) (status available))", server::info),
    check("start", "START is answered `ready` within the start clock", matches::start),
    check("gdl2", "a match of official GDL-II with legal moves", matches::official),
    check("gdl2-2011", "a match of GDL-II as of 2011 with legal moves", matches::of_2011),
    check("gdl1", "a match of GDL-I with legal moves", matches::gdl1),
    check("gdl1-as-gdl2", "a match of GDL-I told as GDL-II by `did` percepts", matches::gdl1_as_gdl2),
    check(
        "gdl1-untold",
        "a match of GDL-I of which a master of GDL-II as of 2011 tells nothing",
        matches::gdl1_untold,
    ),
    check("stop", "STOP is answered `done`", matches::stop),
    check("upper-case", "moves come in upper case if the rules do", matches::upper_case),
    check("as-written", "moves are spelt as the rules spell them", matches::as_written),
    check("scrambled", "a match whose names are scrambled", matches::scrambled),
    check("forced-move", "percepts that leave one history, and its one legal move", matches::forced_move),
    check("percept-order", "the same with percepts in the opposite order", matches::percept_order),
    check(
        "replaced-move",
        "the move that the master recorded counts, not the own one",
        matches::replaced_move,
    ),
    check(
        "lost-answer",
        "as of 2011: equal percepts are further steps after a lost answer",
        matches::lost_answer,
    ),
    check(
        "wrong-belief",
        "as of 2011: percepts that contradict the own moves say which were made",
        matches::wrong_belief,
    ),
    check("repeated-play", "a PLAY that is sent again gets the same answer", matches::repeated_play),
    check("late-play", "a PLAY after a pause is answered as usual", matches::late_play),
    check("two-matches", "two matches at once, or `busy`", matches::two_matches),
    check("abort", "ABORT while the player thinks, then a new match", matches::abort),
    check("unknown-match", "a PLAY of an unknown match gets `busy` or an error", server::unknown_match),
    check("reply-form", "status 200, a right Content-length, exactly one term", server::reply_form),
    check("closes", "the connection is closed after every answer", server::closes),
    check("header-case", "headers in other letters and a request in pieces are read", server::header_case),
    check("idle-connection", "a connection that says nothing blocks no other", server::idle_connection),
    check("garbage", "what is no message gets an answer or a close, and harms nothing", server::garbage),
    check("get", "optional: GET /MESSAGE is answered like POST", server::get),
    check("preview", "optional: PREVIEW is answered `ready`", matches::preview),
    check("options", "optional: OPTIONS is answered with CORS headers", server::options),
    check("clocks", "every answer came within its clock", server::clocks),
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
    for check in checks().iter().filter(|check| wanted(check.name)) {
        if !go_on() {
            break;
        }
        let begin = Instant::now();
        let (verdict, reason) = match (check.run)(&mut conversation) {
            Ok(note) => (CheckVerdict::Pass, note),
            Err(CheckEnd::Fail(reason)) => (CheckVerdict::Fail, Some(reason)),
            Err(CheckEnd::Skip(reason)) => (CheckVerdict::Skipped, Some(reason)),
        };
        let elapsed = begin.elapsed();
        let exchanges = std::mem::take(&mut conversation.exchanges);
        conversation.abandon();
        let report =
            CheckReport { name: check.name, about: check.about, verdict, reason, exchanges, elapsed };
        watch(&report);
        reports.push(report);
    }
    reports
}
