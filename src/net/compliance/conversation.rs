//! The messages to a player and its answers, with the bytes kept for the report.
//!
//! Every check holds one conversation at a time. An answer may come one second (the *grace*) after its clock, as game
//! masters wait that long; that it was late is kept for the check of the clocks. Matches that a check leaves open are
//! aborted before the next one begins.

use std::time::{Duration, Instant};

use super::master::{CheckClocks, CheckMaster, LegalAnswer};
use super::verdict::{CheckEnd, CheckExchange, Checked, fail};
use crate::http::client::{Address, Ending, ExchangeError, Reply, ReplyLimits, exchange_bytes, request};
use crate::protocol::{Message, Phrasing, quoted};
use hyperplay_play::referee::unix_millis;

/// An answer, or why there is none, and whether the connection was closed.
pub(super) type Exchanged = (Result<Reply, ExchangeError>, bool);

/// The conversation with one player.
pub(super) struct Conversation {
    pub(super) address: Address,
    pub(super) clocks: CheckClocks,
    /// Part of the name of every match, different in each run.
    tag: String,
    matches: usize,
    open: Vec<String>,
    /// The exchanges of this check.
    pub(super) exchanges: Vec<CheckExchange>,
    /// Answers that came after their clock, in words, and all that have a clock.
    pub(super) late: Vec<String>,
    pub(super) timed: usize,
}

impl Conversation {
    pub(super) fn new(address: Address, clocks: CheckClocks) -> Self {
        Conversation {
            address,
            clocks,
            tag: format!("check{}", unix_millis()),
            matches: 0,
            open: Vec::new(),
            exchanges: Vec::new(),
            late: Vec::new(),
            timed: 0,
        }
    }

    /// A name for a match that no other match has.
    pub(super) fn new_match(&mut self) -> String {
        self.matches += 1;
        format!("{}_{}", self.tag, self.matches)
    }

    /// The same conversation in another thread, with its own record.
    pub(super) fn beside(&self) -> Conversation {
        let new = Conversation::new(self.address.clone(), self.clocks);
        Conversation { tag: self.tag.clone(), matches: self.matches, ..new }
    }

    /// Takes over what was said beside.
    pub(super) fn join(&mut self, beside: Conversation) {
        self.exchanges.extend(beside.exchanges);
        self.late.extend(beside.late);
        self.timed += beside.timed;
    }

    /// Sends any bytes; `sent` is shown in their place.
    pub(super) fn send(&mut self, bytes: &[u8], sent: &str, wait: Duration, ending: Ending) -> Exchanged {
        let begin = Instant::now();
        let record = exchange_bytes(&self.address, bytes, begin + wait, ReplyLimits::default(), ending);
        self.exchanges.push(CheckExchange {
            sent: sent.to_owned(),
            received: record.received,
            error: record.result.as_ref().err().map(ToString::to_string),
            elapsed: begin.elapsed(),
        });
        (record.result, record.closed)
    }

    /// Sends a message and waits for its clock, with some grace.
    pub(super) fn message(&mut self, message: &str, clock: Duration, ending: Ending) -> Exchanged {
        let bytes = request(&self.address, message, "Gamecontroller");
        self.send(bytes.as_bytes(), message, clock + self.clocks.grace, ending)
    }

    /// Sends a message and returns the body of its answer, without blanks around it.
    pub(super) fn ask(&mut self, message: &str, clock: Duration) -> Checked<String> {
        let (result, _) = self.message(message, clock, Ending::Complete);
        let elapsed = self.exchanges.last().map_or(clock, |exchange| exchange.elapsed);
        self.timed += 1;
        if elapsed > clock {
            let word: String = message.chars().take(48).collect();
            let [took, of] = [elapsed, clock].map(|time| time.as_secs_f64());
            self.late.push(format!("{word} took {took:.3} s of {of:.3} s"));
        }
        match result {
            Ok(reply) => Ok(reply.body.trim().to_owned()),
            Err(error) => fail(error.to_string()),
        }
    }

    /// Sends START, and sees that the answer is `ready`.
    pub(super) fn start(&mut self, master: &CheckMaster) -> Checked<()> {
        is_word(&self.start_answer(master)?, "ready", "START")
    }

    /// Sends START and returns the answer.
    pub(super) fn start_answer(&mut self, master: &CheckMaster) -> Checked<String> {
        self.open.push(master.id.clone());
        self.ask(&master.start_message(self.clocks), self.clocks.startclock)
    }

    /// Sends PLAY, and sees that the answer is one legal move.
    pub(super) fn play(&mut self, master: &mut CheckMaster) -> Checked<LegalAnswer> {
        master.judge(&self.ask(&master.play_message(), self.clocks.playclock)?).map_err(CheckEnd::Fail)
    }

    /// Sends STOP and returns the answer.
    pub(super) fn stop(&mut self, master: &CheckMaster) -> Checked<String> {
        self.open.retain(|id| *id != master.id);
        self.ask(&master.stop_message(), self.clocks.playclock)
    }

    /// Plays the rest of a match with the recorded moves of the player, and returns what was misspelt first.
    pub(super) fn play_on(&mut self, master: &mut CheckMaster) -> Checked {
        let mut misspelt = None;
        while !master.is_over() {
            let answer = self.play(master)?;
            misspelt = misspelt.or(answer.misspelt);
            master.advance(answer.choice);
        }
        self.stop(master)?;
        Ok(misspelt)
    }

    /// Sends ABORT and returns the answer, which must come at once.
    pub(super) fn abort(&mut self, id: &str) -> Checked<String> {
        self.open.retain(|other| other != id);
        self.ask(&Phrasing::default().write(&Message::Abort { id: id.to_owned() }), Duration::from_secs(1))
    }

    /// Aborts what a check has left open. The answer does not matter, and is not reported.
    pub(super) fn abandon(&mut self) {
        for id in std::mem::take(&mut self.open) {
            let message = Phrasing::default().write(&Message::Abort { id });
            let _ = self.message(&message, Duration::ZERO, Ending::Complete);
        }
        self.exchanges.clear();
    }
}

/// Whether an answer is the word that a message is answered with, in any case.
pub(super) fn is_word(answer: &str, word: &str, message: &str) -> Checked<()> {
    if answer.eq_ignore_ascii_case(word) {
        return Ok(());
    }
    fail(format!("{message} was answered with `{}`; the answer is `{word}`", quoted(answer, 60)))
}
