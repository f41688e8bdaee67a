//! Tests of policy files in experiments by the binary: their content is part of the identity, their paths are
//! relative to the experiment file from wherever the program is started, and one that does not fit a game is refused
//! before anything is played.

use std::fs;

use crate::common::program::{Folder, run};
use serde_json::{Value, json};

/// A folder in which `study` holds a policy file, and will hold the experiment; `elsewhere` holds nothing.
fn study_and_elsewhere() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("study/policies")).unwrap();
    fs::create_dir_all(folder.path("elsewhere/policies")).unwrap();
    folder.write("study/policies/bob.json", &policy("bob"));
    folder
}

/// Runs the program in one of the folders; what it printed.
fn done(folder: &Folder, from: &str, arguments: &str) -> String {
    run(folder.program(arguments).current_dir(folder.path(from)), 0).0
}

/// The same for a run that fails; what it said on standard error.
fn failed(folder: &Folder, from: &str, arguments: &str, code: i32) -> String {
    run(folder.program(arguments).current_dir(folder.path(from)), code).1
}

/// A policy file with entries for one role.
fn policy(role: &str) -> String {
    let entry = json!({ "role": role, "evidence": [], "moves": { "noop": 1 } });
    json!({ "schema": "hyperplay.policy/1", "policy": [entry] }).to_string()
}

/// A player with a policy file against `random`.
fn study(games: &str, more: &str) -> String {
    format!(
        "schema = 'hyperplay.experiment/1'\nname = 'study'\nseed = 7\ngames = {games}\nrepetitions = 6\n\n\
         [[player]]\nname = 'told'\n\
         spec = 'hyperplay:sampler=[hyperplay:enumerate=off,exact_update=off],playouts=20,model=file:policies/bob.json'\n\
         grid = {{ particles = [1, 2] }}\n\n\
         [[player]]\nname = 'random'\nspec = 'random'\n\n{more}"
    )
}

fn config(folder: &Folder, from: &str, file: &str) -> String {
    let check = done(folder, from, &format!("experiment check {file} --sample 0 --json"));
    serde_json::from_str::<Value>(&check).unwrap()["config"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_policy_file_says_is_part_of_the_identity() {
    let folder = study_and_elsewhere();
    folder.write("study/study.toml", &study("['kuhn_poker']", ""));
    let run = "experiment run study.toml --out out";
    done(&folder, "study", run);
    let before = config(&folder, "study", "study.toml");
    let plan: Value = serde_json::from_str(&folder.read("study/out/plan.json")).unwrap();
    let entrants = plan["plan"]["entrants"].as_array().unwrap();
    let spec = "hyperplay:playouts=20,sampler=[hyperplay:enumerate=off,exact_update=off],model=file:policies/bob.json";
    assert_eq!(entrants[0]["spec"], spec.replacen("hyperplay:", "hyperplay:particles=1,", 1));
    for told in &entrants[..2] {
        assert!(told["policies"]["policies/bob.json"].as_str().unwrap().starts_with("sha256:"), "{told}");
    }
    assert!(entrants[2].get("policies").is_none(), "{}", entrants[2]);

    // Written anew with the same content it is the same file.
    folder.write("study/policies/bob.json", &policy("bob"));
    assert_eq!(config(&folder, "study", "study.toml"), before);
    assert!(done(&folder, "study", run).contains(", 0 of them now"));

    // With another content the same spec is another player.
    folder.write("study/policies/bob.json", &policy("alice"));
    assert_ne!(config(&folder, "study", "study.toml"), before);
    let said = failed(&folder, "study", run, 1);
    let expected = "out holds the experiment 'study' with another plan";
    assert!(said.contains(expected) && said.contains(&before), "{said}");
    assert!(said.contains("the policy file policies/bob.json has changed since"), "{said}");
    // A shard copied from elsewhere has a header of its own.
    fs::remove_file(folder.path("study/out/plan.json")).unwrap();
    let said = failed(&folder, "study", run, 1);
    assert!(said.contains("matches.1-of-1.jsonl: its config is sha256:"), "{said}");
    failed(&folder, "study", "experiment merge out", 1);
}

/// In `elsewhere` lies a file of the same relative path that is no policy file: reading it would be an error.
#[test]
fn the_path_of_a_policy_file_begins_at_the_experiment_wherever_the_program_is_started() {
    let folder = study_and_elsewhere();
    folder.write("study/study.toml", &study("['kuhn_poker']", ""));
    folder.write("elsewhere/policies/bob.json", "not a policy");
    done(&folder, "study", "experiment run study.toml --out whole");
    let absolute = folder.path("study/study.toml").display().to_string();
    for (from, file) in
        [("elsewhere", "../study/study.toml"), ("", "study/study.toml"), ("elsewhere", &absolute)]
    {
        assert_eq!(config(&folder, from, file), config(&folder, "study", "study.toml"));
        done(&folder, from, &format!("experiment script {file} --to slurm --shards 2"));
    }
    let parts = folder.path("parts").display().to_string();
    done(&folder, "elsewhere", &format!("experiment run ../study/study.toml --out {parts} --shard 1/2"));
    done(&folder, "", &format!("experiment run study/study.toml --out {parts} --shard 2/2"));
    let again = done(&folder, "elsewhere", &format!("experiment run {absolute} --out {parts} --shard 1/2"));
    assert!(again.contains(", 0 of them now"), "{again}");

    // What is in the folder is read without the experiment and its policy files.
    fs::remove_file(folder.path("study/policies/bob.json")).unwrap();
    for from in ["elsewhere", "parts"] {
        assert!(done(&folder, from, &format!("experiment status {parts}")).ends_with("complete\n"));
        for command in ["merge", "report", "export"] {
            done(&folder, from, &format!("experiment {command} {parts}"));
        }
    }
    for name in ["matches", "turns"] {
        let whole = folder.read(&format!("study/whole/{name}.1-of-1.jsonl"));
        assert!(folder.read(&format!("parts/{name}.jsonl")) == whole, "{name}");
    }
    let page = folder.read("parts/report.html");
    assert!(page.contains("by particles.</b>"));

    // Without the file there is no experiment, and the error says where it was looked for.
    let said = failed(&folder, "elsewhere", "experiment check ../study/study.toml", 2);
    assert!(said.contains("study.toml:9:8: the player 'told': ../study/policies/bob.json: "), "{said}");
}

#[test]
fn on_the_command_line_the_path_of_a_policy_file_begins_where_the_program_is_started() {
    let folder = study_and_elsewhere();
    let seat = "match kuhn_poker alice=hyperplay:model=file:policies/bob.json --seed 1";
    done(&folder, "study", seat);
    let said = failed(&folder, "elsewhere", seat, 2);
    assert!(said.contains("policies/bob.json: "), "{said}");
}

#[test]
fn a_policy_file_that_does_not_fit_a_game_is_refused_before_anything_is_played() {
    let folder = study_and_elsewhere();
    folder.write("study/study.toml", &study("['kuhn_poker', 'monty_hall']", ""));
    for command in ["check", "run --out out", "script --to slurm --shards 2"] {
        let (command, options) = command.split_once(' ').unwrap_or((command, ""));
        let said = failed(&folder, "study", &format!("experiment {command} study.toml {options}"), 2);
        let place = "study.toml:9:8: monty_hall: policies/bob.json: ";
        assert!(said.contains(place), "{said}");
        assert!(said.contains("the game has no role 'bob'; its roles are candidate, random"), "{said}");
        assert!(said.contains("with its roles named as in the rules"), "{said}");
    }
    assert!(!folder.path("study/out").exists());

    // An entrant that does not take part in a game need not fit it.
    let pairings = "[schedule]\nkind = 'pairings'\npairings = [['told', 'random'], ['random']]\n";
    folder.write("study/study.toml", &study("['kuhn_poker', 'monty_hall']", pairings));
    done(&folder, "study", "experiment run study.toml --out out");
}
