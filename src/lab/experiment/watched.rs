//! Watched: a player whose decisions are timed from outside.
//!
//! PlayerTimes are wall times and no part of any decision, so they are kept beside it, by the step at which it was made: a
//! player that answers too late writes its time when it is done.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::record::TurnTime;
use hyperplay_engine::machine::{Budget, Seed, Stopwatch};
use hyperplay_play::player::{Decision, Player, View};

/// The times of one player in one match, by joint moves made before the decision.
#[derive(Clone, Debug, Default)]
pub struct PlayerTimes(Arc<Mutex<BTreeMap<usize, TurnTime>>>);

impl PlayerTimes {
    /// The time of the decision made after so many joint moves; nothing if it did not come to its end.
    pub fn at(&self, step: usize) -> TurnTime {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.get(&step).copied().unwrap_or(TurnTime { update: None, select: None })
    }
}

/// The player, and where its times are kept.
pub struct Watched {
    player: Box<dyn Player>,
    times: PlayerTimes,
}

impl Watched {
    /// Watches a player.
    pub fn new(player: Box<dyn Player>, times: PlayerTimes) -> Self {
        Watched { player, times }
    }
}

impl Player for Watched {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let watch = Stopwatch::start();
        let decision = self.player.decide(view, budget, seed);
        let all = watch.elapsed();
        if view.legal.len() > 1 {
            let update = self.player.update_time();
            let select = all.saturating_sub(update.unwrap_or_default());
            let time = TurnTime { update: update.map(seconds), select: Some(seconds(select)) };
            self.times.0.lock().unwrap_or_else(PoisonError::into_inner).insert(view.evidence.step(), time);
        }
        decision
    }

    fn is_clairvoyant(&self) -> bool {
        self.player.is_clairvoyant()
    }

    fn update_time(&self) -> Option<Duration> {
        self.player.update_time()
    }
}

/// In seconds, to the microsecond.
pub fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}
