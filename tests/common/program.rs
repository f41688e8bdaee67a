//! Calls of the program under test, and folders for its output.

use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program with these words as arguments, in the folder of the project and without anything to read.
pub fn program(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperplay"));
    command.args(arguments.split_whitespace());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command
}

/// The standard output and standard error of a call, which must have ended with this exit code.
pub fn ended(what: &dyn Debug, output: Output, code: i32) -> (String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (printed, said) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{what:?}: {printed}{said}");
    (printed, said)
}

/// Runs a command that must end with this exit code; returns its standard output and standard error.
pub fn run(command: &mut Command, code: i32) -> (String, String) {
    let output = command.output().unwrap();
    ended(command, output, code)
}

/// Standard output of a run that must end with this exit code.
pub fn stdout(arguments: &str, code: i32) -> String {
    run(&mut program(arguments), code).0
}

/// Standard error of a run that must end with this exit code and print nothing.
pub fn stderr(arguments: &str, code: i32) -> String {
    let (printed, said) = run(&mut program(arguments), code);
    assert_eq!(printed, "", "{arguments}");
    said
}

/// The report of a run with `--json` that must end with this exit code.
pub fn json(arguments: &str, code: i32) -> Value {
    serde_json::from_str(&stdout(&format!("{arguments} --json"), code)).unwrap()
}

/// Starts a command whose outputs the caller reads.
pub fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends a signal.
pub fn signal(child: &Child, name: &str) {
    let arguments = [format!("-{name}"), child.id().to_string()];
    assert!(Command::new("kill").args(arguments).status().unwrap().success());
}

/// Waits until a program catches SIGINT (the kernel says so), so that a signal does not end it before it has begun.
pub fn until_it_catches_ctrl_c(child: &Child) {
    const SIGINT: u64 = 1 << 1;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        assert!(!status.contains("State:\tZ"), "it has ended");
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
        if u64::from_str_radix(mask.trim(), 16).unwrap() & SIGINT != 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Plays an experiment to its end; returns its outputs. On a busy machine a move may be late, and the run says so.
pub fn played(folder: &Folder, command: &str) -> (String, String) {
    let output = folder.program(command).output().unwrap();
    let is_late = String::from_utf8_lossy(&output.stderr).contains("(late ");
    ended(&command, output, i32::from(is_late))
}

/// Records as earlier versions wrote them, without checksums.
pub fn without_sums(text: &str) -> String {
    let open =
        |line: &str| line.split_once(",\"sum\":\"").map_or(String::new(), |(open, _)| format!("{open}}}\n"));
    text.lines().map(open).collect()
}

/// An empty folder, removed when this is dropped.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program, started in this folder.
    pub fn program(&self, arguments: &str) -> Command {
        let mut command = program(arguments);
        command.current_dir(self.0.path());
        command
    }
}
