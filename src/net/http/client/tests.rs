//! The client against small servers that answer well, badly, slowly, or not at all.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::reply::ReplyReader;
use super::{
    Address, AddressError, Ending, ExchangeError, ExchangeStage, ReplyLimits, exchange, exchange_bytes,
    request,
};

#[path = "../../../../tests/common/property.rs"]
mod property;

/// A server for one connection: it reads the request up to its last parenthesis, then does as told.
fn server(answer: impl FnOnce(TcpStream) + Send + 'static) -> (Address, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let thread = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b")") {
            let mut buffer = [0; 1024];
            let length = connection.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..length]);
        }
        answer(connection);
        String::from_utf8(request).unwrap()
    });
    (address, thread)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn ask(address: &Address, milliseconds: u64) -> Result<String, ExchangeError> {
    let deadline = Instant::now() + Duration::from_millis(milliseconds);
    exchange(address, "(INFO)", "Gamecontroller", deadline, ReplyLimits::default()).map(|reply| reply.body)
}

/// The reading that the client has of an answer after which the connection is closed.
fn answered(bytes: &[u8]) -> Result<String, ExchangeError> {
    let bytes = bytes.to_vec();
    // The client may have closed already, which is no concern of these tests.
    let (address, thread) = server(move |mut connection| drop(connection.write_all(&bytes)));
    let result = ask(&address, 20_000);
    thread.join().unwrap();
    result
}

#[test]
fn the_request_has_the_bytes_of_the_dresden_master() {
    let (address, thread) = server(|mut connection| {
        connection
            .write_all(b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\nREADY")
            .unwrap();
    });
    assert_eq!(ask(&address, 20_000).unwrap(), "READY");
    let head = "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
                Content-type: text/acl\r\nContent-length: 6\r\n\r\n(INFO)";
    assert_eq!(thread.join().unwrap(), head);
}

#[test]
fn answers_are_understood_by_length_by_chunks_and_by_the_end_of_the_connection() {
    assert_eq!(answered(b"HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 4\r\n\r\nnoopand more").unwrap(), "noop");
    assert_eq!(answered(b"HTTP/1.0 200 OK\r\n\r\n(mark 1 1)").unwrap(), "(mark 1 1)");
    assert_eq!(answered(b"HTTP/1.0 200\n\nnoop").unwrap(), "noop");
    assert_eq!(answered(b"HTTP/1.0 200 OK\r\nContent-length: 0\r\n\r\n").unwrap(), "");
    let chunks =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(ma\r\n007;x=y\r\nrk 1 1)\r\n0\r\n\r\n";
    assert_eq!(answered(chunks).unwrap(), "(mark 1 1)");
}

#[test]
fn an_answer_whose_length_was_counted_wrongly_is_still_an_answer() {
    for length in [7, 8, 10, 12, 400] {
        let answer = format!("HTTP/1.0 200 OK\r\nContent-length: {length}\r\n\r\n(mark 11)");
        assert_eq!(answered(answer.as_bytes()).unwrap(), "(mark 11)", "{length}");
    }
}

#[test]
fn an_answer_by_length_is_complete_although_the_connection_stays_open() {
    let (address, thread) = server(|mut connection| {
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnoop" {
            connection.write_all(&[*byte]).unwrap();
        }
        let _ = connection.read(&mut [0; 1]);
    });
    assert_eq!(ask(&address, 20_000).unwrap(), "noop");
    thread.join().unwrap();
}

#[test]
fn whether_the_connection_was_closed_is_told() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnoop";
    let ask = |address: &Address, milliseconds| {
        let deadline = Instant::now() + Duration::from_millis(milliseconds);
        let bytes = request(address, "(INFO)", "Gamecontroller");
        exchange_bytes(address, bytes.as_bytes(), deadline, ReplyLimits::default(), Ending::Closed)
    };
    let (address, thread) = server(|mut connection| connection.write_all(answer).unwrap());
    let record = ask(&address, 20_000);
    assert_eq!((record.closed, record.received.as_slice()), (true, &answer[..]));
    assert_eq!(record.result.unwrap().header("content-length"), Some("4"));
    thread.join().unwrap();

    let (address, thread) = server(|mut connection| {
        connection.write_all(answer).unwrap();
        let _ = connection.read(&mut [0; 1]);
    });
    // So long that a busy machine has received it.
    let record = ask(&address, 3000);
    assert_eq!((record.closed, record.result.unwrap().body.as_str()), (false, "noop"));
    thread.join().unwrap();
}

#[test]
fn a_player_that_is_not_there_is_unreachable() {
    // Nothing listens on this port, and no test is given it.
    let error = ask(&Address::parse("http://127.0.0.1:1").unwrap(), 20_000).unwrap_err();
    assert!(matches!(error, ExchangeError::Unreachable(..)), "{error}");
    assert!(error.to_string().contains("is the player started"), "{error}");
    let error = ask(&Address::parse("http://no-such-host.invalid").unwrap(), 20_000).unwrap_err();
    assert!(matches!(error, ExchangeError::UnknownHost(..) | ExchangeError::TimedOut(..)), "{error}");
}

#[test]
fn a_silent_player_and_one_that_answers_by_drips_are_timed_out_at_the_deadline() {
    let dripping = |mut connection: TcpStream| {
        while connection.write_all(b"HTTP/1.0 200 OK\r\nX: y\r\n").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    };
    let silent = |mut connection: TcpStream| {
        let _ = connection.read(&mut [0; 1]);
    };
    for (address, thread) in [server(dripping), server(silent)] {
        // So long that a busy machine has sent the message. Without a deadline it would not end.
        let error = ask(&address, 3000).unwrap_err();
        assert!(matches!(error, ExchangeError::TimedOut(ExchangeStage::Receiving)), "{error}");
        assert!(error.is_timeout());
        thread.join().unwrap();
    }
}

#[test]
fn a_player_that_reads_nothing_is_timed_out_while_sending() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let body = "x".repeat(64 << 20);
    // A busy machine may need longer until it sends.
    let within = |milliseconds: u64| {
        let deadline = Instant::now() + Duration::from_millis(milliseconds);
        exchange(&address, &body, "Gamecontroller", deadline, ReplyLimits::default()).unwrap_err()
    };
    let is_sending = |error: &ExchangeError| matches!(error, ExchangeError::TimedOut(ExchangeStage::Sending));
    assert!((9..16).any(|power| is_sending(&within(1 << power))), "{}", within(500));
    let past = Instant::now() - Duration::from_millis(1);
    let error = exchange(&address, "(INFO)", "Gamecontroller", past, ReplyLimits::default()).unwrap_err();
    assert!(matches!(error, ExchangeError::TimedOut(ExchangeStage::Connecting)), "{error}");
}

#[test]
fn an_answer_that_is_cut_off_is_closed_early() {
    for cut in [
        &b"HTTP/1.0 200 OK\r\nContent-length: 10\r\n\r\n(mark"[..],
        b"HTTP/1.0 200 OK\r\nContent-len",
        b"HT",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n(ma",
    ] {
        let error = answered(cut).unwrap_err();
        assert!(matches!(error, ExchangeError::ClosedEarly(received) if received == cut.len()), "{error}");
    }
    assert!(matches!(answered(b"").unwrap_err(), ExchangeError::Empty));
}

#[test]
fn ten_megabytes_are_too_long_before_they_have_come() {
    let heads = [
        "HTTP/1.0 200 OK\r\nContent-length: 10485760\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na00000\r\n",
        "HTTP/1.0 200 OK\r\nContent-length: 99999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff0\r\n",
    ];
    for head in heads {
        let (address, thread) = server(move |mut connection| {
            let piece = [b'x'; 1 << 16];
            let mut result = connection.write_all(head.as_bytes());
            for _ in 0..160 {
                result = result.and_then(|()| connection.write_all(&piece));
            }
        });
        let bytes = request(&address, "(INFO)", "Gamecontroller");
        let record =
            exchange_bytes(&address, bytes.as_bytes(), soon(), ReplyLimits::default(), Ending::Complete);
        assert!(matches!(record.result, Err(ExchangeError::TooLong(1_048_576))), "{head}");
        assert!(record.received.len() < (1 << 20) + (64 << 10), "{} bytes are kept", record.received.len());
        thread.join().unwrap();
    }
}

#[test]
fn what_is_no_http_is_an_error_at_its_first_bytes() {
    // The connection stays open: nothing is waited for.
    let (address, thread) = server(|mut connection| {
        connection.write_all(b"ready").unwrap();
        let _ = connection.read(&mut [0; 1]);
    });
    let error = ask(&address, 20_000).unwrap_err();
    assert!(matches!(error, ExchangeError::NotHttp(..)), "{error}");
    thread.join().unwrap();
    let long = format!("HTTP/1.0 200 OK\r\nX: {}", "y".repeat(20_000));
    let many = format!("HTTP/1.0 200 OK\r\n{}\r\n", "X: y\r\n".repeat(100));
    for wrong in [
        long.as_bytes(),
        many.as_bytes(),
        b"HTTP/1.0 two hundred\r\n\r\nnoop",
        b"HTTP/1.0 200 OK\r\nContent-length: -4\r\n\r\nnoop",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ] {
        let error = answered(wrong).unwrap_err();
        assert!(matches!(error, ExchangeError::NotHttp(..)), "{error}");
    }
}

#[test]
fn another_status_and_bytes_that_are_no_text_are_told() {
    let error = answered(b"HTTP/1.0 404 Not Found\r\nContent-length: 4\r\n\r\nnoop").unwrap_err();
    assert_eq!(error.to_string(), "the answer has the status 404 Not Found; a player answers 200 OK");
    let error = answered(b"HTTP/1.0 200 OK\r\nContent-length: 4\r\n\r\nab\xff\xfe").unwrap_err();
    assert!(matches!(error, ExchangeError::NotText(3)), "{error}");
}

#[test]
fn addresses_are_read_and_wrong_ones_say_what_to_write() {
    let parts = |text: &str| {
        let address = Address::parse(text).unwrap();
        assert_eq!(Address::parse(&address.to_string()), Ok(address.clone()));
        (address.host.to_owned(), address.port, address.path.to_owned())
    };
    assert_eq!(parts("http://localhost"), ("localhost".into(), 9147, "/".into()));
    assert_eq!(parts("HTTP://a:80/b/c?d"), ("a".into(), 80, "/b/c?d".into()));
    assert_eq!(parts("http://a?d"), ("a".into(), 9147, "/?d".into()));
    assert_eq!(parts("http://[::1]:99/x"), ("::1".into(), 99, "/x".into()));
    let wrong = [
        ("https://a", "https is not spoken"),
        ("a:9147", "does not begin with http://"),
        ("", "does not begin with http://"),
        ("http://", "names no host"),
        ("http://:80", "names no host"),
        ("http://a:0", "`0` is no port"),
        ("http://a:65536", "`65536` is no port"),
        ("http://a:", "`` is no port"),
        ("http://[::1]x", "`x` is no port"),
        ("http://a/b c", "the character ' '"),
        ("http://a/\r\nX: y", "the character '\\r'"),
        ("http://me@a", "the character '@'"),
        ("http://\u{e4}", "the character '\u{e4}'"),
    ];
    for (text, part) in wrong {
        let error: AddressError = Address::parse(text).unwrap_err();
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
}

/// The result of reading an answer that comes in pieces of these lengths and then ends.
fn read_in_pieces(bytes: &[u8], lengths: &[usize]) -> Result<String, String> {
    let mut reader = ReplyReader::new(ReplyLimits { body: 200, head: 400 });
    let mut end = 0;
    for length in lengths.iter().copied().chain(std::iter::once(bytes.len())) {
        end = (end + length).min(bytes.len());
        if let Some(reply) = reader.step(&bytes[..end]).map_err(|error| error.to_string())? {
            return Ok(reply.body);
        }
    }
    reader.at_close(bytes).map(|reply| reply.body).map_err(|error| error.to_string())
}

fn answer_bytes() -> impl Strategy<Value = Vec<u8>> {
    let good = prop::sample::select(vec![
        &b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 4\r\n\r\nnoop"[..],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(ma\r\n6;x=y\r\nrk 1 1\r\n1\r\n)\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\n\n(mark 1 1)",
        b"HTTP/1.0 404 Not Found\r\n\r\n",
    ]);
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..3_u8);
    (good, prop::collection::vec(change, 0..4)).prop_map(|(good, changes)| {
        let mut bytes = good.to_vec();
        for (place, byte, kind) in changes {
            let place = place.index(bytes.len());
            match kind {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(place)),
                _ => {}
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(property::cases(256))]

    #[test]
    fn an_answer_is_the_same_in_whatever_pieces_it_comes(
        bytes in answer_bytes(),
        lengths in prop::collection::vec(0_usize..12, 0..40),
    ) {
        let whole = read_in_pieces(&bytes, &[]);
        let pieces = read_in_pieces(&bytes, &lengths);
        let one_by_one = read_in_pieces(&bytes, &vec![1; bytes.len()]);
        prop_assert_eq!(&whole, &pieces);
        prop_assert_eq!(&whole, &one_by_one);
    }

    #[test]
    fn any_bytes_are_an_answer_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let with_head = [b"HTTP/1.0 200 OK\r\n".as_slice(), &bytes].concat();
        for bytes in [bytes, with_head] {
            let whole = read_in_pieces(&bytes, &[]);
            prop_assert!(whole.is_ok() || !whole.unwrap_err().is_empty());
        }
    }

    #[test]
    fn any_text_is_an_address_or_an_error(text in "(http://)?\\PC{0,30}") {
        if let Ok(address) = Address::parse(&text) {
            prop_assert_eq!(Address::parse(&address.to_string()), Ok(address));
        }
    }
}
