//! Faults: the wrongs that a player did, as data.
//!
//! A fault never ends a match. The referee puts a legal move in the place of the one that did not come and records
//! both: one drawn from a stream of its own (`role/NAME/fault/STEP` below the seed of the match), or the first
//! ([`Substitute`]).

use std::sync::Arc;

use crate::player::{LateAnswer, RemoteFailure};
use hyperplay_machine::{Move, Role};

/// One replaced move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose move it was.
    pub role: Role,
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The legal move that was made instead.
    pub replacement: Move,
}

/// The wrong that a player did.
#[derive(Clone, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FaultKind {
    /// It did not answer before the clock ran out; what it answered later, and when.
    Late(LateAnswer),
    /// It answered with this, which is no legal move.
    Illegal(String),
    /// There was no connection to it, or the connection broke; in what way.
    Unreachable(String),
    /// It panicked, now or at an earlier step, with this message.
    Crashed(String),
    /// It was not asked, because it has had as many faults as the match allows.
    Dropped,
}

impl FaultKind {
    /// The stable name, as in transcripts.
    pub fn as_str(&self) -> &'static str {
        self.into()
    }

    /// The detail besides the kind, as in transcripts: the answer, or the cause.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Late(answer) => answer.get().map(String::as_str),
            Self::Dropped => None,
            Self::Illegal(detail) | Self::Unreachable(detail) | Self::Crashed(detail) => Some(detail),
        }
    }

    /// The fault that a transcript names so; `None` for a name that is no kind of fault, and where the detail is
    /// missing that an illegal answer has.
    pub fn named(name: &str, detail: Option<&str>) -> Option<FaultKind> {
        let said = || detail.unwrap_or_default().to_owned();
        match name {
            "late" => {
                Some(FaultKind::Late(detail.map(|said| Arc::new(said.to_owned().into())).unwrap_or_default()))
            }
            "illegal" => Some(FaultKind::Illegal(detail?.to_owned())),
            "unreachable" => Some(FaultKind::Unreachable(said())),
            "crashed" => Some(FaultKind::Crashed(said())),
            "dropped" => Some(FaultKind::Dropped),
            _ => None,
        }
    }
}

impl From<RemoteFailure> for FaultKind {
    fn from(failure: RemoteFailure) -> FaultKind {
        match failure {
            RemoteFailure::Late(answer) => FaultKind::Late(answer),
            RemoteFailure::Unreachable(cause) => FaultKind::Unreachable(cause),
            RemoteFailure::Illegal(answer) => FaultKind::Illegal(answer),
        }
    }
}

/// Which legal move stands in for one that did not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Substitute {
    /// One drawn uniformly, as in ggp-base.
    #[default]
    Random,
    /// The first in the natural order of terms. The Dresden GameController takes the first in an order of its own.
    First,
}
