//! Bytes on a connection: requests that a player server gets, and replies that a game master gets.
//!
//! Both readers work on sockets, so the bytes go over the loopback interface. The server is started once and serves until the program
//! ends.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hyperplay::net::http::client::{Address, Ending, ReplyLimits, exchange_bytes};
use hyperplay::net::http::server::{Call, CallAnswer, Responder, ServerLimits, serve_http};

/// Far more than any exchange takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The longest body of a reply.
const BODY: usize = 512;

/// Answers with the length of the message.
struct Length;

impl Responder for Length {
    async fn respond(&self, call: Call) -> CallAnswer {
        CallAnswer { status: 200, body: call.body.len().to_string() }
    }
}

fn server() -> SocketAddr {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    *SERVER.get_or_init(|| {
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.expect("there are threads").block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
                tell.send(listener.local_addr().expect("it is bound")).expect("it is waited for");
                serve_http(listener, ServerLimits::default(), Arc::new(Length), std::future::pending()).await
            })
        });
        told.recv().expect("the server begins")
    })
}

/// A client that sends something and closes its side gets an answer in HTTP before long. Accepted is what is answered with 200.
pub fn http_request_is_answered(input: &[u8]) -> bool {
    let mut stream = TcpStream::connect(server()).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("the time is above 0");
    // A server that refuses may close before all is sent.
    let is_sent = stream.write_all(input).and_then(|()| stream.shutdown(Shutdown::Write)).is_ok();
    let mut answer = Vec::new();
    let end = stream.read_to_end(&mut answer);
    assert!(!end.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock), "no answer in time");
    assert!(
        answer.starts_with(b"HTTP/1.") || answer.is_empty() && (input.is_empty() || !is_sent),
        "{answer:?}"
    );
    answer.get(8..13) == Some(b" 200 ")
}

/// Bytes from a player are a reply within the limits or an error with a sentence, before long and whatever the player sends. No byte is
/// received that was not sent.
pub fn http_reply_is_read_or_refused(input: &[u8]) -> bool {
    static PLAYER: Mutex<Option<TcpListener>> = Mutex::new(None);
    // One exchange at a time, so that each connection is that of its client. A failed one leaves nothing behind.
    let mut player = PLAYER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let player = player.get_or_insert_with(|| TcpListener::bind("127.0.0.1:0").expect("a port is free"));
    let address = format!("http://{}", player.local_addr().expect("it is bound"));
    let address = Address::parse(&address).expect("it is an address");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = player.accept().expect("the client connects");
            // A client that refuses closes before all is sent.
            let _ = stream.write_all(input).and_then(|()| stream.shutdown(Shutdown::Write));
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let (limits, begun) = (ReplyLimits { body: BODY, head: BODY }, Instant::now());
        let record = exchange_bytes(&address, b"(INFO)", begun + PATIENCE, limits, Ending::Complete);
        assert!(begun.elapsed() < PATIENCE, "the exchange takes too long");
        assert!(input.starts_with(&record.received), "received {:?}", record.received);
        match record.result {
            Ok(reply) => {
                assert!(reply.body.len() <= BODY, "{reply:?}");
                true
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    })
}
