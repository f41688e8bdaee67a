//! Random planes: one stream for each word of 64 lanes.
//!
//! Each word draws from its own xoshiro256++, seeded by the ChaCha8 stream of its place in the seed tree. So the lanes
//! of a word draw the same whichever vector the word runs in and whatever its neighbours are. The words of a vector
//! draw side by side.
//!
//! Reference: Blackman, Vigna, *Scrambled Linear Pseudorandom Number Generators*, ACM TOMS 2021.

use rand::Rng;

use hyperplay_machine::Seed;

/// The keys from which the streams of the words of a call are derived, where there are too many to seed each by
/// ChaCha8.
///
/// Reference: Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014 (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct StreamKeys([u64; 4]);

impl StreamKeys {
    /// The keys of a call with this seed.
    pub(super) fn new(seed: &Seed) -> StreamKeys {
        let mut rng = seed.rng();
        StreamKeys([(); 4].map(|()| rng.next_u64()))
    }
}

/// The streams of the words of a vector, at first not seeded.
#[derive(Clone, Debug)]
pub(super) struct Streams<const W: usize>([[u64; W]; 4]);

impl<const W: usize> Default for Streams<W> {
    fn default() -> Streams<W> {
        Streams([[0; W]; 4])
    }
}

impl<const W: usize> Streams<W> {
    /// Seeds the stream of one word.
    pub(super) fn seed(&mut self, word: usize, seed: &Seed) {
        let mut rng = seed.rng();
        for part in &mut self.0 {
            part[word] = rng.next_u64();
        }
    }

    /// Begins the stream with a number in one word: each part of its state is the value at this number of the
    /// SplitMix64 sequence that begins at a key.
    #[inline(always)]
    pub(super) fn start(&mut self, word: usize, keys: &StreamKeys, number: u64) {
        for (part, key) in self.0.iter_mut().zip(keys.0) {
            let mut bits = key.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            part[word] = bits ^ bits >> 31;
        }
    }

    /// The next 64 bits of each word.
    #[inline(always)]
    pub(super) fn draw(&mut self) -> [u64; W] {
        let [mut s0, mut s1, mut s2, mut s3] = self.0;
        let mut result = [0; W];
        for word in 0..W {
            result[word] = s0[word].wrapping_add(s3[word]).rotate_left(23).wrapping_add(s0[word]);
            let shifted = s1[word] << 17;
            s2[word] ^= s0[word];
            s3[word] ^= s1[word];
            s1[word] ^= s2[word];
            s0[word] ^= s3[word];
            s2[word] ^= shifted;
            s3[word] = s3[word].rotate_left(45);
        }
        self.0 = [s0, s1, s2, s3];
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values of the authors' code for the state 1, 2, 3, 4.
    #[test]
    fn a_word_draws_what_the_generator_was_published_with() {
        let mut streams = Streams([[1, 9, 9, 9], [2, 9, 9, 9], [3, 9, 9, 9], [4, 9, 9, 9]]);
        let drawn: Vec<u64> = (0..5).map(|_| streams.draw()[0]).collect();
        assert_eq!(drawn, [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]);
    }

    #[test]
    fn a_word_draws_the_same_in_every_vector() {
        let seed = Seed::root(5).index(3);
        let (mut narrow, mut wide) = (Streams::<1>::default(), Streams::<8>::default());
        narrow.seed(0, &seed);
        wide.seed(6, &seed);
        wide.seed(2, &Seed::root(6));
        for _ in 0..100 {
            assert_eq!(narrow.draw()[0], wide.draw()[6]);
        }
    }
}
