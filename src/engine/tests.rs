//! Tests of the interpreter on small rulesheets, each of which tests one sentence of the definitions.

use super::Interpreter;
use crate::propnet::{GroundingLimits, ground};
use hyperplay_logic::gdl::{Game, Source, Syntax, load};
use hyperplay_machine::{Goal, JointMove, Role, StateMachine, StateMachineExt};

/// A game with the role `r`, in which everybody can wait, and these clauses besides.
fn game(clauses: &str) -> Game {
    let text = format!("(role r) (<= (legal ?r wait) (role ?r)) (<= terminal (true end))\n{clauses}");
    let loaded = load(Source::new("test", &text), Some(Syntax::Kif));
    loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

fn goal_at_start(clauses: &str) -> Goal {
    let machine = Interpreter::new(&game(clauses)).unwrap();
    machine.goal(&machine.initial(), Role::new(0), &mut machine.scratch())
}

#[test]
fn of_several_goals_the_first_in_rule_order_counts_and_of_one_rule_the_least() {
    let rule = "(<= (goal r ?n) (true (score ?n)))";
    for facts in ["(init (score 10)) (init (score 9))", "(init (score 9)) (init (score 10))"] {
        assert_eq!(goal_at_start(&format!("{facts} {rule}")), Goal::clamped(9));
        assert_eq!(goal_at_start(&format!("{facts} (goal r 50) {rule}")), Goal::clamped(50));
        assert_eq!(goal_at_start(&format!("{facts} {rule} (goal r 5)")), Goal::clamped(9));
    }
}

#[test]
fn a_compound_goal_is_no_number() {
    let goal = goal_at_start("(init (score (50 x))) (<= (goal r ?n) (true (score ?n)))");
    assert_eq!(goal, Goal::default());
}

/// Large relations that are only tested are evaluated subgoal by subgoal. Relations that the caller gives have no
/// rules.
#[test]
fn a_large_state_that_the_rules_only_test_is_still_there() {
    let numbers: String = (0..1200).map(|number| format!("(d {number})")).collect();
    let rules = "(<= (init (c ?x)) (d ?x)) (<= (next (c ?x)) (d ?x) (true (c ?x))) (goal r 0)";
    let machine = Interpreter::new(&game(&format!("{numbers} {rules}"))).unwrap();
    let (state, scratch) = (machine.initial(), &mut machine.scratch());
    let wait = machine.legal_by_role(&state, scratch).values()[0][0];
    assert_eq!(machine.next(&state, &JointMove::new([wait]), scratch).fluents().len(), 1200);
}

#[test]
fn a_count_of_sequences_too_large_for_its_type_is_not_a_small_one() {
    let roles: String = (0..64).map(|number| format!("(role r{number})")).collect();
    let game = game(&format!("{roles} (<= (legal ?r other) (role ?r)) (<= (goal ?r 0) (role ?r))"));
    let machine = Interpreter::new(&game).unwrap();
    assert_eq!(machine.perft(&machine.initial(), 1, &mut machine.scratch()), u64::MAX);
}

/// Nested subgoals, each at the end of a long rule. They aborted the process before their steps were counted.
#[test]
fn subgoals_are_not_nested_deeper_than_the_stack_allows() {
    let mut text: String = (0..40).map(|number| format!("(d {number})")).collect();
    text += "(e 3 3) (init now) (goal r 0) (<= (next end) (true now) (p0 3 4))";
    let chain: String = (0..900).map(|v| format!("(e ?z{v} ?z{})", v + 1)).collect();
    for number in 0..18 {
        let inner = if number < 17 { format!("(p{} ?z900 ?z900)", number + 1) } else { String::new() };
        text += &format!("(<= (p{number} ?x ?y) (true now) (d ?x) (d ?y) {chain} {inner})\n");
    }
    let play = move || {
        let machine = Interpreter::new(&game(&text)).unwrap();
        let (state, scratch) = (machine.initial(), &mut machine.scratch());
        let wait = machine.legal_by_role(&state, scratch).values()[0][0];
        let next = machine.next(&state, &JointMove::new([wait]), scratch);
        assert!(machine.terminal(&next, scratch));
    };
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(play).unwrap();
    thread.join().unwrap();
}

/// The terms of a relation that depends on no state are made before anything is ground, and no attempt gives them back.
#[test]
fn rules_that_are_ground_within_few_bytes_make_few_terms() {
    let numbers: String = (0..60).map(|number| format!("(d {number})")).collect();
    let wide = "(<= (next (q ?a ?b ?c ?e)) (d ?a) (d ?b) (d ?c) (d ?e))";
    let game = game(&format!("{numbers} {wide} (init (half 1)) (goal r 0)"));
    let limits = GroundingLimits::in_memory(8 << 20);
    assert!(ground(&game, &limits).is_err());
    // A new term has the number of those that were made before it.
    let made = game.terms().read("(half 7)").expect("its names are those of the rules").index();
    assert!(made > limits.atoms / 2 && made <= 3 * limits.atoms, "{made} terms, {} atoms", limits.atoms);
}
