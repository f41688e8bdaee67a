//! Bradley-Terry: ratings that explain by one number for each player what the players win from each other.
//!
//! In a meeting of i and j the expected share of i is 1 / (1 + exp(r_j - r_i)). The ratings solve the equations of the
//! greatest likelihood: the expected points of every player are those that it has. Points may be fractions. They are on
//! the scale of Elo, 400 points for a factor of ten in the odds, and one player, the *anchor*, has 0.
//!
//! The intervals are over measurements in which all players meet, such as deals: the covariance of the points over
//! deals, carried through the equations (the infinitesimal jackknife, to which the bootstrap over deals converges), with
//! the quantile of Student's t. They do not rest on the model for the variance: matches of a deal may hang together.
//!
//! Invariant: a player that won or lost every point has no finite rating. It is left out, and so are its points; if it
//! was to be the anchor, the first of the others is.
//!
//! References: Bradley52, Jaeckel72 (`docs/REFERENCES.md`).

use super::joint_sample::JointSample;
use super::statistics::MeanInterval;

/// Points of Elo for a factor of e in the odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The longest step of an iteration, the most iterations, and the distance at which they end.
const STEP: f64 = 2.0;
const ITERATIONS: usize = 200;
const CLOSE: f64 = 1e-10;

/// The ratings of players by their points in each measurement; `meetings` has the meetings of each pair in a measurement,
/// row by row. Nothing for a player that has no finite rating. The place beside them is that of the anchor.
pub fn ratings(
    points: &JointSample,
    meetings: &[Vec<f64>],
    anchor: usize,
) -> (Option<usize>, Vec<Option<MeanInterval>>) {
    let none = (None, vec![None; meetings.len()]);
    let mut own: Vec<f64> = (0..meetings.len()).map(|at| points.at(at).mean().unwrap_or_default()).collect();
    // Whoever won or lost everything takes a fixed number of points from each of the others.
    let mut rated: Vec<usize> = (0..meetings.len()).collect();
    loop {
        let most = |one: usize| rated.iter().map(|&other| meetings[one][other]).sum::<f64>();
        let is_extreme = |one: usize| own[one] < CLOSE || own[one] > most(one) - CLOSE;
        let Some(at) = rated.iter().position(|&one| is_extreme(one)) else { break };
        let extreme = rated.remove(at);
        if own[extreme] < CLOSE {
            rated.iter().for_each(|&other| own[other] -= meetings[other][extreme]);
        }
    }
    if rated.is_empty() {
        return none;
    }
    let anchor = rated.remove(rated.iter().position(|&one| one == anchor).unwrap_or(0));
    let mut strengths = vec![0.0; meetings.len()];
    let mut inverse = Vec::new();
    for iteration in 0.. {
        let expected = |one: usize, other: usize| 1.0 / (1.0 + f64::exp(strengths[other] - strengths[one]));
        let others = || rated.iter().copied().chain([anchor]);
        let slope = |one: usize, other: usize| {
            let share = expected(one, other);
            meetings[one][other] * share * (1.0 - share)
        };
        let entry = |one: usize, other: usize| {
            if one == other { others().map(|third| slope(one, third)).sum() } else { -slope(one, other) }
        };
        let row = |&one: &usize| rated.iter().map(|&other| entry(one, other)).collect();
        let Some(inverted) = inverted(rated.iter().map(row).collect()) else { return none };
        inverse = inverted;
        let left = |one: usize| {
            own[one] - others().map(|other| meetings[one][other] * expected(one, other)).sum::<f64>()
        };
        let left: Vec<f64> = rated.iter().map(|&one| left(one)).collect();
        let step = |row: &Vec<f64>| row.iter().zip(&left).map(|(one, other)| one * other).sum::<f64>();
        let steps: Vec<f64> = inverse.iter().map(step).collect();
        rated.iter().zip(&steps).for_each(|(&one, step)| strengths[one] += step.clamp(-STEP, STEP));
        if steps.iter().all(|step| step.abs() < CLOSE) {
            break;
        }
        if iteration == ITERATIONS {
            return none;
        }
    }
    let (_, mut found) = none;
    found[anchor] = Some(MeanInterval::around(0.0, 0.0));
    for (row, &one) in inverse.iter().zip(&rated) {
        let weights: Vec<(usize, f64)> = rated.iter().copied().zip(row.iter().copied()).collect();
        let half = points.combined(&weights).half_width().unwrap_or(f64::NAN);
        found[one] = Some(MeanInterval::around(ELO * strengths[one], ELO * half));
    }
    (Some(anchor), found)
}

/// The inverse of a symmetric matrix that is positive definite; nothing if it is not.
fn inverted(mut rows: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = rows.len();
    for (at, row) in rows.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == at))));
    }
    for at in 0..size {
        let scale = rows[at][at];
        if scale.is_nan() || scale < CLOSE {
            return None;
        }
        rows[at].iter_mut().for_each(|entry| *entry /= scale);
        let pivot = rows[at].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|&(other, _)| other != at) {
            let factor = row[at];
            row.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    Some(rows.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn all_meet(players: usize) -> Vec<Vec<f64>> {
        (0..players)
            .map(|one| (0..players).map(|other| f64::from(u8::from(one != other))).collect())
            .collect()
    }

    #[test]
    fn two_players_have_the_elo_of_their_share_and_three_explain_their_points() {
        let mut points = JointSample::default();
        (0..8).for_each(|deal| points.add(&if deal < 6 { [1.0, 0.0] } else { [0.0, 1.0] }));
        let (_, found) = ratings(&points, &all_meet(2), 1);
        let expected = super::super::elo(75.0);
        assert!((found[0].unwrap().value - expected).abs() < 1e-6, "{found:?} {expected}");
        assert_eq!(found[1].unwrap().value, 0.0);

        let mut points = JointSample::default();
        [[2.0, 0.5, 0.5], [1.0, 1.5, 0.5], [1.5, 1.0, 0.5]].iter().for_each(|row| points.add(row));
        let found: Vec<f64> =
            ratings(&points, &all_meet(3), 2).1.into_iter().map(|one| one.unwrap().value).collect();
        let share = |one: usize, other: usize| 1.0 / (1.0 + 10_f64.powf((found[other] - found[one]) / 400.0));
        assert!(
            (share(0, 1) + share(0, 2) - 1.5).abs() < 1e-9 && (share(2, 0) + share(2, 1) - 0.5).abs() < 1e-9
        );
    }

    #[test]
    fn who_won_or_lost_everything_has_no_rating_and_takes_nothing_from_those_of_the_others() {
        let (mut points, mut alone) = (JointSample::default(), JointSample::default());
        for deal in 0..9 {
            let won = f64::from(u8::from(deal % 3 == 0));
            points.add(&[1.0 + won, 3.0, 2.0 - won, 0.0]);
            alone.add(&[won, 1.0 - won]);
        }
        let (anchor, found) = ratings(&points, &all_meet(4), 2);
        let (other, without) = ratings(&points, &all_meet(4), 3);
        assert_eq!((anchor, other, without[0].unwrap().value), (Some(2), Some(0), 0.0));
        let (_, of_two) = ratings(&alone, &all_meet(2), 1);
        assert!(found[1].is_none() && found[3].is_none());
        let (one, other) = (found[0].unwrap(), of_two[0].unwrap());
        assert!((one.value - other.value).abs() < 1e-9 && (one.low - other.low).abs() < 1e-9);
        // Players that did not meet have no common scale.
        let meets = |one: usize, other: usize| f64::from(u8::from(one != other && one / 2 == other / 2));
        let apart: Vec<Vec<f64>> =
            (0..4).map(|one| (0..4).map(|other| meets(one, other)).collect()).collect();
        let mut points = JointSample::default();
        (0..4_u8)
            .map(|deal| f64::from(deal % 2))
            .for_each(|won| points.add(&[won, 1.0 - won, 1.0 - won, won]));
        assert!(ratings(&points, &apart, 2).1.iter().all(Option::is_none));
    }

    /// How many of the intervals contain the true rating, in leagues of five players whose matches of a deal hang
    /// together.
    fn contained(leagues: u64, deals: u64) -> (u64, u64) {
        let strengths = [0.0_f64, 0.3, -0.5, 1.0, 0.1];
        let (mut contained, mut all) = (0, 0);
        for league in 0..leagues {
            let rng = &mut StdRng::seed_from_u64(league);
            let mut points = JointSample::default();
            for _ in 0..deals {
                let mut of_deal = [0.0; 5];
                let luck = rng.random::<f64>();
                for one in 0..5 {
                    for other in one + 1..5 {
                        let share = 1.0 / (1.0 + (strengths[other] - strengths[one]).exp());
                        // Half of the meetings are decided by the luck of the deal.
                        let drawn = if rng.random::<bool>() { luck } else { rng.random::<f64>() };
                        let won = f64::from(u8::from(drawn < share));
                        of_deal[one] += won;
                        of_deal[other] += 1.0 - won;
                    }
                }
                points.add(&of_deal);
            }
            for (one, rating) in ratings(&points, &all_meet(5), 0).1.into_iter().enumerate().skip(1) {
                let truth = ELO * strengths[one];
                let rating = rating.unwrap();
                contained += u64::from((rating.low..=rating.high).contains(&truth));
                all += 1;
            }
        }
        (contained, all)
    }

    #[test]
    fn intervals_contain_the_true_rating_in_95_of_100() {
        for deals in [20, 60, 200] {
            let (contained, all) = contained(1_000, deals);
            let share = 100.0 * contained as f64 / all as f64;
            assert!((94.0..=96.0).contains(&share), "{share} % of {all} with {deals} deals");
        }
    }
}
