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

/// The page, from the header of the files and the rows.
pub fn page(header: &Value, study: &Study) -> Page {
    let config = &header["config"];
    let text = |value: &Value| match value {
        Value::Array(list) => list.iter().map(plain).collect::<Vec<String>>().join("; "),
        single => plain(single),
    };
    let mut page = Page::new(&format!("Belief: {}", text(&config["game"])));
    page.paragraph(
        "How far samplers of a belief are from the exact posterior. Each distance is compared with that of as \
         many independent draws from that posterior. docs/belief-measures.md explains every figure.",
    );
    if !study.is_complete {
        page.paragraph("The measurement was interrupted: this is what was finished by then.");
    }
    let seed = config["seed"].as_u64().unwrap_or(0);
    page.heading("Over the decisions");
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
        page.heading("Figures");
        let (drawn, missing) =
            figures(study, &text(&config["game"]), config["replicates"].as_u64().unwrap_or(0));
        drawn.into_iter().for_each(|figure| page.figure(figure));
        missing.iter().for_each(|why| page.paragraph(why));
    }
    if !study.truths.is_empty() {
        page.heading("The truth among the particles");
        page.table("", &study.shown_truth(seed, false));
        page.note(TRUTH);
        page.table("At each step", &study.shown_truth(seed, true));
    }
    for LeftOut { index, role, why } in &study.left_out {
        page.note(&format!("match {index}, {role}: {why}"));
    }
    page.heading("What was measured");
    let of_config = |key: &str| (key.to_owned(), text(&config[key]));
    let mut options: Vec<(String, String)> =
        ["rules", "engine", "samplers", "particles", "replicates", "matches", "play"]
            .into_iter()
            .chain(["roles", "steps", "max_set", "playouts", "seed"])
            .map(of_config)
            .collect();
    let policies = config["policies"].as_object().into_iter().flatten();
    options.extend(policies.map(|(path, hash)| (format!("policy file {path}"), text(hash))));
    options.extend(["version", "config_hash"].map(|key| (key.to_owned(), text(&header[key]))));
    let rows = options.iter().map(|(option, value)| [option.as_str().into(), value.as_str().into()]);
    page.table("", &Table::plain(["option: text", "value: text"], rows).shown());
    if !study.rows.is_empty() {
        page.heading("Every decision");
        let caption = match study.rows.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(
                "The first {SHOWN} rows; {more} more {} in rows.csv.",
                if more == 1 { "is" } else { "are" }
            ),
        };
        page.table(&caption, &study.shown_in_full(SHOWN).without_unknown());
    }
    page.heading("Columns of turns.jsonl and rows.csv");
    page.table("", &legend(&ROW_COLUMNS).shown());
    page
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
