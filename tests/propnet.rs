//! The ground network against the interpreter, in step through random matches.
//!
//! Every query that a machine can be asked is compared in every state: legal moves, percepts, next state, terminal,
//! goals. The rulesheets of the field are tested as well where `HYPERPLAY_RULESHEETS` names their folder.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};

use hyperplay::engine::{Fluents, Interpreter, Scratch};
use hyperplay::gdl::{Game, Source, TermId, load};
use hyperplay::machine::{Goal, JointMove, Move, Percept, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::propnet::{Limits, Propnet, Wire, ground, value_of};
use rand::RngExt;

/// The longest match, in steps: some games have no end.
const STEPS: usize = 100;

/// The rulesheets in a folder, sorted.
fn rulesheets(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kif" || extension == "gdl"))
        .collect();
    paths.sort();
    paths
}

/// Those in a folder of `games/`.
fn own(folder: &str) -> Vec<PathBuf> {
    rulesheets(&Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(folder))
}

/// Those of the field, if they are there.
fn of_the_field() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("HYPERPLAY_RULESHEETS").map(PathBuf::from) else {
        println!("skipped: HYPERPLAY_RULESHEETS is not set");
        return Vec::new();
    };
    ["gdl1", "gdl2"].iter().flat_map(|part| rulesheets(&folder.join(part))).collect()
}

fn game(path: &Path) -> Option<Game> {
    let text = fs::read(path).unwrap();
    load(Source::new(path.display().to_string(), String::from_utf8_lossy(&text)), None).game
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

/// A network at a state and a joint move of it.
struct At<'a> {
    net: &'a Propnet,
    values: Vec<u64>,
}

impl At<'_> {
    fn new<'a>(net: &'a Propnet, state: &[bool], joint: Option<&JointMove>) -> At<'a> {
        let mut inputs: Vec<u64> = state.iter().map(|&bit| u64::from(bit)).collect();
        for (role, own) in net.roles.iter() {
            let done = joint.map(|joint| joint.of(role));
            inputs.extend(own.moves.iter().map(|&own| u64::from(Some(own) == done)));
        }
        At { net, values: net.network.evaluate(&inputs) }
    }

    fn on(&self, wire: Wire) -> bool {
        value_of(&self.values, wire) & 1 == 1
    }

    fn legal(&self, role: Role) -> Vec<Move> {
        let own = &self.net.roles[role];
        let legal = own.moves.iter().zip(&own.legal);
        legal.filter(|&(_, &wire)| self.on(wire)).map(|(&own, _)| own).collect()
    }

    fn goal(&self, role: Role) -> Goal {
        let goals = &self.net.roles[role].goals;
        goals.iter().find(|&&(_, wire)| self.on(wire)).map_or(Goal::default(), |&(goal, _)| goal)
    }

    fn percepts(&self, role: Role) -> Vec<Percept> {
        let percepts = &self.net.roles[role].percepts;
        percepts.iter().filter(|&&(_, wire)| self.on(wire)).map(|&(percept, _)| percept).collect()
    }

    fn next(&self) -> Vec<bool> {
        self.net.next.iter().map(|&wire| self.on(wire)).collect()
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, net: T, rules: T) -> Result<(), String> {
    if net == rules { Ok(()) } else { Err(format!("{what}: the network says {net:?}, the rules {rules:?}")) }
}

/// The fluents of a state of the network.
fn fluents(net: &Propnet, state: &[bool]) -> Vec<TermId> {
    let held = net.fluents.iter().filter(|fluent| state[fluent.bit]).map(|fluent| fluent.term);
    let mut held: Vec<TermId> = held.chain(net.fixed.iter().copied()).collect();
    held.sort_unstable();
    held
}

fn same_state(
    machine: &Interpreter,
    net: &Propnet,
    state: &Fluents,
    bits: &[bool],
    scratch: &mut Scratch,
) -> Result<(), String> {
    same("the state", fluents(net, bits), state.iter().collect())?;
    let at = At::new(net, bits, None);
    same("the end", at.on(net.terminal), machine.terminal(state, scratch))?;
    for role in machine.each_role() {
        let mut legal = Vec::new();
        machine.legal(state, role, scratch, &mut legal);
        same("the legal moves", at.legal(role), legal)?;
        same("the goal", at.goal(role), machine.goal(state, role, scratch))?;
    }
    Ok(())
}

/// Plays a random match; returns its length.
fn play(machine: &Interpreter, net: &Propnet, steps: usize, seed: &Seed) -> Result<usize, String> {
    let mut scratch = machine.scratch();
    let mut rng = seed.rng();
    let (mut state, mut bits) = (machine.initial(), net.initial.clone());
    for step in 0..steps {
        let at = |error: String| {
            format!("step {step}: {error}, in the state {}", machine.fluents(&state).join(" "))
        };
        same_state(machine, net, &state, &bits, &mut scratch).map_err(at)?;
        if machine.terminal(&state, &mut scratch) {
            return Ok(step);
        }
        let legal = machine.legal_by_role(&state, &mut scratch);
        if legal.values().iter().any(Vec::is_empty) {
            return Ok(step); // a fault of the rules
        }
        let draw = |moves: &Vec<Move>| moves[rng.random_range(0..moves.len())];
        let joint = JointMove::new(legal.values().iter().map(draw).collect::<Vec<_>>());
        let after = At::new(net, &bits, Some(&joint));
        for role in machine.each_role() {
            if machine.game().is_imperfect() {
                let seen = machine.percepts(&state, &joint, role, &mut scratch).to_vec();
                same("the percepts", after.percepts(role), seen).map_err(at)?;
            }
            // What a state decides must not depend on the moves.
            same("the goal after a move", after.goal(role), At::new(net, &bits, None).goal(role))
                .map_err(at)?;
        }
        state = machine.next(&state, &joint, &mut scratch);
        bits = after.next();
    }
    Ok(steps)
}

/// Plays `matches` on a game, if it can be ground.
fn agrees(path: &Path, matches: usize, steps: usize) -> Result<(), String> {
    let Some(game) = game(path) else { return Ok(()) };
    let net = match ground(&game, &Limits::default()) {
        Ok((net, _)) => net,
        Err(error) => {
            println!("{}: {error}", name(path));
            return Ok(());
        }
    };
    let machine = Interpreter::new(&game).map_err(|error| error.to_string())?;
    let seed = Seed::root(1).child("propnet");
    for number in 0..matches {
        play(&machine, &net, steps, &seed.index(number))
            .map_err(|error| format!("{}, match {number}: {error}", name(path)))?;
    }
    Ok(())
}

fn all_agree(paths: &[PathBuf], matches: usize, steps: usize) {
    let wrong: Vec<String> = paths.iter().filter_map(|path| agrees(path, matches, steps).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_network_agrees_with_the_interpreter_on_the_perfect_games() {
    all_agree(&own("perfect"), 10, STEPS);
}

#[test]
fn the_network_agrees_with_the_interpreter_on_the_imperfect_games() {
    all_agree(&own("imperfect"), 20, STEPS);
}

#[test]
fn the_repairs_of_broken_games_are_the_same_in_both() {
    all_agree(&own("broken"), 20, STEPS);
}

#[test]
fn the_network_agrees_with_the_interpreter_on_the_rulesheets_of_the_field() {
    all_agree(&of_the_field(), 2, 25);
}

#[test]
#[ignore = "minutes"]
fn they_agree_in_20_matches_of_every_rulesheet_of_the_field() {
    all_agree(&of_the_field(), 20, 1000);
}

/// Milliseconds that this thread has had of a processor; by the clock where the system does not say.
fn processor_ms() -> f64 {
    let spent = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() * 1e3,
        |nanoseconds| nanoseconds / 1e6,
    )
}

/// Not a test: the table of what grounding costs.
#[test]
#[ignore = "prints a table"]
fn the_cost_of_grounding() {
    println!(
        "{:32} {:>8} {:>8} {:>9} {:>10} {:>10} {:>9} {:>6}",
        "file", "ms", "fluents", "atoms", "visits", "instances", "gates", "MB"
    );
    let own = ["perfect", "imperfect"].iter().flat_map(|folder| own(folder));
    let mut times = Vec::new();
    let only = std::env::var("HYPERPLAY_ONLY").ok();
    for path in of_the_field().into_iter().chain(own) {
        if only.as_ref().is_some_and(|only| !name(&path).contains(only)) {
            continue;
        }
        let Some(game) = game(&path) else { continue };
        let begin = processor_ms();
        let result = ground(&game, &Limits::default());
        let ms = processor_ms() - begin;
        times.push(ms);
        match result {
            Ok((_, stats)) => println!(
                "{:32} {ms:8.1} {:8} {:9} {:10} {:10} {:9} {:6.1}",
                name(&path),
                stats.fluents,
                stats.atoms,
                stats.visits,
                stats.instances,
                stats.gates,
                stats.bytes as f64 / 1e6
            ),
            Err(error) => println!("{:32} {ms:8.1} {error}", name(&path)),
        }
    }
    times.sort_by(f64::total_cmp);
    println!("median {:.1} ms, worst {:.1} ms", times[times.len() / 2], times[times.len() - 1]);
}
