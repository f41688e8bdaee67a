//! Packed bits and planes, and the way from one to the other.
//!
//! A [`State`] of a network engine keeps bit `b` in word `b / 64`. A *plane* holds one bit of many
//! states: state `k` is lane `k`. The way from one to the other is the transposition of 64x64 blocks of bits.
//!
//! Reference: Warren, *Hacker's Delight*, 2nd ed. 2012, section 7-3 (transposing a bit matrix).

use std::ops::Range;

use multiversion::multiversion;
use smallvec::SmallVec;

use hyperplay_machine::state::{FEW, State};

/// The bits that are on in this range of some words, counted from its start, in ascending order.
pub(crate) fn bits_on(words: &[u64], range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
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

/// Transposes a block of bits: bit `j` of word `i` becomes bit `i` of word `j`.
#[inline(always)]
pub(crate) fn transpose(block: &mut [u64; 64]) {
    stage::<32>(block, 0x0000_0000_ffff_ffff);
    stage::<16>(block, 0x0000_ffff_0000_ffff);
    stage::<8>(block, 0x00ff_00ff_00ff_00ff);
    stage::<4>(block, 0x0f0f_0f0f_0f0f_0f0f);
    stage::<2>(block, 0x3333_3333_3333_3333);
    stage::<1>(block, 0x5555_5555_5555_5555);
}

/// One stage: in each block of twice `SPAN` words and columns, the upper right quarter changes with the lower left.
#[inline(always)]
fn stage<const SPAN: usize>(block: &mut [u64; 64], mask: u64) {
    for pair in block.chunks_exact_mut(2 * SPAN) {
        let (upper, lower) = pair.split_at_mut(SPAN);
        for (high, low) in upper.iter_mut().zip(lower) {
            let change = (*high >> SPAN ^ *low) & mask;
            *high ^= change << SPAN;
            *low ^= change;
        }
    }
}

/// Transposes `W` blocks at once: block `w` is word `w` of each of the 64 rows.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2", "x86_64+avx2"))]
pub(crate) fn transpose_blocks<const W: usize>(rows: &mut [[u64; W]; 64]) {
    if const { W == 1 } {
        // The rows of one block lie side by side.
        return transpose(rows.as_flattened_mut().try_into().expect("there are 64 rows of one word"));
    }
    swap::<32, W>(rows, 0x0000_0000_ffff_ffff);
    swap::<16, W>(rows, 0x0000_ffff_0000_ffff);
    swap::<8, W>(rows, 0x00ff_00ff_00ff_00ff);
    swap::<4, W>(rows, 0x0f0f_0f0f_0f0f_0f0f);
    swap::<2, W>(rows, 0x3333_3333_3333_3333);
    swap::<1, W>(rows, 0x5555_5555_5555_5555);
}

/// By the logarithm of the span, the upper row of each pair of a stage. They are read from memory so that the compiler
/// computes the words of a row side by side, and not the rows, which lie far apart.
static UPPER: [[u8; 32]; 6] = {
    let mut upper = [[0; 32]; 6];
    let mut at = 0;
    while at < 6 * 32 {
        let (stage, pair) = (at / 32, at % 32);
        upper[stage][pair] = (pair + (pair >> stage << stage)) as u8;
        at += 1;
    }
    upper
};

/// The same stage for the rows of all blocks.
#[inline(always)]
fn swap<const SPAN: usize, const W: usize>(rows: &mut [[u64; W]; 64], mask: u64) {
    for &upper in &UPPER[SPAN.ilog2() as usize] {
        let (upper, lower) = (upper as usize % 64, (upper as usize + SPAN) % 64);
        let (mut high, mut low) = (rows[upper], rows[lower]);
        for word in 0..W {
            let change = (high[word] >> SPAN ^ low[word]) & mask;
            high[word] ^= change << SPAN;
            low[word] ^= change;
        }
        (rows[upper], rows[lower]) = (high, low);
    }
}

/// Puts up to 64 states into word `word` of the planes of their bits, one lane each; the other lanes are off.
pub(crate) fn spread<'s, const W: usize>(
    states: impl Iterator<Item = &'s State> + Clone,
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
pub(crate) fn gather<const W: usize>(
    count: usize,
    planes: &[[u64; W]],
    word: usize,
) -> impl Iterator<Item = State> + use<W> {
    let blocks = planes.chunks(64).map(|planes| {
        let mut block = [0; 64];
        block.iter_mut().zip(planes).for_each(|(bits, plane)| *bits = plane[word]);
        transpose(&mut block);
        block
    });
    let blocks: SmallVec<[[u64; 64]; FEW]> = blocks.collect();
    (0..count).map(move |lane| State::collect(blocks.iter().map(|block| block[lane])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    use hyperplay_machine::Seed;

    #[test]
    fn transposing_moves_every_bit_to_its_place() {
        let mut rng = Seed::root(1).rng();
        let block: [u64; 64] = std::array::from_fn(|_| rng.random());
        let mut turned = block;
        transpose(&mut turned);
        for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
            assert_eq!(block[i] >> j & 1, turned[j] >> i & 1);
        }
        let mut many: [[u64; 8]; 64] = [(); 64].map(|()| std::array::from_fn(|_| rng.random()));
        many.iter_mut().zip(block).for_each(|(row, bits)| row[5] = bits);
        transpose_blocks(&mut many);
        assert_eq!(many.map(|row| row[5]), turned);
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
        assert_eq!(State::start_of(&words, 70), State::new(&[words[0], words[1] & 0x3f]));
    }

    #[test]
    fn what_is_spread_over_planes_is_gathered_again() {
        let mut rng = Seed::root(2).rng();
        for bits in [1, 63, 64, 65, 256, 257, 700] {
            let mut states = Vec::new();
            for _ in 0..50 {
                let on: Vec<bool> = (0..bits).map(|_| rng.random()).collect();
                states.push(State::of_bits(&on));
                assert!((0..bits).all(|bit| states[states.len() - 1].bit(bit) == on[bit]));
            }
            let mut planes = vec![[!0_u64; 2]; bits + 3];
            spread(states.iter(), &mut planes[..bits], 1);
            assert!(planes[bits..].iter().all(|plane| *plane == [!0; 2]));
            assert!(planes[..bits].iter().all(|plane| plane[0] == !0 && plane[1] >> 50 == 0));
            let again: Vec<State> = gather(50, &planes[..bits], 1).collect();
            assert_eq!(again, states);
        }
    }
}
