//! Counters: a number for every lane, sliced into planes.

/// Whether some lane is on.
#[inline(always)]
pub(super) fn is_any<const W: usize>(mask: &[u64; W]) -> bool {
    mask.iter().fold(0, |any, word| any | word) != 0
}

/// Bits of a counter that is added to without a look at the carry.
const SHORT: usize = 8;

/// A number for each of 64 x `W` lanes, least plane first.
#[derive(Clone, Debug)]
pub(super) struct Counter<const W: usize>(Vec<[u64; W]>);

impl<const W: usize> Counter<W> {
    /// Counters of `bits` bits, all 0.
    pub(super) fn new(bits: usize) -> Counter<W> {
        Counter(vec![[0; W]; bits])
    }

    /// Adds one where `mask` is on; gives the lanes that have overflowed to 0.
    #[inline(always)]
    pub(super) fn add(&mut self, mask: [u64; W]) -> [u64; W] {
        let mut carry = mask;
        // Short counters go all the way: a guess where the carry ends would often be wrong.
        for (bit, plane) in self.0.iter_mut().enumerate() {
            if bit >= SHORT && !is_any(&carry) {
                break;
            }
            let old = *plane;
            let (mut sum, mut both) = ([0; W], [0; W]);
            for word in 0..W {
                sum[word] = old[word] ^ carry[word];
                both[word] = old[word] & carry[word];
            }
            *plane = sum;
            carry = both;
        }
        carry
    }

    /// The number of a lane.
    pub(super) fn read(&self, word: usize, lane: usize) -> u32 {
        let bits = self.0.iter().enumerate();
        bits.fold(0, |number, (bit, plane)| number | ((plane[word] >> lane & 1) as u32) << bit)
    }

    /// Sets the number of a lane.
    pub(super) fn set(&mut self, word: usize, lane: usize, number: u32) {
        for (bit, plane) in self.0.iter_mut().enumerate() {
            plane[word] = plane[word] & !(1 << lane) | u64::from(number >> bit & 1) << lane;
        }
    }

    /// Makes the numbers of some lanes 0.
    #[inline(always)]
    pub(super) fn clear(&mut self, mask: [u64; W]) {
        for plane in &mut self.0 {
            let old = *plane;
            let mut kept = [0; W];
            for word in 0..W {
                kept[word] = old[word] & !mask[word];
            }
            *plane = kept;
        }
    }

    /// The lanes with a number of at least `2^bit`, for the highest bit.
    pub(super) fn highest(&self) -> [u64; W] {
        self.0[self.0.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_count_each_for_themselves_and_overflow_to_zero() {
        let mut counter = Counter::<4>::new(3);
        counter.set(2, 5, 6);
        let mask = |lane: usize| {
            let mut mask = [0; 4];
            mask[2] = 1 << lane | 1;
            mask
        };
        assert_eq!(counter.add(mask(5)), [0; 4]);
        assert_eq!((counter.read(2, 5), counter.read(2, 0), counter.read(2, 1)), (7, 1, 0));
        assert_eq!(counter.add(mask(5)), [0, 0, 1 << 5, 0]);
        assert_eq!((counter.read(2, 5), counter.read(2, 0)), (0, 2));
        counter.clear(mask(9));
        assert_eq!(counter.read(2, 0), 0);
    }
}
