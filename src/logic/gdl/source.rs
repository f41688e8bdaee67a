//! Sources: texts with a name, and places in them.
//!
//! Every finding has a place. A [`Span`] is a half-open range of bytes of one [`Source`]. Lines and columns count
//! from 1, and a column counts characters.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A half-open range of byte offsets into a [`Source`], where the example is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The smallest span that contains both.
    pub(crate) fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The place of a node of the syntax tree. All places compare as equal, so that two texts with the same clauses have
/// equal syntax trees.
#[derive(Clone, Copy, Default)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for At {}
impl Hash for At {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}..{}", self.0.start, self.0.end)
    }
}

/// A named text. Cloning it is cheap, because the text is shared.
///
/// ```
/// use hyperplay_logic::gdl::{Source, Span};
///
/// let source = Source::new("game.kif", "(role x)\n(role y)\n");
/// assert_eq!(source.slice(Span::new(9, 17)), "(role y)");
/// assert_eq!((source.name(), source.text().len()), ("game.kif", 18));
/// assert_eq!(source.line_column(9), (2, 1));
/// assert_eq!(source.line_starts(), [0, 9, 18]);
/// ```
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
}

impl Source {
    /// A text with the name that findings show (a path, or `<stdin>`). A byte-order mark at the beginning is removed.
    pub fn new(name: impl Into<Arc<str>>, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        Source { name: name.into(), text: text.strip_prefix('\u{feff}').unwrap_or(text).into() }
    }

    /// The name of the text, as findings show it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span.
    ///
    /// Returns the empty text for a span that does not lie on character boundaries of this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The offsets at which the lines begin, ascending. With them the lines of many places are found by binary search.
    /// O(text).
    pub fn line_starts(&self) -> Vec<usize> {
        std::iter::once(0).chain(self.text.match_indices('\n').map(|(offset, _)| offset + 1)).collect()
    }

    /// The line and the column of an offset, both from 1. An offset beyond the text counts as its end. O(offset).
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Whether a character separates words: white space, or the byte-order mark that some editors leave in the text.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let source = Source::new("t", "ab\nçd\n");
        assert_eq!(source.line_column(0), (1, 1));
        assert_eq!(source.line_column(3), (2, 1));
        assert_eq!(source.line_column(5), (2, 2));
        assert_eq!(source.line_column(99), (3, 1));
    }
}
