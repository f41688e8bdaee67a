//! Numbers with their nouns, as messages print them.

/// A number with the word for it: `1 match`, `2 matches`, `0 replies`. The plural is formed as English forms it of a
/// regular noun.
///
/// ```
/// use hyperplay_machine::counted;
///
/// assert_eq!(counted(1, "match"), "1 match");
/// assert_eq!(counted(0, "match"), "0 matches");
/// assert_eq!((counted(2, "recovery"), counted(2, "play")), ("2 recoveries".to_owned(), "2 plays".to_owned()));
/// ```
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 {
        return format!("1 {noun}");
    }
    let vowel_before_y = ["ay", "ey", "oy", "uy"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('y').filter(|_| !vowel_before_y) {
        Some(stem) => format!("{number} {stem}ies"),
        None if ["ch", "sh", "s", "x"].iter().any(|end| noun.ends_with(end)) => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}
