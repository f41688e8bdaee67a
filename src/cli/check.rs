//! `hyperplay check`: says what is wrong with rulesheets, from their text and, if asked, from play.

use clap::Args;
use serde_json::{Value, json};

use super::failure::Failure;
use super::game_argument::{SyntaxArgument, source};
use super::options::{pick_seed, use_threads};
use super::output::{Output, colour};
use super::progress::Progress;
use crate::engine::Interpreter;
use crate::gdl::{self, Code, Finding, Severity, Source, Span, Syntax};
use crate::machine::PLAYOUT_STEPS;
use crate::referee::{Effort, Interrupt, simulate};

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// Files with rules, `-` for standard input, or names of built-in games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// How the rules are written [default: found out from each text]
    #[arg(long)]
    syntax: Option<SyntaxArgument>,
    /// Play N random matches and search for playability and winnability, too
    #[arg(long, value_name = "N")]
    simulate: Option<usize>,
    /// Fixes the random matches [default: drawn and printed]
    #[arg(long, value_name = "S", requires = "simulate")]
    seed: Option<u64>,
    /// The longest random match that counts as ending
    #[arg(long, value_name = "STEPS", default_value_t = PLAYOUT_STEPS)]
    limit: usize,
    /// Joint moves that the search may try
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    search: usize,
    /// How many threads play [default: as many as there are processors]
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// What is to be said about one file.
struct Checked {
    source: Source,
    findings: Vec<Finding>,
}

/// Runs the command.
///
/// # Errors
/// See [`Failure`].
pub fn run(arguments: &CheckArguments, interrupt: &Interrupt, out: &Output) -> Result<(), Failure> {
    use_threads(arguments.threads)?;
    let effort = arguments.simulate.map(|matches| Effort {
        matches,
        seed: pick_seed(arguments.seed),
        limit: arguments.limit,
        search: arguments.search,
    });
    let mut all = Vec::new();
    for file in &arguments.files {
        let checked = check(file, arguments.syntax, effort.as_ref(), interrupt)?;
        if !arguments.json {
            write(&checked, out)?;
        }
        all.push(checked);
        if interrupt.is_raised() {
            break;
        }
    }
    if arguments.json {
        out.json(&as_json(&all, effort.as_ref()))?;
    } else if let Some(effort) = effort {
        out.line(format_args!("simulated {} matches a game, seed {}", effort.matches, effort.seed))?;
    }
    if interrupt.is_raised() {
        return Err(Failure::Interrupted);
    }
    let bad = |finding: &Finding| finding.severity >= Severity::Fault;
    if all.iter().flat_map(|checked| &checked.findings).any(bad) { Err(Failure::Findings) } else { Ok(()) }
}

fn check(
    file: &str,
    syntax: Option<SyntaxArgument>,
    effort: Option<&Effort>,
    interrupt: &Interrupt,
) -> Result<Checked, Failure> {
    let loaded = gdl::load(source(file)?, syntax.map(Syntax::from));
    let mut findings = loaded.findings;
    if let (Some(effort), Some(game)) = (effort, &loaded.game) {
        match Interpreter::new(game) {
            Ok(machine) => {
                let progress = Progress::new(effort.matches.saturating_add(effort.search), "trials", false);
                let tick = || progress.tick();
                findings.extend(simulate(&machine, &loaded.rulesheet, effort, interrupt, &tick));
                progress.finish();
            }
            Err(error) => {
                let at = Span::default();
                findings.push(Finding::new(Code::EvaluationLimit, Severity::Fault, at, error.to_string()));
            }
        }
        findings.sort_by_key(|finding| finding.span.start);
    }
    Ok(Checked { source: loaded.rulesheet.source, findings })
}

fn write(checked: &Checked, out: &Output) -> Result<(), Failure> {
    let Checked { source, findings } = checked;
    out.text(&gdl::render(findings, source, colour(false)))?;
    let count = |severity: Severity| {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        (count > 0).then(|| format!("{count} {severity}{}", if count == 1 { "" } else { "s" }))
    };
    let counts: Vec<String> = [Severity::Error, Severity::Fault, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(count)
        .collect();
    let counts = if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") };
    out.line(format_args!("{}: {counts}", source.name()))
}

fn as_json(all: &[Checked], effort: Option<&Effort>) -> Value {
    let findings: Vec<Value> = all
        .iter()
        .flat_map(|checked| checked.findings.iter().map(|finding| finding_as_json(&checked.source, finding)))
        .collect();
    let files: Vec<&str> = all.iter().map(|checked| checked.source.name()).collect();
    let mut report = json!({ "files": files, "findings": findings });
    if let Some(effort) = effort {
        report["simulated"] = json!({
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
