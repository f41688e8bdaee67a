//! The interpreter: the reference engine.
//!
//! It answers every query by evaluating the rules as they stand, by the definitions of GDL-II (Thielscher 2011). What
//! holds, is legal, is terminal or is worth a goal in a state S follows from the rules with `true(f)` for every f in S.
//! The next state and the percepts follow from the rules with `does(r, m)` for the joint move as well. The interpreter
//! is simple and complete rather than fast, and the faster engines must give the same answers.
//!
//! Stage 0 of the program (what depends on no state) is derived once and shared. A scratch keeps the database of the
//! last state that was queried, so a query derives only what earlier queries about the same state did not.
//!
//! Invariant: a [`State`] lists ids in increasing order, so equal sets of fluents are equal states.

use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashSet;

use super::evaluable::{EvaluableRules, INPUTS, STATE, STEP, is_asked_or_given, restricted_rules};
use super::{EngineError, StepWork};
use hyperplay_logic::datalog::{
    Database, DatalogProgram, EvaluationLimits, EvaluationWork, LimitError, LimitExceeded, RelationId,
    SAMPLED_VISITS,
};
use hyperplay_logic::gdl::{Game, Rule, Symbol, TermId};
use hyperplay_machine::{
    Bulk, ByRole, EvaluationFailure, GameSetup, Goal, JointMove, JointMoves, Move, Percept, Percepts, Role,
    Seed, State, StateMachine, StateMachineExt,
};

/// A relation with more rows in the initial state is restricted to what is asked of it, together with what reads it,
/// if fewer rows are visited then. Measured on chess: 2,400 steps a second at 300 and 100, 1,800 at 1,000 and 30.
const RESTRICTED_ROWS: usize = 300;
/// Steps of the random match on which the joins are planned a second time.
const SAMPLE_STEPS: usize = 12;

/// Steps of random matches on which the work of a step is measured, and the rows visited after which it ends earlier.
const MEASURED_STEPS: usize = 200;
const MEASURED_VISITS: u64 = 1_000_000;

/// The relations of the program that a machine queries; `None` where no rule names one.
#[derive(Clone, Copy, Debug)]
struct Queries {
    holds: RelationId,
    does: RelationId,
    legal: Option<RelationId>,
    next: Option<RelationId>,
    sees: Option<RelationId>,
    goal: Option<RelationId>,
    terminal: Option<RelationId>,
}

/// The reference engine of a game.
#[derive(Debug)]
pub struct Interpreter {
    game: Game,
    setup: GameSetup<State>,
    program: DatalogProgram,
    fixed: Arc<Database>,
    queries: Queries,
    /// The work of a step and of the queries about its state.
    pub step_work: StepWork,
}

/// The working memory with which one thread evaluates.
#[derive(Clone, Debug)]
pub struct InterpreterScratch {
    database: Database,
    state: Option<State>,
    joint: Option<JointMove>,
    legal: Option<ByRole<Vec<Move>>>,
    failure: Option<EvaluationFailure>,
    /// Whether the deadline of the database has stopped an evaluation; then there is no answer until it is replaced.
    is_interrupted: bool,
}

impl Interpreter {
    /// An engine for a game.
    ///
    /// # Errors
    /// When deriving the initial state, or what depends on no state, meets a limit.
    pub fn new(game: &Game) -> Result<Interpreter, EngineError> {
        Interpreter::within(game, EvaluationLimits::default())
    }

    /// An engine for a game whose evaluations have these limits.
    ///
    /// # Errors
    /// As [`new`](Interpreter::new).
    pub fn within(game: &Game, limits: EvaluationLimits) -> Result<Interpreter, EngineError> {
        let rules = EvaluableRules::within(game, limits);
        let (whole, sample) = Interpreter::of_rules(game, rules.rules().to_vec(), limits)?;
        let Some(restricted) = whole.restricted(&sample, RESTRICTED_ROWS) else { return Ok(whole) };
        let (restricted, _) = Interpreter::of_rules(game, restricted, limits)?;
        let pays = restricted.step_work.nanoseconds() < whole.step_work.nanoseconds();
        Ok(if pays { restricted } else { whole })
    }

    /// An engine that evaluates these rules, which derive what those of the game do, and what holds initially.
    pub(crate) fn of_rules(
        game: &Game,
        rules: Vec<Rule>,
        limits: EvaluationLimits,
    ) -> Result<(Interpreter, Database), EngineError> {
        let terms = game.terms();
        let mut program = DatalogProgram::new(rules, &INPUTS);
        program.limits = limits;
        let queries = Queries {
            holds: program.relation(Symbol::TRUE).expect("it is an input"),
            does: program.relation(Symbol::DOES).expect("it is an input"),
            legal: program.relation(Symbol::LEGAL),
            next: program.relation(Symbol::NEXT),
            sees: program.relation(Symbol::SEES),
            goal: program.relation(Symbol::GOAL),
            terminal: program.relation(Symbol::TERMINAL),
        };
        let mut fixed = Database::new(&program, None);
        let mut initial = Vec::new();
        if let Some(init) = program.relation(Symbol::INIT) {
            fixed.plan(&mut program, init, false, terms)?;
            initial = fixed.relation(init, &program).rows().map(|row| row[0]).collect();
        }
        fixed.plan_stage(&mut program, &queries.targets(), 0, terms)?;
        fixed.freeze(&program, terms);
        let mut interpreter = Interpreter {
            game: game.clone(),
            fixed: Arc::new(fixed),
            program,
            queries,
            setup: game.setup(State::of_fluents(initial)),
            step_work: StepWork::default(),
        };
        let sample = interpreter.plan_steps()?;
        Ok((interpreter, sample))
    }

    /// The rules with every relation of more than `rows` rows in the sample restricted to what is asked of it; `None`
    /// if there is none.
    pub(crate) fn restricted(&self, sample: &Database, rows: usize) -> Option<Vec<Rule>> {
        let may_be = |id: RelationId| self.program.stage(id) > 0 && !is_asked_or_given(self.program.name(id));
        let large: Vec<RelationId> = (0..self.program.relations())
            .filter(|&id| may_be(id) && sample.relation(id, &self.program).len() > rows)
            .collect();
        let readers = self.program.readers_of(&large).into_iter().filter(|&id| may_be(id));
        let restricted = readers.map(|id| self.program.name(id)).collect();
        restricted_rules(&self.program, sample, restricted, self.terms())
    }

    /// Measures the work of a step in random matches.
    fn measure(&mut self) {
        let mut scratch = self.scratch();
        let (mut steps, mut answers) = (0, 0);
        for number in 0..MEASURED_STEPS {
            let seed = Seed::root(0).child("work").index(number);
            let is_enough = |steps: usize, scratch: &InterpreterScratch| {
                steps >= MEASURED_STEPS || scratch.database.work().visits >= MEASURED_VISITS
            };
            self.random_match(&seed, &mut scratch, &mut |state, scratch| {
                steps += 1;
                let legal = scratch.legal.iter().flat_map(|legal| legal.values());
                answers += state.fluents().len() + legal.map(Vec::len).sum::<usize>();
                !is_enough(steps, scratch)
            });
            if is_enough(steps, &scratch) || steps == 0 {
                break;
            }
        }
        let EvaluationWork { visits, tests } = scratch.database.work();
        let mean = |sum: u64| sum as f64 / steps.max(1) as f64;
        self.step_work = StepWork { visits: mean(visits), tests: mean(tests), answers: mean(answers as u64) };
    }

    /// Plans what depends on states: first in the initial state, then again in a state some random steps on, where
    /// the relations have the sizes of play.
    fn plan_steps(&mut self) -> Result<Database, LimitError> {
        let sample = self.plan_in(&self.setup.initial.clone(), false)?;
        let (mut state, mut steps) = (self.setup.initial.clone(), 0);
        self.random_match(&Seed::root(0).child("plan"), &mut self.scratch(), &mut |next, _| {
            state = next.clone();
            steps += 1;
            steps < SAMPLE_STEPS
        });
        self.plan_in(&state, true)?;
        self.measure();
        Ok(sample)
    }

    /// Plays a random match. `visit` is given each state after the first, and the match goes on while it returns true. It ends at a state
    /// in which a rule visits more than [`SAMPLED_VISITS`] rows.
    fn random_match(
        &mut self,
        seed: &Seed,
        scratch: &mut InterpreterScratch,
        visit: &mut dyn FnMut(&State, &InterpreterScratch) -> bool,
    ) {
        let limits = self.program.limits;
        self.program.limits.visits = limits.visits.min(SAMPLED_VISITS);
        let mut state = self.setup.initial.clone();
        let mut rng = seed.rng();
        while !self.terminal(&state, scratch) {
            let Some(joint) = self.random_joint(&state, scratch, &mut rng) else { break };
            state = self.next(&state, &joint, scratch);
            if !visit(&state, scratch) {
                break;
            }
        }
        self.program.limits = limits;
    }

    fn plan_in(&mut self, state: &State, again: bool) -> Result<Database, LimitError> {
        let terms = Arc::clone(self.game.terms());
        let targets = self.queries.targets();
        let mut own = self.scratch();
        let scratch = &mut own;
        self.enter(state, None, scratch);
        for stage in [STATE, STEP] {
            if stage == STEP {
                let first = JointMoves::new(&self.legal_by_role(state, scratch)).next();
                self.set_joint(first.as_ref(), scratch);
            }
            for &target in &targets {
                if self.program.stage(target) <= stage {
                    scratch.database.plan(&mut self.program, target, again, &terms)?;
                }
            }
            // New plans may ask for new indexes on what is shared.
            Arc::make_mut(&mut self.fixed).freeze(&self.program, &terms);
            scratch.database.share(&self.fixed);
        }
        scratch.database.choose_tabled(&mut self.program, &targets, &terms);
        Arc::make_mut(&mut self.fixed).freeze(&self.program, &terms);
        Ok(own.database)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The text of every join plan: the line and text of the rule it came from, then its steps.
    pub fn describe_plans(&self) -> String {
        let starts = self.game.source().line_starts();
        let line = |rule: &Rule| starts.partition_point(|begin| *begin <= self.game.rule_span(rule).start);
        self.program.describe(self.game.terms(), line)
    }

    /// All goal values that the rules give a role in a state, in rule order, those of one rule in the natural order of
    /// terms: the first one counts, and a game without faults has exactly one in a terminal state.
    pub fn goal_values(&self, state: &State, role: Role, scratch: &mut InterpreterScratch) -> Vec<TermId> {
        let rows = self.ask(self.queries.goal, state, None, scratch);
        let values: Vec<TermId> = self.of_role(rows, role).collect();
        match self.queries.goal {
            Some(goal) if values.len() > 1 => match self.in_rule_order(goal, role, scratch) {
                Ok(ordered) => ordered,
                Err(limit) => {
                    note(&limit, &mut scratch.failure, &mut scratch.is_interrupted);
                    values
                }
            },
            _ => values,
        }
    }

    /// The goal that a value stands for.
    fn number(&self, value: TermId) -> Goal {
        Goal::nearest(&self.terms().show(value)).unwrap_or_default()
    }

    /// The values of a role for which the scratch holds several. The order in which they were derived cannot be used,
    /// because it depends on the ids of the fluents.
    fn in_rule_order(
        &self,
        relation: RelationId,
        role: Role,
        scratch: &mut InterpreterScratch,
    ) -> Result<Vec<TermId>, LimitError> {
        let terms = self.terms();
        let mut values = Vec::new();
        for rows in scratch.database.query_by_rule(&self.program, relation, terms)? {
            let own = self.of_role(rows.rows(), role);
            values.extend(terms.sorted(own.filter(|value| !values.contains(value))));
        }
        Ok(values)
    }

    /// Sets the scratch to a state, and to a joint move there if the query needs one.
    fn enter(&self, state: &State, joint: Option<&JointMove>, scratch: &mut InterpreterScratch) {
        if scratch.state.as_ref() != Some(state) {
            let fluents = state.fluents().iter().map(std::slice::from_ref);
            scratch.database.set_input(&self.program, self.queries.holds, fluents);
            scratch.state = Some(state.clone());
            scratch.legal = None;
        }
        if scratch.joint.as_ref() != joint {
            self.set_joint(joint, scratch);
        }
    }

    fn set_joint(&self, joint: Option<&JointMove>, scratch: &mut InterpreterScratch) {
        let facts: Vec<[TermId; 2]> = match joint {
            Some(joint) => {
                self.game.roles().iter().zip(joint.iter()).map(|(&role, own)| [role, own.0]).collect()
            }
            None => Vec::new(),
        };
        scratch.database.set_input(&self.program, self.queries.does, facts.iter().map(|fact| &fact[..]));
        scratch.joint = joint.cloned();
    }

    /// The tuples of a relation in a state (and step), in the order of their derivation; none after a failure.
    fn ask<'s>(
        &self,
        relation: Option<RelationId>,
        state: &State,
        joint: Option<&JointMove>,
        scratch: &'s mut InterpreterScratch,
    ) -> impl Iterator<Item = &'s [TermId]> + use<'s> {
        let relation = relation.filter(|_| !scratch.is_interrupted);
        let answer = relation.and_then(|relation| {
            // A relation that depends on the state alone is the same whatever joint move the scratch holds.
            let kept = scratch.joint.clone();
            let joint = if self.program.stage(relation) < STEP { kept.as_ref() } else { joint };
            self.enter(state, joint, scratch);
            let InterpreterScratch { database, failure, is_interrupted, .. } = scratch;
            match database.query(&self.program, relation, self.game.terms()) {
                Ok(relation) => Some(relation),
                Err(limit) => {
                    note(&limit, failure, is_interrupted);
                    None
                }
            }
        });
        answer.into_iter().flat_map(|relation| relation.rows())
    }

    fn of_role<'s>(
        &self,
        rows: impl Iterator<Item = &'s [TermId]>,
        role: Role,
    ) -> impl Iterator<Item = TermId> {
        let name = self.game.roles()[role.index()];
        rows.filter(move |row| row[0] == name).map(|row| row[1])
    }
}

/// Notes what stopped an evaluation: its deadline, or the rules.
fn note(limit: &LimitError, failure: &mut Option<EvaluationFailure>, is_interrupted: &mut bool) {
    if limit.exceeded == LimitExceeded::Deadline {
        *is_interrupted = true;
    } else {
        failure.get_or_insert_with(|| EvaluationFailure { reason: limit.to_string() });
    }
}

impl InterpreterScratch {
    /// Whether an answer may be wrong.
    fn is_stopped(&self) -> bool {
        self.is_interrupted || self.failure.is_some()
    }
}

impl Queries {
    fn targets(&self) -> Vec<RelationId> {
        [self.terminal, self.legal, self.goal, self.next, self.sees].into_iter().flatten().collect()
    }
}

impl StateMachine for Interpreter {
    type State = State;
    type Scratch = InterpreterScratch;

    fn scratch(&self) -> InterpreterScratch {
        let database = Database::new(&self.program, Some(Arc::clone(&self.fixed)));
        InterpreterScratch {
            database,
            state: None,
            joint: None,
            legal: None,
            failure: None,
            is_interrupted: false,
        }
    }

    fn setup(&self) -> &GameSetup<State> {
        &self.setup
    }

    fn legal(&self, state: &State, role: Role, scratch: &mut InterpreterScratch, out: &mut Vec<Move>) {
        out.clear();
        let is_cached = scratch.state.as_ref() == Some(state);
        if let (true, Some(legal)) = (is_cached, &scratch.legal) {
            out.extend_from_slice(&legal[role]);
            return;
        }
        let mut legal: ByRole<Vec<Move>> = ByRole::from_fn(self.setup.roles.len(), |_| Vec::new());
        for row in self.ask(self.queries.legal, state, None, scratch) {
            if let Some(position) = self.game.roles().iter().position(|&name| name == row[0]) {
                legal[Role::new(position)].push(Move(row[1]));
            }
        }
        for role in self.each_role() {
            legal[role].sort_unstable_by(|a, b| self.terms().compare(a.0, b.0));
        }
        out.extend_from_slice(&legal[role]);
        if !scratch.is_stopped() {
            scratch.legal = Some(legal);
        }
    }

    fn next(&self, state: &State, joint: &JointMove, scratch: &mut InterpreterScratch) -> State {
        State::of_fluents(
            self.ask(self.queries.next, state, Some(joint), scratch).map(|row| row[0]).collect(),
        )
    }

    fn percepts(
        &self,
        state: &State,
        joint: &JointMove,
        role: Role,
        scratch: &mut InterpreterScratch,
    ) -> Percepts {
        let terms = self.terms();
        let seen: Vec<Percept> = if self.game.is_imperfect() {
            let rows = self.ask(self.queries.sees, state, Some(joint), scratch);
            self.of_role(rows, role).map(Percept).collect()
        } else {
            let did = |(&role, own): (&TermId, &Move)| Percept(terms.intern(Symbol::DID, &[role, own.0]));
            self.game.roles().iter().zip(joint.iter()).map(did).collect()
        };
        Percepts::new(seen, |a, b| terms.compare(a.0, b.0))
    }

    fn terminal(&self, state: &State, scratch: &mut InterpreterScratch) -> bool {
        self.ask(self.queries.terminal, state, None, scratch).next().is_some() || scratch.is_stopped()
    }

    fn goal(&self, state: &State, role: Role, scratch: &mut InterpreterScratch) -> Goal {
        // Several goals are a fault of the rules; the repair is the first in rule order.
        let value = self.goal_values(state, role, scratch).first().copied();
        value.map_or(Goal::default(), |value| self.number(value))
    }

    fn goal_count(&self, state: &State, role: Role, scratch: &mut InterpreterScratch) -> usize {
        let values = self.goal_values(state, role, scratch);
        values.into_iter().map(|value| self.number(value)).collect::<FxHashSet<Goal>>().len()
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        let fluents = self.terms().sorted(state.fluents().iter().copied());
        fluents.into_iter().map(|fluent| self.terms().show(fluent)).collect()
    }

    fn take_failure(&self, scratch: &mut InterpreterScratch) -> Option<EvaluationFailure> {
        let failure = scratch.failure.take()?;
        // The tuples derived before the limit was met are not all that follow: the next question begins anew.
        (scratch.state, scratch.joint, scratch.legal) = (None, None, None);
        Some(failure)
    }

    fn set_deadline(&self, scratch: &mut InterpreterScratch, deadline: Option<Instant>) -> Option<Instant> {
        scratch.is_interrupted = false;
        scratch.database.set_deadline(deadline)
    }

    fn is_interrupted(&self, scratch: &InterpreterScratch) -> bool {
        scratch.is_interrupted
    }
}

impl Bulk for Interpreter {}
