//! The player of `docs/tutorial/5-player.md`: it digs where the treasure may still be, the first such field or any of them.
//! With arguments this program is `hyperplay` with that player.

use std::process::ExitCode;
use std::sync::Arc;

use hyperplay::cli;
use hyperplay::engine::Engine;
use hyperplay::machine::{Budget, Move, OwnMove, Seed, StateMachineExt};
use hyperplay::player::{Decision, Player, Registry, RegistryError, Seat, SpecEntry, SpecKey, View};

/// Digs in a field that agrees with all that was heard.
struct Hunter {
    machine: Arc<Engine>,
    any: bool,
}

/// The column and the row that a move names, as in `(dig a 2)`.
fn field(shown: &str) -> Option<(char, char)> {
    let place = shown.strip_prefix("(dig ")?.strip_suffix(')')?;
    let mut characters = place.chars().filter(|each| *each != ' ');
    Some((characters.next()?, characters.next()?))
}

/// Whether two fields have a side in common.
fn is_next_to(a: (char, char), b: (char, char)) -> bool {
    (a.0 as i32 - b.0 as i32).abs() + (a.1 as i32 - b.1 as i32).abs() == 1
}

impl Hunter {
    /// Whether the treasure may lie in a field: at every hole it was heard whether the treasure is next to it.
    fn is_possible(&self, view: &View<'_>, here: (char, char)) -> bool {
        view.evidence.steps.iter().all(|step| {
            let OwnMove::Known(own) = &step.own else { return true };
            let Some(hole) = field(&self.machine.show_move(*own)) else { return true };
            let was_warm = !step.percepts.is_empty();
            hole != here && is_next_to(hole, here) == was_warm
        })
    }
}

impl Player for Hunter {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        let is_open = |own: &&Move| {
            field(&self.machine.show_move(**own)).is_some_and(|here| self.is_possible(view, here))
        };
        let open: Vec<Move> = view.legal.iter().filter(is_open).copied().collect();
        match &open[..] {
            [] => Decision::uniform(view.legal, seed),
            [first, ..] if !self.any => Decision::draw(vec![(*first, 1.0)], seed),
            open => Decision::uniform(open, seed),
        }
    }
}

fn main() -> Result<ExitCode, RegistryError> {
    let entry = SpecEntry::new("hunter", "digs where the treasure may still be").with(SpecKey::word(
        "any",
        true,
        "Whether it digs in any such field, or always in the first.",
    ));
    let registry = Registry::standard().with_player(entry, |spec, _| {
        let any = spec.word::<bool>("any");
        Ok(move |machine: &Arc<Engine>, _| Seat::player(Hunter { machine: Arc::clone(machine), any }))
    })?;
    Ok(cli::run_with(&registry))
}
