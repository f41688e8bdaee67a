//! Many matches, played in parallel and reported in the order of their index.
//!
//! Match `i` draws from `seed/match/i` only, and what is reported is a function of the index, so neither the result
//! nor its order depends on the number of threads. Results are reported batch by batch, so the finished matches of an
//! interrupted series have been reported.

use rayon::prelude::*;

use super::interrupt::Interrupt;
use hyperplay_engine::machine::Seed;

/// Matches handed out at once; large beside any number of threads, small beside the memory of their transcripts.
const BATCH: usize = 256;

/// The seed of match `index` of a series.
pub fn match_seed(seed: u64, index: usize) -> Seed {
    Seed::root(seed).child("match").index(index)
}

/// Calls `play` for every index below `count` and hands each result to `report`, in the order of the index. Those not
/// begun when the interrupt is raised are left out. Played one after the other unless `parallel`: matches with clocks
/// need the computer to themselves.
///
/// ```
/// use std::convert::Infallible;
///
/// use hyperplay_play::referee::{Interrupt, match_seed, play_series};
///
/// let mut reported = Vec::new();
/// let play = |index: usize| Ok::<_, Infallible>((index, match_seed(7, index)));
/// play_series(3, true, &Interrupt::default(), play, |index, (played, seed)| {
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
    parallel: bool,
    interrupt: &Interrupt,
    play: impl Fn(usize) -> Result<T, E> + Sync,
    mut report: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let batch = if parallel { BATCH } else { 1 };
    for start in (0..count).step_by(batch) {
        let indices = start..count.min(start + batch);
        let one = |index| (!interrupt.is_raised()).then(|| play(index));
        let results: Vec<_> = if parallel {
            indices.clone().into_par_iter().map(one).collect()
        } else {
            indices.clone().map(one).collect()
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn order(parallel: bool, interrupt: &Interrupt) -> Vec<usize> {
        let mut order = Vec::new();
        let play = |index: usize| {
            if index == 300 {
                interrupt.raise();
            }
            Ok::<usize, Infallible>(index * 2)
        };
        play_series(1000, parallel, interrupt, play, |index, double| {
            assert_eq!(double, index * 2);
            order.push(index);
            Ok(())
        })
        .unwrap();
        order
    }

    #[test]
    fn what_was_finished_before_an_interrupt_is_reported_in_order() {
        assert_eq!(order(false, &Interrupt::default()), (0..=300).collect::<Vec<_>>());
        let order = order(true, &Interrupt::default());
        assert!(order.is_sorted() && order.len() > 256 && order.contains(&300) && order.len() <= 512);
    }
}
