//! Writing a message, as the Dresden GameController writes it.
//!
//! Players were written against this game master, so its spelling is the one that all of them read: upper case but for
//! the name of the match, `NIL` before the first step, a blank behind every percept and behind the rules
//! (`((YOUGOTIT 1 1) )`), none behind the moves of GDL-I. ggp-base sends names as its rules spell them
//! ([`WireLetters::AsWritten`]).
//!
//! Invariant: a message that is written and read again is the same message, but for the case of letters and for what
//! the dialect does not say.

use std::fmt;
use std::time::Duration;

use hyperplay_play::player::SpecWord;

use super::dialect::{WireDialect, word};
use super::message::{Message, StepMessage};

/// How names are spelt in the messages of a game master.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WireLetters {
    /// In upper case, as the Dresden GameController does.
    #[default]
    Upper,
    /// As the rules spell them, as ggp-base does.
    AsWritten,
}

impl SpecWord for WireLetters {
    const WORDS: &'static [(&'static str, Self)] =
        &[("upper", WireLetters::Upper), ("as-written", WireLetters::AsWritten)];
}

impl WireLetters {
    /// The text in these letters. A letter whose upper case is more than one letter, or leads back to another one, is
    /// left as it is, so that no two names become equal.
    pub fn spell(self, text: &str) -> String {
        match self {
            WireLetters::AsWritten => text.to_owned(),
            WireLetters::Upper => text.chars().map(upper).collect(),
        }
    }
}

fn upper(letter: char) -> char {
    let single =
        |mut letters: Box<dyn Iterator<Item = char>>| letters.next().filter(|_| letters.next().is_none());
    match letter {
        _ if letter.is_ascii() => letter.to_ascii_uppercase(),
        // At the end of a word, the capital of this letter leads back to another one.
        '\u{3c3}' => letter,
        _ => {
            let capital = single(Box::new(letter.to_uppercase()));
            let leads_back = |&capital: &char| single(Box::new(capital.to_lowercase())) == Some(letter);
            capital.filter(leads_back).unwrap_or(letter)
        }
    }
}

impl fmt::Display for WireLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word(*self))
    }
}

/// How a game master writes its messages.
///
/// ```
/// use hyperplay_net::protocol::{Message, Phrasing, StepMessage, WireDialect, WireLetters};
///
/// let numbered = Some((1, Some("(mark 1 1)".to_owned())));
/// let step = StepMessage { id: "kr".into(), numbered, seen: Some(vec!["(yougotit 1 1)".into()]) };
/// let message = Message::Play(step);
/// let phrasing = Phrasing { dialect: WireDialect::Gdl2, letters: WireLetters::Upper };
/// assert_eq!(phrasing.write(&message), "(PLAY kr 1 (MARK 1 1) ((YOUGOTIT 1 1) ))");
/// let phrasing = Phrasing { dialect: WireDialect::Gdl2Of2011, letters: WireLetters::AsWritten };
/// assert_eq!(phrasing.write(&message), "(PLAY kr ((yougotit 1 1) ))");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Phrasing {
    /// How a step is told. The number of moves and the own last one are left out in all dialects but the official one.
    pub dialect: WireDialect,
    /// How names are spelt.
    pub letters: WireLetters,
}

impl Phrasing {
    /// The message as text. O(length).
    pub fn write(&self, message: &Message) -> String {
        let spell = |text: &str| self.letters.spell(text);
        match message {
            Message::Info => "(INFO)".to_owned(),
            Message::Preview { rules, clock } => {
                format!("(PREVIEW {} {})", rules_list(&spell(rules)), seconds(*clock))
            }
            Message::Start(start) => format!(
                "(START {} {} {} {} {})",
                start.id,
                spell(&start.role),
                rules_list(&spell(&start.rules)),
                seconds(start.startclock),
                seconds(start.playclock)
            ),
            Message::Play(step) => self.step("PLAY", step),
            Message::Stop(step) => self.step("STOP", step),
            Message::Abort { id } => format!("(ABORT {id})"),
        }
    }

    fn step(&self, word: &str, step: &StepMessage) -> String {
        let mut text = format!("({word} {}", step.id);
        if let (WireDialect::Gdl2, Some((made, last))) = (self.dialect, &step.numbered) {
            let last = last.as_ref().map_or("NIL".to_owned(), |last| self.letters.spell(last));
            text.push_str(&format!(" {made} {last}"));
        }
        text.push(' ');
        match &step.seen {
            None => text.push_str("NIL"),
            Some(seen) => {
                let seen: Vec<String> = seen.iter().map(|term| self.letters.spell(term)).collect();
                text.push('(');
                text.push_str(&seen.join(" "));
                if self.dialect != WireDialect::Gdl1 && !seen.is_empty() {
                    text.push(' ');
                }
                text.push(')');
            }
        }
        text.push(')');
        text
    }
}

/// The rules in parentheses, with a blank before the last one unless a line ends there. A comment in the last line gets
/// a line end, so that it does not swallow the parenthesis.
fn rules_list(rules: &str) -> String {
    let end = match rules.rsplit('\n').next() {
        Some("") if !rules.is_empty() => "",
        Some(line) if line.contains(';') => "\n",
        _ => " ",
    };
    format!("({rules}{end})")
}

/// A duration as seconds, with as many decimals as it has.
fn seconds(clock: Duration) -> String {
    let all = format!("{}.{:09}", clock.as_secs(), clock.subsec_nanos());
    all.trim_end_matches('0').trim_end_matches('.').to_owned()
}
