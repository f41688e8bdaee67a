//! The player `remote`: a program behind an address, which is asked by messages.
//!
//! Each message goes over a connection of its own. The answer is read as a term of the game; the referee says whether
//! it is legal. A match has one name for all its roles, unless a program plays several of them (the key `own_id`).
//!
//! A connection that is refused is tried again for a while, because a player that serves one connection after the other
//! is deaf between two of them. Where nobody was found, the next message is not tried again. An answer that comes after
//! its time is kept in the fault.
//!
//! Invariant: the program is told what its role knows and nothing else. The percepts are sent in the natural order of
//! terms of the game, scrambled or not; they are a set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::http::client::{Address, ExchangeError, ReplyLimits, exchange};
use crate::protocol::{
    Message, Phrasing, Scrambler, StartMessage, StepMessage, WireDialect, WireLetters, game_line, quoted,
    with_joint_moves,
};
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Move, OwnMove, Role, StateMachine as _};
use hyperplay_play::player::{
    LateAnswer, REMOTE, Registry, RemoteEnd, RemoteFailure, RemotePlayer, RemoteStart, Seat, SpecEntry,
    SpecKey,
};

/// The sender of the messages.
const SENDER: &str = "Gamecontroller";

/// How long a message may take where the caller sets no time.
const LONGEST: Duration = Duration::from_secs(600);

/// How long a refused connection is tried again, and how often.
const REFUSED: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(100);

/// How long after its time an answer is still awaited, to be kept.
const LATE: Duration = Duration::from_secs(10);

/// The longest answer that is shown in a fault, in characters.
const SHOWN: usize = 200;

/// The registry with the player `remote`. A registry that has a player of this name keeps its own.
pub fn with_remote(registry: &Registry) -> Registry {
    let added = registry.clone().with_player(entry(), |spec, _| {
        let address = Address::parse(spec.text("url"))
            .map_err(|error| spec.refuse("url", format!("the address of a player: {error}")))?;
        let phrasing = Phrasing { dialect: spec.word("dialect"), letters: spec.word("letters") };
        let (scrambles, own_id) = (spec.word::<bool>("scramble"), spec.word::<bool>("own_id"));
        let is_there = Arc::new(AtomicBool::new(true));
        Ok(move |engine: &Arc<Engine>, role: Role| {
            Seat::remote(Remote {
                engine: Arc::clone(engine),
                role,
                address: address.clone(),
                phrasing,
                scrambles,
                own_id,
                is_there: Arc::clone(&is_there),
                id: String::new(),
                scrambler: None,
            })
        })
    });
    added.unwrap_or_else(|_| registry.clone())
}

/// The spec of the player behind an address.
///
/// ```
/// use hyperplay_net::host::remote_spec;
///
/// assert_eq!(remote_spec("http://127.0.0.1:9147"), "remote:url=http://127.0.0.1:9147");
/// ```
pub fn remote_spec(url: &str) -> String {
    format!("{REMOTE}:url={url}")
}

fn entry() -> SpecEntry {
    let switch = |name: &'static str, about: &'static str| SpecKey::word(name, false, about);
    SpecEntry::new(
        REMOTE,
        "This player is another program, which is asked over the network; it plays in matches with clocks only.",
    )
    .with(SpecKey::text(
        "url",
        "an address, as in http://127.0.0.1:9147",
        "http://127.0.0.1:9147",
        "The program listens at this address.",
    ))
    .with(SpecKey::word(
        "dialect",
        WireDialect::Gdl2,
        "The messages are those of GDL-II, of GDL-II as in 2011, or of GDL-I, which is for games in which nothing is hidden.",
    ))
    .with(SpecKey::word(
        "letters",
        WireLetters::Upper,
        "Names are sent in upper case, or as the rules spell them.",
    ))
    .with(switch("scramble", "The names of the rules are replaced by others, anew in each match."))
    .with(switch("own_id", "The name of the match ends with the role, for a program that plays several roles of it."))
}

struct Remote {
    engine: Arc<Engine>,
    role: Role,
    address: Address,
    phrasing: Phrasing,
    scrambles: bool,
    own_id: bool,
    /// Whether the last message found somebody at the address; in all matches of the spec.
    is_there: Arc<AtomicBool>,
    /// The name of the match, once it has begun.
    id: String,
    scrambler: Option<Scrambler>,
}

impl Remote {
    /// Sends a message and waits for what comes back, within the budget.
    fn say(&self, message: &Message, budget: &Budget) -> Result<String, RemoteFailure> {
        let body = self.phrasing.write(message);
        let begun = Instant::now();
        let time = budget.left().unwrap_or(LONGEST).min(LONGEST);
        let (address, late) = (self.address.clone(), LateAnswer::default());
        let is_there = Arc::clone(&self.is_there);
        let ((said, reply), kept) = (sync_channel(1), Arc::clone(&late));
        let send = move || {
            // The last refusal comes before the time is over: nobody there is another fault than a late answer.
            let longest = REFUSED.min(time.saturating_sub(2 * AGAIN));
            let patience = if is_there.load(Ordering::Relaxed) { longest } else { Duration::ZERO };
            let answer = loop {
                match exchange(&address, &body, SENDER, begun + time + LATE, ReplyLimits::default()) {
                    Err(error) if error.is_refused() && begun.elapsed() < patience => thread::sleep(AGAIN),
                    answer => break answer,
                }
            };
            let is_refused = answer.as_ref().is_err_and(ExchangeError::is_refused);
            is_there.store(!is_refused, Ordering::Relaxed);
            if let Err(SendError(Ok(reply))) = said.send(answer) {
                let seconds = begun.elapsed().as_secs_f64();
                // It is the only answer to this message.
                let _ = kept.set(format!("{} after {seconds:.1} s", quoted(reply.body.trim(), SHOWN)));
            }
        };
        let thread = thread::Builder::new().name("message".to_owned()).spawn(send);
        thread.map_err(|error| RemoteFailure::Unreachable(error.to_string()))?;
        let left = (begun + time).saturating_duration_since(Instant::now());
        let Ok(answer) = reply.recv_timeout(left) else { return Err(RemoteFailure::Late(late)) };
        answer.map(|reply| reply.body.trim().to_owned()).map_err(|error| match error {
            error if error.is_timeout() => RemoteFailure::Late(late),
            error @ (ExchangeError::TooLong(..) | ExchangeError::NotText(..)) => {
                RemoteFailure::Illegal(error.to_string())
            }
            error => RemoteFailure::Unreachable(error.to_string()),
        })
    }

    /// A term as the other program knows it.
    fn term(&self, text: String) -> String {
        self.scrambler.as_ref().map_or(text.clone(), |scrambler| scrambler.scramble(&text))
    }

    fn show(&self, own: Move) -> String {
        self.term(self.engine.terms().show(own.0))
    }

    /// The new knowledge of its role from the last step.
    fn step(&self, evidence: &Evidence) -> StepMessage {
        let last = evidence.steps.last();
        let own = last.map(|observation| match &observation.own {
            OwnMove::Known(own) => self.show(*own),
            OwnMove::OneOf(_) | OwnMove::Untold(_) => {
                unreachable!("the referee records the move that was made")
            }
        });
        let seen = last.map(|observation| {
            let terms = self.engine.terms();
            let seen = observation.percepts.iter().map(|percept| percept.0);
            match self.phrasing.dialect {
                // In a game of GDL-I every percept is `(did ROLE MOVE)`.
                WireDialect::Gdl1 => {
                    let roles = self.engine.game().roles();
                    let moves = seen.filter_map(|term| match terms.arguments(term) {
                        &[role, own] => Some((roles.iter().position(|&other| other == role)?, own)),
                        _ => None,
                    });
                    let mut moves: Vec<_> = moves.collect();
                    moves.sort_by_key(|&(role, _)| role);
                    moves.into_iter().map(|(_, own)| self.term(terms.show(own))).collect()
                }
                _ => seen.map(|term| self.term(terms.show(term))).collect(),
            }
        });
        StepMessage { id: self.id.clone(), numbered: Some((evidence.step(), own)), seen }
    }
}

impl RemotePlayer for Remote {
    fn start(&mut self, start: &RemoteStart<'_>, budget: &Budget) -> Result<(), RemoteFailure> {
        let game = self.engine.game();
        let role = game.terms().show(game.roles()[self.role.index()]);
        // In a scrambled match nothing names the game or the role.
        let id = if self.scrambles { plain_id(start.id) } else { start.id.to_owned() };
        self.id = if self.own_id { format!("{id}_{}", self.role.index()) } else { id };
        let mut rules = game_line(game);
        if !game.is_imperfect() && self.phrasing.dialect != WireDialect::Gdl1 {
            rules = with_joint_moves(&rules);
        }
        if self.scrambles {
            self.scrambler = Some(Scrambler::new(&rules, &start.seed.child("scramble")));
        }
        let message = Message::Start(StartMessage {
            id: self.id.clone(),
            role: self.term(role),
            rules: self.term(rules),
            startclock: start.startclock,
            playclock: start.playclock,
        });
        let answer = self.say(&message, budget)?;
        let is_ready = answer.eq_ignore_ascii_case("ready");
        if is_ready { Ok(()) } else { Err(RemoteFailure::Illegal(quoted(&answer, SHOWN))) }
    }

    fn play(&mut self, evidence: &Evidence, budget: &Budget) -> Result<Move, RemoteFailure> {
        let answer = self.say(&Message::Play(self.step(evidence)), budget)?;
        let meant = match &self.scrambler {
            Some(scrambler) => scrambler.unscramble(&answer),
            None => Some(answer.clone()),
        };
        let read = meant.and_then(|text| self.engine.terms().read(&text));
        read.map(Move).ok_or_else(|| {
            // Its answer in scrambled names may be a move in those of the game.
            let scrambled = if self.scrambler.is_some() { ", in scrambled names" } else { "" };
            RemoteFailure::Illegal(format!("{}{scrambled}", quoted(&answer, SHOWN)))
        })
    }

    fn end(&mut self, end: RemoteEnd<'_>, budget: &Budget) {
        let message = match end {
            RemoteEnd::Stopped(evidence) => Message::Stop(self.step(evidence)),
            RemoteEnd::Aborted => Message::Abort { id: self.id.clone() },
        };
        if let Err(failure) = self.say(&message, budget) {
            tracing::debug!(id = %self.id, %failure, "the end of the match was not taken notice of");
        }
    }
}

/// The name of a match without that of its game: the date and the number behind it.
fn plain_id(id: &str) -> String {
    let behind: Vec<&str> = id.rsplitn(3, '_').take(2).collect();
    behind.into_iter().rev().fold("match".to_owned(), |id, part| id + "_" + part)
}
