//! The initial fluents, as far as facts tell them.
//!
//! The facts of `init` are read, and its rules are evaluated where each condition is a relation that consists of facts,
//! or `distinct`. Other rules of `init` are left out, so the list may lack fluents; it contains none that does not
//! hold. Bounded: of a rule that asks for more than [`VISITS`] rows only some fluents are found.

use std::collections::BTreeSet;

use hyperplay_logic::datalog::{Database, DatalogProgram};
use hyperplay_logic::gdl::{Game, Literal, Rule, Symbol, TermId};

/// The most rows that are looked at for a rule.
const VISITS: u64 = 100_000;

/// The initial fluents.
pub(super) fn fluents(game: &Game) -> Vec<TermId> {
    let derived: BTreeSet<Symbol> =
        game.rules().iter().filter(|rule| !rule.body.is_empty()).map(|rule| rule.head.relation).collect();
    let is_told = |literal: &Literal| match literal {
        Literal::Positive(atom) => !derived.contains(&atom.relation),
        Literal::Negative(_) => false,
        Literal::Distinct(..) | Literal::Same(..) => true,
    };
    let is_read = |rule: &&Rule| {
        rule.body.is_empty() || rule.head.relation == Symbol::INIT && rule.body.iter().all(is_told)
    };
    let mut program = DatalogProgram::new(game.rules().iter().filter(is_read).cloned().collect(), &[]);
    program.limits.visits = VISITS;
    let Some(init) = program.relation(Symbol::INIT) else { return Vec::new() };
    let mut database = Database::new(&program, None);
    // Past the limit there are the fluents that were found until then.
    let _ = database.plan(&mut program, init, false, game.terms());
    database.relation(init, &program).rows().map(|row| row[0]).collect()
}
