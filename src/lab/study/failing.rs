//! Studies in which an evaluation of the rules fails: in the match, in the enumeration, or in a belief.

use std::sync::Arc;

use super::harness::{self, Oracle, Replicates};
use super::{Blocks, MatchSource, StudyError, StudyGame, StudyPlan, WORK};
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{EvaluationFailure, History, JointMove, Role, Seed, StateMachine, StateMachineExt};
use hyperplay_play::player::Registry;
use hyperplay_play::referee::Interrupt;
use hyperplay_think::belief::{Belief, HistoryBelief, OpponentModel, Sampler, Uniform, UpdateOutcome};

/// `it` may stay or go, and `me` does not see which. Whenever it goes, a term becomes deeper by forty; the third time
/// it is too deep for any engine.
fn hidden() -> Arc<Engine> {
    let deep = "(s ".repeat(40) + "?x" + &")".repeat(40);
    let text = format!(
        "(role me) (role it) (init (depth zero)) (legal me noop) (legal it stay) (legal it go)
         (<= (next (depth {deep})) (does it go) (true (depth ?x)))
         (<= (next (depth ?x)) (does it stay) (true (depth ?x)))
         (<= (sees it ?m) (does it ?m))
         (<= terminal (true never)) (goal me 50) (goal it 50)"
    );
    let game = load(Source::new("hidden", text), None).game.expect("the rules are in order");
    Engines::new(&game).get(EngineKind::Interpreter).unwrap()
}

/// A match of four steps in which nothing fails, for `it` always stays.
fn quiet(machine: &Engine) -> History {
    let mut scratch = machine.scratch();
    let legal = machine.legal_by_role(&machine.initial(), &mut scratch);
    let stay = legal[Role::new(1)].iter().find(|&&own| machine.show_move(own) == "stay").unwrap();
    History(vec![JointMove::new([legal[Role::new(0)][0], *stay]); 4])
}

fn uniform() -> Arc<dyn OpponentModel> {
    Arc::new(Uniform)
}

#[test]
fn points_fail_with_the_enumeration_of_histories_and_of_states() {
    let (machine, model) = (hidden(), uniform());
    let history = quiet(&machine);
    let points = |limit, steps| {
        let oracle = Oracle {
            model: &model,
            limit,
            steps: (1, steps),
            playouts: 0,
            work: WORK,
            playouts_engine: None,
        };
        oracle.points(&machine, Role::new(0), &history, &Seed::root(1), &|| false)
    };
    assert_eq!(points(1000, 2).unwrap().list.len(), 2);
    for limit in [1000, 3] {
        let failure = points(limit, 4).unwrap_err();
        assert!(failure.reason.contains("depth"), "{}", failure.reason);
    }
}

/// A sampler whose beliefs fail.
struct Failing;

impl Sampler<Engine> for Failing {
    fn belief(
        &self,
        machine: &Arc<Engine>,
        role: Role,
        model: &Arc<dyn OpponentModel>,
        particles: usize,
    ) -> Box<dyn Belief<Engine>> {
        Box::new(HistoryBelief::new(machine, role, model, particles, |histories, evidence, _, _| {
            histories.fail(EvaluationFailure { reason: "as it must".to_owned() });
            UpdateOutcome::Depleted { step: evidence.step() }
        }))
    }
}

#[test]
fn a_failure_in_a_belief_is_no_depletion() {
    let (machine, model) = (hidden(), uniform());
    let oracle =
        Oracle { model: &model, limit: 1000, steps: (1, 2), playouts: 0, work: WORK, playouts_engine: None };
    let points = oracle.points(&machine, Role::new(0), &quiet(&machine), &Seed::root(1), &|| false).unwrap();
    let replicates = Replicates {
        sampler: &Failing,
        model: &model,
        is_of_points: true,
        particles: 4,
        count: 3,
        seed: Seed::root(1),
        limit: None,
        work: u64::MAX,
        keep: None,
    };
    let failure = harness::measure(&machine, &replicates, &points.list, &|| false, &|| ()).unwrap_err();
    assert_eq!(failure.reason, "as it must");
}

#[test]
fn a_study_ends_with_a_match_that_fails_whoever_plays_it() {
    let (machine, registry) = (hidden(), Registry::standard());
    for play in ["uniform", "softmax", "hyperplay:sampler=hyperplay:enumerate=off,particles=4,playouts=4"] {
        let plan = StudyPlan {
            samplers: vec![registry.sampler("hyperplay12").unwrap()],
            particles: vec![4],
            replicates: 2,
            matches: 1,
            play: MatchSource::read(play, &registry).unwrap(),
            equilibrium: None,
            roles: Vec::new(),
            steps: (1, 30),
            limit: 100,
            update_limit: None,
            playouts: 0,
            work: WORK,
            seed: 1,
        };
        let error = plan
            .study(
                &StudyGame::unnamed(&machine),
                &Interrupt::default(),
                (&|| (), &|_| ()),
                &mut Blocks::default(),
            )
            .unwrap_err();
        assert!(matches!(error, StudyError::Evaluation(_)), "{play}: {error}");
    }
}
