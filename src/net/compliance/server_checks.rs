//! Checks of the server itself: INFO, the form of answers, connections, other methods, what is no message.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::conversation::Conversation;
use super::games::LAMPS;
use super::master::{CheckMaster, GDL2};
use super::verdict::{CheckEnd, CheckExchange, Checked, fail, shown_bytes, skip};
use crate::http::client::{Ending, ExchangeError, Reply, request};
use crate::protocol::{Message, Phrasing, StepMessage, quoted, read_term};

/// How long an answer may take that needs no thought.
const AT_ONCE: Duration = Duration::from_secs(1);

pub(super) fn info(talk: &mut Conversation) -> Checked {
    let answer = talk.ask("(INFO)", AT_ONCE)?;
    let folded = answer.to_ascii_lowercase();
    let words: Vec<&str> = folded.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).collect();
    let is_list = is_one_list(&answer);
    let after = |word: &str| {
        let place = words.iter().position(|&other| other == word)?;
        words[place + 1..].iter().find(|word| !word.is_empty()).copied()
    };
    match (is_list, after("name"), after("status")) {
        (true, Some(_), Some("available" | "busy")) => Ok(None),
        (true, Some(_), Some(status)) => {
            fail(format!("the status is `{status}`; it is `available` or `busy`"))
        }
        _ => fail(format!("`{}` is not of the form ((name X) (status available))", quoted(&answer, 80))),
    }
}

/// Whether a text is one list whose members are terms: read as the arguments of a term, as the list has no first word.
fn is_one_list(text: &str) -> bool {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inside.is_some_and(|inside| read_term(&format!("(info {inside})")).is_ok())
}

pub(super) fn unknown_match(talk: &mut Conversation) -> Checked {
    let seen = Some(vec!["(isDark Left)".to_owned()]);
    let step = |talk: &mut Conversation| StepMessage {
        id: talk.new_match(),
        numbered: Some((1, Some("(turnOn Left)".to_owned()))),
        seen: seen.clone(),
    };
    for message in
        [Message::Play(step(talk)), Message::Stop(step(talk)), Message::Abort { id: talk.new_match() }]
    {
        let text = Phrasing::default().write(&message);
        let word = text[1..].split(' ').next().unwrap_or_default().to_owned();
        match talk.message(&text, AT_ONCE, Ending::Complete).0 {
            Err(error) if error.is_timeout() => {
                return fail(format!(
                    "a {word} of a match that was never started got no answer and no close"
                ));
            }
            // A move would be a move in some other match.
            Ok(reply) if word == "PLAY" && !is_refusal(reply.body.trim()) => {
                return fail(format!(
                    "a PLAY of a match that was never started was answered `{}`",
                    reply.body.trim()
                ));
            }
            _ => {}
        }
    }
    good_match_follows(talk)
}

/// Whether an answer is a word that refuses, and no move of a game.
fn is_refusal(answer: &str) -> bool {
    ["busy", "error", "unknown", "nil", ""].iter().any(|word| answer.eq_ignore_ascii_case(word))
}

/// Whether a match can be started.
fn good_match_follows(talk: &mut Conversation) -> Checked {
    let master = CheckMaster::new(LAMPS, talk.new_match(), GDL2);
    match talk.start(&master).and_then(|()| talk.abort(&master.id)) {
        Err(CheckEnd::Fail(reason)) => fail(format!("in the good match that follows: {reason}")),
        _ => Ok(None),
    }
}

/// Says START, PLAY and ABORT in raw exchanges, and has each answer looked at.
fn each_answer(
    talk: &mut Conversation,
    ending: Ending,
    mut look: impl FnMut(&str, Result<Reply, ExchangeError>, bool, &[u8]) -> Checked<()>,
) -> Checked {
    let master = CheckMaster::new(LAMPS, talk.new_match(), GDL2);
    let abort = Phrasing::default().write(&Message::Abort { id: master.id.clone() });
    let messages = [
        (master.start_message(talk.clocks), talk.clocks.startclock),
        (master.play_message(), talk.clocks.playclock),
        (abort, AT_ONCE),
    ];
    for (text, clock) in messages {
        let (result, closed) = talk.message(&text, clock, ending);
        let received = talk.exchanges.last().map_or(Vec::new(), |exchange| exchange.received.clone());
        let word = text[1..].split(' ').next().unwrap_or_default();
        look(word, result, closed, &received)?;
    }
    Ok(None)
}

pub(super) fn reply_form(talk: &mut Conversation) -> Checked {
    each_answer(talk, Ending::Closed, |word, result, _, received| {
        let reply = result.map_err(|error| CheckEnd::Fail(format!("{word}: {error}")))?;
        if let Err(error) = read_term(&reply.body) {
            return fail(format!("{word}: the answer is not one term: {error}"));
        }
        let Some(length) = reply.header("Content-length") else {
            return fail(format!("{word}: the answer has no Content-length; some masters wait for it"));
        };
        let end = received.windows(4).position(|window| window == b"\r\n\r\n");
        let Some(end) = end else { return fail(format!("{word}: the head does not end with \\r\\n\\r\\n")) };
        let body = received.len() - end - 4;
        if length.parse() != Ok(body) {
            return fail(format!("{word}: Content-length is {length}, and {body} bytes came"));
        }
        Ok(())
    })
}

pub(super) fn closes(talk: &mut Conversation) -> Checked {
    each_answer(talk, Ending::Closed, |word, result, closed, _| match result {
        Err(error) => fail(format!("{word}: {error}")),
        Ok(_) if closed => Ok(()),
        Ok(_) => fail(format!(
            "{word} was answered, and the connection stayed open; the Dresden GameController reads until it is closed and \
             counts every move as late"
        )),
    })
}

pub(super) fn header_case(talk: &mut Conversation) -> Checked {
    // A Java master of another line: other letters, other order, with a Host, and the body in a packet of its own.
    let head = format!(
        "POST {} HTTP/1.1\r\nHOST: {}:{}\r\nCONTENT-LENGTH: 6\r\ncontent-type: text/acl\r\nSENDER: GAMESERVER\r\n\
         RECEIVER: player\r\naccept: text/delim\r\n\r\n",
        talk.address.path, talk.address.host, talk.address.port
    );
    let (result, _) =
        talk.send(format!("{head}(INFO)").as_bytes(), &head, AT_ONCE + talk.clocks.grace, Ending::Complete);
    result.map_err(|error| CheckEnd::Fail(format!("with headers in other letters: {error}")))?;
    in_pieces(talk)
}

/// INFO in two pieces with a pause between them.
fn in_pieces(talk: &mut Conversation) -> Checked {
    let broken = |error: std::io::Error| CheckEnd::Fail(format!("a request in two pieces: {error}"));
    let begin = Instant::now();
    let mut connection = TcpStream::connect((&*talk.address.host, talk.address.port)).map_err(broken)?;
    let request = request(&talk.address, "(INFO)", "Gamecontroller");
    let (first, second) = request.split_at(request.len() - 3);
    connection.write_all(first.as_bytes()).map_err(broken)?;
    thread::sleep(Duration::from_millis(200));
    connection.write_all(second.as_bytes()).map_err(broken)?;
    connection.set_read_timeout(Some(AT_ONCE + talk.clocks.grace)).map_err(broken)?;
    let mut buffer = [0; 1024];
    let read = connection.read(&mut buffer);
    talk.exchanges.push(CheckExchange {
        sent: "(INFO), its last three bytes 0.2 s after the others".to_owned(),
        received: buffer[..read.as_ref().map_or(0, |&length| length)].to_vec(),
        error: read.as_ref().err().map(ToString::to_string),
        elapsed: begin.elapsed(),
    });
    match read {
        Ok(length) if length > 0 => Ok(None),
        Ok(_) => fail("a request in two pieces got no answer: the connection was closed"),
        Err(_) => fail("a request in two pieces got no answer"),
    }
}

pub(super) fn idle_connection(talk: &mut Conversation) -> Checked {
    let address = (talk.address.host.to_owned(), talk.address.port);
    let idle: Result<Vec<TcpStream>, std::io::Error> = (0..3)
        .map(|number| {
            let mut connection = TcpStream::connect(&address)?;
            // One says nothing, one a part of a head, one a part of a body.
            let parts = [
                "",
                "POST / HTTP/1.0\r\nSender: Gameco",
                "POST / HTTP/1.0\r\nContent-length: 90\r\n\r\n(START x",
            ];
            connection.write_all(parts[number].as_bytes())?;
            Ok(connection)
        })
        .collect();
    let _idle = idle.map_err(|error| CheckEnd::Fail(format!("three connections at once: {error}")))?;
    let begin = Instant::now();
    if talk.ask("(INFO)", AT_ONCE).is_err() {
        return fail("beside three idle connections, INFO got no answer; serve connections concurrently");
    }
    if begin.elapsed() > AT_ONCE {
        let seconds = begin.elapsed().as_secs_f64();
        return fail(format!("beside three idle connections, INFO took {seconds:.1} s"));
    }
    Ok(None)
}

pub(super) fn garbage(talk: &mut Conversation) -> Checked {
    let post = |body: &str| request(&talk.address, body, "Gamecontroller").into_bytes();
    let requests = [
        ("junk", post("this is ) junk")),
        ("an empty body", post("")),
        ("a message that is cut off", post("(PLAY m 1 (mark")),
        ("a message that no protocol has", post("(HELLO m)")),
        ("a START with rules that are none", post("(START m x ((role) (<= ) (((())))) 1 1)")),
        ("deep nesting", post(&format!("(PLAY m {})", "(".repeat(50_000)))),
        ("bytes of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec()),
        (
            "NUL and invalid UTF-8",
            post("(PLAY \u{0}\u{fffd})").into_iter().map(|b| if b > 0xbe { 0xff } else { b }).collect(),
        ),
    ];
    let wait = AT_ONCE + talk.clocks.startclock + talk.clocks.grace;
    for (name, bytes) in requests {
        let (result, closed) = talk.send(&bytes, &shown_bytes(&bytes, 200), wait, Ending::Complete);
        if result.is_err_and(|error| error.is_timeout()) && !closed {
            return fail(format!("{name} got neither an answer nor a close"));
        }
    }
    let _ = talk.ask(&Phrasing::default().write(&Message::Abort { id: "m".to_owned() }), AT_ONCE);
    good_match_follows(talk)
}

/// A message in a GET; the answer is as to a POST.
pub(super) fn get(talk: &mut Conversation) -> Checked {
    let path = format!("{}%28INFO%29", talk.address.path.trim_end_matches('/').to_owned() + "/");
    let bytes = format!("GET {path} HTTP/1.0\r\nAccept: text/delim\r\n\r\n");
    match talk.send(bytes.as_bytes(), &bytes, AT_ONCE + talk.clocks.grace, Ending::Complete).0 {
        Ok(reply) if reply.body.to_ascii_lowercase().contains("status") => Ok(None),
        Ok(_) => skip("GET is answered with something else; few masters use it"),
        Err(error) => skip(format!("no GET: {error}; few masters use it")),
    }
}

pub(super) fn options(talk: &mut Conversation) -> Checked {
    let bytes = format!(
        "OPTIONS {} HTTP/1.1\r\nHost: {}\r\nOrigin: http://master.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
        talk.address.path, talk.address.host
    );
    let _ = talk.send(bytes.as_bytes(), &bytes, AT_ONCE + talk.clocks.grace, Ending::Complete);
    let received = talk.exchanges.last().map_or(&[][..], |exchange| &exchange.received);
    let head = String::from_utf8_lossy(received).to_ascii_lowercase();
    match head.contains("access-control-allow-origin") {
        true => Ok(None),
        false => skip("no CORS headers; only masters in a browser need them"),
    }
}

pub(super) fn clocks(talk: &mut Conversation) -> Checked {
    match (talk.late.first(), talk.timed) {
        (_, 0) => skip("no other check was run"),
        (None, timed) => Ok(Some(format!("{timed} answers"))),
        (Some(first), timed) => fail(format!("{} of {timed} answers were late: {first}", talk.late.len())),
    }
}
