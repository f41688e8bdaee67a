//! `hyperplay verify`: checks transcripts against the rules.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::failure::CommandFailure;
use super::game_argument::{GameArgument, SyntaxArgument};
use super::options::EngineOption;
use super::output::Output;
use hyperplay_engine::Engine;
use hyperplay_play::referee::{Transcript, verify};

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub struct VerifyArguments {
    /// A file of transcripts, one a line, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The rules: a file or a built-in game [default: the game that each transcript names]
    #[arg(long)]
    game: Option<String>,
    /// The syntax of the rules [default: recognised from the text]
    #[arg(long)]
    syntax: Option<SyntaxArgument>,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// A transcript that does not agree with the rules.
struct Bad {
    line: usize,
    what: String,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &VerifyArguments, out: &Output) -> Result<(), CommandFailure> {
    if arguments.file == "-" && arguments.game.as_deref() == Some("-") {
        let what = "standard input cannot be both the transcripts and the rules";
        return Err(CommandFailure::usage(what, "name a file for one of them"));
    }
    let failed = |cause| CommandFailure::File { path: arguments.file.clone().into(), cause };
    let reader: Box<dyn BufRead> = if arguments.file == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(&arguments.file).map_err(failed)?))
    };
    let mut rules = Rules { arguments, engines: BTreeMap::new() };
    let (mut count, mut bad) = (0, Vec::new());
    for (index, line) in reader.lines().enumerate() {
        let line = line.map_err(failed)?;
        if line.trim().is_empty() {
            continue;
        }
        count += 1;
        if let Some(what) = rules.check(&line)? {
            if !arguments.json {
                out.line(format_args!("{}:{}: {what}", arguments.file, index + 1))?;
            }
            bad.push(Bad { line: index + 1, what });
        }
    }
    if arguments.json {
        let differences: Vec<Value> =
            bad.iter().map(|bad| json!({ "line": bad.line, "difference": bad.what })).collect();
        out.json(&json!({ "transcripts": count, "agree": count - bad.len(), "differences": differences }))?;
    } else {
        out.line(format_args!("{} of {count} transcripts agree with the rules", count - bad.len()))?;
    }
    if bad.is_empty() { Ok(()) } else { Err(CommandFailure::Findings) }
}

/// The engines of the games that were named, with the hash of their rules.
struct Rules<'a> {
    arguments: &'a VerifyArguments,
    engines: BTreeMap<String, (Arc<Engine>, String)>,
}

impl Rules<'_> {
    /// What is wrong with a line, if anything.
    fn check(&mut self, line: &str) -> Result<Option<String>, CommandFailure> {
        let transcript: Transcript = match serde_json::from_str(line) {
            Ok(transcript) => transcript,
            Err(error) => return Ok(Some(format!("not a transcript: {error}"))),
        };
        let (engine, hash) = self.of(&transcript)?;
        Ok(verify(engine.as_ref(), hash, &transcript).err().map(|difference| difference.to_string()))
    }

    fn of(&mut self, transcript: &Transcript) -> Result<&(Arc<Engine>, String), CommandFailure> {
        let name = self.arguments.game.as_ref().unwrap_or(&transcript.game).clone();
        if name == "-" && self.arguments.game.is_none() {
            return Err(CommandFailure::usage(
                "the transcript does not name its rules",
                "name them with --game",
            ));
        }
        if !self.engines.contains_key(&name) {
            let opened =
                GameArgument { game: name.clone(), syntax: self.arguments.syntax, strict: false }.open();
            let opened = opened.map_err(|failure| match failure {
                CommandFailure::Usage { what, .. } => {
                    CommandFailure::usage(what, "name the rules with --game")
                }
                failure => failure,
            })?;
            let (_, engine) = self.arguments.engine.open_for_steps(&opened)?;
            self.engines.insert(name.clone(), (engine, opened.hash()));
        }
        Ok(&self.engines[&name])
    }
}
