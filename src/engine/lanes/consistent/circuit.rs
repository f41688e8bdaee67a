//! The circuit of a consistent draw: one step in which all roles but one choose at random, as one network.
//!
//! The observing role makes its own move, which is given. Every other role draws one of its legal moves. The circuit
//! computes what the observing role perceives, the next state N, whether N is terminal, and the moves drawn. It
//! computes neither goals nor the percepts of the others.
//!
//! The inputs stand in this order: the bits of the state S; the moves of the observing role, of which one is on; the
//! random bits. In a GDL-I game every role perceives the joint move, so there the percepts are the moves themselves.

use std::ops::Range;

use super::super::active_player::{ActivePlayer, active_players};
use super::super::draw::index_bits;
use super::super::drawing::{Drawing, leaves_of, rounds};
use super::rows::Rows;
use crate::program::LutProgram;
use crate::propagator::Propagator;
use crate::propnet::{Network, Propnet, Wire};
use hyperplay_machine::{ByRole, Percept, Role, StateMachineExt};

/// A circuit as a program, and the planes of its outputs.
#[derive(Debug)]
pub(super) struct ConsistentCode {
    /// The program.
    pub program: LutProgram,
    /// Bits of a state: the first inputs.
    pub bits: usize,
    /// The inputs that are the moves of the observing role.
    pub own: Range<usize>,
    /// The inputs that are random.
    pub random: Range<usize>,
    /// The bits that are read of an attempt that agrees: the bits of N, then the moves of the roles that draw.
    pub rows: Rows,
    /// Whether all choices were made.
    pub goes: usize,
    /// Whether the own move is legal in S.
    pub fits: usize,
    /// Whether no draw can help: S is terminal, the own move is not legal in S, or a role has no legal move in S.
    pub hopeless: usize,
    /// Whether N is terminal.
    pub terminal: usize,
    /// The percepts that the observing role may have.
    pub percepts: Vec<(Percept, usize)>,
}

impl ConsistentCode {
    /// The code for what one role observes. It takes about as long as the circuit of playouts.
    pub(super) fn new(propagator: &Propagator, observer: Role) -> ConsistentCode {
        let net = &propagator.propnet;
        let circuit = ConsistentCircuit::new(net, observer);
        let does = ByRole::from_fn(net.roles.len(), |role| {
            let is_open = role != observer && net.roles[role].moves.len() > 1;
            if is_open { &circuit.does[role][..] } else { &[] }
        });
        let percepts: Vec<(Percept, Wire)> = if propagator.perceives_moves() {
            let of =
                |role: Role| propagator.move_percepts(role).iter().copied().zip(circuit.does[role].clone());
            propagator.each_role().flat_map(of).collect()
        } else {
            let known = net.roles[observer].percepts.iter().map(|&(percept, _)| percept);
            known.zip(circuit.percepts.iter().copied()).collect()
        };
        let fixed = [circuit.goes, circuit.fits, circuit.hopeless, circuit.terminal];
        let seen: Vec<Wire> = percepts.iter().map(|&(_, wire)| wire).collect();
        let outputs = [&circuit.next[..], &fixed, &seen, &does.values().concat()].concat();
        let program = LutProgram::compile(&circuit.network, &outputs);
        let mut planes = program.outputs.iter().copied();
        let next: Vec<usize> = planes.by_ref().take(circuit.next.len()).collect();
        let mut take = || planes.next().expect("there is one for each output");
        let (goes, fits, hopeless, terminal) = (take(), take(), take(), take());
        let percepts = percepts.into_iter().map(|(percept, _)| (percept, take())).collect();
        let does = does.map(|own| own.iter().map(|_| take()).collect::<Vec<usize>>());
        let (rows, bits, own, random) = (Rows::new(&next, &does), net.bits(), circuit.own, circuit.random);
        ConsistentCode { bits, own, random, rows, goes, fits, hopeless, terminal, percepts, program }
    }
}

/// The rounds of drawing in each choice that there are beyond those of playouts, because an attempt that must be made
/// again costs a whole pass, and a round only some twenty look-up tables.
const MORE_ROUNDS: usize = 2;

/// The step as a network. Its members are those of [`ConsistentCode`], as wires.
struct ConsistentCircuit {
    network: Network,
    own: Range<usize>,
    random: Range<usize>,
    next: Vec<Wire>,
    goes: Wire,
    fits: Wire,
    hopeless: Wire,
    terminal: Wire,
    percepts: Vec<Wire>,
    does: ByRole<Vec<Wire>>,
}

impl ConsistentCircuit {
    fn new(net: &Propnet, observer: Role) -> ConsistentCircuit {
        let players: Vec<(ActivePlayer, usize)> = active_players(net, |role| role != observer)
            .into_iter()
            .filter(|player| *player != ActivePlayer::Always(observer))
            .map(|player| {
                let bits = index_bits(leaves_of(net, &player));
                (player, bits)
            })
            .collect();
        let rounds = rounds(players.iter().filter(|(_, bits)| *bits > 0).count()) + MORE_ROUNDS;
        let bits = net.bits();
        let own = bits..bits + net.roles[observer].moves.len();
        let planes: usize = players.iter().map(|(_, bits)| bits * rounds).sum();
        let random = own.end..own.end + planes;
        let mut network = Network::new(random.end);
        let state: Vec<Wire> = (0..bits).map(|bit| network.input(bit)).collect();

        // From S alone: legal moves and the end.
        let legal_wires = net.roles.values().iter().flat_map(|role| role.legal.iter().copied());
        let of_state: Vec<Wire> = legal_wires.chain([net.terminal]).collect();
        let no_moves = vec![Wire::FALSE; net.network.inputs() - bits];
        let mut of_state =
            network.import(&net.network, &[&state[..], &no_moves].concat(), &of_state).into_iter();
        let legal = net.roles.map(|role| of_state.by_ref().take(role.legal.len()).collect::<Vec<Wire>>());
        let mut hopeless: Vec<Wire> = of_state.collect();

        // The moves.
        let mut does: ByRole<Vec<Wire>> = ByRole::from_fn(legal.len(), |_| Vec::new());
        does[observer] = own.clone().map(|input| network.input(input)).collect();
        let agree = does[observer].iter().zip(&legal[observer]);
        let agree: Vec<Wire> = agree.map(|(&made, &legal)| network.and(&[made, legal])).collect();
        let fits = network.or(&agree);
        hopeless.push(!fits);
        let (mut made, mut random_wires) = (Vec::new(), random.clone());
        for (player, bits) in &players {
            let own = random_wires.by_ref().take(bits * rounds);
            let random: Vec<Wire> = own.map(|input| network.input(input)).collect();
            let mut drawing =
                Drawing { network: &mut network, bits: *bits, random: &random, forced: None, weights: &[] };
            let drawn = drawing.of(player, &legal, &mut does);
            made.push(drawn.made);
            hopeless.push(drawn.stuck);
        }
        let goes = network.and(&made);
        let hopeless = network.or(&hopeless);

        // The step, then the end in N.
        let moves = does.values().concat();
        let seen = net.roles[observer].percepts.iter().map(|&(_, wire)| wire);
        let step: Vec<Wire> = net.next.iter().copied().chain(seen).collect();
        let mut next = network.import(&net.network, &[state, moves].concat(), &step);
        let percepts = next.split_off(bits);
        let of_next = [&next[..], &no_moves].concat();
        let terminal = network.import(&net.network, &of_next, &[net.terminal])[0];
        ConsistentCircuit { network, own, random, next, goes, fits, hopeless, terminal, percepts, does }
    }
}
