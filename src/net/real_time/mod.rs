//! Interactions in real time with agents that are other programs: messages in JSON over HTTP.
//!
//! ```text
//! management agent --POST {"type": "chronon", ...}--> agent        what it sees, when a chronon begins
//! agent --POST {"token": .., "switch": .., "alias": ..}--> CommandServer     a command, at any moment
//! ```
//!
//! The protocol of the field has steps and no moments, so it cannot carry an interaction; this one is ours, and
//! `docs/sidl.md` describes every message. An agent that is slow or gone costs the others nothing: it is told the
//! newest news when it can be, and its switches stay as they are.

mod remote_agent;
mod server;

pub use remote_agent::RemoteAgent;
pub use server::CommandServer;
