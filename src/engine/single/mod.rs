//! The outputs of a network for one state at a time, as packed bits in and packed bits out.
//!
//! There are two forms with the same answers. The [nibble look-up](nibble) looks four bits up at once and needs no work
//! to take a state in or out. A network so large or so deep that there would be too many look-ups runs as the
//! straight-line code of [`program`](super::program), in one of its 64 lanes.

mod flat;
mod nibble;
#[cfg(test)]
mod tests;

use super::program::LutProgram;
use crate::propnet::{Network, Wire};
use flat::Flat;
use hyperplay_machine::state::words_of;
use nibble::NibbleLookUp;

/// A nibble look-up costs less than a 3-input look-up table of a program. This many look-ups cost as much as one
/// table.
const PER_LUT: usize = 2;
/// This many look-ups are always worthwhile.
const FEW: usize = 64;
/// The most look-ups in a pass: 512 bytes each, together within a cache.
const MOST: usize = 1 << 13;

/// The outputs of a network for single states.
#[derive(Debug)]
pub(crate) struct Single {
    /// The inputs that are the state; the others are the moves.
    bits: usize,
    inputs: usize,
    outputs: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Nibbles(NibbleLookUp),
    Luts(LutProgram),
}

/// How many operations a pass for a single state consists of.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct SingleWork {
    /// Nibbles that are looked up.
    pub(crate) look_ups: usize,
    /// Look-up tables of programs.
    pub(crate) tables: usize,
}

/// The working memory of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct SingleMemory {
    // Of the nibble look-up.
    values: Vec<u64>,
    patterns: Vec<nibble::Nibbles>,
    // Of the program.
    planes: Vec<[u64; 1]>,
    packed: Vec<u64>,
}

impl Single {
    /// The outputs of a network whose first `bits` inputs are a state and the others moves. O(n log n) in the wires.
    pub(crate) fn compile(network: &Network, bits: usize, outputs: &[Wire]) -> Single {
        let needed = network.needed(outputs.iter().copied());
        let gates = (0..needed.len()).filter(|&gate| needed[gate]);
        let luts: usize = gates.map(|gate| network.fanin(Wire::of_gate(gate)).len() / 2).sum();
        Single::with(network, bits, outputs, MOST.min(PER_LUT * luts + FEW))
    }

    /// As [`compile`](Single::compile), by nibble look-up if `most` look-ups are enough.
    fn with(network: &Network, bits: usize, outputs: &[Wire], most: usize) -> Single {
        let moves = 64 * words_of(bits);
        let place = |input| if input < bits { input } else { moves + input - bits };
        let words = words_of(bits) + words_of(network.inputs() - bits);
        let forms = [true, false].map(|with_ors| {
            NibbleLookUp::new(&Flat::new(network, outputs, with_ors), place, network.inputs(), words, most)
        });
        let form = match forms.into_iter().flatten().min_by_key(NibbleLookUp::look_ups) {
            Some(look_up) => Form::Nibbles(look_up),
            None => Form::Luts(LutProgram::compile(network, outputs)),
        };
        Single { bits, inputs: network.inputs(), outputs: outputs.len(), form }
    }

    /// Whether a pass is so short that two of them take less time than one of a program over many states.
    pub(crate) fn is_quick(&self) -> bool {
        matches!(self.form, Form::Nibbles(_))
    }

    /// The work of a pass.
    pub(crate) fn work(&self) -> SingleWork {
        match &self.form {
            Form::Nibbles(look_up) => SingleWork { look_ups: look_up.look_ups(), ..SingleWork::default() },
            Form::Luts(program) => SingleWork { tables: program.luts(), ..SingleWork::default() },
        }
    }

    /// The outputs for a state and the inputs that are its moves: output `k` is bit `k` of the words, and the bits
    /// after the last one are off. No allocation but that of a first pass.
    pub(crate) fn run<'m>(
        &self,
        state: &[u64],
        moves: impl Iterator<Item = usize>,
        memory: &'m mut SingleMemory,
    ) -> &'m [u64] {
        let SingleMemory { values, patterns, planes, packed } = memory;
        let (state_words, outputs) = (words_of(self.bits), words_of(self.outputs));
        match &self.form {
            Form::Nibbles(look_up) => {
                if values.len() < look_up.words() {
                    values.resize(look_up.words(), 0);
                    patterns.resize(look_up.words(), Default::default());
                }
                let (own, rest) = values.split_at_mut(state_words);
                own.copy_from_slice(&state[..state_words]);
                let does = &mut rest[..words_of(self.inputs - self.bits)];
                does.fill(0);
                moves.map(|input| input - self.bits).for_each(|bit| does[bit / 64] |= 1 << (bit % 64));
                look_up.run(values, patterns);
                &values[look_up.outputs..][..outputs]
            }
            Form::Luts(program) => {
                planes.resize(planes.len().max(program.planes), [0; 1]);
                for (planes, &word) in planes[..self.bits].chunks_mut(64).zip(state) {
                    planes.iter_mut().enumerate().for_each(|(bit, plane)| *plane = [word >> bit & 1]);
                }
                planes[self.bits..self.inputs].fill([0]);
                moves.for_each(|input| planes[input] = [1]);
                program.run(planes);
                packed.clear();
                packed.resize(outputs, 0);
                for output in 0..self.outputs {
                    packed[output / 64] |= (planes[program.outputs[output]][0] & 1) << (output % 64);
                }
                packed
            }
        }
    }
}
