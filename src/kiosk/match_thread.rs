//! The thread of a table: waits for the persons, plays the match, tells of every step, and keeps what was played.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::json;

use super::in_time::switches;
use super::match_scenes::MatchScenes;
use super::parts::{Sight, Sitting};
use super::past::PastMatch;
use super::scene::{Phase, SceneMove, SceneResult, SightScene};
use super::table::{GONE, OpenQuestion, Table};
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, ByRole, Role, Seed, StateMachine as _, StateMachineExt as _};
use hyperplay_play::for_engine::play_match;
use hyperplay_play::player::{Decision, Player, Seat, View};
use hyperplay_play::referee::{
    ChrononClock, ChrononRecord, Heading, Match, MatchOutcome, MatchStep, RunInfo, Settings, Transcript,
    match_seed,
};

/// How long a match with clocks waits for the others after the first person has come.
const ARRIVAL: Duration = Duration::from_secs(2 * 60);

/// What is left of a match that was played: its last scenes, and the match as it can be looked at again.
type Ending = (BTreeMap<Sight, SightScene>, PastMatch);

impl Table {
    /// Plays the match, and tells how it ended even if it could not be played.
    pub(super) fn run(self: &Arc<Table>) {
        let played = hyperplay_play::player::guarded(|| self.play());
        let failed = || Err("a part of the program failed; the log says where".to_owned());
        self.finish(played.unwrap_or_else(|_| failed()));
    }

    /// Plays the match; an error says why it could not be played.
    fn play(self: &Arc<Table>) -> Result<Ending, String> {
        let parts = &self.parts;
        let engine = parts.room.engine()?;
        let machine = |sitting: &Sitting| match sitting {
            Sitting::Program(spec) => parts.room.engine_for(spec),
            _ => Ok(Arc::clone(&engine)),
        };
        let machines: Vec<Arc<Engine>> = parts.sitting.iter().map(machine).collect::<Result<_, String>>()?;
        self.await_persons();
        let mut telling = MatchScenes::new(self, &engine);
        self.open(&engine, &telling);
        let seat = |at: usize| match &parts.sitting[at] {
            Sitting::Person => {
                Some(Seat::player(PersonSeat { table: Arc::downgrade(self), role: Role::new(at) }))
            }
            Sitting::Program(spec) => Some(spec.seat(&machines[at], Role::new(at))),
            Sitting::Random => None,
        };
        let seats = ByRole::new((0..parts.sitting.len()).map(seat).collect());
        let clocks = parts.clocks.filter(|_| engine.interaction().is_none());
        let (think_ahead, id) = (parts.think_ahead, format!("table_{}", parts.id));
        let settings = Settings { clocks, think_ahead, id, ..Settings::default() };
        let begun = Instant::now();
        let (played, chronons) = if engine.interaction().is_some() {
            let run = self.manage(&engine, &mut telling, settings.limit)?;
            (run.played, Some(run.chronons))
        } else {
            let mut watch = |step: &MatchStep| {
                telling.step(&engine, step, self.notes(step));
                self.open(&engine, &telling);
            };
            let seed = match_seed(parts.seed, 0);
            let played = play_match(&engine, seats, &settings, &seed, &self.interrupt, &mut watch);
            (played.map_err(|error| format!("the match could not be played: {error}"))?, None)
        };
        let result = self.result(&engine, &played);
        self.record(&engine, &settings, &played, chronons, begun.elapsed());
        let scenes = telling.scenes();
        let past = PastMatch {
            id: parts.id.clone(),
            room: Arc::clone(&parts.room),
            engine,
            sampler: parts.sampler.clone(),
            states: telling.states,
            moves: telling.steps,
            seats: self.seats(None),
            result,
            reviews: Mutex::default(),
        };
        Ok((scenes, past))
    }

    /// Waits until every person has come or left. Where there are clocks, a person who has not come some time after the
    /// first is not waited for.
    fn await_persons(&self) {
        let persons: Vec<Role> = self.persons().collect();
        let mut first = None::<Instant>;
        let mut shared = self.shared.lock();
        while !self.interrupt.is_raised() && !persons.iter().all(|person| shared.come.contains(person)) {
            if first.is_none() && !shared.come.is_empty() {
                first = Some(Instant::now());
            }
            let left = match (first, self.parts.clocks) {
                (Some(first), Some(_)) => ARRIVAL.saturating_sub(first.elapsed()),
                _ => GONE,
            };
            if left.is_zero() {
                return;
            }
            self.bell.wait_for(&mut shared, left);
        }
    }

    /// Publishes the scene of a state and the legal moves of all persons, all at once: nothing of the step before is
    /// left. The last state is told with the result.
    pub(super) fn open(&self, engine: &Engine, telling: &MatchScenes) {
        if telling.is_over {
            return;
        }
        let scenes = telling.scenes();
        let mut scratch = engine.scratch();
        let legal = engine.legal_by_role(&telling.state, &mut scratch);
        // The referee meets a failed evaluation again and names it.
        let _ = engine.take_failure(&mut scratch);
        let layout = self.parts.room.layout();
        let mut questions: BTreeMap<Role, OpenQuestion> = BTreeMap::new();
        for role in self.persons() {
            let own = &legal[role];
            if own.len() < 2 || engine.interaction().is_some() {
                continue;
            }
            let picture =
                scenes.get(&Sight::Role(role)).and_then(|scene| scene.belief.as_ref()?.picture.as_ref());
            let shown = own.iter().map(|own| SceneMove {
                text: self.parts.room.game.show(own.0),
                targets: picture.map_or_else(Vec::new, |picture| layout.targets(own.0, picture)),
            });
            questions.insert(role, OpenQuestion { legal: own.clone(), shown: shown.collect() });
        }
        let step = telling.steps.len();
        let mut shared = self.shared.lock();
        if let Some(machine) = engine.interaction() {
            let of_role = |role| (role, switches(machine, &telling.state, role));
            shared.in_time.get_or_insert_default().switches = self.persons().map(of_role).collect();
        }
        (shared.scenes, shared.questions, shared.step) = (scenes, questions, step);
        shared.chosen.clear();
        shared.phase = Phase::Play;
        if engine.interaction().is_none() {
            shared.clock = self.parts.clocks.map(|clocks| (Instant::now(), clocks.time(step)));
        }
        drop(shared);
        self.ring();
    }

    /// Why the moves of a step were not chosen by the persons.
    fn notes(&self, step: &MatchStep) -> BTreeMap<Role, String> {
        let mut shared = self.shared.lock();
        let mut notes: BTreeMap<Role, String> = BTreeMap::new();
        let late = std::mem::take(&mut shared.late);
        for &role in shared.questions.keys().filter(|role| !shared.chosen.contains_key(role)) {
            if shared.left.contains(&role) {
                notes.insert(role, "the person has left: a legal move was drawn".to_owned());
            } else if late.contains(&role) {
                notes.insert(role, "the time was up: a legal move was drawn".to_owned());
            }
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
                .map(|(role, goal)| json!({ "role": engine.roles()[role], "goal": goal.value() }))
                .collect(),
            _ => Vec::new(),
        };
        SceneResult { outcome: played.outcome.as_str().to_owned(), goals }
    }

    /// Keeps the transcript.
    fn record(
        &self,
        engine: &Engine,
        settings: &Settings,
        played: &Match,
        chronons: Option<Vec<ChrononRecord>>,
        taken: Duration,
    ) {
        let (Some(records), false) = (&self.parts.records, played.outcome == MatchOutcome::Interrupted)
        else {
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
        if let Some(chronons) = chronons {
            let clock = ChrononClock { seconds: Some(self.chronon().as_secs_f64()), horizon: None };
            transcript = transcript.with_chronons(clock, chronons);
        }
        transcript.run = Some(RunInfo::now(engine.kind(), 1, taken.as_secs_f64()));
        let room = &self.parts.room;
        records.append(|folder| {
            let game = if room.is_listed { room.name.clone() } else { folder.rules(&room.game)?.0 };
            Ok(Transcript { game, ..transcript })
        });
    }

    /// The thread ends.
    fn finish(&self, ended: Result<Ending, String>) {
        let mut shared = self.shared.lock();
        match ended {
            Ok((scenes, past)) => {
                (shared.scenes, shared.step) = (scenes, past.steps());
                (shared.result, shared.past) = (Some(past.result.clone()), Some(Arc::new(past)));
            }
            Err(why) => {
                tracing::warn!(table = %self.parts.id, "the match could not be played: {why}");
                shared.result = Some(SceneResult { outcome: format!("failed: {why}"), goals: Vec::new() });
                // Nobody solves a game whose match could not begin.
                shared.is_settled = true;
            }
        }
        shared.questions.clear();
        (shared.phase, shared.is_ended, shared.touched) = (Phase::Over, true, self.begun.elapsed());
        drop(shared);
        self.ring();
    }
}

/// The person of one role: a player that waits for the table to say what she chose.
struct PersonSeat {
    /// The table, which owns the match that owns this seat.
    table: Weak<Table>,
    /// Her role.
    role: Role,
}

impl Player for PersonSeat {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let asked = || self.table.upgrade()?.chosen(self.role, view.evidence.step(), budget.deadline);
        let chosen = match *view.legal {
            [only] => Some(only),
            _ => asked().filter(|own| view.legal.contains(own)),
        };
        // A person who leaves or is late gets a legal move.
        chosen
            .map_or_else(|| Decision::uniform(view.legal, seed), |own| Decision::draw(vec![(own, 1.0)], seed))
    }
}
