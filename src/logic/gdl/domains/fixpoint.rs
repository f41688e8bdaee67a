//! The least fixpoint of the domains over all rules.
//!
//! A rule whose body may hold adds the terms of its head to the nodes of the head's relation. The rules that read a
//! relation wait in a queue whenever a node of the relation has grown. `true` gets what `init` and `next` get, and
//! `does` gets what `legal` gets. The moves of `legal` are also kept for each role, so a condition that names a role
//! reads only its moves.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::rule::{Atom, Literal};
use super::graph::{ANY, Budget, Graph, Meet, NodeId, Widening, Within};
use hyperplay_machine::terms::{Symbol, Term};

/// A rule as its head and its literals.
pub(in crate::gdl) struct RuleParts<'r> {
    pub(in crate::gdl) head: &'r Atom,
    pub(in crate::gdl) body: Vec<&'r Literal>,
    /// Variables that may have any value, unless the body says which.
    pub(in crate::gdl) free: Vec<Symbol>,
}

/// The knowledge about one relation.
#[derive(Clone, Debug)]
pub(super) struct RelationDomain {
    /// A node for each argument.
    pub(super) positions: Box<[NodeId]>,
    /// Whether some rule may derive the relation.
    pub(super) may_hold: bool,
}

/// The domains of all relations, by name and arity.
#[derive(Clone, Debug)]
pub(super) struct Fixpoint {
    pub(super) graph: Graph,
    pub(super) relations: FxHashMap<(Symbol, usize), RelationDomain>,
    /// The moves of each role that is a constant, by relation (`legal` or `does`) and role.
    moves: FxHashMap<(Symbol, Symbol), NodeId>,
    /// Whether a rule makes moves legal for roles that are not known to be constants.
    has_other_roles: bool,
}

/// The values that the variables of a rule may take.
pub(super) type Bindings = FxHashMap<Symbol, Meet>;

impl Fixpoint {
    /// The least fixpoint over some rules, unless it needs more than the budget.
    pub(super) fn of(rules: &[RuleParts<'_>], widening: Widening, budget: &mut Budget) -> Within<Fixpoint> {
        let mut fixpoint = Fixpoint {
            graph: Graph::new(widening),
            relations: FxHashMap::default(),
            moves: FxHashMap::default(),
            has_other_roles: false,
        };
        let mut readers: FxHashMap<(Symbol, usize), Vec<usize>> = FxHashMap::default();
        for (index, rule) in rules.iter().enumerate() {
            for relation in fed(rule.head) {
                fixpoint.declare(relation);
            }
            for atom in rule.body.iter().filter_map(|literal| literal.positive()) {
                let reading = readers.entry(atom.functor()).or_default();
                if reading.last() != Some(&index) {
                    reading.push(index);
                }
            }
        }
        // Facts come first, so that the rules read complete relations from the beginning.
        let is_fact = |index: &usize| rules[*index].body.is_empty();
        let mut queue: VecDeque<usize> = (0..rules.len()).filter(is_fact).collect();
        queue.extend((0..rules.len()).filter(|index| !is_fact(index)));
        let mut is_queued = vec![true; rules.len()];
        while let Some(index) = queue.pop_front() {
            is_queued[index] = false;
            let rule = &rules[index];
            let Some(mut bindings) = fixpoint.bindings(&rule.body, budget)? else { continue };
            for &variable in &rule.free {
                bindings.entry(variable).or_default().add(ANY);
            }
            let mut wake = |reader: usize| {
                if !std::mem::replace(&mut is_queued[reader], true) {
                    queue.push_back(reader);
                }
            };
            for relation in fed(rule.head) {
                if fixpoint.feed(relation, &rule.head.arguments, &bindings, budget)? {
                    readers.get(&relation).into_iter().flatten().for_each(|&reader| wake(reader));
                }
            }
            if std::mem::take(&mut fixpoint.graph.shared_has_grown) {
                (0..rules.len()).for_each(wake);
            }
        }
        Ok(fixpoint)
    }

    fn declare(&mut self, relation: (Symbol, usize)) {
        let graph = &mut self.graph;
        self.relations.entry(relation).or_insert_with(|| RelationDomain {
            positions: (0..relation.1).map(|_| graph.root()).collect(),
            may_hold: false,
        });
    }

    /// Adds the instances of a head to a relation. Says whether the relation has grown.
    fn feed(
        &mut self,
        relation: (Symbol, usize),
        arguments: &[Term],
        bindings: &Bindings,
        budget: &mut Budget,
    ) -> Within<bool> {
        let domain = self.relations.get_mut(&relation).expect("every head is declared");
        self.graph.has_grown = !std::mem::replace(&mut domain.may_hold, true);
        for (&node, argument) in domain.positions.iter().zip(arguments) {
            add(&mut self.graph, node, argument, bindings, budget)?;
        }
        if let ((Symbol::LEGAL | Symbol::DOES, 2), [role, made]) = (relation, arguments) {
            for role in self.roles(role, bindings, budget)? {
                let node = *self.moves.entry((relation.0, role)).or_insert_with(|| self.graph.root());
                add(&mut self.graph, node, made, bindings, budget)?;
            }
        }
        Ok(self.graph.has_grown)
    }

    /// The constants that the role in the head of a rule for `legal` stands for; notes if it may stand for something
    /// else.
    fn roles(&mut self, role: &Term, bindings: &Bindings, budget: &mut Budget) -> Within<Vec<Symbol>> {
        let mut constants = Vec::new();
        let is_known = match role {
            Term::Constant(role) => {
                constants.push(*role);
                true
            }
            Term::Variable(variable) => match bindings.get(variable) {
                Some(meet) if !self.graph.is_any_meet(meet) => {
                    constants = self.graph.constants(meet, budget)?;
                    self.graph.functors(meet, budget)?.is_empty()
                }
                _ => false,
            },
            Term::Compound(..) => false,
        };
        // All rules that name a role read other moves from now on.
        self.graph.shared_has_grown |= !is_known && !std::mem::replace(&mut self.has_other_roles, true);
        Ok(constants)
    }

    /// The nodes for the arguments of an atom. The moves of a role that is named are only those of the role.
    pub(super) fn positions(&self, atom: &Atom) -> Option<SmallVec<[NodeId; 8]>> {
        let domain = self.relations.get(&atom.functor()).filter(|domain| domain.may_hold)?;
        let mut positions = SmallVec::from_slice(&domain.positions);
        if let (Symbol::LEGAL | Symbol::DOES, [Term::Constant(role), _]) =
            (atom.relation, &atom.arguments[..])
            && !self.has_other_roles
            && let Some(&moves) = self.moves.get(&(atom.relation, *role))
        {
            positions[1] = moves;
        }
        Some(positions)
    }

    /// The values of the variables of a body, or `None` if the body cannot hold. Negation is ignored.
    pub(super) fn bindings(&self, body: &[&Literal], budget: &mut Budget) -> Within<Option<Bindings>> {
        let mut bindings = Bindings::default();
        for atom in body.iter().filter_map(|literal| literal.positive()) {
            if !self.bind_atom(atom, &mut bindings) {
                return Ok(None);
            }
        }
        for literal in body {
            let may_hold = match literal {
                Literal::Positive(_) | Literal::Negative(_) => true,
                Literal::Distinct(a, b) => differ(a, b, &mut bindings),
                Literal::Same(a, b) => agree(a, b, &mut bindings),
            };
            if !may_hold {
                return Ok(None);
            }
        }
        for meet in bindings.values() {
            if !self.graph.has_terms(meet, budget)? {
                return Ok(None);
            }
        }
        Ok(Some(bindings))
    }

    /// Restricts the variables of an atom to the nodes at which they stand. Says whether constants and functors of the
    /// atom are in their nodes.
    pub(super) fn bind_atom(&self, atom: &Atom, bindings: &mut Bindings) -> bool {
        self.positions(atom).is_some_and(|positions| {
            atom.arguments.iter().zip(positions).all(|(term, node)| self.bind(term, node, bindings))
        })
    }

    /// The same for one term at a node.
    pub(super) fn bind(&self, term: &Term, node: NodeId, bindings: &mut Bindings) -> bool {
        match term {
            Term::Variable(variable) => {
                bindings.entry(*variable).or_default().add(node);
                !self.graph.is_empty(node)
            }
            Term::Constant(constant) => self.graph.has_constant(node, *constant),
            Term::Compound(_, arguments) if self.graph.is_any(node) => {
                arguments.iter().all(|argument| self.bind(argument, ANY, bindings))
            }
            Term::Compound(name, arguments) => {
                self.graph.arguments(node, (*name, arguments.len())).is_some_and(|nodes| {
                    arguments.iter().zip(nodes).all(|(argument, &node)| self.bind(argument, node, bindings))
                })
            }
        }
    }
}

/// Adds the instances of a term to a node. A variable that nothing binds adds nothing.
fn add(graph: &mut Graph, node: NodeId, term: &Term, bindings: &Bindings, budget: &mut Budget) -> Within {
    match term {
        Term::Variable(variable) => match bindings.get(variable) {
            Some(meet) => graph.include(node, meet, budget),
            None => Ok(()),
        },
        Term::Constant(constant) => graph.add_constant(node, *constant, budget),
        Term::Compound(name, arguments) => {
            let below = graph.add_functor(node, (*name, arguments.len()), budget)?;
            arguments
                .iter()
                .zip(&below)
                .try_for_each(|(argument, &node)| add(graph, node, argument, bindings, budget))
        }
    }
}

/// Restricts variables to what `(distinct a b)` leaves. Says whether it may hold.
fn differ(a: &Term, b: &Term, bindings: &mut Bindings) -> bool {
    if let (Term::Variable(variable), Term::Constant(constant))
    | (Term::Constant(constant), Term::Variable(variable)) = (a, b)
        && let Some(meet) = bindings.get_mut(variable)
        && !meet.without.contains(constant)
    {
        meet.without.push(*constant);
    }
    a != b
}

/// Restricts variables to what the equality of two terms leaves. Says whether it may hold.
fn agree(a: &Term, b: &Term, bindings: &mut Bindings) -> bool {
    if let (Term::Variable(variable), Term::Constant(constant))
    | (Term::Constant(constant), Term::Variable(variable)) = (a, b)
        && let Some(meet) = bindings.get_mut(variable)
    {
        return *meet.only.get_or_insert(*constant) == *constant;
    }
    a.may_unify(b)
}

/// The relations that get what a head derives.
fn fed(head: &Atom) -> impl Iterator<Item = (Symbol, usize)> + use<> {
    let also = match head.relation {
        Symbol::INIT | Symbol::NEXT => Some(Symbol::TRUE),
        Symbol::LEGAL => Some(Symbol::DOES),
        _ => None,
    };
    let arity = head.arguments.len();
    std::iter::once(head.relation).chain(also).map(move |relation| (relation, arity))
}
