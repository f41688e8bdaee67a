//! Tests of the reader and the checks: texts with what must be found, and the games of the project. The fuzz targets
//! of `tests/fuzz` mutate the games.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hyperplay_logic::gdl::{FindingCode, Loaded, Severity, Source, Syntax, print};

use super::{Effect, Interaction, Number, Selector, Test, load};

fn games() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(games().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sidl"));
    paths.sort();
    assert!(paths.len() > 9);
    paths
}

fn read(path: &Path) -> Loaded {
    load(Source::new(path.file_name().unwrap().to_str().unwrap(), fs::read_to_string(path).unwrap()))
}

/// The codes and the lines of all findings.
fn found(loaded: &Loaded) -> BTreeSet<(String, usize)> {
    let line = |offset| loaded.rulesheet.source.line_column(offset).0;
    loaded.findings.iter().map(|finding| (finding.code.to_string(), line(finding.span.start))).collect()
}

#[test]
fn each_broken_interaction_gets_exactly_its_diagnosis() {
    let table = fs::read_to_string(games().join("broken/sidl/EXPECTED.tsv")).unwrap();
    let mut rows = table.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(rows.next(), Some("file\tcode\tline"));
    let mut expected: BTreeMap<&str, BTreeSet<(String, usize)>> = BTreeMap::new();
    for row in rows {
        let [file, code, line] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        expected.entry(file).or_default().insert((code.to_owned(), line.parse().unwrap()));
    }
    let mut wrong = Vec::new();
    let files = files("broken/sidl");
    assert_eq!(files.len(), expected.len(), "each file is in the table, and each row has its file");
    for path in files {
        let loaded = read(&path);
        let file = loaded.rulesheet.source.name();
        let found = found(&loaded);
        if expected.get(file) != Some(&found) {
            wrong.push(format!("{file}: expected {:?}, found {found:?}", expected.get(file)));
        }
        let is_error = |severity| severity == Severity::Error;
        assert_eq!(loaded.game.is_none(), loaded.findings.iter().any(|finding| is_error(finding.severity)));
        // Each finding says what to do, or is a slip of syntax whose message says it.
        for finding in &loaded.findings {
            let says =
                finding.help.is_some() || matches!(finding.code, FindingCode::Syntax | FindingCode::TooDeep);
            assert!(says, "{file}: {}", finding.message);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The findings of the games of the project: none in ours, and in the examples of the paper what the paper leaves out.
#[test]
fn the_games_load_and_the_examples_of_the_paper_load_as_printed() {
    for path in files("sidl") {
        let loaded = read(&path);
        assert!(loaded.game.is_some(), "{}", path.display());
        let worse = loaded.findings.iter().filter(|finding| finding.severity > Severity::Note);
        let codes: Vec<&str> = worse.map(|finding| finding.code.as_str()).collect();
        let expected: &[&str] = match loaded.rulesheet.source.name() {
            "paper_pico_turn.sidl" => &[
                "no-terminal",
                "no-account",
                "unset-switch",
                "no-account",
                "unset-switch",
                "impossible-condition",
                "impossible-condition",
            ],
            _ => &[],
        };
        assert_eq!(codes, expected, "{}", path.display());
    }
}

#[test]
fn the_first_example_of_the_paper_is_what_it_says() {
    let game = read(&games().join("sidl/paper_nature.sidl")).game.unwrap();
    let Interaction { agents, switches, chances, branchings, operations, hidden, terminal, facts, balances } =
        Interaction::of(&game);
    let roles: Vec<String> = game.roles().iter().map(|&role| game.terms().show(role)).collect();
    assert_eq!(roles, ["alice", "random"]);
    assert_eq!((agents.len(), agents[0].1, balances), (1, Number::from(0), None));
    assert_eq!(
        (switches[0].aliases.len(), switches[0].initial, switches[0].is_momentary),
        (3, Some(2), false)
    );
    assert_eq!(chances[0].weights, [1, 1]);
    let selectors: Vec<Selector> = branchings.iter().map(|branching| branching.selector).collect();
    assert_eq!(selectors, [Selector::Chance(0), Selector::Switch(0), Selector::Switch(0)]);
    assert_eq!((operations.len(), hidden.len(), terminal.len(), facts.len()), (4, 1, 1, 1));
    assert_eq!(operations[3].tests, [Test::Never]);
    assert!(matches!(operations[1].effects[..], [Effect::Remove(_), Effect::Create(_), Effect::Pay(..)]));
}

fn clauses(text: &str) -> String {
    let loaded = load(Source::new("t.sidl", text));
    print(&loaded.rulesheet, Syntax::Kif)
        .lines()
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn clauses_are_read_as_prolog_reads_them() {
    for (text, kif) in [
        ("init(a).", "(init a)"),
        ("init(a(X, _, _, x)).", "(init (a ?X ?_1 ?_2 X))"),
        ("init(a(_1, _)).", "(init (a ?_1 ?_1_1))"),
        ("chance(c, [0.25, 3/4]).", "(chance c (list (/ 1 4) (/ 3 4)))"),
        ("init(a([], -3, 1.50)).", "(init (a list -3 (/ 3 2)))"),
        ("init(a('current state ID', 'Wait')).", "(init (a current_state_ID Wait))"),
        ("init(a(1 + 2 * 3 - 4)).", "(init (a (- (+ 1 (* 2 3)) 4)))"),
        ("init(a((1 + 2) * -X mod 2)).", "(init (a (mod (* (+ 1 2) (- ?X)) 2)))"),
        ("terminal :- a; b, c.", "(<= terminal (or a (and b c)))"),
        ("terminal :- a, (b; not c), \\+ d.", "(<= terminal\n    a\n    (or b (not c))\n    (not d))"),
        (
            "terminal :- (X + 1) * 2 <= 3, X =\\= 4.",
            "(<= terminal\n    (=< (* (+ ?X 1) 2) 3)\n    (=\\= ?X 4))",
        ),
        (
            "terminal :- X is Y, X \\= Y, X == 1.",
            "(<= terminal\n    (is ?X ?Y)\n    (\\= ?X ?Y)\n    (== ?X 1))",
        ),
        ("init(a). // one\n% two\n/* three\n four. */ init(b).", "(init a)\n(init b)"),
    ] {
        assert_eq!(clauses(text), kif, "{text}");
    }
}

#[test]
fn comments_capitals_and_layout_do_not_change_the_rules() {
    for path in files("sidl") {
        let loaded = read(&path);
        let text = loaded.rulesheet.source.text();
        let other =
            format!("/* other */ {}", text.replace(".\n", ".\n\n  // a comment\n").replace(", ", " ,\t"));
        let other = load(Source::new("other.sidl", other));
        assert_eq!(loaded.game.unwrap().rules_hash(), other.game.unwrap().rules_hash(), "{}", path.display());
    }
    let hash = |text: &str| load(Source::new("t.sidl", text)).game.unwrap().rules_hash();
    let text = "init(account('Alice', 0)).\nterminal.\n";
    assert_eq!(hash(text), hash("init(account(alice, 0.0)). terminal."));
    assert_ne!(hash(text), hash("init(account(alice, 1)). terminal."));
}

#[test]
fn an_error_costs_one_clause() {
    for wrong in [
        "init(a(.",
        "init(a",
        "init(a) init",
        "operation(b) :- , c.",
        "x y z.",
        "'init(a).",
        "init(9999999999999999999999).",
    ] {
        let text = format!("init(first).\n{wrong}\ninit(last).\n");
        let read = clauses(&text);
        assert!(read.starts_with("(init first)") && read.ends_with("(init last)"), "{wrong}: {read}");
        let loaded = load(Source::new("t.sidl", &text));
        assert!(
            loaded.game.is_none()
                && loaded.findings.iter().any(|finding| finding.code == FindingCode::Syntax)
        );
    }
}

#[test]
fn no_depth_and_no_length_breaks_the_reader() {
    let deep = [
        format!("init(a({}1{})).", "(".repeat(100_000), ")".repeat(100_000)),
        format!("init(a(1{})).", " + 1".repeat(100_000)),
        format!("init(a({}1)).", "-".repeat(100_000)),
        format!("terminal :- {}a.", "not ".repeat(100_000)),
        format!("terminal :- {}a{}.", "(b, (c; ".repeat(100_000), "))".repeat(100_000)),
        format!("init({}0{}).", "a(".repeat(150), ")".repeat(150)),
    ];
    for text in deep {
        let loaded = load(Source::new("t.sidl", &text));
        assert!(
            loaded.findings.iter().any(|finding| finding.code == FindingCode::TooDeep),
            "{}",
            &text[..40]
        );
    }
    let wide = format!("init(account(a, 0)). terminal :- {}true.", "true, ".repeat(200_000));
    assert!(load(Source::new("t.sidl", wide)).game.is_some());
}
