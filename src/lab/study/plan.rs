//! The plan of a study, and its execution: the figures of some samplers on the matches of one game.
//!
//! Blocks (match, role, posterior, sampler, particles) are measured one after the other, and the replicates of a block
//! in parallel. The seed determines all figures, whatever the number of threads. An interrupt drops the block that is
//! being measured.

use std::cell::Cell;
use std::io;
use std::sync::Arc;

use thiserror::Error;

use super::harness::{self, Control, Oracle, PosteriorSource, Replicates};
use super::match_source::MatchSource;
use super::row::StudyRow;
use super::truth::{TruthPoint, measure_truth};
use hyperplay_engine::Engine;
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
    /// The most histories that are enumerated, and the most states from there on.
    pub limit: usize,
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
    /// In the order in which they were measured.
    pub rows: Vec<StudyRow>,
    /// The truth and the sets at every step, those without a posterior too, in the same order.
    pub truths: Vec<TruthPoint>,
    /// In the order of matches and roles.
    pub left_out: Vec<LeftOut>,
    /// The steps of the longest match whose beliefs were measured.
    pub longest: usize,
    /// False if an interrupt came before the end.
    pub is_complete: bool,
}

impl Study {
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
        for other in self.played().into_iter().chain(self.of_equilibrium().cloned()) {
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
        let players = self.players(machine, engine)?;
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
        self.study_and_keep(machine, players_engine, interrupt, (tick, &|_| ()), &mut |_| true)
    }

    /// As [`study`](StudyPlan::study). The rows of a sampler and number of particles on one match are given to `keep`
    /// as soon as they are measured, so that they can be written; if it says no, the study ends as if it were
    /// interrupted. Before each posterior, which may take long, the second function of `progress` is told which one it is.
    ///
    /// # Errors
    /// As [`study`](StudyPlan::study).
    pub fn study_and_keep(
        &self,
        machine: &Arc<Engine>,
        players_engine: &Arc<Engine>,
        interrupt: &Interrupt,
        progress: StudyProgress<'_>,
        keep: &mut dyn FnMut(&[StudyRow]) -> bool,
    ) -> Result<Study, StudyError> {
        self.solve(machine)?;
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
        let mut measuring =
            Measuring { plan: self, machine, interrupt, progress, keep, study: Study::default() };
        for index in 0..self.matches {
            let history = self.history(index, machine, players_engine, interrupt)?;
            measuring.study.longest = measuring.study.longest.max(history.0.len());
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

/// The first function is called after each replicate. The second one is given the name of the posterior that is computed next.
pub type StudyProgress<'a> = (&'a (dyn Fn() + Sync), &'a dyn Fn(&str));

/// A study in progress.
struct Measuring<'a> {
    plan: &'a StudyPlan,
    machine: &'a Arc<Engine>,
    interrupt: &'a Interrupt,
    progress: StudyProgress<'a>,
    keep: &'a mut dyn FnMut(&[StudyRow]) -> bool,
    study: Study,
}

impl Measuring<'_> {
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
        let seed = plan.match_seed(index).child("belief").child(name);
        let oracle = Oracle {
            model: &posterior.model,
            limit: posterior.limit,
            steps: plan.steps,
            playouts: plan.playouts,
        };
        let (tick, say) = self.progress;
        let step = Cell::new(0);
        let say_and_stop = || {
            step.set(step.get() + 1);
            say(&format!("match {index}, {name}: the posterior of step {}", step.get()));
            stop()
        };
        let points = oracle.points(machine, role, history, &seed.child("oracle"), &say_and_stop)?;
        if let Some(error) = &points.ended {
            let why = match error {
                ExactError::Inconsistent { step } if posterior.assumed.is_none() => {
                    format!("what the players say they would do excludes what was seen up to step {step}")
                }
                error if posterior.assumed.is_none() => {
                    format!("with the players asked what they would do: {error}")
                }
                ExactError::Inconsistent { step } if !posterior.model.is_uniform() => {
                    format!("the opponent model excludes what was seen up to step {step}")
                }
                error => error.to_string(),
            };
            self.study.left_out.push(LeftOut { index, role: name.clone(), why });
        }
        let controls: Option<Vec<Vec<Control>>> = plan
            .particles
            .iter()
            .map(|&particles| {
                let sets = (particles, plan.replicates);
                harness::control(&points.list, &posterior.model, sets, &seed, &stop)
            })
            .collect();
        let Some(controls) = controls else { return Ok(false) };
        let is_measured = |spec: &&SamplerSpec| {
            posterior.assumed.as_ref().is_none_or(|assumed| plan.against(machine, spec).contains(assumed))
        };
        for spec in plan.samplers.iter().filter(is_measured) {
            let (sampler, model) = (spec.sampler(), spec.assumed().model(machine));
            for (&particles, controls) in plan.particles.iter().zip(&controls) {
                let replicates = Replicates {
                    sampler: sampler.as_ref(),
                    model: &model,
                    is_of_points: Some(spec.assumed()) == posterior.assumed.as_ref(),
                    particles,
                    count: plan.replicates,
                    seed: seed.clone(),
                };
                let Some(figures) = harness::measure(machine, &replicates, &points.list, &stop, tick)? else {
                    return Ok(false);
                };
                if replicates.is_of_points {
                    let of = TruthPoint {
                        sampler: spec.spec().to_string(),
                        particles,
                        posterior: posterior.letter,
                        index,
                        role: name.clone(),
                        ..TruthPoint::default()
                    };
                    let followed = (role, history, plan.steps);
                    let truths = measure_truth(machine, &replicates, followed, &points.list, &of, &stop)?;
                    if stop() {
                        return Ok(false);
                    }
                    self.study.truths.extend(truths);
                }
                let before = self.study.rows.len();
                let measured = points.list.iter().zip(figures).zip(controls);
                self.study.rows.extend(measured.map(|((point, figures), &control)| StudyRow {
                    sampler: spec.spec().to_string(),
                    particles,
                    posterior: posterior.letter,
                    index,
                    role: name.clone(),
                    step: point.evidence.step(),
                    source: point.source,
                    information_set:
                        (point.source == PosteriorSource::Exact).then_some(point.posterior.histories.len()),
                    states: Some(point.states()),
                    is_decision: point.is_decision(),
                    figures,
                    curve: point.curve.clone(),
                    control,
                }));
                if !(self.keep)(&self.study.rows[before..]) {
                    return Ok(false);
                }
            }
        }
        Ok(!stop())
    }
}

#[cfg(test)]
mod tests {
    use super::super::match_source::MatchSourceError;
    use super::*;
    use hyperplay_engine::{EngineKind, Engines};
    use hyperplay_logic::gdl::{Source, load};
    use hyperplay_play::player::{LegalPlayer, Registry, Seat, SpecEntry};
    use hyperplay_think::belief::Uniform;

    /// `it` says something that `me` does not hear, twice.
    fn engines() -> Engines {
        let text = "(role me) (role it) (init (step 1)) (succ 1 2) (succ 2 3) (legal me noop) (legal it a) (legal it b)
            (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (next (said ?n ?x)) (does it ?x) (true (step ?n)))
            (<= (next (said ?n ?x)) (true (said ?n ?x))) (<= (sees it ?x) (does it ?x))
            (<= terminal (true (step 3))) (goal me 50) (goal it 50)";
        Engines::new(&load(Source::new("says", text), None).game.expect("the rules are in order"))
    }

    /// With a model `even` that is uniform, and a player `spy` that plays on the interpreter only.
    fn registry() -> Registry {
        let spy = |engine: &Arc<Engine>, _| {
            assert_eq!(engine.kind(), EngineKind::Interpreter);
            Seat::player(LegalPlayer)
        };
        Registry::standard()
            .with_model(SpecEntry::new("even", "uniform"), |_, _| {
                Ok(|_: &_| Arc::new(Uniform) as Arc<dyn OpponentModel>)
            })
            .and_then(|registry| {
                registry.with_player(SpecEntry::new("spy", "looks at its engine"), move |_, _| Ok(spy))
            })
            .expect("the names are free")
    }

    fn plan(registry: &Registry, play: &str) -> StudyPlan {
        StudyPlan {
            samplers: vec![registry.sampler("rejection").expect("there is one")],
            particles: vec![4],
            replicates: 3,
            matches: 1,
            play: MatchSource::read(play, registry).expect("it can play"),
            equilibrium: None,
            roles: Vec::new(),
            steps: (1, 9),
            limit: 100,
            playouts: 0,
            seed: 1,
        }
    }

    #[test]
    fn every_uniform_model_is_uniform_whatever_its_name() {
        let (registry, engines) = (registry(), engines());
        let machine = engines.get(EngineKind::Auto).expect("there is an engine");
        let study = |play: &str| {
            let plan = plan(&registry, play);
            let study = plan.study(&machine, &machine, &Interrupt::default(), &|| ()).expect("nothing fails");
            (study.is_uniform(), study.rows.len(), plan.total(&machine, &machine))
        };
        let uniform = study("uniform");
        assert!(uniform.0);
        assert_eq!((study("even"), study("random")), (uniform, uniform));
    }

    #[test]
    fn every_posterior_is_said_before_it_is_computed() {
        let (registry, engines) = (registry(), engines());
        let machine = engines.get(EngineKind::Auto).expect("there is an engine");
        let said = std::cell::RefCell::new(Vec::new());
        let say = |what: &str| said.borrow_mut().push(what.to_owned());
        let progress: StudyProgress<'_> = (&|| (), &say);
        let study = plan(&registry, "uniform").study_and_keep(
            &machine,
            &machine,
            &Interrupt::default(),
            progress,
            &mut |_| true,
        );
        assert!(study.expect("nothing fails").is_complete);
        assert_eq!(said.borrow()[0], "match 0, me: the posterior of step 1");
        assert_eq!(said.borrow().len(), 2, "both roles have one step before the end: {said:?}");
    }

    #[test]
    fn players_have_the_engine_that_is_given_for_them() {
        let (registry, engines) = (registry(), engines());
        let [network, interpreter] = [EngineKind::Propagator, EngineKind::Interpreter]
            .map(|kind| engines.get(kind).expect("there is an engine"));
        let study = plan(&registry, "spy").study(&network, &interpreter, &Interrupt::default(), &|| ());
        assert!(study.expect("nothing fails").is_complete);
        let play = MatchSource::read("hyperplay:engine=interpreter", &registry).expect("it can play");
        assert_eq!(play.engine(), Some(EngineKind::Interpreter));
        assert_eq!(plan(&registry, "uniform").play.engine(), None);
    }

    #[test]
    fn a_name_of_a_model_and_a_player_is_refused() {
        let build = |_: &Arc<Engine>, _| Seat::player(LegalPlayer);
        let registry = registry().with_player(SpecEntry::new("even", "plays"), move |_, _| Ok(build));
        let error = MatchSource::read("even", &registry.expect("no player has the name")).unwrap_err();
        assert_eq!(error, MatchSourceError::Ambiguous { name: "even".to_owned() });
    }
}
