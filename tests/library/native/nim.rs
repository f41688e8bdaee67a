//! Nim: who takes the last stick wins.

use super::Position;

/// The sizes of the heaps.
pub struct Nim(pub [usize; 4]);

impl Position for Nim {
    fn successors(&self) -> Vec<Self> {
        let choices = (0..4).flat_map(|heap| (1..=self.0[heap]).map(move |taken| (heap, taken)));
        choices
            .map(|(heap, taken)| {
                let mut heaps = self.0;
                heaps[heap] -= taken;
                Nim(heaps)
            })
            .collect()
    }
}
