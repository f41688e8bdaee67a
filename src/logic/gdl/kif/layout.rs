//! Layout: finding the places where a parenthesis is missing or redundant.
//!
//! A text with balanced parentheses is read as it is, whatever its layout. In any other text, the layout shows where
//! the author meant a clause to begin: at `(<=`, which is never nested, and at a `(` in the column of the first
//! clause. The text is cut into chunks at these places, and each chunk is repaired on its own, so that one mistake
//! affects one clause and not the rest of the file.
//!
//! Some authors also write the conditions of a rule in the first column. Cutting at every `(` of that column would
//! then separate rules from their last parentheses. If this way of cutting gives more chunks with a redundant
//! parenthesis than cutting at `(<=` alone, the text is cut at `(<=` only.

use crate::gdl::collector::FindingCollector;
use crate::gdl::finding::{Finding, FindingCode};

use super::token::{KifToken, KifTokenKind};

/// Changes that make the parentheses balance, as positions in the list of tokens, ascending.
#[derive(Default)]
pub(super) struct Repair {
    /// Closing parentheses to leave out.
    pub(super) skip: Vec<usize>,
    /// Tokens before which everything open is closed.
    pub(super) close: Vec<usize>,
}

/// Finds and reports the parentheses that are missing or redundant.
pub(super) fn repair(tokens: &[KifToken], report: &mut FindingCollector) -> Repair {
    let mut repair = Repair::default();
    if balanced(tokens) {
        return repair;
    }
    let mut start = 0;
    for &end in cuts(tokens).iter().chain([&tokens.len()]) {
        repair_chunk(tokens, start, end, report, &mut repair);
        start = end;
    }
    repair.skip.sort_unstable();
    repair
}

/// Whether every parenthesis has its partner and no rule is inside another form.
fn balanced(tokens: &[KifToken]) -> bool {
    let mut depth = 0_usize;
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            KifTokenKind::Open if depth > 0 && begins_rule(tokens, position) => return false,
            KifTokenKind::Open => depth += 1,
            KifTokenKind::Close if depth == 0 => return false,
            KifTokenKind::Close => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

fn begins_rule(tokens: &[KifToken], position: usize) -> bool {
    tokens[position].kind == KifTokenKind::Open
        && tokens.get(position + 1).is_some_and(|next| next.kind == KifTokenKind::If)
}

/// The positions at which the text is cut into chunks.
fn cuts(tokens: &[KifToken]) -> Vec<usize> {
    let column =
        tokens.iter().find(|token| token.kind == KifTokenKind::Open && token.first).map(|token| token.column);
    let rules: Vec<usize> = (0..tokens.len()).filter(|&position| begins_rule(tokens, position)).collect();
    let forms: Vec<usize> = (0..tokens.len())
        .filter(|&position| {
            let token = tokens[position];
            let flush = token.kind == KifTokenKind::Open && token.first && Some(token.column) == column;
            flush || begins_rule(tokens, position)
        })
        .collect();
    let stray = forms.len() / 50;
    if overclosed(tokens, &forms) <= overclosed(tokens, &rules) + stray { forms } else { rules }
}

/// The number of chunks with a parenthesis that closes nothing.
fn overclosed(tokens: &[KifToken], cuts: &[usize]) -> usize {
    let mut start = 0;
    let mut count = 0;
    for &end in cuts.iter().chain([&tokens.len()]) {
        let mut depth = 0_usize;
        count += usize::from(tokens[start..end].iter().any(|token| match token.kind {
            KifTokenKind::Close if depth == 0 => true,
            KifTokenKind::Close => {
                depth -= 1;
                false
            }
            kind => {
                depth += usize::from(kind == KifTokenKind::Open);
                false
            }
        }));
        start = end;
    }
    count
}

/// Repairs the chunk from `start` to `end`.
fn repair_chunk(
    tokens: &[KifToken],
    start: usize,
    end: usize,
    report: &mut FindingCollector,
    repair: &mut Repair,
) {
    // The positions of the parentheses that are open.
    let mut open: Vec<usize> = Vec::new();
    // The parenthesis that closed the rule of the chunk, until a redundant one has been found.
    let mut closed_rule = None;
    let mut extra = None;
    // The line, from 0, before the first line that is indented no further than a condition that is still open.
    let mut suspect = None;
    for position in start..end {
        let token = tokens[position];
        if let [_, condition, ..] = open[..]
            && token.first
            && token.column <= tokens[condition].column
            && tokens[condition].first
        {
            suspect.get_or_insert(tokens[position - 1].line);
        }
        match token.kind {
            KifTokenKind::Open => open.push(position),
            KifTokenKind::Close if open.is_empty() => {
                // `(<= (head)) NEWLINE (condition))`, or a last `)` in a line of its own: the redundant parenthesis is
                // the one that ended the rule early.
                let early = closed_rule.take().filter(|&early: &usize| {
                    let goes_on = tokens[early].line < tokens[position - 1].line;
                    let alone = token.first && !tokens[early].first;
                    extra.is_none() && (goes_on || alone)
                });
                if let Some(early) = early {
                    let finding =
                        unbalanced(tokens[early], "this `)` is one too many: the rule goes on below");
                    report.add(finding.related(token.span(), "the rule ends here"));
                    repair.skip.push(early);
                } else {
                    if extra.is_none_or(|last| last + 1 != position) {
                        report.add(unbalanced(token, "this `)` closes nothing").help("take it out"));
                    }
                    repair.skip.push(position);
                }
                extra = Some(position);
            }
            KifTokenKind::Close => {
                open.pop();
                if open.is_empty() && closed_rule.is_none() && begins_rule(tokens, start) {
                    closed_rule = Some(position);
                }
            }
            _ => {}
        }
    }
    if let Some(&form) = open.first() {
        let mut finding = unbalanced(tokens[form], "this `(` is never closed");
        if let Some(next) = tokens.get(end) {
            finding = finding.related(next.span(), "the next clause begins here");
        }
        report.add(finding.help(match suspect {
            Some(line) => format!("a `)` seems to be missing at the end of line {}", line + 1),
            None => "put the missing `)` at its end".to_owned(),
        }));
        repair.close.push(end);
    }
}

fn unbalanced(token: KifToken, message: &str) -> Finding {
    Finding::error(FindingCode::UnbalancedParenthesis, token.span(), message)
}
