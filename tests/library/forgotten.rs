//! What no state remembers does not make a belief large: hands that are dealt, used once and gone, as in a game of cards
//! in which everybody draws a new hand in every turn.
//!
//! The histories multiply with every deal. Their states do not, and under uniform opponents a state says all that matters
//! for what follows. So the belief stays the exact posterior over states, at the cost of a step.

use std::sync::Arc;

use crate::common::machines::particle_belief;
use hyperplay::belief::{BeliefOptions, Uniform, UpdateOutcome};
use hyperplay::engine::{EngineKind, Engines};
use hyperplay::gdl::{Game, Source, load};
use hyperplay::machine::{Budget, Role, Seed, StateMachine, StateMachineExt, laws};

/// Cards in the deck that both hands are dealt from.
const CARDS: usize = 24;

/// Steps that are looked at: a deal, then the other role's word, in turn.
const STEPS: usize = 12;

/// `random` deals a card to `me` and one to `you`; each sees its own. Then `you` says something that its card allows, which
/// all hear, and the cards are gone.
fn cards() -> Game {
    let mut text = String::from(
        "(role me) (role you) (role random) (init dealing) (init (at 0))
         (<= (legal me noop)) (<= (legal you noop) (true dealing))
         (<= (legal you (say ?w)) (true (hand you ?c)) (allows ?c ?w))
         (<= (legal random (deal ?c ?d)) (true dealing) (card ?c) (card ?d))
         (<= (legal random noop) (not (true dealing)))
         (<= (sees me (dealt ?c)) (does random (deal ?c ?d)))
         (<= (sees you (dealt ?d)) (does random (deal ?c ?d)))
         (<= (sees ?r (heard ?w)) (role ?r) (does you (say ?w)))
         (<= (next (hand me ?c)) (does random (deal ?c ?d)))
         (<= (next (hand you ?d)) (does random (deal ?c ?d)))
         (<= (next dealing) (not (true dealing)))
         (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
         (<= terminal (true (at 40))) (goal me 50) (goal you 50) (goal random 50)",
    );
    (0..CARDS).for_each(|card| text += &format!(" (card c{card}) (allows c{card} w{})", card % 3));
    (0..CARDS).for_each(|card| text += &format!(" (allows c{card} w3)"));
    (0..40).for_each(|n| text += &format!(" (succ {n} {})", n + 1));
    load(Source::new("cards", text), None).game.expect("the rules are fine")
}

#[test]
fn hands_that_are_gone_cost_nothing() {
    let engines = Engines::new(&cards());
    for kind in [EngineKind::Interpreter, EngineKind::Propagator, EngineKind::Lanes] {
        let machine = engines.get(kind).unwrap();
        let me = Role::new(0);
        let history = laws::check_random_match(&*machine, STEPS, &mut Seed::root(3).rng()).unwrap();
        let evidence = machine.evidence(&history, me, &mut machine.scratch());
        let options = BeliefOptions::default();
        let mut belief = particle_belief(&machine, me, Arc::new(Uniform), options);
        for step in 1..=STEPS {
            let outcome =
                belief.update(&evidence.until(step), &Budget::nodes(60_000), &Seed::root(step as u64));
            assert_eq!(outcome, UpdateOutcome::Enumerated, "step {step}");
            assert!(belief.cost().states < 60_000, "step {step}: {:?}", belief.cost());
            let mut states: Vec<(Vec<String>, f64)> = Vec::new();
            for particle in belief.particles() {
                let fluents = machine.fluents(belief.state(particle));
                match states.iter_mut().find(|(known, _)| *known == fluents) {
                    Some((_, weight)) => *weight += particle.weight,
                    None => states.push((fluents, particle.weight)),
                }
            }
            // After a deal `you` may have any card; after its word the cards are gone.
            let expected = if step % 2 == 1 { CARDS } else { 1 };
            assert_eq!(states.len(), expected, "step {step}");
            for (fluents, weight) in states {
                assert!((weight - 1.0 / expected as f64).abs() < 1e-9, "step {step}: {weight} {fluents:?}");
            }
        }
    }
}
