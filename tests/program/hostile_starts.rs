//! START messages with wrong, huge, truncated, scrambled and hostile rules, by the thousand, on one server; beside them good
//! matches go on, whose answers must be legal and in time, and which never give way.
//!
//! ```text
//! cargo test --release --test program hostile_starts::ten_thousand -- --ignored --nocapture
//! ```
//!
//! Each message is drawn from the seed and its number alone. Some matches that begin are left without another word, so that places
//! run out. The figures are printed, those of memory and threads where the system has `/proc`. The long form needs a quiet machine;
//! the short form asks nothing of the time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{JointMove, Seed, StateMachine as _, StateMachineExt as _};
use hyperplay::net::protocol::{game_line, read_term};
use rand::RngExt as _;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand_chacha::ChaCha8Rng;

use super::hostile_clients::{BOUND, hostile_rules, sent};
use super::player_server::{ServedPlayer, posted};
use crate::common::property;

/// How much there is.
struct Amount {
    starts: usize,
    /// No START is sent before its share of this time.
    over: Duration,
    /// The most bytes of huge rules.
    huge: usize,
    /// How long the server may take to end its work for matches that are over.
    settling: Duration,
}

/// The kinds of rules.
const KINDS: [&str; 5] = ["wrong", "huge", "truncated", "scrambled", "hostile"];

/// How many game masters send them at a time; the server has two places more, one of them for the good match.
const MASTERS: usize = 4;

/// The play clock of the good matches.
const CLOCK: Duration = Duration::from_secs(2);

/// What the log says when a match gives way.
const GIVES_WAY: &str = "gives way to another match";

/// The good matches: games that hide something, with the role that the server plays.
const GOOD: [(&str, &str); 4] = [
    ("krieg_tictactoe_5x5", "x"),
    ("leduc_poker", "alice"),
    ("goofspiel_4_imperfect", "bob"),
    ("blind_breakthrough_5x5", "white"),
];

/// All rulesheets in prefix form of these folders, in the order of their names.
fn sheets(folders: &[&str]) -> Vec<String> {
    let mut paths = Vec::new();
    for folder in folders {
        let folder = format!("{}/games/{folder}", env!("CARGO_MANIFEST_DIR"));
        paths.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    paths.retain(|path| path.extension().is_some_and(|end| end == "kif"));
    paths.sort();
    paths.iter().map(|path| without_comments(&std::fs::read_to_string(path).unwrap())).collect()
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split(';').next().unwrap_or("")).collect::<Vec<_>>().join(" ")
}

/// The words and parentheses of a text.
fn words(text: &str) -> Vec<String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Rules with some words left out, doubled, replaced or exchanged; parentheses among them in one case of five.
fn wrong(rules: &str, rng: &mut ChaCha8Rng) -> String {
    let mut words = words(rules);
    let whole = rng.random_bool(0.8);
    for _ in 0..rng.random_range(1..9) {
        let plain = |place: &usize| !whole || !["(", ")"].contains(&words[*place].as_str());
        let places: Vec<usize> = (0..words.len()).filter(plain).collect();
        let (&one, &other) = (places.choose(rng).unwrap(), places.choose(rng).unwrap());
        match rng.random_range(0..5) {
            0 => drop(words.remove(one)),
            1 => words.insert(one, words[one].clone()),
            2 => words[one] = words[other].clone(),
            3 => words.swap(one, other),
            _ => {
                words[one] =
                    ["?x", "not", "true", "does", "next", "101", "_"].choose(rng).unwrap().to_string()
            }
        }
    }
    words.join(" ")
}

/// Rules that are followed by far too many clauses, terms or letters.
fn huge(rules: &str, most: usize, rng: &mut ChaCha8Rng) -> String {
    let size = (most as f64 / 2_f64.powf(rng.random_range(0.0..6.0))) as usize;
    let kind = rng.random_range(0..6);
    let mut text = rules.to_owned();
    let deep = size / 4;
    match kind {
        0 => text.push_str(&"(".repeat(size)),
        1 => text += &format!(" (init {}b{})", "(s ".repeat(deep), ")".repeat(deep)),
        2 => text += &format!(" (init {})", "x".repeat(size)),
        _ => {
            for place in 0.. {
                if text.len() >= size {
                    break;
                }
                text += &match kind {
                    3 => format!(" (role r{place}) (legal r{place} noop)"),
                    4 => format!(" (succ {place} {})", place + 1),
                    _ => format!(" (<= (next (f{place} ?x)) (true (f{} ?x)) (succ ?x ?y))", place + 1),
                };
            }
        }
    }
    text
}

/// Rules whose words, or some of whose letters, were mixed; parentheses among them in one case of five.
fn scrambled(rules: &str, rng: &mut ChaCha8Rng) -> String {
    let whole = rng.random_bool(0.8);
    if rng.random_bool(0.5) {
        let mut words = words(rules);
        let places: Vec<usize> = (0..words.len())
            .filter(|&place| !whole || !["(", ")"].contains(&words[place].as_str()))
            .collect();
        for part in places.chunks(rng.random_range(2..places.len())) {
            let mut mixed = part.to_vec();
            mixed.shuffle(rng);
            let mixed: Vec<String> = mixed.into_iter().map(|place| words[place].clone()).collect();
            part.iter().zip(mixed).for_each(|(&place, word)| words[place] = word);
        }
        return words.join(" ");
    }
    let mut letters: Vec<char> = rules.chars().collect();
    for _ in 0..rng.random_range(1..=letters.len() / 10 + 1) {
        let (place, letter) = (rng.random_range(0..letters.len()), char::from(rng.random_range(0..=255_u8)));
        if !whole || !"()".contains(letters[place]) && !"();\"".contains(letter) {
            letters[place] = letter;
        }
    }
    letters.into_iter().collect()
}

/// Rules that end too early, in one case of two with the parentheses that are missing.
fn truncated(rules: &str, rng: &mut ChaCha8Rng) -> String {
    let mut rules = rules[..rules.floor_char_boundary(rng.random_range(0..rules.len()))].to_owned();
    let open = rules.matches('(').count().saturating_sub(rules.matches(')').count());
    rules += &")".repeat(if rng.random_bool(0.5) { open } else { 0 });
    rules
}

/// A START message.
struct Start {
    kind: &'static str,
    id: String,
    text: String,
    clock: Duration,
}

/// The START message of this number. `good` is the match that it may try to take over in another role, and the role that it
/// has: a START in that role is how a game master begins a match anew, and would end it.
fn start(place: usize, of: &[String], most: usize, (good, own): (&str, &str), rng: &mut ChaCha8Rng) -> Start {
    let kind = KINDS[place % KINDS.len()];
    let sheet = of.choose(rng).unwrap();
    let rules = match kind {
        "wrong" => wrong(sheet, rng),
        "huge" => huge(sheet, most, rng),
        "truncated" => truncated(sheet, rng),
        "scrambled" => scrambled(sheet, rng),
        _ => hostile_rules().choose(rng).unwrap().clone(),
    };
    let named = rules.split_once("(role ").or_else(|| rules.split_once("(ROLE "));
    let named = named.and_then(|(_, rest)| rest.split(')').next()).map(str::trim);
    let role =
        named.filter(|name| !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric()));
    let role = role.filter(|_| rng.random_bool(0.9)).unwrap_or("nobody");
    let id = match rng.random_range(0..40) {
        0 => good.to_owned(),
        1 => "again".to_owned(),
        2 => "x".repeat(300),
        _ => format!("hostile{place}"),
    };
    let role = if id == good && role.eq_ignore_ascii_case(own) { "nobody" } else { role };
    let clock = *[0.0, 0.1, 0.3, 1.0].choose(rng).unwrap();
    let mut text = format!("(START {id} {role} ({rules}) {clock} {})", [0.0, 0.1, 0.5].choose(rng).unwrap());
    if kind == "truncated" && rng.random_bool(0.2) {
        text.truncate(text.floor_char_boundary(text.len() - rng.random_range(1..20.min(text.len()))));
    }
    Start { kind, id, text, clock: Duration::from_secs_f64(clock) }
}

/// The figures of the attack.
#[derive(Default)]
struct Attack {
    /// Answers by kind of rules and of answer.
    answers: BTreeMap<(&'static str, String), usize>,
    /// How long after its start clock the latest answer to a START came, and for which kind.
    latest: (Duration, &'static str),
    left: Vec<String>,
}

/// The kind of an answer to START.
fn kind_of(reply: &str) -> String {
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((reply, ""));
    match (head.split_whitespace().nth(1), body) {
        (None, _) => "closed".to_owned(),
        (Some("200"), body) if body.contains(' ') => panic!("no answer to START: {body}"),
        (Some("200"), body) => body.to_owned(),
        (Some(status), _) => format!("refused with {status}"),
    }
}

/// Sends a START, and what follows it where the match begins.
fn attack(server: &ServedPlayer, start: &Start, rng: &mut ChaCha8Rng, attack: &Mutex<Attack>) {
    let send = |text: &str| sent(server.address, &posted(text));
    let begun = Instant::now();
    let answer = kind_of(&send(&start.text));
    let after = begun.elapsed().saturating_sub(start.clock);
    let id = &start.id;
    let is_left = answer == "ready" && rng.random_bool(0.05);
    {
        let figures = &mut *attack.lock().unwrap();
        figures.latest = figures.latest.max((after, start.kind));
        *figures.answers.entry((start.kind, answer.clone())).or_default() += 1;
        figures.left.extend(is_left.then(|| id.clone()));
    }
    if answer != "ready" || is_left {
        return;
    }
    for step in 0..rng.random_range(0..4) {
        let told = ["NIL NIL", "A (C )", "noop ()", "(mark 1 1) ((x y) z)"].choose(rng).unwrap();
        let reply = send(&format!("(PLAY {id} {step} {told})"));
        assert!(is_term_or_refused(&reply), "{id}: {step} {told}: {reply}");
    }
    let end = if rng.random_bool(0.1) { format!("(STOP {id} 4 A ())") } else { format!("(ABORT {id})") };
    send(&end);
}

/// Whether a reply is one term, or a refusal.
fn is_term_or_refused(reply: &str) -> bool {
    let body = reply.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    !reply.starts_with("HTTP/1.0 200") || read_term(body).is_ok()
}

/// The figures of the good matches.
#[derive(Default, Debug)]
struct Good {
    matches: usize,
    answers: usize,
    longest: Duration,
    late: usize,
    wrong: Vec<String>,
    /// The names of the matches with the role that the server plays, and how many answers each has asked for.
    lengths: Vec<(String, &'static str, usize)>,
    /// How often a good START was told that the server is busy.
    busy: usize,
}

/// What an answer has said, or why there is none.
fn said(server: &ServedPlayer, text: &str) -> Result<String, String> {
    let reply = server.exchange(&posted(text), Duration::from_secs(60)).map_err(|error| error.to_string())?;
    let body = reply.strip_prefix("HTTP/1.0 200 OK").and_then(|reply| reply.split_once("\r\n\r\n"));
    body.map(|(_, body)| body.to_owned()).ok_or(reply)
}

/// Plays a good match as the game master, against opponents at random.
fn good_match(
    server: &ServedPlayer,
    id: &str,
    (game, role): (&str, &'static str),
    figures: &mut Good,
    rng: &mut ChaCha8Rng,
) {
    let path = format!("{}/games/imperfect/{game}.kif", env!("CARGO_MANIFEST_DIR"));
    let game = load(Source::new(game, std::fs::read_to_string(path).unwrap()), None).game.unwrap();
    let engine: Arc<Engine> = Engines::new(&game).get(EngineKind::Interpreter).unwrap();
    let own = engine.role_named(role).unwrap();
    let begin = format!("(START {id} {role} ({}) 5 {})", game_line(&game), CLOCK.as_secs());
    loop {
        match said(server, &begin).as_deref() {
            Ok("ready") => break,
            Ok("busy") => figures.busy += 1,
            other => return figures.wrong.push(format!("{id}: START: {other:?}")),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let (scratch, mut state, mut step) = (&mut engine.scratch(), engine.initial(), 0);
    let mut told = "NIL NIL".to_owned();
    while !engine.terminal(&state, scratch) {
        let begun = Instant::now();
        let answer = said(server, &format!("(PLAY {id} {step} {told})"));
        let took = begun.elapsed();
        (figures.answers, figures.longest) = (figures.answers + 1, figures.longest.max(took));
        figures.late += usize::from(took > CLOCK);
        let legal = engine.legal_by_role(&state, scratch);
        let answered = answer.as_ref().ok().and_then(|answer| {
            legal[own].iter().copied().find(|&choice| engine.show_move(choice) == *answer)
        });
        if answered.is_none() {
            figures.wrong.push(format!("{id}: step {step}: {answer:?}"));
        }
        let moves: Vec<_> = legal
            .iter()
            .map(|(of, legal)| answered.filter(|_| of == own).unwrap_or_else(|| *legal.choose(rng).unwrap()))
            .collect();
        let joint = JointMove::new(moves);
        let seen = engine.percepts(&state, &joint, own, scratch);
        let seen: Vec<String> = seen.iter().map(|seen| engine.terms().show(seen.0)).collect();
        told = format!("{} ({})", engine.show_move(joint.of(own)), seen.join(" "));
        (state, step) = (engine.next(&state, &joint, scratch), step + 1);
    }
    let answer = said(server, &format!("(STOP {id} {step} {told})"));
    if answer.as_deref() != Ok("done") {
        figures.wrong.push(format!("{id}: STOP: {answer:?}"));
    }
    figures.lengths.push((id.to_owned(), role, step));
    figures.matches += 1;
}

/// Memory in MiB and threads of the server, where the system tells them.
fn footprint(server: &ServedPlayer) -> Option<(u64, u64)> {
    Some((server.status("VmRSS")? / 1024, server.status("Threads")?))
}

fn shown(footprint: Option<(u64, u64)>) -> String {
    footprint.map_or("unknown".to_owned(), |(memory, threads)| format!("{memory} MiB, {threads} threads"))
}

/// Whether a line of the log is of this match with the role that the server plays there. A hostile START may take the name of a good
/// match that has ended, but never with its role.
fn is_of(line: &str, id: &str, role: &str) -> bool {
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    let named =
        |key: &str| line.pointer(&format!("/fields/{key}")).or_else(|| line.pointer(&format!("/span/{key}")));
    let is = |key: &str, value: &str| {
        named(key).and_then(|named| named.as_str()).is_some_and(|named| named == value)
    };
    is("id", id) && is("role", role)
}

/// How many good matches gave way: all of them, and those that had not given their last answer.
fn gave_way(log: &str, good: &Good) -> (usize, usize) {
    let (mut all, mut live) = (0, 0);
    for (place, line) in log.lines().enumerate().filter(|(_, line)| line.contains(GIVES_WAY)) {
        let of = good.lengths.iter().find(|(id, role, _)| is_of(line, id, role));
        let Some((id, role, length)) = of else { continue };
        let before = log.lines().take(place).filter(|line| line.contains("\"message\":\"answered\""));
        (all, live) =
            (all + 1, live + usize::from(before.filter(|line| is_of(line, id, role)).count() < *length));
    }
    (all, live)
}

/// What only a quiet machine, or a long wait, shows.
#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    /// The answers of good matches that were late.
    late: usize,
    /// The threads that the server has more than before.
    threads_left: u64,
    /// Whether it keeps more memory than before by [`KEPT`] MiB.
    keeps_memory: bool,
}

/// The MiB that a server may keep when all matches are over.
const KEPT: u64 = 256;

/// Sends all of it.
fn storm(amount: &Amount) -> Outcome {
    let (seed, sheets) =
        (Seed::root(property::seed()), sheets(&["perfect", "imperfect", "broken", "repaired"]));
    let places = MASTERS + 2;
    let server =
        ServedPlayer::new(&format!("--matches {places} --memory 256 --stale 1 --log info --log-format json"));
    let mut good = Good::default();
    good_match(&server, "good", GOOD[1], &mut good, &mut seed.child("good").rng());
    let before = footprint(&server);
    let (next, is_over, figures) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::<Attack>::default());
    let (begun, playing) = (Instant::now(), Mutex::new((String::new(), "")));
    let mut failed = 0;
    std::thread::scope(|scope| {
        let masters: Vec<_> = (0..MASTERS)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        if place >= amount.starts {
                            break;
                        }
                        let due = begun + amount.over.mul_f64(place as f64 / amount.starts as f64);
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        let rng = &mut seed.child("start").index(place).rng();
                        let (id, own) = playing.lock().unwrap().clone();
                        let start = start(place, &sheets, amount.huge, (&id, own), rng);
                        attack(&server, &start, rng, &figures);
                        if place % 500 == 499 {
                            println!("{}: {:?}, {}", place + 1, begun.elapsed(), shown(footprint(&server)));
                        }
                    }
                })
            })
            .collect();
        let (server, good, seed, is_over, playing) = (&server, &mut good, &seed, &is_over, &playing);
        scope.spawn(move || {
            let rng = &mut seed.child("good").child("beside").rng();
            while !is_over.load(Ordering::Relaxed) && good.wrong.is_empty() {
                let (id, game) = (format!("good{}", good.matches), GOOD[good.matches % GOOD.len()]);
                *playing.lock().unwrap() = (id.clone(), game.1);
                good_match(server, &id, game, good, rng);
            }
        });
        // The good matches end whatever happened to the others.
        failed = masters.into_iter().filter_map(|master| master.join().err()).count();
        is_over.store(true, Ordering::Relaxed);
    });
    let figures = figures.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{} STARTs in {:?}", amount.starts, begun.elapsed());
    for ((kind, answer), count) in &figures.answers {
        println!("{kind:>10}: {answer:<16} {count}");
    }
    println!(
        "the latest answer to a START of {} came {:?} after its start clock",
        figures.latest.1, figures.latest.0
    );
    for id in &figures.left {
        sent(server.address, &posted(&format!("(ABORT {id})")));
    }
    // Threads for the network end when they have been idle for ten seconds, and a grounding ends when it is done: that of the
    // largest rules takes more than a minute on a busy machine.
    let (memory, most_threads) = before.unwrap_or_default();
    let waited = Instant::now();
    while footprint(&server).is_some_and(|(_, threads)| threads > most_threads)
        && waited.elapsed() < amount.settling
    {
        std::thread::sleep(Duration::from_millis(200));
    }
    let (after, most) = (footprint(&server), server.status("VmHWM").map(|most| most / 1024));
    println!(
        "before: {}; after: {} (waited for {:?}); at most {most:?} MiB",
        shown(before),
        shown(after),
        waited.elapsed()
    );
    let log = server.stop().read("log.txt");
    let (over, evicted) = gave_way(&log, &good);
    println!(
        "{} good matches, {} answers, the longest {:?}; {} late, {} wrong or lost, {evicted} evicted, {over} gave way; {} STARTs \
         of good matches were told busy; {} hostile matches gave way",
        good.matches,
        good.answers,
        good.longest,
        good.late,
        good.wrong.len(),
        good.busy,
        log.lines().filter(|line| line.contains(GIVES_WAY)).count() - over
    );
    assert_eq!(failed, 0, "game masters that were answered wrongly");
    assert!(!log.contains("panicked"), "{:?}", log.lines().find(|line| line.contains("panicked")));
    assert!(good.wrong.is_empty() && evicted == 0 && good.matches > 1, "{good:?}");
    assert!(most.is_none_or(|most| most <= BOUND), "{most:?} MiB");
    assert!(figures.answers.keys().any(|(_, answer)| answer == "ready"));
    Outcome {
        late: good.late,
        threads_left: after.map_or(0, |(_, threads)| threads.saturating_sub(most_threads)),
        keeps_memory: after.is_some_and(|(left, _)| left > memory + KEPT),
    }
}

#[test]
fn sixty_hostile_starts_do_no_harm_to_good_matches() {
    let (over, settling) = (Duration::from_secs(5), Duration::from_secs(2));
    storm(&Amount { starts: 60, over, huge: 1 << 18, settling });
}

#[test]
#[ignore = "takes half an hour on a quiet machine"]
fn ten_thousand_hostile_starts_in_an_hour_do_no_harm_to_good_matches() {
    let (over, settling) = (Duration::from_secs(1800), Duration::from_secs(400));
    let outcome = storm(&Amount { starts: 10_000, over, huge: 16 << 20, settling });
    assert_eq!(outcome, Outcome { late: 0, threads_left: 0, keeps_memory: false });
}
