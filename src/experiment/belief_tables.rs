//! Belief tables: what was measured of the beliefs of the entrants of a game, and whether who believes better scores more.
//!
//! The answer is the rank correlation of the score with each measure, over the entrants with a belief. Its interval is a
//! bootstrap over the deals of the game. Noise in scores and measures draws a rank correlation towards 0.

use std::collections::BTreeMap;

use rand::RngExt as _;
use serde::Serialize;

use super::belief_strength::{BeliefSums, DRAWS, DealSums, MEASURES, SCORE};
use super::columns::{TITLES, columns, in_section};
use super::folder::Planned;
use super::score_figures::score_axis;
use hyperplay_machine::{Seed, counted};
use hyperplay_report::{
    Axis, FEW, Figure, FigurePoint, FigureSeries, LinePlot, MeanInterval, Plot, Reading, Table,
    rank_correlation, sampled_intervals,
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
    regret_decisions: usize,
    log_loss_decisions: usize,
    left_out: usize,
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
    all.retain(|_, sums| sums.decisions(0) + sums.left_out > 0);
    all
}

/// By measure, in the order of [`MEASURES`] and last the draws, the entrants it is known of and its correlation with the score.
fn correlations(entrants: &BTreeMap<usize, BeliefSums>) -> [(&'static str, usize, f64); MEASURES.len() + 1] {
    let figures: Vec<_> = entrants.values().map(BeliefSums::figures).collect();
    std::array::from_fn(|at| {
        let measure = MEASURES.get(at).map_or(DRAWS, |(name, _)| name);
        let pairs = figures.iter().map(|figures| (figures[measure], figures[SCORE]));
        let pairs: Vec<(f64, f64)> = pairs.filter(|(value, _)| !value.is_nan()).collect();
        (measure, pairs.len(), rank_correlation(&pairs))
    })
}

impl MeasuredBeliefs {
    /// Those of each game, measured in the first `measured` deals.
    pub fn all(planned: &Planned, games: &[DealSums], measured: u64) -> Vec<MeasuredBeliefs> {
        let of = |(game, deals)| MeasuredBeliefs::of(planned, game, deals, measured);
        games.iter().enumerate().map(of).collect()
    }

    fn of(planned: &Planned, game: usize, deals: &DealSums, measured: u64) -> MeasuredBeliefs {
        let (plan, name) = (&planned.plan, &planned.plan.games[game].name);
        let (measured, sums) = (deals.range(..measured).count(), summed(deals.values()));
        let deals: Vec<&BTreeMap<usize, BeliefSums>> = deals.values().collect();
        let row = |(&entrant, sums): (&usize, &BeliefSums)| BeliefRow {
            game: name.clone(),
            player: plan.label(entrant).to_owned(),
            decisions: sums.decisions(0),
            regret_decisions: sums.decisions(1),
            log_loss_decisions: sums.decisions(2),
            left_out: sums.left_out,
            figures: sums.figures(),
        };
        let entrants: Vec<BeliefRow> = sums.iter().map(row).collect();
        // Deals that were measured, and those that were not, are as many in every sample as they are.
        let rng = &mut Seed::root(plan.seed).child("beliefs").rng();
        let mut draw = |place| {
            deals[rng.random_range(if place < measured { 0..measured } else { measured..deals.len() })]
        };
        let all = correlations(&sums);
        let mut intervals = [[f64::NAN; 3]; MEASURES.len() + 1];
        if measured > 1 && entrants.iter().any(|row| row.decisions > 0) {
            intervals = sampled_intervals(|| {
                correlations(&summed((0..deals.len()).map(&mut draw))).map(|(_, _, correlation)| correlation)
            });
        }
        let of_measure = |((measure, entrants, value), [low, _, high]): (_, [f64; 3])| {
            let correlation = MeanInterval { value, low, high };
            StrengthRow { game: name.clone(), measure, entrants, deals: measured, correlation }
        };
        let correlations = all.into_iter().zip(intervals).filter(|((_, entrants, _), _)| *entrants > 0);
        MeasuredBeliefs { game, correlations: correlations.map(of_measure).collect(), entrants }
    }

    /// Whether a better belief is a better player, as a sentence, and what was left out.
    pub(super) fn sentence(&self) -> String {
        let row = |measure| self.correlations.iter().find(|row| row.measure == measure);
        let words = |row: Option<&StrengthRow>| match row.map(|row| row.correlation) {
            Some(of) if of.low.is_finite() && of.high.is_finite() => {
                format!("{:.2} [{:.2}, {:.2}]", of.value, of.low, of.high)
            }
            _ => "not known".to_owned(),
        };
        let (regret, draws) = (row("regret"), words(row(DRAWS)));
        let unknown = "Whether a better belief is a better player cannot be told here".to_owned();
        let left_out: usize = self.entrants.iter().map(|row| row.left_out).sum();
        let all = counted(left_out as u64, "decision");
        let rest = format!(" Left out, because the exact posterior is not known there: {all}.");
        let rest = if left_out > 0 { rest } else { String::new() };
        let (entrants, deals) = regret.map_or((0, 0), |row| (row.entrants, row.deals));
        let answer = match regret.map(|row| row.correlation) {
            None => return format!("No regret of a belief was measured here.{rest}"),
            Some(_) if entrants < 3 => {
                return format!("{unknown}: that needs three entrants with a belief.{rest}");
            }
            Some(_) if deals < FEW as usize => {
                format!("{unknown} from {}", counted(deals as u64, "measured deal"))
            }
            Some(regret) if regret.high < 0.0 => "A better belief is a better player here".to_owned(),
            Some(regret) if regret.low > 0.0 => "A better belief is a worse player here".to_owned(),
            Some(_) => unknown,
        };
        let regret = words(regret);
        format!(
            "{answer}: over {entrants} entrants the rank correlation of the score is {regret} with regret and {draws} with \
             independent draws.{rest}"
        )
    }

    /// The score over regret, and over independent draws; none if nothing was measured.
    pub(super) fn figures(&self, name: &[&str]) -> Vec<Figure> {
        if self.correlations.is_empty() {
            return Vec::new();
        }
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
    let rows = all.iter().flat_map(|one| &one.entrants);
    let beliefs = in_section(Table::of(&columns(&["beliefs"]), rows).named(TITLES, "beliefs"));
    let rows = all.iter().flat_map(|one| &one.correlations);
    let strength = Table::of(&columns(&["belief_strength"]), rows).named(TITLES, "belief_strength");
    let mut strength = in_section(strength.with_few("deals", FEW, "measured deals"));
    // The mark stands behind an interval.
    let ends = ["correlation_low", "correlation_high", ""];
    strength.view.retain(|reading| !matches!(reading, Reading::One(name) if ends.contains(name)));
    strength.view.push(Reading::Joined("95 %", Reading::INTERVAL, ends));
    [beliefs, strength].into_iter().filter(|table| !table.rows.is_empty()).collect()
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
        told_of(slope, 6, 10)
    }

    /// The same with `entrants` entrants, of which `measured` deals were measured; in each, the third left out three decisions.
    fn told_of(slope: f64, entrants: usize, measured: u64) -> MeasuredBeliefs {
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
                if deal < measured {
                    sums.left_out = if entrant == 2 { 3 } else { 0 };
                    sums.count(0, (0.5, 1.0));
                    sums.count(1, (entrant as f64 + noise / 11.0, 1.0));
                }
                (entrant, sums)
            };
            (deal, (0..entrants).map(of_entrant).collect())
        };
        MeasuredBeliefs::all(&planned, &[(0..40).map(of_deal).collect()], measured).remove(0)
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

    #[test]
    fn few_deals_few_entrants_and_decisions_that_were_left_out_are_told() {
        let said = |entrants: usize, measured: u64| told_of(5.0, entrants, measured).sentence();
        let few = said(6, 2);
        assert!(few.starts_with(
            "Whether a better belief is a better player cannot be told here from 2 measured deals: over"
        ));
        assert!(few.ends_with(" not known there: 6 decisions."), "{few}");
        assert!(said(6, 1).contains("from 1 measured deal:") && !said(6, 1).contains("NaN"));
        assert!(said(2, 10).ends_with("cannot be told here: that needs three entrants with a belief."));
        assert_eq!(said(6, 0), "No regret of a belief was measured here.");
        let table = &belief_tables(&[told_of(5.0, 6, 2)])[1];
        let text = table.shown().as_text();
        assert!(text.contains("fewer than 10 measured deals"), "{text}");
    }

    #[test]
    fn a_decision_is_counted_by_measure() {
        let beliefs = told(5.0);
        let row = &beliefs.entrants[2];
        assert_eq!(
            (row.decisions, row.regret_decisions, row.log_loss_decisions, row.left_out),
            (10, 10, 0, 30)
        );
        let of = |measure: &str| {
            beliefs.correlations.iter().find(|row| row.measure == measure).map(|row| row.entrants)
        };
        assert_eq!(
            (of("regret"), of("log_loss_excess")),
            (Some(6), None),
            "a measure that is nowhere known has no row"
        );
    }
}
