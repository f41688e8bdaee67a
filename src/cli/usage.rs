//! Usage errors of the arguments themselves, in words: the parser's message about a number becomes a sentence that says
//! what is expected.
//!
//! `clap` prints help, version and its errors. Where a value is no number it quotes the error of the standard library,
//! which speaks of digits and integer types; only these few phrases are replaced here.

use std::io;

use clap::error::ErrorKind;

use super::output::log_text;

/// Prints an error of the arguments, or the help or version that was asked for.
///
/// # Errors
/// If it cannot be printed.
pub fn print(error: &clap::Error, words: &[String]) -> io::Result<()> {
    let plain = error.to_string();
    let mut worded = in_words(&plain);
    if error.kind() == ErrorKind::InvalidUtf8 {
        let odd: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| word.contains(char::REPLACEMENT_CHARACTER))
            .collect();
        let cause = format!("no text in UTF-8: '{}'", odd.join("', '"));
        worded = worded.replace("invalid UTF-8 was detected in one or more arguments", &cause);
    }
    if worded == plain {
        return error.print();
    }
    log_text(&worded);
    Ok(())
}

/// The text with the phrases about numbers replaced.
pub fn in_words(text: &str) -> String {
    let mut worded = text.to_owned();
    for (phrase, words) in [
        ("invalid digit found in string", "expected a whole number of 0 or more"),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("number too large to fit in target type", "the number is too large"),
        ("number would be zero for non-zero type", "expected a whole number of 1 or more"),
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
    ] {
        worded = worded.replace(phrase, words);
    }
    let lines: Vec<String> =
        worded.lines().map(|line| range_in_words(line).unwrap_or(line.to_owned())).collect();
    let end = if worded.ends_with('\n') { "\n" } else { "" };
    lines.join("\n") + end
}

/// A line that ends in `0 is not in 1..=9`, with the range in words.
fn range_in_words(line: &str) -> Option<String> {
    let (before, range) = line.rsplit_once(" is not in ")?;
    let (least, most) = range.split_once("..=")?;
    let (before, _) = before.rsplit_once(": ")?;
    Some(format!("{before}: expected a whole number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_no_number_is_told_what_is_expected() {
        let digit =
            "error: invalid value 'x' for '--matches <N>': invalid digit found in string\n\nFor more\n";
        let expected = "error: invalid value 'x' for '--matches <N>': expected a whole number of 0 or more\n\nFor more\n";
        assert_eq!(in_words(digit), expected);
        let range = "error: invalid value '0' for '--deals <N>': 0 is not in 1..=1000000000\n";
        assert!(in_words(range).ends_with("'--deals <N>': expected a whole number from 1 to 1000000000\n"));
        let other = "Usage: hyperplay match <GAME>\n";
        assert_eq!(in_words(other), other);
    }
}
