//! The compiled code of a propagator, and the places of its outputs.
//!
//! There are programs over planes for many states at once. A [`StepProgram`] computes what a step decides: the next
//! state and the percepts, or the next state alone in the short form. An [`EndProgram`] computes end and goals of the
//! state after it. For a single state the same functions and the legal moves are packed bits ([`SingleView`],
//! [`SingleStep`]).

use std::ops::Range;

use crate::program::LutProgram;
use crate::propnet::{Propnet, RoleNet, Wire};
use crate::single::Single;
use hyperplay_machine::{ByRole, Goal, Percept};

/// Whether a state is an end, and what it is worth.
#[derive(Debug)]
pub(super) struct EndProgram {
    pub program: LutProgram,
    pub terminal: u32,
    /// By role; the first that holds counts.
    pub goals: ByRole<Box<[(Goal, u32)]>>,
}

/// The program of a step, and the planes of its results.
#[derive(Debug)]
pub(super) struct StepProgram {
    pub program: LutProgram,
    /// The plane of each bit.
    pub next: Box<[u32]>,
    /// By role, in the natural order; none in the short form.
    pub percepts: ByRole<Box<[(Percept, u32)]>>,
}

/// The program of a single state, and the outputs that are its results.
#[derive(Debug)]
pub(super) struct SingleView {
    pub single: Single,
    /// The outputs that are the moves of each role.
    pub legal: ByRole<Range<usize>>,
    pub terminal: usize,
    /// The outputs that are the goals of each role; the first that is on counts.
    pub goals: ByRole<Range<usize>>,
}

/// The program of a single step, whose outputs are the bits of the next state, then the percepts.
#[derive(Debug)]
pub(super) struct SingleStep {
    pub single: Single,
    /// The outputs that are the percepts of each role; none in the short form.
    pub percepts: ByRole<Range<usize>>,
}

impl EndProgram {
    pub(super) fn new(propnet: &Propnet) -> EndProgram {
        let mut wires = vec![propnet.terminal];
        wires.extend(propnet.roles.values().iter().flat_map(goals));
        let program = LutProgram::compile(&propnet.network, &wires);
        let mut plane = planes(&program);
        EndProgram {
            terminal: plane(),
            goals: by_role(propnet, |role| role.goals.iter().map(|&(goal, _)| (goal, plane())).collect()),
            program,
        }
    }
}

impl StepProgram {
    /// The program of a network; in short without the percepts.
    pub(super) fn new(propnet: &Propnet, short: bool) -> StepProgram {
        let percepts = |role: &RoleNet| if short { Vec::new() } else { role.percepts.clone() };
        let wires = step_wires(propnet, short);
        let program = LutProgram::compile(&propnet.network, &wires);
        let mut plane = planes(&program);
        StepProgram {
            next: propnet.next.iter().map(|_| plane()).collect(),
            percepts: by_role(propnet, |role| {
                percepts(role).iter().map(|&(percept, _)| (percept, plane())).collect()
            }),
            program,
        }
    }
}

impl SingleView {
    pub(super) fn new(propnet: &Propnet) -> Self {
        let mut wires: Vec<Wire> = Vec::new();
        let legal = by_role(propnet, |role| appended(&mut wires, role.legal.iter().copied()));
        let terminal = appended(&mut wires, [propnet.terminal]).start;
        let goals = by_role(propnet, |role| appended(&mut wires, goals(role)));
        Self { single: Single::compile(&propnet.network, propnet.bits(), &wires), legal, terminal, goals }
    }
}

impl SingleStep {
    /// The step of a network; in short without the percepts.
    pub(super) fn new(propnet: &Propnet, short: bool) -> SingleStep {
        let mut first = propnet.bits();
        let percepts = by_role(propnet, |role| {
            let start = first;
            first += if short { 0 } else { role.percepts.len() };
            start..first
        });
        let wires = step_wires(propnet, short);
        SingleStep { single: Single::compile(&propnet.network, propnet.bits(), &wires), percepts }
    }
}

/// The outputs of a step: the bits of the next state, then role by role the percepts; in short without these.
fn step_wires(propnet: &Propnet, short: bool) -> Vec<Wire> {
    let roles = if short { &[] } else { propnet.roles.values() };
    let percepts = roles.iter().flat_map(|role| role.percepts.iter().map(|&(_, wire)| wire));
    propnet.next.iter().copied().chain(percepts).collect()
}

fn goals(role: &RoleNet) -> impl Iterator<Item = Wire> {
    role.goals.iter().map(|&(_, wire)| wire)
}

/// Appends wires, and says where they lie.
fn appended(wires: &mut Vec<Wire>, more: impl IntoIterator<Item = Wire>) -> Range<usize> {
    let start = wires.len();
    wires.extend(more);
    start..wires.len()
}

fn by_role<T>(propnet: &Propnet, of: impl FnMut(&RoleNet) -> T) -> ByRole<T> {
    ByRole::new(propnet.roles.values().iter().map(of).collect())
}

/// The planes of the outputs, one after the other.
fn planes(program: &LutProgram) -> impl FnMut() -> u32 + use<> {
    let plane = |&plane: &usize| u32::try_from(plane).expect("memory ends before 2^32 planes");
    let mut planes = program.outputs.iter().map(plane).collect::<Vec<u32>>().into_iter();
    move || planes.next().expect("there is a plane for each output")
}
