//! A player of this program as an agent: it thinks on a thread of its own, and sends its move as commands when it has one.
//!
//! It is asked again with the newest news as soon as it has answered. A decision may take longer than a chronon: the news that
//! came meanwhile are put together, and its switches stay as they are.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::commands::CommandInbox;
use super::run::{AgentStart, ChrononNews, InteractionAgent};
use crate::player::{Player, View, guarded};
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed};

/// The part of a chronon that a player may think, so that its commands count in it.
const SHARE: f64 = 0.7;

/// What a thread is told.
struct Task {
    chronon: usize,
    ends: Instant,
    length: Duration,
    evidence: Evidence,
    legal: Vec<Move>,
}

/// A player as an agent.
pub struct PlayerAgent {
    player: Option<Box<dyn Player>>,
    thread: Option<(Sender<Task>, JoinHandle<Option<String>>)>,
    length: Duration,
}

impl PlayerAgent {
    /// The agent that a player is.
    pub fn new(player: Box<dyn Player>) -> PlayerAgent {
        PlayerAgent { player: Some(player), thread: None, length: Duration::ZERO }
    }
}

impl InteractionAgent for PlayerAgent {
    fn start(&mut self, start: &AgentStart<'_>) {
        let Some(player) = self.player.take() else { return };
        let (tasks, inbox) = channel();
        let (role, commands, seed) = (start.role, start.inbox.clone(), start.seed.clone());
        let ready = Budget::time(start.begins.saturating_duration_since(Instant::now()));
        self.length = start.chronon;
        let thread = std::thread::spawn(move || think(player, role, &inbox, &commands, &seed, ready));
        self.thread = Some((tasks, thread));
    }

    fn tell(&mut self, news: &ChrononNews<'_>) {
        if let (Some((tasks, _)), Some(ends)) = (&self.thread, news.ends) {
            let (evidence, legal) = (news.evidence.clone(), news.legal.to_vec());
            // A thread that has ended says why at the end.
            let _ = tasks.send(Task { chronon: news.chronon, ends, length: self.length, evidence, legal });
        }
    }

    fn complaint(&mut self) -> Option<String> {
        let (tasks, thread) = self.thread.take()?;
        drop(tasks);
        thread.join().unwrap_or_else(|_| Some("its thread has ended".to_owned()))
    }
}

/// The life of the thread. Returns what went wrong.
fn think(
    mut player: Box<dyn Player>,
    role: Role,
    inbox: &Receiver<Task>,
    commands: &CommandInbox,
    seed: &Seed,
    ready: Budget,
) -> Option<String> {
    if guarded(|| player.prepare(&ready, &seed.child("prepare"))).is_err() {
        return Some("it crashed before the first chronon".to_owned());
    }
    while let Ok(mut task) = inbox.recv() {
        while let Ok(newer) = inbox.try_recv() {
            task = newer;
        }
        let left = task.ends.saturating_duration_since(Instant::now()).max(task.length / 2);
        let view = View { evidence: &task.evidence, legal: &task.legal };
        let budget = Budget::time(left.mul_f64(SHARE));
        let seed = seed.child("step").index(task.chronon);
        let Ok(decision) = guarded(|| player.decide(&view, &budget, &seed)) else {
            return Some(format!("it crashed in chronon {}", task.chronon));
        };
        for (switch, alias) in commands.commands_of(role, decision.choice) {
            // What is refused stands in the record.
            let _ = commands.take(role, &switch, &alias, None, Instant::now());
        }
    }
    None
}
