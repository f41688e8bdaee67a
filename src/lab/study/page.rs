//! The page of a study: `report.html`, one file with tables and figures that needs nothing beside itself.
//!
//! There is no time on it. Where nothing was measured, it says why.

use serde_json::Value;

use super::columns::ROW_COLUMNS;
use super::page_figures::figures;
use super::plan::{LeftOut, Study};
use hyperplay_report::{Page, Table, legend};

/// How the table of the truth is read.
const TRUTH: &str = "Every step of every match is in it, whatever its information set. Where the others choose by the model of the \
    sampler, rank p and z p are below 0.05 in one study of twenty if its particles are draws from the posterior. Losses are over the \
    points with an exact posterior; intervals are over matches.";

/// More rows than these are not shown; all are in the other files.
const SHOWN: usize = 600;

/// The page, from the header of the files and what was measured in each game.
pub fn page(header: &Value, studies: &[Study]) -> Page {
    let config = &header["config"];
    let games: Vec<&str> = studies.iter().map(|study| study.game.as_str()).collect();
    // The title does not change when a study grows: by it the page is known again.
    let mut page = Page::new("Belief");
    page.paragraph(&format!("Measured in {}.", games.join(", ")));
    page.paragraph(
        "How far samplers of a belief are from the exact posterior. Each distance is compared with that of as \
         many independent draws from that posterior. docs/belief-measures.md explains every figure.",
    );
    if studies.iter().any(|study| !study.is_complete) {
        page.paragraph("The measurement was interrupted: this is what was finished by then.");
    }
    let single = [config.clone()];
    let configs = config["games"].as_array().map_or(&single[..], Vec::as_slice);
    for (study, config) in studies.iter().zip(configs) {
        section(&mut page, config, study, studies.len() > 1);
    }
    page.heading("What was measured");
    let options = ["version", "config_hash"].map(|key| [key.into(), text(&header[key]).into()]);
    page.table("", &Table::plain(["option: text", "value: text"], options).shown());
    page.heading("Columns of turns.jsonl and rows.csv");
    page.table("", &legend(&ROW_COLUMNS).shown());
    page
}

/// What was measured in one game.
fn section(page: &mut Page, config: &Value, study: &Study, has_others: bool) {
    let of_game = if has_others { format!(" in {}", study.game) } else { String::new() };
    let seed = config["seed"].as_u64().unwrap_or(0);
    page.heading(&format!("Over the decisions{of_game}"));
    if study.rows.is_empty() {
        page.paragraph(&why_empty(study));
    } else {
        page.table("", &study.shown_summaries(seed, "summary").without_unknown());
        page.note(
            "A decision is a point where the role has more than one legal move and more than one history is possible. A ratio \
             is the sum of a distance over the decisions, divided by that of as many independent draws from the posterior, \
             measured at the same decisions; intervals are 95 %, by the bootstrap over matches. Worth draws is the \
             number of independent draws that have the same distance. U: against the posterior under \
             uniform opponents; P: under the policies really played; M: under the sampler's own model. ? is what is not known, \
             such as a ratio where the information set was enumerated at every decision.",
        );
        page.heading(&format!("Figures{of_game}"));
        let (drawn, missing) = figures(study, config["replicates"].as_u64().unwrap_or(0));
        drawn.into_iter().for_each(|figure| page.figure(figure));
        missing.iter().for_each(|why| page.paragraph(why));
    }
    if !study.truths.is_empty() {
        page.heading(&format!("The truth among the particles{of_game}"));
        page.table("", &study.shown_truth(seed, false));
        page.note(TRUTH);
        page.table("At each step", &study.shown_truth(seed, true));
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
        page.table(&caption, &study.shown_in_full(SHOWN).without_unknown());
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
