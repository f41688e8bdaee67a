//! Clocks: how long a player may think, and the date of a match.
//!
//! Besides `machine::budget` this is the only file that reads the clock. A match without clocks does not depend on
//! the time. The start clock is time to prepare; it is added to the first decision, unless
//! another program has a seat: then all prepare in it at the same time, and each decision has the play clock.
//!
//! The player is told a deadline that lies a little before the referee's, so that a player that stops exactly at its
//! deadline is not late because its answer takes time to arrive.

use std::time::{Duration, Instant, SystemTime};

use hyperplay_machine::Budget;

/// The longest time that is reserved for an answer to arrive.
const RESERVE: Duration = Duration::from_millis(100);

/// The longest time that an answer which was given in time takes from the player's thread to the referee's.
const HAND_OVER: Duration = Duration::from_millis(50);

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
/// assert_eq!([clocks.time(0), clocks.time(1)].map(|time| time.as_secs()), [70, 10]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// Time before the first move, on top of its play clock.
    pub start: Duration,
    /// Time for each move.
    pub play: Duration,
}

impl Clocks {
    /// How long the decision made after `step` joint moves may take.
    pub fn time(&self, step: usize) -> Duration {
        if step == 0 { self.start.saturating_add(self.play) } else { self.play }
    }

    /// The time for the decision made after `step` joint moves, from now on.
    pub fn turn(&self, step: usize) -> ClockTurn {
        ClockTurn::of(self.time(step))
    }
}

/// The time for one decision.
#[derive(Clone, Copy, Debug)]
pub struct ClockTurn {
    begun: Instant,
    end: Option<Instant>,
    /// The budget that the player is told.
    pub budget: Budget,
}

impl ClockTurn {
    /// So much time, from now on.
    pub(super) fn of(time: Duration) -> ClockTurn {
        let reserve = (time / 10).min(RESERVE);
        let now = Instant::now();
        ClockTurn {
            begun: now,
            end: now.checked_add(time),
            budget: Budget { deadline: now.checked_add(time.saturating_sub(reserve)), ..Budget::UNLIMITED },
        }
    }

    /// The time that is left; zero when it has passed.
    pub fn left(&self) -> Duration {
        self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }

    /// The time as it is, for another program: it chooses its own reserve.
    pub(super) fn whole(&self) -> Budget {
        Budget { deadline: self.end, ..Budget::UNLIMITED }
    }

    /// How long the referee waits: a little longer than the clock, for an answer that was given in time and is on its
    /// way between two threads.
    pub(super) fn patience(&self) -> Duration {
        self.left().saturating_add(HAND_OVER)
    }

    /// How long an answer took that was given at this time; `None` if the time was up by then.
    pub(super) fn taken(&self, answered: Answered) -> Option<Duration> {
        let in_time = self.end.is_none_or(|end| answered.0 <= end);
        in_time.then(|| answered.0.saturating_duration_since(self.begun))
    }
}

/// When an answer was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answered(Instant);

impl Answered {
    /// At this moment.
    pub(super) fn now() -> Answered {
        Answered(Instant::now())
    }
}

/// The date, as in `2026-01-31T12:00:00Z`.
pub fn date() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The milliseconds since the beginning of 1970, by which other programs tell times.
pub fn unix_millis() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// A name for a match that no other match of today has: the game, the date to the millisecond, and the number in its
/// series. For messages between programs; no result depends on it.
///
/// ```
/// use hyperplay_play::referee::match_id;
///
/// let id = match_id("games/kuhn poker.kif", 7);
/// assert!(id.starts_with("kuhn_poker_20") && id.ends_with("_7"), "{id}");
/// assert!(match_id("3d.kif", 0).starts_with("match_3d_"), "it is an atom in every language");
/// ```
pub fn match_id(game: &str, index: usize) -> String {
    let name = game.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = name.chars().take(40).map(plain).collect();
    let first = if name.starts_with(|c: char| c.is_ascii_lowercase()) { "" } else { "match_" };
    let date = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    let date: String = date.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{first}{name}_{date}_{index}")
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
        assert!(second.taken(Answered::now()).is_some_and(|taken| taken < Duration::from_secs(1)));
        let passed = Clocks { start: Duration::ZERO, play: Duration::ZERO }.turn(0);
        assert_eq!(passed.taken(Answered(Instant::now() + Duration::from_millis(1))), None);
    }
}
