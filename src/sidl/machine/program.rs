//! The program of an interaction, compiled: what the machine runs.
//!
//! Each branching lists for every alias or weight the clauses of operations that its term names, with the bindings of
//! their variables. So a chronon looks nothing up by name.

use std::sync::Arc;

use crate::{Comparison, Effect, Interaction, Selector, Test};
use hyperplay_logic::gdl::{Symbol, Term, TermId, TermStore};
use rustc_hash::FxHashSet;

use super::numbers::Numbers;
use super::pattern::{Bindings, BoundSlots, Pattern, Slots, compile, compound};

/// A compiled condition.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// A fact of the predicate matches the pattern.
    Holds(Symbol, Pattern),
    Not(Vec<Condition>),
    Either(Vec<Vec<Condition>>),
    Compare(Comparison, Pattern, Pattern),
    Equals(Pattern, Pattern),
    Differ(Pattern, Pattern),
    Never,
}

/// A compiled effect.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Remove(Symbol, Pattern),
    Create(Pattern),
    /// The switch of this identifier gets this setting when the chronon is over.
    Set(Pattern, Pattern),
    Pay(Pattern, Pattern),
}

/// A clause with the bindings to begin with: for an operation, those that the term of a branching gives.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) bindings: Bindings,
    pub(super) conditions: Vec<Condition>,
    pub(super) changes: Vec<Change>,
}

/// One operation of a branching: its term, and the clauses that it may be, in the order of the text.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) term: TermId,
    pub(super) clauses: Vec<Clause>,
}

/// A compiled branching.
#[derive(Clone, Debug)]
pub(super) struct CompiledBranching {
    pub(super) selector: Selector,
    pub(super) operations: Vec<Named>,
}

/// A compiled switch.
#[derive(Clone, Debug)]
pub(super) struct CompiledSwitch {
    pub(super) id: TermId,
    pub(super) owner: usize,
    pub(super) aliases: Vec<TermId>,
    pub(super) initial: Option<usize>,
    pub(super) is_momentary: bool,
    /// Whether a condition of some operation reads its setting.
    pub(super) is_read: bool,
}

/// A compiled rule for what is hidden.
#[derive(Clone, Debug)]
pub(super) struct CompiledHidden {
    pub(super) predicate: Symbol,
    pub(super) fact: Pattern,
    pub(super) agents: Vec<Pattern>,
    pub(super) conditions: Vec<Condition>,
    pub(super) bindings: Bindings,
}

/// The names that the machine itself uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) account: Symbol,
    pub(super) does: Symbol,
    pub(super) nil: TermId,
    pub(super) nothing: TermId,
    pub(super) set: Symbol,
    pub(super) commands: Symbol,
    pub(super) draw: Symbol,
    pub(super) draws: Symbol,
    pub(super) chronon: Symbol,
    pub(super) appears: Symbol,
    pub(super) vanishes: Symbol,
}

impl Words {
    fn new(terms: &TermStore) -> Words {
        let symbol = |name: &str| terms.symbols().get(name).expect("the loader interns the words of SIDL");
        Words {
            account: symbol("account"),
            does: Symbol::DOES,
            nil: terms.intern(symbol("nil"), &[]),
            nothing: terms.intern(symbol("nothing"), &[]),
            set: symbol("set"),
            commands: symbol("commands"),
            draw: symbol("draw"),
            draws: symbol("draws"),
            chronon: symbol("chronon"),
            appears: symbol("appears"),
            vanishes: symbol("vanishes"),
        }
    }
}

/// The program of an interaction.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) terms: Arc<TermStore>,
    pub(super) words: Words,
    pub(super) numbers: Numbers,
    pub(super) agents: Vec<TermId>,
    pub(super) switches: Vec<CompiledSwitch>,
    /// The identifier of each chance, and the weights of its operations.
    pub(super) chances: Vec<(TermId, Vec<u64>)>,
    pub(super) branchings: Vec<CompiledBranching>,
    pub(super) hidden: Vec<CompiledHidden>,
    /// Each without changes.
    pub(super) terminal: Vec<Clause>,
    /// The fluents of the initial state.
    pub(super) initial: Vec<TermId>,
    /// The predicates of which a fact may be removed in a chronon, before the next one.
    pub(super) removable: FxHashSet<Symbol>,
}

impl Program {
    pub(super) fn new(interaction: &Interaction, terms: &Arc<TermStore>) -> Program {
        let (words, numbers) = (Words::new(terms), Numbers::new(terms));
        let ground = |term: &Term| ground(term, terms);
        let agents: Vec<TermId> = interaction.agents.iter().map(|(agent, _)| ground(agent)).collect();
        let branchings: Vec<CompiledBranching> = (interaction.branchings.iter())
            .map(|branching| {
                let operations = branching.operations.iter();
                let named = |term: &Term| named(ground(term), interaction, &numbers);
                CompiledBranching {
                    selector: branching.selector,
                    operations: operations.map(named).collect(),
                }
            })
            .collect();
        let clauses =
            || branchings.iter().flat_map(|branching| &branching.operations).flat_map(|named| &named.clauses);
        let switches: Vec<CompiledSwitch> = (interaction.switches.iter())
            .map(|switch| {
                let id = ground(&switch.id);
                CompiledSwitch {
                    id,
                    owner: switch.owner,
                    aliases: switch.aliases.iter().map(ground).collect(),
                    initial: switch.initial,
                    is_momentary: switch.is_momentary,
                    is_read: clauses().any(|clause| reads(&clause.conditions, id, words.does)),
                }
            })
            .collect();
        let mut initial: Vec<TermId> = interaction.facts.iter().map(ground).collect();
        for (&agent, (_, balance)) in agents.iter().zip(&interaction.agents) {
            let balance = numbers.term(*balance).expect("the loader checks the range of balances");
            initial.push(terms.intern(words.account, &[agent, balance]));
        }
        for switch in &switches {
            let setting = switch.initial.map_or(words.nil, |initial| switch.aliases[initial]);
            initial.push(terms.intern(words.does, &[switch.id, setting]));
        }
        let removable = clauses().flat_map(|clause| &clause.changes).filter_map(|change| match change {
            Change::Remove(predicate, _) => Some(*predicate),
            _ => None,
        });
        Program {
            terms: Arc::clone(terms),
            removable: removable.collect(),
            chances: (interaction.chances.iter())
                .map(|chance| (ground(&chance.id), chance.weights.clone()))
                .collect(),
            hidden: interaction.hidden.iter().map(|rule| hidden(rule, terms)).collect(),
            terminal: interaction.terminal.iter().map(|tests| conjunction(tests, terms)).collect(),
            words,
            numbers,
            agents,
            switches,
            branchings,
            initial,
        }
    }
}

/// The id of a term without variables. A fraction is a compound term like any other.
pub(super) fn ground(term: &Term, terms: &TermStore) -> TermId {
    terms.intern_term(term).expect("the loader refuses variables here")
}

fn named(term: TermId, interaction: &Interaction, numbers: &Numbers) -> Named {
    let (terms, mut clauses) = (&numbers.terms, Vec::new());
    for operation in &interaction.operations {
        let mut slots = Slots::default();
        let head = compile(&operation.head, &mut slots, terms);
        let conditions = conditions(&operation.tests, &mut slots, terms);
        let changes = operation.effects.iter().map(|effect| change(effect, &mut slots, terms)).collect();
        let mut bindings = slots.unbound();
        if head.matches(term, &mut bindings, &mut BoundSlots::new(), numbers) {
            clauses.push(Clause { bindings, conditions, changes });
        }
    }
    Named { term, clauses }
}

fn change(effect: &Effect, slots: &mut Slots, terms: &TermStore) -> Change {
    match effect {
        Effect::Remove(atom) => Change::Remove(atom.relation, fact(atom, slots, terms)),
        Effect::Create(atom) if atom.relation == Symbol::DOES && atom.arguments.len() == 2 => {
            let [id, alias] = [0, 1].map(|place| compile(&atom.arguments[place], slots, terms));
            Change::Set(id, alias)
        }
        Effect::Create(atom) => Change::Create(fact(atom, slots, terms)),
        Effect::Pay(agent, amount) => {
            Change::Pay(compile(agent, slots, terms), compile(amount, slots, terms))
        }
    }
}

fn fact(atom: &hyperplay_logic::gdl::Atom, slots: &mut Slots, terms: &TermStore) -> Pattern {
    compound(atom.relation, atom.arguments.iter().map(|term| compile(term, slots, terms)).collect(), terms)
}

fn hidden(rule: &crate::HiddenRule, terms: &TermStore) -> CompiledHidden {
    let mut slots = Slots::default();
    let fact = fact(&rule.fact, &mut slots, terms);
    let conditions = conditions(&rule.tests, &mut slots, terms);
    let agents = rule.agents.iter().map(|agent| compile(agent, &mut slots, terms)).collect();
    CompiledHidden { predicate: rule.fact.relation, fact, agents, conditions, bindings: slots.unbound() }
}

fn conjunction(tests: &[Test], terms: &TermStore) -> Clause {
    let mut slots = Slots::default();
    let conditions = conditions(tests, &mut slots, terms);
    Clause { bindings: slots.unbound(), conditions, changes: Vec::new() }
}

fn conditions(tests: &[Test], slots: &mut Slots, terms: &TermStore) -> Vec<Condition> {
    let pattern = |term: &Term, slots: &mut Slots| compile(term, slots, terms);
    let mut one = |test: &Test| match test {
        Test::Holds(atom) => Condition::Holds(atom.relation, fact(atom, slots, terms)),
        Test::Not(tests) => Condition::Not(conditions(tests, slots, terms)),
        Test::Either(parts) => {
            Condition::Either(parts.iter().map(|part| conditions(part, slots, terms)).collect())
        }
        Test::Compare(how, a, b) => Condition::Compare(*how, pattern(a, slots), pattern(b, slots)),
        Test::Equals(a, b) => Condition::Equals(pattern(a, slots), pattern(b, slots)),
        Test::Differ(a, b) => Condition::Differ(pattern(a, slots), pattern(b, slots)),
        Test::Never => Condition::Never,
    };
    tests.iter().map(&mut one).collect()
}

/// Whether a condition may read the setting of a switch.
fn reads(conditions: &[Condition], switch: TermId, does: Symbol) -> bool {
    conditions.iter().any(|condition| match condition {
        Condition::Holds(predicate, Pattern::Compound(_, arguments)) if *predicate == does => {
            arguments.first().is_none_or(|id| !matches!(id, Pattern::Ground(id) if *id != switch))
        }
        Condition::Holds(predicate, _) => *predicate == does,
        Condition::Not(inner) => reads(inner, switch, does),
        Condition::Either(parts) => parts.iter().any(|part| reads(part, switch, does)),
        _ => false,
    })
}
