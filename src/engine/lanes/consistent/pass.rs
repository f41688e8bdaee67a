//! Passes of consistent draws: up to 64 x `W` attempts at once.
//!
//! A pass puts the states in which its attempts start into planes, fills the random planes, and runs the program. Then
//! it compares what the observing role perceives with what it observed, plane by plane. Only words with an attempt that
//! agrees are read back.
//!
//! Invariant: what an attempt draws depends on the number of its word and on its place in the word alone.

use multiversion::multiversion;

use super::super::counter::is_any;
use super::super::random::{StreamKeys, Streams};
use super::circuit::ConsistentCode;
use crate::State;
use crate::machine::{ConsistentStep, JointMove, Move};
use crate::packed::{spread, transpose};
use crate::program::Planes;

/// Up to so many lanes of a word are read bit by bit rather than by transposition.
const FEW_LANES: u32 = 4;

/// What all passes of a call share.
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
#[derive(Debug)]
pub(super) struct DrawPlanes<const W: usize> {
    planes: Planes<W>,
    streams: Streams<W>,
    /// Whether the planes of the own move are set.
    is_ready: bool,
    /// The starts of each word.
    starts: [Option<[u32; 64]>; W],
}

impl<const W: usize> DrawPlanes<W> {
    /// Planes without memory.
    pub(super) fn new() -> DrawPlanes<W> {
        let (planes, streams) = (Planes::new(), Streams::new());
        DrawPlanes { planes, streams, is_ready: false, starts: [None; W] }
    }

    /// Forgets what the planes hold.
    pub(super) fn clear(&mut self) {
        (self.is_ready, self.starts) = (false, [None; W]);
    }

    /// Makes these attempts, the first word of them with the number `first`: adds the steps that agree, and the attempts
    /// that must be made again, in order.
    pub(super) fn run(
        &mut self,
        work: &DrawWork<'_>,
        attempts: &[u32],
        first: u64,
        steps: &mut Vec<ConsistentStep<State>>,
        again: &mut Vec<u32>,
    ) {
        if !self.is_ready {
            self.get_ready(work.code, work.own);
        }
        let mut present = [0; W];
        for (word, attempts) in attempts.chunks(64).enumerate() {
            present[word] = !0 >> (64 - attempts.len());
            self.streams.start(word, &work.keys, first + word as u64);
            self.load(word, attempts, work);
        }
        let [agree, open] = evaluate(&mut self.planes, &mut self.streams, work.code, &work.expected, present);
        for (word, attempts) in attempts.chunks(64).enumerate() {
            for lane in lanes_of(open[word]) {
                again.push(attempts[lane]);
            }
            if agree[word] != 0 {
                self.read(word, agree[word], attempts, work, steps);
            }
        }
    }

    fn get_ready(&mut self, code: &ConsistentCode, own: usize) {
        if self.planes.len() < code.program.planes() {
            self.planes.resize(code.program.planes());
        }
        let moves = &mut self.planes[code.own.clone()];
        moves.fill([0; W]);
        moves[own] = [!0; W];
        self.is_ready = true;
    }

    /// Puts the starts of up to 64 attempts into a word; lanes without an attempt get the start of the last one.
    fn load(&mut self, word: usize, attempts: &[u32], work: &DrawWork<'_>) {
        let mut starts = [work.attempts[attempts[attempts.len() - 1] as usize]; 64];
        for (start, &attempt) in starts.iter_mut().zip(attempts) {
            *start = work.attempts[attempt as usize];
        }
        if self.starts[word].as_ref() == Some(&starts) {
            return;
        }
        let planes = &mut self.planes[..work.code.bits];
        if starts.iter().all(|start| *start == starts[0]) {
            let words = work.starts[starts[0] as usize].words();
            for (planes, &bits) in planes.chunks_mut(64).zip(words) {
                for (bit, plane) in planes.iter_mut().enumerate() {
                    plane[word] = (bits >> bit & 1).wrapping_neg();
                }
            }
        } else {
            spread(starts.iter().map(|&start| &work.starts[start as usize]), planes, word);
        }
        self.starts[word] = Some(starts);
    }

    /// Reads the lanes of a word in which the step agrees.
    fn read(
        &self,
        word: usize,
        agree: u64,
        attempts: &[u32],
        work: &DrawWork<'_>,
        steps: &mut Vec<ConsistentStep<State>>,
    ) {
        let code = work.code;
        if agree.count_ones() <= FEW_LANES {
            for lane in lanes_of(agree) {
                let is_on = |plane: usize| self.planes[plane][word] >> lane & 1;
                let words = code.next.chunks(64).map(|planes| {
                    planes.iter().enumerate().fold(0, |bits, (bit, &plane)| bits | is_on(plane) << bit)
                });
                let state = State::collect(words);
                let joint = work.moves.iter().zip(code.does.values()).map(|(moves, planes)| {
                    moves[planes.iter().position(|&plane| is_on(plane) == 1).unwrap_or(0)]
                });
                let (place, joint) = (attempts[lane] as usize, JointMove::new(joint));
                steps.push(ConsistentStep { place, joint, state });
            }
            return;
        }
        let rows = |planes: &[usize]| -> Vec<[u64; 64]> { self.rows(word, planes) };
        let states = rows(&code.next);
        let does: Vec<Vec<[u64; 64]>> = code.does.values().iter().map(|planes| rows(planes)).collect();
        for lane in lanes_of(agree) {
            let state = State::collect(states.iter().map(|block| block[lane]));
            let joint = work.moves.iter().zip(&does).map(|(moves, blocks)| {
                let made = blocks.iter().enumerate().find(|(_, block)| block[lane] != 0);
                moves[made.map_or(0, |(number, block)| 64 * number + block[lane].trailing_zeros() as usize)]
            });
            let (place, joint) = (attempts[lane] as usize, JointMove::new(joint));
            steps.push(ConsistentStep { place, joint, state });
        }
    }

    /// For each lane of a word, its bits in these planes.
    fn rows(&self, word: usize, planes: &[usize]) -> Vec<[u64; 64]> {
        let block = |planes: &[usize]| {
            let mut block = [0; 64];
            block.iter_mut().zip(planes).for_each(|(bits, &plane)| *bits = self.planes[plane][word]);
            transpose(&mut block);
            block
        };
        planes.chunks(64).map(block).collect()
    }
}

/// The numbers of the bits that are on.
fn lanes_of(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// Makes the step in every lane: the lanes that agree, and those that must draw again.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2", "x86_64+avx2"))]
fn evaluate<const W: usize>(
    planes: &mut [[u64; W]],
    streams: &mut Streams<W>,
    code: &ConsistentCode,
    expected: &[(usize, u64)],
    present: [u64; W],
) -> [[u64; W]; 2] {
    for plane in &mut planes[code.random.clone()] {
        *plane = streams.draw();
    }
    code.program.run(planes);
    let (goes, hopeless) = (planes[code.goes], planes[code.hopeless]);
    let (mut agree, mut open) = ([0; W], [0; W]);
    for word in 0..W {
        agree[word] = present[word] & goes[word] & !hopeless[word];
        open[word] = present[word] & !goes[word] & !hopeless[word];
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
    [agree, open]
}
