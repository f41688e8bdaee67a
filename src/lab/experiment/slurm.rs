//! Slurm: the script that plays an experiment as a job array, one shard a task, and merges when the last one has ended.
//!
//! `exec` lets the signal of the scheduler reach the program itself: fifty seconds before the end of its time a task
//! gets TERM, stops within five, and leaves files that the next task of its number continues. The number of shards is
//! written into the script and never taken from the environment, so a part of the array that is submitted again
//! (`--array=3,7`) still plays its own shards.

use std::fmt::Write;
use std::path::Path;

/// What is to be played, and where.
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
    let log = quoted(&format!("--output={}/slurm-%x-%a.log", job.out.display()));
    let mut text = String::new();
    let mut line = |line: &str| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{line}");
    };
    line("#!/bin/sh");
    line(
        "# Submits one task a shard, and a merge behind them. Run it with sh where the experiment file lies.",
    );
    line("# A part again: HYPERPLAY_ARRAY=3,7 sh this_script. Each task goes on where its last run ended.");
    line("set -eu");
    line(&format!("mkdir -p {out}"));
    line(&format!("array=$(sbatch --parsable --array=\"${{HYPERPLAY_ARRAY:-1-{shards}}}\" {log} <<'TASK'"));
    line("#!/bin/sh");
    line(&format!("#SBATCH --job-name={name}"));
    line(&format!("#SBATCH --cpus-per-task={cpus}"));
    line(&format!("#SBATCH --time={time}"));
    line("#SBATCH --signal=B:TERM@50");
    line("#SBATCH --open-mode=append");
    line("#SBATCH --requeue");
    line(&format!(
        "exec hyperplay experiment run {file} --out {out} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" -j {cpus}{deals}"
    ));
    line("TASK");
    line(")");
    line("echo \"array job $array\"");
    line(&format!(
        "sbatch --dependency=afterany:\"${{array%%;*}}\" {} <<'MERGE'",
        quoted(&format!("--output={}/slurm-%x.log", job.out.display()))
    ));
    line("#!/bin/sh");
    line(&format!("#SBATCH --job-name={name}-merge"));
    line("#SBATCH --open-mode=append");
    line(&format!("exec hyperplay experiment merge {out}"));
    line("MERGE");
    text
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
