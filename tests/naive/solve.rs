//! Bottom-up evaluation: every rule is applied to every tuple, repeatedly, until nothing new is derived.
//!
//! The conditions of a rule are taken from left to right; one whose variables are all bound is a test and comes
//! first, a negative one or a `distinct` waits until it is one. `or` and `not` are followed down their trees.
//!
//! A group of relations that depend on their own negation is evaluated by the alternating fixpoint (VanGelder93):
//! what is derived if the negations are judged by too few tuples is too much, what is derived if they are judged by that
//! is too little, and so on, until both are the same. They must be: the rules have one meaning.
//!
//! When nothing binds any more, a role variable of the head ranges over the roles and any other variable of the head over
//! the constants of the text. A negative condition with a variable that is still free says that there is no such tuple.
//!
//! There is one optimisation: a loop over a large relation skips the tuples that differ in an argument whose value is
//! known, by a table that is made when it is first needed. Without it a dozen rulesheets would take hours.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::rules::{Atom, Clause, Condition, Kind, Rules, Variables};
use super::term::{Bindings, Term};

/// One tuple of a relation.
pub type Row = Rc<[Term]>;

/// The tuples of a relation, in the order of their derivation.
#[derive(Clone, Default, Debug)]
pub struct Extent {
    pub rows: Vec<Row>,
    known: FxHashSet<Row>,
    /// By the arguments that are known, and by their values.
    tables: RefCell<FxHashMap<Vec<bool>, Table>>,
}

/// The positions of the tuples with some values.
type Table = FxHashMap<Vec<Term>, Rc<[usize]>>;

/// Relations with fewer tuples are looped over.
const SMALL: usize = 16;

impl Extent {
    /// Adds a tuple; says whether it is new.
    pub fn insert(&mut self, row: Row) -> bool {
        let new = self.known.insert(Rc::clone(&row));
        if new {
            self.rows.push(row);
            self.tables.get_mut().clear();
        }
        new
    }

    /// The positions of all tuples that have these values where one is given; perhaps of others as well.
    fn with(&self, values: &[Option<Term>]) -> Rc<[usize]> {
        if self.rows.len() < SMALL || values.iter().all(Option::is_none) {
            return (0..self.rows.len()).collect();
        }
        let given: Vec<bool> = values.iter().map(Option::is_some).collect();
        let key: Vec<Term> = values.iter().flatten().cloned().collect();
        let mut tables = self.tables.borrow_mut();
        let table = tables.entry(given).or_insert_with_key(|given| {
            let mut positions: FxHashMap<Vec<Term>, Vec<usize>> = FxHashMap::default();
            for (position, row) in self.rows.iter().enumerate() {
                let key = row.iter().zip(given).filter(|(_, given)| **given).map(|(term, _)| term.clone());
                positions.entry(key.collect()).or_default().push(position);
            }
            positions.into_iter().map(|(key, positions)| (key, positions.into())).collect()
        });
        table.get(&key).cloned().unwrap_or_default()
    }
}

/// The tuples of every relation.
#[derive(Clone, Debug)]
pub struct Extents(Vec<Rc<Extent>>);

impl Extents {
    pub fn new(rules: &Rules) -> Extents {
        Extents(vec![Rc::default(); rules.names.len()])
    }

    pub fn rows(&self, relation: usize) -> &[Row] {
        &self.0[relation].rows
    }

    /// Replaces the tuples of a relation.
    pub fn set(&mut self, relation: usize, rows: impl IntoIterator<Item = Row>) {
        let mut extent = Extent::default();
        for row in rows {
            extent.insert(row);
        }
        self.0[relation] = Rc::new(extent);
    }

    /// Derives all relations that `chosen` names, from what the others hold.
    pub fn derive(&mut self, rules: &Rules, roles: &[Term], chosen: impl Fn(usize) -> bool) {
        for group in &rules.groups {
            if !group.iter().any(|&relation| chosen(relation)) {
                continue;
            }
            if group.iter().all(|relation| !rules.through_negation.contains(relation)) {
                self.complete(rules, roles, group, None);
                continue;
            }
            group.iter().for_each(|&relation| self.set(relation, []));
            loop {
                let few = self.clone();
                self.complete(rules, roles, group, Some(&few));
                let many = self.clone();
                self.complete(rules, roles, group, Some(&many));
                let size = |extents: &Extents| -> usize {
                    group.iter().map(|&relation| extents.rows(relation).len()).sum()
                };
                if size(self) == size(&few) {
                    assert_eq!(size(self), size(&many), "some atoms have no truth value: {group:?}");
                    break;
                }
            }
        }
    }

    /// Derives the relations of a group. Negations are judged by `negated` if it is given.
    fn complete(
        &mut self,
        rules: &Rules,
        roles: &[Term],
        group: &BTreeSet<usize>,
        negated: Option<&Extents>,
    ) {
        group.iter().for_each(|&relation| self.set(relation, []));
        let clauses: Vec<&Clause> =
            rules.clauses.iter().filter(|clause| group.contains(&clause.head.relation)).collect();
        let mut grown = true;
        while grown {
            grown = false;
            for clause in &clauses {
                let found = solutions(clause, rules, self, negated.unwrap_or(self), roles);
                let extent = Rc::make_mut(&mut self.0[clause.head.relation]);
                for row in found {
                    grown |= extent.insert(row);
                }
            }
            // A group of one relation whose rules do not use it is complete after one round.
            grown &= group.len() > 1 || clauses.iter().any(|clause| clause.uses(clause.head.relation));
        }
    }
}

impl Clause {
    fn uses(&self, relation: usize) -> bool {
        self.body.iter().any(|condition| condition.uses(relation))
    }
}

impl Condition {
    fn uses(&self, relation: usize) -> bool {
        match &self.kind {
            Kind::Atom(atom) => atom.relation == relation,
            Kind::Distinct(..) => false,
            Kind::Not(condition) => condition.uses(relation),
            Kind::And(parts) | Kind::Or(parts) => parts.iter().any(|part| part.uses(relation)),
        }
    }
}

/// All instances of the head whose body holds.
fn solutions(
    clause: &Clause,
    rules: &Rules,
    extents: &Extents,
    negated: &Extents,
    roles: &[Term],
) -> Vec<Row> {
    let goals: Vec<Goal<'_>> = clause.body.iter().map(|condition| (true, condition)).collect();
    let bindings = vec![None; clause.variables];
    let constants = &rules.constants;
    let mut search = Search { clause, extents, negated, roles, constants, bindings, found: Vec::new() };
    search.solve(&goals, 0);
    search.found
}

/// A condition and whether it must hold or must not.
type Goal<'a> = (bool, &'a Condition);

struct Search<'a> {
    clause: &'a Clause,
    extents: &'a Extents,
    /// What negations are judged by.
    negated: &'a Extents,
    roles: &'a [Term],
    constants: &'a [Term],
    bindings: Bindings<'a>,
    found: Vec<Row>,
}

impl<'a> Search<'a> {
    /// Solves all goals; `bound` are the variables that have a value.
    fn solve(&mut self, goals: &[Goal<'a>], bound: Variables) {
        let is_test = |goal: &Goal<'a>| goal.1.variables & !bound == 0;
        if let Some(position) = goals.iter().position(is_test) {
            let (wanted, condition) = goals[position];
            if self.holds(condition, wanted) == wanted {
                self.solve(&without(goals, position), bound);
            }
            return;
        }
        let waits = |&(wanted, condition): &Goal<'a>| match condition.kind {
            Kind::Atom(_) => !wanted,
            Kind::Distinct(..) => true,
            Kind::Not(_) | Kind::And(_) | Kind::Or(_) => false,
        };
        let Some(position) = goals.iter().position(|goal| !waits(goal)) else {
            return self.finish(goals, bound);
        };
        let rest = without(goals, position);
        match (goals[position].0, &goals[position].1.kind) {
            (_, Kind::Atom(atom)) => {
                let after = bound | goals[position].1.variables;
                let extents = self.extents;
                self.each_match(extents, atom, |search| search.solve(&rest, after));
            }
            (wanted, Kind::Not(condition)) => {
                self.solve(&[&[(!wanted, &**condition)], &rest[..]].concat(), bound);
            }
            (true, Kind::And(parts)) | (false, Kind::Or(parts)) => {
                let parts: Vec<Goal<'a>> = parts.iter().map(|part| (goals[position].0, part)).collect();
                self.solve(&[&parts[..], &rest].concat(), bound);
            }
            (true, Kind::Or(parts)) | (false, Kind::And(parts)) => {
                for part in parts {
                    self.solve(&[&[(goals[position].0, part)], &rest[..]].concat(), bound);
                }
            }
            (_, Kind::Distinct(..)) => unreachable!("it waits"),
        }
    }

    /// Nothing binds any more.
    fn finish(&mut self, goals: &[Goal<'a>], bound: Variables) {
        let open = self.clause.head_variables & !bound;
        if open != 0 {
            let role = self.clause.role.filter(|variable| open & (1 << variable) != 0);
            let variable = role.unwrap_or(open.trailing_zeros() as usize);
            let range: &'a [Term] = if role.is_some() { self.roles } else { self.constants };
            for value in range {
                self.bindings[variable] = Some(value);
                self.solve(goals, bound | 1 << variable);
            }
            self.bindings[variable] = None;
            return;
        }
        let there_is_none = |search: &mut Self, goal: &Goal<'a>| {
            let (false, Kind::Atom(atom)) = (goal.0, &goal.1.kind) else {
                panic!("an unsafe rule: {:?}", search.clause)
            };
            let (negated, mut found) = (search.negated, false);
            search.each_match(negated, atom, |_| found = true);
            !found
        };
        if goals.iter().all(|goal| there_is_none(self, goal)) {
            let head = self.clause.head.arguments.iter();
            self.found.push(head.map(|pattern| pattern.instance(&self.bindings)).collect());
        }
    }

    /// Goes on with every tuple that the atom matches.
    fn each_match(&mut self, extents: &'a Extents, atom: &Atom, mut go_on: impl FnMut(&mut Self)) {
        let mut trail = Vec::new();
        let values: Vec<Option<Term>> =
            atom.arguments.iter().map(|pattern| pattern.value(&self.bindings)).collect();
        for &position in &*extents.0[atom.relation].with(&values) {
            let row = &extents.rows(atom.relation)[position];
            let mut pairs = atom.arguments.iter().zip(row.iter());
            if pairs.all(|(pattern, term)| pattern.matches(term, &mut self.bindings, &mut trail)) {
                go_on(self);
            }
            trail.drain(..).for_each(|variable| self.bindings[variable] = None);
        }
    }

    /// Whether a condition holds whose variables are all bound; `positive` says how it occurs.
    fn holds(&self, condition: &Condition, positive: bool) -> bool {
        match &condition.kind {
            Kind::Atom(atom) => {
                let row: Row =
                    atom.arguments.iter().map(|pattern| pattern.instance(&self.bindings)).collect();
                let extents = if positive { self.extents } else { self.negated };
                extents.0[atom.relation].known.contains(&row)
            }
            Kind::Distinct(left, right) => left.instance(&self.bindings) != right.instance(&self.bindings),
            Kind::Not(condition) => !self.holds(condition, !positive),
            Kind::And(parts) => parts.iter().all(|part| self.holds(part, positive)),
            Kind::Or(parts) => parts.iter().any(|part| self.holds(part, positive)),
        }
    }
}

fn without<'a>(goals: &[Goal<'a>], position: usize) -> Vec<Goal<'a>> {
    [&goals[..position], &goals[position + 1..]].concat()
}
