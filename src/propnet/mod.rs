//! Layer 2, the ground network: a game as one boolean function.

mod net;
mod network;

pub use net::{Fluent, Propnet, RoleNet};
pub use network::{Gate, Network, Wire, value_of};
