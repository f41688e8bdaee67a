//! Draws in bulk: attempts to extend histories by one step, and whole histories drawn step by step.
//!
//! Work is cut into pieces of a fixed size, each with a random stream of its own, and the pieces are put together in
//! order. So a result does not depend on how many threads make them. Large jobs are shared by the threads of the pool
//! that the caller runs in.

use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::population::Population;
use hyperplay_machine::{Budget, Bulk, ConsistentDraws, EvaluationFailure, JointMove, ObservedStep, Seed};

/// Attempts of a piece.
const PIECE: usize = 1 << 14;

/// From this number of pieces on they are shared by threads.
const SHARED: usize = 4;

/// The data with which one thread draws.
pub(super) struct DrawContext<'a, M: Bulk> {
    pub(super) machine: &'a M,
    pub(super) scratch: &'a mut M::Scratch,
    pub(super) budget: &'a Budget,
    /// A failure of evaluation that another thread met.
    pub(super) failure: &'a mut Option<EvaluationFailure>,
}

impl<M: Bulk> DrawContext<'_, M> {
    /// The results of `count` pieces of work, in order; those behind a late one are missing.
    fn pieces<T: Send>(
        &mut self,
        count: usize,
        work: impl Fn(usize, &mut M::Scratch) -> Option<T> + Sync,
    ) -> Vec<T> {
        if count < SHARED || rayon::current_num_threads() == 1 {
            return (0..count).map_while(|piece| work(piece, self.scratch)).collect();
        }
        let machine = self.machine;
        let made: Vec<(Option<T>, Option<EvaluationFailure>)> = (0..count)
            .into_par_iter()
            .map_init(
                || machine.scratch(),
                |scratch, piece| (work(piece, scratch), machine.take_failure(scratch)),
            )
            .collect();
        made.into_iter()
            .map_while(|(made, failure)| {
                *self.failure = self.failure.take().or(failure);
                made
            })
            .collect()
    }

    /// The attempts that agree with an observation; see [`Bulk::draw_consistent`].
    pub(super) fn attempts(
        &mut self,
        starts: &[M::State],
        attempts: &[u32],
        observed: &ObservedStep<'_>,
        seed: &Seed,
    ) -> ConsistentDraws<M::State> {
        let (machine, budget) = (self.machine, self.budget);
        let pieces: Vec<&[u32]> = attempts.chunks(PIECE).collect();
        let made = self.pieces(pieces.len(), |piece, scratch| {
            let seed = seed.index(piece);
            let late = piece > 0 && budget.is_late();
            (!late).then(|| machine.draw_consistent(starts, pieces[piece], observed, &seed, budget, scratch))
        });
        let mut all = ConsistentDraws { tried: 0, steps: Vec::new() };
        for (piece, mut draws) in made.into_iter().enumerate() {
            let first = piece * PIECE;
            all.tried = first + draws.tried;
            draws.steps.iter_mut().for_each(|step| step.place += first);
            all.steps.append(&mut draws.steps);
            if draws.tried < pieces[piece].len() {
                break;
            }
        }
        all
    }

    /// Draws `count` whole histories: an entry of a population by its weight, then step by step, each an attempt that
    /// agrees with what was observed or ends the history.
    pub(super) fn trajectories(
        &mut self,
        from: &Population<M::State>,
        table: &AliasTable,
        observed: &[ObservedStep<'_>],
        count: usize,
        seed: &Seed,
    ) -> Trajectories<M::State> {
        let (machine, budget) = (self.machine, self.budget);
        let made = self.pieces(count.div_ceil(PIECE), |piece, scratch| {
            let count = PIECE.min(count - piece * PIECE);
            let late = piece > 0 && budget.is_late();
            (!late).then(|| {
                piece_of_trajectories(
                    machine,
                    from,
                    table,
                    observed,
                    count,
                    &seed.index(piece),
                    budget,
                    scratch,
                )
            })
        });
        let mut all = Trajectories { tried: 0, trials: vec![[0; 2]; observed.len()], found: Vec::new() };
        for mut trajectories in made {
            all.tried += trajectories.tried;
            all.found.append(&mut trajectories.found);
            for (sum, trials) in all.trials.iter_mut().zip(trajectories.trials) {
                (0..2).for_each(|place| sum[place] += trials[place]);
            }
        }
        all
    }
}

/// A history that agrees with all observations.
#[derive(Debug)]
pub(super) struct Trajectory<S> {
    /// The entry that it continues.
    pub(super) from: usize,
    pub(super) joints: Vec<JointMove>,
    pub(super) state: S,
}

/// Whole histories.
#[derive(Debug)]
pub(super) struct Trajectories<S> {
    /// How many were drawn.
    pub(super) tried: usize,
    /// For each step the attempts, and those that agreed.
    pub(super) trials: Vec<[u64; 2]>,
    /// Those that agree with everything.
    pub(super) found: Vec<Trajectory<S>>,
}

#[expect(clippy::too_many_arguments, reason = "what a piece needs is all there is")]
fn piece_of_trajectories<M: Bulk>(
    machine: &M,
    from: &Population<M::State>,
    table: &AliasTable,
    observed: &[ObservedStep<'_>],
    count: usize,
    seed: &Seed,
    budget: &Budget,
    scratch: &mut M::Scratch,
) -> Trajectories<M::State> {
    let mut rng = seed.child("from").rng();
    let picked: Vec<u32> = (0..count).map(|_| table.draw(&mut rng)).collect();
    let mut trials = vec![[0; 2]; observed.len()];
    // For each step the histories that passed it: their places among those before, and their joint moves.
    let mut levels: Vec<Vec<(usize, JointMove)>> = Vec::with_capacity(observed.len());
    let mut states: Vec<M::State> = Vec::new();
    for (step, observed) in observed.iter().enumerate() {
        let all: Vec<u32>;
        let (starts, attempts) = if step == 0 {
            (&from.states[..], &picked)
        } else {
            all = (0..states.len() as u32).collect();
            (&states[..], &all)
        };
        let draws = machine.draw_consistent(starts, attempts, observed, &seed.index(step), budget, scratch);
        trials[step] = [draws.tried as u64, draws.steps.len() as u64];
        let (mut next, mut level) = (Vec::with_capacity(draws.steps.len()), Vec::new());
        for step in draws.steps {
            level.push((step.place, step.joint));
            next.push(step.state);
        }
        (states, _) = (next, levels.push(level));
        if states.is_empty() {
            break;
        }
    }
    let history = |(place, state): (usize, M::State)| {
        let mut place = place;
        let mut joints = Vec::with_capacity(levels.len());
        for level in levels.iter().rev() {
            joints.push(level[place].1.clone());
            place = level[place].0;
        }
        joints.reverse();
        Trajectory { from: picked[place] as usize, joints, state }
    };
    let found = states.into_iter().enumerate().map(history).collect();
    Trajectories { tried: count, trials, found }
}

/// Independent draws of entries by their weights, each in constant time.
///
/// Reference: the alias method, Walker77 (`docs/REFERENCES.md`).
#[derive(Clone, Debug)]
pub(super) struct AliasTable {
    /// For each entry the share of its column that is its own, and the entry that has the rest.
    columns: Vec<(f64, u32)>,
}

impl AliasTable {
    /// Draws by these weights: positive, at least one.
    pub(super) fn new(weights: &[f64]) -> AliasTable {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        let mut columns: Vec<(f64, u32)> =
            (0..).zip(weights).map(|(own, weight)| (weight * scale, own)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|&entry| columns[entry].0 < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            columns[poor].1 = rich as u32;
            columns[rich].0 -= 1.0 - columns[poor].0;
            if columns[rich].0 < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        AliasTable { columns }
    }

    fn draw(&self, rng: &mut impl Rng) -> u32 {
        if self.columns.len() == 1 {
            return 0;
        }
        let entry = rng.random_range(0..self.columns.len());
        let (own, other) = self.columns[entry];
        if rng.random::<f64>() < own { entry as u32 } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_picked_by_their_weights() {
        let weights = [1.0, 5.0, 0.5, 3.5];
        let table = AliasTable::new(&weights);
        let mut rng = Seed::root(1).rng();
        let mut counts = [0_u32; 4];
        (0..100_000).for_each(|_| counts[table.draw(&mut rng) as usize] += 1);
        for (count, weight) in counts.iter().zip(weights) {
            let expected = 10_000.0 * weight;
            assert!((f64::from(*count) - expected).abs() < 5.0 * expected.sqrt(), "{counts:?}");
        }
        assert!(counts.iter().all(|&count| count > 0));
    }
}
