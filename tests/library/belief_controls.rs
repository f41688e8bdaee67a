//! The controls of the evaluation harness: its figures accept a correct sampler, and each figure detects a sampler
//! that is wrong on purpose.

use std::sync::Arc;

use crate::common::machines::{imperfect, players, sampler};
use hyperplay::belief::exact::Posterior;
use hyperplay::belief::{
    Belief, BeliefOptions, HistoryBelief, OpponentModel, Sampler, SamplingMethod, Uniform, UpdateOutcome,
    Weight, draws,
};
use hyperplay::engine::Engine as Machine;
use hyperplay::for_engine::{particle_sampler, posterior};
use hyperplay::machine::{History, Role, Seed, StateMachineExt};
use hyperplay::study::harness::{self, BINS, Bin, EvaluationPoint, Figures, Oracle, Replicates};

/// Independent draws from the posterior.
fn independent(machine: &Arc<Machine>) -> Arc<dyn Sampler<Machine>> {
    sampler("exact", machine).0
}

fn uniform() -> Arc<dyn OpponentModel> {
    Arc::new(Uniform)
}

/// The points of a random match for one role, with moves valued.
fn points(machine: &Arc<Machine>, role: Role, steps: (usize, usize), seed: u64) -> Vec<EvaluationPoint> {
    let model = uniform();
    let history = harness::random_match(machine.as_ref(), steps.1, &Seed::root(seed)).unwrap();
    let oracle =
        Oracle { model: &model, limit: 5_000, steps, playouts: 8, work: u64::MAX, playouts_engine: None };
    oracle.points(machine, role, &history, &Seed::root(seed), &|| false).unwrap().list
}

/// The first `count` points of random matches at these steps whose posterior is not even: some history is so
/// many times as probable as another. Where it is even, HyperPlay as published has no bias, and squares change nothing.
fn uneven(machine: &Arc<Machine>, times: f64, steps: (usize, usize), count: usize) -> Vec<EvaluationPoint> {
    let is_uneven = |point: &EvaluationPoint| {
        let all = point.posterior.histories.iter().map(|(_, probability)| *probability);
        all.clone().fold(0.0, f64::max) > times * all.fold(1.0, f64::min)
    };
    let of_match = |seed| points(machine, players(machine)[0], steps, seed);
    (0..60).flat_map(of_match).filter(is_uneven).take(count).collect()
}

/// Independent draws from the *square* of the posterior: wrong on purpose.
struct Squared;

fn squared(posterior: &Posterior) -> Posterior {
    let square = |(history, probability): &(History, f64)| (history.clone(), probability * probability);
    Posterior { histories: posterior.histories.iter().map(square).collect(), ..posterior.clone() }
}

impl Sampler<Machine> for Squared {
    fn belief(
        &self,
        machine: &Arc<Machine>,
        role: Role,
        model: &Arc<dyn OpponentModel>,
        particles: usize,
    ) -> Box<dyn Belief<Machine>> {
        Box::new(HistoryBelief::new(machine, role, model, particles, |histories, evidence, _, seed| {
            let exact = posterior(&histories.machine, evidence, &*histories.model, 10_000).unwrap();
            let drawn = draws(&squared(&exact), histories.wanted, &mut seed.rng());
            let drawn = drawn.into_iter().map(|at| (histories.trace(&exact.histories[at].0), 1.0)).collect();
            histories.replace(drawn);
            UpdateOutcome::Sampled
        }))
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn draw_from(&self, posterior: &Posterior, particles: usize, seed: &Seed) -> Option<Vec<usize>> {
        Some(draws(&squared(posterior), particles, &mut seed.rng()))
    }
}

fn figures(
    machine: &Arc<Machine>,
    sampler: &dyn Sampler<Machine>,
    points: &[EvaluationPoint],
    (particles, count): (usize, usize),
    seed: u64,
) -> Vec<Figures> {
    let model = uniform();
    let replicates = Replicates {
        sampler,
        model: &model,
        is_of_points: true,
        particles,
        count,
        seed: Seed::root(seed),
        limit: None,
        work: u64::MAX,
        keep: None,
    };
    harness::measure(machine, &replicates, points, &|| false, &|| ()).unwrap().unwrap()
}

/// The share of chi-squared tests with p below 5 %, and how many tests there were.
fn rejected(all: &[Figures]) -> (f64, usize) {
    let fits: Vec<f64> = all.iter().filter_map(|figures| figures.chi_squared).map(|fit| fit.p).collect();
    (fits.iter().filter(|&&p| p < 0.05).count() as f64 / fits.len() as f64, fits.len())
}

/// 400 tests of draws that come from the posterior: 20 rejections are expected, with a standard deviation of 4.4.
#[test]
fn chi_squared_rejects_exact_draws_in_one_test_of_twenty() {
    let machine = imperfect("krieg_tictactoe_3x3");
    let of_match = |seed| points(&machine, players(&machine)[0], (1, 4), seed);
    let points = (0..60).map(of_match).find(|points| points.len() == 4).unwrap();
    let all: Vec<Figures> = (0..100)
        .flat_map(|seed| figures(&machine, &*independent(&machine), &points, (500, 2), seed))
        .collect();
    let (share, tests) = rejected(&all);
    println!("{share} of {tests}");
    assert!(tests == 400 && (0.02..0.09).contains(&share), "{share} of {tests}");
}

/// HyperPlay as published, at the fourth step, one particle of 1,500 sets each.
#[test]
fn chi_squared_rejects_hyperplay_as_published_in_nearly_all() {
    let machine = imperfect("krieg_tictactoe_3x3");
    let published = particle_sampler(BeliefOptions {
        enumerate: false,
        method: SamplingMethod::Backtracking,
        weight: Weight::BranchingFactor,
        merge: false,
        ..BeliefOptions::default()
    });
    let all: Vec<Figures> = uneven(&machine, 1.05, (4, 4), 16)
        .into_iter()
        .flat_map(|point| figures(&machine, &*published, &[point], (16, 1_500), 1))
        .collect();
    let (share, tests) = rejected(&all);
    println!("{share} of {tests}");
    assert!(tests == 16 && share >= 0.85, "{share} of {tests}");
}

/// Draws by the square of the posterior, where it is not even (1/3 and 2/3): beside right draws of the same number. The
/// error of one proportion may be several times its mean, the baseline.
#[test]
fn a_wrong_sampler_is_caught_by_every_distance() {
    let machine = imperfect("monty_hall");
    let points = uneven(&machine, 1.9, (2, 2), 3);
    assert_eq!(points.len(), 3);
    let of_points = |sampler: &dyn Sampler<Machine>| -> Vec<Figures> {
        let one =
            |point: &EvaluationPoint| figures(&machine, sampler, std::slice::from_ref(point), (64, 300), 1);
        points.iter().flat_map(one).collect()
    };
    let (right, wrong) = (of_points(&*independent(&machine)), of_points(&Squared));
    for (right, wrong) in right.iter().zip(&wrong) {
        assert!(right.bias_tv < 4.0 * right.bias_tv_baseline, "{right:?}");
        assert!(wrong.bias_tv > 20.0 * wrong.bias_tv_baseline, "{wrong:?}");
        assert!(wrong.bias_tv_low > right.bias_tv_high, "{right:?} {wrong:?}");
        assert!(wrong.state_bias_tv > 20.0 * wrong.state_bias_tv_baseline, "{wrong:?}");
        assert!(wrong.set_tv > right.set_tv + 4.0 * (right.set_tv_error + wrong.set_tv_error), "{wrong:?}");
        assert!(wrong.kl > 1.5 * right.kl, "{} {}", right.kl, wrong.kl);
        let p = |figures: &Figures| figures.chi_squared.unwrap().p;
        assert!(p(right) > 1e-3 && p(wrong) < 1e-6, "{right:?} {wrong:?}");
    }
}

/// The figures about the true state need many true states: 600 matches of Monty Hall, where the posterior is 1/3 and
/// 2/3 and its square 1/5 and 4/5.
#[test]
fn a_wrong_sampler_is_detected_by_its_figures_of_the_true_state() {
    let machine = imperfect("monty_hall");
    let candidate = machine.role_named("candidate").unwrap();
    let mut means = [(0.0, 0.0, 0.0, [Bin::default(); BINS]); 2];
    const MATCHES: u64 = 600;
    let mut exact = 0.0;
    for seed in 0..MATCHES {
        let points = points(&machine, candidate, (2, 2), seed);
        let samplers: [&dyn Sampler<Machine>; 2] = [&*independent(&machine), &Squared];
        for (sampler, mean) in samplers.into_iter().zip(&mut means) {
            let figures = &figures(&machine, sampler, &points, (1_000, 2), seed)[0];
            mean.0 += figures.log_loss.value / MATCHES as f64;
            mean.1 += figures.brier.value / MATCHES as f64;
            mean.2 += figures.true_history_ratio.value / MATCHES as f64;
            mean.3.iter_mut().zip(&figures.calibration).for_each(|(sum, bin)| sum.add(bin, 1.0));
            exact += figures.log_loss_exact / MATCHES as f64 / 2.0;
        }
    }
    // The distance of the stated probabilities from the true shares, over all bins.
    let miss = |bins: &[Bin; BINS]| {
        let all: f64 = bins.iter().map(|bin| bin.count).sum();
        bins.iter().map(|bin| (bin.said - bin.held).abs()).sum::<f64>() / all
    };
    let [right, wrong] = &means;
    println!("log loss {:.4} {:.4}, exact {exact:.4}; Brier {:.4} {:.4}", right.0, wrong.0, right.1, wrong.1);
    println!("truth {:.4} {:.4}; calibration {:.4} {:.4}", right.2, wrong.2, miss(&right.3), miss(&wrong.3));
    assert!((right.0 - exact).abs() < 0.005 && wrong.0 > right.0 + 0.02);
    assert!(wrong.1 > right.1 + 0.005);
    assert!(miss(&right.3) < 0.05 && miss(&wrong.3) > 0.09);
    // Twice the weight on the truth: 2 (1/9 + 4/9) by the posterior, 2 (1/15 + 8/15) by its square.
    assert!((right.2 - 10.0 / 9.0).abs() < 0.06 && (wrong.2 - 6.0 / 5.0).abs() < 0.08);
}

/// With many particles, a correct belief chooses as the posterior does; a wrong one may not. Regret is never below
/// zero.
#[test]
fn regret_falls_with_particles_and_is_none_for_the_enumerated_set() {
    let machine = imperfect("krieg_tictactoe_3x3");
    let points = points(&machine, players(&machine)[0], (2, 4), 3);
    let enumerated = figures(&machine, &*particle_sampler(BeliefOptions::default()), &points, (64, 2), 1);
    assert!(enumerated.iter().all(|figures| figures.regret.value.abs() < 1e-9));
    let mean = |particles| {
        let all = figures(&machine, &*independent(&machine), &points, (particles, 100), 1);
        assert!(all.iter().all(|figures| figures.regret.value >= 0.0));
        all.iter().map(|figures| figures.regret.value).sum::<f64>()
    };
    let (few, many) = (mean(2), mean(512));
    assert!(few > 2.0 * many, "{few} {many}");
}
