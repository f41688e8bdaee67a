//! Font: the one font of all figures, which is inside the program.
//!
//! Invariant: a text is as wide as the sum of the widths of its characters, in the layout, in a browser and in a PDF,
//! because the font has neither kerning nor ligatures. No font of the system is read, so a figure has the same bytes
//! on every computer. `font/README.md` says which font it is and how its file was made.
//!
//! A character that the font does not have is taken to be one em wide. A browser takes such a character from another
//! font; a PDF shows a box.

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

/// The font, read.
#[derive(Clone)]
pub(super) struct Font {
    /// The face, for what a PDF says of it.
    pub(super) face: Face<'static>,
}

impl Font {
    pub(super) fn new() -> Font {
        Font {
            face: Face::parse(BYTES, 0).expect("the file of the font is part of the program and is whole"),
        }
    }

    /// Units of the file in an em.
    pub(super) fn units(&self) -> f64 {
        f64::from(self.face.units_per_em())
    }

    /// The number of the glyph of a character; 0 if there is none.
    pub(super) fn glyph(&self, character: char) -> u16 {
        self.face.glyph_index(character).map_or(0, |GlyphId(number)| number)
    }

    /// The width of a glyph, in ems.
    pub(super) fn advance(&self, glyph: u16) -> f64 {
        f64::from(self.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)) / self.units()
    }

    /// The width of a text of this size.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let ems = text.chars().map(|character| match self.glyph(character) {
            0 => 1.0,
            glyph => self.advance(glyph),
        });
        size * ems.sum::<f64>()
    }

    /// The text in lines that are at most so wide: broken at blanks, a word that is too long behind a comma, a bracket
    /// or a sign, and otherwise anywhere. A line has one character at least.
    pub(super) fn wrap(&self, text: &str, size: f64, width: f64) -> Vec<String> {
        let fits = |text: &str| self.width(text.trim_end(), size) <= width;
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
        for word in pieces(text, " ") {
            if fits(&word) {
                put(&word, true);
                continue;
            }
            for part in pieces(&word, ",:;=/)]-_") {
                if fits(&part) {
                    put(&part, false);
                    continue;
                }
                part.chars().for_each(|character| put(character.encode_utf8(&mut [0; 4]), false));
            }
        }
        lines.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    }
}

/// The text in pieces, each of which ends behind one of these characters.
fn pieces(text: &str, ends: &str) -> Vec<String> {
    text.split_inclusive(|character| ends.contains(character)).map(str::to_owned).collect()
}

/// The bytes in base 64, as a `data:` address has them.
pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_u32, |number, &byte| number << 8 | u32::from(byte))
            << (8 * (3 - three.len()));
        for digit in 0..4 {
            let six = (number >> (18 - 6 * digit)) & 63;
            text.push(if digit <= three.len() { char::from(DIGITS[six as usize]) } else { '=' });
        }
    }
    text
}

/// The style that makes the font known to a browser, with the font in it.
pub(super) fn css() -> String {
    format!(
        "@font-face{{font-family:\"{FAMILY}\";src:url(data:font/ttf;base64,{}) format(\"truetype\")}}",
        base64(BYTES)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_that_of_the_rfc() {
        // RFC 4648, section 10.
        for (text, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }

    #[test]
    fn a_text_is_as_wide_as_its_characters() {
        let font = Font::new();
        let each: f64 = "Score 54.7".chars().map(|one| font.width(&one.to_string(), 8.0)).sum();
        assert!((font.width("Score 54.7", 8.0) - each).abs() < 1e-9);
        assert!(font.width("iii", 8.0) < font.width("mmm", 8.0));
        assert_eq!(font.width("\u{6F22}", 8.0), 8.0);
        for known in "abcXYZ019 +-±×≤≥−…µσχ".chars() {
            assert_ne!(font.glyph(known), 0, "{known}");
        }
    }

    #[test]
    fn a_wrapped_text_has_all_its_characters_and_fits() {
        let font = Font::new();
        let text = "hyperplay:particles=16,search=flat,model=[softmax:temperature=30] against clairvoyant";
        for width in [20.0, 60.0, 120.0, 500.0] {
            let lines = font.wrap(text, 8.0, width);
            assert!(lines.iter().all(|line| font.width(line, 8.0) <= width), "{lines:?}");
            let all = |text: &str| text.chars().filter(|one| *one != ' ').collect::<String>();
            assert_eq!(all(&lines.concat()), all(text));
        }
        assert_eq!(font.wrap("a b", 8.0, 500.0), ["a b"]);
        let words = font.wrap("hyperplay particles=1 per_move=16", 8.0, 100.0);
        assert_eq!(words, ["hyperplay particles=1", "per_move=16"]);
        assert!(font.wrap("", 8.0, 500.0).is_empty());
    }
}
