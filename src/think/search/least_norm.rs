//! Least norm: the point nearest to the origin that satisfies linear inequalities.
//!
//! The problem is Lawson and Hanson's least distance programming. They reduce it to least squares with multipliers
//! that are not negative. With `E` the matrix that has a column `(g, h)` for each inequality `g . x >= h`, and `r` the
//! residual of the multipliers `u >= 0` for which `E u` is nearest to `(0, ..., 0, 1)`, the point sought is `x = r /
//! -r_last`. An inequality that the point violates is one whose multiplier should grow, so the method needs no start
//! that satisfies all of them.
//!
//! The point is unique, because the square of the norm is strictly convex. So it does not depend on the order in which
//! the inequalities or the coordinates are given, up to rounding.
//!
//! Reference: Lawson, Hanson, *Solving Least Squares Problems*, 1974, chapter 23.

/// A column whose part that is independent of the others is shorter than this depends on them.
const DEPENDENT: f64 = 1e-11;

/// An inequality `coefficients . x >= least`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Inequality {
    pub coefficients: Vec<f64>,
    pub least: f64,
}

/// The point of least norm that violates no inequality by more than about `tolerance`; `None` if there is none, or if
/// rounding hides it. The caller checks the point where it must be sure.
pub(super) fn least_norm(inequalities: &[Inequality], tolerance: f64) -> Option<Vec<f64>> {
    let columns: Vec<Vec<f64>> = inequalities
        .iter()
        .map(|inequality| inequality.coefficients.iter().copied().chain([inequality.least]).collect())
        .collect();
    let dimension = inequalities.first()?.coefficients.len();
    let mut residual = residual(&columns, &multipliers(&columns, tolerance)?);
    let last = residual.pop().filter(|last| *last > tolerance)?;
    debug_assert_eq!(residual.len(), dimension);
    Some(residual.into_iter().map(|entry| -entry / last).collect())
}

/// The multipliers, not negative, of the combination of the columns that is nearest to the last unit vector (the
/// active set method of Lawson and Hanson); `None` if rounding keeps the method from coming to an end.
fn multipliers(columns: &[Vec<f64>], tolerance: f64) -> Option<Vec<f64>> {
    let mut values = vec![0.0; columns.len()];
    let mut active: Vec<usize> = Vec::new();
    let mut refused = vec![false; columns.len()];
    for _ in 0..30 * columns.len() {
        let rest = residual(columns, &values);
        let gain = |&index: &usize| dot(&columns[index], &rest);
        let candidates = (0..columns.len()).filter(|index| !refused[*index] && !active.contains(index));
        let Some(entering) =
            candidates.filter(|index| gain(index) > tolerance).max_by(|a, b| gain(a).total_cmp(&gain(b)))
        else {
            return Some(values);
        };
        active.push(entering);
        let Some(mut wanted) = nearest(columns, &active).filter(|wanted| wanted.last() > Some(&0.0)) else {
            // Only rounding made it look useful.
            active.pop();
            refused[entering] = true;
            continue;
        };
        while wanted.iter().any(|&value| value <= 0.0) {
            // As far as all multipliers stay positive; those that become zero leave.
            let negative = active.iter().zip(&wanted).filter(|(_, wanted)| **wanted <= 0.0);
            let parts = negative.map(|(&index, wanted)| values[index] / (values[index] - wanted));
            let part = parts.fold(1.0, f64::min);
            for (&index, wanted) in active.iter().zip(&wanted) {
                let moved = values[index] + part * (wanted - values[index]);
                values[index] = if moved > f64::EPSILON { moved } else { 0.0 };
            }
            active.retain(|&index| values[index] > 0.0);
            wanted = nearest(columns, &active)?;
        }
        values.fill(0.0);
        for (&index, &wanted) in active.iter().zip(&wanted) {
            values[index] = wanted;
        }
        refused.fill(false);
    }
    None
}

/// The last unit vector less the combination of the columns.
fn residual(columns: &[Vec<f64>], multipliers: &[f64]) -> Vec<f64> {
    let mut rest = target(columns);
    for (column, &multiplier) in columns.iter().zip(multipliers).filter(|(_, multiplier)| **multiplier != 0.0)
    {
        add(&mut rest, -multiplier, column);
    }
    rest
}

fn target(columns: &[Vec<f64>]) -> Vec<f64> {
    let length = columns.first().map_or(1, Vec::len);
    let mut target = vec![0.0; length];
    target[length - 1] = 1.0;
    target
}

/// The multipliers, of any sign, of the active columns for which their combination is nearest to the last unit vector,
/// by Gram-Schmidt with every projection made twice; `None` if the columns depend on each other.
fn nearest(columns: &[Vec<f64>], active: &[usize]) -> Option<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(active.len());
    let mut triangle: Vec<Vec<f64>> = Vec::with_capacity(active.len());
    for &index in active {
        let mut column = columns[index].clone();
        let length = dot(&column, &column).sqrt();
        let mut parts = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (part, direction) in parts.iter_mut().zip(&basis) {
                let more = dot(direction, &column);
                *part += more;
                add(&mut column, -more, direction);
            }
        }
        let own = dot(&column, &column).sqrt();
        if own <= DEPENDENT * length {
            return None;
        }
        column.iter_mut().for_each(|entry| *entry /= own);
        parts.push(own);
        basis.push(column);
        triangle.push(parts);
    }
    let goal = target(columns);
    let mut solution: Vec<f64> = basis.iter().map(|direction| dot(direction, &goal)).collect();
    for last in (0..solution.len()).rev() {
        solution[last] /= triangle[last][last];
        let value = solution[last];
        for (before, part) in solution[..last].iter_mut().zip(&triangle[last]) {
            *before -= part * value;
        }
    }
    Some(solution)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += times * what;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(coefficients: &[f64], least: f64) -> Inequality {
        Inequality { coefficients: coefficients.to_vec(), least }
    }

    fn assert_point(inequalities: &[Inequality], expected: &[f64]) {
        let point = least_norm(inequalities, 1e-12).expect("there is a point");
        let near = point.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near, "{point:?}, expected {expected:?}");
    }

    #[test]
    fn the_nearest_point_of_a_half_plane_a_corner_and_a_segment() {
        assert_point(&[at_least(&[1.0, 1.0], 2.0)], &[1.0, 1.0]);
        assert_point(&[at_least(&[1.0, 0.0], 1.0), at_least(&[0.0, 1.0], 3.0)], &[1.0, 3.0]);
        // x + y = 1, x >= 0.8: both directions of the equality are given.
        let line = [at_least(&[1.0, 1.0], 1.0), at_least(&[-1.0, -1.0], -1.0), at_least(&[1.0, 0.0], 0.8)];
        assert_point(&line, &[0.8, 0.2]);
    }

    #[test]
    fn inequalities_that_the_origin_satisfies_and_repeated_ones_do_no_harm() {
        assert_point(&[at_least(&[1.0, 2.0], -1.0)], &[0.0, 0.0]);
        assert_point(&vec![at_least(&[3.0, 4.0], 25.0); 4], &[3.0, 4.0]);
    }

    #[test]
    fn where_there_is_no_point_none_is_given() {
        assert_eq!(least_norm(&[at_least(&[1.0], 1.0), at_least(&[-1.0], 0.0)], 1e-12), None);
    }
}
