//! The earlier answers of an opponent model.
//!
//! The key of an answer is everything that it depends on: the role's evidence and its legal moves. The legal moves
//! belong to the key because they may differ between histories of equal evidence. So remembering saves work and
//! changes no answer, whatever the order of the questions. When [`MOST`] answers are kept, all are dropped.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use hyperplay_engine::machine::{Evidence, Move};

/// The most answers kept.
const MOST: usize = 1 << 16;

struct Met<T> {
    count: usize,
    answers: FxHashMap<Evidence, FxHashMap<Box<[Move]>, T>>,
}

/// Answers by evidence and legal moves, shared by all threads.
pub(super) struct Remembered<T> {
    met: Mutex<Met<T>>,
    most: usize,
}

impl<T: Clone> Remembered<T> {
    pub(super) fn new() -> Self {
        Remembered::of_at_most(MOST)
    }

    fn of_at_most(most: usize) -> Self {
        Remembered { met: Mutex::new(Met { count: 0, answers: FxHashMap::default() }), most }
    }

    /// The answer, worked out unless it is remembered. Two threads may work out the same at once; `work_out` must be a
    /// function of evidence and legal moves, so both get the same answer. One with a failure is not remembered.
    pub(super) fn or<F>(
        &self,
        evidence: &Evidence,
        legal: &[Move],
        work_out: impl FnOnce() -> (T, Option<F>),
    ) -> (T, Option<F>) {
        let lock = || self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().answers.get(evidence).and_then(|by_moves| by_moves.get(legal)).cloned();
        if let Some(known) = known {
            return (known, None);
        }
        let (answer, failure) = work_out();
        if failure.is_some() {
            return (answer, failure);
        }
        let mut met = lock();
        if met.count >= self.most {
            met.answers.clear();
            met.count = 0;
        }
        let by_moves = met.answers.entry(evidence.clone()).or_default();
        if by_moves.insert(legal.into(), answer.clone()).is_none() {
            met.count += 1;
        }
        (answer, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_engine::machine::Role;
    use hyperplay_logic::gdl::{Symbols, TermStore};

    #[test]
    fn answers_are_kept_by_evidence_and_moves_and_are_dropped_when_too_many() {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let [a, b, c] = names.map(|name| Move(terms.intern(name, &[])));
        let remembered = Remembered::of_at_most(2);
        let again = || -> (u8, Option<u8>) { panic!("it is remembered") };
        let [first, second] = [0, 1].map(|role| Evidence::new(Role::new(role)));
        assert_eq!(remembered.or(&first, &[a, b], || (0, Some(9))), (0, Some(9)));
        assert_eq!(remembered.or(&first, &[a, b], || (1, None::<u8>)), (1, None));
        assert_eq!(remembered.or(&first, &[a, c], || (2, None::<u8>)), (2, None));
        assert_eq!(remembered.or(&first, &[a, b], again), (1, None));
        assert_eq!(remembered.or(&first, &[a, c], again), (2, None));
        assert_eq!(remembered.or(&second, &[a, b], || (3, None::<u8>)), (3, None));
        assert_eq!(remembered.or(&second, &[a, b], again), (3, None));
        assert_eq!(remembered.or(&first, &[a, b], || (4, None::<u8>)), (4, None));
    }
}
