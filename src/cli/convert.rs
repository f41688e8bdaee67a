//! `hyperplay convert`: writes a rulesheet in the other syntax.

use clap::Args;

use super::failure::CommandFailure;
use super::game_argument::{GameArgument, SyntaxArgument, log_errors, source};
use super::output::Output;
use hyperplay_logic::gdl::{self, Syntax};

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct ConvertArguments {
    #[command(flatten)]
    game: GameArgument,
    /// How to write the rules
    #[arg(long, value_name = "SYNTAX")]
    to: SyntaxArgument,
}

/// Runs the command. The text must be well formed but need not be a valid game.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &ConvertArguments, out: &Output) -> Result<(), CommandFailure> {
    let from = arguments.game.syntax.map(Syntax::from);
    let (rulesheet, findings) = gdl::read(source(&arguments.game.game)?, from);
    if log_errors(findings, &rulesheet.source) > 0 {
        return Err(CommandFailure::failed(
            format!("{}: cannot be read, so it cannot be converted", rulesheet.source.name()),
            "correct what is shown above, or give --syntax if the text was taken for the other one",
        ));
    }
    out.text(&gdl::print(&rulesheet, arguments.to.into()))
}
