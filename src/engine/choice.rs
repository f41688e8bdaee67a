//! Choice: which engine evaluates a game, decided once and handed to whoever is generic over machines.
//!
//! [`Engines`] makes each engine of a game when it is first asked for and keeps it, so that players of one match may
//! run on different ones. An [`Engine`] is one of them; [`Engine::visit`] hands it to code that is generic over
//! [`OfGame`], which so compiles once for each engine and asks no enum at play.
//!
//! Invariant: all engines of one [`Engines`] answer in ids of the same term store.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{EngineError, Interpreter};
use crate::gdl::{Game, TermId};
use crate::machine::Bulk;

/// A machine made of the rules of a game: it knows them, and its fluents as terms.
pub trait OfGame: Bulk + 'static {
    /// Which engine this is; never [`EngineKind::Auto`].
    fn kind(&self) -> EngineKind;

    /// The game.
    fn game(&self) -> &Game;

    /// The fluents that hold in a state, each once, in no particular order.
    fn holds(&self, state: &Self::State) -> Vec<TermId>;
}

/// Which engine is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EngineKind {
    /// The fastest that the game allows.
    #[default]
    Auto,
    /// The reference: evaluates the rules as they stand.
    Interpreter,
}

impl EngineKind {
    /// All kinds.
    pub const ALL: [EngineKind; 2] = [EngineKind::Auto, EngineKind::Interpreter];

    /// The stable name, as on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            EngineKind::Auto => "auto",
            EngineKind::Interpreter => "interpreter",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<EngineKind> {
        EngineKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An engine of a game; cheap to clone.
#[derive(Clone, Debug)]
pub enum Engine {
    /// The reference.
    Interpreter(Arc<Interpreter>),
}

/// Work that any engine can do.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does the work on a machine.
    fn visit<M: OfGame>(self, machine: &Arc<M>) -> Self::Output;
}

impl Engine {
    /// Which one it is; never [`EngineKind::Auto`].
    pub fn kind(&self) -> EngineKind {
        match self {
            Engine::Interpreter(machine) => machine.kind(),
        }
    }

    /// Hands the machine to the visitor.
    pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
        match self {
            Engine::Interpreter(machine) => visitor.visit(machine),
        }
    }
}

/// The engines of a game, each made when it is first asked for; shared by all threads.
#[derive(Debug)]
pub struct Engines {
    game: Game,
    interpreter: OnceLock<Result<Arc<Interpreter>, EngineError>>,
}

impl Engines {
    /// The engines of a game; none is made yet.
    pub fn new(game: &Game) -> Engines {
        Engines { game: game.clone(), interpreter: OnceLock::new() }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The reference engine.
    ///
    /// # Errors
    /// See [`Interpreter::new`].
    pub fn interpreter(&self) -> Result<Arc<Interpreter>, EngineError> {
        self.interpreter.get_or_init(|| Interpreter::new(&self.game).map(Arc::new)).clone()
    }

    /// The engine of this kind.
    ///
    /// # Errors
    /// If the game does not allow it.
    pub fn get(&self, kind: EngineKind) -> Result<Engine, EngineError> {
        match kind {
            EngineKind::Auto | EngineKind::Interpreter => self.interpreter().map(Engine::Interpreter),
        }
    }
}
