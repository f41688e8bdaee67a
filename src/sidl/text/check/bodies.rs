//! The tests and the effects of operations, `hidden` and `terminal`: whether each names what there is.

use crate::text::lower::items;
use hyperplay_logic::gdl::{Atom, Clause, FindingCode, Formula, Span, Symbol, Term};

use super::{Checker, is_reserved};

/// The kind of clause that a body belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Operation,
    Hidden,
    Terminal,
}

impl<'s> Checker<'s> {
    pub(super) fn bodies(&mut self, clause: &'s Clause) {
        let (word, arguments) = self.head(clause);
        let at = clause.head.at.0;
        let body = match (word, arguments) {
            ("operation", [Term::Variable(_)]) => {
                let message = "an operation has a name, and a variable stands in its place";
                self.error(FindingCode::KeywordMisused, at, message)
                    .set_help("write a name that begins with a small letter");
                Body::Operation
            }
            ("operation", [_]) => Body::Operation,
            ("hidden" | "request", [fact, agents]) => {
                self.hidden(fact, agents, at);
                Body::Hidden
            }
            ("terminal", []) => Body::Terminal,
            _ => return,
        };
        for formula in &clause.body {
            self.formula(formula, body, false);
        }
    }

    fn hidden(&mut self, fact: &Term, agents: &Term, at: Span) {
        match fact {
            Term::Variable(_) => {
                self.error(FindingCode::KeywordMisused, at, "a variable stands where a fact must stand")
                    .set_help("write one `hidden` for each fact");
            }
            Term::Constant(name) => self.known_fact(*name, 0, at),
            Term::Compound(name, arguments) => self.watched(*name, arguments, at),
        }
        for agent in items(agents, &self.sheet.symbols).unwrap_or(std::slice::from_ref(agents)) {
            if !matches!(agent, Term::Variable(_)) {
                self.agent_name(agent, at);
            }
        }
    }

    /// A pattern that can be tested and hidden: a fact, a setting, a balance.
    fn watched(&mut self, name: Symbol, arguments: &[Term], at: Span) {
        match (self.name(name), arguments) {
            ("does", [id, alias]) => self.setting(id, alias, true, at),
            ("account", [agent, _]) => self.account_of(agent, at),
            (word @ ("does" | "account"), _) => self.wrong_arity(word, 2, arguments.len(), at),
            _ => self.known_fact(name, arguments.len(), at),
        }
    }

    /// An agent whose account is named.
    fn account_of(&mut self, agent: &Term, at: Span) {
        if matches!(agent, Term::Variable(_)) {
            return;
        }
        let agents = self.program.agents.iter().map(|(agent, _)| agent);
        if self.is_complete && !agents.clone().any(|known| known == agent) {
            let known = self.suggestion(agent, agents);
            let spelled = self.spell(agent);
            let message = format!("nobody with the name `{spelled}` has an account{known}");
            self.error(FindingCode::NotARole, at, message)
                .set_help(format!("write `init(account({spelled}, 0)).`"));
        }
    }

    fn formula(&mut self, formula: &Formula, body: Body, is_nested: bool) {
        match formula {
            Formula::Not(inner, _) => self.formula(inner, body, true),
            Formula::And(parts, _) | Formula::Or(parts, _) => {
                parts.iter().for_each(|part| self.formula(part, body, true));
            }
            Formula::Distinct(..) => {}
            Formula::Atom(atom) => self.atom(atom, body, is_nested),
        }
    }

    fn atom(&mut self, atom: &Atom, body: Body, is_nested: bool) {
        let at = atom.at.0;
        let word = self.name(atom.relation);
        match (word, &atom.arguments[..]) {
            ("true" | "false" | "fail", []) => {}
            ("ax" | "next", [_]) | ("goal", [_, _]) if body != Body::Operation => {
                let message = format!("`{word}` is an effect, and only operations have effects");
                self.error(FindingCode::KeywordMisused, at, message).set_help("write a test");
            }
            ("ax" | "next", [_]) | ("goal", [_, _]) if is_nested => {
                let message = format!("the effect `{word}` stands inside a test");
                self.error(FindingCode::KeywordMisused, at, message)
                    .set_help("write it behind the tests; for alternatives write one clause for each");
            }
            ("ax" | "next", [fact]) => self.effect(word, fact, at),
            ("goal", [agent, _]) => self.account_of(agent, at),
            ("ax" | "next", _) => self.wrong_arity(word, 1, atom.arguments.len(), at),
            ("goal", _) => self.wrong_arity(word, 2, atom.arguments.len(), at),
            ("does" | "account", _) => self.watched(atom.relation, &atom.arguments, at),
            (_, [_, _]) if is_comparison(word) => {}
            ("+" | "-" | "*" | "/" | "mod" | "min" | "max", _) => {
                let message = format!("`{}` is a number, and a number is no test", self.spell_atom(atom));
                self.error(FindingCode::KeywordMisused, at, message).set_help("compare it with another one");
            }
            _ if is_reserved(word) && !self.declared.facts.contains_key(&atom.relation) => {
                let message = format!("`{word}` is a word of the language and no test");
                let help = if word == "true" {
                    "a fact is tested by its name alone"
                } else {
                    "test a fact, a setting (`does`) or a balance (`account`)"
                };
                self.error(FindingCode::KeywordMisused, at, message).set_help(help);
            }
            _ => self.known_fact(atom.relation, atom.arguments.len(), at),
        }
    }

    /// `ax` and `next`.
    fn effect(&mut self, word: &str, fact: &Term, at: Span) {
        let Some((name, arity)) = fact.functor() else {
            let message = format!("`{word}` is applied to a variable, so it is not said which fact is meant");
            self.error(FindingCode::KeywordMisused, at, message).set_help(format!("write `{word}(fact)`"));
            return;
        };
        match (word, self.name(name), fact.arguments()) {
            ("next", "does", [id, alias]) => self.setting(id, alias, true, at),
            (_, "does", _) => {
                let message = format!("`{word}` cannot be applied to the setting of a switch in this way");
                self.error(FindingCode::KeywordMisused, at, message).set_help(
                    "a switch always has one setting: write `next(does(identifier, alias))` to change it",
                );
            }
            (_, "account", _) => {
                let message = format!("`{word}` cannot be applied to an account");
                self.error(FindingCode::KeywordMisused, at, message)
                    .set_help("write `goal(agent, payoff)`, which adds to the balance");
            }
            _ => self.known_fact(name, arity, at),
        }
    }
}

/// Whether a relation compares two terms.
pub(super) fn is_comparison(word: &str) -> bool {
    matches!(word, "<" | "=<" | ">" | ">=" | "=" | "==" | "\\=" | "=:=" | "=\\=" | "is")
}
