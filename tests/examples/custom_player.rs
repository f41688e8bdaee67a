//! A custom player: it bets with a king, and bluffs now and then. `docs/extending.md` walks through this file.
//!
//! ```text
//! cargo run --release --example custom_player
//! cargo run --release --example custom_player -- match kuhn_poker alice=tight:bluff=0.3 bob=hyperplay -n 100
//! ```

use std::process::ExitCode;
use std::sync::Arc;

use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{Budget, ByRole, Move, Seed, StateMachine, StateMachineExt};
use hyperplay::player::{Decision, Player, Registry, Seat, SpecEntry, SpecKey, View};
use hyperplay::referee::{Interrupt, MatchOutcome, Settings, match_seed, play_match};

/// Bets and calls with a king, else only by a bluff.
struct Tight {
    machine: Arc<Engine>,
    bluff: f64,
}

impl Player for Tight {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        let mut seen = view.evidence.steps.iter().flat_map(|step| step.percepts.iter());
        let has_king = seen.any(|percept| self.machine.terms().show(percept.0) == "(your_card king)");
        let is_bold = |own: &&Move| ["bet", "call"].contains(&self.machine.show_move(**own).as_str());
        let (bold, meek): (Vec<&Move>, Vec<&Move>) = view.legal.iter().partition(is_bold);
        let boldness = if has_king { 1.0 } else { self.bluff };
        let [Some(&&bold), Some(&&meek)] = [bold.first(), meek.first()] else {
            return Decision::uniform(view.legal, seed);
        };
        Decision::draw(vec![(bold, boldness), (meek, 1.0 - boldness)], seed)
    }
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let entry = SpecEntry::new("tight", "bets and calls with a king, else only by a bluff")
        .with(SpecKey::real("bluff", 0.0..=1.0, 0.1, "how likely a bluff is"));
    let registry = Registry::standard().with_player(entry, |spec, _| {
        let bluff = spec.real("bluff");
        Ok(move |machine: &Arc<Engine>, _| Seat::player(Tight { machine: Arc::clone(machine), bluff }))
    })?;
    if std::env::args().len() > 1 {
        return Ok(hyperplay::cli::run_with(&registry));
    }
    let text = include_str!("../../games/imperfect/kuhn_poker.kif");
    let game = load(Source::new("kuhn_poker", text), None).game.ok_or("the rules are in order")?;
    let machine = Engines::new(&game).get(EngineKind::Auto)?;
    let specs = [Some(registry.player("tight:bluff=0.3")?), Some(registry.player("hyperplay")?), None];
    let mut sum = 0;
    for index in 0..100 {
        let seats = |role| specs[machine.each_role().position(|each| each == role)?].as_ref();
        let seats = ByRole::from_fn(3, |role| seats(role).map(|player| player.seat(&machine, role)));
        let (settings, seed) = (Settings::default(), match_seed(1, index));
        let played = play_match(&*machine, seats, &settings, &seed, &Interrupt::default(), |_| ())?;
        let MatchOutcome::Over(goals) = played.outcome else { return Err("a match has no end".into()) };
        sum += u32::from(goals.values()[0].value());
    }
    println!(
        "tight:bluff=0.3 as alice against hyperplay: mean goal {:.2} in 100 matches",
        f64::from(sum) / 100.0
    );
    Ok(ExitCode::SUCCESS)
}
