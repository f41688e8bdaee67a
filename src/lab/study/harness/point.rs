//! Evaluation points: the knowledge of one role after a step of a match, and the posterior that follows from it.
//!
//! The posterior is computed by enumeration ([`exact`](hyperplay_think::belief::exact)) as long as that finds few
//! enough histories. Beyond that a *reference run* may replace it: one belief with many more particles. A reference
//! run is not a posterior. The only figure that is measured against it is how much of it a particle set covers.
//!
//! The data that all samplers are compared with is prepared once for each point: the position of each history, the
//! open fluents, and the values of the moves.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::super::accuracy::by_state;
use super::super::draws::DrawsCurve;
use super::evaluated;
use super::fluents::Fluents;
use super::values::Values;
use hyperplay_engine::Engine;
use hyperplay_machine::{
    Budget, EvaluationFailure, Evidence, History, Role, Seed, State, StateMachine, StateMachineExt,
};
use hyperplay_play::for_engine::{particle_belief, posterior};
use hyperplay_think::belief::exact::{ExactError, Posterior};
use hyperplay_think::belief::{Belief, BeliefOptions, OpponentModel, UpdateOutcome};

/// How the posterior of a point was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "oracle", content = "reference_particles", rename_all = "lowercase")]
pub enum PosteriorSource {
    /// Enumeration: it is the posterior.
    Exact,
    /// A belief of the given number of particles: it is no more than a large sample.
    Reference(usize),
}

/// The knowledge of one role after a step of a match, and what follows from it.
#[derive(Clone, Debug)]
pub struct EvaluationPoint {
    /// The evidence.
    pub evidence: Evidence,
    /// The posterior.
    pub posterior: Posterior,
    /// How the posterior was made.
    pub source: PosteriorSource,
    /// The true history.
    pub truth: History,
    /// Whether the role has more than one legal move.
    pub choice: bool,
    /// The probability of every state.
    pub(super) of_states: Vec<f64>,
    /// The expected set TV of independent draws by their number, if the posterior is exact.
    pub(in super::super) curve: Option<Arc<DrawsCurve>>,
    /// The place of every history of the posterior.
    pub(super) places: FxHashMap<History, usize>,
    /// The open fluents.
    pub(super) fluents: Fluents,
    /// The values of the moves, if they were requested.
    pub(super) values: Option<Values>,
}

impl EvaluationPoint {
    /// Distinct states that the histories end in.
    pub fn states(&self) -> usize {
        self.of_states.len()
    }

    /// Whether the role has something to choose and does not know the history.
    pub fn is_decision(&self) -> bool {
        self.choice && self.posterior.histories.len() > 1
    }

    /// Whether the posterior is exact.
    pub fn is_exact(&self) -> bool {
        self.source == PosteriorSource::Exact
    }
}

/// The points of a match for one role.
#[derive(Clone, Debug, Default)]
pub struct EvaluationPoints {
    /// From the first step looked at on, one a step, up to the last one before the end.
    pub list: Vec<EvaluationPoint>,
    /// Why the posterior is not exact, or is not there, up to the end.
    pub ended: Option<ExactError>,
}

/// How points are made.
#[derive(Clone)]
pub struct Oracle<'a> {
    /// The opponent model that is assumed for the other roles.
    pub model: &'a Arc<dyn OpponentModel>,
    /// The largest information set that is enumerated.
    pub limit: usize,
    /// Particles of the reference run where it is larger; 0 for none: points then end there.
    pub reference: usize,
    /// Joint moves made, at the first point and at the last.
    pub steps: (usize, usize),
    /// Random playouts that value a move in a state, for regret; 0 for none.
    pub playouts: u32,
}

impl Oracle<'_> {
    /// Computes the points of a match for a role, until `stop` returns true.
    ///
    /// # Errors
    /// If the rules cannot be evaluated.
    pub fn points(
        &self,
        machine: &Arc<Engine>,
        role: Role,
        history: &History,
        seed: &Seed,
        stop: &dyn Fn() -> bool,
    ) -> Result<EvaluationPoints, EvaluationFailure> {
        let mut points = EvaluationPoints::default();
        let mut reference: Option<Box<dyn Belief<Engine>>> = None;
        for evidence in prefixes(machine, role, history)? {
            let step = evidence.step();
            if step > self.steps.1 || stop() {
                break;
            }
            if step < self.steps.0 {
                continue;
            }
            if points.ended.is_none() {
                match posterior(machine, &evidence, self.model.as_ref(), self.limit) {
                    Ok(posterior) => {
                        let mut point = point(machine, history, evidence, posterior, PosteriorSource::Exact)?;
                        if self.playouts > 0 && point.is_decision() {
                            let seed = seed.child("value").index(step);
                            point.values = Values::of(machine, role, &point, self.playouts, &seed)?;
                        }
                        points.list.push(point);
                        continue;
                    }
                    Err(ExactError::Failed(failure)) => return Err(failure),
                    Err(error) => points.ended = Some(error),
                }
            }
            if self.reference == 0 {
                break;
            }
            let belief = reference.get_or_insert_with(|| {
                let options = BeliefOptions { particles: self.reference, ..BeliefOptions::default() };
                particle_belief(machine, role, self.model, options)
            });
            let outcome = belief.update(&evidence, &Budget::UNLIMITED, &seed.child("reference").index(step));
            if let Some(failure) = belief.take_failure() {
                return Err(failure);
            }
            if !matches!(outcome, UpdateOutcome::Enumerated | UpdateOutcome::Sampled) {
                break;
            }
            let posterior = held(belief.as_ref());
            let source = PosteriorSource::Reference(self.reference);
            points.list.push(point(machine, history, evidence, posterior, source)?);
        }
        Ok(points)
    }
}

/// The knowledge of a role after each step of a history, from the first on, as long as the match goes on.
fn prefixes(machine: &Engine, role: Role, history: &History) -> Result<Vec<Evidence>, EvaluationFailure> {
    let mut scratch = machine.scratch();
    let whole = machine.evidence(history, role, &mut scratch);
    let last = if whole.over { whole.step().saturating_sub(1) } else { whole.step() };
    evaluated(machine, &mut scratch, (1..=last).map(|step| whole.until(step)).collect())
}

fn point(
    machine: &Engine,
    history: &History,
    evidence: Evidence,
    posterior: Posterior,
    source: PosteriorSource,
) -> Result<EvaluationPoint, EvaluationFailure> {
    let mut scratch = machine.scratch();
    let truth = History(history.0[..evidence.step()].to_vec());
    let state = machine.replay(&truth, &mut scratch);
    let mut legal = Vec::new();
    machine.legal(&state, evidence.role, &mut scratch, &mut legal);
    let places =
        posterior.histories.iter().enumerate().map(|(at, (history, _))| (history.clone(), at)).collect();
    let of_states = by_state(&posterior, |at| posterior.histories[at].1);
    let curve = (source == PosteriorSource::Exact).then(|| Arc::new(DrawsCurve::of(&posterior)));
    // Which fluents are open is known of all possible states, and not of a sample.
    let fluents = match source {
        PosteriorSource::Exact => Fluents::of(machine, &posterior, &state, &mut scratch),
        PosteriorSource::Reference(_) => Fluents::none(of_states.len()),
    };
    let made = EvaluationPoint {
        evidence,
        posterior,
        source,
        truth,
        choice: legal.len() > 1,
        of_states,
        curve,
        places,
        fluents,
        values: None,
    };
    evaluated(machine, &mut scratch, made)
}

/// The content of a belief, as if it were the posterior.
fn held(belief: &dyn Belief<Engine>) -> Posterior {
    let mut histories: Vec<(History, f64)> = Vec::new();
    let mut numbers: FxHashMap<&State, usize> = FxHashMap::default();
    let mut ends = Vec::new();
    for particle in belief.particles() {
        let next = numbers.len();
        ends.push(*numbers.entry(belief.state(particle)).or_insert(next));
        histories.push((belief.history(particle), particle.weight));
    }
    Posterior { histories, ends, evidence: f64::NAN, states: belief.cost().states }
}
