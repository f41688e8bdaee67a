//! `hyperplay check`: finds errors in rulesheets, in their text and, if asked, by playing.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::failure::{CommandFailure, CommandResult, go_on};
use super::game_argument::{NO_RULES, NO_RULES_REMEDY, is_empty, source, syntaxes};
use super::options::{EngineOption, ThreadsOption, noted, pick_seed, seconds, seed};
use super::output::{Output, colour, log};
use super::progress::Progress;
use super::session::Session;
use hyperplay_engine::Engines;
use hyperplay_logic::gdl::{self, Finding, FindingCode, Language, Severity, Source, Span, Syntax};
use hyperplay_machine::{Budget, PLAYOUT_STEPS, counted};
use hyperplay_play::analysis::{Effort, Simulation, findings_on_size, simulate};
use hyperplay_play::referee::Interrupt;

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// Files with rules, `-` for standard input, names of built-in games, or `ggp:NAME`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The syntax of the rules [default: recognised from each text]
    #[arg(long, value_name = "SYNTAX", value_parser = syntaxes())]
    syntax: Option<Syntax>,
    /// Fail on warnings too, and do not play rules with a finding
    #[arg(long)]
    strict: bool,
    /// Also play N random matches, and search for playability and winnability
    #[arg(long, value_name = "N")]
    simulate: Option<usize>,
    /// Determines the random matches [default: drawn and printed]
    #[arg(long, value_name = "S", requires = "simulate", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// The longest random match that counts as ending
    #[arg(long, value_name = "STEPS", default_value_t = PLAYOUT_STEPS)]
    limit: usize,
    /// Joint moves that the search may try
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    search: usize,
    /// The most time for the matches and the search of each file [default: 30]
    #[arg(long, value_name = "SECONDS", requires = "simulate", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Option<Duration>,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// The report about one file.
struct Checked {
    source: Source,
    findings: Vec<Finding>,
    /// How far it was played: not at all if it is no game.
    simulated: Option<Played>,
}

/// How far a game was played.
struct Played {
    matches: usize,
    states: Option<(usize, bool)>,
    /// Whether the time was up before all was done.
    is_cut: bool,
}

/// The time for the simulation of a file if nothing else is said.
const SECONDS: Duration = Duration::from_secs(30);

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &CheckArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    arguments.threads.apply()?;
    let effort = arguments.simulate.map(|matches| Effort {
        matches,
        seed: pick_seed(arguments.seed),
        limit: arguments.limit,
        search: arguments.search,
    });
    // All are read before the first is checked: a name that is wrong is found at once.
    let sources = arguments.files.iter().map(|file| source(file)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Vec::new();
    for source in sources {
        let checked = check(source, arguments, effort.as_ref(), interrupt)?;
        if !arguments.json {
            write(&checked, out)?;
        }
        all.push(checked);
        if interrupt.is_raised() {
            break;
        }
    }
    if arguments.json {
        out.json(&as_json(&all, effort.as_ref(), interrupt))?;
    } else if let Some(effort) = effort {
        out.line(what_was_simulated(&all, arguments.strict, &effort, interrupt))?;
    }
    go_on(interrupt)?;
    let bad = |finding: &Finding| is_bad(finding, arguments.strict);
    let is_bad = all.iter().flat_map(|checked| &checked.findings).any(bad);
    if is_bad { Err(CommandFailure::Findings) } else { Ok(()) }
}

/// Whether the command fails because of a finding.
fn is_bad(finding: &Finding, strict: bool) -> bool {
    finding.severity >= if strict { Severity::Warning } else { Severity::Fault }
}

fn check(
    source: Source,
    arguments: &CheckArguments,
    effort: Option<&Effort>,
    interrupt: &Interrupt,
) -> CommandResult<Checked> {
    let loaded = hyperplay_games::load(source, arguments.syntax);
    if is_empty(&loaded.rulesheet, &loaded.findings) {
        log(format_args!("{}: {NO_RULES}", loaded.rulesheet.source.name()));
        log(format_args!("  {NO_RULES_REMEDY}"));
    }
    let mut findings = loaded.findings;
    findings.extend(loaded.game.iter().flat_map(findings_on_size));
    let is_refused = |finding: &Finding| {
        (arguments.strict && is_bad(finding, true))
            || finding.code == FindingCode::EvaluationLimit && is_bad(finding, false)
    };
    let playable = loaded.game.as_ref().filter(|_| !findings.iter().any(is_refused));
    let mut simulated = None;
    if let (Some(effort), Some(game)) = (effort, playable) {
        let engines = Engines::new(game);
        let reference = match game.language() {
            Language::Gdl => engines.interpreter().map(Some),
            Language::Sidl => Ok(None),
        };
        match reference {
            Ok(reference) => {
                let kind = arguments.engine.engine;
                let engine = noted(&engines, engines.for_steps(kind), kind, game.name())?;
                let progress = Progress::new(effort.matches.saturating_add(effort.search), "trials", false);
                let tick = &|| progress.tick();
                let part = interrupt.within(Budget::time(arguments.seconds.unwrap_or(SECONDS)));
                let Simulation { findings: found, matches, is_cut, states } =
                    simulate(&engine, reference.as_deref(), &loaded.rulesheet, effort, &part, tick);
                findings.extend(found);
                // A check that ended too late has ended all the same, unless something is missing.
                let is_done = matches == effort.matches && states.is_some_and(|(_, all)| all);
                let is_cut = is_cut || part.is_timed_out() && !is_done;
                simulated = Some(Played { matches, states, is_cut });
                progress.finish();
            }
            Err(error) => {
                simulated = Some(Played { matches: 0, states: None, is_cut: false });
                let (code, at) = (FindingCode::EvaluationLimit, Span::default());
                findings.push(Finding::fault(code, at, error.to_string()));
            }
        }
    }
    findings.sort_by_key(|finding| finding.span.start);
    Ok(Checked { source: loaded.rulesheet.source, findings, simulated })
}

fn write(checked: &Checked, out: &Output) -> CommandResult {
    let Checked { source, findings, .. } = checked;
    out.text(&gdl::render(findings, source, colour(false)))?;
    let count = |severity: Severity| {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        (count > 0).then(|| counted(count as u64, &severity.to_string()))
    };
    let counts: Vec<String> = [Severity::Error, Severity::Fault, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(count)
        .collect();
    let counts = if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") };
    out.line(format_args!("{}: {counts}", source.name()))
}

/// The summary of the check, in one sentence.
fn what_was_simulated(all: &[Checked], strict: bool, effort: &Effort, interrupt: &Interrupt) -> String {
    let seed = effort.seed;
    let matches = counted(effort.matches as u64, "match");
    let played: Vec<&Played> = all.iter().filter_map(|checked| checked.simulated.as_ref()).collect();
    let cut: Vec<&&Played> = played.iter().filter(|played| played.is_cut).collect();
    let whole = played.len();
    if let ([one], false) = (&cut[..], interrupt.is_raised()) {
        let states = one.states.map_or(0, |(states, _)| states);
        format!(
            "simulated in part: the time was up after {} of {matches} and {} searched, seed \
             {seed}; another run may get further, as does a larger --seconds",
            one.matches,
            counted(states as u64, "state")
        )
    } else if !cut.is_empty() && !interrupt.is_raised() {
        format!(
            "simulated in part: for {} of {whole} games the time was up before {matches} and the search were \
             done, seed {seed}; another run may get further, as does a larger --seconds",
            cut.len()
        )
    } else if interrupt.is_raised() {
        format!("simulated in part: interrupted before {matches} and the search were done, seed {seed}")
    } else if whole == all.len() {
        format!("simulated {matches} a game, seed {seed}")
    } else {
        format!(
            "simulated {matches} of {whole} of {} games, seed {seed}: the others have {}",
            all.len(),
            if strict { "findings" } else { "errors" }
        )
    }
}

fn as_json(all: &[Checked], effort: Option<&Effort>, interrupt: &Interrupt) -> Value {
    let findings: Vec<Value> = all
        .iter()
        .flat_map(|checked| checked.findings.iter().map(|finding| finding_as_json(&checked.source, finding)))
        .collect();
    let files: Vec<&str> = all.iter().map(|checked| checked.source.name()).collect();
    let mut report = json!({ "files": files, "findings": findings });
    if let Some(effort) = effort {
        let played = || all.iter().filter_map(|checked| Some((checked, checked.simulated.as_ref()?)));
        let is_cut = played().any(|(_, played)| played.is_cut);
        report["simulated"] = json!({
            "files": played().map(|(checked, _)| checked.source.name()).collect::<Vec<_>>(),
            "complete": !interrupt.is_raised() && !is_cut,
            "time_was_up": is_cut,
            "played": played().map(|(_, played)| played.matches).collect::<Vec<_>>(),
            "states": played().map(|(_, played)| played.states.map(|(states, _)| states)).collect::<Vec<_>>(),
            "matches": effort.matches,
            "seed": effort.seed,
            "limit": effort.limit,
            "search": effort.search,
        });
    }
    report
}

fn finding_as_json(source: &Source, finding: &Finding) -> Value {
    let (line, column) = source.line_column(finding.span.start);
    let (end_line, end_column) = source.line_column(finding.span.end);
    let related = finding.related.as_ref().map(|(span, label)| {
        let (line, column) = source.line_column(span.start);
        json!({ "line": line, "column": column, "label": label })
    });
    json!({
        "file": source.name(),
        "code": finding.code.as_str(),
        "severity": finding.severity.to_string(),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "message": finding.message,
        "help": finding.help,
        "related": related,
    })
}
