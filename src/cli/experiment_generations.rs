//! `hyperplay experiment generations`: a player that learns from its own matches, generation by generation.
//!
//! Each stage leaves its result in the folder of its generation, and one that is there is not made again: a loop that was
//! killed at any moment goes on with the same command.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::experiment_file::wrong_file;
use super::experiment_results::machines;
use super::experiment_run::{RunArguments, played};
use super::failure::{CommandFailure, CommandResult, go_on, refuse_if};
use super::game_argument::{RulesOption, names};
use super::output::log;
use super::players::wrong_spec;
use super::session::Session;
use hyperplay_experiment::{
    ConfigError, DecisionLog, ExperimentConfig, ExperimentSummary, Generations, Planned, Results,
    SequentialVerdict, export_features, locked,
};
use hyperplay_play::files::{FileContent, FileError, WrittenFile};
use hyperplay_play::player::SpecKind;
use hyperplay_play::referee::Interrupt;

/// How often the interrupt is looked at while the command learns.
const LOOK: Duration = Duration::from_millis(50);

/// Arguments of `experiment generations`.
#[derive(Args, Debug)]
pub struct GenerationsArguments {
    /// The file that describes the generations (docs/experiments/README.md)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The folder for all that is played and learnt; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How many threads play [default: as `experiment run`]
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &GenerationsArguments, session: &Session) -> CommandResult {
    let GenerationsArguments { file, out: to, .. } = arguments;
    let text = FileError::at(file, fs::read_to_string(file))?;
    let registry = &session.registry;
    let wrong = |error: ConfigError| wrong_file(file, registry, &error);
    let described = Generations::read(&text).map_err(wrong)?;
    let [of_game, of_specs @ ..] =
        described.places.map(|(line, column)| format!("{}:{line}:{column}: ", file.display()));
    for (spec, place) in described.specs().into_iter().zip(of_specs) {
        let wrong = |error| wrong_spec(registry, SpecKind::Player, spec, &error).at(&place);
        registry.unopened(SpecKind::Player, spec).map_err(wrong)?;
    }
    let base = file.parent().filter(|base| !base.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let game = described.game().unwrap_or_default();
    let opened = RulesOption::default().open_among(&names(base, None), game).map_err(|it| it.at(&of_game))?;
    let what = format!("{of_game}{game} is no game of two players");
    refuse_if(opened.game.played_names().len() != 2, what, "name one under [experiment]")?;
    let base = FileError::at(base, base.canonicalize())?;
    FileError::at(to, fs::create_dir_all(to.join("1")))?;
    let to = FileError::at(to, to.canonicalize())?;
    // What the experiments say beside the game and the specs is refused before the folder belongs to this file.
    let place_of = |error: &ConfigError| described.places[usize::from(error.spec.is_some())];
    let in_file = |error| wrong(ConfigError { place: Some(place_of(&error)), ..error });
    ExperimentConfig::read(&described.play(1, &[0]), &to.join("1"), registry).map_err(in_file)?;
    // One process at a time works at a loop.
    let _locked = locked(&to.join("lock"))?;
    kept(&to.join("loop.toml"), &described.identity)?;
    let described = match described.game().map(|game| base.join(game)).filter(|path| path.is_file()) {
        Some(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            kept(&to.join(&name), &FileError::at(&path, fs::read_to_string(&path))?)?;
            described.with_game(format!("../{name}"))
        }
        None => described,
    };
    let (mut versions, mut rows) = (vec![0], Vec::new());
    for generation in 1..=described.generations {
        let folder = to.join(generation.to_string());
        FileError::at(&folder, fs::create_dir_all(&folder))?;
        let incumbent = *versions.last().expect("version 0 has won");
        let stage = |name: &str, text: &str| stage(arguments, &folder, name, text, session);
        let matches = stage("play", &described.play(generation, &versions))?;
        learn(&described.learn, &base, &matches, &folder.join("learnt.json"), &session.interrupt)?;
        let gate = stage("gate", &described.gate(generation, incumbent))?;
        let planned = Planned::read(&gate)?;
        let summary = ExperimentSummary::of(&planned, Results::open(&gate, &planned)?)?;
        let test = planned.plan.test().expect("the experiment was made with a test");
        let difference = summary.cells[0].differences[0].1;
        let (ratio, verdict) = (test.log_likelihood_ratio(&difference), test.verdict(&difference));
        if verdict == SequentialVerdict::Accepted {
            versions.push(generation);
        }
        let next = *versions.last().expect("version 0 has won");
        if !arguments.json {
            let shown = difference.mean().map_or("?".to_owned(), |mean| format!("{mean:+.1}"));
            session.out.line(format_args!(
                "generation {generation}: g{generation} less g{incumbent} {shown} goal points, {} matches: {} ({ratio:.2}); \
                 incumbent: g{next}",
                summary.matches,
                verdict.as_str(),
            ))?;
        }
        rows.push(json!({
            "generation": generation, "against": incumbent, "difference": difference.mean(), "matches": summary.matches,
            "ratio": ratio, "verdict": verdict.as_str(), "incumbent": next,
        }));
    }
    if arguments.json { session.out.json(&Value::Array(rows)) } else { Ok(()) }
}

/// Writes a text that the whole loop has in common, or refuses a folder that has another one.
fn kept(file: &Path, text: &str) -> CommandResult {
    if !file.exists() {
        WrittenFile::at(file, FileContent::beginning("file of a loop", text))?.text(text)?;
    }
    refuse_if(
        FileError::at(file, fs::read_to_string(file))? != text,
        format!("{}: another loop has begun in this folder", file.display()),
        "name another folder with --out, or put back what the file said",
    )
}

/// Plays what is left of an experiment of a generation; returns its folder.
fn stage(
    arguments: &GenerationsArguments,
    folder: &Path,
    name: &str,
    text: &str,
    session: &Session,
) -> CommandResult<PathBuf> {
    let (file, to) = (folder.join(name).with_extension("toml"), folder.join(name));
    kept(&file, text)?;
    let mut run = RunArguments::whole(&file, &to, arguments.threads, None);
    run.log = if name == "play" { DecisionLog::Positions } else { DecisionLog::Turns };
    let (what, ended) = played(&run, session)?;
    log(format_args!("{what}"));
    ended?;
    Ok(to)
}

/// Lets the command learn from the features of some matches, unless it has.
fn learn(
    command: &[String],
    base: &Path,
    matches: &Path,
    learnt: &Path,
    interrupt: &Interrupt,
) -> CommandResult {
    // No other loop works here: parts of it were left by one that was killed.
    let file = WrittenFile::at(learnt, FileContent::beginning("learnt file", ""))?;
    if learnt.exists() {
        return Ok(());
    }
    let planned = Planned::read(matches)?;
    let results = Results::open_with(matches, &planned, DecisionLog::Positions)?;
    export_features(&planned, results, &machines(&planned.plan)?, matches)?;
    go_on(interrupt)?;
    // The command makes the file. One that outlived an earlier loop may still write to its own part.
    let part = file.begin()?;
    FileError::at(part.beside(), fs::remove_file(part.beside()))?;
    log(format_args!("{}: learning", learnt.display()));
    let failed = |what: String| {
        let remedy = "see to the command of `learn` and give the same command again";
        CommandFailure::failed(format!("{}: {what}", command.join(" ")), remedy)
    };
    let (program, own) = command.split_first().expect("a file without a command is refused");
    let mut started = Command::new(program);
    started
        .args(own)
        .arg(matches)
        .arg(part.beside())
        .current_dir(base)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let mut child = started.spawn().map_err(|cause| failed(cause.to_string()))?;
    let ended = loop {
        if let Some(ended) = child.try_wait().map_err(|cause| failed(cause.to_string()))? {
            break ended;
        }
        if interrupt.is_raised() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(CommandFailure::Interrupted);
        }
        std::thread::sleep(LOOK);
    };
    go_on(interrupt)?;
    if !ended.success() {
        return Err(failed(ended.to_string()));
    }
    FileError::at(part.beside(), fs::metadata(part.beside()))?;
    Ok(part.finish()?)
}
