//! The matches of a player server: which are running, and the answer to each message.
//!
//! Every message is answered: with what the protocol says, with `busy` where a match is not one of ours or there is no
//! room for another, or with an error in words. A match runs on a thread of its own; here its answers are awaited with
//! a deadline, and an answer is ready for the case that none comes ([`Spare`]).
//!
//! **Eviction.** Some game masters never say STOP. Where a START needs a place, a match gives way to it that is over for
//! certain, or whose game master has been silent for longer than its clocks and a while ([`ServeOptions::stale`]). A
//! match that is waited for never does. An evicted match is not thought for any more; the last ones keep what they know,
//! so a late PLAY still gets a legal move.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout_at;

use super::cancel::CancelToken;
use super::margin::AnswerMargin;
use super::records::EvidenceRecorder;
use super::rules::unconditional_move;
use super::session::{LONGEST, Order, SessionParts, Spare, run};
use crate::protocol::{Message, MessageError, StartMessage, StepMessage};
use hyperplay_engine::EngineKind;
use hyperplay_logic::gdl::fold;
use hyperplay_machine::{CancelFlag, Seed};
use hyperplay_play::files::{EarlierRecords, FileError};
use hyperplay_play::player::{Registry, SpecError, guarded};
use hyperplay_play::referee::EvidenceOutcome;

/// How many matches that have ended are remembered, to answer a message that is repeated.
const ENDED: usize = 256;

/// How many evicted matches keep what they know.
const EVICTED: usize = 2;

/// How long a match may take to say whether it is over.
const TO_SAY: Duration = Duration::from_millis(500);

/// Bytes of a last answer that is remembered.
const LONGEST_ANSWER: usize = 1024;

/// How many matches that have ended may still have threads that work, at least: grounding cannot be stopped.
const LINGERING: usize = 4;

/// Bytes of a message that is not read in passing.
const LONG_MESSAGE: usize = 256 * 1024;

/// How a player server plays.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The name that it gives itself.
    pub name: String,
    /// The registry in which its player is looked up.
    pub registry: Registry,
    /// The spec of its player.
    pub player: String,
    /// The engine, where the spec names none.
    pub engine: EngineKind,
    /// Matches at a time.
    pub matches: usize,
    /// How long before the end of a clock an answer is sent, at least.
    pub margin: Duration,
    /// How long a match may be silent beyond three play clocks (and its start clock, if it was never asked) before it
    /// gives way to another one.
    pub stale: Duration,
    /// The seed that every random choice follows from, with the name of the match and its role.
    pub seed: u64,
    /// The folder for records, and what becomes of those that it has.
    pub record: Option<(PathBuf, EarlierRecords)>,
    /// The bytes that the rules of all matches may take together, by estimate: each match has an equal share.
    pub memory: u64,
    /// Whether players think ahead between their moves.
    pub thinks_ahead: bool,
}

/// Why an answer is no answer of the protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The message cannot be read.
    Unreadable(MessageError),
    /// Nothing could be done.
    Failed(String),
}

/// A match that runs.
struct RunningMatch {
    /// The role that is played, in one case.
    role: String,
    orders: Sender<Order>,
    thread: JoinHandle<()>,
    cancel: Arc<CancelToken>,
    spare: Spare,
    startclock: Duration,
    playclock: Duration,
    /// When the last message came.
    heard: Instant,
    asked: Asked,
    /// Tells this match from others of the same name.
    number: u64,
}

/// The last question of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// There was none.
    Never,
    /// The session has not answered it.
    Pending,
    Answered,
}

impl RunningMatch {
    /// Whether its game master has been silent for so long that it gives way.
    fn is_silent(&self, stale: Duration) -> bool {
        let prepares = if self.asked == Asked::Never { self.startclock } else { Duration::ZERO };
        let allowed = self.playclock.saturating_mul(3).saturating_add(prepares).saturating_add(stale);
        self.heard.elapsed() > allowed
    }
}

/// A player server without the network: messages in, answers out.
pub struct PlayerServer {
    options: ServeOptions,
    margin: Arc<AnswerMargin>,
    recorder: Option<Arc<EvidenceRecorder>>,
    running: Mutex<HashMap<String, RunningMatch>>,
    /// Matches that have ended, each with the answer to a question that still comes.
    ended: Mutex<VecDeque<(String, Option<String>)>>,
    /// The threads of matches that have ended and may still keep their records.
    ending: Mutex<Vec<JoinHandle<()>>>,
    /// Of every match that has begun, what its threads hold; for as long as one of them works.
    /// A flag under which no thread works any more is used again.
    working: Mutex<Vec<(CancelFlag, Weak<CancelToken>)>>,
    numbers: AtomicU64,
}

/// The longest time that the end of running matches may take.
const FAREWELL: Duration = Duration::from_secs(2);

impl PlayerServer {
    /// A server with these options.
    ///
    /// # Errors
    /// If the spec of the player is wrong, or the folder for records cannot be made.
    pub fn new(options: ServeOptions) -> Result<PlayerServer, ServeError> {
        options.registry.player(&options.player)?;
        let open = |(folder, earlier): &(PathBuf, _)| EvidenceRecorder::open(folder, *earlier, options.seed);
        let recorder = options.record.as_ref().map(open).transpose()?.map(Arc::new);
        Ok(PlayerServer {
            margin: Arc::new(AnswerMargin::new(options.margin)),
            options,
            recorder,
            running: Mutex::default(),
            ended: Mutex::default(),
            ending: Mutex::default(),
            working: Mutex::default(),
            numbers: AtomicU64::new(0),
        })
    }

    /// Ends a match; its thread keeps the record.
    fn ends(&self, of: RunningMatch, outcome: EvidenceOutcome) {
        // A thread that has ended already needs no order.
        let _ = of.orders.send(Order::End(outcome));
        self.lets_end(of);
    }

    /// A match has its last order: its pending answers are awaited no longer.
    fn lets_end(&self, of: RunningMatch) {
        of.cancel.cancel();
        let mut ending = self.ending.lock();
        ending.retain(|thread| !thread.is_finished());
        ending.push(of.thread);
    }

    /// Answers a message that came at this time.
    ///
    /// # Errors
    /// If it is no message.
    pub async fn answer(&self, text: impl Into<String>, received: Instant) -> Result<String, Refusal> {
        let text = text.into();
        let message = if text.len() < LONG_MESSAGE {
            Message::read(&text)
        } else {
            // It takes a while, in which other messages are answered; the text is not kept while the answer is awaited.
            let read = tokio::task::spawn_blocking(move || Message::read(&text)).await;
            read.map_err(|error| Refusal::Failed(format!("the message could not be read: {error}")))?
        };
        Ok(match message.map_err(Refusal::Unreadable)? {
            Message::Info => self.info().await,
            Message::Preview { .. } => "ready".to_owned(),
            Message::Start(start) => self.start(start, received).await?,
            Message::Play(step) => self.step(step, received, false).await,
            Message::Stop(step) => self.step(step, received, true).await,
            Message::Abort { id } => self.abort(&id),
        })
    }

    async fn info(&self) -> String {
        let is_free = self.matches() < self.options.matches || self.giving_way(|_, _| true).await.is_some();
        let status = if is_free { "available" } else { "busy" };
        format!("((name {}) (status {status}))", self.options.name)
    }

    /// A match that gives way to another one, among those that `hinders` is true of.
    async fn giving_way(&self, hinders: impl Fn(&str, &RunningMatch) -> bool) -> Option<u64> {
        let mut asked = Vec::new();
        {
            let running = self.running.lock();
            for (id, of) in running.iter().filter(|(id, of)| !of.cancel.is_evicted() && hinders(id, of)) {
                if of.is_silent(self.options.stale) {
                    tracing::warn!(%id, "the game master is silent");
                    return Some(of.number);
                }
                if of.asked == Asked::Answered {
                    let (answer, said) = oneshot::channel();
                    // A session that has ended says nothing.
                    let _ = of.orders.send(Order::IsOver(answer));
                    asked.push((of.number, said));
                }
            }
        }
        let until = Instant::now() + TO_SAY;
        for (number, said) in asked {
            if let Ok(Ok(true)) = timeout_at(until.into(), said).await {
                return Some(number);
            }
        }
        None
    }

    /// Evicts a match, unless it was asked meanwhile; the oldest evicted ones end.
    fn evict(&self, running: &mut HashMap<String, RunningMatch>, number: u64) {
        let Some((id, of)) = running.iter().find(|(_, of)| of.number == number) else { return };
        if of.asked == Asked::Pending && !of.is_silent(self.options.stale) {
            return;
        }
        tracing::info!(%id, role = %of.role, "gives way to another match");
        of.cancel.evict();
        while running.values().filter(|of| of.cancel.is_evicted()).count() > EVICTED {
            let evicted = running.iter().filter(|(_, of)| of.cancel.is_evicted());
            let Some(id) = evicted.min_by_key(|(_, of)| of.heard).map(|(id, _)| id.clone()) else { return };
            let Some(of) = running.remove(&id) else { return };
            self.remember(&id, Some(of.spare.lock().clone()));
            self.ends(of, EvidenceOutcome::Expired);
        }
    }

    async fn start(&self, start: StartMessage, received: Instant) -> Result<String, Refusal> {
        let (ready, prepared) = oneshot::channel();
        let (id, startclock) = (start.id.clone(), start.startclock.min(LONGEST));
        let spare = Arc::new(Mutex::new(unconditional_move(&start.rules, &start.role)));
        let is_other_role = |of: &RunningMatch| of.role != fold(&start.role) && !of.cancel.is_evicted();
        let is_full = |running: &HashMap<String, RunningMatch>| {
            let is_new = running.get(&id).is_none_or(|of| of.cancel.is_evicted());
            is_new && playing(running) >= self.options.matches
        };
        let needs_room = is_full(&self.running.lock());
        let hinders = |of: &str, other: &RunningMatch| needs_room || of == id && is_other_role(other);
        let giving_way = self.giving_way(hinders).await;
        {
            let mut running = self.running.lock();
            if let Some(number) = giving_way {
                self.evict(&mut running, number);
            }
            if running.get(&id).is_some_and(is_other_role) {
                let why = "PLAY names no role, so one address plays one role of a match";
                tracing::warn!(%id, role = %start.role, "busy: {why}");
                return Ok("busy".to_owned());
            }
            if is_full(&running) {
                tracing::info!(%id, "busy: no room for another match");
                return Ok("busy".to_owned());
            }
            let evicted = running.len() - playing(&running);
            let Some(cancel) = self.cancel_token(evicted) else {
                tracing::warn!(%id, "busy: matches that have ended are still being worked on");
                return Ok("busy".to_owned());
            };
            if let Some(former) = running.remove(&id) {
                tracing::info!(%id, "begins anew");
                self.ends(former, EvidenceOutcome::Replaced);
            }
            let begun = self.begin(start, received, ready, spare, cancel)?;
            running.insert(id.clone(), begun);
        }
        self.ended.lock().retain(|(ended, _)| *ended != id);
        let until = received + startclock.saturating_sub(self.margin.of(startclock) / 2);
        // All that is not ready goes on in the time of the first move.
        let _ = timeout_at(until.into(), prepared).await;
        tracing::info!(%id, milliseconds = received.elapsed().as_millis() as u64, "ready");
        Ok("ready".to_owned())
    }

    /// The token that the threads of a new match hold; nothing if those of too many matches still work, beside those
    /// that have given way.
    fn cancel_token(&self, evicted: usize) -> Option<Arc<CancelToken>> {
        let mut working = self.working.lock();
        let most = self.options.matches + self.options.matches.max(LINGERING) + evicted;
        let place = match working.iter().position(|(_, of)| of.strong_count() == 0) {
            Some(place) => place,
            None if working.len() >= most => return None,
            None => {
                working.push((CancelFlag::leak(), Weak::new()));
                working.len() - 1
            }
        };
        let (flag, of) = &mut working[place];
        let token = Arc::new(CancelToken::new(*flag));
        *of = Arc::downgrade(&token);
        Some(token)
    }

    /// Begins the thread of a match.
    fn begin(
        &self,
        start: StartMessage,
        received: Instant,
        ready: oneshot::Sender<()>,
        spare: Spare,
        cancel: Arc<CancelToken>,
    ) -> Result<RunningMatch, Refusal> {
        // A spec that is read anew keeps nothing of former matches.
        let spec = self.options.registry.player(&self.options.player);
        let spec = spec.map_err(|error| Refusal::Failed(error.to_string()))?;
        let seed =
            Seed::root(self.options.seed).child("match").child(&start.id).child("role").child(&start.role);
        let role = fold(&start.role).into_owned();
        let startclock = start.startclock.min(LONGEST);
        let playclock = start.playclock.min(LONGEST);
        let parts = SessionParts {
            start: StartMessage { startclock, playclock, ..start },
            received,
            spec,
            engine: self.options.engine,
            seed,
            margin: Arc::clone(&self.margin),
            spare: spare.clone(),
            recorder: self.recorder.clone(),
            memory: self.options.memory / self.options.matches.max(1) as u64,
            cancel: Arc::clone(&cancel),
            thinks_ahead: self.options.thinks_ahead,
        };
        let (orders, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("session".to_owned())
            .spawn(move || {
                let id = parts.start.id.clone();
                if guarded(|| run(parts, ready, &inbox)).is_err() {
                    tracing::error!(%id, "a part of the program failed; the match has no record");
                }
            })
            .map_err(|error| Refusal::Failed(format!("no thread for the match: {error}")))?;
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        Ok(RunningMatch {
            role,
            orders,
            thread,
            cancel,
            spare,
            startclock,
            playclock,
            heard: Instant::now(),
            asked: Asked::Never,
            number,
        })
    }

    async fn step(&self, message: StepMessage, received: Instant, ends: bool) -> String {
        let id = message.id.clone();
        let (answer, said) = oneshot::channel();
        let spared = Arc::new(AtomicBool::new(false));
        let (spare, playclock, number) = {
            let mut running = self.running.lock();
            let Some(of) = running.get_mut(&id) else {
                return self.of_unknown(&id, ends.then_some("done"));
            };
            (of.heard, of.asked) = (Instant::now(), Asked::Pending);
            let order = Order::Step { message, ends, received, answer, spared: Arc::clone(&spared) };
            // A session that has ended answers nothing, and the spare answer is sent.
            let _ = of.orders.send(order);
            (of.spare.clone(), of.playclock, of.number)
        };
        if ends {
            // The rest of the match ends by itself.
            self.forget(&id, number);
            return "done".to_owned();
        }
        let until = received + playclock.saturating_sub(self.margin.of(playclock) / 2);
        match timeout_at(until.into(), said).await {
            Ok(Ok(text)) => {
                if let Some(of) = self.running.lock().get_mut(&id).filter(|of| of.number == number) {
                    of.asked = Asked::Answered;
                }
                text
            }
            _ => {
                spared.store(true, Ordering::Release);
                let text = spare.lock().clone();
                tracing::warn!(%id, own = %text, "the match has no answer ready; the spare one is sent");
                text
            }
        }
    }

    fn abort(&self, id: &str) -> String {
        let Some(of) = self.running.lock().remove(id) else { return self.of_unknown(id, Some("aborted")) };
        self.ends(of, EvidenceOutcome::Aborted);
        self.remember(id, None);
        "aborted".to_owned()
    }

    /// The answer to a message about a match that does not run: as before if it has ended, else `busy`. A question of a
    /// match that has given way gets its last answer.
    fn of_unknown(&self, id: &str, as_before: Option<&str>) -> String {
        let ended = self.ended.lock();
        let last = ended.iter().find(|(ended, _)| ended == id).map(|(_, last)| last.as_deref());
        last.and_then(|last| as_before.or(last)).unwrap_or("busy").to_owned()
    }

    fn forget(&self, id: &str, number: u64) {
        let mut running = self.running.lock();
        let of = running.get(id).is_some_and(|of| of.number == number).then(|| running.remove(id)).flatten();
        drop(running);
        of.into_iter().for_each(|of| self.lets_end(of));
        self.remember(id, None);
    }

    fn remember(&self, id: &str, answer: Option<String>) {
        let answer = answer.filter(|answer| answer.len() <= LONGEST_ANSWER);
        let mut ended = self.ended.lock();
        ended.push_back((id.to_owned(), answer));
        while ended.len() > ENDED {
            ended.pop_front();
        }
    }

    /// How many matches run, without those that have given way.
    pub fn matches(&self) -> usize {
        playing(&self.running.lock())
    }

    /// Of how many matches threads still exist.
    #[cfg(test)]
    pub(super) fn at_work(&self) -> usize {
        let working = self.working.lock();
        working.iter().filter(|(_, of)| of.strong_count() > 0).count()
    }

    /// Ends all matches, so that their records are kept, and waits for that a short while.
    pub fn close(&self) {
        let running: Vec<RunningMatch> = self.running.lock().drain().map(|(_, of)| of).collect();
        for of in running {
            let is_evicted = of.cancel.is_evicted();
            self.ends(of, if is_evicted { EvidenceOutcome::Expired } else { EvidenceOutcome::Interrupted });
        }
        let ending = std::mem::take(&mut *self.ending.lock());
        let until = Instant::now() + FAREWELL;
        while Instant::now() < until && ending.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// How many of these matches have not given way.
fn playing(running: &HashMap<String, RunningMatch>) -> usize {
    running.values().filter(|of| !of.cancel.is_evicted()).count()
}

/// Why there is no player server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The spec of the player is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The folder for records cannot be used.
    #[error(transparent)]
    Record(#[from] FileError),
}
