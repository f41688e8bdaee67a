//! Summary: one sampler with one number of particles, over all its decisions.
//!
//! A decision is a point where the role has more than one legal move and more than one history is possible. A ratio is
//! the sum of a distance over the decisions, divided by the sum of the same distance of the
//! [control](super::harness::Control) at the same decisions: independent draws from the posterior, of as many particles
//! in as many replicates. It is a ratio of arithmetic means. A mean of ratios would not do: where a decision has few
//! histories its distance is one absolute error, and the geometric mean of such errors over their expectation is 0.6 to
//! 1 for perfect sampling, by Jensen's inequality. The decisions of a match
//! hang together, so intervals are a bootstrap over the matches. Decisions at which every
//! replicate enumerated the posterior, or the exact distribution of the states, are counted separately and are in no ratio.

use std::collections::BTreeMap;

use rand::Rng;
use serde::Serialize;

use super::draws::{by_match, independent_draws};
use super::harness::{BINS, Bin, Exactly, Figures, MethodCounts, PosteriorSource};
use super::row::StudyRow;
use hyperplay_machine::Seed;
use hyperplay_report::{Mean, MeanInterval, fields};

/// A chi-squared test rejects where its p is below this.
pub const LEVEL: f64 = 0.05;

/// The figures of rows of which a summary has the mean over all decisions, the enumerated ones included.
const MEANS: &str = "attempts_per_particle bias_tv \
    bias_tv_control bias_tv_baseline set_tv set_tv_control set_tv_baseline state_set_tv held distinct \
    backtracks_per_particle coverage coverage_baseline kl true_history_ratio \
    true_history_ratio_exact log_loss log_loss_exact brier brier_exact";

/// One sampler with one number of particles against one posterior.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudySummary {
    /// The game.
    pub game: String,
    /// The spec of the sampler.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// The letter of the posterior.
    pub posterior: &'static str,
    /// Whether it is one of histories or of states.
    #[serde(flatten)]
    pub source: PosteriorSource,
    /// The only step that it is over, if it is over one: then over all rows in the place of decisions.
    pub step: Option<usize>,
    /// Decisions.
    pub decisions: usize,
    /// The part of them at which the particles are the complete posterior, enumerated in every replicate.
    pub enumerated: usize,
    /// The part of them at which they are the exact distribution of the states instead.
    pub states_exact: usize,
    /// The other decisions, which the ratios are over.
    pub compared: usize,
    /// The matches with such a decision, which intervals are over.
    pub matches: usize,
    /// The number of independent draws from the posterior whose expected set TV has the same sum over these decisions.
    pub independent_draws: MeanInterval,
    /// Bias TV over that of the control.
    pub bias_over_control: MeanInterval,
    /// The same for states, where there is more than one.
    pub state_bias_over_control: MeanInterval,
    /// Set TV over that of the control.
    pub set_over_control: MeanInterval,
    /// How the particles were found, over all replicates of all decisions.
    #[serde(rename = "method")]
    pub methods: MethodCounts,
    /// The share of the steps drawn and compared with the observation that agreed; NaN without any.
    pub acceptance: f64,
    /// Chi-squared tests.
    pub chi_squared_tests: usize,
    /// Those of them with p below 0.05.
    pub chi_squared_rejected: usize,
    /// Different histories over particles.
    pub distinct_fraction: f64,
    /// The log loss of marginals less that of the posterior.
    pub log_loss_excess: f64,
    /// Goal points lost.
    pub regret: MeanInterval,
    /// Decisions with a regret.
    pub valued: usize,
    /// Over all decisions.
    pub calibration: [Bin; BINS],
    /// The same of as many independent draws.
    pub calibration_control: [Bin; BINS],
    /// Over all rows.
    pub depletions: usize,
    /// Milliseconds of processor time for one update, on average over all rows. The seed does not determine them.
    pub update_ms: f64,
    /// The longest update of all, likewise.
    pub update_ms_max: f64,
    /// Independent draws over the mean time.
    pub independent_per_second: f64,
    /// The mean over all decisions of further figures of the rows, by name.
    #[serde(flatten)]
    pub means: BTreeMap<&'static str, f64>,
}

/// The summaries of these rows, in the order in which the samplers come first.
pub fn summaries(rows: &[StudyRow], seed: u64) -> Vec<StudySummary> {
    by(rows, seed, |_| None)
}

/// The summaries of each step, from the first one on.
pub fn step_summaries(rows: &[StudyRow], seed: u64) -> Vec<StudySummary> {
    let mut all = by(rows, seed, |row| Some(row.step));
    all.sort_by_key(|summary| summary.step);
    all
}

fn by(rows: &[StudyRow], seed: u64, step: fn(&StudyRow) -> Option<usize>) -> Vec<StudySummary> {
    let mut groups: Vec<(SummaryKey<'_>, Vec<&StudyRow>)> = Vec::new();
    for row in rows {
        let key = (row.sampler.as_str(), row.particles, row.posterior, row.source, step(row));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups.into_iter().map(|(key, rows)| summary(&rows, key, seed)).collect()
}

/// Sampler, particles, posterior, whether it is one of histories or of states, and the step if it is over one.
type SummaryKey<'a> = (&'a str, usize, &'static str, PosteriorSource, Option<usize>);

fn summary(all: &[&StudyRow], of: SummaryKey<'_>, seed: u64) -> StudySummary {
    let (sampler, particles, posterior, source, step) = of;
    let rows: Vec<&StudyRow> = all.iter().copied().filter(|row| row.is_decision || step.is_some()).collect();
    let decisions: Vec<&Figures> = rows.iter().map(|row| &row.figures).collect();
    let that_are = |exactly| rows.iter().copied().filter(move |row| row.figures.exactly == exactly);
    let compared: Vec<&StudyRow> = that_are(None).collect();
    let seed = Seed::root(seed).child("summary");
    // Histories that end in one state have no distance on states, only what rounding leaves of it.
    let of_states = |row: &StudyRow| if row.states > Some(1) { row.figures.state_bias_tv } else { f64::NAN };
    let ratio = |name: &str, pair: &dyn Fn(&StudyRow) -> (f64, f64)| {
        over_matches(&compared, pair, &mut seed.child(name).rng())
    };
    let independent_draws = independent_draws(&compared, &seed);
    let mean = |over: &[&Figures], figure: &dyn Fn(&Figures) -> f64| {
        Mean::of(over.iter().map(|figures| figure(figures)).filter(|value| value.is_finite())).value
    };
    let read: Vec<_> = rows.iter().map(fields).collect();
    // A figure that is not finite is no number.
    let of_field = |name| Mean::of(read.iter().filter_map(|row| row.get(name)?.as_f64())).value;
    let means: BTreeMap<&str, f64> = MEANS.split(' ').map(|name| (name, of_field(name))).collect();
    let bins = |of: fn(&StudyRow) -> &[Bin; BINS]| {
        let mut sums = [Bin::default(); BINS];
        let all = rows.iter().flat_map(|row| of(row).iter().enumerate());
        all.for_each(|(at, bin)| sums[at].add(bin, 1.0));
        sums
    };
    let is_of_histories = |figures: &&&Figures| figures.exactly != Some(Exactly::States);
    let fits = || decisions.iter().filter(is_of_histories).filter_map(|figures| figures.chi_squared);
    let mut methods = MethodCounts::default();
    decisions.iter().for_each(|figures| methods.add(&figures.methods));
    let accepted = mean(&decisions, &|figures| {
        let costs = &figures.costs;
        if costs.attempts_per_particle > 0.0 { costs.attempts_per_particle * costs.acceptance } else { 0.0 }
    });
    let every: Vec<&Figures> = all.iter().map(|row| &row.figures).collect();
    let seconds = mean(&every, &|figures| figures.costs.seconds.mean);
    let regret = |row: &StudyRow| (row.figures.regret.value, 1.0);
    StudySummary {
        game: all[0].game.clone(),
        sampler: sampler.to_owned(),
        particles,
        posterior,
        source,
        step,
        decisions: decisions.len(),
        enumerated: that_are(Some(Exactly::Histories)).count(),
        states_exact: that_are(Some(Exactly::States)).count(),
        compared: compared.len(),
        matches: by_match(&compared).len(),
        independent_draws,
        bias_over_control: ratio("bias", &|row| (row.figures.bias_tv, row.control.bias_tv)),
        state_bias_over_control: ratio("state", &|row| (of_states(row), row.control.state_bias_tv)),
        set_over_control: ratio("set", &|row| (row.figures.set_tv, row.control.set_tv)),
        methods,
        acceptance: accepted / means["attempts_per_particle"],
        chi_squared_tests: fits().count(),
        chi_squared_rejected: fits().filter(|fit| fit.p < LEVEL).count(),
        distinct_fraction: means["distinct"] / particles as f64,
        log_loss_excess: means["log_loss"] - means["log_loss_exact"],
        regret: over_matches(&rows, &regret, &mut seed.child("regret").rng()),
        valued: decisions.iter().filter(|figures| figures.regret.value.is_finite()).count(),
        calibration: bins(|row| &row.figures.calibration),
        calibration_control: bins(|row| &row.control.calibration),
        depletions: every.iter().map(|figures| figures.depletions).sum(),
        update_ms: 1e3 * seconds,
        update_ms_max: 1e3 * every.iter().map(|figures| figures.costs.seconds.max).fold(f64::NAN, f64::max),
        independent_per_second: independent_draws.value / seconds,
        means,
    }
}

/// The sum of the first figures of these pairs over that of the second ones, with a bootstrap over matches; pairs that are not
/// finite are left out.
pub(super) fn over_matches(
    rows: &[&StudyRow],
    pair: &dyn Fn(&StudyRow) -> (f64, f64),
    rng: &mut impl Rng,
) -> MeanInterval {
    let of_match = |rows: &Vec<&StudyRow>| {
        let known =
            rows.iter().map(|row| pair(row)).filter(|(one, other)| one.is_finite() && other.is_finite());
        known.reduce(|sums, pair| (sums.0 + pair.0, sums.1 + pair.1))
    };
    MeanInterval::ratio_of_sums(by_match(rows).iter().filter_map(of_match), rng)
}

#[cfg(test)]
mod tests {
    use super::super::{MatchSource, Study, StudyPlan};
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
            seed: 3,
        };
        plan.study(&machine, &machine, &Interrupt::default(), &|| ()).expect("nothing fails")
    }

    #[test]
    fn a_ratio_is_that_of_the_sums_and_of_draws_it_is_one() {
        let study = study(false, "exact");
        let all = &study.summaries(1)[0];
        let sum = |figure: &dyn Fn(&StudyRow) -> f64| study.rows.iter().map(figure).sum::<f64>();
        let sums = (sum(&|row| row.figures.bias_tv), sum(&|row| row.control.bias_tv));
        let MeanInterval { value, low, high } = all.bias_over_control;
        assert!((value - sums.0 / sums.1).abs() < 1e-12 && (all.decisions, all.enumerated) == (20, 0));
        // The draws of the control are others, so the ratio is not 1 itself.
        assert!(low < 1.0 && high > 1.0 && (value - 1.0).abs() > 1e-9, "{:?}", all.bias_over_control);
        assert!((all.set_over_control.value - 1.0).abs() < 0.05, "{:?}", all.set_over_control);
        // The mean of the control is the baseline that is computed.
        assert!((all.means["bias_tv_control"] / all.means["bias_tv_baseline"] - 1.0).abs() < 0.5, "{all:?}");
    }

    #[test]
    fn only_the_complete_posterior_counts_as_enumerated() {
        let all = &study(false, "hyperplay").summaries(1)[0];
        assert_eq!((all.decisions, all.enumerated), (20, 20));
        assert!(all.bias_over_control.value.is_nan() && all.methods.to_string() == "enumeration");
        // All histories end in one state: the states have no distance, the histories have.
        let all = &study(true, "bootstrap").summaries(1)[0];
        assert_eq!((all.decisions, all.enumerated), (20, 0));
        assert!(all.bias_over_control.value > 0.5 && all.state_bias_over_control.value.is_nan(), "{all:?}");
    }
}
