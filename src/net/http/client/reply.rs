//! Reading an answer: its head by `httparse`, its body by length, by chunks, or up to the end of the connection.
//!
//! Players answer HTTP/1.0 with a length. Those behind frameworks answer HTTP/1.1, some in chunks. Both are understood.
//!
//! Invariant: each received byte is looked at a bounded number of times, however small the pieces are in which it
//! comes.

use super::error::ExchangeError;

/// How much of an answer is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplyLimits {
    /// How many bytes the body may have, with the lengths of its chunks.
    pub body: usize,
    /// How many bytes the head may have.
    pub head: usize,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        ReplyLimits { body: 1 << 20, head: 16 << 10 }
    }
}

/// An answer with the status 200.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// The headers in their order, as they were spelt.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Reply {
    /// The value of a header, ignoring the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// How the end of a body is told.
#[derive(Clone, Copy, Debug)]
enum Body {
    Length(usize),
    Chunks,
    UntilClosed,
}

struct Head {
    length: usize,
    headers: Vec<(String, String)>,
    body: Body,
}

/// Whether this can be a whole term: there is something, and every parenthesis is closed.
fn is_whole(body: &[u8]) -> bool {
    let count = |letter: u8| body.iter().filter(|&&byte| byte == letter).count();
    !body.trim_ascii().is_empty() && count(b'(') == count(b')')
}

/// Reads an answer that grows. Every call gets all bytes so far, and gives the answer once it is complete.
pub(super) struct ReplyReader {
    limits: ReplyLimits,
    /// How far the end of the head has been looked for.
    searched: usize,
    head: Option<Head>,
    /// The chunks so far, and where the next one begins.
    chunks: Vec<u8>,
    next_chunk: usize,
}

impl ReplyReader {
    pub(super) fn new(limits: ReplyLimits) -> Self {
        ReplyReader { limits, searched: 0, head: None, chunks: Vec::new(), next_chunk: 0 }
    }

    pub(super) fn step(&mut self, received: &[u8]) -> Result<Option<Reply>, ExchangeError> {
        if self.head.is_none() && !self.read_head(received)? {
            return Ok(None);
        }
        let head = self.head.as_ref().expect("it has just been read");
        let body = &received[head.length..];
        let limit = self.limits.body;
        let too_long = || ExchangeError::TooLong(limit);
        match head.body {
            Body::Length(length) if length > self.limits.body => Err(too_long()),
            Body::Length(length) if body.len() >= length => {
                // Masters of the field ignore the length: a term that it would cut goes on behind it.
                let is_cut = !is_whole(&body[..length]) && is_whole(body);
                self.reply(if is_cut { body } else { &body[..length] }).map(Some)
            }
            Body::Chunks => {
                if self.read_chunks(body)? {
                    return self.reply(&self.chunks).map(Some);
                }
                if body.len() > self.limits.body { Err(too_long()) } else { Ok(None) }
            }
            Body::Length(_) | Body::UntilClosed if body.len() > self.limits.body => Err(too_long()),
            Body::Length(_) | Body::UntilClosed => Ok(None),
        }
    }

    /// The answer if the connection ends here.
    pub(super) fn at_close(&self, received: &[u8]) -> Result<Reply, ExchangeError> {
        match &self.head {
            _ if received.is_empty() => Err(ExchangeError::Empty),
            Some(Head { body: Body::UntilClosed, length, .. }) => self.reply(&received[*length..]),
            // The player has said a larger length than its answer has, and has closed.
            Some(Head { body: Body::Length(_), length, .. }) if is_whole(&received[*length..]) => {
                self.reply(&received[*length..])
            }
            _ => Err(ExchangeError::ClosedEarly(received.len())),
        }
    }

    fn reply(&self, body: &[u8]) -> Result<Reply, ExchangeError> {
        let body = str::from_utf8(body).map_err(|error| ExchangeError::NotText(error.valid_up_to() + 1))?;
        let headers = self.head.as_ref().map(|head| head.headers.clone()).unwrap_or_default();
        Ok(Reply { headers, body: body.to_owned() })
    }

    /// Reads the head if it is complete. An answer that cannot become HTTP is an error at its first bytes.
    fn read_head(&mut self, received: &[u8]) -> Result<bool, ExchangeError> {
        let begin = b"HTTP/";
        let common = begin.len().min(received.len());
        if received[..common] != begin[..common] {
            return Err(ExchangeError::NotHttp("it begins otherwise"));
        }
        // The end of the head is an empty line; a part of it may have come before.
        let from = self.searched.saturating_sub(3);
        let is_end = |at: usize| received[at..].starts_with(b"\n\n") || received[at..].starts_with(b"\n\r\n");
        self.searched = received.len();
        if !(from..received.len()).any(is_end) {
            if received.len() > self.limits.head {
                return Err(ExchangeError::NotHttp("its head has no end"));
            }
            return Ok(false);
        }
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut headers);
        let length = match response.parse(received) {
            Ok(httparse::Status::Complete(length)) if length <= self.limits.head => length,
            Ok(_) => return Err(ExchangeError::NotHttp("its head is too long")),
            Err(httparse::Error::TooManyHeaders) => {
                return Err(ExchangeError::NotHttp("it has more than 64 headers"));
            }
            Err(_) => return Err(ExchangeError::NotHttp("its head cannot be read")),
        };
        let status = response.code.unwrap_or(0);
        if status != 200 {
            let reason: String = response.reason.unwrap_or("").chars().take(40).collect();
            return Err(ExchangeError::Status(status, reason));
        }
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let headers: Vec<(String, String)> =
            response.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect();
        let value = |name: &str| headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        let is_chunked = value("Transfer-Encoding")
            .is_some_and(|(_, value)| value.to_ascii_lowercase().contains("chunked"));
        let body = match value("Content-Length") {
            _ if is_chunked => Body::Chunks,
            Some((_, value)) => {
                let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let length = is_number.then(|| value.parse().unwrap_or(usize::MAX));
                Body::Length(length.ok_or(ExchangeError::NotHttp("its Content-length is no number"))?)
            }
            None => Body::UntilClosed,
        };
        self.head = Some(Head { length, headers, body });
        Ok(true)
    }

    /// Takes in the chunks that are complete, and says whether the last one was among them.
    fn read_chunks(&mut self, body: &[u8]) -> Result<bool, ExchangeError> {
        const LONGEST_LINE: usize = 1 << 10;
        let wrong = ExchangeError::NotHttp("the length of a chunk cannot be read");
        loop {
            let rest = &body[self.next_chunk..];
            let (line, size) = match httparse::parse_chunk_size(rest) {
                Ok(httparse::Status::Complete(found)) => found,
                Ok(httparse::Status::Partial) if rest.len() <= LONGEST_LINE => return Ok(false),
                _ => return Err(wrong),
            };
            let size = usize::try_from(size).ok().filter(|&size| size <= self.limits.body);
            let size = size.ok_or(ExchangeError::TooLong(self.limits.body))?;
            if size == 0 {
                return Ok(true);
            }
            // A line end follows each chunk.
            let Some(chunk) = rest.get(line..line + size + 2) else { return Ok(false) };
            self.chunks.extend_from_slice(&chunk[..size]);
            self.next_chunk += line + size + 2;
        }
    }
}
