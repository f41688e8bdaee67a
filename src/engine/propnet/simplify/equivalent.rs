//! Pass: bits of the state that are always equal, always opposite or never change become one bit.
//!
//! The candidates come from random play. Bits that never differed, or always differed, in the states met form a class,
//! and a constant is one more member of the class of the bits that kept their initial value. The proof is by induction
//! over the steps: assume all classes in one state, replace each bit by the first of its class, and build the next
//! values anew. Where two bits of a class do not come out as the same wire, the class is split, and the proof begins
//! again. The classes that are left hold initially and are kept by every step.
//!
//! Equal bits share one bit. Of two opposite bits nothing reads the second, which stays for its fluents.
//!
//! Reference: van Eijk, *Sequential Equivalence Checking Based on Structural Similarities*, IEEE TCAD 2000.

use rustc_hash::FxHashMap;

use super::super::net::Propnet;
use super::super::network::{Network, Wire};
use super::constants::fold;
use super::play::RandomPlay;
use super::rebuild::InputSource;
use hyperplay_logic::gdl::TermStore;
use hyperplay_machine::Seed;

/// Wires evaluated in random play.
const PLAY: usize = 60_000_000;
/// Most and least steps of random play.
const STEPS: (usize, usize) = (16, 300);
/// Wires built anew in proofs.
const PROOF: usize = 10_000_000;

/// The game with bits that are always equal, opposite or constant replaced by one of them. The store gives the
/// natural order in which fluents that always hold are listed.
pub fn equivalent(net: &Propnet, store: &TermStore) -> Propnet {
    let mut classes = candidates(net);
    for _ in 0..(PROOF / (net.network.wires() + 1)).max(4) {
        let sources = sources(net, &classes);
        if sources[..net.bits()].iter().all(|source| *source == InputSource::Itself) {
            return net.clone();
        }
        let next = next_values(net, &sources);
        let key = |bit: usize| (classes[bit], next[bit].negate_if(net.initial[bit]));
        // Class 0 is that of the constant, whose next value is itself.
        let split = number(std::iter::once((0, Wire::FALSE)).chain((0..net.bits()).map(key)));
        if split[1..] == classes[..] {
            return fold(net, &sources, store);
        }
        classes = split[1..].to_vec();
    }
    net.clone()
}

/// The same number for the same thing, counting from 0 in the order of first appearance.
fn number<T: Eq + std::hash::Hash>(things: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = FxHashMap::default();
    things
        .map(|thing| {
            let new = numbers.len();
            *numbers.entry(thing).or_insert(new)
        })
        .collect()
}

/// A class for each bit: bits of a class were, in random play, always both or never both different from their initial
/// values. Class 0 never was.
fn candidates(net: &Propnet) -> Vec<usize> {
    let steps = (PLAY / (2 * net.network.wires() + 1)).clamp(STEPS.0, STEPS.1);
    let mut play = RandomPlay::new(net, &Seed::root(0).child("equivalent"));
    let mut classes = vec![0; net.bits()];
    for _ in 0..steps {
        play.step();
        let states = play.states();
        let initial = |bit: usize| if net.initial[bit] { !0 } else { 0 };
        let key = |bit: usize| (classes[bit], states[bit] ^ initial(bit));
        let split = number(std::iter::once((0, 0)).chain((0..net.bits()).map(key)));
        classes = split[1..].to_vec();
    }
    classes
}

/// The value of each input if the classes hold: the first bit of its class or its complement, or a constant.
fn sources(net: &Propnet, classes: &[usize]) -> Vec<InputSource> {
    let mut first: FxHashMap<usize, usize> = FxHashMap::default();
    let mut opposite: FxHashMap<usize, usize> = FxHashMap::default();
    let mut sources = vec![InputSource::Itself; net.network.inputs()];
    for (bit, &class) in classes.iter().enumerate() {
        if class == 0 {
            sources[bit] = InputSource::Constant(net.initial[bit]);
            continue;
        }
        let of_class = *first.entry(class).or_insert(bit);
        if of_class == bit {
            continue;
        }
        if net.initial[bit] == net.initial[of_class] {
            sources[bit] = InputSource::Equal(of_class);
        } else {
            // Those opposite to the first are equal to one another.
            let of_opposites = *opposite.entry(class).or_insert(bit);
            sources[bit] = if of_opposites == bit {
                InputSource::Opposite(of_class)
            } else {
                InputSource::Equal(of_opposites)
            };
        }
    }
    sources
}

/// The next values if the sources hold, in a network of their own.
fn next_values(net: &Propnet, sources: &[InputSource]) -> Vec<Wire> {
    let mut network = Network::new(net.network.inputs());
    let resolve = |mut input: usize| {
        let mut negate = false;
        loop {
            match sources[input] {
                InputSource::Itself => return network.input(input).negate_if(negate),
                InputSource::Constant(on) => return Wire::FALSE.negate_if(on != negate),
                InputSource::Equal(other) => input = other,
                InputSource::Opposite(other) => {
                    input = other;
                    negate = !negate;
                }
            }
        }
    };
    let inputs: Vec<Wire> = (0..sources.len()).map(resolve).collect();
    network.import(&net.network, &inputs, &net.next)
}
