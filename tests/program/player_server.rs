//! `hyperplay serve` as a process of its own, and the bytes that a game master exchanges with it.
//!
//! The server is stopped with SIGTERM and must then exit with code 0. If a test fails before that, it is killed.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::program::{Folder, signal};

/// A running player server.
pub struct ServedPlayer {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it logs, and the folder `records` if it keeps records.
    pub folder: Folder,
}

/// Longer than a busy machine stops a process.
const BUSY: Duration = Duration::from_secs(30);

impl ServedPlayer {
    /// Starts `hyperplay serve` with these words on a port that is free.
    pub fn new(words: &str) -> ServedPlayer {
        let folder = Folder::new();
        let mut command = folder.program(&format!("serve --port 0 --seed 1 {words}"));
        command.stdout(Stdio::piped()).stderr(File::create(folder.path("log.txt")).unwrap());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("{line}{}", folder.read("log.txt")));
        ServedPlayer { child, address, folder }
    }

    /// Its address, as a game master is given it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A line of its process's status, where the system tells it: `VmRSS` is its memory in KiB now, `VmHWM` the most that it was,
    /// `Threads` their number.
    pub fn status(&self, line: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let found = status.lines().find_map(|found| found.strip_prefix(line)?.strip_prefix(':'));
        found?.split_whitespace().next()?.parse().ok()
    }

    /// A line about its memory, in MiB.
    pub fn memory(&self, line: &str) -> u64 {
        self.status(line).unwrap_or_else(|| panic!("{line}: the system does not tell it")) / 1024
    }

    /// Sends a message as the Dresden game master does, and returns the whole reply.
    pub fn exchange(&self, bytes: &[u8], patience: Duration) -> std::io::Result<String> {
        exchange(self.address, bytes, patience)
    }

    /// Sends a message, which must be answered in the form of the field, and returns the answer. It comes within the clock,
    /// but for the time for which a busy machine stops the server.
    pub fn answer(&self, bytes: &[u8], clock: Duration) -> String {
        let reply = self.exchange(bytes, clock + BUSY);
        let what = || String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(60)..]).into_owned();
        let reply = reply.unwrap_or_else(|error| panic!("{}: {error}", what()));
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{}: {reply:?}", what()));
        let length = body.len();
        let expected = format!("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {length}");
        assert_eq!(head, expected, "{}: {body}", what());
        body.to_owned()
    }

    /// Ends the server with SIGTERM; its exit code must be 0.
    pub fn stop(mut self) -> Folder {
        signal(&self.child, "TERM");
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if begun.elapsed() > Duration::from_secs(300) => panic!("the server does not end"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let folder = std::mem::replace(&mut self.folder, Folder::new());
        assert_eq!(status.code(), Some(0), "{status}: {}", folder.read("log.txt"));
        folder
    }
}

impl Drop for ServedPlayer {
    fn drop(&mut self) {
        // It has ended already where the test has come to its end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends bytes and reads until the other side closes, as the game masters of the field do.
pub fn exchange(address: SocketAddr, bytes: &[u8], patience: Duration) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    stream.write_all(bytes)?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply)?;
    Ok(String::from_utf8_lossy(&reply).into_owned())
}

/// A message with the head of the Dresden game master.
pub fn posted(body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
         Content-type: text/acl\r\nContent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body.as_bytes()].concat()
}
