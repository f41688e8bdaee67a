//! The target of iterations: histories that are sampled more often than they would be.
//!
//! With some probability an iteration *aims*: it follows one of these histories, drawn by its weight, and samples as ever
//! from its end on. Whether an iteration aimed is forgotten: each draw is divided by its probability both ways together,
//! so what is learnt has the expectation that it has without a target.
//!
//! Invariant: the histories are in lexicographic order. So those that begin with the draws so far are a range, and a
//! history that ends where others go on is the first of its range; from there on nobody aims.
//!
//! Reference: Lisy, Lanctot, Bowling, *Online Monte Carlo Counterfactual Regret Minimization for Search in Imperfect
//! Information Games* (AAMAS 2015), information set targeting. There every history that may pass through the information
//! set is aimed at; here a belief says which, and how probable each is.

use std::ops::Range;

use rand::{Rng, RngExt};

/// How many iterations aim, and when they end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AimOptions {
    /// The most iterations of a call.
    pub iterations: u64,
    /// The probability with which one aims, below 1.
    pub share: f64,
    /// About the most bytes of the minimiser; no iteration begins with more.
    pub memory: usize,
}

/// Weighted histories, as places of moves.
#[derive(Clone, Default)]
pub(super) struct Target {
    histories: Vec<Vec<u32>>,
    /// The weight of all histories before each, and of all.
    sums: Vec<f64>,
    /// The probability with which an iteration aims.
    share: f64,
}

impl Target {
    pub(super) fn new(mut weighted: Vec<(Vec<u32>, f64)>, share: f64) -> Target {
        weighted.sort_by(|(one, _), (other, _)| one.cmp(other));
        let (mut target, mut sum) = (Target { share, sums: vec![0.0], ..Target::default() }, 0.0);
        for (places, weight) in weighted {
            sum += weight;
            target.sums.push(sum);
            target.histories.push(places);
        }
        target
    }

    /// The beginning of an iteration.
    pub(super) fn aim(&self, rng: &mut impl Rng) -> Aim<'_> {
        let count = self.histories.len();
        let aimed = (count > 0 && rng.random::<f64>() < self.share).then(|| {
            let drawn = rng.random::<f64>() * self.sums[count];
            self.sums[1..count].partition_point(|&sum| sum <= drawn)
        });
        Aim { target: self, begun: 0..count, depth: 0, aimed, usual: 1.0, made: 1.0 }
    }
}

/// The place of a traversal among the histories.
pub(super) struct Aim<'a> {
    target: &'a Target,
    /// The histories that begin with the draws so far.
    begun: Range<usize>,
    /// How many draws that are.
    depth: usize,
    /// The history that is followed.
    aimed: Option<usize>,
    /// The probability of all these draws without a target, and both ways together.
    usual: f64,
    made: f64,
}

impl Aim<'_> {
    /// The move that is made where `drawn` was drawn and a move has this probability, unless it aims; and its probability
    /// without a target divided by that of making it both ways together.
    #[inline(always)]
    pub(super) fn draw(&mut self, drawn: u32, usual: impl Fn(u32) -> f64) -> (u32, f64) {
        let begun = &self.target.histories[self.begun.clone()];
        match begun.first() {
            Some(first) if first.len() > self.depth => {}
            _ => return (drawn, 1.0),
        }
        let Target { histories, sums, share } = self.target;
        let own = self.aimed.map_or(drawn, |aimed| histories[aimed][self.depth]);
        let end = self.begun.start + begun.partition_point(|places| places[self.depth] <= own);
        let start = self.begun.start + begun.partition_point(|places| places[self.depth] < own);
        let (usual, former) = (usual(own), self.made);
        self.usual *= usual;
        self.made = share * (sums[end] - sums[start]) / sums[histories.len()] + (1.0 - share) * self.usual;
        (self.begun, self.depth) = (start..end, self.depth + 1);
        (own, usual * former / self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::Seed;

    /// The share of three moves without a target, by the draw before.
    fn usual(former: Option<u32>) -> [f64; 3] {
        former.map_or([0.2, 0.5, 0.3], |former| {
            [[0.6, 0.4, 0.0], [0.1, 0.1, 0.8], [1.0, 0.0, 0.0]][former as usize]
        })
    }

    fn all() -> impl Iterator<Item = Vec<u32>> {
        (0..27).map(|number| vec![number / 9, number / 3 % 3, number % 3])
    }

    /// The probability of these draws without a target, from one of them on.
    fn by_itself(draws: &[u32], from: usize) -> f64 {
        let shares = (from..draws.len()).map(|place| {
            let former = place.checked_sub(1).map(|former| draws[former]);
            usual(former)[draws[place] as usize]
        });
        shares.product()
    }

    #[test]
    fn draws_are_made_and_weighted_as_an_enumeration_says() {
        const DRAWS: usize = 100_000;
        let histories =
            [(vec![1, 2], 2.0), (vec![0], 0.5), (vec![2, 1], 1.0), (vec![1, 0], 0.25), (vec![1, 2], 0.25)];
        let (target, share) = (Target::new(histories.to_vec(), 0.7), 0.7);
        let both = |draws: &[u32]| {
            let begun = histories.iter().filter(|(places, _)| draws.starts_with(places));
            let aimed = begun.map(|(places, weight)| weight / 4.0 * by_itself(draws, places.len()));
            share * aimed.sum::<f64>() + (1.0 - share) * by_itself(draws, 0)
        };
        let mut counts = [0.0; 27];
        let mut rng = Seed::root(1).rng();
        for _ in 0..DRAWS {
            let (mut aim, mut draws, mut ratio) = (target.aim(&mut rng), Vec::new(), 1.0);
            for _ in 0..3 {
                let shares = usual(draws.last().copied());
                let mut left = rng.random::<f64>();
                let drawn = (0..2).find(|&place| {
                    left -= shares[place as usize];
                    left < 0.0
                });
                let (own, once) = aim.draw(drawn.unwrap_or(2), |place| shares[place as usize]);
                draws.push(own);
                ratio *= once;
            }
            let both = both(&draws);
            assert!((ratio - by_itself(&draws, 0) / both).abs() < 1e-12, "{draws:?}: {ratio}");
            let place = all().position(|listed| listed == draws).unwrap();
            counts[place] += 1.0 / DRAWS as f64;
        }
        for (draws, count) in all().zip(counts) {
            let both = both(&draws);
            assert!((count - both).abs() < 0.008, "{draws:?}: {count}, {both} by enumeration");
        }
    }
}
