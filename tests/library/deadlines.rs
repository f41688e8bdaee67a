//! Deadlines inside an evaluation: a question that would take minutes ends soon, says so, and leaves nothing wrong.
//!
//! No test measures time. The rules seat pigeons in holes: with one hole too few, the search for seats visits some 10^10
//! rows before it fails. A test that does not end shows that a deadline was not kept.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::common::machines::particle_belief;
use hyperplay::belief::{BeliefOptions, SamplingMethod, Uniform, UpdateOutcome};
use hyperplay::engine::{Engine, EngineKind, Engines, Interpreter};
use hyperplay::gdl::{Game, Source, load};
use hyperplay::machine::{
    Budget, Bulk, Evidence, History, JointMove, Move, Observation, ObservedStep, OwnMove, Percepts, Role,
    Seed, Start, StateMachine, StateMachineExt, StepAttempts,
};
use hyperplay::player::{ClairvoyantView, Decision, Registry, View};
use hyperplay::solve::{GameTree, TreeError, TreeLimits};

/// The steps before the state that takes so long.
const BEFORE: usize = 14;

/// Two roles and `random`. In the last state but one `a` may also fly if so many pigeons find a seat in one hole less;
/// so the legal moves there, and nothing else, take as long as it takes to see that they do not.
fn pigeons(count: usize) -> Game {
    let mut text = String::from(
        "(role a) (role b) (role random) (init (at 0))
         (<= (legal ?r stay) (role ?r)) (<= (legal ?r go) (role ?r) (distinct ?r random))
         (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
         (<= (next (went ?r)) (does ?r go)) (<= (next (went ?r)) (true (went ?r)))
         (<= (sees ?r ?m) (role ?r) (does b ?m))
         (<= terminal (true (at 16)))
         (<= (goal ?r 100) (role ?r) (true (went ?r))) (<= (goal ?r 0) (role ?r) (not (true (went ?r))))",
    );
    (0..16).for_each(|n| text += &format!(" (succ {n} {})", n + 1));
    text += &seated(&format!("(legal a fly) (true (at {BEFORE}))"), count);
    load(Source::new("pigeons", text), None).game.expect("the rules are fine")
}

/// A rule that begins like this, for what holds if so many pigeons find a seat in one hole less.
fn seated(begins: &str, count: usize) -> String {
    let mut text: String = (1..count).map(|hole| format!(" (hole h{hole})")).collect();
    text += &format!(" (<= {begins}");
    (0..count).for_each(|pigeon| text += &format!(" (hole ?p{pigeon})"));
    for one in 0..count {
        (0..one).for_each(|other| text += &format!(" (distinct ?p{one} ?p{other})"));
    }
    text + ")"
}

/// The interpreter of the rules that take minutes.
static SLOW: LazyLock<Arc<Engine>> =
    LazyLock::new(|| Engines::new(&pigeons(15)).get(EngineKind::Interpreter).unwrap());

fn over() -> Budget {
    Budget::time(Duration::ZERO)
}

fn soon() -> Budget {
    Budget::time(Duration::from_millis(30))
}

/// The state after so many steps in which everybody stayed.
fn after<M: StateMachine>(machine: &M, steps: usize) -> (History, M::State) {
    let stay = Move(machine.terms().read("stay").unwrap());
    let history = History(vec![JointMove::new([stay; 3]); steps]);
    let state = machine.replay(&history, &mut machine.scratch());
    (history, state)
}

/// An interpreter measures random matches when it is made, and gives up a state on which a rule visits too many rows.
#[test]
fn an_interpreter_is_made_soon_where_a_state_takes_minutes() {
    let work = Interpreter::new(&pigeons(15)).unwrap().step_work;
    assert!(work.visits < 2e6, "{} rows a step", work.visits);
}

#[test]
fn a_question_after_the_deadline_is_marked_and_the_next_one_is_answered_in_full() {
    // Eight pigeons are seated, or not, in some milliseconds.
    let machine = Interpreter::new(&pigeons(8)).unwrap();
    let (_, state) = after(&machine, BEFORE);
    let mut scratch = machine.scratch();
    machine.set_deadline(&mut scratch, over().deadline);
    assert!(machine.legal_by_role(&state, &mut scratch).values().iter().all(Vec::is_empty));
    assert!(machine.is_interrupted(&scratch));
    assert!(machine.terminal(&state, &mut scratch), "from then on every answer is as at the end");
    assert_eq!(machine.take_failure(&mut scratch), None, "the rules did not fail");
    machine.set_deadline(&mut scratch, None);
    assert!(!machine.is_interrupted(&scratch) && !machine.terminal(&state, &mut scratch));
    let legal = machine.legal_by_role(&state, &mut scratch);
    assert_eq!(legal.values().iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
    assert_eq!(legal, machine.legal_by_role(&state, &mut machine.scratch()));
}

#[test]
fn an_evaluation_that_would_take_minutes_ends_at_the_deadline() {
    let machine = &**SLOW;
    let (_, state) = after(machine, BEFORE);
    let mut scratch = machine.scratch();
    let legal = machine.by_deadline(soon().deadline, &mut scratch, |scratch| {
        let legal = machine.legal_by_role(&state, scratch);
        assert!(machine.is_interrupted(scratch));
        legal
    });
    assert!(legal.values().iter().all(Vec::is_empty));
    assert_eq!(machine.take_failure(&mut scratch), None);
    let (_, easy) = after(machine, BEFORE - 1);
    assert_eq!(machine.legal_by_role(&easy, &mut scratch).values()[0].len(), 2);
}

#[test]
fn playouts_and_draws_that_are_cut_off_do_not_count() {
    let machine = &**SLOW;
    let (scratch, seed) = (&mut machine.scratch(), Seed::root(1));
    let (_, state) = after(machine, BEFORE - 2);
    let start = Start { state: state.clone(), first: Vec::new(), weights: None, count: 10 };
    let tally = machine.playouts(&[start], &seed, &soon(), scratch).remove(0);
    assert_eq!((tally.count, tally.unfinished), (0, 0), "every playout comes to the slow state");
    let stay = Move(machine.terms().read("stay").unwrap());
    let observation = Observation { own: OwnMove::Known(stay), percepts: Percepts::default() };
    let observed = ObservedStep { role: Role::new(0), observation: &observation, is_end: false };
    let (_, slow) = after(machine, BEFORE);
    let (starts, attempts, budget) = (&[slow], &[0; 100], &soon());
    let asked = StepAttempts { starts, attempts, observed, seed: &seed, budget };
    let draws = machine.draw_consistent(&asked, scratch);
    assert_eq!((draws.tried, draws.steps.len()), (0, 0));
    assert!(!machine.is_interrupted(scratch), "the scratch is as before");
}

/// The evidence of `a` after so many steps, and the moves that it is shown.
fn shown(machine: &Engine, steps: usize) -> (History, Evidence, Vec<Move>) {
    let (history, _) = after(machine, steps);
    let evidence = machine.evidence(&history, Role::new(0), &mut machine.scratch());
    let legal = ["go", "stay"].map(|own| Move(machine.terms().read(own).unwrap()));
    (history, evidence, legal.to_vec())
}

#[test]
fn a_tree_with_goals_that_are_cut_off_is_not_finished() {
    let text = "(role a) (role b) (init (at 0)) (legal a stay) (legal b stay) (<= terminal (true (at 0))) (goal b 50)";
    let text = text.to_owned() + &seated("(goal a 100) (true (at 0))", 10);
    let game = load(Source::new("over", text), None).game.expect("the rules are fine");
    let limits = TreeLimits { deadline: soon().deadline, ..TreeLimits::default() };
    let tree = GameTree::build(&Interpreter::new(&game).unwrap(), &limits);
    assert_eq!(tree.map(|tree| tree.faults().to_vec()), Err(TreeError::Stopped));
}

#[test]
fn every_player_answers_a_legal_move_where_its_own_evaluations_would_take_minutes() {
    let machine = &*SLOW;
    let (history, evidence, legal) = shown(machine, BEFORE);
    let own = View { evidence: &evidence, legal: &legal };
    for spec in [
        "random",
        "legal",
        "hyperplay",
        "hyperplay:search=flat",
        "hyperplay:search=exact",
        "hyperplay:search=alphabeta",
        "hyperplay:sampler=bootstrap",
        "hyperplay:sampler=hyperplay12",
        "hyperplay:sampler=hyperplay:method=rejection",
        "hyperplay:sampler=hyperplay:method=filter",
        "pimc",
        "ismcts",
        "oos",
        "subgame",
        "clairvoyant",
        "equilibrium",
        "auto",
        "selected",
    ] {
        for budget in [over(), soon()] {
            let mut seat = Registry::standard().player(spec).unwrap().seat(machine, Role::new(0));
            let view = ClairvoyantView { own, history: &history };
            let decision: Decision =
                seat.decide(&view, &budget, &Seed::root(1)).expect("it is no other program");
            assert!(legal.contains(&decision.choice), "{spec}");
            assert_eq!(decision.failure, None, "{spec}: the rules did not fail");
            assert!(decision.values.is_empty(), "{spec}: nothing was judged, {:?}", decision.values);
        }
    }
}

#[test]
fn a_belief_that_the_deadline_cuts_off_is_depleted_and_right_at_the_next_update() {
    let engines = Engines::new(&pigeons(8));
    let machine = engines.get(EngineKind::Interpreter).unwrap();
    let (_, evidence, _) = shown(&machine, BEFORE + 1);
    for (method, enumerate) in [
        (SamplingMethod::Auto, true),
        (SamplingMethod::Auto, false),
        (SamplingMethod::ParticleFilter, false),
        (SamplingMethod::Backtracking, false),
    ] {
        let options = BeliefOptions { method, enumerate, particles: 20, ..BeliefOptions::default() };
        let mut belief = particle_belief(&machine, Role::new(0), Arc::new(Uniform), options);
        for (step, budget) in [(3, over()), (BEFORE + 1, over()), (BEFORE + 1, Budget::UNLIMITED)] {
            let outcome = belief.update(&evidence.until(step), &budget, &Seed::root(1));
            let is_cut = budget != Budget::UNLIMITED;
            assert_eq!(outcome == UpdateOutcome::Depleted { step }, is_cut, "{method:?}: {outcome:?}");
            assert!(belief.particles().is_empty() == is_cut, "{method:?}");
            assert_eq!(belief.take_failure(), None);
        }
        // Only what `b` did is seen, so every history has b's moves of the evidence.
        for particle in belief.particles() {
            assert_eq!(belief.evidence(particle, Role::new(0)), evidence, "{method:?}");
        }
    }
}
