//! Scrambled rules are the same game in other names: over all rulesheets of `games/`, and over those of the field where
//! `HYPERPLAY_RULESHEETS` names their folder.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyperplay_logic::gdl::{Source, Syntax, fold, load, read};
use hyperplay_machine::Seed;

use super::super::scan::{one_blank, pieces};
use super::super::{Message, Phrasing, Scrambler, StartMessage, WireLetters, game_line, rules_line};

fn rulesheets(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rulesheets(&path, found);
        } else if path.extension().is_some_and(|end| end == "kif" || end == "gdl") {
            found.push(path);
        }
    }
}

fn words(text: &str) -> HashSet<String> {
    let words = pieces(text).filter(|piece| !["(", ")"].contains(piece));
    words.map(|word| fold(word).into_owned()).collect()
}

#[test]
fn every_rulesheet_comes_back_from_other_names_and_is_the_same_game_in_them() {
    let (mut paths, mut games) = (Vec::new(), 0);
    rulesheets(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games"), &mut paths);
    assert!(paths.len() > 100, "{} rulesheets are found", paths.len());
    if let Some(folder) = std::env::var_os("HYPERPLAY_RULESHEETS") {
        rulesheets(Path::new(&folder), &mut paths);
    }
    for path in paths {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let line = rules_line(&read(Source::new("t", text.clone()), None).0);
        assert!(!line.contains('\n'));
        let scrambler = Scrambler::new(&line, &Seed::root(7));
        let scrambled = scrambler.scramble(&line);
        let back = scrambler.unscramble(&WireLetters::Upper.spell(&scrambled)).unwrap();
        assert_eq!(fold(&back), fold(&line), "{}", path.display());
        let [old, new] = [words(&line), words(&scrambled)];
        assert_eq!(old.len(), new.len(), "{}: one to one", path.display());
        let kept: Vec<&String> = old.intersection(&new).collect();
        assert!(kept.iter().all(|word| scrambler.unscramble(word).as_ref() == Some(word)), "{kept:?}");

        // A message of any length carries it.
        let second = Duration::from_secs(1);
        let start = |rules| StartMessage {
            id: "m".into(),
            role: "r".into(),
            rules,
            startclock: second,
            playclock: second,
        };
        let sent = Phrasing::default().write(&Message::Start(start(scrambled.clone())));
        let role = StartMessage { role: "R".into(), ..start(WireLetters::Upper.spell(&scrambled)) };
        assert_eq!(Message::read(&sent), Ok(Message::Start(role)), "{}", path.display());

        // The same game: the reader and the validator find the same number of rules and roles in what is sent.
        let Some(written) = load(Source::new("t", text), None).game else { continue };
        assert_eq!(game_line(&written), line);
        let game = load(Source::new("t.kif", line), Some(Syntax::Kif)).game.unwrap();
        let other = load(Source::new("t.kif", scrambled), Some(Syntax::Kif)).game;
        let other = other.unwrap_or_else(|| panic!("{} is still a game", path.display()));
        let figures =
            |game: &hyperplay_logic::gdl::Game| (game.rules().len(), game.roles().len(), game.is_imperfect());
        assert_eq!(figures(&other), figures(&game), "{}", path.display());
        for (&role, &renamed) in game.roles().iter().zip(other.roles()) {
            assert_eq!(scrambler.scramble(&game.terms().show(role)), other.terms().show(renamed));
        }
        games += 1;
    }
    assert!(games > 80, "{games} games are scrambled");
}

#[test]
fn new_names_are_none_of_the_rules_and_never_run_out() {
    let rules: Vec<String> = (0..500).map(|i| format!("(alpha{i} Plum ?theta name{i})")).collect();
    let rules = rules.join(" ");
    let scrambler = Scrambler::new(&rules, &Seed::root(1));
    let scrambled = scrambler.scramble(&rules);
    assert!(words(&rules).is_disjoint(&words(&scrambled)));
    assert_eq!(words(&rules).len(), words(&scrambled).len());
    // Names that were spelt twice come back as they were spelt first.
    assert_eq!(scrambler.unscramble(&scrambler.scramble("(ALPHA3 plum)")).unwrap(), "(alpha3 Plum)");
    assert_eq!(one_blank(pieces(&scrambler.unscramble(&scrambled).unwrap())), rules);
}

#[test]
fn the_seed_alone_fixes_the_names_and_words_of_the_language_stay() {
    let rules = "(role a) (<= (sees a (did ?r 7)) (does ?r -3) (true NIL))";
    let scramble = |seed| Scrambler::new(rules, &Seed::root(seed)).scramble(rules);
    assert_eq!(scramble(1), scramble(1));
    assert_ne!(scramble(1), scramble(2));
    let kept = words(rules).intersection(&words(&scramble(1))).count();
    // role, <=, sees, did, 7, does, -3, true, nil.
    assert_eq!(kept, 9);
}
