//! A player as a policy: it is asked what it does where it might be, and not only where a match leads.
//!
//! A question is a fresh seat that is shown the evidence of a role and its legal moves. The answer is the
//! [`policy`](super::Decision::policy) of the decision, that is, the distribution that the choice is drawn from. A
//! player that draws random numbers to decide (particles, playouts) answers with one of the policies that it may
//! follow, fixed by the seed of the question: this sample is judged then, and another seed gives another.
//!
//! - [`ask_policy`] asks at every information set of a role of a [`GameTree`](hyperplay_think::solve::GameTree): by
//!   itself, or along a match, for a player that carries a plan.
//! - [`AskedModel`] asks wherever a belief needs to know what an opponent does.
//! - [`LocalBestResponse`] plays against a player that it asks.
//!
//! A clairvoyant player cannot be asked: its decision depends on the true history, so it has no policy by information
//! set.

mod along;
mod budget;
mod model;
mod policy;
mod question;
mod response;
mod simulation;

pub use budget::{BudgetedPlayer, DecisionBudget};
pub use model::AskedModel;
pub use policy::{AskedPolicy, ask_policy};
pub use question::{AskError, Asked, AskedCounts, Asking};
pub use response::{LocalBestResponse, LocalResponseOptions};
pub(super) use simulation::{Made, Simulations};
