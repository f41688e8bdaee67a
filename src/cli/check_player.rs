//! `hyperplay check-player`: a compliance test of a player server.
//!
//! The table grows while the checks run. The failed checks follow with their reasons and the bytes. The checks
//! themselves are in `hyperplay_net::compliance`.

use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::options::seconds;
use super::output::{Output, log, printable};
use super::session::Session;
use hyperplay_machine::counted;
use hyperplay_net::compliance::{
    CheckClocks, CheckExchange, CheckReport, CheckVerdict, checks, run_checks, shown_bytes,
};
use hyperplay_net::http::client::{Address, ExchangeError, ReplyLimits, exchange};
use hyperplay_play::referee::Stopwatch;

/// How long an answer is awaited after its clock, as game masters do.
const GRACE: Duration = Duration::from_secs(1);

/// How many exchanges are shown of a check that failed: the last ones, as they led to the failure.
const SHOWN: usize = 4;

/// Arguments of `check-player`.
#[derive(Args, Debug)]
pub struct CheckPlayerArguments {
    /// The address of the player: http://HOST:PORT, by default port 9147
    #[arg(value_name = "URL")]
    address: String,
    /// The time from START to the first move, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds, allow_negative_numbers = true)]
    startclock: Duration,
    /// The time for each move, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds, allow_negative_numbers = true)]
    playclock: Duration,
    /// Run this check only; may be given several times [default: all]
    #[arg(long, value_name = "CHECK", value_parser = names())]
    only: Vec<String>,
    /// How many bytes of a message and of an answer to show
    #[arg(long, value_name = "N", default_value_t = 240)]
    bytes: usize,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(checks())
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`]; a check that fails is a finding.
pub fn run(arguments: &CheckPlayerArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let address = Address::parse(&arguments.address)
        .map_err(|error| CommandFailure::usage(error.to_string(), "write it as in http://127.0.0.1:9147"))?;
    let what = "--startclock and --playclock: in no time nothing can be answered";
    refuse_if(arguments.playclock.is_zero() || arguments.startclock.is_zero(), what, "give 0.1 or more")?;
    let CheckPlayerArguments { startclock, playclock, .. } = *arguments;
    let clocks = CheckClocks { startclock, playclock, grace: GRACE };
    find(&address)?;
    let watch = Stopwatch::start();
    let mut written = Ok(());
    if !arguments.json {
        let clocks =
            format!("start clock {} s, play clock {} s", startclock.as_secs_f64(), playclock.as_secs_f64());
        out.line(format_args!("{address}: {clocks}\n"))?;
    }
    let wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    let see = |report: &CheckReport| {
        if arguments.json {
            log(format_args!("{}: {}", report.name, report.verdict));
        } else if written.is_ok() {
            written = out.line(row(report));
        }
    };
    let reports = run_checks(&address, clocks, &wanted, || !interrupt.is_raised(), see);
    written?;
    let count = |verdict| reports.iter().filter(|report| report.verdict == verdict).count();
    let failed = count(CheckVerdict::Fail);
    if arguments.json {
        out.json(&json!({
            "address": address.to_string(),
            "startclock": startclock.as_secs_f64(),
            "playclock": playclock.as_secs_f64(),
            "passed": count(CheckVerdict::Pass),
            "failed": failed,
            "skipped": count(CheckVerdict::Skipped),
            "checks": reports,
            "seconds": watch.elapsed().as_secs_f64(),
        }))?;
    } else {
        for report in reports.iter().filter(|report| report.verdict == CheckVerdict::Fail) {
            write_failure(report, arguments.bytes, out)?;
        }
        out.line(format_args!(
            "\n{} passed, {failed} failed, {} skipped in {:.1} s",
            counted(count(CheckVerdict::Pass) as u64, "check"),
            count(CheckVerdict::Skipped),
            watch.elapsed().as_secs_f64()
        ))?;
    }
    match failed {
        _ if interrupt.is_raised() => Err(CommandFailure::Interrupted),
        0 => Ok(()),
        _ => Err(CommandFailure::Findings),
    }
}

/// Fails if nothing listens at the address: then there is nothing to check.
fn find(address: &Address) -> CommandResult {
    let deadline = Instant::now() + GRACE + GRACE;
    match exchange(address, "(INFO)", "Gamecontroller", deadline, ReplyLimits::default()) {
        Err(error @ (ExchangeError::UnknownHost(..) | ExchangeError::Unreachable(..))) => {
            let remedy = "start the player, as with `hyperplay serve`, or give the address that it prints";
            Err(CommandFailure::failed(error.to_string(), remedy))
        }
        _ => Ok(()),
    }
}

/// One line of the table.
fn row(report: &CheckReport) -> String {
    let seconds = report.elapsed.as_secs_f64();
    let mut row = format!("{:<16} {:<8} {seconds:>5.1} s  {}", report.name, report.verdict, report.about);
    if let (CheckVerdict::Pass | CheckVerdict::Skipped, Some(reason)) = (report.verdict, &report.reason) {
        row.push_str(&format!(" ({})", printable(reason)));
    }
    row
}

/// Why a check failed, with what was said last.
fn write_failure(report: &CheckReport, most: usize, out: &Output) -> CommandResult {
    let reason = report.reason.as_deref().unwrap_or("no reason is known");
    out.line(format_args!("\n{} failed: {}", report.name, printable(reason)))?;
    let left_out = report.exchanges.len().saturating_sub(SHOWN);
    if left_out > 0 {
        out.line(format_args!("  {} before these", counted(left_out as u64, "message")))?;
    }
    for CheckExchange { sent, received, error, elapsed } in &report.exchanges[left_out..] {
        out.line(format_args!("  sent     {}", shown_bytes(sent.as_bytes(), most)))?;
        let said = match (received.is_empty(), error) {
            (true, Some(error)) => format!("nothing: {}", printable(error)),
            _ => shown_bytes(received, most),
        };
        out.line(format_args!("  received {said} ({:.3} s)", elapsed.as_secs_f64()))?;
    }
    Ok(())
}
