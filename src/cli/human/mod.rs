//! The player `human`: a person at this keyboard, who is told what the role knows and nothing else.
//!
//! The player is registered here and not with the others, because it reads standard input and writes to the terminal,
//! which no library does. Only `match` has a table to sit at; wherever else the spec is read, it is refused with the
//! reason.
//!
//! Invariant: the text that is written depends on the evidence of the role (its own moves and percepts), on its legal
//! moves and on what a belief makes of the evidence. The true state is never asked for. The goals are written when the
//! match is over.
//!
//! | file | content |
//! | --- | --- |
//! | `choice.rs` | what a typed line means |
//! | `console.rs` | standard input and the terminal |
//! | `knowledge.rs` | the belief beside the person, and how it is drawn |
//! | `seat.rs` | the player: a decision as a dialogue |
//! | `table.rs` | what all persons of a match share: the console, and what each has been told |

mod choice;
mod console;
mod knowledge;
mod seat;
mod table;

use std::sync::Arc;

use hyperplay_engine::Engine;
use hyperplay_machine::Role;
use hyperplay_play::player::{HUMAN, Registry, Seat, Spec, SpecEntry, SpecError, SpecKey, SpecKind};

use seat::HumanSeat;
pub use table::HumanTable;

/// The name of the player in a spec.
pub const NAME: &str = HUMAN;

/// The registry with the player `human`, who sits at this table; without a table every spec that names it is refused. A
/// registry that has a player of this name keeps its own.
pub fn with_human(registry: &Registry, table: Option<&Arc<HumanTable>>) -> Registry {
    let table = table.map(Arc::clone);
    let added = registry.clone().with_player(entry(), move |spec, registry| {
        let refused = |why: &str| SpecError::Refused { key: NAME.to_owned(), why: why.to_owned() };
        let Some(table) = table.clone() else {
            return Err(refused("a person is asked in `hyperplay match` only"));
        };
        let advisor = registry.player_of(spec.inner("advisor"))?;
        let (sampler, particles) = (registry.sampler_of(spec.inner("sampler"))?, spec.size("particles"));
        Ok(move |engine: &Arc<Engine>, role: Role| {
            Seat::player(HumanSeat::new(engine, role, &table, &sampler, particles, advisor.clone()))
        })
    });
    added.unwrap_or_else(|_| registry.clone())
}

/// Whether a spec names the player of this file.
pub fn names_human(spec: &Spec) -> bool {
    spec.kind() == SpecKind::Player && spec.name() == NAME
}

fn entry() -> SpecEntry {
    SpecEntry::new(NAME, "This player asks a person at this terminal, who is told what the role knows; it plays in `hyperplay match` only.")
        .with(SpecKey::count(
            "particles",
            1..=10_000_000,
            200,
            "The belief beside the person samples this number of particles where the information set is too large to be enumerated.",
        ))
        .with(SpecKey::spec(
            "sampler",
            SpecKind::Sampler,
            "hyperplay",
            "This sampler makes the belief beside the person, under the opponent model that it names.",
        ))
        .with(SpecKey::spec(
            "advisor",
            SpecKind::Player,
            "hyperplay",
            "This player gives the hints; it is told what the role knows.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_play::referee::Interrupt;

    #[test]
    fn a_person_sits_at_a_table_only_and_is_not_the_advisor_of_another() {
        let table = Arc::new(HumanTable::new(Interrupt::default(), false));
        let (away, seated) =
            (with_human(&Registry::standard(), None), with_human(&Registry::standard(), Some(&table)));
        let refused = away.player("human").unwrap_err().to_string();
        assert_eq!(refused, "'human': a person is asked in `hyperplay match` only");
        let spec = seated.player("human:particles=50,advisor=[pimc:particles=20]").unwrap();
        assert!(names_human(spec.spec()));
        assert!(!names_human(seated.player("hyperplay").unwrap().spec()));
        let refused = seated.player("human:advisor=human").unwrap_err().to_string();
        assert!(refused.contains("is not asked inside another player"), "{refused}");
    }
}
