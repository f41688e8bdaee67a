//! Plans: a rule as a sequence of steps over registers.
//!
//! The body of a rule is ordered (see [`order`](super::order)), each variable gets a register, and each literal becomes
//! one [`Step`] that either binds registers by walking through rows ([`Find`]) or tests what is bound. The last step
//! derives the head. A plan prints as the rule it came from, then one line a step.
//!
//! Invariant: a step reads only registers that an earlier step, or its own row, binds.

use std::fmt;

use super::relation::{Path, Shape};
use crate::gdl::{Atom, Literal, Rule, Symbol, Symbols, Term, TermId, TermStore, print_rule};

/// Index of a relation in its program.
pub type RelationId = usize;

/// A term to be built from registers.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// What a register holds.
    Register(usize),
    /// A ground term.
    Ground(TermId),
    /// A compound term.
    Build(Symbol, Box<[Expression]>),
}

/// Which rows of a relation a step looks at, when its rule is evaluated against a delta.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// All rows there are when the rule starts.
    All,
    /// The rows that the round before derived.
    Delta,
    /// All rows but those.
    Old,
}

/// What a tuple must look like, and what it binds.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// The functors and key paths of the tuples wanted.
    pub shape: Shape,
    /// The key, one expression a key path.
    pub key: Vec<Expression>,
    /// Registers to be set.
    pub bind: Vec<(Path, usize)>,
    /// Registers bound by this very tuple that must be met again.
    pub repeat: Vec<(Path, usize)>,
}

/// A step that walks through the matching rows of a relation and binds registers.
#[derive(Clone, PartialEq, Debug)]
pub struct Find {
    /// The relation.
    pub relation: RelationId,
    /// Which of its rows.
    pub rows: Rows,
    /// What the rows look like.
    pub pattern: Pattern,
    /// The relation's index for the pattern's shape, if the shape asks for anything.
    pub index: Option<usize>,
}

/// One step of a plan.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// Binds registers from the tuple that is to be proved; the first step of a proof.
    Given(Pattern),
    /// Binds registers, once for each matching row.
    Find(Find),
    /// The tuple holds.
    Holds(RelationId, Vec<Expression>, Rows),
    /// The tuple does not hold.
    Absent(RelationId, Vec<Expression>),
    /// The tuple may or may not hold: where instances are shown, its row is shown.
    Unless(RelationId, Vec<Expression>),
    /// The terms differ.
    Distinct(Expression, Expression),
    /// The terms are equal.
    Same(Expression, Expression),
}

/// A rule, ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Index of the rule in the program.
    pub rule: usize,
    /// What is derived.
    pub head: RelationId,
    /// The head's arguments.
    pub arguments: Vec<Expression>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The number of registers.
    pub registers: usize,
    /// How many steps, from the first, may still change the head: once it is derived, the steps behind have nothing
    /// more to say and the walk returns to the last step counted here.
    pub decided: usize,
    /// Whether a term of the head may be one that was in no tuple before.
    pub builds: bool,
}

impl Plan {
    /// The relations that the plan tests for given tuples.
    pub fn tested(&self) -> impl Iterator<Item = RelationId> {
        self.steps.iter().filter_map(|step| match step {
            Step::Holds(relation, ..) | Step::Absent(relation, _) => Some(*relation),
            _ => None,
        })
    }

    /// The indexes that the plan looks into, with their relations.
    pub fn lookups(&self) -> impl Iterator<Item = (RelationId, usize)> {
        self.steps.iter().filter_map(|step| match step {
            Step::Find(find) => find.index.map(|index| (find.relation, index)),
            _ => None,
        })
    }
}

/// What a plan is made from.
pub struct Draft<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Its index in the program.
    pub index: usize,
    /// Positions in the body, in the order of evaluation.
    pub order: Vec<usize>,
    /// Whether the head is given and the plan proves it.
    pub is_proof: bool,
    /// For plans that show instances: whether a relation is open, so that each of its tuples in an instance counts.
    pub open: Option<&'a dyn Fn(RelationId) -> bool>,
}

/// Compiles a rule. `relation` gives the id of a relation; `rows` says which rows the positive literal at a body
/// position looks at.
pub fn compile(
    draft: &Draft<'_>,
    relation: impl Fn(&Atom) -> RelationId,
    rows: impl Fn(usize) -> Rows,
    terms: &TermStore,
) -> Plan {
    let Draft { rule, index, ref order, is_proof, open } = *draft;
    let is_open = |atom: &Atom| open.is_some_and(|open| open(relation(atom)));
    let mut registers = Registers { variables: Vec::new(), terms };
    let mut steps = Vec::with_capacity(order.len() + 1);
    // For each register, the number of steps up to and including the one that binds it.
    let mut bound_by = Vec::new();
    if is_proof {
        steps.push(Step::Given(registers.pattern(&rule.head)));
        bound_by.resize(registers.variables.len(), steps.len());
    }
    for &position in order {
        let step = match &rule.body[position] {
            Literal::Positive(atom) => registers.find(relation(atom), atom, rows(position)),
            Literal::Negative(atom) if is_open(atom) => {
                Step::Unless(relation(atom), registers.expressions(&atom.arguments))
            }
            Literal::Negative(atom) => Step::Absent(relation(atom), registers.expressions(&atom.arguments)),
            Literal::Distinct(a, b) => Step::Distinct(registers.expression(a), registers.expression(b)),
            Literal::Same(a, b) => Step::Same(registers.expression(a), registers.expression(b)),
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
    for literal in &rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) if is_open(atom) => {
                atom.each_variable(&mut decides)
            }
            _ => {}
        }
    }
    let builds = arguments.iter().any(|argument| !matches!(argument, Expression::Register(_)));
    Plan {
        rule: index,
        head: relation(&rule.head),
        arguments,
        steps,
        registers: registers.variables.len(),
        decided,
        builds,
    }
}

/// The shape in which an atom looks up its relation when `is_bound` variables are known, with the key terms.
pub fn shape_of<'a>(atom: &'a Atom, is_bound: &impl Fn(Symbol) -> bool) -> (Shape, Vec<&'a Term>) {
    fn visit<'a>(
        term: &'a Term,
        path: Path,
        is_bound: &impl Fn(Symbol) -> bool,
        shape: &mut Shape,
        key: &mut Vec<&'a Term>,
    ) {
        let mut known = true;
        term.each_variable(&mut |variable| known &= is_bound(variable));
        match term {
            _ if known => {
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
    let (mut shape, mut key) = (Shape::default(), Vec::new());
    for (column, argument) in atom.arguments.iter().enumerate() {
        visit(argument, Path::column(column), is_bound, &mut shape, &mut key);
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

    fn expressions(&self, terms: &[Term]) -> Vec<Expression> {
        terms.iter().map(|term| self.expression(term)).collect()
    }

    fn expression(&self, term: &Term) -> Expression {
        match term {
            Term::Variable(variable) => Expression::Register(
                self.position(*variable).expect("the order binds a variable before it is read"),
            ),
            Term::Compound(functor, arguments) if !term.is_ground() => {
                Expression::Build(*functor, self.expressions(arguments).into())
            }
            ground => Expression::Ground(self.terms.intern_term(ground).expect("checked to be ground")),
        }
    }

    /// The step for a positive literal; binds its unbound variables.
    fn find(&mut self, relation: RelationId, atom: &Atom, rows: Rows) -> Step {
        let mut is_known = true;
        atom.each_variable(&mut |variable| is_known &= self.position(variable).is_some());
        if is_known {
            return Step::Holds(relation, self.expressions(&atom.arguments), rows);
        }
        Step::Find(Find { relation, rows, pattern: self.pattern(atom), index: None })
    }

    /// The pattern of an atom; binds its unbound variables.
    fn pattern(&mut self, atom: &Atom) -> Pattern {
        let bound = self.variables.len();
        let (shape, key) = shape_of(atom, &|variable| self.position(variable).is_some());
        let key = key.into_iter().map(|term| self.expression(term)).collect();
        let (mut bind, mut repeat) = (Vec::new(), Vec::new());
        for (column, argument) in atom.arguments.iter().enumerate() {
            self.bind(argument, Path::column(column), bound, &mut bind, &mut repeat);
        }
        Pattern { shape, key, bind, repeat }
    }

    /// Collects the variables of a term that are not among the first `bound` registers.
    fn bind(
        &mut self,
        term: &Term,
        path: Path,
        bound: usize,
        bind: &mut Vec<(Path, usize)>,
        repeat: &mut Vec<(Path, usize)>,
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
                // A term whose variables were all bound before is part of the key; a repeat inside is harmless.
                for (position, argument) in arguments.iter().enumerate() {
                    self.bind(argument, path.argument(position), bound, bind, repeat);
                }
            }
        }
    }
}

/// A plan with the names it needs to print.
pub struct Shown<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The rule it came from.
    pub rule: &'a Rule,
    /// The line on which that rule begins.
    pub line: usize,
    /// The names of the program's relations.
    pub relations: &'a [Symbol],
    /// The names.
    pub symbols: &'a Symbols,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}: {}", self.line, print_rule(self.rule, self.symbols))?;
        let name = |relation: &RelationId| self.symbols.name(self.relations[*relation]);
        for (number, step) in self.plan.steps.iter().enumerate() {
            write!(f, "  {}. ", number + 1)?;
            match step {
                Step::Given(_) => writeln!(f, "given {}", name(&self.plan.head))?,
                Step::Find(find) => {
                    let keys = find.pattern.key.len();
                    write!(f, "find {} by ", name(&find.relation))?;
                    match keys {
                        0 => write!(f, "scan")?,
                        _ => write!(f, "index of {keys} of its terms")?,
                    }
                    if find.rows != Rows::All {
                        write!(f, " ({:?})", find.rows)?;
                    }
                    writeln!(f, ", binding {}", find.pattern.bind.len())?;
                }
                Step::Holds(relation, ..) => writeln!(f, "test {}", name(relation))?,
                Step::Absent(relation, _) => writeln!(f, "test not {}", name(relation))?,
                Step::Unless(relation, _) => writeln!(f, "look up {}", name(relation))?,
                Step::Distinct(..) => writeln!(f, "test distinct")?,
                Step::Same(..) => writeln!(f, "test not distinct")?,
            }
        }
        writeln!(f, "  derive {}, decided after step {}", name(&self.plan.head), self.plan.decided)
    }
}
