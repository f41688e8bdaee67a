//! Interactions in SIDL behind the contract: its laws, chances with weights against figures found by hand, and the trees of two
//! interactions against those of their twins in GDL-II.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::RngExt;

use crate::common::machines::particle_belief;
use hyperplay::belief::{BeliefOptions, SamplingMethod, Uniform};
use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::for_engine::{game_tree, iterate, play_match, posterior};
use hyperplay::games::gambit::to_gambit;
use hyperplay::gdl::Source;
use hyperplay::machine::{
    Budget, Bulk, Evidence, History, JointMove, Role, Seed, Start, StateMachine, StateMachineExt, laws,
};
use hyperplay::solve::{
    GameTree, MonteCarloMinimiser, NodeKind, Profile, SamplingScheme, SequenceForm, TreeLimits,
};

use crate::common::games;
use crate::naive::chronon::{NaiveInteraction, Tree};

fn engine(text: &str) -> Arc<Engine> {
    let loaded = hyperplay::sidl::load(Source::new("test.sidl", text));
    let game = loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    Engines::new(&game).get(EngineKind::Auto).unwrap()
}

fn of_file(name: &str, horizon: Option<u32>) -> Arc<Engine> {
    let text = std::fs::read_to_string(games(&format!("sidl/{name}.sidl"))).unwrap();
    let game = hyperplay::sidl::load(Source::new(format!("{name}.sidl"), text)).game.unwrap();
    Engines::new(&game.with_horizon(horizon)).get(EngineKind::Auto).unwrap()
}

#[test]
fn the_laws_of_the_machine_hold_for_every_interaction() {
    let mut count = 0;
    for file in std::fs::read_dir(games("sidl")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sidl") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for horizon in [None, Some(12)] {
            let engine = of_file(&name, horizon);
            let machine = engine.interaction().unwrap();
            for number in 0..20 {
                let mut rng = Seed::root(7).index(number).rng();
                let history = laws::check_random_match(&**machine, 60, &mut rng).unwrap();
                assert!(horizon.is_none_or(|horizon| history.step() <= horizon as usize), "{name}");
            }
        }
        count += 1;
    }
    assert!(count >= 12, "{count} interactions");
}

/// Plays random matches on the machine and on the naive interpreter side by side; the steps compared.
fn compared(name: &str, matches: usize, limit: usize) -> usize {
    let engine = of_file(name, None);
    let machine = engine.interaction().unwrap();
    let program = hyperplay::sidl::Interaction::of(machine.game());
    let naive = NaiveInteraction { program: &program, symbols: machine.terms().symbols() };
    let read = |term: hyperplay::gdl::TermId| Tree::read(&machine.terms().show(term));
    let (mut scratch, mut steps) = (machine.scratch(), 0);
    let agents = program.agents.len();
    for number in 0..matches {
        let mut rng = Seed::root(9).index(number).rng();
        let mut state = machine.initial();
        let mut facts: Vec<Tree> = machine.fluents(&state).iter().map(|fluent| Tree::read(fluent)).collect();
        facts.sort();
        while !machine.terminal(&state, &mut scratch) && steps < limit * (number + 1) {
            assert!(!naive.is_over(&facts), "{name}: {facts:?}");
            let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
            let moves: Vec<Tree> = joint[..agents].iter().map(|own| read(own.0)).collect();
            let random = machine.random().map(|random| read(joint.of(random).0));
            let after = naive.step(&facts, &moves, random.as_ref());
            for agent in 0..agents {
                let percepts = machine.percepts(&state, &joint, Role::new(agent), &mut scratch);
                let mut percepts: Vec<Tree> = percepts.iter().map(|percept| read(percept.0)).collect();
                percepts.sort();
                let (before, now) = (naive.visible(agent, &facts), naive.visible(agent, &after));
                let told = |word: &str, fact: &Tree| Tree(word.to_owned(), vec![fact.clone()]);
                let appears =
                    now.iter().filter(|fact| !before.contains(fact)).map(|fact| told("appears", fact));
                let vanishes =
                    before.iter().filter(|fact| !now.contains(fact)).map(|fact| told("vanishes", fact));
                let mut expected: Vec<Tree> = appears.chain(vanishes).collect();
                expected.sort();
                assert_eq!(percepts, expected, "{name}: agent {agent} after {joint:?}");
            }
            state = machine.next(&state, &joint, &mut scratch);
            let mut found: Vec<Tree> =
                machine.fluents(&state).iter().map(|fluent| Tree::read(fluent)).collect();
            found.sort();
            assert_eq!(found, after, "{name}: {moves:?} {random:?}");
            (facts, steps) = (after, steps + 1);
        }
        if machine.terminal(&state, &mut scratch) {
            assert!(naive.is_over(&facts), "{name}: {facts:?}");
        }
    }
    steps
}

#[test]
fn the_machine_agrees_with_the_definitions_read_literally() {
    let mut steps = 0;
    for name in [
        "paper_nature",
        "paper_pico_turn",
        "kuhn_poker",
        "monty_hall",
        "pico_turn",
        "pico_2",
        "delay",
        "timeout",
        "race",
        "dutch_auction",
        "english_auction",
        "duel",
    ] {
        steps += compared(name, 25, 30);
    }
    assert!(steps > 1000, "{steps} steps");
    println!("{steps} steps");
}

/// A coin that falls on heads in one of four cases; Alice hears of it, wrongly in one of three cases, and names a side.
const COIN: &str = "
    fact(begin, 0). fact(coin, 1). fact(heard, 1). fact(over, 0). fact(side, 1).
    init(begin). init(side(heads)). init(side(tails)). init(account(alice, 0)). balances(0, 1).
    hidden(coin(_), [alice]).
    chance(toss, [1/4, 3/4]). branching([toss(heads), toss(tails)], toss).
    operation(toss(X)) :- begin, ax(begin), next(coin(X)).
    chance(noise, [2/3, 1/3]). branching([right, wrong], noise).
    operation(right) :- coin(X), not(heard(_)), next(heard(X)).
    operation(wrong) :- coin(X), not(heard(_)), side(Y), X \\= Y, next(heard(Y)).
    switch(name, alice, [heads, tails]). init(does(name, heads)). momentary(name).
    branching([name(heads), name(tails)], name).
    operation(name(X)) :- heard(_), coin(X), next(over), goal(alice, 1).
    operation(name(X)) :- heard(_), next(over).
    terminal :- over.";

fn alice() -> Role {
    Role::new(0)
}

/// What Alice knows when she has heard this side, and a history in which she does.
fn after_hearing(engine: &Engine, side: &str) -> Evidence {
    let heard = format!("(appears (heard {side}))");
    (0..)
        .find_map(|number| {
            let mut rng = Seed::root(3).index(number).rng();
            let (mut scratch, mut state) = (engine.scratch(), engine.initial());
            let mut history = History::default();
            for _ in 0..2 {
                let joint = engine.random_joint(&state, &mut scratch, &mut rng).unwrap();
                state = engine.next(&state, &joint, &mut scratch);
                history.0.push(joint);
            }
            let evidence = engine.evidence(&history, alice(), &mut scratch);
            let percepts = evidence.steps[1].percepts.iter().map(|percept| engine.terms().show(percept.0));
            percepts.into_iter().any(|percept| percept == heard).then_some(evidence)
        })
        .unwrap()
}

/// The probability that the coin shows heads under these weighted states.
fn heads(engine: &Engine, weighted: impl Iterator<Item = (Vec<String>, f64)>) -> f64 {
    let _ = engine;
    weighted
        .filter(|(fluents, _)| fluents.contains(&"(coin heads)".to_owned()))
        .map(|(_, weight)| weight)
        .sum()
}

#[test]
fn beliefs_weigh_chances_as_found_by_hand() {
    let engine = engine(COIN);
    // P(heads | heard heads) = 1/4 2/3 / (1/4 2/3 + 3/4 1/3) = 2/5; P(heads | heard tails) = 1/4 1/3 / (1/4 1/3 + 3/4 2/3) = 1/7.
    for (side, by_hand) in [("heads", 2.0 / 5.0), ("tails", 1.0 / 7.0)] {
        let evidence = after_hearing(&engine, side);
        let posterior = posterior(&engine, &evidence, &Uniform, 1_000_000).unwrap();
        let mut scratch = engine.scratch();
        let weighted = posterior
            .histories
            .iter()
            .map(|(history, weight)| (engine.fluents(&engine.replay(history, &mut scratch)), *weight));
        let exactly = heads(&engine, weighted);
        assert!((exactly - by_hand).abs() < 1e-12, "{side}: {exactly} by the oracle, {by_hand} by hand");
        for method in [
            None,
            Some(SamplingMethod::Rejection),
            Some(SamplingMethod::ParticleFilter),
            Some(SamplingMethod::Auto),
        ] {
            let replicates = if method.is_some() { 400 } else { 1 };
            let mut sum = 0.0;
            for number in 0..replicates {
                let mut options = BeliefOptions { particles: 32, ..BeliefOptions::default() };
                if let Some(method) = method {
                    options.method = method;
                    options.enumerate = false;
                }
                let mut belief = particle_belief(&engine, alice(), Arc::new(Uniform), options);
                belief.update(&evidence, &Budget::UNLIMITED, &Seed::root(11).index(number));
                let particles = belief.particles().to_vec();
                assert!(!particles.is_empty(), "{method:?}");
                let weighted = particles
                    .iter()
                    .map(|particle| (engine.fluents(belief.state(particle)), particle.weight));
                sum += heads(&engine, weighted);
            }
            let mean = sum / replicates as f64;
            // 400 replicates of at least some dozen draws: three standard errors are less than 0.03.
            let allowed = if method.is_some() { 0.03 } else { 1e-12 };
            assert!((mean - by_hand).abs() < allowed, "{side}, {method:?}: {mean}, by hand {by_hand}");
        }
    }
}

#[test]
fn trees_playouts_and_solvers_weigh_chances_as_found_by_hand() {
    let engine = engine(COIN);
    let tree = game_tree(&engine, &TreeLimits::default()).unwrap();
    let form = SequenceForm::new(&tree, 1.0);
    // Whoever names a side by chance is right in half of the cases.
    let uniform = form.judge(&Profile::uniform(&tree));
    assert!(uniform.values[alice()].abs() < 1e-12, "{uniform:?}");
    // The best is tails always: right in 3/4 of the cases, whatever was heard (2/5 and 1/7 are less than a half).
    assert!((uniform.best_responses[alice()] - 25.0).abs() < 1e-9, "{uniform:?}");
    let mut minimiser = MonteCarloMinimiser::new(&*engine, SamplingScheme::External);
    iterate(&mut minimiser, &engine, 20_000, &Seed::root(1)).unwrap();
    let sampled = form.judge(&minimiser.to_profile(&tree));
    assert!(sampled.nash_conv < 0.5, "{sampled:?}");
    // Playouts that name tails.
    let mut scratch = engine.scratch();
    let tails: Vec<_> =
        tree.moves(0).iter().copied().filter(|&own| engine.show_move(own).contains("tails")).collect();
    let start = after_two_steps(&engine);
    let count = 4000;
    let each: Vec<Start<_>> = (0..count)
        .map(|number| {
            let mut rng = Seed::root(5).index(number).rng();
            Start { state: start(&mut rng), first: vec![(alice(), tails[0])], weights: None, count: 1 }
        })
        .collect();
    let tallies = engine.playouts(&each, &Seed::root(2), &Budget::UNLIMITED, &mut scratch);
    let mean = tallies.iter().map(|tally| tally.mean(alice())).sum::<f64>() / count as f64;
    assert!((mean - 75.0).abs() < 3.0, "{mean}");
    let text = String::from_utf8({
        let game = to_gambit(&tree, "coin", hyperplay::games::gambit::Fraction::from_integer(1), &|own| {
            engine.show_move(own)
        });
        let mut text = Vec::new();
        game.unwrap().file.write(&mut text).unwrap();
        text
    })
    .unwrap();
    assert!(text.contains("1/4") && text.contains("3/4") && text.contains("2/3"), "{text}");
}

/// Alice takes 3, or gambles for 10, which she gets in one of ten cases; who thought that it were one of two would gamble.
const GAMBLE: &str = "
    fact(begin, 0). fact(gambled, 0). fact(over, 0). init(begin). init(account(alice, 0)). balances(0, 10).
    switch(choice, alice, [gamble, take]). init(does(choice, take)). momentary(choice).
    branching([gamble, take], choice).
    operation(gamble) :- begin, ax(begin), next(gambled).
    operation(take) :- begin, ax(begin), next(over), goal(alice, 3).
    chance(luck, [1/10, 9/10]). branching([lucky, unlucky], luck).
    operation(lucky) :- gambled, next(over), goal(alice, 10).
    operation(unlucky) :- gambled, next(over).
    terminal :- over.";

#[test]
fn every_search_weighs_the_chance_that_follows_a_move() {
    let engine = engine(GAMBLE);
    let registry = hyperplay::player::Registry::standard();
    for spec in [
        "hyperplay:search=flat,playouts=400",
        "hyperplay:search=uct,playouts=400",
        "hyperplay:search=exact",
        "ismcts",
        "equilibrium",
    ] {
        let settings = hyperplay::referee::Settings::default();
        let player = registry.player(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let mut seats = hyperplay::machine::ByRole::from_fn(2, |_| None);
        seats[alice()] = Some(player.seat(&engine, alice()));
        let (seed, interrupt) = (Seed::root(1), hyperplay::referee::Interrupt::default());
        let played = play_match(&engine, seats, &settings, &seed, &interrupt, &mut |_| ()).unwrap();
        // The balance of 3 is the goal 30.
        let hyperplay::referee::MatchOutcome::Over(goals) = &played.outcome else {
            panic!("{:?}", played.outcome)
        };
        assert_eq!(goals[alice()].value(), 30, "{spec}");
    }
}

#[test]
fn the_referee_draws_chances_by_their_weights() {
    let engine = engine(COIN);
    let mut heads = 0;
    for number in 0..2000 {
        let registry = hyperplay::player::Registry::standard();
        let mut seats = hyperplay::machine::ByRole::from_fn(2, |_| None);
        seats[alice()] = Some(registry.player("legal").unwrap().seat(&engine, alice()));
        let (settings, interrupt) =
            (hyperplay::referee::Settings::default(), hyperplay::referee::Interrupt::default());
        let seed = Seed::root(1).index(number);
        let played = play_match(&engine, seats, &settings, &seed, &interrupt, &mut |_| ()).unwrap();
        let random = engine.random().unwrap();
        heads += usize::from(engine.show_move(played.steps[0].joint.of(random)).contains("heads"));
    }
    // 500 are expected; four standard deviations are 77.
    assert!((423..577).contains(&heads), "{heads} of 2000");
}

/// A state after the toss and the noise, by the weights.
fn after_two_steps(
    engine: &Engine,
) -> impl Fn(&mut rand_chacha::ChaCha8Rng) -> hyperplay::machine::State + '_ {
    |rng| {
        let mut scratch = engine.scratch();
        let mut state = engine.initial();
        for _ in 0..2 {
            let joint = engine.random_joint(&state, &mut scratch, rng).unwrap();
            state = engine.next(&state, &joint, &mut scratch);
        }
        state
    }
}

/// A node of a tree in a form that does not depend on names: what follows it, with the moves in an order given by `label`.
fn shape(
    tree: &GameTree,
    node: usize,
    engine: &Engine,
    label: &dyn Fn(&str) -> String,
    sets: &mut BTreeMap<usize, usize>,
) -> String {
    let ordered = |moves: &[hyperplay::machine::Move]| {
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&place| label(&engine.show_move(moves[place])));
        order
    };
    let below = |order: Vec<usize>, sets: &mut BTreeMap<usize, usize>| {
        let children = tree.children(node);
        let shapes: Vec<String> =
            order.into_iter().map(|place| shape(tree, children.start + place, engine, label, sets)).collect();
        shapes.join(" ")
    };
    match tree.kind(node) {
        NodeKind::Terminal { goals } => {
            format!("{:?}", goals.iter().map(|goal| goal.value()).collect::<Vec<_>>())
        }
        NodeKind::Chance { moves, distribution } => {
            let order = ordered(moves);
            let weights: Vec<f64> =
                order.iter().map(|&place| distribution.probability(place, moves.len())).collect();
            format!("chance {weights:?} ({})", below(order, sets))
        }
        NodeKind::Decision { set } => {
            let fresh = sets.len();
            let number = *sets.entry(set).or_insert(fresh);
            let role = &tree.roles()[tree.sets()[set].role];
            format!("{role} at {number} ({})", below(ordered(tree.moves(set)), sets))
        }
    }
}

/// Which move of an interaction is which of its twin in GDL-II, by the words in them.
fn labelled(own: &str, words: &[(&str, &str)]) -> String {
    words.iter().find(|(word, _)| own.contains(word)).map_or(own.to_owned(), |(_, label)| (*label).to_owned())
}

fn kuhn(own: &str) -> String {
    let cards = [("jack", "1"), ("queen", "2"), ("king", "3"), ("lower", "1"), ("higher", "2")];
    let bids = [("bet", "b"), ("call", "b"), ("check", "a"), ("fold", "a"), ("nothing", "a")];
    labelled(own, &[&cards[..], &bids[..]].concat())
}

/// The switch of the decision is called `decision` and its setting `switch`; to stay is to do nothing.
fn doors(own: &str) -> String {
    let doors = [("switch", "b"), ("left", "1"), ("right", "2"), ("1", "1"), ("2", "2"), ("3", "3")];
    labelled(own, &[&doors[..], &[("nothing", "1"), ("stay", "a")]].concat())
}

/// The name that a move has in both twins.
type Label = fn(&str) -> String;

/// The interactions with twins.
const TWINS: [(&str, Label); 2] = [("kuhn_poker", kuhn), ("monty_hall", doors)];

#[test]
fn the_same_choices_make_the_same_matches_as_of_their_twins() {
    for (name, label) in TWINS {
        let twins = [of_file(name, None), crate::common::machines::imperfect(name)];
        let mut lengths = BTreeMap::new();
        for number in 0..300 {
            let mut rng = Seed::root(13).index(number).rng();
            let mut scratches = [twins[0].scratch(), twins[1].scratch()];
            let mut states = [twins[0].initial(), twins[1].initial()];
            let mut steps = 0;
            loop {
                let over = [0, 1].map(|twin| twins[twin].terminal(&states[twin], &mut scratches[twin]));
                assert_eq!(over[0], over[1], "{name} after {steps} steps");
                if over[0] {
                    break;
                }
                // By role: as many moves on both sides, in the order of their labels, of which both make the same.
                let mut legal =
                    [0, 1].map(|twin| twins[twin].legal_by_role(&states[twin], &mut scratches[twin]));
                let mut chosen: BTreeMap<String, usize> = BTreeMap::new();
                let joints = [0, 1].map(|twin| {
                    JointMove::new(twins[twin].each_role().map(|role| {
                        let mut moves = std::mem::take(&mut legal[twin][role]);
                        moves.sort_by_key(|&own| label(&twins[twin].show_move(own)));
                        let place = chosen
                            .entry(twins[twin].roles()[role].clone())
                            .or_insert_with(|| rng.random_range(0..moves.len()));
                        moves[*place]
                    }))
                });
                for twin in [0, 1] {
                    states[twin] = twins[twin].next(&states[twin], &joints[twin], &mut scratches[twin]);
                }
                steps += 1;
            }
            let goals = [0, 1].map(|twin| {
                let players = twins[twin].each_role().filter(|&role| twins[twin].random() != Some(role));
                let goal = |role| twins[twin].goal(&states[twin], role, &mut twins[twin].scratch()).value();
                players.map(goal).collect::<Vec<u8>>()
            });
            assert_eq!(goals[0], goals[1], "{name}, match {number}");
            *lengths.entry((steps, goals[0].clone())).or_insert(0) += 1;
        }
        assert!(lengths.len() > 1, "{name}: {lengths:?}");
    }
}

#[test]
fn kuhn_poker_and_monty_hall_have_the_trees_of_their_twins() {
    for (name, label) in TWINS {
        let [ours, theirs] = [of_file(name, None), crate::common::machines::imperfect(name)].map(|engine| {
            let tree = game_tree(&engine, &TreeLimits::default()).unwrap();
            (shape(&tree, 0, &engine, &label, &mut BTreeMap::new()), tree.size())
        });
        assert_eq!(ours.1, theirs.1, "{name}");
        assert_eq!(ours.0, theirs.0, "{name}");
    }
}
