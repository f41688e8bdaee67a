//! Matches of a player server without a network: message in, answer out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{PlayerServer, Refusal, ServeOptions};
use hyperplay_engine::EngineKind;
use hyperplay_machine::{Budget, Evidence, Seed};
use hyperplay_play::player::{Decision, Player, Registry, Seat, SpecEntry, View};

/// A server that plays by this spec, with `matches` matches at a time.
fn server(player: &str, matches: usize) -> PlayerServer {
    PlayerServer::new(options(player, matches)).unwrap()
}

fn options(player: &str, matches: usize) -> ServeOptions {
    ServeOptions {
        name: "test".to_owned(),
        registry: registry(&Arc::default()),
        player: player.to_owned(),
        engine: EngineKind::Auto,
        matches,
        margin: Duration::from_millis(100),
        stale: Duration::from_secs(60),
        seed: 1,
        record: None,
        memory: 1 << 30,
        thinks_ahead: true,
    }
}

/// A gate at which players sleep while a test holds it, and how many have come to it.
#[derive(Default)]
struct Gate {
    closed: Mutex<()>,
    came: AtomicUsize,
}

impl Gate {
    /// A server whose players sleep at this gate, with `matches` matches at a time.
    fn server(self: &Arc<Gate>, matches: usize) -> Arc<PlayerServer> {
        let options = ServeOptions { registry: registry(self), ..options("sleeper", matches) };
        Arc::new(PlayerServer::new(options).unwrap())
    }

    /// Waits until `came` have come.
    fn until(&self, came: usize) {
        while self.came.load(Ordering::SeqCst) < came {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Answers when a gate is opened, or at once, or panics.
struct Odd(&'static str, Arc<Gate>);

impl Player for Odd {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        match self.0 {
            "sleeper" => {
                self.1.came.fetch_add(1, Ordering::SeqCst);
                drop(self.1.closed.lock());
            }
            "panicking" => panic!("as it must"),
            _ => {}
        }
        Decision::draw(vec![(*view.legal.last().unwrap(), 1.0)], seed)
    }

    fn think_ahead(&mut self, _: &Evidence, _: &Budget, _: &Seed) -> bool {
        self.0 == "eager"
    }
}

fn registry(gate: &Arc<Gate>) -> Registry {
    let mut registry = Registry::standard();
    for name in ["sleeper", "panicking", "last", "eager"] {
        let entry = SpecEntry::new(name, "This player is for tests.");
        let gate = Arc::clone(gate);
        let odd = move |_: &_, _: &_| {
            let gate = Arc::clone(&gate);
            Ok(move |_: &_, _| Seat::player(Odd(name, Arc::clone(&gate))))
        };
        registry = registry.with_player(entry, odd).unwrap();
    }
    registry
}

/// Says something and waits for the answer.
fn say(server: &PlayerServer, text: &str) -> Result<String, Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(server.answer(text, Instant::now()))
}

fn said(server: &PlayerServer, text: &str) -> String {
    say(server, text).unwrap()
}

const GAME: &str = "(ROLE Me) (ROLE RANDOM) (INIT (Step 1)) (LEGAL Me (Go Left)) (LEGAL Me (Go Right))
    (LEGAL RANDOM heads) (LEGAL RANDOM tails) (<= (SEES Me (Fell ?s)) (DOES RANDOM ?s)) (<= (SEES Me ?m) (DOES Me ?m))
    (<= (NEXT (Step ?n)) (TRUE (Step ?m)) (Succ ?m ?n)) (Succ 1 2) (Succ 2 3) (Succ 3 4) (<= TERMINAL (TRUE (Step 4)))
    (GOAL Me 50) (GOAL RANDOM 0)";

fn start(id: &str) -> String {
    format!("(START {id} ME ({GAME}) 1 1)")
}

/// A match in which a player that waits for the end of a play clock waits for hours.
fn start_without_haste(id: &str) -> String {
    format!("(START {id} ME ({GAME}) 1 9999)")
}

#[test]
fn a_match_is_played_in_the_spelling_of_its_rules() {
    let server = server("last", 1);
    assert_eq!(said(&server, "(info)"), "((name test) (status available))");
    assert_eq!(said(&server, &format!("(PREVIEW ({GAME}) 1)")), "ready");
    assert_eq!(said(&server, &start("m")), "ready");
    assert_eq!(said(&server, "(INFO)"), "((name test) (status busy))");
    assert_eq!(said(&server, "(PLAY m 0 NIL NIL)"), "(Go Right)");
    assert_eq!(said(&server, "(PLAY m 1 (GO RIGHT) ((GO RIGHT) (FELL HEADS) ))"), "(Go Right)");
    // The recorded move is another one than ours: it holds.
    assert_eq!(said(&server, "(PLAY m 2 (GO LEFT) ((FELL TAILS) (GO LEFT) ))"), "(Go Right)");
    assert_eq!(said(&server, "(STOP m 3 (GO RIGHT) ((FELL TAILS) (GO RIGHT) ))"), "done");
    assert_eq!(said(&server, "(STOP m 3 (GO RIGHT) ((FELL TAILS) (GO RIGHT) ))"), "done", "it is repeated");
    assert_eq!(said(&server, "(PLAY m 3 (GO RIGHT) ())"), "busy");
    assert_eq!(said(&server, "(PLAY other 0 NIL NIL)"), "busy");
    assert_eq!(said(&server, "(INFO)"), "((name test) (status available))");
}

#[test]
fn a_message_that_cannot_be_read_is_refused_and_the_match_goes_on() {
    let server = server("last", 1);
    said(&server, &start("m"));
    for text in ["", "(", "(PLAY)", "hello", "(JUMP m)", "(START m)", "(PLAY m 0 NIL NIL"] {
        assert!(matches!(say(&server, text), Err(Refusal::Unreadable(_))), "{text}");
    }
    assert_eq!(said(&server, "(PLAY m 0 NIL NIL)"), "(Go Right)");
}

#[test]
fn a_late_player_is_replaced_in_time_and_its_late_thought_is_not_the_next_answer() {
    let gate = Arc::new(Gate::default());
    let (server, _closed) = (gate.server(1), gate.closed.lock());
    said(&server, &start("m"));
    for text in ["(PLAY m 0 NIL NIL)", "(PLAY m 1 (GO LEFT) ((GO LEFT) (FELL HEADS) ))"] {
        let answer = said(&server, text);
        assert!(answer == "(Go Left)" || answer == "(Go Right)", "{answer}");
    }
    assert_eq!(said(&server, "(STOP m 2 (GO LEFT) ())"), "done");
}

#[test]
fn a_player_that_panics_is_replaced() {
    let server = server("panicking", 1);
    // Nobody waits for a player that has ended.
    said(&server, &start_without_haste("m"));
    for text in ["(PLAY m 0 NIL NIL)", "(PLAY m 1 (GO LEFT) ((GO LEFT) (FELL HEADS) ))"] {
        assert!(said(&server, text).starts_with("(Go "));
    }
}

#[test]
fn a_player_that_thinks_ahead_answers_soon() {
    let server = server("eager", 1);
    said(&server, &start_without_haste("m"));
    assert_eq!(said(&server, "(PLAY m 0 NIL NIL)"), "(Go Right)");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(said(&server, "(PLAY m 1 (GO RIGHT) ((GO RIGHT) (FELL HEADS) ))"), "(Go Right)");
}

#[test]
fn a_match_is_aborted_in_the_middle_of_a_thought_and_makes_room() {
    let gate = Arc::new(Gate::default());
    let (server, _closed) = (gate.server(1), gate.closed.lock());
    said(&server, &start_without_haste("m"));
    assert_eq!(said(&server, &start("n")), "busy");
    let asked = Arc::clone(&server);
    let thinking = std::thread::spawn(move || said(&asked, "(PLAY m 0 NIL NIL)"));
    gate.until(1);
    assert_eq!(said(&server, "(ABORT m)"), "aborted");
    assert_eq!(said(&server, "(ABORT m)"), "aborted", "it is repeated");
    assert_eq!(said(&server, "(ABORT other)"), "busy");
    assert_eq!(said(&server, &start("n")), "ready");
    assert!(thinking.join().unwrap().starts_with("(Go "), "whoever still waits gets an answer");
}

#[test]
fn two_matches_run_side_by_side_and_a_third_is_refused() {
    let server = server("last", 2);
    assert_eq!(said(&server, &start("a")), "ready");
    assert_eq!(said(&server, &start("b")), "ready");
    assert_eq!(said(&server, &start("c")), "busy");
    assert_eq!(said(&server, "(PLAY a 0 NIL NIL)"), "(Go Right)");
    assert_eq!(said(&server, "(PLAY b 0 NIL NIL)"), "(Go Right)");
    // The same game master begins anew.
    assert_eq!(said(&server, &start("a")), "ready");
    assert_eq!(said(&server, "(PLAY a 0 NIL NIL)"), "(Go Right)");
    server.close();
    assert_eq!(server.matches(), 0);
}

/// PLAY names no role: the server could not tell which of the two is asked.
#[test]
fn a_second_role_of_a_match_is_refused_and_the_first_goes_on() {
    let server = server("last", 4);
    assert_eq!(said(&server, &start("m")), "ready");
    let of_other = start("m").replace(" ME ", " RANDOM ");
    assert_eq!(said(&server, &of_other), "busy");
    assert_eq!((said(&server, "(PLAY m 0 NIL NIL)").as_str(), server.matches()), ("(Go Right)", 1));
    assert_eq!(said(&server, &of_other), "busy");
    // The same role begins anew, in whatever case it is written.
    assert_eq!(said(&server, &start("m").replace(" ME ", " me ")), "ready");
    assert_eq!((said(&server, "(PLAY m 0 NIL NIL)").as_str(), server.matches()), ("(Go Right)", 1));
}

#[test]
fn a_match_whose_master_falls_silent_expires() {
    let server = PlayerServer::new(ServeOptions { stale: Duration::ZERO, ..options("last", 1) }).unwrap();
    assert_eq!(said(&server, &start("m")), "ready");
    assert_eq!(said(&server, &start("n")), "busy", "it was never asked: four seconds");
    assert_eq!(said(&server, "(INFO)"), "((name test) (status busy))");
    while said(&server, "(INFO)").contains("busy") {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.matches(), 1, "nothing ends as long as nobody needs the place");
    assert_eq!(said(&server, &start("n")), "ready");
    // Its game master asks all the same. What it says now is followed, and what it says later too.
    for (text, made) in [("(PLAY m 0 NIL NIL)", 1), ("(PLAY m 1 (GO LEFT) ((FELL HEADS) (GO LEFT)))", 1)] {
        assert!(said(&server, text).starts_with("(Go "), "{text}");
        assert_eq!(server.matches(), made);
    }
    assert_eq!(said(&server, "(PLAY n 0 NIL NIL)"), "(Go Right)");
    assert_eq!(said(&server, "(STOP m 2 (GO LEFT) ((FELL HEADS) (GO LEFT)))"), "done");
}

/// One step, and the match is over whatever the other role does.
const SHORT: &str =
    "((role x) (role random) (init (step 0)) (legal x (go 1)) (legal random a) (legal random b)
    (<= (next (step 1)) (true (step 0))) (<= terminal (true (step 1))) (goal x 100) (goal random 0))";

#[test]
fn a_match_that_is_over_for_certain_gives_way_at_once_and_a_live_one_never() {
    let server = server("last", 1);
    let start_short = |id: &str| said(&server, &format!("(START {id} x {SHORT} 20 20)"));
    for id in ["a", "b", "c", "d"] {
        assert_eq!(start_short(id), "ready", "{id}");
        assert_eq!(start_short("hostile"), "busy", "nobody has been asked");
        assert_eq!(said(&server, "(INFO)"), "((name test) (status busy))");
        assert_eq!(said(&server, &format!("(PLAY {id} 0 NIL NIL)")), "(go 1)");
        assert_eq!(said(&server, "(INFO)"), "((name test) (status available))");
    }
    // The last two keep all that they know; of the one before them the last answer is known.
    for id in ["a", "b", "c"] {
        assert_eq!(said(&server, &format!("(PLAY {id} 0 NIL NIL)")), "(go 1)", "{id}");
    }
    assert_eq!(said(&server, &start_without_haste("m")), "ready");
    for text in ["(PLAY m 0 NIL NIL)", "(PLAY m 1 (GO RIGHT) ((GO RIGHT) (FELL HEADS) ))"] {
        assert_eq!(said(&server, text), "(Go Right)");
        (0..20).for_each(|_| assert_eq!(start_short("hostile"), "busy"));
    }
    // The third step is the last one.
    assert_eq!(said(&server, "(PLAY m 2 (GO LEFT) ((FELL TAILS) (GO LEFT) ))"), "(Go Right)");
    assert_eq!(start_short("e"), "ready");
}

#[test]
fn a_thought_ends_with_its_match() {
    let server = Arc::new(server("hyperplay:search=uct,playouts=1000000000", 1));
    let mut longest = Duration::ZERO;
    for round in 0..12 {
        let id = format!("m{round}");
        let begun = Instant::now();
        // While the threads of too many matches work, the answer is `busy`.
        while said(&server, &start_without_haste(&id)) == "busy" {
            assert!(begun.elapsed() < Duration::from_secs(60), "the players of aborted matches still think");
            std::thread::sleep(Duration::from_millis(1));
        }
        let (asked, text) = (Arc::clone(&server), format!("(PLAY {id} 0 NIL NIL)"));
        let thinking = std::thread::spawn(move || said(&asked, &text));
        std::thread::sleep(Duration::from_millis(50));
        let begun = Instant::now();
        said(&server, &format!("(ABORT {id})"));
        while server.at_work() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "a thread works for a match that is over");
            std::thread::sleep(Duration::from_millis(1));
        }
        longest = longest.max(begun.elapsed());
        assert!(thinking.join().unwrap().starts_with("(Go "));
    }
    println!("from ABORT to idle threads: {longest:?} at most");
}

#[test]
fn a_message_that_did_not_come_leaves_a_hole_and_a_legal_move() {
    let server = server("last", 1);
    said(&server, &start("m"));
    assert_eq!(said(&server, "(PLAY m 0 NIL NIL)"), "(Go Right)");
    let answer = said(&server, "(PLAY m 2 (GO LEFT) ((FELL HEADS) (GO LEFT)))");
    assert!(answer.starts_with("(Go "), "{answer}");
    // The question of a step again has the same answer again.
    assert_eq!(said(&server, "(PLAY m 2 (GO LEFT) ((FELL HEADS) (GO LEFT)))"), answer);
}

#[test]
fn rules_with_errors_and_no_rules_at_all_still_get_moves() {
    let server = server("hyperplay:particles=4,playouts=20", 8);
    let unsafe_rules = format!("{GAME} (<= (NEXT (At ?x)) (DOES Me (Go Left)))");
    assert_eq!(said(&server, &format!("(START a ME ({unsafe_rules}) 1 1)")), "ready");
    assert!(said(&server, "(PLAY a 0 NIL NIL)").starts_with("(Go "));
    assert_eq!(said(&server, "(START b ME ((nothing here)) 1 1)"), "ready");
    assert_eq!(said(&server, "(PLAY b 0 NIL NIL)"), "noop");
    assert_eq!(
        said(&server, "(START c STRANGER ((ROLE ME) (LEGAL ME (JUMP 1)) (LEGAL STRANGER UP)) 1 1)"),
        "ready"
    );
    assert_eq!(said(&server, "(PLAY c 0 NIL NIL)"), "UP");
    // A game without an end, whose playouts never end.
    let endless = "(ROLE ME) (INIT A) (LEGAL ME X) (LEGAL ME Y) (<= (NEXT A) (TRUE A)) (<= TERMINAL (TRUE B)) (GOAL ME 0)";
    assert_eq!(said(&server, &format!("(START d ME ({endless}) 1 1)")), "ready");
    let answer = said(&server, "(PLAY d NIL)");
    assert!(answer == "X" || answer == "Y", "{answer}");
}

#[test]
fn in_2011_a_replaced_move_is_found_out() {
    // The state remembers which way was gone, and the next legal moves depend on it.
    let rules = "(role me) (role random) (init start) (<= (legal me (go ?w)) (true start) (way ?w)) (way left) (way right)
        (<= (legal me (stay ?w)) (true (went ?w))) (legal random heads) (legal random tails)
        (<= (next (went ?w)) (does me (go ?w))) (<= (next over) (does me (stay ?w)))
        (<= (sees me ?w) (does me (go ?w))) (<= (sees me fell) (does random heads))
        (<= terminal (true over)) (goal me 1) (goal random 0)";
    let server = server("last", 1);
    said(&server, &format!("(START m me ({rules}) 1 1)"));
    assert_eq!(said(&server, "(PLAY m NIL)"), "(go right)");
    // The master has made another move of it, and says so only by the percepts.
    assert_eq!(said(&server, "(PLAY m (left))"), "(stay left)");
}

#[test]
fn matches_whose_threads_still_work_leave_no_room_for_more_than_a_few() {
    let gate = Arc::new(Gate::default());
    let (server, closed) = (gate.server(1), gate.closed.lock());
    let mut answers = Vec::new();
    for round in 0..8 {
        let id = format!("m{round}");
        answers.push(said(&server, &start_without_haste(&id)));
        if answers[round] == "ready" {
            let asked = Arc::clone(&server);
            let text = format!("(PLAY {id} 0 NIL NIL)");
            std::thread::spawn(move || said(&asked, &text));
            gate.until(round + 1);
            said(&server, &format!("(ABORT {id})"));
        }
    }
    // The players of five matches sleep; when they wake up, there is room again.
    assert_eq!(answers, ["ready", "ready", "ready", "ready", "ready", "busy", "busy", "busy"]);
    drop(closed);
    while said(&server, &start("n")) != "ready" {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Rules of a match that lasts five steps.
const FIVE_STEPS: &str =
    "(role x) (role o) (init (step 0)) (legal o noop) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (succ 4 5) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 5))) (goal o 0)";

/// Starts a match with these rules and five steps, says these messages, and returns the answers.
fn answers(rules: &str, messages: &[&str]) -> Vec<String> {
    let server = server("legal", 1);
    assert_eq!(said(&server, &format!("(START m x ({FIVE_STEPS} {rules}) 20 20)")), "ready");
    messages.iter().map(|message| said(&server, message)).collect()
}

#[test]
fn a_lost_answer_that_changes_no_percept_does_not_stop_the_steps() {
    let rules = "(<= (legal x (go 2)) (true (step 0))) (<= (legal x (go 1)) (true (step 1)))
        (<= (legal x (go 2)) (true (step 1))) (<= (legal x (go 3)) (true (step 2))) (<= (legal x (go 4)) (true (step 3)))
        (<= (legal x (go 5)) (true (step 4))) (<= (next won) (does x (go 1))) (<= (next won) (true won))
        (<= (sees x ping) (does x (go 1))) (<= (goal x 100) (true won)) (<= (goal x 0) (not (true won)))";
    let nothing = "(PLAY m ())";
    let answers = answers(rules, &["(PLAY m NIL)", nothing, nothing, nothing, nothing]);
    // The answer (go 1) got lost; the game master plays (go 2) and does not say so.
    assert_eq!(answers, ["(go 2)", "(go 1)", "(go 3)", "(go 4)", "(go 5)"]);
}

#[test]
fn a_belief_that_was_wrong_finds_the_history_that_explains_all() {
    let rules = "(init (at s)) (<= (legal x (go ?t)) (true (at ?f)) (edge ?f ?t)) (edge s a) (edge s b) (edge a c)
        (edge b d) (edge c e) (edge c e2) (edge d f) (edge f f) (edge e e) (edge e2 e) (<= (next (at ?t)) (does x (go ?t)))
        (<= (sees x (tick ?m)) (true (step ?n)) (succ ?n ?m)) (<= (sees x (was d)) (does x (go d)))
        (<= (sees x (was c)) (does x (go c))) (<= (goal x 100) (true (at e))) (<= (goal x 0) (not (true (at e))))";
    let answers = answers(
        rules,
        &["(PLAY m NIL)", "(PLAY m ((TICK 1)))", "(PLAY m ((TICK 2) (WAS D)))", "(PLAY m ((TICK 3)))"],
    );
    // (go a) is lost and (go b) stands in; so (go c) is illegal and (go d) stands in.
    assert_eq!(answers, ["(go a)", "(go c)", "(go f)", "(go f)"]);
}

#[test]
fn a_game_of_gdl_1_of_which_nothing_is_told_is_played_by_the_own_moves() {
    let rules = "(init (turn x)) (<= (legal x (go ?n)) (true (turn x)) (num ?n)) (<= (legal x noop) (true (turn o)))
        (num 1) (num 2) (<= (next (turn x)) (true (turn o))) (<= (next (turn o)) (true (turn x))) (goal x 50)";
    for nothing in ["(PLAY m ())", "(PLAY m STEP NOOP ())"] {
        let messages: Vec<String> = (0..5).map(|step| nothing.replace("STEP", &step.to_string())).collect();
        let first = if nothing.contains("STEP") { "(PLAY m 0 NIL NIL)" } else { "(PLAY m NIL)" };
        let mut messages: Vec<&str> = messages.iter().map(String::as_str).collect();
        messages[0] = first;
        if nothing.contains("STEP") {
            messages[1] = "(PLAY m 1 (GO 1) ())";
            messages[3] = "(PLAY m 3 (GO 1) ())";
        }
        assert_eq!(answers(rules, &messages), ["(go 1)", "noop", "(go 1)", "noop", "(go 1)"], "{first}");
    }
}

/// In each step another move is legal, and its number is seen.
const TOLD_STEPS: &str =
    "(<= (legal x (go ?n)) (true (step ?n))) (<= (sees x (tick ?n)) (true (step ?n))) (goal x 50)";

#[test]
fn a_message_of_2011_that_comes_twice_is_answered_twice_where_no_history_explains_a_further_step() {
    let one = "(PLAY m ((TICK 0)))";
    let answers = answers(TOLD_STEPS, &["(PLAY m NIL)", one, one, one, "(PLAY m ((TICK 1)))"]);
    assert_eq!(answers, ["(go 0)", "(go 1)", "(go 1)", "(go 1)", "(go 2)"]);
}

#[test]
fn where_nothing_is_explained_by_the_rules_equal_messages_are_further_steps() {
    let odd = "(PLAY m ((TICK 4)))";
    let answers = answers(TOLD_STEPS, &["(PLAY m NIL)", odd, odd, odd]);
    assert_eq!(answers, ["(go 0)", "(go 1)", "(go 2)", "(go 3)"]);
}
