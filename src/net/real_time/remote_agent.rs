//! Another program as an agent: it is sent what its role sees, and its commands come to the [`CommandServer`].

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::server::CommandServer;
use crate::http::client::{Address, Ending, ReplyLimits, exchange_bytes};
use hyperplay_machine::{Move, StateMachine, StateMachineExt};
use hyperplay_play::referee::{AgentStart, ChrononNews, InteractionAgent};
use hyperplay_sidl::InteractionMachine;

/// The longest time for one message.
const PATIENCE: Duration = Duration::from_secs(5);

/// Another program, behind an address.
pub struct RemoteAgent {
    address: Address,
    interaction: String,
    server: Arc<CommandServer>,
    machine: Arc<InteractionMachine>,
    token: String,
    thread: Option<(Sender<String>, JoinHandle<Option<String>>)>,
}

impl RemoteAgent {
    /// The agent behind an address, in the interaction of this name. Its commands come to `server`.
    pub fn new(
        address: Address,
        interaction: &str,
        machine: Arc<InteractionMachine>,
        server: Arc<CommandServer>,
    ) -> RemoteAgent {
        let interaction = interaction.to_owned();
        RemoteAgent { address, interaction, server, machine, token: String::new(), thread: None }
    }

    fn send(&self, message: &Value) {
        if let Some((outbox, _)) = &self.thread {
            // A thread that has ended says why at the end.
            let _ = outbox.send(message.to_string());
        }
    }

    fn shown(&self, facts: &[hyperplay_logic::gdl::TermId]) -> Vec<String> {
        facts.iter().map(|&fact| self.machine.terms().show(fact)).collect()
    }
}

/// A moment in seconds since 1970 UTC.
fn unix(moment: Instant) -> f64 {
    let (now, wall) = (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let [ahead, ago] = [moment.saturating_duration_since(now), now.saturating_duration_since(moment)];
    wall.as_secs_f64() + ahead.as_secs_f64() - ago.as_secs_f64()
}

impl InteractionAgent for RemoteAgent {
    fn start(&mut self, start: &AgentStart<'_>) {
        self.token = token();
        self.server.admit(self.token.clone(), start.role, start.inbox.clone());
        let (outbox, messages) = channel();
        let address = self.address.clone();
        self.thread = Some((outbox, std::thread::spawn(move || deliver(&address, &messages))));
        self.send(&json!({
            "type": "start",
            "interaction": self.interaction,
            "agent": self.machine.roles()[start.role],
            "rules": self.machine.game().source().text(),
            "chronon_seconds": start.chronon.as_secs_f64(),
            "begins": unix(start.begins),
            "commands": format!("http://{}/", self.server.address()),
            "token": self.token,
            "sees": self.shown(&start.visible),
        }));
    }

    fn tell(&mut self, news: &ChrononNews<'_>) {
        let sees = self.shown(news.visible);
        let may: Vec<String> =
            news.legal.iter().map(|&Move(own)| self.machine.show_move(Move(own))).collect();
        self.send(&match news.ends {
            Some(ends) => json!({
                "type": "chronon",
                "interaction": self.interaction,
                "chronon": news.chronon,
                "begun": unix(news.begun),
                "ends": unix(ends),
                "sees": sees,
                "may": may,
            }),
            None => json!({
                "type": "end", "interaction": self.interaction, "chronon": news.chronon, "sees": sees,
            }),
        });
    }

    fn complaint(&mut self) -> Option<String> {
        self.server.dismiss(&self.token);
        let (outbox, thread) = self.thread.take()?;
        drop(outbox);
        thread.join().unwrap_or_else(|_| Some("its thread has ended".to_owned()))
    }
}

/// 128 random bits, as a name.
fn token() -> String {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).expect("the operating system has random numbers");
    bits.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Sends messages one after the other. Of several that wait, those about a chronon that is over are left out, because
/// the newest one says all. Returns why a message could not be sent, with how many.
fn deliver(address: &Address, messages: &Receiver<String>) -> Option<String> {
    let (mut failed, mut why) = (0_u64, None);
    while let Ok(first) = messages.recv() {
        let mut waiting = vec![first];
        waiting.extend(messages.try_iter());
        let is_chronon = |message: &String| message.contains(r#""type":"chronon""#);
        let newest = waiting.iter().rposition(is_chronon);
        let keeps = |(place, message): &(usize, String)| !is_chronon(message) || Some(*place) == newest;
        for (_, message) in waiting.into_iter().enumerate().filter(keeps) {
            let request = format!(
                "POST {} HTTP/1.0\r\nHost: {}:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{message}",
                address.path,
                address.host,
                address.port,
                message.len()
            );
            let deadline = Instant::now() + PATIENCE;
            let sent = exchange_bytes(
                address,
                request.as_bytes(),
                deadline,
                ReplyLimits::default(),
                Ending::Complete,
            );
            if let Err(error) = sent.result {
                failed += 1;
                why.get_or_insert(error.to_string());
            }
        }
    }
    why.map(|why| format!("{failed} messages did not reach it: {why}"))
}
