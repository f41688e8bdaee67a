//! Summary: one sampler with one number of particles, over all its decisions.
//!
//! A decision is a point where the role has more than one legal move and more than one history is possible. A ratio is
//! the sum of a distance over the decisions, divided by the sum of the same distance of the
//! [control](super::harness::Control) at the same decisions: independent draws from the posterior, of as many particles
//! in as many replicates. The bias is divided by its expectation under such draws as well: the bias of the control is
//! a sum of absolute errors, as noisy as that of the sampler, and its expectation has no noise. It is a ratio of
//! arithmetic means. A mean of ratios would not do: where a decision has few histories its distance is one absolute
//! error, and the geometric mean of such errors over their expectation is 0.6 to 1 for perfect sampling, by Jensen's
//! inequality. The decisions of a match hang together, so intervals are over the matches. Decisions at which every
//! replicate enumerated the posterior, or the exact distribution of the states, are counted separately and are in no ratio.

use std::collections::BTreeMap;

use serde::Serialize;

use super::draws::independent_draws;
use super::harness::{BINS, Bin, Costs, Exactly, MethodCounts, PosteriorSource};
use super::row::{Measured, StudyRow, grouped};
use hyperplay_report::{Mean, MeanInterval, fields};

/// A chi-squared test rejects where its p is below this.
pub const LEVEL: f64 = 0.05;

/// The figures of rows of which a summary has the mean over all decisions, the enumerated ones included.
const MEANS: &str = "attempts_per_particle bias_tv \
    bias_tv_control bias_tv_baseline set_tv set_tv_control set_tv_baseline state_set_tv held distinct \
    backtracks_per_particle coverage coverage_baseline kl true_history_ratio \
    true_history_ratio_exact log_loss log_loss_exact brier brier_exact";

/// One sampler with one number of particles against one posterior. Figures have the names of their columns.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudySummary {
    /// What it is of.
    #[serde(flatten)]
    pub of: Measured,
    /// Whether the posterior is one of histories or of states.
    #[serde(flatten)]
    pub source: PosteriorSource,
    /// The only step that it is over, if it is over one: then over all rows in the place of decisions.
    pub step: Option<usize>,
    /// Decisions, matches, tests.
    #[serde(flatten)]
    pub counts: BTreeMap<&'static str, usize>,
    /// Independent draws, regret, and ratios to as many independent draws.
    #[serde(flatten)]
    pub intervals: BTreeMap<&'static str, MeanInterval>,
    /// Means over all decisions, and times, which the seed does not determine.
    #[serde(flatten)]
    pub means: BTreeMap<&'static str, f64>,
    /// How the particles were found, over all replicates of all decisions.
    #[serde(rename = "method")]
    pub methods: MethodCounts,
    /// Over all decisions.
    pub calibration: [Bin; BINS],
    /// The same of as many independent draws.
    pub calibration_control: [Bin; BINS],
}

/// The summaries of these rows, in the order in which the samplers come first.
pub fn summaries(rows: &[StudyRow]) -> Vec<StudySummary> {
    by(rows, |_| None)
}

/// The summaries of each step, from the first one on.
pub fn step_summaries(rows: &[StudyRow]) -> Vec<StudySummary> {
    let mut all = by(rows, |row| Some(row.place.step));
    all.sort_by_key(|summary| summary.step);
    all
}

fn by(rows: &[StudyRow], step: fn(&StudyRow) -> Option<usize>) -> Vec<StudySummary> {
    let groups = grouped(rows, |row| (&row.of, row.source, step(row)));
    groups.into_iter().map(|((of, source, step), rows)| summary(&rows, of, source, step)).collect()
}

fn summary(all: &[&StudyRow], of: &Measured, source: PosteriorSource, step: Option<usize>) -> StudySummary {
    let rows: Vec<&StudyRow> = all.iter().copied().filter(|row| row.is_decision || step.is_some()).collect();
    let that_are = |exactly| rows.iter().copied().filter(move |row| row.figures.exactly == exactly);
    let compared: Vec<&StudyRow> = that_are(None).collect();
    // Histories that end in one state have no distance on states, only what rounding leaves of it.
    let of_states = |row: &StudyRow| if row.states > Some(1) { row.figures.state_bias_tv } else { f64::NAN };
    let ratio = |pair: &dyn Fn(&StudyRow) -> (f64, f64)| mean_over_matches(&compared, pair);
    let fits = || {
        let of_histories = rows.iter().filter(|row| row.figures.exactly != Some(Exactly::States));
        of_histories.filter_map(|row| row.figures.chi_squared)
    };
    let is_valued = |row: &&&StudyRow| row.figures.regret.value.is_finite();
    let draws = independent_draws(&compared);
    let read: Vec<_> = rows.iter().map(fields).collect();
    // A figure that is not finite is no number.
    let of_field = |name| Mean::of(read.iter().filter_map(|row| row.get(name)?.as_f64())).value;
    let mut means: BTreeMap<&str, f64> = MEANS.split(' ').map(|name| (name, of_field(name))).collect();
    let costs = |row: &&StudyRow| row.figures.costs;
    let accepted = |costs: Costs| {
        if costs.attempts_per_particle > 0.0 { costs.attempts_per_particle * costs.acceptance } else { 0.0 }
    };
    let finite =
        |values: &mut dyn Iterator<Item = f64>| Mean::of(values.filter(|value| value.is_finite())).value;
    let accepted = finite(&mut rows.iter().map(costs).map(accepted));
    let seconds = finite(&mut all.iter().map(|row| row.figures.costs.seconds.mean));
    let longest = all.iter().map(|row| row.figures.costs.seconds.max).fold(f64::NAN, f64::max);
    means.extend([
        ("acceptance", accepted / means["attempts_per_particle"]),
        ("distinct_fraction", means["distinct"] / of.particles as f64),
        ("log_loss_excess", means["log_loss"] - means["log_loss_exact"]),
        ("update_ms", 1e3 * seconds),
        ("update_ms_max", 1e3 * longest),
        ("independent_per_second", draws.value / seconds),
    ]);
    let mut methods = MethodCounts::default();
    rows.iter().for_each(|row| methods.add(&row.figures.methods));
    StudySummary {
        of: of.clone(),
        source,
        step,
        counts: BTreeMap::from([
            ("decisions", rows.len()),
            ("enumerated", that_are(Some(Exactly::Histories)).count()),
            ("states_exact", that_are(Some(Exactly::States)).count()),
            ("compared", compared.len()),
            ("matches", grouped(compared.iter().copied(), |row| row.place.index).len()),
            ("chi_squared_tests", fits().count()),
            ("chi_squared_rejected", fits().filter(|fit| fit.p < LEVEL).count()),
            ("valued", rows.iter().filter(is_valued).count()),
            ("depletions", all.iter().map(|row| row.figures.depletions).sum()),
        ]),
        intervals: BTreeMap::from([
            ("independent_draws", draws),
            ("bias_over_control", ratio(&|row| (row.figures.bias_tv, row.control.bias_tv))),
            ("state_bias_over_control", ratio(&|row| (of_states(row), row.control.state_bias_tv))),
            ("bias_over_baseline", ratio(&|row| (row.figures.bias_tv, row.figures.bias_tv_baseline))),
            ("state_bias_over_baseline", ratio(&|row| (of_states(row), row.figures.state_bias_tv_baseline))),
            ("set_over_control", ratio(&|row| (row.figures.set_tv, row.control.set_tv))),
            ("regret", mean_over_matches(&rows, &|row| (row.figures.regret.value, 1.0))),
        ]),
        means,
        methods,
        calibration: Bin::sums(rows.iter().map(|row| &row.figures.calibration), 1.0),
        calibration_control: Bin::sums(rows.iter().map(|row| &row.control.calibration), 1.0),
    }
}

/// The sum of the first figures of these pairs over that of the second ones, with an interval over matches.
pub(super) fn mean_over_matches(rows: &[&StudyRow], pair: &dyn Fn(&StudyRow) -> (f64, f64)) -> MeanInterval {
    over_matches(rows.iter().map(|row| (row.place.index, pair(row))))
}

/// The same of pairs with the numbers of their matches; pairs that are not finite are left out.
pub(super) fn over_matches(pairs: impl Iterator<Item = (usize, (f64, f64))>) -> MeanInterval {
    let mut matches: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (index, (one, other)) in pairs.filter(|(_, (one, other))| one.is_finite() && other.is_finite()) {
        let sums = matches.entry(index).or_default();
        *sums = (sums.0 + one, sums.1 + other);
    }
    // No figure of a study is below zero, so neither is what is possible of it.
    let all = MeanInterval::ratio_of_sums(matches.into_values());
    MeanInterval { low: all.low.clamp(0.0, f64::INFINITY), ..all }
}

#[cfg(test)]
mod tests {
    use super::super::{Blocks, MatchSource, Study, StudyGame, StudyPlan, WORK};
    use super::*;
    use hyperplay_engine::{EngineKind, Engines};
    use hyperplay_logic::gdl::{Source, load};
    use hyperplay_machine::Role;
    use hyperplay_play::player::Registry;
    use hyperplay_play::referee::Interrupt;

    /// `it` says something that `me` does not hear, twice; its words leave no trace if the states are to be `single`.
    fn study(single: bool, sampler: &str) -> Study {
        let trace = if single { "" } else { "(<= (next (said ?n ?x)) (does it ?x) (true (step ?n)))" };
        let text = format!(
            "(role me) (role it) (init (step 1)) (succ 1 2) (succ 2 3) (legal me a) (legal me b) (legal it a) (legal it b)
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) {trace}
             (<= (next (said ?n ?x)) (true (said ?n ?x))) (<= (sees it ?x) (does it ?x)) (<= (sees me ?x) (does me ?x))
             (<= terminal (true (step 3))) (goal me 50) (goal it 50)"
        );
        let game = load(Source::new("says", text), None).game.expect("the rules are in order");
        let machine = Engines::new(&game).get(EngineKind::Auto).expect("there is an engine");
        let registry = Registry::standard();
        let plan = StudyPlan {
            samplers: vec![registry.sampler(sampler).expect("there is one")],
            particles: vec![8],
            replicates: 300,
            matches: 20,
            play: MatchSource::read("uniform", &registry).expect("there is one"),
            equilibrium: None,
            roles: vec![Role::new(0)],
            steps: (1, 9),
            limit: 100,
            update_limit: None,
            playouts: 0,
            work: WORK,
            seed: 3,
        };
        plan.study(
            &StudyGame::unnamed(&machine),
            &Interrupt::default(),
            (&|| (), &|_| ()),
            &mut Blocks::default(),
        )
        .expect("nothing fails")
    }

    #[test]
    fn a_ratio_is_that_of_the_sums_and_of_draws_it_is_one() {
        let study = study(false, "exact");
        let all = &summaries(&study.rows)[0];
        let sum = |figure: &dyn Fn(&StudyRow) -> f64| study.rows.iter().map(figure).sum::<f64>();
        let sums = (sum(&|row| row.figures.bias_tv), sum(&|row| row.control.bias_tv));
        let MeanInterval { value, low, high } = all.intervals["bias_over_control"];
        assert!(
            (value - sums.0 / sums.1).abs() < 1e-12
                && (all.counts["decisions"], all.counts["enumerated"]) == (20, 0)
        );
        // The draws of the control are others, so the ratio is not 1 itself.
        assert!(low < 1.0 && high > 1.0 && (value - 1.0).abs() > 1e-9, "{all:?}");
        assert!((all.intervals["set_over_control"].value - 1.0).abs() < 0.05, "{all:?}");
        let over = &all.intervals["bias_over_baseline"];
        let expected = sum(&|row| row.figures.bias_tv_baseline);
        assert!(
            (over.value - sums.0 / expected).abs() < 1e-12 && over.low < 1.0 && over.high > 1.0,
            "{all:?}"
        );
        // The mean of the control is the baseline that is computed.
        assert!((all.means["bias_tv_control"] / all.means["bias_tv_baseline"] - 1.0).abs() < 0.5, "{all:?}");
    }

    #[test]
    fn only_the_complete_posterior_counts_as_enumerated() {
        let all = &summaries(&study(false, "hyperplay").rows)[0];
        assert_eq!((all.counts["decisions"], all.counts["enumerated"]), (20, 20));
        assert!(
            all.intervals["bias_over_control"].value.is_nan() && all.methods.to_string() == "enumeration"
        );
        // All histories end in one state: the states have no distance, the histories have.
        let all = &summaries(&study(true, "bootstrap").rows)[0];
        assert_eq!((all.counts["decisions"], all.counts["enumerated"]), (20, 0));
        assert!(
            all.intervals["bias_over_control"].value > 0.5
                && all.intervals["state_bias_over_control"].value.is_nan()
                && all.intervals["state_bias_over_baseline"].value.is_nan(),
            "{all:?}"
        );
    }
}
