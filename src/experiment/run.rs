//! Run: plays the matches of a shard on any number of threads and writes them in their order.
//!
//! Every thread takes the next match of the sequence, plays it, and hands in its lines; the thread that hands in the
//! match that the files wait for writes it and all matches after it that are finished already. So the files hold the
//! same bytes on one thread and on sixteen, matches that are finished in order are never lost, and at most [`WINDOW`]
//! matches are held in memory.
//!
//! A match in which the rules cannot be evaluated is written like any other; the first of them is named at the end.
//!
//! Matches that the files held already are handed in likewise, in their turn, wherever some file lacks them
//! ([`journal`](super::journal)).
//!
//! An interrupt ends the matches that are being played between two steps; they are played again by the next run.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::arena::Arena;
use super::config::OnFault;
use super::journal::Journal;
use super::plan::MatchPlace;
use super::pool::Pool;
use super::recorder::{MatchFailure, RecordLines, SeatFault};
use super::sequence::{NextMatch, Sequence};
use super::stored::FinishedMatch;
use hyperplay_lab::study::DecisionTally;
use hyperplay_lab::{LabError, LabResult};
use hyperplay_play::referee::Interrupt;

/// Matches that may be ahead of the files.
pub const WINDOW: u64 = 1024;

/// How often a thread that waits looks at the interrupt.
const LOOK: Duration = Duration::from_millis(50);

/// The remedy for a run that ended because of a fault.
const FAULT_REMEDY: &str =
    "see to the player and give the same command again; with on_fault = 'record' in the file the run goes on";

/// The matches that are to be played and the files to which they are written.
pub struct RunTask<'a> {
    /// The matches.
    pub sequence: Sequence<'a>,
    /// The files, and their content so far.
    pub journal: Journal<'a>,
    /// The matches of other folders.
    pub pool: Pool<'a>,
    /// The reaction when a move was replaced.
    pub on_fault: OnFault,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunEnd {
    /// Matches that were played.
    pub played: u64,
    /// Matches that were taken from other folders.
    pub reused: u64,
    /// Whether these were all that was left.
    pub is_complete: bool,
    /// How many of them failed.
    pub failed: u64,
    /// The first of those.
    pub first_failure: Option<MatchFailure>,
    /// In how many of them a move was replaced.
    pub faulted: u64,
    /// By entrant, its decisions in the matches that were played.
    pub decisions: BTreeMap<usize, DecisionTally>,
}

/// The data that all threads share.
struct Shared<'a> {
    task: RunTask<'a>,
    /// By entrant, whether a move of it came.
    answered: Vec<bool>,
    /// Matches given out and matches written, both in the order of the sequence, and what is known of the end by these.
    issued: u64,
    written: u64,
    end: RunEnd,
    /// Matches that are ahead of the files, and where their records come from.
    ahead: BTreeMap<u64, (MatchPlace, RecordLines, Origin)>,
    /// Why the run ends early.
    failure: Option<LabError>,
}

/// Where the records of a match come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Played,
    Kept,
    Reused { has_failed: bool, has_faults: bool },
}

/// The number of a match in the sequence, which it is, and its records if there are any.
type Taken = (u64, MatchPlace, Option<FinishedMatch>, Origin);

struct Run<'a> {
    arena: &'a Arena,
    interrupt: &'a Interrupt,
    shared: Mutex<Shared<'a>>,
    changed: Condvar,
    tick: &'a (dyn Fn() + Sync),
}

/// Plays what is left of a sequence on `threads` threads; `tick` is called for every match written.
///
/// # Errors
/// [`LabError`]; the matches written before are complete.
pub fn run(
    arena: &Arena,
    task: RunTask<'_>,
    threads: usize,
    interrupt: &Interrupt,
    tick: &(dyn Fn() + Sync),
) -> LabResult<RunEnd> {
    let shared = Shared {
        task,
        answered: vec![false; arena.plan.entrants.len()],
        issued: 0,
        written: 0,
        end: RunEnd::default(),
        ahead: BTreeMap::new(),
        failure: None,
    };
    let run = Run { arena, interrupt, shared: Mutex::new(shared), changed: Condvar::new(), tick };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let ended = pool.broadcast(|_| run.work());
    let mut shared = run.shared.into_inner();
    if let Some(failure) = shared.failure {
        return Err(failure);
    }
    shared.end.is_complete = ended.into_iter().all(|end| end);
    if shared.end.is_complete {
        shared.task.journal.end()?;
    }
    Ok(shared.end)
}

impl RunTask<'_> {
    /// A match as it was recorded earlier, here or in another folder; nothing if it is to be played, as where another
    /// program could not be reached elsewhere.
    fn stored(&mut self, place: &MatchPlace) -> LabResult<(Option<FinishedMatch>, Origin)> {
        if let Some(kept) = self.journal.stored(place.id)? {
            return Ok((Some(kept), Origin::Kept));
        }
        let reused = self.pool.take(place)?.filter(|found| !found.was_unreachable());
        let origin = reused.as_ref().map_or(Origin::Played, |FinishedMatch { record, .. }| Origin::Reused {
            has_failed: record.has_failed(),
            has_faults: record.has_faults(),
        });
        Ok((reused, origin))
    }
}

impl<'a> Run<'a> {
    /// The work of a thread; returns whether it ended because nothing was left to play.
    fn work(&self) -> bool {
        loop {
            let (number, place, stored, origin) = match self.take() {
                Ok(Some(taken)) => taken,
                Ok(None) => return true,
                Err(()) => return false,
            };
            let lines = match stored {
                Some(finished) => self.arena.completed(finished, self.interrupt),
                None => self.arena.play(&place, self.interrupt),
            };
            match lines {
                Ok(Some(lines)) => self.hand_in(number, (place, lines, origin)),
                Ok(None) => return false,
                Err(error) => {
                    self.shared.lock().failure.get_or_insert(error);
                    self.changed.notify_all();
                    return false;
                }
            }
        }
    }

    /// The next match, and its lines if it was played earlier; none if there is none, an error if the run is to end.
    fn take(&self) -> Result<Option<Taken>, ()> {
        let mut shared = self.shared.lock();
        loop {
            if self.interrupt.is_raised() || shared.failure.is_some() {
                return Err(());
            }
            if shared.issued - shared.written < WINDOW {
                match shared.task.sequence.next() {
                    NextMatch::Match(place) => {
                        let number = shared.issued;
                        shared.issued += 1;
                        let stored = shared.task.stored(&place);
                        return stored.map(|(stored, origin)| Some((number, place, stored, origin))).map_err(
                            |error| {
                                shared.failure.get_or_insert(error);
                            },
                        );
                    }
                    NextMatch::End => return Ok(None),
                    NextMatch::Wait => {}
                }
            }
            self.changed.wait_for(&mut shared, LOOK);
        }
    }

    fn hand_in(&self, number: u64, made: (MatchPlace, RecordLines, Origin)) {
        let mut shared = self.shared.lock();
        let shared = &mut *shared;
        shared.ahead.insert(number, made);
        while let Some((place, mut lines, origin)) = shared.ahead.remove(&shared.written) {
            if shared.failure.is_some() {
                break;
            }
            if let Some(fault) = self.ends_it(&mut shared.answered, shared.task.on_fault, &place, &lines) {
                shared.failure = Some(fault);
                break;
            }
            let end = &mut shared.end;
            end.played += u64::from(origin == Origin::Played);
            if let Origin::Reused { has_failed, has_faults } = origin {
                end.reused += 1;
                end.failed += u64::from(has_failed);
                end.faulted += u64::from(has_faults);
            }
            end.faulted += u64::from(lines.faults.iter().any(Option::is_some));
            end.failed += u64::from(lines.failure.is_some());
            for (&entrant, decisions) in
                self.arena.plan.seats(&place).iter().zip(std::mem::take(&mut lines.decisions))
            {
                end.decisions.entry(entrant).or_default().add(decisions);
            }
            let made = [end.played + end.reused, end.failed, end.faulted];
            match shared.task.journal.write(place.id, &lines, made) {
                Ok(()) => {
                    shared.task.sequence.feed(&place, lines.goals.as_deref());
                    shared.written += 1;
                    shared.end.first_failure = shared.end.first_failure.take().or(lines.failure);
                    (self.tick)();
                }
                Err(error) => shared.failure = Some(error),
            }
        }
        self.changed.notify_all();
    }

    /// The fault in a match because of which the run ends before the match is written.
    fn ends_it(
        &self,
        answered: &mut [bool],
        on_fault: OnFault,
        place: &MatchPlace,
        lines: &RecordLines,
    ) -> Option<LabError> {
        let plan = &self.arena.plan;
        let seats = plan.seats(place).iter().zip(&lines.faults);
        for (&entrant, fault) in seats.clone() {
            answered[entrant] |= fault.as_ref().is_none_or(|fault| !fault.is_silent);
        }
        let ends = |entrant: usize| match on_fault {
            OnFault::Stop => true,
            OnFault::Record => false,
            OnFault::StopIfSilent => self.arena.is_remote(entrant) && !answered[entrant],
        };
        let mut faults = seats.filter_map(|(&entrant, fault)| Some((entrant, fault.as_ref()?)));
        let (entrant, SeatFault { kind, step, .. }) = faults.find(|&(entrant, _)| ends(entrant))?;
        let (game, player) = (&plan.game(place.cell).name, plan.label(entrant));
        let detail = kind.detail().map_or_else(String::new, |detail| format!(" ({detail})"));
        let kind = kind.as_str();
        let what = format!("match {} of {game}, step {step}: {player} is {kind}{detail}", place.id);
        Some(LabError::other(format!("{what}; the match is not recorded"), FAULT_REMEDY))
    }
}
