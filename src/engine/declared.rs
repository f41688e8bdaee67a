//! The declarations of a game besides the rules that it plays by: the facts of `base`, `input` and `percept`.
//!
//! The engines do not need these facts, so they are derived on demand and in a database of their own.
//!
//! ```
//! use hyperplay_engine::declared;
//! use hyperplay_logic::gdl::{self, Source, Symbol};
//!
//! let text = "(role a) (base s) (init s) (legal a x) (<= terminal (not (true s))) (goal a 100)";
//! let game = gdl::load(Source::new("base", text), None).game.expect("the rules are fine");
//! let base = declared(&game, Symbol::BASE)?.expect("a rule defines it");
//! assert_eq!(game.terms().show(base[0][0]), "s");
//! assert_eq!(declared(&game, Symbol::INPUT)?, None);
//! # Ok::<(), hyperplay_engine::EngineError>(())
//! ```

use super::EngineError;
use hyperplay_logic::datalog::{Database, DatalogProgram};
use hyperplay_logic::gdl::{Game, Symbol, TermId};

/// The tuples of a relation that depends on no state, in the order of their derivation; `None` if no rule defines it.
///
/// # Errors
/// If deriving them meets a limit.
pub fn declared(game: &Game, relation: Symbol) -> Result<Option<Vec<Box<[TermId]>>>, EngineError> {
    if game.rules().iter().all(|rule| rule.head.relation != relation) {
        return Ok(None);
    }
    let mut program =
        DatalogProgram::new(game.rules().to_vec(), &[(Symbol::TRUE, 1, 1), (Symbol::DOES, 2, 2)]);
    let id = program.relation(relation).expect("a rule defines it");
    let mut database = Database::new(&program, None);
    database.plan(&mut program, id, false, game.terms())?;
    Ok(Some(database.relation(id, &program).rows().map(Box::from).collect()))
}
