//! Evaluation points: the knowledge of one role after a step of a match, and the posterior that follows from it.
//!
//! The posterior is computed by enumeration ([`exact`](hyperplay_think::belief::exact)) as long as that finds few
//! enough histories. From there on, under uniform opponents, it is the exact distribution of the states: every distance is
//! then one between states, however the particles got there. Where nothing is to be enumerated a point has no posterior,
//! and samplers are measured by what needs none.
//!
//! The data that all samplers are compared with is prepared once for each point: the position of each history or state,
//! the open fluents, and the values of the moves.

use std::sync::Arc;

use cpu_time::ThreadTime;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::super::accuracy::{DrawsCurve, baseline, by_state, state_baseline};
use super::evaluated;
use super::fluents::Fluents;
use super::values::Values;
use hyperplay_engine::Engine;
use hyperplay_machine::{Evaluated, Evidence, History, Role, Seed, State, StateMachine, StateMachineExt};
use hyperplay_play::for_engine::{enumeration, observe};
use hyperplay_think::belief::OpponentModel;
use hyperplay_think::belief::exact::{ExactError, Posterior};

/// How the posterior of a point was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(tag = "oracle", rename_all = "lowercase")]
pub enum PosteriorSource {
    /// Enumeration of the histories.
    Exact,
    /// Enumeration of the states, one history of each with the probability of the state.
    States,
    /// There is none: nothing was to be enumerated.
    None,
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
    /// The expected set TV of independent draws by their number.
    pub curve: Arc<DrawsCurve>,
    /// The same on states.
    pub(in super::super) state_curve: Arc<DrawsCurve>,
    /// The processor time of the oracle: of this step, and of all up to it.
    pub(super) seconds: [f64; 2],
    /// The place of every history of the posterior, or of every state.
    pub(super) places: Places,
    /// The place of the true history or state.
    pub(in super::super) true_place: Option<usize>,
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

    /// Whether the role has something to choose and, as far as was enumerated, does not know the history.
    pub fn is_decision(&self) -> bool {
        self.choice && self.posterior.histories.len() != 1
    }

    /// 1, or NaN where there is no posterior: what is computed from one is multiplied by it.
    pub(super) fn known(&self) -> f64 {
        if self.source == PosteriorSource::None { f64::NAN } else { 1.0 }
    }

    /// The probabilities of the true history and of the true state.
    pub(in super::super) fn of_truth(&self) -> Option<[f64; 2]> {
        let place = self.true_place?;
        Some([self.posterior.histories[place].1, self.of_states[self.posterior.ends[place]]])
    }
}

#[derive(Clone, Debug)]
pub(super) enum Places {
    OfHistories(FxHashMap<History, usize>),
    OfStates(FxHashMap<State, usize>),
}

impl Places {
    /// That of a history that ends in this state, if it has one.
    pub(super) fn of(&self, history: &History, state: &State) -> Option<usize> {
        match self {
            Places::OfHistories(places) => places.get(history).copied(),
            Places::OfStates(places) => places.get(state).copied(),
        }
    }
}

/// The points of a match for one role.
#[derive(Clone, Debug, Default)]
pub struct EvaluationPoints {
    /// From the first step looked at on, one a step, up to the last one before the end.
    pub list: Vec<EvaluationPoint>,
    /// Why the posterior is not exact, or is not there, up to the end.
    pub ended: Option<PointsEnd>,
}

/// The steps of playouts, which are made in bulk, for each state of a posterior.
const STEPS: u64 = 10;

/// Why points end before the match.
#[derive(Clone, Debug)]
pub enum PointsEnd {
    /// There is no posterior.
    Exact(ExactError),
    /// The posteriors up to this step have visited all states that they may.
    Work(usize),
}

/// How points are made.
#[derive(Clone)]
pub struct Oracle<'a> {
    /// The opponent model that is assumed for the other roles.
    pub model: &'a Arc<dyn OpponentModel>,
    /// The most histories that are enumerated, and the most states from there on; then points end. 0 for points without a
    /// posterior.
    pub limit: usize,
    /// Joint moves made, at the first point and at the last.
    pub steps: (usize, usize),
    /// Random playouts that value a move in a state, for regret; 0 for none.
    pub playouts: u32,
    /// The engine of these playouts, if it is another one.
    pub playouts_engine: Option<&'a Engine>,
    /// The states that all posteriors may visit together; the playouts may make ten times as many steps. Where that is used up
    /// points end, or have no values.
    pub work: u64,
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
    ) -> Evaluated<EvaluationPoints> {
        let mut points = EvaluationPoints::default();
        let mut all = enumeration(machine, role, self.model.as_ref(), self.limit);
        let mut source = if self.limit == 0 { PosteriorSource::None } else { PosteriorSource::Exact };
        let (mut total, mut steps_left) = (0.0, self.work.saturating_mul(STEPS));
        for evidence in prefixes(machine, role, history)? {
            let step = evidence.step();
            if step > self.steps.1 || stop() {
                break;
            }
            if let Some(last) = points.list.last().filter(|last| last.posterior.states >= self.work) {
                points.ended = Some(PointsEnd::Work(last.evidence.step()));
                break;
            }
            let observed = evidence.steps.last().expect("a prefix has a step");
            let since = ThreadTime::now();
            let mut result = if self.limit == 0 { Ok(()) } else { observe(&mut all, observed) };
            if matches!(result, Err(ExactError::TooLarge { .. })) && all.merge_states() {
                source = PosteriorSource::States;
                result = observe(&mut all, observed);
            }
            let followed = since.elapsed().as_secs_f64();
            total += followed;
            match result {
                Ok(()) if step < self.steps.0 => {}
                Ok(()) => {
                    let posterior = if self.limit == 0 { Posterior::default() } else { all.posterior() };
                    let here = since.elapsed().as_secs_f64();
                    let mut point = point(machine, history, evidence, posterior, source)?;
                    point.seconds = [here, total - followed + here];
                    if self.playouts > 0 && point.is_decision() {
                        let seed = seed.child("value").index(step);
                        let engine = self.playouts_engine.unwrap_or(machine);
                        let (work, truth) = ((self.playouts, steps_left), &point.truth);
                        let values = Values::of(engine, role, truth, &point.posterior, work, &seed)?;
                        steps_left -= values.as_ref().map_or(0, |values| values.steps.min(steps_left));
                        point.values = values;
                    }
                    points.list.push(point);
                }
                Err(ExactError::Failed(failure)) => return Err(failure),
                Err(error) => {
                    points.ended = Some(PointsEnd::Exact(error));
                    break;
                }
            }
        }
        Ok(points)
    }
}

/// The knowledge of a role after each step of a history, from the first on, as long as the match goes on.
pub(in super::super) fn prefixes(
    machine: &Engine,
    role: Role,
    history: &History,
) -> Evaluated<Vec<Evidence>> {
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
) -> Evaluated<EvaluationPoint> {
    let mut scratch = machine.scratch();
    let truth = History(history.0[..evidence.step()].to_vec());
    let state = machine.replay(&truth, &mut scratch);
    let mut legal = Vec::new();
    machine.legal(&state, evidence.role, &mut scratch, &mut legal);
    let histories = posterior.histories.iter().map(|(history, _)| history).enumerate();
    let places = if source == PosteriorSource::States {
        Places::OfStates(histories.map(|(at, history)| (machine.replay(history, &mut scratch), at)).collect())
    } else {
        Places::OfHistories(histories.map(|(at, history)| (history.clone(), at)).collect())
    };
    let true_place = places.of(&truth, &state);
    let of_states = by_state(&posterior, |at| posterior.histories[at].1);
    let [curve, state_curve] =
        [baseline, state_baseline].map(|expected| Arc::new(DrawsCurve::of(&posterior, expected)));
    let fluents = Fluents::of(machine, &posterior, &state, &mut scratch);
    let made = EvaluationPoint {
        evidence,
        posterior,
        source,
        truth,
        choice: legal.len() > 1,
        of_states,
        curve,
        state_curve,
        seconds: [0.0; 2],
        places,
        true_place,
        fluents,
        values: None,
    };
    evaluated(machine, &mut scratch, made)
}
