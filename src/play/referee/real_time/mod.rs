//! Interactions in real time: the management agent of "General Game Management Agent" (algorithm 1).
//!
//! The engine runs in chronons of equal length. At any moment of a chronon an agent may send commands for its switches.
//! When the chronon is over, the last command for each switch counts, the branchings run, and each agent is told what
//! it may see. An agent that thinks longer than a chronon goes on thinking while its switches stay as they are: that is
//! no fault.
//!
//! ```text
//! agents --commands--> CommandInbox --(end of the chronon)--> joint move --> machine --> news --> agents
//! ```
//!
//! An agent is anything that can be told news and holds an inbox: a player of this program on a thread of its own
//! ([`PlayerAgent`]), another program, or a person. With a simulated clock nobody waits: an interaction is an ordinary
//! match, whose moves are the commands ([`simulated`]).

mod commands;
mod player_agent;
mod record;
mod run;
mod verify;

pub use commands::{Command, CommandInbox, CommandRefusal};
pub use player_agent::PlayerAgent;
pub use record::{ChrononClock, ChrononRecord, CommandRecord};
pub use run::{
    AgentStart, ChrononNews, InteractionAgent, ManagedInteraction, ManagedSettings, manage, simulated,
};
pub use verify::verify_commands;
