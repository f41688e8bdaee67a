//! The plan of a study of one game: which samplers are measured on which matches, and against which posteriors.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use thiserror::Error;

use super::game::{SCHEMA, StudyGame};
use super::harness::{PointsEnd, model_match, random_match};
use super::match_source::MatchSource;
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::text_hash;
use hyperplay_machine::{
    ByRole, EvaluationFailure, Evidence, History, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay_play::for_engine::play_match;
use hyperplay_play::player::{AskedModel, Assumed, DecisionBudget, PlayerSpec, SamplerSpec};
use hyperplay_play::referee::{Interrupt, MatchOutcome, Settings};
use hyperplay_think::belief::OpponentModel;
use hyperplay_think::belief::exact::ExactError;

/// The measurement that is asked for.
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
    /// The source of their moves.
    pub play: MatchSource,
    /// A sampler that takes its opponents to play an equilibrium, if there is to be its posterior; not measured itself.
    pub equilibrium: Option<SamplerSpec>,
    /// The roles whose beliefs are measured; none for all roles but `random`.
    pub roles: Vec<Role>,
    /// The first and the last step that are measured.
    pub steps: (usize, usize),
    /// The most histories that are enumerated, and the most states from there on; 0 for no posterior at all.
    pub limit: usize,
    /// The longest time of an update, if there is one ([`Replicates::limit`](super::harness::Replicates::limit)). The figures then depend on the clock.
    pub update_limit: Option<Duration>,
    /// Playouts that value a move in a state.
    pub playouts: u32,
    /// The work for the posteriors and values of a match and a role ([`Oracle::work`](super::harness::Oracle::work)).
    pub work: u64,
    /// The seed.
    pub seed: u64,
}

/// Why a study failed.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Evaluation(#[from] EvaluationFailure),
    /// There is no posterior under an equilibrium, because the game was not solved.
    #[error("no posterior under an equilibrium: {0}")]
    Unsolved(String),
    /// The operating system has no further thread for a player.
    #[error("no thread for a player: {0}")]
    Thread(io::Error),
}

/// The most histories that are enumerated where players are asked what they would do: each may need a decision.
const ASKED: usize = 500;

/// The usual [`work`](StudyPlan::work).
pub const WORK: u64 = 100_000;

/// Players by role with their engines; none for `random`.
type Players = ByRole<Option<(PlayerSpec, Arc<Engine>)>>;

/// An opponent model, the letter of its posterior in the rows, and the samplers that are measured against it.
pub(super) struct MeasuredPosterior<'a> {
    /// The assumption that the model is; none for players who are asked, against which every sampler is measured.
    pub assumed: Option<Assumed>,
    pub model: Arc<dyn OpponentModel>,
    pub letter: &'static str,
    pub limit: usize,
    pub samplers: Vec<&'a SamplerSpec>,
}

impl StudyPlan {
    /// The posteriors of the study, in the order in which samplers name them.
    pub(super) fn posteriors(&self, game: &StudyGame) -> Vec<MeasuredPosterior<'_>> {
        let mut all: Vec<MeasuredPosterior<'_>> = Vec::new();
        for sampler in &self.samplers {
            for assumed in self.against(&game.machine, sampler) {
                if let Some(known) = all.iter_mut().find(|known| known.assumed.as_ref() == Some(&assumed)) {
                    known.samplers.push(sampler);
                    continue;
                }
                let model = assumed.model(&game.machine);
                let letter = self.letter(&assumed, model.as_ref());
                let (assumed, limit, samplers) = (Some(assumed), self.limit, vec![sampler]);
                all.push(MeasuredPosterior { assumed, model, letter, limit, samplers });
            }
        }
        all.extend(self.asked(game).map(|model| {
            let (limit, samplers) = (self.limit.min(ASKED), self.samplers.iter().collect());
            MeasuredPosterior { assumed: None, model, letter: "P", limit, samplers }
        }));
        all
    }

    /// The opponent models whose posteriors a sampler is measured against: its own, that of the play, and that of an
    /// equilibrium if one is asked for. All uniform models have the same posterior.
    fn against(&self, machine: &Arc<Engine>, sampler: &SamplerSpec) -> Vec<Assumed> {
        let is_uniform = |assumed: &Assumed| assumed.model(machine).is_uniform();
        let mut all = vec![sampler.assumed().clone()];
        let others = self.played().into_iter().chain(self.of_equilibrium().cloned());
        for other in others.filter(|_| self.limit > 0) {
            let is_same = |known: &Assumed| *known == other || (is_uniform(known) && is_uniform(&other));
            if !all.iter().any(is_same) {
                all.push(other);
            }
        }
        all
    }

    /// The model that is really played. It does not tremble.
    fn played(&self) -> Option<Assumed> {
        let MatchSource::Model(played) = &self.play else { return None };
        Some(Assumed::exactly(played.clone()))
    }

    /// The players of the matches as an opponent model, if there are some: each is asked what it would do, at all that its role may
    /// know. None for a player that also knows what its role does not.
    fn asked(&self, game: &StudyGame) -> Option<Arc<dyn OpponentModel>> {
        let is_played = self.limit > 0 && matches!(self.play, MatchSource::Players(_));
        let seed = Seed::root(self.seed).child("asked");
        let model = is_played.then(|| AskedModel::new(self.players(game), DecisionBudget::default(), seed));
        Some(Arc::new(model?.ok()?))
    }

    /// The players of the matches with their engine.
    fn players(&self, game: &StudyGame) -> Players {
        let machine = &game.machine;
        ByRole::from_fn(machine.roles().len(), |role| {
            let player = self.play.player(&machine.roles()[role]).filter(|_| machine.random() != Some(role));
            player.map(|player| (player.clone(), Arc::clone(&game.players_engine)))
        })
    }

    fn of_equilibrium(&self) -> Option<&Assumed> {
        self.equilibrium.as_ref().map(SamplerSpec::assumed)
    }

    /// Replicates that the study has in all.
    pub fn total(&self, game: &StudyGame) -> usize {
        let posteriors: usize = self.posteriors(game).iter().map(|posterior| posterior.samplers.len()).sum();
        let roles = self.roles_of(&game.machine).len();
        let of_a_match = roles * posteriors * self.particles.len();
        self.matches.saturating_mul(of_a_match).saturating_mul(self.replicates)
    }

    /// The roles whose beliefs are measured.
    pub fn roles_of(&self, machine: &Engine) -> Vec<Role> {
        let plays = |role: &Role| machine.random() != Some(*role);
        let asked = |role: &Role| self.roles.is_empty() || self.roles.contains(role);
        machine.each_role().filter(|role| plays(role) && asked(role)).collect()
    }

    /// The letter of the posterior under a model: uniform opponents, the policies really played, an equilibrium, or a
    /// model of the sampler's own.
    fn letter(&self, assumed: &Assumed, model: &dyn OpponentModel) -> &'static str {
        match self.played() {
            _ if model.is_uniform() => "U",
            Some(played) if played == *assumed => "P",
            _ if self.of_equilibrium() == Some(assumed) => "E",
            _ => "M",
        }
    }

    /// Solves the game for the posterior under an equilibrium.
    pub(super) fn solve(&self, machine: &Arc<Engine>) -> Result<(), StudyError> {
        let roles = self.roles_of(machine);
        let (Some(equilibrium), Some(&role)) = (self.of_equilibrium(), roles.first()) else { return Ok(()) };
        let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch());
        // Whatever a model is asked first, it has to solve the game for it.
        let (_, failure) =
            equilibrium.model(machine).policy_and_failure(role, &Evidence::new(role), &legal[role]);
        failure.map_or(Ok(()), |failure| Err(StudyError::Unsolved(failure.reason)))
    }

    /// The seed of a match.
    pub(super) fn match_seed(&self, index: usize) -> Seed {
        Seed::root(self.seed).child("match").index(index)
    }

    /// The moves of a match.
    pub(super) fn history(
        &self,
        index: usize,
        game: &StudyGame,
        interrupt: &Interrupt,
    ) -> Result<History, StudyError> {
        let (machine, steps, seed) = (&game.machine, self.steps.1, &self.match_seed(index));
        match &self.play {
            MatchSource::Model(model) => match model.model(machine) {
                model if model.is_uniform() => Ok(random_match(machine, steps, seed)?),
                model => Ok(model_match(machine, model.as_ref(), steps, seed)?),
            },
            MatchSource::Recorded(all, _) => Ok(History(all[index].0.iter().take(steps).cloned().collect())),
            MatchSource::Players(_) => {
                let players = self.players(game);
                let seat = |role| players[role].as_ref().map(|(player, engine)| player.seat(engine, role));
                let players = ByRole::from_fn(players.len(), seat);
                let settings = Settings { limit: steps, ..Settings::default() };
                let played = play_match(machine.as_ref(), players, &settings, seed, interrupt, &mut |_| ());
                let played = played.map_err(StudyError::Thread)?;
                if let MatchOutcome::Failed(failure) = played.outcome {
                    return Err(failure.into());
                }
                Ok(History(played.steps.into_iter().map(|step| step.joint).collect()))
            }
        }
    }

    /// The key of a block: the hash of all that determines it. The policy files are in it by their contents.
    pub(super) fn key(
        &self,
        game: &StudyGame,
        place: (usize, &str, &str),
        sampler: &SamplerSpec,
        particles: usize,
    ) -> String {
        // Only this posterior depends on it.
        let equilibrium = self.equilibrium.as_ref().map(SamplerSpec::spec).filter(|_| place.2 == "E");
        let specs = self.play.specs().into_iter().chain([sampler.spec()]).chain(equilibrium);
        let files: Vec<_> = specs.map(|spec| spec.file_hashes()).collect();
        let specs = (sampler.spec().to_string(), self.play.to_string(), equilibrium.map(ToString::to_string));
        let limits = (self.limit, self.playouts, self.update_limit);
        // Without it the key is that of earlier versions, whose blocks are taken up.
        let work = if self.work == WORK { String::new() } else { self.work.to_string() };
        let counts = (particles, self.replicates, self.steps, limits, self.seed);
        let (name, rules, engine) = (&game.name, &game.rules, game.machine.kind().to_string());
        let all = json!([SCHEMA, name, rules, engine, specs, files, place, counts]);
        text_hash(&format!("{all}{work}"))
    }
}

impl MeasuredPosterior<'_> {
    /// Why the posterior is not exact up to the end.
    pub(super) fn why(&self, end: &PointsEnd) -> String {
        let is_asked = self.assumed.is_none();
        match end {
            PointsEnd::Work(step) => {
                format!("the states of --work are used up by the posteriors up to step {step}")
            }
            PointsEnd::Exact(ExactError::Inconsistent(step)) if is_asked => {
                format!("what the players say they would do excludes what was seen up to step {step}")
            }
            PointsEnd::Exact(error) if is_asked => {
                format!("with the players asked what they would do: {error}")
            }
            PointsEnd::Exact(ExactError::Inconsistent(step)) if !self.model.is_uniform() => {
                format!("the opponent model excludes what was seen up to step {step}")
            }
            PointsEnd::Exact(error) => error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
