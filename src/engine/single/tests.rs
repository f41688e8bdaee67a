//! Both forms against the networks that they were made from.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Form, Memory, Single};
use crate::engine::packed::{bits_on, words_of};
use crate::engine::program::tests::random_network;
use crate::propnet::{Network, Wire, value_of};

/// Runs a form on random states and moves.
fn check(single: &Single, network: &Network, outputs: &[Wire], memory: &mut Memory, rng: &mut ChaCha8Rng) {
    for _ in 0..20 {
        let on: Vec<bool> = (0..network.inputs()).map(|_| rng.random()).collect();
        let mut state = vec![0; words_of(single.bits) + 1];
        (0..single.bits).filter(|&bit| on[bit]).for_each(|bit| state[bit / 64] |= 1 << (bit % 64));
        let moves = (single.bits..network.inputs()).filter(|&input| on[input]);
        let packed = single.run(&state, moves, memory);
        assert_eq!(packed.len(), words_of(outputs.len()));
        let got: Vec<usize> = bits_on(packed, 0..64 * packed.len()).collect();
        let inputs: Vec<u64> = on.iter().map(|&on| u64::from(on)).collect();
        let values = network.evaluate(&inputs);
        let expected = outputs.iter().enumerate().filter(|(_, wire)| value_of(&values, **wire) & 1 == 1);
        assert_eq!(got, expected.map(|(output, _)| output).collect::<Vec<_>>());
    }
}

#[test]
fn both_forms_compute_what_their_network_computes() {
    let mut memory = Memory::default();
    let (mut masks, mut tables) = (0, 0);
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (inputs, gates) = (rng.random_range(0..150), rng.random_range(0..700));
        let (network, mut outputs) = random_network(&mut rng, inputs, gates);
        if seed % 3 == 0 {
            // More than a block of outputs, and more of them than gates.
            outputs = (0..300).map(|output| outputs[output % outputs.len()]).collect();
        }
        let bits = rng.random_range(0..=inputs);
        for most in [0, usize::MAX] {
            let single = Single::with(&network, bits, &outputs, most);
            match single.form {
                Form::Masks(_) => masks += 1,
                Form::Tables(_) => tables += 1,
            }
            check(&single, &network, &outputs, &mut memory, &mut rng);
        }
    }
    assert!(masks >= 200 && tables >= 150, "{masks} by masks, {tables} by tables");
}

/// However many wires an AND of ANDs has, it is one level.
#[test]
fn a_chain_of_ands_is_one_and() {
    let mut network = Network::new(300);
    let mut all = network.input(0);
    for input in 1..300 {
        let next = network.input(input);
        all = network.and(&[all, !next]);
    }
    let flat = super::Flat::new(&network, &[!all]);
    assert!(flat.levels.is_empty());
    assert_eq!((flat.outputs[0].0.len(), flat.outputs[0].1), (300, true));
}
