//! Layer 2, the ground network: a game as one boolean function.

mod net;
mod network;
pub mod simplify;
mod stats;

pub use net::{Fluent, Propnet, RoleNet};
pub use network::{Gate, Network, Wire, value_of};
pub use simplify::simplify;
pub use stats::{NetworkStats, Size};
