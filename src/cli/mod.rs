//! Layer 9, the command line: one file a subcommand.
//!
//! Nothing is decided here: arguments come in, a lower layer does the work, a report goes out. Results go to standard
//! output, progress and logs to standard error (`output` is the only place that writes); exit codes and their
//! messages are in `failure`. `docs/cli.md` describes the commands, `docs/json.md` the keys of every report.
//!
//! Third-party: `clap`, `clap_complete`, `clap_mangen` (arguments, completions, manual), `ctrlc` (interrupt),
//! `indicatif` (progress), `include_dir` (built-in games), `serde_json` (reports), `rayon` (the number of threads).

mod builtin;
mod failure;
mod game_argument;
mod matches;
mod options;
mod output;
mod progress;
mod report;
mod seats;
mod verbose;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
use output::{Output, log};

use crate::referee::Interrupt;

/// General game playing with imperfect information: GDL-II rules in, moves out
#[derive(Parser, Debug)]
#[command(name = "hyperplay", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Play matches and report the mean goal of each role
    Match(matches::MatchArguments),
}

/// Reads the arguments of the program, runs the command and reports how it ended.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too; if they cannot be printed, no one is reading.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    match dispatch(&arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_silent() {
                log(format_args!("error: {failure}"));
            }
            if let Some(remedy) = failure.remedy() {
                log(format_args!("  {remedy}"));
            }
            ExitCode::from(failure.code())
        }
    }
}

fn dispatch(command: &Command) -> Result<(), Failure> {
    let out = Output::new();
    match command {
        Command::Match(arguments) => matches::run(arguments, &listen(true)?, &out),
    }
}

/// Makes Ctrl-C raise the interrupt; the second one, or the first if the command does not look, ends the program.
fn listen(looks: bool) -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    let handler = move || {
        if raised.raise() || !looks {
            std::process::exit(i32::from(Failure::Interrupted.code()));
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::failed(format!("Ctrl-C cannot be caught: {error}"), "run in another shell"))?;
    Ok(interrupt)
}
