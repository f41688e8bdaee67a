//! Tests of the records of players: the true record is explained, and a change is named with its step.

use std::path::Path;
use std::sync::Arc;

use super::evidence_record::{EvidenceHeading, EvidenceOutcome, EvidenceRecord, EvidenceStep, ToldClocks};
use super::explain::{EvidenceVerdict, ExplainEffort, verify_evidence};
use super::verify::{Agreement, TranscriptDifference};
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{Evidence, History, OwnMove, Role, Seed, StateMachine, StateMachineExt};

const RULES: &str = "sha256:0";

fn engine(path: &str) -> Arc<Engine> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    let game = load(Source::new("game", text), None).game.unwrap();
    Engines::new(&game).get(EngineKind::Interpreter).unwrap()
}

/// A random match; at most `most` steps of it.
fn history(machine: &Engine, seed: u64, most: usize) -> History {
    let (mut scratch, mut rng) = (machine.scratch(), Seed::root(seed).rng());
    let (mut state, mut history) = (machine.initial(), History::default());
    while history.step() < most && !machine.terminal(&state, &mut scratch) {
        let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    history
}

/// The record of a role that answered what was recorded.
fn record_of(machine: &Engine, evidence: &Evidence) -> EvidenceRecord {
    let heading = EvidenceHeading {
        game: "game.kif".to_owned(),
        rules: RULES.to_owned(),
        match_id: "test.1".to_owned(),
        player: "random".to_owned(),
        seed: 1,
        dialect: "GDL-II".to_owned(),
        clocks: ToldClocks { startclock: 10.0, playclock: 5.0 },
    };
    let outcome = if evidence.over { EvidenceOutcome::Stopped } else { EvidenceOutcome::Aborted };
    let mut record = EvidenceRecord::new(machine, heading, evidence, outcome);
    for step in &mut record.steps {
        step.answered = step.own.first().cloned();
    }
    record
}

fn recorded(machine: &Engine, seed: u64, role: usize) -> EvidenceRecord {
    let history = history(machine, seed, usize::MAX);
    record_of(machine, &machine.evidence(&history, Role::new(role), &mut machine.scratch()))
}

fn check(machine: &Arc<Engine>, record: &EvidenceRecord) -> Agreement<EvidenceVerdict> {
    let line = serde_json::to_string(record).unwrap();
    let read: EvidenceRecord = serde_json::from_str(&line).unwrap();
    assert_eq!(read, *record, "{line}");
    verify_evidence(machine, RULES, &read, &ExplainEffort::default())
}

/// The difference of a record of Kuhn poker in which something was changed.
fn changed(change: impl Fn(&mut EvidenceRecord)) -> String {
    let machine = engine("imperfect/kuhn_poker.kif");
    let alice = machine.role_named("alice").unwrap();
    let mut record = recorded(&machine, 2, alice.index());
    change(&mut record);
    check(&machine, &record).unwrap_err().to_string()
}

#[test]
fn what_every_role_knew_of_a_random_match_is_explained() {
    for path in [
        "imperfect/kuhn_poker.kif",
        "imperfect/monty_hall.kif",
        "imperfect/leduc_poker.kif",
        "imperfect/krieg_tictactoe_3x3.kif",
        "imperfect/goofspiel_4_imperfect.kif",
        "perfect/tictactoe.kif",
        "perfect/nim.kif",
    ] {
        let machine = engine(path);
        for role in machine.each_role() {
            let history = history(&machine, 7, usize::MAX);
            let evidence = machine.evidence(&history, role, &mut machine.scratch());
            let record = record_of(&machine, &evidence);
            assert_eq!(record.evidence(&*machine), Ok(evidence));
            let verdict = check(&machine, &record).unwrap_or_else(|what| panic!("{path}: {role:?}: {what}"));
            assert_eq!((verdict.explained, verdict.hole), (history.step(), None), "{path}: {role:?}");
            assert_eq!(verdict.undecided, None, "{path}: {role:?}");
        }
    }
}

#[test]
fn an_information_set_that_is_not_enumerated_is_sampled() {
    let machine = engine("imperfect/battleships_small.kif");
    let history = history(&machine, 3, 6);
    let mut evidence = machine.evidence(&history, Role::new(0), &mut machine.scratch());
    let mut record = record_of(&machine, &evidence);
    let mut effort = ExplainEffort::default();
    effort.belief.enumerate = false;
    effort.belief.particles = 20;
    let sampled = verify_evidence(&machine, RULES, &record, &effort).unwrap();
    assert_eq!((sampled.explained, sampled.is_enumerated), (evidence.step(), false));
    // A sample does not prove that an answer was not legal.
    record.step(2).answered = Some(machine.fluents(&machine.initial())[0].clone());
    let verdict = verify_evidence(&machine, RULES, &record, &effort).unwrap();
    let why = verdict.undecided.expect("it is a term of the game, but no move");
    assert!(why.starts_with("step 3: the answer ") && why.ends_with("of those that were drawn"), "{why}");
    // Without a budget nothing is found, and nothing is said.
    let none = ExplainEffort { nodes: 0, attempts: 1, ..effort };
    evidence.over = false;
    let verdict = verify_evidence(&machine, RULES, &record_of(&machine, &evidence), &none).unwrap();
    assert!(verdict.undecided.is_some_and(|why| why.contains("no history was found")));
}

#[test]
fn a_change_is_a_difference_at_its_step() {
    let machine = engine("imperfect/kuhn_poker.kif");
    let alice = machine.role_named("alice").unwrap().index();
    let right = recorded(&machine, 2, alice);
    assert!(check(&machine, &right).is_ok());
    let others = |texts: &[String], index: usize| {
        let other = |step: &EvidenceStep| step.percepts.clone().filter(|seen| seen != texts);
        right.steps.iter().filter_map(other).nth(index).expect("alice does not see the same in each step")
    };
    for index in 0..right.steps.len() {
        let step = index + 1;
        let mut record = right.clone();
        record.steps[index].percepts = Some(others(right.steps[index].percepts.as_ref().unwrap(), 0));
        let difference = check(&machine, &record).unwrap_err();
        assert!(
            matches!(difference, TranscriptDifference::Step { step: at, .. } if at == step),
            "{difference}"
        );

        let mut record = right.clone();
        let own = if right.steps[index].own[0] == "noop" { "bet" } else { "noop" };
        record.steps[index].own = vec![own.to_owned()];
        let difference = check(&machine, &record).unwrap_err().to_string();
        let expected = format!("step {step}: no history explains that alice did {own} and perceived [");
        assert!(difference.starts_with(&expected), "{difference}");
    }
}

#[test]
fn a_change_of_heading_terms_answers_or_end_is_named() {
    let differs = |change: fn(&mut EvidenceRecord), expected: &str| {
        let found = changed(change);
        assert!(found.contains(expected), "{found}");
    };
    differs(|r| r.schema = "hyperplay.evidence/9".to_owned(), "this program reads \"hyperplay.evidence/1\"");
    differs(|r| r.heading.rules = "sha256:1".to_owned(), "other rules");
    differs(|r| r.role = "carol".to_owned(), "the role carol, the rules have the roles ");
    differs(|r| r.steps[1].own[0] = "(fly 7)".to_owned(), "step 2: (fly 7) is no term of the game");
    differs(|r| r.steps[1].percepts = Some(vec![")".to_owned()]), "step 2: ) is no term of the game");
    differs(
        |r| r.steps[1].answered = Some("fly".to_owned()),
        "step 2: the answer fly is no term of the game",
    );
    differs(
        |r| r.steps[0].answered = Some("bet".to_owned()),
        "step 1: the answer bet is not legal in any state that is possible",
    );
    differs(
        |r| r.outcome = EvidenceOutcome::Aborted,
        "the match must be over, but it is recorded as if it were not",
    );
    differs(|r| drop(r.steps.pop()), "the match was ended as if it were over, but it cannot be");
    differs(|r| r.steps.clear(), "after step 0: the match was ended as if it were over");
    differs(
        |r| r.steps.push(r.steps[0].clone()),
        "the match must be over, but it is recorded as if it were not",
    );
}

#[test]
fn an_own_move_that_is_not_known_may_be_any_of_several() {
    let machine = engine("imperfect/kuhn_poker.kif");
    let alice = machine.role_named("alice").unwrap();
    let history = history(&machine, 2, usize::MAX);
    let mut evidence = machine.evidence(&history, alice, &mut machine.scratch());
    let bet = machine.terms().read("bet").map(hyperplay_machine::Move).unwrap();
    for step in &mut evidence.steps {
        let OwnMove::Known(own) = step.own else { panic!("it is known") };
        step.own = OwnMove::OneOf(if own == bet { [own].into() } else { [own, bet].into() });
    }
    let mut record = record_of(&machine, &evidence);
    assert!(record.steps.iter().any(|step| step.own.len() == 2));
    record.steps.iter_mut().for_each(|step| step.answered = None);
    assert_eq!(check(&machine, &record).unwrap().explained, history.step());
    record.steps[0].own = vec!["bet".to_owned(), "fold".to_owned()];
    let difference = check(&machine, &record).unwrap_err().to_string();
    assert!(
        difference.starts_with("step 1: no history explains that alice did bet or fold and "),
        "{difference}"
    );
}

#[test]
fn a_record_with_a_hole_is_checked_up_to_it() {
    let machine = engine("perfect/tictactoe.kif");
    let mut record = recorded(&machine, 1, 0);
    *record.step(3) = EvidenceStep { own: Vec::new(), ..record.steps[3].clone() };
    let verdict = check(&machine, &record).unwrap();
    assert_eq!((verdict.explained, verdict.hole, verdict.undecided), (3, Some(4), None));
    // The answer of the step that was missed is asked where it was given, and nothing after it.
    record.steps[4].own = vec!["nonsense".to_owned()];
    assert!(check(&machine, &record).is_ok());
    let taken = record.steps[0].own[0].clone();
    record.steps[3].answered = Some(taken.clone());
    let difference = check(&machine, &record).unwrap_err().to_string();
    assert_eq!(difference, format!("step 4: the answer {taken} is not legal in any state that is possible"));
}

#[test]
fn the_step_in_which_a_match_was_cut_short_is_no_hole() {
    let machine = engine("perfect/tictactoe.kif");
    let history = history(&machine, 1, 2);
    let evidence = machine.evidence(&history, Role::new(0), &mut machine.scratch());
    for outcome in [
        EvidenceOutcome::Aborted,
        EvidenceOutcome::Expired,
        EvidenceOutcome::Replaced,
        EvidenceOutcome::Interrupted,
    ] {
        let mut record = record_of(&machine, &evidence);
        record.outcome = outcome;
        let legal =
            machine.legal_by_role(&machine.replay(&history, &mut machine.scratch()), &mut machine.scratch());
        record.step(2).answered = Some(machine.show_move(legal[Role::new(0)][0]));
        let verdict = check(&machine, &record).unwrap();
        assert_eq!((verdict.explained, verdict.hole), (2, None), "{}", outcome.as_str());
        record.outcome = EvidenceOutcome::Stopped;
        assert_eq!(check(&machine, &record).unwrap().hole, Some(3));
    }
}
