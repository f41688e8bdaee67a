//! Players that are told how another role plays, judged by their value against it: beside an exact best response, which shares no
//! code with their searches.

use std::sync::Arc;

use crate::common::machines::imperfect;
use hyperplay::belief::{OpponentModel, SharedModel};
use hyperplay::engine::Engine as Machine;
use hyperplay::for_engine::{game_tree, grow, play_match};
use hyperplay::machine::{Budget, ByRole, Evidence, Move, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::player::{
    Asking, Decision, DecisionBudget, Player, PlayerSpec, Registry, Seat, SpecEntry, View, ask_policy,
};
use hyperplay::referee::{Interrupt, Settings, match_seed};
use hyperplay::solve::{
    GameTree, GrowingMinimiser, GrowingOptions, Profile, SequenceForm, SolveLimits, TreeLimits,
    linear_program,
};

/// Always folds to a bet, and checks otherwise.
struct Nit(Arc<Machine>);

impl OpponentModel for Nit {
    fn policy(&self, _: Role, _: &Evidence, legal: &[Move]) -> Vec<f64> {
        let place = |word: &str| legal.iter().position(|&own| self.0.show_move(own) == word);
        let chosen = place("fold").or(place("check")).or(place("call")).unwrap_or(0);
        (0..legal.len()).map(|place| if place == chosen { 1.0 } else { 0.0 }).collect()
    }
}

impl Player for Nit {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        let shares = self.policy(Role::new(1), view.evidence, view.legal);
        Decision::draw(view.legal.iter().copied().zip(shares).collect(), seed)
    }
}

/// The players of this crate, and the model `nit`.
fn registry() -> Registry {
    let entry = SpecEntry::new("nit", "This model folds.");
    let nit = |machine: &Arc<Machine>| -> SharedModel { Arc::new(Nit(Arc::clone(machine))) };
    Registry::standard().with_model(entry, move |_, _| Ok(nit)).expect("no other model has the name")
}

/// A game with its tree.
struct Judged {
    machine: Arc<Machine>,
    tree: GameTree,
    form: SequenceForm,
}

impl Judged {
    fn new(game: &str, unit: f64) -> Judged {
        let machine = imperfect(game);
        let tree = game_tree(&machine, &TreeLimits::default()).unwrap();
        let form = SequenceForm::new(&tree, unit);
        Judged { machine, tree, form }
    }

    /// Bob as a model says, and Alice uniform.
    fn follows(&self, model: &str) -> Profile {
        let bob = Role::new(1);
        let model = registry().model(model).unwrap().model(&self.machine);
        Profile::from_fn(&self.tree, |set, moves| {
            let set = &self.tree.sets()[set];
            match set.role == bob {
                true => model.policy(bob, &self.tree.evidence(set), moves),
                false => vec![1.0; moves.len()],
            }
        })
    }

    /// What a player of Alice gets against Bob as a model says, and what a best response gets.
    fn value(&self, player: &str, model: &str) -> (f64, f64) {
        self.value_of(&registry().player(player).unwrap(), model)
    }

    fn value_of(&self, player: &PlayerSpec, model: &str) -> (f64, f64) {
        let (mut profile, alice, seed) = (self.follows(model), Role::new(0), Seed::root(1));
        let budget = DecisionBudget::default();
        let asking = Asking {
            tree: &self.tree,
            budget,
            seed: &seed,
            along_match: false,
            stop: &|| false,
            tick: &|| (),
        };
        let asked = ask_policy(player, &self.machine, alice, &asking).unwrap();
        asked.put_into(&self.tree, &mut profile);
        let verdict = self.form.judge(&profile);
        (verdict.values[alice], verdict.best_responses[alice])
    }
}

/// All but a twentieth of a best response, or of what that gets more than the value of the game where it is below 0.
#[test]
fn whoever_is_told_how_the_other_role_plays_answers_it() {
    let kuhn = Judged::new("kuhn_poker", 25.0);
    for player in ["hyperplay", "pimc", "epimc:postpone=3", "ismcts", "subgame"] {
        for model in ["nit", "uniform", "softmax", "equilibrium"] {
            let spec =
                format!("{player}{}model={model},modelled=1", if player.contains(':') { "," } else { ":" });
            let (value, best) = kuhn.value(&spec, model);
            assert!(best - value <= 0.05 * best.abs().max(0.1), "{spec}: {value} of {best}");
        }
    }
}

#[test]
fn a_model_that_is_named_is_followed_and_a_uniform_one_only_if_that_is_said() {
    let kuhn = Judged::new("kuhn_poker", 25.0);
    let value = |player: &str| kuhn.value(player, "nit").0;
    assert!((value("hyperplay:model=nit") - 1.0).abs() < 1e-9);
    assert_eq!(value("hyperplay:model=nit"), value("hyperplay:model=nit,modelled=1"));
    assert_eq!(value("hyperplay:model=nit,modelled=0"), value("hyperplay:model=nit,modelled=0.0"));
    assert!(value("hyperplay:model=nit,modelled=0") < 0.5);
    assert_eq!(value("hyperplay"), value("hyperplay:modelled=0"));
    let printed = |text: &str| registry().player(text).unwrap().spec().to_string();
    assert_eq!(printed("hyperplay:modelled=0.0"), "hyperplay:modelled=0");
}

/// Before the first match it plays as `hyperplay`, and the more matches it has seen, the more it gets.
#[test]
fn a_model_that_learns_is_answered_better_from_match_to_match() {
    for (game, after) in [("kuhn_poker", 20), ("leduc_poker", 200)] {
        let judged = Judged::new(game, 25.0);
        let learner = registry().player("hyperplay:model=learnt").unwrap();
        let value = || judged.value_of(&learner, "nit").0;
        let (plain, best) = judged.value("hyperplay", "nit");
        assert_eq!(value(), plain);
        let play = |players: &PlayerSpec, deals: std::ops::Range<usize>| {
            for deal in deals {
                let seats = ByRole::from_fn(judged.machine.roles().len(), |role| match role.index() {
                    0 => Some(players.seat(&judged.machine, role)),
                    1 => Some(Seat::player(Nit(Arc::clone(&judged.machine)))),
                    _ => None,
                });
                let (settings, seed) = (Settings::default(), match_seed(1, deal));
                let played =
                    play_match(&judged.machine, seats, &settings, &seed, &Interrupt::default(), &mut |_| ());
                players.saw(&judged.machine, Role::new(0), &played.unwrap().history());
            }
        };
        let mut values = vec![plain];
        for deals in [0..after / 4, after / 4..after] {
            play(&learner, deals);
            values.push(value());
        }
        assert!(values.is_sorted() && values[1] > plain, "{game}: {values:?} of {best}");
        assert!(values[2] > 0.95 * best, "{game}: {values:?} of {best}");
        // The prior may itself learn from the same matches.
        let twice = registry().player("hyperplay:model=[learnt:prior=[learnt:weight=8]]").unwrap();
        play(&twice, 0..2);
        judged.value_of(&twice, "nit");
        // Another series knows nothing of this one.
        assert_eq!(judged.value_of(&learner.in_series(), "nit").0, plain);
    }
}

/// In a game of which no step fits the tree, playouts choose by the model.
#[test]
fn playouts_choose_by_the_model() {
    let kuhn = Judged::new("kuhn_poker", 25.0);
    let (value, best) = kuhn.value("hyperplay:model=nit,nodes=1", "nit");
    assert!(value >= 0.95 * best, "{value} of {best}");
}

/// Bob chooses once in Kuhn poker, so it is the same whether he follows the model at each choice or in the whole match.
#[test]
fn a_tree_that_grows_finds_an_answer_as_good_as_that_of_the_linear_program() {
    let kuhn = Judged::new("kuhn_poker", 25.0);
    let Judged { machine, tree, form } = &kuhn;
    let (alice, bob) = (Role::new(0), Role::new(1));
    let limits =
        SolveLimits { nash_conv: 0.0, iterations: 1_000, budget: Budget::UNLIMITED, stop: &|| false };
    for (model, share) in [("nit", 0.25), ("softmax", 0.5), ("softmax", 1.0)] {
        let fixed = kuhn.follows(model);
        let expected = linear_program(&form.restricted(bob, share, &fixed), &limits).unwrap();
        let model = registry().model(model).unwrap().model(machine);
        let policy = move |role: Role, known: &Evidence, legal: &[Move]| model.policy(role, known, legal);
        let minimiser = GrowingMinimiser::new(&**machine, GrowingOptions::default());
        let mut minimiser = minimiser.following(alice, share, Arc::new(policy));
        grow(&mut minimiser, machine, 2_000, &Seed::root(1)).unwrap();
        let own = minimiser.to_profile(tree);
        let of = |set: usize| if tree.sets()[set].role == bob { &fixed } else { &own }.of(tree, set);
        let verdict = form.judge(&Profile::from_fn(tree, |set, _| of(set).to_vec()));
        let worth = share * verdict.values[alice] - (1.0 - share) * verdict.best_responses[bob];
        let best = expected.point.verdict.values[alice];
        assert!((worth - best).abs() < 1e-3, "{share}: {worth}, not {best}");
    }
}
