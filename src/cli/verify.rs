//! `hyperplay verify`: checks transcripts against the rules.

use clap::Args;
use serde_json::{Value, json};

use super::failure::CommandFailure;
use super::output::Output;
use super::transcripts::{Rules, TranscriptArguments};
use hyperplay_play::referee::{Transcript, verify};

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub struct VerifyArguments {
    #[command(flatten)]
    transcripts: TranscriptArguments,
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
    let transcripts = &arguments.transcripts;
    let mut rules = transcripts.rules();
    let (mut count, mut bad) = (0, Vec::new());
    for line in transcripts.lines()? {
        let (number, line) = line?;
        count += 1;
        if let Some(what) = check(&mut rules, &line)? {
            if !arguments.json {
                out.line(format_args!("{}:{number}: {what}", transcripts.file))?;
            }
            bad.push(Bad { line: number, what });
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

/// What is wrong with a line, if anything.
fn check(rules: &mut Rules<'_>, line: &str) -> Result<Option<String>, CommandFailure> {
    let transcript: Transcript = match serde_json::from_str(line) {
        Ok(transcript) => transcript,
        Err(error) => return Ok(Some(format!("not a transcript: {error}"))),
    };
    let (engine, hash) = rules.of(&transcript)?;
    Ok(verify(engine.as_ref(), hash, &transcript).err().map(|difference| difference.to_string()))
}
