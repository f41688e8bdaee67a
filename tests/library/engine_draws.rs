//! The interpreter and the lanes draw beliefs from the same distribution.
//!
//! Both engines follow the evidence of one random match, with independent draws. Two tests by chi-squared compare them: the histories
//! drawn on each engine with the exact posterior, where that is small enough, and the draws of one engine with those of the other,
//! by the joint move of every step and by what holds in the last state. Of many tests some have small p-values, so
//! each game has a bound for all of its tests together (Bonferroni).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::distribution::Distribution;
use crate::common::games;
use crate::common::machines::{engines, evidence_before_the_end, imperfect, players, sampler};
use hyperplay::belief::Uniform;
use hyperplay::engine::{Engine as Machine, EngineKind};
use hyperplay::for_engine::posterior;
use hyperplay::machine::{Budget, Evidence, History, Seed, StateMachine, StateMachineExt};
use hyperplay::study::harness::random_match;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The games, with the step whose evidence is followed.
const GAMES: [(&str, usize); 6] = [
    ("krieg_tictactoe_5x5", 3),
    ("blind_breakthrough_6x6", 6),
    ("phantom_tictactoe", 4),
    ("dark_hex_3x3", 4),
    ("battleships_small", 3),
    ("leduc_poker", 5),
];

/// The least number of draws that is expected in a cell.
const CELL: f64 = 5.0;

/// If the draws come from one distribution, a game fails with at most this probability.
const ERROR: f64 = 1e-4;

/// Most histories of a posterior that draws are compared with.
const HISTORIES: usize = 50_000;

/// Matches of which one is followed.
const MATCHES: u64 = 8;

/// Histories of independent beliefs, `count` of each, that a sampler makes on one engine.
fn histories(
    machine: &Arc<Machine>,
    spec: &str,
    (beliefs, particles): (usize, usize),
    known: &[Evidence],
    seed: &Seed,
) -> Vec<History> {
    let (sampler, model) = sampler(spec, machine);
    let mut all = Vec::new();
    for replicate in 0..beliefs {
        let seed = seed.index(replicate);
        let mut belief = sampler.belief(machine, known[0].role, &model, particles);
        for evidence in known {
            belief.update(evidence, &Budget::UNLIMITED, &seed.index(evidence.step()));
        }
        let failure = belief.take_failure();
        assert!(failure.is_none() && belief.particles().len() == particles, "{failure:?}");
        all.extend(belief.particles().iter().map(|particle| belief.history(particle)));
    }
    all
}

/// The p-value of the chi-squared test of homogeneity of two samples of the same size, given in cells. Cells with fewer than five
/// expected draws are put together with the next ones. `None` if one cell remains.
fn homogeneity<K: Ord>(cells: BTreeMap<K, [f64; 2]>) -> Option<f64> {
    let mut pooled: Vec<[f64; 2]> = Vec::new();
    let mut small = [0.0; 2];
    for [first, second] in cells.into_values() {
        small = [small[0] + first, small[1] + second];
        if small[0] + small[1] >= 2.0 * CELL {
            pooled.push(std::mem::take(&mut small));
        }
    }
    if let Some(last) = pooled.last_mut() {
        *last = [last[0] + small[0], last[1] + small[1]];
    }
    let statistic: f64 =
        pooled.iter().map(|[first, second]| (first - second).powi(2) / (first + second)).sum();
    let law = ChiSquared::new(pooled.len().checked_sub(1)? as f64).ok()?;
    Some(law.sf(statistic))
}

/// What of two samples is put into each cell.
fn compared<K: Ord>(samples: [&[History]; 2], cell: impl Fn(&History) -> K) -> Option<f64> {
    let mut cells: BTreeMap<K, [f64; 2]> = BTreeMap::new();
    for (place, sample) in samples.into_iter().enumerate() {
        sample.iter().for_each(|history| cells.entry(cell(history)).or_default()[place] += 1.0);
    }
    homogeneity(cells)
}

/// All p-values that compare the draws of two samples: by joint move, and by the state.
fn p_values(machine: &Arc<Machine>, samples: [&[History]; 2]) -> Vec<f64> {
    let steps = samples[0][0].step();
    let roles: Vec<_> = machine.each_role().collect();
    let made = |history: &History, step: usize| {
        let joint = &history.0[step];
        roles.iter().map(|&role| machine.show_move(joint.of(role))).collect::<Vec<_>>()
    };
    let mut all: Vec<f64> =
        (0..steps).filter_map(|step| compared(samples, |history| made(history, step))).collect();
    let last = |history: &History| {
        let state = machine.replay(history, &mut machine.scratch());
        let mut fluents = machine.fluents(&state);
        fluents.sort();
        fluents
    };
    all.extend(compared(samples, last));
    all
}

/// What the first role has seen after `steps` steps of a random match that goes on: of some matches from this seed on the one
/// with the largest information set.
fn known(machine: &Arc<Machine>, steps: usize, first: u64) -> Vec<Evidence> {
    let role = players(machine)[0];
    let of_match = |seed| {
        let history = random_match(machine, steps, &Seed::root(seed)).unwrap();
        evidence_before_the_end(machine, &history, role)
    };
    let size = |known: &Vec<Evidence>| {
        let posterior = posterior(machine, &known[steps - 1], &Uniform, HISTORIES);
        posterior.map_or(HISTORIES, |posterior| posterior.histories.len())
    };
    let followed = (first..first + MATCHES).map(of_match).filter(|known| known.len() == steps);
    followed.max_by_key(size).unwrap()
}

/// Compares the engines in one game; prints how many tests were made and the least p-value.
fn engines_agree(spec: &str, (name, steps): (&str, usize), draws: (usize, usize), matches: u64) {
    let engines = engines(&games(&format!("imperfect/{name}.kif")));
    let kinds = [EngineKind::Interpreter, EngineKind::Lanes];
    let machines = kinds.map(|kind| engines.get(kind).unwrap());
    let mut all: Vec<f64> = Vec::new();
    for number in 0..matches {
        let known = known(&machines[1], steps, 1_000 * number);
        let [slow, fast] = [0, 1].map(|place| {
            let seed = Seed::root(7).index(number as usize).index(place);
            histories(&machines[place], spec, draws, &known, &seed)
        });
        all.extend(p_values(&machines[1], [&slow, &fast]));
        let posterior = posterior(&machines[0], &known[steps - 1], &Uniform, HISTORIES);
        for drawn in [&slow, &fast] {
            let each = 1.0 / drawn.len() as f64;
            let drawn_from = |posterior| {
                let held = Distribution::new(drawn.iter().map(|history| (history.clone(), each)));
                held.on(posterior).chi_squared(posterior, drawn.len())
            };
            all.extend(posterior.as_ref().ok().and_then(drawn_from).map(|fit| fit.p));
        }
    }
    let least = all.iter().copied().fold(1.0, f64::min);
    println!("{name}, {spec}: {} tests, least p {least:.2e}", all.len());
    assert!(all.len() >= 2 * matches as usize, "{name}: too few tests");
    assert!(least * all.len() as f64 > ERROR, "{name}, {spec}: {all:?}");
}

#[test]
fn interpreter_and_lanes_draw_from_one_distribution() {
    for game in GAMES {
        engines_agree("rejection", game, (1, 1_000), 1);
    }
}

#[test]
#[ignore = "minutes"]
fn interpreter_and_lanes_draw_from_one_distribution_in_many_matches() {
    for game in GAMES {
        engines_agree("rejection", game, (1, 10_000), 10);
    }
}

/// A test of the comparison itself: plain backtracking has another distribution than rejection.
#[test]
fn another_distribution_is_noticed() {
    let machine = imperfect("krieg_tictactoe_3x3");
    let known = known(&machine, 4, 0);
    let specs = ["rejection", "hyperplay12-unweighted"];
    let [right, wrong] = specs.map(|spec| histories(&machine, spec, (1, 4_000), &known, &Seed::root(1)));
    let least = p_values(&machine, [&right, &wrong]).into_iter().fold(1.0, f64::min);
    println!("{least:.2e}");
    assert!(least < 1e-9);
}
