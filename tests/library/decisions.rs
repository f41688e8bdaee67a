//! Tests of single decisions where several states are held possible: one kind of value, one matrix game, and no veto
//! by a state.
//!
//! What a policy guarantees is computed here from the payoffs, over a fine grid of mixtures, not by the solver.

use std::sync::Arc;

use crate::common::machines::{machine as machine_of, seat};
use crate::common::{field, games};
use hyperplay::engine::{Engine as Machine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{Budget, Evidence, History, Move, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::player::{Decision, Seat, View};

/// A rulesheet in which `random` hides one of two tokens, which nobody sees, and then `me` and `opp` play a matrix
/// game. Each column has the name of the move in either state and the goals of `me` against it.
fn hidden_then_matrix(rows: &[&str], columns: &[([&str; 2], &[u8])]) -> Arc<Machine> {
    let mut text = String::from(
        "(role me) (role opp) (role random) (init (step 0)) (tok 1) (tok 2)
         (<= (legal random (hide ?t)) (true (step 0)) (tok ?t)) (<= (legal random n) (true (step 1)))
         (<= (legal me noop) (true (step 0))) (<= (legal opp noop) (true (step 0)))
         (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
         (<= (next (hid ?t)) (does random (hide ?t))) (<= (next (hid ?t)) (true (hid ?t)))
         (<= (next (won ?x)) (true (hid ?t)) (does me ?a) (does opp ?b) (pays ?t ?a ?b ?x ?y))
         (<= (next (lost ?y)) (true (hid ?t)) (does me ?a) (does opp ?b) (pays ?t ?a ?b ?x ?y))
         (<= terminal (true (step 2)))
         (<= (goal me ?x) (true (won ?x))) (<= (goal opp ?y) (true (lost ?y)))
         (<= (goal me 0) (not (true (step 2)))) (<= (goal opp 100) (not (true (step 2))))
         (goal random 0)\n",
    );
    for row in rows {
        text += &format!("(<= (legal me {row}) (true (step 1)))\n");
    }
    for (names, goals) in columns {
        for (token, name) in [1, 2].iter().zip(names) {
            text += &format!("(<= (legal opp {name}) (true (step 1)) (true (hid {token})))\n");
            for (row, goal) in rows.iter().zip(*goals) {
                text += &format!("(pays {token} {row} {name} {goal} {})\n", 100 - goal);
            }
        }
    }
    let loaded = load(Source::new("hidden_then_matrix", text), None);
    let game = loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    Engines::new(&game).get(EngineKind::Auto).unwrap()
}

/// What a role of a spec decides after a random history of `steps` steps, or fewer where the game would be over, and
/// the policy by the names of the moves.
fn decide(machine: &Arc<Machine>, role: usize, spec: &str, steps: usize) -> (Decision, Vec<(String, f64)>) {
    let (role, mut scratch) = (Role::new(role), machine.scratch());
    let mut rng = Seed::root(steps as u64).rng();
    let (mut state, mut history) = (machine.initial(), History::default());
    for _ in 0..steps {
        let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
        let next = machine.next(&state, &joint, &mut scratch);
        if machine.terminal(&next, &mut scratch) {
            break;
        }
        state = next;
        history.0.push(joint);
    }
    let evidence: Evidence = machine.evidence(&history, role, &mut scratch);
    let mut legal = Vec::new();
    machine.legal(&state, role, &mut scratch, &mut legal);
    let decision = shown(machine, role, spec, &evidence, &legal);
    let policy = decision.policy.iter().map(|&(own, share)| (machine.show_move(own), share)).collect();
    (decision, policy)
}

fn shown(machine: &Arc<Machine>, role: Role, spec: &str, evidence: &Evidence, legal: &[Move]) -> Decision {
    let Seat::Player(mut player) = seat(spec, machine, role) else { panic!("a player with a belief") };
    player.decide(&View { evidence, legal }, &Budget::UNLIMITED, &Seed::root(1))
}

fn share(policy: &[(String, f64)], own: &str) -> f64 {
    policy.iter().find(|(name, _)| name == own).map_or(0.0, |&(_, share)| share)
}

/// The share of the first row that guarantees most in a game of two rows, and what it guarantees.
fn best_on_a_grid(columns: &[[f64; 2]]) -> (f64, f64) {
    let guarantee = |share: f64| {
        columns.iter().map(|goals| share * goals[0] + (1.0 - share) * goals[1]).fold(f64::INFINITY, f64::min)
    };
    let grid = (0..=10_000).map(|step| f64::from(step) / 10_000.0);
    grid.map(|share| (share, guarantee(share)))
        .fold((0.0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 + 1e-9 { next } else { best })
}

/// Every spec that searches these games completely, with and without the whole information set.
const SPECS: [&str; 3] =
    ["hyperplay", "hyperplay:search=exact", "hyperplay:sampler=hyperplay:enumerate=off,particles=50"];

#[test]
fn two_equivalent_hidden_states_keep_the_mixture_of_their_matrix_game() {
    let (best, guaranteed) = best_on_a_grid(&[[90.0, 0.0], [0.0, 10.0]]);
    assert!((best - 0.1).abs() < 1e-9 && (guaranteed - 9.0).abs() < 1e-9);
    let same = [(["c0", "c0"], &[90, 0][..]), (["c1", "c1"], &[0, 10][..])];
    // In the second state the moves of the other role are called otherwise, or they exchange their names.
    let renamed = [(["c0", "d0"], &[90, 0][..]), (["c1", "d1"], &[0, 10][..])];
    for columns in [same, renamed] {
        let machine = hidden_then_matrix(&["r0", "r1"], &columns);
        for spec in SPECS {
            let (decision, policy) = decide(&machine, 0, spec, 1);
            assert_eq!(decision.held.unwrap().states, 2);
            assert!((share(&policy, "r0") - best).abs() < 1e-6, "{spec}: {policy:?}");
            let worth = decision.values.iter().all(|&(_, value)| (value - guaranteed).abs() < 1e-6);
            assert!(worth, "{spec}: {:?}", decision.values);
        }
    }
}

#[test]
fn the_names_of_moves_do_not_change_the_policy() {
    // The first row is never worse than the others and never plays badly; the last column is never worse for `opp`.
    let matrix: [[u8; 3]; 3] = [[50, 50, 50], [50, 50, 0], [100, 20, 50]];
    let names = ["a", "b", "c"];
    let orders = [[0, 1, 2], [1, 2, 0], [2, 1, 0], [0, 2, 1]];
    for role in 0..2 {
        let mut known: Option<Vec<f64>> = None;
        for rows in orders {
            for columns in orders {
                // Row `r` is called `names[rows[r]]`, likewise columns.
                let called = |order: [usize; 3], at: usize| names[order[at]];
                let row_names: Vec<&str> = (0..3).map(|row| called(rows, row)).collect();
                let goals: Vec<Vec<u8>> = (0..3).map(|at| matrix.map(|row| row[at]).to_vec()).collect();
                let listed: Vec<([&str; 2], &[u8])> =
                    (0..3).map(|at| ([called(columns, at); 2], &goals[at][..])).collect();
                let machine = hidden_then_matrix(&row_names, &listed);
                let (_, policy) = decide(&machine, role, "hyperplay", 1);
                let order = if role == 0 { rows } else { columns };
                let shares: Vec<f64> = (0..3).map(|at| share(&policy, called(order, at))).collect();
                let first = known.get_or_insert_with(|| shares.clone());
                let near = shares.iter().zip(&*first).all(|(a, b)| (a - b).abs() < 1e-6);
                assert!(near, "role {role}, {rows:?}, {columns:?}: {shares:?}, before {first:?}");
            }
        }
        // The second row is weakly dominated by the first; so are the first two columns by the last.
        let dominated: &[usize] = if role == 0 { &[1] } else { &[0] };
        assert!(dominated.iter().all(|&at| known.as_ref().unwrap()[at] < 1e-6), "role {role}: {known:?}");
    }
}

/// The same on the rulesheets of the field that showed the fault.
#[test]
fn the_rulesheets_that_showed_it_are_played_as_they_should() {
    let Some(folder) = field().map(|folder| folder.join("beliefs")).filter(|folder| folder.exists()) else {
        return;
    };
    let machine = |name: &str| machine_of(&folder.join(name));
    let renamed = [("r0", "r0"), ("r1", "r1"), ("c1", "c2"), ("c2", "c1")];
    for role in 0..2 {
        let [first, second] =
            ["m_c1.kif", "m_c2.kif"].map(|name| decide(&machine(name), role, "hyperplay", 1).1);
        for (own, share_of) in &first {
            let (_, other) = renamed.iter().find(|(name, _)| name == own).unwrap();
            assert!((share(&second, other) - share_of).abs() < 1e-6, "{first:?}, {second:?}");
        }
        // `r1` is weakly dominated; `c2` of the first sheet weakly dominates.
        let dominated = if role == 0 { "r1" } else { "c1" };
        assert!(share(&first, dominated) < 1e-6, "{first:?}");
    }
    let (decision, policy) = decide(&machine("simgame.kif"), 0, "hyperplay", 1);
    let row = share(&policy, "r0");
    assert!((row - 0.1).abs() < 1e-6, "{policy:?}");
    assert!((f64::min(90.0 * row, 10.0 * (1.0 - row)) - 9.0).abs() < 1e-4, "{decision:?}");
}

/// One name of a method in the explanation of each decision of matches on these games, at a node limit that some
/// states fit and others do not.
#[test]
fn the_states_of_a_decision_are_judged_by_one_method() {
    let mut exact = 0;
    let mut sampled = 0;
    for name in ["dark_hex_3x3", "phantom_tictactoe"] {
        let machine = machine_of(&games("imperfect").join(format!("{name}.kif")));
        for steps in 6..20 {
            for role in 0..2 {
                let (decision, policy) = decide(&machine, role, "hyperplay:nodes=5000,playouts=100", steps);
                if policy.len() == 1 {
                    continue;
                }
                let explanation = decision.explain(&machine);
                let exhaustive = explanation.iter().any(|line| line.contains("searched exhaustively"));
                let playouts = explanation.iter().any(|line| line.contains("playouts"));
                assert!(exhaustive != playouts, "{name} after {steps}: {explanation:?}");
                assert_eq!(exhaustive, decision.cost.playouts == 0);
                exact += usize::from(exhaustive);
                sampled += usize::from(playouts);
            }
        }
    }
    assert!(exact > 2 && sampled > 2, "{exact} and {sampled} decisions");
}

/// A move that one of the states held possible does not have.
#[test]
fn a_state_in_which_the_best_move_is_illegal_does_not_rule_it_out() {
    // Legality leaks: the hidden token decides whether `win` is legal, and the role cannot see it.
    let text = "(role me) (role random) (init (step 0)) (tok 1) (tok 2) (tok 3)
        (<= (legal random (hide ?t)) (true (step 0)) (tok ?t)) (<= (legal random n) (not (true (step 0))))
        (<= (legal me noop) (true (step 0)))
        (<= (legal me lose) (true (step 1)))
        (<= (legal me win) (true (step 1)) (not (true (hid 3))))
        (<= (legal me other) (true (step 1)) (true (hid 3)))
        (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
        (<= (next (hid ?t)) (does random (hide ?t))) (<= (next won) (does me win)) (<= (next lost) (does me lose))
        (<= terminal (true (step 2)))
        (<= (goal me 100) (true won)) (<= (goal me 10) (true lost))
        (<= (goal me 40) (not (true won)) (not (true lost))) (goal random 0)";
    let loaded = load(Source::new("leak", text), None);
    let machine = Engines::new(&loaded.game.unwrap()).get(EngineKind::Auto).unwrap();
    let (role, mut scratch) = (Role::new(0), machine.scratch());
    let moves = ["lose", "win", "other"].map(|name| Move(machine.terms().read(name).unwrap()));
    let [lose, win, other] = moves;
    let start = machine.random_joint(&machine.initial(), &mut scratch, &mut Seed::root(1).rng()).unwrap();
    let evidence = machine.evidence(&History(vec![start]), role, &mut scratch);
    for spec in ["hyperplay", "hyperplay:search=flat,playouts=300"] {
        let decision = shown(&machine, role, spec, &evidence, &[lose, win]);
        // `win` is worth 100, and 25, the mean of 10 and 40, where it is illegal; `other` was not shown.
        assert_eq!(decision.policy, [(lose, 0.0), (win, 1.0)], "{:?}", decision.reasons);
        assert!((decision.values[1].1 - 75.0).abs() < 1e-6, "{:?}", decision.values);
        let decision = shown(&machine, role, spec, &evidence, &[lose, other]);
        // 10 everywhere against 40 once and 55, the mean of 10 and 100, twice.
        assert!((decision.values[1].1 - 50.0).abs() < 1e-6, "{:?}", decision.values);
        assert_eq!(decision.choice, other);
    }
}
