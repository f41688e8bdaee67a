//! Walks: running a plan.
//!
//! A walk goes depth-first through the steps of a plan, binding registers, and derives the head wherever it reaches the
//! end. Once the head is derived, the steps that do not decide it have nothing more to say, and the walk jumps back to
//! the last one that does.
//!
//! A relation that is *proved* holds no tuples: a step that tests it starts a walk of its own, which stops at the first
//! proof. Outcomes are kept in a [`Memo`] until the inputs change.

use smallvec::SmallVec;

use super::database::Database;
use super::limits::Trouble;
use super::plan::{Expression, Find, Pattern, Plan, RelationId, Rows, Step};
use super::program::{Program, Stage};
use super::relation::{Finger, INLINE_TERMS, Relation, Tuple};
use crate::gdl::{TermId, TermStore};

/// Returned by a walk that derived nothing to jump back from.
const NO_JUMP: usize = usize::MAX;
/// What a step has matched that has matched no row.
pub const NO_ROW: u32 = u32::MAX;

/// What proofs have shown: by relation, the tuples proved and those that have no proof.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    known: Vec<(Relation, Relation)>,
    /// Rows looked at since a rule was started, in the proofs it asked for as well.
    pub(super) visits: u64,
}

impl Memo {
    /// Nothing known yet.
    pub fn new(program: &Program) -> Memo {
        let empty = |relation| Relation::new(program.arity(relation), Vec::new());
        let known = (0..program.relations()).map(|relation| (empty(relation), empty(relation))).collect();
        Memo { known, visits: 0 }
    }

    /// Forgets the outcomes of a stage and above.
    pub fn forget(&mut self, program: &Program, stage: Stage) {
        for (relation, (proved, refuted)) in self.known.iter_mut().enumerate() {
            if program.stage(relation) >= stage && !(proved.is_empty() && refuted.is_empty()) {
                proved.clear();
                refuted.clear();
            }
        }
    }
}

/// Where a walk puts what it derives.
pub enum Output<'a, 's> {
    /// Into a relation.
    Tuples(&'a mut Relation),
    /// Into a relation, what the database does not hold yet.
    New(&'a mut Relation),
    /// Each instance of the rule is shown: the row of the head, and for each step the row it matched, or
    /// [`NO_ROW`]. The walk goes on while the answer is true. An instance may be shown more than once.
    Instances(&'a mut (dyn FnMut(usize, &[u32]) -> bool + 's)),
    /// It is given the head, and stops at the first proof.
    Proof {
        /// The head.
        head: &'a [TermId],
        /// Whether it was proved.
        proved: &'a mut bool,
    },
}

/// One run of a plan.
pub struct Walk<'a, 's> {
    database: &'a Database,
    program: &'a Program,
    terms: &'a TermStore,
    memo: &'a mut Memo,
    plan: &'a Plan,
    output: Output<'a, 's>,
    registers: SmallVec<[TermId; 16]>,
    /// The row that each step matched; kept only where instances are shown.
    matched: SmallVec<[u32; 8]>,
    /// Where each step will probably find its tuple, then where the head will be found, in the database and in what is
    /// new; kept only where a rule is run over relations that may be large.
    fingers: SmallVec<[Finger; 8]>,
    /// Memory of the last tuple that needed any.
    spare: Tuple,
    /// Tuples that the output may hold.
    most: usize,
    trouble: Option<Trouble>,
}

impl<'a, 's> Walk<'a, 's> {
    /// A run of `plan` over the tuples of `database`, whose indexes are fresh.
    pub fn new(
        database: &'a Database,
        program: &'a Program,
        terms: &'a TermStore,
        memo: &'a mut Memo,
        plan: &'a Plan,
        output: Output<'a, 's>,
    ) -> Self {
        let registers = SmallVec::from_elem(TermId::default(), plan.registers);
        let most = program.most_tuples(plan.head);
        let steps = plan.steps.len();
        let (shown, fingers) = match output {
            Output::Instances(_) => (steps, steps + 1),
            Output::New(_) => (0, steps + 2),
            Output::Tuples(_) | Output::Proof { .. } => (0, 0),
        };
        let matched = SmallVec::from_elem(NO_ROW, shown);
        let fingers = SmallVec::from_elem(Finger::default(), fingers);
        let (spare, trouble) = (Tuple::new(), None);
        Walk {
            database,
            program,
            terms,
            memo,
            plan,
            output,
            registers,
            matched,
            fingers,
            spare,
            most,
            trouble,
        }
    }

    /// Runs the plan. Returns the limit met, if any; then what was derived is good for nothing.
    pub(super) fn run(mut self) -> Option<Trouble> {
        self.memo.visits = 0;
        self.from(0);
        self.trouble.or(self.is_endless().then_some(Trouble::Visits))
    }

    /// Whether more rows were looked at than may be.
    fn is_endless(&self) -> bool {
        self.memo.visits > self.program.limits.visits
    }

    /// Takes the steps from number `step` on. Returns how many steps are worth going on with: a step goes on to its
    /// next row only if its number is below that.
    fn from(&mut self, mut step: usize) -> usize {
        let plan = self.plan;
        loop {
            let passes = match plan.steps.get(step) {
                None => return self.derive(),
                Some(Step::Find(find)) => return self.find(step, find),
                Some(Step::Given(pattern)) => {
                    let Output::Proof { head, .. } = &self.output else {
                        unreachable!("only proofs are given a head")
                    };
                    let (head, key) = (*head, self.tuple(&pattern.key));
                    return self.visit(step, pattern, head, &key);
                }
                Some(Step::Holds(relation, tuple, rows)) => {
                    let tuple = self.reused_tuple(tuple);
                    let holds = match rows {
                        Rows::All if self.fingers.is_empty() => self.holds(*relation, &tuple),
                        Rows::All => self.matches(step, *relation, &tuple),
                        rows => self.holds_within(*relation, &tuple, *rows),
                    };
                    self.reuse(tuple);
                    holds
                }
                Some(Step::Unless(relation, tuple)) => {
                    let tuple = self.reused_tuple(tuple);
                    self.matches(step, *relation, &tuple);
                    self.reuse(tuple);
                    true
                }
                Some(Step::Absent(relation, tuple)) => {
                    let tuple = self.reused_tuple(tuple);
                    let holds = self.holds(*relation, &tuple);
                    self.reuse(tuple);
                    !holds
                }
                Some(Step::Distinct(a, b)) => self.term(a) != self.term(b),
                Some(Step::Same(a, b)) => self.term(a) == self.term(b),
            };
            if !passes {
                return NO_JUMP;
            }
            step += 1;
        }
    }

    fn find(&mut self, step: usize, find: &Find) -> usize {
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

    /// Goes on with one row after the other, until there is nothing more to say.
    fn visit_each(
        &mut self,
        step: usize,
        find: &Find,
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

    /// Goes on with one tuple, if it matches.
    fn visit(&mut self, step: usize, pattern: &Pattern, row: &[TermId], key: &[TermId]) -> usize {
        self.memo.visits += 1;
        if self.is_endless() {
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

    /// Derives the head. The steps behind those that decide it have nothing more to say.
    fn derive(&mut self) -> usize {
        if let Output::Proof { proved, .. } = &mut self.output {
            **proved = true;
            return 0;
        }
        let head = self.reused_tuple(&self.plan.arguments);
        let goes_on = self.put(&head);
        self.reuse(head);
        if goes_on { self.plan.decided } else { 0 }
    }

    /// Puts the head where it belongs. Whether the walk goes on.
    fn put(&mut self, head: &[TermId]) -> bool {
        let (plan, steps) = (self.plan, self.plan.steps.len());
        let held = |fingers: &mut [Finger]| {
            self.database.relation(plan.head, self.program).position_by(&mut fingers[steps], head)
        };
        let is_new = match &mut self.output {
            Output::Tuples(out) => out.insert(head),
            Output::New(_) if held(&mut self.fingers).is_some() => false,
            Output::New(out) => out.insert_by(&mut self.fingers[steps + 1], head),
            Output::Instances(show) => {
                let row = held(&mut self.fingers).expect("the head of an instance is among the tuples");
                return show(row, &self.matched);
            }
            Output::Proof { .. } => unreachable!("a proof is not put anywhere"),
        };
        if is_new {
            self.trouble = self.trouble_of(head);
        }
        self.trouble.is_none()
    }

    /// The limit that a new tuple exceeds, if any.
    fn trouble_of(&self, tuple: &[TermId]) -> Option<Trouble> {
        let (Output::Tuples(out) | Output::New(out)) = &self.output else { return None };
        let limits = &self.program.limits;
        let builds = self.plan.builds;
        if out.len() > self.most {
            Some(Trouble::Tuples)
        } else if builds && tuple.iter().any(|&term| self.terms.depth(term) > limits.depth) {
            Some(Trouble::Depth)
        } else if builds && tuple.iter().any(|&term| self.terms.size(term) > limits.size) {
            Some(Trouble::Size)
        } else {
            None
        }
    }

    /// Whether a tuple is among those derived; its row is what the step matched.
    fn matches(&mut self, step: usize, relation: RelationId, tuple: &[TermId]) -> bool {
        let row = self.relation(relation).position_by(&mut self.fingers[step], tuple);
        if let Some(matched) = self.matched.get_mut(step) {
            *matched = row.map_or(NO_ROW, |row| row as u32);
        }
        row.is_some()
    }

    /// Whether a tuple is among all tuples of a relation, derived or proved.
    fn holds(&mut self, relation: RelationId, tuple: &[TermId]) -> bool {
        let Some(proofs) = self.program.proofs(relation) else {
            return self.relation(relation).contains(tuple);
        };
        let (proved, refuted) = &self.memo.known[relation];
        if proved.contains(tuple) || refuted.contains(tuple) {
            return proved.contains(tuple);
        }
        let mut proved = false;
        for plan in proofs {
            let output = Output::Proof { head: tuple, proved: &mut proved };
            Walk::new(self.database, self.program, self.terms, self.memo, plan, output).from(0);
            if proved {
                break;
            }
        }
        if self.is_endless() {
            return false; // cut off: nothing was shown
        }
        let outcomes = &mut self.memo.known[relation];
        let kept = if proved { &mut outcomes.0 } else { &mut outcomes.1 };
        kept.insert(tuple);
        proved
    }

    fn relation(&self, relation: RelationId) -> &'a Relation {
        self.database.relation(relation, self.program)
    }

    fn range(&self, relation: RelationId, rows: Rows) -> std::ops::Range<usize> {
        let (start, end) = self.database.delta(relation);
        match rows {
            Rows::All => 0..self.relation(relation).len(),
            Rows::Delta => start..end,
            Rows::Old => 0..start,
        }
    }

    fn holds_within(&self, relation: RelationId, tuple: &[TermId], rows: Rows) -> bool {
        let range = self.range(relation, rows);
        self.relation(relation).position(tuple).is_some_and(|row| range.contains(&row))
    }

    fn tuple(&self, expressions: &[Expression]) -> Tuple {
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

    /// The terms of these expressions, in memory that [`reuse`](Self::reuse) has given back.
    #[inline]
    fn reused_tuple(&mut self, expressions: &[Expression]) -> Tuple {
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
    fn term(&self, expression: &Expression) -> TermId {
        value(expression, &self.registers, self.terms)
    }
}

#[inline]
fn value(expression: &Expression, registers: &[TermId], terms: &TermStore) -> TermId {
    match expression {
        Expression::Register(register) => registers[*register],
        other => build(other, registers, terms),
    }
}

fn build(expression: &Expression, registers: &[TermId], terms: &TermStore) -> TermId {
    match expression {
        Expression::Register(register) => registers[*register],
        Expression::Ground(term) => *term,
        Expression::Build(functor, arguments) => {
            let arguments: Tuple =
                arguments.iter().map(|argument| build(argument, registers, terms)).collect();
            terms.intern(*functor, &arguments)
        }
    }
}
