//! Tic-tac-toe, and crosses-and-crosses, where both draw crosses and who completes a line loses.

use super::Position;

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

pub fn has_line(marks: u16) -> bool {
    LINES.iter().any(|line| marks & line == *line)
}

/// A bit for each cell: the marks of who moves next, and of who moved last.
#[derive(Default)]
pub struct TicTacToe {
    next: u16,
    last: u16,
}

impl TicTacToe {
    /// Goals of x and o in a position where the game is over.
    pub fn goals(&self) -> [u8; 2] {
        let x_moved_last = (self.next | self.last).count_ones() % 2 == 1;
        match (has_line(self.last), x_moved_last) {
            (false, _) => [50, 50],
            (true, true) => [100, 0],
            (true, false) => [0, 100],
        }
    }
}

impl Position for TicTacToe {
    fn successors(&self) -> Vec<Self> {
        if has_line(self.last) {
            return Vec::new();
        }
        let free = (0..9).map(|cell| 1 << cell).filter(|cell| (self.next | self.last) & cell == 0);
        free.map(|cell| TicTacToe { next: self.last, last: self.next | cell }).collect()
    }
}

/// A bit for each cell with a cross.
#[derive(Default)]
pub struct Crosses(u16);

impl Crosses {
    /// Goals of the first and the second role in a position where the game is over.
    pub fn goals(&self) -> [u8; 2] {
        if self.0.count_ones() % 2 == 1 { [0, 100] } else { [100, 0] }
    }
}

impl Position for Crosses {
    fn successors(&self) -> Vec<Self> {
        if has_line(self.0) {
            return Vec::new();
        }
        (0..9)
            .map(|cell| 1 << cell)
            .filter(|cell| self.0 & cell == 0)
            .map(|cell| Crosses(self.0 | cell))
            .collect()
    }
}
