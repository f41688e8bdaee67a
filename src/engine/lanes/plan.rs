//! Playout plans: which lanes make which playouts.
//!
//! The playouts of a start are cut into *chunks*. A lane makes the playouts of a chunk one after the other and then
//! takes the next chunk of its word. Each word of 64 lanes owns a fixed, contiguous list of chunks, which depends on
//! the counts alone. So a result does not depend on the width of the vectors or on what else is being computed.
//!
//! Lanes are idle at the end of a word, when it has no more chunks. Small chunks keep that time short; large chunks
//! cost less to begin and to end. A size near the square root of twice the playouts of a lane balances the two.

/// Playouts that one lane makes from one start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    /// The number of the start.
    pub start: usize,
    /// How many, 1 to [`MAX_CHUNK`].
    pub count: u32,
}

/// The most playouts of a chunk.
pub(super) const MAX_CHUNK: u32 = 255;

/// The words of one vector, narrow or wide.
const FEW: u64 = 8;
const MANY: u64 = 16;

/// Playouts a lane from which on a wide vector is filled rather than a narrow one.
const ENOUGH: u64 = 256;

/// Playouts a lane from which on more words are made rather than longer ones.
const LONG: u64 = 4096;

/// Chunks, and for each word the end of its part of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct PlayoutPlan {
    /// In the order of the starts.
    pub chunks: Vec<Chunk>,
    /// The first chunk after those of each word.
    pub ends: Vec<usize>,
}

impl PlayoutPlan {
    /// The plan for the given counts of playouts, one for each start.
    pub(super) fn new(counts: impl Iterator<Item = u32> + Clone) -> PlayoutPlan {
        let total: u64 = counts.clone().map(u64::from).sum();
        let words = match total / (64 * MANY) {
            a_lane if a_lane < ENOUGH => total.div_ceil(64).min(FEW),
            a_lane => MANY * (a_lane / LONG).max(1),
        };
        let a_lane = total / (64 * words).max(1);
        let size = ((2 * a_lane) as f64).sqrt().clamp(1.0, f64::from(MAX_CHUNK)) as u32;
        let mut chunks = Vec::new();
        for (start, count) in counts.enumerate() {
            let parts = count.div_ceil(size);
            // As even as possible.
            chunks.extend((0..parts).map(|part| {
                let before = |part: u32| u64::from(count) * u64::from(part) / u64::from(parts);
                Chunk { start, count: (before(part + 1) - before(part)) as u32 }
            }));
        }
        let words = words as usize;
        let ends = (1..=words).map(|word| chunks.len() * word / words).collect();
        PlayoutPlan { chunks, ends }
    }

    /// The chunks of a word.
    pub(super) fn word(&self, word: usize) -> std::ops::Range<usize> {
        let from = if word == 0 { 0 } else { self.ends[word - 1] };
        from..self.ends[word]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_playout_is_in_one_chunk_and_every_chunk_in_one_word() {
        for counts in
            [vec![], vec![0], vec![1], vec![3, 0, 70], vec![64; 1000], vec![5_000_000], vec![1; 513]]
        {
            let plan = PlayoutPlan::new(counts.iter().copied());
            for (start, &count) in counts.iter().enumerate() {
                let made: u32 =
                    plan.chunks.iter().filter(|chunk| chunk.start == start).map(|chunk| chunk.count).sum();
                assert_eq!(made, count);
            }
            assert!(plan.chunks.iter().all(|chunk| (1..=MAX_CHUNK).contains(&chunk.count)));
            let owned: Vec<usize> = (0..plan.ends.len()).flat_map(|word| plan.word(word)).collect();
            assert_eq!(owned, (0..plan.chunks.len()).collect::<Vec<_>>());
        }
        assert_eq!(PlayoutPlan::new([64; 8].into_iter()).ends.len(), 8);
        assert_eq!(PlayoutPlan::new([10].into_iter()).ends.len(), 1);
    }
}
