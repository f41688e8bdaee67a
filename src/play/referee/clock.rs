//! Clocks: how long a player may think, and the date of a match.
//!
//! Besides `machine::budget` this is the only file that reads the clock. A match without clocks does not depend on
//! the time. The start clock is time to prepare; players have no step of preparation of their own, so it is added to
//! the first decision.
//!
//! The player is told a deadline that lies a little before the referee's, so that a player that stops exactly at its
//! deadline is not late because its answer takes time to arrive.

use std::time::{Duration, Instant, SystemTime};

use hyperplay_engine::machine::Budget;

/// The longest time that is reserved for an answer to arrive.
const RESERVE: Duration = Duration::from_millis(100);

/// The start clock and the play clock of a match.
///
/// ```
/// use std::time::Duration;
///
/// use hyperplay_play::referee::{ClockTurn, Clocks};
///
/// let clocks = Clocks { start: Duration::from_secs(60), play: Duration::from_secs(10) };
/// // The first decision has both, and the player is told a little less than there is.
/// assert!(clocks.turn(0).left() > Duration::from_secs(60));
/// let turn: ClockTurn = clocks.turn(1);
/// assert!(turn.left() <= Duration::from_secs(10) && !turn.budget.is_late());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// Time before the first move, on top of its play clock.
    pub start: Duration,
    /// Time for each move.
    pub play: Duration,
}

impl Clocks {
    /// The time for the decision made after `step` joint moves, from now on.
    pub fn turn(&self, step: usize) -> ClockTurn {
        let time = if step == 0 { self.start.saturating_add(self.play) } else { self.play };
        let reserve = (time / 10).min(RESERVE);
        let now = Instant::now();
        ClockTurn {
            end: now.checked_add(time),
            budget: Budget { nodes: None, deadline: now.checked_add(time.saturating_sub(reserve)) },
        }
    }
}

/// The time for one decision.
#[derive(Clone, Copy, Debug)]
pub struct ClockTurn {
    end: Option<Instant>,
    /// What the player is told.
    pub budget: Budget,
}

impl ClockTurn {
    /// The time that is left; zero when it has passed.
    pub fn left(&self) -> Duration {
        self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }
}

/// The date, as in `2026-01-31T12:00:00Z`.
pub fn date() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_turn_has_the_start_clock_too_and_the_player_is_told_less() {
        let clocks = Clocks { start: Duration::from_secs(100), play: Duration::from_secs(1) };
        let (first, second) = (clocks.turn(0), clocks.turn(1));
        assert!(first.left() > Duration::from_secs(99));
        assert!(second.left() <= Duration::from_secs(1));
        assert!(second.budget.deadline < second.end);
        assert!(!second.budget.is_late());
    }
}
