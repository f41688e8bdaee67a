//! Head variables that nothing binds: they range over the values with which their relation is asked.
//!
//! A prover that is asked `(near 3 ?m)` uses the clause `(<= (near ?x ?y) (distinct ?x ?y))` only with the values that
//! the question brings. So the clause has a meaning if every condition that reads the relation has values for the
//! arguments in question, from other conditions. A relation of its own lists all values that these conditions can
//! bring, and the clause reads it. The values come from the position domains; if they are infinitely many or too many,
//! nothing is repaired.
//!
//! Invariant: whatever a condition asks is among the values listed. A value counts as brought only by conditions about
//! relations that need no repair, or by another head variable that is repaired, so that no value depends on itself. The
//! relations of the language are read by the game master, who has no values: their clauses are never repaired.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::normal::ClauseBranch;
use crate::gdl::{At, Atom, Clause, Literal, PositionDomains, Rule};
use hyperplay_machine::terms::{Symbol, Symbols, Term};

/// The number of values that a variable may range over.
const MAX_VALUES: usize = 10_000;

/// The number of instances that the variables of one clause may give it.
const MAX_INSTANCES: usize = 1_000_000;

/// The number of times that values are followed back by one more clause.
const MAX_ROUNDS: usize = 100;

/// Repairs the head variables that nothing binds, if all of them can be. Returns the facts of the relations that list
/// the values, whose names are added to the table.
pub(super) fn repair(
    clauses: &[Clause],
    branches: &mut [Vec<ClauseBranch>],
    symbols: &mut Symbols,
) -> Vec<Rule> {
    let mut repair = Repair { clauses, open: FxHashMap::default(), positions: FxHashSet::default() };
    for (index, alternatives) in branches.iter().enumerate() {
        for (number, branch) in alternatives.iter().enumerate() {
            let bound = branch.bound();
            let unbound = clauses[index].head.variables().filter(|own| bound.binary_search(own).is_err());
            for variable in unbound {
                repair.add((index, number), variable);
            }
        }
    }
    if repair.positions.is_empty() {
        return Vec::new();
    }
    repair.spread(branches).and_then(|()| repair.apply(branches, symbols)).unwrap_or_default()
}

/// An alternative of a clause: the positions of both.
type Place = (usize, usize);

struct Repair<'a> {
    clauses: &'a [Clause],
    /// The head variables that are repaired.
    open: FxHashMap<Place, Vec<Symbol>>,
    /// The arguments of relations at which they stand.
    positions: FxHashSet<(Symbol, usize)>,
}

impl Repair<'_> {
    /// Adds a head variable. Returns whether its values can be listed and it is new.
    fn add(&mut self, place: Place, variable: Symbol) -> bool {
        let head = &self.clauses[place.0].head;
        if head.relation.keyword_arity().is_some() || head.relation.is_logical() {
            return false;
        }
        let is_it = |term: &Term| *term == Term::Variable(variable);
        let positions = (0..head.arguments.len()).filter(|&position| is_it(&head.arguments[position]));
        let positions: Vec<(Symbol, usize)> = positions.map(|position| (head.relation, position)).collect();
        if positions.is_empty() {
            return false;
        }
        let before = self.positions.len();
        self.positions.extend(positions);
        let open = self.open.entry(place).or_default();
        let is_new = !open.contains(&variable);
        if is_new {
            open.push(variable);
        }
        is_new || self.positions.len() > before
    }

    /// Follows the values back to where they come from. `None` if some condition has no values.
    fn spread(&mut self, branches: &[Vec<ClauseBranch>]) -> Option<()> {
        for _ in 0..MAX_ROUNDS {
            let mut grown = false;
            for (index, alternatives) in branches.iter().enumerate() {
                for (number, branch) in alternatives.iter().enumerate() {
                    let place = (index, number);
                    for (atom, _) in branch.atoms() {
                        for variable in self.unbrought(place, branch, atom) {
                            if !self.add(place, variable) {
                                return None;
                            }
                            grown = true;
                        }
                    }
                }
            }
            if !grown {
                return Some(());
            }
        }
        None
    }

    /// The variables of an atom at positions in question that no condition brings a value for.
    fn unbrought(&self, place: Place, branch: &ClauseBranch, atom: &Atom) -> Vec<Symbol> {
        let asked = self.positions_of(atom).map(|position| &atom.arguments[position]);
        let mut wanted: Vec<Symbol> = asked.flat_map(Term::variables).collect();
        if wanted.is_empty() {
            return wanted;
        }
        let mut brought = self.open.get(&place).cloned().unwrap_or_default();
        brought.extend(self.bringing(branch).flat_map(Atom::variables));
        wanted.retain(|variable| !brought.contains(variable));
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// The positions in question of an atom.
    fn positions_of(&self, atom: &Atom) -> impl Iterator<Item = usize> {
        (0..atom.arguments.len()).filter(move |&position| self.positions.contains(&(atom.relation, position)))
    }

    /// The conditions of a branch that bring values.
    fn bringing<'b>(&self, branch: &'b ClauseBranch) -> impl Iterator<Item = &'b Atom> {
        branch.positive().filter(move |atom| self.positions_of(atom).next().is_none())
    }

    /// Makes the repair. `None`, with nothing changed, if there are too many values.
    fn apply(&self, branches: &mut [Vec<ClauseBranch>], symbols: &mut Symbols) -> Option<Vec<Rule>> {
        let mut positions: Vec<(Symbol, usize)> = self.positions.iter().copied().collect();
        positions.sort_unstable();
        let relations: FxHashMap<(Symbol, usize), Symbol> = positions
            .iter()
            .map(|&(relation, position)| {
                let name = format!("asked_{}_{}", symbols.name(relation), position + 1);
                ((relation, position), symbols.fresh(name))
            })
            .collect();
        let list = |relation: Symbol, value: Term, at: At| Atom { relation, arguments: vec![value], at };
        let mut repaired = branches.to_vec();
        for (&(index, number), variables) in &self.open {
            let head = &self.clauses[index].head;
            let branch = &mut repaired[index][number];
            for (position, argument) in head.arguments.iter().enumerate().rev() {
                if let (Term::Variable(variable), Some(&relation)) =
                    (argument, relations.get(&(head.relation, position)))
                    && variables.contains(variable)
                {
                    let atom = list(relation, argument.clone(), head.at);
                    branch.body.insert(0, (Literal::Positive(atom), head.at.0));
                }
            }
            let bound = branches[index][number].bound();
            branch.ranging = variables.clone();
            branch.ranging.retain(|variable| bound.binary_search(variable).is_err());
            branch.ranging.sort_unstable();
        }
        let mut rules = Vec::new();
        for (index, alternatives) in repaired.iter().enumerate() {
            for branch in alternatives {
                for (atom, _) in branch.atoms() {
                    for position in self.positions_of(atom) {
                        let relation = relations[&(atom.relation, position)];
                        let body = self.bringing(branch).cloned().map(Literal::Positive).collect();
                        let head = list(relation, atom.arguments[position].clone(), atom.at);
                        rules.push(Rule { head, body, clause: index });
                    }
                }
                rules.push(branch.clone().rule(&self.clauses[index], index));
            }
        }
        let domains = PositionDomains::of(&rules);
        let values: FxHashMap<Symbol, Vec<Term>> = relations
            .values()
            .map(|&relation| domains.terms_at(relation, 1, 0, MAX_VALUES).map(|values| (relation, values)))
            .collect::<Option<_>>()?;
        for (&(index, _), variables) in &self.open {
            let head = &self.clauses[index].head;
            let sizes = head.arguments.iter().enumerate().filter_map(|(position, argument)| {
                let is_open = matches!(argument, Term::Variable(variable) if variables.contains(variable));
                is_open.then(|| values[&relations[&(head.relation, position)]].len())
            });
            sizes.fold(1, usize::saturating_mul).le(&MAX_INSTANCES).then_some(())?;
        }
        branches.clone_from_slice(&repaired);
        let first =
            |relation: Symbol| self.clauses.iter().position(|clause| clause.head.relation == relation);
        let facts = positions.into_iter().flat_map(|(relation, position)| {
            let clause = first(relation).expect("a clause for the relation is repaired");
            let (listing, at) = (relations[&(relation, position)], self.clauses[clause].head.at);
            let fact = move |value: &Term| {
                let head = Atom { relation: listing, arguments: vec![value.clone()], at };
                Rule { head, body: Vec::new(), clause }
            };
            values[&listing].iter().map(fact)
        });
        Some(facts.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Severity, Source, load, print_rule};

    const GAME: &str =
        "(role r) (legal r go) (goal r 1) (init (at 1)) (init (at 2)) (q 1) (q 3) (<= terminal end)\n";

    /// The severities of the findings, and the facts that were added.
    fn asked(clauses: &str) -> (Vec<Severity>, Vec<String>) {
        let loaded = load(Source::new("t", format!("{GAME}{clauses}")), None);
        let facts = loaded.game.iter().flat_map(|game| {
            let shown = game.rules().iter().map(|rule| print_rule(rule, game.terms().symbols()));
            shown.filter(|rule| rule.starts_with("(asked")).collect::<Vec<_>>()
        });
        let facts = facts.collect();
        (loaded.findings.iter().map(|finding| finding.severity).collect(), facts)
    }

    #[test]
    fn a_head_variable_ranges_over_what_its_relation_is_asked() {
        let (severities, facts) =
            asked("(<= (apart ?x ?y) (distinct ?x ?y)) (<= end (true (at ?x)) (q ?y) (apart ?x ?y))");
        assert_eq!(severities, [Severity::Fault]);
        assert_eq!(
            facts,
            ["(asked_apart_1 1)", "(asked_apart_1 2)", "(asked_apart_2 1)", "(asked_apart_2 3)"]
        );
        // Through another relation, and by a fact.
        let through = "(<= (apart ?x ?y) (distinct ?x ?y)) (<= (far ?x ?y) (not (apart ?x ?y))) (<= end (q ?x) (far ?x 7))";
        assert_eq!(
            asked(through).1.concat(),
            "(asked_apart_1 1)(asked_apart_1 3)(asked_apart_2 7)(asked_far_1 1)(asked_far_1 3)(asked_far_2 7)"
        );
        assert_eq!(asked("(any ?x) (<= end (true (at ?x)) (q ?x) (any ?x))").0, [Severity::Fault]);
    }

    #[test]
    fn a_relation_that_is_asked_without_a_value_is_not_repaired() {
        for clauses in [
            "(<= (apart ?x ?y) (distinct ?x ?y)) (<= end (q ?x) (apart ?x ?y))",
            "(any ?x) (<= end (any ?x))",
            "(any ?x) (some ?x) (<= end (any ?x) (some ?x))",
            "(<= (any (f ?x)) (q ?y)) (<= end (any (f 1)))",
            "(<= (next (at ?x)) (q ?y)) (<= end (q 1))",
            "(any ?x) (<= end (n ?x) (any ?x)) (n 0) (<= (n (s ?x)) (n ?x) (q ?x)) (<= end (any ?z))",
        ] {
            assert!(asked(clauses).0.contains(&Severity::Error), "{clauses}");
        }
    }
}
