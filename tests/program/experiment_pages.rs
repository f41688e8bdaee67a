//! Tests of the report of an experiment as readers see it: its order, its figures and their files, and what it says where
//! there is little or nothing to report.

use std::fs;

use crate::common::program::{Folder, run};

/// Two keys in a grid, against two opponents.
const GRID: &str = r#"
schema = "hyperplay.experiment/1"
seed = 2
games = ["krieg_tictactoe_3x3"]
repetitions = 3

[schedule]
kind = "gauntlet"
challengers = ["sampling"]

[[player]]
name = "sampling"
spec = "hyperplay:sampler=hyperplay:enumerate=off,search=flat,nodes=0"
grid = { playouts = ["1/move", "2/move", "4/move"], particles = [1, 2, 4, 8] }

[[player]]
name = "clairvoyant"
spec = "clairvoyant:search=flat,nodes=0,playouts=2/move"

[[player]]
name = "random"
spec = "random"
"#;

fn done(folder: &Folder, arguments: &str) -> String {
    run(&mut folder.program(&format!("experiment {arguments}")), 0).0
}

/// The folder of an experiment that was played and reported on.
fn reported(text: &str) -> Folder {
    let folder = Folder::new();
    folder.write("file.toml", text);
    done(&folder, "run file.toml --out out");
    done(&folder, "report out");
    folder
}

/// The places of these texts in another one, which must be ascending.
fn assert_ordered(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        let at = text[from..].find(part);
        from += at.unwrap_or_else(|| panic!("'{part}' is not behind the others in\n{text}"));
    }
}

#[test]
fn scores_come_first_and_cost_comes_last() {
    let folder = reported(GRID);
    let parts = [
        "krieg_tictactoe_3x3",
        "Best setting",
        "Ratings",
        "Cross table of scores",
        "Scores",
        "Scores by role",
        "Scores by parameter",
        "What a role is worth",
        "Differences between the entrants of a cell",
        "Entrants who met the same others",
        "Cost",
    ];
    let markdown = folder.read("out/report.md");
    assert_ordered(&markdown, &parts);
    assert_ordered(&folder.read("out/report.html"), &parts);
    // A pair is there once, and the tables for machines have both.
    let scores = folder.read("out/scores.csv");
    assert_eq!(scores.lines().count(), 1 + 2 * 12 * 2);
    let [begin, end] = ["### Cross table", "### Differences"].map(|part| markdown.find(part).unwrap());
    let roles = folder.read("out/roles.csv");
    assert_eq!(roles.lines().count(), 1 + 2 * 2 * 12 * 2);
    let is_of = |line: &&str, player: &str| line.starts_with(&format!("| {player} "));
    let rows = |player: &str| markdown[begin..end].lines().filter(|line| is_of(line, player)).count();
    let found = ["sampling", "clairvoyant", "random"].map(rows);
    assert_eq!(found, [12 + 2 * 12 + 2 * 2 * 12, 0, 0], "cross table, scores, scores by role: {markdown}");
}

#[test]
fn a_grid_over_two_keys_is_a_line_for_each_value_of_the_other_key_and_a_heat_map() {
    let folder = reported(GRID);
    let figures = |ending: &str| {
        let names = fs::read_dir(folder.path("out/figures")).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name.ends_with(ending));
        names.sort();
        names.into_iter().map(|name| name.trim_end_matches(ending).to_owned()).collect::<Vec<String>>()
    };
    let names = figures(".svg");
    assert_eq!(names, figures(".pdf"));
    let markdown = folder.read("out/report.md");
    for name in &names {
        assert!(markdown.contains(&format!("](figures/{name}.svg)")), "{name}");
        let pdf = fs::read(folder.path(&format!("out/figures/{name}.pdf"))).unwrap();
        assert!(pdf.windows(10).any(|part| part == b"/FontFile2"), "{name}");
    }
    let game = "krieg_tictactoe_3x3-sampling-by-particles";
    assert!(names.contains(&game.to_owned()) && names.contains(&format!("{game}-and-playouts")), "{names:?}");
    let lines = folder.read(&format!("out/figures/{game}.svg"));
    for value in [1, 2, 4] {
        // Once in the legend, and drawn in each of two panels.
        let drawn = |class: &str| {
            lines.matches(&format!("class=\"{class}\" data-name=\"playouts={value}/move\"")).count()
        };
        assert_eq!((drawn("legend"), drawn("series")), (1, 2), "playouts={value}/move");
    }
    for text in [">against clairvoyant<", ">against random<", ">particles<", ">score (goal points)<"] {
        assert_eq!(lines.matches(text).count(), 1, "{text}");
    }
    let cells = folder.read(&format!("out/figures/{game}-and-playouts.svg"));
    let scores =
        cells.lines().filter(|line| line.contains("text-anchor=\"middle\"") && line.contains("± ")).count();
    assert_eq!(scores, 4 * 3 * 2, "every cell has its score");
    // The same report again has the same bytes.
    done(&folder, "report out --out again");
    let read = |of: &str, name: &str| fs::read(folder.path(&format!("{of}/{name}"))).unwrap();
    for name in names.iter().flat_map(|name| [format!("figures/{name}.svg"), format!("figures/{name}.pdf")]) {
        assert!(read("out", &name) == read("again", &name), "{name}");
    }
    assert!(read("out", "report.html") == read("again", "report.html"));
}

#[test]
fn few_deals_are_marked_wherever_there_is_an_interval() {
    let folder = reported(GRID);
    let footnote = "fewer than 10 deals: the interval is not reliable";
    let markdown = folder.read("out/report.md");
    assert_eq!(
        markdown.matches(footnote).count(),
        8,
        "best, ratings, cross table, scores, scores by role, roles, differences, contrasts: {markdown}"
    );
    let unmarked = |line: &&str| line.starts_with('|') && line.contains("+-") && !line.contains(" *");
    let cost = markdown.find("### Cost").unwrap();
    assert_eq!(markdown[..cost].lines().find(unmarked), None);
    assert!(folder.read("out/report.html").contains("dashed bar: too few measurements"));
    let many = reported(&GRID.replace("repetitions = 3", "repetitions = 10"));
    assert!(!many.read("out/report.md").contains(footnote));
    assert!(!many.read("out/report.html").contains("dashed bar"));
    // One deal has no interval, which is not known and not 0.
    let one = reported(&GRID.replace("repetitions = 3", "repetitions = 1"));
    let markdown = one.read("out/report.md");
    assert!(
        markdown.contains(" +- ? *") && !markdown.contains("NaN") && !markdown.contains("inf"),
        "{markdown}"
    );
}

#[test]
fn equal_players_have_no_score_and_shares_are_over_deals() {
    let twins = "schema = 'hyperplay.experiment/1'\nseed = 1\ngames = ['kuhn_poker']\nrepetitions = 12\n\
                 [schedule]\nkind = 'pairings'\npairings = [['one', 'one'], ['one', 'two'], ['one', 'other'], ['two', 'other']]\n\
                 [[player]]\nname = 'one'\nspec = 'random'\n[[player]]\nname = 'two'\nspec = 'random'\n\
                 [[player]]\nname = 'other'\nspec = 'legal'\n";
    let folder = reported(twins);
    let markdown = folder.read("out/report.md");
    assert!(!markdown.contains("50.0 +- 0.0") && !markdown.contains("50.00 +- 0.00"), "{markdown}");
    assert!(!markdown.contains("| 0.00 +- 0.00"), "{markdown}");
    let said = |part: &str| {
        let (_, table) = markdown.split_once(part).unwrap();
        table.split("###").next().unwrap().matches("the same player").count()
    };
    let parts = ["### Cross table", "### Scores\n", "### Differences", "### Entrants who met"];
    assert_eq!(parts.map(said), [3, 2, 1, 2], "{markdown}");
    let (json, _) = run(&mut folder.program("experiment report out --json"), 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let same: Vec<_> =
        json["scores"].as_array().unwrap().iter().filter(|row| row["same_player"] == true).collect();
    assert!(
        same.len() == 3 && same.iter().all(|row| row["score"].is_null() && row["deals"] == 12),
        "{same:?}"
    );
}

#[test]
fn a_report_without_results_says_why() {
    let folder = reported(&format!("limit = 1\n{}", GRID.trim_start()));
    let markdown = folder.read("out/report.md");
    let why = "There is no score: 144 matches are there, and no deal ended with goals in all its seat permutations \
               (step-limit 144).";
    assert!(markdown.contains(why) && !markdown.contains("Cross table"), "{markdown}");
    assert!(folder.read("out/report.html").contains("There is no score: 144 matches"));
    // The headers alone.
    for kind in ["matches", "turns"] {
        let path = folder.path(&format!("out/{kind}.1-of-1.jsonl"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{}\n", text.lines().next().unwrap())).unwrap();
    }
    let empty = done(&folder, "report out --out empty");
    assert!(empty.contains("No match is finished, so there is nothing to report."), "{empty}");
    assert!(empty.contains("Incomplete: shard 1-of-1: 0 of 144 matches."), "{empty}");
    assert!(folder.read("empty/report.html").contains("No match is finished"));
}

#[test]
fn one_match_is_not_one_matches() {
    let alone = "schema = 'hyperplay.experiment/1'\nseed = 1\ngames = ['monty_hall']\nrepetitions = 1\n\
                 [[player]]\nname = 'random'\nspec = 'random'\n";
    let folder = reported(alone);
    let markdown = folder.read("out/report.md");
    assert!(markdown.contains("1 of 1 match, seed 1") && !markdown.contains("1 matches"), "{markdown}");
    assert!(markdown.contains("| random |") && !markdown.contains("1 deals"), "{markdown}");
}

#[test]
fn a_report_of_a_large_league_is_cut_and_names_the_files_with_the_rest() {
    let player = |number: usize| {
        format!("[[player]]\nname = 'p{number}'\nspec = '{}'\n", ["random", "legal"][number % 2])
    };
    let players = (0..40).map(player);
    let head = "schema = 'hyperplay.experiment/1'\nseed = 1\ngames = ['kuhn_poker']\nrepetitions = 2\n";
    let folder = reported(&format!("{head}{}", players.collect::<String>()));
    let (page, text) = (folder.read("out/report.html"), folder.read("out/report.md"));
    assert!(page.len() < 600_000, "{} bytes", page.len());
    for (rows, file) in [(780, "scores"), (1560, "roles"), (780, "differences")] {
        let cut = format!("The first 250 of {rows} rows; all of them are in {file}.csv. ");
        assert!(page.contains(&cut) && text.contains(&cut), "{cut}");
        assert!(folder.read(&format!("out/{file}.csv")).lines().count() > rows, "{file}");
    }
    assert!(text.contains("The first 8 of 10 such figures; all numbers are in the CSV files."));
    // A table of what each player did is whole.
    assert!(text.split("### Cost").nth(1).unwrap().matches("\n| p").count() >= 40);
}
