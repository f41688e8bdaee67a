//! Regret matching at the information sets where several roles choose at once.
//!
//! Bandits that choose at once by upper bounds answer each other, and with many simulations their mix is easy to exploit
//! (`docs/measurements.md`). So a role that chooses at once with others draws each move in proportion to its regret. A share
//! of the draws is uniform; it falls with the third root of the visits of the set. What a move brought is counted from the
//! middle of the goals. The regret of every move falls by it, and that of the move that was made first rises by the same,
//! divided by the probability with which it was drawn. No regret falls below 0.
//!
//! The average of what was drawn by regrets is the policy. Uniform draws are no part of it.
//!
//! References: Lisy, Kovarik, Lanctot, Bosansky 2013 (regret matching in Monte Carlo tree search); Tammelin 2014 (regrets
//! that are not negative).

use rand::{Rng, RngExt};

use hyperplay_machine::share_at;

/// The most of the draws that are uniform.
const MOST_UNIFORM: f32 = 0.4;

/// What is known of a move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Matched {
    regret: f32,
    /// How often it was drawn by regrets, of the draws whose goals are known.
    pub drawn: u32,
}

/// A draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    /// The probability with which the move was drawn.
    share: f32,
    /// Whether it was drawn uniformly whatever the regrets are.
    is_uniform: bool,
}

/// Draws one of the moves of a set that was visited `visits` times, this time included: its place, and how it was drawn.
pub(super) fn draw(moves: &[Matched], visits: u32, rng: &mut impl Rng) -> (u32, Draw) {
    let (count, total) = (moves.len() as f32, moves.iter().map(|of| of.regret).sum::<f32>());
    let uniform = (count / visits as f32).cbrt().min(MOST_UNIFORM);
    let is_uniform = rng.random::<f32>() < uniform;
    let place = if is_uniform || total == 0.0 {
        rng.random_range(0..moves.len())
    } else {
        let regrets = moves.iter().map(|of| f64::from(of.regret));
        share_at(regrets, rng.random::<f64>() * f64::from(total)).unwrap_or(0)
    };
    let share = if total == 0.0 { 1.0 / count } else { moves[place].regret / total };
    (place as u32, Draw { share: (1.0 - uniform) * share + uniform / count, is_uniform })
}

/// Learns what the move at a place brought, 0..=1, that was drawn so.
pub(super) fn learn(moves: &mut [Matched], place: u32, draw: Draw, goal: f32) {
    let (goal, made) = (goal - 0.5, &mut moves[place as usize]);
    made.drawn += u32::from(!draw.is_uniform);
    made.regret += goal / draw.share;
    moves.iter_mut().for_each(|of| of.regret = (of.regret - goal).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::Seed;

    /// Two roles that match regrets in a game of these payoffs, 0..=1 of the first; how often each draws each move.
    fn play<const A: usize, const B: usize>(payoffs: [[f32; B]; A], draws: u32) -> ([f64; A], [f64; B]) {
        let (mut one, mut other, mut rng) =
            ([Matched::default(); A], [Matched::default(); B], Seed::root(1).rng());
        for visits in 1..=draws {
            let (row, row_draw) = draw(&one, visits, &mut rng);
            let (column, column_draw) = draw(&other, visits, &mut rng);
            let goal = payoffs[row as usize][column as usize];
            learn(&mut one, row, row_draw, goal);
            learn(&mut other, column, column_draw, 1.0 - goal);
        }
        fn shares<const N: usize>(moves: [Matched; N]) -> [f64; N] {
            let total: u32 = moves.iter().map(|of| of.drawn).sum();
            moves.map(|of| f64::from(of.drawn) / f64::from(total))
        }
        (shares(one), shares(other))
    }

    fn assert_near(got: &[f64], expected: &[f64]) {
        assert!(got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 0.05), "{got:?}");
    }

    #[test]
    fn the_average_comes_to_the_equilibrium() {
        // The value is .4: the first role plays its first move as often as the second, times 2/3.
        let (one, other) = play([[1.0, 0.0], [0.0, 2.0 / 3.0]], 200_000);
        assert_near(&one, &[0.4, 0.6]);
        assert_near(&other, &[0.4, 0.6]);
        let rock = [[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]];
        let (one, other) = play(rock, 200_000);
        assert_near(&one, &[1.0 / 3.0; 3]);
        assert_near(&other, &[1.0 / 3.0; 3]);
    }

    #[test]
    fn a_dominated_move_is_seldom_drawn_by_regrets() {
        let (one, other) = play([[0.2, 0.4], [0.3, 0.5], [0.1, 0.2]], 200_000);
        assert!(one[1] > 0.95 && other[0] > 0.95, "{one:?} {other:?}");
    }
}
