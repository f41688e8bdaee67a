//! Numbers as terms of the game.
//!
//! The names of a game are fixed when it is loaded, so the whole numbers of [`NUMBERS`] are among them
//! from the start. A fraction is a compound term of two of them. A result outside this range has no term; code that
//! needs it reports that a limit was met.

use std::sync::Arc;

use crate::{NUMBERS, Number, spelled_number};
use hyperplay_logic::gdl::{Symbol, TermId, TermStore};
use rustc_hash::FxHashMap;

/// The terms of numbers.
#[derive(Debug)]
pub(super) struct Numbers {
    pub(super) terms: Arc<TermStore>,
    whole: Vec<TermId>,
    of_term: FxHashMap<TermId, i64>,
    quotient: Symbol,
}

impl Numbers {
    pub(super) fn new(terms: &Arc<TermStore>) -> Numbers {
        let symbol = |name: &str| terms.symbols().get(name).expect("the loader interns numbers and `/`");
        let whole: Vec<TermId> =
            NUMBERS.map(|number| terms.intern(symbol(&number.to_string()), &[])).collect();
        let of_term = whole.iter().copied().zip(NUMBERS).collect();
        Numbers { quotient: symbol("/"), terms: Arc::clone(terms), whole, of_term }
    }

    fn whole(&self, number: i64) -> Option<TermId> {
        usize::try_from(number.checked_sub(*NUMBERS.start())?)
            .ok()
            .and_then(|place| self.whole.get(place))
            .copied()
    }

    /// The term of a number; `None` outside the range.
    pub(super) fn term(&self, number: Number) -> Option<TermId> {
        if number.is_integer() {
            return self.whole(number.to_integer());
        }
        Some(self.terms.intern(self.quotient, &[self.whole(*number.numer())?, self.whole(*number.denom())?]))
    }

    /// The number that a term is, if it is one.
    pub(super) fn number(&self, term: TermId) -> Option<Number> {
        if let Some(&whole) = self.of_term.get(&term) {
            return Some(Number::from(whole));
        }
        match *self.terms.arguments(term) {
            [above, below] if self.terms.functor(term) == self.quotient => {
                let (above, below) = (self.of_term.get(&above)?, self.of_term.get(&below)?);
                (*below != 0).then(|| Number::new(*above, *below))
            }
            // A number of the text may be spelled as none of ours: `007`.
            [] => spelled_number(self.terms.symbols().name(self.terms.functor(term))),
            _ => None,
        }
    }
}
