//! The linear program as a matrix.
//!
//! The variables are the plan x of the first role and the worths q: of the whole game, and of each information set of
//! the second role. The rows are
//!
//! 1. the equations of a plan: the empty sequence has probability 1, the moves of each information set of the first
//!    role together that of the sequence before it;
//! 2. for each sequence of the second role: the worth of its information set is at most what the sequence gains, that
//!    is its payoffs under x and the worths of the information sets right after it;
//! 3. x is not negative.
//!
//! A game without chance weighs every end with 1, so a constant may be taken from all payoffs. We take the most
//! frequent payoff, which makes the matrix sparser: in games that are won or lost, half as many entries and a third of
//! the time.

use std::collections::BTreeMap;

use clarabel::algebra::CscMatrix;

use super::super::profile::Profile;
use super::super::sequences::{PlayerForm, SequenceForm};

/// The linear program: minimise `cost` times the variables, where `matrix` times the variables is equal to `bounds` in
/// the rows of the first kind, and at most `bounds` in the others.
pub(super) struct Program {
    pub(super) matrix: CscMatrix<f64>,
    pub(super) cost: Vec<f64>,
    pub(super) bounds: Vec<f64>,
    /// The rows of the first kind.
    pub(super) equations: usize,
    /// The sequences of both roles.
    pub(super) sequences: [usize; 2],
}

impl Program {
    pub(super) fn new(first: &PlayerForm, second: &PlayerForm, has_chance: bool) -> Program {
        let (own, other) = (&first.treeplex, &second.treeplex);
        let equations = 1 + own.sets.len();
        let sequences = [own.len(), other.len()];
        let (gains, signs) = (equations, equations + other.len());
        let taken = if has_chance { 0.0 } else { most_frequent(first) };

        let mut columns = Columns::default();
        let mut below: Vec<usize> = (0..own.sets.len()).collect();
        below.sort_by_key(|&set| own.parent[set]);
        let mut below = below.into_iter().peekable();
        let mut payoffs: Vec<(u32, f64)> = Vec::new();
        for sequence in 0..own.len() {
            // Its own equation comes first, 0 for the empty sequence, else 1 plus its set: the sets below a sequence come
            // after the set of the sequence.
            columns.push(own.first.partition_point(|&first| first as usize <= sequence), 1.0);
            while let Some(set) = below.next_if(|&set| own.parent[set] as usize == sequence) {
                columns.push(1 + set, -1.0);
            }
            payoffs.clear();
            payoffs.extend(first.rows.row(sequence).map(|(others, payoff)| (others[0], payoff - taken)));
            payoffs.sort_by_key(|&(column, _)| column);
            for equal in payoffs.chunk_by(|one, next| one.0 == next.0) {
                let sum: f64 = equal.iter().map(|&(_, payoff)| payoff).sum();
                if sum != 0.0 {
                    columns.push(gains + equal[0].0 as usize, -sum);
                }
            }
            columns.push(signs + sequence, -1.0);
            columns.end();
        }
        columns.push(gains, 1.0);
        columns.end();
        for (set, &parent) in other.parent.iter().enumerate() {
            columns.push(gains + parent as usize, -1.0);
            other.range(set).for_each(|sequence| columns.push(gains + sequence, 1.0));
            columns.end();
        }

        let (height, width) = (signs + own.len(), columns.ends.len() - 1);
        let mut bounds = vec![0.0; height];
        bounds[0] = 1.0;
        let mut cost = vec![0.0; width];
        cost[own.len()] = -1.0;
        let matrix = CscMatrix::new(height, width, columns.ends, columns.rows, columns.values);
        Program { matrix, cost, bounds, equations, sequences }
    }

    /// About how many multiplications it takes to factorise the system of equations of one iteration, by the order of
    /// approximately least degree that the solver uses too.
    pub(super) fn multiplications(&self) -> f64 {
        let CscMatrix { m, n, ref colptr, ref rowval, .. } = self.matrix;
        let size = m + n;
        let mut ends = colptr.clone();
        ends.resize(size + 1, rowval.len());
        let rows: Vec<usize> = rowval.iter().map(|row| n + row).collect();
        let control = amd::Control { dense: 15.0, ..amd::Control::default() };
        let (_, _, info) = amd::order(size, &ends, &rows, &control).expect("the columns are in order");
        info.n_mult_subs_ldl as f64
    }
}

/// A sparse matrix by columns, as it grows.
struct Columns {
    ends: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Default for Columns {
    fn default() -> Self {
        Columns { ends: vec![0], rows: Vec::new(), values: Vec::new() }
    }
}

impl Columns {
    fn push(&mut self, row: usize, value: f64) {
        self.rows.push(row);
        self.values.push(value);
    }

    fn end(&mut self) {
        self.ends.push(self.rows.len());
    }
}

/// The payoff of most ends.
fn most_frequent(player: &PlayerForm) -> f64 {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for sequence in 0..player.treeplex.len() {
        player.rows.row(sequence).for_each(|(_, payoff)| *counts.entry(payoff.to_bits()).or_default() += 1);
    }
    counts.into_iter().max_by_key(|&(_, count)| count).map_or(0.0, |(bits, _)| f64::from_bits(bits))
}

impl SequenceForm {
    /// The policies of plans. A number that is negative by rounding counts as 0; where a plan never goes the moves are
    /// in the proportions that it has there, even where it has none.
    pub(super) fn profile_of(&self, plans: &[Vec<f64>]) -> Profile {
        self.profile_by(|own, sequences, shares| {
            shares.extend(plans[own][sequences].iter().map(|share| share.max(0.0)));
        })
    }
}
