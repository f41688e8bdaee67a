//! The states of an automaton as Graphviz text.
//!
//! A state shows its fluents, those that hold in every state left out; an end shows its goals too. A step shows the
//! operations that it executes, or the joint move if the game has none. Steps between the same states share an arrow.
//! Where not all states are known, those whose steps are not known have a dashed border.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Automaton, AutomatonStep};
use hyperplay_logic::gdl::{DotGraph, TermId};

impl Automaton<'_> {
    /// The graph of the states, for Graphviz.
    pub fn dot(&self) -> String {
        let game = self.machine.game();
        let mut held: FxHashMap<TermId, usize> = FxHashMap::default();
        for &fluent in self.states.iter().flat_map(|state| &state.fluents) {
            *held.entry(fluent).or_default() += 1;
        }
        let is_constant = |fluent: &TermId| self.states.len() > 1 && held[fluent] == self.states.len();
        let (nodes, edges) = (
            "node [shape=box, fontname=\"Helvetica\", fontsize=10]",
            "edge [fontname=\"Helvetica\", fontsize=9]",
        );
        let mut graph = DotGraph::new("states", &["rankdir=LR", nodes, edges]);
        for (number, state) in self.states.iter().enumerate() {
            let mut label = vec![format!("state {number}")];
            let fluents = state.fluents.iter().filter(|fluent| !is_constant(fluent));
            label.extend(fluents.map(|&fluent| game.show(fluent)));
            let style = match &state.goals {
                Some(goals) => {
                    let own = |role| format!("{} {}", self.roles()[role], goals[role].value());
                    label.push(format!(
                        "goals: {}",
                        self.players().into_iter().map(own).collect::<Vec<_>>().join(", ")
                    ));
                    "peripheries=2"
                }
                None if self.is_open(number) => "style=dashed",
                None => "",
            };
            graph.node(format_args!("s{number}"), &label.join("\n"), style);
        }
        for (number, state) in self.states.iter().enumerate() {
            let mut arrows: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            for step in &state.steps {
                let (labels, label) = (arrows.entry(step.successor).or_default(), self.label(step));
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
            for (successor, labels) in arrows {
                graph.labelled_arrow(format_args!("s{number}"), format_args!("s{successor}"), labels);
            }
        }
        graph.finish()
    }

    /// The operations of a step; the moves of the roles where the game has no operations.
    fn label(&self, step: &AutomatonStep) -> String {
        let game = self.machine.game();
        if self.machine.interaction().is_some() {
            let operations: Vec<String> = step.operations.iter().map(|&it| game.show(it)).collect();
            return if operations.is_empty() { "no operation".to_owned() } else { operations.join(", ") };
        }
        let own =
            self.roles().iter().map(|(role, name)| format!("{name} {}", game.show(step.joint.of(role).0)));
        own.collect::<Vec<_>>().join(", ")
    }
}
