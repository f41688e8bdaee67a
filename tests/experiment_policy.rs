//! Policy files in experiments, by the binary: what they say is part of the identity, their paths begin at the experiment
//! file from wherever the program is started, and one that does not fit a game is refused before anything is played.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

/// A folder of this test's own, removed when it is over: `study` holds the experiment, `elsewhere` nothing.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hyperplay-policy-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("study/policies")).unwrap();
        fs::create_dir_all(path.join("elsewhere/policies")).unwrap();
        let folder = Folder(path);
        folder.write("study/policies/bob.json", &policy("bob"));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// Runs `hyperplay` in one of the folders: exit code, what it printed, what it said on standard error.
    fn run(&self, from: &str, arguments: &str) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hyperplay"));
        command.args(arguments.split_whitespace()).current_dir(self.0.join(from));
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn done(&self, from: &str, arguments: &str) -> String {
        let (code, printed, said) = self.run(from, arguments);
        assert_eq!(code, Some(0), "{arguments}: {said}");
        printed
    }

    fn failed(&self, from: &str, arguments: &str, code: i32) -> String {
        let (ended, printed, said) = self.run(from, arguments);
        assert_eq!(ended, Some(code), "{arguments}: {printed}{said}");
        said
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A policy file that speaks of one role.
fn policy(role: &str) -> String {
    let entry = json!({ "role": role, "evidence": [], "moves": { "noop": 1 } });
    json!({ "schema": "hyperplay.policy/1", "policy": [entry] }).to_string()
}

/// A player with a policy file against `random`.
fn study(games: &str, more: &str) -> String {
    format!(
        "schema = 'hyperplay.experiment/1'\nname = 'study'\nseed = 7\ngames = {games}\nrepetitions = 6\n\n\
         [[player]]\nname = 'told'\n\
         spec = 'hyperplay:enumerate=off,filter=off,playouts=20,model=file:policies/bob.json'\n\
         grid = {{ particles = [1, 2] }}\n\n\
         [[player]]\nname = 'random'\nspec = 'random'\n\n{more}"
    )
}

fn config(folder: &Folder, from: &str, file: &str) -> String {
    let check = folder.done(from, &format!("experiment check {file} --sample 0 --json"));
    serde_json::from_str::<Value>(&check).unwrap()["config"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_policy_file_says_is_part_of_the_identity() {
    let folder = Folder::new("identity");
    folder.write("study/study.toml", &study("['kuhn_poker']", ""));
    let run = "experiment run study.toml --out out";
    folder.done("study", run);
    let before = config(&folder, "study", "study.toml");
    let plan: Value = serde_json::from_slice(&folder.read("study/out/plan.json")).unwrap();
    let entrants = plan["plan"]["entrants"].as_array().unwrap();
    let spec = "hyperplay:playouts=20,enumerate=off,filter=off,model=file:policies/bob.json";
    assert_eq!(entrants[0]["spec"], spec.replace("hyperplay:", "hyperplay:particles=1,"));
    for told in &entrants[..2] {
        assert!(told["policies"]["policies/bob.json"].as_str().unwrap().starts_with("sha256:"), "{told}");
    }
    assert!(entrants[2].get("policies").is_none(), "{}", entrants[2]);

    // Written anew with the same content it is the same file.
    folder.write("study/policies/bob.json", &policy("bob"));
    assert_eq!(config(&folder, "study", "study.toml"), before);
    assert!(folder.done("study", run).contains(", 0 of them now"));

    // With another content the same spec is another player.
    folder.write("study/policies/bob.json", &policy("alice"));
    assert_ne!(config(&folder, "study", "study.toml"), before);
    let said = folder.failed("study", run, 1);
    let expected = "out holds the experiment 'study' with another plan";
    assert!(said.contains(expected) && said.contains(&before), "{said}");
    assert!(said.contains("the policy file policies/bob.json has changed since"), "{said}");
    // A shard copied from elsewhere has a header of its own.
    fs::remove_file(folder.0.join("study/out/plan.json")).unwrap();
    let said = folder.failed("study", run, 1);
    assert!(said.contains("matches.1-of-1.jsonl: its config is sha256:"), "{said}");
    folder.failed("study", "experiment merge out", 1);
}

/// In `elsewhere` lies a file of the same relative path that is no policy file: reading it would be an error.
#[test]
fn the_path_of_a_policy_file_begins_at_the_experiment_wherever_the_program_is_started() {
    let folder = Folder::new("paths");
    folder.write("study/study.toml", &study("['kuhn_poker']", ""));
    folder.write("elsewhere/policies/bob.json", "not a policy");
    folder.done("study", "experiment run study.toml --out whole");
    let absolute = folder.0.join("study/study.toml").display().to_string();
    for (from, file) in
        [("elsewhere", "../study/study.toml"), ("", "study/study.toml"), ("elsewhere", &absolute)]
    {
        assert_eq!(config(&folder, from, file), config(&folder, "study", "study.toml"));
        folder.done(from, &format!("experiment slurm {file} --shards 2"));
    }
    let parts = format!("{}/parts", folder.0.display());
    folder.done("elsewhere", &format!("experiment run ../study/study.toml --out {parts} --shard 1/2"));
    folder.done("", &format!("experiment run study/study.toml --out {parts} --shard 2/2"));
    let again = folder.done("elsewhere", &format!("experiment run {absolute} --out {parts} --shard 1/2"));
    assert!(again.contains(", 0 of them now"), "{again}");

    // What is in the folder is read without the experiment and its policy files.
    fs::remove_file(folder.0.join("study/policies/bob.json")).unwrap();
    for from in ["elsewhere", "parts"] {
        assert!(folder.done(from, &format!("experiment status {parts}")).ends_with("complete\n"));
        for command in ["merge", "report", "export"] {
            folder.done(from, &format!("experiment {command} {parts}"));
        }
    }
    for name in ["matches", "turns"] {
        let whole = folder.read(&format!("study/whole/{name}.1-of-1.jsonl"));
        assert!(folder.read(&format!("parts/{name}.jsonl")) == whole, "{name}");
    }
    // The figure of scores against particles needs the specs.
    let page = String::from_utf8(folder.read("parts/report.html")).unwrap();
    assert!(page.contains("Score against particles"));

    // Without the file there is no experiment, and the error says where it was looked for.
    let said = folder.failed("elsewhere", "experiment check ../study/study.toml", 2);
    assert!(said.contains("study.toml:9:8: ../study/policies/bob.json: "), "{said}");
}

#[test]
fn on_the_command_line_the_path_of_a_policy_file_begins_where_the_program_is_started() {
    let folder = Folder::new("line");
    let seat = "match kuhn_poker alice=hyperplay:model=file:policies/bob.json --seed 1";
    folder.done("study", seat);
    let said = folder.failed("elsewhere", seat, 2);
    assert!(said.contains("policies/bob.json: "), "{said}");
}

#[test]
fn a_policy_file_that_does_not_fit_a_game_is_refused_before_anything_is_played() {
    let folder = Folder::new("misfit");
    folder.write("study/study.toml", &study("['kuhn_poker', 'monty_hall']", ""));
    for command in ["check", "run --out out", "slurm --shards 2"] {
        let (command, options) = command.split_once(' ').unwrap_or((command, ""));
        let said = folder.failed("study", &format!("experiment {command} study.toml {options}"), 2);
        let place = "study.toml:9:8: monty_hall: policies/bob.json: ";
        assert!(said.contains(place), "{said}");
        assert!(said.contains("the game has no role 'bob'; its roles are candidate, random"), "{said}");
        assert!(said.contains("name the roles in the policy file as the rules do"), "{said}");
    }
    assert!(!folder.0.join("study/out").exists());

    // Whoever does not take part in a game need not fit it.
    let pairings = "[schedule]\nkind = 'pairings'\npairings = [['told', 'random'], ['random']]\n";
    folder.write("study/study.toml", &study("['kuhn_poker', 'monty_hall']", pairings));
    folder.done("study", "experiment run study.toml --out out");
}
