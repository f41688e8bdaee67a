//! The dialects that the readers accept, compared with plain KIF that was written by hand.
//!
//! Each file of `games/dialects` shows one dialect. Beside it, this file has the same game in plain KIF, written from
//! the definition of each form, so that the meaning is fixed by the definition and not by what the reader makes of it.
//! The clauses must be equal up to the names of the variables. Each game is also played to its end.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{games, loaded, rulesheets_in};
use crate::naive::{Naive, lockstep};
use crate::roundtrip::spelt;
use hyperplay::engine::Interpreter;
use hyperplay::gdl::{FindingCode, Loaded, Rulesheet, Severity, Source, Syntax, read};
use hyperplay::machine::Seed;

/// One file: its name, the marked text of each note about a dialect, the game in plain KIF.
struct Shown {
    file: &'static str,
    notes: &'static [&'static str],
    kif: &'static str,
}

static SHOWN: [Shown; 10] = [
    Shown {
        file: "comma_bodies.gdl",
        notes: &[","],
        kif: "(role ann) (role ben) (init (coins 5)) (init (turn ann))
            (<= (legal ?p (take 1)) (true (turn ?p)) (role ?p))
            (<= (legal ?p (take 2)) (true (turn ?p))
                (or (true (coins 2)) (and (true (coins ?n)) (less 2 ?n) (not (true halved)))))
            (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
            (<= (next (coins ?m)) (does ?p (take ?k)) (true (coins ?n)) (minus ?n ?k ?m))
            (<= (next halved) (or (does ann (take 2)) (and (does ben (take 2)) (not (true (coins 5))))))
            (<= (next (turn ben)) (true (turn ann)))
            (<= (next (turn ann)) (true (turn ben)))
            (<= terminal (true (coins 0)))
            (<= (goal ann 100) (true (turn ben)))
            (<= (goal ann 0) (true (turn ann)))
            (<= (goal ben 100) (true (turn ann)) (role ben))
            (<= (goal ben 0) (true (turn ben)) (role ben))
            (less 2 3) (less 2 4) (less 2 5)
            (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
            (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)",
    },
    Shown {
        file: "comments.gdl",
        notes: &[],
        kif: "(role gardener) (init (day 1))
            (<= (legal gardener (water ?f)) (flower ?f))
            (<= (next (wet ?f)) (does gardener (water ?f)))
            (<= (next (wet ?f)) (true (wet ?f)))
            (<= (next drowned) (does gardener (water ?f)) (true (wet ?f)))
            (<= (next (day 2)) (true (day 1)))
            (<= (next (day 3)) (true (day 2)))
            (<= terminal (true (day 3)))
            (<= (goal gardener 100) (not (true drowned)))
            (<= (goal gardener 0) (true drowned))
            (flower rose) (flower tulip) (flower lily)",
    },
    Shown {
        file: "comparisons.gdl",
        notes: &["N != M", "N = M"],
        kif: "(role odd) (role even) (init (round 1))
            (<= (legal even (show ?n)) (fingers ?n))
            (<= (legal odd (show ?n)) (fingers ?n) (true (round 1)))
            (<= (legal odd (show ?n)) (fingers ?n) (true (shown ?m)) (distinct ?n ?m))
            (<= (next (shown ?n)) (does odd (show ?n)))
            (<= (next (point even ?r)) (true (round ?r)) (does odd (show ?n)) (does even (show ?m))
                (not (distinct ?n ?m)))
            (<= (next (point odd ?r)) (true (round ?r)) (does odd (show ?n)) (does even (show ?m))
                (distinct ?n ?m))
            (<= (next (point ?p ?r)) (true (point ?p ?r)))
            (<= (next (round ?s)) (true (round ?r)) (succ ?r ?s))
            (<= terminal (true (round 3)))
            (<= (goal ?p 100) (true (point ?p 1)) (true (point ?p 2)))
            (<= (goal ?p 50) (true (point ?p ?r)) (true (point ?q ?s)) (distinct ?p ?q) (distinct ?r ?s))
            (<= (goal ?p 0) (true (point ?q 1)) (true (point ?q 2)) (role ?p) (distinct ?p ?q))
            (fingers 1) (fingers 2) (fingers 3) (succ 1 2) (succ 2 3)",
    },
    Shown {
        file: "full_stops.gdl",
        notes: &["."],
        kif: "(role guard) (init (dark 1)) (init (dark 2)) (init (dark 3)) (init (step 1))
            (<= (legal guard (light ?l)) (true (dark ?l)))
            (<= (legal guard (quench ?l)) (lamp ?l) (not (true (dark ?l))))
            (<= (next (dark ?l)) (true (dark ?l)) (not (does guard (light ?l))))
            (<= (next (dark ?l)) (does guard (quench ?l)))
            (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
            (<= terminal (true (step 4)))
            (<= (goal guard 100) (not (true (dark 1))) (not (true (dark 2))) (not (true (dark 3))))
            (<= (goal guard 0) (true (dark ?l)))
            (lamp 1) (lamp 2) (lamp 3) (succ 1 2) (succ 2 3) (succ 3 4)",
    },
    Shown {
        file: "negative_numbers.gdl",
        notes: &[],
        kif: "(role cook) (init (temperature 0)) (init (time 0))
            (<= (legal cook warm) (true (temperature ?t)) (warmer ?t ?u))
            (<= (legal cook cool) (true (temperature ?t)) (warmer ?u ?t))
            (<= (next (temperature ?u)) (does cook warm) (true (temperature ?t)) (warmer ?t ?u))
            (<= (next (temperature ?u)) (does cook cool) (true (temperature ?t)) (warmer ?u ?t))
            (<= (next (time ?n)) (true (time ?m)) (succ ?m ?n))
            (<= terminal (true (time 3)))
            (<= (goal cook ?g) (true (temperature ?t)) (comfort ?t ?g))
            (warmer -2 -1) (warmer -1 0) (warmer 0 1) (warmer 1 2)
            (comfort -2 0) (comfort -1 100) (comfort 0 60) (comfort 1 30) (comfort 2 10)
            (succ 0 1) (succ 1 2) (succ 2 3)",
    },
    Shown {
        file: "other_systems.kif",
        notes: &["// Dialect: comments with two slashes, `:-` for the arrow, an arrow without a blank, and parentheses too many.", "((ROLE rex))", ":-", "<=terminal"],
        kif: "(role rex) (role bello) (init (night 1))
            (<= (legal ?d bark) (role ?d))
            (<= (legal ?d sleep) (role ?d))
            (<= (next (bone ?d ?n)) (true (night ?n)) (does ?d bark) (does ?e sleep))
            (<= (next (bone ?d ?n)) (true (bone ?d ?n)))
            (<= (next (night ?m)) (true (night ?n)) (after ?n ?m))
            (<= terminal (true (night 3)))
            (<= (goal ?d 100) (true (bone ?d 1)) (true (bone ?d 2)))
            (<= (goal ?d 50) (or (true (bone ?d 1)) (true (bone ?d 2))) (not (both ?d)))
            (<= (goal ?d 0) (role ?d) (not (true (bone ?d 1))) (not (true (bone ?d 2))))
            (<= (both ?d) (true (bone ?d 1)) (true (bone ?d 2)))
            (after 1 2) (after 2 3)",
    },
    Shown {
        file: "prolog.gdl",
        notes: &[",", "\\+", "C \\= D", ";", "=(T, U)"],
        kif: "(role kim) (role lou) (init (round 1))
            (<= (legal ?c (pick ?t)) (role ?c) (toy ?t) (not (true (has ?c ?t))))
            (<= (next (has ?c ?t)) (does ?c (pick ?t)) (does ?d (pick ?u)) (distinct ?c ?d) (distinct ?t ?u))
            (<= (next (has ?c ?t)) (true (has ?c ?t)))
            (<= (next (round 2)) (true (round 1)))
            (<= (next (round 3)) (true (round 2)))
            (<= (some ?c) (or (true (has ?c ball)) (true (has ?c kite)) (true (has ?c doll))))
            (<= (two ?c) (true (has ?c ?t)) (true (has ?c ?u)) (distinct ?t ?u))
            (<= terminal (true (round 3)))
            (<= (goal ?c 100) (two ?c))
            (<= (goal ?c 50) (some ?c) (not (two ?c)))
            (<= (goal ?c 0) (role ?c) (not (or (two ?c) (some ?c))))
            (toy ball) (toy kite) (toy doll)",
    },
    Shown {
        file: "tuples.gdl",
        notes: &["(1, 1)"],
        kif: "(role robot) (init (at (tuple_2 1 1)))
            (<= (legal robot (go ?d)) (true (at ?c)) (neighbour ?c ?d ?o))
            (<= (next (at ?o)) (does robot (go ?d)) (true (at ?c)) (neighbour ?c ?d ?o))
            (<= (next (board (tuple_3 ?c ?r seen))) (true (at (tuple_2 ?c ?r))))
            (<= (next (board (tuple_3 ?c ?r seen))) (true (board (tuple_3 ?c ?r seen))))
            (<= terminal (true (at (tuple_2 3 3))))
            (<= (goal robot 100) (true (board (tuple_3 2 2 seen))))
            (<= (goal robot 0) (not (true (board (tuple_3 2 2 seen)))))
            (<= (neighbour (tuple_2 ?c ?r) east (tuple_2 ?d ?r)) (succ ?c ?d) (index ?r))
            (<= (neighbour (tuple_2 ?c ?r) north (tuple_2 ?c ?s)) (succ ?r ?s) (index ?c))
            (index 1) (index 2) (index 3) (succ 1 2) (succ 2 3)",
    },
    Shown {
        file: "underscore.gdl",
        notes: &[],
        kif: "(role postman) (init (at home))
            (<= (legal postman (walk ?b)) (true (at ?a)) (street ?a ?b))
            (<= (next (at ?b)) (does postman (walk ?b)))
            (<= (next moved) (does ?p (walk ?b)))
            (<= (next (was ?a ?b)) (true (at ?a)) (does ?p (walk ?b)))
            (<= (next (was ?a ?b)) (true (was ?a ?b)))
            (<= terminal (true moved) (true (at ?a)) (not (leads_on ?a)))
            (<= (goal postman 100) (true (was ?a mill)) (true (was ?b school)) town)
            (<= (goal postman 50) (true (was home ?b)) (not both))
            (<= (goal postman 0) (not town))
            (<= both (true (was ?a mill)) (true (was ?b school)))
            (<= (leads_on ?a) (street ?a ?b))
            (<= town (street ?a ?b))
            (street home mill) (street home school) (street mill school) (street mill inn) (street school inn)",
    },
    Shown {
        file: "underscore.kif",
        notes: &[],
        kif: "(role guest) (role random)
            (<= (legal random (hide ?cup ?coin)) (cup ?cup) (coin ?coin ?worth) (not begun))
            (<= (legal guest (lift ?cup)) (true (hidden ?other ?coin)) (cup ?cup))
            (<= (legal guest wait) (not begun))
            (<= (legal random wait) begun)
            (<= begun (true (hidden ?cup ?coin)))
            (<= (next (hidden ?cup ?coin)) (does random (hide ?cup ?coin)))
            (<= (next (hidden ?cup ?coin)) (true (hidden ?cup ?coin)))
            (<= (next (found ?coin)) (does guest (lift ?cup)) (true (hidden ?cup ?coin)))
            (<= (next over) (does ?role (lift ?cup)))
            (<= (sees guest coin) (does guest (lift ?cup)) (true (hidden ?cup ?coin)))
            (<= terminal (true over))
            (<= (goal guest ?worth) (true (found ?coin)) (coin ?coin ?worth))
            (<= (goal guest 0) (not lucky))
            (<= lucky (true (found ?coin)))
            (goal random 0)
            (cup left) (cup middle) (cup right) (coin copper 50) (coin silver 100)",
    },
];

fn shown(file: &str) -> Loaded {
    loaded(&games("dialects").join(file))
}

/// The clauses, with the variables of each clause numbered in the order in which they occur.
fn numbered(rulesheet: &Rulesheet) -> Vec<String> {
    let number = |clause: &String| {
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut text = String::new();
        let mut rest = clause.as_str();
        while let Some(at) = rest.find("?\"") {
            let end = at + 2 + rest[at + 2..].find('"').unwrap();
            let next = numbers.len();
            let number = *numbers.entry(rest[at..end].to_owned()).or_insert(next);
            text += &format!("{}?{number}", &rest[..at]);
            rest = &rest[end + 1..];
        }
        text + rest
    };
    spelt(rulesheet).iter().map(number).collect()
}

#[test]
fn each_dialect_means_what_its_definition_says() {
    for Shown { file, kif, .. } in &SHOWN {
        let (plain, findings) = read(Source::new("plain", kif), Some(Syntax::Kif));
        assert_eq!(findings, [], "{file}");
        assert_eq!(numbered(&shown(file).rulesheet), numbered(&plain), "{file}");
    }
}

#[test]
fn each_form_has_one_note_and_no_warning() {
    for Shown { file, notes, .. } in &SHOWN {
        let Loaded { rulesheet, findings, .. } = shown(file);
        assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{file}: {findings:?}");
        let about = findings.iter().filter(|finding| finding.code == FindingCode::Dialect);
        let marked: Vec<&str> = about.map(|finding| rulesheet.source.slice(finding.span)).collect();
        assert_eq!(marked, **notes, "{file}");
    }
}

#[test]
fn every_file_of_the_folder_is_compared() {
    let named: BTreeSet<String> = SHOWN.iter().map(|shown| shown.file.to_owned()).collect();
    let paths = rulesheets_in(&games("dialects"));
    let there = paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    assert_eq!(named, there.collect());
}

/// The engine reads the file of the dialect, the naive evaluator the plain text.
#[test]
fn each_dialect_is_played_as_the_plain_text_is_to_the_end() {
    for Shown { file, kif, .. } in &SHOWN {
        let machine = Interpreter::new(&shown(file).game.unwrap()).unwrap();
        let naive = Naive::new(&read(Source::new("plain", kif), Some(Syntax::Kif)).0);
        for number in 0..20 {
            let seed = Seed::root(16).child("dialects").index(number);
            let played =
                lockstep::play(&machine, &naive, 20, &seed).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(played.over && played.one_goal_each, "{file}");
        }
    }
}
