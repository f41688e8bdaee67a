//! Failure: why a command did not succeed, and its exit code.
//!
//! The codes are a contract: 0 done, 1 a failure or findings, 2 a usage error, 3 incomplete, 4 and 5 a gate that is not
//! passed or open, 130 interrupted.
//! Every message names the place and the cause; a remedy, if there is one, is on a line of its own. Standard output
//! closed by its reader (`| head`) is no failure: the command ends quietly.

use std::io;

use thiserror::Error;

use hyperplay_lab::LabError;
use hyperplay_play::files::FileError;
use hyperplay_play::referee::Interrupt;

/// The remedy for a match that failed.
pub const MATCH_FAILURE_REMEDY: &str = "the rules derive more than the engine's limits, or an operation computes what has no value; \
     `hyperplay check --simulate 10` may say where";

/// Why a command failed or ended early.
#[derive(Debug, Error)]
pub enum CommandFailure {
    /// A usage error: the things that the arguments name do not exist or do not fit together.
    #[error("{what}")]
    Usage {
        /// The error, with the argument.
        what: String,
        /// The arguments that could be given instead.
        remedy: Option<String>,
    },
    /// The command could not do its work.
    #[error("{what}")]
    Failed {
        /// Place and cause.
        what: String,
        /// The remedy.
        remedy: Option<String>,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The result, which has been reported, is a negative one.
    #[error("there are findings")]
    Findings,
    /// A gate, which has been reported, is not passed (4), or more deals are needed to say so (5).
    #[error("the gate is not passed")]
    Gate(u8),
    /// Parts of the result are missing.
    #[error("{0}")]
    Incomplete(String),
    /// Ctrl-C or SIGTERM; the finished results have been reported.
    #[error("interrupted")]
    Interrupted,
    /// A person has left the match, and knows it; the finished results have been reported.
    #[error("left")]
    Left,
    /// Standard output cannot be written to.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// What a command, or a part of one, comes to.
pub type CommandResult<T = ()> = Result<T, CommandFailure>;

/// Refuses what was asked for if it is wrong: a usage error.
pub fn refuse_if(is_wrong: bool, what: impl Into<String>, remedy: impl Into<String>) -> CommandResult {
    if is_wrong { Err(CommandFailure::usage(what, remedy)) } else { Ok(()) }
}

/// Ends a command that was interrupted.
pub fn go_on(interrupt: &Interrupt) -> CommandResult {
    if interrupt.is_raised() { Err(CommandFailure::Interrupted) } else { Ok(()) }
}

impl From<LabError> for CommandFailure {
    fn from(error: LabError) -> Self {
        let remedy = match error {
            LabError::File(error) => return error.into(),
            LabError::Other { what, remedy } => return CommandFailure::failed(what, remedy),
            LabError::NoMatches(_) => "play with `hyperplay experiment run FILE --out DIR`",
            LabError::Locked(_) => "wait for it, or take another shard",
            LabError::Spec(_) => {
                "start the command where the files can be found that the entrants name, as they were"
            }
            LabError::Threads(_) => "give fewer with -j",
        };
        CommandFailure::failed(error.to_string(), remedy)
    }
}

impl CommandFailure {
    /// A usage error with a remedy.
    pub fn usage(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        CommandFailure::Usage { what: what.into(), remedy: Some(remedy.into()) }
    }

    /// A failure with a remedy.
    pub fn failed(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        CommandFailure::Failed { what: what.into(), remedy: Some(remedy.into()) }
    }

    /// A usage error with the place that it is about before it; any other failure as it is.
    #[must_use]
    pub fn at(mut self, place: &str) -> Self {
        if let CommandFailure::Usage { what, .. } = &mut self {
            what.insert_str(0, place);
        }
        self
    }

    /// The remedy.
    pub fn remedy(&self) -> Option<&str> {
        match self {
            CommandFailure::Usage { remedy, .. } | CommandFailure::Failed { remedy, .. } => remedy.as_deref(),
            CommandFailure::File(FileError::Foreign(..)) => {
                Some("name another file or a new folder, or move that file away")
            }
            CommandFailure::File(FileError::Records(_)) => Some(
                "give --append to write behind them, or --overwrite to replace them, or name another file",
            ),
            CommandFailure::File(FileError::Busy(_)) => Some("wait for it, or name another file"),
            CommandFailure::File(FileError::NoFile(_)) => Some("name a file: standard output has the report"),
            CommandFailure::File(FileError::System(_, cause)) => match cause.kind() {
                io::ErrorKind::NotFound => Some(
                    "check the path: nothing of this name is there, or the folder that it names is missing",
                ),
                io::ErrorKind::PermissionDenied => {
                    Some("this user may not read or write it: take another path, or change its permissions")
                }
                io::ErrorKind::InvalidData => Some("it is no text in UTF-8: write it in that encoding"),
                io::ErrorKind::IsADirectory => Some("it is a folder: name a file"),
                io::ErrorKind::AlreadyExists => Some("it is a file: name a folder, or move the file away"),
                io::ErrorKind::NotADirectory => Some("a part of the path is a file: name a folder there"),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a message is needed. It is not if the result itself or the closed pipe shows the failure.
    pub fn is_silent(&self) -> bool {
        match self {
            CommandFailure::Findings | CommandFailure::Gate(_) | CommandFailure::Left => true,
            CommandFailure::Output(cause) => cause.kind() == io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            CommandFailure::Failed { .. }
            | CommandFailure::File(FileError::System(..) | FileError::Busy(_)) => 1,
            CommandFailure::Usage { .. } | CommandFailure::File(_) => 2,
            CommandFailure::Findings => 1,
            CommandFailure::Incomplete(_) => 3,
            CommandFailure::Gate(code) => *code,
            CommandFailure::Interrupted | CommandFailure::Left => 130,
            CommandFailure::Output(_) if self.is_silent() => 0,
            CommandFailure::Output(_) => 1,
        }
    }
}
