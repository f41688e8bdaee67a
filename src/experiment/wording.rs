//! Wording: the message of the reader of TOML about the structure of a file, as a sentence for its author.
//!
//! The reader names types of the program (`f64`, `a sequence`). Here each is named as the file has it (a number, a
//! list), an unknown key gets the nearest one that there is, and a message that is not recognised stays as it is.

use hyperplay_logic::gdl::did_you_mean;

/// The message of the reader as a sentence.
///
/// `invalid type: string "fast", expected f64` becomes `expected a number, found the text "fast"`.
pub(super) fn sentence(message: &str) -> String {
    let quoted =
        |text: &str| -> Vec<String> { text.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let mut names = quoted(rest);
        if names.is_empty() {
            return message.to_owned();
        }
        let unknown = names.remove(0);
        let meant = did_you_mean(&unknown, names.iter().map(String::as_str));
        return format!("there is no key '{unknown}' here{meant}; the keys are {}", names.join(", "));
    }
    if message.starts_with("missing field ")
        && let [name] = &quoted(message)[..]
    {
        return format!("the key '{name}' is missing");
    }
    if message.starts_with("string values must be quoted") {
        return "expected a value; a text stands in quotes".to_owned();
    }
    if message.starts_with("data did not match any variant of untagged enum Parameter") {
        return "expected a number, a text in quotes, true or false".to_owned();
    }
    for prefix in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) =
            message.strip_prefix(prefix).and_then(|rest| rest.split_once(", expected "))
        {
            return format!("expected {}, found {}", expected_in_words(expected), found_in_words(found));
        }
    }
    message.to_owned()
}

fn expected_in_words(expected: &str) -> &str {
    match expected {
        "f64" => "a number",
        "i64" | "u64" | "usize" => "a whole number",
        "a string" => "a text in quotes",
        "a boolean" => "true or false",
        "a sequence" => "a list in square brackets",
        "a map" => "a table",
        text if text.starts_with("struct ") => "a table",
        text => text,
    }
}

fn found_in_words(found: &str) -> String {
    for (type_name, words) in [
        ("string ", "the text "),
        ("integer ", "the whole number "),
        ("floating point ", "the decimal number "),
        ("boolean ", ""),
    ] {
        if let Some(value) = found.strip_prefix(type_name) {
            return format!("{words}{}", value.replace('`', ""));
        }
    }
    match found {
        "map" => "a table".to_owned(),
        "sequence" => "a list".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_the_program_become_words_of_the_file() {
        for (said, expected) in [
            ("invalid type: string \"x\", expected f64", "expected a number, found the text \"x\""),
            (
                "invalid type: floating point `1.5`, expected i64",
                "expected a whole number, found the decimal number 1.5",
            ),
            (
                "invalid type: string \"nim\", expected a sequence",
                "expected a list in square brackets, found the text \"nim\"",
            ),
            ("invalid type: map, expected a string", "expected a text in quotes, found a table"),
            ("invalid type: boolean `true`, expected i64", "expected a whole number, found true"),
            ("missing field `seed`", "the key 'seed' is missing"),
            (
                "unknown field `repetitons`, expected one of `seed`, `repetitions`",
                "there is no key 'repetitons' here (did you mean 'repetitions'?); the keys are seed, repetitions",
            ),
            ("duplicate key", "duplicate key"),
        ] {
            assert_eq!(sentence(said), expected);
        }
    }
}
