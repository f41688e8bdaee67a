//! Planes: memory for a program, aligned to cache lines.
//!
//! A plane of 512 cases is exactly one line. If it lay across two lines, every access would cost twice as much.

use std::ops::{Deref, DerefMut};

/// Words of a cache line.
const LINE: usize = 8;

/// Planes of 64 x `W` cases, the first one at the beginning of a cache line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes<const W: usize> {
    words: Vec<u64>,
    count: usize,
}

impl<const W: usize> Planes<W> {
    /// Sets the number of planes. Their content is lost if the number changes.
    pub(crate) fn resize(&mut self, count: usize) {
        if count != self.count {
            self.words = vec![0; count * W + LINE];
            self.count = count;
        }
    }

    /// The words before the first that begins a line.
    fn before(&self) -> usize {
        let into = self.words.as_ptr() as usize / size_of::<u64>() % LINE;
        (LINE - into) % LINE
    }
}

impl<const W: usize> Deref for Planes<W> {
    type Target = [[u64; W]];

    fn deref(&self) -> &[[u64; W]] {
        let before = if self.count == 0 { 0 } else { self.before() };
        self.words[before..before + self.count * W].as_chunks().0
    }
}

impl<const W: usize> DerefMut for Planes<W> {
    fn deref_mut(&mut self) -> &mut [[u64; W]] {
        let before = if self.count == 0 { 0 } else { self.before() };
        self.words[before..before + self.count * W].as_chunks_mut().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_begin_lines_and_keep_what_they_hold() {
        let mut planes = Planes::<8>::default();
        assert!(planes.is_empty());
        planes.resize(5);
        planes[4] = [7; 8];
        planes.resize(5);
        assert_eq!((planes.len(), planes[4]), (5, [7; 8]));
        assert!((planes.as_ptr() as usize).is_multiple_of(64));
        planes.resize(6);
        assert_eq!((planes.len(), planes[4]), (6, [0; 8]));
    }
}
