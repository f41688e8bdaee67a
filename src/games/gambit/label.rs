//! Labels that every reader of `.efg` accepts.
//!
//! A *legal* label is not empty, has only printable ASCII characters but no quotation mark and no backslash, does not
//! begin or end with a blank, and has no two blanks in a row; and it is unique among its siblings. A legal text stays
//! as it is. In any other text, quotation marks become `'`, backslashes `/`, rows of blanks (tabs and ends of lines
//! too) one blank, other control characters nothing, and every other character its code point, as in `<U+00E9>`. An
//! empty label becomes `_`. Where two siblings would then be equal, the later one gets ` _2`, ` _3`, ... at its end,
//! but never one that was legal and first: so writing what was written changes nothing.
//!
//! A title or comment may say anything, but OpenSpiel knows no escapes: quotation marks become `'` and backslashes `/`.

use std::borrow::Cow;
use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

/// The text with printable ASCII characters only; may be empty.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let fine = |(at, byte): (usize, u8)| match byte {
        b'"' | b'\\' => false,
        b' ' => at > 0 && at + 1 < text.len() && text.as_bytes()[at - 1] != b' ',
        byte => byte.is_ascii_graphic(),
    };
    if text.bytes().enumerate().all(fine) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push('\''),
            '\\' => out.push('/'),
            c if c.is_whitespace() => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c if c.is_ascii_graphic() => out.push(c),
            c if c.is_control() => {}
            c => write!(out, "<U+{:04X}>", u32::from(c)).expect("a string can be written to"),
        }
    }
    out.truncate(out.trim_end().len());
    out.into()
}

/// A title or comment without what would have to be escaped.
pub(super) fn unescapable(text: &str) -> String {
    text.replace('"', "'").replace('\\', "/")
}

/// The labels of siblings, made legal.
pub(super) fn legal_labels<'t>(labels: impl Iterator<Item = &'t str>) -> Vec<String> {
    let encoded = labels.map(|label| {
        let legal = match printable(label) {
            legal if legal.is_empty() => "_".to_owned(),
            legal => legal.into_owned(),
        };
        let kept = legal == label;
        (legal, kept)
    });
    distinct(encoded.collect(), " _")
}

/// Makes texts distinct: of equal ones the first that is to be kept stays (or the first of all), and each other gets
/// the separator and the smallest number from 2 that makes it new. O(length) on average.
pub(super) fn distinct(texts: Vec<(String, bool)>, separator: &str) -> Vec<String> {
    let kept = texts.iter().filter(|(_, kept)| *kept).map(|(text, _)| text.clone());
    let mut used: FxHashSet<String> = kept.collect();
    let mut waiting = used.clone();
    let mut next: FxHashMap<String, u32> = FxHashMap::default();
    let mut out = Vec::new();
    for (text, kept) in texts {
        if kept && waiting.remove(&text) || used.insert(text.clone()) {
            out.push(text);
            continue;
        }
        let number = next.entry(text.clone()).or_insert(2);
        let fresh = loop {
            let candidate = format!("{text}{separator}{number}");
            *number += 1;
            if used.insert(candidate.clone()) {
                break candidate;
            }
        };
        out.push(fresh);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legal(labels: &[&str]) -> Vec<String> {
        legal_labels(labels.iter().copied())
    }

    #[test]
    fn what_is_legal_stays() {
        for text in ["a", "bet 1", "(1,1)", "x'", "<U+00E9>", "_"] {
            assert_eq!(legal(&[text]), [text]);
        }
    }

    #[test]
    fn other_characters_are_replaced() {
        for (text, expected) in [
            ("", "_"),
            ("  ", "_"),
            ("say \"hi\"", "say 'hi'"),
            ("a\\b", "a/b"),
            (" a\t \n b ", "a b"),
            ("é", "<U+00E9>"),
            ("a\u{1}b", "ab"),
            ("\u{1F3B2}", "<U+1F3B2>"),
        ] {
            assert_eq!(legal(&[text]), [expected], "{text:?}");
        }
    }

    #[test]
    fn siblings_become_distinct_and_legal_ones_have_precedence() {
        assert_eq!(legal(&["", "_", ""]), ["_ _2", "_", "_ _3"]);
        assert_eq!(legal(&["a", "a", "a _2", "a"]), ["a", "a _3", "a _2", "a _4"]);
        assert_eq!(legal(&["\"", "'"]), ["' _2", "'"]);
    }

    #[test]
    fn legal_labels_are_legal() {
        let once = legal(&["é", "é", "", "\"", "'", " x  y ", "x y", "x y _2", "a\\"]);
        let again: Vec<&str> = once.iter().map(String::as_str).collect();
        assert_eq!(legal(&again), once);
    }
}
