//! Tests of the search that follows where sampling does not get through, and of evidence that is rare under a model.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Forward;
use super::population::Population;
use crate::belief::tests::Biased;
use crate::belief::{BeliefOptions, OpponentModel, Uniform, UpdateMethod, exact};
use crate::toy::{ME, Rules, Toy};
use hyperplay_machine::{
    Budget, Evidence, History, JointMoves, Move, OwnMove, Role, Seed, StateMachineExt as _,
};

const PARTICLES: usize = 16;

/// The total variation distance of the mean of this number of searches from the posterior, beside the expectation for as
/// many independent draws. Each begins with the histories that were drawn two steps before the end, or with none.
fn bias(
    toy: &Arc<Toy>,
    evidence: &Evidence,
    model: &Arc<dyn OpponentModel>,
    replicates: usize,
    begins_anew: bool,
) -> (f64, f64) {
    let posterior = exact::posterior(&**toy, evidence, &**model, 1 << 20).unwrap();
    let options = BeliefOptions { particles: PARTICLES, enumerate: false, ..BeliefOptions::default() };
    let mut mean: FxHashMap<History, f64> = FxHashMap::default();
    for replicate in 0..replicates {
        let seed = Seed::root(1).index(replicate);
        let mut forward = Forward::new(Arc::clone(toy), Role::new(ME), model, options.clone());
        let before = evidence.until(evidence.step() - 2);
        assert_eq!(forward.follow(&before, &Budget::UNLIMITED, &seed), Ok(()));
        if begins_anew {
            forward.population = Population::default();
        }
        assert_eq!(forward.search(evidence, &Budget::UNLIMITED, &seed), Ok(()));
        assert_eq!((forward.method(), forward.depth()), (UpdateMethod::Backtracking, evidence.step()));
        for (entry, weight) in forward.population.weights.iter().enumerate() {
            *mean.entry(forward.history(entry)).or_default() += weight / (PARTICLES * replicates) as f64;
        }
    }
    let distance =
        |(history, share): &(History, f64)| (mean.get(history).unwrap_or(&0.0) - share).abs() / 2.0;
    let draws = (PARTICLES * replicates) as f64;
    let deviation = |share: f64| (share * (1.0 - share) / (2.0 * std::f64::consts::PI * draws)).sqrt();
    let all = posterior.histories.iter();
    assert!(mean.keys().all(|history| all.clone().any(|(of, _)| of == history)), "all explain the evidence");
    (all.clone().map(distance).sum(), all.map(|&(_, share)| deviation(share)).sum())
}

/// Weighted histories have a bias of the order of one over their number; unweighted ones have three to ten times as much.
#[test]
fn histories_that_are_searched_come_near_the_posterior() {
    let models: [Arc<dyn OpponentModel>; 2] = [Arc::new(Uniform), Arc::new(Biased)];
    for seed in 1..7 {
        let toy = Toy::new(Rules::Planted { seed, steps: 7, width: 4, percepts: 3, every: 3 });
        let (mut evidence, _) = toy.random_evidence(6, seed);
        if seed == 6 {
            for (step, observation) in evidence.steps.iter_mut().enumerate() {
                let own = observation.own.presumed();
                observation.own = OwnMove::Untold([own, None][step % 2]);
            }
        }
        for (model, begins_anew) in models.iter().flat_map(|model| [(model, false), (model, true)]) {
            let (bias, baseline) = bias(&toy, &evidence, model, 200, begins_anew);
            let figures = format!(
                "{seed}, uniform {}, anew {begins_anew}: {bias:.4}, draws {baseline:.4}",
                model.is_uniform()
            );
            println!("{figures}");
            assert!(bias <= 2.0 * baseline + 0.01, "{figures}");
        }
    }
}

/// A model under which the probability of each move is that of the move before it times this factor.
struct Falling(f64);

impl OpponentModel for Falling {
    fn policy(&self, _: Role, _: &Evidence, legal: &[Move]) -> Vec<f64> {
        let shares = || (0..legal.len()).map(|place| self.0.powi(place as i32));
        shares().map(|share| share / shares().sum::<f64>()).collect()
    }
}

/// All histories that explain the evidence, with their probabilities under a model: one after the other, as the rules say.
fn enumerated(toy: &Toy, evidence: &Evidence, model: &dyn OpponentModel) -> Vec<(History, f64)> {
    let (me, other) = (Role::new(ME), Role::new(1));
    let mut all = vec![(History::default(), 1.0)];
    for step in 0..evidence.step() {
        let mut next = Vec::new();
        for (history, probability) in all {
            let legal = toy.legal_by_role(&toy.replay(&history, &mut ()), &mut ());
            let policy = model.policy(other, &toy.evidence(&history, other, &mut ()), &legal[other]);
            for joint in JointMoves::new(&legal) {
                let place = legal[other].iter().position(|&own| own == joint.of(other)).unwrap();
                let longer = History(history.0.iter().cloned().chain([joint]).collect());
                if toy.evidence(&longer, me, &mut ()) == evidence.until(step + 1) {
                    next.push((longer, probability * policy[place]));
                }
            }
        }
        all = next;
    }
    let sum: f64 = all.iter().map(|(_, probability)| probability).sum();
    all.into_iter().map(|(history, probability)| (history, probability / sum)).collect()
}

/// The mean of particle sets is the posterior where the model holds what was seen nearly impossible: at a softmax of temperature 1, and
/// where each move is a millionth as probable as the one before. The filter has fewer histories than there are, so some are drawn.
/// Without listing all continuations, the mean is far away.
#[test]
fn rare_evidence_is_followed_by_all_continuations() {
    const REPLICATES: usize = 200;
    for (falling, seed) in [((-2.5_f64).exp(), 12), ((-2.5_f64).exp(), 24), (1e-6, 24), (1e-6, 29)] {
        let toy = Toy::new(Rules::Planted { seed, steps: 9, width: 6, percepts: 4, every: 3 });
        let (evidence, _) = toy.random_evidence(6, seed);
        let model: Arc<dyn OpponentModel> = Arc::new(Falling(falling));
        let posterior = enumerated(&toy, &evidence, &*model);
        let options = BeliefOptions {
            particles: PARTICLES,
            population: PARTICLES,
            enumerate: false,
            exact_update: false,
            ..BeliefOptions::default()
        };
        let distance = |lists_all: Option<bool>| {
            let mut mean: FxHashMap<History, f64> = FxHashMap::default();
            for replicate in 0..REPLICATES {
                let mut forward = Forward::new(Arc::clone(&toy), Role::new(ME), &model, options.clone());
                forward.lists_all = lists_all;
                for step in 1..=evidence.step() {
                    let seed = Seed::root(1).index(replicate).index(step);
                    let followed = forward.follow(&evidence.until(step), &Budget::UNLIMITED, &seed);
                    assert_eq!(followed, Ok(()));
                    let is_searched = forward.method() == UpdateMethod::Backtracking;
                    assert!(lists_all.is_some() || !is_searched, "step {step} was found by a search");
                }
                assert_eq!(forward.is_rare(), lists_all.is_none());
                let shares = forward.population.total() * REPLICATES as f64;
                for (entry, weight) in forward.population.weights.iter().enumerate() {
                    *mean.entry(forward.history(entry)).or_default() += weight / shares;
                }
            }
            let each = posterior.iter().map(|(history, share)| mean.get(history).unwrap_or(&0.0) - share);
            each.map(f64::abs).sum::<f64>() / 2.0
        };
        let (listed, attempted) = (distance(None), distance(Some(false)));
        let draws = (PARTICLES * REPLICATES) as f64;
        let deviation = |share: f64| (share * (1.0 - share) / (2.0 * std::f64::consts::PI * draws)).sqrt();
        let baseline: f64 = posterior.iter().map(|&(_, share)| deviation(share)).sum();
        let figures =
            format!("{falling:.1e}, seed {seed}: {listed:.4} and {attempted:.4}, draws {baseline:.4}");
        println!("{figures}");
        assert!(
            posterior.len() > 2 * PARTICLES && listed < baseline && attempted > 5.0 * baseline,
            "{figures}"
        );
    }
}
