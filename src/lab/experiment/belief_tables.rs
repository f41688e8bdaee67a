//! Belief tables: what was measured of the beliefs of the entrants of a game, and whether who believes better scores more.
//!
//! The answer is the rank correlation of the score with each measure, over the entrants with a belief. Its interval is a
//! bootstrap over the deals of the game. Noise in scores and measures draws a rank correlation towards 0.

use std::collections::BTreeMap;

use serde::Serialize;

use super::belief_strength::{BeliefSums, DRAWS, DealSums, SCORE};
use super::columns::{TITLES, columns};
use super::folder::Planned;
use super::score_figures::score_axis;
use hyperplay_machine::{Seed, counted};
use hyperplay_report::Reading::One;
use hyperplay_report::{
    Axis, Column, Figure, FigurePoint, FigureSeries, LinePlot, MeanInterval, Plot, Table, bootstrap,
    rank_correlation,
};

/// The beliefs of the entrants of a game.
#[derive(Clone, Debug)]
pub struct MeasuredBeliefs {
    /// The game, by its place in the plan.
    pub(super) game: usize,
    entrants: Vec<BeliefRow>,
    correlations: Vec<StrengthRow>,
}

/// An entrant with a belief.
#[derive(Clone, Debug, Serialize)]
struct BeliefRow {
    game: String,
    player: String,
    decisions: usize,
    #[serde(flatten)]
    figures: BTreeMap<&'static str, f64>,
}

/// The rank correlation of a measure with the score.
#[derive(Clone, Debug, Serialize)]
struct StrengthRow {
    game: String,
    measure: &'static str,
    entrants: usize,
    deals: usize,
    correlation: MeanInterval,
}

/// The sums of some deals by entrant, of those with a belief.
fn summed<'a>(deals: impl Iterator<Item = &'a BTreeMap<usize, BeliefSums>>) -> BTreeMap<usize, BeliefSums> {
    let mut all: BTreeMap<usize, BeliefSums> = BTreeMap::new();
    deals.flatten().for_each(|(&entrant, sums)| all.entry(entrant).or_default().add(sums));
    all.retain(|_, sums| sums.decisions() > 0);
    all
}

fn correlation(entrants: &BTreeMap<usize, BeliefSums>, measure: &str) -> f64 {
    let figures = entrants.values().map(BeliefSums::figures);
    rank_correlation(&figures.map(|figures| (figures[measure], figures[SCORE])).collect::<Vec<_>>())
}

impl MeasuredBeliefs {
    /// Those of each game in which beliefs were measured, in the first `measured` deals.
    pub fn all(planned: &Planned, games: &[DealSums], measured: u64) -> Vec<MeasuredBeliefs> {
        let of = |(game, deals)| MeasuredBeliefs::of(planned, game, deals, measured);
        games.iter().enumerate().map(of).filter(|one| !one.entrants.is_empty()).collect()
    }

    fn of(planned: &Planned, game: usize, deals: &DealSums, measured: u64) -> MeasuredBeliefs {
        let (plan, name) = (&planned.plan, &planned.plan.games[game].name);
        let (measured, sums) = (deals.range(..measured).count(), summed(deals.values()));
        let deals: Vec<&BTreeMap<usize, BeliefSums>> = deals.values().collect();
        let row = |(&entrant, sums): (&usize, &BeliefSums)| BeliefRow {
            game: name.clone(),
            player: plan.label(entrant).to_owned(),
            decisions: sums.decisions(),
            figures: sums.figures(),
        };
        let entrants: Vec<BeliefRow> = sums.iter().map(row).collect();
        // Deals that were measured, and those that were not, are as many in every sample as they are.
        let of_deal = |(place, &at): (usize, &usize)| {
            let (first, count) =
                if place < measured { (0, measured) } else { (measured, deals.len() - measured) };
            deals[first + at % count]
        };
        let of_measure = |&measure: &&'static str| {
            let rng = &mut Seed::root(plan.seed).child("beliefs").child(measure).rng();
            let (low, high) = bootstrap(deals.len(), rng, |sample| {
                correlation(&summed(sample.iter().enumerate().map(of_deal)), measure)
            });
            let correlation = MeanInterval { value: correlation(&sums, measure), low, high };
            StrengthRow { game: name.clone(), measure, entrants: sums.len(), deals: measured, correlation }
        };
        let measures = entrants.first().into_iter().flat_map(|row| row.figures.keys());
        let correlations = measures.filter(|&&measure| measure != SCORE).map(of_measure).collect();
        MeasuredBeliefs { game, correlations, entrants }
    }

    /// Whether a better belief is a better player, as a sentence.
    pub(super) fn sentence(&self) -> String {
        let of = |measure: &str| {
            let row = self.correlations.iter().find(|row| row.measure == measure);
            row.expect("all measures have a correlation").correlation
        };
        let words = |of: MeanInterval| format!("{:.2} [{:.2}, {:.2}]", of.value, of.low, of.high);
        let answer = match of("regret") {
            regret if regret.high < 0.0 => "A better belief is a better player here",
            regret if regret.low > 0.0 => "A better belief is a worse player here",
            _ => "Whether a better belief is a better player cannot be told here",
        };
        let (entrants, regret, draws) = (self.entrants.len(), words(of("regret")), words(of(DRAWS)));
        format!(
            "{answer}: over {entrants} entrants the rank correlation of the score is {regret} with regret and {draws} with \
             independent draws."
        )
    }

    /// The score over regret, and over independent draws.
    pub(super) fn figures(&self, name: &[&str]) -> Vec<Figure> {
        let figure = |(measure, kind, x): (&str, &str, Axis)| {
            let mut series: BTreeMap<String, Vec<FigurePoint>> = BTreeMap::new();
            for BeliefRow { player, figures, .. } in &self.entrants {
                let parts = player.split(' ').filter(|part| !part.starts_with("particles="));
                let points = series.entry(parts.collect::<Vec<_>>().join(" ")).or_default();
                points.push(FigurePoint::exact(figures[measure], figures[SCORE]));
            }
            let series = series.into_iter().map(|(name, all)| FigureSeries::measured(name, all).unjoined());
            let caption = format!("{} with a belief.", counted(self.entrants.len() as u64, "entrant"));
            let plot = Plot::Lines(LinePlot::single(x, score_axis(), series.collect()));
            Figure::new(&[name, &[kind]].concat(), "Score by belief", caption, plot)
        };
        let regret = Axis::linear("regret of the belief (goal points)");
        let draws = Axis::logarithmic("independent draws that a set is worth");
        [("regret", "score-by-regret", regret), (DRAWS, "score-by-draws", draws)].map(figure).into()
    }
}

/// The tables; none if no belief was measured.
pub fn belief_tables(all: &[MeasuredBeliefs]) -> Vec<Table> {
    let columns = ["beliefs", "belief_strength"].map(|table| columns(&[table]));
    let made = [
        Table::of(&columns[0], all.iter().flat_map(|one| &one.entrants)).named(TITLES, "beliefs"),
        Table::of(&columns[1], all.iter().flat_map(|one| &one.correlations)).named(TITLES, "belief_strength"),
    ];
    let shown = |(table, columns): (Table, &Vec<Column>)| {
        table.viewed(columns[1..].iter().map(|column| One(column.name)).collect())
    };
    made.into_iter().zip(&columns).map(shown).filter(|table| !table.rows.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::config::ExperimentConfig;
    use super::super::plan::{ExperimentPlan, PlanGame};
    use super::*;
    use hyperplay_play::player::Registry;

    /// Six entrants on forty deals, ten of them measured. The regret of an entrant is its number, and its score falls by `slope` with it.
    fn told(slope: f64) -> MeasuredBeliefs {
        let text = "schema = 'hyperplay.experiment/1'\nseed = 7\ngames = ['coin']\nrepetitions = 40\n[[player]]\n\
                    name = 'h'\nspec = 'hyperplay'\ngrid = { particles = [1, 2, 3, 4, 5, 6] }\n";
        let roles = vec!["a".to_owned(), "b".to_owned()];
        let game = PlanGame { name: "coin".to_owned(), rules: "sha256:0".to_owned(), roles, random: None };
        let config = ExperimentConfig::read(text, Path::new(""), &Registry::standard()).unwrap();
        let planned = Planned::new("", "", ExperimentPlan::new(&config, vec![game]).unwrap());
        let of_deal = |deal: u64| {
            let of_entrant = |entrant: usize| {
                let mut sums = BeliefSums::default();
                let noise = f64::from((deal as u32 * 7 + entrant as u32 * 13) % 11);
                sums.count(5, (50.0 - slope * entrant as f64 + noise, 1.0));
                if deal < 10 {
                    sums.count(0, (0.5, 1.0));
                    sums.count(1, (entrant as f64 + noise / 11.0, 1.0));
                }
                (entrant, sums)
            };
            (deal, (0..6).map(of_entrant).collect())
        };
        MeasuredBeliefs::all(&planned, &[(0..40).map(of_deal).collect()], 10).remove(0)
    }

    #[test]
    fn the_sentence_says_which_way_strength_goes_and_when_it_cannot_be_told() {
        let starts = |slope: f64, with: &str| {
            let sentence = told(slope).sentence();
            assert!(sentence.starts_with(with), "{slope}: {sentence}");
        };
        starts(
            5.0,
            "A better belief is a better player here: over 6 entrants the rank correlation of the score is -1.00",
        );
        starts(-5.0, "A better belief is a worse player here");
        starts(0.0, "Whether a better belief is a better player cannot be told here");
    }
}
