//! Watched players: the wrapper of a player that measures the time of its decisions, by the clock and of the processor,
//! and, on request, keeps what it believed.
//!
//! Times are no part of a decision, so they are kept apart, by the step at which the decision was
//! made. The time of a late answer is recorded when the player is done.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use parking_lot::Mutex;

use super::decision_log::DecisionLog;
use hyperplay_lab::records::TurnTime;
use hyperplay_machine::{Budget, Evidence, Move, Seed, Stopwatch, shared_work};
use hyperplay_play::player::{
    BelievedState, ClairvoyantPlayer, ClairvoyantView, Decision, Player, RemoteEnd, RemoteFailure,
    RemotePlayer, RemoteStart, Seat, View,
};

/// How long a decision took, and, on request, what the player believed at it.
#[derive(Clone, Debug, Default)]
pub struct WatchedDecision {
    pub time: TurnTime,
    pub believed: Vec<BelievedState>,
}

/// What is kept of the decisions of one player in one match, by joint moves made before the decision.
#[derive(Clone, Debug, Default)]
pub struct PlayerWatch {
    log: DecisionLog,
    decisions: Arc<Mutex<BTreeMap<usize, WatchedDecision>>>,
}

/// The same seat; `watch` keeps its decisions.
pub fn watched(seat: Seat, watch: PlayerWatch) -> Seat {
    match seat {
        Seat::Player(player) => Seat::player(Watched { player, watch }),
        Seat::Clairvoyant(player) => Seat::clairvoyant(Watched { player, watch }),
        Seat::Remote(player) => Seat::remote(Watched { player, watch }),
    }
}

/// A player, and where its decisions are kept.
struct Watched<P: ?Sized> {
    player: Box<P>,
    watch: PlayerWatch,
}

/// A decision that was begun: by the clock, by the processor time of its thread, and by how often that shared its work.
type Begun = (Stopwatch, Option<ThreadTime>, u64);

fn begun() -> Begun {
    (Stopwatch::start(), ThreadTime::try_now().ok(), shared_work())
}

impl PlayerWatch {
    /// Where the beliefs of a player are kept as well if `log` asks for them.
    pub fn new(log: DecisionLog) -> PlayerWatch {
        PlayerWatch { log, ..PlayerWatch::default() }
    }

    /// The decision made after `step` joint moves; nothing if it did not come to its end.
    pub fn at(&self, step: usize) -> WatchedDecision {
        self.decisions.lock().get(&step).cloned().unwrap_or_default()
    }

    fn insert(&self, step: usize, decision: WatchedDecision) {
        self.decisions.lock().insert(step, decision);
    }

    /// Keeps a decision where there was a choice; `update` is the part of its time that the belief took.
    fn keep(
        &self,
        own: &View<'_>,
        (watch, thread, shared): Begun,
        update: Option<Duration>,
        believed: impl FnOnce() -> Vec<BelievedState>,
    ) {
        if own.legal.len() > 1 {
            let select = watch.elapsed().saturating_sub(update.unwrap_or_default());
            // The time of other threads that worked at the decision is not known.
            let thread = thread.filter(|_| shared_work() == shared);
            let processor = thread.and_then(|thread| thread.try_elapsed().ok()).map(seconds);
            let time = TurnTime { update: update.map(seconds), select: Some(seconds(select)), processor };
            let believed = if self.log >= DecisionLog::Particles { believed() } else { Vec::new() };
            self.insert(own.evidence.step(), WatchedDecision { time, believed });
        }
    }
}

impl Player for Watched<dyn Player> {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let begun = begun();
        let decision = self.player.decide(view, budget, seed);
        self.watch.keep(view, begun, self.player.update_time(), || self.player.believed());
        decision
    }

    fn prepare(&mut self, budget: &Budget, seed: &Seed) {
        self.player.prepare(budget, seed);
    }

    fn legal_after(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Option<Vec<Move>> {
        self.player.legal_after(evidence, budget, seed)
    }

    fn think_ahead(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        self.player.think_ahead(evidence, budget, seed)
    }
}

impl ClairvoyantPlayer for Watched<dyn ClairvoyantPlayer> {
    fn decide(&mut self, view: &ClairvoyantView<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let begun = begun();
        let decision = self.player.decide(view, budget, seed);
        self.watch.keep(&view.own, begun, None, Vec::new);
        decision
    }
}

impl RemotePlayer for Watched<dyn RemotePlayer> {
    fn start(&mut self, start: &RemoteStart<'_>, budget: &Budget) -> Result<(), RemoteFailure> {
        self.player.start(start, budget)
    }

    fn play(&mut self, evidence: &Evidence, budget: &Budget) -> Result<Move, RemoteFailure> {
        let watch = Stopwatch::start();
        let said = self.player.play(evidence, budget);
        let time = TurnTime { select: Some(seconds(watch.elapsed())), ..TurnTime::default() };
        self.watch.insert(evidence.step(), WatchedDecision { time, believed: Vec::new() });
        said
    }

    fn end(&mut self, end: RemoteEnd<'_>, budget: &Budget) {
        self.player.end(end, budget);
    }
}

/// In seconds, to the microsecond.
pub fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}
