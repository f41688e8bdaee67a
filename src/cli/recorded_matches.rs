//! Recorded matches as the evidence of `belief`: transcripts, ggp.org's records, and the folders of experiments.
//!
//! Every match is walked by the rules at hand, so a record of other rules or with an illegal move is refused with its place. What the
//! players asked for does not matter: a belief follows the moves that were made.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::failure::{CommandFailure, CommandResult};
use super::game_argument::Opened;
use hyperplay_engine::Engine;
use hyperplay_experiment::{DecisionLog, PLAN, Planned, Results, walk};
use hyperplay_logic::gdl::text_hash;
use hyperplay_machine::{History, JointMove, Move, StateMachine as _, StateMachineExt as _, counted};
use hyperplay_play::files::FileError;
use hyperplay_play::referee::{Transcript, verify};

/// A record of ggp.org, as far as a belief needs it.
#[derive(Deserialize)]
struct GgpRecord {
    moves: Vec<Vec<String>>,
    #[serde(rename = "goalValues")]
    goals: Option<Vec<u8>>,
}

/// The matches in these files and folders, and what to call them: the name says which they are, wherever they lie.
///
/// # Errors
/// If a file cannot be read, has something else in it, or holds a match of other rules; if there is no match.
pub fn recorded(
    paths: &[PathBuf],
    opened: &Opened,
    engine: &Engine,
) -> CommandResult<(Vec<History>, String)> {
    let mut matches = Vec::new();
    for path in paths {
        if path.join(PLAN).is_file() {
            of_experiment(path, opened, engine, &mut matches)?;
        } else if path.is_dir() {
            let entries = FileError::at(path, fs::read_dir(path))?;
            let files = entries.map(|entry| Ok(FileError::at(path, entry)?.path()));
            let mut files: Vec<PathBuf> = files.collect::<CommandResult<_>>()?;
            files.sort();
            files.iter().try_for_each(|file| of_file(file, opened, engine, &mut matches))?;
        } else {
            of_file(path, opened, engine, &mut matches)?;
        }
    }
    if matches.is_empty() {
        let what = format!("there is no match of {} in the files named", opened.name);
        return Err(CommandFailure::failed(
            what,
            "name files of transcripts, or the folder of an experiment",
        ));
    }
    let moves = matches.iter().flat_map(|of| &of.0).flat_map(|joint| joint.iter());
    let moves: String = moves.map(|&own| engine.show_move(own)).collect();
    let name = format!("{}, {}", counted(matches.len() as u64, "recorded match"), text_hash(&moves));
    Ok((matches, name))
}

/// The matches of this game in the folder of an experiment.
fn of_experiment(
    folder: &Path,
    opened: &Opened,
    engine: &Engine,
    matches: &mut Vec<History>,
) -> CommandResult {
    let planned = Planned::read(folder)?;
    let plan = &planned.plan;
    let mut results = Results::open(folder, &planned)?;
    while let Some(finished) = results.next()? {
        if plan.game(finished.place.cell).rules == opened.hash() {
            let (played, _) = walk(engine, plan, &finished, DecisionLog::Turns).map_err(|error| {
                let what = format!("{}: {error}", folder.display());
                CommandFailure::failed(what, "`hyperplay experiment verify` checks the whole folder")
            })?;
            matches.push(History(played.steps.into_iter().map(|step| step.joint).collect()));
        }
    }
    Ok(())
}

/// The matches in a file: one in each line.
fn of_file(path: &Path, opened: &Opened, engine: &Engine, matches: &mut Vec<History>) -> CommandResult {
    let text = FileError::at(path, fs::read_to_string(path))?;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        matches.push(history_of(line, opened, engine).map_err(|what| {
            let remedy =
                "give transcripts of `hyperplay match`, or records of ggp.org, of matches with these rules";
            CommandFailure::failed(format!("{}:{number}: {what}", path.display()), remedy)
        })?);
    }
    Ok(())
}

/// The joint moves of a transcript or a record of ggp.org.
fn history_of(line: &str, opened: &Opened, engine: &Engine) -> Result<History, String> {
    let Ok(record) = serde_json::from_str::<GgpRecord>(line) else {
        let transcript: Transcript = serde_json::from_str(line)
            .map_err(|error| format!("neither a record of ggp.org nor a transcript: {error}"))?;
        let steps = transcript.walk(engine).map(|walked| Ok(walked?.step.joint));
        let verified = verify(engine, &opened.hash(), &transcript).and_then(|()| steps.collect());
        return verified.map(History).map_err(|difference| difference.to_string());
    };
    let (mut state, mut scratch, mut history) = (engine.initial(), engine.scratch(), History::default());
    for (step, moves) in (1..).zip(&record.moves) {
        let legal = engine.legal_by_role(&state, &mut scratch);
        if moves.len() != legal.len() || engine.terminal(&state, &mut scratch) {
            return Err(format!("step {step}: the match is over, or has another number of roles"));
        }
        let own = |(role, text): (_, &String)| {
            let own = engine.terms().read(text).map(Move).filter(|own| legal[role].contains(own));
            own.ok_or_else(|| format!("step {step}: {} cannot do {text}", engine.roles()[role]))
        };
        let joint: Vec<Move> = engine.each_role().zip(moves).map(own).collect::<Result<_, _>>()?;
        let joint = JointMove::new(joint);
        state = engine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    let goals = engine.goals(&state, &mut scratch);
    let goals: Vec<u8> = goals.values().iter().map(|goal| goal.value()).collect();
    let is_other = record.goals.is_some_and(|recorded| recorded != goals);
    if is_other { Err(format!("the goals are {goals:?}, not those of the record")) } else { Ok(history) }
}
