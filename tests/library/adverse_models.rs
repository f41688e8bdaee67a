//! Beliefs under opponent models in difficult cases: histories that die forty steps after what decides it, roles that play by different
//! policies, and a policy file for another size of the game.
//!
//! The oracle follows all histories by the machine and computes every probability from the function from which the policy file is written.
//! It uses no model and no sampler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::machines::{evidence_by_step, imperfect, machine_of, sampler};
use hyperplay::belief::{Belief, UpdateOutcome};
use hyperplay::engine::Engine as Machine;
use hyperplay::machine::{
    Budget, ByRole, Evidence, History, JointMoves, Move, Role, Seed, State, StateMachine, StateMachineExt,
};
use serde_json::{Value, json};

/// What a role did and perceived, step by step.
type Known = Vec<(String, Vec<String>)>;

/// What the name of a role, what it knows and its moves give each of the moves.
type Shares<'a> = dyn Fn(&str, &Known, &[String]) -> Vec<f64> + 'a;

/// A history with what each role knows, and its probability but for the moves of one role.
#[derive(Clone)]
struct Line {
    history: History,
    state: State,
    known: ByRole<Known>,
    weight: f64,
}

/// All histories of `steps` steps that are not over before and give `own` what it knows, if it is given.
fn lines(machine: &Machine, steps: usize, shares: &Shares<'_>, own: Option<(Role, &Known)>) -> Vec<Line> {
    let mut scratch = machine.scratch();
    let known = ByRole::from_fn(machine.roles().len(), |_| Known::new());
    let mut all = vec![Line { history: History::default(), state: machine.initial(), known, weight: 1.0 }];
    for step in 0..steps {
        let mut longer = Vec::new();
        for line in &all {
            if machine.terminal(&line.state, &mut scratch) {
                continue;
            }
            let legal = machine.legal_by_role(&line.state, &mut scratch);
            for joint in JointMoves::new(&legal) {
                let mut next = line.clone();
                for role in machine.each_role() {
                    let place = legal[role].iter().position(|&own| own == joint.of(role)).unwrap();
                    let names: Vec<String> = legal[role].iter().map(|&own| machine.show_move(own)).collect();
                    let is_own = own.is_some_and(|(own, _)| own == role);
                    next.weight *= match machine.random() == Some(role) || names.len() == 1 {
                        true => 1.0 / names.len() as f64,
                        false if is_own => 1.0,
                        false => shares(&machine.roles()[role], &line.known[role], &names)[place],
                    };
                    let percepts = machine.percepts(&line.state, &joint, role, &mut scratch);
                    let mut sees: Vec<String> =
                        percepts.iter().map(|percept| machine.terms().show(percept.0)).collect();
                    sees.sort();
                    next.known[role].push((names[place].clone(), sees));
                }
                if next.weight == 0.0 || own.is_some_and(|(own, known)| next.known[own][step] != known[step])
                {
                    continue;
                }
                next.state = machine.next(&line.state, &joint, &mut scratch);
                next.history.0.push(joint);
                longer.push(next);
            }
        }
        all = longer;
    }
    all
}

/// The posterior of a role, by the definition.
fn posterior(machine: &Machine, shares: &Shares<'_>, own: Role, known: &Known) -> BTreeMap<History, f64> {
    let all = lines(machine, known.len(), shares, Some((own, known)));
    let sum: f64 = all.iter().map(|line| line.weight).sum();
    all.into_iter().map(|line| (line.history, line.weight / sum)).collect()
}

/// The policy file of all roles, at every information set after as many steps as are listed.
fn written(
    machine: &Machine,
    steps: impl IntoIterator<Item = usize>,
    shares: &Shares<'_>,
    name: &str,
) -> PathBuf {
    let mut entries: BTreeMap<String, Value> = BTreeMap::new();
    let even = |_: &str, _: &Known, moves: &[String]| vec![1.0 / moves.len() as f64; moves.len()];
    let mut scratch = machine.scratch();
    for step in steps {
        for line in lines(machine, step, &even, None) {
            let legal = machine.legal_by_role(&line.state, &mut scratch);
            for (role, legal) in legal.iter().filter(|(role, _)| machine.random() != Some(*role)) {
                if legal.len() < 2 || machine.terminal(&line.state, &mut scratch) {
                    continue;
                }
                let moves: Vec<String> = legal.iter().map(|&own| machine.show_move(own)).collect();
                let (role, known) = (machine.roles()[role].as_str(), &line.known[role]);
                let each =
                    moves.iter().cloned().zip(shares(role, known, &moves).into_iter().map(Value::from));
                let steps: Vec<Value> =
                    known.iter().map(|(own, sees)| json!({ "move": own, "sees": sees })).collect();
                let moves: serde_json::Map<String, Value> = each.collect();
                let entry = json!({ "role": role, "evidence": steps, "moves": moves });
                entries.insert(format!("{role} {known:?}"), entry);
            }
        }
    }
    let policy: Vec<Value> = entries.into_values().collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, json!({ "schema": "hyperplay.policy/1", "policy": policy }).to_string()).unwrap();
    path
}

/// A belief that has followed what a role knows.
fn followed(
    spec: &str,
    machine: &Arc<Machine>,
    known: &[Evidence],
    particles: usize,
    seed: &Seed,
) -> (Box<dyn Belief<Machine>>, Vec<UpdateOutcome>) {
    let (sampler, model) = sampler(spec, machine);
    let mut belief = sampler.belief(machine, known[0].role, &model, particles);
    let outcomes = known
        .iter()
        .map(|evidence| belief.update(evidence, &Budget::UNLIMITED, &seed.index(evidence.step())))
        .collect();
    (belief, outcomes)
}

fn held(belief: &dyn Belief<Machine>) -> BTreeMap<History, f64> {
    let mut held = BTreeMap::new();
    let all: f64 = belief.particles().iter().map(|particle| particle.weight).sum();
    for particle in belief.particles() {
        *held.entry(belief.history(particle)).or_default() += particle.weight / all;
    }
    held
}

/// A number of 60 is drawn, of which `opp` sees whether it is odd. In steps 1, 15 and 38 it chooses, and nothing is seen until the
/// number and its first choice say in step 39 which key `me` sees, and its last choice is seen too.
fn late() -> Arc<Machine> {
    let count: String = (0..40).map(|step| format!("(succ {step} {})", step + 1)).collect();
    let number = |n: usize| {
        // Six of 120 pairs open the second door.
        let doors = [("a", n % 20 == 3), ("b", n % 20 == 10)];
        let doors = doors
            .map(|(choice, second)| format!("(opens {n} {choice} {})", if second { "k2" } else { "k1" }));
        format!(
            "(number {n}) {} {}",
            doors.concat(),
            if n % 2 == 1 { format!("(odd {n})") } else { String::new() }
        )
    };
    let numbers: String = (0..60).map(number).collect();
    machine_of(&format!(
        "(role me) (role opp) (role random) (init (step 0)) {count} {numbers}
         (choice a) (choice b) (chooses 1) (chooses 15) (chooses 38)
         (<= busy (true (step ?s)) (chooses ?s))
         (<= (legal random (draw ?n)) (true (step 0)) (number ?n))
         (<= (legal random noop) (not (true (step 0))))
         (<= (legal opp ?c) busy (choice ?c)) (<= (legal opp noop) (not busy)) (legal me noop)
         (<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
         (<= (next (drawn ?n)) (does random (draw ?n))) (<= (next (drawn ?n)) (true (drawn ?n)))
         (<= (next (chose ?s ?c)) (true (step ?s)) (does opp ?c) (choice ?c))
         (<= (next (chose ?s ?c)) (true (chose ?s ?c)))
         (<= (sees opp odd) (does random (draw ?n)) (odd ?n))
         (<= (sees me ?k) (true (step 39)) (true (drawn ?n)) (true (chose 1 ?c)) (opens ?n ?c ?k))
         (<= (sees me (last ?c)) (true (step 39)) (true (chose 38 ?c)))
         (<= terminal (true (step 41))) (<= (goal ?r 50) (role ?r))"
    ))
}

/// `opp` chooses by whether the number is odd and by what it chose before.
fn late_shares(_: &str, known: &Known, moves: &[String]) -> Vec<f64> {
    let odd = known[0].1.iter().any(|percept| percept == "odd");
    let chosen = known.iter().filter(|(own, _)| own == "a").count();
    let first = match known.len() {
        1 => [0.1, 0.7][usize::from(odd)],
        15 => [0.8, 0.3][chosen],
        _ => [0.95, 0.4, 0.02][chosen] * if odd { 1.0 } else { 0.5 },
    };
    moves.iter().map(|own| if own == "a" { first } else { 1.0 - first }).collect()
}

/// What a sample holds after forty steps is the posterior, by the mean over many of them, though nearly no particle lives that long.
#[test]
fn late_dead_ends_under_a_model_leave_no_bias() {
    const PARTICLES: usize = 16;
    let (machine, me) = (late(), Role::new(0));
    let path = written(&machine, [1, 15, 38], &late_shares, "late.json");
    let all = lines(&machine, 40, &late_shares, None);
    for (key, last) in [("k2", "a"), ("k2", "b")] {
        let is_wanted = |line: &&Line| {
            let sees = &line.known[me][39].1;
            sees.iter().any(|percept| percept == key) && sees.contains(&format!("(last {last})"))
        };
        let truth = all.iter().find(is_wanted).unwrap();
        let expected = posterior(&machine, &late_shares, me, &truth.known[me]);
        let known = evidence_by_step(&machine, &truth.history, me);
        let spec =
            format!("hyperplay:enumerate=off,exact_update=off,model=file:{},epsilon=0", path.display());
        let replicates = 80;
        let mut mean: BTreeMap<History, f64> = BTreeMap::new();
        for replicate in 0..replicates {
            let seed = Seed::root(7).index(replicate);
            let (belief, outcomes) = followed(&spec, &machine, &known, PARTICLES, &seed);
            assert!(!matches!(outcomes.last(), Some(UpdateOutcome::Depleted { .. })), "{replicate}");
            for (history, weight) in held(&*belief) {
                *mean.entry(history).or_default() += weight / replicates as f64;
            }
        }
        assert!(mean.keys().all(|history| expected.contains_key(history)));
        let of = |history: &History| mean.get(history).copied().unwrap_or(0.0);
        let bias = 0.5 * expected.iter().map(|(history, share)| (share - of(history)).abs()).sum::<f64>();
        // The mean deviation of as many independent draws.
        let draws = (replicates * PARTICLES) as f64;
        let deviation =
            |share: &f64| (2.0 * share * (1.0 - share) / (std::f64::consts::PI * draws)).sqrt() / 2.0;
        let baseline: f64 = expected.values().map(deviation).sum();
        println!("{key} {last}: {} histories, bias {bias:.4}, draws {baseline:.4}", expected.len());
        assert!(expected.len() > 5 && bias < 1.5 * baseline);
    }
}

/// In Kuhn poker for three, two opponents play by policies that have nothing in common, in one file.
#[test]
fn roles_may_follow_different_policies() {
    let machine = imperfect("kuhn_poker_3p");
    let shares = |role: &str, known: &Known, moves: &[String]| -> Vec<f64> {
        let high = known
            .iter()
            .flat_map(|(_, sees)| sees)
            .any(|percept| percept.contains("king") || percept.contains("ace"));
        let first = match (role, high) {
            ("bob", true) => 0.9,
            ("bob", false) => 0.2,
            (_, true) => 0.35,
            (_, false) => 0.6,
        };
        let rest = (1.0 - first) / (moves.len() - 1) as f64;
        (0..moves.len()).map(|place| if place == 0 { first } else { rest }).collect()
    };
    let path = written(&machine, 0..12, &shares, "kuhn_3p.json");
    let mut compared = 0;
    for seed in 0..40 {
        let history = hyperplay::study::harness::random_match(&machine, 100, &Seed::root(seed)).unwrap();
        for own in machine.each_role().filter(|&role| machine.random() != Some(role)) {
            let steps = history.0.len() - 1;
            let known = evidence_by_step(&machine, &History(history.0[..steps].to_vec()), own);
            let all = lines(&machine, steps, &shares, None);
            let truth = all.into_iter().find(|line| line.history.0[..] == history.0[..steps]).unwrap();
            let expected = posterior(&machine, &shares, own, &truth.known[own]);
            let spec = format!("hyperplay:model=file:{},epsilon=0", path.display());
            let (belief, outcomes) = followed(&spec, &machine, &known, 16, &Seed::root(1));
            assert_eq!(outcomes.last(), Some(&UpdateOutcome::Enumerated));
            let held = held(&*belief);
            assert!(held.keys().eq(expected.keys()), "{seed}");
            assert!(
                held.iter().all(|(history, weight)| (weight - expected[history]).abs() < 1e-12),
                "{seed}"
            );
            compared += usize::from(expected.len() > 1);
        }
    }
    assert!(compared > 60, "{compared}");
}

/// A file of one-card poker with four cards is read for the game with five, and the other way round: where it says nothing the model is
/// uniform, what it gives to moves and cards that are none there does not matter.
#[test]
fn a_policy_file_of_another_size_is_uniform_where_it_says_nothing() {
    let shares = |_: &str, known: &Known, moves: &[String]| -> Vec<f64> {
        let first =
            0.1 + 0.8 * (known.iter().map(|(_, sees)| sees.concat().len()).sum::<usize>() % 7) as f64 / 7.0;
        let rest = (1.0 - first) / (moves.len() - 1) as f64;
        (0..moves.len()).map(|place| if place == 0 { first } else { rest }).collect()
    };
    for (from, to) in [("kuhn_poker_4", "kuhn_poker_5"), ("kuhn_poker_5", "kuhn_poker_4")] {
        let (other, machine) = (imperfect(from), imperfect(to));
        let path = written(&other, 0..6, &shares, &format!("of_{from}.json"));
        let said: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let entries: BTreeMap<(String, Known), Value> = said["policy"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| {
                let step = |step: &Value| {
                    let sees = step["sees"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|seen| seen.as_str().unwrap().to_owned())
                        .collect();
                    (step["move"].as_str().unwrap().to_owned(), sees)
                };
                let known: Known = entry["evidence"].as_array().unwrap().iter().map(step).collect();
                ((entry["role"].as_str().unwrap().to_owned(), known), entry["moves"].clone())
            })
            .collect();
        // By the definition: looked up, and uniform elsewhere.
        let looked_up = |role: &str, known: &Known, moves: &[String]| -> Vec<f64> {
            let entry = entries.get(&(role.to_owned(), known.clone()));
            let weights: Vec<f64> = moves
                .iter()
                .map(|own| entry.map_or(0.0, |entry| entry[own].as_f64().unwrap_or(0.0)))
                .collect();
            let sum: f64 = weights.iter().sum();
            weights
                .iter()
                .map(|weight| if sum > 0.0 { weight / sum } else { 1.0 / moves.len() as f64 })
                .collect()
        };
        let (mut met, mut elsewhere) = (0, 0);
        let spec = format!("hyperplay:model=file:{},epsilon=0", path.display());
        for steps in 3..6 {
            for line in
                lines(&machine, steps, &|_, _, moves| vec![1.0 / moves.len() as f64; moves.len()], None)
            {
                if machine.terminal(&line.state, &mut machine.scratch()) {
                    continue;
                }
                for own in [Role::new(0), Role::new(1)] {
                    let legal: Vec<Move> =
                        machine.legal_by_role(&line.state, &mut machine.scratch())[own].clone();
                    if legal.len() > 1 {
                        match entries.contains_key(&(machine.roles()[own].clone(), line.known[own].clone())) {
                            true => met += 1,
                            false => elsewhere += 1,
                        }
                    }
                    let expected = posterior(&machine, &looked_up, own, &line.known[own]);
                    let known = evidence_by_step(&machine, &line.history, own);
                    let held = held(&*followed(&spec, &machine, &known, 16, &Seed::root(1)).0);
                    assert!(held.keys().eq(expected.keys()), "{from} {to}");
                    assert!(
                        held.iter().all(|(history, weight)| (weight - expected[history]).abs() < 1e-12),
                        "{from} {to}"
                    );
                }
            }
        }
        println!("{from} for {to}: {met} with an entry, {elsewhere} without");
        assert!(met > 0 && (elsewhere > 0) == (from == "kuhn_poker_4"), "{from} {to}: {met} {elsewhere}");
    }
}
