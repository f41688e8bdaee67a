//! `hyperplay experiment script`: lets the scheduler of a cluster play an experiment, one shard a task, and merge it.
//!
//! The scheduler divides the work, tries again what was killed, and takes another host for one that is lost; the program
//! only has to go on with the files of a shard, wherever it is started next. The number of shards is written into the
//! script and never taken from the environment, so that some of them can be played again alone.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;

use super::experiment_file::FileArgument;
use super::failure::CommandResult;
use super::session::Session;

/// Arguments of `experiment script`.
#[derive(Args, Debug)]
pub struct ScriptArguments {
    #[command(flatten)]
    file: FileArgument,
    /// The scheduler that starts the tasks
    #[arg(long, value_name = "SCHEDULER", value_parser = ["slurm", "kubernetes"])]
    to: String,
    /// The folder for the matches, on a file system that all nodes share
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// The number of shards, which is the number of tasks: several for each processor, so that slow nodes get fewer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    shards: u64,
    /// Processors of each task
    #[arg(long, value_name = "N", default_value = "1")]
    cpus: NonZero<usize>,
    /// Memory of each task, in MiB
    #[arg(long, value_name = "N", default_value = "1024")]
    memory: NonZero<u64>,
    /// The longest time of a task, in minutes
    #[arg(long, value_name = "N", default_value = "1440", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    minutes: u64,
    /// How often a task that was killed, or did not finish in its time, is started again
    #[arg(long, value_name = "N", default_value = "3")]
    retries: u16,
    /// The most tasks at a time [default: all]
    #[arg(long, value_name = "N")]
    at_once: Option<NonZero<u64>>,
}

/// Prints the script.
///
/// # Errors
/// See [`CommandFailure`](super::failure::CommandFailure).
pub fn print(arguments: &ScriptArguments, session: &Session) -> CommandResult {
    // A file that cannot be played is better refused here than by every task.
    session.out.text(&script(arguments, &arguments.file.open(&session.registry)?.config.name))
}

/// The template of the scheduler, filled in where it has a name between tildes.
fn script(arguments: &ScriptArguments, title: &str) -> String {
    let ScriptArguments { file, to, out, shards, cpus, memory, minutes, retries, at_once } = arguments;
    let filled = |part: &str| match part {
        "NAME" => job_name(title),
        "FILE" => shell_word(&file.file),
        "OUT" => shell_word(out),
        "SHARDS" => shards.to_string(),
        "CPUS" => cpus.to_string(),
        "MEMORY" => memory.to_string(),
        "MINUTES" => minutes.to_string(),
        "SECONDS" => (minutes * 60).to_string(),
        "RETRIES" => retries.to_string(),
        "AT_ONCE" => at_once.map_or(*shards, NonZero::get).to_string(),
        "DEALS" => file.deals.map_or(String::new(), |deals| format!(" --deals {deals}")),
        text => text.to_owned(),
    };
    let slurm = include_str!("experiment_slurm.txt");
    let template = if to == "slurm" { slurm } else { include_str!("experiment_kubernetes.txt") };
    template.split('~').map(filled).collect()
}

/// A title as the name of a job: small letters, digits and hyphens, short enough for what schedulers append to it.
fn job_name(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = title.chars().take(40).map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "hyperplay".to_owned() } else { name.to_owned() }
}

/// A path as one word for the shell.
fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=%+:,".contains(c);
    let is_whole = !text.is_empty() && text.chars().all(is_plain);
    if is_whole { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_words_are_what_the_schedulers_take() {
        let longest = format!("{}-", "a".repeat(39));
        for (title, name) in
            [("Kuhn, 2 players", "kuhn--2-players"), ("*", "hyperplay"), (&longest, &longest[..39])]
        {
            assert_eq!(job_name(title), name);
        }
        for (path, word) in [("a/b.toml", "a/b.toml"), ("it's", "'it'\\''s'"), ("a b", "'a b'"), ("", "''")] {
            assert_eq!(shell_word(Path::new(path)), word);
        }
    }
}
