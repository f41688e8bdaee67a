//! Passes of consistent draws: up to 64 x `W` attempts at once.
//!
//! A pass puts the states in which its attempts start into planes, fills the random planes, and runs the program. Then
//! it compares what the observing role perceives with what it observed, plane by plane. Only
//! attempts that agree are read back (`rows.rs`).
//!
//! Invariant: the draws of an attempt depend on the number of its word and on its place in the word alone.

use multiversion::multiversion;

use super::super::counter::is_any;
use super::super::random::{StreamKeys, Streams};
use super::super::vector::lanes_of;
use super::circuit::ConsistentCode;
use super::rows::RowMemory;
use crate::packed::transpose_blocks;
use crate::program::Planes;
use hyperplay_machine::{ConsistentStep, Move, State};

/// The data that all passes of a call share.
pub(super) struct DrawWork<'w> {
    /// The program.
    pub code: &'w ConsistentCode,
    /// The states.
    pub starts: &'w [State],
    /// Where each attempt starts.
    pub attempts: &'w [u32],
    /// Which of the moves of the observing role it makes.
    pub own: usize,
    /// Planes with the value that they must have: all of their bits.
    pub expected: Vec<(usize, u64)>,
    /// For each role the moves that it may make; for the observing role the one that it makes.
    pub moves: Vec<&'w [Move]>,
    /// The streams.
    pub keys: StreamKeys,
}

/// The planes of one width, and what they hold.
#[derive(Clone, Debug, Default)]
pub(super) struct DrawPlanes<const W: usize> {
    planes: Planes<W>,
    streams: Streams<W>,
    rows: RowMemory<W>,
    /// Whether the planes of the own move are set.
    is_ready: bool,
    /// The starts of the first lanes; none if the planes of the states are not set.
    starts: Vec<u32>,
    /// The starts of the next pass.
    asked: Vec<u32>,
}

impl<const W: usize> DrawPlanes<W> {
    /// Forgets what the planes hold.
    pub(super) fn clear(&mut self) {
        self.is_ready = false;
    }

    /// Makes these attempts, the first word of them with the number `first`: adds the steps that agree, in order, and
    /// the attempts that must be made again, and those whose own move is not legal, each in order.
    pub(super) fn run(
        &mut self,
        work: &DrawWork<'_>,
        attempts: &[u32],
        first: u64,
        steps: &mut Vec<ConsistentStep<State>>,
        [again, unfit]: [&mut Vec<u32>; 2],
    ) {
        if !self.is_ready {
            self.get_ready(work.code, work.own);
        }
        self.load(attempts, work);
        let mut present = [0; W];
        for (word, attempts) in attempts.chunks(64).enumerate() {
            present[word] = !0 >> (64 - attempts.len());
            self.streams.start(word, &work.keys, first + word as u64);
        }
        let [agree, open, odd] =
            evaluate(&mut self.planes, &mut self.streams, work.code, &work.expected, present);
        for (found, list) in [(open, again), (odd, unfit)] {
            if is_any(&found) {
                for word in 0..W {
                    list.extend(lanes_of(found[word]).map(|lane| attempts[64 * word + lane]));
                }
            }
        }
        if is_any(&agree) {
            let rows = &work.code.rows;
            rows.read(&self.planes, &agree, attempts, &work.moves, &mut self.rows, steps);
        }
    }

    fn get_ready(&mut self, code: &ConsistentCode, own: usize) {
        if self.planes.len() < code.program.planes {
            self.planes.resize(code.program.planes);
        }
        let moves = &mut self.planes[code.own.clone()];
        moves.fill([0; W]);
        moves[own] = [!0; W];
        self.starts.clear();
        self.is_ready = true;
    }

    /// Puts the states in which the attempts start into the planes. Lanes without an attempt hold anything.
    fn load(&mut self, attempts: &[u32], work: &DrawWork<'_>) {
        self.asked.clear();
        self.asked.extend(attempts.iter().map(|&attempt| work.attempts[attempt as usize]));
        if self.starts.starts_with(&self.asked) {
            return;
        }
        std::mem::swap(&mut self.starts, &mut self.asked);
        let planes = &mut self.planes[..work.code.bits];
        let first = self.starts[0];
        if self.starts.iter().all(|start| *start == first) {
            // The lanes without an attempt too, for the next pass.
            self.starts.resize(64 * W, first);
            for (planes, &bits) in planes.chunks_mut(64).zip(work.starts[first as usize].words()) {
                for (bit, plane) in planes.iter_mut().enumerate() {
                    *plane = [(bits >> bit & 1).wrapping_neg(); W];
                }
            }
            return;
        }
        let count = work.code.bits.div_ceil(64);
        let blocks = &mut self.rows.blocks;
        blocks.resize(blocks.len().max(count), [[0; W]; 64]);
        for (lane, &start) in self.starts.iter().enumerate() {
            for (block, &bits) in blocks.iter_mut().zip(work.starts[start as usize].words()) {
                block[lane % 64][lane / 64] = bits;
            }
        }
        for (block, planes) in blocks.iter_mut().zip(planes.chunks_mut(64)) {
            transpose_blocks(block);
            planes.copy_from_slice(&block[..planes.len()]);
        }
    }
}

/// Makes the step in every lane: the lanes that agree, those that must draw again, and those whose own move is not
/// legal.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2", "x86_64+avx2"))]
fn evaluate<const W: usize>(
    planes: &mut [[u64; W]],
    streams: &mut Streams<W>,
    code: &ConsistentCode,
    expected: &[(usize, u64)],
    present: [u64; W],
) -> [[u64; W]; 3] {
    for plane in &mut planes[code.random.clone()] {
        *plane = streams.draw();
    }
    code.program.run(planes);
    let (goes, fits, hopeless) = (planes[code.goes], planes[code.fits], planes[code.hopeless]);
    let (mut agree, mut open, mut odd) = ([0; W], [0; W], [0; W]);
    for word in 0..W {
        agree[word] = present[word] & goes[word] & !hopeless[word];
        open[word] = present[word] & !goes[word] & !hopeless[word];
        odd[word] = present[word] & !fits[word];
    }
    for &(plane, value) in expected {
        let plane = planes[plane];
        for word in 0..W {
            agree[word] &= !(plane[word] ^ value);
        }
        if !is_any(&agree) {
            break;
        }
    }
    [agree, open, odd]
}
