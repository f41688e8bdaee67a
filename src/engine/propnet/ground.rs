//! Grounding: from a game to its network.
//!
//! ```text
//! game --domain--> atoms that may hold --rules, instance by instance--> gates --> Propnet
//! ```
//!
//! The network answers every query as the rules do. An atom that is not in the domain never holds, and an atom that
//! depends on no state always holds.

use serde::Serialize;

use super::build::{Builder, Inputs};
use super::domain::{Domain, RuleForm};
use super::network::follow;
use super::{Fluent, Gate, GroundingLimits, Network, Propnet, RoleNet, TooLarge, Wire};
use crate::EvaluableRules;
use hyperplay_logic::gdl::{Game, Rule, Symbol, TermId};
use hyperplay_machine::{ByRole, Goal, Move, Percept};

/// How large a game is when ground.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct GroundingStats {
    /// Fluents that may hold.
    pub fluents: usize,
    /// Moves that may be legal, of all roles.
    pub moves: usize,
    /// Atoms that may hold, of all relations.
    pub atoms: usize,
    /// Instances of rules that were built.
    pub instances: u64,
    /// Rows looked at.
    pub visits: u64,
    /// Gates before simplification.
    pub gates: usize,
    /// Bytes of atoms, instances and gates, by estimate.
    pub bytes: u64,
}

/// The network of a game, not yet simplified.
///
/// # Errors
/// When a limit is met; the work until then is bounded by the limits.
pub fn ground(game: &Game, limits: &GroundingLimits) -> Result<(Propnet, GroundingStats), TooLarge> {
    let whole = GroundingLimits {
        instances: limits.instances.min(WHOLE_INSTANCES),
        visits: limits.visits.min(WHOLE_VISITS),
        ..*limits
    };
    let rules = EvaluableRules::within(game, limits.of_evaluations());
    let ground = |form, limits| ground_rules(game, rules.rules(), form, limits);
    ground(RuleForm::Whole, &whole)
        .or_else(|_| ground(RuleForm::Split, limits))
        .or_else(|_| ground(RuleForm::Demanded(RESTRICTED_ROWS), limits))
}

/// Instances of rules, and rows looked at, within which the rules are ground as they stand. Split rules have fewer
/// instances, but the simplifier finds less to factor in them: checkers ends with a quarter of the gates if its rules
/// are not split.
const WHOLE_INSTANCES: u64 = 300_000;
const WHOLE_VISITS: u64 = 10_000_000;

/// The networks of a game from these rules in each form, in which relations with more rows than `most` are restricted
/// to what is asked of them.
#[cfg(test)]
pub(crate) fn ground_in_each_form(
    game: &Game,
    rules: &[Rule],
    most: usize,
    limits: &GroundingLimits,
) -> [Result<(Propnet, GroundingStats), TooLarge>; 3] {
    [RuleForm::Whole, RuleForm::Split, RuleForm::Demanded(most)]
        .map(|form| ground_rules(game, rules, form, limits))
}

/// A relation of which more rows may hold is restricted to what is asked of it, where it has to be.
const RESTRICTED_ROWS: usize = 5_000;

/// The network of a game from its rules in one form.
fn ground_rules(
    game: &Game,
    rules: &[Rule],
    form: RuleForm,
    limits: &GroundingLimits,
) -> Result<(Propnet, GroundingStats), TooLarge> {
    let domain = Domain::of(game, rules, form, limits)?;
    let inputs = Inputs::of(game, &domain);
    let mut builder = Builder::new(game, domain, &inputs, limits);
    builder.build()?;
    let stats = GroundingStats {
        fluents: inputs.fluents.len(),
        moves: inputs.moves.values().iter().map(Vec::len).sum(),
        atoms: builder.domain.atoms(),
        instances: builder.gates.instances,
        visits: builder.domain.visits(),
        gates: builder.gates.network.gates().len(),
        bytes: builder.gates.bytes,
    };
    Ok((propnet(game, inputs, builder), stats))
}

fn propnet(game: &Game, inputs: Inputs, builder: Builder<'_>) -> Propnet {
    let terms = game.terms();
    let mut initial = vec![false; inputs.fluents.len()];
    for &fluent in &builder.domain.initial {
        let bit = inputs.fluents.binary_search_by(|&other| terms.compare(other, fluent));
        initial[bit.expect("what holds initially is in the domain")] = true;
    }
    let next = inputs.fluents.iter().map(|&fluent| builder.wire(Symbol::NEXT, &[fluent])).collect();
    let role = |(role, moves): (&TermId, &Vec<TermId>)| {
        let legal = moves.iter().map(|&own| builder.wire(Symbol::LEGAL, &[*role, own])).collect();
        let mut goals: Vec<(Goal, Wire)> = Vec::new();
        for rows in &builder.goals {
            let goal = builder.domain.rules.relation(Symbol::GOAL).expect("it has rules");
            let values = rows.iter().map(|&(row, wire)| (builder.domain.tuple(goal, row), wire));
            let own = values.filter(|(tuple, _)| tuple[0] == *role);
            let mut values: Vec<(TermId, Wire)> = own.map(|(tuple, wire)| (tuple[1], wire)).collect();
            values.sort_unstable_by(|a, b| terms.compare(a.0, b.0));
            let nearest = |value| Goal::nearest(&terms.show(value)).unwrap_or_default();
            goals.extend(values.into_iter().map(|(value, wire)| (nearest(value), wire)));
        }
        let mut percepts: Vec<(Percept, Wire)> = Vec::new();
        if game.is_imperfect() {
            let seen = builder.domain.tuples(Symbol::SEES).filter(|row| row[0] == *role);
            percepts.extend(seen.map(|row| (Percept(row[1]), builder.wire(Symbol::SEES, row))));
            percepts.sort_unstable_by(|a, b| terms.compare(a.0.0, b.0.0));
        }
        RoleNet { moves: moves.iter().map(|&own| Move(own)).collect(), legal, goals, percepts }
    };
    let mut net = Propnet {
        fluents: inputs.fluents.iter().enumerate().map(|(bit, &term)| Fluent { term, bit }).collect(),
        fixed: Vec::new(),
        initial,
        next,
        terminal: builder.wire(Symbol::TERMINAL, &[]),
        roles: ByRole::new(game.roles().iter().zip(inputs.moves.values()).map(role).collect()),
        network: builder.gates.network,
    };
    without_moves(&mut net);
    net
}

/// Makes what a state decides independent of the moves: where the rules (against the language) let it depend on one,
/// it is decided as if none were made.
fn without_moves(net: &mut Propnet) {
    let bits = net.bits();
    let mut depends = vec![false; net.network.gates().len()];
    for (number, gate) in net.network.gates().iter().enumerate() {
        depends[number] = match gate {
            Gate::False => false,
            Gate::Input(input) => *input as usize >= bits,
            Gate::And(wires) => wires.iter().any(|wire| depends[wire.gate()]),
        };
    }
    let Propnet { network, terminal, roles, .. } = net;
    let mut outputs: Vec<&mut Wire> = vec![terminal];
    let mut nets: Vec<RoleNet> = roles.values().to_vec();
    for role in &mut nets {
        outputs.extend(&mut role.legal);
        outputs.extend(role.goals.iter_mut().map(|(_, wire)| wire));
    }
    if outputs.iter().all(|wire| !depends[wire.gate()]) {
        return;
    }
    let replaced = replace_moves(network, bits);
    outputs.into_iter().for_each(|wire| *wire = follow(&replaced, *wire));
    *roles = ByRole::new(nets);
}

/// For each gate, the same with no move made.
fn replace_moves(network: &mut Network, bits: usize) -> Vec<Wire> {
    let mut replaced: Vec<Wire> = Vec::with_capacity(network.gates().len());
    for number in 0..network.gates().len() {
        let wire = match network.gates()[number] {
            Gate::False => Wire::FALSE,
            Gate::Input(input) if input as usize >= bits => Wire::FALSE,
            Gate::Input(input) => network.input(input as usize),
            Gate::And(ref wires) => {
                let wires: Vec<Wire> = wires.iter().map(|&wire| follow(&replaced, wire)).collect();
                network.and(&wires)
            }
        };
        replaced.push(wire);
    }
    replaced
}
