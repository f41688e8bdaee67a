//! Tests of the bias of the sampler `hyperplay` on rulesheets whose inconsistent histories show only late.
//!
//! `random` picks a class and deals a card. Classes are early or late in equal numbers. Of an early class, all cards
//! but the first are excluded by the percept of the deal; of a late class, only by a percept some steps later. After
//! that, every class is equally likely. A sampler that uses what it found out about one particle to decide whether it
//! moves this particle leaves the classes of one kind too often.
//!
//! The tests share no code with models and samplers. The posterior over classes is enumerated here by the questions of
//! [`StateMachine`] to the interpreter, and compared with its closed form. The independent draws that the sampler is
//! compared with are made here too, with the same numbers of particles and replicates.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::common::{field, text};
use hyperplay::engine::{EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{
    Budget, Evidence, History, JointMove, JointMoves, Move, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay::player::Registry;
use rand::RngExt;
use rayon::prelude::*;

/// The sampler with its defaults, and its sampling alone.
const SAMPLERS: [&str; 2] = ["hyperplay", "hyperplay:enumerate=off"];

/// Particles of a set.
const PARTICLES: usize = 16;

/// A rulesheet of the kind that this file is about.
#[derive(Clone, Copy, Debug)]
struct LateEvidence {
    /// Classes, half of them late.
    classes: usize,
    /// Cards, of which the first is dealt.
    cards: usize,
    /// Steps between the deal and the step whose percept tells of the card.
    delay: usize,
}

const fn sheet(classes: usize, cards: usize, delay: usize) -> LateEvidence {
    LateEvidence { classes, cards, delay }
}

/// `late_200_10` of the field; more classes, more cards, and evidence that comes later.
const SHEETS: [LateEvidence; 4] =
    [sheet(200, 10, 0), sheet(500, 10, 0), sheet(200, 40, 0), sheet(200, 10, 3)];

impl LateEvidence {
    /// The step after which the histories are excluded.
    fn step(self) -> usize {
        3 + self.delay
    }

    fn rules(self) -> String {
        let LateEvidence { classes, cards, delay } = self;
        let mut rules = String::from("(role me) (role random)\n");
        for class in 1..=classes {
            let kind = if class % 2 == 0 { "late" } else { "early" };
            let _ = writeln!(rules, "(cls {class}) ({kind} {class})");
        }
        (1..=cards).for_each(|card| _ = writeln!(rules, "(card {card})"));
        let (told, end) = (2 + delay, 4 + delay);
        (0..end).for_each(|step| _ = writeln!(rules, "(succ {step} {})", step + 1));
        (0..=end).for_each(|step| _ = writeln!(rules, "(base (step {step}))"));
        let _ = write!(
            rules,
            "(<= (base (class ?i)) (cls ?i)) (<= (base (sub ?c)) (card ?c))
             (input me a) (input me b) (input random noop)
             (<= (input random (pick ?i)) (cls ?i)) (<= (input random (deal ?c)) (card ?c))
             (init (step 0)) (legal me a) (legal me b)
             (<= (legal random (pick ?i)) (true (step 0)) (cls ?i))
             (<= (legal random (deal ?c)) (true (step 1)) (card ?c))
             (<= (legal random noop) (not (true (step 0))) (not (true (step 1))))
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= (next (class ?i)) (does random (pick ?i))) (<= (next (class ?i)) (true (class ?i)))
             (<= (next (sub ?c)) (does random (deal ?c))) (<= (next (sub ?c)) (true (sub ?c)))
             (<= (sees me q) (does random (deal ?c)) (true (class ?i)) (late ?i))
             (<= (sees me q) (does random (deal 1)) (true (class ?i)) (early ?i))
             (<= (sees me z) (does random (deal ?c)) (distinct ?c 1) (true (class ?i)) (early ?i))
             (<= (sees me r) (true (step {told})) (true (sub 1)))
             (<= (sees me s) (true (step {told})) (true (sub ?c)) (distinct ?c 1))
             (<= terminal (true (step {end})))
             (<= (goal me 100) (true (class ?i)) (early ?i)) (<= (goal me 0) (true (class ?i)) (late ?i))
             (<= (goal me 50) (true (step 0)))"
        );
        rules
    }
}

/// A rulesheet, what `me` knows after its match up to a step, and the posterior that follows.
struct Case {
    engines: Engines,
    me: Role,
    random: Role,
    evidence: Evidence,
    /// The classes with their posterior probabilities.
    classes: BTreeMap<String, f64>,
}

impl Case {
    fn new(rules: &str, step: usize) -> Case {
        let loaded = load(Source::new("late", rules), None);
        let game = loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings));
        let engines = Engines::new(&game);
        let machine = engines.get(EngineKind::Interpreter).unwrap();
        let [me, random] = ["me", "random"].map(|name| machine.role_named(name).unwrap());
        let (mut state, mut scratch) = (machine.initial(), machine.scratch());
        let mut history = History::default();
        for _ in 0..step {
            let legal = machine.legal_by_role(&state, &mut scratch);
            let wanted = |own: &&Move| ["(pick 1)", "(deal 1)", "noop"].contains(&&*machine.show_move(**own));
            let joint =
                JointMove::new([legal[me][0], *legal[random].iter().find(wanted).expect("it is legal")]);
            state = machine.next(&state, &joint, &mut scratch);
            history.0.push(joint);
        }
        let evidence = machine.evidence(&history, me, &mut scratch);
        assert!(!evidence.over && evidence.step() == step);
        let classes = posterior(&*machine, me, random, &evidence);
        Case { engines, me, random, evidence, classes }
    }

    /// The weight of each class, in the order of [`Case::classes`], in one set of a sampler that follows the evidence.
    fn sampled(&self, spec: &str, replicate: usize) -> Vec<f64> {
        let machine = self.engines.get(EngineKind::Auto).unwrap();
        let sampler = Registry::standard().sampler(spec).unwrap();
        let model = sampler.assumed().model(&machine);
        let mut belief = sampler.sampler().belief(&machine, self.me, &model, PARTICLES);
        let seed = Seed::root(1).index(replicate);
        for step in 1..=self.evidence.step() {
            belief.update(&self.evidence.until(step), &Budget::UNLIMITED, &seed.index(step));
        }
        assert!(belief.take_failure().is_none() && !belief.particles().is_empty());
        let mut weights = vec![0.0; self.classes.len()];
        for particle in belief.particles() {
            let picked = machine.show_move(belief.history(particle).0[0].of(self.random));
            weights[self.classes.keys().position(|class| *class == picked).unwrap()] += particle.weight;
        }
        weights
    }

    /// The same of independent draws from the posterior.
    fn drawn(&self, replicate: usize) -> Vec<f64> {
        let mut rng = Seed::root(2).index(replicate).rng();
        let mut weights = vec![0.0; self.classes.len()];
        for _ in 0..PARTICLES {
            let mut left: f64 = rng.random();
            let under = |probability: &f64| {
                left -= probability;
                left < 0.0
            };
            weights[self.classes.values().position(under).unwrap_or(0)] += 1.0 / PARTICLES as f64;
        }
        weights
    }

    /// The total variation distance of the mean of these sets from the posterior.
    fn bias(&self, sets: &[Vec<f64>]) -> f64 {
        let mean = |at: usize| sets.iter().map(|set| set[at]).sum::<f64>() / sets.len() as f64;
        let distances = self.classes.values().enumerate().map(|(at, probability)| mean(at) - probability);
        distances.map(f64::abs).sum::<f64>() / 2.0
    }

    /// The mean weight of the late classes in these sets, with its standard error.
    fn late(&self, sets: &[Vec<f64>]) -> (f64, f64) {
        let late: Vec<bool> = self.classes.keys().map(|class| is_late(class)).collect();
        let of_set = |set: &Vec<f64>| -> f64 {
            set.iter().zip(&late).filter(|(_, late)| **late).map(|(weight, _)| weight).sum()
        };
        let shares: Vec<f64> = sets.iter().map(of_set).collect();
        let count = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / count;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        (mean, (squares / (count - 1.0) / count).sqrt())
    }
}

/// Whether a class, written as the move that picks it, is late.
fn is_late(class: &str) -> bool {
    let number = class.trim_matches(|letter: char| !letter.is_ascii_digit());
    number.parse::<usize>().unwrap().is_multiple_of(2)
}

/// The posterior over the first move of `random`: every history that explains the evidence, weighted by the
/// probability of the moves of `random`. There is no other role.
fn posterior<M: StateMachine>(
    machine: &M,
    me: Role,
    random: Role,
    evidence: &Evidence,
) -> BTreeMap<String, f64> {
    let mut scratch = machine.scratch();
    let mut open: Vec<(Option<String>, M::State, f64)> = vec![(None, machine.initial(), 1.0)];
    for observed in &evidence.steps {
        let mut next = Vec::new();
        for (class, state, prior) in &open {
            let mut legal = machine.legal_by_role(state, &mut scratch);
            legal[me].retain(|&own| observed.own.admits(own));
            let share = prior / legal[random].len() as f64;
            for joint in JointMoves::new(&legal) {
                let seen = machine.percepts(state, &joint, me, &mut scratch);
                let after = machine.next(state, &joint, &mut scratch);
                if seen == observed.percepts && !machine.terminal(&after, &mut scratch) {
                    let class = class.clone().unwrap_or_else(|| machine.show_move(joint.of(random)));
                    next.push((Some(class), after, share));
                }
            }
        }
        open = next;
    }
    let total: f64 = open.iter().map(|(_, _, share)| share).sum();
    let mut classes = BTreeMap::new();
    for (class, _, share) in open {
        *classes.entry(class.unwrap()).or_default() += share / total;
    }
    classes
}

fn case(sheet: LateEvidence) -> Case {
    let case = Case::new(&sheet.rules(), sheet.step());
    assert_eq!(case.classes.len(), sheet.classes);
    let even = 1.0 / sheet.classes as f64;
    assert!(case.classes.values().all(|probability| (probability - even).abs() < 1e-12));
    case
}

/// The sets of the sampler and as many of independent draws.
fn sets(case: &Case, spec: &str, replicates: usize) -> [Vec<Vec<f64>>; 2] {
    // The engine is made before the threads ask for it.
    case.engines.get(EngineKind::Auto).unwrap();
    let sampled = (0..replicates).into_par_iter().map(|replicate| case.sampled(spec, replicate)).collect();
    [sampled, (0..replicates).map(|replicate| case.drawn(replicate)).collect()]
}

/// The bias of a sampler over that of independent draws, with what is printed of it.
fn ratio(name: &str, case: &Case, spec: &str, replicates: usize) -> f64 {
    let [sampled, drawn] = sets(case, spec, replicates);
    let [own, others] = [&sampled, &drawn].map(|sets| case.bias(sets));
    let ((late, error), (late_drawn, _)) = (case.late(&sampled), case.late(&drawn));
    println!(
        "{name}, {spec}: bias TV {own:.4}, independent draws {others:.4}, ratio {:.2}; late classes {late:.4} +- \
         {error:.4}, independent draws {late_drawn:.4}",
        own / others
    );
    own / others
}

/// Half of the weight belongs to the late classes. 400 replicates of 16 independent draws have a standard error of
/// 0.006 there.
#[test]
fn neither_kind_of_class_is_left_more_often_than_it_is_entered() {
    let mut wrong = Vec::new();
    for sheet in SHEETS {
        let case = case(sheet);
        for spec in SAMPLERS {
            let [sampled, drawn] = sets(&case, spec, 400);
            let [(late, error), (of_draws, draw_error)] = [&sampled, &drawn].map(|sets| case.late(sets));
            let figures = format!("{sheet:?}, {spec}: late classes {late:.4} +- {error:.4}");
            println!("{figures}, independent draws {of_draws:.4}");
            assert!((of_draws - 0.5).abs() < 4.5 * draw_error, "{of_draws} +- {draw_error}");
            let off = (late - 0.5).abs();
            if off > 0.06 || off > (4.5 * error).max(1e-9) {
                wrong.push(figures);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "minutes"]
fn the_bias_on_late_evidence_is_that_of_independent_draws() {
    let ratios: Vec<f64> = SHEETS
        .into_iter()
        .flat_map(|sheet| {
            let case = case(sheet);
            SAMPLERS.map(|spec| ratio(&format!("{sheet:?}"), &case, spec, 16_000))
        })
        .collect();
    assert!(ratios.iter().all(|&ratio| ratio <= 1.3), "{ratios:.2?}");
}

/// The rulesheet of the field: what the generator writes for 200 classes and 10 cards is the same game.
#[test]
#[ignore = "a minute"]
fn the_bias_on_the_late_evidence_of_the_field_is_that_of_independent_draws() {
    let Some(field) = field() else { return };
    let path = field.join("beliefs/late_200_10.kif");
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return;
    }
    let (of_field, generated) = (Case::new(&text(&path), 3), case(SHEETS[0]));
    assert_eq!(of_field.classes, generated.classes);
    let ratios = SAMPLERS.map(|spec| ratio("late_200_10.kif", &of_field, spec, 16_000));
    assert!(ratios.iter().all(|&ratio| ratio <= 1.3), "{ratios:.2?}");
}
