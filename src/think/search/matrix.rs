//! Matrix games: the value and optimal mixed moves of a two-player zero-sum game in normal form.
//!
//! The row player receives the payoff and maximises it; the column player minimises it. The result is checked by
//! construction: the value is the middle of what the two strategies guarantee, and [`Solution::gap`] is the distance
//! between the guarantees (rounding error only, below 1e-9 for the matrices met in games).
//!
//! There are three ways, and the cheapest that applies is taken: a saddle point in pure moves (every position in
//! which only one side has a choice has one); the closed form for 2 x 2; and the simplex method on the linear program
//! of the column player, where the row player's strategy is read off as the dual. Pivots follow Bland's rule, so the
//! method terminates and the same matrix gives the same strategies everywhere. Of several optimal strategies one is
//! returned, which depends on the order of rows and columns; dominated moves need no special care. The play of a player
//! must not depend on that order, so a decision takes another one (`src/think/search/bayesian_matrix`).
//!
//! References: von Neumann 1928; Dantzig 1951 (games as linear programs); Bland 1977.

/// Entries below this count as zero in a pivot decision.
const EPSILON: f64 = 1e-11;

/// A payoff matrix; the entries are what the row player receives.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Panics
    /// If a side is empty: a player without a move has no game to play.
    pub fn zero(rows: usize, columns: usize) -> Self {
        assert!(rows > 0 && columns > 0, "both players of a matrix game have a move");
        Matrix { rows, columns, entries: vec![0.0; rows * columns] }
    }

    /// The matrix with these rows, all of one length.
    ///
    /// # Panics
    /// If there is no entry or the rows differ in length.
    pub fn from_rows(rows: &[&[f64]]) -> Self {
        let mut matrix = Matrix::zero(rows.len(), rows.first().map_or(0, |row| row.len()));
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), matrix.columns, "the rows of a matrix have one length");
            matrix.entries[index * matrix.columns..][..matrix.columns].copy_from_slice(row);
        }
        matrix
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One entry.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.columns + column]
    }

    /// One entry, to be written.
    pub fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.entries[row * self.columns + column]
    }

    /// The least and the greatest entry.
    pub(super) fn span(&self) -> (f64, f64) {
        (least(&self.entries), greatest(&self.entries))
    }

    /// The matrix whose entries are those of this one, changed.
    pub(super) fn map(&self, change: impl FnMut(f64) -> f64) -> Matrix {
        let entries = self.entries.iter().copied().map(change).collect();
        Matrix { rows: self.rows, columns: self.columns, entries }
    }

    /// The value of each row against a mixed move of the column player.
    pub fn row_values(&self, column_strategy: &[f64]) -> Vec<f64> {
        self.entries
            .chunks_exact(self.columns)
            .map(|row| row.iter().zip(column_strategy).map(|(entry, share)| entry * share).sum())
            .collect()
    }

    /// The payoff of the row player by a mixed move against each column.
    pub fn column_values(&self, row_strategy: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.columns];
        for (row, share) in self.entries.chunks_exact(self.columns).zip(row_strategy) {
            for (value, entry) in values.iter_mut().zip(row) {
                *value += share * entry;
            }
        }
        values
    }
}

/// A solved matrix game.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The payoff of the row player when both play well.
    pub value: f64,
    /// An optimal mixed move of the row player.
    pub row: Vec<f64>,
    /// An optimal mixed move of the column player.
    pub column: Vec<f64>,
    /// How far the guarantees of the two strategies lie apart.
    pub gap: f64,
}

/// Solves a matrix game.
///
/// ```
/// use hyperplay_think::search::matrix::{Matrix, Solution, solve};
///
/// // Rock, paper, scissors.
/// let payoffs = Matrix::from_rows(&[&[50.0, 0.0, 100.0], &[100.0, 50.0, 0.0], &[0.0, 100.0, 50.0]]);
/// let Solution { value, row, column, gap } = solve(&payoffs);
/// assert!((value - 50.0).abs() < 1e-9 && gap < 1e-9);
/// assert!(row.iter().chain(&column).all(|share| (share - 1.0 / 3.0).abs() < 1e-9));
/// ```
pub fn solve(matrix: &Matrix) -> Solution {
    if let Some(solution) = saddle_point(matrix) {
        return solution;
    }
    let (row, column) = match matrix.entries[..] {
        [a, b, c, d] if matrix.rows == 2 => two_by_two(a, b, c, d),
        _ => simplex(matrix),
    };
    let low = least(&matrix.column_values(&row));
    let high = greatest(&matrix.row_values(&column));
    Solution { value: (low + high) / 2.0, row, column, gap: high - low }
}

/// The first row and column, if any, whose common entry is the least of its row and the greatest of its column.
fn saddle_point(matrix: &Matrix) -> Option<Solution> {
    let row_guarantees: Vec<f64> = matrix.entries.chunks_exact(matrix.columns).map(least).collect();
    let column_guarantees: Vec<f64> = (0..matrix.columns)
        .map(|column| greatest(&(0..matrix.rows).map(|row| matrix.at(row, column)).collect::<Vec<_>>()))
        .collect();
    let value = greatest(&row_guarantees);
    if value != least(&column_guarantees) {
        return None;
    }
    let pure = |guarantees: &[f64]| {
        let chosen = guarantees.iter().position(|&guarantee| guarantee == value);
        (0..guarantees.len()).map(|index| f64::from(u8::from(Some(index) == chosen))).collect()
    };
    Some(Solution { value, row: pure(&row_guarantees), column: pure(&column_guarantees), gap: 0.0 })
}

/// Both players make the other indifferent. Without a saddle point one diagonal dominates the other strictly, so the
/// denominator is not zero.
fn two_by_two(a: f64, b: f64, c: f64, d: f64) -> (Vec<f64>, Vec<f64>) {
    let denominator = a - b - c + d;
    let row = ((d - c) / denominator).clamp(0.0, 1.0);
    let column = ((d - b) / denominator).clamp(0.0, 1.0);
    (vec![row, 1.0 - row], vec![column, 1.0 - column])
}

/// The linear program of the column player, "maximise the sum of y where A y <= 1, y >= 0", for A moved and scaled to
/// 1..=2, in a dense tableau. Returns the strategies of row and column player.
fn simplex(matrix: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (rows, columns) = (matrix.rows, matrix.columns);
    let (low, high) = (least(&matrix.entries), greatest(&matrix.entries));
    let width = columns + rows + 1;
    let mut tableau: Vec<Vec<f64>> = (0..rows)
        .map(|row| {
            let mut line = vec![0.0; width];
            for (column, entry) in line[..columns].iter_mut().enumerate() {
                *entry = 1.0 + (matrix.at(row, column) - low) / (high - low);
            }
            line[columns + row] = 1.0;
            line[width - 1] = 1.0;
            line
        })
        .collect();
    let mut objective = vec![0.0; width];
    objective[..columns].fill(-1.0);
    let mut basis: Vec<usize> = (columns..columns + rows).collect();
    // Bland's rule does not cycle in exact arithmetic; the limit is for rounding, and the gap would show it.
    for _ in 0..50 * width * width {
        let Some(entering) = objective[..width - 1].iter().position(|&cost| cost < -EPSILON) else { break };
        let Some(leaving) = leaving_line(&tableau, &basis, entering) else { break };
        pivot(&mut tableau, &mut objective, leaving, entering);
        basis[leaving] = entering;
    }
    let mut column_strategy = vec![0.0; columns];
    for (line, &variable) in tableau.iter().zip(&basis) {
        if variable < columns {
            column_strategy[variable] = line[width - 1];
        }
    }
    (normalised(&objective[columns..width - 1]), normalised(&column_strategy))
}

/// The line with the least ratio; of equal ones that with the least basis variable.
fn leaving_line(tableau: &[Vec<f64>], basis: &[usize], entering: usize) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (index, line) in tableau.iter().enumerate() {
        if line[entering] <= EPSILON {
            continue;
        }
        let ratio = line[line.len() - 1] / line[entering];
        let better = best.is_none_or(|(least, at)| {
            ratio < least - EPSILON || (ratio <= least + EPSILON && basis[index] < basis[at])
        });
        if better {
            best = Some((ratio, index));
        }
    }
    best.map(|(_, index)| index)
}

fn pivot(tableau: &mut [Vec<f64>], objective: &mut [f64], leaving: usize, entering: usize) {
    let scale = tableau[leaving][entering];
    for entry in &mut tableau[leaving] {
        *entry /= scale;
    }
    let line = tableau[leaving].clone();
    let clear = |other: &mut [f64]| {
        let factor = other[entering];
        if factor != 0.0 {
            for (entry, pivoted) in other.iter_mut().zip(&line) {
                *entry -= factor * pivoted;
            }
            other[entering] = 0.0;
        }
    };
    for (_, other) in tableau.iter_mut().enumerate().filter(|(index, _)| *index != leaving) {
        clear(other);
    }
    clear(objective);
}

fn normalised(shares: &[f64]) -> Vec<f64> {
    let sum: f64 = shares.iter().map(|share| share.max(0.0)).sum();
    shares.iter().map(|share| share.max(0.0) / sum).collect()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
#[path = "../../../tests/common/property.rs"]
mod property;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_optimal(matrix: &Matrix) -> Solution {
        let solution = solve(matrix);
        assert!(solution.gap.abs() < 1e-9, "gap {} of {matrix:?}", solution.gap);
        for strategy in [&solution.row, &solution.column] {
            assert!((strategy.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(strategy.iter().all(|&share| (0.0..=1.0).contains(&share)));
        }
        solution
    }

    #[test]
    fn rock_paper_scissors_is_played_evenly() {
        let rows: [&[f64]; 3] = [&[50.0, 0.0, 100.0], &[100.0, 50.0, 0.0], &[0.0, 100.0, 50.0]];
        let solution = assert_optimal(&Matrix::from_rows(&rows));
        assert!((solution.value - 50.0).abs() < 1e-9);
        assert!(solution.row.iter().all(|&share| (share - 1.0 / 3.0).abs() < 1e-9));
    }

    #[test]
    fn a_saddle_point_is_played_purely() {
        let solution = assert_optimal(&Matrix::from_rows(&[&[3.0, 5.0], &[1.0, 9.0]]));
        assert_eq!((solution.value, solution.row, solution.column), (3.0, vec![1.0, 0.0], vec![1.0, 0.0]));
    }

    #[test]
    fn two_by_two_makes_the_other_indifferent() {
        let solution = assert_optimal(&Matrix::from_rows(&[&[3.0, -1.0], &[-2.0, 1.0]]));
        assert!((solution.value - 1.0 / 7.0).abs() < 1e-12);
        assert!((solution.row[0] - 3.0 / 7.0).abs() < 1e-12);
        assert!((solution.column[0] - 2.0 / 7.0).abs() < 1e-12);
    }

    /// Two-finger Morra (von Neumann and Morgenstern): value 0, five in twelve and seven in twelve.
    #[test]
    fn morra_and_colonel_blotto_have_their_textbook_values() {
        let morra: [&[f64]; 4] =
            [&[0.0, 2.0, -3.0, 0.0], &[-2.0, 0.0, 0.0, 3.0], &[3.0, 0.0, 0.0, -4.0], &[0.0, -3.0, 4.0, 0.0]];
        assert!(assert_optimal(&Matrix::from_rows(&morra)).value.abs() < 1e-9);
        // Blotto with 4 against 3 regiments and two posts: 14/9.
        let blotto: [&[f64]; 5] = [
            &[4.0, 2.0, 1.0, 0.0],
            &[1.0, 3.0, 0.0, -1.0],
            &[-2.0, 2.0, 2.0, -2.0],
            &[-1.0, 0.0, 3.0, 1.0],
            &[0.0, 1.0, 2.0, 4.0],
        ];
        assert!((assert_optimal(&Matrix::from_rows(&blotto)).value - 14.0 / 9.0).abs() < 1e-9);
    }

    proptest! {
        #![proptest_config(property::cases(256))]

        #[test]
        fn the_guarantees_meet_on_random_matrices(
            rows in 1_usize..12, columns in 1_usize..12,
            values in prop::collection::vec(0.0_f64..100.0, 144),
        ) {
            let mut matrix = Matrix::zero(rows, columns);
            matrix.entries.copy_from_slice(&values[..rows * columns]);
            assert_optimal(&matrix);
        }

        /// Goals are few and whole: many ties, equal and dominated moves, degenerate pivots.
        #[test]
        fn the_guarantees_meet_on_degenerate_matrices(
            rows in 1_usize..12, columns in 1_usize..12,
            values in prop::collection::vec(0_u8..3, 144),
        ) {
            let mut matrix = Matrix::zero(rows, columns);
            for (entry, &value) in matrix.entries.iter_mut().zip(&values) {
                *entry = f64::from(value) * 50.0;
            }
            assert_optimal(&matrix);
        }
    }
}
