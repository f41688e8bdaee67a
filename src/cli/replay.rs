//! `hyperplay replay`: shows the matches of a file of transcripts.
//!
//! A match is shown as `match --verbose` shows one that is played: the steps of the transcript become steps of a match
//! again. The belief of a player is not recorded; its values are if the match was played with `--values`. The steps are
//! shown as far as they agree with the rules; a difference is a failure that names it.

use clap::Args;
use serde_json::{Map, Value};

use super::failure::{CommandFailure, CommandResult};
use super::output::{Output, log, printable};
use super::transcripts::{NO_RECORD_REMEDY, TranscriptArguments, is_of_player};
use super::verbose::{ShownMatch, scores};
use hyperplay_engine::Engine;
use hyperplay_machine::{Role, StateMachine, StateMachineExt, counted};
use hyperplay_play::referee::{Transcript, TranscriptDifference, WalkedStep, verify};

/// Arguments of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArguments {
    #[command(flatten)]
    transcripts: TranscriptArguments,
    /// Show one state only: that after N steps; 0 is the start
    #[arg(long, value_name = "N")]
    step: Option<usize>,
    /// Which match of the file, numbered from 0 as `match` does [default: the first one]
    #[arg(long, value_name = "M")]
    r#match: Option<usize>,
    /// Show what one role did and perceived; the state only where all roles see it
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &ReplayArguments, out: &Output) -> CommandResult {
    let file = &arguments.transcripts.file;
    let mut rules = arguments.transcripts.rules();
    let (mut count, mut indices, mut is_shown) = (0_usize, Vec::new(), false);
    for line in arguments.transcripts.lines()? {
        let (number, line) = line?;
        count += 1;
        if is_shown {
            continue;
        }
        let place = format!("{file}:{number}");
        let transcript = read(&place, &line)?;
        if arguments.r#match.is_some_and(|index| index != transcript.index) {
            indices.push(transcript.index);
            continue;
        }
        let (engine, hash) =
            rules.of(&transcript.game, transcript.chronon.and_then(|clock| clock.horizon))?;
        Replay { arguments, place, engine, transcript: &transcript, out }.show(hash)?;
        is_shown = true;
    }
    match (is_shown, arguments.r#match, &indices[..]) {
        (true, None, _) if count > 1 => {
            log(format_args!("{file} has {count} matches; --match M shows another one"));
            Ok(())
        }
        (false, Some(index), [first, .., last]) => Err(CommandFailure::usage(
            format!("{file}: no match {index} in it"),
            format!("it has {count} matches, {first} to {last}"),
        )),
        (false, Some(index), [only]) => Err(CommandFailure::usage(
            format!("{file}: no match {index} in it"),
            format!("it has one match, {only}"),
        )),
        (false, _, _) => {
            Err(CommandFailure::failed(format!("{file}: no transcript in it"), NO_RECORD_REMEDY))
        }
        _ => Ok(()),
    }
}

/// The transcript of a line.
fn read(place: &str, line: &str) -> CommandResult<Transcript> {
    if is_of_player(line) {
        return Err(CommandFailure::failed(
            format!(
                "{place}: this is the record of what one player knew, and no transcript: the joint moves are not known"
            ),
            "`hyperplay verify` checks it; the transcript of the match is with the game master",
        ));
    }
    let remedy = "write transcripts with `hyperplay match GAME --transcript FILE`";
    serde_json::from_str(line).map_err(|error| {
        let keys = serde_json::from_str::<Map<String, Value>>(line).unwrap_or_default();
        let what = if keys.contains_key("deal") {
            format!("{place}: this is a record of an experiment, which holds no moves")
        } else {
            format!("{place}: not a transcript: {error}")
        };
        CommandFailure::failed(what, remedy)
    })
}

/// One match that is being shown.
struct Replay<'a> {
    arguments: &'a ReplayArguments,
    place: String,
    engine: &'a Engine,
    transcript: &'a Transcript,
    out: &'a Output,
}

impl Replay<'_> {
    fn show(&self, hash: &str) -> CommandResult {
        let Replay { transcript, out, .. } = self;
        let difference = verify(self.engine, hash, transcript).err();
        // How many steps agree with the rules.
        let agree = match &difference {
            None => transcript.steps.len(),
            Some(TranscriptDifference::Step { step, .. }) => step - 1,
            Some(TranscriptDifference::End { step, .. }) => *step,
            Some(difference) => return Err(self.differs(difference)),
        };
        let role = self.role()?;
        if let Some(step) = self.arguments.step {
            self.state(step, agree, difference.as_ref(), role)?;
        } else {
            let players = self.engine.each_role().zip(&transcript.players);
            let players: Vec<String> = players
                .filter_map(|(role, player)| {
                    player.as_ref().map(|player| format!("{}={player}", self.engine.roles()[role]))
                })
                .collect();
            let (index, game, seed) = (transcript.index, &transcript.game, transcript.seed);
            out.line(printable(&format!("match {index}: {game}, seed {seed}: {}", players.join(" "))))?;
            let mut shown = ShownMatch::new(self.engine, role);
            shown.start(out)?;
            for walked in transcript.walk(self.engine).take(agree) {
                shown.step(&walked.map_err(|difference| self.differs(&difference))?.step, out)?;
            }
            if difference.is_none() {
                self.end()?;
            }
        }
        match &difference {
            Some(difference) if self.arguments.step.is_none() => Err(self.differs(difference)),
            _ => Ok(()),
        }
    }

    /// Shows the state after `number` steps, and what can be done there.
    fn state(
        &self,
        number: usize,
        agree: usize,
        difference: Option<&TranscriptDifference>,
        role: Option<Role>,
    ) -> CommandResult {
        let (index, steps) = (self.transcript.index, self.transcript.steps.len());
        if number > steps {
            let steps = counted(steps as u64, "step");
            let what = format!("{}: --step {number}: match {index} has {steps}", self.place);
            return Err(CommandFailure::usage(
                what,
                format!("take 0, the start, to {}", self.transcript.steps.len()),
            ));
        }
        if let Some(difference) = difference.filter(|_| number > agree) {
            return Err(self.differs(difference));
        }
        let mut shown = ShownMatch::new(self.engine, role);
        let mut percepts = None;
        for walked in self.transcript.walk(self.engine).take(number) {
            let WalkedStep { step, .. } = walked.map_err(|difference| self.differs(&difference))?;
            shown.follow(&step);
            percepts = Some(step.percepts);
        }
        self.out.line(format_args!("match {index}, after {}", counted(number as u64, "step")))?;
        if role.is_none() || !self.engine.game().is_imperfect() {
            shown.draw(self.out)?;
        }
        let mut scratch = self.engine.scratch();
        // Steps that agree may still lead to another end than the transcript says.
        if let Some(difference) = difference.filter(|_| number == steps) {
            return Err(self.differs(difference));
        }
        if self.engine.terminal(&shown.state, &mut scratch) {
            return self.end();
        }
        let legal = self.engine.legal_by_role(&shown.state, &mut scratch);
        for (own, moves) in legal.iter().filter(|(own, _)| role.is_none_or(|role| role == *own)) {
            let name = &self.engine.roles()[own];
            if let (Some(percepts), true) = (&percepts, role.is_some()) {
                shown.perceived(own, &percepts[own], self.out)?;
            }
            self.out.line(format_args!("    {name} may do: {}", shown.list(moves)))?;
        }
        Ok(())
    }

    /// The role that looks on, if one is named.
    fn role(&self) -> CommandResult<Option<Role>> {
        let Some(name) = &self.arguments.role else { return Ok(None) };
        self.engine.role_named(name).map(Some).ok_or_else(|| {
            let roles = self.engine.roles().values().join(", ");
            CommandFailure::usage(
                format!("--role {name}: {} has no such role", self.transcript.game),
                format!("its roles are {roles}"),
            )
        })
    }

    fn differs(&self, difference: &TranscriptDifference) -> CommandFailure {
        let remedy = match difference {
            TranscriptDifference::Rules { .. } => "name the rules that it was made with: --game FILE",
            _ => "the transcript was changed, or the rules were; `hyperplay verify` checks the whole file",
        };
        CommandFailure::failed(format!("{}: {difference}", self.place), remedy)
    }

    fn end(&self) -> CommandResult {
        let Transcript { goals, steps, outcome, .. } = self.transcript;
        let Some(goals) = goals else {
            return self.out.line(format_args!("  unfinished after {} steps: {outcome}", steps.len()));
        };
        let goals = scores(self.engine, goals.iter().copied());
        self.out.line(format_args!("  over after {} steps: {goals}", steps.len()))
    }
}
