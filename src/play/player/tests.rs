//! Players whose own evaluation of the rules fails while the referee's does not.

use std::sync::Arc;

use super::{Decision, Registry};
use crate::referee::{Interrupt, MatchOutcome, Settings, play_match};
use hyperplay_engine::machine::{ByRole, EvaluationFailure, Goal, Move, Role, Seed, StateMachine as _};
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};

/// `me` may stop and win, or go on and lose. Whoever goes on makes a term deeper by forty; the third time it is too deep for
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
    for spec in ["hyperplay", "hyperplay:search=flat,playouts=64", "hyperplay:enumerate=off", "clairvoyant"] {
        let player = Registry::standard().player(spec).unwrap();
        let players = ByRole::new(vec![Some(player.seat(&machine, Role::new(0)))]);
        let (settings, interrupt) = (Settings::default(), Interrupt::default());
        let played = play_match(&*machine, players, &settings, &Seed::root(1), &interrupt, |_| ()).unwrap();
        assert_eq!(played.outcome, MatchOutcome::Over(ByRole::new(vec![Goal::MAX])), "{spec}");
        let decision = played.steps[0].decisions[Role::new(0)].as_ref().unwrap();
        let says = |line: &String| line.starts_with("an evaluation of the rules failed: ");
        assert!(decision.explanation.iter().any(says), "{spec}: {:?}", decision.explanation);
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

#[test]
fn a_choice_that_is_not_legal_is_replaced_only_after_a_failure() {
    let machine = deepening();
    let mut legal = Vec::new();
    machine.legal(&machine.initial(), Role::new(0), &mut machine.scratch(), &mut legal);
    let wrong = Move(machine.terms().read("zero").unwrap());
    let (seed, failure) = (Seed::root(1), EvaluationFailure { reason: "too deep".to_owned() });
    let decision = || Decision::draw(vec![(wrong, 1.0)], &seed);
    assert_eq!(decision().admitting(None, &legal, &seed).choice, wrong);
    let admitted = decision().admitting(Some(failure.clone()), &legal, &seed);
    assert!(legal.contains(&admitted.choice) && admitted.policy.len() == 2);
    let kept = Decision::draw(vec![(legal[1], 1.0)], &seed).admitting(Some(failure), &legal, &seed);
    assert_eq!((kept.choice, kept.explanation.len()), (legal[1], 1));
}
