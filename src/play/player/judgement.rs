//! How one move is chosen from the values in all states that are considered possible. Values are averaged, not
//! policies.
//!
//! Input: distinct states with their weight and what search says of the own moves there. The value of a move is the
//! weighted mean of its values. Averaging policies instead would ask in each state what to do there and follow the
//! majority: in Monty Hall that switches doors only two times in three.
//!
//! **Which moves may be chosen.** In a well-formed game a role knows its legal moves, so all states agree. Where they
//! do not (rules in which legality leaks, or particles that are all wrong) a move is chosen that is legal in *every*
//! state, hence in the true one if that is among them. If there is none, a move is chosen that is legal with the
//! greatest weight. In the states where it is illegal, a referee would replace it by a legal move, so it counts there
//! as the mean of that state's moves.
//!
//! **The policy** is even over the moves within 1e-9 of the best. One exception: a single state is held possible, and
//! there both sides of a zero-sum game move at once. Against the other's optimal mixed move all moves worth playing
//! have the same value, and playing them evenly could be exploited: the optimal mixed move of the search is the policy.

use super::decision::uniform;
use crate::search::Evaluation;
use hyperplay_engine::machine::Move;

/// Values this close count as equal.
const TIE: f64 = 1e-9;

/// A state held possible, judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Its weight; the weights of all states sum to 1.
    pub weight: f64,
    /// What the own moves are worth there.
    pub evaluation: Evaluation,
}

/// The policy and the values that follow from the judged states.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The distribution to draw the move from.
    pub policy: Vec<(Move, f64)>,
    /// The value of every move that may be chosen; empty if no state was judged in time.
    pub values: Vec<(Move, f64)>,
}

/// Decides; `states` is not empty, and every state has a legal move.
pub fn judge(states: &[Judged]) -> Judgement {
    let moves = choosable(states);
    let judged: f64 = states.iter().filter(|state| is_judged(state)).map(|state| state.weight).sum();
    if judged <= 0.0 {
        return Judgement { policy: uniform(&moves), values: Vec::new() };
    }
    let mut sums = vec![0.0; moves.len()];
    for Judged { weight, evaluation } in states.iter().filter(|state| is_judged(state)) {
        let same = evaluation.moves == moves;
        for (place, (sum, &own)) in sums.iter_mut().zip(&moves).enumerate() {
            let value = if same { evaluation.values.get(place).copied() } else { evaluation.value(own) };
            *sum += weight * value.unwrap_or_else(|| evaluation.mean());
        }
    }
    let values: Vec<(Move, f64)> = moves.iter().copied().zip(sums.iter().map(|sum| sum / judged)).collect();
    let policy = match states {
        [Judged { evaluation: Evaluation { mixture: Some(mixture), .. }, .. }] => {
            moves.iter().copied().zip(mixture.iter().copied()).collect()
        }
        _ => greedy(&values),
    };
    Judgement { policy, values }
}

fn is_judged(state: &Judged) -> bool {
    !state.evaluation.values.is_empty()
}

/// The moves legal in every state; if there is none, those legal with the greatest weight. In the order of the first
/// state that has them.
fn choosable(states: &[Judged]) -> Vec<Move> {
    if states.iter().all(|state| state.evaluation.moves == states[0].evaluation.moves) {
        return states[0].evaluation.moves.clone();
    }
    let mut weights: Vec<(Move, usize, f64)> = Vec::new();
    for Judged { weight, evaluation } in states {
        for &own in &evaluation.moves {
            match weights.iter_mut().find(|(listed, ..)| *listed == own) {
                Some((_, count, sum)) => {
                    *count += 1;
                    *sum += weight;
                }
                None => weights.push((own, 1, *weight)),
            }
        }
    }
    let everywhere: Vec<Move> =
        weights.iter().filter(|(_, count, _)| *count == states.len()).map(|&(own, ..)| own).collect();
    if !everywhere.is_empty() {
        return everywhere;
    }
    let most = weights.iter().map(|&(.., sum)| sum).fold(0.0, f64::max);
    weights.iter().filter(|(.., sum)| *sum >= most - TIE).map(|&(own, ..)| own).collect()
}

fn greedy(values: &[(Move, f64)]) -> Vec<(Move, f64)> {
    let best = values.iter().map(|&(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
    let ties = values.iter().filter(|(_, value)| *value >= best - TIE).count();
    let share = |value: f64| if value >= best - TIE { 1.0 / ties as f64 } else { 0.0 };
    values.iter().map(|&(own, value)| (own, share(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Method;
    use hyperplay_logic::gdl::{Symbols, TermStore};

    fn moves() -> Vec<Move> {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        names.iter().map(|&name| Move(terms.intern(name, &[]))).collect()
    }

    fn state(weight: f64, moves: &[Move], values: &[f64]) -> Judged {
        let evaluation = Evaluation {
            moves: moves.to_vec(),
            values: values.to_vec(),
            mixture: None,
            method: Method::ExactZeroSum,
        };
        Judged { weight, evaluation }
    }

    #[test]
    fn values_are_averaged_and_not_policies() {
        let m = moves();
        // By majority of states the first move; by value the second.
        let states = [state(0.6, &m[..2], &[51.0, 50.0]), state(0.4, &m[..2], &[0.0, 100.0])];
        let judgement = judge(&states);
        assert_eq!(judgement.policy, [(m[0], 0.0), (m[1], 1.0)]);
        assert!((judgement.values[1].1 - 70.0).abs() < 1e-9);
    }

    #[test]
    fn equal_values_share_evenly() {
        let m = moves();
        let judgement = judge(&[state(1.0, &m, &[50.0, 50.0 + 1e-12, 10.0])]);
        assert_eq!(judgement.policy, [(m[0], 0.5), (m[1], 0.5), (m[2], 0.0)]);
    }

    #[test]
    fn a_move_legal_everywhere_is_preferred_however_poor() {
        let m = moves();
        let states = [state(0.9, &m[..2], &[10.0, 90.0]), state(0.1, &[m[0], m[2]], &[10.0, 90.0])];
        assert_eq!(judge(&states).policy, [(m[0], 1.0)]);
    }

    #[test]
    fn without_one_the_greatest_weight_decides_and_the_referees_choice_counts_elsewhere() {
        let m = moves();
        let states = [state(0.7, &m[..2], &[10.0, 90.0]), state(0.3, &m[2..], &[40.0])];
        let judgement = judge(&states);
        assert_eq!(judgement.policy, [(m[0], 0.0), (m[1], 1.0)]);
        assert!((judgement.values[0].1 - (7.0 + 12.0)).abs() < 1e-9);
    }

    #[test]
    fn states_that_were_not_judged_count_for_legality_only() {
        let m = moves();
        let states = [state(0.9, &m[..2], &[]), state(0.1, &m, &[1.0, 2.0, 3.0])];
        assert_eq!(judge(&states).policy, [(m[0], 0.0), (m[1], 1.0)]);
        let none = judge(&[state(1.0, &m[..2], &[])]);
        assert_eq!((none.policy, none.values), (vec![(m[0], 0.5), (m[1], 0.5)], vec![]));
    }

    #[test]
    fn a_single_state_is_played_by_the_mixed_move() {
        let m = moves();
        let mut only = state(1.0, &m[..2], &[50.0, 50.0]);
        only.evaluation.mixture = Some(vec![0.25, 0.75]);
        assert_eq!(judge(&[only]).policy, [(m[0], 0.25), (m[1], 0.75)]);
    }
}
