//! Run: plays the matches of a shard on any number of threads and writes them in their order.
//!
//! Every thread takes the next match of the sequence, plays it, and hands in its lines; the thread that hands in the
//! match that the files wait for writes it and all matches after it that are finished already. So the files hold the
//! same bytes on one thread and on sixteen, matches that are finished in order are never lost, and at most [`WINDOW`]
//! matches are held in memory.
//!
//! A match in which the rules cannot be evaluated is written like any other; the first of them is named at the end.
//!
//! What the files held already is handed in likewise, in its turn, wherever some file lacks it
//! ([`journal`](super::journal)).
//!
//! An interrupt ends the matches that are being played between two steps; they are played again by the next run.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;

use super::arena::{Arena, ArenaError};
use super::journal::Journal;
use super::lines::JournalError;
use super::plan::MatchPlace;
use super::recorder::{MatchFailure, RecordLines};
use super::sequence::{NextMatch, Sequence};
use super::stored::FinishedMatch;
use hyperplay_play::referee::Interrupt;

/// Matches that may be ahead of the files.
pub const WINDOW: u64 = 1024;

/// How often a thread that waits looks at the interrupt.
const LOOK: Duration = Duration::from_millis(50);

/// Why a run ended before its end.
#[derive(Debug, Error)]
pub enum RunError {
    /// A match could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// The files could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There are no threads.
    #[error("{0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunEnd {
    /// Matches that were played.
    pub played: u64,
    /// Whether these were all that was left.
    pub is_complete: bool,
    /// How many of them failed.
    pub failed: u64,
    /// The first of those.
    pub first_failure: Option<MatchFailure>,
}

/// What all threads share.
struct Shared<'a> {
    sequence: Sequence<'a>,
    journal: Journal<'a>,
    /// Matches given out and matches written, both in the order of the sequence, and those of them that were played.
    issued: u64,
    written: u64,
    played: u64,
    /// Matches that are ahead of the files, and whether they were played.
    ahead: BTreeMap<u64, (MatchPlace, RecordLines, bool)>,
    /// Matches played that failed, and the first of them.
    failed: u64,
    first_failure: Option<MatchFailure>,
    /// Why the run ends early.
    failure: Option<RunError>,
}

struct Run<'a> {
    arena: &'a Arena,
    interrupt: &'a Interrupt,
    shared: Mutex<Shared<'a>>,
    changed: Condvar,
    tick: &'a (dyn Fn() + Sync),
}

/// Plays what is left of a sequence on so many threads; `tick` is called for every match written.
///
/// # Errors
/// [`RunError`]; the matches written before are complete.
pub fn run(
    arena: &Arena,
    sequence: Sequence<'_>,
    journal: Journal<'_>,
    threads: usize,
    interrupt: &Interrupt,
    tick: &(dyn Fn() + Sync),
) -> Result<RunEnd, RunError> {
    let shared = Shared {
        sequence,
        journal,
        issued: 0,
        written: 0,
        played: 0,
        ahead: BTreeMap::new(),
        failed: 0,
        first_failure: None,
        failure: None,
    };
    let run = Run { arena, interrupt, shared: Mutex::new(shared), changed: Condvar::new(), tick };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let ended = pool.broadcast(|_| run.work());
    let mut shared = run.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = shared.failure {
        return Err(failure);
    }
    let is_complete = ended.into_iter().all(|end| end);
    if is_complete {
        shared.journal.end()?;
    }
    let Shared { played, failed, first_failure, .. } = shared;
    Ok(RunEnd { played, is_complete, failed, first_failure })
}

impl<'a> Run<'a> {
    fn lock(&self) -> MutexGuard<'_, Shared<'a>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of a thread; returns whether it ended because nothing was left to play.
    fn work(&self) -> bool {
        loop {
            let (number, place, stored) = match self.take() {
                Ok(Some(taken)) => taken,
                Ok(None) => return true,
                Err(()) => return false,
            };
            let is_new = stored.is_none();
            let lines = match stored {
                Some(finished) => self.arena.completed(finished, self.interrupt),
                None => self.arena.play(&place, self.interrupt),
            };
            match lines {
                Ok(Some(lines)) => self.hand_in(number, (place, lines, is_new)),
                Ok(None) => return false,
                Err(error) => {
                    self.fail(error.into());
                    return false;
                }
            }
        }
    }

    /// The next match, and its lines if it was played earlier; none if there is none, an error if the run is to end.
    fn take(&self) -> Result<Option<(u64, MatchPlace, Option<FinishedMatch>)>, ()> {
        let mut shared = self.lock();
        loop {
            if self.interrupt.is_raised() || shared.failure.is_some() {
                return Err(());
            }
            if shared.issued - shared.written < WINDOW {
                match shared.sequence.next() {
                    NextMatch::Match(place) => {
                        let number = shared.issued;
                        shared.issued += 1;
                        let stored = shared.journal.stored(place.id);
                        return stored.map(|stored| Some((number, place, stored))).map_err(|error| {
                            shared.failure.get_or_insert(error.into());
                        });
                    }
                    NextMatch::End => return Ok(None),
                    NextMatch::Wait => {}
                }
            }
            shared = self.changed.wait_timeout(shared, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn hand_in(&self, number: u64, made: (MatchPlace, RecordLines, bool)) {
        let mut shared = self.lock();
        let shared = &mut *shared;
        shared.ahead.insert(number, made);
        while let Some((place, lines, is_new)) = shared.ahead.remove(&shared.written) {
            if shared.failure.is_some() {
                break;
            }
            match shared.journal.write(place.id, &lines) {
                Ok(()) => {
                    shared.sequence.feed(&place, lines.goals.as_deref());
                    shared.written += 1;
                    shared.played += u64::from(is_new);
                    if let Some(failure) = lines.failure {
                        shared.failed += 1;
                        shared.first_failure.get_or_insert(failure);
                    }
                    (self.tick)();
                }
                Err(error) => shared.failure = Some(error.into()),
            }
        }
        self.changed.notify_all();
    }

    fn fail(&self, failure: RunError) {
        let mut shared = self.lock();
        shared.failure.get_or_insert(failure);
        self.changed.notify_all();
    }
}
