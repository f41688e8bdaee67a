//! How one move is chosen by a vote of the states that are considered possible: the rule of perfect information Monte
//! Carlo.
//!
//! Every state votes with its weight for its best move. Moves within 1e-9 of the best share the vote evenly. Where both
//! sides of a zero-sum game move at once in a state, its vote is divided as its optimal mixed move. By how much a move
//! is better does not count, and that is all the difference from [`judgement`](super::judgement), which averages
//! values. The values are averaged here too, for the reader, and decide nothing.
//!
//! **Which moves may be chosen**: the legal moves that the player was shown, as there. A move is worth, where it is
//! illegal, the mean of that state's moves, and a state votes only for moves that may be chosen.
//!
//! **The policy** is even over the moves with the most votes ([`VotePolicy::Vote`], as published), or the votes
//! themselves ([`VotePolicy::Mixed`]). It is the votes themselves in any case where a state voted for a mixed move: the
//! most frequent move of an optimal mixed move could be exploited like any other.

use super::catalogue::SpecWord;
use super::judged::{Judged, in_time, weighted_mean};
use super::judgement::{Judgement, greedy, with};
use super::mean_matrix::values_of;
use hyperplay_machine::Move;
use hyperplay_think::search::Evaluation;

/// How a policy follows from votes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VotePolicy {
    /// The move with the most votes, ties mixed evenly, unless a state voted for a mixed move.
    Vote,
    /// Each move as often as its share of the votes.
    Mixed,
}

impl SpecWord for VotePolicy {
    const WORDS: &'static [(&'static str, VotePolicy)] =
        &[("vote", VotePolicy::Vote), ("mixed", VotePolicy::Mixed)];
}

/// Decides among the `legal` moves, of which there is at least one. States that were not judged do not vote.
pub(super) fn vote(states: &[Judged], legal: &[Move], how: VotePolicy) -> Judgement {
    let Some(judged) = in_time(states) else { return Judgement::none(legal) };
    let votes = weighted_mean(&judged, legal.len(), |evaluation| vote_of(evaluation, legal));
    let values = weighted_mean(&judged, legal.len(), |evaluation| values_of(evaluation, legal).collect());
    let is_mixed = judged.iter().any(|state| state.evaluation.mixture.is_some());
    let policy = match how {
        VotePolicy::Vote if !is_mixed => greedy(&votes),
        VotePolicy::Vote | VotePolicy::Mixed => votes.clone(),
    };
    Judgement { values: with(legal, values), votes, ..Judgement::of(legal, policy) }
}

/// The vote of one state, summing to 1.
fn vote_of(evaluation: &Evaluation, legal: &[Move]) -> Vec<f64> {
    if let Some(mixture) = &evaluation.mixture {
        let share =
            |own: &Move| evaluation.moves.iter().position(|listed| listed == own).map(|at| mixture[at]);
        let shares: Vec<f64> = legal.iter().map(|own| share(own).unwrap_or(0.0)).collect();
        let sum: f64 = shares.iter().sum();
        if sum > 0.0 {
            return shares.into_iter().map(|share| share / sum).collect();
        }
    }
    greedy(&values_of(evaluation, legal).collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};
    use hyperplay_think::search::Method;

    fn moves() -> [Move; 3] {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        names.map(|name| Move(terms.intern(name, &[])))
    }

    fn state(weight: f64, moves: &[Move], values: &[f64], mixture: Option<&[f64]>) -> Judged {
        let (values, method) = (values.to_vec(), Method::ExactZeroSum);
        let mixture = mixture.map(<[f64]>::to_vec);
        Judged {
            weight,
            evaluation: Evaluation { values, method, mixture, ..Evaluation::unjudged(moves.to_vec()) },
        }
    }

    fn assert_votes(states: &[Judged], legal: &[Move], expected: &[f64], chosen: &[f64]) {
        let near =
            |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        for (how, policy) in [(VotePolicy::Vote, chosen), (VotePolicy::Mixed, expected)] {
            let judgement = vote(states, legal, how);
            let shares: Vec<f64> = judgement.policy.iter().map(|&(_, share)| share).collect();
            assert!(near(&judgement.votes, expected) && near(&shares, policy), "{how:?}: {judgement:?}");
        }
    }

    #[test]
    fn states_vote_with_their_weight_and_by_how_much_a_move_is_better_does_not_count() {
        let m = moves();
        let states = [state(0.6, &m[..2], &[51.0, 50.0], None), state(0.4, &m[..2], &[0.0, 100.0], None)];
        assert_votes(&states, &m[..2], &[0.6, 0.4], &[1.0, 0.0]);
        // The values are those of the player that averages them.
        let values = vote(&states, &m[..2], VotePolicy::Vote).values;
        assert!((values[0].1 - 30.6).abs() < 1e-9 && (values[1].1 - 70.0).abs() < 1e-9, "{values:?}");
    }

    #[test]
    fn moves_that_are_equally_good_share_the_vote_and_equal_votes_are_mixed() {
        let m = moves();
        let states = [
            state(0.5, &m, &[50.0, 50.0 + 1e-12, 0.0], None),
            state(0.25, &m, &[0.0, 0.0, 9.0], None),
            state(0.25, &m, &[0.0, 7.0, 7.0], None),
        ];
        assert_votes(&states, &m, &[0.25, 0.375, 0.375], &[0.0, 0.5, 0.5]);
    }

    #[test]
    fn a_state_in_which_roles_move_at_once_votes_for_its_mixed_move() {
        let m = moves();
        let states = [
            state(0.5, &m[..2], &[50.0, 50.0], Some(&[0.25, 0.75])),
            state(0.5, &m[..2], &[10.0, 20.0], None),
        ];
        assert_votes(&states, &m[..2], &[0.125, 0.875], &[0.125, 0.875]);
    }

    #[test]
    fn a_state_votes_only_for_moves_that_may_be_chosen_and_only_if_it_was_judged() {
        let m = moves();
        let states = [
            state(0.2, &m, &[1.0, 2.0, 90.0], None),
            state(0.1, &m, &[50.0, 50.0, 50.0], Some(&[0.2, 0.2, 0.6])),
            state(0.7, &m, &[], None),
        ];
        // Two thirds for b, one third divided evenly.
        assert_votes(&states, &m[..2], &[1.0 / 6.0, 5.0 / 6.0], &[1.0 / 6.0, 5.0 / 6.0]);
        assert_eq!(vote(&states[2..], &m[..2], VotePolicy::Vote), Judgement::none(&m[..2]));
    }
}
