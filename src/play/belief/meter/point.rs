//! Point: what one role knows after a step of a match, and what an oracle makes of it.
//!
//! The oracle is [`exact`], as long as it finds few enough histories. Beyond that a *reference run* may stand in for it: one
//! belief with many more particles. It is no posterior; all that is measured against it is how much of it a set covers.
//!
//! What every sampler is measured by is prepared once: which place each history has, which fluents are open, what the
//! moves are worth.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::exact::{self, ExactError, Posterior};
use super::super::model::OpponentModel;
use super::super::{Belief, BeliefOptions, ParticleBelief, UpdateOutcome};
use super::fluents::Fluents;
use super::values::Values;
use hyperplay_engine::machine::{Budget, Bulk, Evidence, History, Role, Seed, StateMachineExt};

/// What the posterior of a point was made by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Enumeration: it is the posterior.
    Exact,
    /// A belief of so many particles: it is no more than a large sample.
    Reference(usize),
}

/// What one role knows after a step of a match, and what follows from it.
#[derive(Clone, Debug)]
pub struct Point {
    /// What it knows.
    pub evidence: Evidence,
    /// What may be true.
    pub posterior: Posterior,
    /// What that was made by.
    pub source: Source,
    /// What is true.
    pub truth: History,
    /// Whether the role has more than one legal move.
    pub choice: bool,
    /// The place of every history of the posterior.
    pub(super) places: FxHashMap<History, usize>,
    /// What may be so and may not.
    pub(super) fluents: Fluents,
    /// What the moves are worth, if that was asked for.
    pub(super) values: Option<Values>,
}

impl Point {
    /// Distinct states that the histories end in.
    pub fn states(&self) -> usize {
        self.posterior.ends.iter().max().map_or(0, |last| last + 1)
    }

    /// Whether the role has something to choose and does not know the history.
    pub fn is_decision(&self) -> bool {
        self.choice && self.posterior.histories.len() > 1
    }

    /// Whether the posterior is exact.
    pub fn is_exact(&self) -> bool {
        self.source == Source::Exact
    }
}

/// The points of a match for one role.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// From the first step looked at on, one a step, up to the last one before the end.
    pub list: Vec<Point>,
    /// Why the posterior is not exact, or is not there, up to the end.
    pub ended: Option<ExactError>,
}

/// How points are made.
#[derive(Clone)]
pub struct Oracle<'a> {
    /// What the other roles are taken to do.
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

/// The points of a match for a role, as long as the oracle finds at most `limit` histories at every step. Nothing is
/// valued.
pub fn points<M: Bulk>(
    machine: &M,
    role: Role,
    history: &History,
    model: &dyn OpponentModel,
    limit: usize,
) -> Points {
    let mut points = Points::default();
    for evidence in prefixes(machine, role, history) {
        match exact::posterior(machine, &evidence, model, limit) {
            Ok(posterior) => {
                points.list.push(point(machine, history, evidence, posterior, Source::Exact));
            }
            Err(error) => {
                points.ended = Some(error);
                break;
            }
        }
    }
    points
}

impl Oracle<'_> {
    /// The points of a match for a role. Until `stop` says so.
    pub fn points<M: Bulk>(
        &self,
        machine: &Arc<M>,
        role: Role,
        history: &History,
        seed: &Seed,
        stop: &dyn Fn() -> bool,
    ) -> Points {
        let mut points = Points::default();
        let mut reference = None;
        for evidence in prefixes(machine.as_ref(), role, history) {
            let step = evidence.step();
            if step > self.steps.1 || stop() {
                break;
            }
            if step < self.steps.0 {
                continue;
            }
            if points.ended.is_none() {
                match exact::posterior(machine.as_ref(), &evidence, self.model.as_ref(), self.limit) {
                    Ok(posterior) => {
                        let mut point = point(machine.as_ref(), history, evidence, posterior, Source::Exact);
                        if self.playouts > 0 && point.is_decision() {
                            let seed = seed.child("value").index(step);
                            point.values = Values::of(machine.as_ref(), role, &point, self.playouts, &seed);
                        }
                        points.list.push(point);
                        continue;
                    }
                    Err(error) => points.ended = Some(error),
                }
            }
            if self.reference == 0 {
                break;
            }
            let belief = reference.get_or_insert_with(|| {
                let options = BeliefOptions { particles: self.reference, ..BeliefOptions::default() };
                ParticleBelief::new(Arc::clone(machine), role, Arc::clone(self.model), options)
            });
            let outcome = belief.update(&evidence, &Budget::UNLIMITED, &seed.child("reference").index(step));
            if !matches!(outcome, UpdateOutcome::Enumerated | UpdateOutcome::Sampled) {
                break;
            }
            let posterior = held(belief);
            let source = Source::Reference(self.reference);
            points.list.push(point(machine.as_ref(), history, evidence, posterior, source));
        }
        points
    }
}

/// What a role knows after each step of a history, from the first on, as long as the match goes on.
fn prefixes<M: Bulk>(machine: &M, role: Role, history: &History) -> Vec<Evidence> {
    let whole = machine.evidence(history, role, &mut machine.scratch());
    let last = if whole.over { whole.step().saturating_sub(1) } else { whole.step() };
    (1..=last).map(|step| whole.until(step)).collect()
}

fn point<M: Bulk>(
    machine: &M,
    history: &History,
    evidence: Evidence,
    posterior: Posterior,
    source: Source,
) -> Point {
    let mut scratch = machine.scratch();
    let truth = History(history.0[..evidence.step()].to_vec());
    let state = machine.replay(&truth, &mut scratch);
    let mut legal = Vec::new();
    machine.legal(&state, evidence.role, &mut scratch, &mut legal);
    let places =
        posterior.histories.iter().enumerate().map(|(at, (history, _))| (history.clone(), at)).collect();
    let fluents = Fluents::of(machine, &posterior, &state, &mut scratch);
    Point { evidence, posterior, source, truth, choice: legal.len() > 1, places, fluents, values: None }
}

/// What a belief holds, as if it were the posterior.
fn held<M: Bulk>(belief: &ParticleBelief<M>) -> Posterior {
    let mut histories: Vec<(History, f64)> = Vec::new();
    let mut numbers: FxHashMap<&M::State, usize> = FxHashMap::default();
    let mut ends = Vec::new();
    for particle in belief.particles() {
        let next = numbers.len();
        ends.push(*numbers.entry(belief.state(particle)).or_insert(next));
        histories.push((belief.history(particle), particle.weight));
    }
    Posterior { histories, ends, evidence: f64::NAN, states: belief.cost().states }
}
