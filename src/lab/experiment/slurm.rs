//! Slurm: the script that plays an experiment as a job array, one shard a task, and merges when the last one has ended.
//!
//! `exec` lets the signal of the scheduler reach the program itself: fifty seconds before the end of its time a task
//! gets TERM, stops within five, and leaves files that the next task of its number continues. The number of shards is
//! written into the script and never taken from the environment, so a part of the array that is submitted again
//! (`--array=3,7`) still plays its own shards.

use std::path::Path;

/// The experiment that is to be played, and where.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The title of the experiment.
    pub name: &'a str,
    /// The experiment file.
    pub file: &'a Path,
    /// The folder that all nodes share.
    pub out: &'a Path,
    /// Tasks.
    pub shards: u64,
    /// Processors of each.
    pub cpus: usize,
    /// The longest time of a task.
    pub time: &'a str,
    /// Deals a cell, if not those of the file.
    pub deals: Option<u64>,
}

/// The script, for `sh`: it submits both jobs.
pub fn script(job: &Job<'_>) -> String {
    let Job { shards, cpus, time, .. } = job;
    let (file, out) = (quoted(&job.file.to_string_lossy()), quoted(&job.out.to_string_lossy()));
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
    let name: String = job.name.chars().map(plain).collect();
    let name = if name.is_empty() { "hyperplay".to_owned() } else { name };
    let deals = job.deals.map_or(String::new(), |deals| format!(" --deals {deals}"));
    let log = |of: &str| quoted(&format!("--output={}/slurm-%x{of}.log", job.out.display()));
    let (log, merge_log, shards, cpus) = (log("-%a"), log(""), shards.to_string(), cpus.to_string());
    let filled = |part| match part {
        "SHARDS" => &shards,
        "LOG" => &log,
        "MERGE_LOG" => &merge_log,
        "NAME" => &name,
        "CPUS" => &cpus,
        "TIME" => *time,
        "DEALS" => &deals,
        "FILE" => &file,
        "OUT" => &out,
        text => text,
    };
    include_str!("slurm.txt").split('|').map(filled).collect()
}

/// A word for the shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=%+:,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_says_what_a_task_needs_and_never_asks_how_many_there_are() {
        let job = Job {
            name: "a b",
            file: Path::new("my files/x.toml"),
            out: Path::new("out"),
            shards: 8,
            cpus: 2,
            time: "1:00:00",
            deals: Some(3),
        };
        let script = script(&job);
        for needed in [
            "--array=\"${HYPERPLAY_ARRAY:-1-8}\"",
            "#SBATCH --signal=B:TERM@50",
            "#SBATCH --open-mode=append",
            "#SBATCH --job-name=a_b\n",
            "exec hyperplay experiment run 'my files/x.toml' --out out --shard \"$SLURM_ARRAY_TASK_ID/8\" -j 2 --deals 3",
            "--dependency=afterany:",
            "exec hyperplay experiment merge out",
        ] {
            assert!(script.contains(needed), "{needed}\n{script}");
        }
        assert!(!script.contains("TASK_COUNT") && !script.contains("TASK_MAX"));
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
