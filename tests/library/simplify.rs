//! The simplifier changes no game: each pass alone and all together decide every query and every step as before, over
//! the reachable states of random play, on random networks and on real games.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common;
use crate::common::{games_of_the_house, loaded, rulesheets_in};
use crate::naive::grouped;
use hyperplay::gdl::{Source, Symbols, TermId, TermStore, load};
use hyperplay::machine::{ByRole, Goal, Move, Percept, Seed};
use hyperplay::propnet::simplify::{self, Groups, RandomPlay};
use hyperplay::propnet::{Fluent, GroundingLimits, Network, Propnet, RoleNet, Wire, ground, value_of};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A pass, for a game on its own.
type Pass = fn(&Propnet, &TermStore) -> Propnet;

const PASSES: [(&str, Pass); 9] = [
    ("constants", simplify::constants),
    ("equivalent", simplify::equivalent),
    ("flatten", |net, _| simplify::flatten(net)),
    ("factor", |net, _| simplify::factor(net)),
    ("choice", |net, _| simplify::choice(net, &Groups::moves(net))),
    ("context", |net, _| simplify::context(net, &Groups::moves(net))),
    ("one of", |net, store| {
        let groups = simplify::one_of(net, store);
        simplify::context(&simplify::choice(net, &groups), &groups)
    }),
    ("share", |net, _| simplify::share(net)),
    ("simplify", |net, store| simplify::simplify(net.clone(), store).0),
];

/// How two games differ in the states of 64 random games of the first, if they do.
fn difference(old: &Propnet, new: &Propnet, steps: usize, seed: &Seed) -> Option<String> {
    let bit_of: HashMap<TermId, usize> = old.fluents.iter().map(|fluent| (fluent.term, fluent.bit)).collect();
    let new_bit: HashMap<TermId, usize> =
        new.fluents.iter().map(|fluent| (fluent.term, fluent.bit)).collect();
    let new_input: HashMap<(usize, Move), usize> = new
        .does()
        .iter()
        .flat_map(|(role, range)| {
            range.clone().zip(&new.roles[role].moves).map(move |(input, &own)| ((role.index(), own), input))
        })
        .collect();
    for term in &old.fixed {
        if !new.fixed.contains(term) {
            return Some(format!("{term:?} is no longer fixed"));
        }
    }
    let mut play = RandomPlay::new(old, seed);
    for step in 0..steps {
        let states = play.states().to_vec();
        let (inputs, going) = play.draw();
        let before = old.network.evaluate(inputs);
        let mut translated = vec![None; new.network.inputs()];
        for fluent in &old.fluents {
            let value = states[fluent.bit];
            match new_bit.get(&fluent.term) {
                Some(&bit) if translated[bit].is_some_and(|other| other != value) => {
                    return Some(format!("step {step}: fluents of bit {bit} are not equal"));
                }
                Some(&bit) => translated[bit] = Some(value),
                None => {
                    let always = if new.fixed.contains(&fluent.term) { !0 } else { 0 };
                    if value != always {
                        return Some(format!("step {step}: {fluent:?} is not constant"));
                    }
                }
            }
        }
        for (role, range) in old.does().iter() {
            for ((input, own), &legal) in
                range.clone().zip(&old.roles[role].moves).zip(&old.roles[role].legal)
            {
                let old_legal = value_of(&before, legal);
                match new_input.get(&(role.index(), *own)) {
                    Some(&to) => translated[to] = Some(inputs[input]),
                    None if old_legal != 0 => return Some(format!("step {step}: a legal move is missing")),
                    None => {}
                }
            }
        }
        let translated: Option<Vec<u64>> = translated.into_iter().collect();
        let Some(translated) = translated else { return Some("a bit has no fluent".to_owned()) };
        let after = new.network.evaluate(&translated);
        let differ =
            |a: Wire, b: Wire, where_: u64| (value_of(&before, a) ^ value_of(&after, b)) & where_ != 0;
        if differ(old.terminal, new.terminal, !0) {
            return Some(format!("step {step}: terminal"));
        }
        for fluent in &new.fluents {
            if differ(old.next[bit_of[&fluent.term]], new.next[fluent.bit], going) {
                return Some(format!("step {step}: next of {fluent:?}"));
            }
        }
        for (role, of_role) in new.roles.iter() {
            let old_role = &old.roles[role];
            for (own, &legal) in of_role.moves.iter().zip(&of_role.legal) {
                let index = old_role.moves.iter().position(|other| other == own).unwrap();
                if differ(old_role.legal[index], legal, !0) {
                    return Some(format!("step {step}: legal {own:?}"));
                }
            }
            for ((a, old_wire), (b, wire)) in old_role.percepts.iter().zip(&of_role.percepts) {
                if a != b || differ(*old_wire, *wire, going) {
                    return Some(format!("step {step}: percept {a:?}"));
                }
            }
            let value = |goals: &[(Goal, Wire)], values: &[u64], game: usize| {
                goals.iter().find(|(_, wire)| value_of(values, *wire) >> game & 1 == 1).map(|(goal, _)| *goal)
            };
            for game in 0..64 {
                if value(&old_role.goals, &before, game) != value(&of_role.goals, &after, game) {
                    return Some(format!("step {step}: goal of {role:?}"));
                }
            }
        }
        play.step();
    }
    fault(new)
}

/// The invariants of every network besides correctness.
fn fault(net: &Propnet) -> Option<String> {
    let mut reads_move = vec![false; net.network.gates().len()];
    for number in 0..net.network.inputs() {
        reads_move[net.network.input(number).gate()] = number >= net.bits();
    }
    for (number, gate) in net.network.gates().iter().enumerate() {
        if let hyperplay::propnet::Gate::And(wires) = gate {
            reads_move[number] = wires.iter().any(|wire| reads_move[wire.gate()]);
        }
    }
    let of_state = net.roles.values().iter().flat_map(|role| {
        role.legal.iter().copied().chain(role.goals.iter().map(|&(_, wire)| wire)).collect::<Vec<_>>()
    });
    let wrong = of_state.chain([net.terminal]).any(|wire| reads_move[wire.gate()]);
    wrong.then(|| "what a state decides reads a move".to_owned())
}

/// Terms to name fluents, moves and percepts by, in natural order.
struct Names {
    store: TermStore,
    terms: Vec<TermId>,
    /// `(at t000)`, `(at t001)`, ...: fluents that may be one of n.
    places: Vec<TermId>,
}

impl Names {
    fn new() -> Names {
        let mut symbols = Symbols::new();
        symbols.intern("at");
        let names: Vec<_> = (0..300).map(|number| symbols.intern(&format!("t{number:03}"))).collect();
        let store = TermStore::new(symbols);
        // Interned backwards: the order of ids must not matter.
        let mut terms: Vec<TermId> = names.iter().rev().map(|&name| store.intern(name, &[])).collect();
        terms.reverse();
        let at = store.symbols().get("at").unwrap();
        let places = terms.iter().map(|&term| store.intern(at, &[term])).collect();
        Names { store, terms, places }
    }
}

/// A random wire of a pool, negated or not.
fn any(pool: &[Wire], rng: &mut ChaCha8Rng) -> Wire {
    pool[rng.random_range(0..pool.len())].negate_if(rng.random_range(0..2) == 0)
}

/// Adds random gates over a pool to the pool.
fn grow(network: &mut Network, pool: &mut Vec<Wire>, gates: usize, rng: &mut ChaCha8Rng) {
    for _ in 0..gates {
        let wires: Vec<Wire> = (0..rng.random_range(2..5)).map(|_| any(pool, rng)).collect();
        pool.push(network.and(&wires));
        if rng.random_range(0..3) == 0 {
            // A sum of products with a letter in common.
            let letter = any(pool, rng);
            let products: Vec<Wire> = (0..rng.random_range(2..6))
                .map(|_| {
                    let mut product = vec![letter, any(pool, rng), any(pool, rng)];
                    product.truncate(rng.random_range(1..4));
                    network.and(&product)
                })
                .collect();
            pool.push(network.or(&products));
        }
    }
}

/// A random game: some bits are random functions, some are copies or complements of others, some never change, some
/// pass a token round; moves appear in sums like those of frame axioms.
fn random_game(names: &Names, rng: &mut ChaCha8Rng) -> Propnet {
    let (free, ring, copies, still) =
        (rng.random_range(2..6), rng.random_range(2..6), rng.random_range(0..4), rng.random_range(0..3));
    let bits = free + ring + copies + still;
    let counts: Vec<usize> = (0..rng.random_range(1..4)).map(|_| rng.random_range(1..8)).collect();
    let mut network = Network::new(bits + counts.iter().sum::<usize>());
    let mut pool: Vec<Wire> = (0..bits).map(|bit| network.input(bit)).collect();
    grow(&mut network, &mut pool, 12, rng);
    let terminal_wires: Vec<Wire> = (0..4).map(|_| any(&pool, rng)).collect();
    let terminal = network.and(&terminal_wires);
    let mut term = bits;
    let mut next_term = || {
        term += 1;
        names.terms[term - 1]
    };
    let mut first = bits;
    let mut roles = Vec::new();
    let mut step_pool = pool.clone();
    for &count in &counts {
        let mut legal: Vec<Wire> = (1..count).map(|_| any(&pool, rng)).collect();
        if count > 2 && rng.random_range(0..3) == 0 {
            legal[0] = Wire::FALSE;
        }
        let none = legal.iter().map(|&wire| !wire).collect::<Vec<_>>();
        legal.push(network.and(&none));
        let goals = (0..3).map(|index| (Goal::clamped(40 * index), any(&pool, rng))).collect();
        let moves = (0..count).map(|_| Move(next_term())).collect();
        roles.push(RoleNet { moves, legal, goals, percepts: Vec::new() });
        let does: Vec<Wire> = (first..first + count).map(|input| network.input(input)).collect();
        step_pool.extend_from_slice(&does);
        for _ in 0..3 {
            let letter = any(&pool, rng);
            let some = does.iter().filter(|_| rng.random_range(0..4) > 0);
            let products: Vec<Vec<Wire>> = some.map(|&own| vec![own, letter]).collect();
            let products: Vec<Wire> = products.iter().map(|product| network.and(product)).collect();
            step_pool.push(network.or(&products));
        }
        // Complements of most moves beside such sums and complements of others: where a sum collapses, the wires are out of order.
        for _ in 0..4 {
            let some = |rng: &mut ChaCha8Rng| -> Vec<Wire> {
                does.iter().filter(|_| rng.random_range(0..3) > 0).map(|&own| !own).collect()
            };
            let (sum, mut beside) = (some(rng), some(rng));
            beside.push(network.and(&sum));
            step_pool.push(network.and(&beside));
        }
        first += count;
    }
    grow(&mut network, &mut step_pool, 15, rng);
    for role in &mut roles {
        role.percepts = (0..2).map(|_| (Percept(next_term()), any(&step_pool, rng))).collect();
    }
    let mut next: Vec<Wire> = (0..free).map(|_| any(&step_pool, rng)).collect();
    let mut initial: Vec<bool> = (0..free).map(|_| rng.random_range(0..2) == 0).collect();
    let turn = any(&step_pool, rng);
    for place in 0..ring {
        let (here, before) = (network.input(free + place), network.input(free + (place + ring - 1) % ring));
        let (stays, comes) = (network.and(&[here, !turn]), network.and(&[before, turn]));
        next.push(network.or(&[stays, comes]));
        initial.push(place == 0);
    }
    for _ in 0..copies {
        let (of, negate) = (rng.random_range(0..next.len()), rng.random_range(0..2) == 0);
        next.push(next[of].negate_if(negate));
        initial.push(initial[of] != negate);
    }
    for _ in 0..still {
        let on = rng.random_range(0..2) == 0;
        let bit = network.input(next.len());
        let other = any(&step_pool, rng);
        next.push(if on { network.or(&[bit, other]) } else { network.and(&[bit, other]) });
        initial.push(on);
    }
    let in_ring = |bit: usize| (free..free + ring).contains(&bit);
    let term = |bit: usize| if in_ring(bit) { names.places[bit] } else { names.terms[bit] };
    let fluents = (0..bits).map(|bit| Fluent { term: term(bit), bit }).collect();
    Propnet { network, fluents, fixed: Vec::new(), initial, next, terminal, roles: ByRole::new(roles) }
}

#[test]
fn no_pass_changes_a_random_game() {
    let names = Names::new();
    let mut smaller = HashMap::new();
    for case in 0..150 {
        let seed = Seed::root(case).child("simplify");
        let game = random_game(&names, &mut seed.rng());
        for (name, pass) in PASSES {
            let simplified = pass(&game, &names.store);
            let found = difference(&game, &simplified, 20, &seed);
            assert!(found.is_none(), "case {case}, pass {name}: {}", found.unwrap_or_default());
            *smaller.entry(name).or_insert(0) +=
                usize::from(simplified.stats().all.two_inputs < game.stats().all.two_inputs);
            let terms: Vec<TermId> = simplified.fixed.clone();
            assert!(
                terms.is_sorted_by(|&a, &b| names.store.compare(a, b).is_lt()),
                "case {case}, pass {name}"
            );
        }
    }
    // Flattening changes no cost; every other pass finds something to do.
    for (name, _) in PASSES.iter().filter(|(name, _)| *name != "flatten") {
        assert!(smaller.get(name).is_some_and(|&count| count > 8), "{name} did nothing: {smaller:?}");
    }
}

/// A game without choice whose bits count steps in binary, with two more bits: one that comes on, for good, when the
/// counter is full, and one that never does.
fn late_game(names: &Names, digits: usize) -> Propnet {
    let mut network = Network::new(digits + 3);
    let bits: Vec<Wire> = (0..digits + 2).map(|bit| network.input(bit)).collect();
    let mut next = Vec::new();
    for digit in 0..digits {
        let carry = network.and(&bits[..digit]);
        let (stays, comes) = (network.and(&[bits[digit], !carry]), network.and(&[!bits[digit], carry]));
        next.push(network.or(&[stays, comes]));
    }
    let full = network.and(&bits[..digits]);
    next.push(network.or(&[bits[digits], full]));
    next.push(bits[digits + 1]);
    let role = RoleNet {
        moves: vec![Move(names.terms[200])],
        legal: vec![Wire::TRUE],
        goals: vec![(Goal::MAX, bits[digits])],
        percepts: Vec::new(),
    };
    Propnet {
        network,
        fluents: (0..digits + 2).map(|bit| Fluent { term: names.places[bit], bit }).collect(),
        fixed: Vec::new(),
        initial: vec![false; digits + 2],
        next,
        terminal: Wire::FALSE,
        roles: ByRole::new(vec![role]),
    }
}

/// Random play of hundreds of steps sees the late bit as constant, and the digits that have not come on yet as one of
/// n; the proofs must not believe it.
#[test]
fn what_only_random_play_says_is_not_believed() {
    let names = Names::new();
    let game = late_game(&names, 11);
    for (name, pass) in PASSES {
        let simplified = pass(&game, &names.store);
        let found = difference(&game, &simplified, 2100, &Seed::root(0));
        assert!(found.is_none(), "pass {name}: {}", found.unwrap_or_default());
    }
    assert_eq!(
        simplify::equivalent(&game, &names.store).bits(),
        12,
        "the bit that never comes on is dropped"
    );
    // A ring of three is one of three although nothing but the proof says so; two tokens in it are not.
    for (tokens, groups) in [(1, 1), (2, 0)] {
        let mut ring = late_game(&names, 1);
        let bits: Vec<Wire> = (0..3).map(|bit| ring.network.input(bit)).collect();
        ring.next = vec![bits[2], bits[0], bits[1]];
        ring.initial = vec![true, tokens == 2, false];
        let found = simplify::one_of(&ring, &names.store);
        assert_eq!(found.all().len(), 1 + groups, "{tokens} tokens");
        assert!(found.all().iter().all(|group| group.exact));
    }
}

/// A real game's network.
fn ground_game(path: &Path, limits: &GroundingLimits) -> Option<(Propnet, Arc<TermStore>)> {
    let game = loaded(path).game?;
    let (net, _) = ground(&game, limits).ok()?;
    Some((net, Arc::clone(game.terms())))
}

/// Asserts that no pass of some changes any of the games that grow no larger than `limits` allow; how many were compared.
fn unchanged(paths: &[PathBuf], passes: &[(&str, Pass)], steps: usize, limits: &GroundingLimits) -> usize {
    let mut compared = 0;
    for path in paths {
        let Some((game, store)) = ground_game(path, limits) else { continue };
        compared += 1;
        for (name, pass) in passes {
            let simplified = pass(&game, &store);
            let found = difference(&game, &simplified, steps, &Seed::root(1));
            assert!(found.is_none(), "{}, pass {name}: {}", path.display(), found.unwrap_or_default());
        }
    }
    compared
}

#[test]
fn no_pass_changes_a_game_of_the_house() {
    let limits = GroundingLimits { gates: 20_000, ..GroundingLimits::default() };
    assert!(unchanged(&games_of_the_house(), &PASSES, 12, &limits) > 35);
}

/// Ground games, because a rule with a variable for a move is a sum over all moves of a role.
#[test]
fn no_pass_changes_a_generated_game() {
    let games = (0..100).filter(|&number| {
        let text = grouped::rulesheet(Seed::root(5).child("grouped").index(number).rng());
        let Some(game) = load(Source::new("generated", &*text), None).game else { return false };
        let (net, _) = ground(&game, &GroundingLimits::default()).unwrap();
        for (name, pass) in PASSES {
            let found = difference(&net, &pass(&net, game.terms()), 12, &Seed::root(1));
            assert!(found.is_none(), "pass {name}: {}, in the rulesheet\n{text}", found.unwrap_or_default());
        }
        true
    });
    assert!(games.count() > 50);
}

/// The rulesheets of the field, all passes together only, where `HYPERPLAY_RULESHEETS` names their folder.
#[test]
#[ignore = "minutes"]
fn the_simplifier_changes_no_game_of_the_field() {
    let Some(folder) = common::field() else { return };
    for part in ["gdl1", "gdl2"] {
        let compared =
            unchanged(&rulesheets_in(&folder.join(part)), &PASSES[8..], 40, &GroundingLimits::default());
        println!("{part}: {compared} games compared");
    }
}

/// The sizes after each pass on the rulesheets named in `HYPERPLAY_TABLE`, separated by blanks.
#[test]
#[ignore = "a table, not a test"]
fn table_of_passes() {
    let paths = std::env::var("HYPERPLAY_TABLE").unwrap_or_else(|_| "games/perfect/tictactoe.kif".to_owned());
    for path in paths.split_whitespace().map(Path::new) {
        let Some((net, store)) = ground_game(path, &GroundingLimits::default()) else {
            println!("{}: not ground", path.display());
            continue;
        };
        let (net, passes) = simplify::simplify(net, &store);
        println!("{}", path.display());
        let mut before = usize::MAX;
        for pass in passes {
            if pass.two_inputs != before {
                println!(
                    "  {:<12} {:>8} gates {:>8} two-input {:>6} bits {:>8.3} s",
                    pass.name, pass.gates, pass.two_inputs, pass.bits, pass.seconds
                );
            }
            before = pass.two_inputs;
        }
        let stats = net.stats();
        println!(
            "  legal {} terminal {} goals {} percepts {} next {} depth {}",
            stats.legal.two_inputs,
            stats.terminal.two_inputs,
            stats.goals.two_inputs,
            stats.percepts.two_inputs,
            stats.next.two_inputs,
            stats.all.depth
        );
    }
}
