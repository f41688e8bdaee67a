//! Shapes of fluents: for each functor, which terms stand at which of its places.
//!
//! A *slot* is a place of a fluent at which constants stand. An argument that is always one and the same compound term,
//! such as the pair in `(cell (at 1 2) b)`, is opened, so that its arguments are slots too. The domains come from
//! [`PositionDomains`], so they contain what holds in any reachable state and possibly more; an argument whose domain
//! is unknown or too large is a slot without a domain.
//!
//! The names of the variables that stand at a slot in the rules tell rows from columns.

use std::collections::BTreeSet;

use hyperplay_logic::gdl::{
    At, Atom, Game, Literal, PositionDomains, Symbol, Symbols, Term, TermId, TermStore,
};

use super::order::{Pairs, Strength, ordered};

/// The most terms of an argument that are listed.
const LISTED: usize = 2_000;

/// The most arguments of a fluent that is looked at, and the most shapes.
const ARGUMENTS: usize = 8;
const SHAPES: usize = 400;

/// What stands at an argument: a slot, or a compound term whose arguments are patterns again.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Slot(usize),
    Open(Symbol, Vec<Pattern>),
}

/// A place at which constants stand, or any terms if there is no domain.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// What may stand there, in natural order.
    pub(super) domain: Option<Vec<TermId>>,
    /// The same as a line of coordinates.
    pub(super) order: Option<(Strength, Vec<TermId>)>,
    /// Whether only roles may stand there.
    pub(super) is_role: bool,
    /// Above 0 if the variables there are named like rows, below if they are named like columns.
    pub(super) row_votes: i32,
    /// The constants that stand there in the initial state, each as often as a rule or fact says so.
    pub(super) initially: Vec<TermId>,
}

/// The fluents with one functor and arity.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) functor: Symbol,
    pub(super) arguments: Vec<Pattern>,
    pub(super) slots: Vec<Slot>,
    /// The fluents of this shape that hold initially because a fact says so, as their slots.
    pub(super) initially: Vec<Vec<TermId>>,
}

impl Shape {
    /// What stands at the slots in a fluent of this shape.
    pub(super) fn read(&self, fact: TermId, terms: &TermStore) -> Option<Vec<TermId>> {
        let arguments = terms.arguments(fact);
        if terms.functor(fact) != self.functor || arguments.len() != self.arguments.len() {
            return None;
        }
        let mut out = Vec::with_capacity(self.slots.len());
        let open = self.arguments.iter().zip(arguments);
        open.into_iter().all(|(pattern, &term)| collect(pattern, term, terms, &mut out)).then_some(out)
    }

    /// The fluent with these texts at its slots, in place of terms.
    pub(super) fn with(&self, slots: &[String], symbols: &Symbols, infix: bool) -> String {
        written(self.functor, &self.arguments, slots, symbols, infix)
    }
}

fn collect(pattern: &Pattern, term: TermId, terms: &TermStore, out: &mut Vec<TermId>) -> bool {
    match pattern {
        Pattern::Slot(_) => {
            out.push(term);
            true
        }
        Pattern::Open(functor, inner) => {
            let arguments = terms.arguments(term);
            terms.functor(term) == *functor
                && arguments.len() == inner.len()
                && inner.iter().zip(arguments).all(|(pattern, &term)| collect(pattern, term, terms, out))
        }
    }
}

fn written(
    functor: Symbol,
    arguments: &[Pattern],
    slots: &[String],
    symbols: &Symbols,
    infix: bool,
) -> String {
    let argument = |pattern: &Pattern| match pattern {
        Pattern::Slot(slot) => slots[*slot].clone(),
        Pattern::Open(functor, inner) => written(*functor, inner, slots, symbols, infix),
    };
    let arguments: Vec<String> = arguments.iter().map(argument).collect();
    let name = symbols.name(functor);
    if infix {
        format!("{name}({})", arguments.join(", "))
    } else {
        format!("({name} {})", arguments.join(" "))
    }
}

/// The shapes of a game's fluents that have arguments, in the order in which the rules first name them.
pub(super) fn shapes(game: &Game) -> Vec<Shape> {
    let domains = PositionDomains::of(game.rules());
    let pairs = Pairs::of(game);
    let mut named: Vec<(Symbol, usize)> = Vec::new();
    let mut known = BTreeSet::new();
    each_fluent(game, &mut |fluent, _| {
        if let Term::Compound(functor, arguments) = fluent
            && arguments.len() <= ARGUMENTS
            && known.len() < SHAPES
            && known.insert((*functor, arguments.len()))
        {
            named.push((*functor, arguments.len()));
        }
    });
    let mut shapes: Vec<Shape> =
        named.into_iter().map(|(functor, arity)| shape(game, &domains, &pairs, functor, arity)).collect();
    each_fluent(game, &mut |fluent, holds| {
        let Term::Compound(functor, arguments) = fluent else { return };
        let same = |shape: &&mut Shape| shape.functor == *functor && shape.arguments.len() == arguments.len();
        if let Some(shape) = shapes.iter_mut().find(same) {
            note(shape, arguments, holds, game.terms());
        }
    });
    shapes
}

/// How the rules name a fluent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// A fact of `init`.
    Initially,
    /// The head of a rule for `init`.
    PerhapsInitially,
    /// Any other mention.
    Perhaps,
}

/// Calls `visit` for each fluent that the rules name.
fn each_fluent(game: &Game, visit: &mut dyn FnMut(&Term, Holds)) {
    for rule in game.rules() {
        let head = match rule.head.relation {
            Symbol::INIT if rule.body.is_empty() => Some(Holds::Initially),
            Symbol::INIT => Some(Holds::PerhapsInitially),
            Symbol::NEXT | Symbol::BASE => Some(Holds::Perhaps),
            _ => None,
        };
        if let (Some(holds), [fluent]) = (head, &rule.head.arguments[..]) {
            visit(fluent, holds);
        }
        for literal in &rule.body {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal
                && let (Symbol::TRUE, [fluent]) = (atom.relation, &atom.arguments[..])
            {
                visit(fluent, Holds::Perhaps);
            }
        }
    }
}

fn shape(game: &Game, domains: &PositionDomains, pairs: &Pairs, functor: Symbol, arity: usize) -> Shape {
    let terms = game.terms();
    let variables: Vec<Symbol> = (0..arity as u32).map(Symbol::auxiliary).collect();
    let fluent = Term::Compound(functor, variables.iter().map(|&name| Term::Variable(name)).collect());
    let atom = Atom { relation: Symbol::TRUE, arguments: vec![fluent], at: At::default() };
    let mut out = Shape { functor, arguments: Vec::new(), slots: Vec::new(), initially: Vec::new() };
    for variable in variables {
        let values = domains.values_in(&atom, variable, LISTED);
        let values = values.map(|values| values.iter().filter_map(|term| intern(term, terms)).collect());
        let pattern = open(values, game, pairs, &mut out.slots, 2);
        out.arguments.push(pattern);
    }
    out
}

/// Makes slots of an argument with this domain.
fn open(
    domain: Option<Vec<TermId>>,
    game: &Game,
    pairs: &Pairs,
    slots: &mut Vec<Slot>,
    levels: usize,
) -> Pattern {
    let terms = game.terms();
    if let Some(values) = &domain
        && let Some(&first) = values.first()
        && levels > 0
    {
        let (functor, arity) = (terms.functor(first), terms.arguments(first).len());
        let same =
            |&&value: &&TermId| terms.functor(value) == functor && terms.arguments(value).len() == arity;
        if arity > 0 && values.iter().all(|value| same(&value)) {
            let column = |at: usize| values.iter().map(|&value| terms.arguments(value)[at]).collect();
            let inner = (0..arity).map(|at| open(Some(column(at)), game, pairs, slots, levels - 1));
            return Pattern::Open(functor, inner.collect());
        }
    }
    let domain = domain.map(|mut values| {
        values.sort_by(|&a, &b| terms.compare(a, b));
        values.dedup();
        values
    });
    let is_role =
        domain.as_ref().is_some_and(|values| values.iter().all(|value| game.roles().contains(value)));
    let order = domain.as_ref().filter(|_| !is_role).and_then(|values| ordered(values, terms, pairs));
    slots.push(Slot { domain, order, is_role, row_votes: 0, initially: Vec::new() });
    Pattern::Slot(slots.len() - 1)
}

fn intern(term: &Term, terms: &TermStore) -> Option<TermId> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some(terms.intern(*name, &[])),
        Term::Compound(functor, arguments) => {
            let arguments: Option<Vec<TermId>> = arguments.iter().map(|term| intern(term, terms)).collect();
            Some(terms.intern(*functor, &arguments?))
        }
    }
}

/// Notes what one mention of a fluent says of its slots.
fn note(shape: &mut Shape, arguments: &[Term], holds: Holds, terms: &TermStore) {
    let mut at_slots: Vec<Option<&Term>> = vec![None; shape.slots.len()];
    for (pattern, term) in shape.arguments.iter().zip(arguments) {
        spread(pattern, term, &mut at_slots);
    }
    for (slot, term) in shape.slots.iter_mut().zip(&at_slots) {
        match term {
            Some(Term::Variable(name)) => slot.row_votes += row_vote(terms.symbols().name(*name)),
            Some(Term::Constant(name)) if holds != Holds::Perhaps => {
                slot.initially.push(terms.intern(*name, &[]));
            }
            _ => {}
        }
    }
    if holds == Holds::Initially {
        let fluent = Term::Compound(shape.functor, arguments.into());
        if let Some(slots) = intern(&fluent, terms).and_then(|fluent| shape.read(fluent, terms)) {
            shape.initially.push(slots);
        }
    }
}

fn spread<'t>(pattern: &Pattern, term: &'t Term, out: &mut [Option<&'t Term>]) {
    match (pattern, term) {
        (Pattern::Slot(slot), _) => out[*slot] = Some(term),
        (Pattern::Open(functor, inner), Term::Compound(other, arguments))
            if functor == other && inner.len() == arguments.len() =>
        {
            inner.iter().zip(arguments).for_each(|(pattern, term)| spread(pattern, term, out));
        }
        _ => {}
    }
}

/// 1 for a name like `row` or `rank`, -1 for one like `column` or `file`.
fn row_vote(name: &str) -> i32 {
    let name = name.to_lowercase();
    let is = |words: &[&str], letters: &[char]| {
        words.iter().any(|word| name.contains(word))
            || name.strip_prefix(letters).is_some_and(|rest| !rest.contains(char::is_alphabetic))
    };
    let is_colour = name.contains("colo");
    match (is(&["row", "rank"], &['y']), is(&["col", "file"], &['x']) && !is_colour) {
        (true, false) => 1,
        (false, true) => -1,
        _ => 0,
    }
}
