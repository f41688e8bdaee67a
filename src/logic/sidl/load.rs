//! Loading: from a text in SIDL to a game in one call, with all findings.

use crate::gdl::{Game, Loaded, Severity, Source, Symbol, Term, TermId, TermStore, sort};

use super::check::check;
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
    let (mut sheet, mut findings) = read(source);
    let is_complete = findings.iter().all(|finding| finding.severity != Severity::Error);
    for word in WORDS {
        sheet.symbols.intern(word);
    }
    for number in NUMBERS {
        sheet.symbols.intern(&number.to_string());
    }
    let program = lower(&sheet);
    findings.extend(check(&sheet, &program, is_complete));
    let findings = sort(findings);
    let game = findings.iter().all(|finding| finding.severity != Severity::Error).then(|| {
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
        Game::of_interaction(sheet.clone(), terms, roles, faults)
    });
    Loaded { rulesheet: sheet, findings, game }
}
