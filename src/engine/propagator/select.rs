//! Steps selected in batches: which of many given steps agree with what one role observed.
//!
//! One program for each observing role makes the step and computes what that role perceives of it and whether the next
//! state is terminal. The comparison with the observation is made in planes, and only the steps that agree are read
//! back. In a GDL-I game every role perceives the joint move, so there the joint moves are compared before the step.

use super::super::packed::{bits_on, gather};
use super::batch::{FEW, MANY, StepRequest};
use super::{Propagator, PropagatorScratch};
use crate::program::{LutProgram, Planes};
use crate::propnet::{Network, Propnet, Wire};
use hyperplay_machine::{JointMove, ObservedStep, Percept, Percepts, Role, State, select_consistent};

/// A step as one role observes it.
#[derive(Debug)]
pub(super) struct SelectProgram {
    program: LutProgram,
    /// The plane of each bit.
    next: Box<[usize]>,
    /// Whether the next state is terminal.
    terminal: usize,
    /// The percepts that the role may have; none in a GDL-I game.
    percepts: Box<[(Percept, usize)]>,
}

impl SelectProgram {
    fn new(net: &Propnet, role: Role) -> SelectProgram {
        let mut network = Network::new(net.network.inputs());
        let inputs = network.input_wires();
        let known = &net.roles[role].percepts;
        let wires: Vec<Wire> = net.next.iter().copied().chain(known.iter().map(|&(_, wire)| wire)).collect();
        let mut outputs = network.import(&net.network, &inputs, &wires);
        let mut after = outputs[..net.bits()].to_vec();
        after.resize(inputs.len(), Wire::FALSE);
        outputs.extend(network.import(&net.network, &after, &[net.terminal]));
        let program = LutProgram::compile(&network, &outputs);
        let mut planes = program.outputs.iter().copied();
        let next = planes.by_ref().take(net.bits()).collect();
        let percepts = known.iter().map(|&(percept, _)| percept).zip(planes.by_ref()).collect();
        let terminal = planes.next().expect("it is the last output");
        SelectProgram { next, terminal, percepts, program }
    }
}

/// The planes of both widths; made when they are first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct SelectPlanes {
    narrow: Planes<1>,
    wide: Planes<8>,
}

impl Propagator {
    /// The steps that agree, with the states after them. See
    /// [`Bulk::select_consistent`](hyperplay_machine::Bulk::select_consistent).
    pub(super) fn selected(
        &self,
        steps: &[StepRequest<'_>],
        observed: &ObservedStep<'_>,
        scratch: &mut PropagatorScratch,
    ) -> Vec<(usize, State)> {
        if steps.len() <= FEW && self.is_quick() {
            return select_consistent(self, steps, observed, scratch);
        }
        let percepts = &observed.observation.percepts;
        let Some(order) = &self.perceived else {
            return self.selected_in_planes(steps, observed, percepts, scratch);
        };
        let known = self.observed_joint(percepts);
        let agrees = |joint: &JointMove| match &known {
            Some(known) => joint == known,
            None => self.did(order, joint) == *percepts,
        };
        let places: Vec<usize> = (0..steps.len()).filter(|&place| agrees(steps[place].1)).collect();
        let agreeing: Vec<StepRequest<'_>> = places.iter().map(|&place| steps[place]).collect();
        let mut found = self.selected_in_planes(&agreeing, observed, &Percepts::default(), scratch);
        found.iter_mut().for_each(|(place, _)| *place = places[*place]);
        found
    }

    /// The only joint move of which the percepts are these, in a GDL-I game; none if it has a move that the network
    /// does not have.
    fn observed_joint(&self, percepts: &Percepts) -> Option<JointMove> {
        let of_role = |(role, inputs): (Role, &super::Inputs)| {
            let place = inputs.did.iter().position(|did| percepts.contains(did))?;
            Some(self.propnet.roles[role].moves[place])
        };
        let joint: Option<Vec<_>> = self.inputs.iter().map(of_role).collect();
        joint.filter(|moves| moves.len() == percepts.len()).map(JointMove::new)
    }

    /// The program of a role, compiled when it is first needed.
    fn select_program(&self, role: Role) -> &SelectProgram {
        self.programs.select[role].get_or_init(|| SelectProgram::new(&self.propnet, role))
    }

    fn selected_in_planes(
        &self,
        steps: &[StepRequest<'_>],
        observed: &ObservedStep<'_>,
        percepts: &Percepts,
        scratch: &mut PropagatorScratch,
    ) -> Vec<(usize, State)> {
        let code = self.select_program(observed.role);
        if percepts.iter().any(|percept| code.percepts.iter().all(|(known, _)| known != percept)) {
            return Vec::new();
        }
        let expected = code.percepts.iter().map(|&(percept, plane)| (plane, percepts.contains(&percept)));
        let expected: Vec<(usize, bool)> = expected.chain([(code.terminal, observed.is_end)]).collect();
        if steps.len() < MANY {
            self.select_in(code, steps, &expected, &mut scratch.select.narrow)
        } else {
            self.select_in(code, steps, &expected, &mut scratch.select.wide)
        }
    }

    fn select_in<const W: usize>(
        &self,
        code: &SelectProgram,
        steps: &[StepRequest<'_>],
        expected: &[(usize, bool)],
        planes: &mut Planes<W>,
    ) -> Vec<(usize, State)> {
        planes.resize(code.program.planes);
        let mut found = Vec::new();
        for (pass, steps) in steps.chunks(64 * W).enumerate() {
            self.set_steps(steps, &mut planes[..code.program.inputs]);
            code.program.run(planes);
            let mut agree = [!0; W];
            for &(plane, is_on) in expected {
                let mask = if is_on { 0 } else { !0 };
                agree.iter_mut().zip(planes[plane]).for_each(|(agree, bits)| *agree &= bits ^ mask);
            }
            for (word, steps) in steps.chunks(64).enumerate() {
                let lanes = [agree[word]];
                if bits_on(&lanes, 0..steps.len()).next().is_none() {
                    continue;
                }
                let next: Vec<[u64; 1]> = code.next.iter().map(|&plane| [planes[plane][word]]).collect();
                let states: Vec<State> = gather(64, &next, 0).collect();
                let first = 64 * (pass * W + word);
                found
                    .extend(bits_on(&lanes, 0..steps.len()).map(|lane| (first + lane, states[lane].clone())));
            }
        }
        found
    }
}
