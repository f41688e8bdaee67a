//! Rows of truth: what is measured of one sampler and number of particles over all matches, at one step or at all.
//!
//! Only matches are independent. So *z* of a relation is the mean over matches of the excess of a match over its standard error,
//! and the chi-squared test of the ranks has at most one point of each match. Which one depends on nothing in the match: neither on its
//! length nor on what sets hold, for both say something of the truth or of the particles.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rand::RngExt;
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::super::accuracy::GoodnessOfFit;
use super::super::harness::{BINS, Bin};
use super::point::{MEANS, TruthPoint};
use hyperplay_machine::Seed;
use hyperplay_report::{FEW, MeanInterval, Sample, holm};

/// A variance this small is what rounding leaves of none.
const NONE: f64 = 1e-18;

/// One sampler with one number of particles.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TruthRow {
    /// The game.
    pub game: String,
    /// The spec of the sampler.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// Joint moves made; `None` for all steps together.
    pub step: Option<usize>,
    /// The letter of the posterior under the sampler's own model.
    pub posterior: &'static str,
    /// Matches.
    pub matches: usize,
    /// Points: a match, a role and a step.
    pub points: usize,
    /// Sets without a particle.
    pub depletions: usize,
    /// How many matches have the truth at each tenth of the drawn particles.
    pub ranks: [usize; 10],
    /// The test of whether all tenths are equally likely.
    pub chi_squared: Option<GoodnessOfFit>,
    /// True facts less believed ones, in standard errors, of the relation where this is most.
    pub z: f64,
    /// Which relation.
    pub relation: Option<String>,
    /// Relations that were compared.
    pub relations: usize,
    /// The probability of such a z among so many relations.
    pub z_p: f64,
    /// What sets say of facts, and how many of these are true.
    pub calibration: [Bin; BINS],
    /// Further means over the points, by the names of their columns; intervals are a bootstrap over matches.
    #[serde(flatten)]
    pub means: BTreeMap<&'static str, MeanInterval>,
}

/// The points at each step, and at all.
type BySteps<'a> = BTreeMap<Option<usize>, Vec<&'a TruthPoint>>;

/// The rows of these points, which are in the order of the matches: for each sampler and number of particles that of all
/// steps, then one for each step.
pub fn truth_rows(points: &[TruthPoint], seed: u64) -> Vec<TruthRow> {
    let seed = Seed::root(seed).child("truth");
    let mut groups: IndexMap<(&str, usize), BySteps<'_>> = IndexMap::new();
    for point in points {
        let group = groups.entry((&point.sampler, point.particles)).or_default();
        [None, Some(point.step)].into_iter().for_each(|step| group.entry(step).or_default().push(point));
    }
    groups.values().flatten().map(|(&step, points)| row(points, step, &seed)).collect()
}

fn row(points: &[&TruthPoint], step: Option<usize>, seed: &Seed) -> TruthRow {
    let matches: Vec<&[&TruthPoint]> = points.chunk_by(|one, other| one.index == other.index).collect();
    let mean = |name: &str| {
        let known = |point: &&TruthPoint| Some(point.means[name]).filter(|figure| figure.is_finite());
        let of_match = |points: &&[&TruthPoint]| {
            let all = points.iter().filter_map(known);
            all.fold((0.0, 0.0), |sums, figure| (sums.0 + figure, sums.1 + 1.0))
        };
        MeanInterval::ratio_of_sums(matches.iter().map(of_match), &mut seed.child(name).rng())
    };
    let (ranks, (z, relation, relations, z_p)) = (ranks(points, &matches, seed), greatest_excess(&matches));
    let mut calibration = [Bin::default(); BINS];
    for point in points {
        calibration.iter_mut().zip(&point.calibration).for_each(|(sum, bin)| sum.add(bin, 1.0));
    }
    TruthRow {
        game: points[0].game.clone(),
        sampler: points[0].sampler.clone(),
        particles: points[0].particles,
        step,
        posterior: points[0].posterior,
        matches: matches.len(),
        points: points.len(),
        depletions: points.iter().map(|point| point.depletions).sum(),
        ranks,
        chi_squared: uniformity(&ranks),
        z,
        relation,
        relations,
        z_p,
        calibration,
        means: MEANS.into_iter().map(|name| (name, mean(name))).collect(),
    }
}

/// The ranks by tenths. For each match the role and step of any point of the study are drawn; it may have no such point.
fn ranks(points: &[&TruthPoint], matches: &[&[&TruthPoint]], seed: &Seed) -> [usize; 10] {
    let mut ranks = [0; 10];
    for of_match in matches {
        let mut rng = seed.child("rank").index(of_match[0].index).rng();
        let like = points[rng.random_range(0..points.len())];
        let is_like = |point: &&&TruthPoint| (point.step, &point.role) == (like.step, &like.role);
        if let Some(point) = of_match.iter().find(is_like).filter(|point| point.rank.is_finite()) {
            ranks[((point.rank * 10.0) as usize).min(9)] += 1;
        }
    }
    ranks
}

/// Pearson's test of whether all tenths are equally likely; `None` below [`FEW`] ranks.
fn uniformity(ranks: &[usize; 10]) -> Option<GoodnessOfFit> {
    let (draws, freedom) = (ranks.iter().sum(), ranks.len() - 1);
    let expected = draws as f64 / ranks.len() as f64;
    let statistic = ranks.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    let law = ChiSquared::new(freedom as f64).ok().filter(|_| draws as u64 >= FEW)?;
    Some(GoodnessOfFit { statistic, freedom, p: law.sf(statistic), draws })
}

/// The greatest z over the relations, its relation, how many relations there are, and its p-value among them.
fn greatest_excess(matches: &[&[&TruthPoint]]) -> (f64, Option<String>, usize, f64) {
    let mut of_matches: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (at, points) in matches.iter().enumerate() {
        for (relation, number) in points.iter().flat_map(|point| &point.excess) {
            of_matches.entry(relation).or_insert_with(|| vec![0.0; matches.len()])[at] += number;
        }
    }
    let tested = of_matches.into_iter().map(|(relation, sums)| (relation, Sample::from_iter(sums)));
    let tested: Vec<(&str, f64, f64)> = tested
        .filter(|(_, sample)| sample.variance() > Some(NONE))
        .filter_map(|(relation, sample)| {
            Some((relation, sample.mean()? / sample.error()?, sample.p_value()?))
        })
        .collect();
    let adjusted = holm(&tested.iter().map(|&(.., p)| p).collect::<Vec<f64>>());
    let most =
        tested.iter().zip(adjusted).max_by(|(one, _), (other, _)| one.1.abs().total_cmp(&other.1.abs()));
    let named = most.map(|(&(relation, z, _), p)| (z, Some(relation.to_owned()), tested.len(), p));
    named.unwrap_or((f64::NAN, None, 0, f64::NAN))
}
