//! Splitting: rules with wide joins become several rules with narrow joins.
//!
//! A variable that does not occur in the head is existential. The literals in which it occurs are joined on their own,
//! into an *auxiliary* relation over the other variables of these literals, wherever that leaves some variable of the
//! rule out. The same is done with what is left (bucket elimination). A frame axiom such as
//!
//! ```text
//! next(cell x y p) <- true(cell x y p), does(r, move a b c d), distinct(x, a)
//! ```
//!
//! has as many instances as there are pairs of a piece on a cell and a move; split, it is `aux1(a) <- does(r, move a b
//! c d)`, `aux2(x) <- aux1(a), distinct(x, a), guard(x)` and `next(cell x y p) <- true(cell x y p), aux2(x)`: a hundred
//! times fewer. The rules derive the same as before.
//!
//! An auxiliary rule must not be wider than what it was taken from, and must bind its variables. So it also asks for
//! *guards*: projections of the other literals of its rule. A guard never says that its literal holds, only that it
//! may in some state; whether the literal does hold is still tested in its own place.
//!
//! Reference: Dechter, *Bucket Elimination*, AI 1999; for grounding, Bichler, Morak, Woltran, *lpopt*, LOPSTR 2016.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use hyperplay_logic::gdl::{Atom, Literal, Rule, Symbol, Term};

/// A rule with more literals or variables is left as it is.
const WIDEST: usize = 100;

/// Rules equivalent to those of a game.
pub(super) struct Split {
    /// Rule `i` is what became of rule `i` of the game; behind them are the auxiliary rules.
    pub(super) rules: Vec<Rule>,
    /// The guards: relations that say only what may hold in some state.
    pub(super) guards: FxHashSet<Symbol>,
}

/// Whether the values of some variables leave at most one choice for the others of an atom, in every state.
pub(super) type IsFunction<'a> = dyn Fn(&Atom, &[Symbol]) -> bool + 'a;

/// Splits rules. The names of the auxiliary relations are taken from `fresh`, which none of the rules may mention.
pub(super) fn split(
    rules: &[Rule],
    fresh: impl Iterator<Item = Symbol>,
    is_function: &IsFunction<'_>,
) -> Split {
    let mut splitter = Splitter {
        is_function,
        fresh,
        auxiliary: Vec::new(),
        known: FxHashMap::default(),
        guards: FxHashSet::default(),
    };
    let mut rules: Vec<Rule> = rules.iter().map(|rule| splitter.split(rule.clone())).collect();
    rules.append(&mut splitter.auxiliary);
    Split { rules, guards: splitter.guards }
}

struct Splitter<'a, Fresh> {
    is_function: &'a IsFunction<'a>,
    fresh: Fresh,
    auxiliary: Vec<Rule>,
    /// The relation of each auxiliary rule, by its body and its head's variables, all variables renamed in order, and
    /// whether it is a guard.
    known: FxHashMap<(Vec<Literal>, Vec<Term>, bool), Symbol>,
    guards: FxHashSet<Symbol>,
}

impl<Fresh: Iterator<Item = Symbol>> Splitter<'_, Fresh> {
    fn split(&mut self, mut rule: Rule) -> Rule {
        let mut head = Vec::new();
        rule.head.each_variable(&mut |variable| head.push(variable));
        while rule.body.len() <= WIDEST {
            let Some(bucket) = Bucket::narrowest(&rule, &head, self.is_function) else { break };
            rule = self.eliminate(rule, &bucket);
        }
        rule
    }

    /// Replaces the literals of a bucket by one of an auxiliary relation.
    fn eliminate(&mut self, rule: Rule, bucket: &Bucket) -> Rule {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for (position, literal) in rule.body.into_iter().enumerate() {
            let part = if bucket.literals.contains(&position) { &mut inside } else { &mut outside };
            part.push(literal);
        }
        let interface: Vec<Symbol> = variables(inside.iter())
            .into_iter()
            .filter(|variable| !bucket.eliminated.contains(variable))
            .collect();
        // The projection of one literal is never wider than the literal.
        if inside.len() > 1 || !matches!(inside[..], [Literal::Positive(_)]) {
            let scope = variables(inside.iter());
            for literal in &outside {
                let Literal::Positive(atom) = literal else { continue };
                let shared: Vec<Symbol> = variables(std::iter::once(literal))
                    .into_iter()
                    .filter(|own| scope.contains(own))
                    .collect();
                if !shared.is_empty() {
                    let guard =
                        self.auxiliary(vec![Literal::Positive(atom.clone())], &shared, true, rule.clause);
                    if !inside.contains(&guard) {
                        inside.push(guard);
                    }
                }
            }
        }
        outside.push(self.auxiliary(inside, &interface, false, rule.clause));
        Rule { head: rule.head, body: outside, clause: rule.clause }
    }

    /// The literal of the auxiliary relation that a body defines over some of its variables.
    fn auxiliary(
        &mut self,
        body: Vec<Literal>,
        interface: &[Symbol],
        is_guard: bool,
        clause: usize,
    ) -> Literal {
        let arguments: Vec<Term> = interface.iter().map(|&variable| Term::Variable(variable)).collect();
        let mut names = FxHashMap::default();
        let mut rename = |variable| {
            let next = names.len() as u32;
            Term::Variable(*names.entry(variable).or_insert_with(|| Symbol::auxiliary(next)))
        };
        let key = (
            body.iter().map(|literal| literal.replacing(&mut rename)).collect(),
            arguments.iter().map(|term| term.replacing(&mut rename)).collect(),
            is_guard,
        );
        let atom = |relation| Atom { relation, arguments, at: Default::default() };
        Literal::Positive(match self.known.entry(key) {
            Entry::Occupied(known) => atom(*known.get()),
            Entry::Vacant(unknown) => {
                let relation = self.fresh.next().expect("there are more names than relations");
                let head = atom(*unknown.insert(relation));
                if is_guard {
                    self.guards.insert(relation);
                }
                self.auxiliary.push(Rule { head: head.clone(), body, clause });
                head
            }
        })
    }
}

/// Literals of a rule that are to be joined on their own.
struct Bucket {
    /// Their positions in the body.
    literals: Vec<usize>,
    /// The variables that occur nowhere else.
    eliminated: Vec<Symbol>,
}

impl Bucket {
    /// The bucket of fewest variables, among those that are worth a relation of their own.
    fn narrowest(rule: &Rule, head: &[Symbol], is_function: &IsFunction<'_>) -> Option<Bucket> {
        let of_literal: Vec<Vec<Symbol>> =
            rule.body.iter().map(|literal| variables(std::iter::once(literal))).collect();
        let all = variables(rule.body.iter());
        if all.len() > WIDEST {
            return None;
        }
        let scope = |variable: Symbol| -> Vec<Symbol> {
            let mut scope: Vec<Symbol> =
                of_literal.iter().filter(|own| own.contains(&variable)).flatten().copied().collect();
            scope.sort_unstable();
            scope.dedup();
            scope
        };
        let existential = all.iter().filter(|variable| !head.contains(variable));
        let existential: Vec<(Symbol, Vec<Symbol>)> =
            existential.map(|&variable| (variable, scope(variable))).collect();
        let rule =
            Measured { rule, of_literal: &of_literal, existential: &existential, all: &all, is_function };
        let buckets = existential.iter().filter_map(|(_, scope)| rule.bucket(scope.clone()));
        buckets.min_by_key(|(width, _)| *width).map(|(_, bucket)| bucket)
    }
}

/// A rule with what is known of its variables.
struct Measured<'a> {
    rule: &'a Rule,
    /// The variables of each literal.
    of_literal: &'a [Vec<Symbol>],
    /// The variables that the head does not mention, each with those it shares a literal with, itself included.
    existential: &'a [(Symbol, Vec<Symbol>)],
    all: &'a [Symbol],
    is_function: &'a IsFunction<'a>,
}

impl Measured<'_> {
    /// The smallest bucket over at least these variables that is worth a relation of its own, with its width.
    fn bucket(&self, mut scope: Vec<Symbol>) -> Option<(usize, Bucket)> {
        loop {
            // Of no use unless the rule has more instances than the bucket, ...
            if self.determines(&scope, self.all) {
                return None;
            }
            let within =
                self.existential.iter().filter(|(_, own)| own.iter().all(|other| scope.contains(other)));
            let eliminated: Vec<Symbol> = within.map(|&(variable, _)| variable).collect();
            let interface: Vec<Symbol> =
                scope.iter().copied().filter(|variable| !eliminated.contains(variable)).collect();
            // ... and the bucket more instances than tuples.
            if !self.determines(&interface, &eliminated) {
                let is_inside = |own: &Vec<Symbol>| own.iter().any(|variable| eliminated.contains(variable));
                let literals = (0..self.of_literal.len())
                    .filter(|&position| is_inside(&self.of_literal[position]))
                    .collect();
                return Some((scope.len(), Bucket { literals, eliminated }));
            }
            // The eliminated conditions follow from the rest: widen the bucket to eliminate some of that as well.
            let widened = self
                .existential
                .iter()
                .filter(|(variable, _)| interface.contains(variable))
                .map(|(_, own)| {
                    own.iter().copied().filter(|other| !scope.contains(other)).collect::<Vec<_>>()
                })
                .min_by_key(Vec::len)?;
            scope.extend(widened);
        }
    }

    /// Whether the values of some variables leave one choice at most for those of others.
    fn determines(&self, known: &[Symbol], wanted: &[Symbol]) -> bool {
        let known = closure(self.rule, self.of_literal, known, self.is_function);
        wanted.iter().all(|variable| known.contains(variable))
    }
}

/// The variables whose values follow from those of the known ones.
fn closure(
    rule: &Rule,
    of_literal: &[Vec<Symbol>],
    known: &[Symbol],
    is_function: &IsFunction<'_>,
) -> Vec<Symbol> {
    let mut known = known.to_vec();
    let mut open: Vec<usize> = (0..rule.body.len()).collect();
    loop {
        let before = open.len();
        open.retain(|&position| {
            let Literal::Positive(atom) = &rule.body[position] else { return false };
            let new = of_literal[position].iter().any(|variable| !known.contains(variable));
            let follows = new && is_function(atom, &known);
            if follows {
                known.extend(&of_literal[position]);
            }
            new && !follows
        });
        if open.len() == before {
            return known;
        }
    }
}

/// The variables of some literals, each once, in the order of their occurrence.
fn variables<'a>(literals: impl Iterator<Item = &'a Literal>) -> Vec<Symbol> {
    let mut all = Vec::new();
    let mut visit = |variable| {
        if !all.contains(&variable) {
            all.push(variable);
        }
    };
    literals.for_each(|literal| literal.each_variable(&mut visit));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Source, load, print_rule};

    /// The result for the last rule of a text: the texts of the rule and of the auxiliary rules.
    fn parts(text: &str, is_function: &IsFunction<'_>) -> Vec<String> {
        let text = format!("(role r) (init (at 1 2)) (succ 1 2) (goal r 0) terminal {text}");
        let game = load(Source::new("text", text), None).game.unwrap();
        let count = game.rules().len();
        let split = split(game.rules(), (0..).map(Symbol::auxiliary), is_function);
        let show = |rule: &Rule| print_rule(rule, game.terms().symbols()).replace("(auxiliary)", "aux");
        split.rules[count - 1..].iter().map(show).collect()
    }

    #[test]
    fn a_frame_axiom_is_joined_cell_by_cell() {
        let rule = "(<= (legal r (go ?a ?b)) (true (at ?a ?b)))
            (<= (next (at ?x ?y)) (true (at ?x ?y)) (does r (go ?a ?b)) (distinct ?x ?a))";
        assert_eq!(
            parts(rule, &|_, _| false),
            [
                "(<= (next (at ?x ?y)) (true (at ?x ?y)) (aux ?x))",
                "(<= (aux ?a) (does r (go ?a ?b)))",
                "(<= (aux ?x) (true (at ?x ?y)))",
                "(<= (aux ?x) (distinct ?x ?a) (aux ?a) (aux ?x))",
            ]
        );
    }

    #[test]
    fn what_follows_from_the_rest_is_no_reason_to_split() {
        let rule = "(<= (legal r go) (true (at ?a ?b)))
            (<= (next (at ?x ?z)) (true (at ?x ?y)) (succ ?x ?z) (succ ?y ?w))";
        assert!(parts(rule, &|_, _| false).len() > 1);
        let succ = |atom: &Atom, known: &[Symbol]| {
            let mut first = false;
            atom.arguments[0].each_variable(&mut |variable| first = known.contains(&variable));
            atom.arguments.len() == 2 && first
        };
        let texts = parts(rule, &succ);
        assert_eq!(texts.len(), 1, "{texts:?}");
    }

    #[test]
    fn equal_parts_of_rules_share_a_relation() {
        let rule = "(<= (legal r (go ?a ?b)) (true (at ?a ?b)))
            (<= (next (on ?x)) (true (at ?x ?y)) (does r (go ?c ?d)))
            (<= (next (at ?x ?y)) (true (at ?x ?y)) (does r (go ?e ?f)))";
        let rules = parts(rule, &|_, _| false);
        assert_eq!(rules.iter().filter(|text| text.contains("(does r")).count(), 1, "{rules:?}");
    }
}
