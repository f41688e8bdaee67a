//! Frontier: accuracy against cost, over samplers and numbers of particles.
//!
//! The cost of a belief is the processor time of all its updates up to a decision. Its error is set TV *on states*: it is what a
//! search is given, it is known where histories are too many, and it is the same for a sampler that holds one history of each
//! state. All rows are over the same decisions. A row is on the *front* if no other one against the same posterior is both
//! cheaper and nearer to it. The seed does not determine the times, so neither what follows from them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::draws::draws_by;
use super::harness::{Exactly, NONE, PosteriorSource};
use super::row::{Measured, StudyRow, grouped};
use super::summary::mean_over_matches;
use hyperplay_machine::counted;
use hyperplay_report::{Mean, MeanInterval};

/// One sampler with one number of particles.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrontierRow {
    /// What it is of.
    #[serde(flatten)]
    pub of: Measured,
    /// Whether it is on the front.
    #[serde(rename = "front")]
    pub is_front: bool,
    /// Decisions. All that follows is the mean over them.
    pub decisions: usize,
    /// The matches that have one, which intervals are over.
    pub matches: usize,
    /// Milliseconds of processor time of all updates up to the decision.
    pub ms: MeanInterval,
    /// Set TV of the states.
    pub state_set_tv: MeanInterval,
    /// The independent draws that have the same distance of states.
    pub state_draws: MeanInterval,
    /// Set TV of the histories; NaN unless it is known at every decision.
    pub set_tv: f64,
    /// Log loss less that of the posterior.
    pub log_loss_excess: f64,
    /// Goal points lost.
    pub regret: f64,
}

impl FrontierRow {
    /// Cost and error.
    fn place(&self) -> (f64, f64) {
        (self.ms.value, self.state_set_tv.value)
    }

    fn name(&self) -> String {
        format!("{} with {}", self.of.sampler, counted(self.of.particles as u64, "particle"))
    }
}

/// The frontier of these rows, in the order in which the samplers come first; nothing of rows without a posterior.
pub fn frontier(rows: &[StudyRow]) -> Vec<FrontierRow> {
    let is_known = |row: &&StudyRow| row.is_decision && row.source != PosteriorSource::None;
    let mut groups = grouped(rows.iter().filter(is_known), |row| &row.of);
    let places = grouped(rows.iter().filter(is_known), |row| (row.of.posterior, &row.place));
    let samplers = groups.keys().map(|of| of.posterior).collect::<Vec<_>>();
    let is_common = |row: &&StudyRow| {
        let letter = row.of.posterior;
        places[&(letter, &row.place)].len() == samplers.iter().filter(|other| **other == letter).count()
    };
    groups.values_mut().for_each(|rows| rows.retain(is_common));
    let mut all: Vec<FrontierRow> = groups.into_iter().map(|(of, rows)| frontier_row(of, &rows)).collect();
    mark_front(&mut all);
    all
}

fn mark_front(rows: &mut [FrontierRow]) {
    for at in 0..rows.len() {
        let (ms, error) = rows[at].place();
        let is_better = |other: &FrontierRow| {
            let place = other.place();
            let is_no_worse = place.0 <= ms && place.1 <= error;
            other.of.posterior == rows[at].of.posterior && place != (ms, error) && is_no_worse
        };
        rows[at].is_front = ms.is_finite() && !rows.iter().any(is_better);
    }
}

/// Set TV on states, without what rounding leaves of none.
fn distance(row: &StudyRow) -> f64 {
    let distance = row.figures.state_set_tv;
    if distance < NONE { 0.0 } else { distance }
}

fn frontier_row(of: &Measured, rows: &[&StudyRow]) -> FrontierRow {
    let mean = |figure: fn(&StudyRow) -> f64| mean_over_matches(rows, &|row| (figure(row), 1.0));
    let alone = |figure: fn(&StudyRow) -> f64| {
        Mean::of(rows.iter().map(|row| figure(row)).filter(|value| value.is_finite())).value
    };
    let is_of_histories =
        |row: &&StudyRow| row.is_of_histories() && row.figures.exactly != Some(Exactly::States);
    // The mean over what ended would be that of the fortunate ones.
    let is_whole = rows.iter().all(|row| row.figures.costs.seconds_total.is_finite());
    let ms = mean(|row| 1e3 * row.figures.costs.seconds_total);
    let state_set_tv = mean(distance);
    FrontierRow {
        of: of.clone(),
        is_front: false,
        decisions: rows.len(),
        matches: grouped(rows.iter().copied(), |row| row.place.index).len(),
        ms: if is_whole { ms } else { MeanInterval::around(f64::NAN, f64::NAN) },
        // No distance is above 1.
        state_set_tv: MeanInterval { high: state_set_tv.high.clamp(0.0, 1.0), ..state_set_tv },
        state_draws: draws_by(rows, &|row| Some((&row.state_curve, distance(row)))),
        set_tv: if rows.iter().all(is_of_histories) { alone(|row| row.figures.set_tv) } else { f64::NAN },
        log_loss_excess: alone(|row| row.figures.log_loss.value - row.figures.log_loss_exact),
        regret: alone(|row| row.figures.regret.value),
    }
}

/// What is nearest to the posterior within each of these budgets of milliseconds, as sentences; against each posterior.
pub fn answers(rows: &[FrontierRow], budgets: &[f64]) -> Vec<String> {
    let mut by_cost: Vec<&FrontierRow> = rows.iter().filter(|row| row.ms.value.is_finite()).collect();
    by_cost.sort_by(|a, b| a.ms.value.total_cmp(&b.ms.value));
    let letters: BTreeSet<&str> = by_cost.iter().map(|row| row.of.posterior).collect();
    let one = |(&ms, letter): (&f64, &&str)| {
        let own = || by_cost.iter().filter(|row| row.of.posterior == *letter);
        let within = own().take_while(|row| row.ms.value <= ms);
        let best = within.min_by(|a, b| a.state_set_tv.value.total_cmp(&b.state_set_tv.value));
        let row = best.or_else(|| own().next()).expect("a letter is that of a row");
        let against = if letters.len() > 1 { format!(" (against {letter})") } else { String::new() };
        let (what, least) = (row.name(), row.ms.value);
        let MeanInterval { value, low, high } = row.state_set_tv;
        let interval = if low.is_finite() { format!(" [{low:.3}, {high:.3}]") } else { String::new() };
        match best {
            Some(_) => format!(
                "Within {ms} ms{against}: {what}, set TV on states {value:.3}{interval}, in {least:.3} ms."
            ),
            None => format!("Within {ms} ms{against}: nothing; {what} takes {least:.3} ms."),
        }
    };
    budgets.iter().flat_map(|ms| letters.iter().map(move |letter| (ms, letter))).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sampler: &str, particles: usize, ms: f64, error: f64) -> FrontierRow {
        let exactly = |value| MeanInterval { value, low: f64::NAN, high: f64::NAN };
        FrontierRow {
            of: Measured { game: String::new(), sampler: sampler.to_owned(), particles, posterior: "U" },
            is_front: false,
            decisions: 1,
            matches: 1,
            ms: exactly(ms),
            state_set_tv: exactly(error),
            state_draws: exactly(f64::NAN),
            set_tv: f64::NAN,
            log_loss_excess: f64::NAN,
            regret: f64::NAN,
        }
    }

    #[test]
    fn the_front_is_what_no_other_row_beats_in_both() {
        let mut rows = [
            row("a", 1, 1.0, 0.5),
            row("a", 2, 2.0, 0.25),
            row("b", 1, 2.0, 0.5),
            row("b", 2, 3.0, 0.25),
            row("c", 1, 9.0, 0.0),
            row("without a time", 1, f64::NAN, 0.0),
            row("a", 1, 0.5, 0.1),
        ];
        rows[6].of.posterior = "P";
        mark_front(&mut rows);
        assert_eq!(rows.each_ref().map(|row| row.is_front), [true, true, false, false, true, false, true]);
    }

    #[test]
    fn the_answer_is_the_nearest_within_the_budget_and_the_cheaper_of_two_alike() {
        let rows = [
            row("a", 1, 1.0, 0.5),
            row("a", 9, 3.0, 0.25),
            row("b", 1, 2.0, 0.25),
            row("c", 1, f64::NAN, 0.0),
        ];
        assert_eq!(
            answers(&rows, &[0.5, 1.0, 10.0]),
            [
                "Within 0.5 ms: nothing; a with 1 particle takes 1.000 ms.",
                "Within 1 ms: a with 1 particle, set TV on states 0.500, in 1.000 ms.",
                "Within 10 ms: b with 1 particle, set TV on states 0.250, in 2.000 ms.",
            ]
        );
        assert!(answers(&rows[3..], &[1.0]).is_empty());
    }
}
