//! The machine of interactions in SIDL: another implementation of the contract.
//!
//! A state is the set of what holds: facts, the setting of each switch as `(does B alias)`, and the balance of each
//! account as `(account agent balance)`. The chronon is the number of the step; it is part of the state, as
//! `(chronon n)`, only where a horizon makes it matter, so that otherwise an interaction that waits comes back to the
//! same state.
//!
//! A step is one chronon: first the roles set their switches, then every branching tries the operation that its switch
//! or its chance selects. The definition is that of "General Game Management Agent", section 4 and algorithm 1;
//! `docs/sidl.md` says what was decided where the paper leaves a choice.

mod chronon;
mod dot;
mod goals;
mod interaction_machine;
mod numbers;
mod options;
mod pattern;
mod program;
mod solve;
mod visible;

pub use goals::BalanceScale;
pub use interaction_machine::{CommandFault, ExecutedOperation, InteractionMachine, InteractionScratch};
