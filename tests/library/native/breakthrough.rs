//! Breakthrough, 8x8.

use super::Position;

const SIZE: usize = 8;

/// Ranks from white's side; who moves next is always shown as moving up the ranks, the board turned after each move.
#[derive(Clone)]
pub struct Breakthrough {
    /// `Some(true)` is a piece of who moves next.
    board: [[Option<bool>; SIZE]; SIZE],
}

impl Default for Breakthrough {
    fn default() -> Self {
        let rank =
            |rank| [[Some(true)], [None], [Some(false)]][usize::from(rank > 1) + usize::from(rank > 5)][0];
        Breakthrough { board: std::array::from_fn(|number| [rank(number); SIZE]) }
    }
}

impl Breakthrough {
    /// Who moved last has reached the far rank, or who moves next has no piece left.
    fn is_over(&self) -> bool {
        self.board[0].contains(&Some(false)) || !self.board.iter().flatten().any(|cell| *cell == Some(true))
    }

    fn after(&self, from: (usize, usize), to: (usize, usize)) -> Self {
        let mut moved = self.board;
        moved[to.0][to.1] = moved[from.0][from.1].take();
        let turned = |rank: usize, file: usize| moved[SIZE - 1 - rank][SIZE - 1 - file].map(|own| !own);
        Breakthrough { board: std::array::from_fn(|rank| std::array::from_fn(|file| turned(rank, file))) }
    }
}

impl Position for Breakthrough {
    fn successors(&self) -> Vec<Self> {
        let mut next = Vec::new();
        if self.is_over() {
            return next;
        }
        for (rank, file) in (0..SIZE - 1).flat_map(|rank| (0..SIZE).map(move |file| (rank, file))) {
            if self.board[rank][file] != Some(true) {
                continue;
            }
            for to in file.saturating_sub(1)..=(file + 1).min(SIZE - 1) {
                let target = self.board[rank + 1][to];
                if target.is_none() || target == Some(false) && to != file {
                    next.push(self.after((rank, file), (rank + 1, to)));
                }
            }
        }
        next
    }
}
