//! The dynamic checks of a rulesheet, by random play and by a bounded search.
//!
//! Random matches look for what correct rules never show: a role without a legal move, more or less than one goal at
//! the end or one out of range, a match without end, and terms that `base`, `input` or `percept` leave undeclared.
//! The search looks at the whole game as far as its limit goes, for playability and winnability. Every issue is
//! reported once, with the number of matches that met it and the first of them.
//!
//! Invariant: findings depend on the rules, the seed and the limits only. Matches are played in batches. After a
//! batch with a match that did not end, no further batch is played, because it would take as long.

use std::sync::atomic::{AtomicUsize, Ordering};

use indexmap::IndexMap;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::effort::Effort;
use super::issue::{Issue, Meeting, report};
use super::places::Places;
use super::prospects::prospects;
use crate::referee::Interrupt;
use hyperplay_engine::{Engine, EngineScratch, Interpreter, InterpreterScratch, declared};
use hyperplay_logic::gdl::{Finding, Game, Rulesheet, Symbol, TermId};
use hyperplay_machine::{
    Evaluated, EvaluationFailure, JointMove, Seed, State, StateMachine, StateMachineExt,
};

/// Matches played between two looks at what was found.
const BATCH: usize = 16;

/// The findings, and how far the checks went.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The findings, in no particular order.
    pub findings: Vec<Finding>,
    /// Random matches that were played to their end, or to the limit.
    pub matches: usize,
    /// Whether their half of the time was up before all were played.
    pub is_cut: bool,
    /// The number of states searched, and whether they are all; none if there was no time or a failure.
    pub states: Option<(usize, bool)>,
}

/// Plays and searches on `machine`. `reference`, which an interaction in SIDL does not have, gives all goals of the
/// last states; other engines know only the goal that counts. `tick` is called after each match and for each joint move
/// that the search tries. Where the interrupt has a deadline, the matches get half of the time.
///
/// ```
/// use hyperplay_engine::{EngineKind, Engines};
/// use hyperplay_logic::gdl::{FindingCode, Source, load};
/// use hyperplay_play::referee::Interrupt;
/// use hyperplay_play::analysis::{Effort, Simulation, simulate};
///
/// // Nothing ends this game.
/// let text = "(role me) (init on) (legal me go) (<= (next on) (true on))
///     (<= terminal (not (true on))) (goal me 0)";
/// let loaded = load(Source::new("endless", text), None);
/// let engines = Engines::new(&loaded.game.expect("the rules are in order"));
/// let (machine, reference) = (engines.get(EngineKind::Auto)?, engines.interpreter()?);
/// let effort = Effort { matches: 1, seed: 1, limit: 10, search: 100 };
/// let interrupt = Interrupt::default();
/// let Simulation { findings, matches, states, .. } =
///     simulate(&machine, Some(&*reference), &loaded.rulesheet, &effort, &interrupt, &|| ());
/// assert_eq!((matches, states), (1, Some((1, true))));
/// assert!(findings.iter().any(|finding| finding.code == FindingCode::NoTermination));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    machine: &Engine,
    reference: Option<&Interpreter>,
    rulesheet: &Rulesheet,
    effort: &Effort,
    interrupt: &Interrupt,
    tick: &(dyn Fn() + Sync),
) -> Simulation {
    let places = Places { game: machine.game(), rulesheet };
    let played = AtomicUsize::new(0);
    let mut simulation = Simulation { findings: Vec::new(), matches: 0, is_cut: false, states: None };
    let declarations = match Declarations::of(machine.game()) {
        Ok(declarations) => declarations,
        Err(failure) => return Simulation { findings: vec![places.failed(&failure)], ..simulation },
    };
    // The search gets half of the time.
    let of_matches = interrupt.within(interrupt.budget.share(0.5));
    let met = meet(machine, reference, &declarations, effort, (&of_matches, &played), tick);
    simulation.matches = played.into_inner();
    simulation.is_cut = of_matches.is_timed_out() && simulation.matches < effort.matches;
    match met {
        Ok(meetings) => simulation.findings = report(&places, &meetings, effort),
        Err(failure) => return Simulation { findings: vec![places.failed(&failure)], ..simulation },
    }
    if !interrupt.is_raised() {
        let (found, states) = prospects(machine, &places, effort, interrupt, tick);
        simulation.findings.extend(found);
        simulation.states = states;
    }
    simulation
}

/// The declarations that the rules make about their own terms, where they make any.
struct Declarations {
    base: Option<FxHashSet<TermId>>,
    input: Option<FxHashSet<(TermId, TermId)>>,
    percept: Option<FxHashSet<(TermId, TermId)>>,
}

impl Declarations {
    fn of(game: &Game) -> Evaluated<Self> {
        let tuples = |relation| {
            declared(game, relation).map_err(|error| EvaluationFailure { reason: error.to_string() })
        };
        let pairs = |relation| -> Evaluated<_> {
            Ok(tuples(relation)?.map(|all| all.iter().map(|tuple| (tuple[0], tuple[1])).collect()))
        };
        Ok(Declarations {
            base: tuples(Symbol::BASE)?.map(|all| all.iter().map(|tuple| tuple[0]).collect()),
            input: pairs(Symbol::INPUT)?,
            percept: pairs(Symbol::PERCEPT)?.filter(|_| game.is_imperfect()),
        })
    }
}

/// All issues, in the order in which the matches (by index) met them.
fn meet(
    machine: &Engine,
    reference: Option<&Interpreter>,
    declarations: &Declarations,
    effort: &Effort,
    (interrupt, played): (&Interrupt, &AtomicUsize),
    tick: &(dyn Fn() + Sync),
) -> Evaluated<IndexMap<Issue, Meeting>> {
    let seed = Seed::root(effort.seed).child("simulate");
    let mut meetings: IndexMap<Issue, Meeting> = IndexMap::new();
    for start in (0..effort.matches).step_by(BATCH) {
        let batch: Vec<Evaluated<IndexMap<Issue, usize>>> = (start..effort.matches.min(start + BATCH))
            .into_par_iter()
            .map(|index| {
                let met = Inspector::new(machine, reference, declarations).play(
                    effort.limit,
                    &seed.index(index),
                    interrupt,
                );
                if !interrupt.is_raised() {
                    played.fetch_add(1, Ordering::Relaxed);
                }
                tick();
                met
            })
            .collect();
        for (index, met) in batch.into_iter().enumerate() {
            for (issue, step) in met? {
                let fresh = Meeting { matches: 0, first: (start + index, step) };
                meetings.entry(issue).or_insert(fresh).matches += 1;
            }
        }
        if meetings.contains_key(&Issue::NoTermination) || interrupt.is_raised() {
            break;
        }
    }
    Ok(meetings)
}

/// Plays one random match and notes each issue once.
struct Inspector<'a> {
    machine: &'a Engine,
    reference: Option<(&'a Interpreter, InterpreterScratch)>,
    declarations: &'a Declarations,
    scratch: EngineScratch,
    /// The issues that were met, and the number of joint moves made before.
    issues: IndexMap<Issue, usize>,
}

impl<'a> Inspector<'a> {
    fn new(machine: &'a Engine, reference: Option<&'a Interpreter>, declarations: &'a Declarations) -> Self {
        let reference = reference.map(|reference| (reference, reference.scratch()));
        Inspector { machine, reference, declarations, scratch: machine.scratch(), issues: IndexMap::new() }
    }

    fn note(&mut self, step: usize, issue: Issue) {
        if self.is_cut() {
            return; // the deadline passed, and the answer may be wrong
        }
        self.issues.entry(issue).or_insert(step);
    }

    fn play(mut self, limit: usize, seed: &Seed, interrupt: &Interrupt) -> Evaluated<IndexMap<Issue, usize>> {
        let mut rng = seed.rng();
        let mut state = self.machine.initial();
        let deadline = interrupt.budget.deadline;
        self.machine.set_deadline(&mut self.scratch, deadline);
        if let Some((reference, scratch)) = &mut self.reference {
            reference.set_deadline(scratch, deadline);
        }
        for step in 0.. {
            if interrupt.is_raised() || self.is_cut() {
                break;
            }
            self.fluents(step, &state);
            if self.machine.terminal(&state, &mut self.scratch) {
                self.goals(step, &state);
                break;
            }
            if step >= limit {
                self.note(step, Issue::NoTermination);
                break;
            }
            self.moves(step, &state);
            let Some(joint) = self.machine.random_joint(&state, &mut self.scratch, &mut rng) else { break };
            self.percepts(step, &state, &joint);
            state = self.machine.next(&state, &joint, &mut self.scratch);
            self.check()?;
        }
        self.check()?;
        Ok(self.issues)
    }

    /// Whether the deadline stopped an evaluation.
    fn is_cut(&self) -> bool {
        self.machine.is_interrupted(&self.scratch)
            || self.reference.as_ref().is_some_and(|(reference, scratch)| reference.is_interrupted(scratch))
    }

    /// Reports that a limit was met.
    fn check(&mut self) -> Evaluated {
        let failure = self.machine.take_failure(&mut self.scratch);
        let of_reference = || self.reference.as_mut().and_then(|(of, scratch)| of.take_failure(scratch));
        failure.or_else(of_reference).map_or(Ok(()), Err)
    }

    fn fluents(&mut self, step: usize, state: &State) {
        let Some(base) = &self.declarations.base else { return };
        let fresh = self.machine.holds(state).into_iter().filter(|fluent| !base.contains(fluent));
        self.machine
            .terms()
            .sorted(fresh)
            .into_iter()
            .for_each(|fluent| self.note(step, Issue::NotInBase(fluent)));
    }

    fn moves(&mut self, step: usize, state: &State) {
        let legal = self.machine.legal_by_role(state, &mut self.scratch);
        for (role, moves) in legal.iter() {
            if moves.is_empty() {
                self.note(step, Issue::NoLegalMove(role));
            }
            let name = self.machine.game().roles()[role.index()];
            for own in moves {
                if self.declarations.input.as_ref().is_some_and(|input| !input.contains(&(name, own.0))) {
                    self.note(step, Issue::NotInInput(role, own.0));
                }
            }
        }
    }

    fn percepts(&mut self, step: usize, state: &State, joint: &JointMove) {
        let Some(percept) = &self.declarations.percept else { return };
        for role in self.machine.each_role() {
            let name = self.machine.game().roles()[role.index()];
            let seen = self.machine.percepts(state, joint, role, &mut self.scratch);
            for term in seen.iter().filter(|term| !percept.contains(&(name, term.0))) {
                self.note(step, Issue::NotInPercept(role, term.0));
            }
        }
    }

    fn goals(&mut self, step: usize, state: &State) {
        // An interaction in SIDL has one balance for each role, which no rule can contradict.
        if self.reference.is_none() {
            return;
        }
        let (terms, random) = (self.machine.terms(), self.machine.random());
        let state = State::of_fluents(self.machine.holds(state));
        for role in self.machine.each_role() {
            let Some((reference, scratch)) = &mut self.reference else { return };
            let values = reference.goal_values(&state, role, scratch);
            match values[..] {
                [] if random == Some(role) => {}
                [] => self.note(step, Issue::MissingGoal(role)),
                [_] => {}
                [first, second, ..] => self.note(step, Issue::SeveralGoals(role, first, second)),
            }
            for value in values {
                let number: Option<i64> = terms.symbols().name(terms.functor(value)).parse().ok();
                if !number.is_some_and(|number| (0..=100).contains(&number)) {
                    self.note(step, Issue::GoalOutOfRange(role, value));
                }
            }
        }
    }
}
