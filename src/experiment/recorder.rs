//! Recorder: turns a match that was played into the lines that are written about it.
//!
//! A turn is a decision between two legal moves or more, or a fault; steps at which a role has no choice are not
//! recorded. Figures that come out of logarithms are rounded to six digits, so that a file does not depend on
//! the last bit of a processor's mathematics.

use std::time::Duration;

use indexmap::IndexMap;
use thiserror::Error;

use super::decision_log::DecisionLog;
use super::plan::{ExperimentPlan, MatchPlace};
use super::stored::KINDS;
use super::watched::{PlayerWatch, WatchedDecision, seconds};
use hyperplay_lab::records::{
    HeldRecord, MatchRecord, ParticlesRecord, PositionRecord, Record, SeenRecord, TimingRecord, TurnRecord,
};
use hyperplay_lab::study::DecisionTally;
use hyperplay_machine::{ByRole, EvaluationFailure, Move, Role, StateMachine, StateMachineExt};
use hyperplay_play::player::{Decision, HeldBelief};
use hyperplay_play::referee::{Fault, FaultKind, Match, MatchOutcome, MatchStep};
use hyperplay_report::rounded;

/// A match in which the rules could not be evaluated.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("match {id} of {game}, after step {step}: {cause}")]
pub struct MatchFailure {
    /// The number of the match.
    pub id: u64,
    /// The game.
    pub game: String,
    /// Joint moves made.
    pub step: usize,
    /// Why.
    pub cause: EvaluationFailure,
}

/// The faults in one seat of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatFault {
    /// The first fault.
    pub kind: FaultKind,
    /// The step of the first fault, from 1.
    pub step: usize,
    /// Whether no move came in the whole match.
    pub is_silent: bool,
}

/// The lines about one match, each with its end of line.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecordLines {
    /// The goals by played role, if the match ended with goals.
    pub goals: Option<Vec<u8>>,
    /// Why the match failed, if it did.
    pub failure: Option<MatchFailure>,
    /// By played role, what went wrong.
    pub faults: Vec<Option<SeatFault>>,
    /// By played role, its decisions; none of a match that was not played now.
    pub decisions: Vec<DecisionTally>,
    /// By kind of file, in the order in which they are written; none where nothing is recorded.
    pub lines: [Vec<Vec<u8>>; KINDS.len()],
}

/// A match with all that is to be recorded about it.
pub struct Recorder<'a, M> {
    /// The machine of the referee.
    pub machine: &'a M,
    /// The plan.
    pub plan: &'a ExperimentPlan,
    /// Which match.
    pub place: &'a MatchPlace,
    /// The match that was played.
    pub played: &'a Match,
    /// How long the decisions took, and what the players believed.
    pub watches: &'a ByRole<PlayerWatch>,
    /// How long the match took.
    pub seconds: Duration,
    /// The computer.
    pub host: &'a str,
    /// Threads of the run.
    pub threads: usize,
}

/// The load average of the last minute, where the system has it in a file.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// One decision in its place.
struct Turn<'a> {
    number: usize,
    step: &'a MatchStep,
    role: Role,
    decision: Option<&'a Decision>,
    fault: Option<&'a FaultKind>,
    watched: WatchedDecision,
}

impl<M: StateMachine> Recorder<'_, M> {
    /// The lines, with as much about every decision as `log` asks for.
    pub fn lines(&self, log: DecisionLog) -> RecordLines {
        let game = self.plan.game(self.place.cell);
        let turns: Vec<Turn<'_>> = self.turns();
        let (mut goals, mut failure) = (None, None);
        match &self.played.outcome {
            MatchOutcome::Over(all) => {
                goals = Some(game.played().map(|role| all[Role::new(role)].value()).collect());
            }
            MatchOutcome::Failed(cause) => {
                let (game, step) = (game.name.clone(), self.played.steps.len());
                failure = Some(MatchFailure { id: self.place.id, game, step, cause: cause.clone() });
            }
            _ => {}
        }
        let goals_by_role: IndexMap<String, u8> = self.names().zip(goals.iter().flatten().copied()).collect();
        let faults = |role| self.faults(Role::new(role)).count() as u32;
        let of_match = MatchRecord {
            id: self.place.id,
            game: game.name.clone(),
            cell: self.place.cell,
            deal: self.place.deal,
            seat_permutation: self.place.seat_permutation,
            players: self.names().zip(self.labels()).collect(),
            outcome: self.played.outcome.as_str().to_owned(),
            steps: self.played.steps.len(),
            goals: goals_by_role.clone(),
            faults: self.names().zip(game.played().map(faults)).collect(),
            turns: turns.len(),
        };
        let timing = TimingRecord {
            id: self.place.id,
            host: self.host.to_owned(),
            threads: self.threads,
            seconds: seconds(self.seconds),
            load: self.plan.clocks.and_then(|_| load()),
            turns: turns.iter().map(|turn| turn.watched.time).collect(),
        };
        let logged = |least: DecisionLog| if log >= least { &turns[..] } else { &[] };
        let (positions, particles) = (logged(DecisionLog::Positions), logged(DecisionLog::Particles));
        let states = self.states(positions);
        RecordLines {
            goals,
            failure,
            faults: game.played().map(|role| self.seat_fault(Role::new(role))).collect(),
            decisions: game
                .played()
                .map(|role| DecisionTally::of(self.played, Role::new(role), None))
                .collect(),
            lines: [
                if log >= DecisionLog::Turns { vec![timing.line()] } else { Vec::new() },
                positions
                    .iter()
                    .zip(states)
                    .map(|(turn, state)| self.position(turn, state, &goals_by_role).line())
                    .collect(),
                particles.iter().map(|turn| self.believed(turn).line()).collect(),
                logged(DecisionLog::Turns).iter().map(|turn| self.turn(turn).line()).collect(),
                vec![of_match.line()],
            ],
        }
    }

    /// The names of the played roles.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let game = self.plan.game(self.place.cell);
        game.played().map(|role| game.roles[role].clone())
    }

    /// The labels of the entrants that play them.
    fn labels(&self) -> impl Iterator<Item = String> + '_ {
        self.plan.seats(self.place).iter().map(|&entrant| self.plan.label(entrant).to_owned())
    }

    /// The faults of a role, each with its step.
    fn faults(&self, role: Role) -> impl Iterator<Item = (usize, &Fault)> {
        self.played.faults().filter(move |(_, fault)| fault.role == role)
    }

    fn seat_fault(&self, role: Role) -> Option<SeatFault> {
        let (step, first) = self.faults(role).next()?;
        let no_move = |kind: &FaultKind| matches!(kind, FaultKind::Late(_) | FaultKind::Unreachable(_));
        let silent = self.faults(role).filter(|(_, fault)| no_move(&fault.kind)).count();
        Some(SeatFault { kind: first.kind.clone(), step, is_silent: silent == self.played.steps.len() })
    }

    fn turns(&self) -> Vec<Turn<'_>> {
        let game = self.plan.game(self.place.cell);
        let mut turns = Vec::new();
        for (index, step) in self.played.steps.iter().enumerate() {
            for role in game.played().map(Role::new) {
                let fault = step.faults.iter().find(|fault| fault.role == role).map(|fault| &fault.kind);
                if step.legal[role].len() > 1 || fault.is_some() {
                    let decision = step.decisions[role].as_ref();
                    let watched = self.watches[role].at(index);
                    turns.push(Turn { number: index + 1, step, role, decision, fault, watched });
                }
            }
        }
        turns
    }

    /// The entrant who plays a role.
    fn label(&self, role: Role) -> String {
        let at = self.plan.game(self.place.cell).played().position(|played| played == role.index());
        at.and_then(|at| self.labels().nth(at)).unwrap_or_default()
    }

    fn turn(&self, turn: &Turn<'_>) -> TurnRecord {
        let legal = turn.step.legal[turn.role].len();
        let held = turn.decision.and_then(|decision| decision.held);
        let cost = turn.decision.map(|decision| decision.cost).unwrap_or_default();
        let own = turn.step.joint.of(turn.role);
        let value_of = |decision: &Decision| {
            decision.values.iter().find(|(listed, _)| *listed == own).map(|&(_, value)| rounded(value))
        };
        let tried = legal * held.map_or(1, |held: HeldBelief| held.states.max(1));
        TurnRecord {
            id: self.place.id,
            game: self.plan.game(self.place.cell).name.clone(),
            cell: self.place.cell,
            step: turn.number,
            role: self.plan.game(self.place.cell).roles[turn.role.index()].clone(),
            player: self.label(turn.role),
            legal,
            own: self.machine.show_move(own),
            value: turn.decision.and_then(value_of),
            particles: held.map(|held| held.particles),
            states: held.map(|held| held.states),
            effective: held.map(|held| rounded(held.effective)),
            enumerated: held.map(|held| held.is_enumerated),
            method: held.map(|held| held.method.to_string()),
            attempts: held.map(|held| held.attempts),
            accepted: held.map(|held| held.accepted),
            depleted: turn.decision.is_some_and(|decision| decision.depleted),
            visited: cost.states,
            playouts: cost.playouts,
            playouts_per_move: rounded(cost.playouts as f64 / tried as f64),
            fault: turn.fault.map(|kind| kind.as_str().to_owned()),
        }
    }

    /// The true state at each turn. The turns are in the order of their steps.
    fn states(&self, turns: &[Turn<'_>]) -> Vec<Vec<String>> {
        if turns.is_empty() {
            return Vec::new();
        }
        let mut scratch = self.machine.scratch();
        let (mut state, mut made) = (self.machine.initial(), 0);
        let mut of_turn = |turn: &Turn<'_>| {
            for step in &self.played.steps[made..turn.number - 1] {
                state = self.machine.next(&state, &step.joint, &mut scratch);
                made += 1;
            }
            self.machine.fluents(&state)
        };
        turns.iter().map(&mut of_turn).collect()
    }

    fn believed(&self, turn: &Turn<'_>) -> ParticlesRecord {
        // The belief of a player that was late or crashed is part of no decision.
        let believed = turn.decision.map(|_| turn.watched.believed.clone()).unwrap_or_default();
        let states = believed.into_iter().map(Into::into).collect();
        let TurnRecord { id, game, step, role, player, .. } = self.turn(turn);
        ParticlesRecord { id, game, step, role, player, states }
    }

    fn position(&self, turn: &Turn<'_>, state: Vec<String>, goals: &IndexMap<String, u8>) -> PositionRecord {
        let show = |own: Move| self.machine.show_move(own);
        let rounded_pairs = |pairs: &[(Move, f64)]| -> IndexMap<String, f64> {
            pairs.iter().map(|&(own, number)| (show(own), rounded(number))).collect()
        };
        let seen = self.played.evidence[turn.role].steps[..turn.number - 1].iter().map(|seen| SeenRecord {
            own: seen.own.presumed().map_or(String::new(), show),
            percepts: seen.percepts.iter().map(|&percept| self.machine.terms().show(percept.0)).collect(),
        });
        let visits = turn.decision.iter().flat_map(|decision| &decision.visits);
        let TurnRecord { id, game, step, role, player, own, depleted, .. } = self.turn(turn);
        PositionRecord {
            id,
            game,
            step,
            role,
            player,
            state,
            evidence: seen.collect(),
            legal: turn.step.legal[turn.role].iter().map(|&own| show(own)).collect(),
            policy: turn.decision.map(|decision| rounded_pairs(&decision.policy)).unwrap_or_default(),
            values: turn.decision.map(|decision| rounded_pairs(&decision.values)).unwrap_or_default(),
            visits: visits.map(|&(own, of)| (show(own), of)).collect(),
            own,
            belief: turn.decision.and_then(|decision| decision.held).map(|held| HeldRecord {
                particles: held.particles,
                states: held.states,
                effective: rounded(held.effective),
                enumerated: held.is_enumerated,
                method: held.method.to_string(),
                attempts: held.attempts,
                accepted: held.accepted,
            }),
            depleted,
            goals: goals.clone(),
        }
    }
}
