//! The solution of Bayesian matrix games: it is optimal, dominated by nothing, and permutes with rows, columns and
//! types.

use super::*;
use proptest::prelude::*;

#[path = "../../../../tests/common/property.rs"]
mod property;

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
}

/// The payoff that a strategy guarantees, by its definition.
fn guarantee(types: &[Matrix], row: &[f64]) -> f64 {
    let least = |matrix: &Matrix| matrix.column_values(row).into_iter().fold(f64::INFINITY, f64::min);
    types.iter().map(least).sum()
}

fn one(rows: &[&[f64]]) -> Equilibrium {
    equilibrium(&[Matrix::from_rows(rows)])
}

#[test]
fn a_weakly_dominated_row_is_not_played_wherever_it_stands() {
    for (rows, expected) in [
        ([[50.0, 50.0], [50.0, 0.0]], [1.0, 0.0]),
        ([[50.0, 50.0], [0.0, 50.0]], [1.0, 0.0]),
        ([[0.0, 50.0], [50.0, 50.0]], [0.0, 1.0]),
    ] {
        let solved = one(&[&rows[0], &rows[1]]);
        assert!(close(&solved.row, &expected), "{solved:?}");
        // The column player, whom nothing helps, plays evenly.
        assert!(close(&solved.row_values, &expected.map(|share| 25.0 + 25.0 * share)), "{solved:?}");
    }
}

#[test]
fn of_optimal_strategies_the_one_is_played_that_nothing_weakly_dominates() {
    assert!(close(&one(&[&[50.0, 100.0], &[50.0, 50.0]]).row, &[1.0, 0.0]));
    // The last row is optimal and dominated by a mixture of the first two, though by neither.
    let solved = one(&[&[50.0, 100.0, 50.0], &[50.0, 50.0, 100.0], &[50.0, 60.0, 60.0]]);
    assert!(close(&solved.row, &[0.5, 0.5, 0.0]), "{solved:?}");
}

#[test]
fn equal_rows_share_and_a_column_alone_leaves_the_best_to_share() {
    let solved = one(&[&[90.0, 0.0], &[90.0, 0.0], &[0.0, 10.0]]);
    assert!(close(&solved.row, &[0.05, 0.05, 0.9]), "{solved:?}");
    assert!((solved.value - 9.0).abs() < 1e-9);
    let solved = one(&[&[30.0], &[70.0], &[70.0]]);
    assert_eq!((solved.row, solved.row_values), (vec![0.0, 0.5, 0.5], vec![30.0, 70.0, 70.0]));
    assert_eq!(one(&[&[40.0, 40.0], &[40.0, 40.0]]).row, [0.5, 0.5]);
}

#[test]
fn types_with_columns_of_their_own_keep_the_mixture() {
    // The same game twice, the columns of the second in the other order.
    let types =
        [Matrix::from_rows(&[&[45.0, 0.0], &[0.0, 5.0]]), Matrix::from_rows(&[&[0.0, 45.0], &[5.0, 0.0]])];
    let solved = equilibrium(&types);
    assert!(close(&solved.row, &[0.1, 0.9]), "{solved:?}");
    assert!((solved.value - 9.0).abs() < 1e-9, "{solved:?}");
}

fn matrix(rows: usize, columns: usize, values: &[f64]) -> Matrix {
    let mut matrix = Matrix::zero(rows, columns);
    for row in 0..rows {
        for column in 0..columns {
            *matrix.at_mut(row, column) = values[row * columns + column];
        }
    }
    matrix
}

fn permuted(types: &[Matrix], rows: &[usize], shift: usize) -> Vec<Matrix> {
    let one = |of: &Matrix| {
        let mut matrix = Matrix::zero(of.rows(), of.columns());
        for (row, &from) in rows.iter().enumerate() {
            for column in 0..of.columns() {
                // Turned and reversed.
                let turned = of.columns() - 1 - (column + shift) % of.columns();
                *matrix.at_mut(row, column) = of.at(from, turned);
            }
        }
        matrix
    };
    types.iter().rev().map(one).collect()
}

fn check(types: &[Matrix], rows: &[usize], shift: usize) -> Result<(), TestCaseError> {
    let (solved, again) = (equilibrium(types), equilibrium(&permuted(types, rows, shift)));
    prop_assert!((solved.value - again.value).abs() < 1e-7);
    prop_assert!((solved.row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    prop_assert!(guarantee(types, &solved.row) > solved.value - 1e-6, "{solved:?}");
    let best = solved.row_values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    prop_assert!((best - solved.value).abs() < 1e-6, "{solved:?}");
    let moved = |values: &[f64]| rows.iter().map(|&from| values[from]).collect::<Vec<_>>();
    prop_assert!(close(&moved(&solved.row), &again.row), "{types:?} {solved:?} {again:?}");
    prop_assert!(close(&moved(&solved.row_values), &again.row_values), "{types:?} {solved:?} {again:?}");
    Ok(())
}

proptest! {
    #![proptest_config(property::cases(256))]

    #[test]
    fn the_solution_permutes_with_rows_columns_and_types(
        order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
        rows in 1_usize..7, columns in prop::collection::vec(1_usize..7, 1..4), shift in 0_usize..6,
        values in prop::collection::vec(0.0_f64..100.0, 36),
    ) {
        let types: Vec<Matrix> = columns.iter().map(|&columns| matrix(rows, columns, &values)).collect();
        let order: Vec<usize> = order.into_iter().filter(|&row| row < rows).collect();
        check(&types, &order, shift)?;
    }

    /// Goals are few and whole: many ties, equal and dominated moves, many optimal strategies.
    #[test]
    fn the_solution_permutes_where_there_are_many_optimal_strategies(
        order in Just((0..7).collect::<Vec<usize>>()).prop_shuffle(),
        rows in 1_usize..8, columns in prop::collection::vec(1_usize..8, 1..4), shift in 0_usize..7,
        values in prop::collection::vec(0_u8..3, 3 * 49),
    ) {
        let values: Vec<f64> = values.iter().map(|&value| 50.0 * f64::from(value)).collect();
        let types: Vec<Matrix> = columns
            .iter()
            .zip(values.chunks(49))
            .map(|(&columns, values)| matrix(rows, columns, values))
            .collect();
        let order: Vec<usize> = order.into_iter().filter(|&row| row < rows).collect();
        check(&types, &order, shift)?;
    }
}
