//! The tests of the tree that grows on toys. Those on rulesheets are in `tests/library/growing.rs`.

use super::gadget::Gadget;
use super::*;
use crate::solve::{SequenceForm, TreeError, TreeLimits};
use crate::toy::{Toy, at, choice, end};
use hyperplay_machine::{ByRole, Start, Tally};

/// Two rounds in which both choose at once and see nothing, a coin, one with draws of `random` that nobody sees, and one where two of
/// three draws lead to the same state.
fn toys() -> [Toy; 4] {
    let goals = [[100, 0], [0, 100], [20, 80], [60, 40]];
    let last: Vec<u8> = (0..16).map(|place| 5 + (place * 7 + place / 4) % 4).collect();
    let rounds = last.chunks(4).map(|next| choice(&[2, 2], next));
    let table = [choice(&[2, 2], &[1, 2, 3, 4])].into_iter().chain(rounds);
    let random = vec![
        choice(&[2, 1, 3], &[1, 2, 3, 3, 2, 1]),
        choice(&[1, 2, 2], &[4, 5, 5, 6]),
        choice(&[1, 2, 1], &[6, 4]),
        choice(&[1, 2, 2], &[6, 6, 5, 4]),
        end(&[100, 0, 0]),
        end(&[0, 100, 0]),
        end(&[70, 30, 0]),
    ];
    let alike = vec![
        choice(&[1, 1, 3], &[1, 2, 1]),
        choice(&[2, 2, 1], &[3, 4, 4, 5]),
        choice(&[2, 2, 1], &[5, 4, 3, 4]),
        end(&[100, 0, 0]),
        end(&[0, 100, 0]),
        end(&[70, 30, 0]),
        // No way leads here.
        choice(&[2, 2, 1], &[3, 3, 4, 4]),
    ];
    [
        Toy::table(&["a", "b"], table.chain(goals.iter().map(|goals| end(goals))).collect()),
        Toy::coin(),
        Toy::table_with_random(&["a", "b", "random"], random),
        Toy::table_with_random(&["a", "b", "random"], alike),
    ]
}

fn grown(toy: &Toy, growth: f64, iterations: u64) -> GrowingMinimiser<Toy> {
    let options = GrowingOptions { growth, ..GrowingOptions::default() };
    let mut minimiser = GrowingMinimiser::new(toy, options);
    minimiser.iterate(toy, iterations, &Seed::root(1)).unwrap();
    minimiser
}

/// The complete tree is that of the game: what a best response gains in it is what the sequence form says, and the
/// policies come to an equilibrium.
#[test]
fn without_a_leaf_the_grown_tree_is_the_game() {
    for (number, toy) in toys().iter().enumerate() {
        let tree = GameTree::build(toy, &TreeLimits::default()).unwrap();
        let form = SequenceForm::new(&tree, 1.0);
        for growth in [0.01, 1.0] {
            for iterations in [12, 2_000] {
                let minimiser = grown(toy, growth, iterations);
                assert_eq!(minimiser.leaves(), 0, "toy {number}");
                // Draws that lead to the same state lead to one position.
                let listed: usize = minimiser.tree.by_step.iter().map(Vec::len).sum();
                assert_eq!(listed < minimiser.tree.positions.len(), number == 3, "toy {number}");
                let judged = form.judge(&minimiser.to_profile(&tree)).nash_conv;
                let (found, at_leaves) = minimiser.judged_in_tree().unwrap();
                assert_eq!(at_leaves, 0.0);
                assert!(
                    (found - judged).abs() < 1e-9,
                    "toy {number}: {found}, {judged} by the sequence form"
                );
                assert!(iterations == 12 || judged < 0.1, "toy {number}: {judged}");
            }
        }
    }
}

/// What the playouts of leaves are worth is what follows if all play at random, so with one leaf after each first choice the
/// tree is a matrix game. Its entries are means of four ends each.
#[test]
fn leaves_are_worth_what_random_play_is_worth() {
    let [toy, ..] = toys();
    let options = GrowingOptions { nodes: 2, growth: 0.0, playouts: 20_000, ..GrowingOptions::default() };
    let mut minimiser = GrowingMinimiser::new(&toy, options);
    minimiser.iterate(&toy, 1, &Seed::root(1)).unwrap();
    assert_eq!((minimiser.nodes(), minimiser.leaves()), (5, 4));
    let goals = [100.0, 0.0, 20.0, 60.0];
    for place in 0..4_u32 {
        let ends = (4 * place..4 * place + 4).map(|place| goals[((place * 7 + place / 4) % 4) as usize]);
        let (mean, found) = (ends.sum::<f64>() / 4.0 - 50.0, minimiser.tree.value(1 + place, 0, 0));
        assert!((found - mean).abs() < 1.5, "{place}: {found}, {mean} by enumeration");
    }
}

/// Every leaf is worth 90 to the first role.
struct Ninety;

impl<M: Bulk> LeafValues<M> for Ninety {
    fn tallies(
        &self,
        _: &M,
        starts: &[Start<M::State>],
        _: &Seed,
        _: &Budget,
        _: &mut M::Scratch,
    ) -> Vec<Tally> {
        let tally =
            Tally { count: 2, sum: ByRole::from_fn(2, |role| [180, 20][role.index()]), ..Tally::new(2) };
        vec![tally; starts.len()]
    }
}

/// Other values of leaves are also those of a tree that begins anew.
#[test]
fn leaves_may_be_valued_otherwise() {
    let [toy, ..] = toys();
    let options = GrowingOptions { nodes: 6, growth: 0.0, ..GrowingOptions::default() };
    let mut minimiser = GrowingMinimiser::new(&toy, options).valued_by(Arc::new(Ninety));
    minimiser.iterate(&toy, 1, &Seed::root(1)).unwrap();
    assert!(
        (1..5).all(|leaf| minimiser.tree.value(leaf, 0, 0) == 40.0 && minimiser.tree.value(leaf, 0, 1) == -40.0)
    );
    let step = minimiser.tree.positions.known(1)[0];
    let evidence = minimiser.tree.positions.evidence(Role::new(0), step);
    minimiser.resolve(&toy, &evidence, Vec::new(), &Budget::UNLIMITED, &Seed::root(2)).unwrap();
    assert!(minimiser.tree.nodes() < 5 && minimiser.tree.value(0, 0, 0) == 40.0, "it began anew");
}

#[test]
fn iterations_in_several_calls_are_the_same_and_a_failure_stays() {
    let [toy, ..] = toys();
    let (once, mut again) = (grown(&toy, 0.1, 40), grown(&toy, 0.1, 15));
    again.iterate(&toy, 25, &Seed::root(1)).unwrap();
    assert_eq!((once.sums, once.policy, once.regrets), (again.sums, again.policy, again.regrets));

    // The second role has two moves after one choice of the first, and three after another, and sees neither.
    let uneven =
        vec![choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 3]), choice(&[1, 3], &[3, 3, 3]), end(&[0, 100])];
    let toy = Toy::table(&["a", "b"], uneven);
    let mut minimiser = GrowingMinimiser::new(&toy, GrowingOptions::default());
    for _ in 0..2 {
        let failed = minimiser.iterate(&toy, 10, &Seed::root(1));
        assert!(matches!(failed, Err(SamplingError::Rules(TreeError::MovesDiffer { .. }))), "{failed:?}");
    }
    assert_eq!(
        (minimiser.policies().count(), minimiser.judged_in_tree()),
        (minimiser.information_sets(), None)
    );
}

#[test]
fn a_perturbation_is_the_part_of_a_weight_that_is_what_the_role_did() {
    let factor = |part| {
        let gadget = Gadget::new((GadgetKind::Resolve, part), vec![0.0; 2], &[1.0, 0.2], &[1.0; 2]);
        gadget.expect("there are two classes").factor(1, 0.2)
    };
    // At first all classes enter, and half of the weight of entering is alike for all: (0.2 + 0.6) / 2.
    for (part, expected) in [(0.0, 0.4), (0.5, 0.3), (1.0, 0.2)] {
        assert!((factor(part) - expected).abs() < 1e-12, "{part}: {}", factor(part));
    }
}

/// The second role makes a good move or a bad one, which ends the game, the first one of two, and the second again one of two, which is a leaf. Against random
/// play there the first move of the first role brings 60 and the second 35. The worst is 20 for the first move alone, and at most 41.8 is safe, with
/// 3 of 11 for it.
#[test]
fn a_role_that_may_continue_in_several_ways_is_not_exploited() {
    let table = vec![
        choice(&[1, 2], &[1, 4]),
        choice(&[2, 1], &[2, 3]),
        choice(&[1, 2], &[5, 4]),
        choice(&[1, 2], &[6, 5]),
        end(&[100, 0]),
        end(&[20, 80]),
        end(&[50, 50]),
    ];
    let toy = Toy::table(&["a", "b"], table);
    let share = |continuations| {
        let options =
            GrowingOptions { nodes: 3, playouts: 2_000, continuations, ..GrowingOptions::default() };
        let mut minimiser = GrowingMinimiser::new(&toy, options);
        minimiser.iterate(&toy, 50, &Seed::root(1)).unwrap();
        let evidence = minimiser.tree.positions.evidence(Role::new(0), minimiser.tree.positions.known(1)[0]);
        minimiser.resolve(&toy, &evidence, Vec::new(), &Budget::UNLIMITED, &Seed::root(2)).unwrap();
        minimiser.iterate(&toy, 500, &Seed::root(3)).unwrap();
        assert_eq!((minimiser.nodes(), minimiser.leaves()), (3, 2));
        assert!(minimiser.policies().all(|policy| policy.moves.len() == 2));
        minimiser.policy(&evidence).expect("it is in the tree").1[0]
    };
    let shares = [1, 2, 3].map(share);
    assert!(shares[0] > 0.9 && (shares[2] - 3.0 / 11.0).abs() < 0.05, "{shares:?}");
}

/// Both roles choose the first of two moves in an equilibrium with 1 of 3, and the second role does not see what the first chose. Few iterations find
/// nothing as good, so the blueprint stays where one role has what the other has less.
#[test]
fn policies_of_the_last_solve_stay_where_the_new_ones_are_worse() {
    let settled = |last: &[u8]| {
        let table = vec![
            choice(&[2, 1], &[1, 2]),
            choice(&[1, 2], &[3, 4]),
            choice(&[1, 2], &[4, 5]),
            end(&[100, 0]),
            end(&[0, 100]),
            end(last),
        ];
        let toy = Toy::table(&["a", "b"], table);
        let mut minimiser = GrowingMinimiser::new(&toy, GrowingOptions::default()).with_blueprint(Some(
            Arc::new(|_, _, legal| (legal.len() == 2).then(|| vec![1.0 / 3.0, 2.0 / 3.0])),
        ));
        minimiser.iterate(&toy, 5, &Seed::root(1)).unwrap();
        assert_eq!(minimiser.leaves(), 0);
        let evidence = minimiser.policies().find(|of| of.role.index() == 1 && of.moves.len() == 2);
        let evidence = evidence.expect("it was met").evidence;
        minimiser.resolve(&toy, &evidence, Vec::new(), &Budget::UNLIMITED, &Seed::root(2)).unwrap();
        minimiser.iterate(&toy, 5, &Seed::root(3)).unwrap();
        let before = minimiser.policy(&evidence).expect("it is in the tree").1[0];
        minimiser.settle(&Budget::UNLIMITED);
        (minimiser.subgame.stays, before, minimiser.policy(&evidence).expect("it is in the tree").1[0])
    };
    let (stays, before, after) = settled(&[50, 50]);
    assert!(
        stays && (before - 1.0 / 3.0).abs() > 1e-3 && (after - 1.0 / 3.0).abs() < 1e-9,
        "{before}, {after}"
    );
    let (stays, before, after) = settled(&[50, 40]);
    assert!(!stays && before == after, "{before}, {after}");
}

/// Two of three draws of chance lead to one position of the tree, and each of the two is found. A state beside these that is half as probable as
/// one of them has half of what a third of the whole is.
#[test]
fn a_state_that_is_found_weighs_as_much_as_one_of_its_histories() {
    let [.., toy] = toys();
    let mut minimiser = grown(&toy, 1.0, 12);
    let known: Vec<u32> = minimiser.tree.positions.known(1).to_vec();
    let known: Vec<Evidence> = (0..2)
        .map(|role| minimiser.tree.positions.evidence(Role::new(role), known[role]))
        .chain([Evidence::new(Role::new(2))])
        .collect();
    let found = |(entry, weight)| FoundState { state: at(entry), known: known.clone(), weight };
    let found = [(1, 0.25), (2, 0.25), (1, 0.25), (6, 0.125)].map(found).to_vec();
    minimiser.resolve(&toy, &known[0], found, &Budget::UNLIMITED, &Seed::root(2)).unwrap();
    let mut priors: Vec<f64> = minimiser.tree.roots.list.iter().map(|root| root.prior).collect();
    priors.sort_by(f64::total_cmp);
    let expected = [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0];
    let are_near = priors.iter().zip(expected).all(|(prior, expected)| (prior - expected).abs() < 1e-9);
    assert!(priors.len() == 3 && are_near, "{priors:?}");
}

/// A sub-game goes on as if it had made four iterations, and with a deadline its regrets are those of as many.
#[test]
fn regrets_do_not_outweigh_what_a_sub_game_learns() {
    let [toy, ..] = toys();
    for (budget, share) in [(Budget::time(Duration::from_secs(1_000)), 4.0 / 400.0), (Budget::UNLIMITED, 1.0)]
    {
        let mut minimiser = grown(&toy, 1.0, 400);
        let (before, known) = (minimiser.regrets.clone(), minimiser.tree.positions.known(1)[0]);
        let evidence = minimiser.tree.positions.evidence(Role::new(0), known);
        minimiser.resolve(&toy, &evidence, Vec::new(), &budget, &Seed::root(2)).unwrap();
        let mut kept = 0.0;
        for set in minimiser.tree.sets_below() {
            for (after, before) in minimiser.regrets[range(set)].iter().zip(&before[range(set)]) {
                assert!((after - before * share).abs() < 1e-12, "{before}, {after}");
                kept += after.abs();
            }
        }
        assert!(kept > 0.0);
    }
}
