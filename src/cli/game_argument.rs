//! The argument GAME: `-` for standard input, or a name of a game: a file, a built-in game, or one of a repository.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;

use super::failure::{CommandFailure, refuse_if};
use super::options::choice;
use super::output::{colour, log, log_text};
use hyperplay_games::names::GameNames;
use hyperplay_games::repository::{GameNameError, read_bounded};
use hyperplay_logic::gdl::{self, Finding, Game, Language, Rulesheet, Severity, Source, Syntax};
use hyperplay_machine::counted;
use hyperplay_play::files::FileError;

/// Which game, and how its text is written.
#[derive(Args, Clone, Debug)]
pub struct GameArgument {
    /// A file with rules, `-` for standard input, the name of a built-in game (see `hyperplay games`), or `ggp:NAME` for a
    /// game of the repository that HYPERPLAY_REPOSITORY names
    pub game: String,
    #[command(flatten)]
    pub rules: RulesOption,
}

/// How the text of a game is read.
#[derive(Args, Clone, Copy, Default, Debug)]
pub struct RulesOption {
    /// The syntax of the rules [default: recognised from the text]
    #[arg(long, value_name = "SYNTAX", value_parser = syntaxes())]
    pub syntax: Option<Syntax>,
    /// Refuse rules with a fault or a warning instead of playing them with the stated repairs
    #[arg(long)]
    pub strict: bool,
    /// End an interaction in SIDL after N chronons at the latest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub horizon: Option<u32>,
}

/// The two ways to write rules.
pub fn syntaxes() -> impl TypedValueParser<Value = Syntax> {
    choice(vec![
        ("kif", Syntax::Kif, "Prefix form: (<= (head ?x) (body ?x))"),
        ("infix", Syntax::Infix, "Infix form: head(X) :- body(X)"),
    ])
}

/// A game that has been opened.
pub struct Opened {
    /// The word that was written on the command line, or the name of the built-in game.
    pub name: String,
    /// The rules as written.
    pub rulesheet: Rulesheet,
    /// The rules as meant.
    pub game: Game,
    /// Whether what shows a fault of the rules later on is refused too.
    pub is_strict: bool,
}

/// The names of games where paths begin at this folder, with the given repository or the one that the environment names.
pub fn names(folder: &Path, repository: Option<&Path>) -> GameNames {
    let named =
        || std::env::var_os("HYPERPLAY_REPOSITORY").filter(|root| !root.is_empty()).map(PathBuf::from);
    GameNames { folder: folder.to_owned(), repository: repository.map(Path::to_owned).or_else(named) }
}

/// The text of a game.
///
/// # Errors
/// If there is no such file or game, or it cannot be read.
pub fn source(game: &str) -> Result<Source, CommandFailure> {
    source_among(&names(Path::new(""), None), game)
}

/// As [`source`], with these names; `-` is standard input.
fn source_among(names: &GameNames, game: &str) -> Result<Source, CommandFailure> {
    if game != "-" {
        return Ok(names.source(game)?);
    }
    let read = read_bounded(std::io::stdin().lock());
    let text = read.map_err(|cause| CommandFailure::from(FileError::System(game.into(), cause)))?;
    Ok(Source::new("<stdin>", String::from_utf8_lossy(&text)))
}

impl From<GameNameError> for CommandFailure {
    fn from(error: GameNameError) -> CommandFailure {
        match error {
            GameNameError::Unknown { what, remedy } => CommandFailure::usage(what, remedy),
            GameNameError::Unreadable(path, cause) => FileError::System(path, cause).into(),
        }
    }
}

/// Shows the errors among the findings on standard error; returns how many they are.
pub fn log_errors(findings: Vec<Finding>, source: &Source) -> usize {
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let errors: Vec<Finding> = findings.into_iter().filter(is_error).collect();
    log_text(&gdl::render(&errors, source, colour(true)));
    errors.len()
}

/// The check of `--strict`: shows the errors, faults and warnings of a text, and fails if there are any.
fn refuse_slips(source: &Source, syntax: Option<Syntax>) -> Result<(), CommandFailure> {
    let mut findings = hyperplay_games::load(source.clone(), syntax).findings;
    findings.retain(|finding| finding.severity >= Severity::Warning);
    if findings.is_empty() {
        return Ok(());
    }
    log_text(&gdl::render(&findings, source, colour(true)));
    let (name, count) = (source.name(), findings.len());
    Err(CommandFailure::failed(
        format!("{name}: refused by --strict: {}", counted(count as u64, "finding")),
        "correct the rules, or leave out --strict to play them with the stated repairs",
    ))
}

/// The error of a text without a rule.
pub const NO_RULES: &str = "there are no rules in it: it is empty, or has nothing but comments";
/// The remedy for it.
pub const NO_RULES_REMEDY: &str = "`hyperplay games nim` prints a small game to begin with";

/// Whether a text has no rule, nor anything that may have been meant for one.
pub fn is_empty(rulesheet: &Rulesheet, findings: &[Finding]) -> bool {
    let is_of_whole = |finding: &Finding| finding.span.start == finding.span.end;
    rulesheet.clauses.is_empty() && findings.iter().all(is_of_whole)
}

impl GameArgument {
    /// As [`RulesOption::open`].
    ///
    /// # Errors
    /// If the rules cannot be read or are not a game.
    pub fn open(&self) -> Result<Opened, CommandFailure> {
        self.rules.open(&self.game)
    }
}

impl RulesOption {
    /// Reads and validates the rules. Errors and faults are shown on standard error, faults in one line.
    ///
    /// # Errors
    /// If the rules cannot be read or are not a game.
    pub fn open(&self, game: &str) -> Result<Opened, CommandFailure> {
        self.open_among(&names(Path::new(""), None), game)
    }

    /// As [`RulesOption::open`], with these names.
    ///
    /// # Errors
    /// If the rules cannot be read or are not a game.
    pub fn open_among(&self, names: &GameNames, game: &str) -> Result<Opened, CommandFailure> {
        let source = source_among(names, game)?;
        if self.strict {
            refuse_slips(&source, self.syntax)?;
        }
        let opened = Opened::new(source, self.syntax)?;
        refuse_if(
            self.horizon.is_some() && opened.game.language() != Language::Sidl,
            "--horizon is for an interaction in SIDL",
            "leave it out: a game of GDL ends by its rules",
        )?;
        Ok(Opened { game: opened.game.with_horizon(self.horizon), is_strict: self.strict, ..opened })
    }
}

impl Opened {
    /// As [`GameArgument::open`], from a text.
    ///
    /// # Errors
    /// If the rules are not a game.
    pub fn new(source: Source, syntax: Option<Syntax>) -> Result<Opened, CommandFailure> {
        let loaded = hyperplay_games::load(source, syntax);
        let name = loaded.rulesheet.source.name().to_owned();
        if loaded.game.is_none() && is_empty(&loaded.rulesheet, &loaded.findings) {
            return Err(CommandFailure::failed(format!("{name}: {NO_RULES}"), NO_RULES_REMEDY));
        }
        let Some(game) = loaded.game else {
            let errors = log_errors(loaded.findings, &loaded.rulesheet.source);
            return Err(CommandFailure::failed(
                format!("{name}: not a game: {}", counted(errors as u64, "error")),
                format!("correct it; `hyperplay check {name}` has the warnings and notes too"),
            ));
        };
        let faults = loaded.findings.iter().filter(|finding| finding.severity == Severity::Fault).count();
        if faults > 0 {
            let (faults, are) = (counted(faults as u64, "fault"), if faults == 1 { "is" } else { "are" });
            log(format_args!("{name}: {faults} {are} repaired for play; see `hyperplay check {name}`"));
        }
        Ok(Opened { name, rulesheet: loaded.rulesheet, game, is_strict: false })
    }

    /// The hash of the rules.
    pub fn hash(&self) -> String {
        self.game.rules_hash()
    }
}
