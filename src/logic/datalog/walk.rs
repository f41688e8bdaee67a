//! Walks: the execution of a plan, a depth-first search through the steps of a rule.
//!
//! A walk binds registers step by step and derives the head whenever it reaches the end of the plan. The steps behind
//! [`JoinPlan::decided`] cannot change the head, so after a derivation the walk jumps back to the last step that can.
//!
//! A *tabled* relation stores no tuples (see [`tabling`](super::tabling)). A step that tests it for a tuple starts a
//! walk of its own for this subgoal, which stops at the first derivation. The answers are kept in a [`SubgoalTable`]
//! until the inputs change.
//!
//! This is the innermost loop of every evaluation. The indexes are up to date before a walk begins, and a tuple of up
//! to [`INLINE_TERMS`] terms is built without allocating memory.

use smallvec::SmallVec;

use super::limits::{LimitExceeded, SAMPLED_TUPLES};
use super::plan::{JoinPlan, JoinStep, RowLookup, RowRange, TermExpression, TuplePattern};
use super::relation::{INLINE_TERMS, StrideCursor, Tuple};
use super::tabling::SubgoalTable;
use super::{Database, DatalogProgram, Relation, RelationId};
use crate::gdl::{TermId, TermStore};

/// Returned by a step that derived nothing, so that there is nothing to jump back from.
const NO_JUMP: usize = usize::MAX;
/// Stands for the row of a step that has matched no row.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The use of the heads that a walk derives.
pub(super) enum WalkOutput<'a, 's> {
    /// They are inserted into a relation.
    Tuples(&'a mut Relation),
    /// Those that the database does not hold yet are inserted into a relation.
    New(&'a mut Relation),
    /// Each instance of the rule is passed to a function: the row of the head, and for each step the row that it
    /// matched, or [`NO_ROW`]. The walk goes on while the function returns true. An instance may be passed more than
    /// once.
    Instances(&'a mut (dyn FnMut(usize, &[u32]) -> bool + 's)),
    /// The head is given, and the walk stops at the first derivation.
    Subgoal {
        /// The head.
        head: &'a [TermId],
        /// Set to true when the head is derived.
        holds: &'a mut bool,
    },
}

/// One execution of a plan.
pub(super) struct Walk<'a, 's> {
    database: &'a Database,
    program: &'a DatalogProgram,
    terms: &'a TermStore,
    subgoals: &'a mut SubgoalTable,
    plan: &'a JoinPlan,
    output: WalkOutput<'a, 's>,
    registers: SmallVec<[TermId; 16]>,
    /// The row that each step matched; kept only for [`WalkOutput::Instances`].
    matched: SmallVec<[u32; 8]>,
    /// For each step, where its tuple will probably be found; then the same for the head in the database and for the
    /// head among the new tuples. Kept only where a rule is run over relations that may be large.
    cursors: SmallVec<[StrideCursor; 8]>,
    /// The memory of the last tuple that was longer than [`INLINE_TERMS`].
    spare: Tuple,
    /// The number of tuples that the output may hold.
    most: usize,
    limit_exceeded: Option<LimitExceeded>,
}

impl<'a, 's> Walk<'a, 's> {
    /// A walk of `plan` over the tuples of `database`, whose indexes must be fresh.
    pub(super) fn new(
        database: &'a Database,
        program: &'a DatalogProgram,
        terms: &'a TermStore,
        subgoals: &'a mut SubgoalTable,
        plan: &'a JoinPlan,
        output: WalkOutput<'a, 's>,
    ) -> Self {
        let registers = SmallVec::from_elem(TermId::default(), plan.registers);
        let most = program.most_tuples(plan.head);
        let steps = plan.steps.len();
        let (shown, cursors) = match output {
            WalkOutput::Instances(_) => (steps, steps + 1),
            WalkOutput::New(_) => (0, steps + 2),
            WalkOutput::Tuples(_) | WalkOutput::Subgoal { .. } => (0, 0),
        };
        let matched = SmallVec::from_elem(NO_ROW, shown);
        let cursors = SmallVec::from_elem(StrideCursor::default(), cursors);
        let (spare, limit_exceeded) = (Tuple::new(), None);
        Walk {
            database,
            program,
            terms,
            subgoals,
            plan,
            output,
            registers,
            matched,
            cursors,
            spare,
            most,
            limit_exceeded,
        }
    }

    /// Runs the plan. Returns the limit that was exceeded, if any; the derived tuples are then incomplete.
    pub(super) fn run(mut self) -> Option<LimitExceeded> {
        let keeps_heads = matches!(self.output, WalkOutput::Tuples(_) | WalkOutput::New(_));
        if self.plan.is_product && keeps_heads && self.rows_multiplied() > self.most {
            // The limit will be exceeded, and nothing reads more tuples of such a relation than a sample has.
            self.most = self.most.min(SAMPLED_TUPLES);
        }
        if self.subgoals.counter.begin(self.program.limits.visits) {
            self.from(0);
        }
        self.limit_exceeded.or(self.subgoals.counter.stopped)
    }

    /// The number of ways to take one row for each step.
    fn rows_multiplied(&self) -> usize {
        let rows = |step: &JoinStep| match step {
            JoinStep::Find(find) => self.range(find.relation, find.rows).len(),
            _ => 1,
        };
        self.plan.steps.iter().map(rows).fold(1, usize::saturating_mul)
    }

    /// Runs the steps from number `step` on. Returns the number of leading steps that may still derive something new:
    /// a step goes on to its next row only if its own number is smaller.
    fn from(&mut self, mut step: usize) -> usize {
        let plan = self.plan;
        loop {
            let passes = match plan.steps.get(step) {
                None => return self.derive(),
                Some(JoinStep::Find(find)) => return self.find(step, find),
                Some(JoinStep::Given(pattern)) => {
                    let WalkOutput::Subgoal { head, .. } = &self.output else {
                        unreachable!("only the plan of a subgoal is given a head")
                    };
                    let (head, key) = (*head, self.tuple(&pattern.key));
                    return self.visit(step, pattern, head, &key);
                }
                Some(JoinStep::Holds(relation, tuple, rows)) => {
                    let tuple = self.reused_tuple(tuple);
                    let holds = match rows {
                        RowRange::All if self.cursors.is_empty() => self.holds(*relation, &tuple),
                        RowRange::All => self.matches(step, *relation, &tuple),
                        rows => self.holds_within(*relation, &tuple, *rows),
                    };
                    self.reuse(tuple);
                    holds
                }
                Some(JoinStep::Unless(relation, tuple)) => {
                    let tuple = self.reused_tuple(tuple);
                    self.matches(step, *relation, &tuple);
                    self.reuse(tuple);
                    true
                }
                Some(JoinStep::Absent(relation, tuple)) => {
                    let tuple = self.reused_tuple(tuple);
                    let holds = self.holds(*relation, &tuple);
                    self.reuse(tuple);
                    !holds
                }
                Some(JoinStep::Distinct(a, b)) => self.term(a) != self.term(b),
                Some(JoinStep::Same(a, b)) => self.term(a) == self.term(b),
            };
            if !passes {
                return NO_JUMP;
            }
            step += 1;
        }
    }

    fn find(&mut self, step: usize, find: &RowLookup) -> usize {
        let relation = self.relation(find.relation);
        let range = self.range(find.relation, find.rows);
        let key = self.tuple(&find.pattern.key);
        match find.index {
            Some(index) if relation.is_fresh(index) => {
                self.visit_each(step, find, relation, relation.probe(index, &key, range), &key)
            }
            _ => self.visit_each(step, find, relation, range, &key),
        }
    }

    /// Goes on with one row after the other, until a later step says that the rest would derive nothing new.
    fn visit_each(
        &mut self,
        step: usize,
        find: &RowLookup,
        relation: &Relation,
        rows: impl Iterator<Item = usize>,
        key: &[TermId],
    ) -> usize {
        for row in rows {
            if let Some(matched) = self.matched.get_mut(step) {
                *matched = row as u32;
            }
            let jump = self.visit(step, &find.pattern, relation.row(row), key);
            if jump <= step {
                return jump;
            }
        }
        NO_JUMP
    }

    /// Goes on with one tuple, if it matches the pattern.
    fn visit(&mut self, step: usize, pattern: &TuplePattern, row: &[TermId], key: &[TermId]) -> usize {
        if !self.subgoals.counter.visit() {
            return 0;
        }
        let matches = pattern.shape.admits(row, self.terms)
            && pattern.shape.key.iter().zip(key).all(|(path, &term)| path.of(row, self.terms) == term);
        if !matches {
            return NO_JUMP;
        }
        for (path, register) in &pattern.bind {
            self.registers[*register] = path.of(row, self.terms);
        }
        let repeats = pattern
            .repeat
            .iter()
            .all(|(path, register)| path.of(row, self.terms) == self.registers[*register]);
        if repeats { self.from(step + 1) } else { NO_JUMP }
    }

    /// Derives the head and returns the step to jump back to.
    fn derive(&mut self) -> usize {
        if let WalkOutput::Subgoal { holds, .. } = &mut self.output {
            **holds = true;
            return 0;
        }
        let head = self.reused_tuple(&self.plan.arguments);
        let goes_on = self.put(&head);
        self.reuse(head);
        if goes_on { self.plan.decided } else { 0 }
    }

    /// Hands the head to the output. Returns whether the walk goes on.
    fn put(&mut self, head: &[TermId]) -> bool {
        self.subgoals.counter.tested += 1;
        let (plan, steps) = (self.plan, self.plan.steps.len());
        let held = |cursors: &mut [StrideCursor]| {
            self.database.relation(plan.head, self.program).position_by(&mut cursors[steps], head)
        };
        let is_new = match &mut self.output {
            WalkOutput::Tuples(out) => out.insert(head),
            WalkOutput::New(_) if held(&mut self.cursors).is_some() => false,
            WalkOutput::New(out) => out.insert_by(&mut self.cursors[steps + 1], head),
            WalkOutput::Instances(show) => {
                let row = held(&mut self.cursors).expect("the head of an instance is among the tuples");
                return show(row, &self.matched);
            }
            WalkOutput::Subgoal { .. } => unreachable!("a subgoal ends at its first derivation"),
        };
        if is_new {
            self.limit_exceeded = self.limit_exceeded_by(head);
        }
        self.limit_exceeded.is_none()
    }

    /// The limit that a new tuple exceeds, if any.
    fn limit_exceeded_by(&self, tuple: &[TermId]) -> Option<LimitExceeded> {
        let (WalkOutput::Tuples(out) | WalkOutput::New(out)) = &self.output else { return None };
        let limits = &self.program.limits;
        let builds = self.plan.builds;
        if out.len() > self.most {
            Some(LimitExceeded::Tuples)
        } else if builds && tuple.iter().any(|&term| self.terms.depth(term) > limits.depth) {
            Some(LimitExceeded::Depth)
        } else if builds && tuple.iter().any(|&term| self.terms.size(term) > limits.size) {
            Some(LimitExceeded::Size)
        } else {
            None
        }
    }

    /// Whether a tuple is among those derived; its row is noted as the one that the step matched.
    fn matches(&mut self, step: usize, relation: RelationId, tuple: &[TermId]) -> bool {
        let row = self.relation(relation).position_by(&mut self.cursors[step], tuple);
        if let Some(matched) = self.matched.get_mut(step) {
            *matched = row.map_or(NO_ROW, |row| row as u32);
        }
        row.is_some()
    }

    /// Whether a tuple holds, whether its relation is derived or tabled.
    fn holds(&mut self, relation: RelationId, tuple: &[TermId]) -> bool {
        self.subgoals.counter.tested += 1;
        let Some(plans) = self.program.subgoal_plans(relation) else {
            return self.relation(relation).contains(tuple);
        };
        let (true_subgoals, false_subgoals) = &self.subgoals.answers[relation];
        if true_subgoals.contains(tuple) || false_subgoals.contains(tuple) {
            return true_subgoals.contains(tuple);
        }
        let mut holds = false;
        for plan in plans {
            let output = WalkOutput::Subgoal { head: tuple, holds: &mut holds };
            Walk::new(self.database, self.program, self.terms, self.subgoals, plan, output).from(0);
            if holds {
                break;
            }
        }
        if self.subgoals.counter.stopped.is_some() {
            return false; // the search was cut off, so there is no answer to keep
        }
        let answers = &mut self.subgoals.answers[relation];
        let kept = if holds { &mut answers.0 } else { &mut answers.1 };
        kept.insert(tuple);
        holds
    }

    fn relation(&self, relation: RelationId) -> &'a Relation {
        self.database.relation(relation, self.program)
    }

    fn range(&self, relation: RelationId, rows: RowRange) -> std::ops::Range<usize> {
        let (start, end) = self.database.delta[relation];
        match rows {
            RowRange::All => 0..self.relation(relation).len(),
            RowRange::Delta => start..end,
            RowRange::Old => 0..start,
        }
    }

    fn holds_within(&self, relation: RelationId, tuple: &[TermId], rows: RowRange) -> bool {
        let range = self.range(relation, rows);
        self.relation(relation).position(tuple).is_some_and(|row| range.contains(&row))
    }

    fn tuple(&self, expressions: &[TermExpression]) -> Tuple {
        if expressions.is_empty() {
            return Tuple::new();
        }
        let mut inline = [TermId::default(); INLINE_TERMS];
        if expressions.len() > INLINE_TERMS {
            return expressions.iter().map(|expression| self.term(expression)).collect();
        }
        for (term, expression) in inline.iter_mut().zip(expressions) {
            *term = self.term(expression);
        }
        Tuple::from_buf_and_len(inline, expressions.len())
    }

    /// The terms of these expressions, in the memory that [`reuse`](Self::reuse) has kept.
    #[inline]
    fn reused_tuple(&mut self, expressions: &[TermExpression]) -> Tuple {
        if expressions.len() <= INLINE_TERMS {
            return self.tuple(expressions);
        }
        let mut tuple = std::mem::take(&mut self.spare);
        tuple.resize(expressions.len(), TermId::default());
        let registers = &self.registers[..];
        for (term, expression) in tuple.iter_mut().zip(expressions) {
            *term = value(expression, registers, self.terms);
        }
        tuple
    }

    #[inline]
    fn reuse(&mut self, tuple: Tuple) {
        if tuple.spilled() {
            self.spare = tuple;
        }
    }

    #[inline]
    fn term(&self, expression: &TermExpression) -> TermId {
        value(expression, &self.registers, self.terms)
    }
}

#[inline]
fn value(expression: &TermExpression, registers: &[TermId], terms: &TermStore) -> TermId {
    match expression {
        TermExpression::Register(register) => registers[*register],
        other => build(other, registers, terms),
    }
}

fn build(expression: &TermExpression, registers: &[TermId], terms: &TermStore) -> TermId {
    match expression {
        TermExpression::Register(register) => registers[*register],
        TermExpression::Ground(term) => *term,
        TermExpression::Build(functor, arguments) => {
            let arguments: Tuple =
                arguments.iter().map(|argument| build(argument, registers, terms)).collect();
            terms.intern(*functor, &arguments)
        }
    }
}
