//! The boards of `games/boards`: for every game the initial state and a later one, drawn from the rules alone.
//!
//! The committed texts are to be looked at: what a person would draw is not for a program to judge. With
//! `HYPERPLAY_REGENERATE=1` in the environment they are written anew. The laws hold on random states: every fact is in
//! the drawing, so two different states never look alike; every line fits into 80 columns; the order of the facts does
//! not matter; and what is certain looks as in a state.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hyperplay::engine::Interpreter;
use hyperplay::gdl::{Game, TermId};
use hyperplay::machine::{JointMove, Seed, State, StateMachine, StateMachineExt};
use hyperplay::view::{BoardKind, BoardLayout};
use rayon::prelude::*;

use crate::common::{field, games, games_of_the_field, loaded, rulesheets_in};

/// The folders whose games are drawn.
const FOLDERS: [&str; 4] = ["perfect", "imperfect", "dialects", "repaired"];

/// The steps after which a later state is drawn, and the states of a game that the laws are tested on.
const LATER: usize = 6;
const STATES: usize = 60;

fn all_games() -> Vec<(&'static str, PathBuf)> {
    let in_folder = |folder| rulesheets_in(&games(folder)).into_iter().map(move |path| (folder, path));
    FOLDERS.into_iter().flat_map(in_folder).collect()
}

fn game(path: &Path) -> Game {
    loaded(path).game.unwrap_or_else(|| panic!("{} is a game", path.display()))
}

/// The states of random matches, at most `most`, each with the state before it.
fn states(machine: &Interpreter, most: usize, longest: usize) -> Vec<(Vec<TermId>, Vec<TermId>)> {
    let (mut scratch, mut out) = (machine.scratch(), Vec::new());
    for index in 0.. {
        let mut rng = Seed::root(1).index(index).rng();
        let mut state: State = machine.initial();
        out.push((Vec::new(), state.fluents().to_vec()));
        for _ in 0..longest {
            if out.len() >= most {
                return out;
            }
            let joint: Option<JointMove> = match machine.terminal(&state, &mut scratch) {
                true => None,
                false => machine.random_joint(&state, &mut scratch, &mut rng),
            };
            let Some(joint) = joint else { break };
            let next = machine.next(&state, &joint, &mut scratch);
            out.push((state.fluents().to_vec(), next.fluents().to_vec()));
            state = next;
        }
        if index > most {
            break;
        }
    }
    out
}

/// What is committed of a folder.
fn drawn(folder: &str) -> String {
    let mut text = String::new();
    for (_, path) in all_games().into_iter().filter(|(of, _)| *of == folder) {
        let game = game(&path);
        let layout = BoardLayout::of(&game);
        let machine = Interpreter::new(&game).unwrap();
        let states = states(&machine, LATER + 1, LATER);
        let later =
            states.iter().skip(1).take_while(|(before, _)| !before.is_empty() || states[0].1.is_empty());
        let (number, (before, now)) = (1..).zip(later).last().unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        writeln!(text, "== {name}: {}", layout.kind()).unwrap();
        writeln!(text, "{}-- step {number}", layout.draw(&states[0].1)).unwrap();
        writeln!(text, "{}", layout.draw_change(before, now)).unwrap();
    }
    text
}

#[test]
fn the_states_of_every_game_are_drawn_as_committed() {
    for folder in FOLDERS {
        let file = games("boards").join(format!("{folder}.txt"));
        let now = drawn(folder);
        if std::env::var("HYPERPLAY_REGENERATE").is_ok_and(|value| value == "1") {
            fs::create_dir_all(games("boards")).unwrap();
            fs::write(&file, &now).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        let difference = crate::playthroughs::difference(&committed, &now).unwrap_or_default();
        assert!(
            committed == now,
            "{}: {difference}\nIf this is meant, write the boards anew with \
             HYPERPLAY_REGENERATE=1 and look at the difference.",
            file.display()
        );
    }
}

/// What is wrong with the drawings of a game.
fn breaches(path: &Path) -> Vec<String> {
    let game = game(path);
    let watch = Instant::now();
    let layout = BoardLayout::of(&game);
    let time = watch.elapsed();
    let mut out = Vec::new();
    let mut say = |what: String| out.push(format!("{}: {what}", path.display()));
    // Some milliseconds on a machine that does nothing else.
    if time > Duration::from_secs(30) {
        say(format!("its layout took {time:?}"));
    }
    let Ok(machine) = Interpreter::new(&game) else { return out };
    let (mut seen, mut doubts): (BTreeMap<String, Vec<TermId>>, _) = (BTreeMap::new(), BTreeMap::new());
    for (before, mut now) in states(&machine, STATES, 25) {
        let change = layout.draw_change(&before, &now);
        let text = layout.draw(&now);
        now.reverse();
        if layout.draw(&now) != text {
            say(format!("the order of the facts matters:\n{text}"));
        }
        now.sort_unstable();
        let certain: Vec<(TermId, f64)> = now.iter().map(|&fact| (fact, 1.0)).collect();
        if layout.draw_belief(&certain) != text {
            say(format!("a certain state is drawn in another way:\n{text}"));
        }
        let doubted: Vec<(TermId, f64)> = now.iter().map(|&fact| (fact, 0.5)).collect();
        let (believed, known) = (layout.draw_belief(&doubted), layout.draw_known(&doubted));
        match doubts.get(&believed) {
            Some(other) if *other != now => say(format!("two beliefs look alike:\n{believed}")),
            Some(_) => {}
            None => drop(doubts.insert(believed.clone(), now.clone())),
        }
        // A doubted fact has its probability in a cell or in a line; what is known names it without.
        let is_half = |text: &str| text.split_whitespace().any(|word| word == "50");
        if !now.is_empty() && (!is_half(&believed) || is_half(&known) || !known.contains('?')) {
            say(format!("a doubt is not drawn as one:\n{believed}{known}"));
        }
        // A name alone may be longer than a line.
        let is_wide = |line: &&str| line.chars().count() > 80 && line.split_whitespace().count() > 2;
        for line in change.lines().chain(text.lines()).filter(is_wide) {
            say(format!("a line is too long: {line}"));
        }
        match seen.get(&text) {
            Some(other) if *other != now => say(format!("two states look alike:\n{text}")),
            Some(_) => {}
            None => drop(seen.insert(text, now)),
        }
    }
    out
}

#[test]
fn every_fact_is_in_the_drawing_of_every_game() {
    let wrong: Vec<String> = all_games().par_iter().flat_map_iter(|(_, path)| breaches(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fact_is_in_the_drawing_of_the_games_of_the_field() {
    let Some(paths) = games_of_the_field() else { return };
    assert!(field().is_some() && paths.len() > 50);
    let wrong: Vec<String> = paths.par_iter().flat_map_iter(|path| breaches(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_games_that_have_a_table_of_facts_only_are_these() {
    let is_of = |wanted: BoardKind, path: &PathBuf| BoardLayout::of(&game(path)).kind() == wanted;
    let name = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    let of = |wanted: BoardKind| -> Vec<String> {
        let own = all_games().into_iter().filter(|(folder, _)| ["perfect", "imperfect"].contains(folder));
        own.map(|(_, path)| path).filter(|path| is_of(wanted, path)).map(name).collect()
    };
    let why = "the names of FACTS_ONLY are in the order of the folders perfect and imperfect";
    assert_eq!(of(BoardKind::Facts), FACTS_ONLY, "{why}");
}

/// The games without boards and without hands.
const FACTS_ONLY: [&str; 8] = [
    "buttons_and_lights",
    "four_letters",
    "die_roll",
    "exploding_bomb",
    "monty_hall",
    "number_guessing_16",
    "spy_vs_spy",
    "suit_and_settlement",
];
