//! Obstacles: why an atom cannot hold, or a body.
//!
//! The obstacle of an atom is the first part, from left to right, that its position does not admit. Parts inside a term
//! are only looked at if the functor of the term is admitted.

use super::super::rule::Atom;
use super::fixpoint::Bindings;
use super::graph::{Budget, Functor, Meet, NodeId};
use super::{PositionDomains, QUESTION};
use hyperplay_machine::terms::{Symbol, Term};

/// Why an atom cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::gdl) enum Obstacle<'t> {
    /// No rule derives the relation.
    Relation,
    /// A constant or a functor is not among the terms at its position.
    Term {
        /// The term.
        term: &'t Term,
        /// The relations and functors around the term with the position inside, from the outermost.
        path: Vec<(Symbol, usize)>,
        /// The constants (of arity 0) and functors that there are at the position, sorted.
        known: Vec<Functor>,
    },
    /// No term may stand at all places of a variable.
    Variable(Symbol),
}

impl PositionDomains {
    /// The obstacle of an atom, `None` if the atom may hold.
    pub(in crate::gdl) fn obstacle<'t>(&self, atom: &'t Atom) -> Option<Obstacle<'t>> {
        let fixpoint = self.fixpoint.as_ref()?;
        if self.may_hold(atom) {
            return None;
        }
        let Some(positions) = fixpoint.positions(atom) else { return Some(Obstacle::Relation) };
        let mut path = Vec::new();
        let excluded = self.excluded(atom.relation, &atom.arguments, &positions, &mut path);
        excluded.or_else(|| self.variable_without_value(&mut [atom].into_iter()).map(Obstacle::Variable))
    }

    /// The first variable for which some atoms together leave no term, while each of them alone may hold.
    pub(in crate::gdl) fn variable_without_value(
        &self,
        atoms: &mut dyn Iterator<Item = &Atom>,
    ) -> Option<Symbol> {
        let fixpoint = self.fixpoint.as_ref()?;
        let mut bindings = Bindings::default();
        for atom in atoms {
            fixpoint.bind_atom(atom, &mut bindings);
        }
        let has_no_term = |meet: &Meet| fixpoint.graph.has_terms(meet, &mut Budget(QUESTION)) == Ok(false);
        bindings.into_iter().filter(|(_, meet)| has_no_term(meet)).map(|(variable, _)| variable).min()
    }

    /// The first part of some arguments that their nodes do not admit.
    fn excluded<'t>(
        &self,
        outer: Symbol,
        arguments: &'t [Term],
        nodes: &[NodeId],
        path: &mut Vec<(Symbol, usize)>,
    ) -> Option<Obstacle<'t>> {
        let graph = &self.fixpoint.as_ref()?.graph;
        for (position, (term, &node)) in arguments.iter().zip(nodes).enumerate() {
            path.push((outer, position));
            let is_admitted = match term {
                Term::Variable(_) => true,
                Term::Constant(name) => graph.has_constant(node, *name),
                Term::Compound(..) if graph.is_any(node) => true,
                Term::Compound(name, inner) => match graph.arguments(node, (*name, inner.len())) {
                    Some(nodes) => match self.excluded(*name, inner, nodes, path) {
                        None => true,
                        inside => return inside,
                    },
                    None => false,
                },
            };
            if !is_admitted {
                return Some(Obstacle::Term { term, path: path.clone(), known: graph.known(node) });
            }
            path.pop();
        }
        None
    }
}
