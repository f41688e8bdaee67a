//! Clients of all kinds against a server that answers how long the message was.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Call, CallAnswer, Responder, ServerLimits, serve_http};

/// Answers at once, but for the calls that wait until they are released.
struct Counting {
    waiting: AtomicUsize,
    released: tokio::sync::Semaphore,
}

impl Responder for Counting {
    async fn respond(&self, call: Call) -> CallAnswer {
        if call.body == "(WAIT)" {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            drop(self.released.acquire().await);
        }
        let body = if call.body == "(START)" { "READY".to_owned() } else { call.body.len().to_string() };
        CallAnswer { status: 200, body }
    }
}

/// A server on a thread of its own, which ends with the test.
struct Server {
    address: SocketAddr,
    counting: Arc<Counting>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    fn new(limits: ServerLimits) -> Server {
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let counting =
            Arc::new(Counting { waiting: AtomicUsize::new(0), released: tokio::sync::Semaphore::new(0) });
        let responder = Arc::clone(&counting);
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let stopped = async {
                    let _ = stopped.await;
                };
                serve_http(listener, limits, responder, stopped).await.unwrap();
            });
        });
        Server { address: told.recv().unwrap(), counting, stop: Some(stop), thread: Some(thread) }
    }

    fn usual() -> Server {
        Server::new(ServerLimits::default())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
        stream
    }

    /// Sends these bytes and reads until the socket closes.
    fn exchange(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // A server that refuses may close before all is sent.
        let _ = stream.write_all(request);
        received(&mut stream)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
        self.counting.released.add_permits(1);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn received(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn post(body: &str) -> String {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
         Content-type: text/acl\r\nContent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The status and the body of an answer.
fn parts(answer: &str) -> (u16, &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head in {answer:?}"));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

#[test]
fn the_bytes_are_those_of_a_player_of_the_field() {
    let server = Server::usual();
    let expected = "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\nREADY";
    assert_eq!(server.exchange(post("(START)").as_bytes()), expected);
    // The names of headers are spelt as the client spells them.
    let other =
        post("(START)").replace("Content-length", "CONTENT-LENGTH").replace("Content-type", "content-TYPE");
    let expected = "HTTP/1.0 200 OK\r\ncontent-TYPE: text/acl\r\nCONTENT-LENGTH: 5\r\n\r\nREADY";
    assert_eq!(server.exchange(other.as_bytes()), expected);
    // A client of HTTP/1.1 is told that the connection closes.
    let newer = post("(START)")
        .replace("HTTP/1.0", "HTTP/1.1")
        .replace("Sender", "Host: x\r\nConnection: keep-alive\r\nSender");
    let answer = server.exchange(newer.as_bytes());
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.to_lowercase().contains("connection: close"),
        "{answer}"
    );
}

#[test]
fn a_message_comes_in_an_address_too_and_pages_are_answered() {
    let server = Server::usual();
    let answer = server.exchange(b"GET /%28PLAY%20m%20NIL%29 HTTP/1.0\r\n\r\n");
    assert_eq!(parts(&answer), (200, "12"));
    let answer = server.exchange(b"GET /(PLAY+m+%3fx+NIL) HTTP/1.0\r\n\r\n");
    assert_eq!(parts(&answer), (200, "15"));
    assert!(!answer.contains("access-control") && !answer.contains("Access-Control"), "{answer}");
    let answer = server.exchange(b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://page\r\n\r\n");
    assert_eq!(parts(&answer), (200, ""));
    assert!(
        answer.contains("Access-Control-Allow-Origin: *\r\n") && answer.contains("POST, GET, OPTIONS"),
        "{answer}"
    );
    let of_page = post("(INFO)").replace("Sender", "Origin: http://page\r\nSender");
    assert!(server.exchange(of_page.as_bytes()).contains("Access-Control-Allow-Origin: *\r\n"));
    assert_eq!(parts(&server.exchange(b"DELETE / HTTP/1.0\r\n\r\n")).0, 405);
}

#[test]
fn lengths_that_are_missing_or_wrong_are_understood() {
    let server = Server::usual();
    let without = post("(PLAY m NIL)").replace("Content-length: 12\r\n", "");
    assert_eq!(parts(&server.exchange(without.as_bytes())), (200, "12"), "the parentheses are closed");
    // Until the client closes its side, and until it is silent.
    for closes in [true, false] {
        let mut stream = server.connect();
        stream.write_all(b"POST / HTTP/1.0\r\n\r\nINFO").unwrap();
        if closes {
            stream.shutdown(std::net::Shutdown::Write).unwrap();
        }
        assert_eq!(parts(&received(&mut stream)), (200, "4"));
    }
    let mut stream = server.connect();
    stream.write_all(post("(PLAY m NIL)").replace("length: 12", "length: 50").as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(parts(&received(&mut stream)), (200, "12"), "the length that it has");
    let long = post("(PLAY m NIL)").replace("length: 12", "length: 50");
    assert_eq!(parts(&server.exchange(long.as_bytes())).0, 408);
    assert_eq!(
        parts(&server.exchange(post("(PLAY m NIL)").replace("length: 12", "length: 5").as_bytes())),
        (200, "5")
    );
    for wrong in ["-1", "x", "1e9", "99999999999999999999999"] {
        let status = parts(
            &server.exchange(post("(INFO)").replace("length: 6", &format!("length: {wrong}")).as_bytes()),
        )
        .0;
        assert!(status == 400 || status == 413, "{wrong}: {status}");
    }
    let twice = post("(INFO)").replace("Sender", "Content-length: 9\r\nSender");
    assert_eq!(parts(&server.exchange(twice.as_bytes())).0, 400);
}

#[test]
fn odd_forms_of_http_are_understood() {
    let server = Server::usual();
    let bare = post("(PLAY m NIL)").replace("\r\n", "\n");
    assert_eq!(parts(&server.exchange(bare.as_bytes())), (200, "12"));
    assert_eq!(parts(&server.exchange(format!("\r\n\r\n{}", post("(INFO)")).as_bytes())), (200, "6"));
    let chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n(INFO)\r\n0\r\n\r\n";
    assert_eq!(parts(&server.exchange(chunked.as_bytes())), (200, "6"));
    let mut stream = server.connect();
    let (head, body) =
        ("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-length: 6\r\n\r\n", "(INFO)");
    stream.write_all(head.as_bytes()).unwrap();
    let mut proceed = [0; 25];
    stream.read_exact(&mut proceed).unwrap();
    assert_eq!(&proceed, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).unwrap();
    assert!(received(&mut stream).ends_with("\r\n\r\n6"));
    // A chunk that is shorter than it says.
    let short = chunked.replace("\r\n6\r\n", "\r\nfff\r\n");
    assert_eq!(parts(&server.exchange(short.as_bytes())).0, 408);
    // Two requests on one connection: the first is answered, and the connection closes.
    let both = post("(INFO)") + &post("(START)");
    assert_eq!(parts(&server.exchange(both.as_bytes())), (200, "6"));
}

#[test]
fn hostile_bytes_get_an_answer_or_a_close_soon() {
    let server = Server::usual();
    let invalid = [post("(INFO)").replace("length: 6", "length: 8").as_bytes(), &[0xff, 0xfe]].concat();
    let many = post("(INFO)").replace("Sender", &format!("{}Sender", "X: y\r\n".repeat(100)));
    let large = post("(INFO)").replace("Sender: G", &format!("Sender: {}", "G".repeat(100_000)));
    // Whole when it comes, and so never seen before its end.
    let whole = post("(INFO)").replace("Sender: G", &format!("Sender: {}", "G".repeat(16 * 1024)));
    let cases: [(&str, &[u8], u16); 8] = [
        ("no HTTP", b"hello\r\n\r\n", 400),
        ("NUL", b"POST / HTTP/1.0\r\nA\0: b\r\n\r\n", 400),
        (
            "binary",
            &[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x0d, 0x0a, 0x0d, 0x0a],
            400,
        ),
        ("no UTF-8", &invalid, 400),
        ("many headers", many.as_bytes(), 431),
        ("a long head", large.as_bytes(), 431),
        ("a head a little too long", whole.as_bytes(), 431),
        ("a version of its own", b"POST / HTTP/9.9\r\n\r\n", 400),
    ];
    for (what, bytes, status) in cases {
        let answer = server.exchange(bytes);
        assert_eq!(parts(&answer).0, status, "{what}: {answer}");
    }
    let answer = server.exchange(post("a\0b").as_bytes());
    assert_eq!(parts(&answer), (200, "3"), "NUL is a character; the message reader refuses it");
    assert_eq!(parts(&server.exchange(post("(START)").as_bytes())), (200, "READY"));
}

#[test]
fn a_body_that_is_too_long_is_refused_before_it_is_stored() {
    let server = Server::new(ServerLimits { body_bytes: 1 << 20, ..ServerLimits::default() });
    let said = post("").replace("length: 0", "length: 104857600");
    // Not one of the bytes has come: a server that waits for them says 408.
    assert_eq!(parts(&server.exchange(said.as_bytes())).0, 413);
    let unsaid = [b"POST / HTTP/1.0\r\n\r\n".to_vec(), vec![b'('; 4 << 20]].concat();
    assert_eq!(parts(&server.exchange(&unsaid)).0, 413);
    let fits = post(&"x".repeat(1 << 20));
    assert_eq!(parts(&server.exchange(fits.as_bytes())), (200, "1048576"));
    // All long bodies together have a limit too.
    let server = Server::new(ServerLimits { bytes_at_once: 1 << 17, ..ServerLimits::default() });
    assert_eq!(parts(&server.exchange(post(&"x".repeat(1 << 20)).as_bytes())).0, 503);
    assert_eq!(parts(&server.exchange(post("(START)").as_bytes())), (200, "READY"));
}

#[test]
fn slow_and_idle_clients_do_not_keep_out_a_good_one() {
    // A client that waits for one of the others waits for hours.
    let hours = Duration::from_secs(9999);
    let limits = ServerLimits { connections: 64, idle: hours, request: hours, ..ServerLimits::default() };
    let server = Server::new(limits);
    let mut drips = server.connect();
    let head = post("(START)");
    drips.write_all(&head.as_bytes()[..10]).unwrap();
    let idle: Vec<TcpStream> = (0..500).map(|_| server.connect()).collect();
    for _ in 0..10 {
        assert_eq!(parts(&server.exchange(head.as_bytes())), (200, "READY"));
    }
    drop(idle);
    // The one that drips is closed.
    assert!(!received(&mut drips).contains("READY"));
}

#[test]
fn calls_are_answered_side_by_side_and_the_last_ones_after_the_shutdown() {
    let server = Server::usual();
    let waiting: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(post("(WAIT)").as_bytes()).unwrap();
            stream
        })
        .collect();
    while server.counting.waiting.load(Ordering::SeqCst) < waiting.len() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(parts(&server.exchange(post("(START)").as_bytes())), (200, "READY"));
    // They are released when the server has been told to end.
    drop(server);
    for mut stream in waiting {
        assert_eq!(parts(&received(&mut stream)), (200, "6"));
    }
}
