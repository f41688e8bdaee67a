//! The plan of a study, and its execution: the figures of some samplers on the matches of one game.
//!
//! Blocks (match, role, posterior, sampler, particles) are measured one after the other, and the replicates of a block in
//! parallel. The seed determines all figures, whatever the number of threads. An interrupt drops the block that is being
//! measured.

use std::io;
use std::sync::Arc;

use thiserror::Error;

use super::harness::{self, Oracle, Replicates};
use super::row::StudyRow;
use hyperplay_engine::Engine;
use hyperplay_engine::machine::{
    ByRole, EvaluationFailure, History, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay_play::belief::OpponentModel;
use hyperplay_play::belief::exact::ExactError;
use hyperplay_play::player::{
    Assumed, ModelSpec, PlayerSpec, Registry, SamplerSpec, Spec, SpecError, SpecKind,
};
use hyperplay_play::referee::{Interrupt, Settings, play_match};

/// Who plays the matches that evidence is taken from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchSource {
    /// Every role chooses as an opponent model says. This is a policy, so there is a posterior under it.
    Model(ModelSpec),
    /// The same player is in every seat. What it does cannot be written down, so there is no posterior under it.
    Player(PlayerSpec),
}

impl MatchSource {
    /// Reads the spec of an opponent model, or of a player if there is no such model.
    ///
    /// # Errors
    /// [`SpecError`] lists the known names.
    pub fn read(text: &str, registry: &Registry) -> Result<MatchSource, SpecError> {
        let name = text.split(':').next().unwrap_or_default().trim();
        if registry.entries(SpecKind::Model).any(|entry| entry.name == name) {
            return registry.model(text).map(MatchSource::Model);
        }
        match registry.player(text)? {
            player if player.spec().name() == "random" => registry.model("uniform").map(MatchSource::Model),
            player => Ok(MatchSource::Player(player)),
        }
    }

    /// The source as a spec.
    pub fn spec(&self) -> &Spec {
        match self {
            MatchSource::Model(model) => model.spec(),
            MatchSource::Player(player) => player.spec(),
        }
    }

    /// Whether all roles choose uniformly.
    pub fn is_uniform(&self) -> bool {
        matches!(self.spec().name(), "uniform" | "random")
    }
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct StudyPlan {
    /// The samplers.
    pub samplers: Vec<SamplerSpec>,
    /// Numbers of particles in a set.
    pub particles: Vec<usize>,
    /// Independent replicates.
    pub replicates: usize,
    /// Matches.
    pub matches: usize,
    /// Who plays them.
    pub play: MatchSource,
    /// The roles whose beliefs are measured; none for all roles but `random`.
    pub roles: Vec<Role>,
    /// The first and the last step that are measured.
    pub steps: (usize, usize),
    /// The largest information set that is enumerated.
    pub limit: usize,
    /// Particles of a reference run, as a multiple of the greatest number of particles; 0 for none.
    pub reference: usize,
    /// Playouts that value a move in a state.
    pub playouts: u32,
    /// The seed.
    pub seed: u64,
}

/// A match and a role whose posterior is not exact up to the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The match.
    pub index: usize,
    /// The name of the role.
    pub role: String,
    /// Why the posterior is not exact.
    pub why: String,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Study {
    /// In the order in which they were measured.
    pub rows: Vec<StudyRow>,
    /// In the order of matches and roles.
    pub left_out: Vec<LeftOut>,
    /// False if an interrupt came before the end.
    pub is_complete: bool,
}

impl Study {
    /// Whether all rows are measured against the same posterior, the one under uniform opponents.
    pub fn is_uniform(&self) -> bool {
        self.rows.iter().all(|row| row.posterior == "U")
    }
}

/// Why a study failed.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Evaluation(#[from] EvaluationFailure),
    /// The operating system has no further thread for a player.
    #[error("no thread for a player: {0}")]
    Thread(io::Error),
}

/// An opponent model, and the letter of its posterior in the rows.
struct MeasuredPosterior {
    assumed: Assumed,
    model: Arc<dyn OpponentModel>,
    letter: &'static str,
}

impl StudyPlan {
    /// The opponent models whose posteriors a sampler is measured against: its own, and that of the play.
    fn against(&self, sampler: &SamplerSpec) -> Vec<Assumed> {
        let mut all = vec![sampler.assumed().clone()];
        all.extend(self.played().filter(|played| *played != all[0]));
        all
    }

    /// The model that is really played. It does not tremble.
    fn played(&self) -> Option<Assumed> {
        match &self.play {
            MatchSource::Model(played) => Some(Assumed::exactly(played.clone())),
            MatchSource::Player(_) => None,
        }
    }

    /// Replicates that a study of so many roles has in all.
    pub fn total(&self, roles: usize) -> usize {
        let posteriors: usize = self.samplers.iter().map(|sampler| self.against(sampler).len()).sum();
        self.matches * roles * posteriors * self.particles.len() * self.replicates
    }

    /// The roles whose beliefs are measured.
    pub fn roles_of(&self, machine: &Engine) -> Vec<Role> {
        let plays = |role: &Role| machine.random() != Some(*role);
        let asked = |role: &Role| self.roles.is_empty() || self.roles.contains(role);
        machine.each_role().filter(|role| plays(role) && asked(role)).collect()
    }

    /// The letter of the posterior under a model: uniform opponents, the policies really played, or a model of the
    /// sampler's own.
    fn letter(&self, assumed: &Assumed) -> &'static str {
        match self.played() {
            _ if assumed.spec().name() == "uniform" => "U",
            Some(played) if played == *assumed => "P",
            _ => "M",
        }
    }

    /// Measures. `tick` is called after each replicate.
    ///
    /// # Errors
    /// If the rules cannot be evaluated, or a player gets no thread.
    pub fn study(
        &self,
        machine: &Arc<Engine>,
        interrupt: &Interrupt,
        tick: &(dyn Fn() + Sync),
    ) -> Result<Study, StudyError> {
        let mut posteriors: Vec<MeasuredPosterior> = Vec::new();
        for assumed in self.samplers.iter().flat_map(|sampler| self.against(sampler)) {
            if posteriors.iter().all(|known| known.assumed != assumed) {
                let (model, letter) = (assumed.model(machine), self.letter(&assumed));
                posteriors.push(MeasuredPosterior { assumed, model, letter });
            }
        }
        let mut measuring = Measuring { plan: self, machine, interrupt, tick, study: Study::default() };
        for index in 0..self.matches {
            let history = measuring.history(index)?;
            for role in self.roles_of(machine) {
                for posterior in &posteriors {
                    if !measuring.block(index, role, &history, posterior)? {
                        return Ok(measuring.study);
                    }
                }
            }
        }
        Ok(Study { is_complete: true, ..measuring.study })
    }
}

/// A study in progress.
struct Measuring<'a> {
    plan: &'a StudyPlan,
    machine: &'a Arc<Engine>,
    interrupt: &'a Interrupt,
    tick: &'a (dyn Fn() + Sync),
    study: Study,
}

impl Measuring<'_> {
    fn seed(&self, index: usize) -> Seed {
        Seed::root(self.plan.seed).child("match").index(index)
    }

    /// The moves of a match.
    fn history(&self, index: usize) -> Result<History, StudyError> {
        let (plan, machine, seed) = (self.plan, self.machine, &self.seed(index));
        let steps = plan.steps.1;
        match &plan.play {
            play if play.is_uniform() => Ok(harness::random_match(machine, steps, seed)),
            MatchSource::Model(model) => {
                let model = model.model(machine);
                Ok(harness::model_match(machine, model.as_ref(), steps, seed))
            }
            MatchSource::Player(player) => {
                let players = ByRole::from_fn(machine.roles().len(), |role| {
                    (machine.random() != Some(role)).then(|| player.seat(machine, role))
                });
                let settings = Settings { limit: steps, ..Settings::default() };
                let played = play_match(machine.as_ref(), players, &settings, seed, self.interrupt, |_| ());
                let played = played.map_err(StudyError::Thread)?;
                Ok(History(played.steps.into_iter().map(|step| step.joint).collect()))
            }
        }
    }

    /// Measures all samplers at the points of one role in one match against one posterior; false if it was interrupted.
    fn block(
        &mut self,
        index: usize,
        role: Role,
        history: &History,
        posterior: &MeasuredPosterior,
    ) -> Result<bool, EvaluationFailure> {
        let (plan, machine, interrupt) = (self.plan, self.machine, self.interrupt);
        let name = &machine.roles()[role];
        let stop = || interrupt.is_raised();
        let seed = self.seed(index).child("belief").child(name);
        let most = plan.particles.iter().copied().max().unwrap_or(0);
        let oracle = Oracle {
            model: &posterior.model,
            limit: plan.limit,
            reference: most.saturating_mul(plan.reference),
            steps: plan.steps,
            playouts: plan.playouts,
        };
        let points = oracle.points(machine, role, history, &seed.child("oracle"), &stop);
        if let Some(ExactError::Failed(failure)) = &points.ended {
            return Err(failure.clone());
        }
        if let Some(error) = &points.ended {
            let why = match error {
                ExactError::Inconsistent { step } if !posterior.model.is_uniform() => {
                    format!("the opponent model excludes what was seen up to step {step}")
                }
                error => error.to_string(),
            };
            self.study.left_out.push(LeftOut { index, role: name.clone(), why });
        }
        let is_measured = |spec: &&SamplerSpec| plan.against(spec).contains(&posterior.assumed);
        for spec in plan.samplers.iter().filter(is_measured) {
            let (sampler, model) = (spec.sampler(), spec.assumed().model(machine));
            for &particles in &plan.particles {
                let replicates = Replicates {
                    sampler: sampler.as_ref(),
                    model: &model,
                    particles,
                    count: plan.replicates,
                    seed: seed.clone(),
                };
                let is_own = *spec.assumed() == posterior.assumed;
                let measure = if is_own { harness::measure } else { harness::measure_against };
                let Some(figures) = measure(machine, &replicates, &points.list, &stop, self.tick) else {
                    return Ok(false);
                };
                self.study.rows.extend(points.list.iter().zip(figures).map(|(point, figures)| StudyRow {
                    sampler: spec.spec().to_string(),
                    particles,
                    posterior: posterior.letter,
                    index,
                    role: name.clone(),
                    step: point.evidence.step(),
                    source: point.source,
                    information_set: point.posterior.histories.len(),
                    states: point.states(),
                    is_decision: point.is_decision(),
                    figures,
                }));
            }
        }
        Ok(!stop())
    }
}
