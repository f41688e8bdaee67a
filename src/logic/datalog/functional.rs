//! Functional dependencies: which terms of a relation's tuples are determined by the others.
//!
//! A relation such as `plus(x, y, z)` has one `z` for each pair of an `x` and a `y`, so `z` depends functionally on the
//! two. Grounding uses these dependencies to count the ways in which a conjunction can be satisfied.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::plan::shape_of;
use super::relation::IndexShape;
use super::{Database, DatalogProgram, RelationId};
use crate::gdl::{Atom, Symbol, TermStore};

/// Relations with more rows are not examined.
const MEASURED_ROWS: usize = 20_000;

/// The functional dependencies among the tuples of a database, found when they are asked for and then remembered.
pub struct FunctionalDependencies<'a> {
    database: &'a Database,
    program: &'a DatalogProgram,
    terms: &'a TermStore,
    found: RefCell<FxHashMap<(RelationId, IndexShape), bool>>,
}

impl<'a> FunctionalDependencies<'a> {
    /// The functional dependencies of a database, whose relations must have been derived.
    pub fn of(database: &'a Database, program: &'a DatalogProgram, terms: &'a TermStore) -> Self {
        FunctionalDependencies { database, program, terms, found: RefCell::default() }
    }

    /// Whether the known variables of an atom determine the others: at most one tuple matches the atom for each
    /// assignment of values to the variables that satisfy `is_known`. The answer is also false if the relation has more
    /// than 20,000 rows. O(rows) for the first question of its kind.
    ///
    /// # Panics
    /// If the program has no relation of the atom's name.
    pub fn determines(&self, atom: &Atom, is_known: &dyn Fn(Symbol) -> bool) -> bool {
        let relation = self.program.id(atom);
        let rows = self.database.relation(relation, self.program);
        if rows.len() > MEASURED_ROWS {
            return false;
        }
        let (shape, _) = shape_of(atom, is_known);
        *self.found.borrow_mut().entry((relation, shape)).or_insert_with_key(|(_, shape)| {
            let (admitted, keys) = rows.selectivity(shape, self.terms, MEASURED_ROWS);
            admitted == keys
        })
    }
}
