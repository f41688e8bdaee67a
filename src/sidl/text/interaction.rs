//! Interactions: checked SIDL programs, as the machine runs them.
//!
//! An [`Interaction`] is made of a text that [`load`](super::load()) has found no error in. It names everything once: a
//! switch, a chance and a branching are positions in its lists. The terms keep their variables and belong to the
//! symbols of the game.
//!
//! Invariants: every branching has as many operations as its switch has aliases or its chance has weights; the weights
//! of a chance are positive; every variable of an effect, of a comparison and of a negation with a meaning outside it
//! is bound by the tests before it.
//!
//! The language is that of "General Game Management Agent", section 3 (docs/REFERENCES.md). Our own additions are
//! marked so.

use hyperplay_logic::gdl::{Atom, Span, Term};

use super::number::Number;

/// A checked SIDL program. The example is at [`load`](super::load()).
#[derive(Clone, Debug, Default)]
pub struct Interaction {
    /// The owners of accounts, in the order of the text, with their first balances: the roles. At least one.
    pub agents: Vec<(Term, Number)>,
    /// The switches, in the order of the text.
    pub switches: Vec<Switch>,
    /// The chances, in the order of the text.
    pub chances: Vec<Chance>,
    /// The branchings, in the order in which a chronon executes them: that of the text.
    pub branchings: Vec<Branching>,
    /// The operations, in the order of the text.
    pub operations: Vec<Operation>,
    /// The rules that say what is hidden, from whom, and when.
    pub hidden: Vec<HiddenRule>,
    /// The interaction is over where one of these conjunctions holds.
    pub terminal: Vec<Vec<Test>>,
    /// The facts that hold at the start; ground.
    pub facts: Vec<Term>,
    /// The range of balances that is mapped onto goals, where the text declares one (ours).
    pub balances: Option<(Number, Number)>,
}

/// A switch, which its owner may set at any moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// Its identifier (BID); ground.
    pub id: Term,
    /// The number of its owner among the agents.
    pub owner: usize,
    /// The names of its settings; ground, different, at least one.
    pub aliases: Vec<Term>,
    /// The number of its first setting among the aliases. `None` if it is not set at the start.
    pub initial: Option<usize>,
    /// Whether it returns to its first setting at the end of each chronon (ours).
    pub is_momentary: bool,
}

/// A chance: nature's switch, which is drawn once in every chronon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chance {
    /// Its identifier (BID); ground.
    pub id: Term,
    /// The probabilities in lowest common terms: whole numbers above 0, each divided by their sum.
    pub weights: Vec<u64>,
}

/// The selector of the operation of a branching.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Selector {
    /// The setting of a switch, by its number.
    Switch(usize),
    /// The draw of a chance, by its number.
    Chance(usize),
    /// Nothing: there is one operation, and it is tried in every chronon (`nil`).
    Always,
}

/// A list of operations of which one is tried in a chronon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branching {
    /// The operations, as the branching names them, for each alias or weight of the selector.
    pub operations: Vec<Term>,
    /// The selector among them.
    pub selector: Selector,
}

/// One clause for an operation. A branching tries the clauses that match its term, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The term that branchings name, with variables.
    pub head: Term,
    /// The conditions, from left to right.
    pub tests: Vec<Test>,
    /// The effects where the conditions hold, in the order of the text.
    pub effects: Vec<Effect>,
    /// Where it stands.
    pub span: Span,
}

/// A condition of an operation, a `hidden` rule or `terminal`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    /// A fact, `does(B, Alias)` or `account(Agent, Balance)` holds; binds variables. Arithmetic in the arguments is
    /// evaluated first.
    Holds(Atom),
    /// The conjunction has no solution. Its own variables mean: there is none.
    Not(Vec<Test>),
    /// One of the conjunctions has a solution.
    Either(Vec<Vec<Test>>),
    /// The values of two arithmetic terms compare so.
    Compare(Comparison, Term, Term),
    /// The first term, which may have variables that are not bound yet, equals the second, the arithmetic in which is
    /// evaluated: `X is Y + 1`, `X = Y`.
    Equals(Term, Term),
    /// The terms differ: `X \= Y`. All variables are bound.
    Differ(Term, Term),
    /// Nothing holds: `false`, `fail`.
    Never,
}

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `=<` or `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `=:=` or `==` between numbers
    Equal,
    /// `=\=`
    NotEqual,
}

/// The effect of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// `ax(F)`: removes every fact that matches, at once.
    Remove(Atom),
    /// `next(F)`: the fact holds in the next state; `next(does(B, Alias))` sets a switch for the next chronon.
    Create(Atom),
    /// `goal(Agent, Payoff)`: adds to a balance, at once.
    Pay(Term, Term),
}

/// `hidden(F, Agents) :- Tests`: the facts that match F are not visible to the agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HiddenRule {
    /// The facts; a predicate of the text, `does` or `account`, with variables.
    pub fact: Atom,
    /// The agents: constants, or variables that the tests or the fact bind.
    pub agents: Vec<Term>,
    /// The conditions. That the fact holds need not be among them.
    pub tests: Vec<Test>,
    /// Where it stands.
    pub span: Span,
}
