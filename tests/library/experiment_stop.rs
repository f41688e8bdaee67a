//! Tests of stopping rules and paired play on outcomes drawn from a model: how often a true hypothesis is rejected,
//! and how many matches are saved by the same deals in both seats.

use std::path::Path;

use hyperplay::experiment::{ExperimentConfig, ExperimentPlan, NextMatch, PlanGame, Sequence, Shard};
use hyperplay::player::Registry;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn plan(seats: &str, stop: &str) -> ExperimentPlan {
    let text = format!(
        "schema = 'hyperplay.experiment/1'\nseed = 1\ngames = ['model']\nrepetitions = 100000\n\
         [schedule]\nseats = '{seats}'\n[stop]\n{stop}\n\
         [[player]]\nname = 'a'\nspec = 'random'\n[[player]]\nname = 'b'\nspec = 'legal'\n"
    );
    let game = PlanGame {
        name: "model".to_owned(),
        rules: String::new(),
        roles: vec!["first".to_owned(), "second".to_owned()],
        random: None,
    };
    let config = ExperimentConfig::read(&text, Path::new(""), &Registry::standard()).unwrap();
    ExperimentPlan::new(&config, vec![game]).unwrap()
}

/// The sum of six dice, less its mean: nearly normal, deviation 4.2.
fn dice(rng: &mut ChaCha8Rng) -> f64 {
    (0..6).map(|_| f64::from(rng.random_range(1..=6_u32))).sum::<f64>() - 21.0
}

/// Plays the only cell until it is stopped: the first entrant is better by `edge` goal points a match, the luck of a deal
/// favours a seat by `luck` times the dice. Returns the matches played and the mean difference found.
fn play(plan: &ExperimentPlan, edge: f64, luck: f64, seed: u64) -> (u64, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sequence = Sequence::new(plan, Shard::WHOLE);
    let (mut matches, mut sum, mut deal, mut dealt) = (0, 0.0, u64::MAX, 0.0);
    while let NextMatch::Match(place) = sequence.next() {
        if place.deal != deal {
            (deal, dealt) = (place.deal, luck * dice(&mut rng));
        }
        let first_has_first_seat =
            plan.cells[0].seat_permutations[place.seat_permutation][0] == plan.cells[0].entrants[0];
        let side = if first_has_first_seat { 1.0 } else { -1.0 };
        let exact = 50.0 + dealt + side * edge / 2.0 + dice(&mut rng);
        // Rounded at random, so that the mean is kept.
        let goal = (exact + rng.random::<f64>()).floor().clamp(0.0, 100.0) as u8;
        sequence.feed(&place, Some(&[goal, 100 - goal]));
        matches += 1;
        sum += side * (2.0 * f64::from(goal) - 100.0);
    }
    (matches, sum / matches as f64)
}

#[test]
fn a_test_of_identical_players_rejects_in_at_most_six_and_a_half_percent() {
    let plan = plan("all", "sprt = { h0 = 0.0, h1 = 3.0 }\nevery = 4");
    let rejected = (0..1000).filter(|&seed| play(&plan, 0.0, 3.0, seed).1 > 1.5).count();
    assert!((1..=65).contains(&rejected), "{rejected} of 1000");
    let missed = (0..1000).filter(|&seed| play(&plan, 3.0, 3.0, seed).1 < 1.5).count();
    assert!((1..=65).contains(&missed), "{missed} of 1000");
}

#[test]
fn a_planted_difference_of_three_points_is_found_with_half_the_matches_by_the_same_deals() {
    let rule = "sprt = { h0 = 0.0, h1 = 3.0 }";
    let (paired, alone) = (plan("all", rule), plan("given", rule));
    let mut found = 0;
    let mut needed = |plan: &ExperimentPlan| -> f64 {
        let runs = (0..100).map(|seed| play(plan, 3.0, 3.0, seed));
        runs.map(|(matches, mean)| {
            found += usize::from(mean > 1.5);
            matches as f64
        })
        .sum::<f64>()
            / 100.0
    };
    let (with, without) = (needed(&paired), needed(&alone));
    assert!(found >= 180, "{found} of 200");
    assert!(with <= without / 2.0, "{with} matches paired, {without} not");
}

#[test]
fn a_width_is_reached_and_not_passed_by_far() {
    let plan = plan("all", "width = 1.0\nevery = 4");
    let (matches, _) = play(&plan, 0.0, 1.0, 5);
    // Two matches a deal, deviation of a deal's mean score 4.2 / sqrt 2: n = (1.96 * 2.96)^2 = 34 deals.
    assert!((60..=100).contains(&matches), "{matches}");
}
