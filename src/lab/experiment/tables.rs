//! Tables: a summary as rows and columns, the same for every form of report.
//!
//! A column has a key, which is its name in CSV and JSON, and a head for reading. Intervals are 95 %; a column `ci95` is
//! half the width of the interval of the column before it. `docs/json.md` lists the keys.

use serde_json::{Map, Value, json};

use super::folder::Planned;
use super::statistics::{Sample, Verdict, elo, rounded, share};
use super::summary::{CellSummary, Summary};

/// One thing in a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// A name or a word.
    Text(String),
    /// How many.
    Count(u64),
    /// A figure, shown with so many digits behind the point.
    Figure(Option<f64>, usize),
}

/// What a table is about, and its rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Rows {
    /// Its name in files and keys.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// How to read it, in sentences.
    pub note: String,
    /// Keys and heads of the columns.
    pub columns: Vec<(&'static str, &'static str)>,
    /// The rows, each as long as the columns.
    pub rows: Vec<Vec<Entry>>,
}

impl Entry {
    /// For reading.
    pub fn shown(&self) -> String {
        match self {
            Entry::Text(text) => text.clone(),
            Entry::Count(count) => count.to_string(),
            Entry::Figure(None, _) => "-".to_owned(),
            Entry::Figure(Some(figure), _) if figure.is_infinite() => {
                if *figure > 0.0 { "inf" } else { "-inf" }.to_owned()
            }
            Entry::Figure(Some(figure), digits) => format!("{figure:.digits$}"),
        }
    }

    /// For machines.
    fn value(&self) -> Value {
        match self {
            Entry::Text(text) => json!(text),
            Entry::Count(count) => json!(count),
            Entry::Figure(figure, _) => json!(figure.filter(|figure| figure.is_finite()).map(rounded)),
        }
    }
}

impl Rows {
    /// One object a row.
    pub fn as_json(&self) -> Value {
        let object = |row: &Vec<Entry>| {
            let pairs = self.columns.iter().zip(row);
            Value::Object(
                pairs.map(|(&(key, _), entry)| (key.to_owned(), entry.value())).collect::<Map<_, _>>(),
            )
        };
        self.rows.iter().map(object).collect()
    }

    /// Comma-separated values with a first line of keys; what is not known is empty.
    pub fn as_csv(&self) -> String {
        let mut text = self.columns.iter().map(|&(key, _)| key).collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in &self.rows {
            let entries: Vec<String> = row.iter().map(|entry| field(&entry.value())).collect();
            text.push_str(&entries.join(","));
            text.push('\n');
        }
        text
    }

    /// A heading, the table and the note.
    pub fn as_markdown(&self) -> String {
        let escaped = |text: String| text.replace('|', "\\|");
        let mut text = format!("## {}\n\n|", self.title);
        self.columns.iter().for_each(|(_, head)| text.push_str(&format!(" {head} |")));
        text.push_str("\n|");
        let is_text =
            |column: usize| self.rows.first().is_some_and(|row| matches!(row[column], Entry::Text(_)));
        (0..self.columns.len())
            .for_each(|column| text.push_str(if is_text(column) { " --- |" } else { " ---: |" }));
        for row in &self.rows {
            text.push_str("\n|");
            row.iter().for_each(|entry| text.push_str(&format!(" {} |", escaped(entry.shown()))));
        }
        format!("{text}\n\n{}\n", self.note)
    }
}

/// A value as a field of CSV.
pub fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// All tables that have rows.
pub fn tables(planned: &Planned, summary: &Summary) -> Vec<Rows> {
    let all = [
        scores(planned, summary),
        differences(planned, summary),
        contrasts(planned, summary),
        work(planned, summary),
    ];
    all.into_iter().filter(|rows| !rows.rows.is_empty()).collect()
}

fn text(text: &str) -> Entry {
    Entry::Text(text.to_owned())
}

fn mean(sample: &Sample, digits: usize) -> Entry {
    Entry::Figure(sample.mean(), digits)
}

fn half(sample: &Sample, digits: usize) -> Entry {
    Entry::Figure(sample.half_width(), digits)
}

/// Every entrant of every cell that has matches, with the name of its game and of the others.
fn each<'a>(
    planned: &'a Planned,
    summary: &'a Summary,
) -> impl Iterator<Item = (&'a CellSummary, &'a super::summary::EntrantSummary, [Entry; 3])> {
    summary.cells.iter().enumerate().filter(|(_, cell)| cell.matches > 0).flat_map(move |(number, cell)| {
        cell.entrants.iter().map(move |entrant| {
            let mut others = planned.plan.cells[number].entrants.clone();
            if let Some(at) = others.iter().position(|&other| other == entrant.entrant) {
                others.remove(at);
            }
            let others: Vec<&str> = others.iter().map(|&other| planned.plan.label(other)).collect();
            let names = [
                text(&planned.plan.game(number).name),
                text(planned.plan.label(entrant.entrant)),
                text(&others.join(" and ")),
            ];
            (cell, entrant, names)
        })
    })
}

fn scores(planned: &Planned, summary: &Summary) -> Rows {
    let rows = each(planned, summary).map(|(cell, entrant, [game, player, others])| {
        let of = entrant.wins + entrant.draws + entrant.losses;
        let win_or_draw = share(entrant.wins + entrant.draws, of).filter(|_| cell.is_won_or_lost);
        let percent = |part: Option<f64>| Entry::Figure(part.map(|part| 100.0 * part), 1);
        vec![
            game,
            player,
            others,
            Entry::Count(entrant.score.count()),
            Entry::Count(cell.matches),
            mean(&entrant.score, 2),
            half(&entrant.score, 2),
            Entry::Count(entrant.wins),
            Entry::Count(entrant.draws),
            Entry::Count(entrant.losses),
            percent(win_or_draw.map(|(mean, ..)| mean)),
            percent(win_or_draw.map(|(_, low, _)| low)),
            percent(win_or_draw.map(|(_, _, high)| high)),
            Entry::Count(entrant.faults),
            Entry::Count(cell.unfinished.values().sum()),
        ]
    });
    Rows {
        name: "scores",
        title: "Scores",
        note: "Mean goals over deals (each the mean over its seatings), with half the width of the 95 % interval \
               (Student's t). Win-or-draw only where every match was won, lost or drawn, with Jeffreys' interval over \
               matches. What did not end with goals is in no mean, nor is its deal."
            .to_owned(),
        columns: vec![
            ("game", "game"),
            ("player", "player"),
            ("against", "against"),
            ("deals", "deals"),
            ("matches", "matches"),
            ("score", "score"),
            ("score_ci95", "+-"),
            ("wins", "wins"),
            ("draws", "draws"),
            ("losses", "losses"),
            ("win_or_draw", "win or draw %"),
            ("win_or_draw_low", "from"),
            ("win_or_draw_high", "to"),
            ("faults", "faults"),
            ("unfinished", "unfinished"),
        ],
        rows: rows.collect(),
    }
}

fn differences(planned: &Planned, summary: &Summary) -> Rows {
    let plan = &planned.plan;
    let has_test = summary.cells.iter().any(|cell| cell.sprt.is_some());
    let mut rows = Vec::new();
    for (number, cell) in summary.cells.iter().enumerate().filter(|(_, cell)| cell.matches > 0) {
        let Some((first, second)) = plan.cells[number].rivals() else { continue };
        let score = &cell.entrants[0].score;
        let (score, half_width) = (score.mean(), score.half_width());
        let rating = score.map(elo).filter(|_| cell.is_won_or_lost);
        let at = |sign: f64| Some(elo((score? + sign * half_width?).clamp(0.0, 100.0)));
        let end = |sign: f64| Entry::Figure(at(sign).filter(|_| cell.is_won_or_lost), 0);
        let superiority = cell.difference.superiority().filter(|_| cell.is_won_or_lost);
        let mut row = vec![
            text(&plan.game(number).name),
            text(plan.label(first)),
            text(plan.label(second)),
            Entry::Count(cell.difference.count()),
            mean(&cell.difference, 2),
            half(&cell.difference, 2),
            Entry::Figure(rating, 0),
            end(-1.0),
            end(1.0),
            Entry::Figure(superiority, 4),
        ];
        if has_test {
            let (ratio, verdict) = cell.sprt.unwrap_or((0.0, Verdict::Open));
            row.extend([Entry::Figure(Some(ratio), 2), text(verdict.as_str())]);
        }
        rows.push(row);
    }
    let mut columns = vec![
        ("game", "game"),
        ("first", "first"),
        ("second", "second"),
        ("deals", "deals"),
        ("difference", "first - second"),
        ("difference_ci95", "+-"),
        ("elo", "Elo"),
        ("elo_low", "from"),
        ("elo_high", "to"),
        ("los", "LOS"),
    ];
    if has_test {
        columns.extend([("llr", "LLR"), ("verdict", "verdict")]);
    }
    Rows {
        name: "differences",
        title: "Differences between the entrants of a cell",
        note: "Paired: both played the same deals in every seat, and a deal counts by its mean. Elo and LOS (the \
               likelihood that the first is the stronger) only for two roles where every match was won, lost or drawn; \
               the ends of the Elo interval are those of the score."
            .to_owned(),
        columns,
        rows,
    }
}

fn contrasts(planned: &Planned, summary: &Summary) -> Rows {
    let plan = &planned.plan;
    let met = |contrast: &&super::summary::Contrast| contrast.difference.count() > 0;
    let rows = summary.contrasts.iter().filter(met).map(|contrast| {
        let others: Vec<&str> = contrast.others.iter().map(|&other| plan.label(other)).collect();
        vec![
            text(&plan.games[contrast.game].name),
            text(plan.label(contrast.first.1)),
            text(plan.label(contrast.second.1)),
            text(&others.join(" and ")),
            Entry::Count(contrast.difference.count()),
            mean(&contrast.difference, 2),
            half(&contrast.difference, 2),
        ]
    });
    Rows {
        name: "contrasts",
        title: "Entrants who met the same others",
        note:
            "Paired by deal: what one of them scored on a deal less what the other scored on the same deal."
                .to_owned(),
        columns: vec![
            ("game", "game"),
            ("first", "first"),
            ("second", "second"),
            ("against", "against"),
            ("deals", "deals"),
            ("difference", "first - second"),
            ("difference_ci95", "+-"),
        ],
        rows: rows.collect(),
    }
}

fn work(planned: &Planned, summary: &Summary) -> Rows {
    let rows = each(planned, summary).map(|(_, entrant, [game, player, others])| {
        let work = &entrant.work;
        let milliseconds = |sample: &Sample| Entry::Figure(sample.mean().map(|mean| 1e3 * mean), 3);
        let depleted = share(work.depleted, work.turns);
        vec![
            game,
            player,
            others,
            Entry::Count(work.turns),
            mean(&work.particles, 1),
            mean(&work.states, 1),
            mean(&work.effective, 1),
            mean(&work.playouts_per_move, 1),
            milliseconds(&work.update),
            milliseconds(&work.select),
            milliseconds(&work.time),
            Entry::Figure(work.time.half_width().map(|half| 1e3 * half), 3),
            Entry::Figure(depleted.map(|(mean, ..)| 100.0 * mean), 2),
        ]
    });
    Rows {
        name: "work",
        title: "What the decisions cost",
        note: "Over decisions between two legal moves or more; means over a match first. Times are wall times of the \
               computers that played, in milliseconds, and no part of the result."
            .to_owned(),
        columns: vec![
            ("game", "game"),
            ("player", "player"),
            ("against", "against"),
            ("decisions", "decisions"),
            ("particles", "particles"),
            ("states", "states"),
            ("effective", "effective"),
            ("playouts_per_move", "playouts a move"),
            ("update_ms", "update ms"),
            ("select_ms", "select ms"),
            ("time_ms", "time ms"),
            ("time_ms_ci95", "+-"),
            ("depleted", "depleted %"),
        ],
        rows: rows.collect(),
    }
}
