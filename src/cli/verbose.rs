//! A match step by step: what each role may do, believes, chooses and then perceives.

use super::failure::CommandFailure;
use super::output::Output;
use hyperplay_engine::machine::{Move, Role, StateMachine, StateMachineExt};
use hyperplay_play::player::Decision;
use hyperplay_play::referee::{FaultKind, Match, MatchOutcome, MatchStep};

/// Moves shown with their values, the best first; the others are counted.
const SHOWN: usize = 12;

/// Announces a match.
///
/// # Errors
/// If standard output cannot be written to; so for the others.
pub fn begin(index: usize, out: &Output) -> Result<(), CommandFailure> {
    out.line(format_args!("match {index}"))
}

/// Shows a step; `number` counts from 1.
///
/// # Errors
/// See [`begin`].
pub fn step<M: StateMachine>(
    machine: &M,
    number: usize,
    step: &MatchStep,
    out: &Output,
) -> Result<(), CommandFailure> {
    out.line(format_args!("  step {number}"))?;
    for role in machine.each_role() {
        let (name, legal) = (&machine.roles()[role], &step.legal[role]);
        if let ([only], true) = (&legal[..], step.faults.iter().all(|fault| fault.role != role)) {
            out.line(format_args!("    {name} does {}, its only move", machine.show_move(*only)))?;
            continue;
        }
        out.line(format_args!("    {name} may do: {}", list(machine, legal)))?;
        if let Some(decision) = &step.decisions[role] {
            judgement(machine, decision, out)?;
        }
        for fault in step.faults.iter().filter(|fault| fault.role == role) {
            let what = match &fault.kind {
                FaultKind::Late => "is late".to_owned(),
                FaultKind::Illegal(own) => format!("answers {}, which is not legal", machine.show_move(*own)),
                FaultKind::Crashed(message) => format!("has crashed: {message}"),
            };
            out.line(format_args!("      {what}; the referee draws a legal move"))?;
        }
        out.line(format_args!("      does {}", machine.show_move(step.joint.of(role))))?;
    }
    for role in machine.each_role().filter(|&role| machine.random() != Some(role)) {
        let seen: Vec<String> = step.percepts[role].iter().map(|seen| machine.terms().show(seen.0)).collect();
        let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(" ") };
        out.line(format_args!("    {} perceives {seen}", machine.roles()[role]))?;
    }
    Ok(())
}

/// Shows how a match ended.
///
/// # Errors
/// See [`begin`].
pub fn end<M: StateMachine>(machine: &M, played: &Match, out: &Output) -> Result<(), CommandFailure> {
    let name = |role: Role| &machine.roles()[role];
    match &played.outcome {
        MatchOutcome::Over(goals) => {
            let goals = goals.iter().filter(|(role, _)| machine.random() != Some(*role));
            let goals: Vec<String> =
                goals.map(|(role, goal)| format!("{} {}", name(role), goal.value())).collect();
            out.line(format_args!("  over after {} steps: {}", played.steps.len(), goals.join(", ")))
        }
        MatchOutcome::StepLimit => out.line("  unfinished: the step limit"),
        MatchOutcome::NoLegalMove(role) => {
            out.line(format_args!("  unfinished: {} has no legal move, a fault of the rules", name(*role)))
        }
        MatchOutcome::Failed(failure) => out.line(format_args!("  unfinished: {failure}")),
        MatchOutcome::Interrupted => out.line("  interrupted"),
    }
}

/// What a player believed and how it judged, in its own words; if it has none, its values.
fn judgement<M: StateMachine>(machine: &M, decision: &Decision, out: &Output) -> Result<(), CommandFailure> {
    for line in &decision.explanation {
        out.line(format_args!("      {line}"))?;
    }
    if decision.depleted {
        out.line("      its belief is depleted")?;
    }
    if decision.recovered {
        out.line("      its belief has recovered")?;
    }
    if !decision.explanation.is_empty() {
        return Ok(());
    }
    let share =
        |own: Move| decision.policy.iter().find(|(of, _)| *of == own).map_or(0.0, |&(_, share)| share);
    let mut values = decision.values.clone();
    values.sort_by(|a, b| b.1.total_cmp(&a.1));
    for &(own, value) in values.iter().take(SHOWN) {
        let share = 100.0 * share(own);
        out.line(format_args!("      {value:6.2}  {} ({share:.0} %)", machine.show_move(own)))?;
    }
    if values.len() > SHOWN {
        out.line(format_args!("      and {} more", values.len() - SHOWN))?;
    }
    Ok(())
}

fn list<M: StateMachine>(machine: &M, moves: &[Move]) -> String {
    let mut shown: Vec<String> = moves.iter().take(SHOWN).map(|&own| machine.show_move(own)).collect();
    if moves.len() > SHOWN {
        shown.push(format!("and {} more", moves.len() - SHOWN));
    }
    shown.join(" ")
}
