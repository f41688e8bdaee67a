//! The parts of a table: who sits where, and the tokens that open it.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::room::GameRoom;
use hyperplay_machine::Role;
use hyperplay_net::serve::RecordFolder;
use hyperplay_play::player::{PlayerSpec, SamplerSpec};
use hyperplay_play::referee::Clocks;

/// The most streams of scenes that a token may have open.
const STREAMS: usize = 8;

/// The person or program in a seat.
pub(super) enum Sitting {
    /// A person.
    Person,
    /// A program.
    Program(PlayerSpec),
    /// Chance.
    Random,
}

/// The sight of a token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sight {
    /// The knowledge of a role.
    Role(Role),
    /// Everything.
    Truth,
}

/// A token: its holder sees this, and may move for the role if it is a seat's.
pub(super) struct TableToken {
    pub(super) secret: String,
    pub(super) sight: Sight,
    pub(super) is_seat: bool,
    /// Room for streams of scenes.
    pub(super) streams: Arc<Semaphore>,
}

impl TableToken {
    /// A token with a secret.
    pub(super) fn new(secret: String, sight: Sight, is_seat: bool) -> TableToken {
        TableToken { secret, sight, is_seat, streams: Arc::new(Semaphore::new(STREAMS)) }
    }

    /// Whether a page follows the table by it.
    pub(super) fn is_open(&self) -> bool {
        self.streams.available_permits() < STREAMS
    }

    /// Whether this is its secret. Takes as long for a wrong one as for a right one.
    pub(super) fn is(&self, secret: &str) -> bool {
        let differing = self.secret.bytes().zip(secret.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        self.secret.len() == secret.len() && differing == 0
    }
}

/// The parts of a table.
pub(super) struct TableParts {
    pub(super) id: String,
    pub(super) room: Arc<GameRoom>,
    pub(super) sitting: Vec<Sitting>,
    pub(super) tokens: Vec<TableToken>,
    pub(super) clocks: Option<Clocks>,
    pub(super) think_ahead: bool,
    pub(super) seed: u64,
    pub(super) sampler: SamplerSpec,
    /// The player that solves its game, for the mixes beside own moves.
    pub(super) equilibrium: PlayerSpec,
    pub(super) records: Option<Arc<RecordFolder>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_by_its_whole_secret_only() {
        let token = TableToken::new("0123456789abcdef".to_owned(), Sight::Truth, false);
        assert!(token.is("0123456789abcdef"));
        for wrong in
            ["", "0", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF", "\u{fc}123456789abcde"]
        {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert!(!token.is_open());
        let _places =
            (0..STREAMS).map(|_| Arc::clone(&token.streams).try_acquire_owned().unwrap()).collect::<Vec<_>>();
        assert!(token.is_open() && Arc::clone(&token.streams).try_acquire_owned().is_err());
    }
}
