//! Tests of `hyperplay belief --matches-from`: log losses against enumerations made here, every form of records, and refusals.

use std::collections::HashMap;

use crate::common::program::{Folder, run};
use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{JointMoves, Move, Role, State, StateMachine, StateMachineExt};
use serde_json::Value;

/// What a command prints in a folder; it must end well.
fn said(folder: &Folder, arguments: &str) -> String {
    run(&mut folder.program(arguments), 0).0
}

/// What a command says when it refuses.
fn refused(folder: &Folder, arguments: &str) -> String {
    run(&mut folder.program(arguments), 1).1
}

/// The lines behind the header of `truth.jsonl`, of beliefs of this sampler in recorded matches.
fn truths(folder: &Folder, game: &str, sampler: &str) -> Vec<Value> {
    let of = "--matches-from played.jsonl --particles 16 --replicates 1 --playouts 0 --seed 1";
    said(folder, &format!("belief {game} {of} --sampler {sampler} --out {sampler}"));
    folder
        .read(&format!("{sampler}/truth.jsonl"))
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn transcripts(folder: &Folder) -> Vec<Value> {
    folder.read("played.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_f64().unwrap_or_else(|| panic!("{key}: {of}"))
}

/// The car is behind the chosen door with 1/3 and behind the other closed one with 2/3.
#[test]
fn the_losses_of_monty_hall_are_those_of_its_story() {
    let folder = Folder::new();
    said(
        &folder,
        "match monty_hall candidate=hyperplay:particles=4 -n 30 --seed 1 --transcript played.jsonl",
    );
    let played = transcripts(&folder);
    let door = |at: &Value| at.as_str().unwrap().trim_end_matches(')').chars().last().unwrap();
    let all = truths(&folder, "monty_hall", "hyperplay12");
    assert_eq!(all.len(), 60);
    for truth in all {
        let first = &played[truth["match"].as_u64().unwrap() as usize]["steps"][0]["moves"];
        let is_chosen = door(&first[0]) == door(&first[1]);
        let (size, exact) = match truth["step"].as_u64().unwrap() {
            1 => (3.0_f64, 3.0_f64),
            _ => (2.0, if is_chosen { 3.0 } else { 1.5 }),
        };
        assert!((number(&truth, "log_size") - size.ln()).abs() < 1e-12, "{truth}");
        assert!((number(&truth, "history_loss_exact") - exact.ln()).abs() < 1e-12, "{truth}");
        assert!((number(&truth, "state_loss_exact") - exact.ln()).abs() < 1e-12, "{truth}");
    }
    // Of 16 equally weighted draws a whole number is the truth.
    for truth in truths(&folder, "monty_hall", "rejection") {
        let size = number(&truth, "log_size").exp();
        let drawn = (-number(&truth, "history_loss")).exp() * (16.0 + size / 2.0) - 0.5;
        assert!((drawn - drawn.round()).abs() < 1e-9 && (-0.1..16.1).contains(&drawn), "{truth}");
    }
}

/// The histories that explain what a role did and perceived in a transcript up to a step: their moves, states and probabilities, if the
/// others choose uniformly.
fn enumerated(engine: &Engine, role: Role, steps: &[Value]) -> Vec<(Vec<String>, State, f64)> {
    let mut scratch = engine.scratch();
    let mut open = vec![(Vec::new(), engine.initial(), 1.0)];
    for step in steps {
        let own = Move(engine.terms().read(step["moves"][role.index()].as_str().unwrap()).unwrap());
        let mut next = Vec::new();
        for (moves, state, probability) in &open {
            let mut legal = engine.legal_by_role(state, &mut scratch);
            legal[role].retain(|&legal| legal == own);
            let share = probability / legal.values().iter().map(|moves| moves.len() as f64).product::<f64>();
            for joint in JointMoves::new(&legal) {
                let seen = engine.percepts(state, &joint, role, &mut scratch);
                let seen: Vec<String> = seen.iter().map(|seen| engine.terms().show(seen.0)).collect();
                let after = engine.next(state, &joint, &mut scratch);
                if serde_json::json!(seen) == step["percepts"][role.index()]
                    && !engine.terminal(&after, &mut scratch)
                {
                    let mut moves: Vec<String> = moves.clone();
                    moves.push(joint.iter().map(|&own| engine.show_move(own)).collect::<Vec<_>>().join(" "));
                    next.push((moves, after, share));
                }
            }
        }
        open = next;
    }
    open
}

#[test]
fn the_losses_of_krieg_tictactoe_are_those_of_an_enumeration() {
    let folder = Folder::new();
    let players = "x=hyperplay:particles=4,playouts=4 o=legal";
    said(&folder, &format!("match krieg_tictactoe_3x3 {players} -n 6 --seed 2 --transcript played.jsonl"));
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/games/imperfect/krieg_tictactoe_3x3.kif"
    ));
    let game = load(Source::new("krieg", text.unwrap()), None).game.unwrap();
    let engine = Engines::new(&game).get(EngineKind::Interpreter).unwrap();
    let (played, mut checked) = (transcripts(&folder), 0);
    for truth in truths(&folder, "krieg_tictactoe_3x3", "hyperplay") {
        let steps = played[truth["match"].as_u64().unwrap() as usize]["steps"].as_array().unwrap();
        let steps = &steps[..truth["step"].as_u64().unwrap() as usize];
        if truth["log_size"].is_null() {
            continue;
        }
        let role = engine.role_named(truth["role"].as_str().unwrap()).unwrap();
        let all = enumerated(&engine, role, steps);
        let whole: f64 = all.iter().map(|(_, _, probability)| probability).sum();
        let moves = |step: &Value| {
            let moves = step["moves"].as_array().unwrap().iter().map(|own| own.as_str().unwrap());
            moves.collect::<Vec<_>>().join(" ")
        };
        let moves: Vec<String> = steps.iter().map(moves).collect();
        let (_, state, probability) = all.iter().find(|(of, _, _)| *of == moves).unwrap();
        let mut states: HashMap<&State, f64> = HashMap::new();
        all.iter()
            .for_each(|(_, state, probability)| *states.entry(state).or_default() += probability / whole);
        for (key, expected) in [
            ("log_size", (all.len() as f64).ln()),
            ("history_loss_exact", -(probability / whole).ln()),
            ("state_loss_exact", -states[state].ln()),
            // The default holds the exact distribution of the states.
            ("state_loss", -states[state].ln()),
        ] {
            assert!((number(&truth, key) - expected).abs() < 1e-9, "{key}: {expected}: {truth}");
        }
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

const EXPERIMENT: &str = r#"
schema = "hyperplay.experiment/1"
name = "pair"
seed = 7
games = ["kuhn_poker", "monty_hall"]
repetitions = 5

[[player]]
name = "legal"
spec = "legal"

[[player]]
name = "random"
spec = "random"
"#;

#[test]
fn every_form_of_records_is_read_and_what_is_none_is_refused_with_its_place() {
    let folder = Folder::new();
    folder.write("pair.toml", EXPERIMENT);
    said(&folder, "experiment run pair.toml --out pair");
    said(&folder, "match kuhn_poker alice=legal bob=random -n 4 --seed 1 --transcript played.jsonl");
    std::fs::create_dir(folder.path("ggp")).unwrap();
    for (at, played) in transcripts(&folder).iter().enumerate() {
        let spaced = |own: &Value| own.as_str().unwrap().replace('(', "( ").replace(')', " )").to_uppercase();
        let steps = played["steps"].as_array().unwrap().iter();
        let moves: Vec<Vec<String>> =
            steps.map(|step| step["moves"].as_array().unwrap().iter().map(spaced).collect()).collect();
        let record = serde_json::json!({ "matchId": "kuhn", "moves": moves, "goalValues": played["goals"] });
        folder.write(&format!("ggp/{at}.json"), &format!("{record}\n"));
    }
    let belief = |from: &str| {
        let of = "--sampler hyperplay --particles 4 --replicates 1 --playouts 0 --seed 1 --json";
        serde_json::from_str::<Value>(&said(
            &folder,
            &format!("belief kuhn_poker {of} --matches-from {from}"),
        ))
        .unwrap()
    };
    let (own, ggp) = (belief("played.jsonl"), belief("ggp"));
    assert_eq!((&own["matches"], &own["truth"], &own["play"]), (&4.into(), &ggp["truth"], &ggp["play"]));
    assert!(own["play"].as_str().unwrap().starts_with("4 recorded matches, sha256:"), "{}", own["play"]);
    // Both players have each seat five times.
    assert_eq!(belief("pair")["matches"], 10);
    assert_eq!(belief("pair --matches-from played.jsonl")["matches"], 14);

    let text = folder.read("played.jsonl");
    let second = text.lines().nth(1).unwrap();
    folder.write("torn.jsonl", &text[..text.len() - 40]);
    folder.write("other.jsonl", &text.replacen("sha256:", "sha256:0", 1));
    folder.write("illegal.jsonl", &format!("{second}\n\n{}\n", second.replacen("noop", "fold", 1)));
    folder.write("none.jsonl", "{}\n");
    folder.write("illegal.json", &folder.read("ggp/0.json").replacen("NOOP", "FOLD", 1));
    folder.write("goals.json", &folder.read("ggp/0.json").replacen("goalValues\":[", "goalValues\":[7,", 1));
    for (file, expected) in [
        ("torn.jsonl", "torn.jsonl:4: "),
        ("other.jsonl", "other.jsonl:1: the match was played with other rules"),
        ("illegal.jsonl", "illegal.jsonl:3: step 1: alice cannot do fold"),
        ("none.jsonl", "none.jsonl:1: neither a record of ggp.org nor a transcript"),
        ("illegal.json", "illegal.json:1: step 1: alice cannot do FOLD"),
        ("goals.json", "goals.json:1: the goals are "),
        ("nowhere", "nowhere: "),
    ] {
        let said = refused(&folder, &format!("belief kuhn_poker --matches-from {file}"));
        assert!(said.contains(expected) && said.lines().count() >= 2, "{file}: {said}");
    }
    let said = refused(&folder, "belief leduc_poker --matches-from pair");
    assert!(said.contains("there is no match of leduc_poker"), "{said}");
}
