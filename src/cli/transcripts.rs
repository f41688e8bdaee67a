//! Files of transcripts and of records of players, and the rules that they name: the code that `verify` and `replay`
//! share.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::{RulesOption, syntaxes};
use super::options::EngineOption;
use super::output::printable;
use hyperplay_engine::Engine;
use hyperplay_experiment::PLAN;
use hyperplay_logic::gdl::Syntax;
use hyperplay_play::files::FileError;
use hyperplay_play::referee::EVIDENCE_SCHEMA;
use serde::Deserialize;

/// The remedy for a file that holds no transcript.
pub const NO_RECORD_REMEDY: &str = "write transcripts with `hyperplay match GAME --transcript FILE`";

/// Which transcripts, and which rules they are read with.
#[derive(Args, Debug)]
pub struct TranscriptArguments {
    /// A file of transcripts or of records of players, one a line, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The rules: a file or a built-in game [default: the game that each line names; a path is looked for in the folder
    /// of FILE first]
    #[arg(long)]
    pub game: Option<String>,
    /// The syntax of the rules [default: recognised from the text]
    #[arg(long, value_name = "SYNTAX", value_parser = syntaxes())]
    syntax: Option<Syntax>,
    #[command(flatten)]
    engine: EngineOption,
}

impl TranscriptArguments {
    /// The lines that are not empty, each with its number from 1.
    ///
    /// # Errors
    /// If the file cannot be opened or read.
    pub fn lines(&self) -> CommandResult<impl Iterator<Item = CommandResult<(usize, String)>>> {
        let what = "standard input cannot be both the transcripts and the rules";
        refuse_if(
            self.file == "-" && self.game.as_deref() == Some("-"),
            what,
            "name a file for one of them",
        )?;
        let file = &self.file;
        refuse_if(
            Path::new(file).join(PLAN).is_file(),
            format!("{file}: the folder of an experiment"),
            format!("`hyperplay experiment verify {file}` checks it"),
        )?;
        let (path, name, other) = (file.clone(), file.clone(), file.clone());
        let failed = move |cause| CommandFailure::from(FileError::System(path.clone().into(), cause));
        let reader: Box<dyn BufRead> = if self.file == "-" {
            Box::new(std::io::stdin().lock())
        } else {
            Box::new(BufReader::new(File::open(&self.file).map_err(&failed)?))
        };
        let lines = (1..).zip(reader.lines());
        let no_text = move |number: usize, cause: std::io::Error| match cause.kind() {
            ErrorKind::InvalidData => {
                CommandFailure::failed(format!("{name}:{number}: this is no text"), NO_RECORD_REMEDY)
            }
            _ => failed(cause),
        };
        let lines = lines.map(move |(number, line)| {
            let line = line.map_err(|cause| no_text(number, cause))?;
            if number == 1 { refuse_other(&other, &line) } else { Ok(()) }.map(|()| (number, line))
        });
        Ok(lines.filter(|line| line.as_ref().map_or(true, |(_, line)| !line.trim().is_empty())))
    }

    /// The rules of these transcripts.
    pub fn rules(&self) -> Rules<'_> {
        Rules { arguments: self, engines: BTreeMap::new() }
    }
}

/// Refuses a file of this program that has another form, which its first line says.
fn refuse_other(file: &str, first: &str) -> CommandResult {
    let schema = first.split('"').nth(3).and_then(|schema| schema.strip_prefix("hyperplay."));
    let (what, remedy) = match schema.and_then(|schema| schema.split('/').next()) {
        Some("matches" | "turns" | "timings") => (
            "the records of an experiment",
            "`hyperplay experiment verify DIR` checks the folder of an experiment",
        ),
        Some("policy") => ("a policy file", "`hyperplay exploit GAME ROLE=policy:FILE` judges it"),
        _ => return Ok(()),
    };
    Err(CommandFailure::failed(format!("{file}: {what}, and no transcripts"), remedy))
}

/// Whether a line is the record of what a player knew, of whatever version, and not a transcript.
pub fn is_of_player(line: &str) -> bool {
    #[derive(Deserialize)]
    struct Line {
        schema: String,
    }
    let of_schema = |schema: &str| schema.rsplit_once('/').map(|(form, _)| form.to_owned());
    let form = of_schema(EVIDENCE_SCHEMA);
    serde_json::from_str(line).is_ok_and(|line: Line| of_schema(&line.schema) == form)
}

/// Where the rules are that a line of `file` names: beside it, if they are there.
fn beside(file: &str, named: &str) -> String {
    let folder = Path::new(file).parent().filter(|_| file != "-" && Path::new(named).is_relative());
    let path = folder.map(|folder| folder.join(named)).filter(|path| path.is_file());
    path.map_or_else(|| named.to_owned(), |path| path.display().to_string())
}

/// The engines of the games that were named, with the hash of their rules.
pub struct Rules<'a> {
    arguments: &'a TranscriptArguments,
    engines: BTreeMap<(String, Option<u32>), (Arc<Engine>, String)>,
}

impl Rules<'_> {
    /// The engine and the hash of the rules that a transcript or a record names.
    ///
    /// # Errors
    /// If the rules are not named or cannot be read.
    pub fn of(&mut self, named: &str, horizon: Option<u32>) -> CommandResult<&(Arc<Engine>, String)> {
        let name = self.arguments.game.clone().unwrap_or_else(|| beside(&self.arguments.file, named));
        refuse_if(
            name == "-" && self.arguments.game.is_none(),
            "the transcript does not name its rules",
            "name them with --game",
        )?;
        let key = (name.clone(), horizon);
        if !self.engines.contains_key(&key) {
            let rules = RulesOption { syntax: self.arguments.syntax, strict: false, horizon };
            let opened = rules.open(&name).map_err(|failure| match failure {
                CommandFailure::Usage { what, .. } => {
                    CommandFailure::usage(printable(&what), "name the rules with --game")
                }
                failure => failure,
            })?;
            let (_, engine) = self.arguments.engine.open_for_steps(&opened)?;
            self.engines.insert(key.clone(), (engine, opened.hash()));
        }
        Ok(&self.engines[&key])
    }
}
