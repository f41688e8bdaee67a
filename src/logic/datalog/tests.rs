//! Agreement and tables for the evaluation: textbook programs, and random ones against a naive fixpoint.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    Database, DatalogProgram, DemandRequest, EvaluationLimits, LimitError, LimitExceeded, LimitResult,
};
use crate::gdl::{Atom, Formula, Literal, Rule, Source, Symbol, Syntax, Term, TermId, TermStore, read};

#[path = "../../../tests/common/property.rs"]
mod property;

/// Rules written in KIF without `or`, with their term store.
fn rules_of(text: &str) -> (Vec<Rule>, TermStore) {
    let (sheet, findings) = read(Source::new("test", text), Some(Syntax::Kif));
    assert!(findings.is_empty(), "{findings:?}");
    let literal = |formula: &Formula| match formula {
        Formula::Atom(atom) => Literal::Positive(atom.clone()),
        Formula::Distinct(a, b, _) => Literal::Distinct(a.clone(), b.clone()),
        Formula::Not(inner, _) => match &**inner {
            Formula::Atom(atom) => Literal::Negative(atom.clone()),
            Formula::Distinct(a, b, _) => Literal::Same(a.clone(), b.clone()),
            other => panic!("not in the test dialect: {other:?}"),
        },
        other => panic!("not in the test dialect: {other:?}"),
    };
    let rule = |(clause, written): (usize, &crate::gdl::Clause)| Rule {
        head: written.head.clone(),
        body: written.body.iter().map(literal).collect(),
        clause,
    };
    (sheet.clauses.iter().enumerate().map(rule).collect(), TermStore::new(sheet.symbols))
}

fn derive(
    rules: Vec<Rule>,
    terms: &TermStore,
    relation: &str,
    limits: EvaluationLimits,
) -> LimitResult<BTreeSet<String>> {
    let mut program = DatalogProgram::new(rules, &[]);
    program.limits = limits;
    let relation = program.relation(terms.symbols().get(relation).unwrap()).unwrap();
    let mut database = Database::new(&program, None);
    database.plan(&mut program, relation, false, terms)?;
    let show = |row: &[TermId]| row.iter().map(|&term| terms.show(term)).collect::<Vec<_>>().join(" ");
    Ok(database.relation(relation, &program).rows().map(show).collect())
}

fn answers(text: &str, relation: &str) -> BTreeSet<String> {
    let (rules, terms) = rules_of(text);
    derive(rules, &terms, relation, EvaluationLimits::default()).unwrap()
}

#[test]
fn a_product_of_relations_beyond_the_limit_is_refused_early() {
    let numbers: String = (0..100).map(|number| format!("(n {number}) ")).collect();
    let refused = |head: &str, body: &str, tuples: usize| {
        let (rules, terms) = rules_of(&format!("{numbers} (<= {head} {body})"));
        let mut program = DatalogProgram::new(rules, &[]);
        program.limits.tuples = tuples;
        let relation = program.relation(terms.symbols().get("p").unwrap()).unwrap();
        let mut database = Database::new(&program, None);
        let result = database.plan(&mut program, relation, false, &terms);
        (result.err().map(|error| (error.exceeded, error.limit)), database.work().visits)
    };
    let three = "(n ?x) (n ?y) (n ?z)";
    let (error, visits) = refused("(p ?x ?y ?z)", three, 999_999);
    assert_eq!(error, Some((LimitExceeded::Tuples, 999_999)));
    assert!(visits < 100_000, "{visits} rows were visited");
    // A product within the limit, and a join of a million rows that derives a hundred tuples.
    assert_eq!(refused("(p ?x ?y)", "(n ?x) (n ?y)", 10_000).0, None);
    assert_eq!(refused("(p ?x)", three, 999_999).0, None);
    assert_eq!(refused("(p ?x (f ?y) ?z)", "(n ?x) (n ?y) (n ?z) (distinct ?x ?y)", 990_000).0, None);
}

#[test]
fn a_closure_is_the_same_however_it_recurs() {
    let edges = "(e a b) (e b c) (e c d) (e d b)";
    let left = format!("{edges} (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?y) (p ?x ?z) (e ?z ?y))");
    let right = format!("{edges} (<= (p ?x ?y) (e ?x ?z) (p ?z ?y)) (<= (p ?x ?y) (e ?x ?y))");
    let twice = format!("{edges} (<= (p ?x ?y) (p ?x ?z) (p ?z ?y)) (<= (p ?x ?y) (e ?x ?y))");
    let expected: BTreeSet<String> =
        ["a", "b", "c", "d"].iter().flat_map(|x| ["b", "c", "d"].map(|y| format!("{x} {y}"))).collect();
    for text in [left, right, twice] {
        assert_eq!(answers(&text, "p"), expected);
    }
}

#[test]
fn compound_terms_are_taken_apart_and_built() {
    let text = "(cell (at 1 2) x) (cell (at 2 2) o) (cell 3 x)
        (<= (swapped (at ?y ?x) ?m) (cell (at ?x ?y) ?m) (distinct ?m o))
        (<= (diagonal ?m) (cell (at ?x ?x) ?m))
        (<= (wrapped (f (g ?m) ?m)) (cell ?p ?m))
        (<= (unwrapped ?m) (wrapped (f (g ?m) ?m)))";
    assert_eq!(answers(text, "swapped"), ["(at 2 1) x".to_owned()].into());
    assert_eq!(answers(text, "diagonal"), ["o".to_owned()].into());
    assert_eq!(answers(text, "unwrapped"), ["o".to_owned(), "x".to_owned()].into());
}

#[test]
fn negation_sees_the_finished_stratum_below() {
    let text = "(<= (idle ?x) (node ?x) (not (busy ?x)))
        (<= (busy ?x) (e ?x ?y)) (<= (busy ?y) (e ?x ?y) (busy ?x))
        (node a) (node b) (node c) (e a b) (<= (twin ?x ?y) (node ?x) (node ?y) (not (distinct ?x ?y)))";
    assert_eq!(answers(text, "idle"), ["c".to_owned()].into());
    assert_eq!(answers(text, "twin").len(), 3);
}

#[test]
fn an_endless_derivation_is_stopped_and_names_its_rule() {
    let text = "(n 0) (<= (n (s ?x)) (n ?x))";
    let (rules, terms) = rules_of(text);
    let deep =
        derive(rules.clone(), &terms, "n", EvaluationLimits { depth: 20, ..EvaluationLimits::default() });
    assert!(
        matches!(&deep, Err(LimitError { exceeded: LimitExceeded::Depth, relation, limit: 20, .. }) if relation == "n"),
        "{deep:?}"
    );
    let many = derive(rules, &terms, "n", EvaluationLimits { tuples: 20, ..EvaluationLimits::default() });
    assert!(matches!(&many, Err(LimitError { exceeded: LimitExceeded::Tuples, limit: 20, .. })), "{many:?}");
}

#[test]
fn an_input_changed_changes_only_what_depends_on_it() {
    let (rules, terms) = rules_of("(<= (p ?x) (i ?x) (d ?x)) (<= (q ?x) (j ?x) (not (p ?x))) (d a) (d b)");
    let name = |text: &str| terms.symbols().get(text).unwrap();
    let mut program = DatalogProgram::new(rules, &[(name("i"), 1, 1), (name("j"), 1, 2)]);
    let [i, j, p, q] = ["i", "j", "p", "q"].map(|text| program.relation(name(text)).unwrap());
    let [a, b] = ["a", "b"].map(|text| terms.read(text).unwrap());
    assert_eq!((program.stage(p), program.stage(q)), (1, 2));
    let mut fixed = Database::new(&program, None);
    fixed.plan_stage(&mut program, &[q], 0, &terms).unwrap();
    fixed.freeze(&program, &terms);
    let mut database = Database::new(&program, Some(fixed.into()));
    database.set_input(&program, i, [[a]].iter().map(|tuple| &tuple[..]));
    database.set_input(&program, j, [[a], [b]].iter().map(|tuple| &tuple[..]));
    database.plan(&mut program, q, false, &terms).unwrap();
    assert_eq!(database.relation(q, &program).rows().collect::<Vec<_>>(), [[b]]);
    database.set_input(&program, j, [[a]].iter().map(|tuple| &tuple[..]));
    assert_eq!(database.query(&program, q, &terms).unwrap().len(), 0);
    assert_eq!(database.query(&program, p, &terms).unwrap().len(), 1);
    database.set_input(&program, i, std::iter::empty());
    assert_eq!(database.query(&program, q, &terms).unwrap().rows().collect::<Vec<_>>(), [[a]]);
}

/// A random atom of relation `p0` ... (arity 1 for even, 2 for odd numbers) below `relations`, over 3 variables.
fn atom(relations: usize) -> impl Strategy<Value = String> {
    let term = prop_oneof![3 => (0..3_usize).prop_map(|v| format!("?v{v}")), 1 => Just("a".to_owned())];
    (0..relations, term.clone(), term).prop_map(|(relation, first, second)| {
        if relation % 2 == 0 {
            format!("(p{relation} {first})")
        } else {
            format!("(p{relation} {first} {second})")
        }
    })
}

/// A random program: facts of `p0` and `p1`, rules for `p2` ... `p5`, in which `p4`, `p5` may negate `p2`, `p3`.
fn program() -> impl Strategy<Value = String> {
    let facts = prop::collection::vec((0..4_usize, 0..4_usize), 1..8).prop_map(|pairs| {
        let name = |number: usize| ["a", "b", "c", "(f a)"][number];
        let fact = |(x, y): (usize, usize)| format!("(p0 {}) (p1 {} {})\n", name(x), name(x), name(y));
        pairs.into_iter().map(fact).collect::<String>()
    });
    let rule = (2..6_usize).prop_flat_map(|head| {
        let positive = prop::collection::vec(atom(if head < 4 { 4 } else { 6 }), 1..4);
        let negative = prop::collection::vec(atom(4), 0..2);
        (Just(head), positive, negative, 0..3_usize, 0..3_usize, any::<bool>())
    });
    let text = |(head, positive, negative, x, y, distinct): (
        usize,
        Vec<String>,
        Vec<String>,
        usize,
        usize,
        bool,
    )| {
        // Bind what the head and the tests use, so that every rule is safe.
        let mut body: Vec<String> = positive;
        let used = format!("{} ?v{x} ?v{y}", negative.join(" "));
        body.extend((0..3).filter(|v| used.contains(&format!("?v{v}"))).map(|v| format!("(p0 ?v{v})")));
        if head >= 4 {
            body.extend(negative.iter().map(|atom| format!("(not {atom})")));
        }
        if distinct {
            body.push(format!("(distinct ?v{x} ?v{y})"));
        }
        let arguments = if head % 2 == 0 { format!("?v{x}") } else { format!("?v{x} ?v{y}") };
        format!("(<= (p{head} {arguments}) {})\n", body.join(" "))
    };
    let rules = prop::collection::vec(rule.prop_map(text), 1..9).prop_map(|rules| rules.concat());
    (facts, rules).prop_map(|(facts, rules)| facts + &rules)
}

/// The program evaluated by trying every assignment of the variables until nothing is new, `p2`, `p3` before the rest.
fn naive(rules: &[Rule], terms: &TermStore) -> BTreeSet<(Symbol, Vec<TermId>)> {
    let universe: Vec<TermId> = ["a", "b", "c", "(f a)"].iter().filter_map(|text| terms.read(text)).collect();
    let variables: Vec<Option<Symbol>> = (0..3).map(|v| terms.symbols().get(&format!("v{v}"))).collect();
    let low = |rule: &Rule| ["p0", "p1", "p2", "p3"].contains(&terms.symbols().name(rule.head.relation));
    let mut known = BTreeSet::new();
    for stratum in [true, false] {
        loop {
            let before = known.len();
            for rule in rules.iter().filter(|rule| low(rule) == stratum) {
                for number in 0..universe.len().pow(3) {
                    let value = |term: &Term| match term {
                        Term::Variable(name) => {
                            let v = variables.iter().position(|variable| *variable == Some(*name)).unwrap();
                            universe[number / universe.len().pow(v as u32) % universe.len()]
                        }
                        ground => terms.intern_term(ground).unwrap(),
                    };
                    let tuple =
                        |atom: &Atom| (atom.relation, atom.arguments.iter().map(value).collect::<Vec<_>>());
                    let holds = rule.body.iter().all(|literal| match literal {
                        Literal::Positive(atom) => known.contains(&tuple(atom)),
                        Literal::Negative(atom) => !known.contains(&tuple(atom)),
                        Literal::Distinct(a, b) => value(a) != value(b),
                        Literal::Same(a, b) => value(a) == value(b),
                    });
                    if holds {
                        known.insert(tuple(&rule.head));
                    }
                }
            }
            if known.len() == before {
                break;
            }
        }
    }
    known
}

proptest! {
    #![proptest_config(property::cases(200))]

    #[test]
    fn random_programs_derive_what_the_naive_fixpoint_derives(text in program(), turn in 0..20_usize) {
        let (mut rules, terms) = rules_of(&text);
        let expected = naive(&rules, &terms);
        let turn = turn % rules.len();
        rules.rotate_left(turn); // the order of the rules does not matter
        for relation in 2..6 {
            let name = format!("p{relation}");
            let Some(symbol) = terms.symbols().get(&name) else { continue };
            let derived = derive(rules.clone(), &terms, &name, EvaluationLimits::default()).unwrap();
            prop_assert_eq!(derived, tuples(&expected, symbol, &terms), "{}", name);
        }
    }

    #[test]
    fn random_programs_on_demand_derive_what_the_naive_fixpoint_derives(
        text in program(),
        once in demand(),
        again in demand(),
    ) {
        on_demand(&text, &[once, again])?;
    }
}

proptest! {
    #![proptest_config(property::cases(20_000))]

    #[test]
    #[ignore = "a minute"]
    fn many_random_programs_on_demand_derive_what_the_naive_fixpoint_derives(
        text in program(),
        demands in prop::collection::vec(demand(), 1..4),
    ) {
        on_demand(&text, &demands)?;
    }
}

/// Which of `p0` ... `p5` are restricted to what is asked of them, and the groups of the rules.
fn demand() -> impl Strategy<Value = [(bool, usize); 6]> {
    proptest::array::uniform6((any::<bool>(), 0..3_usize))
}

/// Restricts relations of a program, then relations of the program that results, and so on. Relations that are
/// restricted nowhere have the tuples of the naive fixpoint.
fn on_demand(text: &str, demands: &[[(bool, usize); 6]]) -> Result<(), TestCaseError> {
    let (mut rules, terms) = rules_of(text);
    let expected = naive(&rules, &terms);
    let number =
        |name: Symbol| (0..6).find(|number| terms.symbols().get(&format!("p{number}")) == Some(name));
    for demand in demands {
        let mut program = DatalogProgram::new(rules.clone(), &[]);
        let mut sample = Database::new(&program, None);
        for relation in 0..program.relations() {
            sample.plan(&mut program, relation, false, &terms).unwrap();
        }
        let of = |name: Symbol| number(name).map_or((false, 0), |number: usize| demand[number]);
        let request =
            DemandRequest { rules: &rules, is_restricted: &|name| of(name).0, group: &|name| of(name).1 };
        let demanded = sample.demand(&program, &request, &terms).rules;
        if DatalogProgram::new(demanded.clone(), &[]).negative_cycle().is_some() {
            break;
        }
        rules = demanded;
    }
    for relation in (0..6).filter(|&relation| demands.iter().all(|demand| !demand[relation].0)) {
        let name = format!("p{relation}");
        let Some(symbol) = terms.symbols().get(&name) else { continue };
        if rules.iter().any(|rule| rule.head.relation == symbol) {
            let derived = derive(rules.clone(), &terms, &name, EvaluationLimits::default()).unwrap();
            prop_assert_eq!(derived, tuples(&expected, symbol, &terms), "{} of {}", name, text);
        }
    }
    Ok(())
}

/// The tuples of a relation, as texts.
fn tuples(of: &BTreeSet<(Symbol, Vec<TermId>)>, relation: Symbol, terms: &TermStore) -> BTreeSet<String> {
    let own = of.iter().filter(|(other, _)| *other == relation);
    own.map(|(_, row)| row.iter().map(|&term| terms.show(term)).collect::<Vec<_>>().join(" ")).collect()
}

/// Half a minute when the cost of every condition was worked out anew at every step.
#[test]
fn a_rule_with_many_recursive_conditions_is_planned_at_once() {
    let body: String = (0..200).map(|v| format!("(p ?v{v}) (d ?v{v}) ")).collect();
    let text = format!("(d a) (<= (p ?x) (d ?x)) (<= (p ?v0) {body})");
    let begin = std::time::Instant::now();
    assert_eq!(answers(&text, "p").len(), 1);
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}

/// Quadratic when the set-up looked through all relations for each of them.
#[test]
fn a_long_chain_of_relations_is_set_up_in_linear_time() {
    let chain: String = (0..20_000).map(|n| format!("(<= (p{n} ?x) (p{} ?x))\n", n + 1)).collect();
    let begin = std::time::Instant::now();
    let text = format!("{chain} (p20000 a)");
    assert_eq!(answers(&text, "p0").len(), 1);
    let (rules, terms) = rules_of(&text);
    let mut program = DatalogProgram::new(rules, &[]);
    let p0 = program.relation(terms.symbols().get("p0").unwrap()).unwrap();
    let mut database = Database::new(&program, None);
    database.plan_stage(&mut program, &[p0], 0, &terms).unwrap();
    assert_eq!(database.relation(p0, &program).len(), 1);
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}

#[test]
fn a_term_that_doubles_is_stopped_before_it_is_too_large_to_print() {
    let (rules, terms) = rules_of("(n a) (<= (n (f ?x ?x)) (n ?x))");
    let result = derive(rules, &terms, "n", EvaluationLimits::default());
    assert!(
        matches!(&result, Err(LimitError { exceeded: LimitExceeded::Size, limit: 100_000, .. })),
        "{result:?}"
    );
}

#[test]
fn wide_tuples_are_counted_by_their_terms() {
    let text = "(bit 0) (bit 1) (<= (p ?a ?b ?c ?d ?e) (bit ?a) (bit ?b) (bit ?c) (bit ?d) (bit ?e))";
    let (rules, terms) = rules_of(text);
    let all =
        derive(rules.clone(), &terms, "p", EvaluationLimits { cells: 160, ..EvaluationLimits::default() });
    assert_eq!(all.unwrap().len(), 32);
    let fewer = derive(rules, &terms, "p", EvaluationLimits { cells: 159, ..EvaluationLimits::default() });
    assert!(
        matches!(&fewer, Err(LimitError { exceeded: LimitExceeded::Tuples, limit: 31, .. })),
        "{fewer:?}"
    );
}

#[test]
fn a_join_without_end_is_stopped() {
    let many: String = (0..40).map(|v| format!("(bit ?v{v}) ")).collect();
    let (rules, terms) = rules_of(&format!("(bit 0) (bit 1) (<= (p a) {many} (distinct ?v39 ?v39))"));
    let result =
        derive(rules, &terms, "p", EvaluationLimits { visits: 10_000, ..EvaluationLimits::default() });
    assert!(
        matches!(&result, Err(LimitError { exceeded: LimitExceeded::Visits, relation, .. }) if relation == "p"),
        "{result:?}"
    );
}
