//! Tests of matches in which an evaluation of the rules fails, either for a player only or for the referee.

use std::sync::Arc;

use super::{Interrupt, MatchOutcome, Settings, play_match};
use crate::player::Registry;
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{ByRole, Goal, Role, Seed};

/// `me` may stop and win, or go on and lose. Going on makes a term deeper by forty; the third time it is too deep for
/// any engine.
fn deepening() -> Arc<Engine> {
    let deep = "(s ".repeat(40) + "?x" + &")".repeat(40);
    let text = format!(
        "(role me) (init (depth zero)) (legal me stop) (legal me go)
         (<= (next (depth {deep})) (does me go) (true (depth ?x)))
         (<= (next stopped) (does me stop))
         (<= (next gone) (does me go)) (<= (next gone) (true gone))
         (<= terminal (true stopped))
         (<= won (true stopped) (not (true gone)))
         (<= (goal me 100) won) (<= (goal me 0) (not won))"
    );
    let game = load(Source::new("deepening", text), None).game.expect("the rules are in order");
    Engines::new(&game).get(EngineKind::Interpreter).unwrap()
}

#[test]
fn a_player_whose_search_fails_says_so_and_the_match_goes_on() {
    let machine = deepening();
    for spec in [
        "hyperplay",
        "hyperplay:search=flat,playouts=64",
        "hyperplay:sampler=hyperplay:enumerate=off",
        "clairvoyant",
    ] {
        let player = Registry::standard().player(spec).unwrap();
        let players = ByRole::new(vec![Some(player.seat(&machine, Role::new(0)))]);
        let (settings, interrupt) = (Settings::default(), Interrupt::default());
        let played = play_match(&*machine, players, &settings, &Seed::root(1), &interrupt, |_| ()).unwrap();
        assert_eq!(played.outcome, MatchOutcome::Over(ByRole::new(vec![Goal::MAX])), "{spec}");
        let decision = played.steps[0].decisions[Role::new(0)].as_ref().unwrap();
        let says = |line: &String| line.starts_with("an evaluation of the rules failed: ");
        assert!(decision.explain(&machine).iter().any(says), "{spec}: {:?}", decision.reasons);
        assert_eq!(played.faults().count(), 0);
    }
}

#[test]
fn a_match_that_the_referee_cannot_evaluate_ends_as_failed_and_no_other_does() {
    let machine = deepening();
    // `random` goes on for ever in some match, and stops early in another.
    let outcome = |seed| {
        let player = Registry::standard().player("random").unwrap();
        let players = ByRole::new(vec![Some(player.seat(&machine, Role::new(0)))]);
        let (settings, interrupt) = (Settings::default(), Interrupt::default());
        play_match(&*machine, players, &settings, &Seed::root(seed), &interrupt, |_| ()).unwrap().outcome
    };
    let outcomes: Vec<MatchOutcome> = (0..40).map(outcome).collect();
    assert!(outcomes.iter().any(|outcome| matches!(outcome, MatchOutcome::Failed(_))));
    assert!(outcomes.iter().any(|outcome| matches!(outcome, MatchOutcome::Over(_))));
}
