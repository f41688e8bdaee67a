//! Drawing: the choice of one leaf by its weight, as a circuit. For a uniform choice among the legal moves the weight is one
//! wire, which is on where the move is legal.
//!
//! An adder tree sums the weights of the leaves. Random bits, masked to the length of the greatest index, are compared with
//! the sum in a few rounds. The index drawn leads down the tree: it is less than the sum of the weights up to the chosen
//! leaf, and not less than the sum of those before it. All numbers are lists of wires, least bit first.
//!
//! The choice is exact: an index is taken only if it is below the sum, and all of those are equally likely. A draw fails if every round is too high; fewer than half of the draws of a round are.

use crate::propnet::{Network, Wire};

/// A tree of choice over leaves.
#[derive(Debug)]
pub(super) struct Tree {
    leaves: Vec<Vec<Wire>>,
    /// For every span of leaves, inner nodes first to be built last: the sum of their weights.
    counts: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    count: Vec<Wire>,
    /// The halves, by index; none for a leaf.
    halves: Option<[usize; 2]>,
    /// The greatest sum.
    most: usize,
}

/// The bits of the greatest index below a count.
pub(super) fn index_bits(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

impl Tree {
    /// The tree over the weights of some leaves, at least one.
    pub(super) fn new(network: &mut Network, leaves: Vec<Vec<Wire>>) -> Tree {
        let mut tree = Tree { counts: Vec::new(), leaves };
        tree.grow(network, 0, tree.leaves.len());
        tree
    }

    fn grow(&mut self, network: &mut Network, from: usize, to: usize) -> usize {
        let node = if to - from == 1 {
            let weight = self.leaves[from].clone();
            Node { most: (1 << weight.len()) - 1, count: weight, halves: None }
        } else {
            let middle = (from + to) / 2;
            let halves = [self.grow(network, from, middle), self.grow(network, middle, to)];
            let [left, right] = halves.map(|half| &self.counts[half]);
            let (mut count, most) = (add(network, &left.count, &right.count), left.most + right.most);
            // The sum of a few leaves needs few bits.
            count.truncate(index_bits(most + 1));
            Node { count, halves: Some(halves), most }
        };
        self.counts.push(node);
        self.counts.len() - 1
    }

    /// The sum of all weights.
    pub(super) fn count(&self) -> &[Wire] {
        &self.counts[self.counts.len() - 1].count
    }

    /// For each leaf, whether the index falls to it. It falls to exactly one, whatever it is (to the last one with a weight,
    /// or any, where the index is too high).
    pub(super) fn select(&self, network: &mut Network, index: &[Wire]) -> Vec<Wire> {
        let mut chosen = Vec::with_capacity(self.leaves.len());
        self.descend(network, self.counts.len() - 1, Wire::TRUE, index, &mut chosen);
        chosen
    }

    fn descend(
        &self,
        network: &mut Network,
        node: usize,
        here: Wire,
        index: &[Wire],
        chosen: &mut Vec<Wire>,
    ) {
        let Some([left, right]) = self.counts[node].halves else {
            chosen.push(here);
            return;
        };
        let (difference, is_left) = subtract(network, index, &self.counts[left].count);
        let below = |half: usize, index: &[Wire]| {
            index[..index_bits(self.counts[half].most).min(index.len())].to_vec()
        };
        let (to_left, to_right) = (network.and(&[here, is_left]), network.and(&[here, !is_left]));
        self.descend(network, left, to_left, &below(left, index), chosen);
        self.descend(network, right, to_right, &below(right, &difference), chosen);
    }
}

/// An index below `count`, uniform, from rounds of `bits` random wires each; second: whether some round gave one.
pub(super) fn draw(network: &mut Network, count: &[Wire], bits: usize, random: &[Wire]) -> (Vec<Wire>, Wire) {
    let mask = mask(network, count, bits);
    let mut index = vec![Wire::FALSE; bits];
    let mut is_drawn = Wire::FALSE;
    if bits == 0 {
        // One leaf: the only index is below the count where the leaf is on.
        return (index, count[0]);
    }
    // From the last round to the first, so that the first success counts.
    for round in random.chunks_exact(bits).rev() {
        let value: Vec<Wire> =
            round.iter().zip(&mask).map(|(&bit, &mask)| network.and(&[bit, mask])).collect();
        let (_, is_below) = subtract(network, &value, count);
        index = value.iter().zip(&index).map(|(&new, &old)| choose(network, is_below, new, old)).collect();
        is_drawn = network.or(&[is_below, is_drawn]);
    }
    (index, is_drawn)
}

/// The bits that an index below `count` may need: bit `j` where `count - 1` is at least `2^j`.
fn mask(network: &mut Network, count: &[Wire], bits: usize) -> Vec<Wire> {
    (0..bits)
        .map(|bit| {
            let above = network.or(&count[(bit + 1).min(count.len())..]);
            let below = network.or(&count[..bit.min(count.len())]);
            let exactly = network.and(&[count.get(bit).copied().unwrap_or(Wire::FALSE), below]);
            network.or(&[above, exactly])
        })
        .collect()
}

/// `if condition { then } else { otherwise }`.
pub(super) fn choose(network: &mut Network, condition: Wire, then: Wire, otherwise: Wire) -> Wire {
    let (yes, no) = (network.and(&[condition, then]), network.and(&[!condition, otherwise]));
    network.or(&[yes, no])
}

fn exclusive_or(network: &mut Network, a: Wire, b: Wire) -> Wire {
    let (left, right) = (network.and(&[a, !b]), network.and(&[!a, b]));
    network.or(&[left, right])
}

fn majority(network: &mut Network, a: Wire, b: Wire, c: Wire) -> Wire {
    let (both, either) = (network.and(&[a, b]), network.or(&[a, b]));
    let rest = network.and(&[either, c]);
    network.or(&[both, rest])
}

/// The sum of two numbers, a bit longer than the longer one.
fn add(network: &mut Network, a: &[Wire], b: &[Wire]) -> Vec<Wire> {
    let bit = |of: &[Wire], at: usize| of.get(at).copied().unwrap_or(Wire::FALSE);
    let mut carry = Wire::FALSE;
    let mut sum = Vec::new();
    for at in 0..a.len().max(b.len()) {
        let (a, b) = (bit(a, at), bit(b, at));
        let half = exclusive_or(network, a, b);
        sum.push(exclusive_or(network, half, carry));
        carry = majority(network, a, b, carry);
    }
    sum.push(carry);
    sum
}

/// `a - b`, as long as `a`, and whether `a` is below `b`.
fn subtract(network: &mut Network, a: &[Wire], b: &[Wire]) -> (Vec<Wire>, Wire) {
    let bit = |of: &[Wire], at: usize| of.get(at).copied().unwrap_or(Wire::FALSE);
    let mut borrow = Wire::FALSE;
    let mut difference = Vec::new();
    for at in 0..a.len().max(b.len()) {
        let (from, less) = (bit(a, at), bit(b, at));
        if at < a.len() {
            let half = exclusive_or(network, from, less);
            difference.push(exclusive_or(network, half, borrow));
        }
        borrow = majority(network, !from, less, borrow);
    }
    (difference, borrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propnet::value_of;

    /// All sets of leaves with all values of two rounds of random bits, 64 cases at once.
    #[test]
    fn every_leaf_that_is_on_is_drawn_by_equally_many_random_bits() {
        for leaves in 1..=6 {
            let bits = index_bits(leaves);
            let inputs = leaves + 2 * bits;
            let mut network = Network::new(inputs);
            let wires: Vec<Wire> = (0..inputs).map(|input| network.input(input)).collect();
            let tree = Tree::new(&mut network, wires[..leaves].iter().map(|&leaf| vec![leaf]).collect());
            let (index, is_drawn) = draw(&mut network, tree.count(), bits, &wires[leaves..]);
            let chosen = tree.select(&mut network, &index);
            for set in 1..1_u64 << leaves {
                let mut drawn = vec![0; leaves];
                for random in 0..1_u64 << (2 * bits) {
                    let case = set | random << leaves;
                    let values: Vec<u64> = (0..inputs).map(|input| case >> input & 1).collect();
                    let values = network.evaluate(&values);
                    let on: Vec<bool> = chosen.iter().map(|&wire| value_of(&values, wire) & 1 == 1).collect();
                    assert_eq!(on.iter().filter(|on| **on).count(), 1);
                    if value_of(&values, is_drawn) & 1 == 1 {
                        drawn[on.iter().position(|on| *on).expect("one is on")] += 1;
                    }
                }
                let expected: Vec<bool> = (0..leaves).map(|leaf| set >> leaf & 1 == 1).collect();
                assert_eq!(drawn.iter().map(|count| *count > 0).collect::<Vec<_>>(), expected, "{set:b}");
                let counts: Vec<i32> = drawn.iter().copied().filter(|count| *count > 0).collect();
                assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{set:b}: {counts:?}");
                // Two rounds, of each fewer than half too high.
                assert!(4 * counts.iter().sum::<i32>() > 3 << (2 * bits), "{set:b}: {counts:?}");
            }
        }
    }

    /// All weights of two bits of three leaves, with all values of two rounds of random bits.
    #[test]
    fn every_leaf_is_drawn_by_random_bits_in_proportion_to_its_weight() {
        let (leaves, bits) = (3, index_bits(9));
        let inputs = 2 * leaves + 2 * bits;
        let mut network = Network::new(inputs);
        let wires: Vec<Wire> = (0..inputs).map(|input| network.input(input)).collect();
        let tree = Tree::new(&mut network, wires[..2 * leaves].chunks(2).map(<[Wire]>::to_vec).collect());
        let (index, is_drawn) = draw(&mut network, tree.count(), bits, &wires[2 * leaves..]);
        let chosen = tree.select(&mut network, &index);
        for set in 1..1_u64 << (2 * leaves) {
            let weights = [0, 2, 4].map(|bit| set >> bit & 3);
            let mut drawn = [0; 3];
            for random in 0..1_u64 << (2 * bits) {
                let case = set | random << (2 * leaves);
                let values: Vec<u64> = (0..inputs).map(|input| case >> input & 1).collect();
                let values = network.evaluate(&values);
                let is_on = |wire: Wire| value_of(&values, wire) & 1 == 1;
                let on: Vec<usize> = (0..leaves).filter(|&leaf| is_on(chosen[leaf])).collect();
                assert_eq!(on.len(), 1, "{weights:?}");
                drawn[on[0]] += u64::from(is_on(is_drawn));
            }
            let (all, sum): (u64, u64) = (drawn.iter().sum(), weights.iter().sum());
            assert!(4 * all > 3 << (2 * bits), "two rounds, of each fewer than half too high");
            assert!(
                drawn.iter().zip(weights).all(|(drawn, weight)| drawn * sum == all * weight),
                "{drawn:?}"
            );
        }
    }
}
