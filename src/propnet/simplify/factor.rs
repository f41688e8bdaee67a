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

use rustc_hash::FxHashMap;

use super::super::net::Propnet;
use super::super::network::{Gate, Network, Wire};
use super::rebuild::{readers, rebuild};

/// A product of letters, sorted.
type Product = Vec<Wire>;

/// The game with the sums of products in its gates factored.
pub fn factor(net: &Propnet) -> Propnet {
    let readers = readers(net);
    let gates = net.network.gates();
    rebuild(net, |network, number, wires| {
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
    let mut places: FxHashMap<Wire, Vec<usize>> = FxHashMap::default();
    for (index, product) in products.iter().enumerate() {
        product.iter().for_each(|&letter| places.entry(letter).or_default().push(index));
    }
    let mut common: Product = places
        .iter()
        .filter(|(_, places)| places.len() == products.len())
        .map(|(&letter, _)| letter)
        .collect();
    if products.len() > 1 && !common.is_empty() {
        common.sort_unstable();
        products
            .iter_mut()
            .for_each(|product| product.retain(|letter| common.binary_search(letter).is_err()));
        let rest = if products.iter().any(Vec::is_empty) { Wire::TRUE } else { sum(network, products) };
        return product_of(network, common, rest);
    }
    let mut frequent: BinaryHeap<(usize, Reverse<Wire>)> = places
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(&letter, places)| (places.len(), Reverse(letter)))
        .collect();
    let mut taken = vec![false; products.len()];
    let mut terms = Vec::new();
    while let Some((count, Reverse(letter))) = frequent.pop() {
        let with = places.get_mut(&letter).expect("every letter of the heap has places");
        with.retain(|&index| !taken[index]);
        if with.len() < count {
            if with.len() > 1 {
                frequent.push((with.len(), Reverse(letter)));
            }
            continue;
        }
        let mut quotient = Vec::with_capacity(count);
        for &index in &*with {
            taken[index] = true;
            let mut product = std::mem::take(&mut products[index]);
            product.retain(|&other| other != letter);
            quotient.push(product);
        }
        let factor = if quotient.iter().any(Vec::is_empty) { Wire::TRUE } else { sum(network, quotient) };
        terms.push(product_of(network, vec![letter], factor));
    }
    for (_, product) in products.iter().enumerate().filter(|&(index, _)| !taken[index]) {
        terms.push(network.and(product));
    }
    network.or(&terms)
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
