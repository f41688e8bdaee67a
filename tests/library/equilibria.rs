//! Extensive forms and equilibria from rulesheets alone, against values and sizes that no one here chose.
//!
//! Values: Kuhn (1950) and its generalisation to more cards; Southey et al. (2005) and OpenSpiel for Leduc; linear
//! programs of OpenSpiel's games for the others. Sizes and NashConv of uniform play: OpenSpiel 1.6 and 2.0. A node in which
//! a role has one move is none here, so trees may be smaller than theirs; information sets with a choice are the same.

use crate::common::machines::{built_in, imperfect};
use crate::naive::cfr::NaiveCfr;
use hyperplay::engine::Engine as Machine;
use hyperplay::for_engine::game_tree;
use hyperplay::machine::{Budget, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::solve::{
    EvidenceIndex, GameTree, MoveValues, NodeKind, Profile, RegretMinimiser, RegretRule, SequenceForm,
    SolveLimits, TreeError, TreeLimits, estimate_size, solve,
};
use rand::RngExt;

/// A game with what is known of it.
struct Known {
    game: &'static str,
    /// Goal points for a payoff of 1.
    unit: f64,
    /// Of the first role.
    value: f64,
    nodes: u64,
    sets: [u64; 2],
    /// Where it is known.
    uniform: Option<f64>,
}

const fn known(
    game: &'static str,
    unit: f64,
    value: f64,
    nodes: u64,
    sets: [u64; 2],
    uniform: Option<f64>,
) -> Known {
    Known { game, unit, value, nodes, sets, uniform }
}

const TABLE: [Known; 16] = [
    known("imperfect/kuhn_poker", 25.0, -1.0 / 18.0, 58, [6, 6], Some(11.0 / 12.0)),
    known("imperfect/kuhn_poker_4", 25.0, -1.0 / 24.0, 113, [8, 8], None),
    known("imperfect/kuhn_poker_5", 25.0, -1.0 / 15.0, 186, [10, 10], None),
    known("imperfect/kuhn_poker_6", 25.0, -11.0 / 180.0, 277, [12, 12], None),
    known("imperfect/kuhn_poker_13", 25.0, -5.0 / 78.0, 1_418, [26, 26], None),
    known("imperfect/simplified_poker", 25.0, 1.0 / 18.0, 31, [3, 3], None),
    known("imperfect/leduc_poker", 3.0, -0.085_606_424, 9_457, [468, 468], Some(4.747_222)),
    known("imperfect/liars_dice_1x3", 50.0, 1.0 / 9.0, 859, [48, 48], Some(1.111_111)),
    known("imperfect/liars_dice_1x4", 50.0, 1.0 / 16.0, 6_133, [256, 256], Some(1.310_119)),
    known("imperfect/liars_dice_1x5", 50.0, 1.0 / 125.0, 38_381, [1_280, 1_280], Some(1.441_742)),
    known("imperfect/liars_dice_1x6", 50.0, -7.0 / 258.0, 221_155, [6_144, 6_144], Some(1.561_489)),
    known("imperfect/goofspiel_4_imperfect", 50.0, 0.0, 1_077, [81, 81], Some(1.416_667)),
    known("imperfect/goofspiel_5_imperfect", 50.0, 0.0, 26_931, [1_062, 1_062], None),
    known("imperfect/dark_hex_2x2", 50.0, 1.0, 369, [33, 53], None),
    known("imperfect/dark_hex_2x2_abrupt", 50.0, 0.5, 0, [23, 35], None),
    known("imperfect/dark_hex_2x3_abrupt", 50.0, 9.0 / 11.0, 0, [1_585, 2_725], Some(0.780_556)),
];

fn machine(game: &str) -> std::sync::Arc<Machine> {
    built_in(&format!("{game}.kif"))
}

fn tree(machine: &Machine) -> GameTree {
    game_tree(machine, &TreeLimits::default()).unwrap()
}

/// A limit of NashConv.
fn until(nash_conv: f64) -> SolveLimits<'static> {
    SolveLimits { nash_conv, iterations: 100_000, budget: Budget::UNLIMITED, stop: &|| false }
}

fn portfolio(form: &SequenceForm) -> Vec<RegretMinimiser> {
    RegretRule::PORTFOLIO.iter().map(|&rule| RegretMinimiser::new(form, rule)).collect()
}

/// A profile drawn at random, with moves that are never made.
fn random_profile(tree: &GameTree, seed: usize) -> Profile {
    let mut rng = Seed::root(1).index(seed).rng();
    Profile::from_fn(tree, |_, moves| moves.iter().map(|_| (rng.random::<f64>() - 0.3).max(0.0)).collect())
}

#[test]
fn the_known_games_have_their_sizes_and_values() {
    for Known { game, unit, value, nodes, sets, uniform } in TABLE {
        let machine = machine(game);
        let tree = tree(&machine);
        let size = tree.size();
        let players: Vec<Role> = tree.players().collect();
        assert_eq!(
            players.iter().map(|&role| size.information_sets[role]).collect::<Vec<_>>(),
            sets,
            "{game}"
        );
        if nodes > 0 {
            assert_eq!(size.nodes(), nodes, "{game}");
        }
        let form = SequenceForm::new(&tree, unit);
        assert_eq!(form.constant_sum, Some(0.0), "{game}");
        if let Some(uniform) = uniform {
            let found = form.judge(&Profile::uniform(&tree)).nash_conv;
            assert!((found - uniform).abs() < 1e-6, "{game}: uniform {found}");
        }
        let point = solve(&form, &mut portfolio(&form), &until(1e-4), |_| ()).point;
        assert!(point.verdict.nash_conv <= 1e-4, "{game}: {point:?}");
        // The value of the game lies between what each role can be held to.
        assert!((point.verdict.values[players[0]] - value).abs() <= 1e-4, "{game}: {point:?}");
        assert!(point.verdict.best_responses[players[0]] >= value - 1e-9, "{game}: {point:?}");
        assert!(point.verdict.best_responses[players[1]] >= -value - 1e-9, "{game}: {point:?}");
    }
}

#[test]
fn every_rule_approaches_an_equilibrium() {
    for game in ["kuhn_poker", "goofspiel_4_imperfect", "leduc_poker"] {
        let machine = imperfect(game);
        let tree = tree(&machine);
        let form = SequenceForm::new(&tree, 25.0);
        for rule in RegretRule::ALL {
            let mut minimiser = [RegretMinimiser::new(&form, rule)];
            let point = solve(&form, &mut minimiser, &until(1e-4), |_| ()).point;
            assert!(point.verdict.nash_conv <= 1e-4, "{game}, {rule}: {point:?}");
        }
    }
}

#[test]
fn the_sequence_form_does_what_a_walk_of_the_tree_does() {
    // Where regrets are equal, rounding decides what is played; in Leduc that happens from the third iteration on.
    for (game, same, iterations) in [
        ("kuhn_poker", 50, 50),
        ("kuhn_poker_3p", 50, 50),
        ("goofspiel_4_imperfect", 20, 20),
        ("leduc_poker", 2, 20),
    ] {
        let machine = imperfect(game);
        let tree = tree(&machine);
        let form = SequenceForm::new(&tree, 25.0);
        let mut minimiser = RegretMinimiser::new(&form, RegretRule::CfrPlus);
        let mut naive = NaiveCfr::new(&tree, 25.0);
        for iteration in 0..iterations {
            minimiser.iterate(&form, 1);
            naive.iterate();
            let (ours, theirs) = (minimiser.average(&form), naive.average());
            let pairs = |set| ours.of(&tree, set).iter().zip(theirs.of(&tree, set));
            let differs = |set| pairs(set).into_iter().any(|(one, other)| (one - other).abs() > 1e-9);
            let different = (0..tree.sets().len()).find(|&set| differs(set));
            assert!(iteration >= same || different.is_none(), "{game}, iteration {iteration}: {different:?}");
            let [one, other] = [&ours, &theirs].map(|profile| form.judge(profile).nash_conv);
            assert!((one - other).abs() <= 0.05 * other, "{game}, iteration {iteration}: {one}, {other}");
        }
    }
}

#[test]
fn kuhn_poker_for_three_is_judged_and_solved_without_a_guarantee() {
    let machine = imperfect("kuhn_poker_3p");
    let tree = tree(&machine);
    let size = tree.size();
    assert_eq!((size.nodes(), &size.information_sets.values()[..3]), (617, &[16, 16, 16][..]));
    let form = SequenceForm::new(&tree, 12.0);
    let uniform = form.judge(&Profile::uniform(&tree)).nash_conv;
    assert!((uniform - 2.0625).abs() < 1e-9, "{uniform}");
    // In this game regret minimisers are known to come near equilibria (Risk and Szafron, AAMAS 2010).
    let point = solve(&form, &mut portfolio(&form), &until(1e-3), |_| ()).point;
    assert!(point.verdict.nash_conv <= 1e-3, "{point:?}");
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let machine = built_in("perfect/tictactoe.kif");
    let tree = tree(&machine);
    let size = tree.size();
    // With a forced last move counted, there are 549,946 histories, 255,168 of them over.
    assert_eq!((size.terminals, tree.constant_sum()), (255_168, Some(100)));
    let form = SequenceForm::new(&tree, 50.0);
    let point = solve(&form, &mut portfolio(&form), &until(1e-4), |_| ()).point;
    assert!(point.verdict.nash_conv <= 1e-4 && point.verdict.values.values()[0].abs() <= 1e-4, "{point:?}");
}

#[test]
fn values_by_the_tree_and_by_the_sequences_are_the_same() {
    for game in [
        "kuhn_poker_3p",
        "leduc_poker",
        "goofspiel_4_imperfect",
        "dark_hex_2x2",
        "suit_and_settlement",
        "monty_hall",
    ] {
        let machine = imperfect(game);
        let tree = tree(&machine);
        let form = SequenceForm::new(&tree, 25.0);
        for seed in 0..4 {
            let profile = random_profile(&tree, seed);
            let verdict = form.judge(&profile);
            let losses = form.losses(&profile);
            let best = form.best_responses(&profile);
            for role in tree.players() {
                let MoveValues { value, .. } = MoveValues::new(&tree, &profile, role);
                assert!((value - (50.0 + 25.0 * verdict.values[role])).abs() < 1e-9, "{game}");
                // What the best response gains, set by set, and played.
                let gain = verdict.best_responses[role] - verdict.values[role];
                let sets = tree.sets().iter().zip(&losses).filter(|(set, _)| set.role == role);
                assert!((sets.map(|(_, loss)| loss).sum::<f64>() - gain).abs() < 1e-9, "{game}");
                let mut mixed = profile.clone();
                for (number, _) in tree.sets().iter().enumerate().filter(|(_, set)| set.role == role) {
                    mixed.set(&tree, number, best.of(&tree, number));
                }
                let best = MoveValues::new(&tree, &mixed, role).value;
                assert!((best - (50.0 + 25.0 * verdict.best_responses[role])).abs() < 1e-9, "{game}");
            }
        }
    }
}

#[test]
fn every_role_recalls_what_it_knew_and_did() {
    for game in
        ["kuhn_poker_3p", "leduc_poker", "goofspiel_4_imperfect", "dark_hex_2x2_abrupt", "banker_and_thief"]
    {
        let machine = imperfect(game);
        let tree = tree(&machine);
        let mut first: Vec<Option<Vec<(usize, usize)>>> = vec![None; tree.sets().len()];
        for node in 0..tree.len() {
            let NodeKind::Decision { set } = tree.kind(node) else { continue };
            // The own information sets and moves on the way to this node.
            let (mut below, mut path) = (node, Vec::new());
            while let Some(above) = tree.parent(below) {
                if let NodeKind::Decision { set: own } = tree.kind(above)
                    && tree.sets()[own].role == tree.sets()[set].role
                {
                    path.push((own, below - tree.children(above).start));
                }
                below = above;
            }
            assert_eq!(first[set].get_or_insert_with(|| path.clone()), &path, "{game}: set {set}");
            let former = tree.sets()[set].former.map(|(set, own)| (set as usize, own as usize));
            assert_eq!(path.first().copied(), former, "{game}: set {set}");
        }
    }
}

#[test]
fn evidence_leads_to_its_information_set() {
    for game in ["leduc_poker", "dark_hex_2x2", "goofspiel_4_imperfect"] {
        let machine = imperfect(game);
        let tree = tree(&machine);
        let mut scratch = machine.scratch();
        for role in tree.players() {
            let index = EvidenceIndex::new(&tree, role);
            for (number, set) in tree.sets().iter().enumerate().filter(|(_, set)| set.role == role) {
                assert_eq!(index.find(&tree, &tree.evidence(set)), Some(number), "{game}");
            }
            // And so does the evidence of matches.
            for seed in 0..20 {
                let history =
                    hyperplay::study::harness::random_match(&machine, 100, &Seed::root(seed)).unwrap();
                let whole = machine.evidence(&history, role, &mut scratch);
                let mut state = machine.initial();
                for (step, joint) in history.0.iter().enumerate() {
                    let legal = machine.legal_by_role(&state, &mut scratch)[role].clone();
                    let found = index.find(&tree, &whole.until(step));
                    assert_eq!(
                        found.map(|set| tree.moves(set).to_vec()),
                        (legal.len() > 1).then_some(legal),
                        "{game}"
                    );
                    state = machine.next(&state, joint, &mut scratch);
                }
            }
        }
    }
}

/// What runs in a pool of `threads` threads gives.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn a_solver_gives_the_same_bits_on_any_number_of_threads() {
    // Large enough to be cut into blocks.
    let machine = imperfect("liars_dice_1x6");
    let solved = |threads: usize| {
        on_threads(threads, || {
            let tree = tree(&machine);
            let form = SequenceForm::new(&tree, 50.0);
            let limits = SolveLimits { iterations: 20, ..until(0.0) };
            let solution = solve(&form, &mut portfolio(&form), &limits, |_| ());
            (solution.profile, solution.point.verdict)
        })
    };
    assert_eq!(solved(1), solved(3));
}

#[test]
fn a_run_that_was_interrupted_continues_bit_by_bit() {
    for (game, iterations) in [("leduc_poker", 60), ("liars_dice_1x6", 12)] {
        let machine = imperfect(game);
        let tree = tree(&machine);
        let form = SequenceForm::new(&tree, 3.0);
        for rule in RegretRule::ALL {
            let mut whole = RegretMinimiser::new(&form, rule);
            whole.iterate(&form, iterations);
            let mut half = RegretMinimiser::new(&form, rule);
            half.iterate(&form, iterations / 2);
            let text = serde_json::to_string(&half.checkpoint()).unwrap();
            let mut half = RegretMinimiser::resumed(&form, &serde_json::from_str(&text).unwrap()).unwrap();
            half.iterate(&form, iterations - iterations / 2);
            assert_eq!(half.average(&form), whole.average(&form), "{game}, {rule}");
        }
    }
}

#[test]
fn a_game_without_a_finite_tree_is_refused_with_the_reason() {
    let endless = crate::common::machines::machine_of(
        "(role a) (role b) (init s) (<= (next s) (true s)) (<= terminal (true end)) (legal a wait) (legal b wait)
         (goal a 50) (goal b 50)",
    );
    let error = game_tree(&endless, &TreeLimits::default()).unwrap_err();
    assert!(matches!(error, TreeError::Endless(10_000)), "{error}");
    assert!(estimate_size(&*endless, 1, &Seed::root(1)).is_err());
    // Which moves a has depends on a coin that it does not see.
    let opaque = crate::common::machines::machine_of(
        "(role a) (role random) (init toss) (legal random heads) (legal random tails) (<= (legal a wait) (true toss))
         (<= (next (lies ?side)) (does random ?side)) (<= (next over) (not (true toss))) (<= terminal (true over))
         (<= (legal a x) (not (true toss))) (<= (legal a y) (not (true toss))) (<= (legal a z) (true (lies tails)))
         (goal a 50)",
    );
    let error = game_tree(&opaque, &TreeLimits::default()).unwrap_err();
    assert!(matches!(&error, TreeError::MovesDiffer { step: 1, .. }), "{error}");
    assert!(error.to_string().contains("let it see what decides them"), "{error}");
    let stopped = game_tree(&opaque, &TreeLimits { stop: &|_| true, ..TreeLimits::default() });
    assert_eq!(stopped.unwrap_err(), TreeError::Stopped);
}
