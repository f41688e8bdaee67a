//! Values: the values of the moves of a role in the possible states, and so the cost of a wrong belief.
//!
//! A move in a state is worth the mean goal of some uniform random playouts that begin with it. All moves of all
//! samplers are judged by the same playouts, and within a state every move has the same random numbers, so the
//! *regret* of a belief (the posterior's expected value of its best move, less that of the move that the belief
//! prefers) depends on the belief alone. Playouts are not perfect play, so regret is measured in the goal points of
//! playouts. Moves of equal value are chosen equally often.
//!
//! A decision has a budget of [`STEPS`] steps, and all decisions of a match and a role have one together
//! ([`Oracle::work`](super::Oracle::work)). Where the playouts asked for would take more, each state and move has fewer of
//! them; the mean is then over more states.

use super::evaluated;
use hyperplay_engine::Engine;
use hyperplay_machine::{
    Budget, Bulk, Evaluated, History, Move, Role, Seed, Start, State, StateMachine, StateMachineExt,
};
use hyperplay_think::belief::exact::Posterior;

/// The playouts of a decision make about this number of steps. A decision has no regret if one playout of every state and
/// move takes more.
const STEPS: u64 = 1_000_000;

/// Playouts of one move that an engine may make at once: fewer take as long.
const AT_ONCE: u64 = 512;

/// Playouts by which their length is estimated.
const TRIED: usize = 64;

/// Values closer than this are equal.
const TIE: f64 = 1e-9;

/// The values at a point.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Values {
    moves: usize,
    /// By state, then by move.
    values: Vec<f64>,
    /// The posterior's expectation for each move.
    expected: Vec<f64>,
    /// About the steps that were made for them.
    pub(super) steps: u64,
}

impl Values {
    /// The values in the states of a posterior of a role. At most `playouts` for each state and move, of at most about `steps` steps. `None` if that costs too much, or if the legal moves
    /// are not the same in all states. The error is that of an evaluation of the rules.
    pub(super) fn of(
        machine: &Engine,
        role: Role,
        truth: &History,
        posterior: &Posterior,
        (playouts, steps): (u32, u64),
        seed: &Seed,
    ) -> Evaluated<Option<Values>> {
        let mut scratch = machine.scratch();
        let mut moves: Vec<Move> = Vec::new();
        machine.legal(&machine.replay(truth, &mut scratch), role, &mut scratch, &mut moves);
        let mut states = Vec::new();
        for (at, (history, _)) in posterior.histories.iter().enumerate() {
            if posterior.ends[at] == states.len() {
                let state = machine.replay(history, &mut scratch);
                let mut legal = Vec::new();
                machine.legal(&state, role, &mut scratch, &mut legal);
                if legal != moves {
                    return evaluated(machine, &mut scratch, None);
                }
                states.push(state);
            }
        }
        let start = |state: &State, own: Move, count: u32| Start {
            state: state.clone(),
            first: vec![(role, own)],
            weights: None,
            count,
        };
        let pairs = states.iter().flat_map(|state| moves.iter().map(move |&own| (state, own)));
        let tried: Vec<Start<State>> = pairs.take(TRIED).map(|(state, own)| start(state, own, 1)).collect();
        let tallies = machine.playouts(&tried, &seed.child("length"), &Budget::UNLIMITED, &mut scratch);
        let length: u64 = tallies.iter().map(|tally| tally.steps).sum::<u64>().max(1);
        let (all, budget) = ((states.len() * moves.len()) as u64, steps.min(STEPS));
        let each = budget * tried.len() as u64 / (length * all).max(1);
        let playouts = playouts.min(each.try_into().unwrap_or(u32::MAX));
        let at_once = (states.len() as u64 * u64::from(playouts)).max(AT_ONCE);
        let steps = moves.len() as u64 * at_once * length / tried.len().max(1) as u64;
        if playouts == 0 || steps > budget {
            return evaluated(machine, &mut scratch, None);
        }
        let mut values = vec![0.0; states.len() * moves.len()];
        for (place, &own) in moves.iter().enumerate() {
            let starts: Vec<Start<State>> = states.iter().map(|state| start(state, own, playouts)).collect();
            let tallies = machine.playouts(&starts, seed, &Budget::UNLIMITED, &mut scratch);
            for (state, tally) in tallies.iter().enumerate() {
                values[state * moves.len() + place] = tally.mean(role);
            }
        }
        let mut made = Values { moves: moves.len(), values, expected: Vec::new(), steps };
        let ends = posterior.ends.iter().zip(&posterior.histories);
        made.expected = made.mean(ends.map(|(&end, (_, probability))| (end, *probability)));
        evaluated(machine, &mut scratch, Some(made))
    }

    /// The expected value of every move under these weights of states.
    fn mean(&self, weights: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut sums = vec![0.0; self.moves];
        for (state, weight) in weights {
            let of_state = &self.values[state * self.moves..(state + 1) * self.moves];
            sums.iter_mut().zip(of_state).for_each(|(sum, value)| *sum += weight * value);
        }
        sums
    }

    /// The loss by choosing as these weights of states say, in goal points.
    pub(super) fn regret(&self, weights: impl Iterator<Item = (usize, f64)>) -> f64 {
        let believed = self.mean(weights);
        let best = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = best(&believed) - TIE;
        let chosen: Vec<f64> =
            believed.iter().zip(&self.expected).filter(|&(&own, _)| own >= least).map(|(_, &v)| v).collect();
        best(&self.expected) - chosen.iter().sum::<f64>() / chosen.len() as f64
    }
}
