//! Connect four on 8 columns and 6 rows.

use super::Position;

const COLUMNS: i32 = 8;
const ROWS: i32 = 6;

/// The discs of each column from below; `true` is red's.
#[derive(Clone, Default)]
pub struct ConnectFour {
    columns: [Vec<bool>; COLUMNS as usize],
    white_moves: bool,
}

impl ConnectFour {
    fn disc(&self, column: i32, row: i32) -> Option<bool> {
        let column = self.columns.get(usize::try_from(column).ok()?)?;
        column.get(usize::try_from(row).ok()?).copied()
    }

    fn has_line(&self) -> bool {
        let cells = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)));
        let steps = [(1, 0), (0, 1), (1, 1), (1, -1)];
        cells.flat_map(|cell| steps.map(|step| (cell, step))).any(|((column, row), (right, up))| {
            let disc = |n| self.disc(column + n * right, row + n * up);
            disc(0).is_some() && (1..4).all(|n| disc(n) == disc(0))
        })
    }
}

impl Position for ConnectFour {
    fn successors(&self) -> Vec<Self> {
        if self.has_line() {
            return Vec::new();
        }
        let open = (0..self.columns.len()).filter(|&column| self.columns[column].len() < ROWS as usize);
        open.map(|column| {
            let mut next = self.clone();
            next.columns[column].push(!self.white_moves);
            next.white_moves = !self.white_moves;
            next
        })
        .collect()
    }
}
