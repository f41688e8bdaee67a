//! The circuit: one random step of a game as one network.
//!
//! In a state S the circuit counts the legal moves and draws one for each role. It computes the next state N, whether N
//! is terminal, and which goals N is worth. A choice may be *forced*: in the first step of a playout the caller can
//! give the index of a move among the legal ones.
//!
//! The inputs stand in this order: the bits of S; for each choice the forced index and whether it is forced; where roles choose
//! by weights, the weights of their moves; whether this is a first step; the random bits. A lane whose draw failed does not `go`: it keeps S and draws all of its
//! choices again, so that what it draws in the end is uniform.

use super::active_player::{ActivePlayer, active_players};
use super::draw::index_bits;
use super::drawing::{Drawing, ForcedInputs, leaves_of, rounds};
use crate::propnet::{Network, Propnet, Wire};
use hyperplay_machine::{ByRole, Goal, MoveWeights, Role};

/// Where the inputs of a choice stand, and the roles that it chooses for.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// Whose moves it draws.
    pub player: ActivePlayer,
    /// The first of the inputs for the forced index, least bit first; the one after them says whether it is forced.
    pub forced: usize,
    /// How many bits the index has.
    pub bits: usize,
    /// Whether it is by weights.
    pub is_weighted: bool,
    /// How many random bits it draws in all.
    random: usize,
}

/// How the goals of a role are counted: for each value but the last the number of the counted output that says that a
/// playout ended with it; the last one takes what is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GoalCode {
    /// The values that are counted, each with its place among [`Circuit::counted`].
    pub counted: Vec<(Goal, usize)>,
    /// The value of all others.
    pub rest: Goal,
}

/// One random step as a network.
#[derive(Debug)]
pub(super) struct Circuit {
    /// The network.
    pub network: Network,
    /// Bits of a state.
    pub bits: usize,
    /// The choices.
    pub choices: Vec<Choice>,
    /// For each role the first of the inputs with the weights of its moves, if it chooses by weights.
    pub weights: Vec<Option<usize>>,
    /// The input that says that this is the first step.
    pub first: usize,
    /// The inputs that are random.
    pub random: std::ops::Range<usize>,
    /// The bits of N.
    pub next: Vec<Wire>,
    /// Whether all choices were made.
    pub goes: Wire,
    /// Whether some role has no legal move in S: a fault of the rules.
    pub stuck: Wire,
    /// Whether N is terminal.
    pub terminal: Wire,
    /// The wires that are counted over the playouts that end in N.
    pub counted: Vec<Wire>,
    /// The meaning of the counts.
    pub goals: ByRole<GoalCode>,
    /// For each role, which of its moves it makes.
    pub does: ByRole<Vec<Wire>>,
    /// For each role, the wires of its percepts of the step.
    pub percepts: ByRole<Vec<Wire>>,
}

impl Circuit {
    /// The circuit of a game in which these roles choose by weights, and the others uniformly.
    pub(super) fn new(net: &Propnet, weighs: impl Fn(Role) -> bool) -> Circuit {
        let active_players = active_players(net, |_| true);
        let leaves: Vec<usize> = active_players.iter().map(|player| leaves_of(net, player)).collect();
        let real = leaves.iter().filter(|leaves| **leaves > 1).count();
        let bits = net.bits();
        let mut next_input = bits;
        let mut choices = Vec::new();
        for (player, &leaves) in active_players.into_iter().zip(&leaves) {
            let is_weighted =
                leaves > 1 && net.roles.iter().any(|(role, _)| player.may_be(role) && weighs(role));
            let each = if is_weighted { usize::from(MoveWeights::MOST) } else { 1 };
            let (forced, bits) = (next_input, index_bits(leaves * each));
            choices.push(Choice { player, forced, bits, is_weighted, random: bits * rounds(real) });
            next_input += bits + 1;
        }
        let mut weights = Vec::new();
        for (role, moves) in net.roles.iter() {
            weights.push(weighs(role).then_some(next_input));
            next_input += if weighs(role) { moves.moves.len() * MoveWeights::BITS } else { 0 };
        }
        let first = next_input;
        let planes: usize = choices.iter().map(|choice| choice.random).sum();
        let random = first + 1..first + 1 + planes;
        let mut network = Network::new(random.end);
        let state: Vec<Wire> = (0..bits).map(|bit| network.input(bit)).collect();

        // From S alone: legal moves.
        let legal_wires: Vec<Wire> =
            net.roles.values().iter().flat_map(|role| role.legal.iter().copied()).collect();
        let no_moves = vec![Wire::FALSE; net.network.inputs() - bits];
        let of_state = [state.clone(), no_moves.clone()].concat();
        let mut legal = network.import(&net.network, &of_state, &legal_wires).into_iter();
        let legal = net.roles.map(|role| legal.by_ref().take(role.legal.len()).collect::<Vec<Wire>>());

        // The choices.
        let mut does: ByRole<Vec<Wire>> = ByRole::from_fn(legal.len(), |_| Vec::new());
        let (mut made, mut stuck) = (Vec::new(), Vec::new());
        let mut random_wires = random.clone();
        for choice in &choices {
            let random: Vec<Wire> =
                random_wires.by_ref().take(choice.random).map(|input| network.input(input)).collect();
            let forced = Some(ForcedInputs { first, index: choice.forced });
            let weights = if choice.is_weighted { &weights[..] } else { &[] };
            let mut drawing =
                Drawing { network: &mut network, bits: choice.bits, random: &random, forced, weights };
            let drawn = drawing.of(&choice.player, &legal, &mut does);
            made.push(drawn.made);
            stuck.push(drawn.stuck);
        }
        let stuck = network.or(&stuck);
        made.push(!stuck);
        let goes = network.and(&made);

        // The step, then the end in N.
        let moves: Vec<Wire> = does.values().iter().flatten().copied().collect();
        let percept_wires =
            net.roles.values().iter().flat_map(|role| role.percepts.iter().map(|&(_, wire)| wire));
        let step: Vec<Wire> = net.next.iter().copied().chain(percept_wires).collect();
        let mut step = network.import(&net.network, &[state, moves].concat(), &step).into_iter();
        let next: Vec<Wire> = step.by_ref().take(bits).collect();
        let percepts = net.roles.map(|role| step.by_ref().take(role.percepts.len()).collect());
        let goal_wires = net.roles.values().iter().flat_map(|role| role.goals.iter().map(|&(_, wire)| wire));
        let end: Vec<Wire> = std::iter::once(net.terminal).chain(goal_wires).collect();
        let mut end = network.import(&net.network, &[next.clone(), no_moves].concat(), &end).into_iter();
        let terminal = end.next().expect("the first one");
        let mut counted = Vec::new();
        let goals = net.roles.map(|role| {
            let worth: Vec<(Goal, Wire)> =
                role.goals.iter().map(|&(goal, _)| goal).zip(end.by_ref()).collect();
            goal_code(&mut network, &worth, &mut counted)
        });
        Circuit {
            network,
            bits,
            choices,
            weights,
            first,
            random,
            next,
            goes,
            stuck,
            terminal,
            counted,
            goals,
            does,
            percepts,
        }
    }
}

/// The values of a role, each with the wire that says that it is the first one to hold; 0 if none does.
fn goal_code(network: &mut Network, worth: &[(Goal, Wire)], counted: &mut Vec<Wire>) -> GoalCode {
    let mut cases: Vec<(Goal, Vec<Wire>)> = Vec::new();
    let mut earlier = Vec::new();
    for &(goal, wire) in worth {
        let holds = network.and(&[&[wire], &earlier[..]].concat());
        earlier.push(!wire);
        match cases.iter_mut().find(|(value, _)| *value == goal) {
            Some((_, wires)) => wires.push(holds),
            None => cases.push((goal, vec![holds])),
        }
    }
    let none = network.and(&earlier);
    match cases.iter_mut().find(|(value, _)| *value == Goal::default()) {
        Some((_, wires)) => wires.push(none),
        None => cases.push((Goal::default(), vec![none])),
    }
    let cases = cases.into_iter().map(|(goal, wires)| (goal, network.or(&wires)));
    let mut cases: Vec<(Goal, Wire)> = cases.filter(|(_, wire)| *wire != Wire::FALSE).collect();
    // A wire that no other role counts is left out if possible, otherwise the last one.
    let left_out = cases.iter().rposition(|(_, wire)| !counted.contains(wire)).unwrap_or(0);
    let (rest, _) = cases.remove(left_out);
    let counted = cases
        .into_iter()
        .map(|(goal, wire)| {
            let place = counted.iter().position(|other| *other == wire).unwrap_or_else(|| {
                counted.push(wire);
                counted.len() - 1
            });
            (goal, place)
        })
        .collect();
    GoalCode { counted, rest }
}
