//! The client: one message to a player, and its answer, before a deadline.
//!
//! The bytes of a request are those of the Dresden GameController: HTTP/1.0, its headers in its order and case, no
//! `Host`, no line end behind the body. One connection carries one message. The answer is complete when as many bytes
//! have come as it says, or when the player closes the connection.
//!
//! Invariants: looking up the name, connecting, sending and receiving together end by the deadline, however slowly the
//! other side works. Never more bytes are kept than [`ReplyLimits`] allows.

mod address;
mod error;
mod reply;
#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

pub use address::{Address, AddressError, DEFAULT_PORT};
pub use error::{ExchangeError, ExchangeStage};
use reply::ReplyReader;
pub use reply::{Reply, ReplyLimits};

/// Sends a message and receives its answer. All of it ends by the deadline.
///
/// ```
/// use std::io::{Read, Write};
/// use std::net::TcpListener;
/// use std::time::{Duration, Instant};
///
/// use hyperplay_net::http::client::{Address, ReplyLimits, exchange};
///
/// let player = TcpListener::bind("127.0.0.1:0").unwrap();
/// let address = Address::parse(&format!("http://{}", player.local_addr().unwrap())).unwrap();
/// let server = std::thread::spawn(move || {
///     let (mut connection, _) = player.accept().unwrap();
///     let mut request = [0; 1000];
///     let length = connection.read(&mut request).unwrap();
///     assert!(request[..length].ends_with(b"\r\n\r\n(INFO)"));
///     connection.write_all(b"HTTP/1.0 200 OK\r\nContent-length: 4\r\n\r\nbusy").unwrap();
/// });
/// let deadline = Instant::now() + Duration::from_secs(10);
/// let reply = exchange(&address, "(INFO)", "Gamecontroller", deadline, ReplyLimits::default()).unwrap();
/// assert_eq!(reply.body, "busy");
/// server.join().unwrap();
/// ```
pub fn exchange(
    address: &Address,
    body: &str,
    sender: &str,
    deadline: Instant,
    limits: ReplyLimits,
) -> Result<Reply, ExchangeError> {
    let request = request(address, body, sender);
    exchange_bytes(address, request.as_bytes(), deadline, limits, Ending::Complete).result
}

/// The bytes of a request with a message.
///
/// ```
/// use hyperplay_net::http::client::{Address, request};
///
/// let address = Address::parse("http://127.0.0.1:9147").unwrap();
/// assert_eq!(
///     request(&address, "(INFO)", "Gamecontroller"),
///     "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
///      Content-type: text/acl\r\nContent-length: 6\r\n\r\n(INFO)"
/// );
/// ```
pub fn request(address: &Address, body: &str, sender: &str) -> String {
    format!(
        "POST {} HTTP/1.0\r\nAccept: text/delim\r\nSender: {sender}\r\nReceiver: {}\r\nContent-type: text/acl\r\n\
         Content-length: {}\r\n\r\n{body}",
        address.path,
        address.host,
        body.len()
    )
}

/// When no more is received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// As soon as the answer is complete.
    Complete,
    /// When the other side closes the connection, as the Dresden GameController does.
    Closed,
}

/// All that came back on a connection, also where it is no answer.
#[derive(Debug)]
pub struct ExchangeRecord {
    /// The bytes that were received.
    pub received: Vec<u8>,
    /// Whether the other side closed the connection before no more was received.
    pub closed: bool,
    /// The answer, or why there is none.
    pub result: Result<Reply, ExchangeError>,
}

/// Sends any bytes and receives what comes back. With [`Ending::Closed`], an answer whose connection stays open until
/// the deadline is still the result; [`ExchangeRecord::closed`] tells.
pub fn exchange_bytes(
    address: &Address,
    request: &[u8],
    deadline: Instant,
    limits: ReplyLimits,
    ending: Ending,
) -> ExchangeRecord {
    let mut record =
        ExchangeRecord { received: Vec::new(), closed: false, result: Err(ExchangeError::Empty) };
    record.result = converse(address, request, deadline, limits, ending, &mut record);
    record
}

fn converse(
    address: &Address,
    request: &[u8],
    deadline: Instant,
    limits: ReplyLimits,
    ending: Ending,
    record: &mut ExchangeRecord,
) -> Result<Reply, ExchangeError> {
    let mut connection = connect(address, deadline)?;
    let broken = send(&mut connection, request, deadline)?;
    let mut reader = ReplyReader::new(limits);
    let mut complete = None;
    let mut buffer = vec![0; 16 << 10];
    loop {
        let length = match receive(&mut connection, &mut buffer, deadline) {
            Ok(length) => length,
            // A player that answers without reading the whole request resets the connection behind the answer.
            Err(error) if is_closing(error.kind()) => 0,
            Err(error) if is_timeout(error.kind()) => {
                return complete.ok_or(ExchangeError::TimedOut(ExchangeStage::Receiving));
            }
            Err(error) => return Err(ExchangeError::Broken(ExchangeStage::Receiving, error)),
        };
        if length == 0 {
            record.closed = true;
            return match (complete, broken) {
                (Some(reply), _) => Ok(reply),
                (None, Some(error)) if record.received.is_empty() => {
                    Err(ExchangeError::Broken(ExchangeStage::Sending, error))
                }
                (None, _) => reader.at_close(&record.received),
            };
        }
        record.received.extend_from_slice(&buffer[..length]);
        if complete.is_some() {
            // Bytes that follow a complete answer are not a part of it; the limit holds for them all the same.
            if record.received.len() > limits.body.saturating_add(limits.head) {
                return Err(ExchangeError::TooLong(limits.body));
            }
            continue;
        }
        if let Some(reply) = reader.step(&record.received)? {
            if ending == Ending::Complete {
                return Ok(reply);
            }
            complete = Some(reply);
        }
    }
}

/// The time that is left, if any is.
fn left(deadline: Instant) -> Option<Duration> {
    deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}

fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

fn is_closing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe)
}

fn connect(address: &Address, deadline: Instant) -> Result<TcpStream, ExchangeError> {
    let late = || ExchangeError::TimedOut(ExchangeStage::Connecting);
    let places = look_up(address, deadline)?;
    let mut first = None;
    for place in places {
        match TcpStream::connect_timeout(&place, left(deadline).ok_or_else(late)?) {
            Ok(connection) => {
                // A message is one small piece: it should not wait for more.
                let _ = connection.set_nodelay(true);
                return Ok(connection);
            }
            Err(error) if is_timeout(error.kind()) => return Err(late()),
            Err(error) => first = first.or(Some(error)),
        }
    }
    let address = address.to_string();
    Err(match first {
        Some(error) => ExchangeError::Unreachable(address, error),
        None => ExchangeError::UnknownHost(address),
    })
}

/// The places that the host name stands for. The system's look-up knows no deadline, so a thread of its own waits for
/// it.
fn look_up(address: &Address, deadline: Instant) -> Result<Vec<SocketAddr>, ExchangeError> {
    let unknown = || ExchangeError::UnknownHost(address.to_string());
    if let Ok(host) = address.host.parse() {
        return Ok(vec![SocketAddr::new(host, address.port)]);
    }
    let (sender, receiver) = mpsc::channel();
    let (host, port) = (address.host.to_owned(), address.port);
    thread::spawn(move || {
        // Nobody listens any more if the deadline has passed.
        let _ = sender.send((host.as_str(), port).to_socket_addrs().map(Vec::from_iter));
    });
    match receiver.recv_timeout(left(deadline).unwrap_or_default()) {
        Ok(Ok(places)) if !places.is_empty() => Ok(places),
        Ok(_) => Err(unknown()),
        Err(_) => Err(ExchangeError::TimedOut(ExchangeStage::Connecting)),
    }
}

/// Sends all bytes. If the other side stops reading, what it has answered may still be read: the error is returned as a
/// value.
fn send(
    connection: &mut TcpStream,
    mut bytes: &[u8],
    deadline: Instant,
) -> Result<Option<io::Error>, ExchangeError> {
    let stage = ExchangeStage::Sending;
    while !bytes.is_empty() {
        let wait = left(deadline).ok_or(ExchangeError::TimedOut(stage))?;
        let written = connection.set_write_timeout(Some(wait)).and_then(|()| connection.write(bytes));
        match written {
            Ok(length) => bytes = &bytes[length..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if is_timeout(error.kind()) => return Err(ExchangeError::TimedOut(stage)),
            Err(error) if is_closing(error.kind()) => return Ok(Some(error)),
            Err(error) => return Err(ExchangeError::Broken(stage, error)),
        }
    }
    Ok(None)
}

fn receive(connection: &mut TcpStream, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
    loop {
        let wait = left(deadline).ok_or(ErrorKind::TimedOut)?;
        connection.set_read_timeout(Some(wait))?;
        match connection.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
