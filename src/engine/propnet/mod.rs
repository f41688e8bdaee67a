//! Layer 2, the ground network: a game as one boolean function.

mod build;
mod cycle;
mod domain;
mod dot;
mod ground;
mod limits;
mod net;
mod network;
pub mod simplify;
mod split;
mod stats;

pub use dot::{DotLimits, dot, named_outputs};
pub use ground::{GroundingStats, ground};
pub use limits::{GroundingLimits, TooLarge, What};
pub use net::{Fluent, Propnet, RoleNet};
pub use network::{Gate, Network, Wire, value_of};
pub use simplify::simplify;
pub use stats::{NetworkStats, Size};
