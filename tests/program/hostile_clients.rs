//! Hostile clients: whatever comes, the server stays up, its memory stays below a bound, and a good match beside it goes on.
//!
//! The good match is one of GDL-II with clocks of a second, played again and again; each of its answers is held against what is
//! legal and against its clock. The long form has more of everything.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::player_server::{ServedPlayer, exchange, posted};
use super::possible_states::PossibleStates;

/// The most that the server may ever take, in MiB, under `--matches 4 --memory 256`.
const BOUND: u64 = 1024;

/// Two steps of GDL-II in which the percept decides what is legal.
const GOOD: &str = "((ROLE ME) (ROLE RANDOM) (INIT (STEP 1)) (DOOR 1) (DOOR 2) (DOOR 3) \
    (<= (LEGAL RANDOM (HIDE ?D)) (DOOR ?D)) (<= (LEGAL ME (KNOCK ?D)) (TRUE (STEP 1)) (DOOR ?D)) \
    (<= (LEGAL ME (OPEN ?D)) (TRUE (BEHIND ?D))) (<= (NEXT (BEHIND ?D)) (DOES RANDOM (HIDE ?D))) \
    (<= (SEES ME (STEPS ?D)) (DOES RANDOM (HIDE ?D))) (<= (NEXT (STEP 2)) (TRUE (STEP 1))) \
    (<= (NEXT (STEP 3)) (TRUE (STEP 2))) (<= TERMINAL (TRUE (STEP 3))) (GOAL ME 100) (GOAL RANDOM 0) )";

/// What a match of the good game has in it: the messages of one match.
fn good_match(server: &ServedPlayer, id: &str) {
    let clock = Duration::from_secs(1);
    let messages = [
        format!("(START {id} ME {GOOD} 1 1)"),
        format!("(PLAY {id} 0 NIL NIL)"),
        format!("(PLAY {id} 1 (KNOCK 2) ((STEPS 3) ))"),
        format!("(STOP {id} 2 (OPEN 3) ((STEPS 1) ))"),
    ];
    let mut judge = PossibleStates::new(&messages[0]);
    assert_eq!(server.answer(&posted(&messages[0]), clock), "ready", "{id}");
    for message in &messages[1..3] {
        judge.hear(message);
        let answer = server.answer(&posted(message), clock);
        assert!(judge.legal().contains(&answer), "{message}: {answer}");
    }
    assert_eq!(server.answer(&posted(&messages[3]), clock), "done", "{id}");
}

/// How much of everything there is.
struct Amount {
    connections: usize,
    starts: usize,
    /// How often each hostile message is sent.
    rounds: usize,
}

const SHORT: Amount = Amount { connections: 600, starts: 200, rounds: 1 };

const LONG: Amount = Amount { connections: 10_000, starts: 2000, rounds: 10 };

/// What waits at most for an answer: the longest that the server waits for a request, and a while.
const PATIENCE: Duration = Duration::from_secs(25);

/// Sends bytes; the server may answer, refuse or close, but must do one of them.
fn sent(address: SocketAddr, bytes: &[u8]) -> String {
    let begun = Instant::now();
    match exchange(address, bytes, PATIENCE) {
        Ok(reply) => reply,
        Err(error) => {
            let is_closed = begun.elapsed() < PATIENCE;
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(150)]);
            assert!(is_closed, "neither an answer nor a close: {error}: {shown}");
            String::new()
        }
    }
}

/// Whether a reply is a refusal of HTTP, or the connection was closed.
fn is_refused(reply: &str) -> bool {
    reply.is_empty() || reply.starts_with("HTTP/1.0 4") || reply.starts_with("HTTP/1.0 5")
}

/// Heads and bodies that come a byte at a time.
fn slow_loris(address: SocketAddr, amount: &Amount) {
    let message = posted("(PLAY nobody 0 NIL NIL)");
    let mut dripping: Vec<(TcpStream, usize)> = Vec::new();
    for place in 0..40 * amount.rounds {
        let mut stream = TcpStream::connect(address).unwrap();
        // Some begin inside the head, others inside the body.
        let begun = if place % 2 == 0 { 5 } else { message.len() - 12 };
        let _ = stream.write_all(&message[..begun]);
        dripping.push((stream, begun));
    }
    for _ in 0..8 {
        std::thread::sleep(Duration::from_millis(300));
        for (stream, at) in &mut dripping {
            // The server may have closed it.
            let _ = stream.write_all(&message[*at..=*at]);
            *at += 1;
        }
    }
}

/// Bodies of 100 MiB, with their length, with none and with a smaller one.
fn long_bodies(address: SocketAddr, amount: &Amount) {
    const LENGTH: usize = 100 << 20;
    for round in 0..3 * amount.rounds {
        let head = match round % 3 {
            0 => format!("POST / HTTP/1.0\r\nContent-length: {LENGTH}\r\n\r\n"),
            1 => "POST / HTTP/1.0\r\n\r\n".to_owned(),
            _ => "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6000000\r\n".to_owned(),
        };
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let block = vec![b'('; 1 << 20];
        let mut written = 0;
        let _ = stream.write_all(head.as_bytes());
        while written < LENGTH && stream.write_all(&block).is_ok() {
            written += block.len();
        }
        assert!(written < LENGTH, "the server has read it all");
        let mut reply = Vec::new();
        // A connection that is reset has no answer.
        let _ = stream.read_to_end(&mut reply);
        assert!(is_refused(&String::from_utf8_lossy(&reply)), "{}", String::from_utf8_lossy(&reply));
    }
    // What fits is read, and refused in words, or taken for rules that are none.
    for filling in ["(", "x ", "() ", "(role x) ", "(legal me ", "?"] {
        let inside = filling.repeat((16 << 20) / filling.len());
        let reply = sent(address, &posted(&format!("(START long ME ({inside}) 1 1)")));
        assert!(
            reply.contains("ready") || reply.contains("busy") || is_refused(&reply),
            "{filling}: {reply}"
        );
        sent(address, &posted("(ABORT long)"));
    }
}

/// Halves of messages, lengths that are wrong, nesting, NUL, invalid UTF-8, other protocols.
fn odd_bytes(address: SocketAddr, amount: &Amount) {
    let deep = 100_000;
    let nested = format!("(START m ME ({}{}) 1 1)", "(".repeat(deep), ")".repeat(deep));
    let of_length = |length: &str, body: &str| {
        format!("POST / HTTP/1.0\r\nContent-length: {length}\r\n\r\n{body}").into_bytes()
    };
    let info = posted("(INFO)");
    let cases: Vec<Vec<u8>> = vec![
        posted(&nested),
        posted(&"(".repeat(deep)),
        posted(&")".repeat(deep)),
        posted("(PLAY \0 0 NIL NIL)\0"),
        [&posted("(INFO)")[..info.len() - 6], &[0xff, 0xfe, 0xc0, 0x80, 0x00, 0x28]].concat(),
        vec![0; 1000],
        vec![0xff; 20_000],
        of_length("-1", "(INFO)"),
        of_length("0x10", "(INFO)"),
        of_length("99999999999999999999999999", "(INFO)"),
        of_length("3", "(INFO)"),
        of_length("3, 6", "(INFO)"),
        b"GET /%ff%00%28 HTTP/1.1\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n(INFO)\r\n0\r\n\r\n"
            .to_vec(),
        [&b"POST / HTTP/1.0\r\n"[..], &b"X: y\r\n".repeat(10_000)].concat(),
        format!("GET /{} HTTP/1.0\r\n\r\n", "%28".repeat(50_000)).into_bytes(),
        posted(&format!("(PLAY {} 0 NIL NIL)", "x".repeat(1 << 20))),
        posted("(PLAY m 99999999999999999999 NIL NIL)"),
        posted("(START m ME () 99999999999 99999999999)"),
    ];
    for _ in 0..amount.rounds {
        for case in &cases {
            sent(address, case);
        }
        for end in (0..info.len()).step_by(7) {
            let mut stream = TcpStream::connect(address).unwrap();
            // It is closed with half a message in it.
            let _ = stream.write_all(&info[..end]);
        }
        sent(address, &posted("(ABORT m)"));
    }
}

/// Connections that say nothing, or something without an end.
fn idle_connections(address: SocketAddr, amount: &Amount) {
    let mut open = Vec::new();
    for place in 0..amount.connections {
        if let Ok(mut stream) = TcpStream::connect_timeout(&address, PATIENCE) {
            let _ = stream.write_all(if place % 2 == 0 { b"" } else { b"POST / HT" });
            open.push(stream);
        }
        // A process may not have more files open than some thousand.
        if open.len() == 900 {
            open.drain(..300);
        }
    }
    assert!(open.len() > 300);
    std::thread::sleep(Duration::from_millis(300));
}

/// Rules that are hard: without an end, with terms that grow, with large relations, too large to be grounded.
fn hostile_rules() -> Vec<String> {
    let begin = "(ROLE ME) (ROLE RANDOM) (LEGAL ME A) (LEGAL ME B) (LEGAL RANDOM C) (INIT (STEP 1)) \
        (<= (SEES ME ?X) (DOES RANDOM ?X)) (GOAL ME 50) (GOAL RANDOM 0) (<= TERMINAL (TRUE (STEP NEVER))) ";
    let domain = |size: usize| (0..size).map(|place| format!("(D {place}) ")).collect::<String>();
    [
        "(<= (NEXT (STEP 1)) (TRUE (STEP 1)))".to_owned(),
        "(<= (NEXT (STEP (S ?X))) (TRUE (STEP ?X)))".to_owned(),
        "(<= (NEXT (STEP (S ?X ?X))) (TRUE (STEP ?X)))".to_owned(),
        "(<= (NEXT (KEEP ?M ?X)) (DOES ?R ?M) (TRUE (STEP ?X))) (<= (NEXT (KEEP ?M ?X)) (TRUE (KEEP ?M ?X))) \
         (<= (NEXT (STEP (S ?X))) (TRUE (STEP ?X)))"
            .to_owned(),
        "(N 1) (<= (N (S ?X)) (N ?X)) (<= (NEXT (STEP ?X)) (N ?X))".to_owned(),
        "(<= (P ?X) (NOT (P ?X)) (D ?X)) (D 1)".to_owned(),
        format!("{} (<= (NEXT (Q ?A ?B ?C ?E)) (D ?A) (D ?B) (D ?C) (D ?E))", domain(60)),
        format!(
            "{} (<= (E ?X ?Y) (D ?X) (D ?Y)) (<= (T ?X ?Y) (E ?X ?Y)) (<= (T ?X ?Z) (T ?X ?Y) (E ?Y ?Z)) \
             (<= (NEXT (STEP 1)) (T 1 2))",
            domain(400)
        ),
        format!(
            "{} (<= (LEGAL ME (M ?A ?B ?C)) (D ?A) (D ?B) (D ?C)) (<= (NEXT (X ?A ?B ?C)) (DOES ME (M ?A ?B ?C)))",
            domain(60)
        ),
        format!(
            "{} (<= (NEXT (R ?A ?B ?C)) (D ?A) (D ?B) (D ?C) (NOT (TRUE (R ?C ?B ?A)))) \
             (<= (NEXT (S ?A ?B ?C)) (D ?A) (D ?B) (D ?C) (NOT (TRUE (R ?A ?B ?C))))",
            domain(40)
        ),
    ]
    .into_iter()
    .map(|rules| format!("{begin}{rules}"))
    .collect()
}

/// Matches with hostile rules, and START messages by the hundred. Each message is answered by one term in its clock.
fn hostile_matches(server: &ServedPlayer, amount: &Amount) {
    let rules = hostile_rules();
    let next = AtomicUsize::new(0);
    let played = AtomicUsize::new(0);
    let clock = Duration::from_secs(1);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= rules.len() * amount.rounds {
                        break;
                    }
                    let id = format!("hostile{place}");
                    let start = format!("(START {id} ME ({}) 1 1)", rules[place % rules.len()]);
                    // A server that is still at work for other such matches is busy.
                    if server.answer(&posted(&start), clock) == "ready" {
                        played.fetch_add(1, Ordering::Relaxed);
                        for step in ["0 NIL NIL", "1 A (C )", "2 B (C )"] {
                            let answer = server.answer(&posted(&format!("(PLAY {id} {step})")), clock);
                            assert!(
                                !answer.is_empty() && !answer.contains(' ') || answer.starts_with("(M "),
                                "{answer}"
                            );
                        }
                        assert_eq!(server.answer(&posted(&format!("(ABORT {id})")), clock), "aborted");
                    }
                }
            });
        }
    });
    assert!(played.into_inner() > 0);
    for place in 0..amount.starts {
        // Half of them are one match that begins again and again.
        let id = if place % 2 == 0 { "again".to_owned() } else { format!("another{place}") };
        let start = format!("(START {id} ME ({}) 0.1 1)", rules[place % rules.len()]);
        let answer = server.answer(&posted(&start), clock);
        assert!(answer == "ready" || answer == "busy", "{answer}");
        assert_eq!(server.answer(&posted(&format!("(PLAY unknown{place} 0 NIL NIL)")), clock), "busy");
        server.answer(&posted(&format!("(ABORT {id})")), clock);
    }
}

fn battery(amount: &Amount) {
    let server = ServedPlayer::new(
        "--player hyperplay:particles=50,playouts=200 --matches 4 --memory 256 --log error",
    );
    let address = server.address;
    let is_over = AtomicBool::new(false);
    let played = std::thread::scope(|scope| {
        let good = scope.spawn(|| {
            let mut played = 0;
            // Its name is its own, so that no hostile message takes its place; one match stays open for it.
            while !is_over.load(Ordering::Relaxed) || played == 0 {
                good_match(&server, &format!("good{played}"));
                played += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            played
        });
        for (what, attack) in [
            ("slow loris", &(|| slow_loris(address, amount)) as &(dyn Fn() + Sync)),
            ("odd bytes", &|| odd_bytes(address, amount)),
            ("long bodies", &|| long_bodies(address, amount)),
            ("connections", &|| idle_connections(address, amount)),
            ("hostile rules", &|| hostile_matches(&server, amount)),
        ] {
            let begun = Instant::now();
            let attacked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(attack));
            let (now, most) = (server.memory("VmRSS"), server.memory("VmHWM"));
            println!("{what}: {:?}, {now} MiB, at most {most} MiB", begun.elapsed());
            if attacked.is_err() || most > BOUND {
                is_over.store(true, Ordering::Relaxed);
                panic!("{what}: {most} MiB of at most {BOUND}");
            }
        }
        is_over.store(true, Ordering::Relaxed);
        good.join().unwrap()
    });
    println!("{played} good matches");
    assert!(played > 10, "{played} good matches");
    let log = server.stop().read("log.txt");
    assert!(!log.contains("panic"), "{log}");
}

#[test]
fn hostile_clients_do_no_harm_to_a_good_match() {
    battery(&SHORT);
}

#[test]
#[ignore = "takes minutes"]
fn thousands_of_hostile_clients_do_no_harm_to_a_good_match() {
    battery(&LONG);
}
