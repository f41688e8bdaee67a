//! A second interpreter of SIDL, for tests only: the definitions of `docs/sidl.md` read literally, on terms as trees and states as lists.
//!
//! It shares the reader and the checks with the machine, and nothing else: no compiled patterns, no slots, no ids of terms, no list of
//! what may act. It is slow.

use std::collections::BTreeMap;

use hyperplay_logic::gdl::{Atom, Symbol, Symbols, Term};
use hyperplay_sidl::{Comparison, Effect, Interaction, Number, Selector, Test, spelled_number};

/// A term without variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Tree(pub String, pub Vec<Tree>);

type Bound = BTreeMap<String, Tree>;

impl Tree {
    /// The term that a text in prefix form spells.
    pub fn read(text: &str) -> Tree {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        Tree::of_words(&words, &mut 0)
    }

    fn of_words(words: &[&str], at: &mut usize) -> Tree {
        let word = words[*at];
        *at += 1;
        if word != "(" {
            return Tree(word.to_lowercase(), Vec::new());
        }
        let name = words[*at].to_lowercase();
        *at += 1;
        let mut arguments = Vec::new();
        while words[*at] != ")" {
            arguments.push(Tree::of_words(words, at));
        }
        *at += 1;
        Tree(name, arguments)
    }

    fn number(&self) -> Option<Number> {
        match &self.1[..] {
            [] => spelled_number(&self.0),
            [a, b] if self.0 == "/" => Some(a.number()? / b.number()?),
            _ => None,
        }
    }

    fn of_number(number: Number) -> Tree {
        let whole = |part: &i64| Tree(part.to_string(), Vec::new());
        match number.is_integer() {
            true => whole(number.numer()),
            false => Tree("/".to_owned(), vec![whole(number.numer()), whole(number.denom())]),
        }
    }

    /// The natural order: constants before compound terms, numbers by value before words, then names, arities and arguments.
    pub fn natural(&self, other: &Tree) -> std::cmp::Ordering {
        let name = |tree: &Tree| (spelled_number(&tree.0).is_none(), spelled_number(&tree.0), tree.0.clone());
        (!self.1.is_empty())
            .cmp(&!other.1.is_empty())
            .then_with(|| name(self).cmp(&name(other)))
            .then_with(|| self.1.len().cmp(&other.1.len()))
            .then_with(|| {
                let mut pairs = self.1.iter().zip(&other.1).map(|(a, b)| a.natural(b));
                pairs.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
            })
    }
}

/// The interpreter of one interaction.
pub struct NaiveInteraction<'a> {
    pub program: &'a Interaction,
    pub symbols: &'a Symbols,
}

impl NaiveInteraction<'_> {
    fn name(&self, symbol: Symbol) -> String {
        self.symbols.name(symbol).to_lowercase()
    }

    /// A term under some bindings; `None` if a variable is free.
    fn value(&self, term: &Term, bound: &Bound) -> Option<Tree> {
        match term {
            Term::Variable(variable) => bound.get(&self.name(*variable)).cloned(),
            Term::Constant(constant) => Some(Tree(self.name(*constant), Vec::new())),
            Term::Compound(functor, arguments) => {
                let name = self.name(*functor);
                let arguments: Option<Vec<Tree>> =
                    arguments.iter().map(|argument| self.value(argument, bound)).collect();
                let arguments = arguments?;
                let numbers: Option<Vec<Number>> = arguments.iter().map(Tree::number).collect();
                Some(match (name.as_str(), numbers.as_deref()) {
                    ("+", Some([a, b])) => Tree::of_number(a + b),
                    ("-", Some([a, b])) => Tree::of_number(a - b),
                    ("-", Some([a])) => Tree::of_number(-a),
                    ("*", Some([a, b])) => Tree::of_number(a * b),
                    ("/", Some([a, b])) => Tree::of_number(a / b),
                    ("min", Some([a, b])) => Tree::of_number(*a.min(b)),
                    ("max", Some([a, b])) => Tree::of_number(*a.max(b)),
                    _ => Tree(name, arguments),
                })
            }
        }
    }

    pub fn ground(&self, term: &Term) -> Tree {
        self.value(term, &Bound::new()).expect("it has no variables")
    }

    fn unify(&self, pattern: &Term, tree: &Tree, bound: &mut Bound) -> bool {
        match pattern {
            Term::Variable(variable) => {
                let name = self.name(*variable);
                *bound.entry(name).or_insert_with(|| tree.clone()) == *tree
            }
            Term::Compound(functor, arguments) if self.value(pattern, bound).is_none() => {
                self.name(*functor) == tree.0
                    && arguments.len() == tree.1.len()
                    && arguments.iter().zip(&tree.1).all(|(argument, tree)| self.unify(argument, tree, bound))
            }
            _ => self.value(pattern, bound).as_ref() == Some(tree),
        }
    }

    fn unify_atom(&self, atom: &Atom, fact: &Tree, bound: &mut Bound) -> bool {
        self.name(atom.relation) == fact.0
            && atom.arguments.len() == fact.1.len()
            && atom.arguments.iter().zip(&fact.1).all(|(argument, tree)| self.unify(argument, tree, bound))
    }

    /// All solutions, in order.
    fn solutions(&self, tests: &[Test], facts: &[Tree], bound: &Bound) -> Vec<Bound> {
        let Some((test, rest)) = tests.split_first() else { return vec![bound.clone()] };
        let mut sorted: Vec<&Tree> = facts.iter().collect();
        sorted.sort_by(|a, b| a.natural(b));
        let then = |bound: &Bound| self.solutions(rest, facts, bound);
        match test {
            Test::Holds(atom) => sorted
                .into_iter()
                .filter_map(|fact| {
                    let mut longer = bound.clone();
                    self.unify_atom(atom, fact, &mut longer).then_some(longer)
                })
                .flat_map(|bound| then(&bound))
                .collect(),
            Test::Not(inner) if self.solutions(inner, facts, bound).is_empty() => then(bound),
            Test::Not(_) | Test::Never => Vec::new(),
            Test::Either(parts) => {
                let each = parts.iter().flat_map(|part| self.solutions(part, facts, bound));
                each.flat_map(|bound| then(&bound)).collect()
            }
            Test::Compare(how, a, b) => {
                let [a, b] = [a, b].map(|term| self.value(term, bound).expect("comparisons are bound"));
                let holds = match (a.number(), b.number()) {
                    (Some(a), Some(b)) => match how {
                        Comparison::Less => a < b,
                        Comparison::AtMost => a <= b,
                        Comparison::Greater => a > b,
                        Comparison::AtLeast => a >= b,
                        Comparison::Equal => a == b,
                        Comparison::NotEqual => a != b,
                    },
                    _ => {
                        matches!(how, Comparison::Equal) == (a == b)
                            && matches!(how, Comparison::Equal | Comparison::NotEqual)
                    }
                };
                if holds { then(bound) } else { Vec::new() }
            }
            Test::Equals(pattern, value) => {
                let (value, mut longer) = (self.value(value, bound).expect("it is bound"), bound.clone());
                if self.unify(pattern, &value, &mut longer) { then(&longer) } else { Vec::new() }
            }
            Test::Differ(a, b) => {
                if self.value(a, bound) == self.value(b, bound) {
                    Vec::new()
                } else {
                    then(bound)
                }
            }
        }
    }

    /// The alias of a switch in a state.
    fn setting(&self, switch: usize, facts: &[Tree]) -> Option<usize> {
        let it = &self.program.switches[switch];
        let id = self.ground(&it.id);
        let fact = facts.iter().find(|fact| fact.0 == "does" && fact.1[0] == id)?;
        it.aliases.iter().position(|alias| self.ground(alias) == fact.1[1])
    }

    fn set(&self, switch: usize, place: Option<usize>, facts: &mut Vec<Tree>) {
        let it = &self.program.switches[switch];
        let id = self.ground(&it.id);
        facts.retain(|fact| !(fact.0 == "does" && fact.1[0] == id));
        let alias = place.map_or(Tree("nil".to_owned(), Vec::new()), |place| self.ground(&it.aliases[place]));
        facts.push(Tree("does".to_owned(), vec![id, alias]));
    }

    /// The state after a step: the moves of the agents, in order, and that of `random`, all as trees.
    pub fn step(&self, facts: &[Tree], moves: &[Tree], random: Option<&Tree>) -> Vec<Tree> {
        let mut facts = facts.to_vec();
        for own in moves {
            let commands = if own.0 == "commands" { own.1.clone() } else { vec![own.clone()] };
            for command in commands.iter().filter(|command| command.0 == "set") {
                let switch =
                    self.program.switches.iter().position(|it| self.ground(&it.id) == command.1[0]).unwrap();
                let aliases = &self.program.switches[switch].aliases;
                let place = aliases.iter().position(|alias| self.ground(alias) == command.1[1]).unwrap();
                self.set(switch, Some(place), &mut facts);
            }
        }
        // The operations that each chance has drawn, for each branching of it; none for a draw that can do nothing.
        let drawn: Vec<Tree> = match random {
            Some(own) if own.0 == "draws" => own.1.clone(),
            Some(own) => vec![own.clone()],
            None => Vec::new(),
        };
        let settings: Vec<Option<usize>> =
            (0..self.program.switches.len()).map(|at| self.setting(at, &facts)).collect();
        let mut next = Vec::new();
        let mut after = settings.clone();
        let mut of_chance: BTreeMap<usize, usize> = BTreeMap::new();
        for branching in &self.program.branchings {
            let operation = match branching.selector {
                Selector::Always => Some(self.ground(&branching.operations[0])),
                Selector::Switch(switch) => {
                    settings[switch].map(|place| self.ground(&branching.operations[place]))
                }
                Selector::Chance(chance) => {
                    let id = self.ground(&self.program.chances[chance].id);
                    let which = of_chance.entry(chance).or_default();
                    *which += 1;
                    drawn
                        .iter()
                        .find(|draw| draw.0 == "draw" && draw.1[0] == id)
                        .map(|draw| draw.1[*which].clone())
                }
            };
            if let Some(operation) = operation {
                self.attempt(&operation, &mut facts, &mut next, &mut after);
            }
        }
        for fact in next {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        for (switch, it) in self.program.switches.iter().enumerate() {
            let place = if it.is_momentary { it.initial } else { after[switch] };
            self.set(switch, place, &mut facts);
        }
        facts.sort();
        facts
    }

    fn attempt(
        &self,
        operation: &Tree,
        facts: &mut Vec<Tree>,
        next: &mut Vec<Tree>,
        after: &mut [Option<usize>],
    ) {
        for clause in &self.program.operations {
            let mut bound = Bound::new();
            if !self.unify(&clause.head, operation, &mut bound) {
                continue;
            }
            let Some(bound) = self.solutions(&clause.tests, facts, &bound).into_iter().next() else {
                continue;
            };
            for effect in &clause.effects {
                match effect {
                    Effect::Remove(atom) => {
                        facts.retain(|fact| !self.unify_atom(atom, fact, &mut bound.clone()))
                    }
                    Effect::Create(atom) if self.name(atom.relation) == "does" => {
                        let [id, alias] = [0, 1].map(|at| self.value(&atom.arguments[at], &bound).unwrap());
                        let switch =
                            self.program.switches.iter().position(|it| self.ground(&it.id) == id).unwrap();
                        let aliases = &self.program.switches[switch].aliases;
                        after[switch] = aliases.iter().position(|other| self.ground(other) == alias);
                    }
                    Effect::Create(atom) => {
                        let arguments =
                            atom.arguments.iter().map(|argument| self.value(argument, &bound).unwrap());
                        next.push(Tree(self.name(atom.relation), arguments.collect()));
                    }
                    Effect::Pay(agent, amount) => {
                        let [agent, amount] = [agent, amount].map(|term| self.value(term, &bound).unwrap());
                        let account = |fact: &Tree| fact.0 == "account" && fact.1[0] == agent;
                        let place = facts.iter().position(account).unwrap();
                        let sum = facts[place].1[1].number().unwrap() + amount.number().unwrap();
                        facts[place].1[1] = Tree::of_number(sum);
                    }
                }
            }
            return;
        }
    }

    /// Whether the interaction is over.
    pub fn is_over(&self, facts: &[Tree]) -> bool {
        self.program.terminal.iter().any(|tests| !self.solutions(tests, facts, &Bound::new()).is_empty())
    }

    /// What an agent sees, sorted.
    pub fn visible(&self, agent: usize, facts: &[Tree]) -> Vec<Tree> {
        let role = self.ground(&self.program.agents[agent].0);
        let is_own = |fact: &Tree| {
            let mut switches = self.program.switches.iter();
            fact.0 == "does" && switches.any(|it| it.owner == agent && self.ground(&it.id) == fact.1[0])
        };
        let is_hidden = |fact: &Tree| {
            self.program.hidden.iter().any(|rule| {
                let mut bound = Bound::new();
                self.unify_atom(&rule.fact, fact, &mut bound)
                    && self.solutions(&rule.tests, facts, &bound).iter().any(|bound| {
                        rule.agents.iter().any(|agent| self.value(agent, bound).as_ref() == Some(&role))
                    })
            })
        };
        let mut seen: Vec<Tree> =
            facts.iter().filter(|fact| is_own(fact) || !is_hidden(fact)).cloned().collect();
        seen.sort();
        seen
    }
}
