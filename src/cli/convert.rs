//! `hyperplay convert`: writes a rulesheet in the other syntax.

use clap::Args;

use super::failure::Failure;
use super::game_argument::{GameArgument, SyntaxArgument, source};
use super::output::{Output, colour, log_text};
use crate::gdl::{self, Finding, Severity, Syntax};

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct ConvertArguments {
    #[command(flatten)]
    game: GameArgument,
    /// How to write the rules
    #[arg(long, value_name = "SYNTAX")]
    to: SyntaxArgument,
}

/// Runs the command. The text has to be well formed; it need not be a game.
///
/// # Errors
/// See [`Failure`].
pub fn run(arguments: &ConvertArguments, out: &Output) -> Result<(), Failure> {
    let from = arguments.game.syntax.map(Syntax::from);
    let (rulesheet, findings) = gdl::read(source(&arguments.game.game)?, from);
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let errors: Vec<Finding> = findings.into_iter().filter(is_error).collect();
    if !errors.is_empty() {
        log_text(&gdl::render(&errors, &rulesheet.source, colour(true)));
        return Err(Failure::failed(
            format!("{}: cannot be read, so it cannot be converted", rulesheet.source.name()),
            "correct what is shown above, or give --syntax if the text was taken for the other one",
        ));
    }
    out.text(&gdl::print(&rulesheet, arguments.to.into()))
}
