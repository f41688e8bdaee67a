//! A table: one match, on a thread of its own, with persons who come by links.
//!
//! The match begins when every person has come. At each step the legal moves of all persons are laid open at once, so that nobody can
//! tell from being asked who has answered; the referee then asks each seat, and a person's seat waits for what she has chosen.
//!
//! Invariant: a token is told its own role's scene, or the truth if it is a spectator's; a spectator of the truth cannot move.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::advice::{AskedMix, mixes};
use super::answers::KioskRefusal;
use super::keep::MatchKeeper;
use super::past::{PastMatch, PastMove, TRUTH};
use super::person::PersonSeat;
use super::room::GameRoom;
use super::scene::{
    Phase, Scene, SceneClock, SceneGame, SceneGoal, SceneMix, SceneMove, SceneResult, SceneSeat,
};
use super::told::{ToldRole, picture_of};
use hyperplay_engine::machine::{
    ByRole, Evidence, Move, Role, Seed, StateMachine as _, StateMachineExt as _,
};
use hyperplay_engine::{Engine, State};
use hyperplay_logic::gdl::fold;
use hyperplay_play::board::BoardPicture;
use hyperplay_play::player::{PlayerSpec, SamplerSpec, Seat};
use hyperplay_play::referee::{
    Clocks, Heading, Interrupt, Match, MatchOutcome, MatchStep, RunInfo, Settings, Transcript, date, host,
    match_seed, play_match,
};

/// How long a person may be gone, without a clock, before legal moves are played for her.
const GONE: Duration = Duration::from_secs(30 * 60);

/// How long a match that is over can be looked at after nobody has.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// The most streams of scenes that a token may have open.
const STREAMS: usize = 8;

/// Who sits in a seat.
pub(super) enum Sitting {
    /// A person.
    Person,
    /// A program.
    Program(PlayerSpec),
    /// Chance.
    Random,
}

/// What a token sees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sight {
    /// What a role knows.
    Role(Role),
    /// Everything.
    Truth,
}

/// A token: who has it sees this, and may move for the role if it is a seat's.
pub(super) struct TableToken {
    pub(super) secret: String,
    pub(super) sight: Sight,
    pub(super) is_seat: bool,
    /// Room for streams of scenes.
    pub(super) streams: Arc<Semaphore>,
}

impl TableToken {
    /// A token with a secret.
    pub(super) fn new(secret: String, sight: Sight, is_seat: bool) -> TableToken {
        TableToken { secret, sight, is_seat, streams: Arc::new(Semaphore::new(STREAMS)) }
    }
}

/// What a table is made of.
pub(super) struct TableParts {
    pub(super) id: String,
    pub(super) room: Arc<GameRoom>,
    pub(super) sitting: Vec<Sitting>,
    pub(super) tokens: Vec<TableToken>,
    pub(super) clocks: Option<Clocks>,
    pub(super) seed: u64,
    pub(super) sampler: SamplerSpec,
    /// The player that solves its game, for the mixes beside own moves.
    pub(super) equilibrium: PlayerSpec,
    pub(super) keeper: Option<Arc<MatchKeeper>>,
}

/// A question to a person.
struct OpenQuestion {
    legal: Vec<Move>,
    shown: Vec<SceneMove>,
}

/// What a role is told of the match, ready to be sent.
#[derive(Clone, Default)]
struct SightScene {
    evidence: Option<Evidence>,
    past: Vec<super::scene::PastStep>,
    picture: Option<BoardPicture>,
    belief: Option<super::scene::SceneBelief>,
}

/// What changes in the course of a match.
struct Shared {
    phase: Phase,
    step: usize,
    scenes: BTreeMap<Sight, SightScene>,
    questions: BTreeMap<Role, OpenQuestion>,
    chosen: BTreeMap<Role, Move>,
    late: BTreeSet<Role>,
    come: BTreeSet<Role>,
    left: BTreeSet<Role>,
    seen: BTreeMap<Role, Instant>,
    /// When the step began, and the time for it.
    clock: Option<(Instant, Duration)>,
    mixes: BTreeMap<Role, Vec<SceneMix>>,
    result: Option<SceneResult>,
    past: Option<Arc<PastMatch>>,
    is_ended: bool,
    touched: Instant,
}

/// One table.
pub(super) struct Table {
    pub(super) parts: TableParts,
    shared: Mutex<Shared>,
    bell: Condvar,
    changes: watch::Sender<u64>,
    interrupt: Interrupt,
    is_closed: AtomicBool,
    pub(super) is_hinting: Mutex<BTreeSet<Role>>,
}

impl Table {
    /// Lays a table and begins its thread.
    ///
    /// # Errors
    /// That of the operating system, if it gives no further thread.
    pub(super) fn lay(parts: TableParts) -> std::io::Result<Arc<Table>> {
        let now = Instant::now();
        let shared = Shared {
            phase: Phase::Waiting,
            step: 0,
            scenes: BTreeMap::new(),
            questions: BTreeMap::new(),
            chosen: BTreeMap::new(),
            late: BTreeSet::new(),
            come: BTreeSet::new(),
            left: BTreeSet::new(),
            seen: BTreeMap::new(),
            clock: None,
            mixes: BTreeMap::new(),
            result: None,
            past: None,
            is_ended: false,
            touched: now,
        };
        let table = Arc::new(Table {
            parts,
            shared: Mutex::new(shared),
            bell: Condvar::new(),
            changes: watch::channel(0).0,
            interrupt: Interrupt::default(),
            is_closed: AtomicBool::new(false),
            is_hinting: Mutex::default(),
        });
        let own = Arc::clone(&table);
        std::thread::Builder::new().name("table".to_owned()).spawn(move || {
            let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| own.play()));
            let failed = match played {
                Ok(Ok(())) => None,
                Ok(Err(why)) => Some(why),
                Err(_) => Some("a part of the program failed; the log says where".to_owned()),
            };
            own.finish(failed);
        })?;
        Ok(table)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something changed that some token may have to be told.
    fn ring(&self) {
        self.bell.notify_all();
        self.changes.send_modify(|number| *number += 1);
    }

    /// Tells of changes.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The token with this secret. Takes as long for a wrong one as for a right one.
    pub(super) fn token(&self, secret: &str) -> Option<&TableToken> {
        let is_same = |own: &str| {
            let differing = own.bytes().zip(secret.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
            own.len() == secret.len() && differing == 0
        };
        let mut found = None;
        for token in &self.parts.tokens {
            if is_same(&token.secret) {
                found = Some(token);
            }
        }
        found
    }

    /// A place for a stream of scenes; none if the token has as many as it may.
    pub(super) fn stream_place(&self, token: &TableToken) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&token.streams).try_acquire_owned().ok()
    }

    fn persons(&self) -> impl Iterator<Item = Role> + '_ {
        let is_person = |(_, sitting): &(usize, &Sitting)| matches!(sitting, Sitting::Person);
        self.parts.sitting.iter().enumerate().filter(is_person).map(|(at, _)| Role::new(at))
    }

    /// Whether the match is over.
    pub(super) fn is_over(&self) -> bool {
        self.shared().phase == Phase::Over
    }

    /// Whether nobody has looked at the table for long, and the match is over.
    pub(super) fn is_forgotten(&self) -> bool {
        let shared = self.shared();
        shared.is_ended && shared.touched.elapsed() > REMEMBERED
    }

    /// A person has come, or is still there.
    pub(super) fn come(&self, role: Role) {
        let mut shared = self.shared();
        shared.touched = Instant::now();
        shared.seen.insert(role, Instant::now());
        let is_new = shared.come.insert(role);
        drop(shared);
        if is_new {
            self.ring();
        }
    }

    /// Lets persons leave who have been gone for long.
    pub(super) fn sweep(&self) {
        let shared = self.shared();
        let gone = |role: &Role| {
            let seen = shared.seen.get(role).map_or(shared.touched.elapsed(), Instant::elapsed);
            seen > GONE && !shared.left.contains(role)
        };
        let leaving: Vec<Role> =
            if shared.phase == Phase::Over { Vec::new() } else { self.persons().filter(gone).collect() };
        drop(shared);
        leaving.into_iter().for_each(|role| self.leave(role));
    }

    /// A person leaves: from now on legal moves are drawn for her.
    pub(super) fn leave(&self, role: Role) {
        let mut shared = self.shared();
        shared.left.insert(role);
        shared.come.insert(role);
        // A match that no person plays any more ends.
        let is_deserted = self.persons().all(|person| shared.left.contains(&person));
        drop(shared);
        if is_deserted {
            self.interrupt.raise();
        }
        self.ring();
    }

    /// Ends the match, because the server ends.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.interrupt.raise();
        self.ring();
    }

    /// Whether the server ends.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Waits a while for the thread to end.
    pub(super) fn wait(&self, longest: Duration) {
        let until = Instant::now() + longest;
        let mut shared = self.shared();
        while !shared.is_ended && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            shared = self.bell.wait_timeout(shared, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A person chooses a move at a step.
    ///
    /// # Errors
    /// If it is not her turn, or the move is not legal.
    pub(super) fn choose(&self, role: Role, step: usize, text: &str) -> Result<(), KioskRefusal> {
        let mut shared = self.shared();
        shared.touched = Instant::now();
        let late = |error: &str| KioskRefusal::new(409, error, "look at the table again");
        if shared.phase != Phase::Play || shared.step != step {
            return Err(late("that step is over"));
        }
        let Some(question) = shared.questions.get(&role) else { return Err(late("it is not your turn")) };
        if shared.chosen.contains_key(&role) {
            return Err(late("you have chosen already"));
        }
        let place = question.shown.iter().position(|own| fold(&own.text) == fold(text));
        let Some(place) = place else {
            let error = format!("'{text:.200}' is no legal move");
            return Err(KioskRefusal::new(400, error, "take one of the moves that the table shows"));
        };
        let own = question.legal[place];
        shared.chosen.insert(role, own);
        drop(shared);
        self.ring();
        Ok(())
    }

    /// Waits for what a person chooses at a step; none if the time is up, or she leaves, or the server ends.
    pub(super) fn chosen(&self, role: Role, step: usize, deadline: Option<Instant>) -> Option<Move> {
        let mut shared = self.shared();
        loop {
            if shared.step != step {
                return None;
            }
            if let Some(&own) = shared.chosen.get(&role) {
                return Some(own);
            }
            if self.interrupt.is_raised() || shared.left.contains(&role) {
                return None;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                shared.late.insert(role);
                return None;
            }
            let left = left.unwrap_or(Duration::from_secs(3600));
            shared = self.bell.wait_timeout(shared, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What a role knows and may do now, for a hint.
    ///
    /// # Errors
    /// If there is nothing to choose.
    pub(super) fn to_advise(&self, role: Role) -> Result<(Evidence, Vec<Move>), KioskRefusal> {
        let shared = self.shared();
        let evidence = shared.scenes.get(&Sight::Role(role)).and_then(|scene| scene.evidence.clone());
        let legal = shared.questions.get(&role).map(|question| question.legal.clone());
        let nothing = || KioskRefusal::new(409, "there is nothing to choose now", "ask when it is your turn");
        evidence.zip(legal).ok_or_else(nothing)
    }

    /// The match, once it is over.
    pub(super) fn past(&self) -> Option<Arc<PastMatch>> {
        self.shared().past.clone()
    }

    /// What a token may know now.
    pub(super) fn scene(&self, token: &TableToken) -> Scene {
        let mut shared = self.shared();
        shared.touched = Instant::now();
        let room = &self.parts.room;
        let own = match token.sight {
            Sight::Role(role) => Some(role),
            Sight::Truth => None,
        };
        let seat = own.filter(|_| token.is_seat);
        let names = room.roles();
        let scene = shared.scenes.get(&token.sight).cloned().unwrap_or_default();
        let chosen = seat.and_then(|role| shared.chosen.get(&role)).map(|own| room.game.show(own.0));
        let question = seat.and_then(|role| shared.questions.get(&role)).filter(|_| chosen.is_none());
        let clock = shared.clock.filter(|_| shared.phase == Phase::Play).map(|(begun, total)| SceneClock {
            total: total.as_secs_f64(),
            left: total.saturating_sub(begun.elapsed()).as_secs_f64(),
        });
        let mixes = seat.and_then(|role| shared.mixes.get(&role)).cloned().unwrap_or_default();
        Scene {
            table: self.parts.id.clone(),
            version: 0,
            game: SceneGame::of(room),
            view: room.view.clone(),
            sees: own.map_or(TRUTH.to_owned(), |role| names[role.index()].clone()),
            phase: shared.phase,
            step: shared.step,
            clock,
            seats: self.seats(seat),
            legal: question.map_or_else(Vec::new, |question| question.shown.clone()),
            chosen,
            past: scene.past,
            picture: scene.picture,
            belief: scene.belief,
            equilibrium: mixes,
            result: shared.result.clone(),
            review: None,
        }
    }

    fn seats(&self, you: Option<Role>) -> Vec<SceneSeat> {
        let names = self.parts.room.roles();
        let each = self.parts.sitting.iter().zip(names).enumerate();
        each.map(|(at, (sitting, role))| {
            let (kind, player) = match sitting {
                Sitting::Person => ("person", None),
                Sitting::Program(spec) => ("program", Some(spec.spec().to_string())),
                Sitting::Random => ("random", None),
            };
            SceneSeat { role, kind, player, is_you: you.is_some_and(|you| you.index() == at) }
        })
        .collect()
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
        telling.end(self, &played);
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

    /// Adds what an equilibrium says of a move.
    pub(super) fn add_mix(&self, role: Role, mix: SceneMix) {
        self.shared().mixes.entry(role).or_default().push(mix);
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

/// What the tokens of a table are told, kept on the thread of the match.
struct Telling {
    roles: Vec<ToldRole>,
    sees_truth: bool,
    state: State,
    states: Vec<State>,
    past: Vec<super::scene::PastStep>,
    /// Questions to the equilibrium, if a person may be told of it.
    mixes: Sender<AskedMix>,
    persons: Vec<Role>,
    room: Arc<GameRoom>,
    engine: Arc<Engine>,
}

impl Telling {
    fn new(table: &Arc<Table>, engine: &Arc<Engine>) -> Telling {
        let parts = &table.parts;
        let sights: BTreeSet<Sight> = parts.tokens.iter().map(|token| token.sight).collect();
        let told = |sight: &Sight| match sight {
            Sight::Role(role) => Some(ToldRole::new(&parts.room, engine, *role, &parts.sampler)),
            Sight::Truth => None,
        };
        let state = engine.initial();
        Telling {
            roles: sights.iter().filter_map(told).collect(),
            sees_truth: sights.contains(&Sight::Truth),
            states: vec![state.clone()],
            state,
            past: Vec::new(),
            mixes: mixes(Arc::downgrade(table), engine, &parts.equilibrium),
            persons: table.persons().collect(),
            room: Arc::clone(&parts.room),
            engine: Arc::clone(engine),
        }
    }

    /// Takes in a step.
    fn step(&mut self, engine: &Engine, step: &MatchStep, notes: &BTreeMap<Role, String>) {
        let mut scratch = engine.scratch();
        self.state = engine.next(&self.state, &step.joint, &mut scratch);
        let _ = engine.take_failure(&mut scratch);
        self.states.push(self.state.clone());
        for told in &mut self.roles {
            let role = told.evidence.role;
            let own = step.joint.of(role);
            let legal = &step.legal[role];
            if self.persons.contains(&role) && legal.len() > 1 {
                // Whoever answers has ended where nobody hears it any more.
                let _ =
                    self.mixes.send(AskedMix { evidence: told.evidence.clone(), legal: legal.clone(), own });
            }
            told.step(own, &step.percepts[role], notes.get(&role).cloned());
        }
        let each = engine
            .each_role()
            .map(|role| format!("{}: {}", engine.roles()[role], engine.show_move(step.joint.of(role))));
        let own = each.collect::<Vec<_>>().join(", ");
        self.past.push(super::scene::PastStep {
            step: self.past.len() + 1,
            own,
            percepts: Vec::new(),
            note: None,
        });
    }

    /// The match is over.
    fn end(&mut self, table: &Table, played: &Match) {
        if matches!(played.outcome, MatchOutcome::Over(_)) {
            self.roles.iter_mut().for_each(ToldRole::end);
        }
        self.tell(table);
    }

    /// Lays what is told where it is sent from.
    fn tell(&self, table: &Table) {
        let mut scenes: BTreeMap<Sight, SightScene> = BTreeMap::new();
        for told in &self.roles {
            let scene = SightScene {
                evidence: Some(told.evidence.clone()),
                past: told.past.clone(),
                picture: told.picture(),
                belief: Some(told.belief()),
            };
            scenes.insert(Sight::Role(told.evidence.role), scene);
        }
        if self.sees_truth {
            let before = self.states.len().checked_sub(2).map(|before| &self.states[before]);
            let picture = Some(picture_of(&self.room, &self.engine, &self.state, before));
            scenes.insert(
                Sight::Truth,
                SightScene { evidence: None, past: self.past.clone(), picture, belief: None },
            );
        }
        let mut shared = table.shared();
        shared.scenes = scenes;
        shared.step = self.states.len() - 1;
    }
}

/// The seed of a table of a kiosk.
pub(super) fn table_seed(seed: u64, number: u64) -> u64 {
    use rand::RngExt as _;
    // What JavaScript and a person can read.
    Seed::root(seed).child("table").index(number as usize).rng().random::<u64>() >> 32
}
