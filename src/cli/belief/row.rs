//! Row: the figures of one sampler at one point, as JSON, and what each column means.
//!
//! Invariant: [`COLUMNS`] lists the keys of every row, in order, and holds no time; times are rows of their own.

use serde_json::{Value, json};

use hyperplay_play::belief::meter::{Figures, Source};

/// The columns of a row with their meaning; `docs/json.md` says the same.
pub const COLUMNS: [(&str, &str); 52] = [
    ("sampler", "the spec of the sampler"),
    ("particles", "particles asked for"),
    (
        "posterior",
        "measured against the posterior under: U uniform opponents, P the policies really played, M the sampler's own model",
    ),
    ("oracle", "exact: the posterior is enumerated; reference: a large run stands in for it"),
    ("reference_particles", "particles of the reference run, or null"),
    ("match", "the match, from 0"),
    ("role", "whose belief"),
    ("step", "joint moves made"),
    ("information_set", "histories that are possible, or null where they were not counted"),
    ("distinct_states", "states they end in, or null"),
    ("decision", "whether there is more than one history and more than one legal move"),
    ("bias_tv", "total variation distance of the mean of all sets from the posterior"),
    ("bias_tv_low", "lower end of its 95 % interval (bootstrap over runs)"),
    ("bias_tv_high", "upper end of the same"),
    ("bias_tv_floor", "its expectation under independent draws from the posterior"),
    ("state_bias_tv", "bias_tv for the states that histories end in"),
    ("state_bias_tv_floor", "its expectation under independent draws"),
    ("set_tv", "mean total variation distance of one set from the posterior"),
    ("set_tv_error", "its standard error over runs"),
    ("set_tv_floor", "its expectation under independent draws"),
    ("kl", "Kullback-Leibler divergence of the posterior from the smoothed mean of all sets, in nats"),
    ("ess", "mean effective sample size"),
    ("ess_error", "its standard error"),
    ("coverage", "mean posterior mass (or mass of the reference run) of the histories held"),
    ("coverage_error", "its standard error"),
    ("coverage_floor", "its expectation under independent draws"),
    ("distinct", "mean number of different histories held"),
    ("distinct_fraction", "the same over the particles asked for"),
    ("truth", "mean weight on the true history, times the number of histories"),
    ("truth_error", "its standard error"),
    ("truth_exact", "the same of the posterior itself"),
    ("log_loss", "mean log loss of the marginals of open fluents, in nats"),
    ("log_loss_error", "its standard error"),
    ("log_loss_exact", "the same of the posterior itself"),
    ("brier", "mean Brier score of the marginals of open fluents"),
    ("brier_error", "its standard error"),
    ("brier_exact", "the same of the posterior itself"),
    ("open_fluents", "fluents that may hold and may not"),
    ("regret", "goal points lost by choosing by the set instead of by the posterior"),
    ("regret_error", "its standard error"),
    ("states_per_particle", "states visited at this step for one particle, rejuvenation included"),
    ("states_per_particle_error", "its standard error"),
    ("rejuvenation_states_per_particle", "those of them that were visited in rejuvenation"),
    ("rejuvenation_moves_per_particle", "Metropolis-Hastings moves for one particle"),
    ("rejuvenation_accepted", "the share of these that led to another history, or null"),
    ("backtracks_per_particle", "moves taken back, or fresh starts, for one particle"),
    ("states_median", "states of an update of all particles, median over runs"),
    ("states_max", "the same, greatest over runs"),
    ("sets", "sets with particles"),
    ("depletions", "sets without"),
    (
        "chi_squared",
        "test that the draws come from the posterior: statistic, freedom, p, draws; null with one cell",
    ),
    ("calibration", "ten bins of the marginals: fluents, sum of marginals, how many hold in truth"),
];

/// The figures of one sampler at one point.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The spec of the sampler.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// Which posterior.
    pub posterior: &'static str,
    /// The match.
    pub index: usize,
    /// The name of the role.
    pub role: String,
    /// Joint moves made.
    pub step: usize,
    /// Who made the posterior.
    pub source: Source,
    /// Histories of the posterior.
    pub information_set: usize,
    /// States they end in.
    pub states: usize,
    /// Whether this is a decision.
    pub is_decision: bool,
    /// The figures.
    pub figures: Figures,
}

impl Row {
    /// Whether the posterior is exact.
    pub fn is_exact(&self) -> bool {
        self.source == Source::Exact
    }

    /// The row with the keys of [`COLUMNS`]. Figures that could not be had are null.
    pub fn as_json(&self) -> Value {
        let Row { figures, .. } = self;
        let costs = &figures.costs;
        let counted = |count: usize| self.is_exact().then_some(count);
        let (oracle, reference) = match self.source {
            Source::Exact => ("exact", None),
            Source::Reference(particles) => ("reference", Some(particles)),
        };
        let values = [
            json!(self.sampler),
            json!(self.particles),
            json!(self.posterior),
            json!(oracle),
            json!(reference),
            json!(self.index),
            json!(self.role),
            json!(self.step),
            json!(counted(self.information_set)),
            json!(counted(self.states)),
            json!(self.is_decision),
            json!(figures.bias_tv),
            json!(figures.bias_tv_interval.0),
            json!(figures.bias_tv_interval.1),
            json!(figures.bias_tv_floor),
            json!(figures.state_bias_tv),
            json!(figures.state_bias_tv_floor),
            json!(figures.set_tv),
            json!(figures.set_tv_error),
            json!(figures.set_tv_floor),
            json!(figures.kl),
            json!(figures.ess),
            json!(figures.ess_error),
            json!(figures.coverage),
            json!(figures.coverage_error),
            json!(figures.coverage_floor),
            json!(figures.distinct),
            json!(figures.distinct / self.particles as f64),
            json!(figures.truth.value),
            json!(figures.truth.error),
            json!(figures.truth_exact),
            json!(figures.log_loss.value),
            json!(figures.log_loss.error),
            json!(figures.log_loss_exact),
            json!(figures.brier.value),
            json!(figures.brier.error),
            json!(figures.brier_exact),
            json!(figures.open_fluents),
            json!(figures.regret.value),
            json!(figures.regret.error),
            json!(costs.states_per_particle.value),
            json!(costs.states_per_particle.error),
            json!(costs.rejuvenation_per_particle),
            json!(costs.moves_per_particle),
            json!(costs.moves_accepted),
            json!(costs.backtracks_per_particle),
            json!(costs.states_median),
            json!(costs.states_max),
            json!(figures.sets),
            json!(figures.depletions),
            json!(figures.chi_squared.map(|fit| {
                json!({ "statistic": fit.statistic, "freedom": fit.freedom, "p": fit.p, "draws": fit.draws })
            })),
            figures.calibration.iter().map(|bin| json!([bin.count, bin.said, bin.held])).collect(),
        ];
        COLUMNS.iter().zip(values).map(|(&(key, _), value)| (key.to_owned(), value)).collect()
    }

    /// The times of the same, which the seed does not fix.
    pub fn times(&self) -> Value {
        let [mean, median, max] = self.figures.costs.seconds;
        json!({
            "sampler": self.sampler,
            "particles": self.particles,
            "posterior": self.posterior,
            "match": self.index,
            "role": self.role,
            "step": self.step,
            "seconds_mean": mean,
            "seconds_median": median,
            "seconds_max": max,
            "particles_per_second": self.particles as f64 / mean,
        })
    }

    /// The row as cells of a CSV file: what is nested becomes columns of its own, null an empty cell.
    pub fn cells(&self) -> Vec<(String, String)> {
        let Value::Object(row) = self.as_json() else { return Vec::new() };
        let mut cells = Vec::new();
        for (key, value) in row {
            match (key.as_str(), value) {
                ("chi_squared", fit) => {
                    for part in ["statistic", "freedom", "p", "draws"] {
                        cells.push((format!("{key}_{part}"), cell(&fit[part])));
                    }
                }
                ("calibration", Value::Array(bins)) => {
                    for (at, bin) in bins.iter().enumerate() {
                        for (part, name) in ["count", "said", "held"].iter().enumerate() {
                            cells.push((format!("{key}_{at}_{name}"), cell(&bin[part])));
                        }
                    }
                }
                (_, value) => cells.push((key, cell(&value))),
            }
        }
        cells
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
