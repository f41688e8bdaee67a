//! The tokens of a `.efg` text.
//!
//! Blanks only separate. Texts stand in quotation marks and may span lines; inside, `\"` is a quotation mark and every
//! other backslash stands for itself. A number ends where no digit, point, slash or exponent can continue it, so blanks
//! around braces and texts are optional. Everything else up to a blank, brace, comma or quotation mark is a word.

use std::borrow::Cow;

use super::error::GambitPlace;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GambitTokenKind {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `,`
    Comma,
    /// A number, or what begins like one.
    Number,
    /// A text in quotation marks.
    Text,
    /// A quotation mark without partner.
    Unclosed,
    /// Any other word.
    Word,
    /// The end of the file.
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct GambitToken<'t> {
    pub(super) kind: GambitTokenKind,
    /// The characters; of a text, those between the quotation marks.
    pub(super) text: &'t str,
    /// The offset of the first byte.
    pub(super) at: usize,
}

impl<'t> GambitToken<'t> {
    /// The content of a text.
    pub(super) fn unescaped(&self) -> Cow<'t, str> {
        if self.text.contains("\\\"") { self.text.replace("\\\"", "\"").into() } else { self.text.into() }
    }

    /// The token as a message shows it.
    pub(super) fn shown(&self) -> String {
        let short: String =
            self.text.chars().take(30).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let dots = if short.len() < self.text.len() { "..." } else { "" };
        match self.kind {
            GambitTokenKind::End => "the end of the file".to_owned(),
            GambitTokenKind::Text => format!("the text \"{short}{dots}\""),
            GambitTokenKind::Number => format!("the number {short}{dots}"),
            _ => format!("'{short}{dots}'"),
        }
    }
}

/// Reads one token after the other.
#[derive(Clone, Debug)]
pub(super) struct GambitTokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> GambitTokens<'t> {
    /// The tokens of a text; a byte-order mark at its beginning is skipped.
    pub(super) fn new(text: &'t str) -> Self {
        GambitTokens { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
    }

    /// The next token; [`GambitTokenKind::End`] again and again at the end.
    pub(super) fn next(&mut self) -> GambitToken<'t> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
        let start = self.at;
        let Some(&first) = bytes.get(start) else {
            return GambitToken { kind: GambitTokenKind::End, text: "", at: start };
        };
        let kind = match first {
            b'{' => GambitTokenKind::Open,
            b'}' => GambitTokenKind::Close,
            b',' => GambitTokenKind::Comma,
            b'"' => return self.quoted(),
            b'0'..=b'9' | b'+' | b'-' | b'.' => GambitTokenKind::Number,
            _ => GambitTokenKind::Word,
        };
        let rest = &bytes[start..];
        let length = match kind {
            GambitTokenKind::Number => number_length(rest),
            GambitTokenKind::Word => {
                let ends = |&byte: &u8| is_blank(byte) || b"{},\"".contains(&byte);
                rest.iter().position(ends).unwrap_or(rest.len())
            }
            _ => 1,
        };
        self.at += length;
        GambitToken { kind, text: &self.text[start..self.at], at: start }
    }

    fn quoted(&mut self) -> GambitToken<'t> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let mut end = start + 1;
        loop {
            match bytes.get(end) {
                None => {
                    self.at = bytes.len();
                    return GambitToken {
                        kind: GambitTokenKind::Unclosed,
                        text: &self.text[start..],
                        at: start,
                    };
                }
                Some(b'"') => break,
                Some(b'\\') if bytes.get(end + 1) == Some(&b'"') => end += 2,
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
        GambitToken { kind: GambitTokenKind::Text, text: &self.text[start + 1..end], at: start }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// How long the number at the beginning is: a sign, digits, and either a denominator or decimals and an exponent.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let signed = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut at = digits(signed(0));
    if bytes.get(at) == Some(&b'/') {
        return digits(at + 1);
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    let exponent = signed(at + 1);
    if matches!(bytes.get(at), Some(b'e' | b'E')) && bytes.get(exponent).is_some_and(u8::is_ascii_digit) {
        at = digits(exponent);
    }
    at
}

/// The place of an offset in a text. O(offset).
pub(super) fn place_in(text: &str, offset: usize) -> GambitPlace {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    let lines = before.bytes().filter(|&byte| byte == b'\n').count();
    GambitPlace::Text { line: number(lines), column: number(before[line_start..].chars().count()) }
}
