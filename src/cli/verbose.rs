//! A match step by step: the legal moves, belief, choice and then percepts of each role, and the state as a board.
//!
//! Terms are written in the syntax of the rulesheet. `replay` shows recorded matches by the same functions.

use super::failure::CommandResult;
use super::output::{Output, some};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{Move, Percepts, Role, State, StateMachine, StateMachineExt};
use hyperplay_play::player::Decision;
use hyperplay_play::referee::{FaultKind, Match, MatchOutcome, MatchStep};
use hyperplay_view::BoardLayout;

/// Moves shown with their values, the best first; the others are counted.
const SHOWN: usize = 12;

/// A match that is being shown: the state that it has reached.
pub struct ShownMatch<'a> {
    machine: &'a Engine,
    layout: BoardLayout,
    /// The role that looks on, if it is one; the state is then its secret too.
    of: Option<Role>,
    pub state: State,
    scratch: EngineScratch,
    steps: usize,
}

impl<'a> ShownMatch<'a> {
    /// A match of which nothing has been played yet, as everybody sees it, or one role.
    pub fn new(machine: &'a Engine, of: Option<Role>) -> ShownMatch<'a> {
        let (layout, state) = (BoardLayout::of(machine.game()), machine.initial());
        ShownMatch { machine, layout, of, state, scratch: machine.scratch(), steps: 0 }
    }

    /// Shows the initial state.
    ///
    /// # Errors
    /// If standard output cannot be written to; so for the others.
    pub fn start(&self, out: &Output) -> CommandResult {
        if self.shows_state() {
            out.line("  start")?;
            self.draw(out)?;
        }
        Ok(())
    }

    /// Shows a step and the state after it.
    ///
    /// # Errors
    /// See [`ShownMatch::start`].
    pub fn step(&mut self, step: &MatchStep, out: &Output) -> CommandResult {
        out.line(format_args!("  step {}", self.steps + 1))?;
        for role in self.machine.each_role().filter(|&role| self.of.is_none_or(|of| of == role)) {
            self.moves(role, step, out)?;
        }
        for role in self.machine.each_role().filter(|&role| self.is_seen(role)) {
            self.perceived(role, &step.percepts[role], out)?;
        }
        let before = self.machine.holds(&self.state);
        self.follow(step);
        if self.shows_state() {
            indented(&self.layout.draw_change(&before, &self.machine.holds(&self.state)), out)?;
        }
        Ok(())
    }

    /// Follows a step without showing it.
    pub fn follow(&mut self, step: &MatchStep) {
        self.state = self.machine.next(&self.state, &step.joint, &mut self.scratch);
        // The referee has met a failure of this step before, and reports it.
        self.machine.take_failure(&mut self.scratch);
        self.steps += 1;
    }

    /// Shows the state at hand alone.
    ///
    /// # Errors
    /// See [`ShownMatch::start`].
    pub fn draw(&self, out: &Output) -> CommandResult {
        indented(&self.layout.draw(&self.machine.holds(&self.state)), out)
    }

    /// Shows what a role perceived.
    ///
    /// # Errors
    /// See [`ShownMatch::start`].
    pub fn perceived(&self, role: Role, percepts: &Percepts, out: &Output) -> CommandResult {
        out.line(format_args!("    {} perceives {}", self.machine.roles()[role], self.percepts(percepts)))
    }

    /// A role that looks on does not see the state unless everybody does.
    fn shows_state(&self) -> bool {
        self.of.is_none() || !self.machine.game().is_imperfect()
    }

    /// Whether the percepts of a role are shown.
    fn is_seen(&self, role: Role) -> bool {
        self.of.map_or(self.machine.random() != Some(role), |of| of == role)
    }

    fn moves(&self, role: Role, step: &MatchStep, out: &Output) -> CommandResult {
        let (name, legal) = (&self.machine.roles()[role], &step.legal[role]);
        if let ([only], true) = (&legal[..], step.faults.iter().all(|fault| fault.role != role)) {
            return out.line(format_args!("    {name} does {}, its only move", self.term(only.0)));
        }
        out.line(format_args!("    {name} may do: {}", self.list(legal)))?;
        if let Some(decision) = &step.decisions[role] {
            self.judgement(decision, out)?;
        }
        for fault in step.faults.iter().filter(|fault| fault.role == role) {
            let what = match &fault.kind {
                FaultKind::Late(_) => "is late".to_owned(),
                FaultKind::Illegal(answer) => format!("answers {answer}, which is not legal"),
                FaultKind::Unreachable(cause) => format!("cannot be reached: {cause}"),
                FaultKind::Crashed(message) => format!("has crashed: {message}"),
                FaultKind::Dropped => "is not asked any more".to_owned(),
            };
            out.line(format_args!("      {what}; the referee takes a legal move"))?;
        }
        out.line(format_args!("      does {}", self.term(step.joint.of(role).0)))
    }

    /// The belief and the judgement of a player, in its own words; if it has none, its values.
    fn judgement(&self, decision: &Decision, out: &Output) -> CommandResult {
        for line in decision.explain(self.machine) {
            out.line(format_args!("      {line}"))?;
        }
        if decision.depleted {
            out.line("      its belief is depleted")?;
        }
        if decision.recovered {
            out.line("      its belief has recovered")?;
        }
        if !decision.reasons.is_empty() {
            return Ok(());
        }
        let share =
            |own: Move| decision.policy.iter().find(|(of, _)| *of == own).map_or(0.0, |&(_, share)| share);
        let mut values = decision.values.clone();
        values.sort_by(|a, b| b.1.total_cmp(&a.1));
        for &(own, value) in values.iter().take(SHOWN) {
            let share = 100.0 * share(own);
            out.line(format_args!("      {value:6.2}  {} ({share:.0} %)", self.term(own.0)))?;
        }
        if values.len() > SHOWN {
            out.line(format_args!("      and {} more", values.len() - SHOWN))?;
        }
        Ok(())
    }

    /// Moves as the rulesheet would write them; of many the first ones.
    pub fn list(&self, moves: &[Move]) -> String {
        some(moves.iter().map(|own| self.term(own.0)), SHOWN)
    }

    fn percepts(&self, percepts: &Percepts) -> String {
        let seen: Vec<String> = percepts.iter().map(|seen| self.term(seen.0)).collect();
        if seen.is_empty() { "nothing".to_owned() } else { seen.join(" ") }
    }

    fn term(&self, term: TermId) -> String {
        self.machine.game().show(term)
    }
}

fn indented(text: &str, out: &Output) -> CommandResult {
    text.lines().try_for_each(|line| out.line(format_args!("    {line}")))
}

/// The goals of the roles that choose, in a line.
pub fn scores<M: StateMachine>(machine: &M, goals: impl Iterator<Item = u8>) -> String {
    let goals = machine.each_role().zip(goals).filter(|&(role, _)| machine.random() != Some(role));
    goals.map(|(role, goal)| format!("{} {goal}", machine.roles()[role])).collect::<Vec<_>>().join(", ")
}

/// Shows how a match ended.
///
/// # Errors
/// If standard output cannot be written.
pub fn end<M: StateMachine>(machine: &M, played: &Match, out: &Output) -> CommandResult {
    let name = |role: Role| &machine.roles()[role];
    match &played.outcome {
        MatchOutcome::Over(goals) => {
            let goals = scores(machine, goals.values().iter().map(|goal| goal.value()));
            out.line(format_args!("  over after {} steps: {goals}", played.steps.len()))
        }
        MatchOutcome::StepLimit => out.line("  unfinished: the step limit"),
        MatchOutcome::NoLegalMove(role) => {
            out.line(format_args!("  unfinished: {} has no legal move, a fault of the rules", name(*role)))
        }
        MatchOutcome::Failed(failure) => out.line(format_args!("  unfinished: {failure}")),
        MatchOutcome::Interrupted => out.line("  interrupted"),
    }
}
