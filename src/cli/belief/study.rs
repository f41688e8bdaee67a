//! Study: the figures of some samplers on the matches of one game.
//!
//! Blocks (match, role, posterior, sampler, particles) are measured one after the other, the runs of a block in
//! parallel; the seed fixes all figures, whatever the number of threads. An interrupt drops the block that is being
//! measured.

use std::sync::Arc;

use super::super::failure::Failure;
use super::super::progress::Progress;
use super::row::Row;
use hyperplay_engine::Engine;
use hyperplay_engine::machine::{
    ByRole, EvaluationFailure, History, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay_play::belief::OpponentModel;
use hyperplay_play::belief::exact::ExactError;
use hyperplay_play::belief::meter::{self, Oracle, Trial};
use hyperplay_play::player::{Assumed, ModelSpec, PlayerSpec, SamplerSpec, Spec};
use hyperplay_play::referee::{Interrupt, Settings, play_match};

/// Who plays the matches that evidence is taken from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Play {
    /// Every role as an opponent model says: a policy, which has a posterior.
    Model(ModelSpec),
    /// The same player in every seat: what it does cannot be written down, so there is no posterior under it.
    Player(PlayerSpec),
}

impl Play {
    /// As a spec.
    pub fn spec(&self) -> &Spec {
        match self {
            Play::Model(model) => model.spec(),
            Play::Player(player) => player.spec(),
        }
    }

    /// Whether all choose uniformly.
    pub fn is_uniform(&self) -> bool {
        matches!(self.spec().name(), "uniform" | "random")
    }
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The samplers.
    pub samplers: Vec<SamplerSpec>,
    /// Particles in a set.
    pub particles: Vec<usize>,
    /// Independent sets.
    pub runs: usize,
    /// Matches.
    pub matches: usize,
    /// Who plays them.
    pub play: Play,
    /// Whose beliefs; none for all roles but `random`.
    pub roles: Vec<Role>,
    /// The first and the last step looked at.
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

/// Where the posterior is not exact up to the end of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// The match.
    pub index: usize,
    /// The name of the role.
    pub role: String,
    /// Why.
    pub why: String,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Study {
    /// In the order in which they were measured.
    pub rows: Vec<Row>,
    /// In the order of matches and roles.
    pub left_out: Vec<LeftOut>,
    /// False if an interrupt came before the end.
    pub is_complete: bool,
}

/// An opponent model and what rows measured against its posterior say.
struct Posterior {
    assumed: Assumed,
    model: Arc<dyn OpponentModel>,
    letter: &'static str,
}

impl Plan {
    /// The opponent models whose posteriors a sampler is measured against: its own, and that of the play.
    fn against(&self, sampler: &SamplerSpec) -> Vec<Assumed> {
        let mut all = vec![sampler.assumed().clone()];
        all.extend(self.played().filter(|played| *played != all[0]));
        all
    }

    /// The model really played, which does not tremble.
    fn played(&self) -> Option<Assumed> {
        match &self.play {
            Play::Model(played) => Some(Assumed::exactly(played.clone())),
            Play::Player(_) => None,
        }
    }

    /// Runs that a study makes in all.
    pub fn total(&self, roles: usize) -> usize {
        let posteriors: usize = self.samplers.iter().map(|sampler| self.against(sampler).len()).sum();
        self.matches * roles * posteriors * self.particles.len() * self.runs
    }

    /// The roles that are looked at.
    pub fn roles_of(&self, machine: &Engine) -> Vec<Role> {
        let plays = |role: &Role| machine.random() != Some(*role);
        let asked = |role: &Role| self.roles.is_empty() || self.roles.contains(role);
        machine.each_role().filter(|role| plays(role) && asked(role)).collect()
    }

    /// Which posterior the one under this model is: under uniform opponents, under the policies really played, or under
    /// a model of the sampler's own.
    fn letter(&self, assumed: &Assumed) -> &'static str {
        match self.played() {
            _ if assumed.spec().name() == "uniform" => "U",
            Some(played) if played == *assumed => "P",
            _ => "M",
        }
    }

    /// Measures.
    ///
    /// # Errors
    /// If the rules cannot be evaluated.
    pub fn study(
        &self,
        machine: &Arc<Engine>,
        game: &str,
        progress: &Progress,
        interrupt: &Interrupt,
    ) -> Result<Study, Failure> {
        let mut study = Study::default();
        let mut posteriors: Vec<Posterior> = Vec::new();
        for assumed in self.samplers.iter().flat_map(|sampler| self.against(sampler)) {
            if posteriors.iter().all(|known| known.assumed != assumed) {
                let (model, letter) = (assumed.model(machine), self.letter(&assumed));
                posteriors.push(Posterior { assumed, model, letter });
            }
        }
        let root = Seed::root(self.seed).child("match");
        for index in 0..self.matches {
            let history = self.history(machine, &root.index(index), interrupt)?;
            for role in self.roles_of(machine) {
                for posterior in &posteriors {
                    let complete = self.block(
                        machine,
                        (index, role),
                        &history,
                        posterior,
                        progress,
                        interrupt,
                        &mut study,
                    );
                    let complete = complete.map_err(|failure| {
                        Failure::failed(format!("{game}: {failure}"), "take fewer --steps")
                    })?;
                    if !complete {
                        return Ok(study);
                    }
                }
            }
        }
        study.is_complete = true;
        Ok(study)
    }

    /// The moves of a match.
    fn history(&self, machine: &Arc<Engine>, seed: &Seed, interrupt: &Interrupt) -> Result<History, Failure> {
        let steps = self.steps.1;
        match &self.play {
            play if play.is_uniform() => Ok(meter::random_match(machine.as_ref(), steps, seed)),
            Play::Model(played) => {
                let model = played.model(machine);
                Ok(meter::model_match(machine.as_ref(), model.as_ref(), steps, seed))
            }
            Play::Player(player) => {
                let players = ByRole::from_fn(machine.roles().len(), |role| {
                    (machine.random() != Some(role)).then(|| player.seat(machine, role))
                });
                let settings = Settings { limit: steps, ..Settings::default() };
                let played = play_match(machine.as_ref(), players, &settings, seed, interrupt, |_| ());
                let played = played.map_err(|cause| {
                    Failure::failed(format!("no thread for a player: {cause}"), "take another --play")
                })?;
                Ok(History(played.steps.into_iter().map(|step| step.joint).collect()))
            }
        }
    }

    /// All samplers at the points of one role in one match, against one posterior; false if it was interrupted.
    #[allow(clippy::too_many_arguments, reason = "one call, of a method that was cut out of a loop")]
    fn block(
        &self,
        machine: &Arc<Engine>,
        (index, role): (usize, Role),
        history: &History,
        posterior: &Posterior,
        progress: &Progress,
        interrupt: &Interrupt,
        study: &mut Study,
    ) -> Result<bool, EvaluationFailure> {
        let name = &machine.roles()[role];
        let stop = || interrupt.is_raised();
        let seed = Seed::root(self.seed).child("match").index(index).child("belief").child(name);
        let most = self.particles.iter().copied().max().unwrap_or(0);
        let oracle = Oracle {
            model: &posterior.model,
            limit: self.limit,
            reference: most.saturating_mul(self.reference),
            steps: self.steps,
            playouts: self.playouts,
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
            study.left_out.push(LeftOut { index, role: name.clone(), why });
        }
        let is_measured = |spec: &&SamplerSpec| self.against(spec).contains(&posterior.assumed);
        for spec in self.samplers.iter().filter(is_measured) {
            let (sampler, model) = (spec.sampler(), spec.assumed().model(machine));
            for &particles in &self.particles {
                let trial = Trial {
                    sampler: &**sampler,
                    model: &model,
                    particles,
                    runs: self.runs,
                    seed: seed.clone(),
                };
                let is_own = *spec.assumed() == posterior.assumed;
                let measured = if is_own {
                    meter::measure(machine, &trial, &points.list, &stop, &|| progress.tick())
                } else {
                    meter::measure_against(machine, &trial, &points.list, &stop, &|| progress.tick())
                };
                let Some(figures) = measured else { return Ok(false) };
                study.rows.extend(points.list.iter().zip(figures).map(|(point, figures)| Row {
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
