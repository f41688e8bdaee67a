//! Cycles: atoms that are derived from one another, as least fixpoints.
//!
//! Ground atoms that read one another form components. A component is unrolled: all its atoms begin as off, and each
//! round computes them anew from the values of the round before (and of this one, where they are there). An atom that
//! holds has a proof in which no atom repeats on any branch, so after as many rounds as the component has atoms nothing
//! changes. Most strata that look
//! recursive are not once ground: their components are single atoms and cost nothing.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::build::Gates;
use super::limits::TooLarge;
use super::network::Wire;

/// One instance of a rule of a recursive stratum.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The number of the head among the atoms of the stratum.
    pub(super) head: usize,
    /// The numbers of the atoms of the stratum in the body.
    pub(super) own: Box<[usize]>,
    /// The rest of the body.
    pub(super) rest: Wire,
}

/// The wires of `atoms` atoms, numbered from 0, that hold by these instances and no others.
pub(super) fn least_fixpoint(
    gates: &mut Gates,
    atoms: usize,
    instances: &[Instance],
    name: &dyn Fn() -> String,
) -> Result<Vec<Wire>, TooLarge> {
    let mut ways: Vec<Vec<&Instance>> = vec![Vec::new(); atoms];
    let mut graph: DiGraph<(), (), usize> = DiGraph::default();
    (0..atoms).for_each(|_| {
        graph.add_node(());
    });
    for instance in instances.iter().filter(|instance| instance.rest != Wire::FALSE) {
        ways[instance.head].push(instance);
        for &own in &instance.own {
            graph.add_edge(NodeIndex::new(instance.head), NodeIndex::new(own), ());
        }
    }
    let mut wires = vec![Wire::FALSE; atoms];
    // From the body to the head: in reverse topological order of head -> body.
    for component in kosaraju_scc(&graph) {
        let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        members.sort_unstable();
        let reads_itself = |&atom: &usize| ways[atom].iter().any(|way| way.own.contains(&atom));
        let most = if members.len() == 1 && !members.iter().any(reads_itself) { 1 } else { members.len() };
        for _ in 0..most {
            let mut has_changed = false;
            for &atom in &members {
                let wire = atom_wire(gates, &ways[atom], &wires);
                has_changed |= wire != wires[atom];
                wires[atom] = wire;
            }
            gates.weigh(0, name)?;
            if !has_changed {
                break;
            }
        }
    }
    Ok(wires)
}

/// One of the ways, with the wires as they are.
fn atom_wire(gates: &mut Gates, ways: &[&Instance], wires: &[Wire]) -> Wire {
    let mut any = Vec::with_capacity(ways.len());
    let mut body = Vec::new();
    for way in ways {
        body.clear();
        body.push(way.rest);
        body.extend(way.own.iter().map(|&own| wires[own]));
        any.push(gates.network.and(&body));
    }
    gates.network.or(&any)
}
