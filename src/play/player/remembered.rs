//! The earlier policies of an opponent model.
//!
//! The key of an answer is everything that it depends on: the role's evidence and its legal moves. The legal moves
//! belong to the key because they may differ between histories of equal evidence. So remembering saves work and
//! changes no answer, whatever the order of the questions. When [`MOST`] answers are kept, all are dropped.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use hyperplay_machine::{Evidence, Move};
use hyperplay_think::belief::PolicyAndFailure;

/// The most answers kept.
const MOST: usize = 1 << 16;

struct Met {
    count: usize,
    answers: FxHashMap<Evidence, FxHashMap<Box<[Move]>, Vec<f64>>>,
}

/// Answers by evidence and legal moves, shared by all threads.
pub(super) struct Remembered {
    met: Mutex<Met>,
    most: usize,
}

impl Remembered {
    pub(super) fn new() -> Self {
        Remembered::of_at_most(MOST)
    }

    fn of_at_most(most: usize) -> Self {
        Remembered { met: Mutex::new(Met { count: 0, answers: FxHashMap::default() }), most }
    }

    /// The policy, worked out unless it is remembered. Two threads may work out the same at once; `work_out` must be a
    /// function of evidence and legal moves, so both get the same policy. One that rests on a failure is not
    /// remembered.
    pub(super) fn or(
        &self,
        evidence: &Evidence,
        legal: &[Move],
        work_out: impl FnOnce() -> PolicyAndFailure,
    ) -> PolicyAndFailure {
        let known = self.met.lock().answers.get(evidence).and_then(|by_moves| by_moves.get(legal)).cloned();
        if let Some(known) = known {
            return (known, None);
        }
        let (policy, failure) = work_out();
        if failure.is_some() {
            return (policy, failure);
        }
        let mut met = self.met.lock();
        if met.count >= self.most {
            met.answers.clear();
            met.count = 0;
        }
        let by_moves = met.answers.entry(evidence.clone()).or_default();
        if by_moves.insert(legal.into(), policy.clone()).is_none() {
            met.count += 1;
        }
        (policy, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};
    use hyperplay_machine::{EvaluationFailure, Role};

    #[test]
    fn answers_are_kept_by_evidence_and_moves_and_are_dropped_when_too_many() {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let [a, b, c] = names.map(|name| Move(terms.intern(name, &[])));
        let remembered = Remembered::of_at_most(2);
        let again = || -> PolicyAndFailure { panic!("it is remembered") };
        let [one, two, three, four] = [1.0, 2.0, 3.0, 4.0].map(|share| (vec![share], None));
        let failed = (vec![9.0], Some(EvaluationFailure { reason: "too deep".to_owned() }));
        let [first, second] = [0, 1].map(|role| Evidence::new(Role::new(role)));
        assert_eq!(remembered.or(&first, &[a, b], || failed.clone()), failed);
        assert_eq!(remembered.or(&first, &[a, b], || one.clone()), one);
        assert_eq!(remembered.or(&first, &[a, c], || two.clone()), two);
        assert_eq!(remembered.or(&first, &[a, b], again), one);
        assert_eq!(remembered.or(&first, &[a, c], again), two);
        assert_eq!(remembered.or(&second, &[a, b], || three.clone()), three);
        assert_eq!(remembered.or(&second, &[a, b], again), three);
        assert_eq!(remembered.or(&first, &[a, b], || four.clone()), four);
    }
}
