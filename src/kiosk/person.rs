//! A person in a seat: a player that waits for the table to say what she chose.

use std::sync::Weak;

use super::table::Table;
use hyperplay_machine::{Budget, Role, Seed};
use hyperplay_play::player::{Decision, Player, View};

/// The person of one role.
pub(super) struct PersonSeat {
    /// The table, which owns the match that owns this seat.
    pub(super) table: Weak<Table>,
    /// Her role.
    pub(super) role: Role,
}

impl Player for PersonSeat {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        if let [only] = *view.legal {
            return Decision::draw(vec![(only, 1.0)], seed);
        }
        let chosen = self
            .table
            .upgrade()
            .and_then(|table| table.chosen(self.role, view.evidence.step(), budget.deadline))
            .filter(|own| view.legal.contains(own));
        match chosen {
            Some(own) => Decision::draw(vec![(own, 1.0)], seed),
            // A person who leaves or is late gets a legal move.
            None => Decision::uniform(view.legal, seed),
        }
    }
}
