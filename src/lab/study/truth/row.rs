//! Rows of truth: what is measured of one sampler and number of particles over all matches, at one step or at all.
//!
//! Only matches are independent. So both tests have at most one point of each match. Which one depends on nothing in the match: neither
//! on its length nor on what sets hold, for both say something of the truth or of the particles. At this point the truth and the drawn
//! particles are exchangeable, so *z* and its p-value follow from what they would be with any of these in the place of the truth.
//! A variance over matches would not do: where a fact is rarely true, no match of a study may have it.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rand::RngExt;
use rand::seq::IteratorRandom;
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::super::accuracy::GoodnessOfFit;
use super::super::harness::{BINS, Bin};
use super::point::{MEANS, TruthPoint};
use hyperplay_machine::Seed;
use hyperplay_report::{FEW, MeanInterval};

/// A number this small is what rounding leaves of none.
const NONE: f64 = 1e-9;

/// How often one of the truth and the particles of each match is drawn in the place of the truth, for the p-value of z.
const EXCHANGES: usize = 999;

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
    /// The sum of the excesses of a relation in standard errors, of the relation where this is most.
    pub z: f64,
    /// Which relation.
    pub relation: Option<String>,
    /// Relations that were compared.
    pub relations: usize,
    /// The probability that the greatest z of the `relations` is this far from 0 by chance.
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
    let chosen: Vec<&TruthPoint> =
        matches.iter().filter_map(|of_match| chosen(points, of_match, seed)).collect();
    let (mut ranks, (z, relation, relations, z_p)) = ([0; 10], greatest_excess(&chosen, seed));
    chosen.iter().for_each(|point| ranks[((point.rank * 10.0) as usize).min(9)] += 1);
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

/// The point of a match that is tested, at the role and step of any point of the other matches; the match may have no such point.
fn chosen<'a>(points: &[&TruthPoint], of_match: &[&'a TruthPoint], seed: &Seed) -> Option<&'a TruthPoint> {
    let index = of_match[0].index;
    let others = points.iter().filter(|point| point.index != index);
    let like = others.choose(&mut seed.child("rank").index(index).rng())?;
    let is_like = |point: &&&TruthPoint| (point.step, &point.role) == (like.step, &like.role);
    of_match.iter().copied().find(|point| is_like(&point)).filter(|point| point.rank.is_finite())
}

/// Pearson's test of whether all tenths are equally likely; `None` below [`FEW`] ranks.
fn uniformity(ranks: &[usize; 10]) -> Option<GoodnessOfFit> {
    let (draws, freedom) = (ranks.iter().sum(), ranks.len() - 1);
    let expected = draws as f64 / ranks.len() as f64;
    let statistic = ranks.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    let law = ChiSquared::new(freedom as f64).ok().filter(|_| draws as u64 >= FEW)?;
    Some(GoodnessOfFit { statistic, freedom, p: law.sf(statistic), draws })
}

/// The greatest z over the relations, its relation, how many relations there are, and its p-value among them: how often z is as great
/// if any of the truth and the particles of each match is taken for the truth.
fn greatest_excess(points: &[&TruthPoint], seed: &Seed) -> (f64, Option<String>, usize, f64) {
    let mut relations: BTreeMap<&str, Vec<(usize, Vec<f64>)>> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        for (relation, numbers) in &point.facts {
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            let excesses = numbers.iter().map(|number| number - mean).collect();
            relations.entry(relation).or_default().push((at, excesses));
        }
    }
    let mean_square = |(_, excesses): &(usize, Vec<f64>)| {
        excesses.iter().map(|excess| excess * excess).sum::<f64>() / excesses.len() as f64
    };
    let error = |of: &[_]| of.iter().map(mean_square).sum::<f64>().sqrt();
    let mut tested: Vec<(&str, _, f64)> =
        relations.iter().map(|(relation, of)| (*relation, of, error(of))).collect();
    tested.retain(|(_, _, error)| *error > NONE);
    let greatest = |taken: &[usize]| {
        let z = |&(relation, of, error): &(_, &Vec<(usize, Vec<f64>)>, f64)| {
            (relation, of.iter().map(|(at, excesses)| excesses[taken[*at]]).sum::<f64>() / error)
        };
        tested.iter().map(z).max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()))
    };
    let mut taken = vec![0; points.len()];
    let Some((relation, z)) = greatest(&taken) else { return (f64::NAN, None, 0, f64::NAN) };
    let places: Vec<usize> =
        points.iter().map(|point| point.facts.values().map(Vec::len).max().unwrap_or(1)).collect();
    let mut rng = seed.child("exchanged").rng();
    let mut as_great = 1;
    for _ in 0..EXCHANGES {
        taken.iter_mut().zip(&places).for_each(|(taken, &places)| *taken = rng.random_range(0..places));
        let other = greatest(&taken).map_or(0.0, |(_, z): (&str, f64)| z.abs());
        as_great += usize::from(other >= z.abs() - NONE);
    }
    (z, Some(relation.to_owned()), tested.len(), as_great as f64 / (EXCHANGES + 1) as f64)
}
