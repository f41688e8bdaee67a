//! Measures what the program costs beside the library: the same iterations of a sampling solver through the command `solve`
//! and through the functions that it calls.
//!
//! Generic code is compiled in the crate that first uses it. So a command whose crate is compiled without optimisation is slow
//! even where the library is fast, and no bench of the library sees it. `cargo bench --bench program` prints the processor time of
//! both and their ratio, which is near 1 where the program is compiled as the library is; `-- ITERATIONS` sets the number of
//! iterations. `cargo test` runs a few. It asserts that both visit the same nodes and find the same policies.
//!
//! The program runs as a process of its own (this file, called with `--program`), so that its standard output does not mix with
//! the table. What it needs to start is measured with one iteration and subtracted.
#![allow(clippy::unwrap_used)]

use std::process::{Command, ExitCode};

use cpu_time::ProcessTime;
use hyperplay::engine::{EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::Seed;
use hyperplay::player::Registry;
use hyperplay::solve::{GameTree, MonteCarloMinimiser, SamplingScheme, SequenceForm, TreeLimits};

/// The argument with which this file runs the program.
const PROGRAM: &str = "--program";

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/imperfect/leduc_poker.kif");

/// Goal points of one chip in `GAME`.
const UNIT: f64 = 3.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == PROGRAM) {
        let begun = ProcessTime::now();
        let command = ["hyperplay".to_owned()].into_iter().chain(arguments[place + 1..].iter().cloned());
        let code = hyperplay_cli::run_with_arguments(&Registry::standard(), command);
        eprintln!("{}", begun.elapsed().as_secs_f64());
        return code;
    }
    let in_test = !arguments.iter().any(|argument| argument == "--bench");
    let iterations = arguments.iter().find_map(|argument| argument.parse().ok());
    let iterations = iterations.unwrap_or(if in_test { 100 } else { 300_000 });
    println!("{iterations} iterations of leduc_poker   library s   program s   ratio");
    for scheme in [SamplingScheme::External, SamplingScheme::Outcome] {
        let (seconds, nash_conv) = library(scheme, iterations);
        let (start, _) = program(scheme, 1);
        let (whole, shown) = program(scheme, iterations);
        assert!(
            (nash_conv - shown).abs() < 1e-9,
            "NashConv {nash_conv} by the library, {shown} by the program"
        );
        let through = whole - start;
        println!("{:40}{seconds:12.3}{through:12.3}{:8.2}", scheme.name(), through / seconds);
    }
    ExitCode::SUCCESS
}

/// Seconds of the iterations by the functions of the library, and the NashConv of the policies.
fn library(scheme: SamplingScheme, iterations: u64) -> (f64, f64) {
    let rules = load(Source::new(GAME, std::fs::read_to_string(GAME).unwrap()), None).game.unwrap();
    let machine = Engines::new(&rules).get(EngineKind::Auto).unwrap();
    let tree = GameTree::build(&*machine, &TreeLimits::default()).unwrap();
    let mut minimiser = MonteCarloMinimiser::new(&*machine, scheme);
    let begun = ProcessTime::now();
    minimiser.iterate(&*machine, iterations, &Seed::root(1)).unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    (seconds, SequenceForm::new(&tree, UNIT).judge(&minimiser.to_profile(&tree)).nash_conv)
}

/// Seconds of the command, and the NashConv that it reports.
fn program(scheme: SamplingScheme, iterations: u64) -> (f64, f64) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([PROGRAM, "solve", GAME, "--method", scheme.name(), "--json"])
        .args(["--unit", &UNIT.to_string(), "--seed", "1", "--threads", "1"])
        .args(["--iterations", &iterations.to_string()])
        .output()
        .unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{log}");
    let seconds = log.lines().next_back().and_then(|line| line.parse().ok());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    (seconds.expect("the program ends with its time"), report["nash_conv"].as_f64().unwrap())
}
