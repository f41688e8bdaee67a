//! Belief against strength: how wrong the beliefs of the entrants are at the decisions of their own matches.
//!
//! The first deals of every cell are walked by their recorded moves. At every decision of an entrant with a belief, [`SETS`]
//! replicates of its sampler, with its model and its particles, are compared with the exact posterior under uniform play. They
//! are beliefs such as the entrant had, and not the particles that it drew. A belief that is exact there, on histories or on
//! states, has distance 0. Decisions behind the end of the exact posterior are counted as left out.
//!
//! All is summed by deal and entrant, so that a bootstrap over the deals of a game resamples scores and measures together.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::decision_log::DecisionLog;
use super::folder::Planned;
use super::results::Results;
use super::walk::{unlike, walk};
use hyperplay_engine::Engine;
use hyperplay_lab::LabResult;
use hyperplay_lab::study::accuracy::DrawsCurve;
use hyperplay_lab::study::harness::{EvaluationPoint, Figures, Oracle, Replicates, measure};
use hyperplay_machine::{Evaluated, EvaluationFailure, History, Role, Seed, StateMachine};
use hyperplay_play::player::{Assumed, Registry, SamplerSpec, SpecError};
use hyperplay_play::referee::MatchStep;
use hyperplay_think::belief::{SharedModel, Uniform};

/// Replicates at a decision.
const SETS: usize = 4;

/// Random playouts that value a move in a state.
const PLAYOUTS: u32 = 32;

/// The most histories that are enumerated, and the most states from there on.
const LIMIT: usize = 10_000;

/// A measure by the name of its column.
type Measure = (&'static str, fn(&Figures) -> f64);

/// Means over the decisions. The first one is known at every decision.
pub(super) const MEASURES: [Measure; 5] = [
    ("set_tv", |figures| if figures.exactly.is_some() { 0.0 } else { figures.set_tv }),
    ("regret", |figures| figures.regret.value),
    ("log_loss_excess", |figures| figures.log_loss.value - figures.log_loss_exact),
    ("coverage", |figures| if figures.exactly.is_some() { 1.0 } else { figures.coverage }),
    ("ess", |figures| figures.ess),
];

/// The mean goals.
pub(super) const SCORE: &str = "score";

/// The independent draws that a set is worth.
pub(super) const DRAWS: &str = "independent_draws";

/// The sums of one entrant over some matches.
#[derive(Clone, Default)]
pub struct BeliefSums {
    /// In the order of [`MEASURES`], each with the number of decisions at which it is known; last the goals and the matches.
    sums: [(f64, f64); MEASURES.len() + 1],
    curve: DrawsCurve,
    /// Decisions at which the exact posterior is not known.
    pub(super) left_out: usize,
}

impl BeliefSums {
    pub(super) fn add(&mut self, other: &BeliefSums) {
        other.sums.iter().enumerate().for_each(|(at, &sum)| self.count(at, sum));
        self.curve.add(&other.curve);
        self.left_out += other.left_out;
    }

    /// Counts a value of a measure, or goals behind the last one.
    pub(super) fn count(&mut self, at: usize, (value, count): (f64, f64)) {
        self.sums[at] = (self.sums[at].0 + value, self.sums[at].1 + count);
    }

    /// The decisions at which this measure is known; of the first one, all that were measured.
    pub(super) fn decisions(&self, measure: usize) -> usize {
        self.sums[measure].1 as usize
    }

    /// The score and every measure by the name of its column; NaN where it is not known.
    pub(super) fn figures(&self) -> BTreeMap<&'static str, f64> {
        let names = MEASURES.iter().map(|(name, _)| *name).chain([SCORE]);
        let means = names.zip(self.sums).map(|(name, (sum, count))| (name, sum / count));
        means.chain([(DRAWS, self.curve.inverse(self.sums[0].0))]).collect()
    }
}

/// By deal and entrant, the sums of a game.
pub type DealSums = BTreeMap<u64, BTreeMap<usize, BeliefSums>>;

/// The measurement of the beliefs of an experiment.
pub struct BeliefMeasurement<'a> {
    /// The experiment.
    pub planned: &'a Planned,
    /// The machines of its games.
    pub machines: &'a [Arc<Engine>],
    /// What the specs of the entrants name.
    pub registry: &'a Registry,
    /// Deals of each cell whose decisions are measured.
    pub deals: u64,
    /// Whether to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called after each match that is measured.
    pub tick: &'a dyn Fn(),
}

impl BeliefMeasurement<'_> {
    /// The sampler of an entrant, its model and its particles; none if it has no sampler.
    fn belief(&self, spec: &str) -> Result<Option<(SamplerSpec, Assumed, usize)>, SpecError> {
        let player = self.registry.player(spec)?;
        let spec = player.spec();
        if spec.entry().key("sampler").is_none() {
            return Ok(None);
        }
        let sampler = self.registry.sampler_of(spec.inner("sampler"))?;
        Ok(Some((sampler, Assumed::of(spec, self.registry)?, spec.size("particles"))))
    }

    /// Measures the matches of a folder; returns the sums of each game, or nothing if it was stopped.
    ///
    /// # Errors
    /// If a file cannot be read, which may be one that an entrant names, a match is not the one that is recorded, or the rules
    /// cannot be evaluated.
    pub fn measure(&self, mut results: Results<'_>) -> LabResult<Option<Vec<DealSums>>> {
        let plan = &self.planned.plan;
        let beliefs: Result<Vec<_>, _> = plan.entrants.iter().map(|one| self.belief(&one.spec)).collect();
        let (beliefs, mut games) = (beliefs?, vec![DealSums::new(); plan.games.len()]);
        while let Some(finished) = results.next()? {
            let place = finished.place;
            let (game, Some(goals)) = (plan.cells[place.cell].game, finished.goals()) else { continue };
            let (machine, is_measured) = (&self.machines[game], place.deal < self.deals);
            let walked =
                is_measured.then(|| walk(machine, plan, &finished, DecisionLog::Turns)).transpose()?;
            let steps = walked.map(|(played, _)| played.steps);
            let seed = Seed::root(plan.seed).child("beliefs").index(place.id as usize);
            let played = plan.games[game].played().map(Role::new).zip(plan.seats(&place));
            for ((role, &entrant), goal) in played.zip(goals) {
                let sums = games[game].entry(place.deal).or_default().entry(entrant).or_default();
                sums.count(MEASURES.len(), (f64::from(goal), 1.0));
                if let Some((belief, steps)) = beliefs[entrant].as_ref().zip(steps.as_ref()) {
                    let failed = |cause: EvaluationFailure| unlike(place.id, &cause.to_string());
                    self.add(sums, machine, (role, belief), steps, &seed).map_err(failed)?;
                }
            }
            if is_measured {
                (self.tick)();
            }
            if (self.stop)() {
                return Ok(None);
            }
        }
        Ok(Some(games))
    }

    /// Adds the decisions of one role in a match.
    fn add(
        &self,
        sums: &mut BeliefSums,
        machine: &Arc<Engine>,
        (role, (sampler, assumed, particles)): (Role, &(SamplerSpec, Assumed, usize)),
        steps: &[MatchStep],
        seed: &Seed,
    ) -> Evaluated {
        let (seed, own) = (seed.child(&machine.roles()[role]), assumed.model(machine));
        let uniform: SharedModel = Arc::new(Uniform);
        let oracle = Oracle {
            model: &uniform,
            limit: LIMIT,
            steps: (1, usize::MAX),
            playouts: PLAYOUTS,
            work: u64::MAX,
            playouts_engine: None,
        };
        let history = History(steps.iter().map(|step| step.joint.clone()).collect());
        let mut points = oracle.points(machine, role, &history, &seed.child("oracle"), self.stop)?.list;
        // There is a point before every step but the first one, until the posterior ends.
        let rest = steps.iter().skip(points.len() + 1);
        sums.left_out += rest.filter(|step| step.legal[role].len() > 1).count();
        points.retain(EvaluationPoint::is_decision);
        let replicates = Replicates {
            sampler: sampler.sampler().as_ref(),
            model: &own,
            is_of_points: own.is_uniform(),
            particles: *particles,
            count: SETS,
            seed,
            limit: None,
            work: u64::MAX,
            keep: None,
        };
        let figures = measure(machine, &replicates, &points, self.stop, &|| ())?.unwrap_or_default();
        for (point, figures) in points.iter().zip(figures) {
            sums.curve.add(&point.curve);
            for (at, value) in MEASURES.iter().map(|(_, read)| read(&figures)).enumerate() {
                if value.is_finite() {
                    sums.count(at, (value, 1.0));
                }
            }
        }
        Ok(())
    }
}
