//! Run: plays the matches of a shard on any number of threads and writes them in their order.
//!
//! Every thread takes the next match of the sequence, plays it, and hands in its lines; the thread that hands in the
//! match that the files wait for writes it and all matches after it that are finished already. So the files hold the
//! same bytes on one thread and on sixteen, matches that are finished in order are never lost, and at most [`WINDOW`]
//! matches are held in memory.
//!
//! An interrupt ends the matches that are being played between two steps; they are played again by the next run.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;

use super::arena::{Arena, ArenaError};
use super::journal::{Journal, JournalError};
use super::plan::MatchPlace;
use super::recorder::RecordLines;
use super::sequence::{NextMatch, Sequence};
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

/// What all threads share.
struct Shared<'a> {
    sequence: Sequence<'a>,
    journal: Journal,
    /// Matches given out and matches written, both in the order of the sequence.
    issued: u64,
    written: u64,
    /// Matches that are ahead of the files.
    ahead: BTreeMap<u64, (MatchPlace, RecordLines)>,
    failure: Option<RunError>,
}

struct Run<'a> {
    arena: &'a Arena,
    interrupt: &'a Interrupt,
    shared: Mutex<Shared<'a>>,
    changed: Condvar,
    tick: &'a (dyn Fn() + Sync),
}

/// Plays what is left of a sequence on so many threads; `tick` is called for every match written. Returns how many
/// were written and whether that was all.
///
/// # Errors
/// [`RunError`]; the matches written before are complete.
pub fn run(
    arena: &Arena,
    sequence: Sequence<'_>,
    journal: Journal,
    threads: usize,
    interrupt: &Interrupt,
    tick: &(dyn Fn() + Sync),
) -> Result<(u64, bool), RunError> {
    let shared = Shared { sequence, journal, issued: 0, written: 0, ahead: BTreeMap::new(), failure: None };
    let run = Run { arena, interrupt, shared: Mutex::new(shared), changed: Condvar::new(), tick };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let ended = pool.broadcast(|_| run.work());
    let shared = run.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.failure {
        Some(failure) => Err(failure),
        None => Ok((shared.written, ended.into_iter().all(|end| end))),
    }
}

impl<'a> Run<'a> {
    fn lock(&self) -> MutexGuard<'_, Shared<'a>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of a thread; returns whether it ended because nothing was left to play.
    fn work(&self) -> bool {
        loop {
            let (number, place) = match self.take() {
                Ok(Some(taken)) => taken,
                Ok(None) => return true,
                Err(()) => return false,
            };
            match self.arena.play(&place, self.interrupt) {
                Ok(Some(lines)) => self.hand_in(number, place, lines),
                Ok(None) => return false,
                Err(error) => {
                    self.fail(error.into());
                    return false;
                }
            }
        }
    }

    /// The next match to be played; none if there is none, an error if the run is to end.
    fn take(&self) -> Result<Option<(u64, MatchPlace)>, ()> {
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
                        return Ok(Some((number, place)));
                    }
                    NextMatch::End => return Ok(None),
                    NextMatch::Wait => {}
                }
            }
            shared = self.changed.wait_timeout(shared, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn hand_in(&self, number: u64, place: MatchPlace, lines: RecordLines) {
        let mut shared = self.lock();
        let shared = &mut *shared;
        shared.ahead.insert(number, (place, lines));
        while let Some((place, lines)) = shared.ahead.remove(&shared.written) {
            if shared.failure.is_some() {
                break;
            }
            match shared.journal.write(&lines) {
                Ok(()) => {
                    shared.sequence.feed(&place, lines.goals.as_deref());
                    shared.written += 1;
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
