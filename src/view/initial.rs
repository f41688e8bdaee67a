//! The initial fluents, as far as facts tell them.
//!
//! The facts of `init` are read, and its rules are evaluated where each condition is a relation that consists of facts,
//! or `distinct`. Other rules of `init` are left out, so the list may lack fluents; it contains none that does not
//! hold. Bounded: a rulesheet that asks for more than [`STEPS`] rows has the fluents that were found until then.

use std::collections::{BTreeMap, BTreeSet};

use hyperplay_logic::gdl::{Atom, Game, Literal, Symbol, Term};

/// The most rows that are looked at.
const STEPS: usize = 100_000;

type Bindings = Vec<(Symbol, Term)>;

/// The initial fluents, in the order of the rules.
pub(super) fn fluents(game: &Game) -> Vec<Term> {
    let mut facts: BTreeMap<Symbol, Vec<&Atom>> = BTreeMap::new();
    let mut derived: BTreeSet<Symbol> = BTreeSet::new();
    for rule in game.rules() {
        let relation = rule.head.relation;
        if rule.body.is_empty() {
            facts.entry(relation).or_default().push(&rule.head);
        } else {
            derived.insert(relation);
        }
    }
    let mut out = Vec::new();
    let mut steps = STEPS;
    for rule in game.rules().iter().filter(|rule| rule.head.relation == Symbol::INIT) {
        let is_told = |literal: &Literal| match literal {
            Literal::Positive(atom) => !derived.contains(&atom.relation),
            Literal::Negative(_) => false,
            Literal::Distinct(..) | Literal::Same(..) => true,
        };
        let [fluent] = &rule.head.arguments[..] else { continue };
        if rule.body.iter().all(is_told) {
            join(&facts, &rule.body, fluent, &mut Vec::new(), &mut steps, &mut out);
        }
    }
    out
}

/// Adds the instances of a fluent for which the conditions hold.
fn join(
    facts: &BTreeMap<Symbol, Vec<&Atom>>,
    body: &[Literal],
    fluent: &Term,
    bound: &mut Bindings,
    steps: &mut usize,
    out: &mut Vec<Term>,
) {
    let Some((literal, rest)) = body.split_first() else {
        return out.push(instance(fluent, bound));
    };
    match literal {
        Literal::Positive(atom) => {
            for fact in facts.get(&atom.relation).into_iter().flatten() {
                if *steps == 0 {
                    return;
                }
                *steps -= 1;
                let before = bound.len();
                let pairs = atom.arguments.iter().zip(&fact.arguments);
                if atom.arguments.len() == fact.arguments.len()
                    && pairs.into_iter().all(|(a, b)| matches(a, b, bound))
                {
                    join(facts, rest, fluent, bound, steps, out);
                }
                bound.truncate(before);
            }
        }
        Literal::Distinct(a, b) if instance(a, bound) == instance(b, bound) => {}
        Literal::Same(a, b) if instance(a, bound) != instance(b, bound) => {}
        _ => join(facts, rest, fluent, bound, steps, out),
    }
}

fn matches(pattern: &Term, term: &Term, bound: &mut Bindings) -> bool {
    match (pattern, term) {
        (Term::Variable(name), _) => match bound.iter().find(|(other, _)| other == name) {
            Some((_, value)) => value == term,
            None => {
                bound.push((*name, term.clone()));
                true
            }
        },
        (Term::Constant(a), Term::Constant(b)) => a == b,
        (Term::Compound(f, xs), Term::Compound(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| matches(x, y, bound))
        }
        _ => false,
    }
}

fn instance(term: &Term, bound: &Bindings) -> Term {
    term.replacing(&mut |name| {
        let value = bound.iter().find(|(other, _)| *other == name);
        value.map_or(Term::Variable(name), |(_, value)| value.clone())
    })
}
