//! Tests of times by the binary: what a run with clocks records of the processor, and what a report says where players had
//! less of it than of the clock.

use serde_json::{Value, json};

use crate::common::program::{Folder, run, without_sums};

/// Some hundred decisions with playouts, each with a short clock.
const CLOCKED: &str = "schema = 'hyperplay.experiment/1'\nseed = 1\ngames = ['krieg_tictactoe_3x3']\nrepetitions = 20\n\
                       [budget]\nplayclock = 0.01\nthink_ahead = false\n\
                       [[player]]\nname = 'one'\nspec = 'hyperplay:search=flat'\n\
                       [[player]]\nname = 'other'\nspec = 'hyperplay:search=flat,playouts=50'\n";

const TIMINGS: &str = "out/timings.1-of-1.jsonl";

/// The same records of times with other times for each decision, by the number of the match.
fn retimed(folder: &Folder, text: &str, time: impl Fn(u64) -> (f64, f64)) {
    let retimed = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if let Some(number) = record["match"].as_u64() {
            let (select, processor) = time(number);
            for turn in record["turns"].as_array_mut().unwrap() {
                *turn = json!({ "update": null, "select": select, "processor": processor });
            }
        }
        format!("{record}\n")
    });
    folder.write(TIMINGS, &retimed.collect::<String>());
}

#[test]
fn a_report_says_where_equal_clocks_were_not_equal_time() {
    let folder = Folder::new();
    folder.write("clocked.toml", CLOCKED);
    let experiment = |arguments: &str| folder.program(&format!("experiment {arguments}"));
    let mut play = experiment("run clocked.toml --out out -j 1");
    let said = String::from_utf8(play.output().unwrap().stdout).unwrap();
    assert!(said.contains(" s of processor time"), "{said}");
    let first: Value = serde_json::from_str(folder.read(TIMINGS).lines().nth(1).unwrap()).unwrap();
    assert!(first["turns"][0]["processor"].as_f64().is_some_and(|seconds| seconds > 0.0), "{first}");
    let has_load = std::path::Path::new("/proc/loadavg").exists();
    assert_eq!(first["load"].as_f64().is_some(), has_load, "{first}");

    // Playouts differ from position to position, and times below do not: else a rate may fall by chance.
    let turns = "out/turns.1-of-1.jsonl";
    let even = without_sums(&folder.read(turns)).lines().fold(String::new(), |even, line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.get_mut("playouts").into_iter().for_each(|playouts| *playouts = json!(100));
        format!("{even}{record}\n")
    });
    folder.write(turns, &even);
    let played = without_sums(&folder.read(TIMINGS));
    let report = || run(&mut experiment("report out"), 0).0;
    let (taken, fell) = ("equal clocks were not equal time", "fewer playouts a millisecond");
    retimed(&folder, &played, |_| (0.005, 0.0048));
    let quiet = report();
    assert!(!quiet.contains(taken) && !quiet.contains(fell), "{quiet}");
    let json: Value = serde_json::from_str(&run(&mut experiment("report out --json"), 0).0).unwrap();
    let work = &json["work"][0];
    assert_eq!((&work["time_ms"], &work["processor_ms"]), (&json!(5.0), &json!(4.8)));
    let hours = work["decisions"].as_f64().unwrap() * 0.0048 / 3600.0;
    assert!((work["core_hours"].as_f64().unwrap() - hours).abs() < 1e-5 * hours);
    let clock =
        quiet.lines().find(|line| line.starts_with("| one |") && line.contains("| 5.0 | 5.0 | 50.0 |"));
    assert!(clock.is_some(), "the share of the clock: {quiet}");

    retimed(&folder, &played, |_| (0.005, 0.002));
    let busy = report();
    assert!(busy.contains("one had a processor for 40 % of the time of its decisions"), "{busy}");
    assert!(busy.contains("other had a processor for 40 %") && busy.contains(taken) && !busy.contains(fell));
    // Forty matches; in the second half everything takes twice as long.
    retimed(&folder, &played, |number| if number < 20 { (0.002, 0.002) } else { (0.004, 0.004) });
    let slower = report();
    assert!(slower.contains(fell) && !slower.contains(taken), "{slower}");
    // Records of earlier versions have no processor times.
    let former = folder.read(TIMINGS).replace(",\"processor\":0.002", "").replace(",\"processor\":0.004", "");
    folder.write(TIMINGS, &former);
    assert!(!report().contains("processor ms"));
}

#[test]
fn the_processor_time_of_a_decision_is_not_recorded_where_several_threads_worked_at_it() {
    let folder = Folder::new();
    let slower =
        CLOCKED.replace("playclock = 0.01", "playclock = 2").replace("repetitions = 20", "repetitions = 3");
    let trees = slower.replace("spec = 'hyperplay:search=flat'", "spec = 'ismcts:trees=2,simulations=200'");
    folder.write("clocked.toml", &trees);
    let experiment = |arguments: &str| run(&mut folder.program(&format!("experiment {arguments}")), 0).0;
    experiment("run clocked.toml --out out -j 1");
    let json: Value = serde_json::from_str(&experiment("report out --json")).unwrap();
    let work =
        |player: &str| json["work"].as_array().unwrap().iter().find(|row| row["player"] == player).unwrap();
    let (one, other) = (work("one"), work("other"));
    assert_eq!((&one["processor_ms"], &one["core_hours"]), (&Value::Null, &Value::Null));
    assert!(one["time_ms"].is_number() && other["processor_ms"].is_number());
    // Costs of one kind are compared.
    let costs = json["best"].as_array().unwrap().iter().map(|row| (&row["player"], &row["cost_ms"]));
    let times = [one, other].map(|row| (&row["player"], &row["time_ms"]));
    assert!(costs.clone().count() == 2 && costs.into_iter().all(|cost| times.contains(&cost)), "{json}");
    assert!(!experiment("report out").contains("one had a processor for"));
}
