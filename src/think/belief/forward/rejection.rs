//! Rejection: independent draws from the posterior.
//!
//! Draws of the last update that explain the new step are kept. Missing draws are made as whole histories from the
//! last enumerated set. How many are drawn is decided by counts.

use super::draw::{DrawContext, DrawnStep};
use super::population::PopulationBuilder;
use super::{Forward, Kind, LastEnumerated, StepTask};
use crate::belief::options::SamplingMethod;
use hyperplay_machine::{Budget, Bulk, ObservedStep, Seed};

/// The draws made, as a multiple of those that are expected to be needed, so that a second round is seldom needed.
const SURPLUS: f64 = 1.05;

/// A round for no more than this number of particles is to be the last.
const LAST: f64 = 64.0;

/// A round draws at most this multiple of what the rounds before it have drawn.
const MORE: usize = 8;

/// The expected cost of draws.
pub(super) struct Expected {
    /// The share of whole histories that get through.
    pub(super) whole: f64,
    /// The attempts that each of them takes.
    pub(super) each: f64,
    /// The attempts of a filter from the first of the steps on.
    pub(super) filter: f64,
}

/// How drawing whole histories ended.
pub(super) enum Drawn {
    /// There are as many as are wanted.
    Complete,
    /// There are fewer.
    Incomplete,
    /// The information set was enumerated instead.
    Enumerated,
}

impl<M: Bulk> Forward<M> {
    /// One attempt for each of these entries of the population. A call that the clock cuts short counts only if it
    /// `keeps_some`: if any of the entries is as likely to come first as any other.
    pub(super) fn attempt(
        &mut self,
        entries: &[u32],
        task: StepTask<'_>,
        builder: &mut PopulationBuilder<M::State>,
        keeps_some: bool,
    ) {
        let StepTask { budget, seed, .. } = task;
        let Forward { machine, scratch, opponents, failure, population, genealogy, .. } = self;
        let opponents = opponents.as_mut();
        let mut context = DrawContext { machine: &**machine, scratch, opponents, budget, failure };
        let draws = context.attempts(population, entries, &task.observed(), seed);
        let (tried, agreed) = (draws.tried as u64, draws.agreed());
        self.cost.spend(tried, agreed);
        let trials = &mut self.trials[genealogy.depth() - 1];
        trials[0] += tried;
        trials[1] += agreed;
        if draws.tried < entries.len() && !keeps_some {
            return;
        }
        for DrawnStep { start, joint, state, known, count } in draws.steps {
            let parent = start as usize;
            let from = (parent, population.hashes[parent]);
            builder.add(genealogy, from, &joint, (state, known), f64::from(count));
        }
    }

    /// Draws of the last update that explain the new step, and whole histories in place of those that do not. Whatever
    /// is decided here is decided by counts. Ends where more than `most` attempts are expected; without it, where a
    /// filter takes fewer.
    pub(super) fn draw_independently(
        &mut self,
        task: StepTask<'_>,
        builder: &mut PopulationBuilder<M::State>,
        most: Option<f64>,
    ) -> Drawn {
        let StepTask { step, budget, seed, .. } = task;
        let Some(last) = &self.last_enumerated else { return Drawn::Incomplete };
        let (from, wanted) = (last.generation, self.options.particles);
        let reuses = self.options.method != SamplingMethod::Rejection;
        let before = self.cost.states;
        if reuses && self.kind == Kind::Independent {
            let count = usize::try_from(self.left()).unwrap_or(usize::MAX);
            let seed = seed.child("survive");
            let draws = self.population.without_replacement(count, &mut seed.child("order").rng());
            self.attempt(&draws, StepTask { seed: &seed, ..task }, builder, true);
        }
        let observed: Vec<ObservedStep<'_>> =
            (from..=step).map(|step| StepTask { step, ..task }.observed()).collect();
        let mut tried = 0;
        for round in 0.. {
            let drawn = builder.population.total() as usize;
            if drawn >= wanted {
                return Drawn::Complete;
            }
            let missing = (wanted - drawn) as f64;
            let Expected { whole, each, filter } = self.expected(from, step);
            let attempts = missing / whole * each;
            // Where nothing has got through, the shares of the steps say more than they did before.
            if reuses && (round == 0 || drawn == 0) && self.enumerates_instead(attempts, task) {
                return Drawn::Enumerated;
            }
            if reuses && step > from && attempts > most.unwrap_or(filter) {
                return Drawn::Incomplete;
            }
            let is_known = self.trials[step][0] > 0;
            // The last round draws a little more than is needed, those before it a little less.
            let surplus = if missing > LAST { 2.0 - SURPLUS } else { SURPLUS };
            let count = if is_known { surplus * missing / whole + 4.0 } else { missing };
            // The shares are known the better the more was drawn.
            let count = count.min((MORE * tried.max(wanted)) as f64);
            let own = self.allowance(self.cost.states - before) as f64 / each;
            // A budget in nodes is kept even if every history gets as far as the last step.
            let given = self.left() / observed.len() as u64;
            let count = count.min(own).min(given as f64) as usize;
            if count == 0 || budget.is_late() {
                return Drawn::Incomplete;
            }
            tried += count;
            self.draw_whole(&observed, count, builder, budget, &seed.index(round));
        }
        Drawn::Incomplete
    }

    /// The expected cost of draws by the shares of the steps from one to another.
    pub(super) fn expected(&self, from: usize, step: usize) -> Expected {
        let mut expected = Expected { whole: 1.0, each: 0.0, filter: 0.0 };
        for step in from..=step {
            expected.each += expected.whole;
            expected.whole *= self.acceptance_rate(step);
            expected.filter += self.wanted_population() / self.acceptance_rate(step);
        }
        expected
    }

    /// Draws `count` whole histories from the last enumerated set.
    pub(super) fn draw_whole(
        &mut self,
        observed: &[ObservedStep<'_>],
        count: usize,
        builder: &mut PopulationBuilder<M::State>,
        budget: &Budget,
        seed: &Seed,
    ) {
        let Forward { machine, scratch, opponents, failure, last_enumerated, genealogy, .. } = self;
        let Some(LastEnumerated { generation, population, table, .. }) = last_enumerated else { return };
        let opponents = opponents.as_mut();
        let mut context = DrawContext { machine: &**machine, scratch, opponents, budget, failure };
        let trajectories = context.trajectories(population, table, observed, count, seed);
        for (trials, [tried, agreed]) in self.trials[*generation..].iter_mut().zip(trajectories.trials) {
            trials[0] += tried;
            trials[1] += agreed;
            self.cost.spend(tried, agreed);
        }
        for trajectory in trajectories.found {
            let hash = population.hashes[trajectory.from as usize];
            builder.add_trajectory(genealogy, *generation, hash, trajectory);
        }
    }
}
