//! Counts sequences of joint moves step by step and merges equal states, so that the complete trees of small games
//! are counted quickly. `StateMachineExt::perft` walks every sequence instead; the tests compare the two.
#![allow(dead_code, reason = "each test uses a part of it")]

use rustc_hash::FxHashMap;

use hyperplay::engine::Engine as Machine;
use hyperplay::machine::{ByRole, Goal, JointMoves, StateMachine, StateMachineExt};

/// The states after some number of steps, each with the number of sequences that lead to it.
pub struct Count<'a> {
    machine: &'a Machine,
    scratch: <Machine as StateMachine>::Scratch,
    states: FxHashMap<<Machine as StateMachine>::State, u64>,
}

impl<'a> Count<'a> {
    /// The initial state.
    pub fn new(machine: &'a Machine) -> Count<'a> {
        Count { machine, scratch: machine.scratch(), states: FxHashMap::from_iter([(machine.initial(), 1)]) }
    }

    /// Whether no state is left.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The goals of the terminal states, with the number of sequences that end so.
    pub fn ends(&mut self) -> FxHashMap<ByRole<Goal>, u64> {
        let mut ends = FxHashMap::default();
        for (state, &count) in &self.states {
            if self.machine.terminal(state, &mut self.scratch) {
                *ends.entry(self.machine.goals(state, &mut self.scratch)).or_default() += count;
            }
        }
        ends
    }

    /// Whether a state is terminal.
    pub fn has_end(&mut self) -> bool {
        self.states.keys().any(|state| self.machine.terminal(state, &mut self.scratch))
    }

    /// The number of sequences that are longer by one, without making the step.
    pub fn following(&mut self) -> u64 {
        let one_more = |(state, &count): (&<Machine as StateMachine>::State, &u64)| {
            count * self.machine.perft(state, 1, &mut self.scratch)
        };
        self.states.iter().map(one_more).sum()
    }

    /// Makes the step.
    pub fn advance(&mut self) {
        let mut next = FxHashMap::default();
        let scratch = &mut self.scratch;
        for (state, count) in std::mem::take(&mut self.states) {
            if !self.machine.terminal(&state, scratch) {
                let legal = self.machine.legal_by_role(&state, scratch);
                for joint in JointMoves::new(&legal) {
                    *next.entry(self.machine.next(&state, &joint, scratch)).or_default() += count;
                }
            }
        }
        self.states = next;
    }

    /// Whether a terminal state is one step away; stops at the first.
    pub fn ends_in_one(&mut self) -> bool {
        let (machine, scratch) = (self.machine, &mut self.scratch);
        self.states.keys().any(|state| {
            let legal = machine.legal_by_role(state, scratch);
            JointMoves::new(&legal).any(|joint| {
                let next = machine.next(state, &joint, scratch);
                machine.terminal(&next, scratch)
            })
        })
    }
}
