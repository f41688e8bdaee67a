//! Solutions that the players of one spec share, by game.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::solved_game::SolvedGame;
use hyperplay_engine::Engine;

/// A solution, or why there is none.
type Solved = Arc<Result<SolvedGame, String>>;

/// A machine and the place of its solution.
type Place = (Arc<Engine>, Arc<OnceLock<Solved>>);

/// Solutions by machine. The first thread that asks computes; the others wait.
#[derive(Default)]
pub(super) struct SharedSolutions(Mutex<Vec<Place>>);

impl SharedSolutions {
    /// The solution of the game on this machine.
    pub(super) fn get(
        &self,
        machine: &Arc<Engine>,
        solve: impl FnOnce() -> Result<SolvedGame, String>,
    ) -> Solved {
        let cell = {
            // The list is only ever extended, so it is in order even if a thread panicked that held it.
            let mut games = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match games.iter().find(|(of, _)| Arc::ptr_eq(of, machine)) {
                Some((_, cell)) => Arc::clone(cell),
                None => {
                    let cell = Arc::new(OnceLock::new());
                    games.push((Arc::clone(machine), Arc::clone(&cell)));
                    cell
                }
            }
        };
        Arc::clone(cell.get_or_init(|| Arc::new(solve())))
    }
}
