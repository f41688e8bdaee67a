//! Linear leaf values: their sums are those of the facts, and every search uses them.

use std::sync::Arc;

use crate::common::machines::{built_in, imperfect, machine_of, seat};
use crate::common::program::Folder;
use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::machine::{
    Budget, Evidence, History, Role, Seed, Start, State, StateMachine as _, StateMachineExt as _, Tally,
};
use hyperplay::player::{ClairvoyantView, LinearFile, LinearValues, Registry, SpecFile, View};
use hyperplay::search::LeafValues;

/// A file in which the weight of a fact follows from its text.
fn file(machine: &Engine, facts: &[String]) -> String {
    let weights: Vec<String> = facts.iter().map(|fact| format!("\"{fact}\": {}", weight(fact))).collect();
    let of =
        |role: &String| format!("\"{role}\": {{\"constant\": 37.25, \"facts\": {{{}}}}}", weights.join(", "));
    let roles: Vec<String> = machine.roles().values().iter().map(of).collect();
    format!("{{\"schema\": \"hyperplay.linear/1\", \"roles\": {{{}}}}}", roles.join(", "))
}

fn weight(fact: &str) -> f64 {
    fact.bytes().map(f64::from).sum::<f64>() % 7.0 - 2.5
}

/// The states of some random matches, none terminal.
fn states(machine: &Engine) -> Vec<State> {
    let (mut scratch, mut states) = (machine.scratch(), Vec::new());
    for number in 0..20 {
        let (mut state, mut rng) = (machine.initial(), Seed::root(3).index(number).rng());
        while !machine.terminal(&state, &mut scratch) {
            states.push(state.clone());
            let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
            state = machine.next(&state, &joint, &mut scratch);
        }
    }
    states
}

fn leaves(folder: &Folder, machine: &Arc<Engine>) -> Arc<dyn LeafValues<Engine>> {
    let spec = format!("ismcts:leaf={}", folder.path("leaf.json").display());
    let files = Registry::standard().player(&spec).unwrap();
    let [(_, SpecFile::Linear(file))] = files.spec().files()[..] else { panic!("{spec}") };
    Arc::new(LinearValues::new(machine, file))
}

#[test]
fn a_leaf_is_worth_the_sum_of_the_weights_of_its_facts_on_every_engine() {
    for of in [built_in("perfect/tictactoe.kif"), imperfect("leduc_poker"), imperfect("rock_paper_scissors")]
    {
        let folder = Folder::new();
        let known: Vec<Vec<String>> = states(&of).iter().map(|state| of.fluents(state)).collect();
        let mut facts: Vec<String> = known.into_iter().flatten().collect();
        facts.sort();
        facts.dedup();
        folder.write("leaf.json", &file(&of, &facts));
        let engines = Engines::new(of.game());
        for kind in [EngineKind::Interpreter, EngineKind::Propagator, EngineKind::Auto] {
            let machine = engines.get(kind).unwrap();
            let leaves = leaves(&folder, &machine);
            let states = states(&machine);
            let starts = |first: bool, count: u32| -> Vec<Start<State>> {
                let own = |state: &State| {
                    let legal = machine.legal_by_role(state, &mut machine.scratch());
                    let role = machine.each_role().find(|&role| Some(role) != machine.random()).unwrap();
                    vec![(role, legal[role][0])]
                };
                let start = |state: &State| {
                    let first = if first { own(state) } else { Vec::new() };
                    Start { state: state.clone(), first, weights: None, count }
                };
                states.iter().map(start).collect()
            };
            let tallies = |starts: &[Start<State>]| -> Vec<Tally> {
                leaves.tallies(&machine, starts, &Seed::root(1), &Budget::UNLIMITED, &mut machine.scratch())
            };
            let value = |state: &State| {
                let sum: f64 = machine.fluents(state).iter().map(|fact| weight(fact)).sum();
                (37.25 + sum).clamp(0.0, 100.0)
            };
            for (state, tally) in states.iter().zip(tallies(&starts(false, 10_000))) {
                assert_eq!(tally.count, 10_000);
                assert!(
                    (tally.mean(Role::new(0)) - value(state)).abs() < 1e-3,
                    "{}",
                    machine.fluents(state).join(" ")
                );
            }
            // One alone is rounded up or down; the mean over many is the value.
            let ones = tallies(&vec![starts(false, 1)[0].clone(); 4_000]);
            let mean = ones.iter().map(|tally| tally.mean(Role::new(0))).sum::<f64>() / 4_000.0;
            assert!((mean - value(&states[0])).abs() < 0.05, "{mean} {}", value(&states[0]));
            // With a first move it is the mean over the states after it, or the goals where these are ends.
            let starts = starts(true, 2_000);
            for (start, tally) in starts.iter().zip(tallies(&starts)).step_by(7) {
                let mut scratch = machine.scratch();
                let mut legal = machine.legal_by_role(&start.state, &mut scratch);
                legal[start.first[0].0] = vec![start.first[0].1];
                let after: Vec<f64> = hyperplay::machine::JointMoves::new(&legal)
                    .map(|joint| {
                        let next = machine.next(&start.state, &joint, &mut scratch);
                        match machine.terminal(&next, &mut scratch) {
                            true => f64::from(machine.goal(&next, Role::new(0), &mut scratch).value()),
                            false => value(&next),
                        }
                    })
                    .collect();
                let expected = after.iter().sum::<f64>() / after.len() as f64;
                // Five standard errors of 2,000 draws.
                let spread =
                    after.iter().map(|one| (one - expected).powi(2)).sum::<f64>() / after.len() as f64;
                let most = 5.0 * (spread / 2_000.0).sqrt() + 1e-3;
                assert!((tally.mean(Role::new(0)) - expected).abs() < most, "{tally:?} {after:?}");
            }
        }
    }
}

/// One role says a number, and another wins or loses by a draw that no search can foresee; a file says that 3 is best.
const NUMBERS: &str = "(role me) (role other) (number 1) (number 2) (number 3) (number 4) (init (step 1))
    (<= (legal me (say ?n)) (number ?n) (true (step 1))) (<= (legal me wait) (not (true (step 1))))
    (<= (legal other left) (not (true (step 1)))) (<= (legal other right) (not (true (step 1))))
    (<= (legal other wait) (true (step 1)))
    (<= (next (said ?n)) (does me (say ?n))) (<= (next (said ?n)) (true (said ?n)))
    (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2))) (<= (next (step 4)) (true (step 3)))
    (<= (next even) (does other left) (not (true even))) (<= (next even) (does other right) (true even))
    (<= terminal (true (step 4)))
    (<= (goal me 100) (true even)) (<= (goal me 0) (not (true even)))
    (<= (goal other 0) (true even)) (<= (goal other 100) (not (true even)))";

#[test]
fn every_search_uses_them() {
    let machine = machine_of(NUMBERS);
    let folder = Folder::new();
    folder.write(
        "leaf.json",
        r#"{"schema": "hyperplay.linear/1", "roles": {"ME": {"constant": 20, "facts": {"(said 3)": 70}},
            "other": {"constant": 80, "facts": {"( Said  3)": -70}}}}"#,
    );
    let (role, mut scratch) = (Role::new(0), machine.scratch());
    let legal = machine.legal_by_role(&machine.initial(), &mut scratch)[role].clone();
    let evidence = Evidence::new(role);
    let view = View { evidence: &evidence, legal: &legal };
    let leaf = folder.path("leaf.json").display().to_string();
    for player in [
        "hyperplay:search=flat",
        "hyperplay:search=uct,playouts=12",
        "hyperplay:search=alphabeta,nodes=5",
        "pimc:search=flat",
        "clairvoyant:search=flat",
        "epimc:search=flat,postpone=1",
        "ismcts:simulations=12,final=value",
    ] {
        let mut player = seat(&format!("{player},leaf={leaf}"), &machine, role);
        let seen = ClairvoyantView { own: view, history: &History::default() };
        let decision = player.decide(&seen, &Budget::UNLIMITED, &Seed::root(1)).unwrap();
        assert_eq!(machine.show_move(decision.choice), "(say 3)", "{decision:?}");
    }
}

#[test]
fn a_file_of_another_game_is_refused_with_what_is_wrong() {
    let machine = machine_of(NUMBERS);
    let folder = Folder::new();
    let misfit = |roles: &str, rules: &str| {
        let text = format!("{{\"schema\": \"hyperplay.linear/1\"{rules}, \"roles\": {{{roles}}}}}");
        folder.write("leaf.json", &text);
        let spec = format!("ismcts:leaf={}", folder.path("leaf.json").display());
        Registry::standard().player(&spec).unwrap().spec().misfit(machine.roles().values(), "sha256:1")
    };
    let of = |role: &str| format!("\"{role}\": {{\"constant\": 50, \"facts\": {{}}}}");
    let both = [of("me"), of("other")].join(", ");
    assert_eq!(misfit(&both, ""), None);
    assert!(
        misfit(&of("me"), "").unwrap().ends_with("it says nothing about the role 'other'; list every role")
    );
    assert!(misfit(&of("mee"), "").unwrap().contains("the game has no role 'mee'"));
    let other = misfit(&both, ", \"rules\": \"sha256:2\"").unwrap();
    assert!(other.ends_with("it is of another game, with rules sha256:2; these are sha256:1"), "{other}");
    let linear = |facts: &str| {
        let role = format!("\"me\": {{\"constant\": 50, \"facts\": {{{facts}}}}}");
        let text = format!("{{\"schema\": \"hyperplay.linear/1\", \"roles\": {{{role}}}}}");
        LinearFile::parse("leaf.json".as_ref(), &text).unwrap().impossible(machine.game())
    };
    assert_eq!(linear("\"(said 4)\": 1, \"even\": 2"), None);
    let wrong = linear("\"(said 4)\": 1, \"(said 5)\": 2").unwrap();
    assert!(wrong.starts_with("leaf.json: role 'me': no rule can make the fact '(said 5)' true"), "{wrong}");
}
