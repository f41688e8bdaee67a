//! A study of one game that is being made.
//!
//! Blocks (match, role, posterior, sampler, particles) are measured one after the other, and the replicates of a block
//! in parallel. The seed determines all figures, whatever the number of threads. An interrupt drops the block that is
//! being measured.

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::blocks::{Block, Blocks};
use super::game::StudyGame;
use super::harness::{self, Control, EvaluationPoints, Oracle, PosteriorSource, Replicates};
use super::particle_sets::ParticleSets;
use super::plan::{MeasuredPosterior, StudyError, StudyPlan};
use super::row::{Measured, Place, StudyRow};
use super::truth::{TruthPoint, measure_truth};
use hyperplay_machine::{Evaluated, History, Role, Seed, StateMachine, counted};
use hyperplay_play::player::SamplerSpec;
use hyperplay_play::referee::Interrupt;

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

/// The time of a state of which the replicates of a sampler may visit [`StudyPlan::work`] in a match, in nanoseconds by estimate.
/// Where a state takes less, they may visit more.
const STATE: f64 = 20_000.0;

/// The names that samplers are given, by their specs.
pub type Labels = BTreeMap<String, String>;

impl Study {
    /// Adds a block of a match and a role.
    fn add(&mut self, index: usize, role: &str, block: Block) {
        self.longest = self.longest.max(block.length);
        self.rows.extend(block.rows);
        self.truths.extend(block.truths);
        let left_out = block.left_out.map(|why| LeftOut { index, role: role.to_owned(), why });
        self.left_out.extend(left_out.filter(|one| !self.left_out.contains(one)));
    }

    /// The same with the names that these samplers are given.
    #[must_use]
    pub fn labelled(mut self, labels: &Labels) -> Study {
        let rows = self.rows.iter_mut().map(|row| &mut row.of);
        for of in rows.chain(self.truths.iter_mut().map(|point| &mut point.of)) {
            labels.get(&of.sampler).into_iter().for_each(|label| of.sampler.clone_from(label));
        }
        self
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
        self.rows.iter().all(|row: &StudyRow| row.information_set == Some(1)).then(|| {
            "nothing was hidden from the roles: at every step measured one history explains what a role knows, so every \
             sampler is exact"
                .to_owned()
        })
    }

    /// The least and the greatest number of replicates of a row: fewer than were asked for where [`StudyPlan::work`] is not enough.
    pub(super) fn made(&self) -> Option<(u64, u64)> {
        let made = || self.rows.iter().map(|row| (row.figures.sets + row.figures.depletions) as u64);
        Some((made().min()?, made().max()?))
    }

    /// The same in words; those `asked` for if there is no row.
    pub fn replicates(&self, asked: usize) -> String {
        let (least, most) = self.made().unwrap_or((asked as u64, asked as u64));
        let all = counted(most, "replicate");
        if least < most { format!("{least} to {all}") } else { all }
    }

    /// Whether all rows are measured against the same posterior, the one under uniform opponents.
    pub fn is_uniform(&self) -> bool {
        self.rows.iter().all(|row| row.of.posterior == "U")
    }
}

/// The first function is called after each replicate. The second one is given the name of the posterior that is computed next.
pub type StudyProgress<'a> = (&'a (dyn Fn() + Sync), &'a dyn Fn(&str));

/// A study in progress.
struct Measuring<'a> {
    plan: &'a StudyPlan,
    game: &'a StudyGame,
    interrupt: &'a Interrupt,
    progress: StudyProgress<'a>,
    blocks: &'a mut Blocks,
    study: Study,
    /// The samplers that were measured before.
    begun: BTreeSet<String>,
}

/// The points of a match for a role, and the controls that were made of them, by particles and replicates.
struct MeasuredPoints {
    points: EvaluationPoints,
    controls: BTreeMap<(usize, usize), Vec<Control>>,
    history: History,
    role: Role,
    seed: Seed,
}

impl StudyPlan {
    /// Measures. What is among these blocks is not measured, and those measured are kept there as soon as they are; if one cannot
    /// be, the study ends as if it were interrupted.
    ///
    /// # Errors
    /// If the rules cannot be evaluated, a player gets no thread, or there is no equilibrium that was asked for.
    pub fn study(
        &self,
        game: &StudyGame,
        interrupt: &Interrupt,
        progress: StudyProgress<'_>,
        blocks: &mut Blocks,
    ) -> Result<Study, StudyError> {
        let study = Study { game: game.name.clone(), ..Study::default() };
        let begun = BTreeSet::new();
        let mut measuring = Measuring { plan: self, game, interrupt, progress, blocks, study, begun };
        let (posteriors, mut number) = (self.posteriors(game), 0);
        for index in 0..self.matches {
            let mut history = None;
            for role in self.roles_of(&game.machine) {
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
}

impl Measuring<'_> {
    /// The blocks of all samplers in one match for one role against one posterior; false if it was interrupted. The match is played
    /// and the posterior computed only where a block is missing. `number` is that of match and role.
    fn posterior(
        &mut self,
        (index, number): (usize, usize),
        role: Role,
        history: &mut Option<History>,
        posterior: &MeasuredPosterior<'_>,
    ) -> Result<bool, StudyError> {
        let (plan, name) = (self.plan, &self.game.machine.roles()[role]);
        let mut points = None;
        let samplers = posterior.samplers.iter();
        for (&spec, &particles) in
            samplers.flat_map(|spec| plan.particles.iter().map(move |number| (spec, number)))
        {
            let key = plan.key(self.game, (index, name, posterior.letter), spec, particles);
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
                    let block = self.block((index, &key), points, posterior, (spec, particles))?;
                    let Some(block) = block.filter(|block| self.blocks.keep(&key, block)) else {
                        return Ok(false);
                    };
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
        posterior: &MeasuredPosterior<'_>,
    ) -> Result<MeasuredPoints, StudyError> {
        let (plan, machine, interrupt) = (self.plan, &self.game.machine, self.interrupt);
        if history.is_none() {
            plan.solve(machine)?;
            *history = Some(plan.history(index, self.game, interrupt)?);
        }
        let (history, name) = (history.clone().expect("it was played"), &machine.roles()[role]);
        let seed = plan.match_seed(index).child("belief").child(name);
        let (model, limit) = (&posterior.model, posterior.limit);
        let oracle = Oracle {
            model,
            limit,
            steps: plan.steps,
            playouts: plan.playouts,
            playouts_engine: self.game.playouts_engine.as_deref(),
            work: plan.work,
        };
        let step = Cell::new(0);
        let say_and_stop = || {
            step.set(step.get() + 1);
            self.progress.1(&format!("match {index}, {name}: the posterior of step {}", step.get()));
            interrupt.is_raised()
        };
        let points = oracle.points(machine, role, &history, &seed.child("oracle"), &say_and_stop)?;
        Ok(MeasuredPoints { points, controls: BTreeMap::new(), history, role, seed })
    }

    /// The rows of one sampler at these points; none if it was interrupted.
    fn block(
        &mut self,
        (index, key): (usize, &str),
        MeasuredPoints { points, controls, history, role, seed }: &mut MeasuredPoints,
        posterior: &MeasuredPosterior<'_>,
        (spec, particles): (&SamplerSpec, usize),
    ) -> Evaluated<Option<Block>> {
        let (plan, machine, interrupt) = (self.plan, &self.game.machine, self.interrupt);
        let stop = || interrupt.is_raised();
        let (sampler, model) = (spec.sampler(), spec.assumed().model(machine));
        let (file, sets) = (self.blocks.particles(key), ParticleSets::default());
        let keep = |number, point: &_, particles, seconds| sets.add(number, point, particles, seconds);
        let replicates = Replicates {
            sampler: sampler.as_ref(),
            model: &model,
            is_of_points: Some(spec.assumed()) == posterior.assumed.as_ref(),
            particles,
            count: plan.replicates,
            seed: seed.clone(),
            limit: plan.update_limit,
            work: (plan.work as f64 * STATE / self.game.state_cost) as u64,
            keep: file.is_some().then_some(&keep),
        };
        let sampler = spec.spec().to_string();
        if self.begun.insert(sampler.clone()) {
            // What is done only once in a process is in no time.
            let (work, seed) = (replicates.work / 8, seed.child("unmeasured"));
            let once = Replicates { count: 1, seed, work, keep: None, ..replicates };
            harness::measure(machine, &once, &points.list, &stop, &|| ())?;
        }
        let figures = harness::measure(machine, &replicates, &points.list, &stop, self.progress.0)?;
        let Some(figures) = figures else { return Ok(None) };
        let count = figures.first().map_or(plan.replicates, |of| of.sets + of.depletions);
        let unmeasured = points.list.get(figures.len()).map(|point| {
            let (step, particles) = (point.evidence.step(), counted(particles as u64, "particle"));
            format!("the states of --work are used up by {sampler} with {particles} before step {step}")
        });
        let replicates = Replicates { count, keep: None, ..replicates };
        let of = Measured { game: self.study.game.clone(), sampler, particles, posterior: posterior.letter };
        if let Some(file) = file
            && let Err(error) = sets.write(&file, machine, (index, *role, &of), &points.list[..figures.len()])
        {
            self.blocks.fail(error);
            return Ok(None);
        }
        let place = |step| Place { index, role: machine.roles()[*role].clone(), step };
        let mut truths = Vec::new();
        if replicates.is_of_points {
            let point = TruthPoint { of: of.clone(), place: place(0), ..TruthPoint::default() };
            let known = if posterior.limit == 0 { &[] } else { &points.list[..] };
            let followed = (*role, &*history, plan.steps);
            truths = measure_truth(machine, &replicates, followed, known, &point, &stop)?;
            if stop() {
                return Ok(None);
            }
        }
        let sets = (particles, count);
        if let Entry::Vacant(control) = controls.entry(sets) {
            let made = harness::control(&points.list, sets, seed, &stop);
            let Some(made) = made else { return Ok(None) };
            control.insert(made);
        }
        let measured = points.list.iter().zip(figures).zip(&controls[&sets]);
        let rows = measured.map(|((point, figures), &control)| StudyRow {
            of: of.clone(),
            place: place(point.evidence.step()),
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
        let left_out = unmeasured.or_else(|| points.ended.as_ref().map(|error| posterior.why(error)));
        Ok(Some(Block { rows: rows.collect(), truths, left_out, length: history.0.len() }))
    }
}
