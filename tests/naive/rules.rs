//! The clauses of a rulesheet in the form of the naive evaluator, and the groups in which they are evaluated.
//!
//! A group is a set of relations that reach one another through rules; groups come after all that they depend on. A
//! relation of the language is known by its name, any other by its name and the number of its arguments.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use hyperplay_logic::gdl::{self, Rulesheet, Symbol, Symbols};

use super::term::{Pattern, Term};

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
    /// The variables of the head.
    pub head_variables: Variables,
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
    /// The relations that depend on their own negation.
    pub through_negation: BTreeSet<usize>,
    /// The constants of the text: what a head variable ranges over that nothing binds.
    pub constants: Vec<Term>,
}

impl Rules {
    pub fn new(sheet: &Rulesheet) -> Rules {
        let mut reader = Reader {
            symbols: &sheet.symbols,
            relations: HashMap::new(),
            names: Vec::new(),
            constants: BTreeSet::new(),
        };
        for keyword in
            ["role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "base", "input"]
        {
            reader.keyword(sheet.symbols.get(keyword).expect("a word of the language"));
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
        let through_negation = negative
            .iter()
            .filter(|(head, body)| reach[*body].contains(head))
            .map(|&(head, _)| head)
            .collect();
        // Who depends on another and not the other way round reaches strictly more.
        let mut sets: Vec<&BTreeSet<usize>> = reach.iter().collect();
        sets.sort_by_key(|set| (set.len(), *set));
        sets.dedup();
        let members =
            |set: &BTreeSet<usize>| (0..reach.len()).filter(|&relation| reach[relation] == *set).collect();
        let groups = sets.into_iter().map(members).collect();
        let constants = reader.constants.into_iter().map(Term::Name).collect();
        Rules { clauses, names: reader.names, groups, reach, through_negation, constants }
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
    /// By name, and by the number of arguments unless it is a relation of the language.
    relations: HashMap<(Symbol, Option<usize>), usize>,
    names: Vec<Rc<str>>,
    constants: BTreeSet<Rc<str>>,
}

impl Reader<'_> {
    fn keyword(&mut self, symbol: Symbol) {
        self.numbered((symbol, None));
    }

    fn relation(&mut self, symbol: Symbol, arity: usize) -> usize {
        let keyword = (symbol, None);
        self.numbered(if self.relations.contains_key(&keyword) { keyword } else { (symbol, Some(arity)) })
    }

    fn numbered(&mut self, key: (Symbol, Option<usize>)) -> usize {
        *self.relations.entry(key).or_insert_with(|| {
            self.names.push(self.symbols.name(key.0).into());
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
        let mut head_variables = 0;
        clause.head.each_variable(&mut |symbol| head_variables |= 1 << number(symbol, &mut variables));
        Clause { head, body, variables: variables.len(), role, head_variables }
    }

    fn atom(&mut self, atom: &gdl::Atom, variables: &mut Vec<Symbol>) -> Atom {
        let arguments = atom.arguments.iter().map(|term| self.pattern(term, variables)).collect();
        Atom { relation: self.relation(atom.relation, atom.arguments.len()), arguments }
    }

    fn pattern(&mut self, term: &gdl::Term, variables: &mut Vec<Symbol>) -> Pattern {
        match term {
            gdl::Term::Variable(symbol) => Pattern::Variable(number(*symbol, variables)),
            gdl::Term::Constant(symbol) => {
                let name: Rc<str> = self.symbols.name(*symbol).into();
                self.constants.insert(Rc::clone(&name));
                Pattern::Name(name)
            }
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
