//! The active player: which roles can draw their moves with one choice.
//!
//! In a turn-taking game all roles but the active player have a single legal move, mostly called `noop`. Roles of which
//! at most one is active at a time share one tree of choice, which halves the circuit.
//!
//! Literals of the state bits prove that at most one role is active. If the move `idle` is legal exactly where a bit
//! of the state has one value, and every other move of the role is legal only where the bit has the other value, then
//! the role is active at most there. Two such literals exclude each other if one is the complement of the other, or
//! if they exclude each other in the initial state and, by what their next values imply, in every state after it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::propnet::{Gate, Propnet, Wire};
use hyperplay_machine::Role;

/// Whose move one choice draws.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ActivePlayer {
    /// The move of one role, in every state.
    Always(Role),
    /// The move of the active one among roles of which at most one is active.
    InTurn(Vec<ActiveWhen>),
}

impl ActivePlayer {
    /// Whether the choice may draw the move of a role.
    pub(super) fn may_be(&self, role: Role) -> bool {
        match self {
            ActivePlayer::Always(alone) => *alone == role,
            ActivePlayer::InTurn(players) => players.iter().any(|player| player.role == role),
        }
    }
}

/// When a role is the active player, and its move where it is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ActiveWhen {
    /// The role.
    pub role: Role,
    /// The input of the state, or its complement, that is on exactly where the role is active.
    pub active: Wire,
    /// The number of the move that it makes where it is not active.
    pub idle: usize,
}

/// The choices of a game, each role in one of them; only roles that may share one do. O(gates x bits / 64).
pub(super) fn active_players(net: &Propnet, may_share: impl Fn(Role) -> bool) -> Vec<ActivePlayer> {
    let may_be_idle = |wire: Wire| bit_of(net, wire).is_some();
    let in_question =
        net.roles.values().iter().filter(|role| role.legal.iter().any(|&wire| may_be_idle(wire)));
    let bits = net.roles.values().iter().flat_map(|role| &role.legal).filter_map(|&wire| bit_of(net, wire));
    let asked = in_question.flat_map(|role| role.legal.iter().copied()).chain(bits.map(|bit| net.next[bit]));
    let implied = Implied::new(net, asked);
    let active: Vec<Option<ActiveWhen>> = (0..net.roles.len())
        .map(Role::new)
        .map(|role| if may_share(role) { active_when(net, role, &implied) } else { None })
        .collect();
    let exclusive = exclusive_pairs(net, &active, &implied);
    let mut groups: Vec<ActivePlayer> = Vec::new();
    for (role, when) in active.into_iter().enumerate() {
        let Some(when) = when else {
            groups.push(ActivePlayer::Always(Role::new(role)));
            continue;
        };
        let joins = |other: &ActiveWhen| {
            exclusive.contains(&(other.active.min(when.active), other.active.max(when.active)))
        };
        let group = groups.iter_mut().find_map(|group| match group {
            ActivePlayer::InTurn(active) if active.iter().all(joins) => Some(active),
            _ => None,
        });
        match group {
            Some(active) => active.push(when),
            None => groups.push(ActivePlayer::InTurn(vec![when])),
        }
    }
    for group in &mut groups {
        if let ActivePlayer::InTurn(active) = group
            && let [only] = active[..]
        {
            *group = ActivePlayer::Always(only.role);
        }
    }
    groups
}

/// When a role is active, if it has a move `idle` as the header of this file describes it.
fn active_when(net: &Propnet, role: Role, implied: &Implied) -> Option<ActiveWhen> {
    let legal = &net.roles[role].legal;
    if legal.len() < 3 {
        return None; // there is little to share
    }
    (0..legal.len()).find_map(|idle| {
        let active = !legal[idle];
        let is_bit = bit_of(net, active).is_some();
        let others = || legal.iter().enumerate().filter(|(number, _)| *number != idle);
        (is_bit && others().all(|(_, &wire)| implied.by(wire, active))).then_some(ActiveWhen {
            role,
            active,
            idle,
        })
    })
}

/// The bit of the state that a wire is, or whose complement it is.
fn bit_of(net: &Propnet, wire: Wire) -> Option<usize> {
    match net.network.gates()[wire.gate()] {
        Gate::Input(number) if (number as usize) < net.bits() => Some(number as usize),
        _ => None,
    }
}

/// The pairs of literals, ordered, of which never both are on.
fn exclusive_pairs(
    net: &Propnet,
    active: &[Option<ActiveWhen>],
    implied: &Implied,
) -> BTreeSet<(Wire, Wire)> {
    let literals: BTreeSet<Wire> = active.iter().flatten().map(|when| when.active).collect();
    let pairs = || literals.iter().flat_map(|&a| literals.range(a..).skip(1).map(move |&b| (a, b)));
    let number = |wire: Wire| wire.gate() - 1;
    let starts = |wire: Wire| net.initial[number(wire)] ^ wire.is_negated();
    let next = |wire: Wire| net.next[number(wire)].negate_if(wire.is_negated());
    let mut held: BTreeSet<(Wire, Wire)> =
        pairs().filter(|&(a, b)| a == !b || !(starts(a) && starts(b))).collect();
    loop {
        // Inductive: both next values together would need a pair that is already excluded, or a bit and its complement.
        let kept: BTreeSet<(Wire, Wire)> = held
            .iter()
            .copied()
            .filter(|&(a, b)| {
                a == !b
                    || implied.by(next(a), !next(b))
                    || implied.conflict(next(a), next(b))
                    || held.iter().any(|&(p, q)| {
                        let both = |p, q| implied.by(next(a), p) && implied.by(next(b), q);
                        both(p, q) || both(q, p)
                    })
            })
            .collect();
        if kept.len() == held.len() {
            return kept;
        }
        held = kept;
    }
}

/// The bits, with their values, that a wire implies where it is on: for an AND those of its wires together, for an OR
/// those that all its wires share.
struct Implied {
    /// By gate and polarity, in increasing order; only of state bits.
    literals: FxHashMap<Wire, Vec<Wire>>,
}

/// A wire that implies more literals is treated as if it implied none: it does not tell which role is active.
const MANY: usize = 64;

impl Implied {
    /// Of the gates that these wires need.
    fn new(net: &Propnet, of: impl Iterator<Item = Wire>) -> Implied {
        let mut literals: FxHashMap<Wire, Vec<Wire>> = FxHashMap::default();
        let network = &net.network;
        let needed = network.needed(of);
        for (number, gate) in network.gates().iter().enumerate().filter(|(number, _)| needed[*number]) {
            let wire = Wire::of_gate(number);
            match gate {
                Gate::Input(input) if (*input as usize) < net.bits() => {
                    literals.insert(wire, vec![wire]);
                    literals.insert(!wire, vec![!wire]);
                }
                Gate::False | Gate::Input(_) => {}
                Gate::And(wires) => {
                    let of = |wire: Wire| literals.get(&wire).map_or(&[][..], |list| list);
                    let mut all: Vec<Wire> = wires.iter().flat_map(|&wire| of(wire)).copied().collect();
                    all.sort_unstable();
                    all.dedup();
                    all.truncate(if all.len() > MANY { 0 } else { MANY });
                    let mut shared: Vec<Wire> = of(!wires[0]).to_vec();
                    for &wire in &wires[1..] {
                        let other = of(!wire);
                        shared.retain(|literal| other.binary_search(literal).is_ok());
                    }
                    literals.extend(
                        [(wire, all), (!wire, shared)].into_iter().filter(|(_, list)| !list.is_empty()),
                    );
                }
            }
        }
        Implied { literals }
    }

    fn of(&self, wire: Wire) -> &[Wire] {
        self.literals.get(&wire).map_or(&[], |list| list)
    }

    /// Whether a wire is known to imply a literal.
    fn by(&self, wire: Wire, literal: Wire) -> bool {
        wire == Wire::FALSE || wire == literal || self.of(wire).binary_search(&literal).is_ok()
    }

    /// Whether two wires are known to need opposite values of a bit.
    fn conflict(&self, a: Wire, b: Wire) -> bool {
        self.of(a).iter().any(|&literal| self.of(b).binary_search(&!literal).is_ok())
    }
}
