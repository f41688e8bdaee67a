//! The report of the meter: a row for every point, and for every sampler the mean over the decisions.
//!
//! A decision is a point where the role has more than one legal move and more than one history is possible. The mean
//! of bias TV over its floor is geometric. Where the whole information set is kept, as histories or as states, there is
//! no bias on states and no mean: such decisions are counted apart.

use serde_json::{Value, json};

use super::failure::Failure;
use super::output::Output;
use crate::belief::exact::ExactError;
use crate::belief::meter::{Figures, Point};

/// Below this a bias is none.
const EXACT: f64 = 1e-9;

/// What rows have in common.
pub struct Block<'a> {
    /// The spec of the sampler.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// The match.
    pub index: usize,
    /// The name of the role.
    pub role: &'a str,
}

struct Row {
    sampler: String,
    particles: usize,
    index: usize,
    role: String,
    step: usize,
    information_set: usize,
    states: usize,
    choice: bool,
    figures: Figures,
}

impl Row {
    fn is_decision(&self) -> bool {
        self.choice && self.information_set > 1
    }

    fn as_json(&self) -> Value {
        let Figures { chi_squared, .. } = self.figures;
        let figures = &self.figures;
        json!({
            "sampler": self.sampler,
            "particles": self.particles,
            "match": self.index,
            "role": self.role,
            "step": self.step,
            "information_set": self.information_set,
            "distinct_states": self.states,
            "decision": self.is_decision(),
            "bias_tv": figures.bias_tv,
            "bias_tv_floor": figures.bias_tv_floor,
            "state_bias_tv": figures.state_bias_tv,
            "state_bias_tv_floor": figures.state_bias_tv_floor,
            "set_tv": figures.set_tv,
            "set_tv_floor": figures.set_tv_floor,
            "kl": figures.kl,
            "ess": figures.ess,
            "coverage": figures.coverage,
            "distinct": figures.distinct,
            "truth": figures.truth,
            "states_per_particle": figures.states_per_particle,
            "sets": figures.sets,
            "depletions": figures.depletions,
            "chi_squared": chi_squared.map(|fit| {
                json!({ "statistic": fit.statistic, "freedom": fit.freedom, "p": fit.p })
            }),
        })
    }

    fn cells(&self) -> Vec<String> {
        let figures = &self.figures;
        vec![
            self.sampler.clone(),
            self.particles.to_string(),
            self.index.to_string(),
            self.role.clone(),
            self.step.to_string(),
            self.information_set.to_string(),
            format!("{:.4}", figures.bias_tv),
            format!("{:.4}", figures.bias_tv_floor),
            format!("{:.3}", figures.set_tv),
            format!("{:.3}", figures.set_tv_floor),
            format!("{:.1}", figures.ess),
            format!("{:.3}", figures.coverage),
            format!("{:.1}", figures.states_per_particle),
            figures.depletions.to_string(),
        ]
    }
}

const COLUMNS: [&str; 14] = [
    "sampler",
    "particles",
    "match",
    "role",
    "step",
    "histories",
    "bias TV",
    "floor",
    "set TV",
    "floor",
    "ESS",
    "coverage",
    "states",
    "depleted",
];

/// One sampler with one number of particles, over all its decisions.
struct Summary<'a> {
    sampler: &'a str,
    particles: usize,
    decisions: usize,
    whole: usize,
    bias_over_floor: Option<f64>,
    state_bias_over_floor: Option<f64>,
    set_over_floor: Option<f64>,
    states_per_particle: Option<f64>,
    depletions: usize,
}

impl Summary<'_> {
    fn as_json(&self) -> Value {
        json!({
            "sampler": self.sampler,
            "particles": self.particles,
            "decisions": self.decisions,
            "whole": self.whole,
            "bias_over_floor": self.bias_over_floor,
            "state_bias_over_floor": self.state_bias_over_floor,
            "set_over_floor": self.set_over_floor,
            "states_per_particle": self.states_per_particle,
            "depletions": self.depletions,
        })
    }

    fn cells(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        vec![
            self.sampler.to_owned(),
            self.particles.to_string(),
            self.decisions.to_string(),
            self.whole.to_string(),
            number(self.bias_over_floor),
            number(self.state_bias_over_floor),
            number(self.set_over_floor),
            number(self.states_per_particle),
            self.depletions.to_string(),
        ]
    }
}

const SUMMARY: [&str; 9] = [
    "sampler",
    "particles",
    "decisions",
    "whole",
    "bias TV/floor",
    "on states",
    "set TV/floor",
    "states a particle",
    "depleted",
];

/// All that was measured.
#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
    left_out: Vec<Value>,
    blocks: usize,
}

impl Report {
    /// The number of blocks added.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Adds the figures of a block at its points.
    pub fn add(&mut self, block: &Block<'_>, points: &[Point], figures: Vec<Figures>) {
        self.blocks += 1;
        self.rows.extend(points.iter().zip(figures).map(|(point, figures)| Row {
            sampler: block.sampler.clone(),
            particles: block.particles,
            index: block.index,
            role: block.role.to_owned(),
            step: point.evidence.step(),
            information_set: point.posterior.histories.len(),
            states: point.posterior.ends.iter().max().map_or(0, |last| last + 1),
            choice: point.choice,
            figures,
        }));
    }

    /// Notes why the points of a match end before it does.
    pub fn leave_out(&mut self, index: usize, role: &str, why: &ExactError) {
        self.left_out.push(json!({ "match": index, "role": role, "why": why.to_string() }));
    }

    /// Adds the keys that `docs/json.md` describes.
    pub fn put_into(&self, document: &mut Value) {
        document["rows"] = self.rows.iter().map(Row::as_json).collect();
        document["summary"] = self.summary().iter().map(Summary::as_json).collect();
        document["left_out"] = Value::Array(self.left_out.clone());
    }

    /// The report for reading.
    ///
    /// # Errors
    /// If standard output cannot be written to.
    pub fn write(&self, out: &Output) -> Result<(), Failure> {
        let head = |names: &[&str]| names.iter().copied().map(str::to_owned).collect::<Vec<String>>();
        let mut table = vec![head(&COLUMNS)];
        table.extend(self.rows.iter().map(Row::cells));
        out.table(&table)?;
        for left_out in &self.left_out {
            let text = |key: &str| left_out[key].as_str().unwrap_or_default();
            out.line(format_args!(
                "left out, match {}, {}: {}",
                left_out["match"],
                text("role"),
                text("why")
            ))?;
        }
        out.line("\nOver the decisions (more than one legal move, more than one history); geometric means:")?;
        let mut table = vec![head(&SUMMARY)];
        table.extend(self.summary().iter().map(Summary::cells));
        out.table(&table)
    }

    fn summary(&self) -> Vec<Summary<'_>> {
        let mut keys: Vec<(&str, usize)> = Vec::new();
        for row in &self.rows {
            let key = (row.sampler.as_str(), row.particles);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys.into_iter().map(|(sampler, particles)| self.summary_of(sampler, particles)).collect()
    }

    fn summary_of<'a>(&'a self, sampler: &'a str, particles: usize) -> Summary<'a> {
        let all = self.rows.iter().filter(|row| row.sampler == sampler && row.particles == particles);
        let (decisions, others): (Vec<&Row>, Vec<&Row>) = all.partition(|row| row.is_decision());
        let depleted = |rows: &[&Row]| rows.iter().map(|row| row.figures.depletions).sum::<usize>();
        let sampled: Vec<&Figures> = decisions
            .iter()
            .map(|row| &row.figures)
            .filter(|figures| !(figures.state_bias_tv < EXACT))
            .collect();
        let mean = |figure: &dyn Fn(&Figures) -> f64| {
            let sum: f64 = sampled.iter().map(|figures| figure(figures)).sum();
            (!sampled.is_empty()).then(|| sum / sampled.len() as f64)
        };
        let geometric = |ratio: &dyn Fn(&Figures) -> f64| {
            mean(&|figures| ratio(figures).ln()).map(f64::exp).filter(|mean| mean.is_finite())
        };
        Summary {
            sampler,
            particles,
            decisions: decisions.len(),
            whole: decisions.len() - sampled.len(),
            bias_over_floor: geometric(&|figures| figures.bias_tv / figures.bias_tv_floor),
            state_bias_over_floor: geometric(&|figures| figures.state_bias_tv / figures.state_bias_tv_floor),
            set_over_floor: geometric(&|figures| figures.set_tv / figures.set_tv_floor),
            states_per_particle: mean(&|figures| figures.states_per_particle),
            depletions: depleted(&decisions) + depleted(&others),
        }
    }
}
