//! The playthroughs of `games/playthroughs`: the record of one random match of every game.
//!
//! A playthrough is the contract of a game: if the rules or an engine change, the difference of a committed text
//! shows what has changed. The interpreter must reproduce each playthrough word for word, and so must the network of
//! every game. With `HYPERPLAY_REGENERATE=1` in the environment the texts are written anew by the interpreter. (After
//! the playthroughs of OpenSpiel: Lanctot et al. 2019.)

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use hyperplay::gdl::{Syntax, print, rules_hash};
use hyperplay::machine::{
    ByRole, Evidence, History, JointMove, Move, OwnMove, Percepts, Role, StateMachine, StateMachineExt,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::common::{games, games_of_the_house, loaded, machines::engines};

const SEED: u64 = 1;
/// Steps after which a match ends unfinished.
const STEPS: usize = 200;
/// The number of states that are shown in full, and the lines of text after which none is.
const STATES: usize = 12;
const LINES: usize = 150;
const WIDTH: usize = 118;

/// Writes a playthrough of a machine.
struct Writer<'a, M: StateMachine> {
    machine: &'a M,
    scratch: M::Scratch,
    text: String,
}

impl<M: StateMachine> Writer<'_, M> {
    /// Writes a line. A line that is too long continues in the next lines, indented, and no term is split.
    fn line(&mut self, indent: usize, line: &str) {
        let mut depth = 0;
        let words = line.split(|character| {
            depth += i32::from(character == '(') - i32::from(character == ')');
            character == ' ' && depth == 0
        });
        let mut column = 0;
        for (index, word) in words.enumerate() {
            let width = word.chars().count();
            if index == 0 {
                column = indent;
                write!(self.text, "{:indent$}{word}", "").unwrap();
            } else if column + 1 + width > WIDTH {
                column = indent + 4;
                write!(self.text, "\n{:column$}{word}", "").unwrap();
            } else {
                column += 1;
                write!(self.text, " {word}").unwrap();
            }
            column += width;
        }
        self.text.push('\n');
    }

    fn role(&self, role: Role) -> &str {
        &self.machine.roles()[role]
    }

    fn moves(&self, moves: &[Move]) -> String {
        let moves: Vec<String> = moves.iter().map(|&own| self.machine.show_move(own)).collect();
        moves.join(" ")
    }

    fn percepts(&self, percepts: &Percepts) -> String {
        let shown: Vec<String> =
            percepts.iter().map(|percept| self.machine.terms().show(percept.0)).collect();
        if shown.is_empty() { "nothing".to_owned() } else { shown.join(" ") }
    }

    /// What a role knows, step by step: its own move, and behind the arrow what it perceived.
    fn evidence(&self, evidence: &Evidence) -> String {
        let mut steps = Vec::new();
        for (number, step) in (1..).zip(&evidence.steps) {
            let own = match &step.own {
                OwnMove::Known(own) => self.machine.show_move(*own),
                OwnMove::OneOf(moves) => format!("one of {}", self.moves(moves)),
                untold @ OwnMove::Untold(_) => format!("untold: {}", self.moves(untold.named())),
            };
            steps.push(format!("{number}. {own} -> {}", self.percepts(&step.percepts)));
        }
        if steps.is_empty() { "nothing".to_owned() } else { steps.join(", ") }
    }

    /// A state: what holds, what each role knows, and what it may do or what it has got.
    fn state(&mut self, state: &M::State, history: &History, knows: bool) {
        let step = history.step();
        self.text.push('\n');
        self.line(0, &format!("state {step}"));
        let fluents = self.machine.fluents(state);
        let holds = if fluents.is_empty() { "nothing".to_owned() } else { fluents.join(" ") };
        self.line(2, &format!("holds: {holds}"));
        for role in self.machine.each_role().filter(|_| knows) {
            let evidence = self.machine.evidence(history, role, &mut self.scratch);
            self.line(2, &format!("{} knows: {}", self.role(role), self.evidence(&evidence)));
        }
        let is_terminal = self.machine.terminal(state, &mut self.scratch);
        self.line(2, if is_terminal { "terminal: yes" } else { "terminal: no" });
        for role in self.machine.each_role() {
            let line = if is_terminal {
                let goal = self.machine.goal(state, role, &mut self.scratch);
                format!("{} gets: {}", self.role(role), goal.value())
            } else {
                let legal = self.machine.legal_by_role(state, &mut self.scratch);
                format!("{} may do: {}", self.role(role), self.moves(&legal[role]))
            };
            self.line(2, &line);
        }
    }

    /// A step: who does what, and who perceives what of it.
    fn step(&mut self, number: usize, joint: &JointMove, percepts: &ByRole<Percepts>) {
        let does = self.machine.each_role();
        let does: Vec<String> = does
            .map(|role| format!("{} {}", self.role(role), self.machine.show_move(joint.of(role))))
            .collect();
        let perceived: Vec<String> = percepts.values().iter().map(|seen| self.percepts(seen)).collect();
        let seen = if perceived.len() > 1 && perceived.iter().all(|seen| *seen == perceived[0]) {
            format!("all perceive: {}", perceived[0])
        } else {
            let each = self.machine.each_role().zip(&perceived);
            let each: Vec<String> =
                each.map(|(role, seen)| format!("{} perceives: {seen}", self.role(role))).collect();
            each.join("; ")
        };
        self.line(0, &format!("step {number}: {}", does.join(", ")));
        self.line(2, &seen);
    }
}

/// The playthrough of a game on one of its machines.
fn playthrough<M: StateMachine>(machine: &M, name: &str, hash: &str) -> String {
    let mut writer = Writer { machine, scratch: machine.scratch(), text: String::new() };
    let random = machine.random();
    let role = |role: Role| match Some(role) == random {
        true => format!("{} (chance)", machine.roles()[role]),
        false => machine.roles()[role].clone(),
    };
    let roles: Vec<String> = machine.each_role().map(role).collect();
    writer.line(0, &format!("game: {name}"));
    writer.line(0, &format!("rules: {hash}"));
    writer.line(0, &format!("roles: {}", roles.join(", ")));
    writer.line(0, &format!("match: every role draws uniformly, seed {SEED}, at most {STEPS} steps"));
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut history = History::default();
    let mut state = machine.initial();
    let mut was_full = true;
    loop {
        let step = history.step();
        let is_terminal = machine.terminal(&state, &mut writer.scratch);
        let is_full = step < STATES && writer.text.lines().count() < LINES;
        let is_last = is_terminal || step == STEPS;
        if is_full || is_last {
            writer.state(&state, &history, is_full);
        }
        if is_last {
            break;
        }
        let legal = machine.legal_by_role(&state, &mut writer.scratch);
        let drawn = legal.values().iter().map(|moves| moves[rng.random_range(0..moves.len())]);
        let joint = JointMove::new(drawn.collect::<Vec<_>>());
        let percepts = ByRole::from_fn(machine.roles().len(), |role| {
            machine.percepts(&state, &joint, role, &mut writer.scratch)
        });
        if was_full && !is_full {
            writer.text.push('\n');
            writer.line(0, "steps only, until the last state");
        }
        was_full = is_full;
        writer.step(step + 1, &joint, &percepts);
        state = machine.next(&state, &joint, &mut writer.scratch);
        history.0.push(joint);
    }
    writer.text
}

/// The games, each with the name of its playthrough: the stem of its file; where two syntaxes of a game have the same,
/// the second one keeps its ending.
fn named() -> Vec<(String, PathBuf)> {
    let paths = games_of_the_house();
    let name = |path: &PathBuf| {
        let is_second =
            path.extension().is_some_and(|ending| ending != "kif") && path.with_extension("kif").exists();
        let name = if is_second { path.file_name() } else { path.file_stem() };
        (name.unwrap().to_string_lossy().into_owned(), path.clone())
    };
    paths.iter().map(name).collect()
}

fn file(name: &str) -> PathBuf {
    games("playthroughs").join(format!("{name}.txt"))
}

/// The first line in which two texts differ, as both have it.
pub fn difference(committed: &str, told: &str) -> Option<String> {
    let (mut committed, mut told) = (committed.lines(), told.lines());
    (1..).find_map(|number| match (committed.next(), told.next()) {
        (None, None) => Some(None),
        (before, now) if before == now => None,
        (before, now) => {
            let [before, now] = [before, now].map(|line| line.unwrap_or("(the end)"));
            Some(Some(format!("line {number}\n  committed: {before}\n  now:       {now}")))
        }
    })?
}

/// Checks the playthrough of a game on the interpreter and, where there is one, on its network.
fn check(name: &str, path: &Path) -> Vec<String> {
    let hash = rules_hash(&print(&loaded(path).rulesheet, Syntax::Kif));
    let engines = engines(path);
    let interpreter = playthrough(&*engines.interpreter().unwrap(), name, &hash);
    let network = playthrough(&*engines.propagator().unwrap(), name, &hash);
    let told = [("interpreter", interpreter), ("network", network)];
    if std::env::var("HYPERPLAY_REGENERATE").is_ok_and(|value| value == "1") {
        fs::create_dir_all(games("playthroughs")).unwrap();
        fs::write(file(name), &told[0].1).unwrap();
    }
    let committed = fs::read_to_string(file(name)).unwrap_or_default();
    let wrong = |(engine, text): &(&str, String)| {
        let difference = difference(&committed, text)?;
        Some(format!("games/playthroughs/{name}.txt, as the {engine} tells it: {difference}"))
    };
    told.iter().filter_map(wrong).collect()
}

#[test]
fn every_engine_tells_the_committed_playthrough_of_every_game() {
    let wrong: Vec<String> = named().par_iter().flat_map_iter(|(name, path)| check(name, path)).collect();
    assert!(
        wrong.is_empty(),
        "{}\nIf this is meant, write the playthroughs anew with HYPERPLAY_REGENERATE=1 and commit the difference.",
        wrong.join("\n")
    );
}

#[test]
fn every_playthrough_is_one_of_a_game_and_a_few_hundred_lines_long() {
    let names: Vec<PathBuf> = named().iter().map(|(name, _)| file(name)).collect();
    for entry in fs::read_dir(games("playthroughs")).unwrap() {
        let path = entry.unwrap().path();
        assert!(names.contains(&path), "{} belongs to no game", path.display());
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 600, "{} has {lines} lines", path.display());
    }
}

#[test]
fn a_difference_is_shown_as_the_first_line_that_differs() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    let shown = difference("a\nb\nc\n", "a\nd\nc\n").unwrap();
    assert_eq!(shown, "line 2\n  committed: b\n  now:       d");
    assert!(difference("a\n", "a\nb\n").unwrap().starts_with("line 2\n  committed: (the end)"));
}
