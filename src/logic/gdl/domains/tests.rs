//! Tests of the position domains on small rulesheets, and of their limits on hostile ones.
//!
//! `tests/library/impossible.rs` tests on whole games that what the domains exclude never occurs.

use super::super::normal;
use super::super::print::print_term;
use super::super::read::read;
use super::super::rulesheet::{Rulesheet, Syntax};
use super::super::source::Source;
use super::*;

/// Whether the body of a rule may hold in some state.
fn may_fire(domains: &PositionDomains, rule: &Rule) -> bool {
    domains.may_hold_together(&rule.body.iter().collect::<Vec<_>>(), &mut Budget(QUESTION))
}

/// A rulesheet, which need not be a game, with its domains.
struct Inferred {
    sheet: Rulesheet,
    rules: Vec<Rule>,
    domains: PositionDomains,
}

impl Inferred {
    fn of(text: &str) -> Inferred {
        let (sheet, _) = read(Source::new("t.kif", text), Some(Syntax::Kif));
        let mut growth = normal::MAX_GROWTH;
        let branches = |index: usize| normal::branches(&sheet.clauses[index], &mut growth).unwrap();
        let rules: Vec<Rule> = (0..sheet.clauses.len())
            .map(branches)
            .enumerate()
            .flat_map(|(index, branches)| branches.into_iter().map(move |branch| (index, branch)))
            .map(|(index, branch)| branch.rule(&sheet.clauses[index], index))
            .collect();
        let domains = PositionDomains::of(&rules);
        Inferred { sheet, rules, domains }
    }

    fn show(&self, terms: Option<Vec<Term>>) -> Option<String> {
        let shown = |term| print_term(&term, &self.sheet.symbols, Syntax::Kif);
        terms.map(|terms| terms.into_iter().map(shown).collect::<Vec<_>>().join(" "))
    }

    /// The terms at a position, as a text.
    fn at(&self, relation: &str, arity: usize, position: usize) -> Option<String> {
        let relation = self.sheet.symbols.get(relation).unwrap();
        self.show(self.domains.terms_at(relation, arity, position, 1000))
    }

    /// The values of a variable of a rule, as a text.
    fn values(&self, rule: usize, variable: &str) -> Option<String> {
        let variable = self.sheet.symbols.get(variable).unwrap();
        self.show(self.domains.values_of(&self.rules[rule], variable, 1000))
    }

    /// Whether an atom may hold by some clauses, which is also whether a rule with this condition alone may fire.
    fn may_hold(text: &str, atom: &str) -> bool {
        let all = Inferred::of(&format!("{text} (<= (asked) {atom})"));
        let rule = all.rules.last().unwrap();
        let Literal::Positive(atom) = &rule.body[0] else { panic!("an atom") };
        let may_hold = all.domains.may_hold(atom);
        assert_eq!(may_fire(&all.domains, rule), may_hold);
        may_hold
    }
}

#[test]
fn a_head_gets_what_all_positions_of_the_body_have() {
    let all = Inferred::of(
        "(p a) (p b) (p (f 1)) (p (f 2)) (q b) (q c) (q (f 2)) (q (g 1))
         (<= (both ?x) (p ?x) (q ?x)) (<= (rest ?x) (p ?x) (distinct ?x a) (distinct b ?x))
         (<= (one ?x) (p ?x) (not (distinct ?x a))) (<= (inside ?y (h ?y)) (p (f ?y)) (not (q ?y)))",
    );
    assert_eq!(all.at("both", 1, 0).unwrap(), "b (f 2)");
    assert_eq!(all.at("rest", 1, 0).unwrap(), "(f 1) (f 2)");
    assert_eq!(all.at("one", 1, 0).unwrap(), "a");
    assert_eq!(all.at("inside", 2, 0).unwrap(), "1 2");
    assert_eq!(all.at("inside", 2, 1).unwrap(), "(h 1) (h 2)");
    assert_eq!((all.at("inside", 1, 0).unwrap(), all.at("inside", 2, 7).unwrap()), ("".into(), "".into()));
}

#[test]
fn a_rule_that_cannot_fire_adds_nothing() {
    let text =
        "(p a) (q b) (<= (r ?x) (p ?x) (q ?x)) (<= s (r ?x)) (<= s (p (f ?x))) (<= s (p ?x) (distinct ?x a))";
    for atom in ["(r ?x)", "(s)", "(p b)", "(p ?x ?y)", "(t)"] {
        assert!(!Inferred::may_hold(text, atom), "{atom}");
    }
    assert!(Inferred::may_hold(text, "(p ?x)"));
    // ?x stands at two positions that have nothing in common.
    assert!(!Inferred::may_hold("(p a b) (p b (f c))", "(p ?x (f ?x))"));
    assert!(Inferred::may_hold("(p a b) (p b (f b))", "(p ?x (f ?x))"));
}

#[test]
fn fluents_come_from_init_and_next_and_moves_from_legal() {
    let all = Inferred::of(
        "(init (step 1)) (succ 1 2) (succ 2 3) (legal a (go left)) (legal b noop)
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next (at ?d)) (does a (go ?d)))",
    );
    assert_eq!(all.at("true", 1, 0).unwrap(), "(step 1) (step 2) (step 3) (at left)");
    assert_eq!(all.at("init", 1, 0).unwrap(), "(step 1)");
    assert_eq!(all.at("does", 2, 1).unwrap(), "noop (go left)");
    assert_eq!(all.values(5, "n").unwrap(), "1 2");
}

#[test]
fn a_role_that_is_named_has_its_own_moves() {
    let text = "(role a) (role b) (legal a left) (legal b right) (<= (legal ?r noop) (role ?r))";
    for atom in ["(does a left)", "(does b noop)", "(does ?r left)", "(legal b right)"] {
        assert!(Inferred::may_hold(text, atom), "{atom}");
    }
    for atom in ["(does b left)", "(legal a right)", "(does c noop)"] {
        assert!(!Inferred::may_hold(text, atom), "{atom}");
    }
    // Which role is (f c)? It may be any that is not a constant, and then nothing is known of the others.
    let compound = format!("{text} (legal (f c) up)");
    assert!(
        Inferred::may_hold(&compound, "(does (f c) up)") && Inferred::may_hold(&compound, "(does b left)")
    );
}

#[test]
fn a_variable_that_nothing_binds_ranges_over_its_positions_in_the_head() {
    let all = Inferred::of("(p a) (p b) (q c) (<= (p ?x) (q ?y)) (<= (r ?x) (not (p ?x)))");
    assert_eq!(all.at("p", 1, 0).unwrap(), "a b");
    assert_eq!(all.values(3, "x").unwrap(), "a b");
    assert_eq!(all.values(4, "x").unwrap(), "");
    let Literal::Negative(atom) = &all.rules[4].body[0] else { panic!("a negation") };
    let x = all.sheet.symbols.get("x").unwrap();
    assert_eq!(all.show(all.domains.values_in(atom, x, 9)).unwrap(), "a b");
    assert_eq!(all.values(4, "y"), None);
}

#[test]
fn recursive_terms_end_and_are_infinite() {
    let all = Inferred::of(
        "(n 0) (<= (n (s ?x)) (n ?x)) (<= (two ?x) (n ?x) (n (s ?x))) (small 0) (small (s 0)) (small (s (s 0)))
         (<= (both ?x) (n ?x) (small ?x)) (<= (l (cons ?x ?y)) (n ?x) (l ?y)) (l nil)",
    );
    assert_eq!(all.at("n", 1, 0), None);
    assert_eq!(all.at("small", 1, 0).unwrap(), "0 (s 0) (s (s 0))");
    assert_eq!(all.at("both", 1, 0).unwrap(), "0 (s 0) (s (s 0))");
    let deep = |zero| format!("(n {}{zero}{})", "(s ".repeat(40), ")".repeat(40));
    let numbers = "(n 0) (<= (n (s ?x)) (n ?x))";
    assert!(Inferred::may_hold(numbers, &deep("0")) && !Inferred::may_hold(numbers, &deep("1")));
}

#[test]
fn a_cycle_of_rules_reaches_its_fixpoint() {
    let all = Inferred::of(
        "(<= (p ?x ?y) (q ?y ?x)) (<= (q ?x ?y) (r ?x ?y)) (<= (r ?x ?y) (p ?x ?y)) (r a b) (<= (r (f ?x) c) (q ?x ?y))",
    );
    // a and b change places on each round, and so does whatever is under f.
    assert_eq!(all.at("r", 2, 0), None);
    let swap = Inferred::of("(<= (p ?y ?x) (p ?x ?y)) (p a b) (p b c)");
    assert_eq!(swap.at("p", 2, 0).unwrap(), "a b c");
}

/// A text that would cost far more than the budget.
fn hostile(kind: usize) -> String {
    let numbers = |text: &dyn Fn(usize) -> String, many: usize| (0..many).map(text).collect::<String>();
    match kind {
        // A long cycle, into which a constant comes at each relation.
        0 => numbers(&|i| format!("(p{i} c{i}) (<= (p{i} ?x) (p{} ?x))", (i + 1) % 5000), 5000),
        // Functors that nest in all orders.
        1 => numbers(&|i| format!("(<= (p (f{i} ?x ?y)) (p ?x) (p ?y)) (p c{i})"), 60),
        // Intersections of recursive terms with different periods.
        2 => {
            let tower =
                |i: usize| format!("(<= (q{i} {}?x{}) (q{i} ?x)) (q{i} z)", "(s ".repeat(i), ")".repeat(i));
            let all = numbers(&|i| format!("(q{} ?x)", i + 2), 30);
            numbers(&|i| tower(i + 2), 30) + &format!("(<= (r ?x) {all})")
        }
        // One functor with very many arguments.
        _ => {
            let wide = numbers(&|i| format!(" ?x{i}"), 2000);
            format!(
                "(p c) (<= (p (f{wide})) {}) (<= (q ?x) (p ?x) (p (f ?x)))",
                numbers(&|i| format!("(p ?x{i})"), 2000)
            )
        }
    }
}

#[test]
fn a_hostile_rulesheet_is_given_up_or_done_within_the_budget() {
    for (kind, is_done) in [(0, false), (1, false), (2, true), (3, false)] {
        let all = Inferred::of(&hostile(kind));
        assert_eq!(all.domains.fixpoint.is_some(), is_done, "{kind}");
        for rule in all.rules.iter().take(100) {
            rule.head.each_variable(&mut |variable| {
                let values = all.domains.values_of(rule, variable, 10);
                assert!(values.is_none_or(|values| is_done && values.len() <= 10));
            });
        }
    }
}

#[test]
fn what_is_given_up_may_hold() {
    let domains = PositionDomains { fixpoint: None };
    let all = Inferred::of("(p a) (<= (q ?x) (p b) (p ?x))");
    let rule = &all.rules[1];
    assert!(!may_fire(&all.domains, rule) && may_fire(&domains, rule) && domains.may_hold(&rule.head));
    let x = all.sheet.symbols.get("x").unwrap();
    assert_eq!(domains.values_of(rule, x, 9), None);
    assert_eq!(domains.terms_at(rule.head.relation, 1, 0, 9), None);
}
