//! Suggestions: the known word that is nearest to a misspelt one.
//!
//! The distance is the number of inserted, deleted and replaced characters and of swapped neighbours (optimal string
//! alignment, Damerau 1964). A word is near if the distance is at most a third of its length, rounded up, and at most
//! 3; so a short name is never corrected to an unrelated one.

use super::symbol::fold;

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
