//! The game master of a check: it plays one small game with the player under test, in one phrasing.
//!
//! The other roles answer by rule: `random` draws by a fixed seed, and any other role makes the move behind the one
//! that the player made, so that the two differ wherever they can.

use std::time::Duration;

use hyperplay_engine::{Interpreter, InterpreterScratch};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{JointMove, Move, Role, Seed, State, StateMachine, StateMachineExt};
use rand::RngExt;

use crate::protocol::{
    Message, Phrasing, Scrambler, StartMessage, StepMessage, WireDialect, WireLetters, game_line, quoted,
    read_term, with_joint_moves,
};

/// The clocks under which a player is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckClocks {
    /// The time until the first move is asked for.
    pub startclock: Duration,
    /// The time for each move.
    pub playclock: Duration,
    /// How long an answer is awaited after its clock.
    pub grace: Duration,
}

/// An answer that was legal.
pub(super) struct LegalAnswer {
    pub(super) choice: Move,
    /// The answer with one blank between members, as it was spelt.
    pub(super) spelt: String,
    /// The error in its spelling, if there is one.
    pub(super) misspelt: Option<String>,
}

/// How a game is told.
#[derive(Clone, Copy)]
pub(super) struct Telling {
    pub(super) phrasing: Phrasing,
    /// Whether names are scrambled.
    pub(super) scrambled: bool,
    /// Whether percepts come in the opposite order.
    pub(super) reversed: bool,
}

impl Telling {
    const fn of(dialect: WireDialect, letters: WireLetters) -> Telling {
        Telling { phrasing: Phrasing { dialect, letters }, scrambled: false, reversed: false }
    }
}

pub(super) const GDL2: Telling = Telling::of(WireDialect::Gdl2, WireLetters::Upper);
pub(super) const AS_WRITTEN: Telling = Telling::of(WireDialect::Gdl2, WireLetters::AsWritten);
pub(super) const OF_2011: Telling = Telling::of(WireDialect::Gdl2Of2011, WireLetters::Upper);
pub(super) const GDL1: Telling = Telling::of(WireDialect::Gdl1, WireLetters::Upper);

/// A match with the player under test.
pub(super) struct CheckMaster {
    pub(super) id: String,
    telling: Telling,
    role: Role,
    rules: String,
    scrambler: Option<Scrambler>,
    machine: Interpreter,
    scratch: InterpreterScratch,
    state: State,
    made: usize,
    last: Option<String>,
    seen: Option<Vec<String>>,
}

impl CheckMaster {
    pub(super) fn new(rules: &str, id: String, telling: Telling) -> Self {
        let loaded = load(Source::new("check.kif", rules), None).game;
        let loaded = loaded.expect("the rules of the checks have no errors");
        let machine = Interpreter::new(&loaded).expect("the games of the checks are small");
        let mut rules = game_line(&loaded);
        // A master of GDL-II as of 2011 adds no rule to a game of GDL-I, in which nothing is seen then.
        if !loaded.is_imperfect() && telling.phrasing.dialect == WireDialect::Gdl2 {
            rules = with_joint_moves(&rules);
        }
        let scrambler = telling.scrambled.then(|| Scrambler::new(&rules, &Seed::root(1).child("check")));
        CheckMaster {
            id,
            telling,
            role: Role::new(0),
            rules,
            scrambler,
            scratch: machine.scratch(),
            state: machine.initial(),
            machine,
            made: 0,
            last: None,
            seen: None,
        }
    }

    /// Rules or a term in the names of this match.
    fn told(&self, text: &str) -> String {
        self.scrambler.as_ref().map_or(text.to_owned(), |scrambler| scrambler.scramble(text))
    }

    pub(super) fn start_message(&self, clocks: CheckClocks) -> String {
        self.telling.phrasing.write(&Message::Start(StartMessage {
            id: self.id.clone(),
            role: self.told(&self.machine.roles()[self.role]),
            rules: self.told(&self.rules),
            startclock: clocks.startclock,
            playclock: clocks.playclock,
        }))
    }

    pub(super) fn preview_message(&self, clocks: CheckClocks) -> String {
        let rules = self.told(&self.rules);
        self.telling.phrasing.write(&Message::Preview { rules, clock: clocks.startclock })
    }

    pub(super) fn play_message(&self) -> String {
        self.telling.phrasing.write(&Message::Play(self.step()))
    }

    pub(super) fn stop_message(&self) -> String {
        self.telling.phrasing.write(&Message::Stop(self.step()))
    }

    fn step(&self) -> StepMessage {
        let numbered = Some((self.made, self.last.clone()));
        StepMessage { id: self.id.clone(), numbered, seen: self.seen.clone() }
    }

    pub(super) fn is_over(&mut self) -> bool {
        self.machine.terminal(&self.state, &mut self.scratch)
    }

    /// The legal moves of the player.
    pub(super) fn legal(&mut self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.machine.legal(&self.state, self.role, &mut self.scratch, &mut moves);
        moves
    }

    /// A move as the messages of this match spell it.
    pub(super) fn spelt(&self, own: Move) -> String {
        self.telling.phrasing.letters.spell(&self.told(&self.machine.show_move(own)))
    }

    /// Whether an answer is a legal move, and whether it is spelt as the rules spell it.
    pub(super) fn judge(&mut self, answer: &str) -> Result<LegalAnswer, String> {
        let spelt = read_term(answer).map_err(|error| format!("the answer is no move: {error}"))?;
        let legal = self.legal();
        let names: Vec<String> = legal.iter().map(|&own| self.spelt(own)).collect();
        let position = names.iter().position(|name| name.eq_ignore_ascii_case(&spelt));
        let Some(position) = position else {
            return Err(format!(
                "`{}` is not legal in step {}; legal: {}",
                quoted(&spelt, 60),
                self.made + 1,
                names.join(" ")
            ));
        };
        let (choice, name) = (legal[position], &names[position]);
        let misspelt =
            (*name != spelt).then(|| format!("`{spelt}` is spelt `{name}` in the rules of this match"));
        Ok(LegalAnswer { choice, spelt, misspelt })
    }

    /// Makes the step as a master does that got no answer, or an illegal one: with another legal move, if there is one.
    pub(super) fn replace(&mut self, sent: Option<Move>) {
        let legal = self.legal();
        let other = legal.iter().find(|&&other| Some(other) != sent).or(legal.first());
        self.advance(*other.expect("the games of the checks have a legal move in every state"));
    }

    /// Makes the step with this move of the player.
    pub(super) fn advance(&mut self, own: Move) {
        let legal = self.machine.legal_by_role(&self.state, &mut self.scratch);
        let place = legal[self.role].iter().position(|&other| other == own).unwrap_or(0);
        let mut rng = Seed::root(2).child("random").index(self.made).rng();
        let random = self.machine.random();
        let joint = JointMove::new(legal.iter().map(|(role, moves)| match role {
            _ if role == self.role => own,
            _ if Some(role) == random => moves[rng.random_range(0..moves.len())],
            _ => moves[(place + 1) % moves.len()],
        }));
        let mut seen: Vec<String> = match self.telling.phrasing.dialect {
            WireDialect::Gdl1 => joint.iter().map(|&each| self.machine.show_move(each)).collect(),
            WireDialect::Gdl2Of2011 if !self.machine.game().is_imperfect() => Vec::new(),
            _ => {
                let percepts = self.machine.percepts(&self.state, &joint, self.role, &mut self.scratch);
                percepts.iter().map(|percept| self.machine.terms().show(percept.0)).collect()
            }
        };
        if self.telling.reversed {
            seen.reverse();
        }
        self.seen = Some(seen.iter().map(|term| self.told(term)).collect());
        self.last = Some(self.told(&self.machine.show_move(own)));
        self.state = self.machine.next(&self.state, &joint, &mut self.scratch);
        self.made += 1;
    }
}
