//! From clauses to the program of an interaction, as far as they have a meaning.

use num_integer::gcd;

use hyperplay_logic::gdl::{Clause, Formula, Game, Rulesheet, Symbol, Symbols, Term};

use super::interaction::{
    Branching, Chance, Comparison, Effect, HiddenRule, Interaction, Operation, Selector, Switch, Test,
};
use super::number::{Arithmetic, Number, checked};
use super::read::{LIST, as_atom};

impl Interaction {
    /// The program of a game in SIDL, with the repairs that its findings announce.
    ///
    /// # Panics
    /// If the game is described in another language.
    pub fn of(game: &Game) -> Interaction {
        assert_eq!(game.language(), hyperplay_logic::gdl::Language::Sidl, "the game is described in SIDL");
        lower(game.rulesheet())
    }
}

/// The items of a list.
pub(super) fn items<'t>(term: &'t Term, symbols: &Symbols) -> Option<&'t [Term]> {
    match term {
        Term::Constant(name) if symbols.name(*name) == LIST => Some(&[]),
        Term::Compound(name, items) if symbols.name(*name) == LIST => Some(items),
        _ => None,
    }
}

/// The number that a term without variables is worth.
pub(super) fn number(term: &Term, symbols: &Symbols) -> Option<Number> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => super::number::spelled_number(symbols.name(*name)),
        Term::Compound(functor, operands) => {
            let operation = Arithmetic::named(symbols.name(*functor), operands.len())?;
            let operands: Option<Vec<Number>> =
                operands.iter().map(|operand| number(operand, symbols)).collect();
            match operands?[..] {
                [a] => checked(operation, Number::from(0), a),
                [a, b] => checked(operation, a, b),
                _ => None,
            }
        }
    }
}

/// The weights of a distribution: whole numbers in lowest terms.
pub(super) fn weights(distribution: &[Number]) -> Option<Vec<u64>> {
    let mut below: i64 = 1;
    for probability in distribution {
        let common = gcd(below, *probability.denom());
        below = below.checked_mul(*probability.denom() / common)?;
    }
    let scaled: Option<Vec<u64>> = (distribution.iter())
        .map(|probability| u64::try_from(probability.numer().checked_mul(below / probability.denom())?).ok())
        .collect();
    let scaled = scaled?;
    let divisor = scaled.iter().fold(0, |divisor, &weight| gcd(divisor, weight as i64)).max(1) as u64;
    Some(scaled.into_iter().map(|weight| weight / divisor).collect())
}

/// The program of the clauses; a clause without a meaning is left out, and the checks report it.
pub(super) fn lower(sheet: &Rulesheet) -> Interaction {
    let mut lowering = Lowering { symbols: &sheet.symbols, program: Interaction::default() };
    sheet.clauses.iter().for_each(|clause| lowering.account(clause));
    sheet.clauses.iter().for_each(|clause| lowering.selector(clause));
    sheet.clauses.iter().for_each(|clause| lowering.rule(clause));
    lowering.program
}

struct Lowering<'s> {
    symbols: &'s Symbols,
    program: Interaction,
}

impl<'s> Lowering<'s> {
    /// A term in which arithmetic without variables is replaced by its value.
    fn evaluated(&self, term: &Term) -> Term {
        let Term::Compound(functor, arguments) = term else { return term.clone() };
        if Arithmetic::named(self.symbols.name(*functor), arguments.len()).is_some() {
            let spelled = |part: &i64| self.symbols.get(&part.to_string()).map(Term::Constant);
            let value = number(term, self.symbols).and_then(|value| {
                let (above, below) = (spelled(value.numer())?, spelled(value.denom())?);
                let quotient = self.symbols.get("/")?;
                Some(if value.is_integer() { above } else { Term::Compound(quotient, [above, below].into()) })
            });
            return value.unwrap_or_else(|| term.clone());
        }
        Term::Compound(*functor, arguments.iter().map(|argument| self.evaluated(argument)).collect())
    }

    /// The word that a clause begins with and its arguments.
    fn head<'c>(&self, clause: &'c Clause) -> (&'s str, &'c [Term]) {
        (self.symbols.name(clause.head.relation), &clause.head.arguments)
    }

    /// Accounts, first those of the text, then those of owners who have none.
    fn account(&mut self, clause: &Clause) {
        if let ("init", [Term::Compound(word, arguments)]) = self.head(clause)
            && self.symbols.name(*word) == "account"
            && let [agent, balance] = &arguments[..]
            && let Some(balance) = number(balance, self.symbols)
            && !self.program.agents.iter().any(|(known, _)| known == agent)
        {
            self.program.agents.push((agent.clone(), balance));
        }
    }

    fn owner(&mut self, agent: &Term) -> usize {
        match self.program.agents.iter().position(|(known, _)| known == agent) {
            Some(owner) => owner,
            None => {
                self.program.agents.push((agent.clone(), Number::from(0)));
                self.program.agents.len() - 1
            }
        }
    }

    fn selector(&mut self, clause: &Clause) {
        match self.head(clause) {
            ("switch", [id, owner @ Term::Constant(_), aliases]) => {
                let Some(aliases) = items(aliases, self.symbols) else { return };
                let owner = self.owner(owner);
                self.program.switches.push(Switch {
                    id: self.evaluated(id),
                    owner,
                    aliases: aliases.iter().map(|alias| self.evaluated(alias)).collect(),
                    initial: None,
                    is_momentary: false,
                });
            }
            ("chance", [id, distribution]) => {
                let Some(list) = items(distribution, self.symbols) else { return };
                let list: Option<Vec<Number>> = list.iter().map(|item| number(item, self.symbols)).collect();
                if let Some(weights) = list.and_then(|list| weights(&list)) {
                    self.program.chances.push(Chance { id: self.evaluated(id), weights });
                }
            }
            _ => {}
        }
    }

    /// What stands in a clause that may name an account or a selector.
    fn rule(&mut self, clause: &Clause) {
        let span = clause.at.0;
        match self.head(clause) {
            ("init", [Term::Compound(word, parts)]) if *word == Symbol::DOES => {
                let [id, alias] = &parts[..] else { return };
                let (id, alias) = (self.evaluated(id), self.evaluated(alias));
                if let Some(switch) = self.program.switches.iter_mut().find(|switch| switch.id == id) {
                    switch.initial = switch.aliases.iter().position(|other| *other == alias);
                }
            }
            ("init", [Term::Compound(word, _)]) if self.symbols.name(*word) == "account" => {}
            ("init", [fact]) => self.program.facts.push(self.evaluated(fact)),
            ("momentary", [id]) => {
                let switch = self.program.switches.iter_mut().find(|switch| switch.id == *id);
                switch.into_iter().for_each(|switch| switch.is_momentary = true);
            }
            ("balances", [low, high]) => {
                let [low, high] = [low, high].map(|term| number(term, self.symbols));
                self.program.balances = low.zip(high).filter(|(low, high)| low < high);
            }
            ("branching", [operations, id]) => {
                let Some(operations) = items(operations, self.symbols) else { return };
                let Some(selector) = self.selector_of(id, operations.len()) else { return };
                let operations = operations.iter().map(|operation| self.evaluated(operation)).collect();
                self.program.branchings.push(Branching { operations, selector });
            }
            ("operation", [head]) => {
                let (tests, effects) = self.body(&clause.body);
                self.program.operations.push(Operation { head: head.clone(), tests, effects, span });
            }
            ("hidden" | "request", [fact, agents]) => {
                let agents = items(agents, self.symbols).unwrap_or(std::slice::from_ref(agents));
                for agent in agents.iter().filter(|agent| matches!(agent, Term::Constant(_))) {
                    self.owner(agent);
                }
                if let Some(fact) = as_atom(fact, clause.head.at.0) {
                    let (tests, _) = self.body(&clause.body);
                    self.program.hidden.push(HiddenRule { fact, agents: agents.to_vec(), tests, span });
                }
            }
            ("terminal", []) => {
                let (tests, _) = self.body(&clause.body);
                self.program.terminal.push(tests);
            }
            _ => {}
        }
    }

    fn selector_of(&self, id: &Term, operations: usize) -> Option<Selector> {
        let id = &self.evaluated(id);
        let switch = self.program.switches.iter().position(|switch| switch.id == *id);
        let chance = self.program.chances.iter().position(|chance| chance.id == *id);
        match (switch, chance) {
            (Some(switch), _) if self.program.switches[switch].aliases.len() == operations => {
                Some(Selector::Switch(switch))
            }
            (_, Some(chance)) if self.program.chances[chance].weights.len() == operations => {
                Some(Selector::Chance(chance))
            }
            (None, None) if operations == 1 => Some(Selector::Always),
            _ => None,
        }
    }

    /// The tests and the effects of a body, each in the order of the text.
    fn body(&self, body: &[Formula]) -> (Vec<Test>, Vec<Effect>) {
        let (mut tests, mut effects) = (Vec::new(), Vec::new());
        for formula in body {
            match self.effect(formula) {
                Some(effect) => effects.push(effect),
                None => tests.extend(self.test(formula)),
            }
        }
        (tests, effects)
    }

    fn effect(&self, formula: &Formula) -> Option<Effect> {
        let Formula::Atom(atom) = formula else { return None };
        match (self.symbols.name(atom.relation), &atom.arguments[..]) {
            ("ax", [fact]) => as_atom(fact, atom.at.0).map(Effect::Remove),
            ("next", [fact]) => as_atom(fact, atom.at.0).map(Effect::Create),
            ("goal", [agent, payoff]) => Some(Effect::Pay(agent.clone(), payoff.clone())),
            _ => None,
        }
    }

    fn tests(&self, formula: &Formula) -> Vec<Test> {
        match formula {
            Formula::And(parts, _) => parts.iter().flat_map(|part| self.tests(part)).collect(),
            other => self.test(other).into_iter().collect(),
        }
    }

    /// The test that a formula is; none for `true`.
    fn test(&self, formula: &Formula) -> Option<Test> {
        Some(match formula {
            Formula::Not(inner, _) => Test::Not(self.tests(inner)),
            Formula::Or(parts, _) => Test::Either(parts.iter().map(|part| self.tests(part)).collect()),
            Formula::And(..) => Test::Either(vec![self.tests(formula)]),
            Formula::Distinct(a, b, _) => Test::Differ(a.clone(), b.clone()),
            Formula::Atom(atom) => match (self.symbols.name(atom.relation), &atom.arguments[..]) {
                ("true", []) => return None,
                ("false" | "fail", []) => Test::Never,
                ("is" | "=", [a, b]) => Test::Equals(a.clone(), b.clone()),
                ("\\=", [a, b]) => Test::Differ(a.clone(), b.clone()),
                (name, [a, b]) if let Some(how) = comparison(name) => {
                    Test::Compare(how, a.clone(), b.clone())
                }
                _ => Test::Holds(atom.clone()),
            },
        })
    }
}

fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "<" => Comparison::Less,
        "=<" => Comparison::AtMost,
        ">" => Comparison::Greater,
        ">=" => Comparison::AtLeast,
        "=:=" | "==" => Comparison::Equal,
        "=\\=" => Comparison::NotEqual,
        _ => return None,
    })
}
