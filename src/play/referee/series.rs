//! Many matches, played in parallel and reported in the order of their index.
//!
//! Match `i` draws from `seed/match/i` only, and its report is a function of the index, so neither the result
//! nor its order depends on the number of threads. Results are reported batch by batch, or one by one as soon as all
//! before them are there, so the finished matches of an interrupted series have been reported.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use rayon::prelude::*;

use super::interrupt::Interrupt;
use hyperplay_machine::Seed;

/// Matches handed out at once; large beside any number of threads, small beside the memory of their transcripts.
const BATCH: usize = 256;

/// The seed of match `index` of a series.
pub fn match_seed(seed: u64, index: usize) -> Seed {
    Seed::root(seed).child("match").index(index)
}

/// How many matches of a series are played at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Concurrency {
    /// One after the other: matches with clocks need the computer to themselves.
    One,
    /// As many as there are threads that compute.
    Computing,
    /// So many, each on a thread of its own, which mostly waits: for matches with players elsewhere.
    Several(usize),
}

impl Concurrency {
    /// So many at a time, at least one.
    pub fn at_once(matches: usize) -> Concurrency {
        if matches <= 1 { Concurrency::One } else { Concurrency::Several(matches) }
    }
}

/// Calls `play` for every index below `count` and hands each result to `report`, in the order of the index. Those not
/// begun when the interrupt is raised are left out.
///
/// ```
/// use std::convert::Infallible;
///
/// use hyperplay_play::referee::{Concurrency, Interrupt, match_seed, play_series};
///
/// let mut reported = Vec::new();
/// let play = |index: usize| Ok::<_, Infallible>((index, match_seed(7, index)));
/// play_series(3, Concurrency::Computing, &Interrupt::default(), play, |index, (played, seed)| {
///     assert_eq!((index, seed), (played, match_seed(7, index)));
///     reported.push(index);
///     Ok(())
/// })?;
/// assert_eq!(reported, [0, 1, 2]);
/// # Ok::<(), Infallible>(())
/// ```
///
/// # Errors
/// The first error of `play` or `report`, by index.
pub fn play_series<T: Send, E: Send>(
    count: usize,
    concurrency: Concurrency,
    interrupt: &Interrupt,
    play: impl Fn(usize) -> Result<T, E> + Sync,
    mut report: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let batch = match concurrency {
        Concurrency::One => 1,
        Concurrency::Computing => BATCH,
        Concurrency::Several(matches) => return several(count, matches, interrupt, play, report),
    };
    for start in (0..count).step_by(batch) {
        let indices = start..count.min(start + batch);
        let one = |index| (!interrupt.is_raised()).then(|| play(index));
        let results: Vec<_> = match concurrency {
            Concurrency::Computing => indices.clone().into_par_iter().map(one).collect(),
            _ => indices.clone().map(one).collect(),
        };
        for (index, result) in indices.zip(results) {
            if let Some(result) = result {
                report(index, result?)?;
            }
        }
        if interrupt.is_raised() {
            break;
        }
    }
    Ok(())
}

/// A series on `count` threads of its own. A result is reported as soon as all before it have been.
fn several<T: Send, E: Send>(
    count: usize,
    matches: usize,
    interrupt: &Interrupt,
    play: impl Fn(usize) -> Result<T, E> + Sync,
    mut report: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (done, results) = channel();
        for _ in 0..matches.min(count) {
            let (done, next, stop, play) = (done.clone(), &next, &stop, &play);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) && !interrupt.is_raised() {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || done.send((index, play(index))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let (mut waiting, mut reported) = (BTreeMap::new(), 0);
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&reported) {
                // After an error the scope waits for the matches that are being played.
                result
                    .and_then(|result| report(reported, result))
                    .inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                reported += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn order(concurrency: Concurrency, interrupt: &Interrupt) -> Vec<usize> {
        let mut order = Vec::new();
        let play = |index: usize| {
            if index == 300 {
                interrupt.raise();
            }
            Ok::<usize, Infallible>(index * 2)
        };
        play_series(1000, concurrency, interrupt, play, |index, double| {
            assert_eq!(double, index * 2);
            order.push(index);
            Ok(())
        })
        .unwrap();
        order
    }

    #[test]
    fn what_was_finished_before_an_interrupt_is_reported_in_order() {
        assert_eq!(order(Concurrency::One, &Interrupt::default()), (0..=300).collect::<Vec<_>>());
        let order = order(Concurrency::Computing, &Interrupt::default());
        assert!(order.is_sorted() && order.len() > 256 && order.contains(&300) && order.len() <= 512);
        let order = self::order(Concurrency::Several(7), &Interrupt::default());
        assert!(order.is_sorted() && order.len() >= 294 && order.len() <= 307, "{}", order.len());
    }

    #[test]
    fn the_first_error_ends_a_series_of_several_matches_at_a_time() {
        let play = |index: usize| if index == 40 { Err(index) } else { Ok(()) };
        let mut reported = 0;
        let ended = play_series(1000, Concurrency::Several(3), &Interrupt::default(), play, |_, ()| {
            reported += 1;
            Ok(())
        });
        assert_eq!((ended, reported), (Err(40), 40));
    }
}
