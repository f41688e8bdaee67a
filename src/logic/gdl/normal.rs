//! Normal form: clauses with their bodies multiplied out.
//!
//! A body is a tree of `and`, `or` and `not` over atoms and `distinct`. Negation is pushed inward by De Morgan's laws
//! (a negated `distinct` becomes [`Literal::Same`]), conjunctions are flattened, and disjunctions are multiplied out.
//! Each alternative is a [`ClauseBranch`] and gives one [`Rule`]. The literals keep the order of the text.
//!
//! Invariant: the number of branches of a clause is the product that its disjunctions give, at most [`MAX_BRANCHES`],
//! and a rulesheet grows by at most [`MAX_GROWTH`] literals. A clause that would be larger is reported as a finding,
//! and its size is computed before any branch is made.
//!
//! One repair is made here, because safety depends on it (and [`ClauseBranch::free_in_negations`] says where the
//! validation makes another one). If the first argument of a head `legal`, `goal` or `sees` is a variable that nothing
//! binds, `(role ?r)` is added in front of the branch.

use super::{At, Atom, Clause, Formula, Literal, Rule, Span};
use hyperplay_machine::terms::{Symbol, Term};

/// The largest number of alternatives of one clause.
pub(super) const MAX_BRANCHES: usize = 4096;

/// The largest number of literals by which all clauses of a rulesheet together may grow.
pub(super) const MAX_GROWTH: usize = 1_000_000;

/// One alternative of a clause: a conjunction of literals with their places.
#[derive(Clone, Debug, Default)]
pub(super) struct ClauseBranch {
    /// The literals in the order of the text.
    pub(super) body: Vec<(Literal, Span)>,
    /// The role variable that the repair bound, if it was needed.
    pub(super) repaired: Option<Symbol>,
    /// The head variables that the validation bound to the values with which the relation is asked, sorted.
    pub(super) ranging: Vec<Symbol>,
}

/// The alternatives of a clause, or their literals, exceed the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooManyAlternatives;

impl ClauseBranch {
    /// The atoms that must hold.
    pub(super) fn positive(&self) -> impl Iterator<Item = &Atom> {
        self.body.iter().filter_map(|(literal, _)| literal.positive())
    }

    /// The atoms, with whether they are negated, and their places.
    pub(super) fn atoms(&self) -> impl Iterator<Item = (&Atom, bool)> {
        self.body.iter().filter_map(|(literal, _)| literal.signed())
    }

    /// The variables that the positive atoms bind, sorted.
    pub(super) fn bound(&self) -> Vec<Symbol> {
        let mut bound: Vec<Symbol> = self.positive().flat_map(Atom::variables).collect();
        bound.sort_unstable();
        bound.dedup();
        bound
    }

    /// The variables that nothing binds and that occur in negated atoms only: each negation says that there is none.
    /// Sorted. A variable of the head, or of `distinct`, is not among them, and neither is one under the negation of a
    /// conjunction, because the alternatives of that are negations of their own.
    pub(super) fn free_in_negations(&self, clause: &Clause) -> Vec<Symbol> {
        let bound = self.bound();
        let mut elsewhere: Vec<Symbol> = clause.head.variables().collect();
        for (literal, _) in &self.body {
            if let Literal::Distinct(a, b) | Literal::Same(a, b) = literal {
                elsewhere.extend([a, b].into_iter().flat_map(Term::variables));
            }
        }
        clause.body.iter().for_each(|formula| negated_conjunctions(formula, true, &mut elsewhere));
        elsewhere.sort_unstable();
        let negated = self.atoms().filter(|(_, negated)| *negated).flat_map(|(atom, _)| atom.variables());
        let is_free = |variable: &Symbol| {
            bound.binary_search(variable).is_err() && elsewhere.binary_search(variable).is_err()
        };
        let mut free: Vec<Symbol> = negated.filter(is_free).collect();
        free.sort_unstable();
        free.dedup();
        free
    }

    /// The branch as a rule for `clause`, which stands at `index` in its rulesheet.
    pub(super) fn rule(self, clause: &Clause, index: usize) -> Rule {
        Rule {
            head: clause.head.clone(),
            body: self.body.into_iter().map(|(literal, _)| literal).collect(),
            clause: index,
        }
    }
}

/// All branches of a clause, with the repair made. `growth` is what is left of [`MAX_GROWTH`].
pub(super) fn branches(
    clause: &Clause,
    growth: &mut usize,
) -> Result<Vec<ClauseBranch>, TooManyAlternatives> {
    let size = BranchSize::of_product(&clause.body, true, *growth)?;
    if size.branches > 1 {
        *growth -= size.literals;
    }
    let mut branches = product(&clause.body, true);
    for branch in &mut branches {
        repair(clause, branch);
    }
    Ok(branches)
}

/// The size of the alternatives of a formula, computed before they are made.
#[derive(Clone, Copy)]
struct BranchSize {
    branches: usize,
    literals: usize,
}

impl BranchSize {
    fn of(formula: &Formula, holds: bool, growth: usize) -> Result<BranchSize, TooManyAlternatives> {
        match formula {
            Formula::Not(inner, _) => BranchSize::of(inner, !holds, growth),
            Formula::And(parts, _) if holds => BranchSize::of_product(parts, holds, growth),
            Formula::Or(parts, _) if !holds => BranchSize::of_product(parts, holds, growth),
            Formula::And(parts, _) | Formula::Or(parts, _) => {
                parts.iter().try_fold(BranchSize { branches: 0, literals: 0 }, |all, part| {
                    let part = BranchSize::of(part, holds, growth)?;
                    let branches = all.branches + part.branches;
                    BranchSize { branches, literals: all.literals + part.literals }.within(growth)
                })
            }
            Formula::Atom(_) | Formula::Distinct(..) => Ok(BranchSize { branches: 1, literals: 1 }),
        }
    }

    fn of_product(parts: &[Formula], holds: bool, growth: usize) -> Result<BranchSize, TooManyAlternatives> {
        parts.iter().try_fold(BranchSize { branches: 1, literals: 0 }, |all, part| {
            let part = BranchSize::of(part, holds, growth)?;
            let literals = all.literals * part.branches + part.literals * all.branches;
            BranchSize { branches: all.branches * part.branches, literals }.within(growth)
        })
    }

    /// One branch alone is never too large, because it has the size of the text.
    fn within(self, growth: usize) -> Result<BranchSize, TooManyAlternatives> {
        let large = self.branches > MAX_BRANCHES || self.literals > growth;
        if self.branches > 1 && large { Err(TooManyAlternatives) } else { Ok(self) }
    }
}

/// Binds the role variable of the head to the roles if nothing else binds it.
fn repair(clause: &Clause, branch: &mut ClauseBranch) {
    let head = &clause.head;
    let Some(Term::Variable(role)) = head.arguments.first() else { return };
    if !matches!(head.relation, Symbol::LEGAL | Symbol::GOAL | Symbol::SEES)
        || branch.bound().binary_search(role).is_ok()
    {
        return;
    }
    let atom = Atom { relation: Symbol::ROLE, arguments: vec![Term::Variable(*role)], at: At(head.at.0) };
    branch.body.insert(0, (Literal::Positive(atom), head.at.0));
    branch.repaired = Some(*role);
}

/// Collects the variables under the negation of a conjunction, which becomes a disjunction of negations.
fn negated_conjunctions(formula: &Formula, holds: bool, variables: &mut Vec<Symbol>) {
    match formula {
        Formula::Atom(_) | Formula::Distinct(..) => {}
        Formula::Not(inner, _) => negated_conjunctions(inner, !holds, variables),
        Formula::And(parts, _) if !holds && parts.len() > 1 => {
            parts.iter().for_each(|part| part.each_variable(&mut |variable| variables.push(variable)));
        }
        Formula::And(parts, _) | Formula::Or(parts, _) => {
            parts.iter().for_each(|part| negated_conjunctions(part, holds, variables));
        }
    }
}

/// The alternatives of a formula, or of its negation.
fn alternatives(formula: &Formula, holds: bool) -> Vec<ClauseBranch> {
    let literal = match formula {
        Formula::Not(inner, _) => return alternatives(inner, !holds),
        Formula::And(parts, _) if holds => return product(parts, holds),
        Formula::Or(parts, _) if !holds => return product(parts, holds),
        Formula::And(parts, _) | Formula::Or(parts, _) => {
            return parts.iter().flat_map(|part| alternatives(part, holds)).collect();
        }
        Formula::Atom(atom) if holds => Literal::Positive(atom.clone()),
        Formula::Atom(atom) => Literal::Negative(atom.clone()),
        Formula::Distinct(a, b, _) if holds => Literal::Distinct(a.clone(), b.clone()),
        Formula::Distinct(a, b, _) => Literal::Same(a.clone(), b.clone()),
    };
    vec![ClauseBranch { body: vec![(literal, formula.at().0)], ..ClauseBranch::default() }]
}

/// All combinations of one alternative for each part.
fn product(parts: &[Formula], holds: bool) -> Vec<ClauseBranch> {
    let mut result = vec![ClauseBranch::default()];
    for part in parts {
        let choices = alternatives(part, holds);
        if let [choice] = &choices[..] {
            result.iter_mut().for_each(|branch| branch.body.extend_from_slice(&choice.body));
            continue;
        }
        let join = |branch: &ClauseBranch, choice: &ClauseBranch| ClauseBranch {
            body: branch.body.iter().chain(&choice.body).cloned().collect(),
            ..ClauseBranch::default()
        };
        result = result.iter().flat_map(|branch| choices.iter().map(|choice| join(branch, choice))).collect();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(relation: Symbol, arguments: Vec<Term>) -> Formula {
        Formula::Atom(Atom { relation, arguments, at: At::default() })
    }

    fn or(parts: Vec<Formula>) -> Formula {
        Formula::Or(parts, At::default())
    }

    fn not(inner: Formula) -> Formula {
        Formula::Not(Box::new(inner), At::default())
    }

    fn clause(body: Vec<Formula>) -> Clause {
        let head = Atom { relation: Symbol::TERMINAL, arguments: vec![], at: At::default() };
        Clause { head, body, at: At::default() }
    }

    /// The bodies as lists of (negated, relation).
    fn shape(body: Vec<Formula>) -> Vec<Vec<(bool, Symbol)>> {
        branches(&clause(body), &mut MAX_GROWTH.clone())
            .unwrap()
            .iter()
            .map(|branch| branch.atoms().map(|(atom, negated)| (negated, atom.relation)).collect())
            .collect()
    }

    #[test]
    fn disjunctions_are_multiplied_out_in_the_order_of_the_text() {
        let [a, b, c, d] = [Symbol::ROLE, Symbol::INIT, Symbol::NEXT, Symbol::GOAL];
        let p = |symbol| atom(symbol, vec![]);
        let both = shape(vec![p(a), or(vec![p(b), Formula::And(vec![p(c), p(d)], At::default())]), p(d)]);
        assert_eq!(
            both,
            [vec![(false, a), (false, b), (false, d)], vec![(false, a), (false, c), (false, d), (false, d)]]
        );
        assert_eq!(shape(vec![or(vec![])]), Vec::<Vec<_>>::new());
        assert_eq!(shape(vec![not(or(vec![]))]), [vec![]]);
    }

    #[test]
    fn negation_goes_inward() {
        let [a, b] = [Symbol::ROLE, Symbol::INIT];
        let p = |symbol| atom(symbol, vec![]);
        assert_eq!(shape(vec![not(or(vec![p(a), not(p(b))]))]), [vec![(true, a), (false, b)]]);
        let and = Formula::And(vec![p(a), not(not(p(b)))], At::default());
        assert_eq!(shape(vec![not(and)]), [[(true, a)], [(true, b)]]);
        let x = Term::Constant(a);
        let same = not(Formula::Distinct(x.clone(), x.clone(), At::default()));
        let branches = branches(&clause(vec![same]), &mut MAX_GROWTH.clone()).unwrap();
        assert_eq!(branches[0].body[0].0, Literal::Same(x.clone(), x));
    }

    #[test]
    fn too_many_alternatives_are_refused() {
        let pair = || or(vec![atom(Symbol::ROLE, vec![]), atom(Symbol::INIT, vec![])]);
        let clause = |pairs: usize| clause((0..pairs).map(|_| pair()).collect());
        let growth = &mut MAX_GROWTH.clone();
        assert_eq!(branches(&clause(12), growth).unwrap().len(), 4096);
        assert_eq!(branches(&clause(13), growth).unwrap_err(), TooManyAlternatives);
        assert_eq!(*growth, MAX_GROWTH - 12 * 4096);
        assert!(branches(&clause(2), &mut 7).is_err());
    }

    #[test]
    fn an_unbound_role_variable_ranges_over_the_roles() {
        let mut clause = clause(vec![]);
        let role = Symbol::RANDOM;
        clause.head =
            Atom { relation: Symbol::LEGAL, arguments: vec![Term::Variable(role); 2], at: At::default() };
        let branches = branches(&clause, &mut MAX_GROWTH.clone()).unwrap();
        assert_eq!(branches[0].repaired, Some(role));
        assert_eq!(branches[0].bound(), [role]);
    }
}
