//! The kinds of engines, by name.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

/// The kind of engine that is requested.
///
/// ```
/// use hyperplay_engine::EngineKind;
///
/// assert_eq!(EngineKind::FAST.map(EngineKind::as_str), ["propagator", "lanes"]);
/// assert!(EngineKind::ALL.iter().all(|kind| kind.as_str().parse() == Ok(*kind)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Display, EnumString, Serialize, Deserialize)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// The fastest that the game allows.
    #[default]
    Auto,
    /// The reference: evaluates the rules as they stand.
    Interpreter,
    /// The ground network, for single states.
    Propagator,
    /// The ground network, many playouts at a time.
    Lanes,
}

impl EngineKind {
    /// All kinds.
    pub const ALL: [EngineKind; 4] =
        [EngineKind::Auto, EngineKind::Interpreter, EngineKind::Propagator, EngineKind::Lanes];

    /// The kinds that are compared with the interpreter.
    pub const FAST: [EngineKind; 2] = [EngineKind::Propagator, EngineKind::Lanes];

    /// The stable name, as on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            EngineKind::Auto => "auto",
            EngineKind::Interpreter => "interpreter",
            EngineKind::Propagator => "propagator",
            EngineKind::Lanes => "lanes",
        }
    }
}
