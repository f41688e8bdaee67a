//! The thin reader before hyper: waits until a request is whole, within the limits.
//!
//! It looks at the head (by `httparse`) for two things only: whether there is a body, and how long it is. It hands on
//! the request as it came, but for these:
//!
//! - A `POST` without a length gets one. Its body ends where the client stops sending, or where the parentheses of the
//!   message are balanced, because not every client closes its side.
//! - A body that ends before its length (the client has closed its side) gets the length that it has.
//!
//! Invariant: no more than the limits is kept, and no wait is longer than they say.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep, timeout};

use super::limits::{BLOCK, ServerLimits};
use std::sync::Arc;

/// Why no request came.
pub(super) enum Unheard {
    /// The client has closed the connection.
    Closed,
    /// It is told why.
    Refused {
        /// The status of HTTP.
        status: u16,
        /// A sentence.
        why: String,
        /// The connection.
        stream: TcpStream,
    },
}

/// A whole request, to be read by hyper, and the connection for the answer.
pub(super) struct WholeRequest {
    request: Vec<u8>,
    read: usize,
    stream: TcpStream,
    /// Held until the answer is written.
    _bytes: Vec<OwnedSemaphorePermit>,
    /// The longest time in which the client takes no byte of the answer, and when it runs out if it takes none now.
    stall: Duration,
    stuck: Option<Pin<Box<Sleep>>>,
}

/// The length of the body, as the head gives it.
enum BodyLength {
    /// So many bytes; none if there is no body.
    Known(usize),
    /// Nothing.
    Unknown,
    /// It comes in chunks, which hyper reads.
    Chunked,
}

struct Head {
    /// Where the body begins.
    end: usize,
    length: BodyLength,
    /// Where the lines of the headers begin: behind the line of the request.
    first_header: usize,
    expects_continue: bool,
}

struct Reading<'a> {
    stream: TcpStream,
    limits: &'a ServerLimits,
    semaphore: &'a Arc<Semaphore>,
    permits: Vec<OwnedSemaphorePermit>,
    bytes: Vec<u8>,
    begun: Instant,
    /// Whether the client has closed its side.
    ended: bool,
}

/// Waits until the whole request is there.
pub(super) async fn whole_request(
    stream: TcpStream,
    limits: &ServerLimits,
    semaphore: &Arc<Semaphore>,
) -> Result<WholeRequest, Unheard> {
    let mut reading = Reading {
        stream,
        limits,
        semaphore,
        permits: Vec::new(),
        bytes: Vec::with_capacity(2048),
        begun: Instant::now(),
        ended: false,
    };
    match reading.whole().await {
        Ok(()) => {
            let Reading { stream, permits, bytes, .. } = reading;
            Ok(WholeRequest {
                request: bytes,
                read: 0,
                stream,
                _bytes: permits,
                stall: limits.stall,
                stuck: None,
            })
        }
        Err(None) => Err(Unheard::Closed),
        Err(Some((status, why))) => Err(Unheard::Refused { status, why, stream: reading.stream }),
    }
}

/// A status and a sentence; nothing if the connection is gone.
type Refused = Option<(u16, String)>;

impl Reading<'_> {
    async fn whole(&mut self) -> Result<(), Refused> {
        let head = loop {
            let head = self.head()?;
            if head.as_ref().map_or(self.bytes.len(), |head| head.end) > self.limits.head_bytes {
                return Err(Some((431, format!("the head has more than {} bytes", self.limits.head_bytes))));
            }
            if let Some(head) = head {
                break head;
            }
            self.more().await?;
            if self.ended {
                return Err(if self.bytes.is_empty() {
                    None
                } else {
                    Some((400, "the request ended inside its head".to_owned()))
                });
            }
        };
        let head = if head.expects_continue {
            if self.bytes.len() == head.end {
                let proceed = self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await;
                proceed.map_err(|_| None)?;
            }
            // It is answered here, so hyper is not told of it.
            self.replace_header(&head, b"expect:", "");
            match self.head()? {
                Some(head) => head,
                None => return Err(Some((400, "the head cannot be read".to_owned()))),
            }
        } else {
            head
        };
        match head.length {
            BodyLength::Known(length) => {
                if length > self.limits.body_bytes {
                    return Err(Some(self.too_long()));
                }
                while self.bytes.len() < head.end + length && !self.ended {
                    self.more().await?;
                }
                if self.bytes.len() < head.end + length {
                    self.set_length(&head);
                }
                Ok(())
            }
            BodyLength::Unknown => {
                let mut balance = Balance::default();
                let mut seen = head.end;
                loop {
                    balance.see(&self.bytes[seen..]);
                    seen = self.bytes.len();
                    if self.ended || balance.is_closed() {
                        break;
                    }
                    match self.more().await {
                        // The client is silent: no more bytes come.
                        Err(Some((408, _))) if seen > head.end => break,
                        more => more?,
                    }
                }
                self.set_length(&head);
                Ok(())
            }
            BodyLength::Chunked => {
                // A request that does not end so is refused by hyper.
                let mut seen = head.end;
                while !self.ended && !self.bytes[seen..].windows(5).any(|end| end == b"0\r\n\r\n") {
                    seen = self.bytes.len().saturating_sub(4).max(head.end);
                    self.more().await?;
                }
                Ok(())
            }
        }
    }

    fn too_long(&self) -> (u16, String) {
        (413, format!("the message has more than {} bytes", self.limits.body_bytes))
    }

    /// Waits for further bytes.
    async fn more(&mut self) -> Result<(), Refused> {
        if self.bytes.len() > self.limits.head_bytes + self.limits.body_bytes {
            return Err(Some(self.too_long()));
        }
        let held = BLOCK * (1 + self.permits.len());
        if self.bytes.len() + 16 * 1024 > held {
            match Arc::clone(self.semaphore).try_acquire_owned() {
                Ok(permit) => self.permits.push(permit),
                Err(_) => return Err(Some((503, "too many long messages at a time; try again".to_owned()))),
            }
        }
        let left = self.limits.request.saturating_sub(self.begun.elapsed()).min(self.limits.idle);
        self.bytes.reserve(16 * 1024);
        match timeout(left, self.stream.read_buf(&mut self.bytes)).await {
            Ok(Ok(0)) => {
                self.ended = true;
                Ok(())
            }
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(None),
            Err(_) if self.bytes.is_empty() => Err(None),
            Err(_) => Err(Some((408, "the rest of the request did not come".to_owned()))),
        }
    }

    /// The head, once it is whole.
    fn head(&self) -> Result<Option<Head>, Refused> {
        let mut headers = vec![httparse::EMPTY_HEADER; self.limits.headers];
        let mut request = httparse::Request::new(&mut headers);
        let end = match request.parse(&self.bytes) {
            Ok(httparse::Status::Complete(end)) => end,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Some((431, format!("there are more than {} headers", self.limits.headers))));
            }
            Err(error) => return Err(Some((400, format!("no request of HTTP: {error}")))),
        };
        let is = |name: &str| {
            let of_name = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            of_name.map(|header| String::from_utf8_lossy(header.value).trim().to_owned()).collect::<Vec<_>>()
        };
        let has_body = request.method.is_some_and(|method| method == "POST" || method == "PUT");
        let length = match (&is("content-length")[..], &is("transfer-encoding")[..]) {
            (_, [_, ..]) => BodyLength::Chunked,
            ([length], []) => match length.parse() {
                Ok(length) => BodyLength::Known(length),
                Err(_) if !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => {
                    return Err(Some(self.too_long()));
                }
                Err(_) => return Err(Some((400, format!("'{length}' is no length")))),
            },
            ([_, _, ..], []) => return Err(Some((400, "there are two lengths".to_owned()))),
            ([], []) if has_body => BodyLength::Unknown,
            ([], []) => BodyLength::Known(0),
        };
        let start = self.bytes.iter().position(|byte| !b"\r\n".contains(byte)).unwrap_or(0);
        let line = self.bytes[start..].iter().position(|&byte| byte == b'\n').unwrap_or(0);
        let expects_continue = is("expect").iter().any(|value| value.eq_ignore_ascii_case("100-continue"));
        Ok(Some(Head { end, length, first_header: start + line + 1, expects_continue }))
    }

    /// Makes the head say how long the body is.
    fn set_length(&mut self, head: &Head) {
        let length = format!("Content-length: {}\r\n", self.bytes.len() - head.end);
        self.replace_header(head, b"content-length:", &length);
    }

    /// Leaves out the headers that begin so, and puts another one at the end.
    fn replace_header(&mut self, head: &Head, name: &[u8], added: &str) {
        let (top, rest) = self.bytes.split_at(head.first_header);
        let (headers, body) = rest.split_at(head.end - head.first_header);
        let mut request = top.to_vec();
        for line in headers.split_inclusive(|&byte| byte == b'\n') {
            if line == b"\r\n" || line == b"\n" {
                request.extend_from_slice(added.as_bytes());
            }
            if line.len() < name.len() || !line[..name.len()].eq_ignore_ascii_case(name) {
                request.extend_from_slice(line);
            }
        }
        request.extend_from_slice(body);
        self.bytes = request;
    }
}

/// The parentheses of a message that comes in parts.
#[derive(Default)]
struct Balance {
    open: u64,
    any: bool,
}

impl Balance {
    fn see(&mut self, part: &[u8]) {
        for byte in part {
            match byte {
                b'(' => (self.open, self.any) = (self.open + 1, true),
                b')' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether every parenthesis is closed, and there was one.
    fn is_closed(&self) -> bool {
        self.any && self.open == 0
    }
}

/// Bytes that a client may still send behind a refusal, so that it can read why.
const DRAINED: usize = 16 << 20;

/// Tells a client why its request is refused, and closes the connection.
pub(super) async fn refuse(stream: &mut TcpStream, status: u16, why: &str) {
    let reason = match status {
        408 => "Request Timeout",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    };
    let text = format!(
        "HTTP/1.0 {status} {reason}\r\nContent-type: text/plain\r\nContent-length: {}\r\n\r\n{why}",
        why.len()
    );
    // A client that sends on and reads nothing is left behind.
    let _ = timeout(Duration::from_millis(200), async {
        stream.write_all(text.as_bytes()).await?;
        stream.shutdown().await?;
        // Bytes that have come and were not read would make the system reset the connection before the answer is read.
        let mut rest = vec![0; 64 * 1024];
        let mut drained = 0;
        while drained < DRAINED {
            match stream.read(&mut rest).await? {
                0 => break,
                read => drained += read,
            }
        }
        io::Result::Ok(())
    })
    .await;
}

impl AsyncRead for WholeRequest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read < self.request.len() {
            let rest = self.request.len() - self.read;
            let length = rest.min(buffer.remaining());
            buffer.put_slice(&self.request[self.read..self.read + length]);
            self.read += length;
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for WholeRequest {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let stall = self.stall;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(stall)));
        match stuck.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
