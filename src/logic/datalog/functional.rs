//! Functions: which terms of a relation's tuples follow from the others.
//!
//! A table such as `plus(x, y, z)` gives one `z` for each `x` and `y`. Whoever wants to know how many ways there are to
//! satisfy a conjunction asks here.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::database::Database;
use super::plan::{RelationId, shape_of};
use super::program::Program;
use super::relation::Shape;
use crate::gdl::{Atom, Symbol, TermStore};

/// Relations with more rows are not looked at.
const MEASURED_ROWS: usize = 20_000;

/// Finds functions among the tuples of a database; remembers what it found.
pub struct Functions<'a> {
    database: &'a Database,
    program: &'a Program,
    terms: &'a TermStore,
    found: RefCell<FxHashMap<(RelationId, Shape), bool>>,
}

impl<'a> Functions<'a> {
    /// What there is to find in a database.
    pub fn of(database: &'a Database, program: &'a Program, terms: &'a TermStore) -> Self {
        Functions { database, program, terms, found: RefCell::default() }
    }

    /// Whether at most one tuple that fits an atom agrees with given values of the known variables. False where the
    /// relation is large, and where it is so only for some of the atom's constants.
    pub fn determines(&self, atom: &Atom, is_known: &impl Fn(Symbol) -> bool) -> bool {
        let relation = self.program.by_name[&atom.relation];
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
