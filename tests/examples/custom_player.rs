//! A player of one's own: it bets with a king, and bluffs now and then. `docs/extending.md` walks through this file.
//! Without arguments it plays a hundred matches against `hyperplay`; with arguments it is `hyperplay` with this player.

use std::process::ExitCode;
use std::sync::Arc;

use hyperplay::cli;
use hyperplay::engine::Engine;
use hyperplay::machine::{Budget, Move, Seed, StateMachine, StateMachineExt};
use hyperplay::player::{Decision, Player, Registry, RegistryError, Seat, SpecEntry, SpecKey, View};

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
        match (bold.first(), meek.first()) {
            (Some(&&bold), Some(&&meek)) => {
                Decision::draw(vec![(bold, boldness), (meek, 1.0 - boldness)], seed)
            }
            _ => Decision::uniform(view.legal, seed),
        }
    }
}

fn main() -> Result<ExitCode, RegistryError> {
    let entry = SpecEntry::new("tight", "bets and calls with a king, else only by a bluff")
        .with(SpecKey::real("bluff", 0.0..=1.0, 0.1, "how likely a bluff is"));
    let registry = Registry::standard().with_player(entry, |spec, _| {
        let bluff = spec.real("bluff");
        Ok(move |machine: &Arc<Engine>, _| Seat::player(Tight { machine: Arc::clone(machine), bluff }))
    })?;
    if std::env::args().len() > 1 {
        return Ok(cli::run_with(&registry));
    }
    let arguments = "hyperplay match kuhn_poker alice=tight:bluff=0.3 bob=hyperplay --matches 100 --seed 1";
    Ok(cli::run_with_arguments(&registry, arguments.split(' ')))
}
