//! Times: after how many steps each node comes.
//!
//! Invariant: a node comes later than the node above it, and all nodes of an information set come at the same time. Of
//! all such times these are the earliest. A chance node or an end comes one step after the node above it; only a
//! player's node may have to wait for others of its set.
//!
//! The sets are the vertices of a graph. An edge leads from the last set before a node to the set of the node, and its
//! weight is the number of steps between them. The earliest time of a set is the length of the longest path to it; if
//! the graph has a cycle there are no times. O(nodes).
//!
//! Definition: Jakobsen, Sørensen and Conitzer, *Timeability of Extensive-Form Games* (2016): exactly timeable.

use std::collections::VecDeque;

use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::gambit::file::{GambitFile, GambitNode, GambitSetId};

/// The time of each live node (0 for others), or a shortest cycle of sets of which each comes before the next.
pub(super) fn times(
    file: &GambitFile,
    parents: &[Option<(u32, u32)>],
    live: &[bool],
) -> Result<Vec<u32>, Vec<GambitSetId>> {
    let mut graph: DiGraph<u32, u32> = DiGraph::new();
    for _ in &file.sets {
        // The weight is the earliest time that is known so far.
        graph.add_node(0);
    }
    // The last set on the way to a node, its own included, and the steps since then (or since the beginning).
    let mut since: Vec<(Option<GambitSetId>, u32)> = Vec::with_capacity(parents.len());
    for ((&node, parent), &live) in file.nodes.iter().zip(parents).zip(live) {
        let before = parent.map_or((None, 0), |(parent, _)| {
            let (set, steps) = since[parent as usize];
            (set, steps + 1)
        });
        since.push(match (node, before) {
            (GambitNode::Decision(set), _) if !live => (Some(set), 0),
            (GambitNode::Decision(set), (Some(last), steps)) => {
                graph.add_edge(vertex(last), vertex(set), steps);
                (Some(set), 0)
            }
            (GambitNode::Decision(set), (None, steps)) => {
                graph[vertex(set)] = graph[vertex(set)].max(steps);
                (Some(set), 0)
            }
            _ => before,
        });
    }
    let Ok(order) = toposort(&graph, None) else {
        return Err(cycle(&graph));
    };
    for from in order {
        let after: Vec<(NodeIndex, u32)> =
            graph.edges(from).map(|edge| (edge.target(), graph[from] + edge.weight())).collect();
        for (to, time) in after {
            graph[to] = graph[to].max(time);
        }
    }
    let time = |&(set, steps): &(Option<GambitSetId>, u32)| set.map_or(0, |set| graph[vertex(set)]) + steps;
    Ok(since.iter().zip(live).map(|(since, &live)| if live { time(since) } else { 0 }).collect())
}

fn vertex(set: GambitSetId) -> NodeIndex {
    NodeIndex::new(set.index())
}

/// A cycle of a graph that has one: a shortest one through the first vertex that is on any.
fn cycle(graph: &DiGraph<u32, u32>) -> Vec<GambitSetId> {
    let components = kosaraju_scc(graph);
    let start = components.iter().filter(|component| component.len() > 1).flatten().min();
    let start = *start.expect("the graph has a cycle, and no set comes before itself directly");
    let mut came_from: Vec<Option<NodeIndex>> = vec![None; graph.node_count()];
    let mut queue = VecDeque::from([start]);
    while let Some(vertex) = queue.pop_front() {
        for next in graph.neighbors(vertex) {
            if came_from[next.index()].is_none() {
                came_from[next.index()] = Some(vertex);
                queue.push_back(next);
            }
        }
        if came_from[start.index()].is_some() {
            break;
        }
    }
    let mut path = vec![start];
    while path.len() == 1 || path.last() != Some(&start) {
        path.push(came_from[path[path.len() - 1].index()].expect("the vertex was reached"));
    }
    path.reverse();
    path.iter().map(|vertex| GambitSetId(vertex.index() as u32)).collect()
}
