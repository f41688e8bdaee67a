//! Ordered domains: which terms can be the coordinates of a board, and in which order they stand on its axis.
//!
//! Numbers are ordered by value, which is a *strong* order. Consecutive letters (`a` to `h`) and names that differ in a
//! number only (`c1` to `c9`) are ordered too: strongly if the facts of a binary relation of the rules, such as
//! `(succ a b)`, chain all of them into one line, and *weakly* if not, because words of one letter are often no
//! coordinates but things. Other words in such a chain are *named*; the ranks of cards are an example.
//!
//! A chain longer than [`CHAIN`] is not looked for.
//!
//! Invariant: an order contains every term of its domain once, and does not depend on the ids of terms.

use std::collections::BTreeMap;

use hyperplay_logic::gdl::{Game, Symbol, Term, TermId, TermStore};
use rustc_hash::FxHashMap;

/// How surely a domain is a line of coordinates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Strength {
    Named,
    Weak,
    Strong,
}

/// The longest chain that is looked for.
const CHAIN: usize = 64;

/// The facts of binary relations: for each relation the pairs of constants.
pub(super) struct Pairs(BTreeMap<Symbol, FxHashMap<TermId, Option<TermId>>>);

impl Pairs {
    /// Reads the facts of a game. A term that has several successors in a relation has none here.
    pub(super) fn of(game: &Game) -> Pairs {
        let mut all: BTreeMap<Symbol, FxHashMap<TermId, Option<TermId>>> = BTreeMap::new();
        for rule in game.rules().iter().filter(|rule| rule.body.is_empty()) {
            let [Term::Constant(from), Term::Constant(to)] = rule.head.arguments[..] else { continue };
            let [from, to] = [from, to].map(|name| game.terms().intern(name, &[]));
            let next = all.entry(rule.head.relation).or_default();
            next.entry(from).and_modify(|old| *old = old.filter(|&old| old == to)).or_insert(Some(to));
        }
        Pairs(all)
    }

    /// The domain as one chain of some relation.
    fn chain(&self, domain: &[TermId]) -> Option<Vec<TermId>> {
        if domain.len() > CHAIN {
            return None;
        }
        let chained = |next: &FxHashMap<TermId, Option<TermId>>| {
            let inside = |term: TermId| next.get(&term).copied().flatten().filter(|to| domain.contains(to));
            let followed: Vec<TermId> = domain.iter().filter_map(|&term| inside(term)).collect();
            let mut first = domain.iter().filter(|term| !followed.contains(term));
            let (&start, None) = (first.next()?, first.next()) else { return None };
            let mut line = vec![start];
            while let Some(to) = inside(line[line.len() - 1]) {
                if line.len() == domain.len() {
                    return None;
                }
                line.push(to);
            }
            (line.len() == domain.len()).then_some(line)
        };
        self.0.values().filter(|next| next.len() + 1 >= domain.len()).find_map(chained)
    }
}

/// The order of a domain that is given in natural order, if it has one.
pub(super) fn ordered(
    domain: &[TermId],
    terms: &TermStore,
    pairs: &Pairs,
) -> Option<(Strength, Vec<TermId>)> {
    if domain.len() < 2 || domain.iter().any(|&term| !terms.arguments(term).is_empty()) {
        return None;
    }
    let names: Vec<&str> = domain.iter().map(|&term| terms.symbols().name(terms.functor(term))).collect();
    if names.iter().all(|name| name.parse::<i64>().is_ok()) {
        return Some((Strength::Strong, domain.to_vec()));
    }
    let chain = pairs.chain(domain);
    let counted = by_number(&names).map(|order| order.into_iter().map(|at| domain[at]).collect());
    match (counted.or(is_alphabet(&names).then(|| domain.to_vec())), chain) {
        (Some(order), Some(_)) => Some((Strength::Strong, order)),
        (None, Some(chain)) => {
            let numbers = names.iter().filter(|name| name.parse::<i64>().is_ok()).count();
            Some((if 2 * numbers > names.len() { Strength::Strong } else { Strength::Named }, chain))
        }
        (Some(order), None) => Some((Strength::Weak, order)),
        (None, None) => None,
    }
}

/// Whether names in natural order are consecutive letters.
fn is_alphabet(names: &[&str]) -> bool {
    let letter = |name: &str| match name.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(letter.to_ascii_lowercase()),
        _ => None,
    };
    let letters: Option<Vec<u8>> = names.iter().map(|name| letter(name)).collect();
    letters.is_some_and(|letters| letters.windows(2).all(|pair| pair[0] + 1 == pair[1]))
}

/// The positions of names that differ in their final number only, by this number.
fn by_number(names: &[&str]) -> Option<Vec<usize>> {
    let split = |name: &&str| {
        let word = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        Some((word.to_lowercase(), name[word.len()..].parse::<u64>().ok()?))
    };
    let parts: Vec<(String, u64)> = names.iter().map(split).collect::<Option<_>>()?;
    if parts.iter().any(|(word, _)| *word != parts[0].0) {
        return None;
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&at| parts[at].1);
    Some(order)
}
