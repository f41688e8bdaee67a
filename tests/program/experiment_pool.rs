//! Tests of the pool of matches by the binary: a league grows, shrinks and is extended, and only what is missing is
//! played; what comes of it is what a league played at once comes to, byte for byte.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::program::{Folder, run, signal, start, without_sums};

/// A league of as many players, the first ones of seven, in three games with two roles and one with one role.
fn league(players: usize) -> String {
    format!(
        "schema = 'hyperplay.experiment/1'\nseed = 5\nrepetitions = 3\n\
         games = ['kuhn_poker', 'monty_hall', 'rock_paper_scissors', 'simplified_poker']\n{}",
        tables_of(players)
    )
}

fn tables_of(players: usize) -> String {
    let specs = [
        "random",
        "legal",
        "hyperplay:particles=1,search=flat,playouts=5",
        "hyperplay:particles=3,search=flat,playouts=5",
        "hyperplay:particles=3,search=flat,playouts=20",
        "clairvoyant:playouts=20,nodes=0",
        "hyperplay:particles=1,search=flat,playouts=1/move",
    ];
    ('a'..='g').zip(specs).take(players).map(table).collect()
}

fn table((name, spec): (char, &str)) -> String {
    format!("[[player]]\nname = '{name}'\nspec = '{spec}'\n")
}

fn done(folder: &Folder, arguments: &str) -> String {
    run(&mut folder.program(&format!("experiment {arguments}")), 0).0
}

/// The matches that a run took from other folders, and those that it played.
fn counts(said: &str) -> (u64, u64) {
    let number = |before: &str| -> u64 {
        let (number, _) = said.split_once(before).unwrap_or_else(|| panic!("{said}"));
        number.rsplit(' ').next().unwrap().parse().unwrap()
    };
    (number(" taken from elsewhere"), number(" of them now"))
}

/// The records of a folder but for the headers, which name the plan.
fn records(folder: &Folder, out: &str) -> [String; 2] {
    ["matches", "turns"].map(|kind| folder.read(&format!("{out}/{kind}.1-of-1.jsonl")))
}

/// The tables of a report but for what depends on times.
fn tables(folder: &Folder, arguments: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(&done(folder, &format!("report {arguments} --json"))).unwrap();
    ["scores", "roles", "differences", "contrasts"].map(|name| report[name].clone()).to_vec()
}

#[test]
fn a_league_grows_shrinks_and_is_extended_and_only_missing_matches_are_played() {
    let folder = Folder::new();
    for players in 5..=7 {
        folder.write(&format!("{players}.toml"), &league(players));
    }
    done(&folder, "run 6.toml --out six");
    done(&folder, "run 7.toml --out whole");
    done(&folder, "run 7.toml --out whole6 --deals 6");

    // A seventh player: it meets six others in three games in two seat permutations, and the doors alone.
    let (all, per_deal) = (21 * 2 * 3 + 7, 6 * 2 * 3 + 1);
    let grown = done(&folder, "run 7.toml --out seven --reuse six");
    assert_eq!(counts(&grown), (3 * (all - per_deal), 3 * per_deal));
    assert_eq!(records(&folder, "seven"), records(&folder, "whole"));

    // Shards take their parts.
    for shard in ["2/2", "1/2"] {
        done(&folder, &format!("run 7.toml --out shards --shard {shard} --reuse six"));
    }
    done(&folder, "merge shards");
    let merged = ["matches", "turns"].map(|kind| folder.read(&format!("shards/{kind}.jsonl")));
    assert_eq!(merged, records(&folder, "whole"));

    // Another folder has the matches of the seventh player alone.
    let gauntlet = format!("{}[schedule]\nkind = 'gauntlet'\nchallengers = ['g']\n", league(7));
    folder.write("g.toml", &gauntlet);
    done(&folder, "run g.toml --out g");
    assert_eq!(tables(&folder, "six g"), tables(&folder, "whole"));
    assert!(!done(&folder, "report six g").contains("Incomplete"));
    // The seventh player lacks three of the six deals of the others.
    done(&folder, "run 6.toml --out six6 --deals 6");
    let lacking = format!("Incomplete: shard 1-of-1: {} of {} matches", 6 * all - 3 * per_deal, 6 * all);
    assert!(done(&folder, "report six6 g").contains(&lacking));
    assert_eq!(tables(&folder, "whole --without g"), tables(&folder, "six"));
    assert_eq!(tables(&folder, "whole --players a,b,c,d,e,f"), tables(&folder, "six"));
    assert_eq!(tables(&folder, "whole6 --deals 3"), tables(&folder, "whole"));
    let both = counts(&done(&folder, "run 7.toml --out both --reuse six --reuse g"));
    assert_eq!((both, records(&folder, "both")), ((3 * all, 0), records(&folder, "whole")));

    // One removed.
    assert_eq!(counts(&done(&folder, "run 5.toml --out five --reuse seven")).1, 0);
    done(&folder, "run 5.toml --out five_alone");
    assert_eq!(records(&folder, "five"), records(&folder, "five_alone"));

    // Deals doubled, in the same folder; nothing of what was there is lost.
    let before = records(&folder, "seven");
    let doubled = done(&folder, "run 7.toml --out seven --deals 6 --reuse seven");
    assert_eq!(counts(&doubled), (3 * all, 3 * all));
    assert_eq!(records(&folder, "seven"), records(&folder, "whole6"));
    assert_eq!(records(&folder, "seven.before1"), before);
    done(&folder, "verify seven");
    assert_eq!(counts(&done(&folder, "run 7.toml --out seven --deals 6 --reuse seven")), (0, 0));
}

#[test]
fn a_run_that_takes_matches_and_is_killed_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    let more = |players: usize| league(players).replace("repetitions = 3", "repetitions = 60");
    folder.write("5.toml", &more(5));
    folder.write("6.toml", &more(6));
    done(&folder, "run 5.toml --out five -j 2");
    done(&folder, "run 6.toml --out whole -j 2");
    let command = "run 6.toml --out five --reuse five -j 2";
    let mut child = start(&mut folder.program(&format!("experiment {command}")));
    std::thread::sleep(std::time::Duration::from_millis(60));
    signal(&child, "KILL");
    child.wait().unwrap();
    done(&folder, command);
    assert_eq!(records(&folder, "five"), records(&folder, "whole"));
    assert!(folder.path("five.before1/plan.json").exists() && !folder.path("five.before2").exists());
}

#[test]
fn a_folder_is_extended_by_two_shards_at_once_and_where_only_its_new_name_is_left() {
    let folder = Folder::new();
    folder.write("5.toml", &league(5));
    folder.write("6.toml", &league(6));
    done(&folder, "run 6.toml --out whole");
    for out in ["killed", "shared"] {
        done(&folder, &format!("run 5.toml --out {out}"));
    }
    std::fs::rename(folder.path("killed"), folder.path("killed.before1")).unwrap();
    assert!(counts(&done(&folder, "run 6.toml --out killed --reuse killed")).0 > 0);
    assert_eq!(records(&folder, "killed"), records(&folder, "whole"));
    let shard = |shard: &str| format!("experiment run 6.toml --out shared --reuse ./shared --shard {shard}");
    let both = ["1/2", "2/2"].map(|part| start(&mut folder.program(&shard(part))));
    both.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
    done(&folder, "merge shared");
    let merged = ["matches", "turns"].map(|kind| folder.read(&format!("shared/{kind}.jsonl")));
    assert_eq!(merged, records(&folder, "whole"));
    assert!(!folder.path("shared.before2").exists());
    let nameless = run(&mut folder.program("experiment run 6.toml --out . --reuse ."), 2).1;
    assert!(nameless.contains("--reuse: . cannot be renamed"), "{nameless}");
    let absent = run(&mut folder.program("experiment run 6.toml --out no --reuse no"), 1).1;
    assert!(absent.contains("no holds no experiment"), "{absent}");
}

#[test]
fn two_files_with_the_same_rules_are_two_games_of_a_report_and_ratings_name_their_anchor() {
    let folder = Folder::new();
    let rules = "(role a) (role b) (legal ?r (put 1)) (legal ?r (put 2)) (init first)
                 (<= (next (put ?r ?n)) (does ?r (put ?n))) (<= terminal (not (true first)))
                 (<= (goal a 100) (true (put a ?n)) (true (put b ?n))) (<= (goal b 0) (goal a 100))
                 (<= (goal a 0) (not (goal a 100))) (<= (goal b 100) (not (goal a 100)))"
        .replace(
            "(legal ?r (put 1)) (legal ?r (put 2))",
            "(<= (legal ?r (put 1)) (role ?r)) (<= (legal ?r (put 2)) (role ?r))",
        );
    folder.write("one.kif", &rules);
    folder.write("copy.kif", &rules);
    let file =
        "schema = 'hyperplay.experiment/1'\nseed = 5\nrepetitions = 20\ngames = ['one.kif', 'copy.kif']\n";
    folder.write("two.toml", &format!("{file}{}", tables_of(3)));
    done(&folder, "run two.toml --out two");
    let report = |arguments: &str| -> Value {
        serde_json::from_str(&done(&folder, &format!("report {arguments} --json"))).unwrap()
    };
    let whole = report("two --anchor b");
    assert_eq!(
        (&whole["scores"], &report("two --without c")["complete"]),
        (&report("two --deals 20")["scores"], &Value::Bool(true))
    );
    let games = |report: &Value| -> BTreeSet<String> {
        report["scores"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["game"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(games(&whole), ["copy.kif", "one.kif"].map(str::to_owned).into());
    for rating in whole["ratings"].as_array().unwrap() {
        assert_eq!(
            (rating["player"] == "b", &rating["anchor"]),
            (rating["rating"] == 0.0, &Value::from("b"))
        );
    }
}

#[test]
fn matches_with_clocks_are_taken_as_they_were_played_but_not_where_beliefs_are_to_be_recorded() {
    let folder = Folder::new();
    let clocked = |players: usize| {
        let budget = "[budget]\nplayclock = 5\nthink_ahead = false\n";
        format!("{}{budget}{}", &league(0).replace("'monty_hall', ", ""), tables_of(players))
    };
    folder.write("3.toml", &clocked(3));
    folder.write("4.toml", &clocked(4));
    run(&mut folder.program("experiment run 3.toml --out three"), 0);
    let grown = done(&folder, "run 4.toml --out four --reuse three");
    assert_eq!(counts(&grown), (3 * 3 * 2 * 3, 3 * 3 * 2 * 3));
    assert_eq!(tables(&folder, "four --without d"), tables(&folder, "three"));
    assert_eq!(counts(&done(&folder, "run 3.toml --out again --reuse four")), (3 * 3 * 2 * 3, 0));
    assert_eq!(records(&folder, "again"), records(&folder, "three"));
    let beliefs = done(&folder, "run 3.toml --out beliefs --reuse three --log particles");
    assert_eq!(counts(&beliefs), (0, 3 * 3 * 2 * 3));
}

#[test]
fn what_does_not_belong_together_is_said() {
    let folder = Folder::new();
    folder.write("5.toml", &league(5));
    folder.write("seed.toml", &league(5).replace("seed = 5", "seed = 6"));
    done(&folder, "run 5.toml --out five");
    done(&folder, "run seed.toml --out other");
    let said = |arguments: &str, code| run(&mut folder.program(&format!("experiment {arguments}")), code).1;
    assert!(said("report five other", 2).contains("other was played with another seed (6) than five (5)"));
    let unknown = said("report five --players z", 2);
    assert!(
        unknown.contains("there is no player 'z'; there are a, b, c, d, e\n  give one of these"),
        "{unknown}"
    );
    // No link where nothing is written.
    for (arguments, is_written) in
        [("five", true), ("five --without a", false), ("five --without a --out some", true)]
    {
        assert_eq!(
            done(&folder, &format!("report {arguments}")).contains("](figures/"),
            is_written,
            "{arguments}"
        );
    }
    assert!(said("report five --games kuhn_pokr", 2).contains("there is no game 'kuhn_pokr' (did you mean"));
    // Matches of another seed are other matches.
    assert_eq!(counts(&done(&folder, "run 5.toml --out again --reuse other")).0, 0);
    let played = folder.read("five/matches.1-of-1.jsonl");
    let (header, rest) = played.split_once('\n').unwrap();
    let header = without_sums(header).replace(env!("CARGO_PKG_VERSION"), "0.1.9");
    folder.write("five/matches.1-of-1.jsonl", &format!("{header}\n{}", without_sums(rest)));
    let refused = said("run 5.toml --out third --reuse five", 1);
    assert!(refused.contains("version 0.1.9 played a match in five"), "{refused}");
    folder.write("6.toml", &league(6));
    assert_eq!(said("run 6.toml --out five --reuse five", 1), refused);
    assert!(folder.path("five/plan.json").exists() && !folder.path("five.before1").exists());
}
