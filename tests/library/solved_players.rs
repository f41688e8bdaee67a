//! The players that solve their game or play a solution: `equilibrium`, `auto`, `policy`, and the model `equilibrium`.
//!
//! They are judged like any other player, by their best responses, which know nothing of how they decide.

use std::sync::Arc;

use rayon::prelude::*;

use crate::common::machines::{imperfect, machine_of, model, seat};
use hyperplay::engine::Engine as Machine;
use hyperplay::for_engine::{game_tree, play_match};
use hyperplay::machine::{Budget, ByRole, Evidence, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::player::{
    Asking, Decision, DecisionBudget, PolicyDocument, Reason, Registry, Selection, View, ask_policy,
    entries_of, profile_of, unsaid,
};
use hyperplay::referee::{Interrupt, MatchOutcome, Settings};
use hyperplay::solve::{GameTree, Profile, SequenceForm, TreeLimits};

fn tree(machine: &Machine) -> GameTree {
    game_tree(machine, &TreeLimits::default()).unwrap()
}

/// NashConv of a player in all seats.
fn nash_conv(machine: &Arc<Machine>, spec: &str, unit: f64, budget: DecisionBudget) -> f64 {
    let tree = tree(machine);
    let mut profile = Profile::uniform(&tree);
    let player = Registry::standard().player(spec).unwrap();
    for role in tree.players() {
        let seed = Seed::root(1);
        let asking =
            Asking { tree: &tree, budget, seed: &seed, along_match: false, stop: &|| false, tick: &|| () };
        let asked = ask_policy(&player, machine, role, &asking).unwrap();
        asked.put_into(&tree, &mut profile);
    }
    SequenceForm::new(&tree, unit).judge(&profile).nash_conv
}

/// The decision of a player at the first step of a match, or where evidence says.
fn decided(machine: &Arc<Machine>, spec: &str, evidence: &Evidence, budget: &Budget) -> Decision {
    let mut seat = seat(spec, machine, evidence.role);
    let mut scratch = machine.scratch();
    let legal = machine.legal_by_role(&machine.initial(), &mut scratch)[evidence.role].clone();
    let view = View { evidence, legal: &legal };
    let history = hyperplay::machine::History::default();
    seat.decide(&hyperplay::player::ClairvoyantView { own: view, history: &history }, budget, &Seed::root(1))
        .expect("it is no other program")
}

/// The first reason of a decision, which the player gives in its own words.
fn first_reason(decision: &Decision) -> &str {
    match &decision.reasons[0] {
        Reason::Said(words) => words,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whoever_solves_small_poker_games_cannot_be_exploited() {
    for spec in ["equilibrium", "auto"] {
        for (game, unit, most) in [("kuhn_poker", 25.0, 1e-5), ("leduc_poker", 3.0, 1e-4)] {
            let found = nash_conv(&imperfect(game), spec, unit, DecisionBudget::default());
            assert!(found <= most, "{spec} in {game}: {found}");
        }
    }
}

#[test]
fn a_budget_in_nodes_bounds_the_solver_and_reproduces() {
    let machine = imperfect("kuhn_poker");
    let with = |nodes| {
        let budget = DecisionBudget { nodes: Some(nodes), ..DecisionBudget::default() };
        nash_conv(&machine, "equilibrium", 25.0, budget)
    };
    let (few, many) = (with(600), with(60_000));
    assert!(many < few && few < 0.9, "{few}, {many}");
    assert_eq!(with(600), few);
    // A tree of 58 nodes does not fit 50: it plays as hyperplay does.
    let budget = DecisionBudget { nodes: Some(50), ..DecisionBudget::default() };
    assert!(nash_conv(&machine, "equilibrium", 25.0, budget) > 0.1);
}

#[test]
fn what_is_too_large_is_played_as_hyperplay_does_and_says_so() {
    let machine = imperfect("krieg_tictactoe_5x5");
    for spec in [
        "auto:otherwise=[hyperplay:particles=8,playouts=50]",
        "equilibrium:nodes=1000,otherwise=[hyperplay:particles=8,playouts=50]",
    ] {
        let decision = decided(&machine, spec, &Evidence::new(Role::new(0)), &Budget::UNLIMITED);
        let said = first_reason(&decision);
        assert!(said.starts_with("no equilibrium: the game tree"), "{said}");
        assert!(said.ends_with("plays as hyperplay:particles=8,playouts=50"), "{said}");
        assert!(decision.held.is_some(), "it has the belief of hyperplay");
    }
    // Three roles: `auto` does not play an equilibrium that protects nobody.
    let machine = imperfect("kuhn_poker_3p");
    let history = hyperplay::study::harness::random_match(&machine, 100, &Seed::root(1)).unwrap();
    let known = machine.evidence(&history, Role::new(0), &mut machine.scratch());
    let decision = decided(&machine, "auto", &known.until(0), &Budget::UNLIMITED);
    assert!(first_reason(&decision).contains("3 roles decide"), "{:?}", decision.reasons);
}

#[test]
fn a_game_without_a_constant_sum_or_without_end_is_left_to_hyperplay_by_auto() {
    let different = machine_of(
        "(role a) (role b) (init s) (legal a x) (legal a y) (legal b x) (legal b y) (<= (next (did ?r ?m)) (does ?r ?m))
         (<= terminal (not (true s))) (<= (goal ?r 100) (true (did ?r x))) (<= (goal ?r 10) (true (did ?r y)))",
    );
    let decision = decided(&different, "auto", &Evidence::new(Role::new(0)), &Budget::UNLIMITED);
    assert!(first_reason(&decision).contains("no constant sum"), "{:?}", decision.reasons);
    // `equilibrium` solves it all the same: x dominates.
    let decision = decided(&different, "equilibrium", &Evidence::new(Role::new(0)), &Budget::UNLIMITED);
    assert!(decision.policy[0].1 > 0.99, "{:?}", decision.policy);
    assert!((decision.values[0].1 - 100.0).abs() < 1.0, "{:?}", decision.values);
    let endless = machine_of(
        "(role a) (role b) (init s) (<= (next s) (true s)) (<= terminal (true end)) (legal a wait) (legal a go)
         (legal b wait) (goal a 50) (goal b 50)",
    );
    let decision =
        decided(&endless, "auto:otherwise=random", &Evidence::new(Role::new(0)), &Budget::UNLIMITED);
    assert!(first_reason(&decision).contains("may never end"), "{:?}", decision.reasons);
}

#[test]
fn one_solution_serves_all_matches_on_all_threads() {
    let machine = imperfect("leduc_poker");
    let registry = Registry::standard();
    let players =
        ["auto:nash_conv=0.01", "equilibrium:nash_conv=0.01"].map(|spec| registry.player(spec).unwrap());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    // Players that wait for the solution hold all threads of the pool.
    let over = pool.install(|| {
        (0..64)
            .into_par_iter()
            .filter(|&index| {
                let seats = ByRole::from_fn(3, |role| {
                    (machine.random() != Some(role)).then(|| players[role.index()].seat(&machine, role))
                });
                let seed = Seed::root(1).index(index);
                let settings = Settings::default();
                let played =
                    play_match(&machine, seats, &settings, &seed, &Interrupt::default(), &mut |_| ())
                        .unwrap();
                assert_eq!(played.faults().count(), 0);
                matches!(played.outcome, MatchOutcome::Over(_))
            })
            .count()
    });
    assert_eq!(over, 64);
}

#[test]
fn a_policy_file_is_played_as_it_is_written() {
    let machine = imperfect("kuhn_poker");
    let tree = tree(&machine);
    let mut rng_profile = Profile::uniform(&tree);
    for set in 0..tree.sets().len() {
        rng_profile.set(&tree, set, &[1.0 + set as f64, 3.0]);
    }
    let roles: Vec<Role> = tree.players().collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.json");
    let document = PolicyDocument { machine: &machine, header: serde_json::Value::Null };
    let entries = entries_of(&tree, &rng_profile, &roles[..1]);
    document.write(std::fs::File::create(&path).unwrap(), entries, &[]).unwrap();
    let file = hyperplay::player::PolicyFile::read(&path).unwrap();
    let read = profile_of(&machine, &file, &tree);
    assert_eq!(unsaid(&machine, &file, &tree).len(), 6, "nothing is written for bob");
    let spec = format!("policy:{}", path.display());
    let player = Registry::standard().player(&spec).unwrap();
    let seed = Seed::root(1);
    let asking = Asking {
        tree: &tree,
        budget: DecisionBudget::default(),
        seed: &seed,
        along_match: false,
        stop: &|| false,
        tick: &|| (),
    };
    for (role, written) in [(roles[0], &rng_profile), (roles[1], &Profile::uniform(&tree))] {
        for (set, shares) in ask_policy(&player, &machine, role, &asking).unwrap().sets {
            for ((one, asked), said) in written.of(&tree, set).iter().zip(shares).zip(read.of(&tree, set)) {
                assert!((one - asked).abs() < 1e-12 && (one - said).abs() < 1e-12, "set {set}");
            }
        }
    }
}

#[test]
fn the_model_equilibrium_knows_who_bets() {
    let machine = imperfect("kuhn_poker");
    let tree = tree(&machine);
    let model = model("equilibrium", &machine);
    // Bob never bets a queen after a check, and always a king.
    for (number, set) in tree.sets().iter().enumerate().filter(|(_, set)| set.role == Role::new(1)) {
        let words = hyperplay::player::known_in_words(&machine, &tree, number);
        let policy = model.policy(set.role, &tree.evidence(set), tree.moves(number));
        let expected = match &*words {
            "sees (your_card king); sees (says alice check)" => 1.0,
            "sees (your_card queen); sees (says alice check)" => 0.0,
            "sees (your_card jack); sees (says alice check)" => 1.0 / 3.0,
            _ => continue,
        };
        assert!((policy[0] - expected).abs() < 0.01, "{words}: {policy:?}");
    }
}

#[test]
fn where_a_game_is_not_solved_its_features_select_the_search() {
    // What is hidden and who moves when was read off the rules by hand.
    for (game, player, why) in [
        ("phantom_tictactoe", "ismcts", "one after the other"),
        ("blind_breakthrough_4x4", "ismcts", "one after the other"),
        ("monty_hall", "subgame", "one role decides"),
        ("mastermind_4c3p", "subgame", "one role decides"),
        ("spy_vs_spy", "subgame", "the game is small"),
        ("goofspiel_4_imperfect", "subgame", "the game is small"),
        ("liars_dice_2x6", "ismcts", "one after the other"),
        ("krieg_tictactoe_3x3", "ismcts", "at once among few moves"),
        ("krieg_tictactoe_5x5", "hyperplay", "at once among many moves"),
        ("rock_paper_scissors", "hyperplay", "nothing is hidden"),
    ] {
        let machine = imperfect(game);
        let selection = Selection::of(&machine, &Budget::UNLIMITED);
        assert_eq!(selection.player, player, "{game}");
        assert!(selection.reason.ends_with(why), "{game}: {}", selection.reason);
        assert_eq!(Selection::of(&machine, &Budget::UNLIMITED), selection, "{game}");
        // It plays as the selected player does.
        let start = Evidence::new(Role::new(0));
        let [by_selected, by_player] =
            ["selected", player].map(|spec| decided(&machine, spec, &start, &Budget::nodes(200)));
        assert_eq!((&by_selected.policy, &by_selected.values), (&by_player.policy, &by_player.values));
        assert!(first_reason(&by_selected).ends_with(&format!("plays as {player}")), "{game}");
    }
    let late = Selection::of(&imperfect("monty_hall"), &Budget::time(std::time::Duration::ZERO));
    assert_eq!((late.player, late.features), ("hyperplay", None));
}
