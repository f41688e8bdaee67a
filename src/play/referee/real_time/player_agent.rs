//! A player of this program as an agent: it thinks on a thread of its own, and sends its move as commands when it has
//! one.
//!
//! It is asked again with the newest news as soon as it has answered. A decision may take longer than a chronon: the
//! news that came meanwhile are put together, and its switches stay as they are.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use super::run::{AgentStart, ChrononNews, InteractionAgent};
use crate::player::{Player, PlayerThread, View};
use hyperplay_machine::{Budget, Evidence, Move};

/// The part of a chronon that a player may think, so that its commands count in it.
const SHARE: f64 = 0.7;

/// The news that a player is told of a chronon.
struct News {
    chronon: usize,
    ends: Instant,
    evidence: Arc<Evidence>,
    legal: Vec<Move>,
}

/// The function by which a player decides, on its thread.
type Decide = dyn Fn(&mut Box<dyn Player>, News) + Send + Sync;

/// A player that takes part.
struct Running {
    thread: PlayerThread<Box<dyn Player>>,
    decide: Arc<Decide>,
    /// The newest news, which it has not begun to think about.
    newest: Arc<Mutex<Option<News>>>,
}

/// A player as an agent.
pub struct PlayerAgent {
    player: Option<Box<dyn Player>>,
    running: Option<std::io::Result<Running>>,
}

impl PlayerAgent {
    /// The agent that a player is.
    pub fn new(player: Box<dyn Player>) -> PlayerAgent {
        PlayerAgent { player: Some(player), running: None }
    }
}

impl InteractionAgent for PlayerAgent {
    fn start(&mut self, start: &AgentStart<'_>) {
        let Some(player) = self.player.take() else { return };
        let (role, commands, length) = (start.role, start.inbox.clone(), start.chronon);
        let (seed, preparing) = (start.seed.clone(), start.seed.child("prepare"));
        let decide = move |player: &mut Box<dyn Player>, News { chronon, ends, evidence, legal }: News| {
            let left = ends.saturating_duration_since(Instant::now()).max(length / 2);
            let (view, budget) =
                (View { evidence: &evidence, legal: &legal }, Budget::time(left.mul_f64(SHARE)));
            let decision = player.decide(&view, &budget, &seed.child("step").index(chronon));
            for (switch, alias) in commands.commands_of(role, decision.choice) {
                // A refusal stands in the record.
                let _ = commands.take(role, &switch, &alias, None, Instant::now());
            }
        };
        let ready = Budget::time(start.begins.saturating_duration_since(Instant::now()));
        let thread = PlayerThread::begin("agent", || Some(player), |_| false);
        self.running = Some(thread.map(|thread| {
            thread.ask(move |player| player.prepare(&ready, &preparing));
            Running { thread, decide: Arc::new(decide), newest: Arc::default() }
        }));
    }

    fn tell(&mut self, news: &ChrononNews<'_>) {
        if let (Some(Ok(Running { thread, decide, newest })), Some(ends)) = (&self.running, news.ends) {
            let (chronon, evidence, legal) = (news.chronon, Arc::clone(news.evidence), news.legal.to_vec());
            let news = News { chronon, ends, evidence, legal };
            *newest.lock() = Some(news);
            let (decide, newest) = (Arc::clone(decide), Arc::clone(newest));
            // A thread that has ended says why at the end.
            thread.ask(move |player| {
                let news = newest.lock().take();
                news.into_iter().for_each(|news| decide(player, news));
            });
        }
    }

    fn complaint(&mut self) -> Option<String> {
        match self.running.take()? {
            Ok(running) => running.thread.join().map(|panic| format!("it crashed: {panic}")),
            Err(error) => Some(format!("it has no thread: {error}")),
        }
    }
}
