//! What the players of one spec compute once for a game, and share.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use hyperplay_engine::Engine;

/// A machine and the place of its value.
type Place<T> = (Arc<Engine>, Arc<OnceLock<Arc<T>>>);

/// Values by machine. The first thread that asks computes; the others wait.
pub(super) struct Shared<T>(Mutex<Vec<Place<T>>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Shared(Mutex::default())
    }
}

impl<T> Shared<T> {
    /// The value of the game on this machine.
    pub(super) fn get(&self, machine: &Arc<Engine>, make: impl FnOnce() -> T) -> Arc<T> {
        let cell = {
            // The list is only ever extended, so it is in order even if a thread panicked that held it.
            let mut games = self.0.lock();
            match games.iter().find(|(of, _)| Arc::ptr_eq(of, machine)) {
                Some((_, cell)) => Arc::clone(cell),
                None => {
                    let cell = Arc::new(OnceLock::new());
                    games.push((Arc::clone(machine), Arc::clone(&cell)));
                    cell
                }
            }
        };
        Arc::clone(cell.get_or_init(|| Arc::new(make())))
    }
}
