//! The plan of a study, and its execution: the figures of some samplers on the matches of one game.
//!
//! Blocks (match, role, posterior, sampler, particles) are measured one after the other, and the replicates of a block
//! in parallel. The seed determines all figures, whatever the number of threads. An interrupt drops the block that is
//! being measured.

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use thiserror::Error;

use super::blocks::{Block, Blocks};
use super::harness::{self, Control, EvaluationPoints, Oracle, PosteriorSource, Replicates};
use super::match_source::MatchSource;
use super::row::StudyRow;
use super::subject::{SCHEMA, StudySubject};
use super::truth::{TruthPoint, measure_truth};
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::text_hash;
use hyperplay_machine::{
    ByRole, EvaluationFailure, Evidence, History, Role, Seed, StateMachine, StateMachineExt, counted,
};
use hyperplay_play::player::{AskedModel, Assumed, DecisionBudget, PlayerSpec, SamplerSpec};
use hyperplay_play::referee::{Interrupt, MatchOutcome, Settings, play_match};
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
    /// The longest time of an update, if there is one ([`Replicates::limit`]). The figures then depend on the clock.
    pub update_limit: Option<Duration>,
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

/// The measured figures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Study {
    /// The game.
    pub game: String,
    /// In the order in which they were measured.
    pub rows: Vec<StudyRow>,
    /// The truth and the sets at every step, those without a posterior too, in the same order.
    pub truths: Vec<TruthPoint>,
    /// In the order of matches and roles.
    pub left_out: Vec<LeftOut>,
    /// The steps of the longest match whose beliefs were measured.
    pub longest: usize,
    /// Blocks that other shards measure and that are not there yet.
    pub missing: usize,
    /// False if something is missing, or an interrupt came before the end.
    pub is_complete: bool,
}

impl Study {
    /// Adds a block of a match and a role.
    fn add(&mut self, index: usize, role: &str, block: Block) {
        self.longest = self.longest.max(block.length);
        self.rows.extend(block.rows);
        self.truths.extend(block.truths);
        let left_out = block.left_out.map(|why| LeftOut { index, role: role.to_owned(), why });
        self.left_out.extend(left_out.filter(|one| !self.left_out.contains(one)));
    }

    /// Why there is nothing to see in the figures, as a sentence; none if there is.
    pub fn nothing(&self, steps: (usize, usize)) -> Option<String> {
        if !self.is_complete || !self.left_out.is_empty() {
            return None;
        }
        if self.rows.is_empty() {
            let longest = counted(self.longest as u64, "step");
            return Some(match steps {
                (first, _) if first >= self.longest => format!(
                    "no belief is held at step {first} or later: the longest match measured has {longest}, and the last \
                     belief is held before its last one"
                ),
                _ => format!("no belief was measured: the longest match has {longest}"),
            });
        }
        let is_known = |row: &StudyRow| row.information_set == Some(1);
        self.rows.iter().all(is_known).then(|| {
            "nothing was hidden from the roles: at every step measured one history explains what a role knows, so every \
             sampler is exact"
                .to_owned()
        })
    }

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
    /// There is no posterior under an equilibrium, because the game was not solved.
    #[error("no posterior under an equilibrium: {0}")]
    Unsolved(String),
    /// The operating system has no further thread for a player.
    #[error("no thread for a player: {0}")]
    Thread(io::Error),
}

/// The most histories that are enumerated where players are asked what they would do: each may need a decision.
const ASKED: usize = 500;

/// Players by role with their engines; none for `random`.
type Players = ByRole<Option<(PlayerSpec, Arc<Engine>)>>;

/// An opponent model, and the letter of its posterior in the rows.
struct MeasuredPosterior {
    /// The assumption that the model is; none for players who are asked, against which every sampler is measured.
    assumed: Option<Assumed>,
    model: Arc<dyn OpponentModel>,
    letter: &'static str,
    limit: usize,
}

impl StudyPlan {
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
        match &self.play {
            MatchSource::Model(played) => Some(Assumed::exactly(played.clone())),
            MatchSource::Players(_) | MatchSource::Recorded(..) => None,
        }
    }

    /// The players of the matches as an opponent model, if there are some: each is asked what it would do, at all that its role may
    /// know. None for a player that also knows what its role does not.
    fn asked(&self, machine: &Engine, engine: &Arc<Engine>) -> Option<Arc<dyn OpponentModel>> {
        let players = self.players(machine, engine).filter(|_| self.limit > 0)?;
        let seed = Seed::root(self.seed).child("asked");
        let model = AskedModel::new(players, DecisionBudget::default(), seed).ok()?;
        Some(Arc::new(model))
    }

    /// The players of the matches with their engine, if players play them.
    fn players(&self, machine: &Engine, engine: &Arc<Engine>) -> Option<Players> {
        let is_played = matches!(self.play, MatchSource::Players(_));
        is_played.then(|| {
            ByRole::from_fn(machine.roles().len(), |role| {
                let player =
                    self.play.player(&machine.roles()[role]).filter(|_| machine.random() != Some(role));
                player.map(|player| (player.clone(), Arc::clone(engine)))
            })
        })
    }

    fn of_equilibrium(&self) -> Option<&Assumed> {
        self.equilibrium.as_ref().map(SamplerSpec::assumed)
    }

    /// Replicates that the study has in all.
    pub fn total(&self, machine: &Arc<Engine>, players_engine: &Arc<Engine>) -> usize {
        let asked = usize::from(self.asked(machine, players_engine).is_some()) * self.samplers.len();
        let roles = self.roles_of(machine).len();
        let posteriors: usize =
            asked + self.samplers.iter().map(|sampler| self.against(machine, sampler).len()).sum::<usize>();
        self.matches * roles * posteriors * self.particles.len() * self.replicates
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
    fn solve(&self, machine: &Arc<Engine>) -> Result<(), StudyError> {
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
        machine: &Arc<Engine>,
        players_engine: &Arc<Engine>,
        interrupt: &Interrupt,
    ) -> Result<History, StudyError> {
        let (steps, seed) = (self.steps.1, &self.match_seed(index));
        match &self.play {
            MatchSource::Model(model) => match model.model(machine) {
                model if model.is_uniform() => Ok(harness::random_match(machine, steps, seed)?),
                model => Ok(harness::model_match(machine, model.as_ref(), steps, seed)?),
            },
            MatchSource::Recorded(all, _) => Ok(History(all[index].0.iter().take(steps).cloned().collect())),
            MatchSource::Players(_) => {
                let players = self.players(machine, players_engine).expect("players play");
                let seat = |role| players[role].as_ref().map(|(player, engine)| player.seat(engine, role));
                let players = ByRole::from_fn(players.len(), seat);
                let settings = Settings { limit: steps, ..Settings::default() };
                let played = play_match(machine.as_ref(), players, &settings, seed, interrupt, |_| ());
                let played = played.map_err(StudyError::Thread)?;
                if let MatchOutcome::Failed(failure) = played.outcome {
                    return Err(failure.into());
                }
                Ok(History(played.steps.into_iter().map(|step| step.joint).collect()))
            }
        }
    }

    /// Measures. If players play the matches, they do so on `players_engine`. `tick` is called after each replicate.
    ///
    /// # Errors
    /// If the rules cannot be evaluated, a player gets no thread, or there is no equilibrium that was asked for.
    pub fn study(
        &self,
        machine: &Arc<Engine>,
        players_engine: &Arc<Engine>,
        interrupt: &Interrupt,
        tick: &(dyn Fn() + Sync),
    ) -> Result<Study, StudyError> {
        let subject = StudySubject { game: "", rules: "", engine: "" };
        let mut blocks = Blocks::default();
        self.study_and_keep(&subject, (machine, players_engine), interrupt, (tick, &|_| ()), &mut blocks)
    }

    /// As [`study`](StudyPlan::study). What is among these blocks is not measured, and those measured are kept there as soon as
    /// they are; if one cannot be, the study ends as if it were interrupted. Before each posterior, which may take long,
    /// the second function of `progress` is told which one it is.
    ///
    /// # Errors
    /// As [`study`](StudyPlan::study).
    pub fn study_and_keep(
        &self,
        subject: &StudySubject<'_>,
        (machine, players_engine): (&Arc<Engine>, &Arc<Engine>),
        interrupt: &Interrupt,
        progress: StudyProgress<'_>,
        blocks: &mut Blocks,
    ) -> Result<Study, StudyError> {
        let mut posteriors: Vec<MeasuredPosterior> = Vec::new();
        for assumed in self.samplers.iter().flat_map(|sampler| self.against(machine, sampler)) {
            if posteriors.iter().all(|known| known.assumed.as_ref() != Some(&assumed)) {
                let model = assumed.model(machine);
                let letter = self.letter(&assumed, model.as_ref());
                posteriors.push(MeasuredPosterior {
                    assumed: Some(assumed),
                    model,
                    letter,
                    limit: self.limit,
                });
            }
        }
        posteriors.extend(self.asked(machine, players_engine).map(|model| MeasuredPosterior {
            assumed: None,
            model,
            letter: "P",
            limit: self.limit.min(ASKED),
        }));
        let study = Study { game: subject.game.to_owned(), ..Study::default() };
        let begun = BTreeSet::new();
        let mut measuring = Measuring {
            plan: self,
            subject,
            machine,
            players_engine,
            interrupt,
            progress,
            blocks,
            study,
            begun,
        };
        let mut number = 0;
        for index in 0..self.matches {
            let mut history = None;
            for role in self.roles_of(machine) {
                for posterior in &posteriors {
                    if !measuring.posterior((index, number), role, &mut history, posterior)? {
                        return Ok(measuring.study);
                    }
                }
                number += 1;
            }
        }
        Ok(Study { is_complete: measuring.study.missing == 0, ..measuring.study })
    }

    /// The key of a block: the hash of all that determines it. The policy files are in it by their contents.
    fn key(
        &self,
        subject: &StudySubject<'_>,
        place: (usize, &str, &str),
        sampler: &SamplerSpec,
        particles: usize,
    ) -> String {
        let mut specs = self.play.specs();
        specs.push(sampler.spec());
        // Only this posterior depends on it.
        let equilibrium = self.equilibrium.as_ref().map(SamplerSpec::spec).filter(|_| place.2 == "E");
        specs.extend(equilibrium);
        let files: Vec<_> = specs.iter().map(|spec| spec.file_hashes()).collect();
        let specs = (sampler.spec().to_string(), self.play.to_string(), equilibrium.map(ToString::to_string));
        let limits = (self.limit, self.playouts, self.update_limit);
        let counts = (particles, self.replicates, self.steps, limits, self.seed);
        text_hash(
            &json!([SCHEMA, subject.game, subject.rules, subject.engine, specs, files, place, counts])
                .to_string(),
        )
    }
}

/// The first function is called after each replicate. The second one is given the name of the posterior that is computed next.
pub type StudyProgress<'a> = (&'a (dyn Fn() + Sync), &'a dyn Fn(&str));

/// A study in progress.
struct Measuring<'a> {
    plan: &'a StudyPlan,
    subject: &'a StudySubject<'a>,
    machine: &'a Arc<Engine>,
    players_engine: &'a Arc<Engine>,
    interrupt: &'a Interrupt,
    progress: StudyProgress<'a>,
    blocks: &'a mut Blocks,
    study: Study,
    /// The samplers that were measured before.
    begun: BTreeSet<String>,
}

/// The points of a match for a role, and the controls that were made of them, by particles.
struct MeasuredPoints {
    points: EvaluationPoints,
    controls: BTreeMap<usize, Vec<Control>>,
    history: History,
    role: Role,
    seed: Seed,
}

impl Measuring<'_> {
    /// The blocks of all samplers in one match for one role against one posterior; false if it was interrupted. The match is played
    /// and the posterior computed only where a block is missing. `number` is that of match and role.
    fn posterior(
        &mut self,
        (index, number): (usize, usize),
        role: Role,
        history: &mut Option<History>,
        posterior: &MeasuredPosterior,
    ) -> Result<bool, StudyError> {
        let (plan, name) = (self.plan, &self.machine.roles()[role]);
        let is_measured = |spec: &&SamplerSpec| {
            posterior
                .assumed
                .as_ref()
                .is_none_or(|assumed| plan.against(self.machine, spec).contains(assumed))
        };
        let samplers: Vec<&SamplerSpec> = plan.samplers.iter().filter(is_measured).collect();
        let mut points = None;
        for (spec, &particles) in
            samplers.into_iter().flat_map(|spec| plan.particles.iter().map(move |number| (spec, number)))
        {
            let key = plan.key(self.subject, (index, name, posterior.letter), spec, particles);
            let block = match self.blocks.take(&key) {
                Some(block) => {
                    (0..plan.replicates).for_each(|_| self.progress.0());
                    block
                }
                None if !self.blocks.has(number) => {
                    self.study.missing += 1;
                    continue;
                }
                None => {
                    if points.is_none() {
                        points = Some(self.points(index, role, history, posterior)?);
                    }
                    let points = points.as_mut().expect("they were made");
                    let Some(block) = self.block(index, points, posterior, (spec, particles))? else {
                        return Ok(false);
                    };
                    if !self.blocks.keep(&key, &block) {
                        return Ok(false);
                    }
                    block
                }
            };
            self.study.add(index, name, block);
        }
        Ok(!self.interrupt.is_raised())
    }

    /// The points of a match for a role.
    fn points(
        &self,
        index: usize,
        role: Role,
        history: &mut Option<History>,
        posterior: &MeasuredPosterior,
    ) -> Result<MeasuredPoints, StudyError> {
        let (plan, machine, interrupt) = (self.plan, self.machine, self.interrupt);
        if history.is_none() {
            plan.solve(machine)?;
            *history = Some(plan.history(index, machine, self.players_engine, interrupt)?);
        }
        let history = history.as_ref().expect("it was played");
        let name = &machine.roles()[role];
        let seed = plan.match_seed(index).child("belief").child(name);
        let oracle = Oracle {
            model: &posterior.model,
            limit: posterior.limit,
            steps: plan.steps,
            playouts: plan.playouts,
        };
        let step = Cell::new(0);
        let say_and_stop = || {
            step.set(step.get() + 1);
            self.progress.1(&format!("match {index}, {name}: the posterior of step {}", step.get()));
            interrupt.is_raised()
        };
        let points = oracle.points(machine, role, history, &seed.child("oracle"), &say_and_stop)?;
        Ok(MeasuredPoints { points, controls: BTreeMap::new(), history: history.clone(), role, seed })
    }

    /// The rows of one sampler at these points; none if it was interrupted.
    fn block(
        &mut self,
        index: usize,
        of: &mut MeasuredPoints,
        posterior: &MeasuredPosterior,
        (spec, particles): (&SamplerSpec, usize),
    ) -> Result<Option<Block>, EvaluationFailure> {
        let (plan, machine, interrupt) = (self.plan, self.machine, self.interrupt);
        let stop = || interrupt.is_raised();
        let MeasuredPoints { points, controls, history, role, seed } = of;
        let (sampler, model) = (spec.sampler(), spec.assumed().model(machine));
        let replicates = Replicates {
            sampler: sampler.as_ref(),
            model: &model,
            is_of_points: Some(spec.assumed()) == posterior.assumed.as_ref(),
            particles,
            count: plan.replicates,
            seed: seed.clone(),
            limit: plan.update_limit,
        };
        if self.begun.insert(spec.spec().to_string()) {
            // What is done only once in a process is in no time.
            let once = Replicates { count: 1, seed: seed.child("unmeasured"), ..replicates };
            harness::measure(machine, &once, &points.list, &stop, &|| ())?;
        }
        let Some(figures) = harness::measure(machine, &replicates, &points.list, &stop, self.progress.0)?
        else {
            return Ok(None);
        };
        let mut truths = Vec::new();
        if replicates.is_of_points {
            let of = TruthPoint {
                game: self.subject.game.to_owned(),
                sampler: spec.spec().to_string(),
                particles,
                posterior: posterior.letter,
                index,
                role: machine.roles()[*role].clone(),
                ..TruthPoint::default()
            };
            let known = if posterior.limit == 0 { &[] } else { &points.list[..] };
            let followed = (*role, &*history, plan.steps);
            truths = measure_truth(machine, &replicates, followed, known, &of, &stop)?;
            if stop() {
                return Ok(None);
            }
        }
        if let Entry::Vacant(control) = controls.entry(particles) {
            let sets = (particles, plan.replicates);
            let made = harness::control(&points.list, &posterior.model, sets, seed, &stop);
            let Some(made) = made else { return Ok(None) };
            control.insert(made);
        }
        let measured = points.list.iter().zip(figures).zip(&controls[&particles]);
        let rows = measured.map(|((point, figures), &control)| StudyRow {
            game: self.subject.game.to_owned(),
            sampler: spec.spec().to_string(),
            particles,
            posterior: posterior.letter,
            index,
            role: machine.roles()[*role].clone(),
            step: point.evidence.step(),
            source: point.source,
            information_set: (point.source == PosteriorSource::Exact)
                .then_some(point.posterior.histories.len()),
            states: (point.source != PosteriorSource::None).then(|| point.states()),
            is_decision: point.is_decision(),
            figures,
            curve: point.curve.clone(),
            state_curve: point.state_curve.clone(),
            control,
        });
        let left_out = points.ended.as_ref().map(|error| posterior.why(error));
        let (rows, length) = (rows.collect(), history.0.len());
        Ok(Some(Block { rows, truths, left_out, length }))
    }
}

impl MeasuredPosterior {
    /// Why the posterior is not exact up to the end.
    fn why(&self, error: &ExactError) -> String {
        match error {
            ExactError::Inconsistent { step } if self.assumed.is_none() => {
                format!("what the players say they would do excludes what was seen up to step {step}")
            }
            error if self.assumed.is_none() => format!("with the players asked what they would do: {error}"),
            ExactError::Inconsistent { step } if !self.model.is_uniform() => {
                format!("the opponent model excludes what was seen up to step {step}")
            }
            error => error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
