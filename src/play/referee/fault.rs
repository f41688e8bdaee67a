//! Faults: what a player did wrong, as data.
//!
//! A fault never ends a match. The referee puts a legal move in the place of the one that did not come, drawn from a
//! stream of its own (`role/NAME/fault/STEP` below the seed of the match), and records both.

use hyperplay_engine::machine::{Move, Role};

/// One replaced move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose move it was.
    pub role: Role,
    /// What was wrong.
    pub kind: FaultKind,
    /// The legal move that was made instead.
    pub replacement: Move,
}

/// What a player did wrong.
///
/// ```
/// use hyperplay_play::referee::FaultKind;
///
/// assert_eq!(FaultKind::Crashed("out of ideas".to_owned()).as_str(), "crashed");
/// assert_eq!(FaultKind::Late.as_str(), "late");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// It did not answer before the clock ran out.
    Late,
    /// It answered with this move, which is not legal.
    Illegal(Move),
    /// It panicked, now or at an earlier step, with this message.
    Crashed(String),
}

impl FaultKind {
    /// The stable name, as in transcripts.
    pub fn as_str(&self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Illegal(_) => "illegal",
            FaultKind::Crashed(_) => "crashed",
        }
    }
}
