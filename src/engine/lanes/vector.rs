//! Vectors: 64 x `W` lanes that play in lockstep.
//!
//! A pass advances every lane by one random step. A lane whose playout has ended starts the next playout of its chunk
//! in the same pass: its state becomes the state of the start, which is kept in planes of its own. Ends and goals are
//! counted in planes too, so a lane is looked at by itself only when its chunk is done.
//!
//! Invariants: the lanes of a word depend on its chunks and its stream alone; every playout that is begun is counted in
//! the tally of its start, unless the deadline interrupts it.

use multiversion::multiversion;

use super::code::LanesCode;
use super::counter::{Counter, is_any};
use super::plan::{MAX_CHUNK, PlayoutPlan};
use super::random::Streams;
use crate::packed::transpose;
use crate::program::Planes;
use hyperplay_machine::{Budget, ByRole, Goal, PLAYOUT_STEPS, Seed, Tally};

/// Bits of the number of playouts of a chunk.
const CHUNK_BITS: usize = MAX_CHUNK.count_ones() as usize;
/// Bits of the number of passes that a chunk waits, before it is carried into the lane's own number.
const WAIT_BITS: usize = 6;
/// A lane's age is counted in eighths of the longest playout.
const AGE_BITS: usize = 4;
const AGE_STEP: u64 = PLAYOUT_STEPS as u64 / 8;
/// Passes between two looks at the clock, at most.
const PASSES_A_LOOK: usize = 64;
/// Words computed between two looks at the clock, if that is more than one pass: some fifty microseconds.
const WORDS_A_LOOK: usize = 1 << 17;

/// The data that all vectors of a call share.
pub(super) struct LaneWork<'w> {
    /// The game.
    pub code: &'w LanesCode,
    /// For each start its inputs, from input 0 to the first that is not given, in words.
    pub images: &'w [Vec<u64>],
    /// Which lanes make which playouts.
    pub plan: &'w PlayoutPlan,
    /// Word `w` draws from the stream `seed/w`.
    pub seed: &'w Seed,
    /// Only its deadline counts.
    pub budget: &'w Budget,
    /// The goals of a state, given as packed words, for the few playouts that do not end by the rules.
    pub goals: &'w mut dyn FnMut(&[u64]) -> ByRole<Goal>,
}

/// How the lanes were used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LaneUsage {
    /// Steps of playouts that the lanes made.
    pub steps: u64,
    /// Steps that they could have made: passes times lanes.
    pub places: u64,
}

/// A lane's part in the plan.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    chunk: usize,
    since: u64,
    /// Passes that it has waited, without those that are counted in planes.
    waited: u64,
    /// Playouts that were ended before the rules end them; they are in the tally already.
    irregular: u32,
}

/// The word that a place of the vector plays.
#[derive(Clone, Copy, Debug)]
struct Place {
    next: usize,
    end: usize,
    since: u64,
}

/// The lanes and their memory, which is kept from one call to the next.
#[derive(Clone, Debug)]
pub(super) struct Vector<const W: usize> {
    planes: Planes<W>,
    starts: Planes<W>,
    streams: Streams<W>,
    active: [u64; W],
    ended: Counter<W>,
    waited: Counter<W>,
    age: Counter<W>,
    counted: Vec<Counter<W>>,
    lanes: Vec<Lane>,
    places: [Option<Place>; W],
    passes: u64,
}

/// The lanes that must be handled one by one after a pass.
#[derive(Clone, Copy)]
struct Pass<const W: usize> {
    done: [u64; W],
    stuck: [u64; W],
    waited: [u64; W],
}

impl<const W: usize> Default for Vector<W> {
    /// A vector without memory.
    fn default() -> Vector<W> {
        Vector {
            planes: Planes::default(),
            starts: Planes::default(),
            streams: Streams::default(),
            active: [0; W],
            ended: Counter::new(CHUNK_BITS),
            waited: Counter::new(WAIT_BITS),
            age: Counter::new(AGE_BITS),
            counted: Vec::new(),
            lanes: vec![Lane::default(); 64 * W],
            places: [None; W],
            passes: 0,
        }
    }
}

impl<const W: usize> Vector<W> {
    /// Plays what the plan says, into the tallies of the starts; stops at the deadline. Before each step `watch` is
    /// given all planes and the lanes that play. If it returns false, playing ends, and counts that have not been added
    /// to a tally are lost.
    pub(super) fn play(
        &mut self,
        mut work: LaneWork<'_>,
        tallies: &mut [Tally],
        watch: &mut impl FnMut(&[[u64; W]], &[u64; W]) -> bool,
    ) -> LaneUsage {
        self.planes.resize(work.code.planes());
        self.starts.resize(work.code.circuit.bits);
        self.counted.resize_with(work.code.counted.len(), || Counter::new(CHUNK_BITS));
        (self.active, self.places, self.passes) = ([0; W], [None; W], 0);
        let mut usage = LaneUsage::default();
        // A pass through a network of a million gates takes milliseconds, and many of them more than a move may take.
        let look = (WORDS_A_LOOK / (work.code.program.luts() * W).max(1)).clamp(1, PASSES_A_LOOK) as u64;
        let mut open = 0..work.plan.ends.len();
        for place in 0..W {
            self.load_word(place, open.next(), &work);
        }
        while is_any(&self.active) {
            evaluate(&mut self.planes, &mut self.streams, work.code);
            if !watch(&self.planes, &self.active) {
                break;
            }
            let mut pass = advance(self, work.code);
            self.passes += 1;
            usage.places += 64 * W as u64;
            if is_any(&pass.waited) {
                self.carry_waits(&pass.waited);
            }
            if is_any(&pass.stuck) {
                self.end_irregularly(pass.stuck, false, &mut pass.done, &mut work, tallies);
            }
            let old = self.grow_older();
            if is_any(&old) {
                self.end_irregularly(old, true, &mut pass.done, &mut work, tallies);
            }
            for place in 0..W {
                for lane in lanes_of(pass.done[place]) {
                    usage.steps += self.settle(place, lane, true, &work, tallies);
                    self.load_chunk(place, lane, &work);
                }
                if self.active[place] == 0 && self.places[place].is_some() {
                    self.load_word(place, open.next(), &work);
                }
            }
            if self.passes.is_multiple_of(look) && work.budget.is_late() {
                for place in 0..W {
                    for lane in lanes_of(self.active[place]) {
                        usage.steps += self.settle(place, lane, false, &work, tallies);
                    }
                }
                break;
            }
        }
        usage
    }

    /// Gives a place a word to play, or none.
    fn load_word(&mut self, place: usize, word: Option<usize>, work: &LaneWork<'_>) {
        self.places[place] = word.map(|word| {
            self.streams.seed(place, &work.seed.index(word));
            let chunks = work.plan.word(word);
            Place { next: chunks.start, end: chunks.end, since: self.passes }
        });
        self.active[place] = 0;
        let Some(own) = self.places[place] else { return };
        let first = work.code.circuit.first;
        for part in 0..first.div_ceil(64) {
            let mut block = [0; 64];
            for (lane, row) in block.iter_mut().enumerate().take(own.end - own.next) {
                *row = work.images[work.plan.chunks[own.next + lane].start][part];
            }
            transpose(&mut block);
            for (bit, &lanes) in block.iter().enumerate().take(first - 64 * part) {
                self.planes[64 * part + bit][place] = lanes;
                if let Some(start) = self.starts.get_mut(64 * part + bit) {
                    start[place] = lanes;
                }
            }
        }
        self.planes[first][place] = !0;
        for lane in 0..64 {
            self.begin(place, lane, work);
        }
    }

    /// Gives a lane whose chunk is done the next one of its word.
    fn load_chunk(&mut self, place: usize, lane: usize, work: &LaneWork<'_>) {
        let last = work.plan.chunks[self.lanes[64 * place + lane].chunk].start;
        let Some(chunk) = self.begin(place, lane, work) else { return };
        let start = work.plan.chunks[chunk].start;
        if start == last {
            return;
        }
        // The lane has just gone back to its old start, so only what differs changes.
        for (part, (old, new)) in work.images[last].iter().zip(&work.images[start]).enumerate() {
            for bit in lanes_of(old ^ new) {
                self.planes[64 * part + bit][place] ^= 1 << lane;
                if let Some(start) = self.starts.get_mut(64 * part + bit) {
                    start[place] ^= 1 << lane;
                }
            }
        }
    }

    /// Notes that a lane plays the next chunk of its word, if there is one.
    fn begin(&mut self, place: usize, lane: usize, work: &LaneWork<'_>) -> Option<usize> {
        self.active[place] &= !(1 << lane);
        let word = self.places[place].as_mut().filter(|word| word.next < word.end)?;
        let chunk = word.next;
        word.next += 1;
        self.active[place] |= 1 << lane;
        self.lanes[64 * place + lane] = Lane { chunk, since: self.passes, waited: 0, irregular: 0 };
        // The last playout overflows.
        self.ended.set(place, lane, (1 << CHUNK_BITS) - work.plan.chunks[chunk].count);
        self.waited.set(place, lane, 0);
        self.age.set(place, lane, 0);
        for counter in &mut self.counted {
            counter.set(place, lane, 0);
        }
        Some(chunk)
    }

    /// Adds what a lane has played of its chunk to the tally of its start; gives the steps.
    fn settle(
        &mut self,
        place: usize,
        lane: usize,
        is_done: bool,
        work: &LaneWork<'_>,
        tallies: &mut [Tally],
    ) -> u64 {
        let own = self.lanes[64 * place + lane];
        let chunk = work.plan.chunks[own.chunk];
        let left = (1 << CHUNK_BITS) - self.ended.read(place, lane);
        let ended = if is_done { chunk.count } else { chunk.count - left };
        let steps = self.passes - own.since - own.waited - u64::from(self.waited.read(place, lane));
        let tally = &mut tallies[chunk.start];
        tally.steps += steps;
        tally.count += ended;
        for (role, code) in work.code.circuit.goals.iter() {
            let mut rest = ended - own.irregular;
            for &(goal, counter) in &code.counted {
                let times = self.counted[counter].read(place, lane);
                tally.add(role, goal, times);
                rest -= times;
            }
            tally.add(role, code.rest, rest);
        }
        steps
    }

    /// The waits of some lanes have overflowed.
    fn carry_waits(&mut self, lanes: &[u64; W]) {
        for (place, &word) in lanes.iter().enumerate() {
            for lane in lanes_of(word) {
                self.lanes[64 * place + lane].waited += 1 << WAIT_BITS;
            }
        }
    }

    /// Ends the playouts of some lanes where they are, with the goals of the state.
    fn end_irregularly(
        &mut self,
        lanes: [u64; W],
        is_unfinished: bool,
        done: &mut [u64; W],
        work: &mut LaneWork<'_>,
        tallies: &mut [Tally],
    ) {
        let bits = work.code.circuit.bits;
        for place in 0..W {
            // A lane that has just ended by the rules has nothing to end.
            for lane in lanes_of(lanes[place] & self.active[place] & !done[place]) {
                let mut state = vec![0; bits.div_ceil(64)];
                for (bit, plane) in self.planes[..bits].iter_mut().enumerate() {
                    state[bit / 64] |= (plane[place] >> lane & 1) << (bit % 64);
                    let start = self.starts[bit][place];
                    plane[place] = plane[place] & !(1 << lane) | start & 1 << lane;
                }
                self.planes[work.code.circuit.first][place] |= 1 << lane;
                let own = &mut self.lanes[64 * place + lane];
                own.irregular += 1;
                let tally = &mut tallies[work.plan.chunks[own.chunk].start];
                tally.unfinished += u32::from(is_unfinished);
                for (role, &goal) in (work.goals)(&state).iter() {
                    tally.add(role, goal, 1);
                }
                self.age.set(place, lane, 0);
                let mut mask = [0; W];
                mask[place] = 1 << lane;
                done[place] |= self.ended.add(mask)[place];
            }
        }
    }

    /// Adds to the age of the words that are due; gives the lanes whose playout has reached the longest length.
    fn grow_older(&mut self) -> [u64; W] {
        let mut due = [0; W];
        for (due, (place, active)) in due.iter_mut().zip(self.places.iter().zip(&self.active)) {
            if place.is_some_and(|place| (self.passes - place.since).is_multiple_of(AGE_STEP)) {
                *due = *active;
            }
        }
        if !is_any(&due) {
            return due;
        }
        self.age.add(due);
        let old = self.age.highest();
        std::array::from_fn(|place| old[place] & due[place])
    }
}

/// The numbers of the bits that are on.
pub(super) fn lanes_of(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// Computes one random step of every lane.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2", "x86_64+avx2"))]
fn evaluate<const W: usize>(planes: &mut [[u64; W]], streams: &mut Streams<W>, code: &LanesCode) {
    for plane in &mut planes[code.circuit.random.clone()] {
        *plane = streams.draw();
    }
    code.program.run(planes);
}

/// Makes the step that was computed: counts the playouts that have ended, and starts new ones in their lanes.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx2", "x86_64+avx2"))]
fn advance<const W: usize>(vector: &mut Vector<W>, code: &LanesCode) -> Pass<W> {
    let (planes, starts) = (&mut vector.planes[..], &vector.starts[..]);
    let (goes, terminal, stuck) = (planes[code.goes], planes[code.terminal], planes[code.stuck]);
    let active = vector.active;
    let (mut ended, mut waits, mut is_stuck) = ([0; W], [0; W], [0; W]);
    for word in 0..W {
        ended[word] = active[word] & goes[word] & terminal[word];
        waits[word] = active[word] & !goes[word];
        is_stuck[word] = active[word] & stuck[word];
    }
    for (counter, &plane) in vector.counted.iter_mut().zip(&code.counted) {
        let plane = planes[plane];
        let mut mask = [0; W];
        for word in 0..W {
            mask[word] = ended[word] & plane[word];
        }
        counter.add(mask);
    }
    let waited = vector.waited.add(waits);
    vector.age.clear(ended);
    let done = vector.ended.add(ended);
    for &(from, to) in &code.staged {
        planes[to] = planes[from];
    }
    for &(bit, plane) in &code.next {
        let (now, next, start) = (planes[bit], planes[plane], starts[bit]);
        let mut new = [0; W];
        for word in 0..W {
            let moved = next[word] & goes[word] | now[word] & !goes[word];
            new[word] = start[word] & ended[word] | moved & !ended[word];
        }
        planes[bit] = new;
    }
    let old = planes[code.circuit.first];
    let mut first = [0; W];
    for word in 0..W {
        first[word] = ended[word] | old[word] & !goes[word];
    }
    planes[code.circuit.first] = first;
    Pass { done, stuck: is_stuck, waited }
}
