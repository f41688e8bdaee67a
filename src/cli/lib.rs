//! The command line: one file for each command.
//!
//! A command reads its arguments, calls a lower layer, and prints the report. Results go to standard
//! output, progress and logs to standard error (`output` is the only place that writes); exit codes and their
//! messages are in `failure`. `docs/cli.md` describes the commands, `docs/json.md` the keys of every report.
//!
//! Third-party: `clap`, `clap_complete`, `clap_mangen` (arguments, completions, manual), `signal-hook` (interrupt),
//! `indicatif` (progress), `include_dir` (built-in games), `serde_json` (reports),
//! `rayon` (the number of threads), `parking_lot` (locks), `rustix` (the terminal, the limit of open files).
//!
//! This crate needs Unix: SIGTERM, the terminal and the limit of open files have no other form here. The crates below
//! it do not.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[cfg(not(unix))]
compile_error!(
    "hyperplay-cli needs Unix (SIGTERM, the terminal, the limit of open files): build it there, on Windows in \
     WSL; or depend on hyperplay-logic, -engine, -play, -lab and -net alone, which build elsewhere too"
);

mod baseline;
mod belief;
mod belief_arguments;
mod belief_conformance;
mod belief_study;
mod bench;
mod check;
mod check_player;
mod complete;
mod convert;
mod crosscheck;
mod examples;
mod experiment;
mod experiment_check;
mod experiment_exploit;
mod experiment_file;
mod experiment_generations;
mod experiment_report;
mod experiment_results;
mod experiment_run;
mod experiment_script;
mod experiment_status;
mod exploit;
mod exploit_matches;
mod exploit_report;
mod exploit_subject;
mod failure;
mod freed_memory;
mod game_argument;
mod game_tree;
mod games;
mod groups;
mod host;
mod human;
mod inspect;
mod interaction_parts;
mod kiosk;
mod learn;
mod match_records;
mod matches;
mod network;
mod options;
mod output;
mod perft;
mod players;
mod policies;
mod progress;
mod real_time;
mod recorded_matches;
mod replay;
mod report;
mod seats;
mod serve;
mod session;
mod shell;
mod solve;
mod transcripts;
mod usage;
mod verbose;
mod verify;
mod watched_experiment;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use failure::{CommandFailure, CommandResult};
use output::{Output, log};
use session::Session;

use hyperplay_machine::{Budget, CancelFlag};
use hyperplay_net::host::with_remote;
use hyperplay_play::files::abandon_parts;
use hyperplay_play::player::Registry;
use hyperplay_play::referee::Interrupt;

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
    /// Play matches with players behind addresses: the game master
    Host(host::HostArguments),
    /// Play with game masters over the network: a player server
    Serve(serve::ServeArguments),
    /// Play in the browser, see what is believed, replay matches
    Kiosk(kiosk::KioskArguments),
    /// Check transcripts, and records of what a player knew, against the rules
    Verify(verify::VerifyArguments),
    /// Show the matches of a file of transcripts, step by step
    Replay(replay::ReplayArguments),
    /// Play the matches that one file describes, and report on them
    Experiment(experiment::ExperimentArguments),
    /// Measure samplers: distance from the exact posterior, or time
    Belief(belief_arguments::BeliefArguments),
    /// Find errors in rulesheets
    Check(check::CheckArguments),
    /// Test a player server: what a game master may ask of it
    CheckPlayer(check_player::CheckPlayerArguments),
    /// Describe a game: roles, fluents, moves, percepts, states
    Inspect(inspect::InspectArguments),
    /// Compare the fast engines with the interpreter on random matches
    Crosscheck(crosscheck::CrosscheckArguments),
    /// Measure the engines of a game side by side
    Bench(bench::BenchArguments),
    /// Write a game in another form: prefix, infix, Gambit's game tree
    Convert(convert::ConvertArguments),
    /// Find an equilibrium of a game
    Solve(solve::SolveArguments),
    /// Learn the policy of a role from matches
    Learn(learn::LearnArguments),
    /// Say what can be gained against players, and where
    Exploit(exploit::ExploitArguments),
    /// Count the sequences of joint moves, depth by depth
    Perft(perft::PerftArguments),
    /// List the built-in games, or print one
    Games(games::GamesArguments),
    /// List players, samplers, searches or opponent models with the keys of their specs
    Players(players::ListingArguments),
    /// Write completions for a shell
    Completions(shell::CompletionsArguments),
    /// Write a page of the manual
    Man(shell::ManArguments),
}

/// The arguments of the program, with examples below the help of each command.
fn program() -> clap::Command {
    let with_examples = |command: clap::Command| {
        let examples = examples::of(command.get_name());
        command.after_help(examples)
    };
    groups::in_groups(with_examples(Arguments::command().mut_subcommands(with_examples)))
}

/// The program: [`run_with`] the players, samplers, searches and opponent models of `hyperplay` itself.
pub fn run() -> ExitCode {
    run_with(&Registry::standard())
}

/// Reads the arguments of the program, runs the command and reports how it ended. The entries of a registry besides the
/// standard ones can be named wherever a command takes a spec, so a crate makes a program with its own players in one
/// line:
///
/// ```no_run
/// use hyperplay_play::player::{LegalPlayer, Registry, Seat, SpecEntry};
///
/// fn main() -> std::process::ExitCode {
///     let entry = SpecEntry::new("first", "plays its first legal move");
///     let registry = Registry::standard().with_player(entry, |_, _| Ok(|_: &_, _| Seat::player(LegalPlayer)));
///     hyperplay_cli::run_with(&registry.expect("no other player has this name"))
/// }
/// ```
pub fn run_with(registry: &Registry) -> ExitCode {
    run_with_arguments(registry, std::env::args_os())
}

/// As [`run_with`], with these arguments, of which the first is the name of the program.
pub fn run_with_arguments(
    registry: &Registry,
    arguments: impl IntoIterator<Item: Into<OsString>>,
) -> ExitCode {
    ExitCode::from(exit_code(registry, arguments))
}

/// As [`run_with_arguments`], with the number of the exit code, for a program that is not ended by it.
pub fn exit_code(registry: &Registry, arguments: impl IntoIterator<Item: Into<OsString>>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let words: Vec<String> =
        arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if words.first().is_some_and(|first| first == complete::REQUEST) {
        let words: Vec<String> = words.into_iter().skip(1).skip_while(|word| word == "--").collect();
        let mut command = program();
        command.build();
        complete::run(&words, &command, &human::with_human(&with_remote(registry).with_programs(), None));
        return 0;
    }
    if let Some((former, today)) = groups::former(&words) {
        log(format_args!("error: there is no {former}"));
        log(format_args!("  version 0.2 had it; write `{today}`"));
        return CommandFailure::usage("", "").code();
    }
    let matches = program().try_get_matches_from(arguments);
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let printed = usage::print(&error, &words).map_err(CommandFailure::from);
            return if error.use_stderr() { error.exit_code() as u8 } else { told(printed) };
        }
    };
    told(dispatch(&arguments.command, registry))
}

/// The exit code of what a command came to; a failure is told first.
fn told(ended: CommandResult) -> u8 {
    match ended {
        Ok(()) => 0,
        Err(failure) => {
            if !failure.is_silent() {
                log(format_args!("error: {failure}"));
            }
            if let Some(remedy) = failure.remedy() {
                log(format_args!("  {remedy}"));
            }
            failure.code()
        }
    }
}

fn dispatch(command: &Command, registry: &Registry) -> CommandResult {
    if matches!(command, Command::Serve(_))
        && let Err(error) = freed_memory::return_freed_memory()
    {
        log(format_args!("more memory than is needed may be kept: {error}"));
    }
    // These do not look at the interrupt: it ends them at once.
    let looks = !matches!(
        command,
        Command::Verify(_)
            | Command::Replay(_)
            | Command::Games(_)
            | Command::Players(_)
            | Command::Completions(_)
            | Command::Man(_)
    );
    let grace =
        matches!(command, Command::Experiment(_) | Command::Host(_) | Command::Serve(_) | Command::Kiosk(_))
            .then_some(GRACE);
    let interrupt = listen(looks, grace)?;
    let reports_json = match command {
        Command::Match(arguments) => arguments.json,
        Command::Host(arguments) => arguments.matches.json,
        _ => false,
    };
    let table = Arc::new(human::HumanTable::new(interrupt.clone(), reports_json));
    let plain = with_remote(registry);
    let registry = match command {
        // What comes from a page starts no program.
        Command::Kiosk(_) => plain,
        Command::Match(_) | Command::Host(_) => human::with_human(&plain.with_programs(), Some(&table)),
        _ => human::with_human(&plain.with_programs(), None),
    };
    let session = &Session { registry, table, interrupt, out: Output::new() };
    let out = &session.out;
    match command {
        Command::Match(arguments) => matches::run(arguments, session),
        Command::Host(arguments) => host::run(arguments, session),
        Command::Serve(arguments) => serve::run(arguments, session),
        Command::Kiosk(arguments) => kiosk::run(arguments, session),
        Command::Learn(arguments) => learn::run(arguments, session),
        Command::Exploit(arguments) => exploit::run(arguments, session),
        Command::Experiment(arguments) => experiment::run(arguments, session),
        Command::Replay(arguments) => replay::run(arguments, out),
        Command::Verify(arguments) => verify::run(arguments, out),
        Command::Belief(arguments) => belief::run(arguments, session),
        Command::Check(arguments) => check::run(arguments, session),
        Command::CheckPlayer(arguments) => check_player::run(arguments, session),
        Command::Inspect(arguments) => inspect::run(arguments, session),
        Command::Crosscheck(arguments) => crosscheck::run(arguments, session),
        Command::Bench(arguments) => bench::run(arguments, session),
        Command::Convert(arguments) => convert::run(arguments, session),
        Command::Solve(arguments) => solve::run(arguments, session),
        Command::Perft(arguments) => perft::run(arguments, session),
        Command::Games(arguments) => games::run(arguments, out),
        Command::Players(arguments) => players::run(arguments, session),
        Command::Completions(arguments) => shell::completions(arguments, program(), out),
        Command::Man(arguments) => shell::man(arguments, program(), out),
    }
}

/// How long an experiment, a game master or a player server has to end the matches at hand: a scheduler kills a program
/// that has not ended soon after its signal.
const GRACE: Duration = Duration::from_secs(4);

/// How long any other command has after SIGTERM to write what it has.
const TERM_GRACE: Duration = Duration::from_secs(8);

/// Makes Ctrl-C and SIGTERM raise the interrupt, which also cancels the decisions of matches. The second one, or the first
/// if the command does not look, ends the program, and so does the end of the grace. Half-written files are removed
/// then. SIGHUP keeps its meaning, so `nohup` works.
fn listen(looks: bool, grace: Option<Duration>) -> CommandResult<Interrupt> {
    let cancel = CancelFlag::leak();
    let interrupt = Interrupt::default().within(Budget::UNLIMITED.cancelled_by(cancel));
    let raised = interrupt.clone();
    let end = || abandon_parts(|| std::process::exit(i32::from(CommandFailure::Interrupted.code())));
    let handler = move |grace: Option<Duration>| {
        cancel.set(true);
        if raised.raise() || !looks {
            end();
        }
        log(format_args!("ending what is at hand; Ctrl-C again ends at once"));
        if let Some(grace) = grace {
            std::thread::spawn(move || {
                std::thread::sleep(grace);
                end();
            });
        }
    };
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| {
        let what = format!("Ctrl-C and SIGTERM cannot be caught: {error}");
        CommandFailure::failed(what, "run in another shell")
    })?;
    std::thread::spawn(move || {
        let grace_of = |signal| if signal == SIGTERM { grace.or(Some(TERM_GRACE)) } else { grace };
        signals.forever().for_each(|signal| handler(grace_of(signal)));
    });
    Ok(interrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_fit_together() {
        program().debug_assert();
    }

    #[test]
    fn every_example_is_read() {
        let mut command = program();
        let mut helps = vec![command.render_long_help().to_string()];
        helps.extend(command.get_subcommands_mut().map(|command| command.render_long_help().to_string()));
        assert!(helps.iter().filter(|help| help.contains("Examples:")).count() >= helps.len() - 1);
        for line in helps.iter().flat_map(|help| help.lines()) {
            let Some(example) = line.strip_prefix("  hyperplay ") else { continue };
            let words = example.split_whitespace().take_while(|word| !["|", ">"].contains(word));
            let read = Arguments::try_parse_from(std::iter::once("hyperplay").chain(words));
            assert!(read.is_ok(), "{example}: {}", read.unwrap_err());
        }
    }
}
