//! Document: a summary for readers, as a page with figures that is also written as Markdown.
//!
//! A game is a section: which setting is best and
//! the ratings, the cross table of its scores, the scores
//! with their intervals, the scores over the parameters of the entrants, differences, what can be gained, and last the
//! cost. Missing parts are named in words, and of long tables the rest. The caption of every figure says how many deals or decisions its points
//! have; all intervals are 95 % over deals, Student's t for means, that of Clopper and Pearson for shares.

use indexmap::IndexMap;

use super::belief_tables::MeasuredBeliefs;
use super::best::{ALL_GAMES, Answer};
use super::cost_figures::{by_step, depletions, score_by_time};
use super::cross_table::cross_table;
use super::folder::Planned;
use super::pairings::{Pairing, pairings_in};
use super::score_figures::{Family, by_factors, forest, in_words, over_others};
use super::score_tables::{by_role, scores};
use super::summary::ExperimentSummary;
use super::tables::{cost, disturbed, faults, unreliable};
use hyperplay_machine::counted;
use hyperplay_report::{Figure, Page, Table};

/// The most rows of a table, and the most figures of one kind in a section: more is not read, and makes a page slow.
const ROWS: usize = 250;
const FIGURES: usize = 8;

/// The report, from the tables over all games.
pub fn document(
    planned: &Planned,
    summary: &ExperimentSummary,
    (answers, tables, beliefs): (&[Answer], &[Table], &[MeasuredBeliefs]),
) -> Page {
    let mut page = Page::new(if planned.name.is_empty() { "Experiment" } else { &planned.name });
    preamble(planned, summary).iter().for_each(|sentences| page.paragraph(sentences));
    if summary.matches == 0 {
        let remedy = "`hyperplay experiment run FILE --out DIR` plays the matches; this report can be made at any time.";
        let nothing = if tables.is_empty() { ", so there is nothing to report" } else { "" };
        page.paragraph(&format!("No match is finished{nothing}. {remedy}"));
    }
    let only = |names: &[&str], game: &str| -> Vec<Table> {
        let named = names.iter().filter_map(|name| tables.iter().find(|table| table.name == *name));
        named.map(|table| table.only("game", game)).filter(|table| !table.rows.is_empty()).collect()
    };
    // Where there is an answer, the first table is the one that it rests on.
    let answered = |page: &mut Page, game: &str| {
        let sentence = answers.iter().find(|answer| answer.game == game).map(|answer| &answer.sentence);
        for (table, sentence) in only(&["best", "ratings"], game).iter().zip([sentence, None]) {
            page.subheading(table.title);
            sentence.into_iter().for_each(|sentence| page.paragraph(sentence));
            add_table(page, table);
        }
    };
    if !only(&["best", "ratings"], ALL_GAMES).is_empty() {
        page.heading("All games");
        answered(&mut page, ALL_GAMES);
    }
    for (game, one) in planned.plan.games.iter().enumerate() {
        let of_game =
            ["seats", "differences", "contrasts", "nash_conv", "gains", "beliefs", "belief_strength"];
        let of_game = only(&of_game, &one.name);
        let pairings = pairings_in(planned, summary, game);
        let is_empty = pairings.is_empty() && of_game.is_empty();
        if is_empty && summary.matches == 0 {
            continue;
        }
        page.heading(&one.name);
        if is_empty {
            page.paragraph("No match of this game is finished.");
            continue;
        }
        answered(&mut page, &one.name);
        // A number tells games apart whose names give the same name of a file.
        let number = (game + 1).to_string();
        let name: Vec<&str> =
            if planned.plan.games.len() > 1 { vec![&number, &one.name] } else { vec![one.name.as_str()] };
        section(
            &mut page,
            &Game { planned, summary, game, name: &name, pairings: &pairings, tables: &of_game, beliefs },
        );
    }
    page
}

/// The text above the sections.
fn preamble(planned: &Planned, summary: &ExperimentSummary) -> Vec<String> {
    let plan = &planned.plan;
    let mut lines: Vec<String> = Vec::new();
    if !planned.about.is_empty() {
        lines.push(planned.about.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let clocks = match (plan.clocks, plan.think_ahead) {
        (None, _) => "",
        (_, true) => "; with clocks, players think ahead: another run may differ",
        (_, false) => "; with clocks, no player thinks ahead: another run may differ",
    };
    lines.push(format!(
        "{} of {}{}, seed {}, plan {}{clocks}.",
        summary.matches,
        if plan.stop.is_some() { "at most " } else { "" },
        counted(plan.matches(), "match"),
        plan.seed,
        planned.config
    ));
    if summary.failed > 0 {
        let what = "the rules could not be evaluated; nothing of them is in the tables but their number";
        lines.push(format!("{} failed: {what}.", counted(summary.failed, "match")));
    }
    let wrong = [unreliable(planned, summary), disturbed(planned, summary)].concat();
    lines.extend(wrong.into_iter().map(|what| format!("{what}.")));
    lines.extend(summary.missing.iter().map(|missing| format!("Incomplete: {missing}.")));
    lines
}

/// The data from which the section of a game is made.
struct Game<'a> {
    planned: &'a Planned,
    summary: &'a ExperimentSummary,
    game: usize,
    name: &'a [&'a str],
    pairings: &'a [Pairing<'a>],
    tables: &'a [Table],
    beliefs: &'a [MeasuredBeliefs],
}

fn section(page: &mut Page, of: &Game<'_>) {
    let Game { planned, summary, game, name, pairings, tables, beliefs } = *of;
    let is_scored = pairings.iter().any(|one| one.entrant.score.count() > 0);
    let means = over_others(planned, summary, game, pairings);
    let over_others = means.iter().map(|entrant| Pairing {
        player: planned.plan.label(entrant.entrant),
        against: "all others".to_owned(),
        others: Vec::new(),
        is_mirrored: false,
        is_same: false,
        entrant,
        ..pairings[0].clone()
    });
    let with_means: Vec<Pairing<'_>> = pairings.iter().cloned().chain(over_others).collect();
    let families = Family::all(planned, &with_means);
    let figures = |page: &mut Page, figures: Vec<Figure>| {
        let all = figures.len();
        figures.into_iter().take(FIGURES).for_each(|figure| page.figure(figure));
        if all > FIGURES {
            let rest = "all numbers are in the CSV files";
            page.paragraph(&format!("The first {FIGURES} of {all} such figures; {rest}."));
        }
    };
    if !is_scored && !pairings.is_empty() {
        page.paragraph(&why_unscored(pairings));
    }
    if is_scored {
        if let Some((table, n)) = cross_table(pairings) {
            page.subheading("Cross table of scores");
            page.table("", &table);
            page.note(&format!(
                "Mean goals of the player of the row against that of the column, with half the width of the 95 % interval; {} a \
                 cell.",
                in_words(n, "deal")
            ));
        }
        page.subheading("Scores");
        figures(page, forest(name, pairings));
    }
    if !pairings.is_empty() {
        let once: Vec<Pairing<'_>> = pairings.iter().filter(|one| !one.is_mirrored).cloned().collect();
        add_table(page, &scores(&once));
        let roles = by_role(planned, summary, &once);
        if !roles.rows.is_empty() {
            add_titled(page, &roles);
        }
    }
    if is_scored && !families.is_empty() {
        let (drawn, left_out) = by_factors(name, &families);
        page.subheading("Scores by parameter");
        figures(page, drawn);
        left_out.iter().for_each(|why| page.paragraph(why));
    }
    tables.iter().for_each(|table| add_titled(page, table));
    if let Some(beliefs) = beliefs.iter().find(|one| one.game == game) {
        page.paragraph(&beliefs.sentence());
        figures(page, beliefs.figures(name));
    }
    if !pairings.is_empty() {
        add_titled(page, &cost(pairings));
        depletions(summary, game).iter().for_each(|sentence| page.paragraph(sentence));
        let faults = faults(pairings, planned.plan.clocks.map(|(_, play)| play));
        faults.iter().for_each(|table| add_titled(page, table));
        if is_scored {
            figures(page, score_by_time(name, pairings, &families).into_iter().collect());
        }
        figures(page, by_step(name, planned, summary, game));
    }
}

/// Why no entrant of a game has a score.
fn why_unscored(pairings: &[Pairing<'_>]) -> String {
    // The entrants of a cell share its matches.
    let cells = || pairings.chunk_by(|one, next| one.number == next.number).map(|of_cell| of_cell[0].cell);
    let matches: u64 = cells().map(|cell| cell.matches).sum();
    let mut outcomes: IndexMap<&str, u64> = IndexMap::new();
    for (outcome, count) in cells().flat_map(|cell| &cell.unfinished) {
        *outcomes.entry(outcome).or_default() += count;
    }
    let are = if matches == 1 { "is" } else { "are" };
    let matches = format!("{} {are} there", counted(matches, "match"));
    if outcomes.is_empty() {
        return format!(
            "There is no score yet: {matches}, and no deal was played in all its seat permutations."
        );
    }
    let named: Vec<String> = outcomes.iter().map(|(outcome, count)| format!("{outcome} {count}")).collect();
    format!(
        "There is no score: {matches}, and no deal ended with goals in all its seat permutations ({}).",
        named.join(", ")
    )
}

/// Adds a table under its title.
fn add_titled(page: &mut Page, table: &Table) {
    page.subheading(table.title);
    add_table(page, table);
}

/// Adds a table with its note, without the columns in which nothing is known, and with no more than its first [`ROWS`].
fn add_table(page: &mut Page, table: &Table) {
    let (mut shown, mut note) = (table.shown().without_unknown(), table.note.clone());
    let all = shown.rows.len();
    if all > ROWS {
        shown.rows.truncate(ROWS);
        let file = if ["cost", "faults"].contains(&table.name) { "work" } else { table.name };
        note = format!("The first {ROWS} of {all} rows; all of them are in {file}.csv. {note}");
    }
    page.table("", &shown);
    page.note(&note);
}
