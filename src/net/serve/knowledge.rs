//! The knowledge of a role about a match, built from the messages of the game master.
//!
//! In the official dialect every message says how many steps were made and which own move was recorded; the move that
//! we sent does not matter. In the dialect of 2011 nobody tells us the recorded move. It is what we sent, unless that was
//! late, lost or not legal; the belief weighs that ([`OwnMove::Untold`]). In GDL-I the joint move is told, from which
//! both follow: in the order of the roles, or as percepts `(did ROLE MOVE)`.
//!
//! **A repeated message.** A message without a number that says the same as the one before it may be that one, sent once
//! more. It is taken for the next step as long as some history explains that: lost answers are what known game masters
//! have to cope with, and none of them repeats a message, so each history with a lost answer is likelier than a
//! repetition. Where it is proven that no history explains a further step, the caller [takes it
//! back](Knowledge::take_back).
//!
//! Invariant: the evidence has one observation for each step that was told of, in order, and nothing else. If a message
//! was missed, the evidence ends before the hole, and [`Knowledge::has_hole`] says so.

use std::collections::BTreeMap;

use crate::protocol::StepMessage;
use hyperplay_logic::gdl::{Game, TermId};
use hyperplay_machine::{Evidence, Move, Observation, OwnMove, Percept, Percepts, Role};

/// Remarks of a match, and characters of each.
const REMARKS: usize = 100;
const LONGEST_REMARK: usize = 200;

/// Bytes of all percepts of a match; more than any game of the field sends.
const LONGEST_PAST: usize = 4 << 20;

/// The answer at one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SentAnswer {
    /// The move, as it was sent.
    pub text: String,
    /// Whether it may have come too late.
    pub late: bool,
}

/// The addition of a message to what was known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heard {
    /// The question for the first move.
    First,
    /// The events of the next step.
    Next,
    /// The question of this step again.
    Again(usize),
    /// Steps between were missed. The number is that of the joint moves that were made by now.
    Hole(usize),
}

/// The knowledge of one role about one match.
#[derive(Debug)]
pub struct Knowledge {
    /// All that is known.
    pub evidence: Evidence,
    /// The answers, by step.
    answers: BTreeMap<usize, SentAnswer>,
    /// How many steps were made, as far as is known: more than the evidence has after a hole.
    pub made: usize,
    /// Whether the messages are those of the official dialect, which say the number of the step.
    pub is_numbered: bool,
    /// The oddities, in sentences.
    pub remarks: Vec<String>,
    /// The terms that the last message told, in a dialect without numbers.
    last_seen: Option<Vec<String>>,
    may_be_repeated: bool,
    /// Bytes of all that was perceived.
    bytes: usize,
}

impl Knowledge {
    /// Before the first message.
    pub fn new(role: Role) -> Knowledge {
        Knowledge {
            evidence: Evidence::new(role),
            answers: BTreeMap::new(),
            made: 0,
            is_numbered: false,
            remarks: Vec::new(),
            last_seen: None,
            may_be_repeated: false,
            bytes: 0,
        }
    }

    /// Whether a step was missed, so that the evidence ends before it.
    pub fn has_hole(&self) -> bool {
        self.made > self.evidence.step()
    }

    /// The answer after `step` steps.
    pub fn answer(&self, step: usize) -> Option<&SentAnswer> {
        self.answers.get(&step)
    }

    /// Keeps what is answered now.
    pub fn answered(&mut self, answer: SentAnswer) {
        self.answers.insert(self.made, answer);
    }

    /// Takes in a message.
    pub fn hear(&mut self, game: &Game, message: &StepMessage) -> Heard {
        self.is_numbered |= message.numbered.is_some();
        let number = match (&message.numbered, &message.seen) {
            (Some((number, _)), _) => *number,
            (None, None) if self.made == 0 => 0,
            (None, _) => self.made + 1,
        };
        if number <= self.made {
            let is_new = number == self.made && self.answer(number).is_none();
            return if is_new && number == 0 { Heard::First } else { Heard::Again(number) };
        }
        let is_like_last =
            message.numbered.is_none() && message.seen.is_some() && message.seen == self.last_seen;
        self.may_be_repeated = is_like_last && self.answer(self.made).is_some();
        self.last_seen.clone_from(&message.seen);
        self.bytes += message.seen.iter().flatten().map(|text| text.len() + 1).sum::<usize>();
        let missed = if number > self.made + 1 || self.has_hole() {
            Some("the message before it did not come")
        } else if self.bytes > LONGEST_PAST {
            Some("more was perceived in this match than is kept")
        } else {
            None
        };
        if let Some(why) = missed {
            self.made = number;
            self.remark(format!("step {number}: {why}"));
            return Heard::Hole(number);
        }
        let observation = self.observation(game, message);
        self.evidence.steps.push(observation);
        self.made = number;
        Heard::Next
    }

    /// Where the last message says the same as the one before it, in a dialect without numbers: takes it for that one
    /// once more, and forgets it. Returns what was answered then.
    pub fn take_back(&mut self) -> Option<&SentAnswer> {
        if !std::mem::take(&mut self.may_be_repeated) {
            return None;
        }
        self.evidence.steps.pop();
        self.made -= 1;
        self.remark(format!("step {}: the message came twice", self.made));
        self.answer(self.made)
    }

    fn remark(&mut self, remark: String) {
        if self.remarks.len() < REMARKS {
            self.remarks.push(remark.chars().take(LONGEST_REMARK).collect());
        }
    }

    /// Notes that the last step ended the match.
    pub fn end(&mut self) {
        self.evidence.over = !self.has_hole();
    }

    /// The observation that a message gives of the step that it tells.
    fn observation(&mut self, game: &Game, message: &StepMessage) -> Observation {
        let seen = message.seen.as_deref().unwrap_or_default();
        let joint = joint(game, seen);
        let own = match (&message.numbered, &joint) {
            (Some((_, Some(last))), _) => {
                self.read(game, last).map_or(OwnMove::Untold(None), |own| OwnMove::Known(Move(own)))
            }
            (_, Some(moves)) => OwnMove::Known(Move(moves[self.evidence.role.index()])),
            _ => {
                let in_time = self.answer(self.made).filter(|sent| !sent.late);
                OwnMove::Untold(in_time.and_then(|sent| game.terms().read(&sent.text)).map(Move))
            }
        };
        let percepts = match joint {
            Some(moves) => told_moves(game, &moves),
            None => seen.iter().filter_map(|text| self.read(game, text)).map(Percept).collect(),
        };
        let terms = game.terms();
        Observation { own, percepts: Percepts::new(percepts, |a, b| terms.compare(a.0, b.0)) }
    }

    /// Reads a term; one that the game does not have is a remark.
    fn read(&mut self, game: &Game, text: &str) -> Option<TermId> {
        let term = game.terms().read(text);
        if term.is_none() {
            self.remark(format!("step {}: {text} is no term of the game", self.made + 1));
        }
        term
    }
}

/// The joint move of a GDL-I game, if it is told in the order of the roles and not as percepts `(did ROLE MOVE)`, which
/// a game master sends that has added a rule for them.
fn joint(game: &Game, seen: &[String]) -> Option<Vec<TermId>> {
    if game.is_imperfect() || seen.len() != game.roles().len() {
        return None;
    }
    let moves: Vec<TermId> = seen.iter().map(|text| game.terms().read(text)).collect::<Option<_>>()?;
    let is_did = |&told: &TermId| {
        let name = game.terms().symbols().name(game.terms().functor(told));
        let arguments = game.terms().arguments(told);
        name.eq_ignore_ascii_case("did") && arguments.len() == 2 && game.roles().contains(&arguments[0])
    };
    (!moves.iter().all(is_did)).then_some(moves)
}

/// The percepts of a joint move for every role of a GDL-I game.
fn told_moves(game: &Game, moves: &[TermId]) -> Vec<Percept> {
    let terms = game.terms();
    let did = |(&role, &own): (&TermId, &TermId)| {
        terms.read(&format!("(did {} {})", terms.show(role), terms.show(own))).map(Percept)
    };
    game.roles().iter().zip(moves).filter_map(did).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Message;
    use hyperplay_logic::gdl::{Source, load};

    fn game(hides: bool) -> Game {
        let sees = if hides { "(<= (sees me (heard ?m)) (does you ?m))" } else { "" };
        let text = format!(
            "(ROLE me) (role you) (init a) (legal me X) (legal me y) (legal you z) {sees}
             (<= (next a) (true a)) (<= terminal (not (true a))) (goal me 1) (goal you 1)"
        );
        load(Source::new("t", text), None).game.unwrap()
    }

    fn message(text: &str) -> StepMessage {
        match Message::read(text).unwrap() {
            Message::Play(step) | Message::Stop(step) => step,
            other => panic!("{other:?}"),
        }
    }

    fn term(game: &Game, text: &str) -> Move {
        Move(game.terms().read(text).unwrap())
    }

    fn sent(text: &str, late: bool) -> SentAnswer {
        SentAnswer { text: text.to_owned(), late }
    }

    #[test]
    fn the_recorded_move_corrects_ours_and_a_repeated_message_adds_nothing() {
        let game = game(true);
        let mut known = Knowledge::new(Role::new(0));
        assert_eq!(known.hear(&game, &message("(PLAY m 0 NIL NIL)")), Heard::First);
        known.answered(sent("x", false));
        assert_eq!(known.hear(&game, &message("(PLAY m 0 NIL NIL)")), Heard::Again(0));
        assert_eq!(known.hear(&game, &message("(PLAY m 1 Y ((HEARD Z)))")), Heard::Next);
        let step = &known.evidence.steps[0];
        assert_eq!(step.own, OwnMove::Known(term(&game, "y")));
        assert_eq!(step.percepts.len(), 1);
        assert_eq!(known.hear(&game, &message("(PLAY m 1 Y ((HEARD Z)))")), Heard::Again(1));
        known.answered(sent("x", false));
        let far = Heard::Hole(4_000_000_000);
        let mut other = Knowledge::new(Role::new(0));
        assert_eq!(other.hear(&game, &message("(PLAY m 4000000000 Y ())")), far);
        other.answered(sent("x", false));
        assert_eq!(other.made, 4_000_000_000);
        assert_eq!(known.hear(&game, &message("(PLAY m 3 Y ())")), Heard::Hole(3));
        assert!(known.has_hole() && known.evidence.step() == 1);
        known.answered(sent("x", false));
        assert_eq!(known.hear(&game, &message("(STOP m 4 X ())")), Heard::Hole(4));
        known.end();
        assert!(!known.evidence.over && known.remarks.len() == 2);
    }

    #[test]
    fn in_2011_the_move_that_was_sent_is_the_likeliest_unless_it_was_late() {
        let game = game(true);
        let mut known = Knowledge::new(Role::new(0));
        assert_eq!(known.hear(&game, &message("(PLAY m NIL)")), Heard::First);
        known.answered(sent("x", false));
        assert_eq!(known.hear(&game, &message("(PLAY m ((heard z) ))")), Heard::Next);
        assert_eq!(known.evidence.steps[0].own, OwnMove::Untold(Some(term(&game, "x"))));
        known.answered(sent("x", true));
        assert_eq!(known.hear(&game, &message("(PLAY m ())")), Heard::Next);
        assert_eq!(known.evidence.steps[1].own, OwnMove::Untold(None));
        // What was answered by the front may be no term of the game.
        known.answered(sent("what", false));
        assert_eq!(known.hear(&game, &message("(PLAY m ((heard z)))")), Heard::Next);
        assert_eq!(known.evidence.steps[2].own, OwnMove::Untold(None));
    }

    #[test]
    fn the_joint_move_of_gdl_1_is_what_every_role_perceives() {
        let game = game(false);
        for (first, next) in [
            ("(PLAY m NIL)", "(PLAY m (Y Z))"),
            ("(PLAY m 0 NIL NIL)", "(PLAY m 1 Y ((DID ME Y) (DID YOU Z) ))"),
            ("(PLAY m 0 NIL NIL)", "(PLAY m 1 Y (Y Z))"),
        ] {
            let mut known = Knowledge::new(Role::new(0));
            known.hear(&game, &message(first));
            known.answered(sent("x", false));
            assert_eq!(known.hear(&game, &message(next)), Heard::Next);
            let step = &known.evidence.steps[0];
            let shown: Vec<String> = step.percepts.iter().map(|seen| game.terms().show(seen.0)).collect();
            assert_eq!(shown, ["(did me y)", "(did you z)"], "{next}");
            assert_eq!(step.own, OwnMove::Known(term(&game, "y")), "{next}");
        }
    }

    #[test]
    fn what_is_no_term_of_the_game_is_a_remark() {
        let game = game(true);
        let mut known = Knowledge::new(Role::new(0));
        known.hear(&game, &message("(PLAY m 0 NIL NIL)"));
        known.answered(sent("x", false));
        assert_eq!(known.hear(&game, &message("(PLAY m 1 WHAT ((HEARD Z) (BOO 7)))")), Heard::Next);
        assert_eq!(known.remarks.len(), 2, "{:?}", known.remarks);
        assert_eq!(known.evidence.steps[0].own, OwnMove::Untold(None));
    }

    #[test]
    fn a_message_without_a_number_may_be_the_one_before_it_once_more() {
        let game = game(true);
        let mut known = Knowledge::new(Role::new(0));
        assert_eq!(known.hear(&game, &message("(PLAY m NIL)")), Heard::First);
        known.answered(sent("x", false));
        assert_eq!(known.hear(&game, &message("(PLAY m NIL)")), Heard::Again(0));
        assert_eq!(known.hear(&game, &message("(PLAY m ((HEARD Z)))")), Heard::Next);
        assert_eq!(known.take_back(), None);
        known.answered(sent("y", false));
        assert_eq!(known.hear(&game, &message("(PLAY m ((HEARD Z)))")), Heard::Next);
        assert_eq!(known.made, 2);
        assert_eq!(known.take_back().unwrap().text, "y");
        assert!(known.made == 1 && known.evidence.step() == 1 && known.take_back().is_none());
    }

    #[test]
    fn what_is_too_long_leaves_a_hole() {
        let game = game(true);
        let mut known = Knowledge::new(Role::new(0));
        known.hear(&game, &message("(PLAY m 0 NIL NIL)"));
        let long = "(heard y) ".repeat(LONGEST_PAST / 5);
        assert_eq!(known.hear(&game, &message(&format!("(PLAY m 1 X ({long}))"))), Heard::Hole(1));
        let odd = "(q 1) ".repeat(1000) + &"w".repeat(5000);
        let mut known = Knowledge::new(Role::new(0));
        assert_eq!(known.hear(&game, &message(&format!("(PLAY m 1 X ({odd}))"))), Heard::Next);
        assert!(known.remarks.len() == REMARKS && known.remarks.iter().all(|it| it.len() <= LONGEST_REMARK));
    }
}
