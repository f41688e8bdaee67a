//! `hyperplay kiosk` as a process of its own, and a robot that asks what its page asks.
//!
//! The kiosk is stopped with SIGTERM and must then exit with code 0. If a test fails before that, it is killed.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::common::program::{Folder, signal};

/// The longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(300);

/// A running kiosk.
pub struct ServedKiosk {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it logs, and the folder `records` if it keeps transcripts.
    pub folder: Folder,
}

impl ServedKiosk {
    /// Starts `hyperplay kiosk` with these words on a port that is free.
    pub fn new(words: &str) -> ServedKiosk {
        let folder = Folder::new();
        let mut command = folder.program(&format!("kiosk --port 0 --seed 1 {words}"));
        command.stdout(Stdio::piped()).stderr(File::create(folder.path("log.txt")).unwrap());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("{line}{}", folder.read("log.txt")));
        ServedKiosk { child, address, folder }
    }

    /// Sends a request with these lines in its head, and returns the status and the body.
    pub fn exchange(&self, method: &str, path: &str, head: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = body.len();
        let request = format!("{method} {path} HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {reply}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("{head}")), body.to_owned())
    }

    fn host(&self) -> String {
        format!("Host: {}\r\n", self.address)
    }

    /// Follows a stream: sends the request and reads the answer until its head has come.
    pub fn follow(&self, path: &str) -> (u16, BufReader<TcpStream>) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\n{}\r\n", self.host()).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        while line.trim() != "" {
            line.clear();
            reader.read_line(&mut line).unwrap();
        }
        (status, reader)
    }

    /// Asks for something.
    pub fn get(&self, path: &str) -> Value {
        let (status, body) = self.exchange("GET", path, &self.host(), "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"))
    }

    /// Changes something; returns the status and the answer.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let head = format!("{}Content-Type: application/json\r\n", self.host());
        let (status, text) = self.exchange("POST", path, &head, &body.to_string());
        (status, if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() })
    }

    /// Lays a table.
    pub fn lay(&self, order: &Value) -> LaidTable<'_> {
        let (status, laid) = self.post("/api/tables", order);
        assert_eq!(status, 200, "{order}: {laid}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let links = laid["links"].as_array().unwrap().iter().filter(|link| !link["role"].is_null());
        let tokens = links.map(|link| (text(&link["role"]), text(&link["token"]))).collect();
        LaidTable { kiosk: self, id: text(&laid["table"]), tokens }
    }

    /// A line of its memory in `/proc`, in MiB.
    pub fn memory(&self, line: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
        line.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).unwrap() / 1024
    }

    /// Ends it with SIGTERM; its exit code must be 0.
    pub fn stop(mut self) -> Folder {
        signal(&self.child, "TERM");
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if begun.elapsed() > Duration::from_secs(300) => panic!("the kiosk does not end"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let folder = std::mem::replace(&mut self.folder, Folder::new());
        assert_eq!(status.code(), Some(0), "{status}: {}", folder.read("log.txt"));
        folder
    }
}

impl Drop for ServedKiosk {
    fn drop(&mut self) {
        // It has ended already where the test has come to its end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A table at which the robot has the seats of all persons.
pub struct LaidTable<'k> {
    kiosk: &'k ServedKiosk,
    /// Its name.
    pub id: String,
    /// The roles of persons with their tokens.
    pub tokens: Vec<(String, String)>,
}

impl LaidTable<'_> {
    /// The scene of a token.
    pub fn scene(&self, token: &str) -> Value {
        self.kiosk.get(&format!("/api/tables/{}?token={token}", self.id))
    }

    /// Chooses a move.
    pub fn choose(&self, token: &str, scene: &Value, own: &str) -> (u16, Value) {
        let body = json!({ "token": token, "step": scene["step"], "move": own });
        self.kiosk.post(&format!("/api/tables/{}/move", self.id), &body)
    }

    /// Plays random moves for all persons to the end; `see` is shown each scene. Returns the last scene.
    pub fn play(&self, rng: &mut ChaCha8Rng, mut see: impl FnMut(&Value)) -> Value {
        let begun = Instant::now();
        loop {
            let mut last = None;
            for (_, token) in &self.tokens {
                let scene = self.scene(token);
                see(&scene);
                if let Some(legal) = scene["legal"].as_array().filter(|legal| !legal.is_empty()) {
                    let own = legal[rng.random_range(0..legal.len())]["text"].as_str().unwrap();
                    let (status, answer) = self.choose(token, &scene, own);
                    assert_eq!(status, 204, "{own}: {answer}");
                }
                if scene["phase"] == "over" {
                    last = Some(scene);
                }
            }
            if let Some(scene) = last {
                return scene;
            }
            assert!(begun.elapsed() < Duration::from_secs(300), "the match does not end");
            std::thread::sleep(Duration::from_millis(3));
        }
    }
}
