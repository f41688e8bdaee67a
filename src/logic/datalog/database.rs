//! Databases: the tuples of a program for given inputs, derived on demand.
//!
//! A database keeps, for every component, whether it has been evaluated. The caller sets inputs and asks for
//! relations; setting an input of some stage forgets what was derived at that stage and above, and a query evaluates
//! the components it needs, no more. Stage 0 lives in a [`Database`] of its own that all others share.
//!
//! Invariant: a component marked as evaluated holds exactly the tuples that follow from the inputs set.

use std::sync::Arc;

use super::limits::{LimitError, Trouble};
use super::plan::{Plan, RelationId};
use super::program::{Program, Stage};
use super::relation::Relation;
use super::walk::{Memo, Output, Walk};
use crate::gdl::{TermId, TermStore};

/// Below this many rows a step walks through all of them rather than keep an index.
const INDEXED_ROWS: usize = 12;
/// A sample for planning holds no more tuples of a relation than this, ...
const SAMPLED_TUPLES: usize = 50_000;
/// ... and no more rows are looked at to derive it.
const SAMPLED_VISITS: u64 = 50_000_000;

/// The tuples of a program's relations.
#[derive(Clone, Debug)]
pub struct Database {
    /// The relations of stage 0, if this database is of the stages above.
    fixed: Option<Arc<Database>>,
    pub(super) relations: Vec<Relation>,
    evaluated: Vec<bool>,
    /// First row of the delta and first row behind it, by relation, while a recursive component is evaluated.
    pub(super) delta: Vec<(usize, usize)>,
    pub(super) memo: Memo,
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
        Database { fixed, relations, evaluated, delta, memo: Memo::new(program) }
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
        self.memo.forget(program, stage);
    }

    /// The tuples of a relation that was planned, derived if they are not there yet.
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

    /// The tuples that each rule of a relation gives, in the order of the rules: what follows in one step from all
    /// that holds. The relation must not be one that is proved.
    ///
    /// # Errors
    /// When a limit of the program is met.
    pub fn query_by_rule(
        &mut self,
        program: &Program,
        relation: RelationId,
        terms: &TermStore,
    ) -> Result<Vec<Relation>, LimitError> {
        self.query(program, relation, terms)?;
        let plans = program.plans_of(relation);
        plans
            .map(|plan| {
                let mut out = Relation::new(program.arity(relation), Vec::new());
                self.run(program, plan, terms, &mut out).map(|()| out)
            })
            .collect()
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
    /// of stage 0 is left alone if this database reads stage 0 from another; then what it derives is a sample, cut off
    /// where a relation grows large, and good for nothing but planning.
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
        program.find_needs(relation);
        let needs = program.needs(relation).to_vec();
        needs.into_iter().try_for_each(|component| self.plan_component(program, component, again, terms))
    }

    fn plan_component(
        &mut self,
        program: &mut Program,
        component: usize,
        again: bool,
        terms: &TermStore,
    ) -> Result<(), LimitError> {
        let is_fixed = self.fixed.is_some() && program.component_stage(component) == 0;
        if is_fixed || self.evaluated[component] {
            return Ok(());
        }
        if !program.components[component].is_planned || again && !program.involves_proofs(component) {
            let stages = program.stages();
            let this = &*self;
            program.plan(component, |id| Some(this.stored(id, stages[id])), terms);
            for (relation, _) in program.components[component].plans().flat_map(Plan::lookups) {
                self.relations[relation].add_indexes(&program.shapes[relation]);
            }
        }
        if self.fixed.is_some() {
            self.sample(program, component, terms)?;
        } else {
            self.evaluate(program, component, terms)?;
        }
        self.evaluated[component] = true;
        Ok(())
    }

    /// Evaluates a component for the sake of a sample: up to [`SAMPLED_TUPLES`] tuples are as good as all.
    fn sample(
        &mut self,
        program: &mut Program,
        component: usize,
        terms: &TermStore,
    ) -> Result<(), LimitError> {
        let limits = program.limits;
        program.limits.tuples = limits.tuples.min(SAMPLED_TUPLES);
        program.limits.visits = limits.visits.min(SAMPLED_VISITS);
        let result = self.evaluate(program, component, terms);
        program.limits = limits;
        match result {
            Err(LimitError::Tuples { .. }) if limits.tuples > SAMPLED_TUPLES => Ok(()),
            Err(LimitError::Visits { .. }) if limits.visits > SAMPLED_VISITS => Ok(()),
            other => other,
        }
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
        let needed = program.needed_at(targets, stage);
        needed.into_iter().try_for_each(|component| self.plan_component(program, component, false, terms))
    }

    /// Reads the relations of stage 0 from another database from now on.
    pub fn share(&mut self, fixed: &Arc<Database>) {
        self.fixed = Some(Arc::clone(fixed));
    }

    /// Chooses, with the tuples at hand as a sample, which relations are proved on demand instead of derived.
    pub fn choose_proofs(&mut self, program: &mut Program, targets: &[RelationId], terms: &TermStore) {
        let stages = program.stages();
        let this = &*self;
        program.choose_proofs(targets, |id| Some(this.stored(id, stages[id])), terms);
        self.adopt_shapes(program);
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
        if component.rules.is_empty() || component.proofs.is_some() {
            return Ok(()); // an input, a relation that nothing defines, or one that is proved
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
            let most = program.most_tuples(relation);
            let relation = &mut self.relations[relation];
            derived.rows().for_each(|tuple| {
                relation.insert(tuple);
            });
            if relation.len() > most {
                return Err(program.limit_error(&plans[0], Trouble::Tuples, terms));
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
        self.refresh(program, plan, terms);
        let mut memo = std::mem::take(&mut self.memo);
        let trouble = Walk::new(self, program, terms, &mut memo, plan, Output::Tuples(out)).run();
        self.memo = memo;
        match trouble {
            Some(trouble) => Err(program.limit_error(plan, trouble, terms)),
            None => Ok(()),
        }
    }

    /// Brings the indexes up to date that a plan, or a proof that it asks for, looks into.
    pub(super) fn refresh(&mut self, program: &Program, plan: &Plan, terms: &TermStore) {
        let proofs = plan.tested().flat_map(|relation| program.proof_lookups(relation).iter().copied());
        for (relation, index) in plan.lookups().chain(proofs) {
            let is_own = self.fixed.is_none() || program.stage(relation) > 0;
            if is_own && self.relations[relation].len() > INDEXED_ROWS {
                self.relations[relation].refresh(index, terms);
            }
        }
    }

    /// First row of the delta of a relation, and first row behind it.
    pub(super) fn delta(&self, relation: RelationId) -> (usize, usize) {
        self.delta[relation]
    }
}
