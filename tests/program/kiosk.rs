//! The table in the browser, by what its page asks: matches of a robot, beliefs against an exact posterior, and what a seat is told.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead as _;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::exact_posterior::ExactPosterior;
use super::kiosk_client::ServedKiosk;
use crate::common::program::run;

/// A program that decides within some milliseconds.
const QUICK: &str = "hyperplay:particles=50,playouts=100";

/// Plays matches of these games: a robot in one seat, programs in the others. Each ends without a fault, and its transcript agrees with the rules.
fn played_by_a_robot(wanted: impl Fn(&str) -> bool, matches: u64) {
    let kiosk = ServedKiosk::new("--record records");
    let lobby = kiosk.get("/api/lobby");
    let mut count = 0;
    for game in lobby["games"].as_array().unwrap() {
        let name = game["name"].as_str().unwrap();
        if !wanted(name) {
            continue;
        }
        let roles: Vec<&str> =
            game["roles"].as_array().unwrap().iter().map(|role| role.as_str().unwrap()).collect();
        for number in 0..matches {
            let person = number as usize % roles.len();
            let seats: BTreeMap<&str, &str> = roles
                .iter()
                .enumerate()
                .map(|(at, &role)| (role, if at == person { "person" } else { QUICK }))
                .collect();
            let table = kiosk.lay(&json!({ "game": name, "seats": seats, "seed": number }));
            let mut rng = ChaCha8Rng::seed_from_u64(number);
            let last = table.play(&mut rng, |_| ());
            assert_eq!(last["result"]["outcome"], "over", "{name}: {}", last["result"]);
            let notes = last["past"].as_array().unwrap().iter().filter(|step| !step["note"].is_null());
            assert_eq!(notes.count(), 0, "{name}: {}", last["past"]);
            // Afterwards the truth is there, and what the programs thought.
            let (_, token) = &table.tokens[0];
            let review = kiosk.get(&format!("/api/tables/{}/review?token={token}&step=0&as=truth", table.id));
            assert_eq!(review["review"]["steps"], last["step"], "{name}");
            assert!(review["picture"].is_object(), "{name}");
            count += 1;
        }
    }
    let folder = kiosk.stop();
    let records = folder.read("records/matches.jsonl");
    assert_eq!(records.lines().count(), count);
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["steps"].as_array().unwrap().iter().all(|step| step["faults"].is_null()), "{line}");
    }
    run(&mut folder.program("verify records/matches.jsonl"), 0);
    println!("{count} matches");
}

#[test]
fn a_robot_plays_by_what_the_page_asks() {
    let quick = [
        "kuhn_poker",
        "leduc_poker",
        "krieg_tictactoe_3x3",
        "connect_four",
        "monty_hall",
        "battleships_small",
    ];
    played_by_a_robot(|name| quick.contains(&name), 2);
}

#[test]
#[ignore = "takes minutes"]
fn a_robot_plays_ten_matches_of_every_game() {
    // Interactions in SIDL run in real time, with switches: the browser script plays them.
    played_by_a_robot(|name| !name.ends_with(".sidl"), 10);
}

#[test]
fn the_belief_beside_a_person_is_the_exact_posterior() {
    let kiosk = ServedKiosk::new("");
    for name in ["kuhn_poker", "leduc_poker", "krieg_tictactoe_3x3", "liars_dice_1x3", "dark_hex_2x2"] {
        let mut compared = 0;
        for seed in 0..40 {
            if compared >= 10 {
                break;
            }
            let table = kiosk.lay(&json!({ "game": name, "seats": {}, "seed": seed }));
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            table.play(&mut rng, |scene| {
                let belief = &scene["belief"];
                if scene["phase"] != "play" || scene["legal"] == json!([]) || belief["source"] != "enumerated"
                {
                    return;
                }
                let exact = ExactPosterior::of(name, scene["sees"].as_str().unwrap(), &scene["past"]);
                let mut told: BTreeMap<String, f64> = BTreeMap::new();
                for fact in belief["facts"].as_array().unwrap() {
                    told.insert(
                        fact["fact"].as_str().unwrap().to_owned(),
                        fact["probability"].as_f64().unwrap(),
                    );
                }
                let open: BTreeMap<String, f64> = exact
                    .facts
                    .iter()
                    .filter(|(_, share)| **share < 1.0 - 1e-9)
                    .map(|(fact, share)| (fact.clone(), *share))
                    .collect();
                assert!(told.keys().eq(open.keys()), "{name}: {told:?} {open:?}");
                for (fact, share) in &open {
                    assert!((told[fact] - share).abs() < 1e-9, "{name}: {fact}: {} {share}", told[fact]);
                }
                assert_eq!(belief["states"].as_u64().unwrap() as usize, exact.states, "{name}");
                compared += 1;
            });
        }
        assert!(compared >= 10, "{name}: {compared}");
    }
    kiosk.stop();
}

/// What is sent to a seat, without the name of its table, the time and the number of the message.
fn sent(scene: &Value) -> String {
    let mut scene = scene.clone();
    let object = scene.as_object_mut().unwrap();
    for key in ["table", "version", "clock"] {
        object.remove(key);
    }
    scene.to_string()
}

/// Plays matches with robots in all seats. Whatever is sent to a role that knows the same is the same, whatever the others do and have.
fn nothing_is_told_that_a_role_does_not_know(wanted: impl Fn(&str) -> bool, matches: u64) -> usize {
    let kiosk = ServedKiosk::new("");
    let lobby = kiosk.get("/api/lobby");
    let mut all_pairs = 0;
    for game in lobby["games"].as_array().unwrap().iter().filter(|game| game["hidden"] == true) {
        let name = game["name"].as_str().unwrap();
        if !wanted(name) {
            continue;
        }
        // By role and what it knows: what was sent, and the histories in which it was.
        let mut by_evidence: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
        for seed in 0..matches {
            let table = kiosk.lay(&json!({ "game": name, "seats": {}, "seed": seed }));
            let mut scenes: Vec<Value> = Vec::new();
            let mut rng = ChaCha8Rng::seed_from_u64(seed % 5);
            let last = table.play(&mut rng, |scene| scenes.push(scene.clone()));
            let (_, token) = &table.tokens[0];
            let truth = kiosk.get(&format!(
                "/api/tables/{}/review?token={token}&step={}&as=truth",
                table.id, last["step"]
            ));
            for scene in scenes.iter().filter(|scene| scene["phase"] == "play") {
                let known = json!([
                    scene["sees"],
                    scene["past"],
                    scene["chosen"],
                    // Moves are laid open, and what the equilibrium says comes, some time after the step before.
                    scene["legal"] == json!([]),
                    scene["equilibrium"].as_array().unwrap().len(),
                ]);
                let step = scene["step"].as_u64().unwrap() as usize;
                let history = json!(truth["past"].as_array().unwrap()[..step].to_vec());
                let (text, histories) =
                    by_evidence.entry(known.to_string()).or_insert_with(|| (sent(scene), BTreeSet::new()));
                assert_eq!(*text, sent(scene), "{name}: {known}");
                histories.insert(history.to_string());
            }
        }
        let pairs: usize =
            by_evidence.values().map(|(_, histories)| histories.len() * (histories.len() - 1) / 2).sum();
        println!("{name}: {} informations, {pairs} pairs of histories", by_evidence.len());
        all_pairs += pairs;
    }
    kiosk.stop();
    all_pairs
}

#[test]
fn what_reaches_a_seat_depends_on_what_its_role_knows_and_on_nothing_else() {
    let quick =
        ["kuhn_poker", "leduc_poker", "krieg_tictactoe_3x3", "goofspiel_4_imperfect", "liars_dice_1x6"];
    let pairs = nothing_is_told_that_a_role_does_not_know(|name| quick.contains(&name), 40);
    assert!(pairs > 50, "{pairs}");
}

#[test]
#[ignore = "takes minutes"]
fn in_every_game_what_reaches_a_seat_depends_on_what_its_role_knows_and_on_nothing_else() {
    let pairs = nothing_is_told_that_a_role_does_not_know(|name| !name.ends_with(".sidl"), 20);
    assert!(pairs > 500, "{pairs}");
}

#[test]
fn a_stream_tells_every_scene_and_ends_with_the_match() {
    let kiosk = ServedKiosk::new("");
    let table = kiosk.lay(&json!({ "game": "kuhn_poker", "seats": { "bob": QUICK }, "seed": 2 }));
    let (_, token) = &table.tokens[0];
    let path = format!("/api/tables/{}/events?token={token}", table.id);
    let (status, stream) = kiosk.follow(&path);
    assert_eq!(status, 200);
    std::thread::scope(|scope| {
        let told = scope.spawn(move || {
            let scenes = stream.lines().map_while(Result::ok);
            let scenes = scenes.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
            scenes.map(|text| serde_json::from_str(&text).unwrap()).collect::<Vec<Value>>()
        });
        let last = table.play(&mut ChaCha8Rng::seed_from_u64(1), |_| ());
        let told = told.join().unwrap();
        for (at, scene) in told.iter().enumerate() {
            assert_eq!(scene["version"], at + 1);
        }
        let end = &told[told.len() - 1];
        assert_eq!((&end["phase"], &end["result"]), (&json!("over"), &last["result"]));
        // The game is small enough to be solved: beside each own move stands what the equilibrium says of it.
        assert!(!end["equilibrium"].as_array().unwrap().is_empty(), "{end}");
        // A step is shown with its moves and never with those of the step before.
        for scene in told.iter().filter(|scene| scene["phase"] == "play") {
            assert_eq!(scene["past"].as_array().unwrap().len() as u64, scene["step"].as_u64().unwrap());
            assert!(scene["chosen"].is_null() || scene["legal"] == json!([]), "{scene}");
        }
    });
    // The same belief stands in the review of each step.
    let table = kiosk.lay(&json!({ "game": "krieg_tictactoe_3x3", "seats": { "o": QUICK }, "seed": 2 }));
    let mut told: BTreeMap<u64, Value> = BTreeMap::new();
    table.play(&mut ChaCha8Rng::seed_from_u64(1), |scene| {
        if scene["phase"] == "play" {
            told.insert(scene["step"].as_u64().unwrap(), scene["belief"].clone());
        }
    });
    let (_, token) = &table.tokens[0];
    // Not in order: a person moves the slider as she wants.
    for (step, belief) in told.iter().rev() {
        let path = format!("/api/tables/{}/review?token={token}&step={step}&as=x", table.id);
        assert_eq!(kiosk.get(&path)["belief"], *belief, "{step}");
    }
    assert!(told.len() >= 3, "{}", told.len());
    kiosk.stop();
}

#[test]
fn streams_are_counted_and_those_of_pages_that_were_left_are_not() {
    let kiosk = ServedKiosk::new("");
    let table = kiosk.lay(&json!({ "game": "kuhn_poker", "seats": {} }));
    let (_, token) = &table.tokens[0];
    let path = format!("/api/tables/{}/events?token={token}", table.id);
    let streams: Vec<_> = (0..8).map(|_| kiosk.follow(&path)).collect();
    assert!(streams.iter().all(|(status, _)| *status == 200));
    assert_eq!(kiosk.follow(&path).0, 429);
    drop(streams);
    let begun = std::time::Instant::now();
    while kiosk.follow(&path).0 != 200 {
        assert!(begun.elapsed().as_secs() < 300, "streams of pages that were left are still counted");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    kiosk.stop();
}

#[test]
fn many_findings_and_great_numbers_do_not_hold_the_kiosk() {
    let kiosk = ServedKiosk::new("");
    let text: String = (0..20_000).map(|at| format!("(<= (p{at} ?x) (q ?y))\n")).collect();
    // The client gives up after some minutes.
    let (status, checked) = kiosk.post("/api/check", &json!({ "name": "many", "text": text }));
    assert_eq!(status, 200);
    let listed = checked["findings"].as_array().unwrap();
    assert_eq!((listed.len(), &checked["playable"]), (500, &json!(false)));
    assert!(checked["more"].as_u64().unwrap() > 1000, "{}", checked["more"]);
    assert!(listed.iter().any(|finding| finding["severity"] == "error"));
    let greedy = json!({ "game": "kuhn_poker", "seats": { "bob": "hyperplay:particles=10000000" } });
    let (status, told) = kiosk.post("/api/tables", &greedy);
    let error = told["error"].as_str().unwrap();
    assert!(status == 400 && error.contains("has a number above 100000, the most that a page"), "{error}");
    // A rulesheet that was sent is known by its hash, which a transcript has too.
    let rules = "(role me) (legal me wait) (init (step 1)) (<= (next (step 2)) (true (step 1)))
        (<= terminal (true (step 2))) (goal me 100)";
    let (_, checked) = kiosk.post("/api/check", &json!({ "name": "wait", "text": rules }));
    assert_eq!(checked["playable"], true, "{checked}");
    assert!(checked["rules"].as_str().unwrap().starts_with("sha256:"), "{checked}");
    let table = kiosk.lay(&json!({ "rules": rules, "name": "wait", "seats": {} }));
    let last = table.play(&mut ChaCha8Rng::seed_from_u64(1), |_| ());
    assert_eq!(last["result"]["goals"], json!([{ "role": "me", "goal": 100 }]));
    kiosk.stop();
}

#[test]
fn fifty_tables_are_played_at_once() {
    let kiosk = ServedKiosk::new("--record records");
    let kiosk_of = &kiosk;
    std::thread::scope(|scope| {
        for number in 0..50 {
            scope.spawn(move || {
                let name = ["kuhn_poker", "tictactoe", "krieg_tictactoe_3x3"][number as usize % 3];
                let (person, program) = if number % 3 == 0 { ("alice", "bob") } else { ("x", "o") };
                let seats = json!({ person: "person", program: QUICK });
                let table =
                    kiosk_of.lay(&json!({ "game": name, "seats": seats, "playclock": 20.0, "seed": number }));
                let last = table.play(&mut ChaCha8Rng::seed_from_u64(number), |_| ());
                assert_eq!(last["result"]["outcome"], "over");
            });
        }
    });
    let folder = kiosk.stop();
    assert_eq!(folder.read("records/matches.jsonl").lines().count(), 50);
    run(&mut folder.program("verify records/matches.jsonl"), 0);
}

#[test]
fn foreign_pages_wrong_links_and_wrong_requests_are_refused_in_words() {
    let kiosk = ServedKiosk::new("--tables 2");
    let table = kiosk.lay(&json!({ "game": "kuhn_poker", "seats": {} }));
    let (_, token) = &table.tokens[0];
    let path = format!("/api/tables/{}", table.id);
    let own = format!("Host: {}\r\n", kiosk.address);
    let status = |method: &str, path: &str, head: &str, body: &str| {
        let (status, body) = kiosk.exchange(method, path, head, body);
        let told: Value = serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
        assert!(told["error"].is_string() && told["remedy"].is_string(), "{body}");
        status
    };
    // A name that an attacker has made to lead here.
    assert_eq!(status("GET", "/api/lobby", "Host: evil.example\r\n", ""), 421);
    let json_type = format!("{own}Content-Type: application/json\r\n");
    let foreign = format!("{json_type}Origin: http://evil.example\r\n");
    assert_eq!(
        status("POST", &format!("{path}/leave"), &foreign, &json!({ "token": token }).to_string()),
        403
    );
    assert_eq!(status("POST", &format!("{path}/leave"), &own, &json!({ "token": token }).to_string()), 403);
    for wrong in ["", "0", "\u{fc}", &"0".repeat(32), &token[..31]] {
        let path = format!("{path}?token={}", wrong.replace('\u{fc}', "%C3%BC"));
        assert_eq!(status("GET", &path, &own, ""), 404, "{path}");
    }
    for (order, expected) in [
        (json!({ "game": "kuhn_pokerr", "seats": {} }), 404),
        (json!({ "seats": {} }), 400),
        (json!({ "game": "kuhn_poker", "seats": { "carol": "person" } }), 400),
        (json!({ "game": "kuhn_poker", "seats": { "bob": "hyperplayy" } }), 400),
        (json!({ "game": "kuhn_poker", "seats": { "bob": "policy:/etc/passwd" } }), 400),
        (json!({ "game": "kuhn_poker", "seats": { "bob": "remote:url=http://127.0.0.1:1" } }), 400),
        (json!({ "game": "kuhn_poker", "seats": {}, "playclock": -1.0 }), 400),
        (json!({ "game": "kuhn_poker", "seats": {}, "spectators": "carol" }), 400),
        (json!({ "rules": "(role x", "seats": {} }), 400),
        (json!({ "game": "kuhn_poker", "surprise": 1 }), 400),
    ] {
        assert_eq!(status("POST", "/api/tables", &json_type, &order.to_string()), expected, "{order}");
    }
    // Nothing that a page names is opened: what is there, and what is not, are refused alike.
    for file in ["Cargo.toml", "nothing.toml"] {
        for spec in [
            "policy:FILE",
            "hyperplay:leaf=FILE",
            "hyperplay:model=file:FILE",
            "subgame:blueprint=FILE",
            "hyperplay2:inner=[policy:FILE]",
            "auto:otherwise=[policy:FILE]",
        ] {
            let spec = spec.replace("FILE", &format!("{}/{file}", env!("CARGO_MANIFEST_DIR")));
            let (code, told) =
                kiosk.post("/api/tables", &json!({ "game": "kuhn_poker", "seats": { "bob": spec } }));
            assert_eq!(code, 400, "{spec}");
            let error = told["error"].as_str().unwrap();
            assert!(error.ends_with("is no player that a page may name"), "{spec}: {error}");
        }
    }
    assert_eq!(status("POST", "/api/replays", &json_type, r#"{"transcript":"{}"}"#), 400);
    assert_eq!(status("GET", "/api/watch", &own, ""), 404);
    assert_eq!(status("GET", "/elsewhere", &own, ""), 404);
    // It is not the turn of anybody before both have come; then there is room for one more table.
    let early = json!({ "token": token, "step": 0, "move": "bet" }).to_string();
    assert_eq!(status("POST", &format!("{path}/move"), &json_type, &early), 409);
    kiosk.lay(&json!({ "game": "kuhn_poker", "seats": {} }));
    let third = json!({ "game": "kuhn_poker", "seats": {} }).to_string();
    assert_eq!(status("POST", "/api/tables", &json_type, &third), 429);
    kiosk.stop();
}

#[test]
fn a_person_who_leaves_or_is_late_costs_the_others_nothing() {
    let kiosk = ServedKiosk::new("--record records");
    // Bob leaves at once; Alice plays to the end.
    let mut table = kiosk.lay(&json!({ "game": "kuhn_poker", "seats": {}, "seed": 4 }));
    let (_, bob) = &table.tokens[1];
    let (status, _) = kiosk.post(&format!("/api/tables/{}/leave", table.id), &json!({ "token": bob }));
    assert_eq!(status, 204);
    // Nobody chooses for him any more.
    table.tokens.truncate(1);
    let last = table.play(&mut ChaCha8Rng::seed_from_u64(1), |_| ());
    assert_eq!(last["result"]["outcome"], "over");
    // With a clock nobody has to come back.
    let table = kiosk.lay(
        &json!({ "game": "kuhn_poker", "seats": { "bob": QUICK }, "playclock": 0.3, "startclock": 0.0 }),
    );
    let (_, alice) = &table.tokens[0];
    let last = loop {
        let scene = table.scene(alice);
        if scene["phase"] == "over" {
            break scene;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let notes = last["past"].as_array().unwrap().iter().filter(|step| step["note"].is_string());
    assert!(notes.count() >= 1, "{}", last["past"]);
    let folder = kiosk.stop();
    run(&mut folder.program("verify records/matches.jsonl"), 0);
}

/// The scene of a seat without the clock and the moments of its own commands.
fn sent_in_time(scene: &Value) -> String {
    let mut scene = scene.clone();
    for step in scene["past"].as_array_mut().unwrap() {
        step["note"] = Value::Null;
    }
    sent(&scene)
}

#[test]
fn an_interaction_runs_in_real_time_and_tells_a_seat_what_its_role_may_know() {
    let kiosk = ServedKiosk::new("--record records");
    let order = |seed: u64| {
        let seats = json!({ "alice": "person", "bob": "legal" });
        json!({ "game": "dutch_auction.sidl", "seats": seats, "seed": seed, "playclock": 0.3 })
    };
    let tables: Vec<_> = (0..10).map(|seed| kiosk.lay(&order(seed))).collect();
    // What nature drew for Bob, and how the coin falls, differs from table to table; whoever knows the same is sent the same.
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    let mut over = BTreeSet::new();
    while over.len() < tables.len() {
        for (at, table) in tables.iter().enumerate() {
            let (_, token) = &table.tokens[0];
            let scene = table.scene(token);
            if scene["phase"] == "over" {
                over.insert(at);
                continue;
            }
            if scene["phase"] != "play" {
                continue;
            }
            let switches = scene["switches"].as_array().unwrap();
            assert_eq!((switches.len(), &switches[0]["switch"]), (1, &json!("bid_a")), "{scene}");
            assert_eq!(scene["legal"], json!([]), "switches are set, and no moves are listed");
            // Alice says `mine` in the sixth chronon, at one table only; a switch of Bob is refused everywhere.
            let command = |switch: &str, alias: &str| {
                let path = format!("/api/tables/{}/command", table.id);
                kiosk.post(&path, &json!({ "token": token, "switch": switch, "alias": alias })).0
            };
            if scene["step"] == 5 && at == 0 && switches[0]["commanded"].is_null() {
                assert_eq!(command("bid_a", "mine"), 204);
                continue;
            }
            assert!([400, 409].contains(&command("bid_b", "mine")));
            if at > 0 {
                let known = scene["past"].to_string();
                let equilibrium = scene["equilibrium"].as_array().unwrap().len();
                let text =
                    told.entry(format!("{known} {equilibrium}")).or_insert_with(|| sent_in_time(&scene));
                assert_eq!(*text, sent_in_time(&scene), "{known}");
            }
        }
    }
    let (_, token) = &tables[0].tokens[0];
    let last = tables[0].scene(token);
    let notes: Vec<&str> =
        last["past"].as_array().unwrap().iter().filter_map(|step| step["note"].as_str()).collect();
    assert!(notes.len() == 1 && notes[0].starts_with("the switch bid_a was set to mine after "), "{notes:?}");
    let (_, diagram) = (0, kiosk.get(&format!("/api/tables/{}/diagram?token={token}", tables[0].id)));
    assert_eq!(diagram[3]["owner"], "alice", "{diagram}");
    let folder = kiosk.stop();
    run(&mut folder.program("verify records/matches.jsonl"), 0);
    let records = folder.read("records/matches.jsonl");
    assert!(
        records.contains(r#""switch":"bid_a","alias":"mine","milliseconds":"#),
        "the reaction time is recorded"
    );
    assert!(records.contains("the switch belongs to another agent"), "so is what was refused");
}
