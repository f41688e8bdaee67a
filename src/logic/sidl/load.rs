//! Loading: from a text in SIDL to a game in one call, with all findings.

use crate::gdl::{Finding, Game, Loaded, Rulesheet, Severity, Source, Symbol, Term, TermId, TermStore, sort};

use super::check::check;
use super::interaction::Interaction;
use super::lower::lower;
use super::read::read;

/// The words that the machine of an interaction uses besides those of GDL.
const WORDS: [&str; 12] = [
    "nothing", "set", "commands", "draw", "draws", "chronon", "appears", "vanishes", "account", "nil", "/",
    "list",
];

/// The whole numbers that every interaction can compute with.
pub(super) const NUMBERS: std::ops::RangeInclusive<i64> = -10_000..=10_000;

/// Whether a text is in SIDL: by its name, which ends in `.sidl`, or by the words that it has.
pub fn is_sidl(source: &Source) -> bool {
    let has_ending = |ending: &str| {
        let name = source.name().as_bytes();
        name.len() >= ending.len()
            && name[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
    };
    if has_ending(".sidl") {
        return true;
    }
    let begins = |word: &str| source.text().lines().any(|line| line.trim_start().starts_with(word));
    !has_ending(".kif") && begins("branching(") && begins("operation(")
}

/// A text that has been read and checked.
pub(super) struct Checked {
    pub(super) rulesheet: Rulesheet,
    /// Its program; without a meaning if a finding is an error.
    pub(super) program: Interaction,
    pub(super) findings: Vec<Finding>,
}

pub(super) fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Loading without the last step, in which the terms of the game are made.
pub(super) fn read_and_check(source: Source) -> Checked {
    let (rulesheet, mut findings) = read(source);
    let program = lower(&rulesheet);
    findings.extend(check(&rulesheet, &program, !has_error(&findings)));
    Checked { rulesheet, program, findings: sort(findings) }
}

/// Reads and checks a text in SIDL. Its game has no rules; [`Interaction::of`](super::Interaction::of) gives its program.
///
/// ```
/// use hyperplay_logic::gdl::{Language, Source};
/// use hyperplay_logic::sidl::{Interaction, Selector, load};
///
/// let text = "fact(done, 0). branching([wait, act], 1). switch(1, alice, ['Wait', 'Act']).
///     operation(wait) :- false. operation(act) :- not(done), next(done), goal(alice, 1).
///     terminal :- done. init(account(alice, 0.0)). init(does(1, 'Wait')).";
/// let loaded = load(Source::new("act.sidl", text));
/// assert!(loaded.findings.is_empty(), "{:?}", loaded.findings);
/// let game = loaded.game.expect("there is no error");
/// assert_eq!(game.language(), Language::Sidl);
/// let Interaction { switches, branchings, .. } = Interaction::of(&game);
/// assert_eq!((switches[0].initial, switches[0].aliases.len()), (Some(0), 2));
/// assert_eq!(branchings[0].selector, Selector::Switch(0));
/// ```
pub fn load(source: Source) -> Loaded {
    let Checked { rulesheet, program, findings } = read_and_check(source);
    let game = (!has_error(&findings)).then(|| {
        let mut sheet = rulesheet.clone();
        for word in WORDS {
            sheet.symbols.intern(word);
        }
        for number in NUMBERS {
            sheet.symbols.intern(&number.to_string());
        }
        let terms = TermStore::new(sheet.symbols.clone());
        let mut roles: Vec<TermId> = (program.agents.iter())
            .filter_map(|(agent, _)| match agent {
                Term::Constant(name) => Some(terms.intern(*name, &[])),
                _ => None,
            })
            .collect();
        if !program.chances.is_empty() {
            roles.push(terms.intern(Symbol::RANDOM, &[]));
        }
        let faults = findings.iter().filter(|finding| finding.severity == Severity::Fault).cloned().collect();
        Game::of_interaction(sheet, terms, roles, faults)
    });
    Loaded { rulesheet, findings, game }
}
