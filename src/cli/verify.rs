//! `hyperplay verify`: checks transcripts, and records of what a player knew, against the rules.

use clap::Args;
use serde_json::json;

use super::failure::{CommandFailure, CommandResult};
use super::output::{Output, printable};
use super::transcripts::{NO_RECORD_REMEDY, Rules, TranscriptArguments, is_of_player};
use hyperplay_play::for_engine::verify_evidence;
use hyperplay_play::referee::{
    EvidenceRecord, EvidenceVerdict, ExplainEffort, Transcript, verify, verify_commands,
};

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub struct VerifyArguments {
    #[command(flatten)]
    transcripts: TranscriptArguments,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// The result of the check of a line.
enum Found {
    /// It agrees with the rules.
    Agrees,
    /// It agrees up to this step, from 1, of which it does not say what happened.
    AgreesTo(usize),
    /// It cannot have happened as it is written.
    Differs(String),
    /// It was not found out.
    Undecided(String),
}

/// How many lines of one form there are, and how many of them agree with the rules.
#[derive(Default)]
struct Tally {
    lines: usize,
    agree: usize,
    undecided: usize,
}

impl Tally {
    fn count(&mut self, found: &Found) {
        self.lines += 1;
        self.agree += usize::from(matches!(found, Found::Agrees | Found::AgreesTo(_)));
        self.undecided += usize::from(matches!(found, Found::Undecided(_)));
    }
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &VerifyArguments, out: &Output) -> CommandResult {
    let lines = &arguments.transcripts;
    let mut rules = lines.rules();
    let (mut transcripts, mut records) = (Tally::default(), Tally::default());
    let (mut differences, mut undecided, mut holes) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines.lines()? {
        let (number, line) = line?;
        let is_of_player = is_of_player(&line);
        let found = if is_of_player { check_record(&mut rules, &line) } else { check(&mut rules, &line) };
        let found = match found {
            // The rules that this line names are not found, which says nothing of the other lines.
            Err(failure @ CommandFailure::Usage { .. }) if lines.game.is_none() => {
                Found::Differs(printable(&format!("{failure}; name the rules with --game")))
            }
            found => found?,
        };
        if is_of_player { &mut records } else { &mut transcripts }.count(&found);
        let said = match found {
            Found::Agrees => continue,
            Found::AgreesTo(step) => {
                holes.push(json!({ "line": number, "step": step }));
                format!("checked up to step {step}, of which the record does not say what happened")
            }
            Found::Differs(what) => {
                differences.push(json!({ "line": number, "difference": what }));
                what
            }
            Found::Undecided(why) => {
                undecided.push(json!({ "line": number, "why": why }));
                format!("undecided: {why}")
            }
        };
        if !arguments.json {
            out.line(format_args!("{}:{number}: {said}", lines.file))?;
        }
    }
    if transcripts.lines + records.lines == 0 {
        let what = format!("{}: no record in it", lines.file);
        return Err(CommandFailure::failed(what, NO_RECORD_REMEDY));
    }
    let is_good = differences.is_empty() && undecided.is_empty();
    if arguments.json {
        out.json(&json!({
            "transcripts": transcripts.lines,
            "records": records.lines,
            "agree": transcripts.agree + records.agree,
            "differences": differences,
            "undecided": undecided,
            "holes": holes,
        }))?;
    } else {
        if transcripts.lines > 0 {
            let Tally { lines, agree, .. } = transcripts;
            out.line(format_args!("{agree} of {lines} transcripts agree with the rules"))?;
        }
        if records.lines > 0 {
            let Tally { lines, agree, undecided } = records;
            let differ = lines - agree - undecided;
            let rest = format!("{differ} differ, {undecided} are undecided");
            out.line(format_args!("{agree} of {lines} records of players agree with the rules, {rest}"))?;
        }
    }
    if is_good { Ok(()) } else { Err(CommandFailure::Findings) }
}

/// The result of the check of a transcript.
fn check(rules: &mut Rules<'_>, line: &str) -> CommandResult<Found> {
    let transcript: Transcript = match serde_json::from_str(line) {
        Ok(transcript) => transcript,
        Err(error) => return Ok(Found::Differs(format!("not a transcript: {error}"))),
    };
    let (engine, hash) = rules.of(&transcript.game, transcript.chronon.and_then(|clock| clock.horizon))?;
    let commands = || engine.interaction().map_or(Ok(()), |machine| verify_commands(machine, &transcript));
    let agreement = verify(engine.as_ref(), hash, &transcript).and_then(|()| commands());
    Ok(agreement.map_or_else(|difference| Found::Differs(difference.to_string()), |()| Found::Agrees))
}

/// The result of the check of the record of a player.
fn check_record(rules: &mut Rules<'_>, line: &str) -> CommandResult<Found> {
    let record: EvidenceRecord = match serde_json::from_str(line) {
        Ok(record) => record,
        Err(error) => return Ok(Found::Differs(format!("not a record of a player: {error}"))),
    };
    let (engine, hash) = rules.of(&record.heading.game, None)?;
    Ok(match verify_evidence(engine, hash, &record, &ExplainEffort::default()) {
        // It holds words of a program that is not ours.
        Err(difference) => Found::Differs(printable(&difference.to_string())),
        Ok(EvidenceVerdict { undecided: Some(why), .. }) => Found::Undecided(printable(&why)),
        Ok(EvidenceVerdict { hole: Some(step), .. }) => Found::AgreesTo(step),
        Ok(_) => Found::Agrees,
    })
}
