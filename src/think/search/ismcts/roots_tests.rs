//! The tests of where simulations begin and of who learns from them, on toys.

use super::super::context::toy_context as context;
use super::tests::{hidden, options, shares, values};
use super::*;
use crate::toy::{State, Toy, at, choice, end};
use hyperplay_machine::{Observation, OwnMove, Percepts, Seed, StateMachineExt as _};

/// What a role knows that was told this entry in the first step.
fn told(toy: &Toy, role: usize, entry: u8) -> Evidence {
    let mut evidence = Evidence::new(Role::new(role));
    let own = OwnMove::Known(toy.mv(entry));
    evidence.steps.push(Observation { own, percepts: Percepts::default() });
    evidence
}

/// The first role knows that the entry is 0, and the other does not. It guesses right where it learns from nothing else.
#[test]
fn other_roles_act_on_what_they_hold_possible_and_by_the_model() {
    let (toy, state) = (hidden(), at(0));
    let legal = toy.legal_by_role(&state, &mut ())[Role::new(0)].clone();
    let known = |_, role: Role| if role.index() == 0 { told(&toy, 0, 0) } else { Evidence::new(role) };
    let held = |place, role: Role, _: &Budget| {
        assert_eq!((place, role.index()), (0, 1), "nobody else is asked");
        let known = |entry| vec![told(&toy, 0, entry), Evidence::new(role)];
        let of = |entry| HeldState { state: at(entry), weight: 0.5, known: known(entry) };
        (vec![of(0), of(1)], 3)
    };
    let model = |role: Role, evidence: &Evidence, legal: &[Move]| {
        assert_eq!((role.index(), evidence.step(), legal.len()), (1, 1, 2));
        vec![0.0, 1.0]
    };
    let run_with = |seed, held: Option<&Held<'_, State>>, others, model_share| {
        let possible = PossibleStates { states: &[(&state, 1.0)], known: &known, held, model: Some(&model) };
        let options = IsmctsOptions { others, model_share, ..options(4_000) };
        let mut context = context(&toy, 0, Budget::UNLIMITED);
        context.seed = Seed::root(seed);
        ismcts(&mut context, &possible, &legal, &options)
    };
    let run = |held, others, model_share| run_with(1, held, others, model_share);
    let betrayed = run(None, 0, 0.0);
    assert!(values(&betrayed)[1] < 20.0 && shares(&betrayed)[0] > 0.9, "{betrayed:?}");
    let hidden = run(Some(&held), 10, 0.0);
    assert!(shares(&hidden)[1] > 0.8, "{hidden:?}");
    // A guess that was lucky is made more often for a while.
    let mean =
        |share| (0..20).map(|seed| values(&run_with(seed, Some(&held), 10, share))[1]).sum::<f64>() / 20.0;
    assert!((mean(0.0) - 50.0).abs() < 5.0, "{}", mean(0.0));
    assert_eq!(
        (hidden.simulations, hidden.steps),
        (4_000, 4_003 + hidden.playouts),
        "what was looked up counts"
    );
    let own: u32 = hidden.moves.iter().map(|simulated| simulated.visits).sum();
    // Half of each round, and rounds of one simulation begin where the first role is.
    assert!((2_000..2_200).contains(&own), "{own}");
    // The model guesses wrong.
    let modelled = run(None, 0, 1.0);
    assert_eq!(values(&modelled)[1], 100.0);
    // In half of the simulations 100, in the others at most 50: the other role learns that the first one dares more where
    // the model helps it.
    assert!((55.0..75.0).contains(&mean(0.5)), "{}", mean(0.5));
    // A search ahead teaches the other role nothing in the first role's state either.
    let possible = PossibleStates { states: &[(&state, 1.0)], known: &known, held: Some(&held), model: None };
    let mut tree = IsmctsTree::new(&toy);
    let mut context = context(&toy, 0, Budget::UNLIMITED);
    assert!(tree.search_ahead(
        &mut context,
        &possible,
        &legal,
        &IsmctsOptions { others: 10, ..options(4_000) }
    ));
    let ahead = tree.search(&mut context, &possible, &legal, &options(2));
    assert!(ahead.before > 1_900 && (values(&ahead)[1] - 50.0).abs() < 10.0, "{ahead:?}");
    let (none, some) = (run(None, 10, 0.0), run(Some(&held), 0, 0.0));
    assert!(none == betrayed && some == betrayed, "there is nothing to search from");
}

/// The second role has a reply after which it wins, and one after which it loses; the first role sees neither.
#[test]
fn other_roles_choose_by_the_model_where_a_search_ahead_begins() {
    let entries = vec![choice(&[1, 2], &[1, 2]), choice(&[2, 1], &[3, 3]), choice(&[2, 1], &[4, 4])];
    let toy = Toy::table(&["a", "b"], entries.into_iter().chain([end(&[0, 100]), end(&[100, 0])]).collect());
    let model = |_: Role, _: &Evidence, legal: &[Move]| vec![1.0; legal.len()];
    let states = [at(0), at(1), at(2)];
    let searched = |is_ahead: bool| {
        let (mut tree, mut context) = (IsmctsTree::new(&toy), context(&toy, 0, Budget::UNLIMITED));
        let known = |_, role| Evidence::new(role);
        let possible =
            PossibleStates { states: &[(&states[0], 1.0)], known: &known, held: None, model: Some(&model) };
        let legal = toy.legal_by_role(&states[0], &mut ())[Role::new(0)].clone();
        match is_ahead {
            true => assert!(tree.search_ahead(&mut context, &possible, &legal, &options(1_000))),
            false => {
                assert_eq!(tree.search(&mut context, &possible, &legal, &options(1_000)).simulations, 1_000)
            }
        }
        let known = |_, role: Role| told(&toy, role.index(), 0);
        let possible = [(&states[1], 0.5), (&states[2], 0.5)];
        let possible = PossibleStates { states: &possible, known: &known, held: None, model: Some(&model) };
        let legal = toy.legal_by_role(&states[1], &mut ())[Role::new(0)].clone();
        let made = tree.search(&mut context, &possible, &legal, &options(2));
        assert!(made.before > 900, "{made:?}");
        values(&made).iter().sum::<f64>() / 2.0
    };
    let (ahead, plain) = (searched(true), searched(false));
    assert!((ahead - 50.0).abs() < 5.0 && plain < 20.0, "{ahead} {plain}");
}
