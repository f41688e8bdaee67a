//! Tests of the test without a posterior: it rejects exact draws in one study of twenty, and finds samplers that are wrong on
//! purpose.
//!
//! A study of many matches is cut into studies of fewer, so that the matches of each are its own.

use std::sync::Arc;

use rand::RngExt;

use super::super::{Blocks, MatchSource, Place, StudyGame, StudyPlan, WORK};
use super::*;
use hyperplay_engine::{EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_play::player::{Registry, SpecEntry};
use hyperplay_play::referee::Interrupt;
use hyperplay_think::belief::exact::Posterior;
use hyperplay_think::belief::{Belief, IndependentSampler, OpponentModel, Sampler, draws};

const LEDUC: &str = include_str!("../../../../games/imperfect/leduc_poker.kif");
const KRIEG: &str = include_str!("../../../../games/imperfect/krieg_tictactoe_3x3.kif");

/// Exact draws, of which a share is replaced by the first history of the posterior.
struct Tilted {
    share: f64,
}

impl Sampler<Engine> for Tilted {
    fn belief(
        &self,
        machine: &Arc<Engine>,
        role: Role,
        model: &Arc<dyn OpponentModel>,
        particles: usize,
    ) -> Box<dyn Belief<Engine>> {
        IndependentSampler.belief(machine, role, model, particles)
    }

    fn draw_from(&self, posterior: &Posterior, particles: usize, seed: &Seed) -> Option<Vec<usize>> {
        let mut rng = seed.child("tilted").rng();
        let tilted = |place| if rng.random::<f64>() < self.share { 0 } else { place };
        Some(draws(posterior, particles, &mut seed.rng()).into_iter().map(tilted).collect())
    }
}

/// The points of a study of random matches.
fn points(game: &str, sampler: &str, matches: usize, steps: usize, seed: u64) -> Vec<TruthPoint> {
    let registry = [2, 10].into_iter().fold(Registry::standard(), |registry, percent| {
        let entry = SpecEntry::new(format!("tilted{percent}"), "wrong on purpose");
        let read = move |_: &_, _: &_| Ok(Tilted { share: f64::from(percent) / 100.0 });
        registry.with_sampler(entry, read).expect("the name is free")
    });
    let game = load(Source::new("game", game), None).game.unwrap();
    let machine = Engines::new(&game).get(EngineKind::Auto).unwrap();
    let plan = StudyPlan {
        samplers: vec![registry.sampler(sampler).unwrap()],
        particles: vec![16],
        replicates: 9,
        matches,
        play: MatchSource::read("uniform", &registry).unwrap(),
        equilibrium: None,
        roles: Vec::new(),
        steps: (1, steps),
        // Samplers that draw from the posterior need it.
        limit: if sampler == "exact" || sampler.starts_with("tilted") { 2_000 } else { 0 },
        update_limit: None,
        playouts: 0,
        work: WORK,
        seed,
    };
    let game = StudyGame::unnamed(&machine);
    plan.study(&game, &Interrupt::default(), (&|| (), &|_| ()), &mut Blocks::default()).unwrap().truths
}

/// The shares of the studies of `size` matches that reject by rank, by z, and by either at half the level.
fn rejected(points: &[TruthPoint], size: usize) -> [f64; 3] {
    let of_study = |points: &[TruthPoint]| truth_rows(points, 1)[0].clone();
    let rows: Vec<TruthRow> = points
        .chunk_by(|one, other| one.place.index / size == other.place.index / size)
        .map(of_study)
        .collect();
    let p = |row: &TruthRow| {
        (row.chi_squared.map_or(1.0, |fit| fit.p), if row.z_p.is_nan() { 1.0 } else { row.z_p })
    };
    let share = |is: &dyn Fn((f64, f64)) -> bool| {
        rows.iter().filter(|row| is(p(row))).count() as f64 / rows.len() as f64
    };
    [
        share(&|(rank, _)| rank < 0.05),
        share(&|(_, z)| z < 0.05),
        share(&|(rank, z)| rank < 0.025 || z < 0.025),
    ]
}

/// 100 studies: a share of 0.05 has a standard deviation of 0.022.
#[test]
fn exact_draws_are_rejected_in_one_study_of_twenty() {
    let [by_rank, by_z, by_either] = rejected(&points(LEDUC, "exact", 2_000, 3, 1), 20);
    assert!(by_rank <= 0.12 && by_z <= 0.12 && by_either <= 0.12, "{by_rank} {by_z} {by_either}");
}

#[test]
fn hyperplay_as_published_is_rejected_in_every_study() {
    let by_z = rejected(&points(KRIEG, "hyperplay12", 200, 4, 1), 100)[1];
    assert!(by_z > 0.99, "{by_z}");
}

/// The share of 400 studies of 20 to 50 matches that *z* rejects, where a fact has the first probability and is believed with the second.
fn rejected_of_one_fact(probability: f64, believed: f64) -> f64 {
    let mut rng = Seed::root(3).rng();
    let mut point = |index| {
        let mut number = |probability| f64::from(rng.random::<f64>() < probability);
        let of_truth = number(probability);
        let numbers = [of_truth].into_iter().chain((0..SETS).map(|_| number(believed))).collect();
        let means = MEANS.into_iter().map(|name| (name, f64::NAN)).collect();
        let place = Place { index, ..Place::default() };
        TruthPoint { place, facts: [("rare".to_owned(), numbers)].into(), means, ..TruthPoint::default() }
    };
    let p = |study: usize| truth_rows(&(0..20 + study % 31).map(&mut point).collect::<Vec<_>>(), 1)[0].z_p;
    (0..400).map(p).filter(|&p| p < 0.05).count() as f64 / 400.0
}

#[test]
fn a_fact_that_is_rarely_true_does_not_reject_exact_draws() {
    let rejected = [(0.01, 0.01), (0.1, 0.01), (0.01, 0.2)]
        .map(|(probability, believed)| rejected_of_one_fact(probability, believed));
    assert!(rejected[0] <= 0.07 && rejected[1] > 0.6 && rejected[2] > 0.8, "{rejected:?}");
}

/// The figures of `docs/belief-results.md`.
#[test]
#[ignore = "a quarter of an hour"]
fn figures_of_the_test_without_a_posterior() {
    let figures = |game: &str, sampler: &str, matches: usize, seed: u64, sizes: &[usize]| {
        let all = points(game, sampler, matches, 3, seed);
        for &size in sizes {
            println!("{sampler}, seed {seed}, {size} matches: {:?}", rejected(&all, size));
        }
    };
    figures(KRIEG, "hyperplay12", 6_000, 2, &[20, 30, 50, 100]);
    // 1,000 studies.
    (2..6).for_each(|seed| figures(LEDUC, "exact", 10_000, seed, &[40]));
    [2, 10]
        .into_iter()
        .for_each(|percent| figures(LEDUC, &format!("tilted{percent}"), 5_000, 2, &[50, 100, 500, 1_000]));
}
