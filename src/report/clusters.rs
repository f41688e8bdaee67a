//! Clusters: shares and means of numbers that hang together in clusters, such as the matches of a deal.
//!
//! Only clusters are independent, so a mean is one of means over a cluster, and a share has the interval of Clopper and
//! Pearson with the variance that the clusters show. Each end is a quantile of the beta distribution with the mean and
//! the variance of the clusters and one more, which is lost for the lower end and won for the upper one. With clusters
//! of one number this is their interval itself. In the simulation below it contains the true share in 95 % or more,
//! whether the numbers of a cluster are equal, independent or opposed, and with two clusters too; Student's interval
//! and Jeffreys' do not.
//!
//! Reference: Clopper34 (`docs/REFERENCES.md`).

use statrs::distribution::{Beta, ContinuousCDF};

use super::statistics::{ENDS, Sample};

/// Numbers, those of one cluster one after the other.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Clusters {
    /// The means of the clusters.
    means: Sample,
    /// The sums over the clusters: what was held (`held`) and what could be held (`of`).
    held: f64,
    of: f64,
    /// Sums of products over the clusters: held by held, held by could be, could be by could be.
    products: [f64; 3],
    /// The cluster that is not complete: its number, what was held and what could be.
    open: Option<(u64, f64, f64)>,
}

impl Clusters {
    /// Adds numbers of a cluster: their sum, and the greatest that it could be. For a mean that is how many there are.
    pub fn add(&mut self, cluster: u64, held: f64, of: f64) {
        match &mut self.open {
            Some((open, sum, could_be)) if *open == cluster => {
                (*sum, *could_be) = (*sum + held, *could_be + of)
            }
            _ => {
                *self = self.closed();
                self.open = Some((cluster, held, of));
            }
        }
    }

    /// The same with the last cluster complete.
    fn closed(mut self) -> Clusters {
        if let Some((_, held, of)) = self.open.take().filter(|&(.., of)| of > 0.0) {
            self.means.add(held / of);
            (self.held, self.of) = (self.held + held, self.of + of);
            let products = [held * held, held * of, of * of];
            self.products.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        }
        self
    }

    /// The means of the clusters.
    pub fn means(&self) -> Sample {
        self.closed().means
    }

    /// The share of what was held, with the ends of its 95 % interval; `None` without a number.
    pub fn share(&self) -> Option<[f64; 3]> {
        let Clusters { means, held, of, products: [held_held, held_of, of_of], .. } = self.closed();
        let clusters = means.count() as f64;
        let size = of / clusters;
        let end = |won: f64, quantile: f64| {
            let mean = (held + won * size) / (of + size);
            let own = ((won - mean) * size).powi(2);
            let squares = held_held - 2.0 * mean * held_of + mean * mean * of_of + own;
            let variance = squares / (of + size).powi(2) * (clusters + 1.0) / (clusters + 2.0);
            let strength = mean * (1.0 - mean) / variance - 1.0;
            // There is no such distribution where nothing was held, or everything: the end is the bound itself.
            let beta = Beta::new(mean * strength, (1.0 - mean) * strength);
            beta.map_or(won, |beta| beta.inverse_cdf(quantile))
        };
        (clusters > 0.0).then(|| [held / of, end(0.0, ENDS.0), end(1.0, ENDS.1)])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::rngs::StdRng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    #[test]
    fn clusters_of_one_number_have_the_interval_of_clopper_and_pearson() {
        let mut ten = Clusters::default();
        (0..10).for_each(|number| ten.add(number, f64::from(u8::from(number < 3)), 1.0));
        let [share, low, high] = ten.share().unwrap();
        // Clopper, Pearson (1934): 3 of 10 are 0.067 to 0.652.
        assert!(share == 0.3 && (low - 0.0667).abs() < 1e-4 && (high - 0.6525).abs() < 1e-4, "{low} {high}");
        let mut none = Clusters::default();
        assert_eq!(none.share(), None);
        (0..10).for_each(|number| none.add(number, 0.0, 1.0));
        let [share, low, high] = none.share().unwrap();
        assert!(share == 0.0 && low == 0.0 && (high - 0.3085).abs() < 1e-4, "{low} {high}");
    }

    /// Equal numbers within a cluster count once, and opposed numbers say more than as many independent ones.
    #[test]
    fn numbers_of_a_cluster_count_as_much_as_they_say() {
        let half = |of_cluster: fn(u64) -> f64| {
            let mut all = Clusters::default();
            (0..200).for_each(|cluster| all.add(cluster, of_cluster(cluster), 2.0));
            let [share, low, high] = all.share().unwrap();
            assert!((share - 0.5).abs() < 1e-9 && all.means().count() == 200);
            (high - low) / 2.0
        };
        let [equal, alone, opposed] = [
            half(|cluster| 2.0 * (cluster % 2) as f64),
            half(|cluster| [0.0, 1.0, 1.0, 2.0][cluster as usize % 4]),
            half(|_| 1.0),
        ];
        assert!(
            (equal - 0.07).abs() < 0.005 && (alone - 0.05).abs() < 0.005 && opposed < 0.01,
            "{equal} {alone} {opposed}"
        );
    }

    /// Clusters of 1 to 8 numbers with a share of their own each, as in a bin of a calibration.
    #[test]
    fn the_interval_contains_the_true_share_where_clusters_differ_in_size() {
        let rng = &mut StdRng::seed_from_u64(7);
        for clusters in [2, 5, 20] {
            for (p, spread) in [(0.1, 0.1), (0.5, 0.0), (0.5, 0.5), (0.7, 0.2)] {
                let contains = (0..2_000).filter(|_| {
                    let mut all = Clusters::default();
                    for cluster in 0..clusters {
                        let own = if rng.random::<bool>() { p + spread } else { p - spread };
                        for _ in 0..rng.random_range(1..=8) {
                            all.add(cluster, f64::from(u8::from(rng.random::<f64>() < own)), 1.0);
                        }
                    }
                    let [_, low, high] = all.share().unwrap();
                    (low..=high).contains(&p)
                });
                let contains = contains.count();
                assert!(
                    contains >= 1_870,
                    "{contains} of 2000: {clusters} clusters, share {p}, spread {spread}"
                );
            }
        }
    }

    /// One cluster of two matches: how many are won, where the share is `p` and the correlation `r`.
    fn won(p: f64, r: f64, rng: &mut impl Rng) -> u64 {
        let both = p * p + r * p * (1.0 - p);
        let drawn = rng.random::<f64>();
        if drawn < both { 2 } else { u64::from(drawn < 2.0 * p - both) }
    }

    #[test]
    fn the_interval_contains_the_true_share_whatever_the_correlation_and_however_few_the_deals() {
        let rng = &mut StdRng::seed_from_u64(42);
        for deals in [2, 3, 5, 10, 40] {
            // The interval depends on how many deals had each result.
            let mut known: HashMap<[u64; 3], [f64; 3]> = HashMap::new();
            for p in [0.05, 0.2, 0.35, 0.5, 0.6, 0.75, 0.9] {
                for r in [-1.0, -0.7, -0.4, -0.1, 0.0, 0.3, 0.6, 1.0] {
                    let both = p * p + r * p * (1.0 - p);
                    if both < -1e-9 || 1.0 - 2.0 * p + both < -1e-9 {
                        // No two matches are so opposed where the shares are so unequal.
                        continue;
                    }
                    let contains = (0..10_000).filter(|_| {
                        let mut results = [0; 3];
                        (0..deals).for_each(|_| results[won(p, r, rng) as usize] += 1);
                        let [_, low, high] = *known.entry(results).or_insert_with(|| {
                            let mut all = Clusters::default();
                            let each =
                                results.iter().enumerate().flat_map(|(won, &n)| vec![won as f64; n as usize]);
                            each.enumerate().for_each(|(deal, won)| all.add(deal as u64, won, 2.0));
                            all.share().unwrap()
                        });
                        (low - 1e-9..=high + 1e-9).contains(&p)
                    });
                    let contains = contains.count();
                    // Three standard errors of 10,000 replicates below 95 %.
                    assert!(
                        contains >= 9_435,
                        "{contains} of 10000: {deals} deals, share {p}, correlation {r}"
                    );
                }
            }
        }
    }
}
