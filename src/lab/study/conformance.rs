//! Conformance: holds a sampler against the oracle at the points of a few random matches of small games.
//!
//! A sampler is checked as its users see it: what updates leave. The oracle enumerates the same information sets and shares no
//! code with samplers. Each check ends with its first failure in a game, and all but one fail only for a fault. The check of
//! bias is a test over the replicates of the [harness](super::harness): the point with the least p-value of its chi-squared
//! tests has an exact one, by 9,999 simulated counts, which is multiplied by the number of points (Bonferroni). So a
//! sampler without bias fails in at most [`LEVEL`] of all runs.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::accuracy::{GoodnessOfFit, Placed};
use super::harness::{EvaluationPoint, Oracle, PosteriorSource, Replicates, measure, random_match};
use super::particle_sets::joint_moves;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evaluated, Evidence, History, Seed, StateMachine, StateMachineExt};
use hyperplay_play::player::SamplerSpec;
use hyperplay_think::belief::exact::{ExactError, Posterior, posterior};
use hyperplay_think::belief::{Belief, OpponentModel, UpdateOutcome, draws};

/// The games.
pub const GAMES: [&str; 5] =
    ["monty_hall", "kuhn_poker", "mastermind_3c3p", "krieg_tictactoe_3x3", "blind_breakthrough_4x4"];

/// The share of runs in which a sampler without bias fails.
pub const LEVEL: f64 = 0.01;

/// The checks, and what it means if one fails.
pub const CHECKS: [(&str, &str); 6] = [
    ("consistency", "a particle is a history that explains the evidence, with the state after it"),
    ("weights", "weights are positive and sum to 1"),
    (
        "outcome",
        "there is no particle where an update is depleted, or where no history explains the evidence, and only there",
    ),
    ("seed", "the seed of an update alone fixes its particles, on any number of threads"),
    ("support", "every history of the posterior is held by some replicate"),
    ("bias", "a history drawn by its weight has the probability of the posterior"),
];

/// The last step that is looked at, and the matches of a game.
const STEPS: usize = 3;
const MATCHES: usize = 2;

/// The most histories of an information set.
const LIMIT: usize = 2_000;

/// Beliefs that are looked at one by one.
const WATCHED: usize = 50;

/// A history of the posterior that none of them holds is a failure if exact draws miss it with less than this probability.
const MISSED: f64 = 1e-6;

/// Simulated counts of an exact p-value at most, and as many as reach the statistic that is tested.
const SIMULATED: usize = 9_999;
const ENOUGH: usize = 20;

/// States that an update may take for evidence that no history explains.
const IMPOSSIBLE: u64 = 10_000;

/// A check that failed, where, and what was found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ConformanceFailure {
    /// Its place among the [`CHECKS`].
    pub check: &'static str,
    /// Role, step, and what was found.
    pub what: String,
}

/// Histories with their weights.
type ParticleList = Vec<(History, f64)>;

/// A test of bias, the posterior, and the place.
type BiasTest = (GoodnessOfFit, Posterior, String);

/// The points of one role in one match.
struct Checked<'a> {
    machine: &'a Arc<Engine>,
    sampler: &'a SamplerSpec,
    model: &'a Arc<dyn OpponentModel>,
    particles: usize,
    points: Vec<EvaluationPoint>,
    seed: Seed,
}

/// Checks a sampler in one game, with this many particles and replicates; returns its failures, one of each check at most.
///
/// # Errors
/// If the oracle cannot evaluate the rules.
pub fn conform(
    machine: &Arc<Engine>,
    sampler: &SamplerSpec,
    (particles, count): (usize, usize),
    seed: &Seed,
) -> Evaluated<Vec<ConformanceFailure>> {
    let model = &sampler.assumed().model(machine);
    let oracle =
        Oracle { model, limit: LIMIT, steps: (1, STEPS), playouts: 0, work: u64::MAX, playouts_engine: None };
    let mut failures: Vec<ConformanceFailure> = Vec::new();
    let mut tests: Vec<BiasTest> = Vec::new();
    for index in 0..MATCHES {
        let seed = seed.child("match").index(index);
        let history = random_match(machine, STEPS + 1, &seed)?;
        for role in machine.each_role().filter(|&role| machine.random() != Some(role)) {
            let seed = seed.child(&machine.roles()[role]);
            let mut points = oracle.points(machine, role, &history, &seed, &|| false)?.list;
            points.retain(|point| point.source == PosteriorSource::Exact);
            let checked = Checked { machine, sampler, model, particles, points, seed };
            match checked.watch() {
                Err(failure) if failures.iter().any(|known| known.check == failure.check) => {}
                Err(failure) => failures.push(failure),
                Ok(()) => tests.extend(checked.tests(count)?),
            }
        }
    }
    let points = tests.len();
    if let Some((fit, posterior, place)) =
        tests.into_iter().min_by(|one, other| one.0.p.total_cmp(&other.0.p))
    {
        let p = (exact_p(&fit, &posterior, &seed.child("bias")) * points as f64).min(1.0);
        let what = format!("{place}: p = {p:.4} over {points} points, by {} draws at this one", fit.draws);
        let is_biased = p < LEVEL / GAMES.len() as f64;
        failures.extend(is_biased.then_some(ConformanceFailure { check: "bias", what }));
    }
    Ok(failures)
}

/// The share of counts of as many draws from the posterior whose statistic is as large. Where [`ENOUGH`] are, no more are
/// simulated, and the share is exact all the same (Besag and Clifford).
fn exact_p(fit: &GoodnessOfFit, posterior: &Posterior, seed: &Seed) -> f64 {
    let (mut rng, mut reached, share) = (seed.rng(), 0, 1.0 / fit.draws as f64);
    for made in 1..=SIMULATED {
        let mut counts = Placed::nothing(posterior.histories.len());
        draws(posterior, fit.draws, &mut rng).into_iter().for_each(|at| counts.weights[at] += share);
        let other = counts.chi_squared(posterior, fit.draws);
        reached += usize::from(other.is_none_or(|other| other.statistic >= fit.statistic));
        if reached == ENOUGH {
            return ENOUGH as f64 / made as f64;
        }
    }
    (reached + 1) as f64 / (SIMULATED + 1) as f64
}

impl Checked<'_> {
    /// The tests of bias.
    fn tests(&self, count: usize) -> Evaluated<Vec<BiasTest>> {
        let replicates = Replicates {
            limit: None,
            work: u64::MAX,
            keep: None,
            sampler: self.sampler.sampler().as_ref(),
            model: self.model,
            is_of_points: false,
            particles: self.particles,
            count,
            seed: self.seed.child("replicates"),
        };
        let measured =
            measure(self.machine, &replicates, &self.points, &|| false, &|| ())?.unwrap_or_default();
        let fits = measured.iter().zip(&self.points);
        Ok(fits
            .filter_map(|(of, point)| Some((of.chi_squared?, point.posterior.clone(), self.place(point))))
            .collect())
    }

    /// The beliefs that are looked at one by one.
    ///
    /// # Errors
    /// The first failure.
    fn watch(&self) -> Result<(), ConformanceFailure> {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return Ok(()) };
        let belief =
            || self.sampler.sampler().belief(self.machine, first.evidence.role, self.model, self.particles);
        let follow = |number: usize| -> Result<Vec<ParticleList>, ConformanceFailure> {
            let (mut belief, seed) = (belief(), self.seed.child("watched").index(number));
            let update = |point: &EvaluationPoint| {
                let seed = &seed.index(point.evidence.step());
                self.update(&mut *belief, point, (&point.evidence, &Budget::UNLIMITED), seed)
            };
            self.points.iter().map(update).collect()
        };
        let all = (0..WATCHED).map(follow).collect::<Result<Vec<_>, _>>()?;
        for threads in [1, 4] {
            let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() else { continue };
            self.hold(pool.install(|| follow(0))? == all[0], "seed", last, || {
                format!("other particles when made again on {threads} threads")
            })?;
        }
        for (at, point) in self.points.iter().enumerate() {
            let sets = || all.iter().map(|of| &of[at]).filter(|set| !set.is_empty());
            let held: HashSet<&History> = sets().flatten().map(|(history, _)| history).collect();
            let is_missed = |(history, probability): &&(History, f64)| {
                !held.contains(history) && (1.0 - probability).powi(sets().count() as i32) < MISSED
            };
            let missed = point.posterior.histories.iter().find(is_missed);
            let what = || format!("no set has the history {}", self.shown(&missed.expect("one is missed").0));
            self.hold(missed.is_none(), "support", point, what)?;
        }
        // Without states or time, all steps at once, then another match, and evidence that no history explains.
        let (mut belief, impossible) = (belief(), Evidence { over: true, ..last.evidence.clone() });
        let refused = posterior(&**self.machine, &impossible, &**self.model, LIMIT);
        let updates = [(last, Budget::nodes(1)), (last, Budget::time(Duration::ZERO))];
        let updates = updates.into_iter().chain([last, first, last].map(|point| (point, Budget::UNLIMITED)));
        for (number, (point, budget)) in updates.enumerate() {
            let seed = &self.seed.child("budget").index(number);
            self.update(&mut *belief, point, (&point.evidence, &budget), seed)?;
        }
        if matches!(refused, Err(ExactError::Inconsistent(..))) {
            belief.update(&impossible, &Budget::nodes(IMPOSSIBLE), &self.seed);
            let is_empty = belief.particles().is_empty();
            self.hold(is_empty, "outcome", last, || "impossible evidence leaves particles".to_owned())?;
        }
        Ok(())
    }

    /// Makes one update, and checks and returns the particles that it leaves.
    fn update(
        &self,
        belief: &mut dyn Belief<Engine>,
        point: &EvaluationPoint,
        (evidence, budget): (&Evidence, &Budget),
        seed: &Seed,
    ) -> Result<ParticleList, ConformanceFailure> {
        let outcome = belief.update(evidence, budget, seed);
        let failure = belief.take_failure();
        self.hold(failure.is_none(), "consistency", point, || {
            failure.iter().map(ToString::to_string).collect()
        })?;
        let mut scratch = self.machine.scratch();
        let mut held = ParticleList::new();
        for particle in belief.particles() {
            let (history, state) = (belief.history(particle), belief.state(particle));
            let is_known = point.posterior.histories.iter().any(|(known, _)| *known == history);
            let is_right = is_known && self.machine.replay(&history, &mut scratch) == *state;
            let what = if is_known { "another state than" } else { "not in the information set:" };
            self.hold(is_right, "consistency", point, || format!("{what} {}", self.shown(&history)))?;
            held.push((history, particle.weight));
        }
        let sum: f64 = held.iter().map(|(_, weight)| weight).sum();
        let is_sum = held.is_empty() || (sum - 1.0).abs() < 1e-9;
        let is_right = is_sum && held.iter().all(|(_, weight)| *weight > 0.0);
        self.hold(is_right, "weights", point, || format!("they sum to {sum}, or one is not positive"))?;
        let is_right = match outcome {
            UpdateOutcome::Depleted { .. } => held.is_empty(),
            UpdateOutcome::Inconsistent { .. } => false,
            UpdateOutcome::Enumerated | UpdateOutcome::Sampled => !held.is_empty(),
        };
        self.hold(is_right, "outcome", point, || format!("{outcome:?} with {} particles", held.len()))?;
        Ok(held)
    }

    fn shown(&self, history: &History) -> String {
        joint_moves(self.machine, history).join(" ")
    }

    fn place(&self, EvaluationPoint { evidence, .. }: &EvaluationPoint) -> String {
        format!("{}, step {}", self.machine.roles()[evidence.role], evidence.step())
    }

    /// A failure unless something holds at a point.
    fn hold(
        &self,
        holds: bool,
        check: &'static str,
        point: &EvaluationPoint,
        what: impl Fn() -> String,
    ) -> Result<(), ConformanceFailure> {
        let failure = || ConformanceFailure { check, what: format!("{}: {}", self.place(point), what()) };
        if holds { Ok(()) } else { Err(failure()) }
    }
}
