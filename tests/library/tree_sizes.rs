//! Estimates of the size of a tree against thirty known sizes, trees that are refused before they fill the memory, and faults of
//! the rules that a tree shows.
//!
//! The sizes are counted state by state: how many nodes are below a history depends on its state alone. Where a family has a
//! closed form, the count is checked against it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use crate::common::machines::{built_in, imperfect, machine_of};
use hyperplay::engine::{Engine as Machine, EngineKind, Engines, Interpreter};
use hyperplay::for_engine::game_tree;
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{JointMoves, Seed, State, StateMachine, StateMachineExt};
use hyperplay::solve::{SizeEstimate, TreeError, TreeFault, TreeFaultKind, TreeLimits, estimate_size};

/// The number of nodes of the tree of a game.
fn nodes(machine: &Machine) -> u128 {
    fn below(
        machine: &Machine,
        state: &State,
        scratch: &mut <Machine as StateMachine>::Scratch,
        known: &mut FxHashMap<State, u128>,
    ) -> u128 {
        if machine.terminal(state, scratch) {
            return 0;
        }
        if let Some(&nodes) = known.get(state) {
            return nodes;
        }
        let legal = machine.legal_by_role(state, scratch);
        let random = machine.random();
        let others = machine.each_role().filter(|&role| Some(role) != random);
        let (mut nodes, mut width) = (0, 1_u128);
        for role in random.into_iter().chain(others).filter(|&role| legal[role].len() > 1) {
            width *= legal[role].len() as u128;
            nodes += width;
        }
        for joint in JointMoves::new(&legal) {
            let next = machine.next(state, &joint, scratch);
            nodes += below(machine, &next, scratch, known);
        }
        known.insert(state.clone(), nodes);
        nodes
    }
    1 + below(machine, &machine.initial(), &mut machine.scratch(), &mut FxHashMap::default())
}

fn numbers(from: usize, to: usize, text: impl Fn(usize) -> String) -> String {
    (from..=to).map(|number| text(number) + "\n").collect()
}

/// Dice are rolled, then two players outbid each other until one calls the bid; the last bid is called anyway. So is Liar's
/// Dice with `dice` dice of `faces` faces, which has as many bids as dice times faces.
fn liars_dice(dice: usize, faces: usize) -> String {
    let bids = dice * faces;
    format!(
        "(role alice) (role bob) (role random) (init (roll 1)) (opponent alice bob) (opponent bob alice)
         {} {} {}
         (<= (above ?x ?y) (succ ?y ?x)) (<= (above ?x ?y) (succ ?z ?x) (above ?z ?y))
         (<= (legal random (die ?n ?x)) (true (roll ?n)) (face ?x)) (<= (legal random noop) (true (control ?p)))
         (<= (legal ?p noop) (role ?p) (distinct ?p random) (not (true (control ?p))))
         (<= (legal ?p (bid ?b)) (true (control ?p)) (not standing) (bid ?b))
         (<= (legal ?p (bid ?b)) (true (control ?p)) (true (bid ?c)) (bid ?b) (above ?b ?c))
         (<= (legal ?p liar) (true (control ?p)) standing) (<= standing (true (bid ?b)))
         (<= (next (roll ?m)) (true (roll ?n)) (succ ?n ?m) (die ?m)) (<= (next (control alice)) (true (roll {dice})))
         (<= (next (shows ?n ?x)) (does random (die ?n ?x))) (<= (next (shows ?n ?x)) (true (shows ?n ?x)))
         (<= (next (bid ?b)) (does ?p (bid ?b))) (<= (next (control ?q)) (does ?p (bid ?b)) (opponent ?p ?q))
         (<= (sees ?q (says ?b)) (opponent ?q ?p) (does ?p (bid ?b)))
         (<= (next over) (does ?p liar)) (<= terminal (true over)) (goal alice 50) (goal bob 50)",
        numbers(1, dice, |n| format!("(die {n})")),
        numbers(1, faces, |n| format!("(face {n})")),
        numbers(1, bids, |n| format!("(bid {n}) (succ {n} {})", n + 1)),
    )
}

/// Both players put down all of their cards, one in each step and at the same time.
fn sequences(players: usize, cards: usize) -> String {
    let names = &["alice", "bob", "carol"][..players];
    let roles: String = names.iter().map(|name| format!("(role {name}) (goal {name} 50)\n")).collect();
    format!(
        "{roles} {} (<= (init (has ?p ?c)) (role ?p) (card ?c)) (<= (legal ?p (play ?c)) (true (has ?p ?c)))
         (<= (next (has ?p ?c)) (true (has ?p ?c)) (not (does ?p (play ?c))))
         (<= some (true (has ?p ?c))) (<= terminal (not some))",
        numbers(1, cards, |n| format!("(card {n})")),
    )
}

/// A number is named, and then as many coins are tossed: half of the tree lies below one of the first moves.
fn comb(longest: usize) -> String {
    format!(
        "(role a) (goal a 50) (init begin) {} (<= (legal a (name ?n)) (true begin) (number ?n))
         (<= (legal a heads) (true (left ?n))) (<= (legal a tails) (true (left ?n)))
         (<= (next (left ?n)) (does a (name ?n))) (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n) (number ?m))
         (<= terminal (not (true begin)) (not more)) (<= more (true (left ?n)))",
        numbers(1, longest, |n| format!("(number {n}) (succ {n} {})", n + 1)),
    )
}

/// One of `keys` keys opens a door and the others end the game, `doors` times; then `coins` coins are tossed.
fn vault(keys: usize, doors: usize, coins: usize) -> String {
    format!(
        "(role a) (goal a 50) (init (at 1)) {} {} {}
         (<= (legal a (key ?k)) (true (at ?n)) (door ?n) (key ?k))
         (<= (legal a heads) (true (at ?n)) (coin ?n)) (<= (legal a tails) (true (at ?n)) (coin ?n))
         (<= (next (at ?m)) (does a (key 1)) (true (at ?n)) (succ ?n ?m))
         (<= (next (at ?m)) (true (at ?n)) (coin ?n) (succ ?n ?m))
         (<= terminal (true (at {}))) (<= terminal (not more)) (<= more (true (at ?n)))",
        numbers(1, keys, |n| format!("(key {n})")),
        numbers(1, doors, |n| format!("(door {n})")),
        numbers(1, doors + coins, |n| format!("(succ {n} {})", n + 1))
            + &numbers(doors + 1, doors + coins, |n| format!("(coin {n})")),
        doors + coins + 1,
    )
}

/// Walks of `steps` steps on a graph whose vertices have very different numbers of successors; some have none.
fn walks(seed: u64, vertices: u64, steps: usize, skew: u32) -> String {
    let hash = |a: u64, b: u64| {
        let mut hash = seed ^ a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xd1b5_4a32_d192_ed03);
        for _ in 0..3 {
            hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        hash ^ (hash >> 32)
    };
    let edges: String = (0..vertices)
        .flat_map(|from| {
            // Many vertices have few successors, and few have many.
            let share = (hash(from, 1) % 1000) as f64 / 1000.0;
            let degree = (share.powi(skew as i32) * 9.0) as u64 + u64::from(from == 0);
            (0..degree).map(move |number| format!("(edge {from} {})\n", hash(from, 7 + number) % vertices))
        })
        .collect();
    format!(
        "(role a) (goal a 50) (init (at 0)) (init (left {steps})) {edges} {}
         (<= (legal a (go ?y)) (true (at ?x)) (edge ?x ?y)) (<= (next (at ?y)) (does a (go ?y)))
         (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
         (<= some (true (at ?x)) (edge ?x ?y)) (<= terminal (not some)) (<= terminal (true (left 0)))",
        numbers(0, steps, |n| format!("(succ {n} {})", n + 1)),
    )
}

/// A game of the calibration.
struct Sized {
    name: String,
    machine: Arc<Machine>,
    nodes: u128,
}

/// Thirty games from 10^2 to 10^11 nodes.
fn thirty() -> Vec<Sized> {
    let mut games = Vec::new();
    for file in [
        "imperfect/kuhn_poker_6",
        "imperfect/kuhn_poker_3p",
        "imperfect/goofspiel_4_imperfect",
        "imperfect/kuhn_poker_13",
        "imperfect/leduc_poker",
        "imperfect/dark_hex_2x3_abrupt",
        "imperfect/liars_dice_1x6",
        "perfect/tictactoe",
        "imperfect/number_guessing_16",
        "perfect/nim",
        "imperfect/mastermind_3c3p",
        "imperfect/dark_hex_3x3",
        "imperfect/phantom_tictactoe",
    ] {
        let machine = built_in(&format!("{file}.kif"));
        let nodes = nodes(&machine);
        games.push(Sized { name: file.to_owned(), machine, nodes });
    }
    let mut add = |name: String, rules: String, closed: Option<u128>| {
        let machine = machine_of(&rules);
        let nodes = nodes(&machine);
        assert!(closed.is_none_or(|closed| closed == nodes), "{name}: {nodes}");
        games.push(Sized { name, machine, nodes });
    };
    for (dice, faces) in [(2, 5), (4, 3), (2, 7), (2, 8), (4, 4), (4, 5), (4, 6)] {
        let (rolls, bids) = (dice as u32, (dice * faces) as u32);
        let rolled: u128 = (1..=rolls).map(|roll| (faces as u128).pow(roll)).sum();
        let closed = 1 + rolled + (faces as u128).pow(rolls) * (3 * 2_u128.pow(bids - 1) - 2);
        add(format!("liar's dice, {dice} dice of {faces} faces"), liars_dice(dice, faces), Some(closed));
    }
    for (players, cards) in [(1, 13), (2, 5), (2, 7)] {
        let (mut closed, mut histories) = (1, 1_u128);
        for left in (2..=cards as u128).rev() {
            for _ in 0..players {
                histories *= left;
                closed += histories;
            }
        }
        add(format!("sequences of {cards} by {players}"), sequences(players, cards), Some(closed));
    }
    for longest in [14, 20, 34] {
        let closed = 1 + (1..=longest as u32).map(|coins| 2_u128.pow(coins + 1) - 1).sum::<u128>();
        add(format!("comb of {longest}"), comb(longest), Some(closed));
    }
    let closed = 1 + 9 * 20 + 2_u128.pow(25) - 2;
    add("vault of 20 doors".to_owned(), vault(9, 20, 24), Some(closed));
    for (seed, vertices, steps, skew) in [(1, 12, 12, 2), (8, 25, 15, 2), (4, 40, 25, 3)] {
        add(format!("walks {seed}"), walks(seed, vertices, steps, skew), None);
    }
    games
}

/// Estimates every game `times` times and checks how often the interval holds the truth, and how wide it is.
fn calibrate(states: usize, seeds: u64, times: usize) {
    let games = thirty();
    assert_eq!(games.len(), 30);
    let (mut held, mut all, mut widths) = (0, 0, Vec::new());
    println!(
        "{:40} {:>12}  estimate [interval], held of {seeds}, median high/low, median |ln error|",
        "game", "nodes"
    );
    for Sized { name, machine, nodes, .. } in &games {
        let truth = *nodes as f64;
        let mut estimates: Vec<SizeEstimate> = Vec::new();
        for seed in 1..=seeds {
            estimates.push(estimate_size(&**machine, states, &Seed::root(seed)).unwrap());
        }
        let holds = |estimate: &&SizeEstimate| (estimate.interval.0..=estimate.interval.1).contains(&truth);
        let own = estimates.iter().filter(holds).count();
        let median = |mut figures: Vec<f64>| {
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 2]
        };
        let own_widths: Vec<f64> = estimates.iter().map(|one| one.interval.1 / one.interval.0).collect();
        let errors: Vec<f64> = estimates.iter().map(|one| (one.nodes / truth).ln().abs()).collect();
        println!(
            "{name:40} {truth:12.4e}  {:.4e} [{:.3e}, {:.3e}], {own}, {:.3}, {:.4}",
            estimates[0].nodes,
            estimates[0].interval.0,
            estimates[0].interval.1,
            median(own_widths.clone()),
            median(errors)
        );
        for estimate in &estimates {
            assert!(!estimate.is_exact() || estimate.nodes == truth, "{name}: {estimate}");
            // A tree that fits is not refused, and one that is far too large is.
            assert!(!estimate.surely_exceeds(*nodes as usize), "{name}: {estimate}");
            assert!(estimate.surely_exceeds(*nodes as usize / times), "{name}: {estimate}");
        }
        held += own;
        all += estimates.len();
        widths.extend(own_widths);
    }
    widths.sort_by(f64::total_cmp);
    let median = widths[widths.len() / 2];
    println!(
        "{held} of {all} intervals hold the number of nodes; median high/low {median:.3}, largest {:.2}",
        widths[all - 1]
    );
    assert!(held as f64 >= 0.9 * all as f64, "{held} of {all}");
    assert!(median <= 10.0, "{median}");
}

#[test]
fn intervals_of_estimated_sizes_hold_the_true_sizes_of_thirty_games() {
    calibrate(1 << 15, 3, 100);
}

#[test]
#[ignore = "long form: 20 seeds, as `solve` and `inspect` measure"]
fn intervals_of_estimated_sizes_hold_the_true_sizes_in_the_long_form() {
    calibrate(1 << 17, 20, 10);
    calibrate(1 << 18, 20, 10);
}

#[test]
fn a_tree_that_cannot_fit_is_refused_before_it_is_built() {
    let machine = machine_of(&liars_dice(4, 6));
    let most = AtomicUsize::new(0);
    let stop = |nodes| {
        most.fetch_max(nodes, Ordering::Relaxed);
        false
    };
    let limits = TreeLimits { stop: &stop, ..TreeLimits::default() };
    let error = game_tree(&machine, &limits).unwrap_err();
    let TreeError::TooLarge { limit: 30_000_000, estimate } = &error else { panic!("{error}") };
    assert!((estimate.interval.0..=estimate.interval.1).contains(&(nodes(&machine) as f64)), "{error}");
    assert!(most.into_inner() < 100_000, "{error}");
}

/// One step in which this number of roles choose between two moves.
fn wide(roles: usize) -> String {
    let roles: String = (0..roles).map(|role| format!("(role r{role})")).collect();
    format!(
        "{roles} (init begun) (<= terminal (not (true begun))) (<= (goal ?r 50) (role ?r))
         (<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r))"
    )
}

#[test]
fn a_wide_step_is_refused_before_it_is_built_and_can_be_stopped_within() {
    let most = AtomicUsize::new(0);
    let stop = |nodes| {
        most.fetch_max(nodes, Ordering::Relaxed);
        nodes > 1 << 15
    };
    let limits = TreeLimits { stop: &stop, ..TreeLimits::default() };
    let error = game_tree(&machine_of(&wide(100)), &limits).unwrap_err();
    let TreeError::TooLarge { estimate, .. } = &error else { panic!("{error}") };
    assert!((estimate.nodes / 2_f64.powi(101) - 1.0).abs() < 1e-9, "{error}");
    assert_eq!(most.swap(0, Ordering::Relaxed), 1, "no node but the first");
    let error = game_tree(&machine_of(&wide(18)), &limits).unwrap_err();
    assert!(matches!(error, TreeError::Stopped), "{error}");
    assert!(most.into_inner() < 1 << 17, "nodes of a step are made while the stop is looked at");
    let whole = game_tree(&machine_of(&wide(15)), &TreeLimits::default()).unwrap();
    assert_eq!(whole.len(), (1 << 16) - 1);
}

#[test]
fn a_tree_that_just_fits_is_built() {
    let walks = machine_of(&walks(8, 25, 15, 2));
    let dice = imperfect("liars_dice_1x6");
    for machine in [built_in("perfect/tictactoe.kif"), walks, dice, machine_of(&comb(18))] {
        let nodes = nodes(&machine) as usize;
        assert!(nodes > 200_000);
        let build = |nodes| game_tree(&machine, &TreeLimits { nodes, ..TreeLimits::default() });
        assert_eq!(build(nodes).unwrap().len(), nodes);
        assert!(matches!(build(nodes - 1), Err(TreeError::TooLarge { .. })));
    }
}

/// Faults by kind and role: how many histories have it, and the lines of play to them.
type Faults = BTreeMap<(String, String), Vec<String>>;

/// Walks all histories by the reference.
fn walk(machine: &Interpreter, state: &State, line: &str, faults: &mut Faults) {
    let mut scratch = machine.scratch();
    let is_over = machine.terminal(state, &mut scratch);
    let legal = machine.legal_by_role(state, &mut scratch);
    let mut note = |fault: TreeFaultKind, role| {
        let key = (format!("{fault:?}"), machine.roles()[role].clone());
        faults.entry(key).or_default().push(line.trim_start().to_owned());
    };
    for role in machine.each_role().filter(|&role| Some(role) != machine.random()) {
        match machine.goal_values(state, role, &mut scratch).len() {
            _ if !is_over && legal[role].is_empty() => note(TreeFaultKind::NoLegalMove, role),
            0 if is_over => note(TreeFaultKind::MissingGoal, role),
            2.. if is_over => note(TreeFaultKind::SeveralGoals, role),
            _ => {}
        }
    }
    if is_over || legal.values().iter().any(Vec::is_empty) {
        return;
    }
    for joint in JointMoves::new(&legal) {
        let moves: Vec<String> = machine.each_role().map(|role| machine.show_move(joint.of(role))).collect();
        let next = machine.next(state, &joint, &mut scratch);
        walk(machine, &next, &format!("{line} ({})", moves.join(" ")), faults);
    }
}

#[test]
fn a_tree_counts_the_faults_of_the_rules_and_shows_a_line_of_play_to_each() {
    // A third suit: with a pair of Bob's, two ranks hold for the table.
    let leduc = std::fs::read_to_string(crate::common::games("imperfect/leduc_poker.kif")).unwrap();
    let leduc = leduc + "(rank jack_of_clubs jack) (rank queen_of_clubs queen) (rank king_of_clubs king)";
    let coins = "(role a) (role b) (role random) (init s) (side heads) (side tails)
        (<= (legal a ?s) (side ?s) (true s)) (<= (legal random ?s) (side ?s)) (<= (legal b wait) (not (true (a tails))))
        (<= (legal a wait) (not (true s))) (<= (next (a ?s)) (does a ?s)) (<= (next (r ?s)) (does random ?s))
        (<= (next t) (true s)) (<= (next (a ?s)) (true (a ?s))) (<= terminal (true (a heads)) (true (r tails)))
        (<= terminal (not (true s)) (not (true t))) (<= (goal a 100) (true (a ?s)) (true (r ?s)))
        (<= (goal a 70) (true (r heads))) (<= (goal a 70) (true (a heads)) (true (r heads))) (goal b 50)";
    for (rules, faults) in [(leduc.as_str(), 2), (coins, 3), (&liars_dice(2, 3), 0)] {
        let game = load(Source::new("test", rules), None).game.unwrap();
        let engines = Engines::new(&game);
        let mut expected = Faults::new();
        let reference = engines.interpreter().unwrap();
        walk(&reference, &reference.initial(), "", &mut expected);
        assert_eq!(expected.len(), faults, "{:?}", expected.keys());
        for kind in [EngineKind::Interpreter, EngineKind::Propagator, EngineKind::Lanes] {
            let tree = game_tree(&engines.get(kind).unwrap(), &TreeLimits::default()).unwrap();
            assert_eq!(tree.faults().len(), expected.len(), "{kind}: {:?}", tree.faults());
            for TreeFault { kind: fault, role, histories, line } in tree.faults() {
                let lines = &expected[&(format!("{fault:?}"), role.clone())];
                assert_eq!(*histories, lines.len() as u64, "{kind}, {fault:?}");
                assert!(lines.contains(&line.join(" ")), "{kind}, {fault:?}: {line:?}");
            }
        }
    }
}
