//! Tests of studies as files: shards that are merged byte for byte, runs that go on with what is missing, studies that grow, and what
//! happens to lines that are damaged.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::Command;

use serde_json::Value;

use crate::common::program::{Folder, ended, run, start};

/// The files whose bytes the seed determines.
const DETERMINED: [&str; 4] = ["turns.jsonl", "rows.csv", "report.html", "figures/leduc_poker-bias.svg"];

fn study(samplers: &str) -> String {
    format!(
        "schema = 'hyperplay.study/1'\nseed = 5\nsampler = [{samplers}]\nparticles = [4, 8]\nreplicates = 6\nmatches = 3\n\
         steps = '1-3'\nplayouts = 2\ngames = ['kuhn_poker']\n[[game]]\nname = 'leduc_poker'\nmatches = 2\n"
    )
}

const FOUR: &str = "'bootstrap', 'rejection', 'exact', 'hyperplay'";

fn belief(folder: &Folder, arguments: &str, code: i32) -> (String, String) {
    run(&mut folder.program(&format!("belief {arguments}")), code)
}

/// All lines of the blocks of a folder, but the headers.
fn blocks(folder: &Folder, name: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder.path(name)).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("blocks.") {
            lines.extend(fs::read_to_string(path).unwrap().lines().skip(1).map(str::to_owned));
        }
    }
    lines.sort();
    lines
}

fn assert_same(folder: &Folder, one: &str, other: &str) {
    for file in DETERMINED {
        assert!(folder.read(&format!("{one}/{file}")) == folder.read(&format!("{other}/{file}")), "{file}");
    }
}

#[test]
fn four_shards_of_which_one_was_killed_are_byte_for_byte_one_run() {
    let folder = Folder::new();
    folder.write("study.toml", &study(FOUR));
    belief(&folder, "study.toml --out whole", 0);
    for shard in [2, 4, 3] {
        let (said, _) = belief(&folder, &format!("study.toml --out parts --shard {shard}/4"), 0);
        assert!(
            said.contains(&format!("{shard}-of-4: ")) && said.contains("of other shards are missing"),
            "{said}"
        );
        assert!(!folder.path("parts/turns.jsonl").exists());
    }
    // A kill leaves whole lines and a part of one: it goes on from there.
    let path = folder.path("parts/blocks.2-of-4.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    for end in [text.len() - 1, text.len() / 2, 10] {
        fs::write(&path, &text[..end]).unwrap();
        belief(&folder, "study.toml --out parts --shard 2/4", 0);
    }
    let (said, _) = belief(&folder, "study.toml --out parts --shard 1/4", 0);
    assert!(said.contains("kuhn_poker: 6 replicates on each of 3 matches, seed 5"), "{said}");
    assert_same(&folder, "whole", "parts");
    assert!(folder.read("whole/frontier.csv").lines().count() == 1 + 2 * 4 * 2);
    // The folder alone is enough for the report, and nothing is measured for it.
    let before = blocks(&folder, "parts");
    for file in DETERMINED {
        fs::remove_file(folder.path(&format!("parts/{file}"))).unwrap();
    }
    let frontier = folder.read("parts/frontier.csv");
    belief(&folder, "parts", 0);
    assert_same(&folder, "whole", "parts");
    assert!(blocks(&folder, "parts") == before && folder.read("parts/frontier.csv") == frontier);
    // Some of its games are shown from what was measured, and the report stays that of all.
    let (said, _) = belief(&folder, "parts leduc_poker", 0);
    assert!(said.starts_with("leduc_poker: 6 replicates on each of 2 matches, seed 5"), "{said}");
    // As with all games, another study is refused.
    let (_, said) = belief(&folder, "parts leduc_poker --seed 6", 1);
    assert!(said.contains("seed (there 5)"), "{said}");
    assert_same(&folder, "whole", "parts");
    assert!(blocks(&folder, "parts") == before && folder.read("parts/frontier.csv") == frontier);
    let (_, said) = belief(&folder, "parts --seed 6", 1);
    assert!(said.contains("it differs in seed (there 5)\n") && said.contains("give --seed 5"), "{said}");
    let (_, said) = belief(&folder, "parts --replicates 7", 1);
    let both = "replicates of \"kuhn_poker\" (there 6), replicates of \"leduc_poker\" (there 6)";
    assert!(said.contains(both), "{said}");
    // Every table says how many particles a row has.
    let page = folder.read("parts/report.md");
    assert_eq!(page.matches("| sampler | particles (held) |").count(), 2 * 3, "{page}");
}

/// The first shard reads the folder and waits at a pipe until the second one has ended: what it read is out of date then.
#[cfg(unix)]
#[test]
fn of_shards_side_by_side_the_last_one_that_ends_writes_the_report() {
    let folder = Folder::new();
    folder.write("study.toml", &study("'exact', 'rejection'"));
    belief(&folder, "study.toml --out whole", 0);
    fs::create_dir(folder.path("other")).unwrap();
    let pipe = folder.path("other/blocks.1-of-1.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let first = start(&mut folder.program("belief study.toml --out parts --shard 1/2 --reuse other"));
    let opened = File::options().write(true).open(&pipe).unwrap();
    let (said, _) = belief(&folder, "study.toml --out parts --shard 2/2", 0);
    assert!(said.contains("of other shards are missing") && !folder.path("parts/turns.jsonl").exists());
    drop(opened);
    let (said, _) = ended(&"the first shard", first.wait_with_output().unwrap(), 0);
    assert!(said.contains("kuhn_poker: 6 replicates on each of 3 matches, seed 5"), "{said}");
    assert_same(&folder, "whole", "parts");
}

#[test]
fn a_folder_with_particle_sets_goes_on_to_have_those_of_all_blocks() {
    let folder = Folder::new();
    let options = "kuhn_poker --sampler exact --particles 2 --replicates 2 --matches 2 --seed 1";
    belief(&folder, &format!("{options} --out kept --keep-particles --shard 1/2"), 0);
    let tables = || fs::read_dir(folder.path("kept/particles")).unwrap().count();
    assert_eq!(tables(), 2);
    belief(&folder, "kept", 0);
    assert_eq!(tables(), 4);
    belief(&folder, &format!("{options} --out figures"), 0);
    assert!(!folder.path("figures/particles").exists());
}

/// A study of one game is what an interrupt leaves of one of two, but for the names of its figures.
#[test]
fn a_study_that_grows_leaves_no_figure_of_the_smaller_one() {
    let folder = Folder::new();
    let options = "--sampler exact --particles 2 --replicates 2 --matches 2 --steps 1-2 --playouts 0 --seed 1 --out grown";
    let figures = || -> BTreeSet<String> {
        let entries = fs::read_dir(folder.path("grown/figures")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    belief(&folder, &format!("kuhn_poker {options}"), 0);
    let before = figures();
    belief(&folder, &format!("kuhn_poker leduc_poker {options}"), 0);
    let page = folder.read("grown/report.html");
    for name in before.union(&figures()).filter(|name| name.contains("frontier")) {
        assert!(["frontier.svg", "frontier.pdf"].contains(&name.as_str()), "{name}");
    }
    assert!(before.contains("frontier.svg") && page.contains("leduc_poker"), "{before:?}");
}

#[test]
fn of_a_sampler_that_is_added_only_its_rows_are_measured() {
    let folder = Folder::new();
    folder.write("study.toml", &study(FOUR));
    belief(&folder, "study.toml --out grown", 0);
    let before = blocks(&folder, "grown");
    folder.write("study.toml", &study(&format!("{FOUR}, 'hyperplay12'")));
    belief(&folder, "study.toml --out grown", 0);
    let after = blocks(&folder, "grown");
    let new: Vec<&String> = after.iter().filter(|line| !before.contains(line)).collect();
    assert!(after.len() == before.len() / 4 * 5 && new.len() == before.len() / 4);
    for line in new {
        let block: Value = serde_json::from_str(line).unwrap();
        assert!(block["rows"].as_array().unwrap().iter().all(|row| row["sampler"] == "hyperplay12"));
    }
    belief(&folder, "study.toml --out fresh", 0);
    assert_same(&folder, "fresh", "grown");
    // Another folder takes what it needs and leaves the rest.
    let (_, said) = belief(
        &folder,
        "leduc_poker --seed 5 --sampler exact --particles 8 --replicates 6 --matches 2 --steps 1-3 \
         --playouts 2 --out part --reuse grown",
        0,
    );
    let taken = blocks(&folder, "part");
    assert!(taken.len() == 2 * 2 && taken.iter().all(|line| after.contains(line)), "{said}");
    let (_, said) = belief(&folder, "study.toml --out grown --sampler exact", 1);
    assert!(said.contains("it differs in samplers"), "{said}");
}

#[test]
fn what_is_damaged_is_measured_again_and_stays_where_it_is() {
    let folder = Folder::new();
    folder.write("study.toml", &study(FOUR));
    belief(&folder, "study.toml --out whole", 0);
    belief(&folder, "study.toml --out bad", 0);
    let text = folder.read("bad/blocks.1-of-1.jsonl");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[3] = lines[3].replacen("0.", "1.", 1);
    lines[5] = "\u{1F600}".to_owned();
    folder.write("bad/blocks.1-of-1.jsonl", &(lines.join("\n") + "\n"));
    let (_, said) = belief(&folder, "bad", 0);
    assert!(said.contains("2 lines of the blocks cannot be read"), "{said}");
    assert_same(&folder, "whole", "bad");
    let after = folder.read("bad/blocks.1-of-1.jsonl");
    assert!(after.starts_with(&lines.join("\n")) && after.lines().count() == lines.len() + 2);
}

#[test]
fn a_wrong_study_says_what_is_wrong() {
    let folder = Folder::new();
    for (text, expected) in [
        ("games = ['kuhn_poker']", "study.toml:1:1: its schema is not 'hyperplay.study/1'"),
        ("schema = 'hyperplay.study/1'\ngames = ['kuhn_poker'", "study.toml:2:"),
        (
            "schema = 'hyperplay.study/1'\ngames = ['kuhn_poker']\nmatches = -4",
            "study.toml:3:11: invalid value '-4' for '--matches <M>': expected a whole number of 0 or more",
        ),
        (
            "schema = 'hyperplay.study/1'\nsampler = ['bootstrop']",
            "study.toml:2:11: there is no sampler 'bootstrop'",
        ),
        (
            "schema = 'hyperplay.study/1'\n[[game]]\nmatches = 2\nname = 'leduc_pokr'",
            "study.toml:4:8: 'leduc_pokr' is neither a file nor a built-in game",
        ),
        (
            "schema = 'hyperplay.study/1'\n[[game]]\nname = 'kuhn_poker'\nmax_set = 'x'",
            "study.toml:4:11: invalid value 'x'",
        ),
        (
            "schema = 'hyperplay.study/1'\nparticle = 4",
            "study.toml:2:12: there is no option 'particle' of a study (did you mean 'particles'?)",
        ),
        ("schema = 'hyperplay.study/1'\njson = true", "there is no option 'json'"),
        ("schema = 'hyperplay.study/1'\n[[game]]\nmatches = 2", "study.toml:2:1: a game has no name"),
        ("schema = 'hyperplay.study/1'\ngames = ['kuhn_poker']\nsteps = 0", "expected a step of 1 or more"),
        ("schema = 'hyperplay.study/1'", "there is no game to measure"),
    ] {
        folder.write("study.toml", text);
        let (_, said) = belief(&folder, "study.toml", 2);
        assert!(said.contains(expected), "{text}: {said}");
    }
    folder.write("study.toml", &study("'exact'"));
    let (_, said) = belief(&folder, "study.toml chess", 2);
    assert!(said.contains("the games are kuhn_poker, leduc_poker"), "{said}");
    // Every sampler with every model.
    let models = "kuhn_poker --sampler exact --sampler bootstrap --model uniform --model softmax --particles 2 --replicates 2 --seed 1 --json";
    let report: Value = serde_json::from_str(&belief(&folder, models, 0).0).unwrap();
    let summaries = report["summary"].as_array().unwrap();
    let samplers: BTreeSet<&str> = summaries.iter().map(|row| row["sampler"].as_str().unwrap()).collect();
    assert!(samplers.into_iter().eq([
        "bootstrap",
        "bootstrap:model=softmax",
        "exact",
        "exact:model=softmax"
    ]));
}
