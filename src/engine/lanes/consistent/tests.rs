//! Tests of steps that agree with an observation: those that are drawn in lanes and those that are selected in planes
//! are those of the plain forms over the interpreter.

use std::collections::HashMap;
use std::time::Duration;

use rand::RngExt;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::super::LaneWidth;
use super::super::tests::{file, game, propagator};
use crate::{Interpreter, NetworkEngine};
use hyperplay_logic::gdl::Game;
use hyperplay_machine::{
    Budget, Bulk, ConsistentDraws, History, JointMove, JointMoves, Move, Observation, ObservedStep, OwnMove,
    Percept, Percepts, Role, Seed, State, StateMachine, StateMachineExt, StepAttempts,
};

const GAMES: [&str; 9] = [
    "imperfect/krieg_tictactoe_3x3.kif",
    "imperfect/phantom_tictactoe.kif",
    "imperfect/monty_hall.kif",
    "imperfect/leduc_poker.kif",
    "imperfect/liars_dice_1x6.kif",
    "imperfect/goofspiel_4_imperfect.kif",
    "imperfect/blind_breakthrough_4x4.kif",
    "perfect/tictactoe.kif",
    "perfect/nim.kif",
];

/// Role b has as many legal moves as it likes next, and a hears whether the number of its move is odd.
const UNEQUAL: &str = "(role a) (role b) (init (at 9)) (legal a wait) (legal a look)
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (le 1 1) (<= (le ?y ?y) (succ ?x ?y)) (<= (le ?x ?z) (succ ?x ?y) (le ?y ?z))
    (odd 1) (odd 3) (odd 5) (odd 7) (odd 9)
    (<= (legal b (go ?m)) (true (at ?n)) (le ?m ?n))
    (<= (next (at ?m)) (does b (go ?m)) (does a wait)) (<= (next (at 9)) (does a look))
    (<= (sees a odd) (does b (go ?m)) (odd ?m)) (<= (sees b (it ?m)) (does a ?m))
    (<= terminal (true (at 1))) (goal a 50) (goal b 50)";

/// A game for the interpreter and for lanes.
struct Pair {
    rules: Interpreter,
    engine: NetworkEngine,
}

/// States that both know after the same histories, and an observation of one step from one of them.
struct Case {
    of_rules: Vec<State>,
    starts: Vec<State>,
    role: Role,
    observation: Observation,
    is_end: bool,
}

impl Pair {
    fn new(game: &Game) -> Pair {
        let rules = Interpreter::new(game).expect("it can be evaluated");
        Pair { rules, engine: NetworkEngine::with_lanes(propagator(game)) }
    }

    fn all() -> impl Iterator<Item = (&'static str, Pair)> {
        let files = GAMES.into_iter().map(|name| (name, Pair::new(&file(name))));
        files.chain(std::iter::once(("unequal", Pair::new(&game(UNEQUAL)))))
    }

    /// A history of random joint moves: of `steps` steps if the game lasts so long, otherwise to the step before the
    /// last.
    fn history(&self, steps: usize, seed: &Seed) -> (History, JointMove) {
        let (mut rng, mut scratch) = (seed.rng(), self.rules.scratch());
        let (mut history, mut state) = (History::default(), self.rules.initial());
        loop {
            let joint = self.rules.random_joint(&state, &mut scratch, &mut rng).expect("it is not terminal");
            state = self.rules.next(&state, &joint, &mut scratch);
            if history.step() == steps || self.rules.terminal(&state, &mut scratch) {
                return (history, joint);
            }
            history.0.push(joint);
        }
    }

    fn case(&self, role: Role, steps: usize, seed: &Seed) -> Case {
        let mut scratch = self.rules.scratch();
        let (mut of_rules, mut starts, mut observations) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..12 {
            let (history, joint) = self.history(steps + number % 3, &seed.index(number));
            let state = self.rules.replay(&history, &mut scratch);
            let percepts = self.rules.percepts(&state, &joint, role, &mut scratch);
            let next = self.rules.next(&state, &joint, &mut scratch);
            let own = OwnMove::Known(joint.of(role));
            observations.push((Observation { own, percepts }, self.rules.terminal(&next, &mut scratch)));
            starts.push(self.engine.replay(&history, &mut self.engine.scratch()));
            of_rules.push(state);
        }
        let (observation, is_end) = observations.swap_remove(0);
        Case { of_rules, starts, role, observation, is_end }
    }
}

impl Case {
    fn observed(&self) -> ObservedStep<'_> {
        ObservedStep { role: self.role, observation: &self.observation, is_end: self.is_end }
    }

    fn asked<'a>(
        &'a self,
        starts: &'a [State],
        attempts: &'a [u32],
        seed: &'a Seed,
        budget: &'a Budget,
    ) -> StepAttempts<'a, State> {
        StepAttempts { starts, attempts, observed: self.observed(), seed, budget }
    }
}

fn attempts(count: usize, starts: usize, seed: u64) -> Vec<u32> {
    let mut rng = Seed::root(seed).rng();
    (0..count).map(|_| rng.random_range(0..starts as u32)).collect()
}

fn draw(pair: &Pair, case: &Case, attempts: &[u32], seed: u64) -> ConsistentDraws<State> {
    let (engine, seed) = (&pair.engine, Seed::root(seed));
    let budget = &Budget::UNLIMITED;
    engine.draw_consistent(&case.asked(&case.starts, attempts, &seed, budget), &mut engine.scratch())
}

#[test]
fn steps_are_selected_as_by_the_plain_form() {
    let mut rng = Seed::root(8).rng();
    let (mut found, mut asked) = (0, 0);
    for (name, pair) in Pair::all() {
        let (mut single, mut scratch) = (pair.rules.scratch(), pair.engine.scratch());
        for (role, steps) in pair.rules.each_role().flat_map(|role| [0, 1, 3].map(|steps| (role, steps))) {
            let case = pair.case(role, steps, &Seed::root(21).index(role.index()).index(steps));
            for count in [1, 2, 7, 100, 600] {
                let chosen: Vec<(usize, JointMove)> = (0..count)
                    .map(|_| {
                        let start = rng.random_range(0..case.starts.len());
                        let joint = pair.rules.random_joint(&case.of_rules[start], &mut single, &mut rng);
                        (start, joint.expect("it is not terminal"))
                    })
                    .collect();
                let of = |states: &'_ [State]| -> Vec<(State, JointMove)> {
                    chosen.iter().map(|(start, joint)| (states[*start].clone(), joint.clone())).collect()
                };
                let (plain, planes) = (of(&case.of_rules), of(&case.starts));
                let plain: Vec<_> = plain.iter().map(|(state, joint)| (state, joint)).collect();
                let planes: Vec<_> = planes.iter().map(|(state, joint)| (state, joint)).collect();
                let nothing = Percepts::in_order(Vec::<Percept>::new());
                let empty = Observation { percepts: nothing, ..case.observation.clone() };
                for observation in [&case.observation, &empty] {
                    for is_end in [false, true] {
                        let observed = ObservedStep { role, observation, is_end };
                        let expected = pair.rules.select_consistent(&plain, &observed, &mut single);
                        let selected = pair.engine.select_consistent(&planes, &observed, &mut scratch);
                        let shown = |list: Vec<(usize, State)>, show: &dyn Fn(&State) -> Vec<String>| {
                            list.into_iter().map(|(place, state)| (place, show(&state))).collect::<Vec<_>>()
                        };
                        found += expected.len();
                        asked += count;
                        assert_eq!(
                            shown(selected, &|state| pair.engine.fluents(state)),
                            shown(expected, &|state| pair.rules.fluents(state)),
                            "{name} {role:?} {observed:?}"
                        );
                    }
                }
            }
        }
    }
    println!("{found} of {asked} steps agree");
    assert!(found > asked / 20);
}

#[test]
fn every_step_drawn_agrees_by_the_rules() {
    for (name, pair) in Pair::all() {
        let (mut single, mut found) = (pair.rules.scratch(), 0);
        for (role, steps) in pair.rules.each_role().flat_map(|role| [0, 1, 3].map(|steps| (role, steps))) {
            let case = pair.case(role, steps, &Seed::root(31).index(role.index()).index(steps));
            let attempts = attempts(1500, case.starts.len(), 5);
            let drawn = draw(&pair, &case, &attempts, 6);
            assert_eq!(drawn.tried, attempts.len());
            assert!(drawn.steps.windows(2).all(|pair| pair[0].place < pair[1].place));
            found += drawn.steps.len();
            for step in &drawn.steps {
                let state = &case.of_rules[attempts[step.place] as usize];
                assert!(case.observation.own.admits(step.joint.of(role)), "{name}");
                for (role, legal) in pair.rules.legal_by_role(state, &mut single).iter() {
                    assert!(legal.contains(&step.joint.of(role)), "{name}");
                }
                let steps = [(state, &step.joint)];
                let next = pair.rules.select_consistent(&steps, &case.observed(), &mut single);
                assert_eq!(next.len(), 1, "{name}");
                assert_eq!(pair.rules.fluents(&next[0].1), pair.engine.fluents(&step.state), "{name}");
            }
        }
        assert!(found > 100, "{name}: {found}");
    }
}

#[test]
fn draws_are_the_same_in_every_width() {
    for (name, mut pair) in Pair::all() {
        for role in pair.rules.each_role() {
            let case = pair.case(role, 2, &Seed::root(41).index(role.index()));
            // Sorted starts give words with one start, and words with several.
            for (count, is_sorted) in
                [(0, false), (1, false), (64, true), (1000, true), (5000, false), (9001, true)]
            {
                let mut attempts = attempts(count, case.starts.len(), 7);
                if is_sorted {
                    attempts.sort_unstable();
                }
                let expected = draw(&pair, &case, &attempts, 8);
                for width in
                    [LaneWidth::Lanes64, LaneWidth::Lanes256, LaneWidth::Lanes512, LaneWidth::Lanes1024]
                {
                    pair.engine.lanes_mut().width = Some(width);
                    assert_eq!(draw(&pair, &case, &attempts, 8), expected, "{name} {width:?} {count}");
                    pair.engine.lanes_mut().width = None;
                }
            }
        }
    }
}

/// How improbable a table of counts is: chi-squared over all attempts, of which each start has a place for every joint
/// move that agrees, and one for all that do not.
fn p_of_draws(pair: &Pair, case: &Case, attempts: &[u32], drawn: &[(u32, JointMove)]) -> f64 {
    let mut scratch = pair.rules.scratch();
    let mut counts: HashMap<(u32, JointMove), f64> = HashMap::new();
    drawn.iter().for_each(|step| *counts.entry(step.clone()).or_default() += 1.0);
    let (mut distance, mut freedom) = (0.0, 0.0);
    for (start, state) in case.of_rules.iter().enumerate() {
        let start = start as u32;
        let made = attempts.iter().filter(|&&of| of == start).count() as f64;
        let mut legal = pair.rules.legal_by_role(state, &mut scratch);
        let own = case.observation.own.among(&mut legal[case.role]).probabilities(legal[case.role].len());
        let number = JointMoves::new(&legal).count() as f64 / own.len() as f64;
        let (mut left, mut expected_left) = (made, made);
        for joint in JointMoves::new(&legal) {
            let steps = [(state, &joint)];
            if pair.rules.select_consistent(&steps, &case.observed(), &mut scratch).is_empty() {
                continue;
            }
            let place = legal[case.role].iter().position(|&of| of == joint.of(case.role)).unwrap();
            let (count, expected) =
                (counts.remove(&(start, joint)).unwrap_or(0.0), made * own[place] / number);
            assert!(expected > 5.0, "there are enough attempts");
            distance += (count - expected).powi(2) / expected;
            freedom += 1.0;
            left -= count;
            expected_left -= expected;
        }
        if expected_left > 1e-6 {
            distance += (left - expected_left).powi(2) / expected_left;
        } else {
            assert!(left == 0.0);
            freedom -= 1.0;
        }
    }
    assert!(counts.is_empty(), "only steps that agree are drawn");
    if freedom < 1.0 { 1.0 } else { ChiSquared::new(freedom).expect("it is positive").sf(distance) }
}

#[test]
fn draws_have_the_distribution_of_the_rules() {
    let names = [GAMES[0], GAMES[2], GAMES[3], GAMES[6], "unequal"];
    let mut least = 1.0_f64;
    for (name, pair) in Pair::all().filter(|(name, _)| names.contains(name)) {
        for (role, steps) in pair.rules.each_role().flat_map(|role| [0, 1, 2].map(|steps| (role, steps))) {
            let case = pair.case(role, steps, &Seed::root(51).index(role.index()).index(steps));
            let attempts = attempts(40_000, case.starts.len(), 9);
            let pairs = |drawn: ConsistentDraws<State>| -> Vec<(u32, JointMove)> {
                drawn.steps.into_iter().map(|step| (attempts[step.place], step.joint)).collect()
            };
            let lanes = pairs(draw(&pair, &case, &attempts, 10));
            let p = p_of_draws(&pair, &case, &attempts, &lanes);
            least = least.min(p);
            assert!(p > 1e-5, "{name} {role:?} {steps}: p = {p}");
            if steps == 1 {
                let (rules, seed) = (&pair.rules, Seed::root(11));
                let attempts = &attempts[..20_000.min(attempts.len())];
                let asked = case.asked(&case.of_rules, attempts, &seed, &Budget::UNLIMITED);
                let plain = rules.draw_consistent(&asked, &mut rules.scratch());
                let p = p_of_draws(&pair, &case, attempts, &pairs(plain));
                assert!(p > 1e-5, "{name} {role:?} {steps}: p = {p} of the plain form");
            }
        }
    }
    println!("least p {least:.5}");
}

#[test]
fn what_cannot_agree_is_not_drawn() {
    let pair = Pair::new(&game(UNEQUAL));
    let terms = pair.engine.terms();
    let term = |text: &str| terms.read(text).expect("it is a term");
    let (a, b) = (Role::new(0), Role::new(1));
    let count = |starts: Vec<State>, role: Role, own: &str, percepts: &[&str], is_end: bool| {
        let percepts =
            Percepts::in_order(percepts.iter().map(|text| Percept(term(text))).collect::<Vec<_>>());
        let observation = Observation { own: OwnMove::Known(Move(term(own))), percepts };
        let case = Case { of_rules: Vec::new(), starts, role, observation, is_end };
        let drawn = draw(&pair, &case, &[0; 100], 12);
        assert_eq!(drawn.tried, 100);
        drawn.steps.len()
    };
    let start = pair.engine.initial();
    let after = |number: &str| {
        let joint = JointMove::new([Move(term("wait")), Move(term(number))]);
        pair.engine.next(&start, &joint, &mut pair.engine.scratch())
    };
    assert!(count(vec![start.clone()], b, "(go 4)", &["(it wait)"], false) > 20);
    assert_eq!(count(vec![start.clone()], b, "(go 4)", &["(it wait)"], true), 0);
    assert_eq!(count(vec![start.clone()], b, "(go 4)", &[], false), 0);
    assert_eq!(count(vec![start.clone()], b, "(go 4)", &["(it wait)", "odd"], false), 0);
    assert_eq!(count(vec![start.clone()], b, "wait", &["(it wait)"], false), 0);
    // Own move not legal in the state, although it is a move; and a terminal state.
    assert_eq!(count(vec![after("(go 3)")], b, "(go 4)", &["(it wait)"], false), 0);
    assert!(count(vec![after("(go 3)")], b, "(go 3)", &["(it wait)"], false) > 20);
    assert!(count(vec![after("(go 2)")], a, "wait", &["odd"], true) > 20);
    assert_eq!(count(vec![after("(go 1)")], a, "wait", &["odd"], true), 0);
}

#[test]
fn a_role_without_a_move_makes_every_attempt_fail() {
    let text = "(role a) (role b) (init s) (legal a x) (<= (legal b y) (true s)) (<= (legal b z) (true s))
        (<= (next s) (does b y)) (<= (next t) (does b z)) (<= (sees a it) (does b z)) (<= terminal (true u))
        (goal a 0) (goal b 0)";
    let loaded = hyperplay_logic::gdl::load(hyperplay_logic::gdl::Source::new("stuck", text), None);
    let engine = NetworkEngine::with_lanes(propagator(&loaded.game.expect("only warnings")));
    let term = |text: &str| engine.terms().read(text).expect("it is a term");
    let joint = JointMove::new([Move(term("x")), Move(term("z"))]);
    let stuck = engine.next(&engine.initial(), &joint, &mut engine.scratch());
    for (percepts, expected) in [(vec![], 0), (vec![Percept(term("it"))], 1)] {
        let observation =
            Observation { own: OwnMove::Known(Move(term("x"))), percepts: Percepts::in_order(percepts) };
        let observed = ObservedStep { role: Role::new(0), observation: &observation, is_end: false };
        let (starts, seed) = (&[engine.initial(), stuck.clone()], &Seed::root(1));
        let attempts = &(0..500).map(|place| place % 2).collect::<Vec<u32>>();
        let asked = StepAttempts { starts, attempts, observed, seed, budget: &Budget::UNLIMITED };
        let drawn = engine.draw_consistent(&asked, &mut engine.scratch());
        assert!(drawn.tried == 500 && (90..160).contains(&drawn.steps.len()));
        assert!(
            drawn.steps.iter().all(|step| step.place % 2 == 0 && (step.state == stuck) == (expected == 1))
        );
    }
}

#[test]
fn nothing_is_drawn_after_the_deadline() {
    let pair = Pair::new(&file(GAMES[0]));
    let case = pair.case(Role::new(0), 1, &Seed::root(61));
    let attempts = attempts(4_000_000, case.starts.len(), 13);
    let drawn = |budget: &Budget| {
        let (engine, seed) = (&pair.engine, Seed::root(14));
        engine.draw_consistent(&case.asked(&case.starts, &attempts, &seed, budget), &mut engine.scratch())
    };
    assert_eq!(drawn(&Budget::time(Duration::ZERO)), ConsistentDraws { tried: 0, steps: Vec::new() });
    // The attempts made before the deadline are those that are made without one, except for the last attempts. The
    // first call also compiles the program.
    let all = drawn(&Budget::UNLIMITED);
    // A busy machine may need longer for the first.
    let within = |milliseconds: u64| drawn(&Budget::time(Duration::from_millis(milliseconds)));
    let some = (3..20).map(|power| within(1 << power)).find(|some| some.tried > 0).expect("some are tried");
    assert!(some.tried < attempts.len());
    let most = some.steps.len() * 9 / 10;
    assert_eq!(some.steps[..most], all.steps[..most]);
    assert!(some.steps.iter().all(|step| step.place < some.tried));
}

#[test]
fn one_of_several_own_moves_is_drawn_by_the_plain_form() {
    let pair = Pair::new(&file(GAMES[2]));
    for role in pair.rules.each_role() {
        let mut case = pair.case(role, 1, &Seed::root(71));
        let all = &pair.engine.propagator.propnet.roles[role].moves;
        case.observation.own = OwnMove::OneOf(all[..].into());
        let attempts = attempts(2000, case.starts.len(), 15);
        let drawn = draw(&pair, &case, &attempts, 16);
        let drawn: Vec<_> = drawn.steps.into_iter().map(|step| (attempts[step.place], step.joint)).collect();
        assert!(p_of_draws(&pair, &case, &attempts, &drawn) > 1e-5);
    }
}

#[test]
fn a_move_that_was_sent_is_drawn_in_lanes_and_what_stands_in_for_it_one_by_one() {
    let names = [GAMES[0], GAMES[2], "unequal"];
    let (mut others, mut unfit) = (0, 0);
    for (name, pair) in Pair::all().filter(|(name, _)| names.contains(name)) {
        for (role, steps) in pair.rules.each_role().flat_map(|role| [0, 1].map(|steps| (role, steps))) {
            let mut case = pair.case(role, steps, &Seed::root(81).index(role.index()).index(steps));
            let sent = case.observation.own.presumed().unwrap();
            case.observation.own = OwnMove::Untold(Some(sent));
            let attempts = attempts(400_000, case.starts.len(), 17);
            let drawn = draw(&pair, &case, &attempts, 18);
            assert_eq!(drawn.tried, attempts.len());
            assert!(drawn.steps.is_sorted_by_key(|step| step.place));
            let drawn: Vec<_> =
                drawn.steps.into_iter().map(|step| (attempts[step.place], step.joint)).collect();
            others += drawn.iter().filter(|(_, joint)| joint.of(role) != sent).count();
            let mut scratch = pair.rules.scratch();
            let is_unfit =
                |state: &&State| !pair.rules.legal_by_role(state, &mut scratch)[role].contains(&sent);
            unfit += case.of_rules.iter().filter(is_unfit).count();
            let p = p_of_draws(&pair, &case, &attempts, &drawn);
            assert!(p > 1e-5, "{name} {role:?} {steps}: p = {p}");
        }
    }
    assert!(others > 0 && unfit > 0, "{others} other moves, {unfit} starts in which it was not legal");
}
