//! Wrong and odd inputs, as a new user types them: what is said, where, and with which exit code. Every message has the place,
//! the cause and a remedy that exists.

use std::time::Duration;

use crate::common::program::{Folder, ended, run, start, stdout};

/// A folder with the files that the table names.
fn files() -> Folder {
    let folder = Folder::new();
    let experiment = |change: &[(&str, &str)]| {
        let text = "schema = 'hyperplay.experiment/1'\nseed = 1\ngames = ['kuhn_poker']\nrepetitions = 4\n\
                    [[player]]\nname = 'a'\nspec = 'hyperplay'\n[[player]]\nname = 'b'\nspec = 'random'\n";
        change.iter().fold(text.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        })
    };
    let grid = |values: &str| {
        experiment(&[("spec = 'hyperplay'\n", &format!("spec = 'hyperplay'\n[player.grid]\n{values}\n"))])
    };
    for (name, text) in [
        ("kind.toml", experiment(&[("[[player]]", "[schedule]\nkind = 'galntlet'\n[[player]]")])),
        ("grid.toml", grid("partickles = [1, 2]")),
        ("value.toml", grid("particles = [1, 'x']")),
        (
            "twice.toml",
            experiment(&[("'hyperplay'\n", "'hyperplay:particles=3'\n[player.grid]\nparticles = [1]\n")]),
        ),
        ("real.toml", experiment(&[("seed = 1", "seed = 1.5")])),
        ("clock.toml", experiment(&[("[[player]]", "[budget]\nplayclock = 'fast'\n[[player]]")])),
        ("long.toml", experiment(&[("[[player]]", "[budget]\nplayclock = 1e300\n[[player]]")])),
        ("key.toml", experiment(&[("repetitions", "repetitons")])),
        ("missing.toml", experiment(&[("seed = 1\n", "")])),
        ("game.toml", experiment(&[("'kuhn_poker'", "'kuhn_pokr'")])),
        ("player.toml", experiment(&[("'random'", "'radom'")])),
        ("policy.toml", experiment(&[("'random'", "'policy:move.json'")])),
        ("empty.kif", String::new()),
        ("kind.kif", "(role a) (legal a".to_owned()),
        ("alone.view.toml", "[glyphs]\nnosuch = \"Q\"\n".to_owned()),
        ("comment.kif", "; nothing yet\n".to_owned()),
        (
            "alone.kif",
            "(role a) (init s) (legal a wait) (<= terminal (not (true s))) (goal a 100)".to_owned(),
        ),
        ("role.json", policy("alise", "[]", "{\"noop\": 1}")),
        ("move.json", policy("alice", "[]", "{\"bett\": 1}")),
        ("percept.json", policy("alice", &step("noop", "(your_card kng)"), "{\"bet\": 1}")),
        ("evidence.json", policy("alice", &step("bet", ""), "{\"bet\": 1}")),
        ("unseen.json", policy("alice", &step("noop", ""), "{\"bet\": 1}")),
        ("sum.json", policy("alice", "[]", "{\"noop\": 0.5}")),
    ] {
        folder.write(name, &text);
    }
    std::fs::write(folder.path("latin.toml"), b"# caf\xe9").unwrap();
    folder
}

fn policy(role: &str, evidence: &str, moves: &str) -> String {
    format!(
        "{{\"schema\": \"hyperplay.policy/1\",\n \"policy\": [\n  {{\"role\": \"{role}\", \"evidence\": {evidence},\n   \
         \"moves\": {moves}}}]}}"
    )
}

fn step(own: &str, percept: &str) -> String {
    let sees = if percept.is_empty() { String::new() } else { format!("\"{percept}\"") };
    format!("[{{\"move\": \"{own}\", \"sees\": [{sees}]}}]")
}

/// The command, its exit code, and what standard error has.
const TABLE: &[(&str, i32, &[&str])] = &[
    // Games.
    (
        "match kuhn_pokr",
        2,
        &["'kuhn_pokr' is neither a file nor", "did you mean kuhn_poker", "`hyperplay games`"],
    ),
    (
        "match zzz",
        2,
        &["'zzz' is neither a file nor a built-in game\n  `hyperplay games` lists the built-in games\n"],
    ),
    ("games leduk_poker", 2, &["did you mean leduc_poker"]),
    ("match empty.kif", 1, &["empty.kif: there are no rules in it", "`hyperplay games nim`"]),
    ("match comment.kif", 1, &["comment.kif: there are no rules in it"]),
    // Roles, players, keys.
    (
        "match kuhn_poker alise=hyperplay",
        2,
        &["has no role 'alise' (did you mean 'alice'?)\n  the roles are alice, bob"],
    ),
    (
        "match kuhn_poker alice=hyperply",
        2,
        &[
            "no player 'hyperply' (did you mean 'hyperplay' or 'hyperplay2'?)",
            "`hyperplay players` explains them",
        ],
    ),
    (
        "match kuhn_poker alice=hyperplay:partikles=3",
        2,
        &[
            "no key 'partikles' (did you mean 'particles'?)",
            "`hyperplay players hyperplay` explains it and its keys",
        ],
    ),
    (
        "match kuhn_poker alice=hyperplay:particles=9,per_move=4,halving=off,merge=off",
        2,
        &["write hyperplay:particles=9,playouts=4/move/state,sampler=hyperplay:merge=off"],
    ),
    (
        "match kuhn_poker alice=hyperplay:particles",
        2,
        &["'particles' is not of the form key=value, as in particles=..."],
    ),
    ("match kuhn_poker alice=hyperplay:sampler=hyperplay:method=filtr", 2, &["(did you mean 'filter'?)"]),
    (
        "match kuhn_poker alice=hyperplay:search=utc",
        2,
        &["no search 'utc' (did you mean 'uct'?)", "`hyperplay players searches`"],
    ),
    (
        "match kuhn_poker alice=hyperplay:model=softmx",
        2,
        &["no opponent model 'softmx' (did you mean 'softmax'?)", "`hyperplay players models`"],
    ),
    (
        "belief kuhn_poker --sampler botstrap",
        2,
        &["no sampler 'botstrap' (did you mean 'bootstrap'?)", "`hyperplay players samplers`"],
    ),
    (
        "exploit kuhn_poker alice=remote:url=http://localhost:1 --seed 1",
        2,
        &["is another program", "of this program"],
    ),
    (
        "match kuhn_poker alice=auto:otherwise=remote",
        2,
        &["'otherwise': 'remote' plays a role of its own, and is not asked inside another player"],
    ),
    (
        "match kuhn_poker alice=hyperplay2:inner=human",
        2,
        &["'inner': 'human' plays a role of its own, and is not asked inside another player"],
    ),
    ("belief kuhn_poker --particles 100000000000", 2, &["a set has at most 10000000 particles"]),
    ("belief kuhn_poker --particles 4,8,4", 2, &["--particles 4 is given twice"]),
    (
        "belief kuhn_poker --sampler rejection --sampler rejection",
        2,
        &["the sampler rejection is given twice"],
    ),
    (
        "belief kuhn_poker --play bob=random --play alice=human",
        2,
        &["is asked in `hyperplay match` only", "`hyperplay players human`"],
    ),
    (
        "belief kuhn_poker --play alice=hyperplay:foo=1",
        2,
        &["has no key 'foo'", "`hyperplay players hyperplay`"],
    ),
    (
        "belief kuhn_poker --play alice=remote",
        2,
        &["a player behind an address needs clocks", "of this program"],
    ),
    ("belief kuhn_poker --play alice=uniform", 2, &["there is no player 'uniform'", "`hyperplay players`"]),
    ("learn kuhn_poker t.jsonl --role bob --weight 1e-200", 2, &["a number from 0.01 to 1000000"]),
    ("belief kuhn_poker --role bbo", 2, &["has no role 'bbo' (did you mean 'bob'?)"]),
    (
        "belief kuhn_poker --play softmx",
        2,
        &["neither an opponent model nor a player 'softmx' (did you mean 'softmax'?)"],
    ),
    ("belief kuhn_poker --play softmax:heat=1", 2, &["`hyperplay players models softmax`"]),
    (
        "belief kuhn_poker --equilibrium --epsilon 3",
        2,
        &["--epsilon 3: expected a decimal number from 0 to 1"],
    ),
    (
        "players bootstrap",
        2,
        &["no player 'bootstrap'", "it is a sampler: `hyperplay players samplers bootstrap`"],
    ),
    ("players models sofmax", 2, &["(did you mean 'softmax'?)"]),
    ("players seekers softmax", 2, &["the kinds are players, samplers, searches, models"]),
    ("models softmax", 2, &["no command 'models'", "write `hyperplay players models`"]),
    ("man experiment rn", 2, &["no command 'experiment rn' (did you mean 'run'?)", "`hyperplay man --list`"]),
    // Numbers.
    ("match kuhn_poker -n x", 2, &["'x' for '--matches <N>': expected a whole number of 0 or more"]),
    ("belief kuhn_poker --particles x", 2, &["expected a whole number of 0 or more"]),
    (
        "experiment check grid.toml --deals 0",
        2,
        &["'--deals <N>': expected a whole number from 1 to 1000000000"],
    ),
    // Nothing to do.
    ("perft kuhn_poker 0", 2, &["a depth of 0 has no joint moves to count"]),
    ("crosscheck kuhn_poker --matches 0", 2, &["without a match there is nothing to compare"]),
    (
        "belief kuhn_poker --steps 50-60 --replicates 2 --seed 1",
        1,
        &[
            "no belief is held at step 50 or later: the longest match measured has 4 steps",
            "leave out --steps",
        ],
    ),
    ("solve alone.kif", 1, &["no role decides anything"]),
    // Files and folders.
    ("match kuhn_poker --transcript no/such.jsonl", 1, &["no/such.jsonl: ", "check the path"]),
    (
        "experiment report nowhere",
        1,
        &["nowhere holds no experiment", "`hyperplay experiment run FILE --out DIR`"],
    ),
    ("verify empty.kif", 1, &["empty.kif: no record in it", "write transcripts with"]),
    (
        "match kuhn_poker alice=remote:url=ftp://x",
        2,
        &["expected the address of a player: `ftp://x` does not begin with http://"],
    ),
    (
        "match kuhn_poker alice=http://127.0.0.1:9",
        2,
        &["there is no player 'http'", "for `hyperplay host` as in alice=http://", "remote:url=http://"],
    ),
    (
        "host kuhn_poker alice=127.0.0.1:9147",
        2,
        &["there is no player '127.0.0.1'", "for `hyperplay host` as in alice=http://"],
    ),
    ("verify sum.json", 1, &["sum.json: a policy file, and no transcripts", "`hyperplay exploit "]),
    (
        "match real.toml",
        2,
        &["'real.toml' is the file of an experiment or a study", "`hyperplay belief real.toml`"],
    ),
    ("belief .", 2, &["'.' is a folder without a study", "`hyperplay belief --out DIR`"]),
    ("bench nim --seconds 0", 2, &["there is nothing to measure", "give --seconds 0.1 or more"]),
    (
        "kiosk kuhn_poker random=nosuch --port 0",
        2,
        &["the role random chooses by itself", "the roles are alice, bob\n"],
    ),
    (
        "kiosk kuhn_poker alise=random --port 0",
        2,
        &["there is no role 'alise' (did you mean 'alice'?)", "the roles are alice, bob\n"],
    ),
    ("kiosk kind.kif --port 0", 1, &["kind.kif: not a game: ", "`hyperplay check kind.kif`"]),
    ("kiosk alone.kif --port 0", 2, &["alone.view.toml: line 2", "correct the file, or move it away"]),
    (
        "kiosk --port 0 --listen 192.0.2.1",
        1,
        &["cannot listen at 192.0.2.1:0", "an address of this computer"],
    ),
    // Policy files.
    (
        "match kuhn_poker alice=hyperplay:leaf=none.json",
        2,
        &["none.json: ", "docs/cli.md says what it and a file of leaf values look like"],
    ),
    (
        "match kuhn_poker alice=policy:none.json",
        2,
        &["none.json: ", "`hyperplay solve GAME --out FILE` writes a policy file"],
    ),
    (
        "match kuhn_poker alice=policy:sum.json",
        2,
        &["sum.json:3: entry 1 (role 'alice', step 0)", "sum to 0.5"],
    ),
    ("match kuhn_poker alice=policy:role.json", 2, &["no role 'alise' (did you mean 'alice'?)"]),
    (
        "exploit kuhn_poker alice=policy:move.json",
        2,
        &[
            "move.json:3: entry 1 (role 'alice', step 0): no rule can make the move 'bett' legal for it (did you mean 'bet'?)",
        ],
    ),
    (
        "belief kuhn_poker --sampler hyperplay:model=file:percept.json",
        2,
        &[
            "in step 1 of its evidence, no rule can make it see '(your_card kng)' (did you mean '(your_card king)'?)",
        ],
    ),
    (
        "belief --preset cost kuhn_poker --sampler bootstrap:model=file:move.json",
        2,
        &["move.json:3: entry 1"],
    ),
    (
        "match kuhn_poker bob=hyperplay:model=file:evidence.json",
        2,
        &["no match gives this evidence: in step 1 'bet' is not legal; legal moves: noop"],
    ),
    (
        "match kuhn_poker bob=hyperplay:model=file:unseen.json",
        2,
        &[
            "in step 1 the role does not see nothing after 'noop'; it sees (your_card jack) or (your_card king)",
        ],
    ),
    // Experiments.
    (
        "experiment check kind.toml",
        2,
        &[
            "kind.toml:6:8: there is no schedule of kind 'galntlet' (did you mean 'gauntlet'?); the kinds are round_robin",
        ],
    ),
    (
        "experiment check grid.toml",
        2,
        &[
            "grid.toml:9:1: in the grid of the player 'a': 'hyperplay' has no key 'partickles'",
            "`hyperplay players hyperplay`",
        ],
    ),
    (
        "experiment check value.toml",
        2,
        &["value.toml:9:17: in the grid of the player 'a': 'particles=x': expected"],
    ),
    (
        "experiment check twice.toml",
        2,
        &["twice.toml:9:1: the key 'particles' stands in the spec of the player 'a' and in its grid"],
    ),
    (
        "experiment check real.toml",
        2,
        &["real.toml:2:8: expected a whole number, found the decimal number 1.5"],
    ),
    (
        "experiment check long.toml",
        2,
        &["long.toml:6:13: a clock is a number of seconds from 0 to 1000000000"],
    ),
    ("experiment check latin.toml", 1, &["latin.toml: ", "it is no text in UTF-8"]),
    ("experiment check clock.toml", 2, &["clock.toml:6:13: expected a number, found the text \"fast\""]),
    (
        "experiment check key.toml",
        2,
        &["key.toml:4:1: there is no key 'repetitons' here (did you mean 'repetitions'?)"],
    ),
    ("experiment check missing.toml", 2, &["the key 'seed' is missing"]),
    (
        "experiment check game.toml",
        2,
        &["game.toml:3:10: 'kuhn_pokr' is neither a file nor", "did you mean kuhn_poker"],
    ),
    (
        "experiment check player.toml",
        2,
        &["player.toml:10:8: the player 'b': there is no player 'radom' (did you mean 'random'?)"],
    ),
    ("experiment check policy.toml", 2, &["policy.toml:10:8: kuhn_poker: move.json:3: entry 1"]),
];

#[test]
fn every_wrong_input_is_told_its_place_its_cause_and_a_remedy() {
    let folder = files();
    for (arguments, code, parts) in TABLE {
        let (printed, said) = run(&mut folder.program(arguments), *code);
        assert_eq!(printed, "", "{arguments}");
        for part in *parts {
            assert!(said.contains(part), "{arguments}: {part}\n{said}");
        }
        // A cause, and a line below it that says what to do.
        assert!(said.lines().count() >= 2, "{arguments}: {said}");
        assert!(said.len() < 600, "{arguments} dumps a list: {said}");
    }
}

#[test]
fn what_is_promised_to_explain_an_error_does() {
    for (arguments, expected) in [
        (
            "players hyperplay",
            "  particles=200 (a whole number from 1 to 10000000): The belief samples this number of particles",
        ),
        (
            "players samplers bootstrap",
            "  epsilon=0.001 (a decimal number from 0 to 1): They are taken to choose uniformly",
        ),
        ("players searches uct", "uct: This search grows a tree of playouts (UCT).\n"),
        ("players models softmax", "  temperature=10 (a whole number from 1 to 1000): A move that is worth"),
        (
            "players models",
            "Opponent models (the key model of a player or sampler):\nuniform: This model takes",
        ),
    ] {
        let text = stdout(arguments, 0);
        assert!(text.contains(expected), "{arguments}: {text}");
    }
    let folder = Folder::new();
    let of_kind = |kind: &str| {
        let report: serde_json::Value =
            serde_json::from_str(&run(&mut folder.program(&format!("players {kind} --json")), 0).0).unwrap();
        report[kind].as_array().unwrap().clone()
    };
    let mut examples = 0;
    for kind in ["players", "samplers", "searches", "models"] {
        for entry in of_kind(kind) {
            for line in entry["example"].as_array().unwrap() {
                let command = line.as_str().unwrap().strip_prefix("hyperplay ").unwrap();
                // Nobody types here, so a person has left the match; and here is no program ./sampler.
                let code = match command {
                    _ if command.contains("=human") => 130,
                    _ if command.contains("program:") => 2,
                    _ => 0,
                };
                run(&mut folder.program(command), code);
                examples += 1;
            }
        }
    }
    assert!(examples >= 25, "{examples}");
}

#[test]
fn few_matches_have_no_interval_and_are_counted_in_words() {
    let one = stdout("match kuhn_poker --seed 1", 0);
    assert!(
        one.starts_with("kuhn_poker: 1 match, seed 1\n") && one.contains("no interval from 1 match;"),
        "{one}"
    );
    let three = stdout("match kuhn_poker alice=legal --matches 3 --seed 1", 0);
    assert!(three.contains("no interval from 3 matches;") && !three.contains("+-"), "{three}");
    assert!(stdout("match kuhn_poker --matches 10 --seed 1", 0).contains("+-"));
    let none = stdout("match kuhn_poker --matches 0 --seed 1", 0);
    assert_eq!(
        none,
        "kuhn_poker: 0 matches, seed 1\nnothing was played, so there are no scores; --matches N plays N matches\n"
    );
    let unfinished = stdout("match kuhn_poker --matches 2 --seed 1 --limit 2", 0);
    assert!(unfinished.lines().nth(2).unwrap().contains('?'), "{unfinished}");
    let unfinished = stdout("match kuhn_poker --matches 20 --seed 1 --limit 2", 0);
    assert!(unfinished.contains("\nno interval: 0 of 20 matches ended with goals\n"), "{unfinished}");
    assert!(!unfinished.contains("few matches"), "{unfinished}");
}

#[test]
fn an_empty_study_says_why() {
    let open = stdout("belief tictactoe --seed 1 --replicates 2 --particles 4", 0);
    assert!(open.ends_with("so every sampler is exact\n") && open.lines().count() == 2, "{open}");
    let report: serde_json::Value =
        serde_json::from_str(&stdout("belief tictactoe --seed 1 --replicates 2 --particles 4 --json", 0))
            .unwrap();
    assert!(report["nothing"].as_str().unwrap().contains("nothing was hidden"));
    assert!(!report["rows"].as_array().unwrap().is_empty());
}

#[test]
fn a_policy_that_lists_a_move_that_is_not_legal_there_is_a_warning() {
    let folder = Folder::new();
    folder.write("bet.json", &policy("alice", "[]", "{\"bet\": 1}"));
    let (_, said) = run(&mut folder.program("match kuhn_poker alice=policy:bet.json --seed 1"), 0);
    assert!(
        said.contains("warning: bet.json:3: entry 1 (role 'alice', step 0): it lists bet, not legal there"),
        "{said}"
    );
    // Who plays by a file that does not speak of the role plays at random, and that is said once.
    let (_, said) = run(&mut folder.program("match kuhn_poker bob=policy:bet.json -n 3 --seed 1"), 0);
    let missing = "warning: bet.json: no entry for bob, who plays uniformly at random\n";
    assert_eq!(said.matches(missing).count(), 1, "{said}");
    // What a solver wrote has no findings.
    run(&mut folder.program("solve leduc_poker --unit 3 --iterations 3 --top 0 --out leduc.json"), 0);
    let (_, said) = run(&mut folder.program("match leduc_poker alice=policy:leduc.json --seed 1"), 0);
    assert_eq!(said, "");
}

const STUDY: &str = "belief kuhn_poker --sampler hyperplay:enumerate=off --particles 4 --replicates 3";

#[test]
fn the_folder_of_another_study_is_refused_and_the_same_one_is_written_again() {
    let folder = Folder::new();
    let study =
        |more: &str, code: i32| run(&mut folder.program(&format!("{STUDY} --out study {more}")), code);
    study("--seed 1", 0);
    assert!(folder.read("study/report.md").contains("1 match, 3 replicates, all steps, "));
    let turns = folder.read("study/turns.jsonl");
    let (_, said) = study("--seed 2", 1);
    assert!(said.contains("study holds another run of `belief`: it differs in seed (there 1)"), "{said}");
    assert!(said.contains("give --seed 1 to measure the same again"), "{said}");
    let (_, said) = study("--seed 1 --steps 1", 1);
    assert!(
        said.contains("it differs in steps (there [1,") && said.contains("name another folder"),
        "{said}"
    );
    assert_eq!(folder.read("study/turns.jsonl"), turns);
    study("--seed 1", 0);
    assert_eq!(folder.read("study/turns.jsonl"), turns);
    // A study may grow, and does not become smaller again.
    study("--seed 1 --matches 2", 0);
    let (_, said) = study("--seed 1", 1);
    assert!(said.contains("it differs in matches (there 2)"), "{said}");
    // A folder of an earlier version is known by the header of its turns, and has no blocks to go on with.
    std::fs::remove_file(folder.path("study/study.json")).unwrap();
    study("--seed 2 --matches 2", 1);
    study("--seed 1 --matches 2", 0);
    let grown = folder.read("study/turns.jsonl");
    std::fs::remove_file(folder.path("study/blocks.1-of-1.jsonl")).unwrap();
    let (_, said) = study("--seed 1 --matches 2", 1);
    assert!(said.contains("an earlier version, which cannot go on"), "{said}");
    assert_eq!(folder.read("study/turns.jsonl"), grown);
    // What something else wrote is not overwritten.
    std::fs::create_dir(folder.path("other")).unwrap();
    folder.write("other/report.html", "mine");
    let (_, said) = run(&mut folder.program(&format!("{STUDY} --seed 1 --out other")), 2);
    assert!(said.contains("other/report.html is there already") && said.contains("a new folder"), "{said}");
    assert_eq!(folder.read("other/report.html"), "mine");
}

#[cfg(unix)]
#[test]
fn a_study_that_is_killed_keeps_what_it_measured() {
    let folder = Folder::new();
    let command = format!("{STUDY} --matches 100000 --seed 1 --out study");
    let mut child = start(&mut folder.program(&command));
    let blocks = || std::fs::read_to_string(folder.path("study/blocks.1-of-1.jsonl")).unwrap_or_default();
    let mut killed_behind = |count: usize| {
        while blocks().lines().count() < count {
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let text = blocks();
        child = start(&mut folder.program(&command));
        text
    };
    let first = killed_behind(20);
    let second = killed_behind(first.lines().count() + 20);
    killed_behind(0);
    // What was measured stays, and is not measured again.
    let whole = &first[..first.rfind('\n').unwrap()];
    assert!(second.starts_with(whole));
    let lines: Vec<serde_json::Value> =
        second.lines().skip(1).map_while(|line| serde_json::from_str(line).ok()).collect();
    let keys: std::collections::BTreeSet<&str> =
        lines.iter().map(|line| line["block"].as_str().unwrap()).collect();
    assert!(keys.len() == lines.len() && lines.len() >= 38 && lines[0]["rows"][0]["match"] == 0);
    assert!(!folder.path("study/turns.jsonl").exists(), "the other files are made in the end");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_manual_has_a_page_for_every_command_and_lists_them() {
    let list = stdout("man --list", 0);
    assert!(list.lines().any(|page| page == "experiment run") && list.lines().any(|page| page == "match"));
    let overview = stdout("man", 0);
    for page in list.lines() {
        assert!(overview.contains(&format!("hyperplay man {}\n", page.replace('-', "\\-"))), "{page}");
        let text = stdout(&format!("man {page}"), 0);
        assert!(text.contains(".SH SYNOPSIS") && text.contains(page.rsplit(' ').next().unwrap()), "{page}");
    }
    assert!(stdout("man experiment run", 0).contains("shard"));
}

/// What bash offers at the end of a line. Bash breaks words at `=` and `:`, and replaces the part behind the last of them.
#[cfg(unix)]
fn offered(folder: &Folder, line: &str) -> Vec<String> {
    let broken = line.replace('=', " = ").replace(':', " : ");
    let mut words: Vec<&str> = broken.split(' ').filter(|word| !word.is_empty()).collect();
    if line.ends_with(' ') {
        words.push("");
    }
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let last = words.len() - 1;
    let script = format!(
        "hyperplay() {{ \"$PROGRAM\" \"$@\"; }}\nsource ./completions.bash\nCOMP_LINE='{line}'; COMP_POINT={}\n\
         COMP_WORDS=({}); COMP_CWORD={last}; COMPREPLY=()\n\
         _hyperplay_words hyperplay '{}' '{}' 2>/dev/null\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        line.len(),
        quoted.join(" "),
        words[last],
        words[last - 1]
    );
    let program = folder.program("").get_program().to_owned();
    let mut bash = std::process::Command::new("bash");
    bash.args(["--norc", "-c", &script]).env("PROGRAM", program).current_dir(folder.path(""));
    let (printed, _) = ended(&line, bash.output().unwrap(), 0);
    printed.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn bash_completes_games_files_roles_players_and_keys() {
    let folder = Folder::new();
    folder.write("completions.bash", &stdout("completions bash", 0));
    folder.write("my_game.kif", "(role me) (init s) (legal me go) (<= terminal (not (true s))) (goal me 50)");
    for (line, expected) in [
        ("hyperplay match my_", &["my_game.kif"][..]),
        ("hyperplay match kuhn_poker_1", &["kuhn_poker_13"]),
        ("hyperplay match my_game.kif ", &["me="]),
        ("hyperplay match kuhn_poker ", &["alice=", "bob="]),
        ("hyperplay match kuhn_poker alice=random ", &["bob="]),
        ("hyperplay match treasure digger=hu", &["human", "human:"]),
        ("hyperplay match kuhn_poker alice=ism", &["ismcts", "ismcts:"]),
        ("hyperplay match kuhn_poker alice=hyperplay:parti", &["particles="]),
        ("hyperplay match kuhn_poker alice=hyperplay:search=u", &["uniform", "uct"]),
        ("hyperplay belief kuhn_poker --sampler boo", &["bootstrap", "bootstrap:"]),
        ("hyperplay man experiment ru", &["run"]),
        // What the script itself contains: commands and options.
        ("hyperplay match kuhn_poker --playc", &["--playclock"]),
    ] {
        assert_eq!(offered(&folder, line), expected, "{line}");
    }
    assert!(stdout("completions zsh", 0).contains("complete-words"));
    assert!(stdout("completions fish", 0).contains("complete-words"));
}
