//! Tests of players by exact values: the value of a policy is computed over all histories, not sampled, wherever the
//! game allows it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::machines::{built_in, players, seat};
use hyperplay::engine::{Engine as Machine, EngineKind, Engines};
use hyperplay::for_engine::game_tree;
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{
    Budget, ByRole, Evidence, History, JointMove, JointMoves, Move, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay::player::{
    ClairvoyantView, Decision, FileKind, KeyType, Reason, Registry, Seat, SpecEntry, SpecKind, View,
};
use hyperplay::solve::TreeLimits;

/// Shows a player what it may know, where no history matters.
fn decide(seat: &mut Seat, own: View<'_>, budget: &Budget, seed: &Seed) -> Decision {
    let Seat::Player(player) = seat else { panic!("a clairvoyant player needs a history") };
    player.decide(&own, budget, seed)
}

/// No match here needs more steps; some games can loop.
const STEPS: usize = 30;

/// One match; `random` and the roles without a spec move uniformly.
struct Match {
    history: History,
    goals: ByRole<u8>,
    decisions: Vec<(Role, Decision)>,
}

fn play(machine: &Arc<Machine>, specs: &[&str], budget: impl Fn() -> Budget, seed: &Seed) -> Match {
    let mut scratch = machine.scratch();
    let mut players: Vec<_> =
        machine.each_role().zip(specs).map(|(role, spec)| seat(spec, machine, role)).collect();
    let mut state = machine.initial();
    let mut history = History::default();
    let mut evidence: Vec<Evidence> = machine.each_role().map(Evidence::new).collect();
    let mut decisions = Vec::new();
    while !machine.terminal(&state, &mut scratch) && history.step() < STEPS {
        let seed = seed.child("step").index(history.step());
        let mut joint = machine.random_joint(&state, &mut scratch, &mut seed.rng()).unwrap();
        for (role, player) in machine.each_role().zip(&mut players) {
            let mut legal = Vec::new();
            machine.legal(&state, role, &mut scratch, &mut legal);
            let own = View { evidence: &evidence[role.index()], legal: &legal };
            let view = ClairvoyantView { own, history: &history };
            let said = player.decide(&view, &budget(), &seed.child("role").index(role.index()));
            let decision = said.expect("it is no other program");
            assert!(legal.contains(&decision.choice), "an illegal move");
            joint = joint.with(role, decision.choice);
            decisions.push((role, decision));
        }
        history.0.push(joint);
        state = machine.replay(&history, &mut scratch);
        for role in machine.each_role() {
            evidence[role.index()] = machine.evidence(&history, role, &mut scratch);
        }
    }
    let goals =
        ByRole::from_fn(machine.roles().len(), |role| machine.goal(&state, role, &mut scratch).value());
    assert_eq!(machine.take_failure(&mut scratch), None);
    Match { history, goals, decisions }
}

type State = <Machine as StateMachine>::State;

/// How often a role of these names and fluents makes each of its moves.
type Rivals<'a> = &'a dyn Fn(&str, &[String], &[String]) -> Vec<f64>;

fn uniformly(_: &str, _: &[String], moves: &[String]) -> Vec<f64> {
    vec![1.0 / moves.len() as f64; moves.len()]
}

/// The expected goal of a role that plays by `spec` while the others play as given and `random` uniformly, over all
/// histories. A fresh player decides at every information set once, reached or not.
struct Against<'a> {
    machine: &'a Arc<Machine>,
    spec: &'a str,
    role: Role,
    rivals: Rivals<'a>,
    policies: HashMap<Evidence, Vec<(Move, f64)>>,
    choices: usize,
}

impl Against<'_> {
    fn uniform(machine: &Arc<Machine>, role: usize, spec: &str) -> (f64, usize) {
        Against::value(machine, role, spec, &uniformly)
    }

    fn value(machine: &Arc<Machine>, role: usize, spec: &str, rivals: Rivals<'_>) -> (f64, usize) {
        let (policies, role) = (HashMap::new(), Role::new(role));
        let mut walk = Against { machine, spec, role, rivals, policies, choices: 0 };
        let start = (machine.initial(), History::default());
        (walk.walk(&start.0, &start.1), walk.choices)
    }

    fn walk(&mut self, state: &State, history: &History) -> f64 {
        let machine = self.machine;
        let mut scratch = machine.scratch();
        if machine.terminal(state, &mut scratch) {
            return machine.goal(state, self.role, &mut scratch).into();
        }
        let legal = machine.legal_by_role(state, &mut scratch);
        let fluents = machine.fluents(state);
        let shares: Vec<Vec<(Move, f64)>> = legal
            .iter()
            .map(|(role, moves)| {
                if role == self.role {
                    return self.policy(history, moves);
                }
                let shown: Vec<String> = moves.iter().map(|&own| machine.show_move(own)).collect();
                let name = machine.roles()[role].as_str();
                let share = if Some(role) == machine.random() || moves.len() == 1 {
                    uniformly(name, &fluents, &shown)
                } else {
                    (self.rivals)(name, &fluents, &shown)
                };
                moves.iter().copied().zip(share).collect()
            })
            .collect();
        let mut value = 0.0;
        for joint in JointMoves::new(&legal) {
            let share = |(own, shares): (&Move, &Vec<(Move, f64)>)| {
                shares.iter().find(|(listed, _)| listed == own).unwrap().1
            };
            let probability: f64 = joint.iter().zip(&shares).map(share).product();
            let mut longer = history.clone();
            longer.0.push(joint.clone());
            value += probability * self.walk(&machine.next(state, &joint, &mut scratch), &longer);
        }
        value
    }

    fn policy(&mut self, history: &History, legal: &[Move]) -> Vec<(Move, f64)> {
        if let [only] = legal {
            return vec![(*only, 1.0)];
        }
        let evidence = self.machine.evidence(history, self.role, &mut self.machine.scratch());
        let (machine, spec, role, choices) = (self.machine, self.spec, self.role, &mut self.choices);
        let policy = self.policies.entry(evidence.clone()).or_insert_with(|| {
            *choices += 1;
            let view = View { evidence: &evidence, legal };
            let seed = Seed::root(*choices as u64);
            let decision = decide(&mut seat(spec, machine, role), view, &Budget::UNLIMITED, &seed);
            assert!(!decision.depleted);
            decision.policy
        });
        policy.clone()
    }
}

fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value}, expected {expected}");
}

/// Exact values: u = +1/6 and +5/24 against uniform play, goals 50 + 25 u.
#[test]
fn hyperplay_on_exact_search_has_its_exact_values_against_uniform_play_in_kuhn_poker() {
    let machine = built_in("imperfect/kuhn_poker.kif");
    let (alice, sets) = Against::uniform(&machine, 0, "hyperplay");
    assert_near(alice, 50.0 + 25.0 / 6.0);
    assert_eq!(sets, 6);
    let (bob, sets) = Against::uniform(&machine, 1, "hyperplay");
    assert_near(bob, 50.0 + 25.0 * 5.0 / 24.0);
    assert_eq!(sets, 6);
    let (uniform, sets) = Against::uniform(&machine, 0, "random");
    assert_near(uniform, 50.0 + 25.0 / 8.0);
    assert_eq!(sets, 6);
}

/// As computed with OpenSpiel 1.6 from the values of perfect play: +1/12 and +1/8 by the most votes, +7/48 for both roles by
/// the votes themselves.
#[test]
fn pimc_on_exact_search_has_its_exact_values_against_uniform_play_in_kuhn_poker() {
    let machine = built_in("imperfect/kuhn_poker.kif");
    for (spec, expected) in [("pimc", [1.0 / 12.0, 1.0 / 8.0]), ("pimc:policy=mixed", [7.0 / 48.0; 2])] {
        for (role, expected) in expected.into_iter().enumerate() {
            assert_near(Against::uniform(&machine, role, spec).0, 50.0 + 25.0 * expected);
        }
    }
}

/// An equilibrium of Kuhn poker, Alice bluffing with this probability (Kuhn 1950).
fn kuhn_equilibrium(bluff: f64) -> impl Fn(&str, &[String], &[String]) -> Vec<f64> {
    move |role, fluents, moves| {
        let holds = |card: &str| fluents.contains(&format!("(holds {role} {card})"));
        let opens = moves.contains(&"check".to_owned());
        let stakes = match (role, opens) {
            ("alice", true) => [bluff, 0.0, 3.0 * bluff],
            ("alice", false) => [0.0, bluff + 1.0 / 3.0, 1.0],
            (_, true) => [1.0 / 3.0, 0.0, 1.0],
            (_, false) => [0.0, 1.0 / 3.0, 1.0],
        };
        let card = ["jack", "queen", "king"].iter().position(|card| holds(card)).unwrap();
        let stake = |own: &String| own == "bet" || own == "call";
        moves.iter().map(|own| if stake(own) { stakes[card] } else { 1.0 - stakes[card] }).collect()
    }
}

/// Exact values, goals 50 + 25 u: seat 1 is worth -1/18 against any equilibrium, seat 2 1/36 - a/12 against the one with
/// bluffing rate a; uniform play -1/6, and -1/18 - a/3.
#[test]
fn hyperplay_and_pimc_on_exact_search_have_their_exact_values_against_the_equilibria_of_kuhn_poker() {
    let machine = built_in("imperfect/kuhn_poker.kif");
    for bluff in [0.0, 0.1, 1.0 / 3.0] {
        let rivals = kuhn_equilibrium(bluff);
        let value = |role, spec| (Against::value(&machine, role, spec, &rivals).0 - 50.0) / 25.0;
        for spec in ["hyperplay", "pimc"] {
            assert_near(value(0, spec), -1.0 / 18.0);
            assert_near(value(1, spec), 1.0 / 36.0 - bluff / 12.0);
        }
        assert_near(value(0, "random"), -1.0 / 6.0);
        assert_near(value(1, "random"), -1.0 / 18.0 - bluff / 3.0);
    }
}

/// Exact values, goals 50 + 3 u: +0.900 and +1.087 on exact search, +1.917 and +2.483 on infinitely many playouts; by vote
/// (OpenSpiel 1.6) +1.133 and +1.386.
#[test]
fn hyperplay_and_pimc_have_their_exact_values_against_uniform_play_in_leduc_poker() {
    let machine = built_in("imperfect/leduc_poker.kif");
    for (player, expected) in [
        ("hyperplay:", [0.900, 1.087]),
        ("hyperplay:search=uniform,", [1.917, 2.483]),
        ("pimc:", [1.133, 1.386]),
    ] {
        for (role, expected) in expected.into_iter().enumerate() {
            let spec = format!("{player}nodes=10000000,sampler=hyperplay:enumerate_limit=10000");
            let (value, sets) = Against::uniform(&machine, role, &spec);
            let units = (value - 50.0) / 3.0;
            assert_eq!(sets, 468, "information sets");
            assert!((units - expected).abs() < 6e-4, "{spec} {units}, expected {expected}");
        }
    }
}

/// A king calls a bet and a jack folds, whatever the other does. A jack does not bet: in the tree the other learns from
/// states in which it is a jack.
#[test]
fn ismcts_plays_what_is_certain_in_kuhn_poker_and_does_not_bluff() {
    let machine = built_in("imperfect/kuhn_poker.kif");
    for role in 0..2 {
        let (policies, role) = (HashMap::new(), Role::new(role));
        let mut walk =
            Against { machine: &machine, spec: "ismcts", role, rivals: &uniformly, policies, choices: 0 };
        walk.walk(&machine.initial(), &History::default());
        for (evidence, policy) in &walk.policies {
            let seen: Vec<String> = evidence
                .steps
                .iter()
                .flat_map(|step| step.percepts.iter().map(|percept| machine.terms().show(percept.0)))
                .collect();
            let holds = |card: &str| seen.contains(&format!("(your_card {card})"));
            let share = |name| {
                policy.iter().find(|&&(own, _)| machine.show_move(own) == name).map(|&(_, share)| share)
            };
            let least = share("fold").or(share("check")).unwrap();
            assert!(!holds("jack") || least > 0.95, "{policy:?}");
            assert!(!holds("king") || share("call").is_none_or(|calls| calls > 0.95), "{policy:?}");
        }
        assert_eq!(walk.policies.len(), 6);
    }
}

/// Policy and values of the first decision of `ismcts` with these keys, each after a comma.
fn decided_by_ismcts(game: &str, keys: &str) -> [Vec<(Move, f64)>; 2] {
    let machine = built_in(game);
    let evidence = Evidence::new(Role::new(0));
    let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch())[Role::new(0)].clone();
    let view = View { evidence: &evidence, legal: &legal };
    let mut player = seat(&format!("ismcts:simulations=300{keys}"), &machine, Role::new(0));
    let decision = decide(&mut player, view, &Budget::UNLIMITED, &Seed::root(1));
    [decision.policy, decision.values]
}

#[test]
fn ismcts_takes_the_most_visited_move_and_explores_less_only_where_nothing_is_hidden() {
    let (plain, mixing) = (",exploration=0.15,final=visits", ",exploration=0.7,final=thresholded");
    for (game, is_plain) in [("perfect/tictactoe.kif", true), ("imperfect/phantom_tictactoe.kif", false)] {
        let (same, other) = if is_plain { (plain, mixing) } else { (mixing, plain) };
        let decided = |keys| decided_by_ismcts(game, keys);
        assert_eq!(decided(""), decided(same), "{game}");
        assert_ne!(decided(""), decided(other), "{game}: what is written holds");
    }
}

#[test]
fn ismcts_plays_out_by_history_only_if_told_and_matches_regrets_only_where_roles_move_at_once() {
    for (game, is_at_once) in
        [("imperfect/krieg_tictactoe_3x3.kif", true), ("imperfect/phantom_tictactoe.kif", false)]
    {
        let decided = |keys| decided_by_ismcts(game, keys);
        assert_eq!(decided(""), decided(",history=off,regrets=on"), "{game}");
        assert_ne!(decided(""), decided(",history=on"), "{game}");
        assert_eq!(decided("") != decided(",regrets=off"), is_at_once, "{game}");
    }
}

#[test]
fn ismcts_moves_at_once_by_a_mixed_move() {
    let machine = built_in("perfect/rock_paper_scissors_lizard_spock.kif");
    let specs = ["ismcts:final=mixed", "ismcts:final=mixed"];
    let matched = play(&machine, &specs, || Budget::UNLIMITED, &Seed::root(1));
    for (_, decision) in &matched.decisions {
        assert!(decision.policy.iter().all(|&(_, share)| (share - 0.2).abs() < 0.15), "{decision:?}");
    }
}

#[test]
fn monty_halls_door_is_always_switched() {
    let machine = built_in("imperfect/monty_hall.kif");
    assert_near(Against::uniform(&machine, 0, "hyperplay").0, 200.0 / 3.0);
    assert_near(Against::uniform(&machine, 0, "random").0, 50.0);
    let matched = play(&machine, &["hyperplay"], || Budget::UNLIMITED, &Seed::root(1));
    let (_, last) = matched.decisions.last().unwrap();
    let values: Vec<(String, f64)> =
        last.values.iter().map(|&(own, value)| (machine.show_move(own), value)).collect();
    assert_eq!((values[0].0.as_str(), values[1].0.as_str()), ("stay", "switch"));
    assert_near(values[0].1, 100.0 / 3.0);
    assert_near(values[1].1, 200.0 / 3.0);
    assert_eq!(last.policy.iter().map(|&(_, share)| share).collect::<Vec<_>>(), [0.0, 1.0]);
}

/// The first player has taken the middle of Phantom Tic-Tac-Toe, and the second has tried it. Beside it the first player
/// wins by force. When descents of a round learnt nothing from each other, the search chose that in every third match.
#[test]
fn ismcts_answers_the_middle_of_phantom_tic_tac_toe_in_a_corner() {
    let machine = built_in("imperfect/phantom_tictactoe.kif");
    let named =
        |moves: [&str; 2]| JointMove::new(moves.map(|name| Move(machine.terms().read(name).unwrap())));
    let history = History(vec![named(["(mark 2 2)", "noop"]), named(["noop", "(mark 2 2)"])]);
    let (role, mut scratch) = (Role::new(1), machine.scratch());
    let evidence = machine.evidence(&history, role, &mut scratch);
    let legal = machine.legal_by_role(&machine.replay(&history, &mut scratch), &mut scratch)[role].clone();
    let mut beside = 0.0;
    for seed in 0..20 {
        let (view, seed) = (View { evidence: &evidence, legal: &legal }, Seed::root(seed));
        let decision =
            decide(&mut seat("ismcts:final=visits", &machine, role), view, &Budget::UNLIMITED, &seed);
        let corners = ["(mark 1 1)", "(mark 1 3)", "(mark 3 1)", "(mark 3 3)"];
        let is_beside = |own: &Move| !corners.contains(&machine.show_move(*own).as_str());
        beside +=
            decision.policy.iter().filter(|(own, _)| is_beside(own)).map(|(_, share)| share).sum::<f64>();
    }
    assert!(beside <= 4.0, "{beside} of 20");
}

/// Perfect-information evaluation cannot value information. A tree of what the role knows can.
#[test]
fn hyperplay_and_pimc_never_ask_about_the_bomb_and_score_50_and_ismcts_asks() {
    let machine = built_in("imperfect/exploding_bomb.kif");
    for spec in ["hyperplay", "pimc"] {
        let matched = play(&machine, &[spec], || Budget::UNLIMITED, &Seed::root(1));
        let chosen = |(_, decision): &(Role, Decision)| machine.show_move(decision.choice);
        let names: Vec<String> = matched.decisions.iter().map(chosen).collect();
        assert!(names.contains(&"wait".to_owned()) && !names.contains(&"ask".to_owned()), "{names:?}");
        assert_near(Against::uniform(&machine, 0, spec).0, 50.0);
    }
    assert_near(Against::uniform(&machine, 0, "ismcts:final=visits").0, 90.0);
    assert_near(Against::uniform(&machine, 0, "random").0, 47.5);
}

/// The decision after the first step in which a role has a choice, of a match in which everything else is drawn; values by name.
fn first_values(machine: &Arc<Machine>, role: usize, spec: &str, steps: usize) -> Vec<(String, f64)> {
    let (role, mut scratch) = (Role::new(role), machine.scratch());
    let (mut state, mut history) = (machine.initial(), History::default());
    for _ in 0..steps {
        let joint = machine.random_joint(&state, &mut scratch, &mut Seed::root(1).rng()).unwrap();
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    let evidence = machine.evidence(&history, role, &mut scratch);
    let legal = machine.legal_by_role(&state, &mut scratch)[role].clone();
    let view = View { evidence: &evidence, legal: &legal };
    let decision = decide(&mut seat(spec, machine, role), view, &Budget::UNLIMITED, &Seed::root(1));
    decision.values.iter().map(|&(own, value)| (machine.show_move(own), value)).collect()
}

/// Exact values (Schofield, Thielscher 2015): asking is worth 90, waiting 50; hiding 40, telling 20.
#[test]
fn hyperplay2_values_what_it_learns_and_what_it_hides() {
    let spec = "hyperplay2:simulations=40_000";
    for (game, steps, expected) in [
        ("imperfect/exploding_bomb.kif", 1, [("ask", 90.0), ("wait", 50.0)]),
        ("imperfect/spy_vs_spy.kif", 1, [("hide", 40.0), ("tell", 20.0)]),
    ] {
        let machine = built_in(game);
        for ((name, value), (own, expected)) in first_values(&machine, 0, spec, steps).iter().zip(expected) {
            assert!(name == own && (value - expected).abs() < 1.0, "{game} {name}: {value}, {expected}");
        }
    }
    let machine = built_in("imperfect/exploding_bomb.kif");
    assert_near(Against::uniform(&machine, 0, "hyperplay2").0, 90.0);
}

/// Asking is worth 90 as soon as the cut is chosen by what the agent knows, and 100 where it is taken to see the bomb (as
/// waiting is, which costs nothing).
#[test]
fn epimc_asks_about_the_bomb_once_perfect_information_is_postponed() {
    let machine = built_in("imperfect/exploding_bomb.kif");
    for (spec, values) in
        [("epimc:postpone=1", [90.0, 100.0]), ("epimc:tree=3", [90.0, 100.0]), ("epimc", [90.0, 50.0])]
    {
        let found = first_values(&machine, 0, spec, 1);
        for ((name, value), (own, expected)) in found.iter().zip(["ask", "wait"].iter().zip(values)) {
            assert!(name == own && (value - expected).abs() < 0.01, "{spec} {name}: {value}");
        }
    }
    assert_near(Against::uniform(&machine, 0, "epimc").0, 90.0);
}

#[test]
fn epimc_that_postpones_nothing_is_hyperplay() {
    for (game, keys) in [
        ("imperfect/krieg_tictactoe_3x3.kif", "particles=20,search=flat,playouts=300"),
        ("imperfect/leduc_poker.kif", "nodes=1000000"),
        ("imperfect/goofspiel_4_imperfect.kif", "nodes=1000000"),
    ] {
        let machine = built_in(game);
        let run = |spec: &str| {
            play(&machine, &[&format!("{spec}{keys}"), "random"], || Budget::UNLIMITED, &Seed::root(2))
        };
        let (published, postponed) = (run("hyperplay:"), run("epimc:postpone=1,"));
        assert_eq!(published.history, postponed.history, "{game}");
        assert_eq!(published.decisions, postponed.decisions, "{game}");
    }
}

/// Exact values, goals 50 + 25 u: +1/6 and +1/4 against uniform play, -1/18 and +1/18 against every equilibrium.
#[test]
fn hyperplay2_on_exact_search_has_its_exact_values_in_kuhn_poker() {
    let machine = built_in("imperfect/kuhn_poker.kif");
    let spec = "hyperplay2:inner=hyperplay";
    for (role, uniform, even) in [(0, 1.0 / 6.0, -1.0 / 18.0), (1, 1.0 / 4.0, 1.0 / 18.0)] {
        assert_near(Against::uniform(&machine, role, spec).0, 50.0 + 25.0 * uniform);
        for bluff in [0.0, 0.1, 1.0 / 3.0] {
            let value = Against::value(&machine, role, spec, &kuhn_equilibrium(bluff)).0;
            println!("{role} {bluff}: {}", (value - 50.0) / 25.0);
            assert_near(value, 50.0 + 25.0 * even);
        }
    }
}

/// The short form; `tictactoe_is_never_lost_to_random_play_in_1_000_matches` is the long one.
#[test]
fn players_that_search_exhaustively_draw_every_tictactoe_and_lose_none() {
    let machine = built_in("perfect/tictactoe.kif");
    for spec in ["clairvoyant:nodes=20000", "hyperplay:nodes=20000"] {
        draws_itself_and_never_loses(&machine, spec, 3);
    }
}

#[test]
#[ignore = "long form: 2,000 matches"]
fn tictactoe_is_never_lost_to_random_play_in_1_000_matches() {
    draws_itself_and_never_loses(&built_in("perfect/tictactoe.kif"), "hyperplay:nodes=20000", 1_000);
}

/// Against itself `matches` times, and as many against random play, in both seats alternately.
fn draws_itself_and_never_loses(machine: &Arc<Machine>, spec: &str, matches: usize) {
    for index in 0..matches {
        let seed = Seed::root(7).index(index);
        let own = play(machine, &[spec, spec], || Budget::UNLIMITED, &seed);
        assert_eq!(own.goals.values(), [50, 50], "match {index}");
        assert!(own.decisions.iter().all(|(_, decision)| decision.cost.playouts == 0));
        let seats = if index % 2 == 0 { [spec, "random"] } else { ["random", spec] };
        let matched = play(machine, &seats, || Budget::UNLIMITED, &seed);
        assert!(matched.goals[Role::new(index % 2)] >= 50, "match {index}");
    }
}

#[test]
fn in_a_game_of_perfect_information_hyperplay_and_pimc_are_the_clairvoyant_player() {
    let machine = built_in("perfect/tictactoe.kif");
    let run = |spec| play(&machine, &[spec, "random"], || Budget::UNLIMITED, &Seed::root(5));
    let seeing = run("clairvoyant:nodes=20000");
    for blind in [run("hyperplay:nodes=20000"), run("pimc:nodes=20000")] {
        assert_eq!(blind.history, seeing.history);
        assert!(blind.goals[Role::new(0)] >= 50);
        for ((_, blind), (_, seeing)) in blind.decisions.iter().zip(&seeing.decisions) {
            assert_eq!((&blind.policy, &blind.values), (&seeing.policy, &seeing.values));
        }
    }
}

#[test]
fn a_simultaneous_game_is_played_by_the_mixed_move() {
    let machine = built_in("perfect/rock_paper_scissors_lizard_spock.kif");
    for other in ["clairvoyant", "pimc"] {
        let matched = play(&machine, &["hyperplay", other], || Budget::UNLIMITED, &Seed::root(1));
        for (_, decision) in &matched.decisions {
            assert!(decision.policy.iter().all(|(_, share)| (share - 0.2).abs() < 1e-9), "{decision:?}");
            assert!(decision.values.iter().all(|(_, value)| (value - 50.0).abs() < 1e-9));
        }
    }
}

#[test]
fn one_seed_gives_one_match_and_policies_sum_to_one() {
    let machine = built_in("imperfect/krieg_tictactoe_3x3.kif");
    for specs in [
        [
            "hyperplay:particles=20,sampler=hyperplay:enumerate=off,playouts=100",
            "hyperplay:particles=10,playouts=100",
        ],
        [
            "pimc:particles=20,sampler=hyperplay:enumerate=off,playouts=100,policy=mixed",
            "ismcts:simulations=300",
        ],
        [
            "ismcts:particles=20,sampler=hyperplay:enumerate=off,simulations=300",
            "ismcts:simulations=300,final=value,history=on",
        ],
        [
            "hyperplay2:particles=20,simulations=30,inner=[hyperplay:particles=4,playouts=20]",
            "epimc:particles=20,sampler=hyperplay:enumerate=off,playouts=100",
        ],
        ["oos:particles=20,sampler=hyperplay:enumerate=off,iterations=300", "oos:iterations=300,target=0"],
    ] {
        let run = || play(&machine, &specs, || Budget::UNLIMITED, &Seed::root(3));
        let (first, second) = (run(), run());
        assert_eq!(first.history, second.history);
        assert_eq!(first.decisions, second.decisions);
        for (_, decision) in &first.decisions {
            assert!(!decision.depleted && (decision.held.is_some() || decision.policy.len() == 1));
            assert_near(decision.policy.iter().map(|(_, share)| share).sum(), 1.0);
            assert!(decision.policy.iter().any(|&(own, share)| own == decision.choice && share > 0.0));
        }
    }
}

/// Whether a player can be made by its name alone.
fn needs_no_file(entry: &&SpecEntry) -> bool {
    entry.keys.iter().all(|key| key.kind != KeyType::File(FileKind::Policy))
}

#[test]
fn every_player_of_the_registry_plays_legal_moves_in_games_of_every_kind() {
    for path in [
        "imperfect/kuhn_poker.kif",
        "imperfect/simplified_poker.kif",
        "imperfect/die_roll.kif",
        "imperfect/rock_paper_scissors.kif",
        "perfect/buttons_and_lights.kif",
        "perfect/nim.kif",
    ] {
        let machine = built_in(path);
        for entry in Registry::standard().entries(SpecKind::Player).filter(needs_no_file) {
            let specs = vec![&*entry.name; players(&machine).len()];
            let matched = play(&machine, &specs, || Budget::nodes(500), &Seed::root(2));
            let failed = matched.decisions.iter().any(|(_, decision)| decision.failure.is_some());
            assert!(!failed && matched.history.step() > 0, "{path}");
        }
    }
}

/// Sixteen roles with sixteen moves each have 2^64 joint moves, which no player counts as none.
#[test]
fn every_player_of_the_registry_moves_where_joint_moves_cannot_be_counted() {
    let roles: String =
        (0..16).map(|role| format!("(role r{role}) (goal r{role} 50) (number {role})")).collect();
    let text = format!(
        "{roles} (init begun) (<= terminal (not (true begun))) (<= (legal ?r ?n) (role ?r) (number ?n))"
    );
    let machine =
        Engines::new(&load(Source::new("wide", text), None).game.unwrap()).get(EngineKind::Auto).unwrap();
    for entry in Registry::standard().entries(SpecKind::Player).filter(needs_no_file) {
        for budget in [Budget::nodes(500), Budget::UNLIMITED] {
            let matched = play(&machine, &[&*entry.name], || budget, &Seed::root(2));
            let failed = matched.decisions.iter().any(|(_, decision)| decision.failure.is_some());
            assert!(matched.history.step() == 1 && (!failed || entry.name == "oos"), "{}", entry.name);
        }
    }
}

/// 2^21 joint moves, of which a sub-game grows no tree: its player searches, and finds the move that is worth more.
#[test]
fn a_subgame_with_too_many_joint_moves_is_searched() {
    let roles: String = (0..21).map(|role| format!("(role r{role})")).collect();
    let text = format!(
        "{roles} (init begun) (<= terminal (not (true begun))) (<= (legal ?r good) (role ?r)) (<= (legal ?r bad) (role ?r))
         (<= (next (did ?r)) (does ?r good)) (<= (goal ?r 100) (true (did ?r))) (<= (goal ?r 0) (role ?r) (not (true (did ?r))))"
    );
    let machine =
        Engines::new(&load(Source::new("wide", text), None).game.unwrap()).get(EngineKind::Auto).unwrap();
    for budget in [Budget::nodes(20_000), Budget::UNLIMITED] {
        let matched = play(&machine, &["subgame"], || budget, &Seed::root(2));
        let own = matched.history.0[0].of(Role::new(0));
        assert_eq!(machine.show_move(own), "good", "{budget:?}");
        let decision = &matched.decisions[0].1;
        assert!(format!("{decision:?}").contains("more than 2^20 joint moves"), "{decision:?}");
    }
}

#[test]
fn a_deadline_is_kept_with_a_legal_move() {
    let machine = built_in("imperfect/krieg_tictactoe_3x3.kif");
    let role = Role::new(0);
    let evidence = Evidence::new(role);
    let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch())[role].clone();
    let view = View { evidence: &evidence, legal: &legal };
    for (spec, greedy) in [
        ("hyperplay", "hyperplay:nodes=1000000000,playouts=1000000000"),
        ("ismcts", "ismcts:simulations=1000000000"),
        ("hyperplay2", "hyperplay2:simulations=1000000000"),
        ("oos", "oos:iterations=1000000000"),
        ("epimc", "epimc:tree=1000000,nodes=1000000000,playouts=1000000000"),
    ] {
        // A loaded machine may stop this thread for longer than the player keeps in reserve, but hardly ten times with more and
        // more time.
        let mut late = Vec::new();
        for attempt in 0..10 {
            if late.len() < attempt {
                break;
            }
            let allowed = Duration::from_millis(300 << (attempt / 2));
            let mut greedy = seat(greedy, &machine, role);
            let started = Instant::now();
            let decision = decide(&mut greedy, view, &Budget::time(allowed), &Seed::root(1));
            // Regret minimisation has no values of moves, and plays every match out in its tree.
            let valued = if spec == "oos" { 0 } else { 9 };
            // So is a player that was stopped before it could judge any move.
            let is_late = |elapsed: &Duration| *elapsed >= allowed || decision.values.len() < valued;
            let before = late.len();
            late.extend(Some(started.elapsed()).filter(is_late));
            if late.len() > before {
                continue;
            }
            assert_eq!((decision.policy.len(), decision.values.len()), (9, valued));
            assert!(decision.cost.playouts >= valued as u64 && decision.cost.states > 0);
        }
        assert!(late.len() < 10, "{spec}: {late:?}");
        let mut hurried = seat(spec, &machine, role);
        let decision = decide(&mut hurried, view, &Budget::time(Duration::ZERO), &Seed::root(1));
        assert!(legal.contains(&decision.choice));
    }
}

/// A decision that is asked what it learnt after its time is up would find nothing, and play at random.
#[test]
fn oos_has_learnt_what_to_do_when_its_time_is_up() {
    let machine = built_in("imperfect/kuhn_poker.kif");
    let tree = game_tree(&machine, &TreeLimits::default()).unwrap();
    for (number, set) in tree.sets().iter().enumerate() {
        let evidence = tree.evidence(set);
        let view = View { evidence: &evidence, legal: tree.moves(number) };
        let budget = Budget::time(Duration::from_millis(200));
        let decision = decide(&mut seat("oos", &machine, set.role), view, &budget, &Seed::root(1));
        assert!(decision.policy.iter().any(|(_, share)| *share != 0.5), "{decision:?}");
    }
}

#[test]
fn oos_says_that_the_rules_failed_and_plays_what_it_learnt() {
    let deep = "(s ".repeat(40) + "?x" + &")".repeat(40);
    let text = format!(
        "(role me) (init (depth zero)) (legal me stop) (legal me go)
         (<= (next (depth {deep})) (does me go) (true (depth ?x)))
         (<= (next stopped) (does me stop)) (<= terminal (true stopped)) (goal me 100)"
    );
    let game = load(Source::new("deepening", text), None).game.unwrap();
    let machine = Engines::new(&game).get(EngineKind::Interpreter).unwrap();
    let evidence = Evidence::new(Role::new(0));
    let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch())[evidence.role].clone();
    let view = View { evidence: &evidence, legal: &legal };
    let mut seat = seat("oos", &machine, evidence.role);
    for _ in 0..2 {
        let decision = decide(&mut seat, view, &Budget::UNLIMITED, &Seed::root(1));
        assert!(decision.failure.is_some() && legal.contains(&decision.choice), "{decision:?}");
    }
}

#[test]
fn the_tree_of_oos_is_begun_anew_when_it_is_full() {
    let machine = built_in("imperfect/phantom_tictactoe.kif");
    let sets = |spec: &str| {
        let matched = play(&machine, &[spec; 2], || Budget::UNLIMITED, &Seed::root(1));
        let said = |decision: &Decision| {
            decision.reasons.iter().find_map(|reason| match reason {
                Reason::Said(words) => words.split("; ").nth(1)?.split(' ').next()?.parse().ok(),
                _ => None,
            })
        };
        let of_first = matched.decisions.iter().filter(|(role, _)| role.index() == 0);
        of_first.filter_map(|(_, decision)| said(decision)).collect::<Vec<u64>>()
    };
    let (large, small) = (sets("oos:iterations=2000"), sets("oos:iterations=2000,memory=1"));
    println!("{large:?}, {small:?}");
    assert!(large.is_sorted() && large.iter().max() > Some(&10_000));
    assert!(!small.is_sorted() && small.iter().max() < Some(&10_000));
}

#[test]
fn an_impossible_match_depletes_the_belief_and_is_played_on_legally() {
    let machine = built_in("imperfect/monty_hall.kif");
    let candidate = Role::new(0);
    let mut scratch = machine.scratch();
    let state = machine.initial();
    let joint = machine.random_joint(&state, &mut scratch, &mut Seed::root(1).rng()).unwrap();
    let mut evidence = machine.evidence(&History(vec![joint.clone()]), candidate, &mut scratch);
    evidence.steps.push(evidence.steps[0].clone());
    let state = machine.next(&state, &joint, &mut scratch);
    let legal = machine.legal_by_role(&state, &mut scratch)[candidate].clone();
    let view = View { evidence: &evidence, legal: &legal };
    for spec in ["hyperplay", "pimc", "ismcts", "hyperplay2", "epimc", "oos", "subgame"] {
        let decision = decide(&mut seat(spec, &machine, candidate), view, &Budget::UNLIMITED, &Seed::root(1));
        assert!(decision.depleted);
        assert!(legal.contains(&decision.choice));
        assert_eq!(decision.reasons, [Reason::Inconsistent { step: 2 }, Reason::Random], "{spec}");
    }
}
