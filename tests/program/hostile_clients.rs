//! Hostile clients: whatever comes, the server stays up, its memory stays below a bound, and a good match beside it goes on.
//!
//! The good match is one of GDL-II; each of its answers is held against what is legal and against its clock. Others begin beside
//! it: they may be told that the server is busy, and if not, the same holds for them. Each attack goes on until enough steps of
//! the good match were made beside it, however long that takes on a busy machine. The long form has more of everything.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::player_server::{ServedPlayer, exchange, posted};
use super::possible_states::PossibleStates;

/// The most that the server may ever take, in MiB, under `--matches 4 --memory 256`.
pub const BOUND: u64 = 1024;

/// A game of GDL-II without an end, in which the percept decides what is legal.
const GOOD: &str = "((ROLE ME) (ROLE RANDOM) (INIT (HALF 1)) (DOOR 1) (DOOR 2) (DOOR 3) \
    (<= (LEGAL RANDOM (HIDE ?D)) (DOOR ?D)) (<= (LEGAL ME (KNOCK ?D)) (TRUE (HALF 1)) (DOOR ?D)) \
    (<= (LEGAL ME (OPEN ?D)) (TRUE (HALF 2)) (TRUE (BEHIND ?D))) \
    (<= (NEXT (BEHIND ?D)) (DOES RANDOM (HIDE ?D))) (<= (SEES ME (STEPS ?D)) (DOES RANDOM (HIDE ?D))) \
    (<= (NEXT (HALF 2)) (TRUE (HALF 1))) (<= (NEXT (HALF 1)) (TRUE (HALF 2))) \
    (<= TERMINAL (TRUE (HALF 3))) (GOAL ME 100) (GOAL RANDOM 0) )";

/// The clock of the good matches.
const CLOCK: Duration = Duration::from_secs(2);

/// A match that goes on as long as somebody wants.
struct GoodMatch<'s> {
    server: &'s ServedPlayer,
    id: String,
    judge: PossibleStates,
    steps: usize,
    last: String,
}

impl<'s> GoodMatch<'s> {
    /// Begins it; nothing if the server is busy.
    fn begin(server: &'s ServedPlayer, id: &str) -> Option<GoodMatch<'s>> {
        let start = format!("(START {id} ME {GOOD} 2 2)");
        let answer = server.answer(&posted(&start), CLOCK);
        assert!(answer == "ready" || answer == "busy", "{id}: {answer}");
        let judge = PossibleStates::new(&start);
        let id = id.to_owned();
        (answer == "ready").then(|| GoodMatch { server, id, judge, steps: 0, last: "NIL".to_owned() })
    }

    /// What was perceived last.
    fn percepts(&self) -> String {
        if self.steps == 0 { "NIL".to_owned() } else { format!("((STEPS {}) )", self.steps * 7 % 3 + 1) }
    }

    /// A step: the answer comes within the clock and is legal.
    fn step(&mut self) {
        let message = format!("(PLAY {} {} {} {})", self.id, self.steps, self.last, self.percepts());
        self.judge.hear(&message);
        let answer = self.server.answer(&posted(&message), CLOCK);
        assert!(self.judge.legal().contains(&answer), "{message}: {answer}");
        (self.steps, self.last) = (self.steps + 1, answer);
    }

    fn end(self) {
        let message = format!("(STOP {} {} {} {})", self.id, self.steps, self.last, self.percepts());
        assert_eq!(self.server.answer(&posted(&message), CLOCK), "done", "{message}");
    }
}

/// One good match goes on until all is over, and beside it others of four steps begin where the server is not busy, in the end four
/// at least. Returns the steps of the long one, which are counted in `made`, and how many of the others were played and refused.
fn good_matches(server: &ServedPlayer, is_over: &AtomicBool, made: &AtomicUsize) -> [usize; 3] {
    let mut long = GoodMatch::begin(server, "good").unwrap();
    let (mut played, mut busy) = (0, 0);
    while !is_over.load(Ordering::Relaxed) || played < 4 {
        long.step();
        made.fetch_add(1, Ordering::Relaxed);
        if long.steps.is_multiple_of(5) {
            match GoodMatch::begin(server, &format!("good{}", played + busy)) {
                None => busy += 1,
                Some(mut short) => {
                    (0..4).for_each(|_| short.step());
                    short.end();
                    played += 1;
                }
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let steps = long.steps;
    long.end();
    [steps, played, busy]
}

/// Attacks, again and again until so many good steps more were made, or until whoever makes them has ended.
pub fn attack_beside(good: &AtomicUsize, more: usize, has_ended: impl Fn() -> bool, attack: &dyn Fn()) {
    let (begun, wanted) = (Instant::now(), good.load(Ordering::Relaxed) + more);
    loop {
        attack();
        let made = good.load(Ordering::Relaxed);
        if made >= wanted || has_ended() {
            break;
        }
        assert!(begun.elapsed() < HOUR, "{made} good steps, {wanted} are wanted");
    }
}

/// Longer than anything here takes on the busiest machine.
const HOUR: Duration = Duration::from_secs(3600);

/// How much of everything there is.
pub struct Amount {
    connections: usize,
    starts: usize,
    /// How often each hostile message is sent.
    rounds: usize,
}

pub const SHORT: Amount = Amount { connections: 600, starts: 200, rounds: 1 };

const LONG: Amount = Amount { connections: 10_000, starts: 2000, rounds: 10 };

/// What waits at most for an answer: far longer than the longest that the server waits for a request.
const PATIENCE: Duration = Duration::from_secs(250);

/// Sends bytes; the server may answer, refuse or close, but must do one of them.
pub fn sent(address: SocketAddr, bytes: &[u8]) -> String {
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
pub fn slow_loris(address: SocketAddr, amount: &Amount) {
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
pub fn long_bodies(address: SocketAddr, amount: &Amount) {
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
pub fn odd_bytes(address: SocketAddr, amount: &Amount) {
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
pub fn idle_connections(address: SocketAddr, amount: &Amount) {
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
pub fn hostile_rules() -> Vec<String> {
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
                    // A server that is still at work for other such matches is busy, for a while.
                    let begun = Instant::now();
                    while server.answer(&posted(&start), CLOCK) != "ready" {
                        assert!(begun.elapsed() < HOUR, "{start:.300}");
                        std::thread::sleep(Duration::from_millis(50));
                    }
                    for step in ["0 NIL NIL", "1 A (C )", "2 B (C )"] {
                        let answer = server.answer(&posted(&format!("(PLAY {id} {step})")), CLOCK);
                        let is_term =
                            !answer.is_empty() && !answer.contains(' ') || answer.starts_with("(M ");
                        assert!(is_term, "{answer}");
                    }
                    assert_eq!(server.answer(&posted(&format!("(ABORT {id})")), CLOCK), "aborted");
                }
            });
        }
    });
    for place in 0..amount.starts {
        // Half of them are one match that begins again and again.
        let id = if place % 2 == 0 { "again".to_owned() } else { format!("another{place}") };
        let start = format!("(START {id} ME ({}) 0.1 1)", rules[place % rules.len()]);
        let answer = server.answer(&posted(&start), CLOCK);
        assert!(answer == "ready" || answer == "busy", "{answer}");
        assert_eq!(server.answer(&posted(&format!("(PLAY unknown{place} 0 NIL NIL)")), CLOCK), "busy");
        server.answer(&posted(&format!("(ABORT {id})")), CLOCK);
    }
}

fn battery(amount: &Amount) {
    let server = ServedPlayer::new(
        "--player hyperplay:particles=50,playouts=200 --matches 4 --memory 256 --log error",
    );
    let address = server.address;
    let (is_over, steps) = (AtomicBool::new(false), AtomicUsize::new(0));
    let played = std::thread::scope(|scope| {
        let good = scope.spawn(|| good_matches(&server, &is_over, &steps));
        for (what, attack) in [
            ("slow loris", &(|| slow_loris(address, amount)) as &(dyn Fn() + Sync)),
            ("odd bytes", &|| odd_bytes(address, amount)),
            ("long bodies", &|| long_bodies(address, amount)),
            ("connections", &|| idle_connections(address, amount)),
            ("hostile rules", &|| hostile_matches(&server, amount)),
        ] {
            let begun = Instant::now();
            let attacked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                attack_beside(&steps, 7, || good.is_finished(), attack);
            }));
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
    let [steps, played, busy] = played;
    println!(
        "{steps} steps of a good match; {played} others were played, {busy} were told that the server is busy"
    );
    assert!(steps >= 35 && played > 3, "{steps} steps, {played} matches");
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
