//! Trajectories: whole histories, drawn from an enumerated population on.

use super::alias::AliasTable;
use super::draw::{DrawContext, DrawnStep, DrawnSteps, PIECE, uniform_steps};
use super::genealogy::Genealogy;
use super::population::{ListedJoints, Population, PopulationBuilder, continued};
use hyperplay_machine::{Bulk, JointMove, ObservedStep, Seed, StepAttempts};

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

/// The histories that passed a step: what each continues, by which joint move, how often it was drawn, and where it
/// leads.
struct Level<S> {
    steps: Vec<(u32, JointMove, u32)>,
    states: Vec<S>,
    known: Vec<u32>,
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
        let each = (0..).zip(&drawn.steps);
        attempts = each.flat_map(|(place, step)| std::iter::repeat_n(place, step.count as usize)).collect();
        let parts = |step: DrawnStep<S>| (step.state, (step.known, (step.start, step.joint, step.count)));
        let (states, (known, steps)) = drawn.steps.into_iter().map(parts).unzip();
        levels.push(Level { steps, states, known });
        if attempts.is_empty() {
            return Some(Trajectories { trials, found: Vec::new() });
        }
    }
    let Some(Level { steps, states, known }) = levels.pop() else {
        return Some(Trajectories { trials, found: Vec::new() });
    };
    let history = |(((mut from, last, count), state), known)| {
        let mut joints = vec![last];
        for level in levels.iter().rev() {
            let (before, joint, _) = &level.steps[from as usize];
            joints.push(joint.clone());
            from = *before;
        }
        joints.reverse();
        Trajectory { from, joints, state, known, count }
    };
    let ends = steps.into_iter().zip(states).zip(known);
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
                    let asked = StepAttempts { starts, attempts, observed: *step, seed, budget };
                    Some(uniform_steps(machine, &asked, scratch))
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

impl<S> PopulationBuilder<S> {
    /// Adds a history that was drawn from the generation `from` on, where its entry had a hash.
    pub(super) fn add_trajectory(
        &mut self,
        genealogy: &mut Genealogy,
        from: usize,
        hash: u64,
        trajectory: Trajectory<S>,
    ) {
        let Trajectory { from: entry, joints, state, known, count } = trajectory;
        let Some((last, before)) = joints.split_last() else { return };
        let (mut entry, mut hash) = (entry as usize, hash);
        for (generation, joint) in (from + 1..).zip(before) {
            hash = continued(hash, joint);
            entry = genealogy.push(generation, entry, joint);
        }
        self.add(genealogy, (entry, hash), last, (state, known), f64::from(count));
    }
}
