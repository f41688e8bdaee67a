//! One type for the states of all engines, so that the code above the engines is compiled once.
//!
//! A network engine keeps the bits of its network, packed into words. The interpreter keeps the ids of the fluents that
//! hold. A state means something only to engines of its game, and only to engines of the kind that made it.
//!
//! Invariants: bits beyond those of the network are off; all states of one network have the same number of words;
//! fluents are in increasing order of their ids, each once. So equal states are equal values.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::terms::TermId;

/// Words that are kept in place; a state of more is shared.
pub const FEW: usize = 4;

/// The words that this many bits need.
#[inline]
pub fn words_of(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// A state of a game, as the engine that made it keeps it. Cheap to clone: 40 bytes, or a shared list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State(Form);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    Few([u64; FEW]),
    Many(Arc<[u64]>),
    Fluents(Arc<[TermId]>),
}

impl State {
    /// The state with these words; they are one for each 64 bits or part of them.
    #[inline]
    pub fn new(words: &[u64]) -> State {
        match words.len() {
            count @ ..=FEW => {
                let mut few = [0; FEW];
                few[..count].copy_from_slice(words);
                State(Form::Few(few))
            }
            _ => State(Form::Many(words.into())),
        }
    }

    /// The state whose bits are these.
    #[inline]
    pub fn of_bits(bits: &[bool]) -> State {
        let mut words = vec![0; words_of(bits.len())];
        for (bit, _) in bits.iter().enumerate().filter(|(_, on)| **on) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        State::new(&words)
    }

    /// The state with these words, as [`new`](State::new).
    #[inline]
    pub fn collect(mut words: impl ExactSizeIterator<Item = u64>) -> State {
        if words.len() > FEW {
            return State(Form::Many(words.collect()));
        }
        State(Form::Few(std::array::from_fn(|_| words.next().unwrap_or(0))))
    }

    /// The state with these words, as [`new`](State::new), each computed by its number.
    #[inline(always)]
    pub fn from_fn(count: usize, word: impl Fn(usize) -> u64) -> State {
        if count > FEW {
            return State(Form::Many((0..count).map(word).collect()));
        }
        State(Form::Few(std::array::from_fn(|number| if number < count { word(number) } else { 0 })))
    }

    /// The state whose bits are the first `bits` of these words.
    #[inline]
    pub fn start_of(words: &[u64], bits: usize) -> State {
        let (count, used) = (words_of(bits), bits % 64);
        let mask = if used == 0 { !0 } else { (1 << used) - 1 };
        let word = |(number, &word): (usize, &u64)| if number + 1 == count { word & mask } else { word };
        State::collect(words[..count].iter().enumerate().map(word))
    }

    /// The state in which these fluents hold, in any order, repeated or not.
    pub fn of_fluents(mut fluents: Vec<TermId>) -> State {
        fluents.sort_unstable();
        fluents.dedup();
        State(Form::Fluents(fluents.into()))
    }

    /// The words of a network engine's state; at least one for each 64 bits or part of them.
    ///
    /// # Panics
    /// If the interpreter made the state.
    #[inline]
    pub fn words(&self) -> &[u64] {
        match &self.0 {
            Form::Few(words) => words,
            Form::Many(words) => words,
            Form::Fluents(_) => panic!("a network engine was asked about a state of the interpreter"),
        }
    }

    /// Whether a bit of a network engine's state is on.
    ///
    /// # Panics
    /// As [`words`](State::words).
    #[inline]
    pub fn bit(&self, bit: usize) -> bool {
        self.words()[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The fluents of a state of the interpreter, in increasing order of their ids.
    ///
    /// # Panics
    /// If a network engine made the state.
    pub fn fluents(&self) -> &[TermId] {
        match &self.0 {
            Form::Fluents(fluents) => fluents,
            Form::Few(_) | Form::Many(_) => {
                panic!("the interpreter was asked about a state of a network engine")
            }
        }
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match &self.0 {
            Form::Few(words) => words.iter().for_each(|&word| hasher.write_u64(word)),
            Form::Many(words) => words.iter().for_each(|&word| hasher.write_u64(word)),
            Form::Fluents(fluents) => fluents.hash(hasher),
        }
    }
}
