//! `hyperplay experiment report`: scores, differences, Elo, verdicts and NashConv, as Markdown, CSV and HTML, and each
//! figure as SVG and PDF.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::experiment_results::{in_words, log_damage};
use super::failure::CommandResult;
use super::options::positive;
use super::output::{Output, log};
use hyperplay_lab::experiment::{
    ExperimentSummary, FolderError, Planned, Results, ResultsError, document, exploit_records,
    exploit_tables, markdown, page, tables,
};
use hyperplay_play::files::{FileContent, FileError, WrittenFile, write_all};

/// Arguments of `experiment report`.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// The folder that `experiment run` was given
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder for report.md, report.html, one CSV file a table, and figures/ with each figure as SVG and PDF
    /// [default: the same]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Goal points for a payoff of 1, in the tables of what can be gained
    #[arg(long, value_name = "G", default_value_t = 1.0, value_parser = positive, allow_negative_numbers = true)]
    unit: f64,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`](super::failure::CommandFailure).
pub fn run(arguments: &ReportArguments, out: &Output) -> CommandResult {
    let planned = Planned::read(&arguments.folder)?;
    let (exploited, damaged) = exploit_records(&arguments.folder, &planned)?;
    let results = match Results::open(&arguments.folder, &planned) {
        Err(ResultsError::Folder(FolderError::Empty { .. })) if !exploited.is_empty() => {
            Results::none(&planned)
        }
        results => results?,
    };
    let mut summary = ExperimentSummary::of(&planned, results)?;
    summary.damage.extend(damaged);
    summary.missing.iter().for_each(|missing| log(format_args!("incomplete: {missing}")));
    log_damage(&summary.damage, &[]);
    let mut tables = tables(&planned, &summary);
    tables.extend(exploit_tables(&planned, &exploited, arguments.unit));
    let to = arguments.out.as_ref().unwrap_or(&arguments.folder);
    let blocks = document(&planned, &summary, &tables);
    let text = markdown(&planned, &blocks);
    let page = page(&planned, &blocks);
    let mark = format!("seed {}, plan {}", planned.plan.seed, planned.config);
    let mut files = vec![("report.html".to_owned(), page.finish().into_bytes())];
    files.extend(tables.iter().map(|table| (format!("{}.csv", table.name), table.as_csv().into_bytes())));
    files.extend(page.files());
    let write = || -> Result<(), FileError> {
        FileError::at(to, std::fs::create_dir_all(to))?;
        let report = FileContent::holding("report of this plan", mark);
        let report = WrittenFile::at(&to.join("report.md"), report)?;
        write_all(to, &files)?;
        report.write(|out| out.write_all(text.as_bytes()))
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
        });
        if !exploited.is_empty() {
            document["unit"] = json!(arguments.unit);
        }
        let all: Map<String, Value> =
            tables.iter().map(|table| (table.name.to_owned(), table.as_json())).collect();
        all.into_iter().for_each(|(name, rows)| document[name] = rows);
        return out.json(&document);
    }
    out.text(&text)
}
