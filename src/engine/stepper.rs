//! Single states of a network engine, answered by the interpreter.
//!
//! A large network costs the same for one state as for many, and the rules of some games say in a few lines what
//! takes a hundred thousand gates: in Quarto the interpreter makes a step in a quarter of the time. A [`Stepper`]
//! translates a state to the fluents that hold, asks the interpreter, and translates the next state back.
//!
//! Invariant: the answers are those of the network, because both are those of the rules.

use std::sync::Arc;
use std::time::Instant;

use super::{Interpreter, InterpreterScratch};
use crate::propnet::Propnet;
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::state::words_of;
use hyperplay_machine::{EvaluationFailure, JointMove, State, StateMachine};

/// The interpreter of a game, for the states of its network.
#[derive(Debug)]
pub(crate) struct Stepper {
    interpreter: Arc<Interpreter>,
    /// The fluents with their bits.
    fluents: Vec<(TermId, usize)>,
    /// The fluents that always hold.
    fixed: Vec<TermId>,
    words: usize,
    /// The bit of each fluent, by id; `NONE` for what is no fluent.
    bits: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// The working memory with which one thread steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepperScratch {
    interpreter: Option<Box<InterpreterScratch>>,
    /// The last state that was translated, and its fluents.
    translated: Option<(State, State)>,
    deadline: Option<Instant>,
}

impl Stepper {
    /// A stepper for the states of a network.
    pub(crate) fn new(interpreter: Arc<Interpreter>, propnet: &Propnet) -> Stepper {
        let fluents: Vec<(TermId, usize)> =
            propnet.fluents.iter().map(|fluent| (fluent.term, fluent.bit)).collect();
        let count = fluents.iter().map(|(term, _)| term.index() + 1).max().unwrap_or(0);
        let mut bits = vec![NONE; count];
        fluents.iter().for_each(|&(term, bit)| bits[term.index()] = bit as u32);
        let fixed = propnet.fixed.clone();
        Stepper { interpreter, fluents, fixed, words: words_of(propnet.bits()), bits }
    }

    /// Asks the interpreter something about a state.
    pub(crate) fn ask<T>(
        &self,
        state: &State,
        scratch: &mut StepperScratch,
        ask: impl FnOnce(&Interpreter, &State, &mut InterpreterScratch) -> T,
    ) -> T {
        let StepperScratch { interpreter, translated, deadline } = scratch;
        let interpreter = interpreter.get_or_insert_with(|| {
            let mut own = Box::new(self.interpreter.scratch());
            self.interpreter.set_deadline(&mut own, *deadline);
            own
        });
        let fluents = match translated {
            Some((of, fluents)) if of == state => fluents,
            _ => &translated.insert((state.clone(), self.fluents_of(state))).1,
        };
        ask(&self.interpreter, fluents, interpreter)
    }

    /// The state after a step.
    pub(crate) fn next(&self, state: &State, joint: &JointMove, scratch: &mut StepperScratch) -> State {
        let next = self.ask(state, scratch, |interpreter, state, own| interpreter.next(state, joint, own));
        let mut words = vec![0_u64; self.words];
        for fluent in next.fluents() {
            if let Some(&bit) = self.bits.get(fluent.index()).filter(|&&bit| bit != NONE) {
                words[bit as usize / 64] |= 1 << (bit % 64);
            }
        }
        State::new(&words)
    }

    fn fluents_of(&self, state: &State) -> State {
        let on = self.fluents.iter().filter(|&&(_, bit)| state.bit(bit)).map(|&(fluent, _)| fluent);
        State::of_fluents(on.chain(self.fixed.iter().copied()).collect())
    }

    pub(crate) fn set_deadline(
        &self,
        scratch: &mut StepperScratch,
        deadline: Option<Instant>,
    ) -> Option<Instant> {
        if let Some(own) = &mut scratch.interpreter {
            self.interpreter.set_deadline(own, deadline);
        }
        std::mem::replace(&mut scratch.deadline, deadline)
    }

    pub(crate) fn is_interrupted(&self, scratch: &StepperScratch) -> bool {
        scratch.interpreter.as_ref().is_some_and(|own| self.interpreter.is_interrupted(own))
    }

    pub(crate) fn take_failure(&self, scratch: &mut StepperScratch) -> Option<EvaluationFailure> {
        scratch.interpreter.as_mut().and_then(|own| self.interpreter.take_failure(own))
    }
}
