//! Verification of the commands in the record of an interaction.

use super::{ChrononClock, CommandRecord};
use crate::referee::{Agreement, MatchStep, Transcript, TranscriptDifference, WalkedStep};
use hyperplay_machine::{Role, StateMachine, StateMachineExt};
use hyperplay_sidl::InteractionMachine;

/// Checks what [`verify`](super::super::verify()) does not: that the recorded commands come to the recorded moves, that
/// every time lies within its chronon, and that the states are those of the rules. For a transcript that passed
/// [`verify`](super::super::verify()).
///
/// # Errors
/// The first difference.
pub fn verify_commands(machine: &InteractionMachine, transcript: &Transcript) -> Agreement {
    let Some(clock) = transcript.chronon else { return Ok(()) };
    let mut scratch = machine.scratch();
    for (index, (record, walked)) in transcript.steps.iter().zip(transcript.walk(machine)).enumerate() {
        let WalkedStep { before, step: MatchStep { joint, .. }, after } = walked?;
        let differs = |what| TranscriptDifference::Step { step: index + 1, what };
        let Some(chronon) = &record.chronon else {
            return Err(differs("the commands of the chronon are missing".to_owned()));
        };
        let next = transcript.steps.get(index + 1).and_then(|next| next.chronon.as_ref()?.begun);
        let length = chronon.begun.zip(next).map(|(begun, next)| (next - begun) * 1e3);
        for command in &chronon.commands {
            check_time(command, clock, length).map_err(differs)?;
        }
        for role in machine.each_role().filter(|&role| machine.random() != Some(role)) {
            let commands = accepted(machine, role, &chronon.commands).map_err(differs)?;
            let own = machine.move_of_commands(&before, role, &commands, &mut scratch);
            if own != Some(joint.of(role)) {
                let name = &machine.roles()[role];
                let made = own.map_or("no move".to_owned(), |own| machine.show_move(own));
                let written = machine.show_move(joint.of(role));
                return Err(differs(format!("the commands of {name} come to {made}, not to {written}")));
            }
        }
        let expected = machine.fluents(&after);
        if chronon.state != expected {
            let what = format!("the state is {}, not {}", expected.join(" "), chronon.state.join(" "));
            return Err(differs(what));
        }
    }
    Ok(())
}

/// The moments of chronons are read off two clocks, which may drift apart by this number of milliseconds.
const DRIFT: f64 = 5.0;

/// Whether a command has a time if the clock was real, and whether it lies in its chronon. The length of the last
/// chronon is not recorded.
fn check_time(command: &CommandRecord, clock: ChrononClock, length: Option<f64>) -> Result<(), String> {
    let CommandRecord { agent, switch, milliseconds, .. } = command;
    let latest = clock.seconds.map(|seconds| seconds * 1e3);
    match (milliseconds, latest) {
        (None, None) => Ok(()),
        (Some(at), Some(_)) if (0.0..=length.map_or(f64::MAX, |length| length + DRIFT)).contains(at) => {
            Ok(())
        }
        (Some(at), _) => Err(format!("the command of {agent} for {switch} came at {at} ms")),
        (None, Some(_)) => Err(format!("the command of {agent} for {switch} has no time")),
    }
}

/// The commands of a role that were not refused.
fn accepted(
    machine: &InteractionMachine,
    role: Role,
    commands: &[CommandRecord],
) -> Result<Vec<(hyperplay_logic::gdl::TermId, hyperplay_logic::gdl::TermId)>, String> {
    let of_role =
        commands.iter().filter(|command| command.agent.eq_ignore_ascii_case(&machine.roles()[role]));
    of_role
        .filter(|command| command.refused.is_none())
        .map(|command| {
            machine.command(role, &command.switch, &command.alias).map_err(|fault| {
                format!("{} cannot set {} to {}: {fault}", command.agent, command.switch, command.alias)
            })
        })
        .collect()
}
