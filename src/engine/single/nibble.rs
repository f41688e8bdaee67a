//! Nibble look-up: wide ANDs of the bits of one state, four bits at a time.
//!
//! The values of inputs and gates are bits of words. The gates of a level stand in blocks of 256. Four values next to
//! each other, a *nibble*, have 16 patterns, and for each pattern a mask says which gates of a block it makes false.
//! The OR of the masks of all nibbles that a block depends on leaves exactly the gates that hold. A gate with many
//! wires costs no more than one with few: the work is one load and one OR for each nibble of each block.
//!
//! Reference: the table look-up of several inputs at once is that of Arlazarov, Dinic, Kronrod, Faradzev, *On
//! economical construction of the transitive closure of an oriented graph*, 1970 ("four Russians"), for OR.

use multiversion::multiversion;
use rustc_hash::FxHashMap;

use super::flat::{Flat, FlatLiteral, is_negated, node};

/// Words of a block.
const WIDTH: usize = 4;
/// Values of a nibble.
const NIBBLE: usize = 4;
/// Nibbles of a word.
const NIBBLES: usize = 64 / NIBBLE;

type Row = [u64; WIDTH];
/// The nibbles of a word.
pub(super) type Nibbles = [u8; NIBBLES];

/// The masks of a network, block after block.
#[derive(Debug, Default)]
pub(super) struct NibbleLookUp {
    /// The word of the first block.
    first: usize,
    blocks: Vec<Block>,
    /// The nibbles that the blocks depend on, block after block.
    nibbles: Vec<u32>,
    /// For each of them and each of its patterns, which gates of the block it makes false.
    rows: Vec<[Row; 1 << NIBBLE]>,
    /// The word of the first output: output `k` is bit `k` from there on, and the bits after the last one are off.
    pub(super) outputs: usize,
}

/// 256 gates of one level.
#[derive(Debug)]
struct Block {
    /// How many nibbles it depends on.
    nibbles: usize,
    /// On where the value is the AND of the literals; off where its complement is computed, and where there is no
    /// gate.
    plain: Row,
    /// On where the complement is computed.
    negated: Row,
}

impl NibbleLookUp {
    /// The look-up of flat gates. `place` gives the bit of an input; inputs lie in the first `words` words. None if
    /// there would be more than `most` look-ups in a pass.
    pub(super) fn new(
        flat: &Flat,
        place: impl Fn(usize) -> usize,
        inputs: usize,
        words: usize,
        most: usize,
    ) -> Option<NibbleLookUp> {
        let mut look_up = NibbleLookUp { first: words, ..NibbleLookUp::default() };
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        // Node 0 is the constant, then come the inputs.
        places.extend((0..inputs).map(|input| (input + 1, place(input))));
        for gates in &flat.levels {
            for gates in gates.chunks(64 * WIDTH) {
                let start = 64 * look_up.words();
                look_up.push(gates.iter().map(|(_, literals)| (&literals[..], false)), &places);
                places.extend(gates.iter().enumerate().map(|(bit, (gate, _))| (*gate, start + bit)));
                if look_up.rows.len() > most {
                    return None;
                }
            }
        }
        look_up.outputs = look_up.words();
        for outputs in flat.outputs.chunks(64 * WIDTH) {
            look_up.push(outputs.iter().map(|(literals, negated)| (&literals[..], *negated)), &places);
            if look_up.rows.len() > most {
                return None;
            }
        }
        Some(look_up)
    }

    /// Adds a block of gates.
    fn push<'a>(
        &mut self,
        gates: impl Iterator<Item = (&'a [FlatLiteral], bool)>,
        places: &FxHashMap<usize, usize>,
    ) {
        let (mut plain, mut negated) = ([0; WIDTH], [0; WIDTH]);
        let mut rows: FxHashMap<usize, [Row; 1 << NIBBLE]> = FxHashMap::default();
        for (gate, (literals, complement)) in gates.enumerate() {
            let (word, bit) = (gate / 64, 1 << (gate % 64));
            let own = if complement { &mut negated } else { &mut plain };
            own[word] |= bit;
            for &literal in literals {
                let place = places[&node(literal)];
                let patterns = rows.entry(place / NIBBLE).or_default();
                for (pattern, row) in patterns.iter_mut().enumerate() {
                    let is_on = pattern >> (place % NIBBLE) & 1 == 1;
                    if is_on == is_negated(literal) {
                        row[word] |= bit;
                    }
                }
            }
        }
        let mut rows: Vec<(usize, [Row; 1 << NIBBLE])> = rows.into_iter().collect();
        rows.sort_unstable_by_key(|(nibble, _)| *nibble);
        self.blocks.push(Block { nibbles: rows.len(), plain, negated });
        self.nibbles.extend(rows.iter().map(|(nibble, _)| *nibble as u32));
        self.rows.extend(rows.into_iter().map(|(_, rows)| rows));
    }

    /// The number of look-ups in a pass.
    pub(super) fn look_ups(&self) -> usize {
        self.rows.len()
    }

    /// The number of words that a pass needs: the inputs, then the blocks.
    pub(super) fn words(&self) -> usize {
        self.first + WIDTH * self.blocks.len()
    }

    /// Computes all gates from the inputs, which lie in the first words; `patterns` are the words once more, taken
    /// apart. O(look-ups), without allocation.
    ///
    /// # Panics
    /// If there are fewer than [`words`](NibbleLookUp::words) of either.
    pub(super) fn run(&self, values: &mut [u64], patterns: &mut [Nibbles]) {
        run(self.first, &self.blocks, &self.nibbles, &self.rows, values, patterns);
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn run(
    first: usize,
    blocks: &[Block],
    mut nibbles: &[u32],
    mut rows: &[[Row; 1 << NIBBLE]],
    values: &mut [u64],
    patterns: &mut [Nibbles],
) {
    for (patterns, &word) in patterns.iter_mut().zip(&values[..first]) {
        *patterns = taken_apart(word);
    }
    let values = values[first..first + WIDTH * blocks.len()].as_chunks_mut::<WIDTH>().0;
    for ((number, block), own) in blocks.iter().enumerate().zip(values) {
        let (here, later) = nibbles.split_at(block.nibbles);
        let (masks, rest) = rows.split_at(block.nibbles);
        let (known, later_patterns) = patterns.split_at_mut(first + WIDTH * number);
        let known = known.as_flattened();
        let mut off = [0; WIDTH];
        for (&nibble, masks) in here.iter().zip(masks) {
            let mask = &masks[usize::from(known[nibble as usize] & 0xf)];
            for word in 0..WIDTH {
                off[word] |= mask[word];
            }
        }
        for word in 0..WIDTH {
            own[word] = block.plain[word] & !off[word] | block.negated[word] & off[word];
        }
        for (patterns, &word) in later_patterns.iter_mut().zip(&*own) {
            *patterns = taken_apart(word);
        }
        (nibbles, rows) = (later, rest);
    }
}

/// The nibbles of a word, from its lowest bits on.
#[inline(always)]
fn taken_apart(word: u64) -> Nibbles {
    let bytes = word.to_le_bytes();
    let mut patterns = [0; NIBBLES];
    for (byte, patterns) in bytes.into_iter().zip(patterns.as_chunks_mut::<2>().0) {
        *patterns = [byte & 0xf, byte >> 4];
    }
    patterns
}
