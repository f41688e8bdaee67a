//! Bandits: which move a role tries next at a node of a tree, by UCB1 over what its moves have brought it there.
//!
//! Every role has a bandit of its own at every node (decoupled UCT): it learns the mean of each of its moves over
//! whatever the others did. That needs no table of joint moves, and where only one role has a choice it is plain UCT.
//! With simultaneous moves it does not converge to the mixed move of an equilibrium.
//!
//! In a tree over many states a move may be legal in some of them only. So the bound of a move is computed from how
//! often it was *available* and not from how often the node was visited (subset-armed bandits of Cowling, Powley,
//! Whitehouse 2012); where all moves are always legal the two are the same.
//!
//! Descents whose playouts are still to be made count as tried but not as known (Liu et al. 2020, "watch the
//! unobserved"). So the leaves of a block spread out, and unfinished descents do not count as losses.
//!
//! References: Auer, Cesa-Bianchi, Fischer 2002 (UCB1); Kocsis, Szepesvári 2006 (UCT).

use rand::{Rng, RngExt};

/// The statistics of a node about one move of one role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Arm {
    /// Descents that took the move, each counted as often as it has playouts.
    pub tried: u32,
    /// Those of them whose goals are known.
    pub known: u32,
    /// The sum of the role's goals in these.
    pub sum: u64,
}

impl Arm {
    /// The mean goal, 0..=100; that of no experience is the middle.
    pub fn mean(&self) -> f64 {
        if self.known == 0 { 50.0 } else { self.sum as f64 / f64::from(self.known) }
    }

    /// Takes in the sum of the role's goals in `count` playouts.
    pub fn learn(&mut self, count: u32, sum: u64) {
        self.known += count;
        self.sum += sum;
    }
}

/// The position of the arm to try, each with how often it was available: any one not tried yet, else the one with the
/// greatest upper bound; drawn among equals. There is one at least.
pub(super) fn select<'a>(
    arms: impl ExactSizeIterator<Item = (&'a Arm, u32)>,
    exploration: f64,
    rng: &mut impl Rng,
) -> usize {
    if arms.len() == 1 {
        return 0;
    }
    // Most often all were available equally often, and a logarithm costs more than the rest.
    let (mut of, mut logarithm) = (1, 0.0);
    let (mut chosen, mut greatest, mut equals) = (0, f64::NEG_INFINITY, 0_u32);
    for (position, (arm, available)) in arms.enumerate() {
        if available > 0 && available != of {
            (of, logarithm) = (available, f64::from(available).ln());
        }
        let bound = match arm.tried {
            0 => f64::INFINITY,
            tried => arm.mean() / 100.0 + exploration * (logarithm / f64::from(tried)).sqrt(),
        };
        if bound > greatest {
            (chosen, greatest, equals) = (position, bound, 1);
        } else if bound == greatest {
            equals += 1;
            if rng.random_range(0..equals) == 0 {
                chosen = position;
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::Seed;

    fn even(arms: &[Arm], rng: &mut impl Rng) -> usize {
        let tried = arms.iter().map(|arm| arm.tried).sum();
        select(arms.iter().map(|arm| (arm, tried)), 0.4, rng)
    }

    /// Plays `rounds` times on coins that pay 100 with these chances in percent; how often each arm was tried.
    fn run(chances: &[u32], rounds: usize) -> Vec<u32> {
        let mut rng = Seed::root(1).rng();
        let mut arms = vec![Arm::default(); chances.len()];
        for _ in 0..rounds {
            let arm = even(&arms, &mut rng);
            arms[arm].tried += 1;
            arms[arm].known += 1;
            arms[arm].sum += 100 * u64::from(rng.random_range(0..100) < chances[arm]);
        }
        arms.iter().map(|arm| arm.tried).collect()
    }

    #[test]
    fn every_arm_is_tried_before_any_is_tried_twice() {
        assert_eq!(run(&[100, 0, 0, 0], 4), [1, 1, 1, 1]);
    }

    #[test]
    fn the_best_arm_is_tried_most_and_no_arm_is_given_up() {
        let tried = run(&[60, 20, 30], 2_000);
        assert!(tried[0] > 1_600 && tried.iter().all(|&tried| tried > 5), "{tried:?}");
    }

    #[test]
    fn a_descent_under_way_makes_its_arm_less_attractive() {
        let mut arms = [Arm { tried: 10, known: 10, sum: 500 }; 2];
        arms[0].tried += 5;
        assert_eq!(even(&arms, &mut Seed::root(1).rng()), 1);
    }

    #[test]
    fn an_arm_that_was_rarely_available_is_not_taken_for_a_neglected_one() {
        let arm = |tried| Arm { tried, known: tried, sum: 50 * u64::from(tried) };
        let arms = [arm(100), arm(5)];
        let chosen = |rarely| {
            let available = [200, rarely];
            select(arms.iter().zip(available), 0.4, &mut Seed::root(1).rng())
        };
        assert_eq!((chosen(200), chosen(1)), (1, 0));
    }
}
