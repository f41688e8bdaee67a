//! The argument GAME: a file, `-` for standard input, or the name of a built-in game.

use std::io::Read;
use std::path::Path;

use clap::{Args, ValueEnum};

use super::builtin;
use super::failure::Failure;
use super::output::{colour, log, log_text};
use crate::gdl::{self, Finding, Game, Rulesheet, Severity, Source, Syntax};
use crate::referee::rules_hash;

/// Which game, and how its text is written.
#[derive(Args, Clone, Debug)]
pub struct GameArgument {
    /// A file with rules, `-` for standard input, or the name of a built-in game (see `hyperplay games`)
    pub game: String,
    /// How the rules are written [default: found out from the text]
    #[arg(long)]
    pub syntax: Option<SyntaxArgument>,
}

/// The two ways to write rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SyntaxArgument {
    /// Prefix form: (<= (head ?x) (body ?x))
    Kif,
    /// Infix form: head(X) :- body(X)
    Infix,
}

impl From<SyntaxArgument> for Syntax {
    fn from(syntax: SyntaxArgument) -> Syntax {
        match syntax {
            SyntaxArgument::Kif => Syntax::Kif,
            SyntaxArgument::Infix => Syntax::Infix,
        }
    }
}

/// A game that has been opened.
pub struct Opened {
    /// What was written on the command line, or the name of the built-in game.
    pub name: String,
    /// The rules as written.
    pub rulesheet: Rulesheet,
    /// The rules as meant.
    pub game: Game,
}

impl Opened {
    /// The hash of the rules.
    pub fn hash(&self) -> String {
        rules_hash(&gdl::print(&self.rulesheet, Syntax::Kif))
    }
}

/// The text of a game.
///
/// # Errors
/// If there is no such file or game, or it cannot be read.
pub fn source(game: &str) -> Result<Source, Failure> {
    let failed = |cause| Failure::File { path: game.into(), cause };
    if game == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
        return Ok(Source::new("<stdin>", String::from_utf8_lossy(&bytes)));
    }
    // Anything but a folder can be read: a pipe too.
    if Path::new(game).exists() && !Path::new(game).is_dir() {
        // What is no UTF-8 shows as a replacement character, which the reader reports at its place.
        let bytes = std::fs::read(game).map_err(failed)?;
        return Ok(Source::new(game, String::from_utf8_lossy(&bytes)));
    }
    match builtin::find(game) {
        Some(builtin) => Ok(builtin.source()),
        None if Path::new(game).is_dir() => {
            Err(Failure::usage(format!("'{game}' is a folder"), "name the files in it"))
        }
        None => Err(builtin::unknown(format!("'{game}' is neither a file nor a built-in game"))),
    }
}

impl GameArgument {
    /// Reads and validates the rules. Errors and faults are shown on standard error, faults in one line.
    ///
    /// # Errors
    /// If the rules cannot be read or are not a game.
    pub fn open(&self) -> Result<Opened, Failure> {
        let source = source(&self.game)?;
        let loaded = gdl::load(source, self.syntax.map(Syntax::from));
        let name = loaded.rulesheet.source.name().to_owned();
        let Some(game) = loaded.game else {
            let is_error = |finding: &Finding| finding.severity == Severity::Error;
            let errors: Vec<Finding> = loaded.findings.into_iter().filter(is_error).collect();
            log_text(&gdl::render(&errors, &loaded.rulesheet.source, colour(true)));
            return Err(Failure::failed(
                format!(
                    "{name}: not a game: {} error{}",
                    errors.len(),
                    if errors.len() == 1 { "" } else { "s" }
                ),
                format!("`hyperplay check {}` says all that is to be said", self.game),
            ));
        };
        let faults = loaded.findings.iter().filter(|finding| finding.severity == Severity::Fault).count();
        if faults > 0 {
            let them = if faults == 1 { "fault is" } else { "faults are" };
            log(format_args!(
                "{name}: {faults} {them} repaired for play; see `hyperplay check {}`",
                self.game
            ));
        }
        Ok(Opened { name, rulesheet: loaded.rulesheet, game })
    }
}
