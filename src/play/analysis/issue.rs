//! Issues met in random play, and the findings that they become.
//!
//! An issue is reported once, with the number of matches that met it and the first of them. Undeclared terms that come
//! from one clause are gathered in one finding: a clause with a forgotten declaration may derive hundreds.
//!
//! The place of a finding about a role is the declaration of the role; the place of a finding about a term is the
//! clause that the term comes from.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::effort::Effort;
use super::places::Places;
use hyperplay_logic::gdl::{Finding, FindingCode, Span, Symbol, TermId};
use hyperplay_machine::Role;

/// An issue: something that correct rules never show in play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Issue {
    NoLegalMove(Role),
    SeveralGoals(Role, TermId, TermId),
    MissingGoal(Role),
    GoalOutOfRange(Role, TermId),
    NoTermination,
    NotInBase(TermId),
    NotInInput(Role, TermId),
    NotInPercept(Role, TermId),
}

/// In how many matches an issue was met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// How many matches met it.
    pub matches: usize,
    /// The first match, and the number of joint moves made there before.
    pub first: (usize, usize),
}

/// One finding an issue; undeclared terms of one clause are gathered in one.
pub(super) fn report(
    places: &Places<'_>,
    meetings: &IndexMap<Issue, Meeting>,
    effort: &Effort,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut gathered: FxHashMap<(FindingCode, Span), usize> = FxHashMap::default();
    let mut more: Vec<usize> = Vec::new();
    for (&issue, meeting) in meetings {
        let finding = describe(places, issue, meeting, effort);
        let is_term = matches!(
            finding.code,
            FindingCode::NotInBase | FindingCode::NotInInput | FindingCode::NotInPercept
        );
        if let (true, Some(&known)) = (is_term, gathered.get(&(finding.code, finding.span))) {
            more[known] += 1;
            continue;
        }
        gathered.insert((finding.code, finding.span), findings.len());
        findings.push(finding);
        more.push(0);
    }
    for (finding, more) in findings.iter_mut().zip(more).filter(|(_, more)| *more > 0) {
        finding.message += &format!("; and {more} more from this clause");
    }
    findings
}

fn describe(places: &Places<'_>, issue: Issue, meeting: &Meeting, effort: &Effort) -> Finding {
    let Places { game, .. } = places;
    let show = |term| game.terms().show(term);
    let role_term = |role: Role| game.roles()[role.index()];
    let name = |role: Role| show(role_term(role));
    let or_role = |place: Option<Span>, role| place.unwrap_or_else(|| places.role(role));
    let undeclared = |code, place: Option<Span>, what: String, by: &str| {
        Finding::warning(code, place.unwrap_or_default(), format!("{what} but not declared by `{by}`"))
            .help(format!("declare it by `{by}`, or leave out all of `{by}`"))
    };
    let finding = match issue {
        Issue::NoLegalMove(role) => Finding::fault(
            FindingCode::NoLegalMove,
            places.role(role),
            format!("{} has no legal move in a state that is not terminal", name(role)),
        )
        .help("give it a move, such as noop, or end the game there; the match ends unfinished"),
        Issue::SeveralGoals(role, first, second) => {
            let kept = places.source(Symbol::GOAL, &[role_term(role), first], None);
            let other = places.source(Symbol::GOAL, &[role_term(role), second], kept).or(kept);
            let message =
                format!("{} has several goals at the end: {} and {}", name(role), show(first), show(second));
            let finding = Finding::fault(FindingCode::SeveralGoals, or_role(other, role), message);
            let help = format!("the first in rule order is taken: {}", show(first));
            kept.filter(|_| kept != other)
                .map_or(finding.clone(), |kept| finding.related(kept, "the first goal comes from here"))
                .help(help)
        }
        Issue::MissingGoal(role) => Finding::fault(
            FindingCode::MissingGoal,
            places.role(role),
            format!("{} has no goal at the end", name(role)),
        )
        .help("it gets 0"),
        Issue::GoalOutOfRange(role, value) => Finding::fault(
            FindingCode::GoalOutOfRange,
            or_role(places.source(Symbol::GOAL, &[role_term(role), value], None), role),
            format!("{} has the goal {}, which is not a number from 0 to 100", name(role), show(value)),
        )
        .help("it is clamped; what is no number counts as 0"),
        Issue::NoTermination => Finding::fault(
            FindingCode::NoTermination,
            places.source(Symbol::TERMINAL, &[], None).unwrap_or_default(),
            format!("a random match did not end within {} steps", effort.limit),
        )
        .help("count the steps and end the game after a number of them, or raise --limit"),
        Issue::NotInBase(fluent) => {
            let of = |relation| places.source(relation, &[fluent], None);
            let place = of(Symbol::INIT).filter(|_| meeting.first.1 == 0).or_else(|| of(Symbol::NEXT));
            undeclared(FindingCode::NotInBase, place, format!("{} holds in play", show(fluent)), "base")
        }
        Issue::NotInInput(role, own) => {
            let place = places.source(Symbol::LEGAL, &[role_term(role), own], None);
            let what = format!("{} is legal for {} in play", show(own), name(role));
            undeclared(FindingCode::NotInInput, place, what, "input")
        }
        Issue::NotInPercept(role, seen) => {
            let place = places.source(Symbol::SEES, &[role_term(role), seen], None);
            let what = format!("{} perceives {} in play", name(role), show(seen));
            undeclared(FindingCode::NotInPercept, place, what, "percept")
        }
    };
    let (index, step) = meeting.first;
    let times =
        if meeting.matches == 1 { String::new() } else { format!("in {} matches, ", meeting.matches) };
    let message = format!("{} ({times}first in match {index} after {step} steps)", finding.message);
    Finding { message, ..finding }
}
