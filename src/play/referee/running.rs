//! A match that is being played: where it is, what may be done there, what has happened, and what every role knows of
//! it.
//!
//! The referee and the management agent run their matches by it. They differ in how a joint move comes about.

use std::sync::Arc;
use std::time::Duration;

use super::{Fault, Interrupt, Match, MatchOutcome, MatchStep};
use crate::player::Decision;
use hyperplay_machine::{
    ByRole, ChanceDistribution, Evidence, History, JointMove, Move, Observation, OwnMove, Seed, StateMachine,
    StateMachineExt,
};

/// A match that is being played.
pub(super) struct RunningMatch<'a, M: StateMachine> {
    machine: &'a M,
    pub(super) scratch: M::Scratch,
    pub(super) state: M::State,
    /// The legal moves; none if the match is over.
    pub(super) legal: ByRole<Vec<Move>>,
    /// How the rules have ended the match, if they have.
    end: Option<MatchOutcome>,
    pub(super) steps: Vec<MatchStep>,
    /// Shared with the threads of clairvoyant players.
    pub(super) history: Arc<History>,
    /// Shared with the threads of players. A late player may hold it for longer than its step.
    pub(super) evidence: ByRole<Arc<Evidence>>,
    random: Seed,
}

/// The results of one question to every role.
pub(super) struct Answers {
    pub(super) joint: JointMove,
    pub(super) decisions: ByRole<Option<Decision>>,
    pub(super) times: ByRole<Option<Duration>>,
    pub(super) faults: Vec<Fault>,
}

impl<'a, M: StateMachine> RunningMatch<'a, M> {
    /// Before the first step of the match with this seed.
    pub(super) fn new(machine: &'a M, seed: &Seed) -> Self {
        let mut running = RunningMatch {
            machine,
            scratch: machine.scratch(),
            state: machine.initial(),
            legal: ByRole::default(),
            end: None,
            steps: Vec::new(),
            history: Arc::default(),
            evidence: ByRole::from_fn(machine.roles().len(), |role| Arc::new(Evidence::new(role))),
            random: seed.child("random"),
        };
        running.look();
        running
    }

    /// Finds out what may be done in the state, or how the match has ended there.
    fn look(&mut self) {
        let (machine, scratch) = (self.machine, &mut self.scratch);
        let over = machine.terminal(&self.state, scratch);
        self.legal = match over {
            true => ByRole::from_fn(machine.roles().len(), |_| Vec::new()),
            false => machine.legal_by_role(&self.state, scratch),
        };
        let goals = over.then(|| machine.goals(&self.state, scratch));
        let stuck = self.legal.iter().find(|(_, moves)| moves.is_empty()).map(|(role, _)| role);
        let failed = machine.take_failure(scratch).map(MatchOutcome::Failed);
        self.end = failed.or(goals.map(MatchOutcome::Over)).or(stuck.map(MatchOutcome::NoLegalMove));
        if let Some(MatchOutcome::Over(_)) = self.end {
            machine.each_role().for_each(|role| Arc::make_mut(&mut self.evidence[role]).over = true);
        }
    }

    /// How the match ends now, if it does: by the rules, after a limit of steps, or by an interrupt.
    pub(super) fn outcome(&self, limit: usize, interrupt: &Interrupt) -> Option<MatchOutcome> {
        let limit = (self.steps.len() >= limit).then_some(MatchOutcome::StepLimit);
        let interrupted = || interrupt.is_raised().then_some(MatchOutcome::Interrupted);
        self.end.clone().or(limit).or_else(interrupted)
    }

    /// The move of `random`, if it has a role.
    pub(super) fn chance(&mut self) -> Option<Move> {
        let legal = &self.legal[self.machine.random()?];
        let chance = ChanceDistribution::of(self.machine, &self.state, &mut self.scratch);
        Some(legal[chance.draw(legal.len(), &mut self.random.index(self.steps.len()).rng())])
    }

    /// Makes a joint move, and tells every role its own move and its percepts. The step; none if the rules cannot be
    /// evaluated.
    pub(super) fn advance(&mut self, made: Answers) -> Option<&MatchStep> {
        let Answers { joint, decisions, times, faults } = made;
        let (machine, scratch) = (self.machine, &mut self.scratch);
        let percepts =
            ByRole::from_fn(joint.len(), |role| machine.percepts(&self.state, &joint, role, scratch));
        self.state = machine.next(&self.state, &joint, scratch);
        if let Some(failure) = machine.take_failure(scratch) {
            self.end = Some(MatchOutcome::Failed(failure));
            return None;
        }
        for (role, seen) in percepts.iter() {
            let observation = Observation { own: OwnMove::Known(joint.of(role)), percepts: seen.clone() };
            Arc::make_mut(&mut self.evidence[role]).steps.push(observation);
        }
        Arc::make_mut(&mut self.history).0.push(joint.clone());
        let legal = std::mem::take(&mut self.legal);
        self.steps.push(MatchStep { legal, decisions, times, faults, joint, percepts });
        self.look();
        self.steps.last()
    }

    /// The match, which has ended.
    pub(super) fn ended(self, outcome: MatchOutcome) -> Match {
        let evidence = ByRole::from_fn(self.evidence.len(), |role| self.evidence[role].as_ref().clone());
        Match { unready: Vec::new(), steps: self.steps, outcome, evidence }
    }
}
