//! Slots: planes whose values nobody reads any more are written again.
//!
//! The memory that a pass touches should stay in the nearest cache. A plane of 1,024 lanes is two cache lines, so some
//! hundred planes of their own for as many look-up tables would not fit. A batch takes the first gap that is long
//! enough. Its planes are free again after the last batch that reads them.
//!
//! Invariants: a plane is free only if it is neither an input nor an output and no later batch reads its value; a batch
//! never writes a plane that it reads. (Connect four: 317 planes in place of 585; breakthrough: 1,010 of 2,832.)

use std::collections::BTreeMap;

use super::schedule::LutSchedule;

/// Moves the planes of a schedule, in which none is written twice, so that few are needed; returns their number. The
/// planes before `first` stay. O(n log n) in the look-up tables, if gaps are few.
pub(super) fn reuse(schedule: &mut LutSchedule, first: usize) -> usize {
    let last = last_readers(schedule, first);
    let mut slots = Slots { gaps: BTreeMap::new(), end: first };
    // The slot of the value of each look-up table.
    let mut places: Vec<u32> = Vec::with_capacity(schedule.operands.len());
    let mut operands = &mut schedule.operands[..];
    for (number, batch) in schedule.batches.iter_mut().enumerate() {
        let (own, rest) = operands.split_at_mut(batch.length);
        operands = rest;
        let target = slots.take(batch.length);
        places.extend((target..target + batch.length).map(|slot| slot as u32));
        batch.target = target;
        let mut done: Vec<usize> = Vec::new();
        for read in own.iter_mut().flatten().filter(|read| **read as usize >= first) {
            let table = *read as usize - first;
            *read = places[table];
            if last[table] == Some(number) {
                done.push(places[table] as usize);
            }
        }
        done.sort_unstable();
        done.dedup();
        done.into_iter().for_each(|slot| slots.give_back(slot));
    }
    for output in schedule.outputs.iter_mut().filter(|output| **output >= first) {
        *output = places[*output - first] as usize;
    }
    slots.end
}

/// For each look-up table the last batch that reads it; none for an output, which is read after all batches.
fn last_readers(schedule: &LutSchedule, first: usize) -> Vec<Option<usize>> {
    let mut last = vec![None; schedule.operands.len()];
    let mut operands = &schedule.operands[..];
    for (number, batch) in schedule.batches.iter().enumerate() {
        let (own, rest) = operands.split_at(batch.length);
        operands = rest;
        for read in own.iter().flatten().filter(|read| **read as usize >= first) {
            last[*read as usize - first] = Some(number);
        }
    }
    for &output in schedule.outputs.iter().filter(|output| **output >= first) {
        last[output - first] = None;
    }
    last
}

/// Which planes are free.
struct Slots {
    /// The free planes before `end`: the first of each gap, with its length.
    gaps: BTreeMap<usize, usize>,
    end: usize,
}

impl Slots {
    /// The first of `length` free planes in a row.
    fn take(&mut self, length: usize) -> usize {
        let Some((&begin, &free)) = self.gaps.iter().find(|&(_, &free)| free >= length) else {
            self.end += length;
            return self.end - length;
        };
        self.gaps.remove(&begin);
        if free > length {
            self.gaps.insert(begin + length, free - length);
        }
        begin
    }

    fn give_back(&mut self, slot: usize) {
        let after = self.gaps.remove(&(slot + 1)).unwrap_or(0);
        match self.gaps.range_mut(..slot).next_back() {
            Some((&begin, free)) if begin + *free == slot => *free += 1 + after,
            _ => {
                self.gaps.insert(slot, 1 + after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_joined_and_the_first_that_fits_is_taken() {
        let mut slots = Slots { gaps: BTreeMap::new(), end: 5 };
        assert_eq!((slots.take(4), slots.take(1), slots.end), (5, 9, 10));
        [7, 5, 6].into_iter().for_each(|slot| slots.give_back(slot));
        assert_eq!(slots.gaps, BTreeMap::from([(5, 3)]));
        assert_eq!((slots.take(4), slots.take(2), slots.take(1), slots.take(1)), (10, 5, 7, 14));
    }
}
