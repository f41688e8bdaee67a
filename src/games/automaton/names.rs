//! Names and terms of one language as the other one can read them.
//!
//! A name that the other language cannot spell, or to which it gives a meaning of its own, is changed. Different names
//! stay different; case does not count in either language.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::Automaton;
use hyperplay_logic::gdl::{Symbol, TermId, TermStore, fold};
use hyperplay_machine::StateMachine;

/// The names of an automaton in another language.
pub(super) struct Names<'t> {
    terms: &'t TermStore,
    spelled: FxHashMap<Symbol, String>,
    used: FxHashSet<String>,
}

impl<'t> Names<'t> {
    /// The names of all terms and roles of an automaton, each as `spell` wants it.
    pub(super) fn of(automaton: &Automaton<'t>, spell: impl Fn(&str) -> String) -> Names<'t> {
        let terms = automaton.machine.terms();
        let mut symbols = IndexSet::<Symbol, FxBuildHasher>::default();
        symbols.extend(automaton.roles().values().iter().filter_map(|role| terms.symbols().get(role)));
        automaton.each_term(&mut |term| each_symbol(term, terms, &mut |symbol| symbols.extend([symbol])));
        let mut names = Names { terms, spelled: FxHashMap::default(), used: FxHashSet::default() };
        // Names that need no change keep their spelling, whatever comes before them.
        let (same, other): (Vec<Symbol>, Vec<Symbol>) = symbols
            .into_iter()
            .partition(|&symbol| spell(terms.symbols().name(symbol)) == terms.symbols().name(symbol));
        for symbol in same.into_iter().chain(other) {
            let name = names.fresh(&spell(terms.symbols().name(symbol)));
            names.spelled.insert(symbol, name);
        }
        names
    }

    /// A name like this one that no other name is equal to.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !self.used.insert(fold(&name).into_owned()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }

    pub(super) fn symbol(&self, symbol: Symbol) -> &str {
        &self.spelled[&symbol]
    }

    /// The name of a role.
    pub(super) fn role(&self, role: &str) -> &str {
        self.terms.symbols().get(role).map_or("", |symbol| self.symbol(symbol))
    }

    /// A term in prefix form.
    pub(super) fn prefix(&self, term: TermId) -> String {
        let arguments = self.terms.arguments(term);
        let name = self.symbol(self.terms.functor(term));
        if arguments.is_empty() {
            return name.to_owned();
        }
        let arguments: Vec<String> = arguments.iter().map(|&argument| self.prefix(argument)).collect();
        format!("({name} {})", arguments.join(" "))
    }

    /// A term as in Prolog, each name written by `quote`.
    pub(super) fn functional(&self, term: TermId, quote: &dyn Fn(&str) -> String) -> String {
        let arguments = self.terms.arguments(term);
        let name = quote(self.symbol(self.terms.functor(term)));
        if arguments.is_empty() {
            return name;
        }
        let arguments: Vec<String> =
            arguments.iter().map(|&argument| self.functional(argument, quote)).collect();
        format!("{name}({})", arguments.join(", "))
    }
}

fn each_symbol(term: TermId, terms: &TermStore, visit: &mut impl FnMut(Symbol)) {
    visit(terms.functor(term));
    terms.arguments(term).iter().for_each(|&argument| each_symbol(argument, terms, visit));
}
