//! Rows: what is read of the attempts that agree, from planes to one row of bits for each attempt.
//!
//! A row has the bits of the next state and then, for each role that draws among several moves, one bit for each of
//! them. The moves of a role do not go across the end of a word, unless they need more than one. A pass with many
//! attempts to read transposes all of its words at once; otherwise each attempt is read bit by bit.

use smallvec::SmallVec;

use super::super::vector::lanes_of;
use crate::packed::transpose_blocks;
use hyperplay_machine::{ByRole, ConsistentStep, JointMove, Move, State};

/// The most rows that are read bit by bit.
const FEW_ROWS: u32 = 8;

/// Which planes make up a row.
#[derive(Debug)]
pub(super) struct Rows {
    /// The plane of each bit; none where the row has a gap.
    planes: Vec<Option<usize>>,
    /// Words of the next state.
    words: usize,
    /// The bits of the next state in the last of them.
    mask: u64,
    /// The first bit of each role that draws among several moves.
    moves: ByRole<Option<usize>>,
}

/// The memory in which rows are made.
#[derive(Clone, Debug, Default)]
pub(super) struct RowMemory<const W: usize> {
    /// For each word of a row, that word of the rows of all lanes.
    pub blocks: Vec<[[u64; W]; 64]>,
    /// The lanes that are read.
    on: Vec<u16>,
}

impl Rows {
    /// Rows with these planes of the next state and of the moves; the roles with none make the only move they have.
    pub(super) fn new(next: &[usize], does: &ByRole<Vec<usize>>) -> Rows {
        let mut planes: Vec<Option<usize>> = next.iter().copied().map(Some).collect();
        let moves = ByRole::from_fn(does.len(), |role| {
            let own = &does[role];
            if own.is_empty() {
                return None;
            }
            if planes.len() % 64 + own.len() > 64 {
                planes.resize(planes.len().next_multiple_of(64), None);
            }
            planes.extend(own.iter().copied().map(Some));
            Some(planes.len() - own.len())
        });
        let mask = if next.len().is_multiple_of(64) { !0 } else { (1 << (next.len() % 64)) - 1 };
        Rows { planes, words: next.len().div_ceil(64), mask, moves }
    }

    /// Adds the step of every lane that is on in `lanes`, in order; role by role `moves` are those that it may make.
    pub(super) fn read<const W: usize>(
        &self,
        planes: &[[u64; W]],
        lanes: &[u64; W],
        attempts: &[u32],
        moves: &[&[Move]],
        memory: &mut RowMemory<W>,
        steps: &mut Vec<ConsistentStep<State>>,
    ) {
        let count: u32 = lanes.iter().map(|lanes| lanes.count_ones()).sum();
        if count <= FEW_ROWS {
            for (word, lane) in (0..W).flat_map(|word| lanes_of(lanes[word]).map(move |lane| (word, lane))) {
                let row = self.planes.chunks(64).map(|chunk| {
                    let bit =
                        |plane: &Option<usize>| plane.map_or(0, |plane| planes[plane][word] >> lane & 1);
                    chunk.iter().enumerate().fold(0, |bits, (place, plane)| bits | bit(plane) << place)
                });
                let row: SmallVec<[u64; 8]> = row.collect();
                steps.push(self.step(attempts[64 * word + lane], moves, |number| row[number]));
            }
            return;
        }
        let RowMemory { blocks, on } = memory;
        let needed = self.planes.len().div_ceil(64);
        blocks.resize(blocks.len().max(needed), [[0; W]; 64]);
        let blocks = &mut blocks[..needed];
        for (block, chunk) in blocks.iter_mut().zip(self.planes.chunks(64)) {
            for (row, plane) in block.iter_mut().zip(chunk) {
                *row = plane.map_or([0; W], |plane| planes[plane]);
            }
            block[chunk.len()..].fill([0; W]);
            transpose_blocks(block);
        }
        on.clear();
        for (word, &lanes) in lanes.iter().enumerate() {
            on.extend(lanes_of(lanes).map(|lane| (64 * word + lane) as u16));
        }
        // A list of known length is extended without a copy of each step.
        steps.extend(on.iter().map(|&lane| {
            let lane = usize::from(lane);
            self.step(attempts[lane], moves, |number| blocks[number][lane % 64][lane / 64])
        }));
    }

    #[inline(always)]
    fn step(&self, place: u32, moves: &[&[Move]], row: impl Fn(usize) -> u64) -> ConsistentStep<State> {
        let last = self.words.wrapping_sub(1);
        let word = |number| row(number) & if number == last { self.mask } else { !0 };
        let joint = JointMove::from_fn(moves.len(), |role| self.made(role, moves[role], &row));
        ConsistentStep { place: place as usize, joint, state: State::from_fn(self.words, word) }
    }

    /// The move that a role makes, of those that it may make.
    #[inline(always)]
    fn made(&self, role: usize, moves: &[Move], row: &impl Fn(usize) -> u64) -> Move {
        let Some(first) = self.moves.values()[role] else { return moves[0] };
        let mut bits = row(first / 64) >> (first % 64);
        let mut before = 0;
        // Only the moves of a role with more than 64 begin at a word and go on in the next one.
        while bits == 0 {
            before += 64;
            bits = row(first / 64 + before / 64);
        }
        moves[before + bits.trailing_zeros() as usize]
    }
}
