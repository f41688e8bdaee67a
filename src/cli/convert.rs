//! `hyperplay convert`: writes a rulesheet in the other syntax, or a game in Gambit's extensive form as rules.

use std::fs;
use std::path::Path;

use clap::Args;

use super::failure::CommandFailure;
use super::game_argument::{GameArgument, SyntaxArgument, log_errors, source};
use super::output::Output;
use hyperplay_logic::gdl::{self, Source, Syntax};
use hyperplay_play::efg::{GambitFile, KifError, KifOptions, to_kif};

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct ConvertArguments {
    #[command(flatten)]
    game: GameArgument,
    /// How to write the rules
    #[arg(long, value_name = "SYNTAX")]
    to: SyntaxArgument,
    /// From a .efg file: round payoffs that whole goals from 0 to 100 cannot represent
    #[arg(long)]
    round: bool,
    /// From a .efg file: the largest number of moves that a chance node with unequal probabilities may become
    #[arg(long, value_name = "N", default_value_t = KifOptions::default().max_denominator)]
    max_denominator: u32,
}

/// Runs the command. The text must be well formed but need not be a valid game. A file whose name ends in `.efg` is a
/// game in extensive form.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &ConvertArguments, out: &Output) -> Result<(), CommandFailure> {
    let game = &arguments.game.game;
    let to: Syntax = arguments.to.into();
    let source = if Path::new(game).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("efg"))
    {
        let rules = extensive_form(arguments)?;
        if to == Syntax::Kif {
            return out.text(&rules);
        }
        Source::new(game.as_str(), rules)
    } else {
        source(game)?
    };
    let from = arguments.game.syntax.map(Syntax::from);
    let (rulesheet, findings) = gdl::read(source, from);
    if log_errors(findings, &rulesheet.source) > 0 {
        return Err(CommandFailure::failed(
            format!("{}: cannot be read, so it cannot be converted", rulesheet.source.name()),
            "correct what is shown above, or give --syntax if the text was taken for the other one",
        ));
    }
    out.text(&gdl::print(&rulesheet, to))
}

/// The rules of a game in extensive form, in prefix form.
fn extensive_form(arguments: &ConvertArguments) -> Result<String, CommandFailure> {
    let path = Path::new(&arguments.game.game);
    let bytes = fs::read(path).map_err(|cause| CommandFailure::File { path: path.to_owned(), cause })?;
    let failed = |what: String, remedy| CommandFailure::failed(format!("{}: {what}", path.display()), remedy);
    let file = GambitFile::read(&String::from_utf8_lossy(&bytes))
        .map_err(|error| failed(error.to_string(), error.remedy().to_owned()))?;
    let options = KifOptions { max_denominator: arguments.max_denominator, round: arguments.round };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let rules = to_kif(&file, &name, &options).map_err(|error| {
        let option = match error {
            KifError::TooManyCopies { .. } => " (--max-denominator N)",
            KifError::PayoffsTooFine { .. } => " (--round)",
            _ => "",
        };
        failed(error.to_string(), format!("{}{option}", error.remedy()))
    })?;
    Ok(rules.text)
}
