//! Font: the one font of all figures, which is inside the program.
//!
//! Invariant: a text is as wide as the sum of the widths of its characters, in the layout, in a browser and in a PDF,
//! because the font has neither kerning nor ligatures. No font of the system is read, so a figure has the same bytes
//! on every computer. `font/README.md` says which font it is and how its file was made.
//!
//! A character that the font does not have is taken to be one em wide. A browser takes such a character from another
//! font; a PDF shows a box.

use std::sync::LazyLock;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ttf_parser::{Face, GlyphId};

/// The file.
pub(super) const BYTES: &[u8] = include_bytes!("font/DejaVuSansCondensed-Latin.ttf");

/// The name of its family.
pub(super) const FAMILY: &str = "DejaVu Sans Condensed";

/// How far a line of text reaches above its base line, in ems.
pub(super) const ASCENT: f64 = 0.93;

/// How far a line of text reaches below its base line, in ems.
pub(super) const DESCENT: f64 = 0.24;

/// The distance of the base lines of two lines, in ems.
pub(super) const LINE: f64 = 1.25;

/// The size of all texts, in points.
pub(super) const SIZE: f64 = 8.0;

/// The font, read.
pub(super) static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(BYTES, 0).expect("the file of the font is part of the program and is whole")
});

/// Units of the file in an em.
pub(super) fn units() -> f64 {
    f64::from(FACE.units_per_em())
}

/// The number of the glyph of a character; 0 if there is none.
pub(super) fn glyph(character: char) -> u16 {
    FACE.glyph_index(character).map_or(0, |GlyphId(number)| number)
}

/// The width of a glyph, in ems.
pub(super) fn advance(glyph: u16) -> f64 {
    f64::from(FACE.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)) / units()
}

/// The width of a text.
pub(super) fn width(text: &str) -> f64 {
    let ems = text.chars().map(|character| match glyph(character) {
        0 => 1.0,
        glyph => advance(glyph),
    });
    SIZE * ems.sum::<f64>()
}

/// The width of the widest of these texts.
pub(super) fn widest<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> f64 {
    texts.into_iter().map(|text| width(text.as_ref())).fold(0.0, f64::max)
}

/// The text in lines that are at most so wide: broken at blanks, a word that is too long behind a comma, a bracket
/// or a sign, and otherwise anywhere. A line has one character at least.
pub(super) fn wrap(text: &str, most: f64) -> Vec<String> {
    let fits = |text: &str| width(text.trim_end()) <= most;
    let mut lines = vec![String::new()];
    let mut put = |piece: &str, is_first: bool| {
        let line = lines.last_mut().expect("there is a line");
        let joined = format!("{line}{piece}");
        if fits(&joined) {
            *line = joined;
        } else if is_first || !line.is_empty() {
            lines.push(piece.to_owned());
        } else {
            *line = piece.to_owned();
        }
    };
    for word in text.split_inclusive(' ') {
        if fits(word) {
            put(word, true);
            continue;
        }
        for part in word.split_inclusive(|character| ",:;=/)]-_".contains(character)) {
            if fits(part) {
                put(part, false);
            } else {
                part.chars().for_each(|character| put(character.encode_utf8(&mut [0; 4]), false));
            }
        }
    }
    lines.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The style that makes the font known to a browser, with the font in it.
pub(super) fn css() -> String {
    format!(
        "@font-face{{font-family:\"{FAMILY}\";src:url(data:font/ttf;base64,{}) format(\"truetype\")}}",
        BASE64_STANDARD.encode(BYTES)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_wide_as_its_characters() {
        let each: f64 = "Score 54.7".chars().map(|one| width(&one.to_string())).sum();
        assert!((width("Score 54.7") - each).abs() < 1e-9);
        assert!(width("iii") < width("mmm"));
        assert_eq!(width("\u{6F22}"), SIZE);
        for known in "abcXYZ019 +-±×≤≥−…µσχ".chars() {
            assert_ne!(glyph(known), 0, "{known}");
        }
    }

    #[test]
    fn a_wrapped_text_has_all_its_characters_and_fits() {
        let text = "hyperplay:particles=16,search=flat,model=[softmax:temperature=30] against clairvoyant";
        for most in [20.0, 60.0, 120.0, 500.0] {
            let lines = wrap(text, most);
            assert!(lines.iter().all(|line| width(line) <= most), "{lines:?}");
            let all = |text: &str| text.chars().filter(|one| *one != ' ').collect::<String>();
            assert_eq!(all(&lines.concat()), all(text));
        }
        assert_eq!(wrap("a b", 500.0), ["a b"]);
        let words = wrap("hyperplay particles=1 per_move=16", 100.0);
        assert_eq!(words, ["hyperplay particles=1", "per_move=16"]);
        assert!(wrap("", 500.0).is_empty());
    }
}
