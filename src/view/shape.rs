//! Shapes of fluents: for each functor, which terms stand at which of its places.
//!
//! A *slot* is a place of a fluent at which constants stand. An argument that is always one and the same compound term,
//! such as the pair in `(cell (at 1 2) b)`, is opened, so that its arguments are slots too. The domains come from
//! [`PositionDomains`], so they contain what holds in any reachable state and possibly more; an argument whose domain
//! is unknown or too large is a slot without a domain.
//!
//! The names of the variables that stand at a slot in the rules tell rows from columns.

use std::collections::BTreeSet;

use hyperplay_logic::gdl::{At, Atom, Game, PositionDomains, Symbol, Syntax, Term, TermId, TermStore};

use super::initial;
use super::order::{Pairs, Strength, ordered};

/// The most terms of an argument that are listed.
const LISTED: usize = 2_000;

/// The most terms of all arguments together.
const ALL_LISTED: usize = 200_000;

/// The most arguments of a fluent that is looked at, and the most shapes.
const ARGUMENTS: usize = 8;
const SHAPES: usize = 400;

/// The pattern of an argument: a slot, or a compound term whose arguments are patterns again.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Slot(usize),
    Open(Symbol, Vec<Pattern>),
}

/// A place at which constants stand, or any terms if there is no domain.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The terms that may stand there, in natural order.
    pub(super) domain: Option<Vec<TermId>>,
    /// The same as a line of coordinates.
    pub(super) order: Option<(Strength, Vec<TermId>)>,
    /// Whether only roles may stand there.
    pub(super) is_role: bool,
    /// Above 0 if the variables there are named like rows, below if they are named like columns.
    pub(super) row_votes: i32,
}

/// The fluents with one functor and arity.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) functor: Symbol,
    pub(super) arguments: Vec<Pattern>,
    pub(super) slots: Vec<Slot>,
    /// The fluents of this shape that are known to hold initially, as their slots.
    pub(super) initially: Vec<Vec<TermId>>,
}

impl Shape {
    /// The terms at the slots in a fluent of this shape.
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
    pub(super) fn with(&self, slots: &[String], game: &Game) -> String {
        written(self.functor, &self.arguments, slots, game)
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

fn written(functor: Symbol, arguments: &[Pattern], slots: &[String], game: &Game) -> String {
    let argument = |pattern: &Pattern| match pattern {
        Pattern::Slot(slot) => slots[*slot].clone(),
        Pattern::Open(functor, inner) => written(*functor, inner, slots, game),
    };
    let arguments: Vec<String> = arguments.iter().map(argument).collect();
    let name = game.show(game.terms().intern(functor, &[]));
    match game.syntax() {
        Syntax::Kif => format!("({name} {})", arguments.join(" ")),
        Syntax::Infix => format!("{name}({})", arguments.join(", ")),
    }
}

/// The shapes of a game's fluents that have arguments, in the order in which the rules first name them.
pub(super) fn shapes(game: &Game) -> Vec<Shape> {
    let domains = PositionDomains::of(game.rules());
    let pairs = Pairs::of(game);
    let mut named: Vec<(Symbol, usize)> = Vec::new();
    let mut known = BTreeSet::new();
    each_fluent(game, &mut |fluent| {
        if let Some(name @ (_, 1..=ARGUMENTS)) = fluent.functor()
            && known.len() < SHAPES
            && known.insert(name)
        {
            named.push(name);
        }
    });
    let mut left = ALL_LISTED;
    let mut shapes: Vec<Shape> =
        named.into_iter().map(|(functor, arity)| shape(game, &domains, functor, arity, &mut left)).collect();
    let same =
        |shape: &Shape, fluent: &Term| fluent.functor() == Some((shape.functor, shape.arguments.len()));
    each_fluent(game, &mut |fluent| {
        if let Some(shape) = shapes.iter_mut().find(|shape| same(shape, fluent)) {
            vote(shape, fluent, game.terms());
        }
    });
    for fact in initial::fluents(game) {
        shapes.iter_mut().for_each(|shape| shape.initially.extend(shape.read(fact, game.terms())));
    }
    for shape in &mut shapes {
        put_in_order(shape, game, &pairs);
    }
    shapes
}

/// Calls `visit` for each fluent that the rules name.
fn each_fluent(game: &Game, visit: &mut dyn FnMut(&Term)) {
    for rule in game.rules() {
        let is_fluent = matches!(rule.head.relation, Symbol::INIT | Symbol::NEXT | Symbol::BASE);
        rule.head.arguments.first().filter(|_| is_fluent).into_iter().for_each(&mut *visit);
        for literal in &rule.body {
            if let Some(atom) = literal.atom()
                && let (Symbol::TRUE, [fluent]) = (atom.relation, &atom.arguments[..])
            {
                visit(fluent);
            }
        }
    }
}

/// Finds which slots are roles and which have an order. A domain that mixes numbers and words has those of its kind
/// that stand at the slot initially: a relation that steps along rows and columns alike mixes the coordinates of both.
fn put_in_order(shape: &mut Shape, game: &Game, pairs: &Pairs) {
    let terms = game.terms();
    let is_number = |term: TermId| terms.symbols().name(terms.functor(term)).parse::<i64>().is_ok();
    for at in 0..shape.slots.len() {
        let seen: BTreeSet<TermId> = shape.initially.iter().map(|slots| slots[at]).collect();
        let Some(domain) = &shape.slots[at].domain else { continue };
        let is_role = domain.iter().all(|value| game.roles().contains(value));
        let mut coordinates = domain.clone();
        let is_mixed = |kind: bool| seen.len() > 1 && seen.iter().all(|&term| is_number(term) == kind);
        for kind in [true, false] {
            if is_mixed(kind) {
                coordinates.retain(|&term| is_number(term) == kind || seen.contains(&term));
            }
        }
        shape.slots[at].order = if is_role { None } else { ordered(&coordinates, terms, pairs) };
        shape.slots[at].is_role = is_role;
    }
}

fn shape(game: &Game, domains: &PositionDomains, functor: Symbol, arity: usize, left: &mut usize) -> Shape {
    let terms = game.terms();
    let variables: Vec<Symbol> = (0..arity as u32).map(Symbol::auxiliary).collect();
    let fluent = Term::Compound(functor, variables.iter().map(|&name| Term::Variable(name)).collect());
    let atom = Atom { relation: Symbol::TRUE, arguments: vec![fluent], at: At::default() };
    let mut out = Shape { functor, arguments: Vec::new(), slots: Vec::new(), initially: Vec::new() };
    for variable in variables {
        let values = domains.values_in(&atom, variable, LISTED.min(*left));
        *left -= values.as_ref().map_or(0, Vec::len);
        let values = values.map(|values| values.iter().filter_map(|term| terms.intern_term(term)).collect());
        out.arguments.push(open(values, game, &mut out.slots, 2));
    }
    out
}

/// Makes slots of an argument with this domain.
fn open(domain: Option<Vec<TermId>>, game: &Game, slots: &mut Vec<Slot>, levels: usize) -> Pattern {
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
            let inner = (0..arity).map(|at| open(Some(column(at)), game, slots, levels - 1));
            return Pattern::Open(functor, inner.collect());
        }
    }
    let domain = domain.map(|values| terms.sorted(values));
    slots.push(Slot { domain, order: None, is_role: false, row_votes: 0 });
    Pattern::Slot(slots.len() - 1)
}

/// Counts the names of the variables at the slots of one mention of a fluent.
fn vote(shape: &mut Shape, fluent: &Term, terms: &TermStore) {
    let Term::Compound(_, arguments) = fluent else { return };
    let mut at_slots: Vec<Option<&Term>> = vec![None; shape.slots.len()];
    for (pattern, term) in shape.arguments.iter().zip(arguments) {
        spread(pattern, term, &mut at_slots);
    }
    for (slot, term) in shape.slots.iter_mut().zip(&at_slots) {
        if let Some(Term::Variable(name)) = term {
            slot.row_votes += row_vote(terms.symbols().name(*name));
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
    let (row, column) = (is(&["row", "rank"], &['y']), is(&["col", "file"], &['x']) && !is_colour);
    match (row || name == "r", column || name == "c") {
        (true, false) => 1,
        (false, true) => -1,
        _ => 0,
    }
}
