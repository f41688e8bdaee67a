//! The clauses of a rulesheet in the form of the naive evaluator, and the groups in which they are evaluated.
//!
//! A group is a set of relations that reach one another through rules; groups come after all that they depend on. No
//! group reaches itself through a negation.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use hyperplay::gdl::{self, Rulesheet, Symbol, Symbols};

use super::term::Pattern;

/// Which variables of a clause occur somewhere; a clause has at most 128.
pub type Variables = u128;

/// A relation applied to patterns.
#[derive(Debug)]
pub struct Atom {
    pub relation: usize,
    pub arguments: Vec<Pattern>,
}

/// A condition of a body: the tree as written.
#[derive(Debug)]
pub struct Condition {
    pub kind: Kind,
    pub variables: Variables,
}

#[derive(Debug)]
pub enum Kind {
    Atom(Atom),
    Distinct(Pattern, Pattern),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

#[derive(Debug)]
pub struct Clause {
    pub head: Atom,
    pub body: Vec<Condition>,
    /// The number of variables.
    pub variables: usize,
    /// The variable that stands for the role in the head of `legal`, `goal` or `sees`.
    pub role: Option<usize>,
}

#[derive(Debug)]
pub struct Rules {
    /// In the order of the text.
    pub clauses: Vec<Clause>,
    /// The relations by name.
    pub names: Vec<Rc<str>>,
    /// Sets of mutually dependent relations, each after all that it depends on.
    pub groups: Vec<BTreeSet<usize>>,
    /// What each relation depends on, itself included.
    pub reach: Vec<BTreeSet<usize>>,
}

impl Rules {
    pub fn new(sheet: &Rulesheet) -> Rules {
        let mut reader = Reader { symbols: &sheet.symbols, relations: HashMap::new(), names: Vec::new() };
        for keyword in
            ["role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "base", "input"]
        {
            reader.relation(sheet.symbols.get(keyword).expect("a word of the language"));
        }
        let clauses: Vec<Clause> = sheet.clauses.iter().map(|clause| reader.clause(clause)).collect();
        let mut direct = vec![BTreeSet::new(); reader.names.len()];
        let mut negative = BTreeSet::new();
        for clause in &clauses {
            for condition in &clause.body {
                condition.each_atom(true, &mut |relation, positive| {
                    direct[clause.head.relation].insert(relation);
                    if !positive {
                        negative.insert((clause.head.relation, relation));
                    }
                });
            }
        }
        let reach: Vec<BTreeSet<usize>> = (0..direct.len()).map(|from| reachable(from, &direct)).collect();
        for &(head, body) in &negative {
            assert!(!reach[body].contains(&head), "not stratified: {}", reader.names[body]);
        }
        // Who depends on another and not the other way round reaches strictly more.
        let mut sets: Vec<&BTreeSet<usize>> = reach.iter().collect();
        sets.sort_by_key(|set| (set.len(), *set));
        sets.dedup();
        let members =
            |set: &BTreeSet<usize>| (0..reach.len()).filter(|&relation| reach[relation] == *set).collect();
        let groups = sets.into_iter().map(members).collect();
        Rules { clauses, names: reader.names, groups, reach }
    }

    /// The relation with this name. The words of the language always have one.
    pub fn relation(&self, name: &str) -> usize {
        self.names.iter().position(|other| **other == *name).expect("a word of the language")
    }
}

fn reachable(from: usize, direct: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(relation) = open.pop() {
        open.extend(direct[relation].iter().copied().filter(|&next| seen.insert(next)));
    }
    seen
}

impl Condition {
    fn each_atom(&self, positive: bool, visit: &mut impl FnMut(usize, bool)) {
        match &self.kind {
            Kind::Atom(atom) => visit(atom.relation, positive),
            Kind::Distinct(..) => {}
            Kind::Not(condition) => condition.each_atom(!positive, visit),
            Kind::And(parts) | Kind::Or(parts) => {
                parts.iter().for_each(|part| part.each_atom(positive, visit))
            }
        }
    }
}

/// Reads clauses, numbering relations throughout and variables within a clause.
struct Reader<'a> {
    symbols: &'a Symbols,
    relations: HashMap<Symbol, usize>,
    names: Vec<Rc<str>>,
}

impl Reader<'_> {
    fn relation(&mut self, symbol: Symbol) -> usize {
        *self.relations.entry(symbol).or_insert_with(|| {
            self.names.push(self.symbols.name(symbol).into());
            self.names.len() - 1
        })
    }

    fn clause(&mut self, clause: &gdl::Clause) -> Clause {
        let mut variables = Vec::new();
        let head = self.atom(&clause.head, &mut variables);
        let body = clause.body.iter().map(|formula| self.condition(formula, &mut variables)).collect();
        assert!(variables.len() <= 128, "a clause with {} variables", variables.len());
        let ranges = matches!(&*self.names[head.relation], "legal" | "goal" | "sees");
        let role = match head.arguments.first() {
            Some(&Pattern::Variable(variable)) if ranges => Some(variable),
            _ => None,
        };
        Clause { head, body, variables: variables.len(), role }
    }

    fn atom(&mut self, atom: &gdl::Atom, variables: &mut Vec<Symbol>) -> Atom {
        let arguments = atom.arguments.iter().map(|term| self.pattern(term, variables)).collect();
        Atom { relation: self.relation(atom.relation), arguments }
    }

    fn pattern(&self, term: &gdl::Term, variables: &mut Vec<Symbol>) -> Pattern {
        match term {
            gdl::Term::Variable(symbol) => Pattern::Variable(number(*symbol, variables)),
            gdl::Term::Constant(symbol) => Pattern::Name(self.symbols.name(*symbol).into()),
            gdl::Term::Compound(functor, arguments) => Pattern::Tree(
                self.symbols.name(*functor).into(),
                arguments.iter().map(|argument| self.pattern(argument, variables)).collect(),
            ),
        }
    }

    fn condition(&mut self, formula: &gdl::Formula, variables: &mut Vec<Symbol>) -> Condition {
        let mut occurring = 0;
        let parts =
            |reader: &mut Self, parts: &[gdl::Formula], variables: &mut Vec<Symbol>| -> Vec<Condition> {
                parts.iter().map(|part| reader.condition(part, variables)).collect()
            };
        let all = |parts: &[Condition]| parts.iter().fold(0, |all, part| all | part.variables);
        let kind = match formula {
            gdl::Formula::Atom(atom) => {
                let read = self.atom(atom, variables);
                atom.each_variable(&mut |symbol| occurring |= 1 << number(symbol, variables));
                Kind::Atom(read)
            }
            gdl::Formula::Distinct(left, right, _) => {
                let (one, other) = (self.pattern(left, variables), self.pattern(right, variables));
                for term in [left, right] {
                    term.each_variable(&mut |symbol| occurring |= 1 << number(symbol, variables));
                }
                Kind::Distinct(one, other)
            }
            gdl::Formula::Not(part, _) => {
                let part = self.condition(part, variables);
                occurring = part.variables;
                Kind::Not(Box::new(part))
            }
            gdl::Formula::And(list, _) => {
                let list = parts(self, list, variables);
                occurring = all(&list);
                Kind::And(list)
            }
            gdl::Formula::Or(list, _) => {
                let list = parts(self, list, variables);
                occurring = all(&list);
                Kind::Or(list)
            }
        };
        Condition { kind, variables: occurring }
    }
}

/// The number of a variable within its clause.
fn number(variable: Symbol, variables: &mut Vec<Symbol>) -> usize {
    variables.iter().position(|&other| other == variable).unwrap_or_else(|| {
        variables.push(variable);
        variables.len() - 1
    })
}
