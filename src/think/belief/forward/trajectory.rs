//! Trajectories: whole histories, drawn from an enumerated population on.

use super::alias::AliasTable;
use super::draw::{DrawContext, DrawnStep, DrawnSteps, PIECE, uniform_steps};
use super::population::{ListedJoints, Population};
use hyperplay_machine::{Bulk, JointMove, ObservedStep, Seed};

/// A history that agrees with all observations.
#[derive(Debug)]
pub(super) struct Trajectory<S> {
    /// The entry that it continues.
    pub(super) from: u32,
    pub(super) joints: Vec<JointMove>,
    pub(super) state: S,
    /// What the others know after it.
    pub(super) known: u32,
    /// How often it was drawn.
    pub(super) count: u32,
}

/// Whole histories.
#[derive(Debug)]
pub(super) struct Trajectories<S> {
    /// For each step the attempts, and those that agreed.
    pub(super) trials: Vec<[u64; 2]>,
    /// Those that agree with everything.
    pub(super) found: Vec<Trajectory<S>>,
}

/// The histories that passed a step: what each continues, by which joint move, and where it leads.
struct Level<S> {
    joints: Vec<(u32, JointMove)>,
    states: Vec<S>,
    known: Vec<u32>,
    counts: Vec<u32>,
}

/// Some whole histories, each of whose steps is drawn by a function of the observation, the histories that passed the
/// step before (all entries, at the first step), which of them are to be continued, and a seed. `None` if it has no
/// answer.
fn piece_of_trajectories<S>(
    table: &AliasTable,
    observed: &[ObservedStep<'_>],
    count: usize,
    seed: &Seed,
    mut draw: impl FnMut(&ObservedStep<'_>, Option<&Level<S>>, &[u32], &Seed) -> Option<DrawnSteps<S>>,
) -> Option<Trajectories<S>> {
    let mut rng = seed.child("from").rng();
    let mut attempts: Vec<u32> = (0..count).map(|_| table.draw(&mut rng)).collect();
    let mut trials = vec![[0; 2]; observed.len()];
    let mut levels: Vec<Level<S>> = Vec::with_capacity(observed.len());
    for (step, observed) in observed.iter().enumerate() {
        let drawn = draw(observed, levels.last(), &attempts, &seed.index(step))?;
        trials[step] = [drawn.tried as u64, drawn.agreed()];
        let of = drawn.steps.len();
        let mut level = Level {
            joints: Vec::with_capacity(of),
            states: Vec::with_capacity(of),
            known: Vec::with_capacity(of),
            counts: Vec::with_capacity(of),
        };
        for DrawnStep { start, joint, state, known, count } in drawn.steps {
            level.joints.push((start, joint));
            level.states.push(state);
            level.known.push(known);
            level.counts.push(count);
        }
        let each = (0..).zip(&level.counts);
        attempts = each.flat_map(|(place, &count)| std::iter::repeat_n(place, count as usize)).collect();
        levels.push(level);
        if attempts.is_empty() {
            return Some(Trajectories { trials, found: Vec::new() });
        }
    }
    let Some(Level { joints, states, known, counts }) = levels.pop() else {
        return Some(Trajectories { trials, found: Vec::new() });
    };
    let ends = joints.into_iter().zip(states).zip(known.into_iter().zip(counts));
    let history = |(((mut from, last), state), (known, count))| {
        let mut joints = vec![last];
        for level in levels.iter().rev() {
            let (before, joint) = &level.joints[from as usize];
            joints.push(joint.clone());
            from = *before;
        }
        joints.reverse();
        Trajectory { from, joints, state, known, count }
    };
    Some(Trajectories { trials, found: ends.map(history).collect() })
}

impl<M: Bulk> DrawContext<'_, M> {
    /// Draws `count` whole histories: an entry of a population by its weight, then step by step, each an attempt that
    /// agrees with what was observed or ends the history.
    pub(super) fn trajectories(
        &mut self,
        from: &mut Population<M::State>,
        table: &AliasTable,
        observed: &[ObservedStep<'_>],
        count: usize,
        seed: &Seed,
    ) -> Trajectories<M::State> {
        let (machine, budget) = (self.machine, self.budget);
        let size = |piece: usize| PIECE.min(count - piece * PIECE);
        let made = if self.opponents.is_some() {
            let each = 0..count.div_ceil(PIECE);
            each.map_while(|piece| {
                let seed = seed.index(piece);
                piece_of_trajectories(table, observed, size(piece), &seed, |step, former, attempts, seed| {
                    let mut unlisted = ListedJoints::new();
                    let starts = match former {
                        None => (&from.states[..], &from.known[..], &mut from.joints),
                        Some(Level { states, known, .. }) => (&states[..], &known[..], &mut unlisted),
                    };
                    let steps = self.modelled_steps(starts, attempts, step, seed)?;
                    Some(DrawnSteps { tried: attempts.len(), steps })
                })
            })
            .collect()
        } else {
            let from = &from.states;
            self.pieces(count.div_ceil(PIECE), |piece, scratch| {
                if piece > 0 && budget.is_late() {
                    return None;
                }
                let seed = seed.index(piece);
                piece_of_trajectories(table, observed, size(piece), &seed, |step, former, attempts, seed| {
                    let starts = former.map_or(&from[..], |level| &level.states);
                    Some(uniform_steps(machine, starts, attempts, step, seed, budget, scratch))
                })
            })
        };
        let mut all = Trajectories { trials: vec![[0; 2]; observed.len()], found: Vec::new() };
        for mut trajectories in made {
            all.found.append(&mut trajectories.found);
            for (sum, trials) in all.trials.iter_mut().zip(trajectories.trials) {
                (0..2).for_each(|place| sum[place] += trials[place]);
            }
        }
        all
    }
}
