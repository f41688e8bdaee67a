//! Tests of what `hyperplay belief` writes: the files of `--out`, their columns, and that one seed gives the same
//! files on any number of threads. Wrong arguments give messages that say what would be right.

use crate::common::program::{Folder, ended, json, program, signal, start, stderr, stdout};
use serde_json::Value;

/// Runs `belief` with `--out` and gives the folder.
fn written(arguments: &str) -> Folder {
    let folder = Folder::new();
    stdout(&format!("belief {arguments} --out {}", folder.path("").display()), 0);
    folder
}

/// The header and the rows of a file.
fn lines(folder: &Folder, file: &str) -> Vec<Value> {
    folder.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn report(arguments: &str) -> Value {
    json(&format!("belief {arguments}"), 0)
}

const KRIEG: &str = "krieg_tictactoe_3x3 --sampler hyperplay:enumerate=off --sampler hyperplay12 --sampler bootstrap \
                     --sampler exact --particles 4,16 --replicates 20 --steps 3 --seed 1";

#[test]
fn one_seed_writes_the_same_on_one_thread_and_on_two() {
    let one = written(&format!("{KRIEG} --threads 1"));
    let two = written(&format!("{KRIEG} --threads 2"));
    for file in ["turns.jsonl", "rows.csv", "truth.csv", "report.html"] {
        assert!(one.read(file) == two.read(file), "{file} differs");
    }
    let times = lines(&one, "timings.jsonl");
    assert_eq!(times[0]["threads"], 1);
    assert_eq!(times.len(), lines(&one, "turns.jsonl").len());
    assert!(times[1]["seconds_mean"].as_f64().unwrap() > 0.0 && times[1]["seconds_max"].is_f64());
    let other = written(&KRIEG.replace("--seed 1", "--seed 2"));
    assert!(one.read("turns.jsonl") != other.read("turns.jsonl"));
}

#[test]
fn the_header_says_what_was_measured_and_what_every_column_means() {
    let folder = written(KRIEG);
    let turns = lines(&folder, "turns.jsonl");
    let header = &turns[0];
    assert_eq!(header["schema"], "hyperplay.belief/3");
    assert_eq!(header["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&header["seed"], &header["complete"]), (&Value::from(1), &Value::from(true)));
    assert_eq!(header["config"]["samplers"].as_array().unwrap().len(), 4);
    assert!(header["config_hash"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(header["rows"], turns.len() - 1);
    assert_eq!(turns.len() - 1, 4 * 2 * 2 * 3);
    let columns: Vec<&String> = header["columns"].as_object().unwrap().keys().collect();
    for row in &turns[1..] {
        assert_eq!(row.as_object().unwrap().keys().collect::<Vec<_>>(), columns);
        assert!(columns.iter().all(|column| !column.contains("seconds")), "times stand elsewhere");
        assert_eq!((&row["posterior"], &row["oracle"]), (&Value::from("U"), &Value::from("exact")));
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        assert!(number("bias_tv_low") <= number("bias_tv") && number("bias_tv") <= number("bias_tv_high"));
        assert!((number("distinct_fraction") * number("particles") - number("distinct")).abs() < 1e-9);
        assert!(number("log_loss_exact") <= 1.0 && number("brier") <= 1.0 && number("regret") >= -1e-9);
        let counted: f64 =
            row["calibration"].as_array().unwrap().iter().map(|bin| bin[0].as_f64().unwrap()).sum();
        assert!((counted - number("open_fluents")).abs() < 1e-6, "{row}");
    }
    let table = folder.read("rows.csv");
    assert_eq!(table.lines().count(), turns.len());
    let head: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    for column in ["bias_tv", "chi_squared_p", "calibration_9_held", "states_per_particle"] {
        assert!(head.contains(&column), "{column}");
    }
}

#[test]
fn the_page_is_one_file_with_four_figures() {
    let folder = written(KRIEG);
    let page = folder.read("report.html");
    assert_eq!(page.matches("<svg ").count(), 4);
    assert_eq!(page.matches("</svg>").count(), 4);
    let legend =
        ["hyperplay:enumerate=off", "hyperplay12", "bootstrap", "exact", "baseline: independent draws"];
    let axes = [
        "particles in a set",
        "bias TV (probability)",
        "set TV (probability)",
        "step (joint moves made)",
        "worth (independent draws)",
        "marginal said by the belief (probability)",
        "true fluents (share)",
    ];
    for text in legend.iter().chain(&axes) {
        assert!(page.contains(text), "{text}");
    }
    // The font is inside.
    let page = page.replacen("url(data:font/ttf;base64,", "", 1);
    for loaded in ["<script", "<link", "src=", "href=", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    for name in ["bias", "set-distance", "independent-draws", "calibration"] {
        let name = format!("figures/krieg_tictactoe_3x3-{name}");
        assert!(folder.read(&format!("{name}.svg")).contains("@font-face"), "{name}");
        assert!(std::fs::read(folder.path(&format!("{name}.pdf"))).unwrap().starts_with(b"%PDF-"), "{name}");
    }
}

#[test]
fn a_page_on_which_nothing_is_measured_says_why() {
    let known = written("tictactoe --sampler exact --particles 4 --replicates 3 --steps 2 --seed 1");
    let page = known.read("report.html");
    assert!(
        page.contains(
            "no decision has an exact posterior (more than one legal move and more than one history"
        )
    );
    let large = "krieg_tictactoe_3x3 --sampler exact --particles 4 --replicates 3 --steps 2 --max-set 1";
    let large = written(&format!("{large} --seed 1")).read("report.html");
    assert!(large.contains("Nothing was measured: the posterior could not be enumerated, as said below"));
}

/// Where the histories are too many, everything is measured on the states: the log loss does not depend on what enumerates them, a
/// belief that is exact on states has no distance, and later sets are measured although an earlier one was too large.
#[test]
fn what_is_too_large_is_measured_exactly_on_the_states() {
    let of = |max_set: usize| {
        let arguments = "krieg_tictactoe_3x3 --sampler hyperplay --sampler exact --sampler hyperplay12 --particles 64 --replicates 5 \
                         --steps 6 --seed 1 --role x";
        report(&format!("{arguments} --max-set {max_set}"))
    };
    let (large, small) = (of(100_000), of(300));
    let (all, some) = (large["rows"].as_array().unwrap(), small["rows"].as_array().unwrap());
    assert_eq!((all.len(), some.len()), (3 * 6, 3 * 6), "{}", small["left_out"]);
    let mut on_states = 0;
    for (exact, row) in all.iter().zip(some) {
        let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        assert!((number(exact, "log_loss_exact") - number(row, "log_loss_exact")).abs() < 1e-9, "{row}");
        assert_eq!(
            (&exact["distinct_states"], &exact["open_fluents"]),
            (&row["distinct_states"], &row["open_fluents"])
        );
        if row["oracle"] == "exact" {
            assert_eq!(exact, row);
            continue;
        }
        on_states += 1;
        assert_eq!((&row["oracle"], &row["information_set"]), (&Value::from("states"), &Value::Null));
        assert!(exact["information_set"].as_u64().unwrap() > 0);
        // Of histories or of states, the bias on states is that of the same replicates.
        if row["sampler"] != "exact" {
            assert!((number(exact, "state_bias_tv") - number(row, "bias_tv")).abs() < 1e-9, "{row}");
        }
        if row["sampler"] == "hyperplay" {
            assert!(number(row, "coverage") > 1.0 - 1e-9 && number(row, "set_tv") < 1e-9, "{row}");
            assert_eq!(row["exactly"], "states");
        }
    }
    assert!(on_states >= 3, "{on_states}");
    let summary = small["summary"].as_array().unwrap();
    assert_eq!(summary.iter().filter(|summary| summary["oracle"] == "states").count(), 3);
}

#[test]
fn only_the_steps_and_the_roles_asked_for_are_looked_at() {
    let all = report("leduc_poker --sampler exact --particles 8 --replicates 4 --seed 3");
    let some =
        report("leduc_poker --sampler exact --particles 8 --replicates 4 --seed 3 --steps 2-3 --role BOB");
    let wanted = |row: &&Value| row["role"] == "bob" && [2, 3].contains(&row["step"].as_u64().unwrap());
    let expected: Vec<&Value> = all["rows"].as_array().unwrap().iter().filter(wanted).collect();
    assert!(!expected.is_empty());
    assert_eq!(some["rows"].as_array().unwrap().iter().collect::<Vec<_>>(), expected);
}

/// The posterior under a policy that is not uniform: `hyperplay` with the policy as its model draws from it. With the
/// uniform model it does not, and that error is the model's.
#[test]
fn the_error_of_the_model_is_told_from_that_of_the_sampler() {
    let report = report(
        "kuhn_poker --sampler hyperplay --sampler hyperplay:model=[softmax:temperature=5],epsilon=0 --particles 64 --replicates 40 \
         --matches 6 --play softmax:temperature=5 --seed 1",
    );
    let mut apart = 0;
    for row in report["rows"].as_array().unwrap() {
        let (bias, told) = (row["bias_tv"].as_f64().unwrap(), row["sampler"] != "hyperplay");
        match row["posterior"].as_str().unwrap() {
            "U" => assert!(!told && bias < 1e-9, "{row}"),
            "P" if told => assert!(bias < 1e-9, "{row}"),
            "P" => apart += u32::from(bias > 0.05),
            other => panic!("{other}"),
        }
    }
    assert!(apart > 0);
}

/// Players make evidence that is not that of random matches, and there is the posterior under what they would do.
#[test]
fn players_may_make_the_evidence() {
    let report = report(
        "kuhn_poker --sampler hyperplay --particles 4 --replicates 2 --matches 8 --play legal --seed 1",
    );
    let rows = report["rows"].as_array().unwrap();
    let of = |letter: &str| rows.iter().filter(|row| row["posterior"] == letter).collect::<Vec<_>>();
    assert!(of("U").len() == of("P").len() && of("U").len() + of("P").len() == rows.len());
    assert_eq!(report["play"], "legal");
    let random =
        self::report("kuhn_poker --sampler hyperplay --particles 4 --replicates 2 --matches 8 --seed 1");
    assert_ne!(Value::from_iter(of("U").into_iter().cloned()), random["rows"]);
    let text = stdout("belief kuhn_poker --sampler exact --replicates 2 --seed 1", 0);
    assert!(text.contains("against"), "the letter of the posterior is shown where there is one: {text}");
}

/// The answers of players are the policy that they follow: asked, they give the posterior of the policy file that they play.
#[test]
fn the_posterior_of_players_is_that_of_the_policy_that_they_follow() {
    let folder = Folder::new();
    let file = folder.path("policy.json").display().to_string();
    stdout(
        &format!(
            "exploit kuhn_poker alice=hyperplay:particles=16,playouts=16 bob=hyperplay:particles=8,playouts=8 --seed 3 --out {file}"
        ),
        0,
    );
    let report = report(&format!(
        "kuhn_poker --sampler exact:model=file:{file},epsilon=0 --particles 64 --replicates 40 --matches 12 --play alice=policy:{file}          --play bob=policy:{file} --seed 1"
    ));
    let rows = report["rows"].as_array().unwrap();
    let of = |letter: &str| rows.iter().filter(|row| row["posterior"] == letter).collect::<Vec<_>>();
    let (own, asked) = (of("M"), of("P"));
    assert!(!own.is_empty() && own.len() == asked.len() && report["left_out"].as_array().unwrap().is_empty());
    for (own, asked) in own.iter().zip(&asked) {
        for key in [
            "match",
            "role",
            "step",
            "information_set",
            "bias_tv_baseline",
            "set_tv",
            "true_history_ratio_exact",
        ] {
            assert_eq!(own[key], asked[key], "{key}");
        }
    }
    assert!(
        own.iter().any(|row| row["information_set"] == 2 && row["bias_tv_baseline"].as_f64() > Some(0.0))
    );
}

/// A model and a player have the name: alone it means the model, behind a role the player.
#[test]
fn the_matches_of_an_equilibrium_are_played_by_the_model_or_by_a_player_of_one_role() {
    for play in ["equilibrium", "alice=equilibrium"] {
        let arguments =
            format!("kuhn_poker --particles 4 --replicates 2 --seed 1 --sampler exact --play {play}");
        assert!(!report(&arguments)["rows"].as_array().expect("there are rows").is_empty(), "{play}");
    }
}

/// Of two policy files under one path the configurations differ; without one nothing is said of them.
#[test]
fn the_hash_of_the_configuration_holds_what_policy_files_say() {
    let folder = Folder::new();
    let path = folder.path("policy.json").display().to_string();
    let policy = |role: &str| {
        let entry = serde_json::json!({ "role": role, "evidence": [], "moves": { "noop": 1 } });
        let text = serde_json::json!({ "schema": "hyperplay.policy/1", "policy": [entry] }).to_string();
        folder.write("policy.json", &text);
    };
    let header = |play: &str, sampler: &str| {
        let arguments =
            format!("kuhn_poker --particles 4 --replicates 2 --seed 1 --play {play} --sampler {sampler}");
        lines(&written(&arguments), "turns.jsonl").remove(0)
    };
    let model = format!("file:{path}");
    let told = format!("hyperplay:model={model}");
    for (play, sampler) in [(model.as_str(), "hyperplay"), ("uniform", &told), ("legal", &told)] {
        policy("bob");
        let first = header(play, sampler);
        policy("bob");
        assert_eq!(header(play, sampler)["config_hash"], first["config_hash"]);
        policy("alice");
        let other = header(play, sampler);
        assert_ne!(other["config_hash"], first["config_hash"]);
        assert_ne!(other["config"]["policies"][&path], first["config"]["policies"][&path]);
        assert_eq!(first["config"]["policies"].as_object().unwrap().len(), 1);
    }
    assert!(header("uniform", "hyperplay")["config"].get("policies").is_none());
}

#[test]
fn wrong_arguments_are_told_what_would_be_right() {
    for (arguments, expected) in [
        ("kuhn_poker --steps 0", "expected a step of 1 or more"),
        ("kuhn_poker --steps 4-2", "expected a step of 1 or more"),
        ("kuhn_poker --role carol", "the roles are alice, bob"),
        ("kuhn_poker --role random", "the role random has no belief"),
        (
            "kuhn_poker --play nobody",
            "an opponent model (uniform, file, softmax, learnt, equilibrium) or a player",
        ),
        ("kuhn_poker --play carol=legal", "the roles are alice, bob"),
        ("kuhn_poker --play alice=nobody", "there is no player 'nobody'"),
        ("kuhn_poker --play legal --play alice=legal", "name the role of each player"),
        ("kuhn_poker --replicates 0", "give 1 or more"),
        ("kuhn_poker --particles 0", "give 1 or more"),
        ("kuhn_poker --matches 0", "give 1 or more"),
        ("kuhn_poker --sampler theirs", "there are hyperplay"),
        ("no_such_game", "no_such_game"),
        ("", "there is no game to measure"),
        ("kuhn_poker --shard 2/1", "expected K/N"),
        ("kuhn_poker --shard 1/2", "name one with --out"),
    ] {
        let error = stderr(&format!("belief {arguments}"), 2);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    for (former, today) in [
        ("belief-benchmark", "`hyperplay belief --preset benchmark [GAME]...`"),
        ("belief-cost kuhn_poker", "`hyperplay belief GAME --preset cost`"),
    ] {
        assert!(stderr(former, 2).contains(today), "{former}");
    }
    assert!(stderr("belief --preset benchmark chess", 2).contains("the games are monty_hall"));
    assert!(stderr("belief kuhn_poker --replicates 2 --out Cargo.toml", 1).contains("Cargo.toml"));
}

#[test]
fn the_benchmark_has_a_section_for_every_game_and_a_row_for_every_sampler() {
    let folder = written("--preset benchmark monty_hall kuhn_poker --replicates 10 --seed 1");
    let page = folder.read("report.md");
    for part in ["## monty_hall", "40 matches, 10 replicates, steps 1 to 9", "## kuhn_poker", "| draws/s |"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains("| bias TV (draws) | ratio |"), "{page}");
    assert_eq!(page.matches("\n| `hyperplay12` |").count(), 2 * 3);
    assert_eq!(page.matches("\n| `exact` |").count(), 2 * 3);
    assert!(folder.read("figures/kuhn_poker-bias.svg").contains("data-name=\"bootstrap\""));
    assert!(folder.read("figures/frontier.svg").contains("monty_hall"));
    // The command line overrides what a game says in the preset.
    let own = "--preset benchmark kuhn_poker --replicates 5 --seed 1 --matches 2 --sampler bootstrap";
    let page = written(own).read("report.md");
    assert!(page.contains("2 matches, 5 replicates") && !page.contains("monty_hall"), "{page}");
    assert_eq!((page.matches("\n| `bootstrap` |").count(), page.matches("`exact`").count()), (3, 0));
    assert!(stderr("belief --preset benchmark --sampler theirs", 2).contains("there are hyperplay"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_was_finished() {
    let folder = Folder::new();
    let samplers = "--sampler exact --sampler hyperplay:enumerate=off";
    let command = format!(
        "belief krieg_tictactoe_3x3 {samplers} --replicates 1000 --matches 10000 --steps 2 --seed 1 --out"
    );
    let child = start(program(&command).arg(folder.path("out")));
    let written = || {
        std::fs::read_to_string(folder.path("out/blocks.1-of-1.jsonl")).map_or(0, |text| text.lines().count())
    };
    while written() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    signal(&child, "INT");
    let (_, error) = ended(&command, child.wait_with_output().unwrap(), 130);
    assert!(error.ends_with("error: interrupted\n"), "{error}");
    let turns = lines(&folder, "out/turns.jsonl");
    assert_eq!(turns[0]["complete"], false);
    assert!(turns.len() > 1);
}

/// With an equilibrium every sampler is measured against one posterior more; without a tree there is none.
#[test]
fn an_equilibrium_is_one_more_posterior() {
    let arguments = "kuhn_poker --sampler hyperplay --particles 4 --replicates 2 --matches 4 --seed 1";
    let report = report(&format!("{arguments} --equilibrium=equilibrium:nash_conv=0.01 --epsilon 0.01"));
    let rows = report["rows"].as_array().unwrap();
    let of = |letter: &str| rows.iter().filter(|row| row["posterior"] == letter).count();
    assert!(of("U") > 0 && of("E") == of("U") && of("U") + of("E") == rows.len());
    assert_eq!(report["equilibrium"], "exact:model=equilibrium:nash_conv=0.01,epsilon=0.01");
    for (more, code, expected) in [
        ("--equilibrium=equilibrium:nodes=10", 1, "more than 10 nodes"),
        ("--equilibrium=mistake", 2, "--equilibrium=mistake: there is no opponent model 'mistake'"),
        ("--equilibrium --epsilon 2", 2, "epsilon"),
        ("--epsilon 0.1", 2, "--equilibrium"),
    ] {
        let said = stderr(&format!("belief {arguments} {more}"), code);
        assert!(said.contains(expected), "{said}");
    }
}
