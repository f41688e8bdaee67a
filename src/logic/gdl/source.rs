//! Source: a text with a name, and places in it.
//!
//! Every diagnosis names a place; a [`Span`] is a half-open range of bytes of one [`Source`]. Lines and columns
//! count from 1; a column counts characters.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A half-open range of byte offsets into a [`Source`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Where a node of the syntax tree stands. A place is not part of what the node says: all places are equal, so
/// two texts that say the same have equal trees.
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

/// A named text; cheap to clone.
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
}

impl Source {
    /// A text under the name that diagnoses show (a path, or `<stdin>`). A byte-order mark is taken off.
    pub fn new(name: impl Into<Arc<str>>, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        Source { name: name.into(), text: text.strip_prefix('\u{feff}').unwrap_or(text).into() }
    }

    /// The name under which diagnoses show the text.
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

    /// The offset at which each line begins, for whoever asks for the lines of many places. O(text).
    pub fn line_starts(&self) -> Vec<usize> {
        let later = self.text.match_indices('\n').map(|(offset, _)| offset + 1);
        std::iter::once(0).chain(later).collect()
    }

    /// Line and column of an offset, both from 1. O(offset).
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
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
