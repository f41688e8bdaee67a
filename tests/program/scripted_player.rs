//! A player server that follows a script, for tests of the game master: it answers well, late, wrongly or not at all, and keeps
//! what it was told.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the player does when it is asked for a move.
#[derive(Clone, Debug)]
pub enum Manner {
    /// Answers this.
    Says(&'static str),
    /// Answers this after a time.
    Late(Duration, &'static str),
    /// Takes the message and never answers.
    Silent,
    /// Closes the connection without an answer.
    Hangs,
    /// Answers so many bytes.
    Long(usize),
    /// Answers once, and then is gone: nothing listens any more.
    Leaves(&'static str),
    /// Answers this to every question, and listens again a while after each answer.
    Deaf(Duration, &'static str),
}

/// A player server on a port of its own.
pub struct ScriptedPlayer {
    /// Its address.
    pub url: String,
    heard: Arc<Mutex<Vec<(String, String)>>>,
}

impl ScriptedPlayer {
    /// Starts it. It is ready at once, unless it is silent.
    pub fn new(manner: Manner) -> ScriptedPlayer {
        ScriptedPlayer::at("127.0.0.1:0", manner)
    }

    /// The same at this address.
    pub fn at(address: &str, manner: Manner) -> ScriptedPlayer {
        let mut listener = Some(TcpListener::bind(address).unwrap());
        let at = listener.as_ref().unwrap().local_addr().unwrap();
        let url = format!("http://{at}");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        thread::spawn(move || {
            let mut held = Vec::new();
            let mut asked = 0;
            while let Ok((mut connection, _)) =
                listener.get_or_insert_with(|| TcpListener::bind(at).unwrap()).accept()
            {
                let Some((head, body)) = message(&mut connection) else { continue };
                kept.lock().unwrap().push((head, body.clone()));
                let is_play = body.starts_with("(PLAY");
                asked += usize::from(is_play);
                match &manner {
                    Manner::Deaf(time, text) => {
                        listener = None;
                        let text = if body.starts_with("(START") { "ready" } else { text };
                        answer(&mut connection, text);
                        thread::sleep(*time);
                    }
                    _ if body.starts_with("(START") => answer(&mut connection, "ready"),
                    _ if !is_play => answer(&mut connection, "done"),
                    Manner::Says(text) => answer(&mut connection, text),
                    Manner::Late(time, text) => {
                        let (time, text) = (*time, *text);
                        thread::spawn(move || {
                            thread::sleep(time);
                            answer(&mut connection, text);
                        });
                    }
                    Manner::Silent => held.push(connection),
                    Manner::Hangs => {}
                    Manner::Long(bytes) => answer(&mut connection, &"x".repeat(*bytes)),
                    Manner::Leaves(text) => {
                        answer(&mut connection, text);
                        if asked == 1 {
                            return;
                        }
                    }
                }
            }
        });
        ScriptedPlayer { url, heard }
    }

    /// The bodies of the messages so far.
    pub fn messages(&self) -> Vec<String> {
        self.heard.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    /// The heads of the messages so far.
    pub fn heads(&self) -> Vec<String> {
        self.heard.lock().unwrap().iter().map(|(head, _)| head.clone()).collect()
    }
}

/// Reads one message: its head and its body.
fn message(connection: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let mut block = [0; 4096];
    loop {
        let read = connection.read(&mut block).ok().filter(|&read| read > 0)?;
        bytes.extend_from_slice(&block[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("Content-length: "))?.parse().ok()?;
        if body.len() >= length {
            return Some((head.to_owned(), body.to_owned()));
        }
    }
}

/// Writes an answer and closes the connection. A game master that does not wait for it is none of the player's business.
fn answer(connection: &mut TcpStream, text: &str) {
    let head = format!("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {}\r\n\r\n", text.len());
    let _ = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(text.as_bytes()));
    let _ = connection.shutdown(std::net::Shutdown::Write);
}
