//! Suggestions: the known words that are nearest to a misspelt one.
//!
//! The distance is the number of inserted, deleted and replaced characters and of swapped neighbours (optimal string
//! alignment, Damerau 1964). A word is near if the distance is at most a third of its length, rounded up, and at most
//! 3; so a short name is never corrected to an unrelated one.

use hyperplay_machine::terms::fold;

/// The candidate nearest to `word`, if one is near; of several at the same distance, the first. Case is ignored, and a
/// candidate that equals the word is not a suggestion.
pub(crate) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word = fold(word);
    let allowed = word.chars().count().div_ceil(3).min(3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &fold(candidate), allowed), candidate))
        .filter(|(distance, _)| (1..=allowed).contains(distance))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The known names that a word may have been meant for, at most `most` of them: first those that are near in spelling,
/// the nearest first, then those that begin with the word, then those of which a part between `_`, `-`, `:` and `.` is
/// the word or near it. Case is ignored.
///
/// ```
/// use hyperplay_logic::gdl::nearest_names;
///
/// let games = ["kuhn_poker", "kuhn_poker_13", "leduc_poker", "nim"];
/// assert_eq!(nearest_names("kuhn_pokr", games, 3), ["kuhn_poker"]);
/// assert_eq!(nearest_names("kuhn", games, 3), ["kuhn_poker", "kuhn_poker_13"]);
/// assert_eq!(nearest_names("leduk", games, 3), ["leduc_poker"]);
/// assert!(nearest_names("chess", games, 3).is_empty() && nearest_names("a", ["b"], 3).is_empty());
/// ```
pub fn nearest_names<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
    most: usize,
) -> Vec<&'c str> {
    let word = fold(word.trim()).into_owned();
    let length = word.chars().count();
    // A word of one letter is near nothing.
    let allowed = length.div_ceil(3).min(3).min(length.saturating_sub(1));
    let rank = |candidate: &'c str| {
        let folded = fold(candidate);
        let away = distance(&word, &folded, allowed);
        let is_part = |part: &str| part.chars().count() > 2 && distance(&word, part, allowed) <= allowed;
        let tier = match () {
            () if away <= allowed => 0,
            () if length > 2 && folded.starts_with(word.as_str()) => 1,
            () if length > 3 && folded.split(['_', '-', ':', '.']).any(is_part) => 2,
            () => return None,
        };
        Some(((tier, if tier == 0 { away } else { 0 }), candidate))
    };
    let mut ranked: Vec<((u8, usize), &str)> = candidates.into_iter().filter_map(rank).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, candidate)| candidate).take(most).collect()
}

/// A question behind an unknown word, ` (did you mean 'a' or 'b'?)`, that names the [nearest](nearest_names) two; empty
/// if none is near.
///
/// ```
/// use hyperplay_logic::gdl::did_you_mean;
///
/// assert_eq!(did_you_mean("alise", ["alice", "bob"]), " (did you mean 'alice'?)");
/// assert_eq!(did_you_mean("carol", ["alice", "bob"]), "");
/// ```
pub fn did_you_mean<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    match &nearest_names(word, candidates, 2)[..] {
        [] => String::new(),
        [one] => format!(" (did you mean '{one}'?)"),
        [one, other, ..] => format!(" (did you mean '{one}' or '{other}'?)"),
    }
}

/// The number of edits from `a` to `b`; some number above `limit` when the lengths alone differ by more.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    // Row i holds the distances from the first i characters of a to every prefix of b.
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_suggests_the_word() {
        let words = ["role", "init", "true", "does", "next", "legal", "goal", "terminal"];
        for (wrong, right) in
            [("roll", "role"), ("leagl", "legal"), ("Terminel", "terminal"), ("ture", "true")]
        {
            assert_eq!(nearest(wrong, words), Some(right));
        }
        for other in ["cell", "x", "", "role", "ROLE", "adjacent"] {
            assert_eq!(nearest(other, words), None, "{other}");
        }
    }
}
