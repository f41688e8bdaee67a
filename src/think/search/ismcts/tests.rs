//! The tests of the search on toys. Those of the player on real rulesheets are in `tests/library/players.rs`.

use std::time::Duration;

use hyperplay_engine::{EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use rand::RngExt as _;
use rustc_hash::FxHashMap as HashMap;

use super::super::context::toy_context as context;
use super::super::{SearchOptions, StateSearch, WeightedState};
use super::bandits::Selected;
use super::*;
use crate::toy::{State, Toy, at, choice, end};
use hyperplay_machine::{
    Goal, History, JointMove, Observation, OwnMove, Percept, Percepts, Seed, StateMachine,
    StateMachineExt as _,
};

/// One simulation after the other.
pub(super) const ALONE: Blocks = Blocks { growth: 1, early: 1, taper: 1, most: 1, fill: 1 };
/// As many at once as there can be.
pub(super) const CROWDED: Blocks = Blocks { growth: 2, early: 2, taper: 1, most: 4096, fill: 1 };

pub(super) fn options(simulations: u64) -> IsmctsOptions {
    IsmctsOptions { simulations, ..IsmctsOptions::default() }
}

/// A search of entries of a table between which `role` cannot tell, and `other` can if `tells`.
pub(super) fn search(
    toy: &Toy,
    role: usize,
    entries: &[(u8, f64)],
    tells: bool,
    options: IsmctsOptions,
    budget: Budget,
) -> Simulations {
    let states: Vec<State> = entries.iter().map(|&(entry, _)| at(entry)).collect();
    let weighted: Vec<(&State, f64)> =
        states.iter().zip(entries).map(|(s, &(_, weight))| (s, weight)).collect();
    let known = |place: usize, other: Role| {
        let mut evidence = Evidence::new(other);
        if tells && other != Role::new(role) {
            let own = OwnMove::Known(toy.mv(place as u8));
            evidence.steps.push(Observation { own, percepts: Percepts::default() });
        }
        evidence
    };
    let legal = toy.legal_by_role(&states[0], &mut ())[Role::new(role)].clone();
    let possible = PossibleStates { states: &weighted, known: &known, held: None, model: None };
    ismcts(&mut context(toy, role, budget), &possible, &legal, &options)
}

pub(super) fn values(made: &Simulations) -> Vec<f64> {
    made.moves.iter().map(|simulated| simulated.value.unwrap()).collect()
}

pub(super) fn shares(made: &Simulations) -> Vec<f64> {
    let total: u32 = made.moves.iter().map(|simulated| simulated.counted).sum();
    made.moves.iter().map(|simulated| f64::from(simulated.counted) / f64::from(total)).collect()
}

/// In entries 0 and 1 the first role has a certain 40, and a move after which the other guesses which of the two it
/// was: 100 for the first role if the guess is wrong, else 0. Where the other knows, that is worth nothing.
pub(super) fn hidden() -> Toy {
    let (none, all, certain) = (4, 5, 6);
    let entries = vec![
        choice(&[2, 1], &[certain, 2]),
        choice(&[2, 1], &[certain, 3]),
        choice(&[1, 2], &[none, all]),
        choice(&[1, 2], &[all, none]),
        end(&[0, 100]),
        end(&[100, 0]),
        end(&[40, 60]),
    ];
    Toy::table(&["a", "b"], entries)
}

#[test]
fn a_role_acts_on_what_it_knows_and_not_on_the_state() {
    let run = |tells| search(&hidden(), 0, &[(0, 1.0), (1, 1.0)], tells, options(2_000), Budget::UNLIMITED);
    let (blind, seeing) = (run(false), run(true));
    let [certain, guessed] = values(&blind)[..] else { panic!("two moves") };
    assert!(certain == 40.0 && (guessed - 50.0).abs() < 5.0, "{blind:?}");
    assert!(shares(&blind)[1] > 0.8, "{blind:?}");
    let [certain, betrayed] = values(&seeing)[..] else { panic!("two moves") };
    assert!(certain == 40.0 && betrayed < 20.0 && shares(&seeing)[0] > 0.9, "{seeing:?}");
    // The own information set, and that of the other, once or twice; two states, and one after each that is no end.
    assert_eq!((blind.information_sets, seeing.information_sets), (2, 3));
    assert_eq!((blind.worlds, seeing.worlds), (4, 4));
}

/// With one observer the other role acts as if it knew no more than the searching role.
#[test]
fn one_observer_tells_the_choices_of_all_roles_apart() {
    let options = IsmctsOptions { observers: Observers::One, ..options(2_000) };
    let made = search(&hidden(), 0, &[(0, 1.0), (1, 1.0)], true, options, Budget::UNLIMITED);
    assert!((values(&made)[1] - 50.0).abs() < 5.0 && made.information_sets == 2, "{made:?}");
}

/// The other role was told the entry, and chooses by the model of what it was told, whoever observes.
#[test]
fn a_model_is_asked_by_what_a_role_knows_also_where_there_is_one_observer() {
    let (toy, states) = (hidden(), [at(0), at(1)]);
    let legal = toy.legal_by_role(&states[0], &mut ())[Role::new(0)].clone();
    let of_other = |place: usize| {
        let own = OwnMove::Known(toy.mv(place as u8));
        Evidence {
            steps: vec![Observation { own, percepts: Percepts::default() }],
            ..Evidence::new(Role::new(1))
        }
    };
    let known = |place, role: Role| if role.index() == 1 { of_other(place) } else { Evidence::new(role) };
    // It guesses wrong in both entries: what is wrong in one is right in the other.
    let model = |role: Role, evidence: &Evidence, _: &[Move]| {
        assert_eq!((role.index(), evidence.role.index()), (1, 1));
        if evidence.steps[0] == of_other(0).steps[0] { vec![0.0, 1.0] } else { vec![1.0, 0.0] }
    };
    let weighted = [(&states[0], 1.0), (&states[1], 1.0)];
    let possible = PossibleStates { states: &weighted, known: &known, held: None, model: Some(&model) };
    for observers in [Observers::Every, Observers::One] {
        let options = IsmctsOptions { observers, model_share: 1.0, ..options(2_000) };
        let made = ismcts(&mut context(&toy, 0, Budget::UNLIMITED), &possible, &legal, &options);
        assert_eq!(values(&made)[1], 100.0, "{observers:?}: {made:?}");
    }
}

#[test]
fn states_are_drawn_by_their_weights() {
    let entries = vec![choice(&[2, 1], &[2, 4]), choice(&[2, 1], &[3, 4]), end(&[100, 0]), end(&[0, 100])];
    let toy = Toy::table(&["a", "b"], entries.into_iter().chain([end(&[50, 50])]).collect());
    let made = search(&toy, 0, &[(0, 3.0), (1, 1.0)], false, options(2_000), Budget::UNLIMITED);
    let values = values(&made);
    assert!((values[0] - 75.0).abs() < 4.0 && values[1] == 50.0, "{made:?}");
    // Every simulation comes to the end of the game.
    assert_eq!((made.simulations, made.playouts, made.steps), (2_000, 0, 2_000));
}

#[test]
fn random_does_not_learn() {
    let table = vec![choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 4]), end(&[40, 0])];
    let toy = Toy::table_with_random(
        &["a", "random"],
        table.into_iter().chain([end(&[100, 0]), end(&[0, 0])]).collect(),
    );
    let made = search(&toy, 0, &[(0, 1.0)], false, options(2_000), Budget::UNLIMITED);
    assert!((values(&made)[0] - 50.0).abs() < 4.0, "{made:?}");
}

/// In the second state the first move is not legal, and in the third there is one that may not be chosen.
#[test]
fn a_move_is_tried_only_where_it_is_legal_and_chosen_only_if_it_was_shown() {
    let (low, high) = (3, 4);
    let entries = vec![
        choice(&[2, 1], &[low, high]),
        choice(&[1, 1], &[high]),
        choice(&[3, 1], &[high, low, low]),
        end(&[20, 0]),
        end(&[80, 0]),
    ];
    let toy = Toy::table(&["a", "b"], entries);
    let made = search(&toy, 0, &[(0, 1.0), (1, 1.0), (2, 2.0)], false, options(2_000), Budget::UNLIMITED);
    assert_eq!(made.moves.len(), 2);
    let tried: u32 = made.moves.iter().map(|simulated| simulated.visits).sum();
    assert!(tried < 2_000 && made.simulations == 2_000, "{made:?}");
    let [first, second] = values(&made)[..] else { panic!("two moves") };
    assert!(first > 60.0 && second < first, "{made:?}");
}

#[test]
fn one_seed_gives_one_result_and_the_playouts_of_a_planted_game_are_counted() {
    let toy = Toy::new(crate::toy::Rules::Planted { seed: 3, steps: 6, width: 3, percepts: 2, every: 1 });
    let state = toy.initial();
    let legal = toy.legal_by_role(&state, &mut ())[Role::new(0)].clone();
    let run = |seed| {
        let known = |_, role| Evidence::new(role);
        let possible = PossibleStates { states: &[(&state, 1.0)], known: &known, held: None, model: None };
        let mut context = context(&toy, 0, Budget::UNLIMITED);
        context.seed = Seed::root(seed);
        ismcts(&mut context, &possible, &legal, &options(2_000))
    };
    assert_eq!(run(1), run(1));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| run(1)), run(1));
    }
    assert_ne!(run(1), run(2));
    let made = run(1);
    assert!(made.playouts > 10 && made.steps > 2_000 && made.information_sets > 10, "{made:?}");
}

#[test]
fn nodes_and_time_end_the_search_but_only_time_before_every_move_was_tried() {
    let run = |budget| search(&hidden(), 0, &[(0, 1.0), (1, 1.0)], false, options(2_000), budget);
    let few = run(Budget::nodes(1));
    assert!((2..10).contains(&few.simulations) && few.moves.iter().all(|own| own.visits > 0), "{few:?}");
    let late = run(Budget::time(Duration::ZERO));
    assert_eq!((late.simulations, late.steps, late.worlds), (0, 0, 0));
    assert!(late.moves.len() == 2 && late.moves.iter().all(|own| own.visits == 0 && own.value.is_none()));
}

/// A tree for which there is no room has the states held possible, and plays out from the choices made there.
#[test]
fn a_full_tree_is_played_out_from_the_choices_that_were_made() {
    let small = IsmctsOptions { memory: 1, ..options(2_000) };
    let made = search(&hidden(), 0, &[(0, 1.0), (1, 1.0)], false, small, Budget::UNLIMITED);
    assert_eq!((made.worlds, made.information_sets, made.simulations, made.playouts), (2, 1, 2_000, 2_000));
    let [certain, guessed] = values(&made)[..] else { panic!("two moves") };
    assert!(certain == 40.0 && (guessed - 50.0).abs() < 5.0, "{made:?}");
}

/// States are drawn in turn, however many make a round.
#[test]
fn a_round_draws_each_state_as_often_as_it_should_to_within_one() {
    let (mut rng, mut drawn) = (Seed::root(1).rng(), Vec::new());
    let (mut draws, mut counts) = (Draws::new([0.5, 0.25, 0.25].into_iter()), [0; 3]);
    for count in [1, 2, 7, 8, 100] {
        drawn = draws.draw(count, &mut rng).to_vec();
        assert_eq!(drawn.len(), count as usize);
        for (state, share) in [0.5, 0.25, 0.25].into_iter().enumerate() {
            let times = drawn.iter().filter(|&&place| place == state).count();
            assert!((times as f64 - share * f64::from(count)).abs() < 1.0, "{drawn:?}");
            counts[state] += times;
        }
    }
    assert_eq!(counts.iter().sum::<usize>(), 118);
    assert!(drawn.windows(2).any(|pair| pair[0] > pair[1]), "the order is random");
}

/// What the roles know as a list, and a step of the obvious tree at a time.
type Known = (usize, Vec<(Move, Percepts)>);

/// Of a move: how often it was legal, how often it was tried, and the sum of what it brought.
type Tried = HashMap<Move, (u32, u32, f64)>;

/// The search in its obvious form, from one state in which the roles know nothing yet: the mean of each own move.
fn obvious(toy: &Toy, role: usize, simulations: u64, seed: u64) -> Vec<f64> {
    let mut rng = Seed::root(seed).rng();
    let mut sets: HashMap<Known, Tried> = HashMap::default();
    let own: Known = (role, Vec::new());
    sets.insert(own.clone(), Tried::default());
    for _ in 0..simulations {
        let (mut state, mut taken) = (toy.initial(), Vec::new());
        let mut known: Vec<Known> = (0..2).map(|role| (role, Vec::new())).collect();
        let mut is_in_tree = true;
        while !toy.terminal(&state, &mut ()) {
            let legal = toy.legal_by_role(&state, &mut ());
            let is_fresh = |of: &usize| legal[Role::new(*of)].len() > 1 && !sets.contains_key(&known[*of]);
            let fresh: Vec<usize> = (0..2).filter(is_fresh).collect();
            let joint = JointMove::new((0..2).map(|of| {
                let moves = &legal[Role::new(of)];
                let Some(tried) = sets.get_mut(&known[of]).filter(|_| is_in_tree) else {
                    return moves[rng.random_range(0..moves.len())];
                };
                let mut bound = |own: &Move| match *tried.entry(*own).or_default() {
                    (_, 0, _) => f64::INFINITY,
                    (legal, count, sum) => {
                        let count = f64::from(count);
                        sum / count / 100.0 + 0.7 * (f64::from(legal).ln() / count).sqrt()
                    }
                };
                let bounds: Vec<f64> = moves.iter().map(&mut bound).collect();
                let most = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let equal: Vec<usize> = (0..moves.len()).filter(|&place| bounds[place] == most).collect();
                let chosen = moves[equal[rng.random_range(0..equal.len())]];
                moves.iter().for_each(|own| tried.get_mut(own).unwrap().0 += 1);
                taken.push((known[of].clone(), chosen));
                chosen
            }));
            if is_in_tree && !fresh.is_empty() {
                sets.insert(known[fresh[rng.random_range(0..fresh.len())]].clone(), Tried::default());
                is_in_tree = false;
            }
            for (of, known) in known.iter_mut().enumerate() {
                let percepts = toy.percepts(&state, &joint, Role::new(of), &mut ());
                known.1.push((joint.of(Role::new(of)), percepts));
            }
            state = toy.next(&state, &joint, &mut ());
        }
        for (set, own) in taken {
            let goal = toy.goal(&state, Role::new(set.0), &mut ());
            let tried = sets.get_mut(&set).unwrap().get_mut(&own).unwrap();
            *tried = (tried.0, tried.1 + 1, tried.2 + f64::from(goal));
        }
    }
    sets[&own].values().map(|&(_, count, sum)| sum / f64::from(count)).collect()
}

#[test]
fn rounds_of_any_size_agree_with_the_obvious_tree() {
    for seed in 1..6 {
        let rules = crate::toy::Rules::Planted { seed, steps: 5, width: 3, percepts: 2, every: 1 };
        let toy = Toy::new(rules);
        let (state, simulations) = (toy.initial(), 20_000);
        let legal = toy.legal_by_role(&state, &mut ())[Role::new(0)].clone();
        let known = |_, role| Evidence::new(role);
        let possible = PossibleStates { states: &[(&state, 1.0)], known: &known, held: None, model: None };
        let expected = obvious(&toy, 0, simulations, seed);
        let best = |means: &mut dyn Iterator<Item = f64>| means.fold(0.0, f64::max);
        let value = best(&mut expected.iter().copied());
        for blocks in [ALONE, Blocks::default(), IsmctsOptions::default().blocks, CROWDED] {
            let options = IsmctsOptions { blocks, regrets: false, ..options(simulations) };
            let made = ismcts(&mut context(&toy, 0, Budget::UNLIMITED), &possible, &legal, &options);
            let own = best(&mut values(&made).into_iter());
            assert!((own - value).abs() < 4.0, "game {seed}, {blocks:?}: {made:?}, {expected:?}");
        }
    }
}

/// Games of perfect information in which roles alternate: tables of some depth with random ends.
#[test]
fn with_perfect_information_it_converges_to_minimax() {
    for seed in 0..10 {
        let mut rng = Seed::root(seed).rng();
        // Entries 0, 1 to 3, 4 to 12, then 27 ends.
        let inner = |entry: u8| {
            let next: Vec<u8> = (1..=3).map(|child| 3 * entry + child).collect();
            choice(if (1..4).contains(&entry) { &[1, 3] } else { &[3, 1] }, &next)
        };
        let goals: Vec<u8> = (0..27).map(|_| rng.random_range(0..=100)).collect();
        let ends = goals.iter().map(|&goal| end(&[goal, 100 - goal]));
        let toy = Toy::table(&["a", "b"], (0..13).map(inner).chain(ends).collect());
        let best = |of: usize| goals[3 * of..3 * of + 3].iter().copied().max().unwrap();
        let answers: Vec<u8> =
            (0..3).map(|own| (0..3).map(|reply| best(3 * own + reply)).min().unwrap()).collect();
        let value = f64::from(*answers.iter().max().unwrap());
        let made = search_seen(&toy, options(100_000));
        let found = made.moves.iter().max_by_key(|simulated| simulated.visits).unwrap().value.unwrap();
        assert!((found - value).abs() < 2.0, "game {seed}: {made:?}, {answers:?}");
    }
}

/// A search of the first entry of a table for the first role, where everybody perceives every move: a table has no
/// percepts, so the moves are put into what is known by a machine around it.
pub(super) fn search_seen(toy: &Toy, options: IsmctsOptions) -> Simulations {
    let (seen, state) = (Seen(toy), at(0));
    let legal = toy.legal_by_role(&state, &mut ())[Role::new(0)].clone();
    let known = |_, role| Evidence::new(role);
    let possible = PossibleStates { states: &[(&state, 1.0)], known: &known, held: None, model: None };
    let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
    let scratch = &mut ();
    let mut context = SearchContext::new(&seen, Role::new(0), budget, seed, scratch);
    ismcts(&mut context, &possible, &legal, &options)
}

/// What a deadline cut off must not count in the tree that is kept.
#[test]
fn a_try_that_is_taken_back_is_as_if_it_had_not_been_made() {
    let toy = hidden();
    let (mut sets, mut rng) = (crate::tree::InformationSets::new(1), Seed::root(1).rng());
    let own = Chooser::apart(&mut sets, Role::new(0), 0, &[toy.mv(0), toy.mv(1), toy.mv(2)]);
    let mut bandits = Bandits::default();
    bandits.grow(&sets);
    bandits.open(own.set, &sets);
    bandits.exploration = 0.7;
    for _ in 0..10 {
        let first = bandits.select(&own, false, &sets, &mut rng);
        bandits.withdraw(first.arm);
    }
    let mut tried: Vec<u32> = (0..3).map(|_| bandits.select(&own, false, &sets, &mut rng).arm).collect();
    tried.sort_unstable();
    assert_eq!(tried, [0, 1, 2]);
}

/// A move that a set has in later positions alone is learnt as the others are, and apart from them.
#[test]
fn moves_of_later_positions_have_arms_of_their_own() {
    let toy = hidden();
    let [zero, one, two, three] = [0, 1, 2, 3].map(|number| toy.mv(number));
    let (mut sets, mut rng) = (crate::tree::InformationSets::new(1), Seed::root(1).rng());
    let first = Chooser::apart(&mut sets, Role::new(0), 0, &[zero, one]);
    let other = Chooser::apart(&mut sets, Role::new(0), 1, &[zero, one]);
    let later = Chooser::apart(&mut sets, Role::new(0), 0, &[two, one, three]);
    let mut bandits = Bandits::default();
    bandits.grow(&sets);
    [later.set, other.set].iter().for_each(|&set| bandits.open(set, &sets));
    let mut arms = Vec::new();
    for (chooser, goals) in [(first, [10, 20, 0]), (later, [30, 40, 50]), (other, [60, 70, 0])] {
        // An untried move comes before all others.
        let untried = bandits.known(&chooser, &sets).filter(|arm| arm.tried == 0).count();
        for _ in 0..untried {
            let Selected { place, arm, .. } = bandits.select(&chooser, false, &sets, &mut rng);
            bandits.learn(arm, 1, goals[place as usize]);
            arms.push(arm);
        }
    }
    arms.sort_unstable();
    assert_eq!(arms, [0, 1, 2, 3, 4, 5]);
    let sums = |chooser| bandits.known(chooser, &sets).map(|arm| arm.sum).collect::<Vec<_>>();
    assert_eq!((sums(&first), sums(&later), sums(&other)), (vec![10, 20], vec![30, 20, 50], vec![60, 70]));
}

/// The first role chooses twice. What a later decision finds are the simulations that went on below its first move.
#[test]
fn a_kept_tree_knows_at_the_next_decision_what_came_by_and_a_large_one_is_given_up() {
    let entries = vec![choice(&[2, 1], &[1, 2]), choice(&[2, 1], &[3, 4]), end(&[40, 60])];
    let toy = Toy::table(&["a", "b"], entries.into_iter().chain([end(&[70, 30]), end(&[0, 100])]).collect());
    let (seen, role) = (Seen(&toy), Role::new(0));
    let decide = |tree: &mut IsmctsTree<_>, history: &History, options: &IsmctsOptions| {
        let state = seen.replay(history, &mut ());
        let legal = seen.legal_by_role(&state, &mut ())[role].clone();
        let known = |_, role| seen.evidence(history, role, &mut ());
        let possible = PossibleStates { states: &[(&state, 1.0)], known: &known, held: None, model: None };
        let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
        let scratch = &mut ();
        let mut context = SearchContext::new(&seen, role, budget, seed, scratch);
        let made = tree.search(&mut context, &possible, &legal, options);
        let joint = JointMove::new([legal[0], seen.legal_by_role(&state, &mut ())[Role::new(1)][0]]);
        (made, History([&history.0[..], &[joint]].concat()))
    };
    let visits = |made: &Simulations| made.moves.iter().map(|own| own.visits).sum::<u32>();
    let mut tree = IsmctsTree::new(&seen);
    let (first, history) = decide(&mut tree, &History::default(), &options(1_000));
    assert_eq!((visits(&first), first.worlds), (1_000, 2));
    let (second, _) = decide(&mut tree, &history, &options(100));
    // The first of them only added the information set.
    assert_eq!(visits(&second), first.moves[0].visits - 1 + 100);
    assert_eq!((second.simulations, second.worlds), (100, 2), "the position is found again");
    let (third, _) = decide(&mut tree, &history, &IsmctsOptions { memory: 2, ..options(100) });
    assert_eq!((visits(&third), third.worlds), (100, 1));
    let fresh = decide(&mut IsmctsTree::new(&seen), &history, &options(100)).0;
    assert_eq!((visits(&fresh), fresh.worlds), (100, 1));
    tree.clear();
    assert_eq!(decide(&mut tree, &history, &options(100)).0, fresh, "a tree that forgot is as a new one");
}

/// The second role chooses first, then the first role.
#[test]
fn a_tree_that_is_searched_ahead_while_another_role_chooses_is_found_by_the_next_decision_unless_it_is_full()
{
    let entries = vec![choice(&[1, 2], &[1, 2]), choice(&[2, 1], &[3, 4]), choice(&[2, 1], &[4, 3])];
    let toy = Toy::table(&["a", "b"], entries.into_iter().chain([end(&[70, 30]), end(&[0, 100])]).collect());
    let (seen, role) = (Seen(&toy), Role::new(0));
    let go = |tree: &mut IsmctsTree<_>, history: &History, memory: usize, is_ahead: bool| {
        let state = seen.replay(history, &mut ());
        let legal = seen.legal_by_role(&state, &mut ())[role].clone();
        let known = |_, role| seen.evidence(history, role, &mut ());
        let possible = PossibleStates { states: &[(&state, 1.0)], known: &known, held: None, model: None };
        let (budget, seed) = (Budget::UNLIMITED, Seed::root(1));
        let scratch = &mut ();
        let mut context = SearchContext::new(&seen, role, budget, seed, scratch);
        let options = IsmctsOptions { memory, ..options(if is_ahead { 1_000 } else { 100 }) };
        if is_ahead {
            return u32::from(tree.search_ahead(&mut context, &possible, &legal, &options));
        }
        tree.search(&mut context, &possible, &legal, &options).moves.iter().map(|own| own.visits).sum()
    };
    let first = History(vec![JointMove::new([toy.mv(0), toy.mv(1)])]);
    let mut tree = IsmctsTree::new(&seen);
    assert_eq!(go(&mut tree, &History::default(), 1 << 20, true), 1, "there is room for more");
    assert!(go(&mut tree, &first, 1 << 20, false) > 400);
    // A tree that is full is left alone, and so the next decision does not give it up.
    let mut tree = IsmctsTree::new(&seen);
    assert_eq!(go(&mut tree, &first, 1 << 20, false), 100);
    let memory = 2 * tree.bytes();
    assert_eq!(go(&mut tree, &first, memory, true), 0);
    assert_eq!(go(&mut tree, &first, memory, false), 200);
}

/// A toy whose roles perceive the joint move.
struct Seen<'t>(&'t Toy);

impl StateMachine for Seen<'_> {
    type State = State;
    type Scratch = ();

    fn scratch(&self) {}

    fn setup(&self) -> &hyperplay_machine::GameSetup<State> {
        self.0.setup()
    }

    fn legal(&self, state: &State, role: Role, scratch: &mut (), out: &mut Vec<Move>) {
        self.0.legal(state, role, scratch, out);
    }

    fn next(&self, state: &State, joint: &JointMove, scratch: &mut ()) -> State {
        self.0.next(state, joint, scratch)
    }

    fn percepts(&self, _: &State, joint: &JointMove, _: Role, (): &mut ()) -> Percepts {
        Percepts::in_order(joint.iter().map(|own| Percept(own.0)).collect::<Vec<_>>())
    }

    fn terminal(&self, state: &State, scratch: &mut ()) -> bool {
        self.0.terminal(state, scratch)
    }

    fn goal(&self, state: &State, role: Role, scratch: &mut ()) -> Goal {
        self.0.goal(state, role, scratch)
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        self.0.fluents(state)
    }
}

impl Bulk for Seen<'_> {}

/// Positions of games of perfect information after four random steps: what is visited most is worth most, by exhaustive search.
#[test]
fn in_tic_tac_toe_and_nim_what_is_visited_most_is_a_best_move() {
    let games = [
        include_str!("../../../../games/perfect/tictactoe.kif"),
        include_str!("../../../../games/perfect/nim.kif"),
    ];
    for text in games {
        let game = load(Source::new("game", text), None).game.unwrap();
        let machine = Engines::new(&game).get(EngineKind::Auto).unwrap();
        let mut scratch = machine.scratch();
        for seed in 0..6 {
            let (mut rng, mut history, mut state) =
                (Seed::root(seed).rng(), History::default(), machine.initial());
            for _ in 0..4 {
                let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
                state = machine.next(&state, &joint, &mut scratch);
                history.0.push(joint);
            }
            let legal = machine.legal_by_role(&state, &mut scratch);
            let chooses = machine.each_role().find(|&role| legal[role].len() > 1);
            let Some(role) = chooses.filter(|_| !machine.terminal(&state, &mut scratch)) else { continue };
            let mut own = machine.scratch();
            let known = |_, other| machine.evidence(&history, other, &mut machine.scratch());
            let possible =
                PossibleStates { states: &[(&state, 1.0)], known: &known, held: None, model: None };
            let (budget, seed) = (Budget::UNLIMITED, Seed::root(seed));
            let mut context = SearchContext::new(&*machine, role, budget, seed, &mut own);
            let made = ismcts(&mut context, &possible, &legal[role], &options(30_000));
            let exactly = SearchOptions { nodes: 10_000_000, ..SearchOptions::default() };
            let states = [WeightedState { state: &state, weight: 1.0, histories: 1 }];
            let exact = exactly.evaluate(&mut context, &states).states.remove(0);
            let best = exact.values.iter().copied().fold(0.0, f64::max);
            let most = (0..legal[role].len()).max_by_key(|&place| made.moves[place].visits).unwrap();
            assert_eq!(exact.moves[most], made.moves[most].own);
            assert!(exact.values[most] == best, "{made:?}, {exact:?}");
            assert!((made.moves[most].value.unwrap() - best).abs() < 10.0, "{made:?}, {exact:?}");
        }
    }
}
