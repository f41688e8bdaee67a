//! Cycles: atoms that are derived from one another, as least fixpoints.
//!
//! Ground atoms that read one another form components. A component is unrolled: all its atoms begin as off, and each
//! round computes them anew. Some atoms are chosen as a *feedback vertex set*: every cycle passes through one of them.
//! A round first computes the other atoms, in an order in which only atoms of the feedback vertex set are read before
//! they are computed, and then the atoms of the feedback vertex set. Each round is a monotone function of the feedback
//! vertex set alone, so at least one more of its atoms comes on as long as something changes. After as many rounds as
//! the set has atoms nothing changes any more, whatever the inputs are.
//!
//! A component in which each instance reads at most one of its atoms is computed by elimination instead, where that
//! takes fewer gates ([`eliminate`](super::eliminate)).
//!
//! Most strata that look recursive are not recursive once they are ground: their components are single atoms and cost
//! nothing.
//!
//! Reference: van Emden, Kowalski, *The Semantics of Predicate Logic as a Programming Language*, JACM 1976 (least
//! fixpoints).

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use super::eliminate::LinearSystem;
use super::gates::{Gates, Instance};
use super::{TooLarge, Wire};

/// In a larger component the feedback vertex set is the whole component: to choose well would take too long, and it is
/// too large anyway.
const CHOSEN_ATOMS: usize = 5_000;

/// The wires of `atoms` atoms, numbered from 0, that hold by these instances and no others.
///
/// # Errors
/// If unrolling takes more gates than the limits allow.
pub(super) fn least_fixpoint(
    gates: &mut Gates,
    atoms: usize,
    instances: &[Instance],
    name: &str,
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
        let rounds = Rounds::of(&members, &ways);
        let steps: usize = members.iter().map(|&atom| ways[atom].len()).sum();
        if rounds.feedback.len() > 1
            && let Some(system) = LinearSystem::of(gates, &members, &ways, &wires)
            && let Some(order) = system.order(rounds.feedback.len() as u64 * steps as u64)
        {
            gates.expect(order.products, name)?;
            system.solve(&order, gates, &mut wires, name)?;
            continue;
        }
        gates.expect(rounds.feedback.len() as u64 * steps as u64, name)?;
        for _ in 0..rounds.feedback.len() {
            let mut has_changed = false;
            for &atom in rounds.others.iter().chain(&rounds.feedback) {
                let wire = atom_wire(gates, &ways[atom], &wires);
                has_changed |= wire != wires[atom];
                wires[atom] = wire;
            }
            gates.weigh(0, name)?;
            if !has_changed {
                break;
            }
        }
        for &atom in &rounds.others {
            wires[atom] = atom_wire(gates, &ways[atom], &wires);
        }
    }
    Ok(wires)
}

/// In which order the atoms of a component are computed.
struct Rounds {
    /// The atoms outside the feedback vertex set; each reads only those before it and atoms of the feedback vertex set.
    others: Vec<usize>,
    /// The feedback vertex set.
    feedback: Vec<usize>,
}

impl Rounds {
    /// Chooses the feedback vertex set atom by atom, each time the atom on the most paths of two steps, until no cycle
    /// is left.
    fn of(members: &[usize], ways: &[Vec<&Instance>]) -> Rounds {
        if members.len() > CHOSEN_ATOMS {
            return Rounds { others: Vec::new(), feedback: members.to_vec() };
        }
        let position: FxHashMap<usize, usize> =
            members.iter().enumerate().map(|(position, &atom)| (atom, position)).collect();
        let mut reads: Vec<Vec<usize>> = Vec::with_capacity(members.len());
        for &atom in members {
            let own = ways[atom].iter().flat_map(|way| way.own.iter());
            let mut read: Vec<usize> = own.filter_map(|own| position.get(own).copied()).collect();
            read.sort_unstable();
            read.dedup();
            reads.push(read);
        }
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
        for (atom, read) in reads.iter().enumerate() {
            read.iter().for_each(|&read| readers[read].push(atom));
        }
        let mut unread: Vec<usize> = reads.iter().map(Vec::len).collect();
        let mut unserved: Vec<usize> = readers.iter().map(Vec::len).collect();
        let mut is_left = vec![true; members.len()];
        let mut ready: Vec<usize> = (0..members.len()).filter(|&atom| unread[atom] == 0).rev().collect();
        let mut rounds = Rounds { others: Vec::new(), feedback: Vec::new() };
        for _ in 0..members.len() {
            let atom = match ready.pop() {
                Some(atom) => {
                    rounds.others.push(members[atom]);
                    atom
                }
                None => {
                    let left = (0..members.len()).filter(|&atom| is_left[atom]);
                    let key = |&atom: &usize| {
                        let itself = reads[atom].binary_search(&atom).is_ok();
                        (itself, unread[atom] * unserved[atom], members.len() - atom)
                    };
                    let atom = left.max_by_key(key).expect("an atom is left");
                    rounds.feedback.push(members[atom]);
                    atom
                }
            };
            is_left[atom] = false;
            for &reader in readers[atom].iter().filter(|&&reader| is_left[reader]) {
                unread[reader] -= 1;
                if unread[reader] == 0 {
                    ready.push(reader);
                }
            }
            reads[atom].iter().for_each(|&read| unserved[read] -= 1);
        }
        rounds
    }
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

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::limits::{GroundingLimits, What};
    use super::super::network::{Network, value_of};
    use super::*;
    use hyperplay_machine::Seed;

    const INPUTS: usize = 6;

    /// Random instances over some atoms, each with an input as the rest of its body, and fewer than `most` atoms
    /// besides.
    fn random(atoms: usize, instances: usize, most: usize, seed: u64) -> (Gates, Vec<Instance>) {
        let mut rng = Seed::root(seed).child("cycle").rng();
        let gates = Gates::new(Network::new(INPUTS), 0, 0, &GroundingLimits::default());
        let all = (0..instances)
            .map(|_| Instance {
                head: rng.random_range(0..atoms),
                own: (0..rng.random_range(0..most)).map(|_| rng.random_range(0..atoms)).collect(),
                rest: gates.network.input(rng.random_range(0..INPUTS)).negate_if(rng.random_range(0..2) == 0),
            })
            .collect();
        (gates, all)
    }

    #[test]
    fn an_unrolled_cycle_is_the_least_fixpoint_for_all_inputs() {
        assert!(cycles_that_are_least_fixpoints(3) > 100);
    }

    #[test]
    fn what_elimination_computes_is_the_least_fixpoint_for_all_inputs() {
        assert!(cycles_that_are_least_fixpoints(2) > 100);
    }

    /// Tests random components whose instances have fewer than `most` atoms in their bodies; returns the number of
    /// those in which something takes three rounds to be derived.
    fn cycles_that_are_least_fixpoints(most: usize) -> usize {
        let mut has_cycles = 0;
        for seed in 0..300 {
            let atoms = 2 + seed as usize % 9;
            let (mut gates, instances) = random(atoms, 3 * atoms, most, seed);
            let wires = least_fixpoint(&mut gates, atoms, &instances, "").unwrap();
            // All 64 cases of six inputs at once.
            let inputs: Vec<u64> = (0..INPUTS)
                .map(|input| (0..64).filter(|case| case >> input & 1 == 1).map(|case| 1_u64 << case).sum())
                .collect();
            let values = gates.network.evaluate(&inputs);
            let mut slow = vec![0_u64; atoms];
            let mut rounds = 0;
            loop {
                let before = slow.clone();
                for way in &instances {
                    let body = way.own.iter().fold(!0, |all, &own| all & before[own]);
                    slow[way.head] |= body & value_of(&values, way.rest);
                }
                rounds += 1;
                if slow == before {
                    break;
                }
            }
            has_cycles += usize::from(rounds > 3);
            let fast: Vec<u64> = wires.iter().map(|&wire| value_of(&values, wire)).collect();
            assert_eq!(fast, slow, "seed {seed}");
        }
        has_cycles
    }

    #[test]
    fn the_feedback_vertex_set_of_a_line_walked_in_both_directions_is_half_of_it() {
        let rest = Wire::TRUE;
        let step = |head, own: usize| Instance { head, own: [own].into(), rest };
        let instances: Vec<Instance> = (0..9).flat_map(|at| [step(at, at + 1), step(at + 1, at)]).collect();
        let mut ways: Vec<Vec<&Instance>> = vec![Vec::new(); 10];
        instances.iter().for_each(|way| ways[way.head].push(way));
        let rounds = Rounds::of(&(0..10).collect::<Vec<_>>(), &ways);
        assert!(rounds.feedback.len() <= 5, "{:?}", rounds.feedback);
        assert_eq!(rounds.feedback.len() + rounds.others.len(), 10);
    }

    #[test]
    fn a_long_line_walked_in_both_directions_takes_a_few_gates_for_each_atom() {
        let atoms = CHOSEN_ATOMS + 2;
        let mut gates = Gates::new(Network::new(atoms), 0, 0, &GroundingLimits::default());
        let step = |head: usize, own: usize, gates: &Gates| Instance {
            head,
            own: [own].into(),
            rest: gates.network.input(head),
        };
        let mut instances: Vec<Instance> = (0..CHOSEN_ATOMS + 1)
            .flat_map(|at| [step(at, at + 1, &gates), step(at + 1, at, &gates)])
            .collect();
        instances.push(Instance { head: 0, own: [].into(), rest: gates.network.input(0) });
        let wires = least_fixpoint(&mut gates, atoms, &instances, "").unwrap();
        assert!(gates.network.gates().len() < 8 * atoms, "{}", gates.network.gates().len());
        let mut inputs = vec![!0_u64; atoms];
        inputs[1000] = 0;
        let values = gates.network.evaluate(&inputs);
        assert!((0..atoms).all(|atom| (value_of(&values, wires[atom]) != 0) == (atom < 1000)));
    }

    #[test]
    fn a_component_too_large_to_unroll_is_refused_before_it_is_built() {
        let step = |head, own: usize| Instance { head, own: [own, own].into(), rest: Wire::TRUE };
        let instances: Vec<Instance> =
            (0..CHOSEN_ATOMS + 1).flat_map(|at| [step(at, at + 1), step(at + 1, at)]).collect();
        let mut gates = Gates::new(Network::new(0), 0, 0, &GroundingLimits::default());
        let error = least_fixpoint(&mut gates, CHOSEN_ATOMS + 2, &instances, "reach").unwrap_err();
        assert_eq!(error.what, What::Instances("reach".into()));
        assert!(error.needed > error.limit && gates.network.gates().len() == 1);
    }
}
