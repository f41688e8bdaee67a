//! Alias table: independent draws of entries by their weights.

use rand::{Rng, RngExt};

/// Independent draws of entries by their weights, each in constant time.
///
/// Reference: the alias method, Walker77 (`docs/REFERENCES.md`).
#[derive(Clone, Debug)]
pub(super) struct AliasTable {
    /// For each entry the share of its column that is its own, and the entry that has the rest.
    columns: Vec<(f64, u32)>,
}

impl AliasTable {
    /// Draws by these weights: positive, at least one.
    pub(super) fn new(weights: &[f64]) -> AliasTable {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        let mut columns: Vec<(f64, u32)> =
            (0..).zip(weights).map(|(own, weight)| (weight * scale, own)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|&entry| columns[entry].0 < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            columns[poor].1 = rich as u32;
            columns[rich].0 -= 1.0 - columns[poor].0;
            if columns[rich].0 < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        AliasTable { columns }
    }

    pub(super) fn draw(&self, rng: &mut impl Rng) -> u32 {
        if self.columns.len() == 1 {
            return 0;
        }
        let entry = rng.random_range(0..self.columns.len());
        let (own, other) = self.columns[entry];
        if rng.random::<f64>() < own { entry as u32 } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::Seed;

    #[test]
    fn entries_are_picked_by_their_weights() {
        let weights = [1.0, 5.0, 0.5, 3.5];
        let table = AliasTable::new(&weights);
        let mut rng = Seed::root(1).rng();
        let mut counts = [0_u32; 4];
        (0..100_000).for_each(|_| counts[table.draw(&mut rng) as usize] += 1);
        for (count, weight) in counts.iter().zip(weights) {
            let expected = 10_000.0 * weight;
            assert!((f64::from(*count) - expected).abs() < 5.0 * expected.sqrt(), "{counts:?}");
        }
        assert!(counts.iter().all(|&count| count > 0));
    }
}
