//! Loading: from a text in SIDL to a game in one call, with all findings.

use hyperplay_logic::gdl::reading::sort;
use hyperplay_logic::gdl::{Finding, Game, Loaded, Severity, Source, Symbol, Term, TermId, TermStore};

use super::check::check;
use super::lower::lower;
use super::read::read;

/// The words that the machine of an interaction uses besides those of GDL.
const WORDS: [&str; 12] = [
    "nothing", "set", "commands", "draw", "draws", "chronon", "appears", "vanishes", "account", "nil", "/",
    "list",
];

/// The whole numbers that every interaction can compute with.
pub(crate) const NUMBERS: std::ops::RangeInclusive<i64> = -10_000..=10_000;

/// Whether a text is in SIDL: by its name, which ends in `.sidl`, or by the words that it has.
///
/// ```
/// use hyperplay_logic::gdl::Source;
/// use hyperplay_sidl::is_sidl;
///
/// assert!(is_sidl(&Source::new("<stdin>", "branching([stop], nil).\noperation(stop) :- not(over), next(over).\n")));
/// assert!(!is_sidl(&Source::new("tiny.gdl", "role(x). legal(x, noop).")));
/// ```
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

fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Reads and checks a text in SIDL. Its game has no rules; [`Interaction::of`](super::Interaction::of) gives its
/// program.
///
/// ```
/// use hyperplay_logic::gdl::{Language, Source};
/// use hyperplay_sidl::{
///     Branching, Chance, Comparison, Effect, HiddenRule, Interaction, Operation, Selector, Switch, Test, load,
/// };
///
/// let text = "fact(oil, 1). chance(wind, [1/4, 3/4]). switch(lamp, alice, ['Off', 'On']).
///     branching([blow, wait], wind). branching([wait, burn], lamp).
///     operation(wait) :- false.
///     operation(blow) :- ax(oil(_)), next(oil(0)).
///     operation(burn) :- oil(X), X > 0, ax(oil(X)), next(oil(X - 1)), goal(alice, 1).
///     hidden(oil(X), [alice]) :- X > 1.
///     terminal :- oil(0). init(oil(3)). init(account(alice, 0.5)). init(does(lamp, 'Off')).";
/// let loaded = load(Source::new("lamp.sidl", text));
/// assert!(loaded.findings.is_empty(), "{:?}", loaded.findings);
/// let game = loaded.game.expect("there is no error");
/// assert_eq!(game.language(), Language::Sidl);
///
/// let Interaction { switches, chances, branchings, operations, hidden, .. } = Interaction::of(&game);
/// let [Switch { initial, aliases, .. }] = &switches[..] else { panic!("one switch") };
/// assert_eq!((*initial, aliases.len()), (Some(0), 2));
/// let [Chance { weights, .. }] = &chances[..] else { panic!("one chance") };
/// assert_eq!(weights, &[1, 3]);
/// let selectors: Vec<Selector> = branchings.iter().map(|Branching { selector, .. }| *selector).collect();
/// assert_eq!(selectors, [Selector::Chance(0), Selector::Switch(0)]);
/// let Operation { tests, effects, .. } = &operations[2];
/// assert!(matches!(tests[..], [Test::Holds(_), Test::Compare(Comparison::Greater, ..)]));
/// assert!(matches!(effects[..], [Effect::Remove(_), Effect::Create(_), Effect::Pay(..)]));
/// let [HiddenRule { agents, .. }] = &hidden[..] else { panic!("one rule") };
/// assert_eq!(agents.len(), 1);
/// ```
pub fn load(source: Source) -> Loaded {
    let (rulesheet, mut findings) = read(source);
    // The program has no meaning if a finding is an error.
    let program = lower(&rulesheet);
    findings.extend(check(&rulesheet, &program, !has_error(&findings)));
    let findings = sort(findings);
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
