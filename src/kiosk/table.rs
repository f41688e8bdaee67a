//! A table: one match, on a thread of its own, with persons who come by links.
//!
//! The match begins when every person has come. At each step the legal moves of all persons are laid open at once, so
//! that nobody can tell from being asked who has answered; the referee then asks each seat, and a person's seat waits
//! for her choice.
//!
//! Invariant: a token is told its own role's scene, or the truth if it is a spectator's; a spectator of the truth
//! cannot move.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::answers::{KioskResult, refusal};
use super::parts::{Sight, Sitting, TableParts, TableToken};
use super::past::{PastMatch, TRUTH};
use super::scene::{Phase, Scene, SceneMove, SceneResult, SceneSeat, SceneSwitch, SightScene};
use hyperplay_logic::gdl::fold;
use hyperplay_machine::{Evidence, Move, Role};
use hyperplay_play::referee::{CommandInbox, Interrupt};

/// How long a person may be gone, without a clock, before legal moves are played for her.
pub(super) const GONE: Duration = Duration::from_secs(30 * 60);

/// A question to a person.
pub(super) struct OpenQuestion {
    pub(super) legal: Vec<Move>,
    pub(super) shown: Vec<SceneMove>,
}

/// The switches that persons may set while an interaction runs.
#[derive(Default)]
pub(super) struct InTime {
    /// Where commands go; none before the first chronon and after the last.
    pub(super) inbox: Option<CommandInbox>,
    /// The switches of each person as they are set now.
    pub(super) switches: BTreeMap<Role, Vec<SceneSwitch>>,
    /// The values that were commanded in this chronon, by role and switch.
    pub(super) commanded: BTreeMap<(Role, String), String>,
}

impl InTime {
    /// The switches of a role: the settings with what was commanded in this chronon.
    fn of(&self, role: Role) -> Vec<SceneSwitch> {
        let of_role = self.switches.get(&role).cloned().unwrap_or_default().into_iter();
        of_role
            .map(|switch| {
                let commanded = self.commanded.get(&(role, switch.switch.clone())).cloned();
                SceneSwitch { commanded, ..switch }
            })
            .collect()
    }
}

/// The data that change in the course of a match.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) phase: Phase,
    pub(super) step: usize,
    pub(super) scenes: BTreeMap<Sight, SightScene>,
    pub(super) questions: BTreeMap<Role, OpenQuestion>,
    pub(super) chosen: BTreeMap<Role, Move>,
    pub(super) late: BTreeSet<Role>,
    pub(super) come: BTreeSet<Role>,
    pub(super) left: BTreeSet<Role>,
    pub(super) seen: BTreeMap<Role, Instant>,
    /// When the step began, and the time for it.
    pub(super) clock: Option<(Instant, Duration)>,
    /// In an interaction that runs in real time.
    pub(super) in_time: Option<InTime>,
    pub(super) mixes: BTreeMap<Role, Vec<Value>>,
    pub(super) result: Option<SceneResult>,
    pub(super) past: Option<Arc<PastMatch>>,
    pub(super) is_ended: bool,
    /// Whether the equilibrium has said all that it has to say.
    pub(super) is_settled: bool,
    /// When somebody last looked at the table, from its beginning.
    pub(super) touched: Duration,
}

/// One table.
pub(super) struct Table {
    pub(super) parts: TableParts,
    pub(super) begun: Instant,
    pub(super) shared: Mutex<Shared>,
    pub(super) bell: Condvar,
    pub(super) changes: watch::Sender<u64>,
    pub(super) interrupt: Interrupt,
    is_closed: AtomicBool,
    pub(super) is_hinting: Mutex<BTreeSet<Role>>,
}

impl Table {
    /// Lays a table and begins its thread, which holds its place until the match is over.
    ///
    /// # Errors
    /// That of the operating system, if it gives no further thread.
    pub(super) fn lay(parts: TableParts, place: OwnedSemaphorePermit) -> std::io::Result<Arc<Table>> {
        let table = Arc::new(Table {
            parts,
            begun: Instant::now(),
            shared: Mutex::default(),
            bell: Condvar::new(),
            changes: watch::channel(0).0,
            interrupt: Interrupt::default(),
            is_closed: AtomicBool::new(false),
            is_hinting: Mutex::default(),
        });
        let own = Arc::clone(&table);
        std::thread::Builder::new().name("table".to_owned()).spawn(move || {
            own.run();
            drop(place);
        })?;
        Ok(table)
    }

    /// Something changed that some token may have to be told.
    pub(super) fn ring(&self) {
        self.bell.notify_all();
        self.changes.send_modify(|number| *number += 1);
    }

    /// The token with this secret, found in a time that does not depend on the secret.
    pub(super) fn token(&self, secret: &str) -> Option<&TableToken> {
        // All are looked at, whichever it is.
        self.parts.tokens.iter().fold(None, |found, token| if token.is(secret) { Some(token) } else { found })
    }

    pub(super) fn persons(&self) -> impl Iterator<Item = Role> + '_ {
        let is_person = |(_, sitting): &(usize, &Sitting)| matches!(sitting, Sitting::Person);
        self.parts.sitting.iter().enumerate().filter(is_person).map(|(at, _)| Role::new(at))
    }

    /// Whether the match is over.
    pub(super) fn is_over(&self) -> bool {
        self.shared.lock().phase == Phase::Over
    }

    /// How long nobody has looked at the table, if its match is over.
    pub(super) fn forgotten(&self) -> Option<Duration> {
        let shared = self.shared.lock();
        shared.is_ended.then(|| self.begun.elapsed().saturating_sub(shared.touched))
    }

    /// Whether nothing will change any more.
    pub(super) fn is_still(&self) -> bool {
        let shared = self.shared.lock();
        self.is_closed.load(Ordering::Acquire) || (shared.is_ended && shared.is_settled)
    }

    /// A person has come, or is still there.
    pub(super) fn come(&self, role: Role) {
        let mut shared = self.shared.lock();
        shared.touched = self.begun.elapsed();
        shared.seen.insert(role, Instant::now());
        let is_new = shared.come.insert(role);
        drop(shared);
        if is_new {
            self.ring();
        }
    }

    /// Lets persons leave who have been gone for long.
    pub(super) fn sweep(&self) {
        let mut shared = self.shared.lock();
        // A person who has the page open is there.
        for token in self.parts.tokens.iter().filter(|token| token.is_seat && token.is_open()) {
            if let Sight::Role(role) = token.sight {
                shared.seen.insert(role, Instant::now());
            }
        }
        let gone = |role: &Role| {
            let unlooked = || self.begun.elapsed().saturating_sub(shared.touched);
            let seen = shared.seen.get(role).map_or_else(unlooked, Instant::elapsed);
            seen > GONE && !shared.left.contains(role)
        };
        let leaving: Vec<Role> =
            if shared.phase == Phase::Over { Vec::new() } else { self.persons().filter(gone).collect() };
        drop(shared);
        leaving.into_iter().for_each(|role| self.leave(role));
    }

    /// A person leaves: from now on legal moves are drawn for her.
    pub(super) fn leave(&self, role: Role) {
        let mut shared = self.shared.lock();
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

    /// Waits a while for the thread to end.
    pub(super) fn wait(&self, longest: Duration) {
        let until = Instant::now() + longest;
        let mut shared = self.shared.lock();
        while !shared.is_ended && Instant::now() < until {
            self.bell.wait_for(&mut shared, until.saturating_duration_since(Instant::now()));
        }
    }

    /// A person chooses a move at a step.
    ///
    /// # Errors
    /// If it is not her turn, or the move is not legal.
    pub(super) fn choose(&self, role: Role, step: usize, text: &str) -> KioskResult {
        let mut shared = self.shared.lock();
        shared.touched = self.begun.elapsed();
        let late = |error: &str| refusal(409, error, "look at the table again");
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
            return Err(refusal(400, error, "take one of the moves that the table shows"));
        };
        let own = question.legal[place];
        shared.chosen.insert(role, own);
        drop(shared);
        self.ring();
        Ok(())
    }

    /// Waits for what a person chooses at a step; none if the time is up, or she leaves, or the server ends.
    pub(super) fn chosen(&self, role: Role, step: usize, deadline: Option<Instant>) -> Option<Move> {
        let mut shared = self.shared.lock();
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
            self.bell.wait_for(&mut shared, left.unwrap_or(Duration::from_secs(3600)));
        }
    }

    /// The knowledge and the legal moves of a role now, for a hint.
    ///
    /// # Errors
    /// If there is nothing to choose.
    pub(super) fn to_advise(&self, role: Role) -> KioskResult<(Evidence, Vec<Move>)> {
        let shared = self.shared.lock();
        let evidence = shared.scenes.get(&Sight::Role(role)).and_then(|scene| scene.evidence.clone());
        let legal = shared.questions.get(&role).map(|question| question.legal.clone());
        let nothing = || refusal(409, "there is nothing to choose now", "ask when it is your turn");
        evidence.zip(legal).ok_or_else(nothing)
    }

    /// The scene that a token may know now.
    pub(super) fn scene(&self, token: &TableToken) -> Scene {
        let mut shared = self.shared.lock();
        shared.touched = self.begun.elapsed();
        let room = &self.parts.room;
        let own = match token.sight {
            Sight::Role(role) => Some(role),
            Sight::Truth => None,
        };
        let seat = own.filter(|_| token.is_seat);
        let names = room.game.role_names();
        let scene = shared.scenes.get(&token.sight).cloned().unwrap_or_default();
        let chosen = seat.and_then(|role| shared.chosen.get(&role)).map(|own| room.game.show(own.0));
        let question = seat.and_then(|role| shared.questions.get(&role)).filter(|_| chosen.is_none());
        let clock = shared.clock.filter(|_| shared.phase == Phase::Play).map(|(begun, total)| {
            let left = total.saturating_sub(begun.elapsed());
            json!({ "total": total.as_secs_f64(), "left": left.as_secs_f64() })
        });
        let mixes = seat.and_then(|role| shared.mixes.get(&role)).cloned().unwrap_or_default();
        let sees = own.map_or(TRUTH, |role| names[role.index()].as_str());
        Scene {
            phase: shared.phase,
            step: shared.step,
            clock,
            seats: self.seats(seat),
            legal: question.map_or_else(Vec::new, |question| question.shown.clone()),
            switches: seat.zip(shared.in_time.as_ref()).map(|(role, in_time)| in_time.of(role)),
            chosen,
            equilibrium: mixes,
            result: shared.result.clone(),
            ..Scene::of(&self.parts.id, room, sees, scene)
        }
    }

    pub(super) fn seats(&self, you: Option<Role>) -> Vec<SceneSeat> {
        let each = self.parts.sitting.iter().zip(self.parts.room.game.role_names()).enumerate();
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

    /// The equilibrium has said all that it has to say.
    pub(super) fn settle(&self) {
        self.shared.lock().is_settled = true;
        self.ring();
    }

    /// Adds what an equilibrium says of a move.
    pub(super) fn add_mix(&self, role: Role, mix: Value) {
        self.shared.lock().mixes.entry(role).or_default().push(mix);
        self.ring();
    }
}
