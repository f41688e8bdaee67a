//! Measures how much of their clock players use: the latest answer of a match, and how many answers were late.
//!
//! `cargo bench --bench clocks -- FILE...` plays one match of every file for every clock and prints the decisions, the
//! late ones, the latest answer in percent of the clock, and the decisions on a depleted belief. The environment says
//! more: `CLOCKS` (seconds, as in `0.2,1,5`), `SPEC` (a player), `ENGINE` and `STEPS`. One player has each role in turn;
//! the others are random, so the match does not depend on how fast they think. `cargo test` runs it with one short round.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{Budget, ByRole, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::player::{Decision, Player, Registry, Seat, View};
use hyperplay::referee::{Clocks, Interrupt, Settings, play_match};

/// What was seen of the decisions of one player.
#[derive(Default)]
struct Seen {
    decisions: usize,
    depleted: usize,
    unjudged: usize,
    latest: Duration,
}

/// A player whose decisions are timed.
struct Timed {
    player: Box<dyn Player>,
    seen: Arc<Mutex<Seen>>,
}

impl Player for Timed {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let begun = Instant::now();
        let decision = self.player.decide(view, budget, seed);
        let mut seen = self.seen.lock().unwrap();
        seen.latest = seen.latest.max(begun.elapsed());
        seen.decisions += 1;
        seen.depleted += usize::from(decision.depleted);
        seen.unjudged += usize::from(decision.values.is_empty() && view.legal.len() > 1);
        decision
    }
}

/// One match; how many answers were late, and what was seen.
fn round(machine: &Arc<Engine>, spec: &str, role: Role, clock: f64, steps: usize) -> (usize, Seen) {
    let registry = Registry::standard();
    let seen = Arc::new(Mutex::new(Seen::default()));
    let seats = machine.each_role().map(|each| {
        if machine.random() == Some(each) {
            return None;
        }
        let own = if each == role { spec } else { "random" };
        Some(match registry.player(own).unwrap().seat(machine, each) {
            Seat::Player(player) if each == role => Seat::player(Timed { player, seen: Arc::clone(&seen) }),
            seat => seat,
        })
    });
    let players = ByRole::new(seats.collect());
    let clocks = Clocks { start: Duration::ZERO, play: Duration::from_secs_f64(clock) };
    let settings = Settings { clocks: Some(clocks), limit: steps, ..Settings::default() };
    let played =
        play_match(&**machine, players, &settings, &Seed::root(1), &Interrupt::default(), |_| ()).unwrap();
    let late = played.faults().filter(|(_, fault)| fault.role == role).count();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (late, seen)
}

fn engine(file: &str, kind: EngineKind) -> Arc<Engine> {
    let loaded = load(Source::new(file, std::fs::read_to_string(file).unwrap()), None);
    Engines::new(&loaded.game.unwrap()).get(kind).unwrap()
}

fn print_round(machine: &Arc<Engine>, file: &str, spec: &str, role: Role, clock: f64, steps: usize) -> usize {
    let (late, seen) = round(machine, spec, role, clock, steps);
    let name = file.rsplit('/').next().unwrap_or(file);
    let share = 100.0 * seen.latest.as_secs_f64() / clock;
    println!(
        "{name:30} {:11} {spec:12} {:12} {clock:5} s  {:3} decisions  {late:2} late  latest {share:5.1} %  {:2} depleted  {:2} unjudged",
        machine.kind().as_str(),
        machine.roles()[role],
        seen.decisions,
        seen.depleted,
        seen.unjudged,
    );
    late
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let of = |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    if files.is_empty() {
        let file = format!("{}/games/imperfect/krieg_tictactoe_3x3.kif", env!("CARGO_MANIFEST_DIR"));
        let machine = engine(&file, EngineKind::Interpreter);
        // A second is long enough for any machine that is not stopped.
        assert_eq!(print_round(&machine, &file, "hyperplay", Role::new(0), 1.0, 2), 0);
        return;
    }
    let (spec, steps) = (of("SPEC", "hyperplay"), of("STEPS", "20").parse().unwrap());
    let kind = of("ENGINE", "auto").parse::<EngineKind>().unwrap();
    let mut late = 0;
    for file in &files {
        let begun = Instant::now();
        let machine = engine(file, kind);
        machine.prepare();
        println!("# {file}: {} in {:.1} s", machine.kind(), begun.elapsed().as_secs_f64());
        let roles: Vec<Role> = machine.each_role().filter(|&role| machine.random() != Some(role)).collect();
        for (number, clock) in of("CLOCKS", "0.2,1").split(',').enumerate() {
            let role = roles[number % roles.len()];
            late += print_round(&machine, file, &spec, role, clock.parse().unwrap(), steps);
        }
    }
    println!("{late} late");
}
