//! The table: the state that all persons of a match share.
//!
//! The news of the steps for a person is kept until it can be written: at once if one person plays, otherwise before
//! the person is asked, because the other one may be looking at the screen.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use hyperplay_engine::Engine;
use hyperplay_machine::{Role, StateMachine, StateMachineExt};
use hyperplay_play::referee::{FaultKind, Interrupt, Match, MatchOutcome, MatchStep};

use super::console::{Console, Typed};
use super::knowledge::shown;
use crate::verbose::scores;

/// The sequence that clears a terminal with the lines that have left it, and puts the cursor in its corner.
const CLEAR: &str = "\u{1b}[3J\u{1b}[2J\u{1b}[H";

/// Where persons sit; shared by their players and the command.
pub struct HumanTable {
    pub shared: Mutex<Shared>,
    interrupt: Interrupt,
    /// Whether a person has left the match.
    left: AtomicBool,
}

/// The state that one person at a time uses.
pub struct Shared {
    /// The terminal.
    pub console: Console,
    /// The roles that persons play in this match, and the news that each is still to be told.
    persons: Vec<(Role, String)>,
    /// The role that was asked last.
    last: Option<Role>,
    /// Whose time was up in the step at hand.
    late: Vec<Role>,
}

impl HumanTable {
    /// A table at the terminal of this program, which is left when the interrupt is raised. The dialogue goes to
    /// standard error where standard output has a report in JSON.
    pub fn new(interrupt: Interrupt, on_stderr: bool) -> Self {
        let console = Console::new(interrupt.clone(), on_stderr);
        let shared = Mutex::new(Shared { console, persons: Vec::new(), last: None, late: Vec::new() });
        HumanTable { shared, interrupt, left: AtomicBool::new(false) }
    }

    /// Ends the match at hand and the series: the person does not want to go on, or nobody is there.
    pub fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
        self.interrupt.raise();
    }

    /// Whether a person has left the match at hand.
    pub fn is_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// Begins a match, of which persons play these roles.
    pub fn begin(&self, engine: &Engine, index: usize, of: usize, persons: &[Role]) {
        let mut shared = self.shared.lock();
        shared.persons = persons.iter().map(|&role| (role, greeting(engine, role))).collect();
        shared.last = None;
        if of > 1 {
            shared.console.say(&format!("match {} of {of}\n", index + 1));
        }
        shared.tell_one();
    }

    /// Tells every person what their role did and perceived in a step; the first step is 1.
    pub fn tell(&self, engine: &Engine, number: usize, step: &MatchStep) {
        let mut shared = self.shared.lock();
        let late = std::mem::take(&mut shared.late);
        for (role, untold) in &mut shared.persons {
            untold.push_str(&account(engine, number, step, *role, late.contains(role)));
        }
        shared.tell_one();
    }

    /// Tells how the match ended.
    pub fn end(&self, engine: &Engine, played: &Match) {
        let mut shared = self.shared.lock();
        let untold: Vec<(Role, String)> =
            shared.persons.iter_mut().map(|(role, untold)| (*role, std::mem::take(untold))).collect();
        for (role, text) in untold.into_iter().filter(|(_, text)| !text.is_empty()) {
            shared.console.say(&format!("{}:\n{text}", engine.roles()[role]));
        }
        let said = match &played.outcome {
            MatchOutcome::Over(goals) => {
                let goals = goals.values().iter().map(|goal| goal.value());
                format!("the match is over: {}\n", scores(engine, goals))
            }
            _ if self.is_left() => "you have left the match; it is not counted\n".to_owned(),
            _ => "the match is not finished\n".to_owned(),
        };
        shared.console.say(&said);
    }
}

impl Shared {
    /// Says what is untold, if one person plays: nobody else looks at the screen.
    fn tell_one(&mut self) {
        if let [(_, untold)] = &mut self.persons[..] {
            self.console.say(&std::mem::take(untold));
        }
    }

    /// Turns to a person. Where there are several at one screen, the screen is cleared first, and nothing is shown
    /// until the person says so.
    pub fn turn_to(&mut self, engine: &Engine, role: Role, deadline: Option<Instant>) -> Typed {
        let name = &engine.roles()[role];
        let several = self.persons.len() > 1;
        let mut typed = Typed::Line(String::new());
        if several && self.last != Some(role) {
            if self.console.is_terminal() {
                self.console.say(CLEAR);
                let prompt = format!("it is the turn of {name}; press Enter when nobody else is looking ");
                typed = self.console.ask(&prompt, deadline);
                self.console.say(CLEAR);
            } else {
                self.console.say(&format!("it is the turn of {name}\n"));
            }
        }
        self.last = Some(role);
        if let Some((_, untold)) = self.persons.iter_mut().find(|(person, _)| *person == role) {
            self.console.say(&std::mem::take(untold));
        }
        typed
    }

    /// The time of a role is up: a legal move is drawn for it in this step.
    pub fn was_late(&mut self, role: Role) {
        self.late.push(role);
        self.console.say("the time is up: a legal move is drawn\n");
    }
}

/// The roles and players, in a line.
fn greeting(engine: &Engine, role: Role) -> String {
    let others: Vec<&str> =
        engine.roles().iter().filter(|&(other, _)| other != role).map(|(_, name)| name.as_str()).collect();
    let others =
        if others.is_empty() { String::new() } else { format!("; the others are {}", others.join(", ")) };
    format!("you are {}{others}; type help to see what you can type\n", engine.roles()[role])
}

/// A step as one role knows it, in a line.
fn account(engine: &Engine, number: usize, step: &MatchStep, role: Role, is_drawn: bool) -> String {
    let own = step.joint.of(role);
    let fault = step.faults.iter().find(|fault| fault.role == role);
    let how = match fault.map(|fault| &fault.kind) {
        None if step.legal[role].len() == 1 => ", your only move",
        None if is_drawn => ", drawn because the time was up",
        None => "",
        Some(FaultKind::Late(_)) => ", drawn by the referee because you were late",
        Some(_) => ", drawn by the referee",
    };
    let own = shown(engine, own.0);
    let perceived: Vec<String> = if engine.game().is_imperfect() {
        step.percepts[role].iter().map(|seen| shown(engine, seen.0)).collect()
    } else {
        // Every role perceives the joint move, and knows its own.
        let others = engine.each_role().filter(|&other| other != role);
        let does =
            |other: Role| format!("{} does {}", engine.roles()[other], shown(engine, step.joint.of(other).0));
        others.map(does).collect()
    };
    let perceived = match (engine.game().is_imperfect(), &perceived[..]) {
        (true, []) => "you perceive nothing".to_owned(),
        (true, seen) => format!("you perceive {}", seen.join(" ")),
        (false, []) => return format!("step {number}: you do {own}{how}\n"),
        (false, done) => done.join(", "),
    };
    format!("step {number}: you do {own}{how}; {perceived}\n")
}
