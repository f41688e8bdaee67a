//! The ground network: a game as one boolean function.
//!
//! [`ground()`] instantiates the rules and gives a [`Propnet`]; [`simplify()`] makes it smaller without changing any
//! answer.
//!
//! ```
//! use hyperplay_machine::Role;
//! use hyperplay_engine::propnet::{DotLimits, GroundingLimits, GroundingStats, dot, ground, simplify, value_of};
//! # use hyperplay_logic::gdl::{self, Source};
//! # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
//! #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
//! # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
//! let (propnet, GroundingStats { fluents, moves, .. }) = ground(&game, &GroundingLimits::default())?;
//! assert_eq!((fluents, moves), (3, 3));
//! let (propnet, passes) = simplify(propnet, game.terms());
//! assert_eq!((passes[0].name, propnet.bits()), ("ground", propnet.stats().bits));
//!
//! // The network decides 64 cases at once. Here, in all of them, nothing but the initial state is on.
//! let mut inputs: Vec<u64> = propnet.initial.iter().map(|&on| if on { !0 } else { 0 }).collect();
//! inputs.resize(propnet.network.inputs(), 0);
//! let values = propnet.network.evaluate(&inputs);
//! assert_eq!(value_of(&values, propnet.terminal), 0);
//! assert!(propnet.roles[Role::new(0)].legal.iter().all(|&wire| value_of(&values, wire) == !0));
//!
//! let picture = dot(&propnet, game.terms(), game.roles(), "terminal", DotLimits::default());
//! assert!(picture.starts_with("digraph"));
//! # Ok::<(), hyperplay_engine::propnet::TooLarge>(())
//! ```

mod build;
mod cycle;
mod domain;
mod dot;
mod eliminate;
mod gates;
mod ground;
mod limits;
mod net;
mod network;
pub mod simplify;
mod split;
mod stats;

pub use dot::{DotLimits, dot, named_outputs};
#[cfg(test)]
pub(crate) use ground::ground_in_each_form;
pub use ground::{GroundingStats, ground};
pub use limits::{GroundingLimits, TooLarge, What};
pub use net::{Fluent, Propnet, RoleNet};
pub(crate) use network::follow;
pub use network::{Gate, Network, Wire, value_of};
pub use simplify::simplify;
pub use stats::{NetworkStats, Size};
