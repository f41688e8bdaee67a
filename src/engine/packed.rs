//! Packed: a state as the bits of its network, and blocks of such states turned into planes and back.
//!
//! A [`Packed`] holds bit `b` of a state in word `b / 64`. A *plane* holds one bit of many states: state `k` is lane
//! `k`. Going from one to the other is the transposition of 64x64 blocks of bits.
//!
//! Invariants: bits beyond those of the network are off, and all states of one network have the same number of words,
//! so equal states are equal bits.
//!
//! Reference: Warren, *Hacker's Delight*, 2nd ed. 2012, section 7-3 (transposing a bit matrix).

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

/// Words that are kept in place; a state of more is shared.
const FEW: usize = 4;

/// A state as bits. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed(Words);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Words {
    Few([u64; FEW]),
    Many(Arc<[u64]>),
}

impl Packed {
    /// The state with these words; they are one for each 64 bits or part of them.
    pub fn new(words: &[u64]) -> Packed {
        match words.len() {
            count @ ..=FEW => {
                let mut few = [0; FEW];
                few[..count].copy_from_slice(words);
                Packed(Words::Few(few))
            }
            _ => Packed(Words::Many(words.into())),
        }
    }

    /// The state whose bits are these.
    pub fn of_bits(bits: &[bool]) -> Packed {
        let mut words = vec![0; words_of(bits.len())];
        for (bit, _) in bits.iter().enumerate().filter(|(_, on)| **on) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        Packed::new(&words)
    }

    /// The state with these words, as [`new`](Packed::new).
    pub fn collect(mut words: impl ExactSizeIterator<Item = u64>) -> Packed {
        if words.len() > FEW {
            return Packed(Words::Many(words.collect()));
        }
        Packed(Words::Few(std::array::from_fn(|_| words.next().unwrap_or(0))))
    }

    /// The state whose bits are the first `bits` of these words.
    pub fn start_of(words: &[u64], bits: usize) -> Packed {
        let (count, used) = (words_of(bits), bits % 64);
        let mask = if used == 0 { !0 } else { (1 << used) - 1 };
        let word = |(number, &word): (usize, &u64)| if number + 1 == count { word & mask } else { word };
        Packed::collect(words[..count].iter().enumerate().map(word))
    }

    /// The words; at least one for each 64 bits or part of them.
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Words::Few(words) => words,
            Words::Many(words) => words,
        }
    }

    /// Whether a bit is on.
    pub fn bit(&self, bit: usize) -> bool {
        self.words()[bit / 64] >> (bit % 64) & 1 == 1
    }
}

impl Hash for Packed {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.words().iter().for_each(|&word| hasher.write_u64(word));
    }
}

/// The bits that are on in this range of some words, counted from its start, in ascending order.
pub fn bits_on(words: &[u64], range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let (mut word, mut left) = (range.start / 64, 0);
    if let Some(&first) = words.get(word) {
        left = first >> (range.start % 64) << (range.start % 64);
    }
    std::iter::from_fn(move || {
        while left == 0 {
            word += 1;
            if word * 64 >= range.end {
                return None;
            }
            left = words[word];
        }
        let bit = word * 64 + left.trailing_zeros() as usize;
        left &= left - 1;
        (bit < range.end).then(|| bit - range.start)
    })
}

/// The words that so many bits need.
pub fn words_of(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// Transposes a block of bits: bit `j` of word `i` becomes bit `i` of word `j`.
pub fn transpose(block: &mut [u64; 64]) {
    swap::<32>(block, 0x0000_0000_ffff_ffff);
    swap::<16>(block, 0x0000_ffff_0000_ffff);
    swap::<8>(block, 0x00ff_00ff_00ff_00ff);
    swap::<4>(block, 0x0f0f_0f0f_0f0f_0f0f);
    swap::<2>(block, 0x3333_3333_3333_3333);
    swap::<1>(block, 0x5555_5555_5555_5555);
}

/// One stage: in each block of twice `SPAN` words and columns, the upper right quarter changes with the lower left.
#[inline(always)]
fn swap<const SPAN: usize>(block: &mut [u64; 64], mask: u64) {
    for pair in block.chunks_exact_mut(2 * SPAN) {
        let (upper, lower) = pair.split_at_mut(SPAN);
        for (high, low) in upper.iter_mut().zip(lower) {
            let change = (*high >> SPAN ^ *low) & mask;
            *high ^= change << SPAN;
            *low ^= change;
        }
    }
}

/// Puts up to 64 states into word `word` of the planes of their bits, one lane each; the other lanes are off.
pub fn spread<'s, const W: usize>(
    states: impl Iterator<Item = &'s Packed> + Clone,
    planes: &mut [[u64; W]],
    word: usize,
) {
    for (number, planes) in planes.chunks_mut(64).enumerate() {
        let mut block = [0; 64];
        for (lane, state) in states.clone().enumerate() {
            block[lane] = state.words()[number];
        }
        transpose(&mut block);
        planes.iter_mut().zip(block).for_each(|(plane, bits)| plane[word] = bits);
    }
}

/// The states of the first `count` lanes of word `word` of the planes of their bits. The inverse of [`spread`].
pub fn gather<const W: usize>(
    count: usize,
    planes: &[[u64; W]],
    word: usize,
) -> impl Iterator<Item = Packed> + use<W> {
    let blocks = planes.chunks(64).map(|planes| {
        let mut block = [0; 64];
        block.iter_mut().zip(planes).for_each(|(bits, plane)| *bits = plane[word]);
        transpose(&mut block);
        block
    });
    let blocks: SmallVec<[[u64; 64]; FEW]> = blocks.collect();
    (0..count).map(move |lane| Packed::collect(blocks.iter().map(|block| block[lane])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    use crate::machine::Seed;

    #[test]
    fn transposing_moves_every_bit_to_its_place() {
        let mut rng = Seed::root(1).rng();
        let block: [u64; 64] = std::array::from_fn(|_| rng.random());
        let mut turned = block;
        transpose(&mut turned);
        for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
            assert_eq!(block[i] >> j & 1, turned[j] >> i & 1);
        }
    }

    #[test]
    fn the_bits_of_a_range_are_those_that_are_on_counted_from_its_start() {
        let mut rng = Seed::root(3).rng();
        let words: [u64; 4] = std::array::from_fn(|_| rng.random::<u64>() & rng.random::<u64>());
        for (start, end) in [(0, 256), (0, 0), (64, 64), (256, 256), (3, 64), (63, 65), (70, 200), (128, 192)]
        {
            let on = (start..end).filter(|bit| words[bit / 64] >> (bit % 64) & 1 == 1);
            let expected: Vec<usize> = on.map(|bit| bit - start).collect();
            assert_eq!(bits_on(&words, start..end).collect::<Vec<_>>(), expected);
        }
        assert_eq!(bits_on(&[], 0..0).next(), None);
        assert_eq!(Packed::start_of(&words, 70), Packed::new(&[words[0], words[1] & 0x3f]));
    }

    #[test]
    fn what_is_spread_over_planes_is_gathered_again() {
        let mut rng = Seed::root(2).rng();
        for bits in [1, 63, 64, 65, 256, 257, 700] {
            let mut states = Vec::new();
            for _ in 0..50 {
                let on: Vec<bool> = (0..bits).map(|_| rng.random()).collect();
                states.push(Packed::of_bits(&on));
                assert!((0..bits).all(|bit| states[states.len() - 1].bit(bit) == on[bit]));
            }
            let mut planes = vec![[!0_u64; 2]; bits + 3];
            spread(states.iter(), &mut planes[..bits], 1);
            assert!(planes[bits..].iter().all(|plane| *plane == [!0; 2]));
            assert!(planes[..bits].iter().all(|plane| plane[0] == !0 && plane[1] >> 50 == 0));
            let again: Vec<Packed> = gather(50, &planes[..bits], 1).collect();
            assert_eq!(again, states);
        }
    }
}
