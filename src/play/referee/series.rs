//! Many matches, played in parallel and reported in the order of their index.
//!
//! Match `i` draws from `seed/match/i` only, and its report is a function of the index, so neither the result
//! nor its order depends on the number of threads. A result is reported as soon as all before it are there, by the thread
//! that played the last of them, so the finished matches of a series that is interrupted or killed have been reported.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rayon::prelude::*;

use super::interrupt::Interrupt;
use hyperplay_machine::Seed;

/// Matches between two of which all threads wait for each other; large beside any number of threads, small beside the memory
/// of the results that wait for one that takes long.
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
/// begun when the interrupt is raised are left out. One thread at a time is in `report`, which may be one of those that compute: it
/// must not wait for work of rayon.
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
    report: impl FnMut(usize, T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let (begun, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let order = Mutex::new(Order { waiting: VecDeque::new(), reported: 0, ended: Ok(()), report });
    // Plays the next match; false if the series ends with it. Every match that is begun comes to the order.
    let one = || {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let index = begun.fetch_add(1, Ordering::Relaxed);
        if index >= count {
            return false;
        }
        let result = (!interrupt.is_raised()).then(|| play(index));
        let goes_on = result.is_some() & order.lock().add(index, result);
        stop.fetch_or(!goes_on, Ordering::Relaxed);
        goes_on
    };
    match concurrency {
        Concurrency::One => while one() {},
        // After an error the scope waits for the matches that are being played.
        Concurrency::Several(matches) => std::thread::scope(|scope| {
            (0..matches.min(count)).for_each(|_| drop(scope.spawn(|| while one() {})));
        }),
        Concurrency::Computing => {
            for start in (0..count).step_by(BATCH) {
                let batch = start..count.min(start + BATCH);
                if batch.into_par_iter().try_for_each(|_| one().then_some(())).is_none() {
                    break;
                }
            }
        }
    }
    order.into_inner().ended
}

/// Results on their way to `report`.
struct Order<T, E, R> {
    /// From the next one that is reported on, each if it is there; within it none for a match that was left out.
    waiting: VecDeque<Option<Option<Result<T, E>>>>,
    reported: usize,
    ended: Result<(), E>,
    report: R,
}

impl<T, E, R: FnMut(usize, T) -> Result<(), E>> Order<T, E, R> {
    /// Adds the result of a match, and reports it and those that waited for it. Returns whether there was no error.
    fn add(&mut self, index: usize, result: Option<Result<T, E>>) -> bool {
        let place = index - self.reported;
        self.waiting.resize_with(self.waiting.len().max(place + 1), || None);
        self.waiting[place] = Some(result);
        while self.ended.is_ok()
            && let Some(result) = self.waiting.front_mut().and_then(Option::take)
        {
            self.waiting.pop_front();
            self.reported += 1;
            let report = |result| (self.report)(self.reported - 1, result);
            self.ended = result.map_or(Ok(()), |result| result.and_then(report));
        }
        self.ended.is_ok()
    }
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
    fn a_result_is_reported_as_soon_as_all_before_it_are_there() {
        let reported = AtomicUsize::new(0);
        let play = |_| Ok::<_, Infallible>(reported.load(Ordering::Relaxed));
        let report = |index, before| {
            assert_eq!(before, index);
            reported.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let series = || play_series(1000, Concurrency::Computing, &Interrupt::default(), play, report);
        pool.install(series).unwrap();
        assert_eq!(reported.into_inner(), 1000);
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
