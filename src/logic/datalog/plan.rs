//! Plans: a rule as a sequence of steps over registers.
//!
//! The body of a rule is ordered (see [`order`](super::order)), each variable gets a register, and each literal becomes
//! one [`JoinStep`]. A step either binds registers by visiting the matching rows of a relation ([`RowLookup`]) or tests
//! what is bound already. When all steps have passed, the head is derived. A plan is printed as the rule that it came
//! from, followed by one line for each step.
//!
//! Invariant: a step reads only registers that an earlier step or its own row binds.

use std::fmt::{self, Write as _};

use rustc_hash::FxHashSet;

use super::relation::{IndexShape, TermPath};
use crate::gdl::{Atom, Literal, Rule, Symbol, Symbols, Term, TermId, TermStore, print_rule};

/// The index of a relation in its [`DatalogProgram`](super::DatalogProgram), from 0. The example is
/// at [`DatalogProgram`](super::DatalogProgram).
pub type RelationId = usize;

/// An expression for a term, evaluated over registers.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum TermExpression {
    /// The content of a register.
    Register(usize),
    /// A ground term.
    Ground(TermId),
    /// A compound term to be built.
    Build(Symbol, Box<[TermExpression]>),
}

/// The rows of a relation that a step visits when its rule is evaluated semi-naively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RowRange {
    /// All rows that exist when the rule starts.
    All,
    /// The rows that the previous round derived.
    Delta,
    /// All rows except those of the previous round.
    Old,
}

/// The form that a tuple must have, and the registers that it binds.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TuplePattern {
    /// The functors and key paths that a tuple must have.
    pub(super) shape: IndexShape,
    /// The key: one expression for each key path.
    pub(super) key: Vec<TermExpression>,
    /// The registers to be set, with the paths of their terms.
    pub(super) bind: Vec<(TermPath, usize)>,
    /// The registers that this tuple itself binds and whose term it must repeat at another path.
    pub(super) repeat: Vec<(TermPath, usize)>,
}

/// A step that visits the matching rows of a relation and binds registers.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RowLookup {
    /// The relation.
    pub(super) relation: RelationId,
    /// The rows that are visited.
    pub(super) rows: RowRange,
    /// The pattern that the rows must match.
    pub(super) pattern: TuplePattern,
    /// The relation's index for the pattern's shape, if the shape asks for anything.
    pub(super) index: Option<usize>,
}

/// One step of a plan.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum JoinStep {
    /// Binds registers from the given head; the first step of the plan of a subgoal.
    Given(TuplePattern),
    /// Binds registers, once for each matching row.
    Find(RowLookup),
    /// The tuple holds.
    Holds(RelationId, Vec<TermExpression>, RowRange),
    /// The tuple does not hold.
    Absent(RelationId, Vec<TermExpression>),
    /// Looks up the row of the tuple, which need not hold; used only where instances are shown.
    Unless(RelationId, Vec<TermExpression>),
    /// The terms differ.
    Distinct(TermExpression, TermExpression),
    /// The terms are equal.
    Same(TermExpression, TermExpression),
}

impl JoinStep {
    /// Whether every row of a relation matches, and each binds its registers otherwise.
    fn takes_every_row(&self) -> bool {
        matches!(self, JoinStep::Find(RowLookup { pattern: TuplePattern { shape, repeat, .. }, .. })
            if *shape == IndexShape::default() && repeat.is_empty())
    }
}

/// A rule that is compiled and ready to run.
#[derive(Clone, Debug)]
pub(super) struct JoinPlan {
    /// The index of the rule in the program.
    pub(super) rule: usize,
    /// The relation that is derived.
    pub(super) head: RelationId,
    /// The head's arguments.
    pub(super) arguments: Vec<TermExpression>,
    /// The steps, in order.
    pub(super) steps: Vec<JoinStep>,
    /// The number of registers.
    pub(super) registers: usize,
    /// The number of leading steps that may change the head. Once the head is derived, the later steps cannot derive
    /// anything new, and the walk returns to the last step that is counted here.
    pub(super) decided: usize,
    /// Whether the head may contain a term that has been in no tuple before.
    pub(super) builds: bool,
    /// Whether each choice of one row for every step derives a head of its own, so that the number of heads is known before the plan
    /// runs.
    pub(super) is_product: bool,
}

impl JoinPlan {
    /// The relations that the plan tests for given tuples.
    pub(super) fn tested(&self) -> impl Iterator<Item = RelationId> {
        self.steps.iter().filter_map(|step| match step {
            JoinStep::Holds(relation, ..) | JoinStep::Absent(relation, _) => Some(*relation),
            _ => None,
        })
    }

    /// The indexes that the plan looks into, with their relations.
    pub(super) fn lookups(&self) -> impl Iterator<Item = (RelationId, usize)> {
        self.steps.iter().filter_map(|step| match step {
            JoinStep::Find(find) => find.index.map(|index| (find.relation, index)),
            _ => None,
        })
    }
}

/// What [`compile`] makes a plan of.
pub(super) struct PlanDraft<'a> {
    /// The rule.
    pub(super) rule: &'a Rule,
    /// The index of the rule in the program.
    pub(super) index: usize,
    /// The position of the literal that is evaluated first, if one is to be.
    pub(super) first: Option<usize>,
    /// Whether the head is given, because the plan evaluates a subgoal of a tabled relation.
    pub(super) is_subgoal: bool,
    /// For plans that show instances: whether a relation is open, so that the row of its tuple is reported.
    pub(super) open: Option<&'a dyn Fn(RelationId) -> bool>,
}

/// Compiles a rule whose literals are evaluated in this order. `relation` returns the id of an atom's relation; `rows` returns
/// the rows that the positive literal at a position of the body visits.
pub(super) fn compile(
    draft: &PlanDraft<'_>,
    order: Vec<usize>,
    relation: &dyn Fn(&Atom) -> RelationId,
    rows: &dyn Fn(usize) -> RowRange,
    terms: &TermStore,
) -> JoinPlan {
    let PlanDraft { rule, index, is_subgoal, open, .. } = *draft;
    let is_open = |atom: &Atom| open.is_some_and(|open| open(relation(atom)));
    let mut registers = Registers { variables: Vec::new(), terms };
    let mut steps = Vec::with_capacity(order.len() + 1);
    // For each register, the number of steps up to and including the one that binds it.
    let mut bound_by = Vec::new();
    if is_subgoal {
        steps.push(JoinStep::Given(registers.pattern(&rule.head)));
        bound_by.resize(registers.variables.len(), steps.len());
    }
    for position in order {
        let step = match &rule.body[position] {
            Literal::Positive(atom) => registers.find(relation(atom), atom, rows(position)),
            Literal::Negative(atom) if is_open(atom) => {
                JoinStep::Unless(relation(atom), registers.expressions(&atom.arguments))
            }
            Literal::Negative(atom) => {
                JoinStep::Absent(relation(atom), registers.expressions(&atom.arguments))
            }
            Literal::Distinct(a, b) => JoinStep::Distinct(registers.expression(a), registers.expression(b)),
            Literal::Same(a, b) => JoinStep::Same(registers.expression(a), registers.expression(b)),
        };
        steps.push(step);
        bound_by.resize(registers.variables.len(), steps.len());
    }
    let arguments = registers.expressions(&rule.head.arguments);
    let mut decided = 0;
    let mut decides = |variable| {
        let register = registers.position(variable).expect("a safe rule binds the variables of its head");
        decided = decided.max(bound_by[register]);
    };
    rule.head.each_variable(&mut decides);
    for atom in rule.body.iter().filter_map(Literal::atom).filter(|atom| is_open(atom)) {
        atom.each_variable(&mut decides);
    }
    let builds = arguments.iter().any(|argument| !matches!(argument, TermExpression::Register(_)));
    let in_head: FxHashSet<Symbol> = rule.head.variables().collect();
    let is_product =
        in_head.len() == registers.variables.len() && steps.iter().all(JoinStep::takes_every_row);
    JoinPlan {
        rule: index,
        head: relation(&rule.head),
        arguments,
        steps,
        registers: registers.variables.len(),
        decided,
        builds,
        is_product,
    }
}

/// The shape of the look-ups that an atom makes when the variables that satisfy `is_bound` are known, with the terms of
/// the key.
pub(super) fn shape_of<'a>(atom: &'a Atom, is_bound: &dyn Fn(Symbol) -> bool) -> (IndexShape, Vec<&'a Term>) {
    fn visit<'a>(
        term: &'a Term,
        path: TermPath,
        is_bound: &dyn Fn(Symbol) -> bool,
        shape: &mut IndexShape,
        key: &mut Vec<&'a Term>,
    ) {
        match term {
            _ if term.all_variables(is_bound) => {
                shape.key.push(path);
                key.push(term);
            }
            Term::Compound(functor, arguments) => {
                shape.compounds.push((path.clone(), *functor, arguments.len()));
                for (position, argument) in arguments.iter().enumerate() {
                    visit(argument, path.argument(position), is_bound, shape, key);
                }
            }
            _ => {}
        }
    }
    let (mut shape, mut key) = (IndexShape::default(), Vec::new());
    for (column, argument) in atom.arguments.iter().enumerate() {
        visit(argument, TermPath::column(column), is_bound, &mut shape, &mut key);
    }
    (shape, key)
}

struct Registers<'a> {
    variables: Vec<Symbol>,
    terms: &'a TermStore,
}

impl Registers<'_> {
    fn position(&self, variable: Symbol) -> Option<usize> {
        self.variables.iter().position(|&other| other == variable)
    }

    fn expressions(&self, terms: &[Term]) -> Vec<TermExpression> {
        terms.iter().map(|term| self.expression(term)).collect()
    }

    fn expression(&self, term: &Term) -> TermExpression {
        match term {
            Term::Variable(variable) => TermExpression::Register(
                self.position(*variable).expect("the order binds a variable before it is read"),
            ),
            Term::Compound(functor, arguments) if !term.is_ground() => {
                TermExpression::Build(*functor, self.expressions(arguments).into())
            }
            ground => TermExpression::Ground(self.terms.intern_term(ground).expect("checked to be ground")),
        }
    }

    /// The step for a positive literal; binds its unbound variables.
    fn find(&mut self, relation: RelationId, atom: &Atom, rows: RowRange) -> JoinStep {
        if atom.all_variables(&|variable| self.position(variable).is_some()) {
            return JoinStep::Holds(relation, self.expressions(&atom.arguments), rows);
        }
        JoinStep::Find(RowLookup { relation, rows, pattern: self.pattern(atom), index: None })
    }

    /// The pattern of an atom; binds its unbound variables.
    fn pattern(&mut self, atom: &Atom) -> TuplePattern {
        let bound = self.variables.len();
        let (shape, key) = shape_of(atom, &|variable| self.position(variable).is_some());
        let key = key.into_iter().map(|term| self.expression(term)).collect();
        let (mut bind, mut repeat) = (Vec::new(), Vec::new());
        for (column, argument) in atom.arguments.iter().enumerate() {
            self.bind(argument, TermPath::column(column), bound, &mut bind, &mut repeat);
        }
        TuplePattern { shape, key, bind, repeat }
    }

    /// Collects the variables of a term that are not among the first `bound` registers.
    fn bind(
        &mut self,
        term: &Term,
        path: TermPath,
        bound: usize,
        bind: &mut Vec<(TermPath, usize)>,
        repeat: &mut Vec<(TermPath, usize)>,
    ) {
        match term {
            Term::Variable(variable) => match self.position(*variable) {
                Some(register) if register < bound => {}
                Some(register) => repeat.push((path, register)),
                None => {
                    bind.push((path, self.variables.len()));
                    self.variables.push(*variable);
                }
            },
            Term::Constant(_) => {}
            Term::Compound(_, arguments) => {
                // A term whose variables were all bound before is part of the key; testing it again does no harm.
                for (position, argument) in arguments.iter().enumerate() {
                    self.bind(argument, path.argument(position), bound, bind, repeat);
                }
            }
        }
    }
}

impl JoinPlan {
    /// Writes the plan of a rule that begins on `line`, with the names of the relations by number.
    pub(super) fn write(
        &self,
        out: &mut String,
        (rule, line): (&Rule, usize),
        names: &[Symbol],
        symbols: &Symbols,
    ) -> fmt::Result {
        writeln!(out, "line {line}: {}", print_rule(rule, symbols))?;
        let name = |relation: &RelationId| symbols.name(names[*relation]);
        for (number, step) in self.steps.iter().enumerate() {
            write!(out, "  {}. ", number + 1)?;
            match step {
                JoinStep::Given(_) => writeln!(out, "given {}", name(&self.head))?,
                JoinStep::Find(find) => {
                    let keys = find.pattern.key.len();
                    write!(out, "find {} by ", name(&find.relation))?;
                    match keys {
                        0 => write!(out, "scan")?,
                        _ => write!(out, "index of {keys} of its terms")?,
                    }
                    if find.rows != RowRange::All {
                        write!(out, " ({:?})", find.rows)?;
                    }
                    writeln!(out, ", binding {}", find.pattern.bind.len())?;
                }
                JoinStep::Holds(relation, ..) => writeln!(out, "test {}", name(relation))?,
                JoinStep::Absent(relation, _) => writeln!(out, "test not {}", name(relation))?,
                JoinStep::Unless(relation, _) => writeln!(out, "look up {}", name(relation))?,
                JoinStep::Distinct(..) => writeln!(out, "test distinct")?,
                JoinStep::Same(..) => writeln!(out, "test not distinct")?,
            }
        }
        writeln!(out, "  derive {}, decided after step {}", name(&self.head), self.decided)
    }
}
