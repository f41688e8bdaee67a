//! Costs: the processor time of an update, sampler beside sampler, at every step of the matches of one game.
//!
//! No posterior is needed, so a match is followed to steps that no enumeration reaches. For each match, role and
//! replicate all samplers follow the same evidence, one after the other on one thread, from the first step on; the time
//! at a step is that of the update from the step before to this one. Before that, every sampler follows the evidence of
//! the first match once without being measured, so that none pays for what is done only once in a process. An update
//! that takes longer than the limit, or
//! leaves no particle, ends the measurement of this sampler in this replicate.
//!
//! Times are compared in pairs: a ratio is the sum of the times of one sampler over that of another, over the updates
//! that both made.

mod row;

use std::sync::Arc;
use std::time::Duration;

use super::harness::{MeasuredUpdate, updated};
use super::plan::{StudyError, StudyPlan};
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Seed, StateMachine, StateMachineExt};
use hyperplay_play::referee::{Interrupt, Stopwatch};

pub use super::columns::COST_COLUMNS;
pub use row::CostRow;

/// The measurement that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct CostPlan<'a> {
    /// The matches, the samplers, and what is measured of them; its measures of accuracy are not made.
    pub study: &'a StudyPlan,
    /// Particles in a set.
    pub particles: usize,
    /// The longest time of an update.
    pub limit: Duration,
}

/// The costs of samplers at the steps of a game.
#[derive(Clone, Debug, Default)]
pub struct CostStudy {
    /// By step, then in the order of the samplers.
    pub rows: Vec<CostRow>,
    /// False if an interrupt came before the end.
    pub is_complete: bool,
}

/// One update of one sampler.
#[derive(Clone, Copy, Debug)]
struct CostSample {
    /// The number of the sampler.
    sampler: usize,
    step: usize,
    /// The number of the match, role and replicate.
    case: usize,
    update: MeasuredUpdate,
    /// Whether it ended within the limit and left particles.
    is_finished: bool,
}

impl CostPlan<'_> {
    /// Beliefs that are followed in all.
    pub fn total(&self, machine: &Engine) -> usize {
        let StudyPlan { samplers, replicates, matches, .. } = self.study;
        samplers.len() * replicates * matches * self.study.roles_of(machine).len()
    }

    /// Measures, with the matches played on `players_engine` if players play them. `tick` is called after each belief.
    ///
    /// # Errors
    /// If the rules cannot be evaluated, or a player gets no thread.
    pub fn study(
        &self,
        machine: &Arc<Engine>,
        players_engine: &Arc<Engine>,
        interrupt: &Interrupt,
        tick: &dyn Fn(),
    ) -> Result<CostStudy, StudyError> {
        let StudyPlan { samplers, replicates, .. } = self.study;
        let mut samples = Vec::new();
        let mut case = 0;
        for index in 0..self.study.matches {
            let seed = self.study.match_seed(index);
            let history = self.study.history(index, machine, players_engine, interrupt)?;
            for role in self.study.roles_of(machine) {
                let whole = machine.evidence(&history, role, &mut machine.scratch());
                if case == 0 {
                    for sampler in 0..samplers.len() {
                        let seed = seed.child("unmeasured");
                        self.follow(machine, &whole, (sampler, case), &seed, interrupt, &mut Vec::new())?;
                    }
                }
                for replicate in 0..*replicates {
                    let seed = seed.child("belief").child(&machine.roles()[role]).index(replicate);
                    for sampler in 0..samplers.len() {
                        if !self.follow(machine, &whole, (sampler, case), &seed, interrupt, &mut samples)? {
                            return Ok(CostStudy { rows: self.rows(&samples), is_complete: false });
                        }
                        tick();
                    }
                    case += 1;
                }
            }
        }
        Ok(CostStudy { rows: self.rows(&samples), is_complete: true })
    }

    /// One belief that follows the evidence; false if it was interrupted.
    fn follow(
        &self,
        machine: &Arc<Engine>,
        whole: &Evidence,
        (sampler, case): (usize, usize),
        seed: &Seed,
        interrupt: &Interrupt,
        samples: &mut Vec<CostSample>,
    ) -> Result<bool, StudyError> {
        let spec = &self.study.samplers[sampler];
        let model = spec.assumed().model(machine);
        let mut belief = spec.sampler().belief(machine, whole.role, &model, self.particles);
        // After the last step of a match nothing is decided.
        let last = if whole.over { whole.step().saturating_sub(1) } else { whole.step() };
        for step in 1..=last {
            if interrupt.is_raised() {
                return Ok(false);
            }
            let (evidence, watch) = (whole.until(step), Stopwatch::start());
            let update = updated(belief.as_mut(), &evidence, &Budget::time(self.limit), &seed.index(step))?;
            let is_finished = watch.elapsed() < self.limit && !belief.particles().is_empty();
            if step >= self.study.steps.0 || !is_finished {
                samples.push(CostSample { sampler, step, case, update, is_finished });
            }
            if !is_finished {
                break;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::match_source::MatchSource;
    use super::*;
    use hyperplay_engine::{EngineKind, Engines};
    use hyperplay_logic::gdl::{Source, load};
    use hyperplay_machine::Role;
    use hyperplay_play::player::Registry;

    /// `it` says something that `me` does not hear, three times.
    fn machine() -> Arc<Engine> {
        let text = "(role me) (role it) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (legal me noop)
            (legal it a) (legal it b)
            (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (next (said ?n ?x)) (does it ?x) (true (step ?n)))
            (<= (next (said ?n ?x)) (true (said ?n ?x))) (<= (sees it ?x) (does it ?x))
            (<= terminal (true (step 4))) (goal me 50) (goal it 50)";
        let game = load(Source::new("says", text), None).game.expect("the rules are in order");
        Engines::new(&game).get(EngineKind::Auto).expect("there is an engine")
    }

    fn rows(samplers: &[&str], steps: (usize, usize), limit: Duration) -> Vec<CostRow> {
        let registry = Registry::standard();
        let study = StudyPlan {
            samplers: samplers.iter().map(|spec| registry.sampler(spec).expect("there is one")).collect(),
            particles: vec![4],
            replicates: 3,
            matches: 2,
            play: MatchSource::read("uniform", &registry).expect("it can play"),
            equilibrium: None,
            roles: vec![Role::new(0)],
            steps,
            limit: 0,
            playouts: 0,
            seed: 1,
        };
        let (plan, machine) = (CostPlan { study: &study, particles: 4, limit }, machine());
        plan.study(&machine, &machine, &Interrupt::default(), &|| ()).expect("nothing fails").rows
    }

    #[test]
    fn every_step_before_the_end_has_a_row_for_every_sampler() {
        let rows = rows(&["rejection", "bootstrap", "hyperplay"], (1, 30), Duration::from_secs(60));
        let places: Vec<(usize, &str)> = rows.iter().map(|row| (row.step, row.sampler.as_str())).collect();
        let step = |step| [(step, "rejection"), (step, "bootstrap"), (step, "hyperplay")];
        assert_eq!(places, [step(1), step(2)].concat());
        for row in &rows {
            assert_eq!((row.updates, row.unfinished), (6, 0));
            assert_eq!(row.is_unbiased, row.sampler == "rejection");
            // Rejection has no other unbiased sampler beside it.
            assert_eq!(row.over_unbiased.is_nan(), row.sampler == "rejection");
            assert!(row.over_cheapest > 0.0, "{row:?}");
        }
    }

    #[test]
    fn only_the_steps_asked_for_have_rows_and_an_update_beyond_the_limit_is_unfinished() {
        let late = rows(&["rejection", "bootstrap"], (2, 2), Duration::from_secs(60));
        assert!(late.iter().map(|row| row.step).eq([2, 2]));
        let none = rows(&["rejection"], (2, 2), Duration::ZERO);
        assert_eq!((none.len(), none[0].step, none[0].updates, none[0].unfinished), (1, 1, 0, 6));
        assert!(none[0].seconds.mean.is_nan() && none[0].over_cheapest.is_nan());
    }
}
