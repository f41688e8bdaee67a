//! The declarations of a text: facts, accounts, switches, chances, and first settings.
//!
//! Invariant: a name or an identifier has one declaration here, its first; a second one is a finding.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::text::lower::{items, number};
use hyperplay_logic::gdl::{FindingCode, Rulesheet, Span, Symbol, Symbols, Term, did_you_mean};

use super::{Checker, head_arity, is_reserved};

/// A fact that the text declares.
pub(super) struct DeclaredFact {
    /// The number of its arguments; `None` where that is no number.
    pub(super) arity: Option<usize>,
    pub(super) span: Span,
}

/// A switch or a chance that the text declares.
pub(super) struct DeclaredSelector<'s> {
    pub(super) id: &'s Term,
    /// The owner of a switch.
    pub(super) owner: Option<&'s Term>,
    /// The aliases or probabilities; none where they are no list.
    pub(super) members: Option<&'s [Term]>,
    pub(super) span: Span,
}

/// The declarations of a text.
#[derive(Default)]
pub(super) struct Declared<'s> {
    /// The facts, in the order of the text.
    pub(super) facts: IndexMap<Symbol, DeclaredFact, FxBuildHasher>,
    /// The switches and the chances by their identifiers, in the order of the text.
    pub(super) selectors: IndexMap<&'s Term, DeclaredSelector<'s>, FxBuildHasher>,
}

impl<'s> Declared<'s> {
    pub(super) fn new(sheet: &'s Rulesheet) -> Declared<'s> {
        let symbols = &sheet.symbols;
        let mut declared = Declared::default();
        for clause in &sheet.clauses {
            let span = clause.head.at.0;
            match (symbols.name(clause.head.relation), &clause.head.arguments[..]) {
                ("fact", [Term::Constant(name), arity]) => {
                    let arity = whole(arity, symbols);
                    declared.facts.entry(*name).or_insert(DeclaredFact { arity, span });
                }
                ("switch", [id, owner, aliases]) => {
                    declared.selector(id, Some(owner), items(aliases, symbols), span)
                }
                ("chance", [id, distribution]) => {
                    declared.selector(id, None, items(distribution, symbols), span)
                }
                _ => {}
            }
        }
        declared
    }

    fn selector(&mut self, id: &'s Term, owner: Option<&'s Term>, members: Option<&'s [Term]>, span: Span) {
        self.selectors.entry(id).or_insert(DeclaredSelector { id, owner, members, span });
    }

    pub(super) fn switches(&self) -> impl Iterator<Item = &DeclaredSelector<'s>> {
        self.selectors.values().filter(|selector| selector.owner.is_some())
    }
}

/// The number of arguments that a term says.
fn whole(term: &Term, symbols: &Symbols) -> Option<usize> {
    usize::try_from(number(term, symbols).filter(|number| number.is_integer())?.to_integer()).ok()
}

impl<'s> Checker<'s> {
    /// Facts, accounts, the facts of the start, and the range of balances.
    pub(super) fn declarations(&mut self) {
        let mut first = FxHashMap::default();
        for clause in &self.sheet.clauses {
            let (word, arguments) = self.head(clause);
            let at = clause.head.at.0;
            match (word, arguments) {
                ("fact", [name, arity]) => {
                    self.fact_declaration(name, arity, at);
                    self.once(&mut first, ("fact", vec![name]), at, "the fact", name);
                }
                ("switch" | "chance", [id, ..]) if head_arity(word) == Some(arguments.len()) => {
                    self.once(&mut first, ("selector", vec![id]), at, "the identifier", id);
                }
                ("momentary", [id]) => {
                    self.once(&mut first, ("momentary", vec![id]), at, "the momentary switch", id)
                }
                ("balances", [low, high]) => {
                    self.balances(low, high, at);
                    self.once(&mut first, ("balances", vec![]), at, "the range of balances from", low);
                }
                ("init", [Term::Compound(word, parts)]) if self.name(*word) == "account" => {
                    self.account(parts, at);
                    let agent = &parts[0];
                    self.once(&mut first, ("account", vec![agent]), at, "the account of", agent);
                }
                ("init", [Term::Compound(word, parts)]) if self.name(*word) == "does" => {
                    let id = &parts[0];
                    self.once(&mut first, ("does", vec![id]), at, "the first setting of the switch", id);
                }
                ("init", [fact]) => self.first_fact(fact, at),
                _ => {}
            }
        }
    }

    fn once(
        &mut self,
        first: &mut FxHashMap<(&'static str, Vec<&'s Term>), Span>,
        key: (&'static str, Vec<&'s Term>),
        at: Span,
        what: &str,
        name: &Term,
    ) {
        let Some(&earlier) = first.get(&key) else {
            first.insert(key, at);
            return;
        };
        let message = format!("{what} `{}` is declared twice", self.spell(name));
        self.error(FindingCode::DuplicateDeclaration, at, message)
            .set_related(earlier, "the first declaration")
            .set_help("remove one of the two");
    }

    fn fact_declaration(&mut self, name: &Term, arity: &Term, at: Span) {
        let spelled = self.spell(name);
        match name {
            Term::Constant(symbol) if is_reserved(self.name(*symbol)) => {
                let message =
                    format!("`{spelled}` is a word of the language and cannot be the name of a fact");
                self.error(FindingCode::ReservedHead, at, message).set_help("give the fact another name");
            }
            Term::Constant(_) if number(name, &self.sheet.symbols).is_none() => {}
            _ => {
                let message = format!("`{spelled}` cannot be the name of a fact");
                self.error(FindingCode::KeywordMisused, at, message)
                    .set_help("write a name that begins with a small letter");
            }
        }
        if whole(arity, &self.sheet.symbols).is_none() {
            let message = format!("`{}` is not the number of arguments of a fact", self.spell(arity));
            self.error(FindingCode::NotANumber, at, message)
                .set_help(format!("write `fact({spelled}, 1)` for a fact with one argument"));
        }
    }

    fn balances(&mut self, low: &Term, high: &Term, at: Span) {
        let [least, greatest] = [low, high].map(|term| number(term, &self.sheet.symbols));
        for (term, value) in [(low, least), (high, greatest)] {
            if value.is_none() {
                let message = format!(
                    "`{}` is no number, so it cannot be an end of the range of balances",
                    self.spell(term)
                );
                self.error(FindingCode::BalanceRange, at, message)
                    .set_help("write the least and the greatest balance, as in `balances(-2, 2)`");
            }
        }
        if let (Some(least), Some(greatest)) = (least, greatest)
            && least >= greatest
        {
            let message = format!("the range of balances from {least} to {greatest} has no width");
            self.error(FindingCode::BalanceRange, at, message)
                .set_help("write the least balance first, and a greater one second");
        }
    }

    fn account(&mut self, parts: &[Term], at: Span) {
        let [agent, balance] = parts else {
            self.wrong_arity("account", 2, parts.len(), at);
            return;
        };
        self.agent_name(agent, at);
        if !balance.is_ground() {
            let message = format!("the first balance `{}` is a variable", self.spell(balance));
            self.error(FindingCode::FactWithVariable, at, message)
                .set_help("write a number, as in `init(account(alice, 0))`");
        } else if number(balance, &self.sheet.symbols).is_none() {
            let message = format!("the first balance `{}` is no number", self.spell(balance));
            self.error(FindingCode::NotANumber, at, message)
                .set_help("write a number, as in `init(account(alice, 0))`");
        }
    }

    /// The name of an agent: a constant, but not nature's.
    pub(super) fn agent_name(&mut self, agent: &Term, at: Span) {
        let spelled = self.spell(agent);
        match agent {
            Term::Constant(name) if *name == Symbol::RANDOM || self.name(*name) == "nil" => {
                let message =
                    format!("no agent can have the name `{spelled}`, which has a meaning of its own");
                self.error(FindingCode::KeywordMisused, at, message)
                    .set_help("give the agent another name; nature acts by `chance`");
            }
            Term::Constant(_) => {}
            Term::Variable(_) => {
                let message =
                    format!("the variable `{spelled}` stands where the name of an agent must stand");
                self.error(FindingCode::NotARole, at, message)
                    .set_help("write the name of the agent; it begins with a small letter or is quoted");
            }
            Term::Compound(..) => {
                self.error(FindingCode::NotARole, at, format!("`{spelled}` cannot be the name of an agent"))
                    .set_help("write a single name");
            }
        }
    }

    fn first_fact(&mut self, fact: &Term, at: Span) {
        let Some((name, arity)) = fact.functor() else {
            let message = format!("the variable `{}` stands where a fact must stand", self.spell(fact));
            self.error(FindingCode::KeywordMisused, at, message).set_help("write `init(fact)`");
            return;
        };
        if matches!(self.name(name), "account" | "does") {
            self.wrong_arity(self.name(name), 2, 0, at);
            return;
        }
        self.known_fact(name, arity, at);
        if !fact.is_ground() {
            let message = format!("`{}` has a variable, but it holds at the start", self.spell(fact));
            self.error(FindingCode::FactWithVariable, at, message)
                .set_help("write one `init` for each fact that holds at the start");
        }
    }

    /// Reports a fact that is not declared, or not so.
    pub(super) fn known_fact(&mut self, name: Symbol, arity: usize, at: Span) {
        let word = self.name(name);
        let (right, span) = match self.declared.facts.get(&name) {
            Some(fact) => (fact.arity, fact.span),
            None => {
                if is_reserved(word) {
                    let message = format!("`{word}` is a word of the language and has no meaning here");
                    self.error(FindingCode::KeywordMisused, at, message)
                        .set_help("write a fact that `fact(name, number of arguments)` declares");
                } else if self.is_complete {
                    let known = self.declared.facts.keys().map(|name| self.name(*name));
                    let message = format!("no fact `{word}` is declared{}", did_you_mean(word, known));
                    self.error(FindingCode::UndefinedRelation, at, message)
                        .set_help(format!("declare it by `fact({word}, {arity}).`"));
                }
                return;
            }
        };
        let Some(right) = right.filter(|right| *right != arity) else { return };
        let message = format!("`{word}` has {arity} arguments here and {right} in its declaration");
        self.error(FindingCode::ArityMismatch, at, message)
            .set_related(span, "the declaration")
            .set_help(format!("write {right} arguments, or declare `fact({word}, {arity}).`"));
    }
}
