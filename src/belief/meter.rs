//! Meter: how far samplers are from the posterior, on the evidence of a match.
//!
//! The match gives, for one role, its evidence after every step; the oracle ([`exact`]) gives the posterior
//! of each. A *run* is one belief that follows the evidence from the first step on; what it holds after each step is a
//! set. Many independent runs give the mean of the sets, whose distance from the posterior is the bias.
//!
//! Every run draws from a stream of its own and figures are added up in the order of the runs, so they are the same on
//! any number of threads. Samplers are given the same streams.
//!
//! A set that is empty, because the budget ran out, is counted as a depletion and is in no other figure.

use std::sync::Arc;

use rayon::prelude::*;

use super::accuracy::{Distribution, GoodnessOfFit, floor, state_floor};
use super::exact::{self, ExactError, Posterior};
use super::{OpponentModel, Particle, draws, effective_size};

pub use super::Sampler as Method;
use crate::machine::{Budget, Bulk, Evidence, History, Role, Seed, StateMachineExt};

/// What one role knows after a step of a match, and what follows from it.
#[derive(Clone, Debug)]
pub struct Point {
    /// What it knows.
    pub evidence: Evidence,
    /// What may be true.
    pub posterior: Posterior,
    /// What is true.
    pub truth: History,
    /// Whether the role has more than one legal move.
    pub choice: bool,
}

/// The points of a match for one role.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// From the first step on, one a step, up to the last one before the end.
    pub list: Vec<Point>,
    /// Why they end before the match does.
    pub ended: Option<ExactError>,
}

/// A match in which every role chooses uniformly, of at most `steps` steps.
pub fn random_match<M: Bulk>(machine: &M, steps: usize, seed: &Seed) -> History {
    let (mut rng, mut scratch) = (seed.rng(), machine.scratch());
    let mut state = machine.initial();
    let mut history = History::default();
    while history.step() < steps && !machine.terminal(&state, &mut scratch) {
        let Some(joint) = machine.random_joint(&state, &mut scratch, &mut rng) else { break };
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    history
}

/// The points of a match for a role, as long as the oracle finds at most `limit` histories at every step.
pub fn points<M: Bulk>(
    machine: &M,
    role: Role,
    history: &History,
    model: &dyn OpponentModel,
    limit: usize,
) -> Points {
    let mut scratch = machine.scratch();
    let whole = machine.evidence(history, role, &mut scratch);
    let mut points = Points::default();
    for step in 1..=whole.step() {
        if whole.over && step == whole.step() {
            break;
        }
        let evidence = Evidence { role, steps: whole.steps[..step].to_vec(), over: false };
        match exact::posterior(machine, &evidence, model, limit) {
            Ok(posterior) => {
                let truth = History(history.0[..step].to_vec());
                let mut legal = Vec::new();
                machine.legal(&machine.replay(&truth, &mut scratch), role, &mut scratch, &mut legal);
                points.list.push(Point { evidence, posterior, truth, choice: legal.len() > 1 });
            }
            Err(error) => {
                points.ended = Some(error);
                break;
            }
        }
    }
    points
}

/// The figures of one sampler at one point, over all runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures {
    /// Sets that are not empty.
    pub sets: usize,
    /// Sets that are empty.
    pub depletions: usize,
    /// The total variation of the mean of all sets from the posterior.
    pub bias_tv: f64,
    /// The expectation of the same under independent draws from the posterior.
    pub bias_tv_floor: f64,
    /// As `bias_tv`, for the states that the histories end in.
    pub state_bias_tv: f64,
    /// The expectation of the same under independent draws from the posterior.
    pub state_bias_tv_floor: f64,
    /// The mean over sets of their total variation from the posterior.
    pub set_tv: f64,
    /// The expectation of the same under independent draws from the posterior.
    pub set_tv_floor: f64,
    /// The mean effective sample size of the particles as reported (merged, if the sampler merges).
    pub ess: f64,
    /// The mean posterior mass of the histories held.
    pub coverage: f64,
    /// The mean number of different histories held.
    pub distinct: f64,
    /// The mean number of states visited at this step, for one particle.
    pub states_per_particle: f64,
    /// The mean weight on the true history, times the size of the information set: 1 for no better than chance.
    pub truth: f64,
    /// The Kullback-Leibler divergence of the posterior from the smoothed mean of all sets.
    pub kl: f64,
    /// Where particles are independent draws without weights: whether they come from the posterior.
    pub chi_squared: Option<GoodnessOfFit>,
}

/// What a run holds at a point.
struct Set {
    held: Distribution,
    effective: f64,
    states: u64,
}

/// What is done at every point.
#[derive(Clone)]
pub struct Trial<'a> {
    /// The sampler.
    pub method: &'a Method,
    /// What it takes the other roles to do.
    pub model: &'a Arc<dyn OpponentModel>,
    /// Particles in a set.
    pub particles: usize,
    /// Sets.
    pub runs: usize,
    /// Where every run has its stream from.
    pub seed: Seed,
}

/// The figures of a sampler at every point. `tick` is called after each run; `None` if `stop` said so before the last.
pub fn measure<M: Bulk + 'static>(
    machine: &Arc<M>,
    trial: &Trial<'_>,
    points: &[Point],
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Option<Vec<Figures>> {
    let runs: Option<Vec<Vec<Set>>> = (0..trial.runs)
        .into_par_iter()
        .map(|run| {
            if stop() {
                return None;
            }
            let seed = trial.seed.index(run);
            let sets = match trial.method {
                Method::Particles(_) | Method::Bootstrap => follow(machine, trial, points, &seed),
                Method::Independent | Method::Squared => {
                    points.iter().map(|point| draw(point, trial, &seed.index(point.truth.step()))).collect()
                }
            };
            tick();
            Some(sets)
        })
        .collect();
    let mut at: Vec<Vec<Set>> = points.iter().map(|_| Vec::with_capacity(trial.runs)).collect();
    for run in runs? {
        run.into_iter().zip(&mut at).for_each(|(set, at)| at.push(set));
    }
    let figures = points.iter().zip(at).map(|(point, sets)| figures(point, sets, trial));
    Some(figures.collect())
}

/// One run of a particle belief.
fn follow<M: Bulk + 'static>(machine: &Arc<M>, trial: &Trial<'_>, points: &[Point], seed: &Seed) -> Vec<Set> {
    let Some(first) = points.first() else { return Vec::new() };
    let mut belief = trial.method.belief(machine, first.evidence.role, trial.model, trial.particles);
    points
        .iter()
        .map(|point| {
            belief.update(&point.evidence, &Budget::UNLIMITED, &seed.index(point.truth.step()));
            let weights = belief.particles().iter().map(|particle: &Particle| particle.weight);
            let effective = effective_size(weights);
            Set { held: Distribution::of(&*belief), effective, states: belief.cost().states }
        })
        .collect()
}

/// Independent draws, as if each had cost its share of the enumeration.
fn draw(point: &Point, trial: &Trial<'_>, seed: &Seed) -> Set {
    let particles = trial.particles;
    let squared = *trial.method == Method::Squared;
    let drawn = draws(&point.posterior, particles, squared, &mut seed.rng());
    let one = |at: usize| (point.posterior.histories[at].0.clone(), 1.0 / particles as f64);
    let held = Distribution::new(drawn.into_iter().map(one));
    Set { held, effective: particles as f64, states: point.posterior.states }
}

fn figures(point: &Point, sets: Vec<Set>, trial: &Trial<'_>) -> Figures {
    let particles = trial.particles;
    let all = sets.len();
    let states: u64 = sets.iter().map(|set| set.states).sum();
    let (kept, empty): (Vec<Set>, Vec<Set>) = sets.into_iter().partition(|set| !set.held.is_empty());
    let mean = |figure: &dyn Fn(&Set) -> f64| kept.iter().map(figure).sum::<f64>() / kept.len() as f64;
    let Point { posterior, truth, .. } = point;
    let draws = particles * kept.len();
    let size = posterior.histories.len() as f64;
    let mut figures = Figures {
        sets: kept.len(),
        depletions: empty.len(),
        bias_tv: f64::NAN,
        bias_tv_floor: floor(posterior, draws),
        state_bias_tv: f64::NAN,
        state_bias_tv_floor: state_floor(posterior, draws),
        set_tv: mean(&|set| set.held.total_variation(posterior)),
        set_tv_floor: floor(posterior, particles),
        ess: mean(&|set| set.effective),
        coverage: mean(&|set| set.held.coverage(posterior)),
        distinct: mean(&|set| set.held.len() as f64),
        states_per_particle: states as f64 / all as f64 / particles as f64,
        truth: mean(&|set| set.held.weight(truth)) * size,
        kl: f64::NAN,
        chi_squared: None,
    };
    let held: Vec<Distribution> = kept.into_iter().map(|set| set.held).collect();
    let all = Distribution::mean(&held);
    if held.is_empty() {
        return figures;
    }
    figures.bias_tv = all.total_variation(posterior);
    figures.state_bias_tv = all.state_variation(posterior);
    figures.kl = all.divergence(posterior, draws);
    if trial.method.is_independent() {
        figures.chi_squared = all.chi_squared(posterior, draws);
    }
    figures
}
