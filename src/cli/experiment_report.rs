//! `hyperplay experiment report`: scores, differences, Elo, verdicts and NashConv, as Markdown, CSV and HTML, and each
//! figure as SVG and PDF.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Map, Value, json};

use super::baseline::BaselineOption;
use super::experiment_results::{in_words, log_damage, machines};
use super::failure::{CommandFailure, CommandResult};
use super::options::positive;
use super::output::log;
use super::progress::Progress;
use super::session::Session;
use hyperplay_engine::Engine;
use hyperplay_experiment::{
    BeliefMeasurement, DecisionLog, ExperimentSummary, ExploitRecord, MeasuredBeliefs, PlanGame, Planned,
    PlannedFolder, Pool, Results, RoleScores, ScoreAdjustment, Selection, SequentialTest, SequentialVerdict,
    belief_tables, document, exploit_tables, exploited, joined, tables,
};
use hyperplay_lab::LabError;
use hyperplay_play::files::{FileContent, FileError, WrittenFile, write_all};

/// Arguments of `experiment report`.
#[derive(Args, Clone, Debug)]
pub struct ReportArguments {
    /// The folder that `experiment run` was given; of several the matches are put together
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Only matches of these players with each other: labels as in the report, or names that stand for all parameters
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    players: Vec<String>,
    /// Leave the matches of these players out
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    without: Vec<String>,
    /// Only these games
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    games: Vec<String>,
    /// Only the first N deals of a cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    deals: Option<u64>,
    /// The folder for report.md, report.html, one CSV file a table, and figures/ with each figure as SVG and PDF
    /// [default: the same; none for a part of the matches, or those of several folders]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Goal points for a payoff of 1, in the tables of what can be gained
    #[arg(long, value_name = "G", default_value_t = 1.0, value_parser = positive, allow_negative_numbers = true)]
    unit: f64,
    /// The entrant whose rating is 0 [default: the first]
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// Measure the beliefs of the entrants at the decisions of the first N deals of each cell, and whether who believes better
    /// scores more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    beliefs: Option<u64>,
    #[command(flatten)]
    baseline: BaselineOption,
    /// Say at the end whether the first of two players is better than the second by H1 goal points or more, and not only by
    /// H0, by a sequential test over all deals of one game (error rates ALPHA and BETA, .05): exit code 0 if so, 4 if
    /// not, 5 while it is open [default: the sprt of the experiment]
    #[arg(long, value_name = "H0,H1[,ALPHA,BETA]", num_args = 0..=1, require_equals = true, value_parser = gate, allow_hyphen_values = true)]
    gate: Option<Option<SequentialTest>>,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Reads the hypotheses and error rates of a gate.
fn gate(text: &str) -> Result<SequentialTest, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let (h0, h1, alpha, beta) = match numbers.as_deref() {
        Ok(&[h0, h1]) => (h0, h1, 0.05, 0.05),
        Ok(&[h0, h1, alpha, beta]) => (h0, h1, alpha, beta),
        _ => return Err("expected two or four numbers, as in 0,5 or 0,5,0.05,0.05".to_owned()),
    };
    SequentialTest { h0, h1, alpha, beta }
        .checked()
        .ok_or_else(|| "expected H0 < H1 in goal points, and ALPHA and BETA between 0 and 0.5".to_owned())
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &ReportArguments, session: &Session) -> CommandResult {
    let out = &session.out;
    let read = |folder: &PathBuf| Ok((folder.clone(), Planned::read(folder)?));
    let folders = arguments.folders.iter().map(read).collect::<CommandResult<Vec<PlannedFolder>>>()?;
    let ReportArguments { players, without, games, deals, anchor, .. } = arguments.clone();
    let selection = Selection { players, without, games, deals, anchor };
    let unknown = selection.unknown(&folders).map(|what| CommandFailure::usage(what, "give one of these"));
    unknown.map_or(Ok(()), Err)?;
    let remedy = "`hyperplay experiment run FILE --out DIR --reuse OTHER` makes one folder of several";
    let planned = joined(&folders, &selection).map_err(|what| CommandFailure::usage(what, remedy))?;
    let only = folders.first().filter(|(_, own)| folders.len() == 1 && own.config == planned.config);
    let (mut summary, exploited) = summed(&planned, &folders, only)?;
    adjust(&arguments.baseline, &mut summary.roles, (&planned, only), session)?;
    summary.missing.iter().for_each(|missing| log(format_args!("incomplete: {missing}")));
    log_damage(&summary.damage, &[]);
    let gate = arguments.gate.map(|given| gated(given, &planned, &summary)).transpose()?;
    let (answers, mut tables) = tables(&planned, &summary, selection.anchor.as_deref());
    tables.extend(exploit_tables(&planned, &exploited, arguments.unit));
    let beliefs =
        arguments.beliefs.map_or(Ok(Vec::new()), |deals| believed(deals, (&planned, only), session))?;
    tables.extend(belief_tables(&beliefs));
    let to = arguments.out.as_ref().or(only.map(|(folder, _)| folder));
    let page = document(&planned, &summary, (&answers, &tables, &beliefs));
    let mark = format!("seed {}, plan {}", planned.plan.seed, planned.config);
    let mut files = vec![("report.html".to_owned(), page.finish().into_bytes())];
    files.extend(tables.iter().map(|table| (format!("{}.csv", table.name), table.as_csv().into_bytes())));
    files.extend(page.files());
    let write = || -> Result<(), FileError> {
        let Some(to) = to else { return Ok(()) };
        FileError::at(to, std::fs::create_dir_all(to))?;
        let report = FileContent::holding("report of this plan", mark);
        let report = WrittenFile::at(&to.join("report.md"), report)?;
        write_all(to, &files)?;
        report.write(|out| out.write_all(page.as_markdown().as_bytes()))
    };
    match write() {
        // The report is printed; its files were asked for only where a folder for them is named.
        Err(error) if arguments.out.is_none() && error.is_forbidden() => {
            log(format_args!(
                "the files of the report are not written: {error}; --out DIR names another folder"
            ));
        }
        other => other?,
    }
    if arguments.json {
        let mut document = json!({
            "name": planned.name,
            "config": planned.config,
            "seed": planned.plan.seed,
            "reproduces": planned.plan.clocks.is_none(),
            "thinks_ahead": planned.plan.think_ahead,
            "matches": summary.matches,
            "failed": summary.failed,
            "of": planned.plan.matches(),
            "complete": summary.missing.is_empty(),
            "damaged": in_words(&summary.damage),
            "answers": answers,
        });
        if !exploited.is_empty() {
            document["unit"] = json!(arguments.unit);
        }
        let all: Map<String, Value> =
            tables.iter().map(|table| (table.name.to_owned(), table.as_json())).collect();
        all.into_iter().for_each(|(name, rows)| document[name] = rows);
        if let Some((ratio, verdict)) = gate {
            document["gate"] = json!({ "ratio": ratio, "verdict": verdict.as_str() });
        }
        out.json(&document)?;
    } else {
        // What is not written is not linked to.
        let is_kept = |line: &&str| to.is_some() || !line.starts_with("![");
        out.text(&page.as_markdown().split_inclusive('\n').filter(is_kept).collect::<String>())?;
        if let Some((ratio, verdict)) = gate {
            out.line(format_args!("\nGate: {} (log-likelihood ratio {ratio:.2})", verdict.as_str()))?;
        }
    }
    match gate {
        None | Some((_, SequentialVerdict::Accepted)) => Ok(()),
        Some((_, SequentialVerdict::Rejected)) => Err(CommandFailure::Gate(4)),
        Some((_, SequentialVerdict::Open)) => Err(CommandFailure::Gate(5)),
    }
}

/// The logarithm of the likelihood ratio of a gate, and its verdict.
fn gated(
    given: Option<SequentialTest>,
    planned: &Planned,
    summary: &ExperimentSummary,
) -> CommandResult<(f64, SequentialVerdict)> {
    let Some(test) = given.or(planned.plan.test()) else {
        let what = "--gate: the experiment has no sprt";
        return Err(CommandFailure::usage(what, "say what is tested, as in --gate=0,5"));
    };
    match (&summary.cells[..], &planned.plan.cells[..]) {
        ([cell], [plan]) if plan.has_rivals() => {
            let (_, difference) = &cell.differences[0];
            Ok((test.log_likelihood_ratio(difference), test.verdict(difference)))
        }
        _ => {
            let what = "--gate: a gate is between two players in one game";
            Err(CommandFailure::usage(what, "choose them with --players and --games"))
        }
    }
}

/// The beliefs of the entrants of a folder at the decisions of the first deals.
fn believed(
    deals: u64,
    (planned, only): (&Planned, Option<&PlannedFolder>),
    Session { registry, interrupt, .. }: &Session,
) -> CommandResult<Vec<MeasuredBeliefs>> {
    let folder = walkable("--beliefs", only)?;
    let machines = &machines(&planned.plan)?;
    let matches = planned.plan.matches() / planned.plan.repetitions * deals.min(planned.plan.repetitions);
    let progress = Progress::new(matches as usize, "matches measured", false);
    let (stop, tick) = (&|| interrupt.is_raised(), &|| progress.tick());
    let measurement = BeliefMeasurement { planned, machines, registry, deals, stop, tick };
    let games = measurement.measure(Results::open(folder, planned)?)?;
    progress.finish();
    Ok(MeasuredBeliefs::all(planned, &games.ok_or(CommandFailure::Interrupted)?, deals))
}

/// Adds adjusted goals to the scores by role, if they are asked for.
fn adjust(
    asked: &BaselineOption,
    scores: &mut RoleScores,
    (planned, only): (&Planned, Option<&PlannedFolder>),
    session: &Session,
) -> CommandResult {
    if asked.baseline.is_none() {
        return Ok(());
    }
    let (folder, machines) = (walkable("--baseline", only)?, &machines(&planned.plan)?);
    let of_game = |(game, machine): (&PlanGame, &Arc<Engine>)| asked.open(&game.name, machine, session);
    let opened = planned.plan.games.iter().zip(machines).map(of_game).collect::<CommandResult<Vec<_>>>()?;
    let baselines: Vec<_> = opened.into_iter().flatten().collect();
    let progress = Progress::new(planned.plan.matches() as usize, "matches adjusted", false);
    let tick = &|| {
        progress.tick();
        session.interrupt.is_raised()
    };
    let adjustment =
        ScoreAdjustment { planned, machines, baselines: &baselines, registry: &session.registry, tick };
    let is_complete = adjustment.add_to(scores, Results::open(folder, planned)?)?;
    progress.finish();
    if is_complete { Ok(()) } else { Err(CommandFailure::Interrupted) }
}

/// The only folder, for an option that walks its matches.
fn walkable<'a>(option: &str, only: Option<&'a PlannedFolder>) -> CommandResult<&'a PathBuf> {
    only.map(|(folder, _)| folder).ok_or_else(|| {
        let what = format!("{option}: the matches of several folders, or a part of them, are not walked");
        CommandFailure::usage(what, "name one folder, without a selection")
    })
}

/// The sums over the matches of these folders, or of the only one, and their records of what can be gained.
fn summed(
    planned: &Planned,
    folders: &[PlannedFolder],
    only: Option<&PlannedFolder>,
) -> CommandResult<(ExperimentSummary, Vec<ExploitRecord>)> {
    let (exploited, damaged) = exploited(planned, folders)?;
    let mut summary = if let Some((folder, _)) = only {
        let results = match Results::open(folder, planned) {
            Err(LabError::NoMatches(_)) if !exploited.is_empty() => Results::none(planned),
            results => results?,
        };
        ExperimentSummary::of(planned, results)?
    } else {
        ExperimentSummary::of_pool(planned, Pool::open(&planned.plan, folders, DecisionLog::Matches)?)?
    };
    summary.damage.extend(damaged);
    Ok((summary, exploited))
}
