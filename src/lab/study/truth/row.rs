//! Rows of truth: what is measured of one sampler and number of particles over all matches, at one step or at all.
//!
//! Only matches are independent. So the test of ranks has at most one point of each match. Which one depends on nothing in the match:
//! neither on its length nor on what sets hold, for both say something of the truth or of the particles.
//!
//! At each point the truth and the drawn particles are exchangeable. So *z* of a relation at one step of one role, over all matches,
//! and its p-value follow from what it would be with any of these in the place of the truth. A variance over matches would not do:
//! where a fact is rarely true, no match of a study may have it. The greatest z of all roles and steps is compared with the greatest
//! one of such exchanges. The points of a match have one truth, so their z depend on each other, and exchanges of each point by itself
//! would have a greater greatest z. How they depend is taken from the excesses of the truth, those of each match times one random number
//! (Chernozhukov13): in the order of these sums the exchanged z of every relation are put together (Iman82).

use std::collections::BTreeMap;
use std::iter::repeat_n;

use rand::RngExt;
use rand::seq::IteratorRandom;
use serde::Serialize;

use super::super::accuracy::GoodnessOfFit;
use super::super::harness::{BINS, Bin, NONE};
use super::super::row::{Measured, Place, grouped};
use super::super::summary::over_matches;
use super::point::{MEANS, TruthPoint};
use hyperplay_machine::Seed;
use hyperplay_report::{FEW, MeanInterval};

/// A relation is compared at a step of a role if this many matches, or all, have a particle there that differs from the truth in it. What
/// occurs in fewer would hide the others: its z is great whenever it occurs.
const DIFFERING: usize = 5;

/// How often one of the truth and the particles of each point is drawn in the place of the truth, for the p-value of z.
const EXCHANGES: usize = 999;

/// One sampler with one number of particles.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TruthRow {
    /// What it is of; the posterior is the one under the sampler's own model.
    #[serde(flatten)]
    pub of: Measured,
    /// Joint moves made; `None` for all steps together.
    pub step: Option<usize>,
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

/// The rows of these points, which are in the order of the matches: for each sampler and number of particles that of all
/// steps, then one for each step.
pub fn truth_rows(points: &[TruthPoint], seed: u64) -> Vec<TruthRow> {
    let seed = Seed::root(seed).child("truth");
    let rows = |(of, points): (&Measured, Vec<&TruthPoint>)| {
        let mut steps = grouped(points.iter().copied(), |point| Some(point.place.step));
        steps.insert(None, points);
        steps.sort_unstable_keys();
        let row = |(step, points): (_, Vec<&TruthPoint>)| row(of, &points, step, &seed);
        steps.into_iter().map(row).collect::<Vec<_>>()
    };
    grouped(points, |point| &point.of).into_iter().flat_map(rows).collect()
}

fn row(of: &Measured, points: &[&TruthPoint], step: Option<usize>, seed: &Seed) -> TruthRow {
    let mean = |name: &str| {
        let of = over_matches(points.iter().map(|point| (point.place.index, (point.means[name], 1.0))));
        // No share is above 1.
        if name.ends_with("held") { MeanInterval { high: of.high.clamp(0.0, 1.0), ..of } } else { of }
    };
    let matches = grouped(points.iter().copied(), |point| point.place.index);
    let chosen: Vec<&TruthPoint> =
        matches.iter().filter_map(|(&index, of_match)| chosen(points, index, of_match, seed)).collect();
    let (mut ranks, (z, relation, relations, z_p)) =
        ([0; 10], greatest_excess(points, matches.len().min(DIFFERING), seed));
    chosen.iter().for_each(|point| ranks[((point.rank * 10.0) as usize).min(9)] += 1);
    TruthRow {
        of: of.clone(),
        step,
        matches: matches.len(),
        points: points.len(),
        depletions: points.iter().map(|point| point.depletions).sum(),
        ranks,
        chi_squared: uniformity(&ranks),
        z,
        relation,
        relations,
        z_p,
        calibration: Bin::sums(points.iter().map(|point| &point.calibration), 1.0),
        means: MEANS.into_iter().map(|name| (name, mean(name))).collect(),
    }
}

/// The point of a match whose rank is tested, at the role and step of any point of the other matches; the match may have no such point.
fn chosen<'a>(
    points: &[&TruthPoint],
    index: usize,
    of_match: &[&'a TruthPoint],
    seed: &Seed,
) -> Option<&'a TruthPoint> {
    let others = points.iter().filter(|point| point.place.index != index);
    let like = others.choose(&mut seed.child("rank").index(index).rng())?;
    let like = Place { index, ..like.place.clone() };
    of_match.iter().copied().find(|point| point.place == like).filter(|point| point.rank.is_finite())
}

/// Pearson's test of whether all tenths are equally likely; `None` below [`FEW`] ranks.
fn uniformity(ranks: &[usize; 10]) -> Option<GoodnessOfFit> {
    let draws: usize = ranks.iter().sum();
    let cells = ranks.map(|count| (draws as f64 / ranks.len() as f64, count as f64));
    GoodnessOfFit::of(&cells, draws).filter(|_| draws as u64 >= FEW)
}

/// How many of the facts of a relation are true less the mean over the truth and the particles, and the same with each particle in
/// the place of the truth; with the number of the point.
type Excesses = (usize, Vec<f64>);

/// The sum of a term of each point.
fn sum(of: &[Excesses], term: impl Fn(usize, &[f64]) -> f64) -> f64 {
    of.iter().map(|(at, excesses)| term(*at, excesses)).sum()
}

/// The greatest z, its relation with role and step, how many were compared, and its p-value among them: how often the greatest z is
/// as great if any of the truth and the particles of each point is taken for the truth, and the z of all relations depend on each
/// other as they do in the matches.
fn greatest_excess(
    points: &[&TruthPoint],
    differing: usize,
    seed: &Seed,
) -> (f64, Option<String>, usize, f64) {
    let mut relations: BTreeMap<(usize, &str, &str), Vec<Excesses>> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        for (relation, numbers) in &point.facts {
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            let excesses = numbers.iter().map(|number| number - mean).collect();
            let key = (point.place.step, point.place.role.as_str(), relation.as_str());
            relations.entry(key).or_default().push((at, excesses));
        }
    }
    let z_of = |(key, of): (_, Vec<Excesses>)| {
        let error = sum(&of, |_, own| own.iter().map(|one| one * one).sum::<f64>() / own.len() as f64).sqrt();
        (key, sum(&of, |_, own| own[0]) / error, of, error)
    };
    let tested: Vec<_> = relations.into_iter().filter(|(_, of)| of.len() >= differing).map(z_of).collect();
    let greatest = tested.iter().max_by(|one, other| one.1.abs().total_cmp(&other.1.abs()));
    let Some(((step, role, relation), z, ..)) = greatest else { return (f64::NAN, None, 0, f64::NAN) };
    let mut rng = seed.child("exchanged").rng();
    let mut exchanges = vec![Vec::with_capacity(EXCHANGES); tested.len()];
    for _ in 0..EXCHANGES {
        let drawn: Vec<f64> = points.iter().map(|_| rng.random()).collect();
        let of_matches = points.chunk_by(|one, other| one.place.index == other.place.index);
        let factors: Vec<f64> =
            of_matches.flat_map(|of_match| repeat_n(rng.random_range(-1.0..1.0), of_match.len())).collect();
        for (exchanges, (.., of, error)) in exchanges.iter_mut().zip(&tested) {
            let taken = sum(of, |at, own| own[(drawn[at] * own.len() as f64) as usize]);
            exchanges.push((sum(of, |at, own| factors[at] * own[0]), taken / error));
        }
    }
    let mut most = vec![0.0_f64; EXCHANGES];
    for exchanges in exchanges {
        let (order, mut numbers): (Vec<f64>, Vec<f64>) = exchanges.into_iter().unzip();
        numbers.sort_unstable_by(f64::total_cmp);
        let mut places: Vec<usize> = (0..EXCHANGES).collect();
        places.sort_by(|&one, &other| order[one].total_cmp(&order[other]));
        places.into_iter().zip(numbers).for_each(|(at, number)| most[at] = most[at].max(number.abs()));
    }
    let as_great = 1 + most.into_iter().filter(|other| *other >= z.abs() - NONE).count();
    let place = format!("{relation}, {role} at step {step}");
    (*z, Some(place), tested.len(), as_great as f64 / (EXCHANGES + 1) as f64)
}
