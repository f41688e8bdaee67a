//! An engine that makes the moves of a match on states of its own and is compared with the interpreter.

use std::sync::Arc;

use super::difference::{EngineDifference, fact};
use super::{Answers, Disagreement};
use crate::{Engine, EngineScratch};
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{
    Bulk, ByRole, Goal, JointMove, Move, Percepts, State, StateMachine, StateMachineExt,
};

/// Steps made at once in bulk: more than any engine takes in one pass.
const BULK: usize = 600;

/// An engine that follows a match.
pub(super) struct Follower {
    machine: Arc<Engine>,
    scratch: EngineScratch,
    /// The states of the match, one more than the steps.
    states: Vec<State>,
    /// The goals of each state that has been compared, if it is an end.
    ends: Vec<Option<ByRole<Goal>>>,
    /// The steps, with what was perceived of them.
    steps: Vec<(JointMove, ByRole<Percepts>)>,
}

impl Follower {
    /// An engine in the initial state.
    pub(super) fn new(engine: &Arc<Engine>) -> Follower {
        Follower {
            machine: Arc::clone(engine),
            scratch: engine.scratch(),
            states: vec![engine.initial()],
            ends: Vec::new(),
            steps: Vec::new(),
        }
    }

    fn state(&self) -> &State {
        self.states.last().expect("there is the initial state")
    }

    /// The difference between two lists of facts about step `step`, or about its state only.
    fn differs(
        &self,
        question: &'static str,
        step: usize,
        of_step: Option<&JointMove>,
        expected: Vec<String>,
        found: Vec<String>,
    ) -> Disagreement {
        let (machine, place) = ((&*self.machine, self.machine.kind()), (step, &self.states[step], of_step));
        Disagreement::Differs(EngineDifference::new(machine, place, question, [expected, found]))
    }

    fn show(&self, term: TermId) -> String {
        self.machine.terms().show(term)
    }

    fn by_role<T>(&self, lists: &ByRole<T>, facts: impl Fn(&str, &T) -> Vec<String>) -> Vec<String> {
        lists.iter().flat_map(|(role, list)| facts(&self.machine.roles()[role], list)).collect()
    }

    fn legal(&self, legal: &ByRole<Vec<Move>>) -> Vec<String> {
        self.by_role(legal, |role, moves| {
            moves.iter().map(|own| fact("legal", role, &self.show(own.0))).collect()
        })
    }

    fn seen(&self, seen: &ByRole<Percepts>) -> Vec<String> {
        self.by_role(seen, |role, seen| {
            seen.iter().map(|percept| fact("sees", role, &self.show(percept.0))).collect()
        })
    }

    /// The end and the goals of a state.
    fn end(&self, terminal: bool, goals: &ByRole<Goal>) -> Vec<String> {
        let mut facts = self.by_role(goals, |role, goal| vec![fact("goal", role, &goal.value().to_string())]);
        facts.extend(terminal.then(|| "terminal".to_owned()));
        facts
    }

    /// The facts that hold in a state and, if it is an end, its goals.
    fn after(&self, state: &State, end: Option<&ByRole<Goal>>) -> Vec<String> {
        let mut facts: Vec<String> =
            self.machine.fluents(state).iter().map(|fluent| format!("(next {fluent})")).collect();
        facts.extend(end.into_iter().flat_map(|goals| self.end(true, goals)));
        facts
    }

    /// The steps of the match over and over, as indices: some for a narrow pass, or more than fit a wide one.
    fn rounds(&self) -> [Vec<usize>; 2] {
        let once = self.steps.len();
        [(0..once).collect(), (0..BULK.max(once)).map(|index| index % once).collect()]
    }
}

impl Follower {
    /// Compares the answers about the current state.
    pub(super) fn compare(&mut self, answers: &Answers) -> Result<(), Disagreement> {
        let step = self.steps.len();
        let state = self.state().clone();
        let mut fluents = self.machine.holds(&state);
        fluents.sort_unstable();
        if fluents != answers.fluents {
            let facts = |fluents: &[TermId]| -> Vec<String> {
                fluents.iter().map(|&fluent| format!("(true {})", self.show(fluent))).collect()
            };
            let (expected, found) = (facts(&answers.fluents), facts(&fluents));
            return Err(self.differs("the fluents of the state", step, None, expected, found));
        }
        let legal = self.machine.legal_by_role(&state, &mut self.scratch);
        if legal != answers.legal {
            let (expected, found) = (self.legal(&answers.legal), self.legal(&legal));
            return Err(self.differs("the legal moves", step, None, expected, found));
        }
        let terminal = self.machine.terminal(&state, &mut self.scratch);
        let goals = self.machine.goals(&state, &mut self.scratch);
        if (terminal, &goals) != (answers.terminal, &answers.goals) {
            let expected = self.end(answers.terminal, &answers.goals);
            return Err(self.differs("end and goals", step, None, expected, self.end(terminal, &goals)));
        }
        self.ends.push(terminal.then_some(goals));
        Ok(())
    }

    /// Compares the percepts of a step and makes it; the state that it leads to is to be compared next.
    pub(super) fn step(
        &mut self,
        joint: &JointMove,
        percepts: &ByRole<Percepts>,
    ) -> Result<(), Disagreement> {
        let state = self.state().clone();
        let (machine, scratch) = (&self.machine, &mut self.scratch);
        let own = ByRole::from_fn(joint.len(), |role| machine.percepts(&state, joint, role, scratch));
        if own != *percepts {
            let (expected, found) = (self.seen(percepts), self.seen(&own));
            return Err(self.differs("the percepts", self.steps.len(), Some(joint), expected, found));
        }
        self.states.push(self.machine.next(&state, joint, &mut self.scratch));
        self.steps.push((joint.clone(), own));
        Ok(())
    }

    /// Makes all steps of the match once more, in bulk.
    pub(super) fn once_more(&mut self) -> Result<(), Disagreement> {
        if self.steps.is_empty() {
            return Ok(());
        }
        for round in self.rounds() {
            let asked: Vec<(&State, &JointMove)> =
                round.iter().map(|&index| (&self.states[index], &self.steps[index].0)).collect();
            let expanded = self.machine.expand(&asked, &mut self.scratch);
            let advanced = self.machine.advance(&asked, &mut self.scratch);
            assert_eq!((expanded.len(), advanced.len()), (round.len(), round.len()));
            for (&index, (successor, (state, end))) in round.iter().zip(expanded.iter().zip(&advanced)) {
                let (joint, seen) = &self.steps[index];
                let (right, goals) = (&self.states[index + 1], self.ends[index + 1].as_ref());
                let differs =
                    |question, expected, found| self.differs(question, index, Some(joint), expected, found);
                if (&successor.state, successor.end.as_ref()) != (right, goals) {
                    let found = self.after(&successor.state, successor.end.as_ref());
                    return Err(differs("the expansion in bulk", self.after(right, goals), found));
                }
                if successor.percepts != *seen {
                    let found = self.seen(&successor.percepts);
                    return Err(differs("the percepts in bulk", self.seen(seen), found));
                }
                if (state, end.as_ref()) != (right, goals) {
                    let found = self.after(state, end.as_ref());
                    return Err(differs("the successor in bulk", self.after(right, goals), found));
                }
            }
        }
        Ok(())
    }
}
