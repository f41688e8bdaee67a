//! Interactions in SIDL.

use hyperplay::gdl::{Severity, Source, Term};
use hyperplay::sidl::{Interaction, Selector, load};

/// A text is a game, or has an error whose place is in the text. The program of a game has the invariants on which its machine
/// rests.
pub fn sidl_has_an_error_or_a_game(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let loaded = load(Source::new("input.sidl", &*text));
    for finding in &loaded.findings {
        assert!(finding.span.start <= finding.span.end && finding.span.end <= text.len());
    }
    let is_wrong = loaded.findings.iter().any(|finding| finding.severity == Severity::Error);
    assert_eq!(loaded.game.is_none(), is_wrong, "a text is a game if it has no error");
    let Some(game) = loaded.game else { return false };
    let program = Interaction::of(&game);
    has_the_invariants(&program);
    assert_eq!(game.roles().len(), program.agents.len() + usize::from(!program.chances.is_empty()));
    true
}

fn is_ground(term: &Term) -> bool {
    let mut variables = 0;
    term.each_variable(&mut |_| variables += 1);
    variables == 0
}

fn has_the_invariants(program: &Interaction) {
    for branching in &program.branchings {
        let length = match branching.selector {
            Selector::Switch(switch) => program.switches[switch].aliases.len(),
            Selector::Chance(chance) => program.chances[chance].weights.len(),
            Selector::Always => 1,
        };
        assert_eq!(branching.operations.len(), length);
        assert!(branching.operations.iter().all(is_ground));
    }
    for switch in &program.switches {
        assert!(switch.owner < program.agents.len());
        assert!(switch.initial.is_none_or(|initial| initial < switch.aliases.len()));
        assert!(is_ground(&switch.id) && switch.aliases.iter().all(is_ground));
    }
    assert!(program.chances.iter().all(|chance| chance.weights.iter().all(|&weight| weight > 0)));
    assert!(program.agents.iter().all(|(agent, _)| matches!(agent, Term::Constant(_))));
    assert!(!program.agents.is_empty() && program.facts.iter().all(is_ground));
}
