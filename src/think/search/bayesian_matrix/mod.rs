//! Bayesian matrix games: one simultaneous choice in which only the column player knows the matrix.
//!
//! The column player has a *type* (Harsanyi 1967), which it knows and the row player does not. A game is a list of
//! matrices with the same rows, one for each type, each multiplied by the probability of its type. The column player
//! chooses a column for each type. With one type this is a matrix game.
//!
//! **Which optimal strategy.** A matrix game often has many, and a solver's pick depends on the order of rows and
//! columns, that is, on the names of moves. Here the row player takes, of its optimal strategies, those that bring
//! most against a column player that errs evenly (each type plays each column equally often), and of these the one
//! whose shares have the least sum of squares. Both sets are convex polytopes that are defined without any order:
//! permuting rows permutes them, and permuting columns leaves them as they are. The sum of squares is strictly convex
//! and has no order either, so it has one minimum there, which permutes with the rows. It has two more properties.
//! Rows that are equal get equal shares; so where the column player has no choice, the best rows share evenly. And no
//! other strategy weakly dominates it, because that one would be optimal too and bring more against even errors.
//!
//! Of the column player only what its strategy makes the rows worth is needed. Its optimal strategy with the least sum
//! of squares is taken, which is unique for the same reason.
//!
//! **How.** The column player's choices for all types together are too many to be listed, so only some are: a list
//! begins with one, its matrix game is solved ([`solve`]), and the answer to that strategy that is best for the column
//! player joins the list until no answer is better than those listed. Then the value is that of the whole game. What
//! an optimal strategy can bring against even errors is found by Newton's method, in which each step is such a game
//! with one more column; the strategy of [least norm](super::least_norm) by the same kind of list.
//!
//! References: Harsanyi 1967 (types); von Neumann 1928 (value); Lawson, Hanson 1974 (least norm).

use super::least_norm::{Inequality, least_norm};
use super::matrix::{Matrix, solve};

/// The strategies guarantee the value up to this part of the span of the payoffs.
const PRECISION: f64 = 1e-9;

/// Tolerances of the search for the strategy of least norm, tried in this order.
const TOLERANCES: [f64; 3] = [1e-12, 1e-11, 1e-10];

/// Newton's method and the list of columns take fewer steps than this together.
const STEPS: usize = 10_000;

/// Shares below this are rounding.
const ROUNDING: f64 = 1e-9;

/// A solved game.
#[derive(Clone, PartialEq, Debug)]
pub struct Equilibrium {
    /// The payoff of the row player when both play well.
    pub value: f64,
    /// The row player's optimal strategy, as the file's header says.
    pub row: Vec<f64>,
    /// The value of each row against the column player's optimal strategy with the least sum of squares.
    pub row_values: Vec<f64>,
}

/// Solves a game: at least one type, all with the same rows.
pub fn equilibrium(types: &[Matrix]) -> Equilibrium {
    let game = Game::new(types);
    let (value, row, column) = game.optimum();
    let row = game.least_row(value, row);
    let column = game.least_column(value, column);
    let row_values = game.row_values(&column).into_iter().map(|entry| game.unscaled(entry)).collect();
    Equilibrium { value: game.unscaled(value), row, row_values }
}

/// The game with payoffs whose span is 1 at most.
struct Game {
    types: Vec<Matrix>,
    rows: usize,
    /// A payoff is `scale * entry + shift`, where the shifts of the types are added up.
    scale: f64,
    shift: f64,
}

/// A column for each type.
type Choice = Vec<usize>;

/// A mixed choice of the column player: its strategy for each type.
type ColumnStrategy = Vec<Vec<f64>>;

impl Game {
    fn new(types: &[Matrix]) -> Game {
        let spans: Vec<(f64, f64)> = types.iter().map(Matrix::span).collect();
        let widest = spans.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let scale = if widest > 0.0 { widest } else { 1.0 };
        let scaled =
            types.iter().zip(&spans).map(|(matrix, (low, _))| matrix.map(|entry| (entry - low) / scale));
        let shift = spans.iter().map(|(low, _)| low).sum();
        Game { types: scaled.collect(), rows: types[0].rows(), scale, shift }
    }

    fn unscaled(&self, entry: f64) -> f64 {
        self.scale * entry + self.shift
    }

    /// The payoff of each row at a choice of the column player.
    fn payoffs(&self, choice: &[usize]) -> Vec<f64> {
        let of = |row| self.types.iter().zip(choice).map(|(matrix, &column)| matrix.at(row, column)).sum();
        (0..self.rows).map(of).collect()
    }

    /// The payoff of each row against a mixed choice of the column player.
    fn row_values(&self, strategy: &ColumnStrategy) -> Vec<f64> {
        let mut values = vec![0.0; self.rows];
        for (matrix, shares) in self.types.iter().zip(strategy) {
            for (sum, value) in values.iter_mut().zip(matrix.row_values(shares)) {
                *sum += value;
            }
        }
        values
    }

    /// The best answer of the column player to a strategy, and what it leaves to the row player.
    fn answer(&self, row: &[f64]) -> (Choice, f64) {
        let mut guaranteed = 0.0;
        let best = |matrix: &Matrix| {
            let values = matrix.column_values(row);
            let best = (0..values.len()).min_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(0);
            guaranteed += values[best];
            best
        };
        (self.types.iter().map(best).collect(), guaranteed)
    }

    /// The value and some optimal strategies.
    fn optimum(&self) -> (f64, Vec<f64>, ColumnStrategy) {
        let mut choices = vec![self.answer(&vec![1.0 / self.rows as f64; self.rows]).0];
        loop {
            let columns: Vec<Vec<f64>> = choices.iter().map(|choice| self.payoffs(choice)).collect();
            let solution = solve(&of_columns(&columns));
            let (answer, guaranteed) = self.answer(&solution.row);
            if guaranteed >= solution.value - 1e-3 * PRECISION || choices.contains(&answer) {
                return (solution.value, solution.row, self.by_type(&choices, &solution.column));
            }
            choices.push(answer);
        }
    }

    /// The mixed choice of each type that a mixture of choices amounts to.
    fn by_type(&self, choices: &[Choice], shares: &[f64]) -> ColumnStrategy {
        let mut strategy: ColumnStrategy =
            self.types.iter().map(|matrix| vec![0.0; matrix.columns()]).collect();
        for (choice, share) in choices.iter().zip(shares) {
            for (own, &column) in strategy.iter_mut().zip(choice) {
                own[column] += share;
            }
        }
        strategy
    }

    /// The payoff of each row against even errors of the column player.
    fn against_errors(&self) -> Vec<f64> {
        let even = |matrix: &Matrix| vec![1.0 / matrix.columns() as f64; matrix.columns()];
        self.row_values(&self.types.iter().map(even).collect())
    }

    /// The most that an optimal strategy brings where the rows bring so much each; `None` if rounding hides it.
    ///
    /// It is the greatest number for which the game has value 0 or more that has the columns of this game, less its
    /// value, and one more with what the rows bring, less the number. That value is concave in the number, so Newton's
    /// method comes down to it in finitely many steps.
    fn most_when_optimal(&self, value: f64, brings: &[f64]) -> Option<f64> {
        let mut most = brings.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut choices: Vec<Choice> = Vec::new();
        for _ in 0..STEPS {
            let mut columns: Vec<Vec<f64>> = vec![brings.iter().map(|brings| brings - most).collect()];
            columns.extend(choices.iter().map(|choice| {
                self.payoffs(choice).into_iter().map(|payoff| payoff - value).collect::<Vec<_>>()
            }));
            let solution = solve(&of_columns(&columns));
            let (answer, guaranteed) = self.answer(&solution.row);
            if guaranteed < value - 1e-3 * PRECISION && !choices.contains(&answer) {
                choices.push(answer);
            } else if solution.value < -1e-3 * PRECISION && solution.column[0] > PRECISION {
                most += solution.value / solution.column[0];
            } else {
                return Some(most);
            }
        }
        None
    }

    /// The row player's optimal strategy that the header describes, or the one given where rounding hides it.
    fn least_row(&self, value: f64, known: Vec<f64>) -> Vec<f64> {
        let brings = self.against_errors();
        let most = self.most_when_optimal(value, &brings);
        let least = |tolerance| {
            let mut inequalities = shares(self.rows, 0..self.rows);
            inequalities.extend(most.map(|least| Inequality { coefficients: brings.clone(), least }));
            let mut choices: Vec<Choice> = Vec::new();
            loop {
                let row = cleared(&least_norm(&inequalities, tolerance)?)?;
                let (answer, guaranteed) = self.answer(&row);
                if guaranteed >= value - PRECISION {
                    return Some(row);
                }
                if choices.contains(&answer) {
                    return None;
                }
                inequalities.push(Inequality { coefficients: self.payoffs(&answer), least: value });
                choices.push(answer);
            }
        };
        TOLERANCES.into_iter().find_map(least).unwrap_or(known)
    }

    /// The column player's optimal strategy of least norm, or the one given where rounding hides it.
    fn least_column(&self, value: f64, known: ColumnStrategy) -> ColumnStrategy {
        let all: usize = self.types.iter().map(Matrix::columns).sum();
        let mut inequalities: Vec<Inequality> = Vec::new();
        let mut first = 0;
        for matrix in &self.types {
            inequalities.append(&mut shares(all, first..first + matrix.columns()));
            first += matrix.columns();
        }
        for row in 0..self.rows {
            let entries =
                self.types.iter().flat_map(|matrix| (0..matrix.columns()).map(move |at| -matrix.at(row, at)));
            inequalities.push(Inequality { coefficients: entries.collect(), least: -value });
        }
        let least = |tolerance| {
            let point = least_norm(&inequalities, tolerance)?;
            let mut rest = &point[..];
            let mut strategy: ColumnStrategy = Vec::new();
            for matrix in &self.types {
                let (own, others) = rest.split_at(matrix.columns());
                strategy.push(cleared(own)?);
                rest = others;
            }
            let worst = self.row_values(&strategy).into_iter().fold(f64::NEG_INFINITY, f64::max);
            (worst <= value + PRECISION).then_some(strategy)
        };
        TOLERANCES.into_iter().find_map(least).unwrap_or(known)
    }
}

/// The matrix with these columns.
fn of_columns(columns: &[Vec<f64>]) -> Matrix {
    let mut matrix = Matrix::zero(columns[0].len(), columns.len());
    for (column, payoffs) in columns.iter().enumerate() {
        for (row, &payoff) in payoffs.iter().enumerate() {
            *matrix.at_mut(row, column) = payoff;
        }
    }
    matrix
}

/// That the coordinates in a range are shares: none is negative, and they sum to 1.
fn shares(dimension: usize, range: std::ops::Range<usize>) -> Vec<Inequality> {
    let of = |value: f64, range: std::ops::Range<usize>, least: f64| {
        let mut coefficients = vec![0.0; dimension];
        coefficients[range].fill(value);
        Inequality { coefficients, least }
    };
    let positive = range.clone().map(|place| of(1.0, place..place + 1, 0.0));
    positive.chain([of(1.0, range.clone(), 1.0), of(-1.0, range, -1.0)]).collect()
}

/// Shares without what is rounding; `None` if nothing is left.
fn cleared(point: &[f64]) -> Option<Vec<f64>> {
    let cleared: Vec<f64> = point.iter().map(|&share| if share < ROUNDING { 0.0 } else { share }).collect();
    let sum: f64 = cleared.iter().sum();
    (sum > 0.5).then(|| cleared.iter().map(|share| share / sum).collect())
}

#[cfg(test)]
mod tests;
