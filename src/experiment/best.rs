//! The best setting: which of the entrants that met the same others scores most, which cannot be told from it, and which
//! of these is the cheapest; and the ratings of all entrants.
//!
//! Two entrants are compared deal by deal. The family of comparisons is that of all pairs, because the leader is chosen
//! by the same deals: p-values are adjusted by Holm's method and intervals by Bonferroni's, so with 95 % no comparison of
//! equal entrants tells them apart, and in at most 5 % a leader is declared where there is none.

use serde::Serialize;

use super::columns::over_deals;
use super::folder::Planned;
use super::joined::is_of;
use super::standings::Standing;
use super::summary::ExperimentSummary;
use super::work::{DecisionWork, Figure};
use hyperplay_machine::counted;
use hyperplay_report::{MeanInterval, Sample, Table, holm, ratings};

/// The name of all games together in tables.
pub(super) const ALL_GAMES: &str = "all games";

/// Comparisons with a p-value below this one tell two entrants apart.
const LEVEL: f64 = 0.05;

/// The most entrants that a sentence names.
const NAMED: usize = 5;

/// An entrant beside the leader.
#[derive(Serialize)]
struct BestRow<'a> {
    game: &'a str,
    player: &'a str,
    deals: u64,
    score: Sample,
    /// What the leader scores more, with the ends of the interval among those of all pairs.
    behind: Option<MeanInterval>,
    p: f64,
    /// Of the processor, or by the clock if that is not known of all.
    cost_ms: Option<f64>,
    verdict: &'static str,
}

/// The answer to the question which setting is best, in one game or in all.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Answer {
    /// The game, or `all games`.
    pub game: String,
    /// The entrant with the highest score.
    pub leader: String,
    /// Whether it can be told from all others.
    pub is_best: bool,
    /// The cheapest entrant that cannot be told from it, if the times of all these are known.
    pub cheapest: Option<String>,
    /// All of it as a sentence.
    pub sentence: String,
}

/// The answers, and the table that they rest on.
pub(super) fn best(planned: &Planned, summary: &ExperimentSummary) -> (Vec<Answer>, Table) {
    let mut rows = Vec::new();
    let is_told = |standing: &&Standing| standing.scores.count() > 1 && standing.compared.len() > 1;
    let told = summary.standings.iter().filter(is_told);
    let answers = told.map(|standing| answer(planned, summary, standing, &mut rows)).collect();
    (answers, over_deals("best", &["best"], &rows))
}

fn answer<'a>(
    planned: &'a Planned,
    summary: &ExperimentSummary,
    standing: &Standing,
    rows: &mut Vec<BestRow<'a>>,
) -> Answer {
    let (plan, Standing { compared, scores, .. }) = (&planned.plan, standing);
    let game = standing.game.map_or(ALL_GAMES, |game| &plan.games[game].name);
    let mean = |at: usize| scores.at(at).mean().unwrap_or(f64::NAN);
    let mut order: Vec<usize> = (0..compared.len()).collect();
    order.sort_by(|&one, &other| mean(other).total_cmp(&mean(one)));
    let leader = order[0];
    let p_value = |one: usize, other: usize| scores.difference(one, other).p_value().unwrap_or(1.0);
    let of_pairs = order
        .iter()
        .enumerate()
        .flat_map(|(at, &one)| order[at + 1..].iter().map(move |&other| (one, other)));
    // The pairs of the leader are the first.
    let adjusted = holm(&of_pairs.map(|(one, other)| p_value(one, other)).collect::<Vec<f64>>());
    let work = |entrant: usize| {
        let mut all = DecisionWork::default();
        let cells = summary.cells.iter().enumerate();
        let here = cells.filter(|(cell, _)| standing.game.is_none_or(|game| plan.cells[*cell].game == game));
        let own = here.flat_map(|(_, cell)| &cell.entrants).filter(|one| one.entrant == entrant);
        own.for_each(|one| all.merge(&one.work));
        all
    };
    let works: Vec<DecisionWork> = compared.iter().map(|&entrant| work(entrant)).collect();
    let is_processor = works.iter().all(|work| work.mean(Figure::Processor).is_some());
    let figure = if is_processor { Figure::Processor } else { Figure::Time };
    let first = rows.len();
    for (rank, &at) in order.iter().enumerate() {
        let difference = scores.difference(leader, at);
        let interval = difference.mean().zip(difference.half_width_among(adjusted.len()));
        let p = if rank == 0 { 1.0 } else { adjusted[rank - 1] };
        rows.push(BestRow {
            game,
            player: plan.label(compared[at]),
            deals: scores.count(),
            score: scores.at(at),
            behind: interval.map(|(mean, half)| MeanInterval::around(mean, half)),
            p,
            cost_ms: works[at].mean(figure).map(|seconds| 1e3 * seconds),
            verdict: ["leader", "open", "worse"][usize::from(rank > 0) + usize::from(p < LEVEL)],
        });
    }
    let rows = &rows[first..];
    let open: Vec<&BestRow<'_>> = rows.iter().filter(|row| row.verdict != "worse").collect();
    let costs: Option<Vec<_>> = open.iter().map(|row| Some((row.cost_ms?, row.player))).collect();
    let cheapest = costs.into_iter().flatten().min_by(|one, other| one.0.total_cmp(&other.0));
    let (leader, score) = (rows[0].player, scores.at(leader).mean().unwrap_or(f64::NAN));
    let (pairs, deals) = (counted(adjusted.len() as u64, "comparison"), counted(scores.count(), "deal"));
    let basis = format!("Holm-adjusted p over {pairs}, {deals}");
    let sentence = if open.len() == 1 {
        let others = counted(rows.len() as u64 - 1, "other entrant");
        format!("{leader} is best: its mean score of {score:.1} is above that of {others} ({basis}).")
    } else {
        let names: Vec<&str> = open[1..].iter().take(NAMED).map(|row| row.player).collect();
        let more = if open.len() - 1 > NAMED { ", and others" } else { "" };
        let cheap = cheapest.map_or(String::new(), |(cost, player)| {
            format!("; the cheapest of these is {player} with {cost:.3} ms a decision")
        });
        let names = names.join(", ");
        format!(
            "{leader} has the highest mean score, {score:.1}, and cannot be told from {names}{more} ({basis}){cheap}."
        )
    };
    Answer {
        game: game.to_owned(),
        leader: leader.to_owned(),
        is_best: open.len() == 1,
        cheapest: cheapest.map(|(_, player)| player.to_owned()),
        sentence,
    }
}

/// A rating.
#[derive(Serialize)]
struct RatingRow<'a> {
    game: &'a str,
    player: &'a str,
    deals: u64,
    rating: Option<MeanInterval>,
    /// The entrant with 0, if any has a rating.
    anchor: Option<&'a str>,
}

/// The ratings in each game and over all, with the anchor at 0: the first entrant with a rating where the one that is
/// asked for has none.
pub(super) fn rating_table(planned: &Planned, summary: &ExperimentSummary, anchor: Option<&str>) -> Table {
    let plan = &planned.plan;
    let mut rows = Vec::new();
    for standing in summary.standings.iter().filter(|standing| standing.points.count() > 1) {
        let (label, deals) = (|&entrant: &usize| plan.label(entrant), standing.points.count());
        let is_anchor = |one: &usize| anchor.is_some_and(|name| is_of(label(one), name));
        let place = standing.rated.iter().position(is_anchor).unwrap_or(0);
        let (anchor, found) = ratings(&standing.points, &standing.meetings, place);
        let anchor = anchor.map(|at| label(&standing.rated[at]));
        let value = |rating: &Option<MeanInterval>| rating.map_or(f64::NEG_INFINITY, |rating| rating.value);
        let mut found: Vec<_> = standing.rated.iter().zip(found).collect();
        found.sort_by(|(_, one), (_, other)| value(other).total_cmp(&value(one)));
        let game = standing.game.map_or(ALL_GAMES, |game| &plan.games[game].name);
        rows.extend(found.into_iter().map(|(one, rating)| RatingRow {
            game,
            player: label(one),
            deals,
            rating,
            anchor,
        }));
    }
    over_deals("ratings", &["rating"], &rows)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::super::config::ExperimentConfig;
    use super::super::plan::{ExperimentPlan, PlanGame};
    use super::*;
    use hyperplay_play::player::Registry;

    /// A sweep over `settings` settings, against one opponent or against each other.
    fn sweep(settings: usize, schedule: &str) -> Planned {
        let values: Vec<String> = (1..=settings).map(|value| value.to_string()).collect();
        let text = format!(
            "schema = 'hyperplay.experiment/1'\nseed = 7\ngames = ['coin']\nrepetitions = 5\n{schedule}\n\
             [[player]]\nname = 'h'\nspec = 'hyperplay'\ngrid = {{ particles = [{}] }}\n\
             [[player]]\nname = 'random'\nspec = 'random'\n",
            values.join(", ")
        );
        let roles = vec!["a".to_owned(), "b".to_owned()];
        let game = PlanGame { name: "coin".to_owned(), rules: "sha256:0".to_owned(), roles, random: None };
        let config = ExperimentConfig::read(&text, Path::new(""), &Registry::standard()).unwrap();
        Planned::new("", "", ExperimentPlan::new(&config, vec![game]).unwrap())
    }

    const GAUNTLET: &str = "[schedule]\nkind = 'gauntlet'\nchallengers = ['h']";

    /// The answer to deals on which all settings share luck, and the first one scores `more`; and whether any of them is
    /// said to be worse than the leader.
    fn answered(planned: &Planned, deals: u64, more: f64, seed: u64) -> (Answer, bool) {
        let rng = &mut StdRng::seed_from_u64(seed);
        let mut summary =
            ExperimentSummary { standings: Standing::all(&planned.plan), ..ExperimentSummary::default() };
        let standing = &mut summary.standings[0];
        for _ in 0..deals {
            let luck = rng.random_range(0.0..50.0);
            let score = |at: usize| luck + rng.random_range(0.0..50.0) + if at == 0 { more } else { 0.0 };
            let scores: Vec<f64> = (0..standing.compared.len()).map(score).collect();
            standing.scores.add(&scores);
        }
        let (mut answers, table) = best(planned, &summary);
        (answers.remove(0), table.rows.iter().flatten().any(|entry| entry == "worse"))
    }

    /// Three standard errors above 5 % are allowed. Student's t of ten deals whose differences are not normal has 5.2 %.
    #[test]
    fn of_equal_settings_none_is_told_from_the_leader_in_more_than_5_of_100_sweeps() {
        for (settings, deals, sweeps) in [(2, 10, 10_000), (2, 100, 4_000), (3, 30, 4_000), (9, 30, 2_000)] {
            let planned = sweep(settings, GAUNTLET);
            let told = (0..sweeps).filter(|&seed| answered(&planned, deals, 0.0, seed).1).count();
            let expected = 0.05 * sweeps as f64;
            assert!(
                told as f64 <= expected + 3.0 * (0.95 * expected).sqrt(),
                "{told} of {sweeps}: {settings} settings, {deals} deals"
            );
            let found = (0..100).filter(|&seed| answered(&planned, 200, 15.0, seed).0.is_best).count();
            assert_eq!(found, 100);
        }
    }

    #[test]
    fn who_met_the_same_others_is_compared() {
        let compared = |planned: &Planned| Standing::all(&planned.plan)[0].compared.clone();
        assert_eq!(compared(&sweep(3, GAUNTLET)), [0, 1, 2]);
        assert_eq!(compared(&sweep(3, "")), [0, 1, 2, 3]);
        assert_eq!(compared(&sweep(3, "[schedule]\nkind = 'gauntlet'\nchallengers = ['random']")), [0, 1, 2]);
        let (answer, _) = answered(&sweep(3, GAUNTLET), 200, 15.0, 1);
        assert!(
            answer.sentence.starts_with("h particles=1 is best: its mean score of 6")
                && answer
                    .sentence
                    .ends_with("2 other entrants (Holm-adjusted p over 3 comparisons, 200 deals)."),
            "{}",
            answer.sentence
        );
    }
}
