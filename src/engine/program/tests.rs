//! Tests that compare programs with the networks that they were made from.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::LutProgram;
use crate::propnet::{Network, Wire, value_of};

/// A random network and some of its wires, of both signs, with constants and inputs among them.
pub(crate) fn random_network(rng: &mut ChaCha8Rng, inputs: usize, gates: usize) -> (Network, Vec<Wire>) {
    let mut network = Network::new(inputs);
    let mut wires: Vec<Wire> = (0..inputs).map(|number| network.input(number)).collect();
    wires.push(Wire::FALSE);
    for _ in 0..gates {
        let width = if rng.random_bool(0.1) { rng.random_range(3..12) } else { 2 };
        let chosen: Vec<Wire> = (0..width)
            .map(|_| {
                let wire = wires[rng.random_range(wires.len().saturating_sub(40)..wires.len())];
                wire.negate_if(rng.random())
            })
            .collect();
        wires.push(if rng.random() { network.and(&chosen) } else { network.or(&chosen) });
    }
    let outputs = (0..30).map(|_| wires[rng.random_range(0..wires.len())].negate_if(rng.random())).collect();
    (network, outputs)
}

fn check<const W: usize>(network: &Network, outputs: &[Wire], rng: &mut ChaCha8Rng) {
    let program = LutProgram::compile(network, outputs);
    let mut planes = vec![[0; W]; program.planes];
    for plane in &mut planes[..network.inputs()] {
        *plane = std::array::from_fn(|_| rng.random());
    }
    let inputs = planes[..network.inputs()].to_vec();
    program.run(&mut planes);
    assert_eq!(planes[..network.inputs()], inputs);
    for word in 0..W {
        let inputs: Vec<u64> = inputs.iter().map(|plane| plane[word]).collect();
        let values = network.evaluate(&inputs);
        for (at, &wire) in outputs.iter().enumerate() {
            assert_eq!(
                planes[program.outputs[at]][word],
                value_of(&values, wire),
                "output {at}, word {word}"
            );
        }
    }
}

#[test]
fn a_program_computes_what_its_network_computes_at_every_width() {
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (inputs, gates) = (rng.random_range(0..12), rng.random_range(0..400));
        let (network, outputs) = random_network(&mut rng, inputs, gates);
        check::<1>(&network, &outputs, &mut rng);
        check::<4>(&network, &outputs, &mut rng);
        check::<8>(&network, &outputs, &mut rng);
        check::<16>(&network, &outputs, &mut rng);
    }
}

/// Every function of three inputs, as a sum of products, is one table.
#[test]
fn every_function_of_three_inputs_is_at_most_one_table() {
    for table in 0..=255_u8 {
        let mut network = Network::new(3);
        let literal =
            |network: &Network, at: usize, case: usize| network.input(at).negate_if(case >> at & 1 == 0);
        let cases: Vec<Wire> = (0..8)
            .filter(|case| table >> case & 1 == 1)
            .map(|case| {
                let literals: Vec<Wire> = (0..3).map(|at| literal(&network, at, case)).collect();
                network.and(&literals)
            })
            .collect();
        let outputs = [network.or(&cases)];
        let program = LutProgram::compile(&network, &outputs);
        assert!(program.luts() <= 1, "{table:#x}: {}", program.luts());
        check::<1>(&network, &outputs, &mut ChaCha8Rng::seed_from_u64(0));
    }
}

#[test]
fn an_adder_is_covered_by_its_sums_and_majorities() {
    let mut network = Network::new(8);
    let mut carry = Wire::FALSE;
    let mut outputs = Vec::new();
    for bit in 0..4 {
        let (a, b) = (network.input(bit), network.input(4 + bit));
        let mut xor = |a: Wire, b: Wire| {
            let (left, right) = (network.and(&[a, !b]), network.and(&[!a, b]));
            network.or(&[left, right])
        };
        let half = xor(a, b);
        outputs.push(xor(half, carry));
        let (both, through) = (network.and(&[a, b]), network.and(&[half, carry]));
        carry = network.or(&[both, through]);
    }
    outputs.push(carry);
    let program = LutProgram::compile(&network, &outputs);
    assert_eq!(program.luts(), 8, "a sum and a carry for each of four bits");
    check::<4>(&network, &outputs, &mut ChaCha8Rng::seed_from_u64(1));
}

#[test]
fn planes_are_used_again() {
    let mut network = Network::new(200);
    let mut parity = network.input(0);
    let mut middle = parity;
    for input in 1..200 {
        let other = network.input(input);
        let (left, right) = (network.and(&[parity, !other]), network.and(&[!parity, other]));
        parity = network.or(&[left, right]);
        if input == 100 {
            middle = parity;
        }
    }
    let outputs = [middle, parity];
    let program = LutProgram::compile(&network, &outputs);
    assert!(program.luts() >= 99 && program.planes <= 200 + 4, "{} planes", program.planes);
    check::<16>(&network, &outputs, &mut ChaCha8Rng::seed_from_u64(2));
}
