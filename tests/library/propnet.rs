//! Compares the ground network with the interpreter, in lockstep through random matches.
//!
//! Every query of a machine is compared in every state: legal moves, percepts, next state, terminal, goals. The
//! rulesheets of the field are tested as well where `HYPERPLAY_RULESHEETS` names their folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{games, games_of_the_field, games_of_the_house, loaded, rulesheets_in};
use hyperplay::engine::{Interpreter, InterpreterScratch};
use hyperplay::gdl::{Game, Source, TermId, load};
use hyperplay::machine::{Goal, JointMove, Move, Percept, Role, Seed, State, StateMachine, StateMachineExt};
use hyperplay::propnet::{GroundingLimits, Propnet, TooLarge, What, Wire, ground, value_of};
use rand::RngExt;

use crate::naive::generate;

/// The longest match, in steps: some games have no end.
const STEPS: usize = 100;

/// The rulesheets in a folder of `games/`.
fn own(folder: &str) -> Vec<PathBuf> {
    rulesheets_in(&games(folder))
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

/// Compares a state with that of the network, which is returned before any move is made.
fn same_state<'a>(
    machine: &Interpreter,
    net: &'a Propnet,
    state: &State,
    bits: &[bool],
    scratch: &mut InterpreterScratch,
) -> Result<At<'a>, String> {
    same("the state", fluents(net, bits), state.fluents().to_vec())?;
    let at = At::new(net, bits, None);
    same("the end", at.on(net.terminal), machine.terminal(state, scratch))?;
    for role in machine.each_role() {
        let mut legal = Vec::new();
        machine.legal(state, role, scratch, &mut legal);
        same("the legal moves", at.legal(role), legal)?;
        same("the goal", at.goal(role), machine.goal(state, role, scratch))?;
    }
    Ok(at)
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
        let before = same_state(machine, net, &state, &bits, &mut scratch).map_err(at)?;
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
            same("the goal after a move", after.goal(role), before.goal(role)).map_err(at)?;
        }
        state = machine.next(&state, &joint, &mut scratch);
        bits = after.next();
    }
    Ok(steps)
}

/// Plays `matches` on a game. Whether it could be ground.
fn agrees(game: &Game, matches: usize, steps: usize) -> Result<bool, String> {
    agrees_within(&GroundingLimits::default(), game, matches, steps)
}

fn agrees_within(
    limits: &GroundingLimits,
    game: &Game,
    matches: usize,
    steps: usize,
) -> Result<bool, String> {
    let Ok((net, _)) = ground(game, limits) else { return Ok(false) };
    let machine = Interpreter::new(game).map_err(|error| error.to_string())?;
    let seed = Seed::root(1).child("propnet");
    for number in 0..matches {
        play(&machine, &net, steps, &seed.index(number))
            .map_err(|error| format!("match {number}: {error}"))?;
    }
    Ok(true)
}

/// Plays `matches` on each game; the names of those that are too large to be ground.
fn all_agree(paths: &[PathBuf], matches: usize, steps: usize) -> Vec<&str> {
    let (mut wrong, mut too_large) = (Vec::new(), Vec::new());
    for path in paths {
        let Some(game) = loaded(path).game else { continue };
        match agrees(&game, matches, steps) {
            Ok(true) => {}
            Ok(false) => too_large.push(name(path)),
            Err(error) => wrong.push(format!("{}: {error}", name(path))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    too_large
}

fn read(text: &str) -> Game {
    load(Source::new("text", text), None).game.unwrap()
}

/// Why a game is not ground within narrow limits.
fn refused(text: &str) -> TooLarge {
    let limits = GroundingLimits { atoms: 100_000, visits: 1_000_000, ..GroundingLimits::default() };
    ground(&read(text), &limits).unwrap_err()
}

#[test]
fn the_network_agrees_with_the_interpreter_on_the_perfect_games() {
    assert_eq!(all_agree(&own("perfect"), 10, STEPS), [""; 0]);
}

#[test]
fn the_network_agrees_with_the_interpreter_on_the_imperfect_games() {
    assert_eq!(all_agree(&own("imperfect"), 20, STEPS), [""; 0]);
}

#[test]
fn the_repairs_of_broken_games_are_the_same_in_both() {
    all_agree(&own("broken"), 20, STEPS);
}

/// Rulesheets of the field that are not ground within the limits.
const TOO_LARGE: [&str; 2] = [
    "chess.kif",          // millions of threats through given cells
    "small_dominion.gdl", // every three of 90 cards may be dealt
];

#[test]
fn the_network_agrees_with_the_interpreter_on_the_rulesheets_of_the_field() {
    let paths = games_of_the_field().unwrap_or_default();
    let too_large = all_agree(&paths, 2, 25);
    assert!(paths.is_empty() || too_large == TOO_LARGE, "{too_large:?}");
}

#[test]
#[ignore = "minutes"]
fn they_agree_in_20_matches_of_every_rulesheet_of_the_field() {
    all_agree(&games_of_the_field().unwrap_or_default(), 20, 1000);
}

fn agree_on_generated(rulesheets: usize) {
    // Some rules count without end: the terms of one step make larger ones in the next.
    let limits = GroundingLimits { atoms: 20_000, visits: 200_000, depth: 20, ..GroundingLimits::default() };
    let (mut games, mut ground) = (0, 0);
    for number in 0..rulesheets {
        let text = generate::rulesheet(Seed::root(4).child("generated").index(number).rng());
        let Some(game) = load(Source::new("generated", &text), None).game else { continue };
        games += 1;
        match agrees_within(&limits, &game, 3, 10) {
            Ok(is_ground) => ground += usize::from(is_ground),
            Err(error) => panic!("{error}, in the rulesheet\n{text}"),
        }
    }
    println!("{rulesheets} rulesheets, {games} games, {ground} ground");
    assert!(games * 2 > rulesheets && ground * 3 > games, "{games} games, {ground} ground");
}

#[test]
fn they_agree_on_300_generated_rulesheets() {
    agree_on_generated(300);
}

#[test]
#[ignore = "minutes"]
fn they_agree_on_30000_generated_rulesheets() {
    agree_on_generated(30_000);
}

/// A test of the comparison itself: it must detect any one output that is negated.
#[test]
fn a_wrong_output_is_noticed() {
    let game = loaded(&games("imperfect/kuhn_poker.kif")).game.unwrap();
    let (net, _) = ground(&game, &GroundingLimits::default()).unwrap();
    let machine = Interpreter::new(&game).unwrap();
    let is_noticed = |net: &Propnet| {
        (0..40).any(|number| play(&machine, net, STEPS, &Seed::root(3).index(number)).is_err())
    };
    assert!(!is_noticed(&net));
    for bit in 0..net.bits() {
        let mut wrong = net.clone();
        wrong.next[bit] = !wrong.next[bit];
        assert!(is_noticed(&wrong), "bit {bit}");
    }
    let wrong = Propnet { terminal: !net.terminal, ..net.clone() };
    assert!(is_noticed(&wrong), "terminal");
}

/// A counter to three; `base` and `input` follow.
const COUNTER: &str = "
    (role robot) (init (count 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal robot up) (true (count ?n)) (succ ?n ?m))
    (<= (legal robot stay) (not (true (count 3))))
    (<= (next (count ?m)) (does robot up) (true (count ?n)) (succ ?n ?m))
    (<= (next (count ?n)) (does robot stay) (true (count ?n)))
    (<= terminal (true (count 3))) (goal robot 50)
    (<= (goal robot 100) (true (count 3)))";

#[test]
fn a_wrong_declaration_does_not_change_the_play() {
    let plain = ground(&read(COUNTER), &GroundingLimits::default()).unwrap().1;
    for declared in ["(base (count 0)) (input robot stay)", "(base (count 9)) (base 7) (input robot fly)"] {
        let game = read(&format!("{COUNTER} {declared}"));
        assert_eq!(agrees(&game, 20, STEPS), Ok(true), "{declared}");
        let stats = ground(&game, &GroundingLimits::default()).unwrap().1;
        assert_eq!((stats.fluents, stats.moves), (plain.fluents, plain.moves));
    }
}

#[test]
fn of_several_goals_the_first_in_the_order_of_the_rules_counts() {
    let (net, _) = ground(&read(COUNTER), &GroundingLimits::default()).unwrap();
    let goals: Vec<u8> = net.roles[Role::new(0)].goals.iter().map(|(goal, _)| goal.value()).collect();
    assert_eq!(goals, [50, 100]);
    assert_eq!(At::new(&net, &net.initial, None).goal(Role::new(0)).value(), 50);
}

#[test]
fn a_counter_without_end_is_refused() {
    let error = refused(
        "(role robot) (legal robot go) (init (count zero)) terminal (goal robot 0)
         (<= (next (count (s ?n))) (true (count ?n)))",
    );
    assert_eq!((error.what, error.limit), (What::Terms("next".into()), 100));
}

/// A rule over `variables` variables of ten values each, `body` between them.
fn wide(variables: usize, body: &str) -> String {
    let digits: String = (0..10).map(|digit| format!("(digit {digit}) (init (on {digit}))")).collect();
    let names: Vec<String> = (0..variables).map(|number| format!("?v{number}")).collect();
    let on: String = names.iter().map(|name| format!("(true (on {name}))")).collect();
    format!(
        "(role robot) (legal robot go) (<= (next (on ?x)) (true (on ?x))) terminal (goal robot 0) {digits}
         (<= (p {}) {on} {body}) (<= (next found) (p {}))",
        names.join(" "),
        names.join(" ")
    )
}

#[test]
fn a_relation_or_a_join_without_end_is_refused() {
    let error = refused(&wide(9, ""));
    assert_eq!((error.what, error.needed), (What::Atoms("p".into()), error.limit + 1));
    // Nothing is derived, yet all combinations are looked at: the last variable alone decides.
    let error = refused(&wide(9, "(not (digit ?v8))"));
    assert!(matches!(error.what, What::Visits(_)), "{error}");
    assert_eq!(agrees(&read(&wide(3, "")), 1, 3), Ok(true));
}

#[test]
fn a_wide_rule_is_split_into_narrow_ones() {
    // Ten to the power of nine instances, if it were joined at once.
    let on: String = (0..9).map(|number| format!("(true (on ?v{number}))")).collect();
    let text = wide(1, "") + &format!("(<= (next all) {on})");
    let (_, stats) = ground(&read(&text), &GroundingLimits::default()).unwrap();
    assert!(stats.instances < 200, "{stats:?}");
    assert_eq!(agrees(&read(&text), 1, 3), Ok(true));
}

/// Milliseconds of processor time of this thread; the wall time where the system does not report it.
fn processor_ms() -> f64 {
    let spent = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64() * 1e3,
        |nanoseconds| nanoseconds / 1e6,
    )
}

/// This is not a test: it prints the table of the costs of grounding.
#[test]
#[ignore = "prints a table"]
fn the_cost_of_grounding() {
    println!(
        "{:32} {:>8} {:>8} {:>9} {:>10} {:>10} {:>9} {:>6}",
        "file", "ms", "fluents", "atoms", "visits", "instances", "gates", "MB"
    );
    let mut times = Vec::new();
    let only = std::env::var("HYPERPLAY_ONLY").ok();
    for path in games_of_the_field().unwrap_or_default().into_iter().chain(games_of_the_house()) {
        if only.as_ref().is_some_and(|only| !name(&path).contains(only)) {
            continue;
        }
        let Some(game) = loaded(&path).game else { continue };
        let begin = processor_ms();
        let result = ground(&game, &GroundingLimits::default());
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
