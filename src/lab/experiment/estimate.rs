//! Estimate: how long an experiment will take, from a sample of its matches.
//!
//! The sample plays one deal of every cell, then the next deal of every cell, until its time is over. A match that is being
//! played at that moment is abandoned. The estimate assumes that several threads divide the time evenly.

use std::time::Duration;

use super::arena::{Arena, ArenaError};
use super::plan::MatchPlace;
use crate::report::Sample;
use hyperplay_engine::machine::Stopwatch;
use hyperplay_play::referee::Interrupt;

/// The time of the matches of each cell, in seconds.
pub struct Estimate {
    /// By cell.
    pub cells: Vec<Sample>,
    /// Cells of which no match came to its end in time.
    pub unknown: usize,
    /// Seconds for all matches on one thread; those of unknown cells are not in it.
    pub seconds: f64,
}

/// Plays for about so long, on one thread.
///
/// # Errors
/// If a match cannot be played.
pub fn estimate(arena: &Arena, time: Duration, interrupt: &Interrupt) -> Result<Estimate, ArenaError> {
    let plan = arena.plan();
    let watch = Stopwatch::start();
    let mut cells = vec![Sample::default(); plan.cells.len()];
    let sampling = Interrupt::default();
    let (done, waits) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let (raised, outer) = (sampling.clone(), interrupt.clone());
        scope.spawn(move || {
            // Ends the sample when its time is over or somebody else wants an end; at once when it is done.
            let step = Duration::from_millis(20);
            while waits.recv_timeout(step) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                if watch.elapsed() >= time || outer.is_raised() {
                    raised.raise();
                    return;
                }
            }
        });
        let sampled = sample(arena, &sampling, &mut cells);
        drop(done);
        sampled
    })?;
    let unknown = cells.iter().filter(|cell| cell.count() == 0).count();
    let seconds = |(number, cell): (usize, &Sample)| {
        let matches = plan.repetitions * plan.cells[number].seat_permutations.len() as u64;
        cell.mean().unwrap_or(0.0) * matches as f64
    };
    let total = cells.iter().enumerate().map(seconds).sum();
    Ok(Estimate { cells, unknown, seconds: total })
}

fn sample(arena: &Arena, until: &Interrupt, cells: &mut [Sample]) -> Result<(), ArenaError> {
    let plan = arena.plan();
    for deal in 0..plan.repetitions {
        for (cell, times) in cells.iter_mut().enumerate() {
            for seat_permutation in 0..plan.cells[cell].seat_permutations.len() {
                let place = MatchPlace { id: 0, cell, deal, seat_permutation };
                match arena.play(&place, until)? {
                    Some(lines) => times.add(lines.time.as_secs_f64()),
                    None => return Ok(()),
                }
            }
        }
    }
    Ok(())
}
