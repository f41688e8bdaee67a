//! How far each shard of an experiment is, where it was played last, and whether that still goes on.
//!
//! No process reports to a folder, so all of this is what the files show: when the matches of a shard were last written
//! to, and how long its last matches took. Only the end of a file of timings is read. The text stays readable with a
//! thousand shards: those that nobody plays are numbers with ranges, as `--array` of Slurm takes them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use hyperplay_experiment::{MissingMatches, Shard, TimingRecord};
use hyperplay_machine::counted;
use hyperplay_report::Table;

/// How many bytes at the end of a file of timings are read.
const TAIL: u64 = 1 << 15;

/// For how many seconds, and for how many times the mean time of its matches, an unfinished shard writes nothing before
/// it is taken to be given up. Other computers may see what is written a minute later.
const PATIENCE: (f64, f64) = (120.0, 10.0);

/// Shards that are shown one by one.
const SHOWN: usize = 40;

/// One shard. `docs/json.md` explains the keys.
#[derive(Serialize)]
pub struct ShardStatus {
    #[serde(skip)]
    index: u64,
    shard: String,
    state: &'static str,
    matches: u64,
    of: u64,
    host: Option<String>,
    rate: Option<f64>,
    silent: Option<u64>,
    left: Option<u64>,
}

/// The shards of a folder, by their finished matches and by what they lack, in ascending order.
pub fn shards(folder: &Path, counts: &BTreeMap<Shard, u64>, missing: &[MissingMatches]) -> Vec<ShardStatus> {
    let missing: BTreeMap<Shard, &MissingMatches> = missing.iter().map(|it| (it.shard, it)).collect();
    let of = |(shard, &matches): (&Shard, _)| status(folder, *shard, matches, missing.get(shard).copied());
    counts.iter().map(of).collect()
}

/// The status of a shard with `matches` finished matches; `missing` says which it lacks, if any.
fn status(folder: &Path, shard: Shard, matches: u64, missing: Option<&MissingMatches>) -> ShardStatus {
    let mut last = last_timings(&shard.file(folder, "timings")).unwrap_or_default();
    let host = last.last().map(|newest| newest.host.clone());
    last.retain(|timing| Some(&timing.host) == host.as_ref());
    let mean = last.iter().map(|timing| timing.seconds).sum::<f64>() / last.len().max(1) as f64;
    let rate = last.last().map(|newest| newest.threads as f64 / mean.max(1e-9));
    let written = fs::metadata(shard.file(folder, "matches")).and_then(|data| data.modified()).ok();
    // The clock of another computer may be ahead.
    let silent = written.map(|written| written.elapsed().unwrap_or_default().as_secs());
    let patience = PATIENCE.0.max(PATIENCE.1 * mean);
    let state = match silent {
        _ if missing.is_none() => "finished",
        None if matches == 0 => "waiting",
        Some(silent) if silent as f64 <= patience => "running",
        _ => "silent",
    };
    let of = missing.map_or(matches, |missing| missing.of);
    let left = |rate: f64| ((of - matches) as f64 / rate).ceil() as u64;
    let left = rate.filter(|_| state == "running").map(left);
    let (index, shard) = (shard.index, shard.to_string());
    ShardStatus { index, shard, state, matches, of, host, rate, silent, left }
}

/// The last timings of a shard.
fn last_timings(path: &Path) -> io::Result<Vec<TimingRecord>> {
    let (mut file, mut bytes) = (File::open(path)?, Vec::new());
    file.seek(SeekFrom::Start(file.metadata()?.len().saturating_sub(TAIL)))?;
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// The text about the shards of a folder: how many there are in each state, and those that are not finished.
pub fn as_text(shards: &[ShardStatus]) -> String {
    let of = |state: &'static str| shards.iter().filter(move |status| status.state == state);
    let count = |state| format!("{} {state}", of(state).count());
    let mut text = counted(shards.len() as u64, "shard") + ": ";
    text += &["finished", "running", "silent", "waiting"].map(count).join(", ");
    let rate: f64 = of("running").filter_map(|status| status.rate).sum();
    if rate > 0.0 {
        let rest: u64 = shards.iter().map(|status| status.of - status.matches).sum();
        let left = humantime::format_duration(Duration::from_secs((rest as f64 / rate).ceil() as u64));
        text += &format!("; {rate:.1} matches a second, about {left} left");
    }
    for state in ["silent", "waiting"] {
        let numbers: Vec<u64> = of(state).map(|status| status.index).collect();
        text += &if numbers.is_empty() { String::new() } else { format!("\n{state}: {}", ranges(&numbers)) };
    }
    let begun: Vec<&ShardStatus> = of("silent").chain(of("running")).collect();
    let columns = ["shard: text", "state: text", "matches", "of", "host: text", "rate: 1", "silent", "left"];
    let table = Table::of(&Table::plain(columns, []).columns, begun.iter().copied().take(SHOWN));
    text += &format!("\n{}", if begun.is_empty() { String::new() } else { table.shown().as_text() });
    let more = begun.len().saturating_sub(SHOWN);
    text + &if more > 0 { format!("and {more} more\n") } else { String::new() }
}

/// Ascending numbers, as in `3,7,101-1000`.
fn ranges(numbers: &[u64]) -> String {
    let chunks = numbers.chunk_by(|one, next| one + 1 == *next).map(|chunk| match chunk {
        [first, .., last] => format!("{first}-{last}"),
        _ => chunk[0].to_string(),
    });
    chunks.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_shards_stay_readable() {
        let shard = |index: u64| {
            let state = match index {
                1..=500 => "finished",
                501..=564 => "running",
                700 | 800..=802 => "silent",
                _ => "waiting",
            };
            let (shard, host) = (format!("{index}-of-1000"), Some("far".to_owned()));
            let (matches, of, rate) = (if state == "finished" { 30 } else { 10 }, 30, Some(0.5));
            ShardStatus { index, shard, state, matches, of, host, rate, silent: Some(1), left: Some(40) }
        };
        let text = as_text(&(1..=1000).map(shard).collect::<Vec<_>>());
        let lines: Vec<&str> = text.lines().collect();
        let first = "1000 shards: 500 finished, 64 running, 4 silent, 432 waiting; 32.0 matches a second, about 5m 13s left";
        assert_eq!(lines[..3], [first, "silent: 700,800-802", "waiting: 565-699,701-799,803-1000"]);
        assert_eq!((lines.len(), lines[44]), (45, "and 28 more"));
        assert!(lines[4].starts_with("700-of-1000  silent") && lines[8].starts_with("501-of-1000  running"));
    }
}
