//! Saturation: all relations of a program at once, and the instances of a rule over them.
//!
//! For programs that are evaluated once and may derive millions of tuples, where the sizes of the relations are not
//! known before. Evaluation is semi-naive as everywhere; but each version of a rule is planned only when it first has
//! something to join, with the relations as they are then, and planned again once they have doubled and the plan was
//! not cheap. A good order matters more than anything: it decides between milliseconds and minutes.
//!
//! Every row looked at and every tuple derived is paid from a [`Allowance`], so the work is bounded by counts: the same on
//! every machine.

use smallvec::SmallVec;

use super::database::Database;
use super::limits::{LimitError, Trouble};
use super::order::Estimator;
use super::plan::{Draft, Plan, RelationId, Rows, Step, compile};
use super::program::Program;
use super::relation::Relation;
use super::walk::{NO_ROW, Output, Walk};
use crate::gdl::{Atom, Literal, Rule, TermStore};

/// A plan that looked at fewer rows since it was made is not worth making again.
const CHEAP_VISITS: u64 = 500;
/// Yet it is made again when the relations have grown this many times: the next run may not be cheap.
const MUCH_GROWTH: usize = 16;

/// What an evaluation may still spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Rows to look at.
    pub visits: u64,
    /// Tuples to derive.
    pub tuples: usize,
}

/// A tuple of an open relation in an instance of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// The relation.
    pub relation: RelationId,
    /// The row of the tuple.
    pub row: usize,
    /// Whether the tuple must not hold.
    pub negated: bool,
}

/// A rule of a component with the literal that looks at the delta, if it is recursive.
struct Version {
    rule: usize,
    delta: Option<usize>,
    /// The recursive literals behind it.
    later: Vec<usize>,
    plan: Option<Plan>,
    /// Rows of all relations of the body when the plan was made.
    planned: usize,
    /// Rows looked at since.
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
    /// Derives all tuples of the relations that `is_needed`, which must be closed under what their rules read.
    ///
    /// # Errors
    /// When the allowance runs out or another limit of the program is met.
    pub fn saturate(
        &mut self,
        program: &mut Program,
        is_needed: impl Fn(RelationId) -> bool,
        allowance: &mut Allowance,
        terms: &TermStore,
    ) -> Result<(), LimitError> {
        for component in 0..program.components.len() {
            if program.components[component].relations.iter().any(|&relation| is_needed(relation)) {
                self.saturate_component(program, component, allowance, terms)?;
            }
        }
        Ok(())
    }

    fn saturate_component(
        &mut self,
        program: &mut Program,
        component: usize,
        allowance: &mut Allowance,
        terms: &TermStore,
    ) -> Result<(), LimitError> {
        let mut versions = versions(program, component);
        let relations = program.components[component].relations.clone();
        for &id in &relations {
            self.delta[id] = (0, self.relations[id].len()); // what the caller has set
        }
        let mut is_start = true;
        loop {
            let mut derived: Vec<Relation> =
                relations.iter().map(|&id| Relation::new(program.arity(id), Vec::new())).collect();
            for version in &mut versions {
                let rule = &program.rules[version.rule];
                let is_idle = match version.delta {
                    Some(position) => {
                        let (start, end) = self.delta[atom_id(program, &rule.body[position])];
                        // What stands behind the delta looks at old rows only.
                        let lacks_old =
                            |&later: &usize| self.delta[atom_id(program, &rule.body[later])].0 == 0;
                        start == end || version.later.iter().any(lacks_old)
                    }
                    None => !is_start,
                };
                if is_idle || self.lacks_rows(program, rule) {
                    continue;
                }
                let head = program.by_name[&rule.head.relation];
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
                    return Err(program.limit_error_in(rule, Trouble::Tuples, terms));
                }
            }
            if !has_grown {
                return Ok(());
            }
            is_start = false;
        }
    }

    /// Whether a rule asks for a tuple of a relation that has none.
    fn lacks_rows(&self, program: &Program, rule: &Rule) -> bool {
        rule.body.iter().any(|literal| match literal {
            Literal::Positive(atom) => self.relations[program.by_name[&atom.relation]].is_empty(),
            _ => false,
        })
    }

    fn run_version(
        &mut self,
        program: &mut Program,
        version: &mut Version,
        allowance: &mut Allowance,
        terms: &TermStore,
        out: &mut Relation,
    ) -> Result<(), LimitError> {
        let rows = self.rows_read(program, &program.rules[version.rule]);
        if version.is_outgrown(rows) {
            let mut plan = self.plan_version(program, version, terms);
            self.adopt(program, &mut plan);
            (version.plan, version.planned, version.visits) = (Some(plan), rows, 0);
        }
        let plan = version.plan.as_ref().expect("planned above");
        program.limits.tuples = allowance.tuples;
        let visits = self.walk(program, plan, allowance, terms, Output::New(out));
        version.visits += visits.map_err(|trouble| program.limit_error(plan, trouble, terms))?;
        Ok(())
    }

    fn rows_read(&self, program: &Program, rule: &Rule) -> usize {
        let rows = |literal: &Literal| match literal {
            Literal::Positive(atom) => self.relations[program.by_name[&atom.relation]].len(),
            _ => 0,
        };
        rule.body.iter().map(rows).sum()
    }

    fn plan_version(&self, program: &Program, version: &Version, terms: &TermStore) -> Plan {
        let rule = &program.rules[version.rule];
        let id = |atom: &Atom| program.by_name[&atom.relation];
        let component = program.component_of[id(&rule.head)];
        let is_own = |position: usize| match &rule.body[position] {
            Literal::Positive(atom) => program.component_of[id(atom)] == component,
            _ => false,
        };
        let rows = |position: usize| match version.delta {
            Some(delta) if position == delta => Rows::Delta,
            Some(delta) if position > delta && is_own(position) => Rows::Old,
            _ => Rows::All,
        };
        let mut estimator = Estimator::new(|id| Some(&self.relations[id]), terms);
        let order = estimator.order(rule, version.delta, false, id);
        let draft = Draft { rule, index: version.rule, order, is_proof: false, open: None };
        compile(&draft, id, rows, terms)
    }

    /// Gives a plan the indexes that it looks into.
    fn adopt(&mut self, program: &mut Program, plan: &mut Plan) {
        program.index(std::iter::once(&mut *plan));
        for (relation, _) in plan.lookups() {
            self.relations[relation].add_indexes(&program.shapes[relation]);
        }
    }

    /// Runs a plan at the expense of the allowance. Returns the rows looked at.
    fn walk(
        &mut self,
        program: &mut Program,
        plan: &Plan,
        allowance: &mut Allowance,
        terms: &TermStore,
        output: Output<'_, '_>,
    ) -> Result<u64, Trouble> {
        program.limits.visits = allowance.visits;
        self.refresh(program, plan, terms);
        let mut memo = std::mem::take(&mut self.memo);
        let trouble = Walk::new(self, program, terms, &mut memo, plan, output).run();
        let visits = memo.visits;
        self.memo = memo;
        allowance.visits = allowance.visits.saturating_sub(visits);
        trouble.map_or(Ok(visits), Err)
    }

    /// Shows every instance of a rule over the tuples at hand: the row of the head, and the tuples of open relations that
    /// it depends on. The tuples of the other relations hold for good, and so does the absence of one that no rule
    /// derives. An instance may be shown more than once; `show` says whether to go on.
    ///
    /// The head must be among the tuples. The rule need not be one of the program's, but its relations must.
    ///
    /// # Errors
    /// When the allowance runs out.
    #[allow(clippy::too_many_arguments, reason = "a rule, where it runs, and what is shown of it")]
    pub fn instances(
        &mut self,
        program: &mut Program,
        rule: &Rule,
        is_open: &dyn Fn(RelationId) -> bool,
        allowance: &mut Allowance,
        terms: &TermStore,
        show: &mut dyn FnMut(usize, &[Condition]) -> bool,
    ) -> Result<(), LimitError> {
        if self.lacks_rows(program, rule) {
            return Ok(());
        }
        let id = |atom: &Atom| program.by_name[&atom.relation];
        let mut estimator = Estimator::new(|id| Some(&self.relations[id]), terms);
        let order = estimator.order(rule, None, false, id);
        let draft = Draft { rule, index: 0, order, is_proof: false, open: Some(is_open) };
        let mut plan = compile(&draft, id, |_| Rows::All, terms);
        self.adopt(program, &mut plan);
        let open: Vec<(usize, RelationId, bool)> = plan
            .steps
            .iter()
            .enumerate()
            .filter_map(|(step, this)| match *this {
                Step::Find(ref find) => Some((step, find.relation, false)),
                Step::Holds(relation, ..) => Some((step, relation, false)),
                Step::Unless(relation, _) => Some((step, relation, true)),
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
        let done = self.walk(program, &plan, allowance, terms, Output::Instances(&mut shown));
        done.map(drop).map_err(|trouble| program.limit_error_in(rule, trouble, terms))
    }
}

fn atom_id(program: &Program, literal: &Literal) -> RelationId {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => program.by_name[&atom.relation],
        Literal::Distinct(..) | Literal::Same(..) => unreachable!("only an atom has a delta"),
    }
}

/// The versions of a component's rules: a rule that reads nothing of its own component once, the others once for each
/// literal that does.
fn versions(program: &Program, component: usize) -> Vec<Version> {
    let is_own = |literal: &Literal| match literal {
        Literal::Positive(atom) => program.component_of[program.by_name[&atom.relation]] == component,
        _ => false,
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
