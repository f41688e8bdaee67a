//! LabError: what goes wrong with the files of an experiment or of a study, and with the matches in them.

use std::path::PathBuf;

use thiserror::Error;

use hyperplay_play::files::FileError;
use hyperplay_play::player::SpecError;

/// Why an experiment or a study is not read, written or continued. What was finished is in its files.
#[derive(Debug, Error)]
pub enum LabError {
    /// A file cannot be read or written, or something else is there.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder without matches.
    #[error("{} holds no matches", _0.display())]
    NoMatches(PathBuf),
    /// Another process writes to a file.
    #[error("{}: another process is playing this shard", _0.display())]
    Locked(PathBuf),
    /// The spec of an entrant.
    #[error("an entrant cannot be made: {0}")]
    Spec(#[from] SpecError),
    /// The threads of a run.
    #[error("the threads cannot be made: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Anything else.
    #[error("{what}")]
    Other {
        /// Place and cause.
        what: String,
        /// The remedy.
        remedy: String,
    },
}

/// What becomes of an experiment or of a study.
pub type LabResult<T = ()> = Result<T, LabError>;

impl LabError {
    /// Anything else, with its remedy.
    pub fn other(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        LabError::Other { what: what.into(), remedy: remedy.into() }
    }
}
