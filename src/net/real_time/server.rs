//! Where the commands of other programs arrive.
//!
//! Each agent of each interaction has a token, without which nobody can set its switches. The time of a command is the
//! moment at which its last byte came.

use std::collections::HashMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::json;

use crate::http::server::{Call, CallAnswer, Responder, ServerLimits, ServerThread, router};
use hyperplay_machine::Role;
use hyperplay_play::referee::CommandInbox;

/// The most bytes of a command.
const COMMAND_BYTES: usize = 4096;

/// A command as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandMessage {
    token: String,
    switch: String,
    alias: String,
    /// The chronon that it is meant for; without it, the one that runs.
    chronon: Option<usize>,
}

#[derive(Default)]
struct Tokens {
    /// Whose each token is, and where its commands go.
    holders: Mutex<HashMap<String, (Role, CommandInbox)>>,
}

impl Tokens {
    fn answer(&self, body: &str, received: Instant) -> CallAnswer {
        let refused = |status, reason: String| CallAnswer {
            status,
            body: json!({ "accepted": false, "reason": reason }).to_string(),
        };
        let message: CommandMessage = match serde_json::from_str(body) {
            Ok(message) => message,
            Err(error) => {
                let shape = r#"a command is {"token": "..", "switch": "..", "alias": ".."}"#;
                return refused(400, format!("{error}; {shape}"));
            }
        };
        let holder = self.holders.lock().get(&message.token).cloned();
        let Some((role, inbox)) = holder else {
            return refused(403, "the token belongs to no agent of an interaction that runs".to_owned());
        };
        match inbox.take(role, &message.switch, &message.alias, message.chronon, received) {
            Ok(chronon) => {
                CallAnswer { status: 200, body: json!({ "accepted": true, "chronon": chronon }).to_string() }
            }
            Err(reason) => refused(409, reason.to_string()),
        }
    }
}

impl Responder for Tokens {
    async fn respond(&self, call: Call) -> CallAnswer {
        self.answer(&call.body, call.received)
    }
}

/// A server for commands, which runs until it is dropped.
pub struct CommandServer {
    server: ServerThread,
    tokens: Arc<Tokens>,
}

impl CommandServer {
    /// Listens at an address; port 0 takes a free one.
    ///
    /// # Errors
    /// That of the operating system, if the port is taken for example.
    pub fn listen(at: impl ToSocketAddrs) -> std::io::Result<CommandServer> {
        let tokens: Arc<Tokens> = Arc::default();
        let limits = ServerLimits { body_bytes: COMMAND_BYTES, ..ServerLimits::default() };
        let router = router(Arc::clone(&tokens), &limits);
        Ok(CommandServer { server: ServerThread::listen(at, limits, router)?, tokens })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Lets the holder of a token set the switches of a role.
    pub(super) fn admit(&self, token: String, role: Role, inbox: CommandInbox) {
        self.tokens.holders.lock().insert(token, (role, inbox));
    }

    /// Ends the validity of a token.
    pub(super) fn dismiss(&self, token: &str) {
        self.tokens.holders.lock().remove(token);
    }
}
