//! Tests of the evaluation harness by the binary: what it measures, and that it measures the same on any number of
//! threads. The learning curve of Monty Hall shows what unbiased particles are worth.

use crate::common::program::{json, stderr};
use serde_json::Value;

/// The report of `hyperplay belief` with these arguments, without times and what follows from them.
fn belief(arguments: &str) -> Value {
    let mut report = json(&format!("belief {arguments}"), 0);
    for key in ["seconds", "threads"] {
        assert!(report.as_object_mut().unwrap().remove(key).is_some());
    }
    let times = [
        ("frontier", &["ms", "ms_low", "ms_high", "front"][..]),
        ("steps", &["update_ms", "update_ms_max", "independent_per_second"]),
    ];
    for (table, keys) in times {
        for row in report[table].as_array_mut().unwrap() {
            assert!(keys.iter().all(|&key| row.as_object_mut().unwrap().remove(key).is_some()), "{row}");
        }
    }
    report
}

/// A figure of the summary of a sampler.
fn summary(report: &Value, sampler: &str, key: &str) -> f64 {
    let mut all = report["summary"].as_array().unwrap().iter();
    all.find(|summary| summary["sampler"] == sampler).unwrap()[key].as_f64().unwrap()
}

#[test]
fn every_row_has_its_keys_and_figures_within_their_bounds() {
    let report = belief(
        "krieg_tictactoe_3x3 --sampler hyperplay:enumerate=off --sampler hyperplay12 --sampler rejection \
         --sampler hyperplay --sampler exact --particles 4,16 --replicates 20 --matches 1 --steps 3 --seed 1",
    );
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5 * 2 * 2 * 3);
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        for key in ["bias_tv", "set_tv", "bias_tv_baseline", "set_tv_baseline", "coverage"] {
            assert!((0.0..=1.0 + 1e-9).contains(&number(key)), "{key}: {row}");
        }
        assert!(number("bias_tv") <= number("set_tv") + 1e-9, "{row}");
        assert!(number("bias_tv_baseline") < number("set_tv_baseline"), "{row}");
        let most =
            number("particles").max(if row["sampler"] == "hyperplay" { number("distinct") } else { 0.0 });
        assert!(number("ess") <= most + 1e-9 && number("distinct") <= most + 1e-9, "{row}");
        assert!(number("distinct") <= number("information_set"), "{row}");
        assert!(number("true_history_ratio") >= 0.0 && number("kl") >= -1e-9, "{row}");
        assert_eq!((number("sets"), number("depletions")), (20.0, 0.0));
        assert!(row["decision"].is_boolean() && row["role"].is_string() && row["match"] == 0);
        let independent = row["sampler"] == "rejection" || row["sampler"] == "exact";
        // With few draws for many histories all are in one cell.
        let draws = if independent { 20.0 * number("particles") } else { 20.0 };
        if row["chi_squared"].is_null() {
            assert!(draws < 10.0 || number("information_set") > draws / 10.0, "{row}");
        } else {
            assert_eq!(row["chi_squared"]["draws"].as_f64(), Some(draws), "{row}");
            assert!((0.0..=1.0).contains(&row["chi_squared"]["p"].as_f64().unwrap()), "{row}");
        }
        if row["sampler"] == "hyperplay" {
            assert!(number("bias_tv") < 1e-9 && (number("coverage") - 1.0).abs() < 1e-9, "{row}");
            assert!((number("true_history_ratio") - 1.0).abs() < 20.0, "{row}");
        }
    }
    for summary in report["summary"].as_array().unwrap() {
        let enumerated = summary["sampler"] == "hyperplay";
        assert_eq!(summary["bias_over_control"].is_null(), enumerated, "{summary}");
        assert_eq!(summary["bias_over_baseline"].is_null(), enumerated, "{summary}");
        assert_eq!(summary["enumerated"] == summary["decisions"], enumerated, "{summary}");
    }
}

/// Where the sets are too large `hyperplay` holds one history of each state. Its distance from the histories would be 1.7 times
/// that of draws, and more with more particles asked for.
#[test]
fn an_exact_distribution_of_states_is_in_no_ratio_of_histories() {
    let report = belief(
        "krieg_tictactoe_3x3 --sampler hyperplay --sampler exact --particles 4,256 --replicates 20 --matches 5 --steps 4 --seed 1 \
         --playouts 0",
    );
    let of = |sampler, key| {
        let mut all = report["summary"].as_array().unwrap().iter();
        let is_meant = |summary: &&Value| summary["sampler"] == sampler && summary["particles"] == 256;
        all.find(is_meant).unwrap()[key].as_f64().unwrap()
    };
    assert_eq!((of("hyperplay", "decisions"), of("hyperplay", "states_exact")), (40.0, 2.0));
    assert_eq!((of("hyperplay", "enumerated"), of("hyperplay", "compared")), (38.0, 0.0));
    assert!(
        of("hyperplay", "held") < 256.0 && of("exact", "held") == 256.0 && of("exact", "compared") == 40.0
    );
    let summary = &report["summary"][0];
    assert!(summary["bias_over_control"].is_null() && summary["set_over_control"].is_null(), "{summary}");
    // Its marginals are those of the posterior, whatever the number of particles that both are smoothed by.
    let excess = summary["log_loss_excess"].as_f64().unwrap();
    assert!(excess.abs() < 1e-9 && summary["particles"] == 4, "{summary}");
    let rows = report["rows"].as_array().unwrap();
    let exactly = |word: &str| rows.iter().filter(|row| row["exactly"] == word).count();
    assert_eq!((exactly("states"), exactly("histories")), (4, 76));
}

#[test]
fn one_seed_gives_the_same_figures_on_one_thread_and_on_two() {
    let arguments = "krieg_tictactoe_3x3 --sampler hyperplay:enumerate=off --sampler exact --particles 8 --replicates 10 --steps 3 --seed 7";
    let one = belief(&format!("{arguments} --threads 1"));
    assert_eq!(one, belief(&format!("{arguments} --threads 2")));
    assert_ne!(one, belief(&format!("{arguments} --seed 8").replace("--seed 7", "")));
}

#[test]
fn what_is_too_large_for_the_oracle_is_said_to_be_left_out() {
    let report = belief("krieg_tictactoe_3x3 --replicates 2 --particles 4 --max-set 40 --seed 1");
    // At step 1 on the histories, at step 2 on the states.
    assert_eq!(report["rows"].as_array().unwrap().len(), 2 * 2 * 2);
    let left_out = report["left_out"].as_array().unwrap();
    assert_eq!(left_out.len(), 2);
    assert_eq!(
        left_out[0]["why"],
        "more than 40 states explain the evidence up to step 3, or more than 10 times as many joint moves were tried"
    );
}

#[test]
fn an_unknown_sampler_is_a_usage_error_that_lists_the_known_ones() {
    let error = stderr("belief monty_hall --sampler theirs", 2);
    assert!(
        error.contains(
            "there are hyperplay, hyperplay12, hyperplay12-unweighted, bootstrap, rejection, exact"
        ),
        "{error}"
    );
}

/// A set without a particle has distance 1 and knows nothing; it does not make a sampler better that it is left out.
#[test]
fn empty_sets_count_as_beliefs_that_know_nothing() {
    let report = belief(
        "krieg_tictactoe_3x3 --sampler rejection:states=1 --sampler exact --particles 2 --replicates 40 --steps 5 --seed 1",
    );
    let rows: Vec<&Value> =
        report["rows"].as_array().unwrap().iter().filter(|row| row["sampler"] != "exact").collect();
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
    assert!(rows.iter().any(|row| (1.0..40.0).contains(&number(row, "depletions"))), "some sets are empty");
    for row in &rows {
        let empty = number(row, "depletions") / 40.0;
        assert!(
            number(row, "set_tv") >= empty - 1e-9 && number(row, "bias_tv") >= empty / 2.0 - 1e-9,
            "{row}"
        );
        assert!(number(row, "coverage") <= 1.0 - empty + 1e-9, "{row}");
    }
    for row in rows.iter().filter(|row| row["sets"] == 0) {
        assert_eq!((number(row, "set_tv"), number(row, "independent_draws")), (1.0, 0.0), "{row}");
        assert!(
            (number(row, "log_loss") - 2.0_f64.ln()).abs() < 1e-9 && number(row, "brier") == 0.25,
            "{row}"
        );
        assert!(
            (number(row, "true_history_ratio") - 1.0).abs() < 1e-9 && number(row, "regret") > 0.0,
            "{row}"
        );
    }
    let worth = |sampler| summary(&report, sampler, "independent_draws");
    assert!(worth("rejection:states=1") < 0.8 * worth("exact"), "{}", worth("rejection:states=1"));
}

/// Playouts have a budget for each decision: where more are asked for, there are fewer, and still a regret.
#[test]
fn decisions_are_valued_within_a_budget_and_counted() {
    let report = belief(
        "monty_hall --sampler exact --particles 4 --replicates 5 --matches 3 --playouts 1000000000 --seed 1",
    );
    let of = |key| summary(&report, "exact", key);
    assert_eq!((of("valued"), of("decisions")), (3.0, 3.0));
    assert!(of("regret").is_finite());
    let none = belief("monty_hall --sampler exact --particles 4 --replicates 5 --playouts 0 --seed 1");
    assert_eq!((summary(&none, "exact", "valued"), summary(&none, "exact", "decisions")), (0.0, 1.0));
}

/// A set of few exact draws says probabilities that are too extreme, so its calibration is off the diagonal. It is on the curve of
/// the draws, which stands beside.
#[test]
fn exact_draws_have_the_calibration_of_the_draws_and_not_the_diagonal() {
    let report = belief(
        "leduc_poker --sampler exact --particles 16 --replicates 50 --matches 40 --playouts 0 --seed 1",
    );
    let bins = |key: &str| report["summary"][0][key].as_array().unwrap().clone();
    let mut off = 0;
    for (own, draws) in bins("calibration").iter().zip(&bins("calibration_control")) {
        let [own, draws] = [own, draws].map(|bin| [0, 1, 2].map(|at| bin[at].as_f64().unwrap()));
        if own[0] > 20.0 {
            assert!((own[2] / own[0] - draws[2] / draws[0]).abs() < 0.04, "{own:?} {draws:?}");
            off += u32::from((own[2] - own[1]).abs() / own[0] > 0.1);
        }
    }
    assert!(off >= 2, "said and so differ in {off} bins");
}

/// Exact draws are worth their number at every number of particles, a sampler with a bias less, and the effective sample size
/// does not tell them apart.
#[test]
fn exact_draws_are_worth_their_number_and_weighted_histories_are_not() {
    let report = belief(
        "krieg_tictactoe_3x3 --sampler exact --sampler rejection --sampler bootstrap --sampler hyperplay12 --particles 16,64 \
         --replicates 100 --matches 3 --steps 4 --seed 1 --playouts 0",
    );
    for summary in report["summary"].as_array().unwrap() {
        let number = |key: &str| summary[key].as_f64().unwrap_or_else(|| panic!("{key}: {summary}"));
        let share = number("independent_draws") / number("particles");
        assert!(number("independent_draws_low") <= number("independent_draws_high"), "{summary}");
        match summary["sampler"].as_str().unwrap() {
            "exact" | "rejection" => assert!((share - 1.0).abs() < 0.03, "{summary}"),
            _ => assert!(share < 0.9, "{summary}"),
        }
    }
    let rows = report["rows"].as_array().unwrap();
    let of_bootstrap = rows.iter().filter(|row| row["sampler"] == "bootstrap" && row["particles"] == 64);
    assert!(
        of_bootstrap.clone().count() > 0
            && of_bootstrap.clone().all(|row| row["ess"].as_f64().unwrap() > 60.0)
    );
}

/// Bias TV over that of independent draws with 64 particles, for `hyperplay`, which makes one move for each particle and step, and
/// for `hyperplay12`, the method as published. A ratio over few decisions is noisy.
fn ratios(arguments: &str) -> (f64, f64) {
    let samplers = "--sampler hyperplay:enumerate=off --sampler hyperplay12 --particles 64 --seed 1";
    let report = belief(&format!("{arguments} {samplers}"));
    let ratio = |sampler| summary(&report, sampler, "bias_over_control");
    let ratios = (ratio("hyperplay:enumerate=off"), ratio("hyperplay12"));
    println!("{arguments}: {ratios:.2?}");
    ratios
}

#[test]
fn the_bias_of_hyperplay_is_that_of_independent_draws() {
    let (hyperplay, published) = ratios("krieg_tictactoe_3x3 --replicates 100 --matches 2 --steps 4");
    assert!(hyperplay < 1.25 && published > 1.4, "{hyperplay} {published}");
    let (hyperplay, _) = ratios("mastermind_3c3p --replicates 100 --matches 5");
    assert!(hyperplay < 1.5, "{hyperplay}");
}

#[test]
#[ignore = "minutes"]
fn the_bias_of_hyperplay_is_that_of_independent_draws_over_many_matches() {
    let (hyperplay, published) = ratios("krieg_tictactoe_3x3 --replicates 200 --matches 10");
    assert!(hyperplay < 1.15 && published > 2.0, "{hyperplay} {published}");
    let (hyperplay, _) = ratios("mastermind_3c3p --replicates 200 --matches 50");
    assert!(hyperplay < 1.15, "{hyperplay}");
}

/// The expected score in Monty Hall by the number of particles, for two ways to sample: HyperPlay's retry without
/// weights, and rejection. Computed by hand from the distribution of the
/// samples; ties are broken evenly.
const MONTY_HALL: [(usize, [f64; 2]); 5] =
    [(1, [50.0, 55.6]), (2, [50.0, 55.6]), (8, [50.0, 60.9]), (16, [50.0, 63.7]), (64, [50.0, 66.6])];

/// Plays every cell of the table. A match scores 0 or 100, with a standard deviation of 50 at most; one of the 10 cells
/// lies more than three standard errors off once in 37 seeds, so four are allowed.
fn the_learning_curve_of_monty_hall(matches: usize) {
    const SAMPLERS: [&str; 2] = ["method=backtracking,weight=none,merge=off", "method=rejection,merge=off"];
    let allowed = 4.0 * 50.0 / (matches as f64).sqrt();
    for (particles, expected) in MONTY_HALL {
        for (sampler, expected) in SAMPLERS.iter().zip(expected) {
            let seat = format!(
                "candidate=hyperplay:particles={particles},sampler=[hyperplay:enumerate=off,{sampler}]"
            );
            let report = json(&format!("match monty_hall {seat} --seed 1 --matches {matches}"), 0);
            let score = report["goals"]["candidate"]["mean"].as_f64().unwrap();
            println!("{particles:3} {sampler:36} {score:6.2} beside {expected}");
            assert!((score - expected).abs() < allowed, "{seat}: {score}, not {expected}");
        }
    }
}

#[test]
fn monty_hall_is_learnt_as_fast_as_the_theory_says() {
    the_learning_curve_of_monty_hall(1_000);
}

#[test]
#[ignore = "a minute"]
fn monty_hall_is_learnt_as_fast_as_the_theory_says_over_ten_thousand_matches() {
    the_learning_curve_of_monty_hall(10_000);
}

/// No information set is enumerated, so the rows have times alone, and the truth is measured all the same.
#[test]
fn the_truth_is_measured_at_every_step_however_large_the_set() {
    let report = belief(
        "krieg_tictactoe_5x5 --max-set 0 --sampler hyperplay --sampler exact --particles 8 --replicates 2 --matches 3 --steps 2-4 --seed 1",
    );
    let rows = report["rows"].as_array().unwrap();
    assert!(
        rows.len() == 2 * 3 * 2 * 3
            && rows.iter().all(|row| row["oracle"] == "none" && row["set_tv"].is_null())
    );
    assert!(report["left_out"].as_array().unwrap().is_empty());
    let truth = report["truth"].as_array().unwrap();
    // The control has draws only where there is a posterior.
    let steps: Vec<Option<u64>> = truth.iter().map(|row| row["step"].as_u64()).collect();
    assert_eq!(steps, std::iter::once(None).chain((2..=4).map(Some)).collect::<Vec<_>>());
    for row in truth {
        assert_eq!(
            (&row["matches"], &row["sampler"], &row["posterior"]),
            (&3.into(), &"hyperplay".into(), &"U".into())
        );
        assert!(row["state_held"].is_number() && row["state_loss"].is_null(), "{row}");
        let ranks: u64 = row["ranks"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
        assert!(ranks == 3 || row["step"].is_null(), "{row}");
        assert!(row["z"].is_number() && row["relation"].is_string(), "{row}");
    }
}
