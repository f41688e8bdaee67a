//! The pattern of every pass: walk the gates in topological order into a new network and note where each gate went.
//!
//! Only live gates are walked, that is, gates that an output reads. Gates that a pass builds and does not use are
//! removed at the end. Inputs keep their numbers; [`substitute`] is the one place where inputs disappear.

use hyperplay_machine::ByRole;

use super::super::net::{Fluent, Propnet, RoleNet};
use super::super::network::{Gate, Network, Wire, follow};

/// Which gates an output reads, directly or through other gates. O(wires).
pub(super) fn live(net: &Propnet) -> Vec<bool> {
    net.network.needed(net.outputs())
}

/// How often each gate is read by live gates, an output counting as two readers: a gate with one reader can be taken
/// apart by that reader. O(wires).
pub(super) fn readers(net: &Propnet) -> Vec<u32> {
    let live = live(net);
    let mut readers = vec![0; live.len()];
    net.outputs().for_each(|wire| readers[wire.gate()] += 2);
    for (_, gate) in net.network.gates().iter().enumerate().filter(|&(number, _)| live[number]) {
        if let Gate::And(wires) = gate {
            wires.iter().for_each(|wire| readers[wire.gate()] += 1);
        }
    }
    readers
}

/// The game computed by `make`: for each live gate the wire that replaces it, given its number and the wires that
/// replaced those into it. O(wires) beside what `make` does.
pub(super) fn rebuild(net: &Propnet, make: &mut dyn FnMut(&mut Network, usize, &[Wire]) -> Wire) -> Propnet {
    let mut network = Network::new(net.network.inputs());
    let place = network.rebuild(&net.network, &network.input_wires(), &live(net), make);
    sweep(with_outputs(net, network, &place))
}

/// The game without its dead gates. O(wires).
pub(super) fn sweep(net: Propnet) -> Propnet {
    let dead = |(gate, live): (&Gate, bool)| matches!(gate, Gate::And(_)) && !live;
    if net.network.gates().iter().zip(live(&net)).any(dead) {
        return rebuild(&net, &mut |network, _, wires| network.and(wires));
    }
    net
}

/// The same game over another network with the same inputs, where these wires replace the gates.
pub(super) fn with_outputs(net: &Propnet, network: Network, place: &[Wire]) -> Propnet {
    let map = |wire: Wire| follow(place, wire);
    let role = |role: &RoleNet| RoleNet {
        moves: role.moves.clone(),
        legal: role.legal.iter().map(|&wire| map(wire)).collect(),
        goals: role.goals.iter().map(|&(goal, wire)| (goal, map(wire))).collect(),
        percepts: role.percepts.iter().map(|&(percept, wire)| (percept, map(wire))).collect(),
    };
    Propnet {
        network,
        fluents: net.fluents.clone(),
        fixed: net.fixed.clone(),
        initial: net.initial.clone(),
        next: net.next.iter().map(|&wire| map(wire)).collect(),
        terminal: map(net.terminal),
        roles: ByRole::new(net.roles.values().iter().map(role).collect()),
    }
}

/// The value that an input is found to have always.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InputSource {
    /// Itself.
    Itself,
    /// A constant. A bit is dropped; a move is dropped if it is never made, and kept if it is always made.
    Constant(bool),
    /// Equal to another input, itself kept. The bit is dropped and its fluents share the other.
    Equal(usize),
    /// The complement of another input, itself kept. The bit is kept, but nothing reads it.
    Opposite(usize),
}

/// The game with every input replaced by what it is found to be always. Fluents of dropped bits that are constant
/// disappear from the fluents; those that always hold are the second result. O(wires).
pub(super) fn substitute(net: &Propnet, sources: &[InputSource]) -> (Propnet, Vec<Fluent>) {
    let bits = net.bits();
    let kept = |input: usize| match sources[input] {
        InputSource::Itself | InputSource::Opposite(_) => true,
        InputSource::Constant(on) => input >= bits && on,
        InputSource::Equal(_) => false,
    };
    let mut number = vec![usize::MAX; sources.len()];
    let mut inputs = 0;
    for input in (0..sources.len()).filter(|&input| kept(input)) {
        number[input] = inputs;
        inputs += 1;
    }
    let mut network = Network::new(inputs);
    let source = |(input, source): (usize, &InputSource)| match *source {
        InputSource::Itself => network.input(number[input]),
        InputSource::Constant(on) => Wire::FALSE.negate_if(on),
        InputSource::Equal(other) => network.input(number[other]),
        InputSource::Opposite(other) => !network.input(number[other]),
    };
    let wires: Vec<Wire> = sources.iter().enumerate().map(source).collect();
    let make = &mut |network: &mut Network, _, wires: &[Wire]| network.and(wires);
    let place = network.rebuild(&net.network, &wires, &live(net), make);
    let mut out = with_outputs(net, network, &place);
    let mut always = Vec::new();
    out.fluents.retain_mut(|fluent| {
        match sources[fluent.bit] {
            InputSource::Constant(on) => {
                always.extend(on.then_some(*fluent));
                return false;
            }
            InputSource::Equal(other) => fluent.bit = number[other],
            InputSource::Itself | InputSource::Opposite(_) => fluent.bit = number[fluent.bit],
        }
        true
    });
    keep(&mut out.initial, kept);
    keep(&mut out.next, kept);
    let moves = net.does();
    out.roles = ByRole::from_fn(net.roles.len(), |role| {
        let mut new = out.roles[role].clone();
        let first = moves[role].start;
        keep(&mut new.moves, |index| kept(first + index));
        keep(&mut new.legal, |index| kept(first + index));
        new
    });
    (sweep(out), always)
}

fn keep<T>(list: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut index = 0;
    list.retain(|_| {
        index += 1;
        keep(index - 1)
    });
}
