//! Code: the programs of a propagator and where their outputs lie.
//!
//! There are two functions of a network, each in a long and a short form: what a state alone decides ([`View`]: legal
//! moves, end, goals; in short the last two) and what a step decides ([`Step`]: next state, percepts; in short the
//! first). Short forms serve whoever asks for many states and not for everything.

use crate::engine::program::Program;
use crate::machine::{ByRole, Goal, Percept};
use crate::propnet::{Propnet, RoleNet, Wire};

/// What a state alone decides.
#[derive(Debug)]
pub(super) struct View {
    pub program: Program,
    /// The plane of each move of each role; none in the short form.
    pub legal: ByRole<Box<[u32]>>,
    pub terminal: u32,
    /// By role; the first that holds counts.
    pub goals: ByRole<Box<[(Goal, u32)]>>,
}

/// What a step decides.
#[derive(Debug)]
pub(super) struct Step {
    pub program: Program,
    /// The plane of each bit.
    pub next: Box<[u32]>,
    /// By role, in the natural order; none in the short form.
    pub percepts: ByRole<Box<[(Percept, u32)]>>,
}

impl View {
    /// The program of a network; in short without the legal moves.
    pub(super) fn new(propnet: &Propnet, short: bool) -> View {
        let roles = propnet.roles.values();
        let legal = |role: &RoleNet| if short { Vec::new() } else { role.legal.clone() };
        let mut wires: Vec<Wire> = roles.iter().flat_map(legal).collect();
        wires.push(propnet.terminal);
        wires.extend(roles.iter().flat_map(|role| role.goals.iter().map(|&(_, wire)| wire)));
        let program = Program::compile(&propnet.network, &wires);
        let mut plane = planes(&program, wires.len());
        View {
            legal: by_role(propnet, |role| legal(role).iter().map(|_| plane()).collect()),
            terminal: plane(),
            goals: by_role(propnet, |role| role.goals.iter().map(|&(goal, _)| (goal, plane())).collect()),
            program,
        }
    }
}

impl Step {
    /// The program of a network; in short without the percepts.
    pub(super) fn new(propnet: &Propnet, short: bool) -> Step {
        let percepts = |role: &RoleNet| if short { Vec::new() } else { role.percepts.clone() };
        let mut wires = propnet.next.clone();
        wires.extend(propnet.roles.values().iter().flat_map(percepts).map(|(_, wire)| wire));
        let program = Program::compile(&propnet.network, &wires);
        let mut plane = planes(&program, wires.len());
        Step {
            next: propnet.next.iter().map(|_| plane()).collect(),
            percepts: by_role(propnet, |role| {
                percepts(role).iter().map(|&(percept, _)| (percept, plane())).collect()
            }),
            program,
        }
    }
}

fn by_role<T>(propnet: &Propnet, of: impl FnMut(&RoleNet) -> T) -> ByRole<T> {
    ByRole::new(propnet.roles.values().iter().map(of).collect())
}

/// The planes of the outputs, one after the other.
fn planes(program: &Program, outputs: usize) -> impl FnMut() -> u32 + use<> {
    let plane = |index| u32::try_from(program.output(index)).expect("memory ends before 2^32 planes");
    let mut planes = (0..outputs).map(plane).collect::<Vec<u32>>().into_iter();
    move || planes.next().expect("there is a plane for each output")
}
