//! Databases: the tuples of a program for given inputs, derived on demand.
//!
//! A database keeps, for every component, whether it has been evaluated. The caller sets inputs and asks for
//! relations; setting an input of some stage forgets what was derived at that stage and above, and a query evaluates
//! the components it needs, no more. Stage 0 lives in a [`Database`] of its own that all others share.
//!
//! Invariant: a component marked as evaluated holds exactly the tuples that follow from the inputs set.

use std::sync::Arc;

use super::plan::{Expression, Find, Plan, RelationId, Rows, Step};
use super::program::{LimitError, Program, Stage};
use super::relation::{Relation, Tuple};
use crate::gdl::{TermId, TermStore};

/// Below this many rows a step walks through all of them rather than keep an index.
const INDEXED_ROWS: usize = 12;
/// Returned by a walk that derived nothing to jump back from.
const NO_JUMP: usize = usize::MAX;

/// The tuples of a program's relations.
#[derive(Clone, Debug)]
pub struct Database {
    /// The relations of stage 0, if this database is of the stages above.
    fixed: Option<Arc<Database>>,
    relations: Vec<Relation>,
    evaluated: Vec<bool>,
    /// First row of the delta and first row behind it, by relation, while a recursive component is evaluated.
    delta: Vec<(usize, usize)>,
    registers: Vec<TermId>,
}

impl Database {
    /// An empty database for a program. With `fixed`, the stage-0 relations are read from there.
    pub fn new(program: &Program, fixed: Option<Arc<Database>>) -> Database {
        let relations = (0..program.relations())
            .map(|relation| Relation::new(program.arity(relation), program.shapes[relation].clone()))
            .collect();
        let evaluated = (0..program.components.len())
            .map(|component| fixed.is_some() && program.component_stage(component) == 0)
            .collect();
        let delta = vec![(0, 0); program.relations()];
        Database { fixed, relations, evaluated, delta, registers: Vec::new() }
    }

    /// Replaces the tuples of an input and forgets all that was derived from its stage on.
    pub fn set_input<'t>(
        &mut self,
        program: &Program,
        input: RelationId,
        tuples: impl Iterator<Item = &'t [TermId]>,
    ) {
        self.forget(program, program.stage(input));
        let relation = &mut self.relations[input];
        relation.clear();
        tuples.for_each(|tuple| {
            relation.insert(tuple);
        });
    }

    /// Forgets all that was derived at a stage and above it.
    pub fn forget(&mut self, program: &Program, stage: Stage) {
        for component in 0..self.evaluated.len() {
            if program.component_stage(component) >= stage {
                self.evaluated[component] = false;
            }
        }
    }

    /// The tuples of a relation, derived if they are not there yet.
    ///
    /// # Errors
    /// When a limit of the program is met; what was derived so far is forgotten.
    pub fn query(
        &mut self,
        program: &Program,
        relation: RelationId,
        terms: &TermStore,
    ) -> Result<&Relation, LimitError> {
        for &component in program.needs(relation) {
            if !self.evaluated[component] {
                self.evaluate(program, component, terms)?;
                self.evaluated[component] = true;
            }
        }
        Ok(self.relation(relation, program))
    }

    /// The tuples of a relation as they are.
    pub fn relation(&self, relation: RelationId, program: &Program) -> &Relation {
        self.stored(relation, program.stage(relation))
    }

    fn stored(&self, relation: RelationId, stage: Stage) -> &Relation {
        match &self.fixed {
            Some(fixed) if stage == 0 => &fixed.relations[relation],
            _ => &self.relations[relation],
        }
    }

    /// Derives a relation, planning each component (anew, if `again`) with the tuples before it at hand. A component
    /// of stage 0 is left alone if this database reads stage 0 from another.
    ///
    /// # Errors
    /// When a limit of the program is met.
    pub fn plan(
        &mut self,
        program: &mut Program,
        relation: RelationId,
        again: bool,
        terms: &TermStore,
    ) -> Result<(), LimitError> {
        for component in program.needs(relation).to_vec() {
            let is_fixed = self.fixed.is_some() && program.component_stage(component) == 0;
            if is_fixed || self.evaluated[component] {
                continue;
            }
            if again || !program.components[component].is_planned {
                let stages: Vec<Stage> = (0..program.relations()).map(|id| program.stage(id)).collect();
                let this = &*self;
                program.plan(component, |id| Some(this.stored(id, stages[id])), terms);
                self.adopt_shapes(program);
            }
            self.evaluate(program, component, terms)?;
            self.evaluated[component] = true;
        }
        Ok(())
    }

    /// Plans and derives whatever of a stage or below the targets need, the targets themselves being of any stage.
    ///
    /// # Errors
    /// When a limit of the program is met.
    pub fn plan_stage(
        &mut self,
        program: &mut Program,
        targets: &[RelationId],
        stage: Stage,
        terms: &TermStore,
    ) -> Result<(), LimitError> {
        for relation in program.needed_at(targets, stage) {
            self.plan(program, relation, false, terms)?;
        }
        Ok(())
    }

    /// Reads the relations of stage 0 from another database from now on.
    pub fn share(&mut self, fixed: &Arc<Database>) {
        self.fixed = Some(Arc::clone(fixed));
    }

    /// Gives the relations the indexes that the program's plans ask for.
    fn adopt_shapes(&mut self, program: &Program) {
        for (relation, shapes) in self.relations.iter_mut().zip(&program.shapes) {
            relation.add_indexes(shapes);
        }
    }

    /// Brings all indexes up to date, so that other databases can read this one as their stage 0.
    pub fn freeze(&mut self, program: &Program, terms: &TermStore) {
        self.adopt_shapes(program);
        for relation in 0..self.relations.len() {
            for index in 0..program.shapes[relation].len() {
                self.relations[relation].refresh(index, terms);
            }
        }
    }

    fn evaluate(&mut self, program: &Program, component: usize, terms: &TermStore) -> Result<(), LimitError> {
        let component = &program.components[component];
        if component.rules.is_empty() {
            return Ok(()); // an input, or a relation that nothing defines
        }
        debug_assert!(component.is_planned);
        for &relation in &component.relations {
            self.relations[relation].clear();
        }
        if component.repeated.is_empty() {
            return component.first.iter().try_for_each(|plan| {
                // Nothing reads the head while its rules run: derive into it in place.
                let mut out = std::mem::take(&mut self.relations[plan.head]);
                let result = self.run(program, plan, terms, &mut out);
                self.relations[plan.head] = out;
                result
            });
        }
        self.derive(program, &component.first, &component.relations, terms)?;
        let mut start: Vec<usize> = vec![0; component.relations.len()];
        loop {
            let mut grown = false;
            for (&relation, start) in component.relations.iter().zip(&mut start) {
                let end = self.relations[relation].len();
                self.delta[relation] = (*start, end);
                grown |= *start < end;
                *start = end;
            }
            if !grown {
                return Ok(());
            }
            self.derive(program, &component.repeated, &component.relations, terms)?;
        }
    }

    /// Runs plans against the relations as they are, then adds what they derived.
    fn derive(
        &mut self,
        program: &Program,
        plans: &[Plan],
        relations: &[RelationId],
        terms: &TermStore,
    ) -> Result<(), LimitError> {
        let mut derived: Vec<Relation> =
            relations.iter().map(|&relation| Relation::new(program.arity(relation), Vec::new())).collect();
        for plan in plans {
            let position = relations.iter().position(|&relation| relation == plan.head);
            let out = &mut derived[position.expect("a component's rules derive its relations")];
            self.run(program, plan, terms, out)?;
        }
        for (&relation, derived) in relations.iter().zip(&derived) {
            let relation = &mut self.relations[relation];
            derived.rows().for_each(|tuple| {
                relation.insert(tuple);
            });
            if relation.len() > program.limits.tuples {
                return Err(program.limit_error(&plans[0], false, terms));
            }
        }
        Ok(())
    }

    fn run(
        &mut self,
        program: &Program,
        plan: &Plan,
        terms: &TermStore,
        out: &mut Relation,
    ) -> Result<(), LimitError> {
        for step in &plan.steps {
            if let Step::Find(Find { relation, index: Some(index), .. }) = step {
                let is_own = self.fixed.is_none() || program.stage(*relation) > 0;
                if is_own && self.relations[*relation].len() > INDEXED_ROWS {
                    self.relations[*relation].refresh(*index, terms);
                }
            }
        }
        let mut registers = std::mem::take(&mut self.registers);
        if registers.len() < plan.registers {
            registers.resize(plan.registers, TermId::default());
        }
        let mut walk = Walk { database: self, program, plan, terms, registers, out, trouble: None };
        walk.from(0);
        let Walk { registers, trouble, .. } = walk;
        self.registers = registers;
        match trouble {
            Some(too_deep) => Err(program.limit_error(plan, too_deep, terms)),
            None => Ok(()),
        }
    }
}

/// One run of a plan: a depth-first walk through its steps.
struct Walk<'a> {
    database: &'a Database,
    program: &'a Program,
    plan: &'a Plan,
    terms: &'a TermStore,
    registers: Vec<TermId>,
    out: &'a mut Relation,
    /// Set when a limit was met: whether it was the depth of terms.
    trouble: Option<bool>,
}

impl<'a> Walk<'a> {
    /// Takes the steps from number `step` on. Returns how many steps are worth going on with: a step goes on to its
    /// next row only if its number is below that.
    fn from(&mut self, step: usize) -> usize {
        let plan = self.plan;
        let Some(this) = plan.steps.get(step) else {
            return self.derive();
        };
        let passes = match this {
            Step::Find(find) => return self.find(step, find),
            Step::Holds(relation, tuple, rows) => {
                let tuple = self.tuple(tuple);
                match rows {
                    Rows::All => self.relation(*relation).contains(&tuple),
                    rows => self.holds_within(*relation, &tuple, *rows),
                }
            }
            Step::Absent(relation, tuple) => {
                let tuple = self.tuple(tuple);
                !self.relation(*relation).contains(&tuple)
            }
            Step::Distinct(a, b) => self.term(a) != self.term(b),
            Step::Same(a, b) => self.term(a) == self.term(b),
        };
        if passes { self.from(step + 1) } else { NO_JUMP }
    }

    fn find(&mut self, step: usize, find: &Find) -> usize {
        let relation = self.relation(find.relation);
        let range = self.range(find.relation, find.rows);
        let key: Tuple = find.key.iter().map(|term| self.term(term)).collect();
        match find.index {
            Some(index) if relation.is_fresh(index) => {
                for row in relation.probe(index, &key, range) {
                    let jump = self.visit(step, find, relation.row(row), &key);
                    if jump <= step {
                        return jump;
                    }
                }
            }
            _ => {
                for row in range {
                    let jump = self.visit(step, find, relation.row(row), &key);
                    if jump <= step {
                        return jump;
                    }
                }
            }
        }
        NO_JUMP
    }

    /// Goes on with one row, if it matches.
    fn visit(&mut self, step: usize, find: &Find, row: &[TermId], key: &[TermId]) -> usize {
        let matches = find.shape.admits(row, self.terms)
            && find.shape.key.iter().zip(key).all(|(path, &term)| path.of(row, self.terms) == term);
        if !matches {
            return NO_JUMP;
        }
        for (path, register) in &find.bind {
            self.registers[*register] = path.of(row, self.terms);
        }
        let repeats =
            find.repeat.iter().all(|(path, register)| path.of(row, self.terms) == self.registers[*register]);
        if repeats { self.from(step + 1) } else { NO_JUMP }
    }

    /// Derives the head. The steps behind those that decide it have nothing more to say.
    fn derive(&mut self) -> usize {
        let plan = self.plan;
        let tuple = self.tuple(&plan.arguments);
        if self.out.insert(&tuple) {
            let limits = &self.program.limits;
            let too_deep = tuple.iter().any(|&term| self.terms.depth(term) > limits.depth);
            if too_deep || self.out.len() > limits.tuples {
                self.trouble = Some(too_deep);
                return 0;
            }
        }
        plan.decided
    }

    fn relation(&self, relation: RelationId) -> &'a Relation {
        self.database.relation(relation, self.program)
    }

    fn range(&self, relation: RelationId, rows: Rows) -> std::ops::Range<usize> {
        let (start, end) = self.database.delta[relation];
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
        expressions.iter().map(|expression| self.term(expression)).collect()
    }

    fn term(&self, expression: &Expression) -> TermId {
        match expression {
            Expression::Register(register) => self.registers[*register],
            Expression::Ground(term) => *term,
            Expression::Build(functor, arguments) => self.terms.intern(*functor, &self.tuple(arguments)),
        }
    }
}
