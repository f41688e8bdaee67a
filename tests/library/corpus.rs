//! Tests on the rulesheets of the field: each that is a game is played, and the interpreter agrees with the naive
//! evaluator.
//!
//! They are not part of the project: the environment variable `HYPERPLAY_RULESHEETS` names the folder that holds `gdl1`,
//! `gdl2` and `faulty`; without it nothing is tested. The short form plays one match of each, cut off after some steps;
//! the long form three matches, to the end where a table does not say otherwise.

use std::path::{Path, PathBuf};

use crate::common::{REFUSED, field, games_of_the_field, loaded};
use hyperplay::engine::{Interpreter, InterpreterScratch};
use hyperplay::gdl::{Finding, FindingCode, Loaded, Severity};
use hyperplay::machine::{JointMove, Move, Seed, StateMachine, StateMachineExt, laws};
use rayon::prelude::*;

use crate::naive::{Naive, lockstep};

/// Steps of a match in the short form.
const SHORT: usize = 25;
/// Steps of a match in the long form.
const LONG: usize = 5_000;
/// Matches in the long form.
const MATCHES: usize = 3;

/// What the naive evaluator is slow on: steps in the short form (`None`: not even the start), steps in the long form.
const SLOW: &[(&str, Option<usize>, usize, &str)] = &[
    ("checkers.kif", Some(3), LONG, "seconds for its sums"),
    ("checkersSmall.kif", Some(3), LONG, "seconds for its sums"),
    ("chess.kif", None, 5, "half a minute a state: rules over all pairs of cells"),
    ("chineseCheckers4.kif", Some(1), LONG, "seconds a state: jumps are recursive"),
    ("kalaha_2009.kif", None, LONG, "half a minute for its sums"),
    ("vacuumcleaner_random_big.gdl", None, LONG, "minutes for its sums"),
];

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

/// The rulesheets of `gdl1` and `gdl2` that are games, sorted.
fn games() -> Vec<PathBuf> {
    let Some(paths) = games_of_the_field() else { return Vec::new() };
    assert!(paths.len() > 70, "{}", paths.len());
    paths
}

/// Checks all games, on all processors.
fn all(check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let one = |path: &PathBuf| check(path).err().map(|error| format!("{}: {error}", name(path)));
    let wrong: Vec<String> = games().par_iter().filter_map(one).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn interpreter(loaded: &Loaded) -> Result<Interpreter, String> {
    let game = loaded.game.as_ref().ok_or("no game")?;
    Interpreter::new(game).map_err(|error| error.to_string())
}

/// Random matches, every law of the machine checked on the way.
fn plays(path: &Path, matches: usize, steps: usize) -> Result<(), String> {
    let machine = interpreter(&loaded(path))?;
    for number in 0..matches {
        laws::check_random_match(&machine, steps, &mut Seed::root(1).child("corpus").index(number).rng())?;
    }
    Ok(())
}

/// Random matches in lockstep with the naive evaluator.
fn agrees(path: &Path, matches: usize, steps: usize) -> Result<(), String> {
    let loaded = loaded(path);
    let machine = interpreter(&loaded)?;
    let naive = Naive::new(&loaded.rulesheet);
    for number in 0..matches {
        lockstep::play(&machine, &naive, steps, &Seed::root(1).child("corpus").index(number))?;
    }
    Ok(())
}

/// Steps to compare in the short form and in the long one.
fn steps(path: &Path) -> (Option<usize>, usize) {
    let slow = SLOW.iter().find(|(file, ..)| *file == name(path));
    slow.map_or((Some(SHORT), LONG), |&(_, short, long, _)| (short, long))
}

#[test]
fn every_rulesheet_but_the_listed_is_a_game() {
    all(|path| loaded(path).game.map(drop).ok_or("no game".to_owned()));
    let Some(folder) = field() else { return };
    for (file, lines) in REFUSED {
        let Loaded { rulesheet, findings, .. } = loaded(&folder.join("gdl2").join(file));
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        let line =
            |finding: &Finding| rulesheet.source.text()[..finding.span.start].matches('\n').count() + 1;
        let found: Vec<_> = errors.map(|error| (error.code, line(error))).collect();
        let expected: Vec<_> = lines.iter().map(|&line| (FindingCode::UnsafeVariable, line)).collect();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn every_game_is_played_and_keeps_the_laws() {
    all(|path| plays(path, 1, if name(path) == "chess.kif" { 5 } else { SHORT }));
}

#[test]
fn the_interpreter_agrees_with_the_naive_evaluator() {
    all(|path| steps(path).0.map_or(Ok(()), |steps| agrees(path, 1, steps)));
}

#[test]
#[ignore = "minutes"]
fn every_game_is_played_to_the_end_and_keeps_the_laws() {
    all(|path| plays(path, MATCHES, LONG));
}

#[test]
#[ignore = "many minutes"]
fn the_interpreter_agrees_with_the_naive_evaluator_to_the_end() {
    all(|path| agrees(path, MATCHES, steps(path).1));
}

/// A rulesheet at its start, by the interpreter.
struct Start {
    machine: Interpreter,
    scratch: InterpreterScratch,
}

impl Start {
    /// The rulesheet, if the folder is there.
    fn of(file: &str) -> Option<Start> {
        let folder = field()?;
        let machine = interpreter(&loaded(&folder.join(file))).unwrap();
        let scratch = machine.scratch();
        Some(Start { machine, scratch })
    }

    /// The legal moves of the first role at the start.
    fn legal(&mut self) -> Vec<String> {
        let state = self.machine.initial();
        let legal = self.machine.legal_by_role(&state, &mut self.scratch);
        legal.values()[0].iter().map(|&own| self.machine.show_move(own)).collect()
    }

    /// The fluents and the goals after the first role's only move, or the named one, at the start.
    fn after(&mut self, own: &str) -> (Vec<String>, Vec<u8>) {
        let (machine, scratch) = (&self.machine, &mut self.scratch);
        let state = machine.initial();
        let own = Move(machine.terms().read(own).unwrap());
        let next = machine.next(&state, &JointMove::new([own]), scratch);
        let goals = machine.goals(&next, scratch).values().iter().map(|goal| goal.value()).collect();
        (machine.fluents(&next), goals)
    }

    fn goals(&mut self) -> Vec<u8> {
        let goals = self.machine.goals(&self.machine.initial(), &mut self.scratch);
        goals.values().iter().map(|goal| goal.value()).collect()
    }
}

/// The legal moves at the start that the comments of the trap files ask for, or that follow from what they test.
#[test]
fn the_traps_have_the_legal_moves_that_their_comments_say() {
    let table: &[(&str, &[&str])] = &[
        ("test_case_1a", &["proceed"]),
        ("test_case_1b", &["lose", "win"]),
        // Derived sentences that do not change with time.
        ("test_case_2a", &["(move move_next 0 1)"]),
        // `open2` and `(open2)` are the same.
        ("test_case_3a", &["(move correct_correct)"]),
        // A relation that is defined nowhere does not hold.
        ("test_case_3c", &["win"]),
        ("test_case_3d", &["win"]),
        ("test_case_4a", &["a"]),
        // Recursion through functions.
        ("test_case_5a", &["proceed"]),
        ("test_case_5b", &["(draw 1 1 1 2)"]),
        // Rules that depend on nothing but themselves derive nothing.
        ("test_case_5c", &["proceed"]),
        // Mutual recursion in which the variables change places.
        ("test_case_5d", &["proceed"]),
        // "The robot role should have seven legal moves."
        (
            "test_case_5e",
            &[
                "(reduce a 0)",
                "(reduce a 1)",
                "(reduce c 0)",
                "(reduce c 1)",
                "(reduce c 2)",
                "(reduce c 3)",
                "(reduce c 4)",
            ],
        ),
        // "There should be 2 legal moves, not 4."
        ("test_distinct_beginning_rule", &["(do a b)", "(do b a)"]),
    ];
    for (file, legal) in table {
        let Some(mut start) = Start::of(&format!("gdl1/{file}.kif")) else { return };
        assert_eq!(start.legal(), *legal, "{file}");
    }
}

#[test]
fn the_traps_go_on_as_their_comments_say() {
    // A goal that does not change with time holds at the start as well.
    let Some(mut start) = Start::of("gdl1/test_case_1a.kif") else { return };
    assert_eq!(start.goals(), [100]);
    let Some(mut start) = Start::of("gdl1/test_case_1b.kif") else { return };
    assert_eq!(start.after("win"), (vec!["(state 1)".to_owned()], vec![100]));
    assert_eq!(start.after("lose"), (vec!["(state 2)".to_owned()], vec![0]));
    // One line from (1, 1) to (1, 2) is not horizontal, so that it makes no box.
    let Some(mut start) = Start::of("gdl1/test_case_5b.kif") else { return };
    assert_eq!(start.after("(draw 1 1 1 2)").0, ["done", "(line 1 1 1 2)"]);
    let Some(mut start) = Start::of("faulty/test_clean_not_distinct.kif") else { return };
    assert_eq!(start.after("proceed").1, [100]);
}

/// Role variables that nothing binds, in `legal` and `goal`: faults, repaired by ranging over the roles.
#[test]
fn the_traps_with_role_variables_have_the_goals_that_their_comments_say() {
    let Some(mut start) = Start::of("faulty/test_case_3e.kif") else { return };
    assert_eq!((start.legal(), start.goals()), (vec!["xplayer".to_owned()], vec![100]));
    let Some(mut start) = Start::of("faulty/test_case_3f.kif") else { return };
    assert_eq!((start.legal(), start.goals()), (vec!["xplayer".to_owned()], vec![100, 0, 100]));
}
