//! `hyperplay convert`: writes a rulesheet in the other syntax, a game in Gambit's extensive form as rules, the game of
//! a rulesheet in extensive form, or all its states in the other language.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::{GameArgument, log_errors, source};
use super::game_tree::TreeOptions;
use super::options::EngineOption;
use super::output::{Output, log};
use super::session::Session;
use hyperplay_engine::Engine;
use hyperplay_games::automaton::{Automaton, AutomatonError, AutomatonLimits};
use hyperplay_games::gambit::{Fraction, GambitFile, GambitGame, KifError, KifOptions, to_gambit, to_kif};
use hyperplay_logic::gdl::{self, Source, Syntax};
use hyperplay_machine::{StateMachineExt as _, counted};
use hyperplay_play::files::FileError;
use hyperplay_play::player::{PolicyFile, profile_of, unsaid};
use hyperplay_play::referee::Interrupt;
use hyperplay_sidl::is_sidl;
use hyperplay_think::solve::{GameTree, Profile};

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct ConvertArguments {
    #[command(flatten)]
    game: GameArgument,
    /// How to write the game
    #[arg(long, value_name = "FORMAT")]
    to: ConvertFormat,
    /// From a .efg file: round payoffs that whole goals from 0 to 100 cannot represent
    #[arg(long)]
    round: bool,
    /// From a .efg file: the largest number of moves that a chance node with unequal probabilities may become
    #[arg(long, value_name = "N", default_value_t = KifOptions::default().max_denominator)]
    max_denominator: u32,
    #[command(flatten)]
    tree: TreeOptions,
    /// With --to efg: write the policies of this file instead, in the order of the .efg file
    #[arg(long, value_name = "FILE", requires = "numbered")]
    policy: Option<PathBuf>,
    /// With --policy: as a list of player, number of the information set, and probabilities
    #[arg(long, requires = "policy")]
    numbered: bool,
    #[command(flatten)]
    engine: EngineOption,
    /// Between GDL and SIDL: the most states that are written
    #[arg(long, value_name = "N", default_value_t = AutomatonLimits::default().states)]
    max_states: usize,
    /// Between GDL and SIDL: the most steps between these states
    #[arg(long, value_name = "N", default_value_t = AutomatonLimits::default().steps)]
    max_steps: usize,
}

/// The choice of `--to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ConvertFormat {
    /// Rules in prefix form: (<= (head ?x) (body ?x))
    Kif,
    /// Rules in infix form: head(X) :- body(X)
    Infix,
    /// The game tree, for Gambit and OpenSpiel
    Efg,
    /// An interaction in SIDL: all states of the game, one chronon a step
    Sidl,
}

/// Runs the command. For another syntax the text must be well formed but need not be a valid game. A file whose name
/// ends in `.efg` is a game in extensive form.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &ConvertArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let game = &arguments.game.game;
    let is_efg = Path::new(game).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("efg"));
    let to = match arguments.to {
        ConvertFormat::Kif => Syntax::Kif,
        ConvertFormat::Infix => Syntax::Infix,
        ConvertFormat::Efg if is_efg && arguments.policy.is_some() => {
            return Err(CommandFailure::usage(
                "--policy is for the game of a rulesheet",
                "convert the .efg file to kif first",
            ));
        }
        ConvertFormat::Efg if is_efg => return write(&document(Path::new(game))?, out),
        ConvertFormat::Efg => return to_efg(arguments, session),
        ConvertFormat::Sidl if is_efg => {
            return Err(CommandFailure::usage(
                "a game in extensive form is not written in SIDL at once",
                "convert the .efg file to kif first, and the rules to sidl",
            ));
        }
        ConvertFormat::Sidl => {
            refuse_policy(arguments)?;
            return out.text(&automaton(arguments, interrupt, |it, name| it.to_sidl(name))?);
        }
    };
    refuse_policy(arguments)?;
    let source = if is_efg {
        let rules = extensive_form(arguments)?;
        if to == Syntax::Kif {
            return out.text(&rules);
        }
        Source::new(game.as_str(), rules)
    } else {
        let source = source(game)?;
        if arguments.game.rules.syntax.is_none() && is_sidl(&source) {
            let rules = automaton(arguments, interrupt, |it, name| it.to_kif(name))?;
            if to == Syntax::Kif {
                return out.text(&rules);
            }
            let (rulesheet, _) = gdl::read(Source::new(game.as_str(), rules), Some(Syntax::Kif));
            return out.text(&gdl::print(&rulesheet, to));
        }
        source
    };
    let (rulesheet, findings) = gdl::read(source, arguments.game.rules.syntax);
    if log_errors(findings, &rulesheet.source) > 0 {
        return Err(CommandFailure::failed(
            format!("{}: cannot be read, so it cannot be converted", rulesheet.source.name()),
            "correct what is shown above, or give --syntax if the text was taken for the other one",
        ));
    }
    out.text(&gdl::print(&rulesheet, to))
}

fn refuse_policy(arguments: &ConvertArguments) -> CommandResult {
    refuse_if(arguments.policy.is_some(), "--policy is for --to efg", "give --to efg")
}

/// All states of a game, written by `write`, which gets the name of the game.
fn automaton(
    arguments: &ConvertArguments,
    interrupt: &Interrupt,
    write: impl Fn(&Automaton<'_>, &str) -> Result<String, AutomatonError>,
) -> CommandResult<String> {
    let opened = arguments.game.open()?;
    let (_, machine) = arguments.engine.open_for_steps(&opened)?;
    let limits = AutomatonLimits { states: arguments.max_states, steps: arguments.max_steps };
    let name = Path::new(&opened.name).file_name().unwrap_or(opened.name.as_ref()).to_string_lossy();
    Automaton::explore(&machine, limits, &|| interrupt.is_raised())
        .and_then(|automaton| write(&automaton, &name))
        .map_err(|error| no_automaton(&opened.name, &error, " (--max-states N, --max-steps N)"))
}

/// Why all states of a game cannot be written; `options` are those that allow more of them.
pub fn no_automaton(name: &str, error: &AutomatonError, options: &str) -> CommandFailure {
    match error {
        AutomatonError::Stopped => CommandFailure::Interrupted,
        AutomatonError::TooLarge { .. } => CommandFailure::failed(
            format!("{name}: {error}"),
            format!("{}; or allow more{options}", error.remedy()),
        ),
        _ => CommandFailure::failed(format!("{name}: {error}"), error.remedy()),
    }
}

/// A file in extensive form.
fn document(path: &Path) -> CommandResult<GambitFile> {
    GambitFile::read(&String::from_utf8_lossy(&FileError::at(path, fs::read(path))?))
        .map_err(|error| CommandFailure::failed(format!("{}: {error}", path.display()), error.remedy()))
}

/// The rules of a game in extensive form, in prefix form.
fn extensive_form(arguments: &ConvertArguments) -> CommandResult<String> {
    let path = Path::new(&arguments.game.game);
    let file = document(path)?;
    let options = KifOptions { max_denominator: arguments.max_denominator, round: arguments.round };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let rules = to_kif(&file, &name, &options).map_err(|error| {
        let option = match error {
            KifError::TooManyCopies { .. } => " (--max-denominator N)",
            KifError::PayoffsTooFine { .. } => " (--round)",
            _ => "",
        };
        CommandFailure::failed(format!("{}: {error}", path.display()), format!("{}{option}", error.remedy()))
    })?;
    Ok(rules.text)
}

/// Writes the game tree of a rulesheet, or policies for it.
fn to_efg(arguments: &ConvertArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let opened = arguments.game.open()?;
    let unit = exact(arguments.tree.unit)?;
    let (_, machine) = arguments.engine.open_for_steps(&opened)?;
    let tree = arguments.tree.build(&opened, &machine, interrupt)?;
    let game = to_gambit(&tree, &opened.name, unit, &|own| machine.show_move(own))
        .map_err(|error| CommandFailure::failed(format!("{}: {error}", opened.name), error.remedy()))?;
    let Some(path) = &arguments.policy else { return write(&game.file, out) };
    let file = PolicyFile::read(path).map_err(|error| {
        CommandFailure::usage(error.to_string(), "docs/cli.md has the form of a policy file")
    })?;
    let what = format!("{}: the policies of another game", path.display());
    refuse_if(
        file.rules().is_some_and(|rules| rules != opened.hash()),
        what,
        "take a policy file of this game",
    )?;
    let stranger =
        file.roles().into_iter().find(|&role| machine.role_named(role).is_none()).map(str::to_owned);
    if let Some(role) = stranger {
        let what = format!("{}: the game has no role '{role}'", path.display());
        return Err(CommandFailure::usage(what, "take a policy file of this game"));
    }
    let profile = profile_of(&machine, &file, &tree);
    let unsaid = unsaid(&machine, &file, &tree).len();
    if unsaid > 0 {
        let what = format!(
            "{}: nothing about {}: uniform there",
            path.display(),
            counted(unsaid as u64, "information set")
        );
        log(format_args!("{what}"));
    }
    write_numbered(&machine, &tree, &game, &profile, out)
}

/// The unit as a fraction: as many digits as it is written with.
fn exact(unit: f64) -> CommandResult<Fraction> {
    let text = unit.to_string();
    let (whole, digits) = text.split_once('.').unwrap_or((&text, ""));
    let number = format!("{whole}{digits}").parse::<i128>().ok();
    let scale = u32::try_from(digits.len()).ok().and_then(|digits| 10_i128.checked_pow(digits));
    match (number, scale) {
        (Some(number), Some(scale)) => Ok(Fraction::new(number, scale)),
        _ => Err(CommandFailure::usage(format!("--unit {unit} has too many digits"), "give fewer digits")),
    }
}

fn write(file: &GambitFile, out: &Output) -> CommandResult {
    let mut text = Vec::new();
    file.write(&mut text)?;
    out.text(&String::from_utf8_lossy(&text))
}

/// Policies with the numbers of the .efg file: by player and number of the information set.
fn write_numbered(
    machine: &Engine,
    tree: &GameTree,
    game: &GambitGame,
    profile: &Profile,
    out: &Output,
) -> CommandResult {
    let mut sets: Vec<usize> = (0..tree.sets().len()).collect();
    sets.sort_by_key(|&set| game.numbers[set]);
    let list: Vec<Value> = sets
        .into_iter()
        .map(|set| {
            let (player, number) = game.numbers[set];
            let moves: Vec<String> = tree.moves(set).iter().map(|&own| machine.show_move(own)).collect();
            json!({
                "player": player + 1,
                "infoset": number,
                "moves": moves,
                "probs": profile.of(tree, set),
            })
        })
        .collect();
    out.line(Value::from(list))
}
