//! The diagram of an interaction as Graphviz text: who sets what, what that selects, and what the operations do.
//!
//! Agents own switches; switches and chances select in branchings; a branching tries operations, one for each setting
//! or draw. Each clause for an operation is a box of its own. Facts are drawn by predicate: a test is an arrow from the
//! fact (with a hollow dot where the fact must not hold), a creation an arrow to it, a removal a dashed one, and a
//! payment an arrow to the agent, or to `account/2` where a test decides who is paid.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Branching, Chance, Effect, Interaction, Number, Selector, Switch, Test};
use hyperplay_logic::gdl::{Atom, DotGraph, Symbol, Symbols, Syntax, Term, TermStore, print_term};

use super::interaction_machine::InteractionMachine;
use super::numbers::Numbers;
use super::pattern::{Slots, compile};
use super::program::ground;

impl InteractionMachine {
    /// The diagram of the program, for Graphviz.
    pub fn dot(&self) -> String {
        let game = self.game();
        Diagram::of(&Interaction::of(game), game.terms())
    }
}

struct Diagram<'a> {
    program: &'a Interaction,
    symbols: &'a Symbols,
    /// The predicates that occur, with their arity, each with its number.
    facts: BTreeMap<(Symbol, usize), usize>,
    /// The arrows of tests and effects that are drawn: from, to and style.
    arrows: BTreeSet<[String; 3]>,
    graph: DotGraph,
}

impl Diagram<'_> {
    fn of(program: &Interaction, terms: &Arc<TermStore>) -> String {
        let (nodes, edges) =
            ("node [fontname=\"Helvetica\", fontsize=10]", "edge [fontname=\"Helvetica\", fontsize=9]");
        let graph = DotGraph::new("interaction", &["rankdir=LR", nodes, edges]);
        let (facts, arrows) = (BTreeMap::new(), BTreeSet::new());
        let mut diagram = Diagram { program, symbols: terms.symbols(), facts, arrows, graph };
        diagram.selectors();
        diagram.branchings(terms);
        for (number, operation) in program.operations.iter().enumerate() {
            let head = diagram.show(&operation.head);
            diagram.graph.node(format_args!("o{number}"), &head, "shape=box");
            diagram.tests(&operation.tests, false, &format!("o{number}"));
            operation.effects.iter().for_each(|effect| diagram.effect(number, effect));
        }
        if !program.terminal.is_empty() {
            diagram.graph.node("terminal", "terminal", "shape=box, peripheries=2");
            program.terminal.iter().for_each(|tests| diagram.tests(tests, false, "terminal"));
        }
        for (&(name, arity), number) in &diagram.facts {
            let name = format!("{}/{arity}", diagram.symbols.name(name));
            let style = "shape=ellipse, style=filled, fillcolor=gray92";
            diagram.graph.node(format_args!("f{number}"), &name, style);
        }
        diagram.graph.finish()
    }

    fn show(&self, term: &Term) -> String {
        print_term(term, self.symbols, Syntax::Infix)
    }

    /// Agents, switches and chances.
    fn selectors(&mut self) {
        for (number, (agent, balance)) in self.program.agents.iter().enumerate() {
            let label = format!("{}\nbalance {balance}", self.show(agent));
            self.graph.node(format_args!("a{number}"), &label, "shape=egg, style=bold");
        }
        for (number, switch) in self.program.switches.iter().enumerate() {
            let Switch { id, owner, aliases, initial, is_momentary, .. } = switch;
            let aliases: Vec<String> = (aliases.iter().enumerate())
                .map(|(place, alias)| {
                    let mark = if Some(place) == *initial { " (at the start)" } else { "" };
                    format!("{}{mark}", self.show(alias))
                })
                .collect();
            let kind = if *is_momentary { "momentary switch" } else { "switch" };
            let label = format!("{kind} {}\n{}", self.show(id), aliases.join("\n"));
            self.graph.node(format_args!("s{number}"), &label, "shape=box, style=rounded");
            self.graph.arrow(format_args!("a{owner}"), format_args!("s{number}"), "");
        }
        for (number, Chance { id, .. }) in self.program.chances.iter().enumerate() {
            let label = format!("chance {}", self.show(id));
            self.graph.node(format_args!("c{number}"), &label, "shape=diamond");
        }
    }

    /// Branchings, with an arrow to each clause that a setting or a draw selects.
    fn branchings(&mut self, terms: &Arc<TermStore>) {
        let numbers = Numbers::new(terms);
        for (number, Branching { operations, selector, .. }) in self.program.branchings.iter().enumerate() {
            let branching = format!("b{number}");
            self.graph.node(&branching, &format!("branching {}", number + 1), "shape=hexagon");
            match selector {
                Selector::Switch(switch) => self.graph.arrow(format_args!("s{switch}"), &branching, ""),
                Selector::Chance(chance) => self.graph.arrow(format_args!("c{chance}"), &branching, ""),
                Selector::Always => {}
            }
            let mut arrows: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            for (place, operation) in operations.iter().enumerate() {
                let (named, spelled) = (ground(operation, terms), self.show(operation));
                for (clause, operation) in self.program.operations.iter().enumerate() {
                    let mut slots = Slots::default();
                    let head = compile(&operation.head, &mut slots, terms);
                    if head.matches(
                        named,
                        &mut slots.unbound(),
                        &mut super::pattern::BoundSlots::new(),
                        &numbers,
                    ) {
                        let selection = self.selection(*selector, place);
                        // The name says which values the variables of the clause have.
                        let label = match self.show(&operation.head) == spelled {
                            true => selection,
                            false => format!("{selection}: {spelled}"),
                        };
                        arrows.entry(clause).or_default().push(label);
                    }
                }
            }
            for (clause, labels) in arrows {
                self.graph.labelled_arrow(&branching, format_args!("o{clause}"), labels);
            }
        }
    }

    /// The setting, or the probability of the draw, that selects a place.
    fn selection(&self, selector: Selector, place: usize) -> String {
        match selector {
            Selector::Switch(switch) => self.show(&self.program.switches[switch].aliases[place]),
            Selector::Chance(chance) => {
                let weights = &self.program.chances[chance].weights;
                let share = |weight: u64| i64::try_from(weight).unwrap_or(i64::MAX);
                Number::new(share(weights[place]), share(weights.iter().sum())).to_string()
            }
            Selector::Always => "every chronon".to_owned(),
        }
    }

    /// The node of a predicate.
    fn fact(&mut self, predicate: Symbol, arity: usize) -> String {
        let next = self.facts.len();
        format!("f{}", self.facts.entry((predicate, arity)).or_insert(next))
    }

    /// The node of what a condition or an effect names: a switch, or a predicate.
    fn named(&mut self, predicate: Symbol, arguments: &[Term]) -> String {
        let switches = &self.program.switches;
        let switch = (predicate == Symbol::DOES)
            .then(|| switches.iter().position(|switch| arguments.first() == Some(&switch.id)))
            .flatten();
        match switch {
            Some(switch) => format!("s{switch}"),
            None => self.fact(predicate, arguments.len()),
        }
    }

    fn arrow(&mut self, from: &str, to: &str, style: &str) {
        // Two tests of one predicate are one arrow.
        if self.arrows.insert([from, to, style].map(str::to_owned)) {
            self.graph.arrow(from, to, style);
        }
    }

    fn tests(&mut self, tests: &[Test], is_negated: bool, to: &str) {
        for test in tests {
            match test {
                Test::Holds(atom) => {
                    let from = self.named(atom.relation, &atom.arguments);
                    self.arrow(&from, to, if is_negated { "arrowhead=odot" } else { "" });
                }
                Test::Not(inner) => self.tests(inner, !is_negated, to),
                Test::Either(parts) => parts.iter().for_each(|part| self.tests(part, is_negated, to)),
                Test::Compare(..) | Test::Equals(..) | Test::Differ(..) | Test::Never => {}
            }
        }
    }

    fn effect(&mut self, number: usize, effect: &Effect) {
        let from = format!("o{number}");
        let mut change = |atom: &Atom, style: &str| {
            let to = self.named(atom.relation, &atom.arguments);
            self.arrow(&from, &to, style);
        };
        match effect {
            Effect::Create(atom) => change(atom, "color=darkgreen"),
            Effect::Remove(atom) => change(atom, "color=red, style=dashed"),
            Effect::Pay(agent, amount) => {
                let known = self.program.agents.iter().position(|(known, _)| known == agent);
                let to = match (known, self.symbols.get("account")) {
                    (Some(agent), _) => format!("a{agent}"),
                    (None, Some(account)) => self.fact(account, 2),
                    (None, None) => return,
                };
                let amount = DotGraph::quoted(&self.show(amount));
                self.arrow(&from, &to, &format!("color=blue, label={amount}"));
            }
        }
    }
}
