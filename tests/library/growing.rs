//! Regret minimisation on a tree that grows, on rulesheets: it comes to the equilibrium that the tree of the game has, on
//! every engine, and what is left of the game costs less the more of it is grown.

use hyperplay::engine::EngineKind;
use hyperplay::for_engine::{game_tree, grow};
use hyperplay::machine::Seed;
use hyperplay::solve::{GrowingMinimiser, GrowingOptions, SequenceForm, TreeLimits};

use crate::common::games;
use crate::common::machines::{engines, imperfect};

/// Nodes and leaves after some iterations, and NashConv of the average policies in payoffs of `unit` goals: on the tree of
/// the game, and in the grown one.
fn grown(name: &str, unit: f64, options: GrowingOptions, iterations: u64) -> (usize, usize, f64, f64) {
    let machine = imperfect(name);
    let tree = game_tree(&machine, &TreeLimits::default()).unwrap();
    let mut minimiser = GrowingMinimiser::new(&*machine, options);
    grow(&mut minimiser, &machine, iterations, &Seed::root(1)).unwrap();
    let verdict = SequenceForm::new(&tree, 1.0).judge(&minimiser.to_profile(&tree));
    let (in_tree, _) = minimiser.judged_in_tree().unwrap();
    (minimiser.nodes(), minimiser.leaves(), verdict.nash_conv / unit, in_tree / unit)
}

#[test]
fn a_complete_tree_has_the_equilibrium_of_the_game() {
    for (name, unit, most) in [("kuhn_poker_13", 25.0, 0.001), ("goofspiel_4_imperfect", 50.0, 0.001)] {
        let (_, leaves, nash_conv, in_tree) = grown(name, unit, GrowingOptions::default(), 300);
        assert!(leaves == 0 && nash_conv < most, "{name}: {leaves} leaves, {nash_conv}");
        assert!((nash_conv - in_tree).abs() < 1e-9, "{name}: {nash_conv}, {in_tree} in the grown tree");
    }
}

#[test]
fn a_larger_tree_is_exploited_less_and_a_full_one_does_not_grow() {
    let of = |nodes: usize| {
        grown("liars_dice_1x3", 50.0, GrowingOptions { nodes, ..GrowingOptions::default() }, 300)
    };
    let (small, large) = (of(30), of(700));
    assert!(small.0 < 60 && (700..900).contains(&large.0) && large.1 > 0, "{small:?}, {large:?}");
    assert!(large.2 < small.2 / 2.0, "{small:?}, {large:?}");
    // On the tree as it is nothing can be gained.
    assert!(small.3 < 1e-3 && large.3 < 1e-3, "{small:?}, {large:?}");
}

/// Engines differ in their playouts, and so in which leaves are grown first, but not in the complete tree.
#[test]
fn engines_grow_the_same_complete_tree() {
    let engines = engines(&games("imperfect/liars_dice_1x3.kif"));
    let nodes = [EngineKind::Interpreter, EngineKind::Auto].map(|kind| {
        let machine = engines.get(kind).unwrap();
        let mut minimiser = GrowingMinimiser::new(&*machine, GrowingOptions::default());
        grow(&mut minimiser, &machine, 300, &Seed::root(1)).unwrap();
        assert_eq!(minimiser.leaves(), 0);
        (minimiser.nodes(), minimiser.information_sets())
    });
    assert_eq!(nodes[0], nodes[1]);
}

#[test]
#[ignore = "prints a table"]
fn nash_conv_by_the_part_of_the_tree() {
    let games = [
        ("kuhn_poker_13", 25.0),
        ("leduc_poker", 10.0),
        ("liars_dice_1x3", 50.0),
        ("liars_dice_1x4", 50.0),
        ("liars_dice_1x5", 50.0),
        ("goofspiel_4_imperfect", 50.0),
    ];
    for (name, unit) in games {
        let whole = grown(name, unit, GrowingOptions { growth: 100.0, ..GrowingOptions::default() }, 60).0;
        for share in [0.01, 0.03, 0.1, 0.3, 1.0] {
            let nodes = (whole as f64 * share) as usize;
            let options = GrowingOptions { nodes, ..GrowingOptions::default() };
            let (nodes, leaves, nash_conv, in_tree) = grown(name, unit, options, 1_000);
            println!(
                "{name} {share} of {whole}: {nodes} nodes, {leaves} leaves, {nash_conv:.4}, {in_tree:.4} in tree"
            );
        }
    }
}
