//! Linear cycles: atoms of which each derivation reads at most one other atom of the cycle, such as reachability.
//!
//! The atoms `x` of such a component solve `x = A x + b` with OR for the sum and AND for the product, and the least
//! solution is found as by Gauss: atom after atom is eliminated, by putting what it reads in the place of the atom
//! wherever it is read. An atom that reads itself is derived no sooner for that, so its own coefficient is left out.
//! Then the atoms are computed in the opposite order. The gates are as many as the fill-in of the elimination allows:
//! on a board of 8 x 8 cells some thousands, where rounds take ten thousands.
//!
//! The next atom is the one whose elimination makes the fewest products (Markowitz), and the first of several. So
//! components of the same shape with atoms in the same order are eliminated alike, and share the gates of what they
//! have in common: the ways between cells, for all cells to begin from.
//!
//! References: Tarjan, *A Unified Approach to Path Problems*, JACM 1981; Markowitz, *The Elimination Form of the
//! Inverse and Its Application to Linear Programming*, Management Science 1957.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::gates::{Gates, Instance};
use super::{TooLarge, Wire};

/// The equations of a component: an atom is on if its constant is, or an atom that it reads with that coefficient.
pub(super) struct LinearSystem {
    /// The atoms, ascending. Everything else is given by positions in this list.
    members: Vec<usize>,
    constants: Vec<Vec<Wire>>,
    reads: Vec<BTreeMap<usize, Vec<Wire>>>,
}

/// The order in which atoms are eliminated.
pub(super) struct EliminationOrder {
    order: Vec<usize>,
    /// The products that are made.
    pub(super) products: u64,
}

impl LinearSystem {
    /// The equations of a component; `None` if some instance reads two of its atoms. `wires` has the atoms of the
    /// components before.
    pub(super) fn of(
        gates: &mut Gates,
        members: &[usize],
        ways: &[Vec<&Instance>],
        wires: &[Wire],
    ) -> Option<LinearSystem> {
        let position: FxHashMap<usize, usize> =
            members.iter().enumerate().map(|(position, &atom)| (atom, position)).collect();
        let count = |way: &&Instance| way.own.iter().filter(|own| position.contains_key(own)).count();
        if members.iter().any(|&atom| ways[atom].iter().any(|way| count(way) > 1)) {
            return None;
        }
        let mut system = LinearSystem {
            members: members.to_vec(),
            constants: vec![Vec::new(); members.len()],
            reads: vec![BTreeMap::new(); members.len()],
        };
        for (reader, &atom) in members.iter().enumerate() {
            for way in &ways[atom] {
                let mut body = vec![way.rest];
                let mut read = None;
                for own in &way.own {
                    match position.get(own) {
                        Some(&own) => read = Some(own),
                        None => body.push(wires[*own]),
                    }
                }
                let product = gates.network.and(&body);
                match read {
                    Some(own) if own == reader => {}
                    Some(own) => system.reads[reader].entry(own).or_default().push(product),
                    None => system.constants[reader].push(product),
                }
            }
        }
        Some(system)
    }

    /// The order of the elimination; `None` if it makes more than `most` products. O(atoms² + products · log atoms).
    pub(super) fn order(&self, most: u64) -> Option<EliminationOrder> {
        let mut reads: Vec<BTreeSet<usize>> =
            self.reads.iter().map(|read| read.keys().copied().collect()).collect();
        let mut readers = transposed(&reads);
        let mut left: BTreeSet<usize> = (0..reads.len()).collect();
        let mut order = Vec::with_capacity(reads.len());
        let mut products = 0;
        let key = |atom: usize, reads: &[BTreeSet<usize>], readers: &[BTreeSet<usize>]| {
            (readers[atom].len() as u64 * (1 + reads[atom].len() as u64), atom)
        };
        while let Some((made, atom)) = left.iter().map(|&atom| key(atom, &reads, &readers)).min() {
            products += made + reads[atom].len() as u64;
            if products > most {
                return None;
            }
            left.remove(&atom);
            order.push(atom);
            let own = std::mem::take(&mut reads[atom]);
            for &reader in &std::mem::take(&mut readers[atom]) {
                reads[reader].remove(&atom);
                for &read in own.iter().filter(|&&read| read != reader) {
                    reads[reader].insert(read);
                    readers[read].insert(reader);
                }
            }
            own.iter().for_each(|&read| {
                readers[read].remove(&atom);
            });
        }
        Some(EliminationOrder { order, products })
    }

    /// Computes the least solution into `wires`.
    ///
    /// # Errors
    /// If it takes more gates than the limits allow.
    pub(super) fn solve(
        mut self,
        order: &EliminationOrder,
        gates: &mut Gates,
        wires: &mut [Wire],
        name: &str,
    ) -> Result<(), TooLarge> {
        let sets: Vec<BTreeSet<usize>> =
            self.reads.iter().map(|read| read.keys().copied().collect()).collect();
        let mut readers = transposed(&sets);
        // The equation of each atom when it was eliminated: it reads only atoms that were eliminated later.
        let mut equations: Vec<(Wire, Vec<(usize, Wire)>)> = Vec::with_capacity(order.order.len());
        for &atom in &order.order {
            let constant = gates.network.or(&self.constants[atom]);
            let reads: Vec<(usize, Wire)> = std::mem::take(&mut self.reads[atom])
                .into_iter()
                .map(|(read, ways)| (read, gates.network.or(&ways)))
                .collect();
            for reader in std::mem::take(&mut readers[atom]) {
                let ways = self.reads[reader].remove(&atom).expect("it reads the atom");
                let coefficient = gates.network.or(&ways);
                let product = gates.network.and(&[coefficient, constant]);
                self.constants[reader].push(product);
                for &(read, wire) in reads.iter().filter(|(read, _)| *read != reader) {
                    let product = gates.network.and(&[coefficient, wire]);
                    self.reads[reader].entry(read).or_default().push(product);
                    readers[read].insert(reader);
                }
            }
            for (read, _) in &reads {
                readers[*read].remove(&atom);
            }
            gates.weigh(0, name)?;
            equations.push((constant, reads));
        }
        for (&atom, (constant, reads)) in order.order.iter().zip(&equations).rev() {
            let mut ways = vec![*constant];
            for &(read, wire) in reads {
                ways.push(gates.network.and(&[wire, wires[self.members[read]]]));
            }
            wires[self.members[atom]] = gates.network.or(&ways);
        }
        gates.weigh(0, name)
    }
}

/// The readers of each atom.
fn transposed(reads: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let mut readers = vec![BTreeSet::new(); reads.len()];
    for (atom, read) in reads.iter().enumerate() {
        for &read in read {
            readers[read].insert(atom);
        }
    }
    readers
}
