//! Pass: quick factoring of sums of products.
//!
//! A sum is an OR of products; a product that has another reader counts as one letter. The letter that occurs in most
//! products is taken out of them, the quotient and the rest are factored the same way: `ab + acd + ace` becomes
//! `a (b + c (d + e))`. Subsumed products (`a + ab`) and complements (`ab + a!b`) disappear on the way. O(letters ·
//! depth of the result), with logarithms.
//!
//! Reference: Brayton, Rudell, Sangiovanni-Vincentelli, Wang, *MIS: A Multiple-Level Logic Optimization System*, IEEE
//! TCAD 1987 (quick factoring with one-letter divisors).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::rebuild::{readers, rebuild};
use crate::propnet::{Gate, Network, Propnet, Wire};

/// A product of letters, sorted.
type Product = Vec<Wire>;

/// The game with the sums of products in its gates factored.
pub fn factor(net: &Propnet) -> Propnet {
    let readers = readers(net);
    let gates = net.network.gates();
    rebuild(net, &mut |network, number, wires| {
        let Gate::And(old) = &gates[number] else { return Wire::FALSE };
        let mut letters = Vec::new();
        let mut products: Vec<Product> = Vec::new();
        for (&old, &wire) in old.iter().zip(wires) {
            let inner = network.fanin(wire);
            if readers[old.gate()] == 1 && wire.is_negated() && !inner.is_empty() {
                products.push(inner.to_vec());
            } else {
                letters.push(wire);
            }
        }
        if products.len() > 1 {
            products.extend(letters.iter().map(|&letter| vec![!letter]));
            return !sum(network, products);
        }
        network.and(wires)
    })
}

/// The OR of products, factored.
fn sum(network: &mut Network, mut products: Vec<Product>) -> Wire {
    products.sort_unstable();
    products.dedup();
    let mut places: Vec<(Wire, u32)> = Vec::with_capacity(products.iter().map(Vec::len).sum());
    for (index, product) in products.iter().enumerate() {
        places.extend(product.iter().map(|&letter| (letter, index as u32)));
    }
    places.sort_unstable();
    let mut common: Product = Vec::new();
    // How many products a letter is in, the letter, where its places are.
    let mut frequent: BinaryHeap<(usize, Reverse<Wire>, (usize, usize))> = BinaryHeap::new();
    let mut start = 0;
    for run in places.chunk_by(|a, b| a.0 == b.0) {
        let end = start + run.len();
        if run.len() == products.len() {
            common.push(run[0].0);
        } else if run.len() > 1 {
            frequent.push((run.len(), Reverse(run[0].0), (start, end)));
        }
        start = end;
    }
    if products.len() > 1 && !common.is_empty() {
        products
            .iter_mut()
            .for_each(|product| product.retain(|letter| common.binary_search(letter).is_err()));
        let rest = if products.iter().any(Vec::is_empty) { Wire::TRUE } else { sum(network, products) };
        return product_of(network, common, rest);
    }
    let mut taken = vec![false; products.len()];
    let mut terms: Vec<Product> = Vec::new();
    while let Some((count, Reverse(letter), (start, end))) = frequent.pop() {
        let indices = places[start..end].iter().map(|&(_, index)| index as usize);
        let with: Vec<usize> = indices.filter(|&index| !taken[index]).collect();
        if with.len() < count {
            if with.len() > 1 {
                frequent.push((with.len(), Reverse(letter), (start, end)));
            }
            continue;
        }
        let mut quotient = Vec::with_capacity(count);
        for index in with {
            taken[index] = true;
            let mut product = std::mem::take(&mut products[index]);
            product.retain(|&other| other != letter);
            quotient.push(product);
        }
        let factor = if quotient.iter().any(Vec::is_empty) { Wire::TRUE } else { sum(network, quotient) };
        match product_of(network, vec![letter], factor) {
            Wire::FALSE => {}
            product if product.is_negated() || network.fanin(product).is_empty() => terms.push(vec![product]),
            product => terms.push(network.fanin(product).to_vec()),
        }
    }
    let rest = products.into_iter().zip(&taken).filter(|&(_, &taken)| !taken).map(|(product, _)| product);
    let factored = !terms.is_empty();
    terms.extend(rest);
    if factored && terms.len() > 1 {
        // Quotients that turned out equal are letters now: `a q + b q` becomes `(a + b) q`.
        return sum(network, terms);
    }
    let wires: Vec<Wire> = terms.iter().map(|product| network.and(product)).collect();
    network.or(&wires)
}

/// `letters · factor`, as one gate where the factor is an AND itself.
fn product_of(network: &mut Network, mut letters: Product, factor: Wire) -> Wire {
    if factor.is_negated() || network.fanin(factor).is_empty() {
        letters.push(factor);
    } else {
        letters.extend_from_slice(network.fanin(factor));
    }
    network.and(&letters)
}
