//! Pass: an OR over more than half of an exactly-one-of-n group is the complement of the OR over the others.
//!
//! This shortens frame axioms: "the cell keeps its piece under any of the 150 moves that do not touch it" becomes
//! "unless one of the four moves that do". For ANDs it means that the complements of more than half of a group are
//! replaced by one wire, the OR of the rest.

use super::Groups;
use super::rebuild::rebuild;
use crate::propnet::{Network, Propnet, Wire};

/// The game with large sums over groups replaced by small ones.
pub fn choice(net: &Propnet, groups: &Groups) -> Propnet {
    let mut found = vec![0_usize; groups.all().len()];
    rebuild(net, &mut |network, _, wires| and_of_groups(network, wires, groups, &mut found))
}

/// The AND of wires, with the complements of more than half of a group replaced by the OR of the others. `found` is
/// zero for each group before and after.
fn and_of_groups(network: &mut Network, wires: &[Wire], groups: &Groups, found: &mut [usize]) -> Wire {
    // A wire that took the place of a gate may be lower than those before it.
    let mut wires = wires.to_vec();
    wires.sort_unstable();
    wires.dedup();
    let group = |wire: Wire| groups.of(wire).filter(|&group| wire.is_negated() && groups.all()[group].exact);
    wires.iter().filter_map(|&wire| group(wire)).for_each(|group| found[group] += 1);
    let is_large = |found: &[usize], group: usize| 2 * found[group] > groups.all()[group].inputs.len();
    let mut kept: Vec<Wire> = Vec::with_capacity(wires.len());
    let mut large: Vec<usize> = Vec::new();
    for &wire in &wires {
        match group(wire).filter(|&group| is_large(found, group)) {
            Some(group) => large.push(group),
            None => kept.push(wire),
        }
    }
    wires.iter().filter_map(|&wire| group(wire)).for_each(|group| found[group] = 0);
    large.sort_unstable();
    large.dedup();
    for group in large {
        let inputs = &groups.all()[group].inputs;
        let others = inputs.iter().map(|&input| network.input(input));
        let others: Vec<Wire> = others.filter(|&wire| wires.binary_search(&!wire).is_err()).collect();
        kept.push(network.or(&others));
    }
    network.and(&kept)
}
