//! Samplers of other programs: asked over their standard streams, measured like any other, and blamed for what is wrong.

use std::process::Command;

use serde_json::Value;

use crate::common::program::{Folder, run};

/// A folder with the sampler of the guide in it; none where there is no Python.
fn with_python() -> Option<Folder> {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python3 is not installed");
        return None;
    }
    let folder = Folder::new();
    folder.write("kuhn_sampler.py", include_str!("../examples/kuhn_sampler.py"));
    Some(folder)
}

const PROGRAM: &str = "program:command=python3 kuhn_sampler.py";

#[test]
fn a_sampler_of_another_program_is_measured_and_plays_like_any_other() {
    let Some(folder) = with_python() else { return };
    let mut command = folder
        .program("belief kuhn_poker --role alice --particles 16 --replicates 400 --seed 1 --playouts 0");
    command.args(["--matches", "3", "--json", "--sampler", PROGRAM, "--sampler", "exact"]);
    let measured: Value = serde_json::from_str(&run(&mut command, 0).0).unwrap();
    let rows = measured["rows"].as_array().unwrap();
    let distances = |sampler: &str| -> Vec<f64> {
        let of = rows.iter().filter(|row| row["sampler"] == sampler);
        of.map(|row| row["set_tv"].as_f64().unwrap()).collect()
    };
    let (own, exact) = (distances(PROGRAM), distances("exact"));
    assert_eq!(own.len(), exact.len());
    assert!(exact.iter().any(|distance| *distance > 0.05));
    // It draws independently from the exact posterior too; 400 replicates know a distance of .1 to .004.
    assert!(own.iter().zip(&exact).all(|(one, other)| (one - other).abs() < 0.025), "{own:?} {exact:?}");
    let mut played = folder.program("match kuhn_poker bob=random --matches 4 --seed 1 --json");
    let played = run(played.arg(format!("alice=hyperplay:sampler=[{PROGRAM}]")), 0).0;
    let played: Value = serde_json::from_str(&played).unwrap();
    assert_eq!(played["matches"], 4, "{played}");
}

#[cfg(unix)]
#[test]
fn a_program_that_is_no_sampler_is_blamed_in_few_words() {
    let folder = Folder::new();
    folder.write("no_program", "a file that cannot be run");
    for (program, expected) in
        [("cat", "missing field `id`"), ("false", "the sampler 'false': it "), ("./no_program", "denied")]
    {
        let mut command =
            folder.program("belief kuhn_poker --replicates 1 --particles 2 --seed 1 --playouts 0");
        let (_, said) = run(command.args(["--sampler", &format!("program:command={program}")]), 1);
        assert!(said.contains(expected) && said.contains("see to that program"), "{said}");
        assert!(said.len() < 500 && !said.contains("--steps"), "{said}");
    }
}

#[test]
fn what_a_program_answers_wrongly_is_said() {
    let Some(folder) = with_python() else { return };
    let script = folder.read("kuhn_sampler.py");
    let said = |from: &str, to: &str| {
        assert!(script.contains(from), "{from}");
        folder.write("kuhn_sampler.py", &script.replace(from, to));
        let mut command = folder
            .program("belief kuhn_poker --role alice --replicates 1 --particles 2 --seed 1 --playouts 0");
        run(command.args(["--sampler", PROGRAM]), 1).1
    };
    for (from, to, expected) in [
        (
            "f\"(deal bob {card})\"",
            "\"(deal bob ace)\"",
            "history 1: step 2: '(deal bob ace)' is not legal for random",
        ),
        (
            "f\"(deal bob {card})\" if number == 1 else ",
            "",
            "history 1: step 2: 'noop' is not legal for random",
        ),
        (
            "\"(deal alice {own[0]})\"",
            "\"(deal alice {card})\"",
            "history 1: it does not explain the evidence",
        ),
        ("bob[0] if bob else \"noop\", deal]", "deal]", "step 1: a joint move has 3 moves"),
        (
            "{\"moves\": history",
            "{\"weight\": -1, \"moves\": history",
            "history 1: its weight is -1, expected more than 0",
        ),
        (
            "\"histories\": drawn",
            "\"history\": drawn",
            "its answer is not as docs/extending.md has it: missing field",
        ),
        ("    asked = ", "    sys.exit()\n    asked = ", "the sampler 'python3 kuhn_sampler.py': it"),
    ] {
        let said = said(from, to);
        assert!(said.contains(expected), "{expected}: {said}");
    }
    folder.write("kuhn_sampler.py", &script);
    let mut command =
        folder.program("belief kuhn_poker --role alice --replicates 1 --particles 2 --seed 1 --playouts 0");
    let (_, said) = run(command.args(["--sampler", "program:command=no_such_program"]), 2);
    assert!(
        said.contains("the sampler 'no_such_program': there is no program 'no_such_program'\n  name a"),
        "{said}"
    );
}

/// The decisions that a program fails are counted, and the cause is named.
#[cfg(unix)]
#[test]
fn a_match_says_why_a_program_failed() {
    let folder = Folder::new();
    let played = |more: &str, code| {
        let mut command = folder.program(&format!("match kuhn_poker -n 2 --seed 1 {more}"));
        run(&mut command, code)
    };
    // This program ends at once.
    let seat = "alice=hyperplay:sampler=[program:command=false]";
    let text = played(seat, 0).0;
    let said = "): 3 of 3 decisions on a failed evaluation of the rules; the first: ";
    assert!(text.contains(said) && text.contains("the sampler 'false': it "), "{text}");
    let report: Value = serde_json::from_str(&played(&format!("{seat} --json"), 0).0).unwrap();
    let [alice, bob] = ["alice", "bob"].map(|role| &report["decisions"][role]);
    assert_eq!((&alice["failed"], &bob["failed"]), (&3.into(), &0.into()), "{report}");
    assert!(alice["first_message"].as_str().unwrap().contains("the sampler 'false': it "), "{report}");
    assert!(bob["first_message"].is_null(), "{report}");
    // One that is not there is refused before anything is played, with a path too.
    for program in ["nosuchprog", "./nosuchprog"] {
        let (printed, said) = played(&format!("alice=hyperplay:sampler=[program:command={program}]"), 2);
        assert!(printed.is_empty() && said.contains(&format!("there is no program '{program}'")), "{said}");
    }
}

/// So are those of an experiment, by entrant.
#[cfg(unix)]
#[test]
fn an_experiment_says_why_a_program_failed() {
    let folder = Folder::new();
    let text = "schema = 'hyperplay.experiment/1'\nname = 'failing'\nseed = 1\ngames = ['kuhn_poker']\n\
        repetitions = 2\n[schedule]\nkind = 'round_robin'\n[[player]]\nname = 'lost'\n\
        spec = 'hyperplay:sampler=[program:command=false]'\n[[player]]\nname = 'random'\nspec = 'random'\n";
    folder.write("failing.toml", text);
    let said = run(&mut folder.program("experiment run failing.toml --out failing"), 0).1;
    let line = said.lines().find(|line| line.starts_with("lost: ")).unwrap_or_else(|| panic!("{said}"));
    let end = " decisions on a failed evaluation of the rules; the first: ";
    let [failed, made] = line[6..].split_once(end).unwrap().0.split_once(" of ").unwrap().into();
    assert!(failed == made && made != "0" && line.contains("the sampler 'false': it "), "{line}");
    assert!(!said.contains("random: "), "{said}");
}

/// A program that is late has no particle, and its answer is not taken for that to the next question.
#[test]
fn a_program_that_is_late_is_not_waited_for() {
    let Some(folder) = with_python() else { return };
    let script = folder.read("kuhn_sampler.py");
    let slow = script.replace("    asked = ", "    __import__('time').sleep(0.3)\n    asked = ");
    assert_ne!(slow, script);
    folder.write("kuhn_sampler.py", &slow);
    let mut played =
        folder.program("match kuhn_poker bob=random --matches 1 --seed 1 --json --playclock 0.2");
    let played = run(played.arg(format!("alice=hyperplay:sampler=[{PROGRAM}]")), 0).0;
    let played: Value = serde_json::from_str(&played).unwrap();
    let (empty, late) = (&played["decisions"]["alice"]["depletions"], &played["faults"]);
    assert!(empty.as_u64().unwrap() + late.as_u64().unwrap() > 0, "{played}");
}

/// The guide's own sampler is held against the oracle, and one that forgets a card is found out.
#[test]
fn a_sampler_of_another_program_is_held_against_the_oracle() {
    let Some(folder) = with_python() else { return };
    let conform = |sampler: &str, code: i32| {
        let mut command = folder.program("belief krieg_tictactoe_3x3 --seed 1 --replicates 1000 --json");
        let told = run(command.args(["--conform", sampler]), code).0;
        serde_json::from_str::<Value>(&told).unwrap()
    };
    assert_eq!(conform("hyperplay", 0)["failures"], serde_json::json!([]));
    let told = conform("hyperplay12", 1);
    assert_eq!(told["failures"][0]["check"], "bias", "{told}");
    // The program knows nothing of this game.
    let told = conform(PROGRAM, 1);
    let failure = &told["failures"][0];
    assert!(
        failure["check"] == "consistency" && failure["what"].as_str().unwrap().contains("step 1"),
        "{told}"
    );
    let refused = run(&mut folder.program("belief kuhn_poker --conform exact --matches 3"), 2).1;
    assert!(refused.contains("--matches has no effect with --conform"), "{refused}");
    let text = run(&mut folder.program("belief kuhn_poker --conform exact --seed 1"), 0).0;
    assert!(text.contains("bias         pass") && text.contains("at most 1 % of such runs"), "{text}");
}
