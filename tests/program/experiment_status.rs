//! The status of the shards of an experiment: what each has, where it was played, how fast, and whether it still is.

use std::fs::File;
use std::time::{Duration, SystemTime};

use crate::common::program::{Folder, run};
use serde_json::Value;

const STUDY: &str = "schema = 'hyperplay.experiment/1'\nname = 'A study'\nseed = 3\ngames = ['kuhn_poker']\n\
                     repetitions = 300\n[[player]]\nname = 'random'\nspec = 'random'\n[[player]]\nname = 'legal'\n\
                     spec = 'legal'\n";

#[test]
fn status_says_of_each_shard_where_it_was_played_how_fast_and_whether_it_still_is() {
    let folder = Folder::new();
    folder.write("study.toml", STUDY);
    let play = |shard: &str| {
        run(folder.program("experiment run").arg("study.toml").args(["--out", "out", "--shard", shard]), 0);
    };
    for shard in ["1/5", "2/5", "4/5"] {
        play(shard);
    }
    // The last matches of two shards are lost, and one of these was not written to for ten minutes.
    for (shard, minutes) in [(2, 0), (4, 10)] {
        let name = format!("out/matches.{shard}-of-5.jsonl");
        let text = folder.read(&name);
        folder.write(&name, &text.split_inclusive('\n').take(41).collect::<String>());
        let time = SystemTime::now() - Duration::from_secs(60 * minutes);
        File::options().append(true).open(folder.path(&name)).unwrap().set_modified(time).unwrap();
    }
    let found: Value =
        serde_json::from_str(&run(&mut folder.program("experiment status out --json"), 0).0).unwrap();
    let shards = found["shards"].as_array().unwrap();
    let keys = |key: &str| shards.iter().map(|it| it[key].clone()).collect::<Vec<_>>();
    assert_eq!(keys("shard"), ["1-of-5", "2-of-5", "3-of-5", "4-of-5", "5-of-5"]);
    assert_eq!(keys("state"), ["finished", "running", "waiting", "silent", "waiting"]);
    assert_eq!(keys("matches"), [120, 40, 0, 40, 0]);
    assert_eq!(keys("of"), [120; 5]);
    assert!(shards[3]["silent"].as_u64().is_some_and(|seconds| (600..700).contains(&seconds)), "{found}");
    assert!(shards[3]["left"].is_null() && shards[2]["host"].is_null() && shards[2]["silent"].is_null());
    // The rate again, from all that the shard recorded.
    let timings = folder.read("out/timings.2-of-5.jsonl");
    let records: Vec<Value> =
        timings.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let seconds: f64 = records.iter().map(|it| it["seconds"].as_f64().unwrap()).sum();
    let rate = records[0]["threads"].as_f64().unwrap() * records.len() as f64 / seconds;
    let said = shards[1]["rate"].as_f64().unwrap();
    assert!((said / rate - 1.0).abs() < 1e-9, "{said} {rate}");
    assert_eq!(shards[1]["left"].as_f64(), Some((80.0 / rate).ceil()));
    assert_eq!(shards[1]["host"], records[0]["host"]);
    let text = run(&mut folder.program("experiment status out"), 0).0;
    assert!(
        text.starts_with("out: 200 of 600 matches\n5 shards: 1 finished, 1 running, 1 silent, 2 waiting; ")
    );
    assert!(text.contains("\nsilent: 4\nwaiting: 3,5\n") && !text.contains("1-of-5"), "{text}");
}
