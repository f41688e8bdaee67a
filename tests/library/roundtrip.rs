//! The readers read the output of the writers as equal clauses.
//!
//! This is tested on generated rulesheets with odd names, on every file of `games/`, and on every file below the
//! folder that the environment variable `HYPERPLAY_RULESHEETS` names, in all four directions between the two
//! syntaxes.

use crate::common::{self, property};
use hyperplay::gdl::{
    Atom, Clause, Formula, Rulesheet, Source, Symbol, Symbols, Syntax, Term, fold, load, print, print_rule,
    print_term, read,
};
use proptest::prelude::*;

const BOTH: [Syntax; 2] = [Syntax::Kif, Syntax::Infix];

/// The clauses with every name spelt out and folded, so that rulesheets with different tables can be compared.
pub(crate) fn spelt(rulesheet: &Rulesheet) -> Vec<String> {
    fn name(symbol: Symbol, symbols: &Symbols) -> String {
        format!("{:?}", fold(symbols.name(symbol)))
    }
    fn term(term: &Term, symbols: &Symbols) -> String {
        match term {
            Term::Variable(variable) => format!("?{}", name(*variable, symbols)),
            Term::Constant(constant) => name(*constant, symbols),
            Term::Compound(functor, arguments) => list(&name(*functor, symbols), arguments, symbols),
        }
    }
    fn list(word: &str, terms: &[Term], symbols: &Symbols) -> String {
        let terms: Vec<String> = terms.iter().map(|argument| term(argument, symbols)).collect();
        format!("{word}[{}]", terms.join(","))
    }
    fn atom(atom: &Atom, symbols: &Symbols) -> String {
        list(&name(atom.relation, symbols), &atom.arguments, symbols)
    }
    fn formula(one: &Formula, symbols: &Symbols) -> String {
        let all = |members: &[Formula]| {
            members.iter().map(|member| formula(member, symbols)).collect::<Vec<_>>().join(",")
        };
        match one {
            Formula::Atom(one) => atom(one, symbols),
            Formula::Distinct(left, right, _) => {
                format!("distinct({},{})", term(left, symbols), term(right, symbols))
            }
            Formula::Not(inner, _) => format!("not({})", formula(inner, symbols)),
            Formula::And(members, _) => format!("and({})", all(members)),
            Formula::Or(members, _) => format!("or({})", all(members)),
        }
    }
    let symbols = &rulesheet.symbols;
    let clause = |clause: &Clause| {
        let body: Vec<String> = clause.body.iter().map(|one| formula(one, symbols)).collect();
        format!("{} <= {}", atom(&clause.head, symbols), body.join(" "))
    };
    rulesheet.clauses.iter().map(clause).collect()
}

/// Whether two rulesheets say the same, clause by clause, names compared ignoring case.
fn same_clauses(a: &Rulesheet, b: &Rulesheet) -> bool {
    spelt(a) == spelt(b)
}

fn printed(rulesheet: &Rulesheet, syntax: Syntax) -> Rulesheet {
    let text = print(rulesheet, syntax);
    let (again, findings) = read(Source::new("printed", &text), Some(syntax));
    assert_eq!(findings, [], "{syntax:?}:\n{text}");
    again
}

/// Prints and reads a rulesheet in all four directions.
fn check(rulesheet: &Rulesheet) {
    for first in BOTH {
        let once = printed(rulesheet, first);
        assert!(same_clauses(&once, rulesheet), "{first:?}:\n{}", print(rulesheet, first));
        let again = print(&printed(&once, first), first);
        assert!(again == print(&once, first), "printing {first:?} does not come to rest:\n{again}");
        for second in BOTH {
            assert!(same_clauses(&printed(&once, second), rulesheet), "{first:?}, then {second:?}");
        }
    }
}

#[test]
fn every_rulesheet_survives_printing_and_reading() {
    for (path, text) in common::rulesheets() {
        let (rulesheet, _) = read(Source::new(path.as_str(), &text), None);
        check(&rulesheet);
    }
}

#[test]
fn the_rules_of_a_game_print_as_clauses() {
    for (path, text) in common::rulesheets() {
        let Some(game) = load(Source::new(path.as_str(), &text), None).game else { continue };
        for rule in game.rules() {
            let line = print_rule(rule, game.terms().symbols());
            let (again, findings) = read(Source::new("rule", &line), Some(Syntax::Kif));
            assert_eq!((again.clauses.len(), findings.len()), (1, 0), "{path}: {line}");
            assert_eq!(again.clauses[0].body.len(), rule.body.len(), "{path}: {line}");
        }
    }
}

#[test]
fn a_rulesheet_is_laid_out_for_reading() {
    let text = "(role A) (role b) (<= (next (f ?x)) (true ?x) (or p (and (not q) (distinct ?x 1)))) (<= p q)";
    let (rulesheet, _) = read(Source::new("t", text), None);
    let kif = "\
(role A)
(role b)

(<= (next (f ?x))
    (true ?x)
    (or p (and (not q) (distinct ?x 1))))

(<= p q)
";
    let infix = "\
role(a)
role(b)

next(f(X)) :-
    true(X) &
    (p | (~q & distinct(X, 1)))

p :- q
";
    assert_eq!(print(&rulesheet, Syntax::Kif), kif);
    assert_eq!(print(&rulesheet, Syntax::Infix), infix);
    assert_eq!(
        print_term(&rulesheet.clauses[2].head.arguments[0], &rulesheet.symbols, Syntax::Infix),
        "f(X)"
    );
}

#[test]
fn names_that_the_infix_form_cannot_spell_are_quoted() {
    let text = "(p ++ 2-x it's _a Red ?x ?1 ?a-b ?字 ?ß ẞ)";
    let (rulesheet, _) = read(Source::new("t", text), None);
    let expected = "p('++', '2-x', 'it''s', '_a', red, X, ?1, ?'a-b', ?字, ?ß, ß)\n";
    assert_eq!(print(&rulesheet, Syntax::Infix), expected);
    check(&rulesheet);
}

/// A name, often one of few so that spellings clash, else any text that the prefix form takes for a name.
fn name() -> impl Strategy<Value = String> {
    let few = prop::sample::select(vec![
        "a", "A", "b", "f", "x", "X", "cell", "Cell", "10", "_", "_x", "++", "2-x", "it's", "''", "%", "//a",
        "ß", "é", "É", "字", "random", "p:q", "|a|", "\"b\"", ".", "<", "-1", "=", "_1", "~", "and",
        "terminal",
    ]);
    let any = "\\PC{1,6}".prop_filter_map("a name of the prefix form", |text| {
        let blank = |c: char| c.is_whitespace() || c.is_control() || "();?\u{feff}".contains(c);
        // An arrow with a word behind it, as in `(<=p q)`, is two tokens.
        let joined = |head: &str| head.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_arrow =
            ["<=", "⇐", "←", ":-"].contains(&text.as_str()) || text.strip_prefix("<=").is_some_and(joined);
        (!text.contains(blank) && !is_arrow && !text.starts_with('"')).then_some(text)
    });
    prop_oneof![3 => few.prop_map(str::to_owned), 1 => any]
}

/// A term in the prefix form.
fn term() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![name(), name().prop_map(|name| format!("?{name}"))];
    leaf.prop_recursive(4, 16, 3, |inner| {
        (name(), prop::collection::vec(inner, 0..4)).prop_map(|(name, terms)| list(&name, &terms))
    })
}

fn list(word: &str, members: &[String]) -> String {
    format!("({word} {})", members.join(" "))
}

/// An atom in the prefix form whose relation is no word of the language.
fn atom() -> impl Strategy<Value = String> {
    let relation = name().prop_filter("no logical word", |name| {
        !["and", "or", "not", "distinct", "true", "does"].contains(&fold(name).as_ref())
    });
    (relation, prop::collection::vec(term(), 0..4)).prop_map(|(name, terms)| list(&name, &terms))
}

/// A formula in the prefix form.
fn formula() -> impl Strategy<Value = String> {
    let distinct = (term(), term()).prop_map(|(left, right)| format!("(distinct {left} {right})"));
    let fluent = term().prop_map(|term| format!("(true {term})"));
    prop_oneof![3 => atom(), 1 => distinct, 1 => fluent].prop_recursive(4, 16, 3, |inner| {
        let members = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            inner.prop_map(|one| format!("(not {one})")),
            members.clone().prop_map(|all| list("and", &all)),
            members.prop_map(|all| list("or", &all)),
        ]
    })
}

fn clause() -> impl Strategy<Value = String> {
    prop_oneof![
        atom(),
        (atom(), prop::collection::vec(formula(), 0..4))
            .prop_map(|(head, body)| format!("(<= {head} {})", body.join(" "))),
    ]
}

proptest! {
    #![proptest_config(property::cases(256))]

    #[test]
    fn every_generated_rulesheet_survives_printing_and_reading(clauses in prop::collection::vec(clause(), 0..8)) {
        let text = clauses.join("\n ");
        let (rulesheet, findings) = read(Source::new("generated", &text), Some(Syntax::Kif));
        prop_assert_eq!(findings, vec![], "{}", text);
        prop_assert_eq!(rulesheet.clauses.len(), clauses.len());
        check(&rulesheet);
    }
}
