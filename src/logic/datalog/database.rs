//! Databases: the tuples of a program for given inputs, derived on demand.
//!
//! A database records for every component whether it has been evaluated. The caller sets inputs and asks for
//! relations. Setting an input of some stage forgets what was derived at that stage and above, and a query evaluates
//! only the components that it needs. The relations of stage 0 are stored in a [`Database`] of their own, which all
//! others share.
//!
//! Invariant: a component that is marked as evaluated holds exactly the tuples that follow from the inputs.

use std::sync::Arc;
use std::time::Instant;

use super::plan::JoinPlan;
use super::tabling::SubgoalTable;
use super::{DatalogProgram, EvaluationWork, Relation, RelationId, Stage};
use crate::gdl::{TermId, TermStore};

/// A relation with at most this many rows is scanned; no index is kept up to date for it.
const INDEXED_ROWS: usize = 12;

/// The tuples of a program's relations.
#[derive(Clone, Debug)]
pub struct Database {
    /// The database that holds the relations of stage 0, if this one holds only the stages above.
    pub(super) fixed: Option<Arc<Database>>,
    pub(super) relations: Vec<Relation>,
    pub(super) evaluated: Vec<bool>,
    /// For each relation, the rows of the delta as start and end, while a recursive component is evaluated.
    pub(super) delta: Vec<(usize, usize)>,
    pub(super) subgoals: SubgoalTable,
}

impl Database {
    /// An empty database for a program. With `fixed`, the relations of stage 0 are read from that database.
    pub fn new(program: &DatalogProgram, fixed: Option<Arc<Database>>) -> Database {
        let relations = (0..program.relations())
            .map(|relation| Relation::new(program.arity(relation), program.shapes[relation].clone()))
            .collect();
        let evaluated = (0..program.components.len())
            .map(|component| fixed.is_some() && program.component_stage(component) == 0)
            .collect();
        let delta = vec![(0, 0); program.relations()];
        Database { fixed, relations, evaluated, delta, subgoals: SubgoalTable::new(program) }
    }

    /// Replaces the tuples of an input and forgets everything that was derived at its stage and above. Each tuple must
    /// have the arity of the relation.
    pub fn set_input<'t>(
        &mut self,
        program: &DatalogProgram,
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

    /// From now on an evaluation stops with [`LimitExceeded::Deadline`](super::LimitExceeded::Deadline) soon after this time; without one it runs to its
    /// end. Returns the deadline that there was. A relation whose evaluation was stopped is derived anew when it is
    /// asked for again.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) -> Option<Instant> {
        self.subgoals.counter.set_deadline(deadline)
    }

    /// Forgets everything that was derived at a stage and above.
    fn forget(&mut self, program: &DatalogProgram, stage: Stage) {
        for component in 0..self.evaluated.len() {
            if program.component_stage(component) >= stage {
                self.evaluated[component] = false;
            }
        }
        self.subgoals.forget(program, stage);
    }

    /// The tuples of a relation that the database holds now, without deriving any.
    pub fn relation(&self, relation: RelationId, program: &DatalogProgram) -> &Relation {
        self.stored(relation, program.stage(relation))
    }

    pub(super) fn stored(&self, relation: RelationId, stage: Stage) -> &Relation {
        match &self.fixed {
            Some(fixed) if stage == 0 => &fixed.relations[relation],
            _ => &self.relations[relation],
        }
    }

    /// Makes this database read the relations of stage 0 from another one from now on. The example is at
    /// [`plan_stage`](Self::plan_stage).
    pub fn share(&mut self, fixed: &Arc<Database>) {
        self.fixed = Some(Arc::clone(fixed));
    }

    /// Gives the relations the indexes that the plans of the program use.
    pub(super) fn adopt_shapes(&mut self, program: &DatalogProgram) {
        for (relation, shapes) in self.relations.iter_mut().zip(&program.shapes) {
            relation.add_indexes(shapes);
        }
    }

    /// Brings all indexes up to date, so that other databases can read stage 0 from this one. The example is at
    /// [`plan_stage`](Self::plan_stage).
    pub fn freeze(&mut self, program: &DatalogProgram, terms: &TermStore) {
        self.adopt_shapes(program);
        for relation in 0..self.relations.len() {
            for index in 0..program.shapes[relation].len() {
                self.relations[relation].refresh(index, terms);
            }
        }
    }

    /// Brings the indexes up to date that a plan and its subgoals look into.
    pub(super) fn refresh(&mut self, program: &DatalogProgram, plan: &JoinPlan, terms: &TermStore) {
        let nested = plan.tested().flat_map(|relation| program.subgoal_lookups[relation].iter().copied());
        for (relation, index) in plan.lookups().chain(nested) {
            let is_own = self.fixed.is_none() || program.stage(relation) > 0;
            if is_own && self.relations[relation].len() > INDEXED_ROWS {
                self.relations[relation].refresh(index, terms);
            }
        }
    }

    /// The work of all evaluations with this database.
    pub fn work(&self) -> EvaluationWork {
        let counter = &self.subgoals.counter;
        EvaluationWork { visits: counter.before + counter.visits, tests: counter.tested }
    }
}
