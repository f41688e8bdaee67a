//! Tests of the search that follows where sampling does not get through.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::population::Population;
use super::{Followed, Forward};
use crate::belief::tests::Biased;
use crate::belief::{BeliefOptions, OpponentModel, Uniform, UpdateMethod, exact};
use crate::toy::{ME, Rules, Toy};
use hyperplay_machine::{Budget, Evidence, History, OwnMove, Role, Seed};

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
        assert_eq!(forward.follow(&before, &Budget::UNLIMITED, &seed), Followed::Done);
        if begins_anew {
            forward.population = Population::empty();
        }
        assert_eq!(forward.search(evidence, &Budget::UNLIMITED, &seed), Followed::Done);
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
