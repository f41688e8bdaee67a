//! Tests of the scripts for schedulers of clusters: a stand-in for Slurm runs them, tasks are killed and tried again, and
//! the merged records are byte for byte those of one run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::program::{Folder, run, stderr};
use serde_json::Value;

const STUDY: &str = "schema = 'hyperplay.experiment/1'\nname = 'A study'\nseed = 3\ngames = ['kuhn_poker']\n\
                     repetitions = 300\n[[player]]\nname = 'random'\nspec = 'random'\n[[player]]\nname = 'legal'\n\
                     spec = 'legal'\n";

/// Runs the tasks at once, one after the other. It says nothing of its own, as `sbatch` with `--parsable`.
const SBATCH: &str = r#"#!/bin/sh
for word; do
    case $word in
        --array=*) array=${word#--array=} ;;
        --export=ALL,*) export "${word#--export=ALL,}" ;;
    esac
done
export SLURM_ARRAY_JOB_ID=$$
cat >"task.$$"
echo "${array-}" >>arrays
if [ -z "${array-}" ]; then sh "task.$$" >&2; echo $? >merged; exit 0; fi
array=${array%\%*}
number=${array%-*}
while [ "$number" -le "${array#*-}" ]; do
    SLURM_ARRAY_TASK_ID=$number sh "task.$$" >&2
    number=$((number + 1))
done
echo $$
"#;

/// Allows arrays of four numbers. A task that is queued again runs at once, and then ends the one that asked for it. A file
/// says when the tasks are cancelled.
const SCONTROL: &str = r#"#!/bin/sh
if [ "$2" = config ]; then echo "MaxArraySize            = 5"; exit 0; fi
if [ "$1" = show ]; then
    echo "$3 $SLURM_ARRAY_TASK_ID" | grep -qx "\(.*\)_\(.*\) \2" || exit 1
    [ -e cancelled ] && echo JobState=CANCELLED || echo JobState=RUNNING; exit 0
fi
echo "$2 $SLURM_ARRAY_TASK_ID" | grep -qx "\(.*\)_\(.*\) \2" || exit 1
SLURM_RESTART_COUNT=$((${SLURM_RESTART_COUNT:-0} + 1)) sh "task.${2%_*}" >&2
kill $PPID
"#;

/// Kills the process of a shard as often as a file says, each time after it has begun.
const KILLING: &str = r#"#!/bin/sh
case "$*" in
    *"--shard $KILLED/"*)
        echo attempt >>attempts
        [ "$(wc -l <attempts)" -gt "$TIMES" ] || kill -9 $$ ;;
esac
exec "$PROGRAM" "$@"
"#;

/// The folder of a study, with stand-ins for Slurm and for a program of which one task is killed.
fn cluster() -> Folder {
    let folder = Folder::new();
    folder.write("my study.toml", STUDY);
    fs::create_dir(folder.path("bin")).unwrap();
    for (name, text) in [("sbatch", SBATCH), ("scontrol", SCONTROL), ("hyperplay", KILLING)] {
        let path = format!("bin/{name}");
        folder.write(&path, text);
        fs::set_permissions(folder.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn script(folder: &Folder, options: &str) -> String {
    let mut command = folder.program("experiment script");
    run(command.arg("my study.toml").args(options.split(' ')), 0).0
}

/// Runs a command of the shell where the stand-ins are found first.
fn sh(folder: &Folder, text: &str, environment: &[(&str, &str)]) -> bool {
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", text]).current_dir(folder.path("")).env("PATH", path);
    command.env("PROGRAM", env!("CARGO_BIN_EXE_hyperplay")).envs(environment.iter().copied());
    command.output().unwrap().status.success()
}

fn status(folder: &Folder) -> Value {
    serde_json::from_str(&run(&mut folder.program("experiment status out --json"), 0).0).unwrap()
}

/// Compares what was merged with one run.
fn is_one_run(folder: &Folder) {
    run(folder.program("experiment run").arg("my study.toml").args(["--out", "one"]), 0);
    for kind in ["matches", "turns"] {
        let whole = folder.read(&format!("one/{kind}.1-of-1.jsonl"));
        assert!(folder.read(&format!("out/{kind}.jsonl")) == whole, "{kind}");
    }
}

#[test]
fn slurm_plays_more_shards_than_an_array_has_numbers_and_tries_killed_ones_again() {
    let folder = cluster();
    folder.write("script", &script(&folder, "--to slurm --shards 6 --retries 2 --at-once 3"));
    // Two attempts of shard 5, the first of the second array, are killed; the third succeeds.
    assert!(sh(&folder, "sh script", &[("KILLED", "5"), ("TIMES", "2")]));
    assert_eq!(folder.read("arrays"), "1-4%3\n1-2%3\n\n");
    assert_eq!((folder.read("attempts").lines().count(), folder.read("merged").trim()), (3, "0"));
    is_one_run(&folder);
}

#[test]
fn a_shard_that_is_killed_for_ever_is_named_and_the_same_script_plays_it() {
    let folder = cluster();
    folder.write("script", &script(&folder, "--to slurm --shards 4 --retries 1"));
    assert!(sh(&folder, "sh script", &[("KILLED", "3"), ("TIMES", "1000")]));
    assert_eq!((folder.read("attempts").lines().count(), folder.read("merged").trim()), (2, "3"));
    let found = status(&folder);
    let states: Vec<&str> =
        found["shards"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["finished", "finished", "waiting", "finished"]);
    assert!(!folder.path("out/matches.jsonl").exists());
    // A part of the shards alone.
    assert!(sh(&folder, "HYPERPLAY_ARRAY=3-3 sh script", &[("KILLED", "none"), ("TIMES", "0")]));
    assert!(folder.read("arrays").ends_with("3-3%4\n\n"), "{}", folder.read("arrays"));
    is_one_run(&folder);
    assert_eq!(status(&folder)["complete"], true);
    // Neither a task that was cancelled nor a wrong command is tried again.
    folder.write("attempts", "");
    folder.write("cancelled", "");
    assert!(sh(&folder, "HYPERPLAY_ARRAY=2-2 sh script", &[("KILLED", "2"), ("TIMES", "1")]));
    assert_eq!(folder.read("attempts").lines().count(), 1);
    fs::remove_file(folder.path("cancelled")).unwrap();
    folder.write("attempts", "1\n2\n");
    folder.write("my study.toml", "no experiment");
    assert!(sh(&folder, "HYPERPLAY_ARRAY=3-3 sh script", &[("KILLED", "3"), ("TIMES", "0")]));
    assert_eq!(folder.read("attempts").lines().count(), 3);
}

#[test]
fn a_task_that_gets_a_signal_passes_it_on_and_waits_for_the_program() {
    let folder = cluster();
    let script = script(&folder, "--to slurm --shards 1 --deals 100000000");
    let task = script.split("<<'TASK'\n").nth(1).unwrap().split("\nTASK\n").next().unwrap();
    folder.write("task", task);
    let variables = "HYPERPLAY_BEFORE=0 SLURM_ARRAY_TASK_ID=1 SLURM_RESTART_COUNT=3";
    let asked = format!(
        "{variables} sh task & until [ -s out/matches.1-of-1.jsonl ]; do sleep 0.1; done; kill $!; wait $!; [ $? = 130 ]"
    );
    assert!(sh(&folder, &asked, &[("KILLED", "none"), ("TIMES", "0")]));
    // The program has ended too: its file is not locked any more.
    let locked = "flock -n out/matches.1-of-1.jsonl true";
    assert!(sh(&folder, locked, &[]) || !sh(&folder, "flock --version", &[]));
}

#[test]
fn kubernetes_counts_from_0_and_its_manifest_fits_the_schema() {
    let folder = cluster();
    let manifest =
        script(&folder, "--to kubernetes --shards 3 --cpus 2 --memory 2000 --minutes 7 --retries 5");
    folder.write("manifest.yaml", &manifest);
    for line in [
        "completionMode: Indexed",
        "completions: 3",
        "parallelism: 3",
        "backoffLimitPerIndex: 5",
        "activeDeadlineSeconds: 420",
        "requests: {cpu: 2, memory: 2000Mi}",
        "name: a-study-merge",
    ] {
        assert!(manifest.lines().any(|it| it.trim() == line), "{line}\n{manifest}");
    }
    let commands: Vec<&str> =
        manifest.lines().map(str::trim).filter(|line| line.starts_with("exec hyperplay ")).collect();
    let [task, merge] = commands[..] else { panic!("{commands:?}") };
    for index in ["2", "0", "1"] {
        assert!(sh(&folder, task, &[("JOB_COMPLETION_INDEX", index), ("KILLED", "none")]), "{index}");
    }
    assert!(!sh(&folder, task, &[("JOB_COMPLETION_INDEX", "3"), ("KILLED", "none")]));
    assert!(sh(&folder, merge, &[("KILLED", "none")]));
    is_one_run(&folder);
    if Command::new("kubernetes-validate").arg("--version").output().is_err() {
        return println!("skipped: kubernetes-validate is not installed");
    }
    let validate = |text: &str| {
        folder.write("validated.yaml", text);
        sh(&folder, "kubernetes-validate --strict validated.yaml", &[])
    };
    assert!(validate(&manifest));
    assert!(!validate(&manifest.replace("completions: 3", "completions: three")));
}

#[test]
fn the_former_command_says_how_it_is_written() {
    let said = stderr("experiment slurm any.toml --shards 4", 2);
    assert!(said.contains("write `hyperplay experiment script FILE --to slurm --shards N`"), "{said}");
    // A file may have that name.
    assert!(!stderr("experiment check slurm", 1).contains("version 0.2"));
}
