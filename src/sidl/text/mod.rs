//! SIDL, the strategic interaction definition language: from text to a checked program.
//!
//! The language of "General Game Management Agent" says what GDL cannot: time. An engine runs in chronons; agents set
//! switches at any moment; in each chronon every branching tries the operation that its switch or its chance selects.
//! `docs/sidl.md` describes the language, and what was decided where the paper leaves a choice.

mod check;
mod interaction;
mod load;
mod lower;
mod number;
mod read;
mod spell;
#[cfg(test)]
mod tests;
mod token;

pub use check::is_reserved;
pub use interaction::{
    Branching, Chance, Comparison, Effect, HiddenRule, Interaction, Operation, Selector, Switch, Test,
};
pub(crate) use load::NUMBERS;
pub use load::{is_sidl, load};
pub use number::{Arithmetic, Number, checked, spelled_number};
