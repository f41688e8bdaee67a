//! Tests that compare both forms with the networks that they were made from.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Flat, Form, Single, SingleMemory};
use crate::packed::bits_on;
use crate::program::tests::random_network;
use crate::propnet::{Network, Wire, value_of};
use hyperplay_machine::state::words_of;

/// Runs a form on random states and moves.
fn check(
    single: &Single,
    network: &Network,
    outputs: &[Wire],
    memory: &mut SingleMemory,
    rng: &mut ChaCha8Rng,
) {
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
    let mut memory = SingleMemory::default();
    let (mut nibbles, mut luts) = (0, 0);
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
                Form::Nibbles(_) => nibbles += 1,
                Form::Luts(_) => luts += 1,
            }
            check(&single, &network, &outputs, &mut memory, &mut rng);
        }
    }
    assert!(nibbles >= 200 && luts >= 150, "{nibbles} by nibble look-up, {luts} by programs");
}

/// However many wires an AND of ANDs has, it is one AND.
#[test]
fn a_chain_of_ands_is_one_and() {
    let mut network = Network::new(30);
    let mut all = network.input(0);
    for input in 1..30 {
        let next = network.input(input);
        all = network.and(&[all, !next]);
    }
    for with_ors in [true, false] {
        let flat = Flat::new(&network, &[!all], with_ors);
        assert!(flat.levels.is_empty());
        assert_eq!((flat.outputs[0].0.len(), flat.outputs[0].1), (30, true));
    }
}

/// `(a or b) and c and d, or e`: written out, three ANDs and their OR; as it was factored, a level more.
#[test]
fn the_terms_of_an_or_are_written_out_on_request() {
    let mut network = Network::new(5);
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|number| network.input(number));
    let either = network.or(&[a, b]);
    let both = network.and(&[either, c, d]);
    let output = network.or(&[both, e]);
    let levels =
        |with_ors| Flat::new(&network, &[output], with_ors).levels.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!((levels(true), levels(false)), (vec![3], vec![1, 1]));
}
