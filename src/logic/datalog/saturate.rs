//! Saturation: deriving all relations of a program at once, and finding the instances of a rule over them.
//!
//! Grounding evaluates its program once. The program may derive millions of tuples, and the sizes of its relations
//! are not known in advance. Evaluation is semi-naive here too, but each version of a rule is planned only when it
//! first has tuples to join, with the relations as they are then. It is planned again when the relations have
//! doubled, unless its plan has been cheap so far. The join order decides whether this takes milliseconds or minutes.
//!
//! Every row visited and every tuple derived is charged to an [`Allowance`]. The work is therefore bounded by counts,
//! which are the same on every machine.

use smallvec::SmallVec;

use super::limits::LimitExceeded;
use super::order::SelectivityEstimator;
use super::plan::{JoinPlan, JoinStep, PlanDraft, RowRange};
use super::walk::{NO_ROW, WalkOutput};
use super::{Database, DatalogProgram, LimitResult, Relation, RelationId};
use crate::gdl::{Literal, Rule, TermStore};

/// A plan that has visited fewer rows than this is cheap, and is not made again when the relations have doubled.
const CHEAP_VISITS: u64 = 500;
/// A plan is made again in any case when the relations have grown by this factor, because its next run may be costly.
const MUCH_GROWTH: usize = 16;

/// The work that an evaluation may still do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// The number of rows that may be visited.
    pub visits: u64,
    /// The number of tuples that may be derived.
    pub tuples: usize,
}

/// A condition of an instance of a rule: a tuple of an open relation that must or must not hold. The example is at
/// [`Allowance`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// The relation.
    pub relation: RelationId,
    /// The row of the tuple.
    pub row: usize,
    /// Whether the tuple must not hold.
    pub negated: bool,
}

/// A rule of a component with the literal that visits the delta, if the rule is recursive.
struct Version {
    rule: usize,
    delta: Option<usize>,
    /// The recursive literals after that one.
    later: Vec<usize>,
    plan: Option<JoinPlan>,
    /// The number of rows of all relations of the body when the plan was made.
    planned: usize,
    /// The number of rows visited since then.
    visits: u64,
}

impl Version {
    fn is_outgrown(&self, rows: usize) -> bool {
        match self.plan {
            None => true,
            Some(_) if rows > MUCH_GROWTH * self.planned => true,
            Some(_) => rows > 2 * self.planned && self.visits > CHEAP_VISITS,
        }
    }
}

impl Database {
    /// Derives all tuples of the relations for which `is_needed` is true. The relations that the rules of a needed
    /// relation read must be needed too.
    ///
    /// # Errors
    /// If the allowance runs out or another limit of the program is exceeded.
    pub fn saturate(
        &mut self,
        program: &mut DatalogProgram,
        is_needed: impl Fn(RelationId) -> bool,
        allowance: &mut Allowance,
        terms: &TermStore,
    ) -> LimitResult {
        for component in 0..program.components.len() {
            if program.components[component].relations.iter().any(|&relation| is_needed(relation)) {
                self.saturate_component(program, component, allowance, terms)?;
            }
        }
        Ok(())
    }

    fn saturate_component(
        &mut self,
        program: &mut DatalogProgram,
        component: usize,
        allowance: &mut Allowance,
        terms: &TermStore,
    ) -> LimitResult {
        let mut versions = versions(program, component);
        let relations = program.components[component].relations.clone();
        for &id in &relations {
            self.delta[id] = (0, self.relations[id].len()); // the tuples that the caller has set
        }
        let mut is_start = true;
        loop {
            let mut derived: Vec<Relation> =
                relations.iter().map(|&id| Relation::new(program.arity(id), Vec::new())).collect();
            for version in &mut versions {
                let rule = &program.rules[version.rule];
                let id = |position: usize| {
                    program.id(rule.body[position].atom().expect("only an atom has a delta"))
                };
                let is_idle = match version.delta {
                    Some(position) => {
                        let (start, end) = self.delta[id(position)];
                        // The recursive literals after the delta visit old rows only.
                        let lacks_old = |&later: &usize| self.delta[id(later)].0 == 0;
                        start == end || version.later.iter().any(lacks_old)
                    }
                    None => !is_start,
                };
                if is_idle || self.lacks_rows(program, rule) {
                    continue;
                }
                let head = program.id(&rule.head);
                let position = relations.iter().position(|&id| id == head);
                let out = &mut derived[position.expect("a component's rules derive its relations")];
                self.run_version(program, version, allowance, terms, out)?;
            }
            let mut has_grown = false;
            for (&id, new) in relations.iter().zip(derived) {
                let relation = &mut self.relations[id];
                let start = relation.len();
                if !new.is_empty() {
                    relation.append(new);
                    has_grown = true;
                }
                self.delta[id] = (start, relation.len());
                allowance.tuples = allowance.tuples.saturating_sub(relation.len() - start);
                if let Some(rule) = program.outgrown(id, self.relations[id].len()) {
                    return Err(program.limit_error(rule, LimitExceeded::Tuples, terms));
                }
            }
            if !has_grown {
                return Ok(());
            }
            is_start = false;
        }
    }

    /// Whether a positive literal of a rule has a relation without tuples.
    fn lacks_rows(&self, program: &DatalogProgram, rule: &Rule) -> bool {
        let mut read = rule.body.iter().filter_map(Literal::positive);
        read.any(|atom| self.relations[program.id(atom)].is_empty())
    }

    fn run_version(
        &mut self,
        program: &mut DatalogProgram,
        version: &mut Version,
        allowance: &mut Allowance,
        terms: &TermStore,
        out: &mut Relation,
    ) -> LimitResult {
        let rows = self.rows_read(program, &program.rules[version.rule]);
        if version.is_outgrown(rows) {
            let mut plan = self.plan_version(program, version, terms);
            self.adopt(program, &mut plan);
            (version.plan, version.planned, version.visits) = (Some(plan), rows, 0);
        }
        let plan = version.plan.as_ref().expect("planned above");
        program.limits.tuples = allowance.tuples;
        let visits = self.charged_walk(program, plan, allowance, terms, WalkOutput::New(out));
        let rule = &program.rules[version.rule];
        version.visits += visits.map_err(|exceeded| program.limit_error(rule, exceeded, terms))?;
        Ok(())
    }

    fn rows_read(&self, program: &DatalogProgram, rule: &Rule) -> usize {
        let read = rule.body.iter().filter_map(Literal::positive);
        read.map(|atom| self.relations[program.id(atom)].len()).sum()
    }

    fn plan_version(&self, program: &DatalogProgram, version: &Version, terms: &TermStore) -> JoinPlan {
        let Version { rule: index, delta: first, ref later, .. } = *version;
        let rows = |position: usize| match first {
            Some(delta) if position == delta => RowRange::Delta,
            _ if later.contains(&position) => RowRange::Old,
            _ => RowRange::All,
        };
        let sample = |id: RelationId| Some(&self.relations[id]);
        let draft = PlanDraft { rule: &program.rules[index], index, first, is_subgoal: false, open: None };
        program.compile(&mut SelectivityEstimator::new(&sample, terms), &draft, &rows)
    }

    /// Gives a plan the indexes that it uses.
    fn adopt(&mut self, program: &mut DatalogProgram, plan: &mut JoinPlan) {
        program.index(std::slice::from_mut(plan));
        for (relation, _) in plan.lookups() {
            self.relations[relation].add_indexes(&program.shapes[relation]);
        }
    }

    /// Runs a plan and charges it to the allowance. Returns the number of rows visited.
    fn charged_walk(
        &mut self,
        program: &mut DatalogProgram,
        plan: &JoinPlan,
        allowance: &mut Allowance,
        terms: &TermStore,
        output: WalkOutput<'_, '_>,
    ) -> Result<u64, LimitExceeded> {
        program.limits.visits = allowance.visits;
        let limit_exceeded = self.walk(program, plan, terms, output);
        let visits = self.subgoals.counter.visits;
        allowance.visits = allowance.visits.saturating_sub(visits);
        limit_exceeded.map_or(Ok(visits), Err)
    }

    /// Passes every instance of a rule over the tuples of this database to `show`: the row of the head, and the tuples
    /// of open relations that the instance depends on. The tuples of the other relations are taken to hold always. An
    /// instance may be passed more than once. The search stops when `show` returns false.
    ///
    /// The rule need not belong to the program, but its relations must, and the head of every instance must be among
    /// the tuples of its relation. The example is at [`Allowance`].
    ///
    /// # Errors
    /// If the allowance runs out.
    #[allow(clippy::too_many_arguments, reason = "a rule, where it runs, and what is shown of it")]
    pub fn instances(
        &mut self,
        program: &mut DatalogProgram,
        rule: &Rule,
        is_open: &dyn Fn(RelationId) -> bool,
        allowance: &mut Allowance,
        terms: &TermStore,
        show: &mut dyn FnMut(usize, &[Condition]) -> bool,
    ) -> LimitResult {
        if self.lacks_rows(program, rule) {
            return Ok(());
        }
        let sample = |id: RelationId| Some(&self.relations[id]);
        let mut estimator = SelectivityEstimator::new(&sample, terms);
        let draft = PlanDraft { rule, index: 0, first: None, is_subgoal: false, open: Some(is_open) };
        let mut plan = program.compile(&mut estimator, &draft, &|_| RowRange::All);
        self.adopt(program, &mut plan);
        let open: Vec<(usize, RelationId, bool)> = plan
            .steps
            .iter()
            .enumerate()
            .filter_map(|(step, this)| match *this {
                JoinStep::Find(ref find) => Some((step, find.relation, false)),
                JoinStep::Holds(relation, ..) => Some((step, relation, false)),
                JoinStep::Unless(relation, _) => Some((step, relation, true)),
                _ => None,
            })
            .filter(|&(_, relation, _)| is_open(relation))
            .collect();
        let mut conditions: SmallVec<[Condition; 8]> = SmallVec::new();
        let mut shown = |head: usize, matched: &[u32]| {
            conditions.clear();
            for &(step, relation, negated) in &open {
                if matched[step] != NO_ROW {
                    conditions.push(Condition { relation, row: matched[step] as usize, negated });
                }
            }
            show(head, &conditions)
        };
        let done = self.charged_walk(program, &plan, allowance, terms, WalkOutput::Instances(&mut shown));
        done.map(drop).map_err(|limit_exceeded| program.limit_error(rule, limit_exceeded, terms))
    }
}

/// The versions of a component's rules. A rule that does not read its own component has one version; any other has one
/// for each literal that reads the component.
fn versions(program: &DatalogProgram, component: usize) -> Vec<Version> {
    let is_own = |literal: &Literal| {
        literal.positive().is_some_and(|atom| program.component_of[program.id(atom)] == component)
    };
    let version = |rule, delta, later: &[usize]| {
        let later = later.to_vec();
        Version { rule, delta, later, plan: None, planned: 0, visits: 0 }
    };
    let mut versions = Vec::new();
    for &rule in &program.components[component].rules {
        let body = &program.rules[rule].body;
        let own: Vec<usize> = (0..body.len()).filter(|&position| is_own(&body[position])).collect();
        if own.is_empty() {
            versions.push(version(rule, None, &[]));
        }
        for (number, &position) in own.iter().enumerate() {
            versions.push(version(rule, Some(position), &own[number + 1..]));
        }
    }
    versions
}
