//! A small player server: correct, and by one defect at a time broken.
//!
//! It keeps every state that its percepts leave possible and makes the first legal move of the first of them.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use hyperplay_engine::Interpreter;
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{JointMove, JointMoves, Move, Role, State, StateMachine, StateMachineExt};

use crate::http::client::Address;
use crate::protocol::{Message, StartMessage, StepMessage, WireDialect};

/// The defect of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Defect {
    None,
    /// Reads messages and says nothing.
    Silent,
    /// Answers every message with what is no term.
    Junk,
    /// Never closes a connection.
    KeepsOpen,
    /// Answers in lower case.
    LowerCase,
    /// Does not look at percepts.
    Blind,
    /// Follows its own moves, not the recorded ones.
    OwnMoves,
    /// Takes a repeated message for a new one.
    Forgetful,
    /// Serves one connection after the other.
    OneByOne,
    /// Answers PLAY after the clock.
    Late,
    /// Leaves out Content-length.
    NoLength,
    /// Knows no ABORT.
    NoAbort,
    /// Plays one match at a time.
    OneMatch,
    /// Takes equal messages without a number for repetitions.
    Repeating,
    /// Takes what it has sent for what was made, where it is not told.
    Stubborn,
    /// Takes every message of a game of GDL-I for a joint move.
    JointMoves,
}

struct Playing {
    machine: Interpreter,
    role: Role,
    is_imperfect: bool,
    playclock: Duration,
    /// The states that explain what was seen, and how many moves were replaced until then; the fewest first.
    possible: Vec<(State, usize)>,
    last: Option<String>,
    /// The last PLAY and its answer.
    answered: Option<(StepMessage, String)>,
}

type Matches = Arc<Mutex<HashMap<String, Playing>>>;

/// Starts a player that serves until the tests end.
pub(super) fn serve(defect: Defect) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let matches = Matches::default();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let matches = Arc::clone(&matches);
            let handler = thread::spawn(move || answer(connection, &matches, defect));
            if defect == Defect::OneByOne {
                let _ = handler.join();
            }
        }
    });
    address
}

/// The method, the path and the body of a request.
fn request(connection: &mut TcpStream) -> Option<(String, String, String)> {
    connection.set_read_timeout(Some(Duration::from_secs(3))).ok()?;
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let length = connection.read(&mut buffer).ok().filter(|&length| length > 0)?;
        bytes.extend_from_slice(&buffer[..length]);
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut request = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(head) = request.parse(&bytes).ok()? else { continue };
        let length = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
        let length = length.map_or(Some(0), |header| str::from_utf8(header.value).ok()?.parse().ok())?;
        if bytes.len() >= head + length {
            let body = String::from_utf8_lossy(&bytes[head..head + length]).into_owned();
            return Some((request.method?.to_owned(), request.path?.to_owned(), body));
        }
    }
}

fn answer(mut connection: TcpStream, matches: &Matches, defect: Defect) {
    let Some((method, path, body)) = request(&mut connection) else {
        let _ = connection.write_all(b"HTTP/1.0 400 Bad Request\r\nContent-length: 0\r\n\r\n");
        return;
    };
    if defect == Defect::Silent {
        thread::sleep(Duration::from_secs(20));
        return;
    }
    let text = match method.as_str() {
        "GET" => path[1..].replace("%28", "(").replace("%29", ")"),
        _ => body,
    };
    let said = match Message::read(&text) {
        _ if method == "OPTIONS" => String::new(),
        _ if defect == Defect::Junk => "this is ) junk".to_owned(),
        Ok(message) => reply(message, matches, defect),
        Err(_) => "error".to_owned(),
    };
    let length = if defect == Defect::NoLength {
        String::new()
    } else {
        format!("Content-length: {}\r\n", said.len())
    };
    let head = format!(
        "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nAccess-Control-Allow-Origin: *\r\n{length}\r\n"
    );
    let _ = connection.write_all((head + &said).as_bytes());
    if defect == Defect::KeepsOpen {
        thread::sleep(Duration::from_secs(20));
    }
}

fn reply(message: Message, matches: &Matches, defect: Defect) -> String {
    let mut matches = matches.lock();
    match message {
        Message::Info => "((name small) (status available))".to_owned(),
        Message::Preview { .. } => "ready".to_owned(),
        Message::Abort { .. } if defect == Defect::NoAbort => "what?".to_owned(),
        Message::Abort { id } => {
            matches.remove(&id);
            "aborted".to_owned()
        }
        Message::Start(_) if defect == Defect::OneMatch && !matches.is_empty() => "busy".to_owned(),
        Message::Start(start) => {
            let id = start.id.clone();
            match begin(start) {
                Some(playing) => {
                    matches.insert(id, playing);
                    "ready".to_owned()
                }
                None => "error".to_owned(),
            }
        }
        Message::Stop(step) => {
            if matches.remove(&step.id).is_some() {
                "done".to_owned()
            } else {
                "busy".to_owned()
            }
        }
        Message::Play(step) => {
            let Some(playing) = matches.get_mut(&step.id) else { return "busy".to_owned() };
            let is_one_step = step.numbered.is_some() || step.seen.is_none() || defect == Defect::Repeating;
            if let Some((before, said)) = &playing.answered
                && *before == step
                && is_one_step
                && defect != Defect::Forgetful
            {
                return said.clone();
            }
            let said = playing.play(&step, defect);
            if defect == Defect::Late {
                thread::sleep(playing.playclock + Duration::from_millis(100));
            }
            playing.answered = Some((step, said.clone()));
            said
        }
    }
}

fn begin(start: StartMessage) -> Option<Playing> {
    let game = load(Source::new("t.kif", start.rules), None).game?;
    let machine = Interpreter::new(&game).ok()?;
    Some(Playing {
        role: machine.role_named(&start.role)?,
        is_imperfect: game.is_imperfect(),
        playclock: start.playclock,
        possible: vec![(machine.initial(), 0)],
        machine,
        last: None,
        answered: None,
    })
}

impl Playing {
    fn play(&mut self, step: &StepMessage, defect: Defect) -> String {
        if let Some(seen) = &step.seen {
            self.follow(step, seen, defect);
        }
        let mut scratch = self.machine.scratch();
        let mut legal = Vec::new();
        if let Some((state, _)) = self.possible.first() {
            self.machine.legal(state, self.role, &mut scratch, &mut legal);
        }
        let repeated = self.answered.as_ref().is_some_and(|(before, _)| before == step);
        let choice = if repeated { legal.last() } else { legal.first() };
        let said = choice.map_or("noop".to_owned(), |&own| self.machine.show_move(own));
        self.last = Some(said.clone());
        if defect == Defect::LowerCase { said.to_lowercase() } else { said }
    }

    /// Keeps the states that explain what was seen.
    fn follow(&mut self, step: &StepMessage, seen: &[String], defect: Defect) {
        let machine = &self.machine;
        let mut scratch = machine.scratch();
        let terms: Vec<_> = seen.iter().filter_map(|term| machine.terms().read(term)).collect();
        let recorded = step.numbered.as_ref().and_then(|(_, last)| last.clone());
        let own = recorded.filter(|_| defect != Defect::OwnMoves).or(self.last.clone());
        let own = own.and_then(|own| machine.terms().read(&own)).map(Move);
        let is_told = step.numbered.is_some() || defect == Defect::Stubborn;
        let mut next: Vec<(State, usize)> = Vec::new();
        for (state, odd) in &self.possible {
            let legal = machine.legal_by_role(state, &mut scratch);
            for joint in JointMoves::new(&legal) {
                let is_sent = Some(joint.of(self.role)) == own;
                let is_own = is_sent || !is_told;
                let explains = match WireDialect::told(step.numbered.is_some(), self.is_imperfect) {
                    WireDialect::Gdl1 if seen.is_empty() && defect != Defect::JointMoves => is_own,
                    WireDialect::Gdl1 => joint.iter().map(|each| each.0).eq(terms.iter().copied()),
                    _ => is_own && self.explains(state, &joint, &terms, defect),
                };
                let successor = machine.next(state, &joint, &mut scratch);
                let is_legal = own.is_some_and(|own| legal[self.role].contains(&own));
                let odd = odd + usize::from(is_legal && !is_sent);
                if explains {
                    match next.iter_mut().find(|(known, _)| *known == successor) {
                        Some((_, least)) => *least = odd.min(*least),
                        None => next.push((successor, odd)),
                    }
                }
            }
        }
        next.sort_by_key(|(_, odd)| *odd);
        self.possible = next;
    }

    fn explains(
        &self,
        state: &State,
        joint: &JointMove,
        terms: &[hyperplay_logic::gdl::TermId],
        defect: Defect,
    ) -> bool {
        let percepts = self.machine.percepts(state, joint, self.role, &mut self.machine.scratch());
        let is_seen =
            percepts.len() == terms.len() && percepts.iter().all(|percept| terms.contains(&percept.0));
        is_seen || defect == Defect::Blind
    }
}
