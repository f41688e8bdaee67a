//! Compares search with slow and obvious answers: values from the literature, and a recursion without a transposition
//! table.

use crate::common::machines::built_in;
use hyperplay::engine::Engine as Machine;
use hyperplay::machine::{Budget, History, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::search::{
    Algorithm, Answer, Evaluation, Leaves, Method, SearchContext, SearchOptions, StateSearch, WeightedState,
    alphabeta, exact, uniform,
};

type State = <Machine as StateMachine>::State;

type Scratch = <Machine as StateMachine>::Scratch;

fn context<'a>(
    machine: &'a Machine,
    role: Role,
    budget: Budget,
    scratch: &'a mut Scratch,
) -> SearchContext<'a, Machine> {
    SearchContext::new(machine, role, budget, Seed::root(1), scratch)
}

fn exhaustive(machine: &Machine, state: &State, role: usize, nodes: u64) -> Option<Evaluation> {
    let scratch = &mut machine.scratch();
    exact(&mut context(machine, Role::new(role), Budget::nodes(nodes), scratch), state).0
}

/// Minimax by the definition: the role maximises its goal, and the other role minimises it. There is no table.
fn minimax(machine: &Machine, state: &State, role: Role) -> f64 {
    let mut scratch = machine.scratch();
    if machine.terminal(state, &mut scratch) {
        return machine.goal(state, role, &mut scratch).into();
    }
    let legal = machine.legal_by_role(state, &mut scratch);
    let mover = machine.each_role().find(|&of| legal[of].len() > 1).unwrap_or(role);
    let values = hyperplay::machine::JointMoves::new(&legal)
        .map(|joint| minimax(machine, &machine.next(state, &joint, &mut scratch), role));
    if mover == role { values.fold(0.0, f64::max) } else { values.fold(100.0, f64::min) }
}

#[test]
fn tictactoe_is_a_draw_and_its_5478_states_have_16167_successors() {
    let machine = built_in("perfect/tictactoe.kif");
    let start = machine.initial();
    let (evaluation, visited) =
        exact(&mut context(&machine, Role::new(0), Budget::nodes(20_000), &mut machine.scratch()), &start);
    let evaluation = evaluation.unwrap();
    assert_eq!(evaluation.method, Method::ExactZeroSum);
    assert_eq!(evaluation.values, [50.0; 9]);
    assert_eq!(visited, 16_167);
    assert_eq!(exhaustive(&machine, &start, 0, 16_166), None);
    assert_eq!(exhaustive(&machine, &start, 1, 16_167).unwrap().values, [50.0]);
}

#[test]
fn exhaustive_search_agrees_with_plain_minimax_on_random_tictactoe_states() {
    let machine = built_in("perfect/tictactoe.kif");
    let mut scratch = machine.scratch();
    let mut rng = Seed::root(7).rng();
    let mut values = Vec::new();
    for _ in 0..30 {
        let mut history = History::default();
        let mut state = machine.initial();
        while history.step() < 4 {
            let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
            state = machine.next(&state, &joint, &mut scratch);
            history.0.push(joint);
        }
        for role in machine.each_role() {
            let best = exhaustive(&machine, &state, role.index(), 2_000).unwrap();
            let slow = minimax(&machine, &state, role);
            // Where the other role is to move, the only own move is worth what the other leaves.
            assert_eq!(best.best(), slow, "{history:?}");
            values.push(slow);
        }
    }
    assert!(values.contains(&0.0) && values.contains(&100.0) && values.contains(&50.0), "a varied sample");
}

#[test]
fn rock_paper_scissors_lizard_spock_is_worth_50_and_played_evenly() {
    let machine = built_in("perfect/rock_paper_scissors_lizard_spock.kif");
    for role in 0..2 {
        let evaluation = exhaustive(&machine, &machine.initial(), role, 25).unwrap();
        assert!(evaluation.values.iter().all(|value| (value - 50.0).abs() < 1e-9), "{evaluation:?}");
        let mixture = evaluation.mixture.unwrap();
        assert!(mixture.iter().all(|share| (share - 0.2).abs() < 1e-9), "{mixture:?}");
    }
}

/// 58.49 % wins and 12.70 % draws for the first player: 737 and 160 of 1,260.
#[test]
fn playouts_of_tictactoe_have_the_exact_mean_of_uniform_play() {
    let machine = built_in("perfect/tictactoe.kif");
    let options =
        SearchOptions { algorithm: Algorithm::Flat, playouts: 36_000.into(), ..SearchOptions::default() };
    let run = || {
        let start = machine.initial();
        let scratch = &mut machine.scratch();
        let mut context = context(&machine, Role::new(0), Budget::UNLIMITED, scratch);
        options.evaluate(&mut context, &[WeightedState::single(&start)])
    };
    let made = run();
    // Four phases of 9,000 over 9, 5, 3 and 2 moves: a move dropped after the first has a ninth of that.
    assert_eq!((made.playouts, made.states[0].method), (36_000, Method::Playouts(1_000)));
    let exact = 100.0 * (737.0 + 80.0) / 1_260.0;
    // The standard error is below 47 / sqrt(9 * 1,000) = 0.5.
    assert!((made.states[0].mean() - exact).abs() < 2.0, "{} {exact}", made.states[0].mean());
    assert_eq!(made, run());
}

/// Alpha-beta opens no state outside the complete graph, and gives the same values.
#[test]
fn alpha_beta_proves_what_the_complete_graph_says_with_fewer_states() {
    for (path, steps) in [("perfect/tictactoe.kif", [0, 2, 3]), ("perfect/nim.kif", [0, 1, 2])] {
        let machine = built_in(path);
        let mut scratch = machine.scratch();
        let mut rng = Seed::root(3).rng();
        for steps in steps {
            let mut state = machine.initial();
            for _ in 0..steps {
                let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
                state = machine.next(&state, &joint, &mut scratch);
            }
            for role in machine.each_role() {
                let budget = Budget::nodes(200_000);
                let mut context = context(&machine, role, budget, &mut scratch);
                let (complete, all) = exact(&mut context, &state);
                let (answer, some) = alphabeta(&mut context, &state, Leaves::Proof);
                let (Answer::Judged(proven), Some(complete)) = (answer, complete) else { panic!("both fit") };
                assert_eq!(proven, complete, "{path} after {steps}");
                assert!(some <= all, "{path} after {steps}: {some} of {all}");
            }
        }
    }
}

/// 737 and 160 of 1,260: what the playouts below only come near.
#[test]
fn uniform_play_of_tictactoe_is_averaged_exactly() {
    let machine = built_in("perfect/tictactoe.kif");
    let (start, budget) = (machine.initial(), Budget::nodes(20_000));
    let scratch = &mut machine.scratch();
    let (evaluation, _) = uniform(&mut context(&machine, Role::new(0), budget, scratch), &start);
    let exact = 100.0 * (737.0 + 80.0) / 1_260.0;
    assert!((evaluation.unwrap().mean() - exact).abs() < 1e-9);
}
