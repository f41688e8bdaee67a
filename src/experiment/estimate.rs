//! Estimate: how long an experiment will take and how much it will write, from a sample of its matches.
//!
//! The sample is played as a run plays: by as many threads, in a pool of their own, each of which makes and writes the
//! records of its matches, here to a file that is removed. So the time has in it what the threads take from each other,
//! and what the records cost. The sample plays one deal of every cell, then the next deal of every cell, until its time
//! is over. A match that is being played at that moment is abandoned; its time counts, because otherwise long matches
//! would count too little. The matches of a cell that begin before one of them has ended stand apart: players may
//! compute in them what all later matches share.

use std::fs::{self, File};
use std::io::Write as _;
use std::time::Duration;

use parking_lot::Mutex;

use super::arena::Arena;
use super::plan::{Cell, ExperimentPlan, MatchPlace};
use super::stored::KINDS;
use hyperplay_lab::LabResult;
use hyperplay_lab::shards::sealed;
use hyperplay_machine::{Budget, Stopwatch};
use hyperplay_play::referee::Interrupt;
use hyperplay_report::Sample;

/// The files of an experiment, in the order of [`Estimate::bytes`].
pub const RECORD_FILES: [&str; 5] = KINDS;

/// The most bytes that a sample writes of one cell.
const MOST: u64 = 1 << 28;

/// The matches of one cell that were sampled.
#[derive(Clone, Debug, Default)]
pub struct CellSample {
    /// Matches that came to their end, and the seconds of all: those that began before one had ended, and the others.
    parts: [(u64, f64); 2],
    /// The bytes that all wrote, by file.
    bytes: [u64; 5],
}

impl CellSample {
    /// Matches that came to their end.
    pub fn matches(&self) -> u64 {
        self.parts[0].0 + self.parts[1].0
    }

    /// Seconds of a match, without what is computed once; `None` if none came to its end.
    pub fn seconds(&self) -> Option<f64> {
        let (count, seconds) = self.parts[usize::from(self.parts[1].0 > 0)];
        (count > 0).then(|| seconds / count as f64)
    }

    /// Bytes of a match in one of the files; `None` if none came to its end.
    fn bytes(&self, file: usize) -> Option<f64> {
        (self.matches() > 0).then(|| self.bytes[file] as f64 / self.matches() as f64)
    }

    /// Seconds for what is computed once.
    fn once(&self) -> f64 {
        let (count, seconds) = self.parts[0];
        self.seconds().map_or(0.0, |usual| seconds - usual * count as f64)
    }
}

/// The expected cost of the matches of a plan. A cell of which no match came to its end is taken to be as those of its
/// game are in the mean, or as all are.
#[derive(Debug)]
pub struct Estimate {
    /// By cell.
    pub cells: Vec<CellSample>,
    /// Cells of which no match came to its end in time.
    pub unknown: usize,
    /// Seconds of one thread for all matches.
    pub seconds: f64,
    /// Bytes of all matches, by file.
    pub bytes: [u64; 5],
}

/// Plays a sample for about `time` on `threads` threads.
///
/// # Errors
/// If a match cannot be played, or there are no threads.
pub fn estimate(arena: &Arena, time: Duration, threads: usize, interrupt: &Interrupt) -> LabResult<Estimate> {
    let (plan, until) = (&arena.plan, interrupt.within(Budget::time(time)));
    let of_deal = |deal: u64| {
        let permutations = plan.cells.iter().map(|cell| 0..cell.seat_permutations.len());
        let all = permutations.enumerate().flat_map(|(cell, all)| all.map(move |one| (cell, one)));
        all.map(move |(cell, seat_permutation)| MatchPlace { id: 0, cell, deal, seat_permutation })
    };
    let path = std::env::temp_dir().join(format!("hyperplay-check-{}", std::process::id()));
    // Where no file can be made, the time is that of a run without writing.
    let file = File::create(&path).ok();
    let places = (0..plan.repetitions).flat_map(of_deal);
    let shared = Mutex::new((places, vec![CellSample::default(); plan.cells.len()], file));
    let work = || -> LabResult {
        loop {
            let (place, part) = {
                let (places, cells, _) = &mut *shared.lock();
                let Some(place) = places.next().filter(|_| !until.is_raised()) else { return Ok(()) };
                (place, usize::from(cells[place.cell].matches() > 0))
            };
            let watch = Stopwatch::start();
            let lines = arena.play(&place, &until)?;
            let (_, cells, file) = &mut *shared.lock();
            let CellSample { parts, bytes } = &mut cells[place.cell];
            if let Some(lines) = &lines {
                // As a journal writes: the lines of one kind at once, with their checksums.
                for (lines, bytes) in lines.lines.iter().zip(bytes) {
                    let lines = lines.iter().flat_map(|line| sealed(line)).collect::<Vec<_>>();
                    *bytes += lines.len() as u64;
                    file.take_if(|file| *bytes > MOST || file.write_all(&lines).is_err());
                }
            }
            parts[part] =
                (parts[part].0 + u64::from(lines.is_some()), parts[part].1 + watch.elapsed().as_secs_f64());
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let played: LabResult = pool.broadcast(|_| work()).into_iter().collect();
    // Without a file there is nothing to remove.
    let _ = fs::remove_file(&path);
    played?;
    let (_, cells, _) = shared.into_inner();
    let unknown = cells.iter().filter(|cell| cell.matches() == 0).count();
    let once: f64 = cells.iter().map(CellSample::once).sum();
    let seconds = once + sum(plan, &cells, CellSample::seconds);
    let bytes = std::array::from_fn(|file| sum(plan, &cells, |cell| cell.bytes(file)).round() as u64);
    Ok(Estimate { cells, unknown, seconds, bytes })
}

/// The sum of a figure over all matches of a plan.
fn sum(plan: &ExperimentPlan, cells: &[CellSample], figure: impl Fn(&CellSample) -> Option<f64>) -> f64 {
    let all = || plan.cells.iter().zip(cells.iter().map(&figure));
    let mean = |is_like: &dyn Fn(&Cell) -> bool| {
        all().filter(|(cell, _)| is_like(cell)).filter_map(|(_, one)| one).collect::<Sample>().mean()
    };
    let of_cell = |(cell, one): (&Cell, Option<f64>)| {
        let one = one.or_else(|| mean(&|other| other.game == cell.game)).or_else(|| mean(&|_| true));
        one.unwrap_or(0.0) * (plan.repetitions * cell.seat_permutations.len() as u64) as f64
    };
    all().map(of_cell).sum()
}
