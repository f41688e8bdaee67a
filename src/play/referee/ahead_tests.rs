//! Tests of thinking ahead in matches: when a player does, when it never does, and that it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::{Clocks, FaultKind, Interrupt, Match, Settings, play_match};
use crate::player::{Decision, Player, Reason, Registry, Seat, View};
use crate::toy::Toy;
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{Budget, ByRole, Evidence, JointMove, Role, Seed, StateMachine, StateMachineExt};

/// Turns that are waited for.
const TURNS: usize = 5;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

const HOUR: Duration = Duration::from_secs(3600);

/// A player that thinks ahead for as long as it may.
struct Ahead {
    turns: Arc<AtomicUsize>,
    /// Hears of the turn of this number.
    told: Sender<usize>,
    panics: bool,
}

impl Player for Ahead {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        Decision::uniform(view.legal, seed)
    }

    fn think_ahead(&mut self, evidence: &Evidence, budget: &Budget, _: &Seed) -> bool {
        assert!(!self.panics, "out of ideas");
        assert!(budget.left().is_some_and(|left| left <= Duration::from_millis(30)));
        assert!(evidence.step() < 2);
        let turns = self.turns.fetch_add(1, Ordering::SeqCst) + 1;
        let _ = self.told.send(turns);
        true
    }
}

/// A match of the coin game, in which the guesser thinks ahead. `rest` is called after each step.
fn play(
    settings: Settings,
    panics: bool,
    mut rest: impl FnMut(&Receiver<usize>),
) -> (Match, Arc<AtomicUsize>, Receiver<usize>) {
    let (told, hears) = channel();
    let turns = Arc::<AtomicUsize>::default();
    let player = Ahead { turns: Arc::clone(&turns), told, panics };
    let seats = ByRole::new(vec![None, Some(Seat::player(player))]);
    let seed = Seed::root(1);
    let played = play_match(&Toy::coin(), seats, &settings, &seed, &Interrupt::default(), |_| rest(&hears));
    (played.unwrap(), turns, hears)
}

fn clocked() -> Settings {
    Settings { clocks: Some(Clocks { start: Duration::ZERO, play: HOUR }), ..Settings::default() }
}

fn wait_for(turns: usize, hears: &Receiver<usize>) {
    while hears.recv_timeout(PATIENCE).expect("it thinks ahead") < turns {}
}

#[test]
fn a_player_with_a_clock_thinks_ahead_between_its_decisions_until_the_match_is_over() {
    let mut wanted = 0;
    let (played, _, hears) = play(clocked(), false, |hears| {
        wanted += TURNS;
        wait_for(wanted, hears);
    });
    assert_eq!((played.steps.len(), played.faults().count(), wanted), (2, 0, 2 * TURNS));
    // The sender is dropped with the player, at the end of its thread.
    while hears.recv_timeout(PATIENCE) != Err(std::sync::mpsc::RecvTimeoutError::Disconnected) {}
}

#[test]
fn nobody_thinks_ahead_without_a_clock_under_a_limit_in_states_or_where_it_is_not_wanted() {
    let without = Settings::default();
    let counted = Settings { nodes: Some(1_000), ..clocked() };
    let unwanted = Settings { think_ahead: false, ..clocked() };
    let short = Clocks { start: Duration::ZERO, play: Duration::from_millis(20) };
    let short = Settings { clocks: Some(short), ..Settings::default() };
    for settings in [without, counted, unwanted, short] {
        assert!(!settings.thinks_ahead());
        let (played, turns, hears) = play(settings, false, |_| ());
        assert_eq!(played.steps.len(), 2);
        while hears.recv_timeout(PATIENCE).is_ok() {}
        assert_eq!(turns.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn a_panic_between_two_decisions_is_a_fault_of_the_next_one() {
    let (played, _, _) = play(clocked(), true, |hears| {
        // The thread ends, and the sender with it.
        assert!(hears.recv_timeout(PATIENCE).is_err());
    });
    let kinds: Vec<_> = played.faults().map(|(step, fault)| (step, fault.kind.clone())).collect();
    assert_eq!(kinds, [(2, FaultKind::Crashed("out of ideas".to_owned()))]);
}

fn phantom_tictactoe() -> Arc<Engine> {
    let text = include_str!("../../../games/imperfect/phantom_tictactoe.kif");
    let game = load(Source::new("phantom", text), None).game.unwrap();
    Engines::new(&game).get(EngineKind::Auto).unwrap()
}

/// The simulations that the second decision of this player found in its tree, and those that it made. The other role moves
/// first, and meanwhile the player thinks ahead for `turns` turns.
fn found(machine: &Arc<Engine>, spec: &str, turns: usize) -> (u64, u64) {
    let (mut scratch, budget) = (machine.scratch(), Budget::time(HOUR).with_nodes(2_000));
    let Seat::Player(mut player) = Registry::standard().player(spec).unwrap().seat(machine, Role::new(1))
    else {
        panic!("it knows what its role knows")
    };
    let (mut state, mut evidence) = (machine.initial(), Evidence::new(Role::new(1)));
    let mut said = None;
    for step in 0..2 {
        let legal = machine.legal_by_role(&state, &mut scratch);
        let view = View { evidence: &evidence, legal: &legal[Role::new(1)] };
        assert_eq!(legal[Role::new(1)].len() > 1, step == 1, "the first role begins");
        let decision = player.decide(&view, &budget, &Seed::root(1).index(step));
        if step == 0 {
            for turn in 0..turns {
                if !player.think_ahead(&evidence, &budget, &Seed::root(2).index(turn)) {
                    break;
                }
            }
        }
        let joint = JointMove::new(legal.values().iter().map(|moves| moves[0]));
        let percepts = machine.percepts(&state, &joint, Role::new(1), &mut scratch);
        let own = hyperplay_machine::OwnMove::Known(joint.of(Role::new(1)));
        evidence.steps.push(hyperplay_machine::Observation { own, percepts });
        state = machine.next(&state, &joint, &mut scratch);
        said = Some(decision);
    }
    let reasons = said.unwrap().reasons;
    let simulated = reasons.iter().find_map(|reason| match reason {
        Reason::Simulated { simulations, before, .. } => Some((*before, *simulations)),
        _ => None,
    });
    simulated.expect("it searched")
}

#[test]
fn a_player_that_thinks_ahead_finds_more_simulations_in_its_tree_at_its_next_decision() {
    let machine = phantom_tictactoe();
    let (none, made) = found(&machine, "ismcts:keep=on", 0);
    assert!(none == 0 && made > 100, "its first decision was no choice: {none}, {made}");
    let (few, _) = found(&machine, "ismcts:keep=on", 2);
    let (many, made) = found(&machine, "ismcts:keep=on", 20);
    assert!(few > 100 && many > 5 * few && made > 100, "{few}, {many}, {made}");
    for spec in
        ["ismcts:keep=off", "ismcts:keep=on,simulations=300", "ismcts:keep=on,memory=1,simulations=300"]
    {
        assert_eq!(found(&machine, spec, 20).0, 0, "{spec} keeps nothing, or says how much it does");
    }
}

#[test]
fn a_player_whose_simulations_are_counted_plays_the_same_with_a_clock_and_without() {
    let machine = phantom_tictactoe();
    let played = |settings: &Settings| {
        let player =
            || Registry::standard().player("ismcts:simulations=200").unwrap().seat(&machine, Role::new(0));
        let other =
            || Registry::standard().player("hyperplay:playouts=60").unwrap().seat(&machine, Role::new(1));
        let seats = machine.each_role().map(|role| match role.index() {
            _ if machine.random() == Some(role) => None,
            0 => Some(player()),
            _ => Some(other()),
        });
        let seats = ByRole::new(seats.collect());
        let played =
            play_match(&*machine, seats, settings, &Seed::root(3), &Interrupt::default(), |_| ()).unwrap();
        let steps = played.steps.iter().map(|step| (step.joint.clone(), step.decisions.clone()));
        (steps.collect::<Vec<_>>(), played.outcome)
    };
    let with = played(&clocked());
    assert!(with.0.len() > 4);
    assert_eq!(with, played(&Settings { think_ahead: false, ..clocked() }));
}
