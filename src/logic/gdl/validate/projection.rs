//! Negations with free variables: `(not (p ?x ?free))` says that no value of `?free` makes `(p ?x ?free)` true.
//!
//! This is how the provers of the field evaluate a negated condition with a variable that nothing binds. A relation of
//! its own projects the free variables away, `(some_p ?x) <- (p ?x ?free)`, and the rule reads `(not (some_p ?x))`.
//! After that every variable of a negation is bound, so no engine needs to know of this repair.
//!
//! Invariant: two negations that differ only in the names of their variables share one relation, and it does not take
//! part in a cycle through negation unless the negated relation does.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::gdl::{At, Atom, Literal, Rule};
use hyperplay_machine::terms::{Symbol, Symbols, Term};

/// A negated atom with its variables numbered, and which of the numbers are bound outside the negation.
type Shape = (Atom, Vec<bool>);

/// Replaces every negated atom that has a variable which no positive literal binds. The rules of the relations that
/// are introduced stand at the end. The symbols of the numbered variables are added to the table.
pub(super) fn project(rules: &mut Vec<Rule>, symbols: &mut Symbols) {
    let mut known: FxHashMap<Shape, Symbol> = FxHashMap::default();
    let mut added = Vec::new();
    for rule in rules.iter_mut() {
        let bound: FxHashSet<Symbol> =
            rule.body.iter().filter_map(Literal::positive).flat_map(Atom::variables).collect();
        for literal in &mut rule.body {
            let Literal::Negative(atom) = literal else { continue };
            let variables: IndexSet<Symbol, FxBuildHasher> = atom.variables().collect();
            let kept: Vec<bool> = variables.iter().map(|variable| bound.contains(variable)).collect();
            if kept.iter().all(|kept| *kept) {
                continue;
            }
            let numbered: Vec<Symbol> =
                (0..variables.len()).map(|number| symbols.intern(&format!("v{number}"))).collect();
            let mut rename = |variable: Symbol| {
                let position = variables.get_index_of(&variable);
                Term::Variable(numbered[position.expect("all variables of the atom are listed")])
            };
            let body = atom.replacing(&mut rename);
            let of_kept = |name: &dyn Fn(usize) -> Symbol| -> Vec<Term> {
                (0..kept.len()).filter(|&at| kept[at]).map(|at| Term::Variable(name(at))).collect()
            };
            let relation = *known.entry((body.clone(), kept.clone())).or_insert_with(|| {
                let relation = symbols.fresh(format!("some_{}", symbols.name(atom.relation)));
                let head = Atom { relation, arguments: of_kept(&|at| numbered[at]), at: At(atom.at.0) };
                added.push(Rule { head, body: vec![Literal::Positive(body)], clause: rule.clause });
                relation
            });
            *atom = Atom { relation, arguments: of_kept(&|at| variables[at]), at: atom.at };
        }
    }
    rules.append(&mut added);
}

#[cfg(test)]
mod tests {
    use super::super::super::{Literal, Source, load, print_rule};

    #[test]
    fn free_variables_of_a_negation_are_projected_away() {
        let text = "(role r) (legal r go) (goal r 1) (init (at 1 2)) (q 1)
            (<= (next (at ?x 1)) (q ?x) (not (true (at ?x ?y))) (not (true (at ?z ?z))))
            (<= terminal (q ?a) (not (true (at ?a ?b))))";
        let game = load(Source::new("t", text), None).game.unwrap();
        let shown: Vec<String> =
            game.rules().iter().map(|rule| print_rule(rule, game.terms().symbols())).collect();
        assert_eq!(
            shown[5..],
            [
                "(<= (next (at ?x 1)) (q ?x) (not (some_true ?x)) (not some_true'))",
                "(<= terminal (q ?a) (not (some_true ?a)))",
                "(<= (some_true ?v0) (true (at ?v0 ?v1)))",
                "(<= some_true' (true (at ?v0 ?v0)))",
            ]
        );
        assert!(game.rules().iter().all(|rule| rule.body.iter().all(|l| !matches!(l, Literal::Same(..)))));
    }
}
