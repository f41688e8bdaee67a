//! The findings of a bounded search about a game as a whole.
//!
//! Playability (no reachable state leaves a role without a move: refuted is a fault), weak winnability of every role
//! but `random` (refuted is a warning) and strong winnability of the game (some role can force its best goal; refuted
//! is a warning for a game of one role, where it is the same as weak, and a note for others, where it is usual). A
//! claim that is shown comes with a line of play.
//!
//! The best goal of a role is the highest value that a clause names for it. Where a clause computes the value, it is
//! the highest of all ends, and so it is known only if all states were searched.

use super::places::Places;
use super::{Effort, Reach, ReachKind, Sight, Winnability, reach, strongly, weakly};
use crate::referee::Interrupt;
use hyperplay_logic::gdl::{Finding, FindingCode, Severity, Symbol, Term};
use hyperplay_machine::{Goal, JointMove, Role, StateMachine, StateMachineExt, counted};

/// The longest line of play that is printed in full, in steps.
const SHOWN: usize = 30;

/// The findings of the search, the number of states searched, and whether they are all.
pub(super) fn prospects<M: StateMachine>(
    machine: &M,
    places: &Places<'_>,
    effort: &Effort,
    interrupt: &Interrupt,
    tick: &(dyn Fn() + Sync),
) -> (Vec<Finding>, Option<(usize, bool)>) {
    let visit = |sight: Sight<'_, _>| {
        if let Sight::Step(..) = sight {
            tick();
        }
    };
    let reach = match reach(machine, effort.search, interrupt, visit) {
        Ok(reach) => reach,
        Err(failure) => return (vec![places.failed(&failure)], None),
    };
    let states = (reach.graph.node_count(), reach.complete);
    let search = Search { machine, places, reach };
    let roles: Vec<Role> = machine.each_role().filter(|&role| machine.random() != Some(role)).collect();
    let mut findings = vec![search.playable(Role::new(0))];
    findings.extend(roles.iter().map(|&role| search.weakly_winnable(role)));
    findings.extend(search.strongly_winnable(&roles));
    (findings, Some(states))
}

struct Search<'a, M> {
    machine: &'a M,
    places: &'a Places<'a>,
    reach: Reach,
}

impl<M: StateMachine> Search<'_, M> {
    fn finding(&self, code: FindingCode, severity: Severity, role: Role, message: String) -> Finding {
        Finding::new(code, severity, self.places.role(role), message)
    }

    fn states(&self) -> String {
        format!("the {} searched", counted(self.reach.graph.node_count() as u64, "state"))
    }

    fn playable(&self, first: Role) -> Finding {
        if let Some((state, role)) = self.reach.stuck() {
            let (name, line) = (&self.machine.roles()[role], self.line(&self.reach.line(state)));
            let message = format!("not playable: {name} has no legal move after {line}");
            let finding = self.finding(FindingCode::Playable, Severity::Fault, role, message);
            return finding.help("give it a move, such as noop, or end the game there");
        }
        let states = self.states();
        let message = match self.reach.complete {
            true => format!("playable: every role can move in each of {states}, which are all"),
            false => format!("playability is undecided: every role can move in {states}, which are not all"),
        };
        self.finding(FindingCode::Playable, Severity::Note, first, message)
    }

    fn weakly_winnable(&self, role: Role) -> Finding {
        let (name, (best, _)) = (&self.machine.roles()[role], self.best(role));
        let goal = best.value();
        let (severity, message) = match weakly(&self.reach, role, best) {
            Winnability::Shown(line) => {
                (Severity::Note, format!("weakly winnable: {name} gets {goal} by {}", self.line(&line)))
            }
            Winnability::Refuted => {
                (Severity::Warning, format!("not weakly winnable: no line of play gives {name} {goal}"))
            }
            Winnability::Undecided => (
                Severity::Note,
                format!("whether {name} can get {goal} is undecided: not in {}", self.states()),
            ),
        };
        self.finding(FindingCode::WeaklyWinnable, severity, role, message)
    }

    fn strongly_winnable(&self, roles: &[Role]) -> Option<Finding> {
        let verdict = |&role| {
            let (best, is_known) = self.best(role);
            match strongly(&self.reach, role, best) {
                // A role that cannot force 100 may still force its best goal.
                Winnability::Refuted if !is_known => (role, Winnability::Undecided),
                verdict => (role, verdict),
            }
        };
        let verdicts: Vec<(Role, Winnability)> = roles.iter().map(verdict).collect();
        let first = *roles.first()?;
        let shown = verdicts.iter().find_map(|(role, verdict)| match verdict {
            Winnability::Shown(line) => Some((*role, line)),
            _ => None,
        });
        if let Some((role, line)) = shown {
            let (name, goal, line) =
                (&self.machine.roles()[role], self.best(role).0.value(), self.line(line));
            let by = format!("{name} gets {goal} whatever the others do, for example by {line}");
            let message = if self.places.game.is_imperfect() {
                format!("strong winnability is undecided: if it saw the whole state, {by}")
            } else {
                format!("strongly winnable: {by}")
            };
            return Some(self.finding(FindingCode::StronglyWinnable, Severity::Note, role, message));
        }
        let refuted = verdicts.iter().all(|(_, verdict)| *verdict == Winnability::Refuted);
        let alone = self.machine.roles().len() == 1;
        let severity = if refuted && alone { Severity::Warning } else { Severity::Note };
        let message = if refuted {
            "not strongly winnable: no role can get its best goal against all that the others do".to_owned()
        } else {
            format!("strong winnability is undecided after {}", self.states())
        };
        Some(self.finding(FindingCode::StronglyWinnable, severity, first, message))
    }

    /// The best goal of a role, and whether it is known: where a clause computes goals and not all states were
    /// searched, it may be any up to 100.
    fn best(&self, role: Role) -> (Goal, bool) {
        let game = self.places.game;
        let name = game.terms().term(game.roles()[role.index()]);
        let values =
            game.rules().iter().filter(|rule| rule.head.relation == Symbol::GOAL).filter_map(|rule| {
                let [of, value] = &rule.head.arguments[..] else { return None };
                of.may_unify(&name).then_some(match value {
                    Term::Constant(number) => {
                        Some(Goal::nearest(game.terms().symbols().name(*number)).unwrap_or_default())
                    }
                    _ => None,
                })
            });
        let named: Option<Vec<Goal>> = values.collect();
        let ends = self.reach.graph.node_weights().filter_map(|node| match &node.kind {
            ReachKind::Terminal(goals) => Some(goals[role]),
            _ => None,
        });
        match named {
            Some(named) => (named.into_iter().max().unwrap_or(Goal::MAX), true),
            None if self.reach.complete => (ends.max().unwrap_or(Goal::MAX), true),
            None => (Goal::MAX, false),
        }
    }

    fn line(&self, line: &[JointMove]) -> String {
        if line.is_empty() {
            return "no step at all".to_owned();
        }
        let joint = |joint: &JointMove| {
            let moves: Vec<String> = joint.iter().map(|&own| self.machine.show_move(own)).collect();
            moves.join(" ")
        };
        let mut shown: Vec<String> = line.iter().take(SHOWN).map(joint).collect();
        if line.len() > SHOWN {
            shown.push(format!("... ({} steps)", line.len()));
        }
        shown.join(" | ")
    }
}
