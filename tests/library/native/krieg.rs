//! Krieg-TicTacToe, 3x3: simultaneous marks, each role told only whether its own succeeded.

use super::Position;
use super::tictactoe::has_line;

/// By role, a bit for each cell: its marks, and the cells it was refused since its last success.
#[derive(Clone, Copy, Default)]
pub struct Krieg {
    marks: [u16; 2],
    refused: [u16; 2],
}

impl Krieg {
    fn after(mut self, cells: [u16; 2]) -> Self {
        let taken = self.marks[0] | self.marks[1];
        for role in 0..2 {
            if cells[0] == cells[1] || taken & cells[role] != 0 {
                self.refused[role] |= cells[role];
            } else {
                self.marks[role] |= cells[role];
                self.refused[role] = 0;
            }
        }
        self
    }

    fn is_over(&self) -> bool {
        let taken = self.marks[0] | self.marks[1];
        (0..2).any(|role| has_line(self.marks[role]) || taken | self.refused[role] == 0o777)
    }
}

impl Position for Krieg {
    fn successors(&self) -> Vec<Self> {
        if self.is_over() {
            return Vec::new();
        }
        let cells = |role: usize| {
            let tried = self.marks[role] | self.refused[role];
            (0..9).map(|cell| 1 << cell).filter(move |cell| tried & cell == 0)
        };
        cells(0).flat_map(|x| cells(1).map(move |o| self.after([x, o]))).collect()
    }
}
