//! Locating: the word inside an atom that a finding is about.
//!
//! The syntax tree stores places for atoms and formulas only. For a finding about one name, the name is found again
//! here: the text of the atom is split into words as the readers do it, without comments.

use std::ops::Range;

use super::RulesheetView;
use crate::gdl::anonymous::is_anonymous;
use crate::gdl::{Rulesheet, Span, Syntax};
use hyperplay_machine::terms::{Symbol, fold};

impl RulesheetView<'_> {
    /// The first place of a constant, functor or relation inside `span`; the whole `span` if the name is not found.
    pub(super) fn locate(&self, span: Span, name: Symbol) -> Span {
        self.find(span, name, false).unwrap_or(span)
    }

    /// The first place of a variable inside `span`; for an anonymous variable, the first place of one.
    pub(super) fn locate_variable(&self, span: Span, name: Symbol) -> Option<Span> {
        let anonymous = || {
            let mut near = words(self.sheet, span).take_while(|(_, place)| place.start < span.start + FAR);
            let found = near.find(|(word, _)| matches!(*word, "_" | "?_"));
            found.filter(|_| is_anonymous(self.name(name))).map(|(_, place)| place)
        };
        self.find(span, name, true).or_else(anonymous)
    }

    /// A variable as it is written inside `span`, or as it would be written if it is not found there.
    pub(super) fn variable(&self, span: Span, name: Symbol) -> String {
        match self.locate_variable(span, name) {
            Some(place) => self.sheet.source.slice(place).to_owned(),
            None => self.as_variable(name),
        }
    }

    /// The name written as a variable in the syntax of the rulesheet.
    pub(super) fn as_variable(&self, name: Symbol) -> String {
        let name = self.name(name);
        match self.sheet.syntax {
            Syntax::Kif => format!("?{name}"),
            Syntax::Infix => {
                let mut characters = name.chars();
                characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect()
            }
        }
    }

    fn find(&self, span: Span, name: Symbol, variable: bool) -> Option<Span> {
        let name = fold(self.name(name));
        words(self.sheet, span)
            .take_while(|(_, place)| place.start < span.start + FAR)
            .filter(|(word, _)| is_variable(self.sheet.syntax, word) == variable)
            .find(|(word, _)| fold(word.trim_start_matches('?').trim_matches('\'')) == name)
            .map(|(_, place)| place)
    }
}

/// The number of bytes of an atom or a clause in which a name is searched. A finding further in gets the whole span.
const FAR: usize = 500;

/// Whether a word is a variable.
pub(super) fn is_variable(syntax: Syntax, word: &str) -> bool {
    match syntax {
        Syntax::Kif => word.starts_with('?'),
        Syntax::Infix => word.starts_with(|first: char| matches!(first, '?' | '_') || first.is_uppercase()),
    }
}

/// The words of a part of the text with their places, without comments.
pub(super) fn words(sheet: &Rulesheet, span: Span) -> impl Iterator<Item = (&str, Span)> {
    let text = sheet.source.slice(span);
    let syntax = sheet.syntax;
    let mut at = 0;
    std::iter::from_fn(move || {
        let Range { start, end } = next_word(text, at, syntax)?;
        at = end;
        Some((&text[start..end], Span::new(span.start + start, span.start + end)))
    })
}

/// The parts of the text outside comments, with the offsets at which they begin.
pub(super) fn code(sheet: &Rulesheet) -> impl Iterator<Item = (&str, usize)> {
    let mut start = 0;
    sheet.source.text().split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let end = line.char_indices().find(|(offset, _)| comment(&line[*offset..], sheet.syntax));
        (&line[..end.map_or(line.len(), |(offset, _)| offset)], at)
    })
}

/// Whether a text begins with a comment.
fn comment(text: &str, syntax: Syntax) -> bool {
    match syntax {
        Syntax::Kif => text.starts_with(';'),
        Syntax::Infix => text.starts_with(['%', ';']) || text.starts_with("//"),
    }
}

fn next_word(text: &str, mut at: usize, syntax: Syntax) -> Option<Range<usize>> {
    loop {
        let rest = &text[at..];
        let first = rest.chars().next()?;
        if comment(rest, syntax) {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if in_word(first, syntax) {
            return Some(at..at + length(rest, syntax));
        } else {
            at += first.len_utf8();
        }
    }
}

/// The length of the word at the beginning of a text, quotes of the infix form included.
fn length(text: &str, syntax: Syntax) -> usize {
    let mark = text.len() - text.trim_start_matches('?').len();
    if syntax == Syntax::Infix && text[mark..].starts_with('\'') {
        return text[mark + 1..].find('\'').map_or(text.len(), |end| mark + end + 2);
    }
    text.find(|character| !in_word(character, syntax)).unwrap_or(text.len())
}

fn in_word(character: char, syntax: Syntax) -> bool {
    match syntax {
        Syntax::Kif => !character.is_whitespace() && !matches!(character, '(' | ')' | ';'),
        Syntax::Infix => character.is_alphanumeric() || matches!(character, '_' | '?' | '\''),
    }
}
