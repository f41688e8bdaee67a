//! Reading a message: the text of a request, told apart by its first word and by how many members it has.
//!
//! The rules inside START and PREVIEW are passed over, not read: the reader of rules reports the errors in them. All
//! other terms are balanced, begin with a word, and are spelt with one blank between members.
//!
//! Three liberties are taken, because a message that means only one thing should be understood. `INFO` may stand
//! without parentheses, as people type it into `curl`. A clock may have decimals, as some courses use half seconds, and
//! one longer than a year is read as a year. Control characters count as blanks, as some clients send a final NUL.

use std::time::Duration;

use super::error::{MessageError, quoted};
use super::message::{Message, StartMessage, StepMessage};
use super::scan::{Expression, Scanner, one_blank, pieces};

/// The words that messages begin with, in errors.
const WORDS: &str = "START, PLAY, SEES, STOP, ABORT, INFO and PREVIEW";

/// The longest clock: longer ones are read as this.
const LONGEST_CLOCK: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl Expression<'_> {
    /// The error that this expression `is` something.
    fn wrong(&self, is: &str) -> MessageError {
        MessageError::at(self.at, format!("`{}` {is}", quoted(self.text, 40)))
    }

    /// The error that this expression stands in place of `what`.
    fn no(&self, what: &str, remedy: &str) -> MessageError {
        MessageError::at(self.at, format!("{what} is `{}`; {remedy}", quoted(self.text, 40)))
    }
}

impl Message {
    /// Reads a message. O(length).
    pub fn read(text: &str) -> Result<Message, MessageError> {
        let mut scanner = Scanner::new(text)?;
        let list = scanner.next_expression()?;
        let empty = "the message is empty; a game master sends a list such as `(INFO)`";
        let list = list.ok_or_else(|| MessageError(empty.to_owned()))?;
        if let Some(more) = scanner.next_expression()? {
            return Err(more.wrong("stands behind the end of the message; send one message at a time"));
        }
        let Some(members) = list.members() else {
            let is_info = list.text.eq_ignore_ascii_case("INFO");
            let error = list.wrong("is no list; a message is a list such as `(PLAY id 0 NIL NIL)`");
            return if is_info { Ok(Message::Info) } else { Err(error) };
        };
        message(list, members)
    }
}

/// Reads an answer: one term, which is returned with one blank between members. O(length).
///
/// ```
/// use hyperplay_net::protocol::read_term;
///
/// assert_eq!(read_term(" (mark  1 1 )\n").unwrap(), "(mark 1 1)");
/// assert!(read_term("this is ) junk").is_err());
/// ```
pub fn read_term(text: &str) -> Result<String, MessageError> {
    let mut scanner = Scanner::new(text)?;
    let found = scanner.next_expression()?;
    let found = found.ok_or_else(|| MessageError("the answer is empty; it is one term".to_owned()))?;
    match scanner.next_expression()? {
        Some(more) => Err(more.wrong("stands behind the first term; an answer is one term")),
        None => term(&found),
    }
}

fn message<'t>(list: Expression<'t>, mut members: Scanner<'t>) -> Result<Message, MessageError> {
    let keyword = members.next_expression()?;
    let Some(keyword) = keyword.filter(|word| word.inside().is_none()) else {
        let at = keyword.map_or(members.place(), |list| list.at);
        let why = "the message does not begin with a word; the words are";
        return Err(MessageError::at(at, format!("{why} {WORDS}")));
    };
    let folded = keyword.text.to_ascii_uppercase();
    let known = ["START", "PLAY", "SEES", "STOP", "ABORT", "INFO", "PREVIEW"];
    let Some(word) = known.into_iter().find(|&word| word == folded) else {
        return Err(keyword.wrong(&format!("is no message; there are {WORDS}")));
    };
    let members = members.rest()?;
    let count = |form: &str| {
        let why = format!("{word} has {} members after the word; it is `{form}`", members.len());
        MessageError::at(list.at, why)
    };
    match (word, members.as_slice()) {
        ("INFO", []) => Ok(Message::Info),
        ("INFO", _) => Err(count("(INFO)")),
        ("ABORT", [id]) => Ok(Message::Abort { id: name(id, "the name of the match")? }),
        ("ABORT", _) => Err(count("(ABORT id)")),
        ("PREVIEW", [rules, clock]) => {
            Ok(Message::Preview { rules: rules_of(rules)?, clock: seconds(clock, "previewclock")? })
        }
        ("PREVIEW", _) => Err(count("(PREVIEW (RULES) clock)")),
        ("START", [id, role, rules, startclock, playclock]) => Ok(Message::Start(StartMessage {
            id: name(id, "the name of the match")?,
            role: term(role)?,
            rules: rules_of(rules)?,
            startclock: seconds(startclock, "startclock")?,
            playclock: seconds(playclock, "playclock")?,
        })),
        ("START", _) => Err(count("(START id ROLE (RULES) startclock playclock)")),
        (_, [id, seen]) => Ok(step(word, id, None, seen)?),
        (_, [id, number, last, seen]) => Ok(step(word, id, Some((number, last)), seen)?),
        ("STOP", _) => Err(count("(STOP id n LASTMOVE (p1 p2 ))` or `(STOP id (p1 p2 ))")),
        _ => Err(count("(PLAY id n LASTMOVE (p1 p2 ))` or `(PLAY id (p1 p2 ))")),
    }
}

fn step(
    word: &str,
    id: &Expression<'_>,
    numbered: Option<(&Expression<'_>, &Expression<'_>)>,
    seen: &Expression<'_>,
) -> Result<Message, MessageError> {
    let numbered = numbered.map(|(number, last)| numbered_move(number, last)).transpose()?;
    let step = StepMessage { id: name(id, "the name of the match")?, numbered, seen: terms(seen)? };
    Ok(if word == "STOP" { Message::Stop(step) } else { Message::Play(step) })
}

/// The number of moves made and the own last one.
fn numbered_move(
    number: &Expression<'_>,
    last: &Expression<'_>,
) -> Result<(usize, Option<String>), MessageError> {
    let is_number = number.text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(made) = is_number.then(|| number.text.parse().ok()).flatten() else {
        return Err(number.no("the number of moves made", "it is a whole number from 0"));
    };
    let is_none = is_empty(last) || made == 0 && is_nil(last);
    Ok((made, if is_none { None } else { Some(term(last)?) }))
}

/// The percepts, or the joint move; `None` for `NIL`.
fn terms(list: &Expression<'_>) -> Result<Option<Vec<String>>, MessageError> {
    let Some(members) = list.members() else {
        let error = list.no("the list of percepts or moves", "it is a list in parentheses");
        return if is_nil(list) { Ok(None) } else { Err(error) };
    };
    members.rest()?.iter().map(term).collect::<Result<_, _>>().map(Some)
}

fn is_nil(expression: &Expression<'_>) -> bool {
    expression.text.eq_ignore_ascii_case("NIL")
}

/// Whether this is `()`.
fn is_empty(expression: &Expression<'_>) -> bool {
    expression.inside().is_some_and(|(inside, _)| pieces(inside).next().is_none())
}

/// Bytes of the name of a match or of a role.
const LONGEST_NAME: usize = 256;

fn name(expression: &Expression<'_>, what: &str) -> Result<String, MessageError> {
    match expression.inside() {
        None if expression.text.len() > LONGEST_NAME => {
            let why = format!("{what} has more than {LONGEST_NAME} bytes; give it a shorter name");
            Err(MessageError::at(expression.at, why))
        }
        None => Ok(expression.text.to_owned()),
        Some(_) => Err(MessageError::at(expression.at, format!("{what} is a list; it is one word"))),
    }
}

/// A term, spelt with one blank between members. O(length).
fn term(expression: &Expression<'_>) -> Result<String, MessageError> {
    let next = pieces(expression.text).skip(1);
    if pieces(expression.text).zip(next).any(|(piece, next)| piece == "(" && ["(", ")"].contains(&next)) {
        let why = "this list is no term; a term is a word or a list that begins with a word";
        return Err(MessageError::at(expression.at, why));
    }
    Ok(one_blank(pieces(expression.text)))
}

/// The rules, without the blank that game masters write before the last parenthesis.
fn rules_of(list: &Expression<'_>) -> Result<String, MessageError> {
    match list.inside() {
        Some((inside, _)) => Ok(inside.strip_suffix(' ').unwrap_or(inside).to_owned()),
        None => Err(list.no("the rulesheet", "it is a list in parentheses")),
    }
}

/// A number of seconds, read digit by digit so that no size of it can overflow or lose its value.
fn seconds(expression: &Expression<'_>, clock: &str) -> Result<Duration, MessageError> {
    let (whole, decimals) = expression.text.split_once('.').unwrap_or((expression.text, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(decimals) || whole.len() + decimals.len() == 0 {
        return Err(expression.no(&format!("the {clock}"), "it is a number of seconds such as 10 or 2.5"));
    }
    let digit = |byte: u8| u64::from(byte - b'0');
    let seconds = whole.bytes().fold(0_u64, |sum, byte| sum.saturating_mul(10).saturating_add(digit(byte)));
    let nanoseconds = decimals.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanoseconds = nanoseconds.fold(0, |sum, byte| sum * 10 + digit(byte));
    let exact = Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanoseconds));
    Ok(exact.min(LONGEST_CLOCK))
}
