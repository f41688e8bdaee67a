//! Layout: where a parenthesis is missing or too many.
//!
//! A text whose parentheses balance is taken as it is, however it is laid out. In any other text the layout tells
//! where the author thought that a clause begins: at `(<=`, which never nests, and at a `(` in the column of the
//! first clause. The text is cut into chunks there, and each chunk is mended by itself, so that one slip costs one
//! clause and not the rest of the file.
//!
//! Some authors write the conditions of a rule in the first column too. Then cutting at every `(` of that column
//! would part rules from their last parentheses: when it gives more chunks with a parenthesis too many than cutting
//! at `(<=` does, only `(<=` cuts.

use crate::gdl::finding::{Code, Finding, Severity};
use crate::gdl::read::Report;

use super::token::{Kind, Token};

/// Changes that make the parentheses balance, as positions in the list of tokens, ascending.
#[derive(Default)]
pub(super) struct Repair {
    /// Closing parentheses to leave out.
    pub(super) skip: Vec<usize>,
    /// Tokens before which everything open is closed.
    pub(super) close: Vec<usize>,
}

/// Finds and reports the parentheses that are missing or too many.
pub(super) fn repair(tokens: &[Token], report: &mut Report) -> Repair {
    let mut repair = Repair::default();
    if balanced(tokens) {
        return repair;
    }
    let mut start = 0;
    let cuts = cuts(tokens);
    for &end in cuts.iter().chain([&tokens.len()]) {
        mend(tokens, start, end, report, &mut repair);
        start = end;
    }
    repair.skip.sort_unstable();
    repair
}

/// Whether every parenthesis has its partner and no rule stands inside another form.
fn balanced(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open if depth > 0 && begins_rule(tokens, position) => return false,
            Kind::Open => depth += 1,
            Kind::Close if depth == 0 => return false,
            Kind::Close => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

fn begins_rule(tokens: &[Token], position: usize) -> bool {
    tokens[position].kind == Kind::Open && tokens.get(position + 1).is_some_and(|next| next.kind == Kind::If)
}

/// Where to cut the text into chunks.
fn cuts(tokens: &[Token]) -> Vec<usize> {
    let column =
        tokens.iter().find(|token| token.kind == Kind::Open && token.first).map(|token| token.column);
    let rules: Vec<usize> = (0..tokens.len()).filter(|&position| begins_rule(tokens, position)).collect();
    let forms: Vec<usize> = (0..tokens.len())
        .filter(|&position| {
            let token = tokens[position];
            let flush = token.kind == Kind::Open && token.first && Some(token.column) == column;
            flush || begins_rule(tokens, position)
        })
        .collect();
    let stray = forms.len() / 50;
    if overclosed(tokens, &forms) <= overclosed(tokens, &rules) + stray { forms } else { rules }
}

/// How many chunks have a parenthesis that closes nothing.
fn overclosed(tokens: &[Token], cuts: &[usize]) -> usize {
    let mut start = 0;
    let mut count = 0;
    for &end in cuts.iter().chain([&tokens.len()]) {
        let mut depth = 0_usize;
        count += usize::from(tokens[start..end].iter().any(|token| match token.kind {
            Kind::Close if depth == 0 => true,
            Kind::Close => {
                depth -= 1;
                false
            }
            kind => {
                depth += usize::from(kind == Kind::Open);
                false
            }
        }));
        start = end;
    }
    count
}

/// Mends the chunk from `start` to `end`.
fn mend(tokens: &[Token], start: usize, end: usize, report: &mut Report, repair: &mut Repair) {
    // Positions of the parentheses open now.
    let mut open: Vec<usize> = Vec::new();
    // The parenthesis that closed the chunk's rule, until one too many has been met.
    let mut closed_rule = None;
    let mut extra = None;
    // The line, from 0, before the first one that begins no further right than a condition that is still open.
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
            Kind::Open => open.push(position),
            Kind::Close if open.is_empty() => {
                // `(<= (head)) NEWLINE (condition))`, or a last `)` in a line of its own: the parenthesis too many is
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
            Kind::Close => {
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

fn unbalanced(token: Token, message: &str) -> Finding {
    Finding::new(Code::UnbalancedParenthesis, Severity::Error, token.span(), message)
}
