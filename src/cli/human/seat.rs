//! The player of a person: a decision as a dialogue.
//!
//! A forced move is made without a question. Otherwise the person sees what the role knows and the legal moves, and
//! types until a line is a move. With a clock, the person is told how much is left, and a legal move is drawn if it
//! runs out: that is no fault, because the answer comes in time. Persons who move in the same step are asked one after
//! the other, on one clock.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Move, OwnMove, Role, Seed, StateMachine};
use hyperplay_play::player::{Decision, Player, PlayerSpec, SamplerSpec, Seat, View};

use super::choice::{self, Line, WORDS, Word};
use super::console::Typed;
use super::knowledge::{SeatKnowledge, shown};
use super::table::{HumanTable, Shared};

/// The most time that the belief beside a person may take for a decision, so that the person need not wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most time that a hint may take.
const HINT: Duration = Duration::from_secs(20);

/// The most moves that are listed without being asked for.
const LISTED: usize = 60;

/// The width of a line.
const WIDTH: usize = 80;

/// A person in the seat of one role for one match.
pub struct HumanSeat {
    engine: Arc<Engine>,
    role: Role,
    table: Arc<HumanTable>,
    knowledge: SeatKnowledge,
    advisor: PlayerSpec,
}

impl HumanSeat {
    /// A seat at a table, with a belief beside the person and somebody to ask for advice.
    pub fn new(
        engine: &Arc<Engine>,
        role: Role,
        table: &Arc<HumanTable>,
        sampler: &SamplerSpec,
        particles: usize,
        advisor: PlayerSpec,
    ) -> Self {
        HumanSeat {
            engine: Arc::clone(engine),
            role,
            table: Arc::clone(table),
            knowledge: SeatKnowledge::new(engine, role, sampler, particles),
            advisor,
        }
    }

    /// The advice of the advisor, in its own words.
    fn hint(&self, view: &View<'_>, budget: &Budget, seed: &Seed) -> String {
        let name = self.advisor.spec();
        let Seat::Player(mut advisor) = self.advisor.seat(&self.engine, self.role) else {
            return format!("{name} is shown the truth, so it gives no hint\n");
        };
        // Nothing can interrupt a player, so it gets no more time than a person waits.
        let decision = advisor.decide(view, &budget.share(0.5).within(HINT), seed);
        let mut text = format!("{name} would do {}\n", shown(&self.engine, decision.choice.0));
        decision.explain(&self.engine).iter().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        });
        text
    }

    /// The own moves and percepts so far.
    fn past(&self, evidence: &Evidence) -> String {
        let mut text = String::new();
        for (number, step) in evidence.steps.iter().enumerate() {
            let each: Vec<String> = step.own.named().iter().map(|own| shown(&self.engine, own.0)).collect();
            let own = match &step.own {
                OwnMove::Known(_) => each.join(" "),
                OwnMove::OneOf(_) => format!("one of {}", each.join(" ")),
                OwnMove::Untold(_) => format!("{} or another move", each.join(" ")),
            };
            let seen: Vec<String> = step.percepts.iter().map(|seen| shown(&self.engine, seen.0)).collect();
            let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(" ") };
            let _ = writeln!(text, "step {}: you do {own}; you perceive {seen}", number + 1);
        }
        if text.is_empty() { "nothing has happened yet\n".to_owned() } else { text }
    }

    /// Asks until a line is a move.
    ///
    /// # Errors
    /// Why there is none: the clock has run out, or the person is gone.
    fn dialogue(
        &mut self,
        at: &mut Shared,
        view: &View<'_>,
        budget: &Budget,
        seed: &Seed,
    ) -> Result<Move, Typed> {
        let moves: Vec<String> = view.legal.iter().map(|own| shown(&self.engine, own.0)).collect();
        at.console.say(&format!("step {}\n{}", view.evidence.step() + 1, self.knowledge.board()));
        at.console.say(&if moves.len() > LISTED {
            format!("you have {} moves: type a part of one to search, or moves to list all\n", moves.len())
        } else {
            listed(&moves, 0..moves.len())
        });
        let name = self.engine.roles()[self.role].clone();
        let mut proposed = None;
        for asked in 0_u64.. {
            let left =
                budget.left().map_or(String::new(), |left| format!(" ({:.0} s left)", left.as_secs_f64()));
            let line = match at.console.ask(&format!("{name}{left}> "), budget.deadline) {
                Typed::Line(line) => line,
                Typed::Ended => {
                    at.console.say("standard input has ended\n");
                    return Err(Typed::Ended);
                }
                away => return Err(away),
            };
            match choice::read(&line, &moves, proposed.take()) {
                Line::Play(place) => return Ok(view.legal[place]),
                Line::Found(found) => {
                    at.console.say(&listed(&moves, found.iter().copied()));
                    if let [only] = found[..] {
                        at.console.say(&format!("press Enter to do {}\n", moves[only]));
                        proposed = Some(only);
                    }
                }
                Line::Empty => at.console.say("type the number of a move, a part of one, or help\n"),
                Line::Unknown(said) => at.console.say(&format!("{said}\n")),
                Line::Command(word) => {
                    let said = match word {
                        Word::Help => help(),
                        Word::Moves => listed(&moves, 0..moves.len()),
                        Word::Board => self.knowledge.board(),
                        Word::Belief => self.knowledge.belief(),
                        Word::Hint => self.hint(view, budget, &seed.child("hint").index(asked as usize)),
                        Word::Past => self.past(view.evidence),
                        Word::Quit => return Err(Typed::Gone),
                    };
                    at.console.say(&said);
                }
            }
        }
        Err(Typed::Gone)
    }
}

impl Player for HumanSeat {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let certain = |own: Move| Decision::draw(vec![(own, 1.0)], seed);
        if let [only] = *view.legal {
            return certain(only);
        }
        if self.table.is_left() {
            return Decision::uniform(view.legal, seed);
        }
        let patience = budget.share(0.5).within(PATIENCE);
        self.knowledge.companion.follow(view.evidence, &patience, &seed.child("belief"));
        let table = Arc::clone(&self.table);
        let mut at = table.shared.lock();
        let chosen = match at.turn_to(&self.engine, self.role, budget.deadline) {
            Typed::Line(_) => self.dialogue(&mut at, view, budget, seed),
            away => Err(away),
        };
        // A person who leaves is not asked again, and the match is not counted; a person who is late gets a move that
        // is drawn.
        match chosen {
            Ok(own) => return certain(own),
            Err(Typed::Late) => at.was_late(self.role),
            Err(_) => table.leave(),
        }
        Decision::uniform(view.legal, seed)
    }
}

fn help() -> String {
    let mut text =
        "the number of a move, the move itself, or a part of it (Enter then plays the only one found), or\n"
            .to_owned();
    for (_, name, short, about) in WORDS {
        let _ = writeln!(text, "  {name:<8} {short}  {about}");
    }
    text + "a colon before one of these words makes it a command where a move has the same name, as in :quit\n"
}

/// The moves at these places with their numbers, in columns.
fn listed(moves: &[String], places: impl Iterator<Item = usize>) -> String {
    let digits = moves.len().to_string().len();
    let cells: Vec<String> = places.map(|place| format!("{:>digits$} {}", place + 1, moves[place])).collect();
    let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0) + 2;
    let rows = cells.len().div_ceil(if cells.len() <= 6 { 1 } else { ((WIDTH - 2) / width).max(1) });
    let mut text = String::new();
    for row in 0..rows {
        let line: Vec<String> =
            cells.iter().skip(row).step_by(rows).map(|cell| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "  {}", line.concat().trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_listed_in_columns_with_their_numbers() {
        let moves: Vec<String> = (1..=25).map(|each| format!("(mark {} {})", each / 5, each % 5)).collect();
        let text = listed(&moves, 0..25);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        for (place, own) in moves.iter().enumerate() {
            assert!(text.contains(&format!("{:>2} {own}", place + 1)), "{own}");
        }
        assert!(text.lines().count() < 8, "{text}");
        assert_eq!(listed(&moves[..2], [1].into_iter()), "  2 (mark 0 2)\n");
    }

    #[test]
    fn help_names_every_command() {
        let text = help();
        WORDS.iter().for_each(|(_, name, _, about)| assert!(text.contains(name) && text.contains(about)));
    }
}
