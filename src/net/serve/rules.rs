//! The rules of a match as a game master sent them: read, and where they have errors, without the clauses that have
//! them.
//!
//! A rulesheet met in the wild may have a slip in one clause. A player that refuses it loses every move; one that
//! leaves the clause out plays a game that is mostly the same. A remark says what was left out.

use crate::protocol::{pieces, read_term};
use hyperplay_logic::gdl::{Game, Severity, Source, Syntax, load};
use hyperplay_machine::counted;

/// The most words and parentheses of a move that is read off the text of the rules.
const LONGEST_MOVE: usize = 100;

/// How often clauses are left out before the rules are given up: leaving one out may make another one wrong.
const ROUNDS: usize = 20;

/// Reads the rules in prefix form that a game master sent: the game, none if nothing could be made of them, and the
/// oddities in them, in sentences. Names are kept as they are spelt first. Up to 20 times the time of one validation. A
/// text of more bytes than `most` is not read.
pub fn read_within(name: &str, text: &str, most: u64) -> (Option<Game>, Vec<String>) {
    if text.len() as u64 > most {
        let remark = format!("the rules have {} bytes, and no more than {most} are read", text.len());
        return (None, vec![remark]);
    }
    let mut text = text.to_owned();
    let mut remarks = Vec::new();
    for _ in 0..ROUNDS {
        let loaded = load(Source::new(name, &text), Some(Syntax::Kif));
        if let Some(game) = loaded.game {
            let faults = game.faults().len();
            if faults > 0 {
                remarks.push(format!("{} of the rules repaired", counted(faults as u64, "fault")));
            }
            return (Some(game), remarks);
        }
        let errors = loaded.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let spans = loaded.rulesheet.clauses.iter().map(|clause| clause.at.0).collect::<Vec<_>>();
        let mut wrong: Vec<(usize, usize)> = Vec::new();
        for error in errors {
            remarks.push(format!("error in the rules: {}", error.message));
            // A clause that was read, or the text that was not.
            let clause =
                spans.iter().find(|span| span.start <= error.span.start && error.span.start < span.end);
            let span = clause.unwrap_or(&error.span);
            if span.start < span.end {
                wrong.push((span.start, span.end));
            }
        }
        wrong.sort_unstable();
        wrong.dedup();
        if wrong.is_empty() {
            break;
        }
        remarks.push(format!("{} left out", counted(wrong.len() as u64, "clause")));
        text = without(&text, &wrong);
    }
    (None, remarks)
}

/// The text with blanks in place of these parts, which are in order; they may overlap.
fn without(text: &str, parts: &[(usize, usize)]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for &(start, end) in parts {
        if start > at {
            kept.push_str(&text[at..start]);
        }
        kept.push(' ');
        at = at.max(end);
    }
    kept.push_str(&text[at..]);
    kept
}

/// A move that the text of the rules makes legal for a role without conditions; `noop` if there is none. For rules of
/// which no game can be made. O(length).
pub fn unconditional_move(text: &str, role: &str) -> String {
    // One after the other, so that a long text takes no more memory than it has.
    let mut rest = pieces(text);
    while let Some(word) = rest.next() {
        let mut ahead = rest.clone();
        let mut is = |word: &str| ahead.next().is_some_and(|next| next.eq_ignore_ascii_case(word));
        if word != "(" || !is("legal") || !is(role) {
            continue;
        }
        let mut depth = 0_i32;
        let mut term: Vec<&str> = Vec::new();
        for word in ahead.take(LONGEST_MOVE + 1) {
            depth += i32::from(word == "(") - i32::from(word == ")");
            if depth < 0 {
                break;
            }
            term.push(word);
        }
        // An answer is exactly one term as the messages have it, and damaged rules may name none or two here.
        if depth < 0
            && !term.iter().any(|word| word.starts_with('?'))
            && let Ok(spelt) = read_term(&term.join(" "))
        {
            return spelt;
        }
    }
    let spelt = pieces(text).find(|word| word.eq_ignore_ascii_case("noop"));
    spelt.map_or_else(|| "noop".to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "(role x) (init a) (legal x go) (<= (next b) (does x go)) (<= terminal (true b)) (goal x 1)";

    #[test]
    fn a_clause_with_an_error_is_left_out_and_the_rest_is_played() {
        let unsafe_clause = format!("{GOOD} (<= (next (at ?y)) (does x go))");
        let broken = format!("{GOOD} (<= (next");
        for text in [GOOD.to_owned(), unsafe_clause, broken] {
            let (game, remarks) = read_within("m", &text, 10_000);
            let game = game.unwrap_or_else(|| panic!("{text}: {remarks:?}"));
            assert_eq!(game.roles().len(), 1);
            assert_eq!(remarks.is_empty(), text == GOOD, "{remarks:?}");
        }
        let hopeless = read_within("m", "(this is) (no game)", 10_000);
        assert!(hopeless.0.is_none() && !hopeless.1.is_empty());
        assert!(read_within("m", "", 10_000).0.is_none());
        assert!(read_within("m", GOOD, 20).0.is_none());
    }

    #[test]
    fn rules_of_which_no_game_is_made_still_name_a_move() {
        assert_eq!(
            unconditional_move("(LEGAL ME (GO ?X)) (LEGAL ME (GO 1 2)) (legal you up)", "me"),
            "(GO 1 2)"
        );
        assert_eq!(unconditional_move("(<= (legal you NOOP) (true x))", "me"), "NOOP");
        assert_eq!(unconditional_move("", "me"), "noop");
        // What stands in a comment is no rule.
        assert_eq!(unconditional_move("; (legal me no)\n(legal me yes) ; noop", "me"), "yes");
        // An answer is one term: no two, and no name that a control character divides.
        assert_eq!(unconditional_move("(legal me a b)", "me"), "noop");
        assert_eq!(unconditional_move("(legal me st\u{1}p) (legal me (go 1))", "me"), "(go 1)");
        // A text that is all beginnings takes no longer than another one.
        assert_eq!(unconditional_move(&"(legal me ".repeat(300_000), "me"), "noop");
    }
}
