//! The page of a study: `report.html`, one file with tables and figures that needs nothing beside itself.
//!
//! There is no time on it. Where nothing was measured, it says why.

use serde_json::Value;

use super::columns::{ROW_COLUMNS, titled};
use super::measuring::{LeftOut, Study};
use super::page_figures::figures;
use super::views::StudyTables;
use hyperplay_report::{Page, Table, legend};

/// More rows than these are not shown; all are in the other files.
const SHOWN: usize = 600;

/// The page, from the header of the files and what was measured in each game.
pub fn page(header: &Value, configs: &[Value], studies: &[Study], tables: &[StudyTables]) -> Page {
    let games: Vec<&str> = studies.iter().map(|study| study.game.as_str()).collect();
    // The title does not change when a study grows: by it the page is known again.
    let mut page = Page::new("Belief");
    page.paragraph(&format!("Measured in {}.", games.join(", ")));
    page.paragraph(&titled("page").1);
    if studies.iter().any(|study| !study.is_complete) {
        page.paragraph("The measurement was interrupted: this is what was finished by then.");
    }
    for ((study, config), tables) in studies.iter().zip(configs).zip(tables) {
        section(&mut page, config, (study, tables), studies.len() > 1);
    }
    page.heading("What was measured");
    let options = ["version", "config_hash"].map(|key| [key.into(), text(&header[key]).into()]);
    page.table("", &Table::plain(["option: text", "value: text"], options).shown());
    page.heading("Columns of turns.jsonl and rows.csv");
    page.table("", &legend(&ROW_COLUMNS).shown());
    page
}

/// What was measured in one game.
fn section(page: &mut Page, config: &Value, (study, tables): (&Study, &StudyTables), has_others: bool) {
    let of_game = if has_others { format!(" in {}", study.game) } else { String::new() };
    page.heading(&format!("Over the decisions{of_game}"));
    if study.rows.is_empty() {
        page.paragraph(&why_empty(study));
    } else {
        page.table("", &tables.shown(&tables.summary, "summary"));
        page.note(&titled("decisions").1);
        page.heading(&format!("Figures{of_game}"));
        let (drawn, missing) = figures(study);
        drawn.into_iter().for_each(|figure| page.figure(figure));
        missing.iter().for_each(|why| page.paragraph(why));
    }
    if !study.truths.is_empty() {
        page.heading(&format!("The truth among the particles{of_game}"));
        page.table("", &tables.shown_truth(false));
        page.note(&titled("truth").1);
        page.table("At each step", &tables.shown_truth(true));
    }
    for LeftOut { index, role, why } in &study.left_out {
        page.note(&format!("match {index}, {role}: {why}"));
    }
    page.heading(&format!("Options{of_game}"));
    let options = config.as_object().into_iter().flatten().filter(|(key, _)| *key != "policies");
    let policies = config["policies"].as_object().into_iter().flatten();
    let options = options
        .map(|(key, value)| [key.as_str().into(), text(value).into()])
        .chain(policies.map(|(path, hash)| [format!("policy file {path}").into(), text(hash).into()]));
    page.table("", &Table::plain(["option: text", "value: text"], options).shown());
    if !study.rows.is_empty() {
        page.heading(&format!("Every decision{of_game}"));
        let caption = match study.rows.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(
                "The first {SHOWN} rows; {more} more {} in rows.csv.",
                if more == 1 { "is" } else { "are" }
            ),
        };
        let mut rows = tables.rows.clone();
        rows.rows.truncate(SHOWN);
        page.table(&caption, &tables.shown(&rows, "page"));
    }
}

/// A value, or the values of a list, without quotes.
fn text(value: &Value) -> String {
    match value {
        Value::Array(list) => list.iter().map(plain).collect::<Vec<String>>().join("; "),
        single => plain(single),
    }
}

/// A value without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Why there is no row.
fn why_empty(study: &Study) -> String {
    let why = if study.left_out.is_empty() {
        "the matches have no point within --steps at which a belief of these roles could be measured"
    } else {
        "the posterior could not be enumerated, as said below; a larger --max-set enumerates more"
    };
    format!("Nothing was measured: {why}.")
}
