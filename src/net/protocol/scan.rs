//! A scanner for S-expressions: it splits a text into words and lists, as slices of the text.
//!
//! The inside of a list is not looked at until it is asked for, so that rules of a megabyte are passed over once and
//! keep their spelling. A word is the text between blanks, parentheses and comments; a comment runs from `;` to the end
//! of the line. Control characters (NUL among them) count as blanks, as game masters never send them.
//!
//! Invariants: every pass over a text takes linear time and keeps only a depth, so no nesting can exhaust the stack. An
//! expression that is returned is balanced and at most [`DEEPEST`] levels deep.

use super::error::MessageError;

/// How many bytes a text from the network may have: the reader of rules takes no longer texts.
const LONGEST: usize = hyperplay_logic::gdl::MAX_TEXT + (1 << 10);

/// How many lists may lie inside one another: the reader of rules nests less deeply.
const DEEPEST: usize = 1_000;

/// A word or a list, as a slice of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expression<'t> {
    /// The text with its parentheses.
    pub(super) text: &'t str,
    /// Where it begins in the whole text, in bytes from 0.
    pub(super) at: usize,
    /// How deep the lists inside may be nested.
    depth: usize,
}

impl<'t> Expression<'t> {
    /// The text between the parentheses, and where that begins; `None` for a word.
    pub(super) fn inside(&self) -> Option<(&'t str, usize)> {
        let inside = self.text.strip_prefix('(')?.strip_suffix(')')?;
        Some((inside, self.at + 1))
    }

    /// The members of a list; `None` for a word.
    pub(super) fn members(&self) -> Option<Scanner<'t>> {
        let (text, base) = self.inside()?;
        Some(Scanner { text, base, at: 0, depth: self.depth.saturating_sub(1) })
    }
}

/// Iterates over the expressions of a text.
pub(super) struct Scanner<'t> {
    text: &'t str,
    /// Where the text begins in the whole text.
    base: usize,
    at: usize,
    depth: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, MessageError> {
        let bytes = text.len();
        if bytes > LONGEST {
            return Err(MessageError(format!("the message has {bytes} bytes; at most {LONGEST} are read")));
        }
        Ok(Scanner { text, base: 0, at: 0, depth: DEEPEST })
    }

    /// Where the scanner stands in the whole text.
    pub(super) fn place(&self) -> usize {
        self.base + self.at
    }

    /// The next expression; `None` at the end of the text.
    pub(super) fn next_expression(&mut self) -> Result<Option<Expression<'t>>, MessageError> {
        self.at += blanks(&self.text[self.at..]);
        let rest = &self.text[self.at..];
        let length = match rest.as_bytes().first() {
            None => return Ok(None),
            Some(b'(') => list_length(rest, self.depth, self.place())?,
            Some(b')') => return Err(MessageError::at(self.place(), "this `)` closes nothing; remove it")),
            Some(_) => word_length(rest),
        };
        let expression = Expression { text: &rest[..length], at: self.place(), depth: self.depth };
        self.at += length;
        Ok(Some(expression))
    }

    /// All expressions that are left.
    pub(super) fn rest(mut self) -> Result<Vec<Expression<'t>>, MessageError> {
        std::iter::from_fn(|| self.next_expression().transpose()).collect()
    }
}

/// The parentheses and words of a text; comments and blanks are left out.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = first_piece(&rest[blanks(rest)..]);
        rest = behind;
        Some(piece).filter(|piece| !piece.is_empty())
    })
}

/// The parenthesis or word at the beginning, and the text behind it.
fn first_piece(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(['(', ')']) { 1 } else { word_length(text) })
}

/// The text with one blank between the members of a list and none beside parentheses.
pub(super) fn one_blank<'t>(pieces: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for piece in pieces {
        if piece != ")" && !text.is_empty() && !text.ends_with('(') {
            text.push(' ');
        }
        text.push_str(piece);
    }
    text
}

/// The text with other words in place of its own, or `None` where one word has no other. Parentheses and blanks stay as
/// they are; comments are left out.
pub(crate) fn replace_words(text: &str, mut other: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let (mut rest, mut result) = (text, String::with_capacity(text.len()));
    while !rest.is_empty() {
        let (between, behind) = rest.split_at(blanks(rest));
        let mut in_comment = in_comment();
        result.extend(between.chars().filter(|&c| !in_comment(c)));
        let word;
        (word, rest) = first_piece(behind);
        match word {
            "(" | ")" | "" => result.push_str(word),
            _ => result.push_str(&other(word)?),
        }
    }
    Some(result)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}'
}

/// Says of one character after the other whether it stands in a comment; the end of the line does not.
fn in_comment() -> impl FnMut(char) -> bool {
    let mut is_in = false;
    move |c| {
        is_in = if is_in { c != '\n' && c != '\r' } else { c == ';' };
        is_in
    }
}

/// The length of the blanks and comments at the beginning.
fn blanks(text: &str) -> usize {
    let mut in_comment = in_comment();
    text.find(|c: char| !in_comment(c) && !is_blank(c)).unwrap_or(text.len())
}

/// The length of the word at the beginning.
fn word_length(text: &str) -> usize {
    text.find(|c: char| matches!(c, '(' | ')' | ';') || is_blank(c)).unwrap_or(text.len())
}

/// The length of the list at the beginning, which begins at `place` in the whole text.
fn list_length(text: &str, limit: usize, place: usize) -> Result<usize, MessageError> {
    let (mut depth, mut in_comment) = (0_usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' | b'\r' => in_comment = false,
            _ if in_comment => {}
            b';' => in_comment = true,
            b'(' => {
                depth += 1;
                if depth > limit {
                    let why = format!("more than {limit} lists lie inside one another");
                    return Err(MessageError::at(place + at, why));
                }
            }
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ => {}
        }
    }
    Err(MessageError::at(place, "this `(` is never closed; the message is cut off, or a `)` is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Result<Vec<&str>, MessageError> {
        let found = Scanner { depth: 3, ..Scanner::new(text)? }.rest()?;
        Ok(found.iter().map(|expression| expression.text).collect())
    }

    #[test]
    fn words_and_lists_are_slices_and_comments_are_skipped() {
        assert_eq!(
            scan(" a;b\n(c ; )\n d)(e)f\u{0}g\u{feff}").unwrap(),
            ["a", "(c ; )\n d)", "(e)", "f", "g"]
        );
        assert_eq!(scan("").unwrap(), [""; 0]);
        assert_eq!(scan("; nothing").unwrap(), [""; 0]);
    }

    #[test]
    fn parentheses_that_do_not_match_are_errors_with_their_place() {
        let error = |text: &str| scan(text).unwrap_err().to_string();
        assert!(error("a (b (c)").starts_with("column 3: this `(` is never closed"));
        assert!(error("(a) )").starts_with("column 5: this `)` closes nothing"));
        assert_eq!(scan("(((a)))").unwrap().len(), 1);
        assert_eq!(error("((((a))))"), "column 4: more than 3 lists lie inside one another");
    }

    #[test]
    fn the_depth_counts_from_the_whole_text() {
        let all = Scanner { depth: 4, ..Scanner::new("((((a))))").unwrap() }.rest().unwrap();
        let inner = all[0].members().unwrap().rest().unwrap();
        assert_eq!((inner[0].text, inner[0].at, inner[0].depth), ("(((a)))", 1, 3));
    }

    #[test]
    fn pieces_are_joined_by_one_blank() {
        assert_eq!(one_blank(pieces("( f  a(g ; x\n b ) ( ) )")), "(f a (g b) ())");
        assert_eq!(one_blank(pieces(" a\tb ")), "a b");
    }

    #[test]
    fn words_are_replaced_and_the_blanks_around_them_stay() {
        let twice = |word: &str| (word != "no").then(|| format!("{word}{word}"));
        assert_eq!(replace_words(" (a ( b ; c\n) )\n", twice).unwrap(), " (aa ( bb \n) )\n");
        // The end of the line divides words, also where a comment stands before it.
        assert_eq!(replace_words("a;c\nb;c\rc", twice).unwrap(), "aa\nbb\rcc");
        assert_eq!(replace_words("(yes no)", twice), None);
    }
}
