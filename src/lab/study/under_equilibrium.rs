//! Studies against the posterior under an equilibrium: Kuhn poker by hand, and a game that is not solved.
//!
//! In Kuhn poker a player who has seen its own card holds two cards of the other possible. Uniform opponents leave both
//! alike, whatever was said; an equilibrium does not.

use std::sync::Arc;

use super::harness::random_match;
use super::{Blocks, MatchSource, Study, StudyError, StudyGame, StudyPlan, WORK};
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{History, JointMove, Role, Seed, StateMachine, StateMachineExt};
use hyperplay_play::player::Registry;
use hyperplay_play::referee::Interrupt;
use hyperplay_think::belief::OpponentModel;

/// A tremble that is easy to see.
const EPSILON: f64 = 0.02;
/// Matches of a study.
const MATCHES: usize = 40;

fn kuhn() -> Arc<Engine> {
    let text = include_str!("../../../games/imperfect/kuhn_poker.kif");
    let game = load(Source::new("kuhn_poker", text), None).game.expect("the rules are in order");
    Engines::new(&game).get(EngineKind::Auto).expect("there is an engine")
}

/// The beliefs of one sampler in random matches, held against the posterior under a model as well.
fn study(machine: &Arc<Engine>, sampler: &str, equilibrium: &str) -> Result<Study, StudyError> {
    let registry = Registry::standard();
    let under = format!("exact:model=[{equilibrium}],epsilon={EPSILON}");
    let plan = StudyPlan {
        samplers: vec![registry.sampler(sampler).expect("there is one")],
        particles: vec![4],
        replicates: 2,
        matches: MATCHES,
        play: MatchSource::read("uniform", &registry).expect("there is one"),
        equilibrium: Some(registry.sampler(&under).expect("there is one")),
        roles: Vec::new(),
        steps: (1, 9),
        limit: 100,
        update_limit: None,
        playouts: 0,
        work: WORK,
        seed: 1,
    };
    plan.study(&StudyGame::unnamed(machine), &Interrupt::default(), (&|| (), &|_| ()), &mut Blocks::default())
}

/// The probability of the choices of a role in a history, each with a tremble.
fn likelihood(machine: &Engine, model: &dyn OpponentModel, history: &History, role: Role) -> f64 {
    let (mut state, mut scratch, mut probability) = (machine.initial(), machine.scratch(), 1.0);
    for (step, joint) in history.0.iter().enumerate() {
        let legal = &machine.legal_by_role(&state, &mut scratch)[role];
        let known = machine.evidence(&History(history.0[..step].to_vec()), role, &mut scratch);
        let place = legal.iter().position(|&own| own == joint.of(role)).expect("the move is legal");
        let share = model.policy(role, &known, legal)[place];
        probability *= (1.0 - EPSILON) * share + EPSILON / legal.len() as f64;
        state = machine.next(&state, joint, &mut scratch);
    }
    probability
}

/// The same history with the other card that the opponent of a role may hold, and both of its cards.
fn other(machine: &Engine, history: &History, role: Role) -> (History, [String; 2]) {
    let random = machine.random().expect("cards are dealt");
    // Alice is the first role and has the first card.
    let (own, theirs) = if role == Role::new(0) { (0, 1) } else { (1, 0) };
    let card = |joint: &JointMove| {
        let shown = machine.show_move(joint.of(random));
        ["jack", "queen", "king"].into_iter().find(|card| shown.contains(card)).expect("a card is dealt")
    };
    let held = [card(&history.0[own]), card(&history.0[theirs])];
    let free = ["jack", "queen", "king"].into_iter().find(|card| !held.contains(card)).expect("there are 3");
    let mut scratch = machine.scratch();
    let before = if theirs == 0 {
        machine.initial()
    } else {
        machine.next(&machine.initial(), &history.0[0], &mut scratch)
    };
    let legal = machine.legal_by_role(&before, &mut scratch);
    let dealt = legal[random].iter().find(|&&dealt| machine.show_move(dealt).contains(free));
    let mut changed = history.clone();
    changed.0[theirs] = JointMove::new(machine.each_role().map(|role| {
        if role == random { *dealt.expect("the card is free") } else { history.0[theirs].of(role) }
    }));
    (changed, [held[1].to_owned(), free.to_owned()])
}

#[test]
fn the_distance_from_the_posterior_under_an_equilibrium_is_what_a_hand_computes() {
    let machine = kuhn();
    let study = study(&machine, "hyperplay", "equilibrium").expect("kuhn poker is solved");
    let model = Registry::standard().model("equilibrium").expect("there is one").model(&machine);
    let (mut compared, mut known_value) = (0, 0);
    for row in study.rows.iter().filter(|row| row.is_decision) {
        if row.of.posterior == "U" {
            assert!(row.figures.bias_tv.abs() < 1e-9, "the belief is enumerated");
            continue;
        }
        assert_eq!(row.of.posterior, "E");
        let role =
            machine.each_role().find(|&role| machine.roles()[role] == row.place.role).expect("it plays");
        let seed = Seed::root(1).child("match").index(row.place.index);
        let mut history = random_match(&machine, 9, &seed).expect("nothing fails");
        history.0.truncate(row.place.step);
        let (changed, cards) = other(&machine, &history, role);
        let opponent = if role == Role::new(0) { Role::new(1) } else { Role::new(0) };
        let [one, two] = [&history, &changed].map(|history| likelihood(&machine, &*model, history, opponent));
        let expected = (one / (one + two) - 0.5).abs();
        assert!((row.figures.bias_tv - expected).abs() < 1e-9, "{row:?}: {expected}");
        compared += 1;
        // Alice checked and Bob bet: in every equilibrium he does so with the king, a third of the time with the jack,
        // and never with the queen.
        if role == Role::new(0) && row.place.step == 4 {
            let bets = |card: &String| {
                let share = match card.as_str() {
                    "jack" => 1.0 / 3.0,
                    "queen" => 0.0,
                    _ => 1.0,
                };
                (1.0 - EPSILON) * share + EPSILON / 2.0
            };
            let [one, two] = [&cards[0], &cards[1]].map(bets);
            assert!((row.figures.bias_tv - (one / (one + two) - 0.5).abs()).abs() < 0.01, "{row:?}");
            known_value += 1;
        }
    }
    assert!(compared > MATCHES && known_value > 1, "{compared}, {known_value}");
}

#[test]
fn a_sampler_that_assumes_the_same_equilibrium_is_measured_once_and_has_no_bias() {
    let sampler = format!("hyperplay:model=equilibrium,epsilon={EPSILON}");
    let study = study(&kuhn(), &sampler, "equilibrium").expect("kuhn poker is solved");
    let (own, uniform): (Vec<_>, Vec<_>) = study.rows.iter().partition(|row| row.of.posterior == "E");
    assert!(own.iter().all(|row| row.figures.bias_tv < 1e-9) && own.len() == uniform.len());
    assert!(uniform.iter().all(|row| row.of.posterior == "U"));
    assert!(uniform.iter().any(|row| row.figures.bias_tv > 0.1));
}

#[test]
fn a_game_whose_tree_does_not_fit_is_refused_with_the_reason() {
    let error = study(&kuhn(), "hyperplay", "equilibrium:nodes=10").unwrap_err();
    let StudyError::Unsolved(reason) = &error else { panic!("{error}") };
    assert!(reason.contains("no equilibrium") && reason.contains("10"), "{reason}");
}
