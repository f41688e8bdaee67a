//! The graph of the keys: which depends on which, and in which stratum each is decided.
//!
//! Invariant: a key is in a stratum not below those that it depends on, and above those on whose negation it depends.

use std::collections::VecDeque;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use super::instances::{Expansion, Part};
use super::{Accepted, Refusal, Step};
use crate::gdl::{At, Atom, Literal, Rule};

/// An edge from the key of a head to a key in the body.
#[derive(Clone, Copy)]
struct Edge {
    negative: bool,
    rule: usize,
}

/// The stratum of each key.
///
/// # Errors
/// If a key depends on its own negation.
pub(super) fn strata(expansion: &Expansion, rules: &[Rule]) -> Accepted<Vec<usize>> {
    let mut graph: DiGraph<(), Edge> = DiGraph::new();
    expansion.keys.iter().for_each(|_| {
        graph.add_node(());
    });
    for instance in &expansion.instances {
        for (position, keys) in &instance.body {
            let negative = matches!(rules[instance.rule].body[*position], Literal::Negative(_));
            for &key in keys {
                let edge = Edge { negative, rule: instance.rule };
                graph.add_edge(NodeIndex::new(instance.head), NodeIndex::new(key), edge);
            }
        }
    }
    let components = kosaraju_scc(&graph);
    let mut component = vec![0; expansion.keys.len()];
    for (number, members) in components.iter().enumerate() {
        members.iter().for_each(|member| component[member.index()] = number);
    }
    let closes = graph.edge_references().filter(|edge| {
        edge.weight().negative && component[edge.source().index()] == component[edge.target().index()]
    });
    if let Some(first) = closes.min_by_key(|edge| edge.weight().rule) {
        let (from, to) = (first.source(), first.target());
        return Err(Refusal::Cycle(cycle(expansion, rules, &graph, (from, to, *first.weight()))));
    }
    // The components come with those that they depend on first.
    let mut strata = vec![0; expansion.keys.len()];
    for members in &components {
        let above = |&member: &NodeIndex| {
            let below = graph
                .edges(member)
                .filter(|edge| component[edge.target().index()] != component[member.index()]);
            below
                .map(|edge| strata[edge.target().index()] + usize::from(edge.weight().negative))
                .max()
                .unwrap_or(0)
        };
        let stratum = members.iter().map(above).max().unwrap_or(0);
        members.iter().for_each(|member| strata[member.index()] = stratum);
    }
    Ok(strata)
}

/// The shortest cycle through an edge.
fn cycle(
    expansion: &Expansion,
    rules: &[Rule],
    graph: &DiGraph<(), Edge>,
    (from, to, edge): (NodeIndex, NodeIndex, Edge),
) -> Vec<Step> {
    let mut came: FxHashMap<NodeIndex, (NodeIndex, Edge)> = FxHashMap::default();
    let mut queue = VecDeque::from([to]);
    while let Some(node) = queue.pop_front().filter(|_| !came.contains_key(&from)) {
        for next in graph.edges(node) {
            if next.target() != to && !came.contains_key(&next.target()) {
                came.insert(next.target(), (node, *next.weight()));
                queue.push_back(next.target());
            }
        }
    }
    let step = |node: NodeIndex, edge: Edge| Step {
        atom: atom(expansion, node.index()),
        negative: edge.negative,
        clause: rules[edge.rule].clause,
    };
    let mut back = Vec::new();
    let mut node = from;
    while let Some(&(before, edge)) = came.get(&node).filter(|_| node != to) {
        back.push(step(before, edge));
        node = before;
    }
    std::iter::once(step(from, edge)).chain(back.into_iter().rev()).collect()
}

/// The atom of a key that says all of its arguments.
fn atom(expansion: &Expansion, key: usize) -> Atom {
    let key = &expansion.keys[key];
    let values = key.parts.iter().filter_map(|part| match part {
        Part::Value(term) => Some(term.clone()),
        Part::Anything | Part::Functor(..) => None,
    });
    Atom { relation: key.relation, arguments: values.collect(), at: At::default() }
}
