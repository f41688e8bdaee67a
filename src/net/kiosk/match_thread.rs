//! The thread of a table: waits for the persons, plays the match, tells of every step, and keeps what was played.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::past::{PastMatch, PastMove};
use super::person::PersonSeat;
use super::scene::{Phase, SceneGoal, SceneMove, SceneResult};
use super::table::{OpenQuestion, Sight, Sitting, Table};
use super::telling::Telling;
use hyperplay_engine::machine::{ByRole, Role, StateMachine as _, StateMachineExt as _};
use hyperplay_engine::{Engine, State};
use hyperplay_play::player::Seat;
use hyperplay_play::referee::{
    Heading, Match, MatchOutcome, MatchStep, RunInfo, Settings, Transcript, date, host, match_seed,
    play_match,
};

impl Table {
    /// Plays the match, and tells how it ended even if it could not be played.
    pub(super) fn run(self: &Arc<Table>) {
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.play()));
        let failed = match played {
            Ok(Ok(())) => None,
            Ok(Err(why)) => Some(why),
            Err(_) => Some("a part of the program failed; the log says where".to_owned()),
        };
        self.finish(failed);
    }

    /// Plays the match; an error says why it could not be played.
    fn play(self: &Arc<Table>) -> Result<(), String> {
        let parts = &self.parts;
        let engine = parts.room.engine()?;
        self.await_persons();
        let mut telling = Telling::new(self, &engine);
        telling.tell(self);
        self.open(&engine, &telling.state);
        let seat = |at: usize| match &parts.sitting[at] {
            Sitting::Person => {
                Some(Seat::player(PersonSeat { table: Arc::downgrade(self), role: Role::new(at) }))
            }
            Sitting::Program(spec) => Some(spec.seat(&engine, Role::new(at))),
            Sitting::Random => None,
        };
        let seats = ByRole::new((0..parts.sitting.len()).map(seat).collect());
        let settings =
            Settings { clocks: parts.clocks, id: format!("table_{}", parts.id), ..Settings::default() };
        let begun = Instant::now();
        let mut moves: Vec<PastMove> = Vec::new();
        let watch = |step: &MatchStep| {
            let notes = self.notes(step);
            telling.step(&engine, step, &notes);
            telling.tell(self);
            moves.push(past_move(step, notes));
            self.open(&engine, &telling.state);
        };
        let played =
            play_match(&*engine, seats, &settings, &match_seed(parts.seed, 0), &self.interrupt, watch);
        let played = played.map_err(|error| format!("the match could not be played: {error}"))?;
        let scenes = telling.end(&played);
        let result = self.result(&engine, &played);
        self.keep(&engine, &settings, &played, begun.elapsed());
        let past = PastMatch {
            id: parts.id.clone(),
            room: Arc::clone(&parts.room),
            engine: Arc::clone(&engine),
            sampler: parts.sampler.clone(),
            states: telling.states,
            moves,
            seats: self.seats(None),
            result: result.clone(),
            beliefs: Mutex::default(),
        };
        let mut shared = self.shared();
        // Nobody is told a part of the end.
        (shared.scenes, shared.phase) = (scenes, Phase::Over);
        (shared.result, shared.past) = (Some(result), Some(Arc::new(past)));
        Ok(())
    }

    /// Waits until every person has come or left.
    fn await_persons(&self) {
        let persons: Vec<Role> = self.persons().collect();
        let mut shared = self.shared();
        while !self.interrupt.is_raised() && !persons.iter().all(|person| shared.come.contains(person)) {
            shared = self.bell.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lays open the legal moves of all persons in a state.
    fn open(&self, engine: &Engine, state: &State) {
        let mut scratch = engine.scratch();
        let is_over = engine.terminal(state, &mut scratch);
        let legal = if is_over { ByRole::default() } else { engine.legal_by_role(state, &mut scratch) };
        // What an evaluation could not do, the referee meets again and names.
        let _ = engine.take_failure(&mut scratch);
        let mut shared = self.shared();
        shared.questions.clear();
        shared.chosen.clear();
        shared.phase = Phase::Play;
        for role in self.persons().filter(|_| !is_over) {
            let own = &legal[role];
            if own.len() < 2 {
                continue;
            }
            let scene = shared.scenes.get(&Sight::Role(role));
            let picture = scene.and_then(|scene| scene.belief.as_ref()?.picture.clone());
            let layout = self.parts.room.layout();
            let shown = own.iter().map(|own| SceneMove {
                text: self.parts.room.game.show(own.0),
                targets: picture.as_ref().map_or_else(Vec::new, |picture| layout.targets(own.0, picture)),
            });
            let question = OpenQuestion { legal: own.clone(), shown: shown.collect() };
            shared.questions.insert(role, question);
        }
        shared.clock = self.parts.clocks.map(|clocks| (Instant::now(), clocks.time(shared.step)));
        drop(shared);
        self.ring();
    }

    /// Why the moves of a step were not chosen by the persons.
    fn notes(&self, step: &MatchStep) -> BTreeMap<Role, String> {
        let mut shared = self.shared();
        let mut notes: BTreeMap<Role, String> = BTreeMap::new();
        for role in std::mem::take(&mut shared.late) {
            notes.insert(role, "the time was up: a legal move was drawn".to_owned());
        }
        for &role in &shared.left {
            notes.insert(role, "the person has left: a legal move was drawn".to_owned());
        }
        for fault in &step.faults {
            notes.insert(fault.role, format!("replaced by the referee: {}", fault.kind.as_str()));
        }
        notes
    }

    fn result(&self, engine: &Engine, played: &Match) -> SceneResult {
        let goals = match &played.outcome {
            MatchOutcome::Over(goals) => goals
                .iter()
                .filter(|&(role, _)| engine.random() != Some(role))
                .map(|(role, goal)| SceneGoal { role: engine.roles()[role].clone(), goal: goal.value() })
                .collect(),
            _ => Vec::new(),
        };
        SceneResult { outcome: played.outcome.as_str().to_owned(), goals }
    }

    /// Keeps the transcript.
    fn keep(&self, engine: &Engine, settings: &Settings, played: &Match, taken: Duration) {
        let (Some(keeper), false) = (&self.parts.keeper, played.outcome == MatchOutcome::Interrupted) else {
            return;
        };
        let players = self.parts.sitting.iter().map(|sitting| match sitting {
            Sitting::Person => Some("human".to_owned()),
            Sitting::Program(spec) => Some(spec.spec().to_string()),
            Sitting::Random => None,
        });
        let heading = Heading {
            game: String::new(),
            rules: self.parts.room.hash.clone(),
            players: players.collect(),
            seed: self.parts.seed,
            decisions: true,
        };
        let mut transcript = Transcript::new(engine, &heading, settings, 0, played);
        transcript.run = Some(RunInfo {
            date: date(),
            host: host(),
            engine: engine.kind().to_string(),
            threads: 1,
            seconds: taken.as_secs_f64(),
        });
        keeper.keep(&self.parts.room, transcript);
    }

    /// The thread ends.
    fn finish(&self, failed: Option<String>) {
        if let Some(why) = &failed {
            tracing::warn!(table = %self.parts.id, "the match could not be played: {why}");
        }
        let mut shared = self.shared();
        if let Some(why) = failed {
            shared.result = Some(SceneResult { outcome: format!("failed: {why}"), goals: Vec::new() });
        }
        shared.questions.clear();
        (shared.phase, shared.is_ended, shared.touched) = (Phase::Over, true, Instant::now());
        drop(shared);
        self.ring();
    }
}

fn past_move(step: &MatchStep, notes: BTreeMap<Role, String>) -> PastMove {
    PastMove {
        joint: step.joint.clone(),
        percepts: step.percepts.values().to_vec(),
        decisions: step.decisions.values().to_vec(),
        notes,
    }
}
