//! A network as Graphviz text.
//!
//! Inputs and outputs bear the names of their fluents, moves and percepts. ANDs are plain boxes, and a wire that is
//! negated ends in a dot. A whole game is too large for a picture, so the text shows one part: what some outputs depend
//! on, down to a given depth and up to a given number of gates. A dashed box stands for the gates that are left out.

use std::collections::VecDeque;

use super::{Gate, Propnet, Wire};
use hyperplay_logic::gdl::{DotGraph, TermId, TermStore};

/// The part of a network that is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DotLimits {
    /// The number of gates and inputs drawn at most; outputs count too.
    pub nodes: usize,
    /// The number of gates below an output at most.
    pub depth: usize,
}

impl Default for DotLimits {
    /// Limits for a picture that fits on a screen.
    fn default() -> Self {
        DotLimits { nodes: 200, depth: 12 }
    }
}

/// The names of the outputs of a game with their wires: `next`, `legal`, `goal`, `percept` and `terminal`, as in
/// `legal white (mark 1 1)`; roles by their position. In the order of [`Propnet::outputs`] but for fluents that share
/// a bit, which are named one by one.
pub fn named_outputs(net: &Propnet, store: &TermStore, roles: &[TermId]) -> Vec<(String, Wire)> {
    let fluents = net.fluents.iter();
    let mut named: Vec<(String, Wire)> =
        fluents.map(|fluent| (format!("next {}", store.show(fluent.term)), net.next[fluent.bit])).collect();
    named.push(("terminal".to_owned(), net.terminal));
    for (of_role, &role) in net.roles.values().iter().zip(roles) {
        let role = store.show(role);
        for (own, &wire) in of_role.moves.iter().zip(&of_role.legal) {
            named.push((format!("legal {role} {}", store.show(own.0)), wire));
        }
        for &(goal, wire) in &of_role.goals {
            named.push((format!("goal {role} {}", goal.value()), wire));
        }
        for &(percept, wire) in &of_role.percepts {
            named.push((format!("percept {role} {}", store.show(percept.0)), wire));
        }
    }
    named
}

/// The outputs whose names contain `part`, with what they depend on, as Graphviz text. An empty `part` chooses all.
/// The same network always gives the same text. O(what is drawn + outputs).
pub fn dot(net: &Propnet, store: &TermStore, roles: &[TermId], part: &str, limits: DotLimits) -> String {
    let chosen: Vec<(String, Wire)> =
        named_outputs(net, store, roles).into_iter().filter(|(name, _)| name.contains(part)).collect();
    draw(net, &input_names(net, store, roles), &chosen, limits)
}

/// The name of each input.
fn input_names(net: &Propnet, store: &TermStore, roles: &[TermId]) -> Vec<String> {
    let mut names = vec![String::new(); net.network.inputs()];
    for fluent in &net.fluents {
        let name = &mut names[fluent.bit];
        if !name.is_empty() {
            name.push_str(" = ");
        }
        name.push_str(&store.show(fluent.term));
    }
    for (range, (of_role, &role)) in net.does().values().iter().zip(net.roles.values().iter().zip(roles)) {
        for (input, own) in range.clone().zip(&of_role.moves) {
            names[input] = format!("does {} {}", store.show(role), store.show(own.0));
        }
    }
    names
}

fn draw(net: &Propnet, inputs: &[String], outputs: &[(String, Wire)], limits: DotLimits) -> String {
    let gates = net.network.gates();
    let mut drawn = vec![false; gates.len()];
    let mut room = limits.nodes;
    // Breadth first, so that what is nearest to the outputs is drawn.
    let mut open: VecDeque<(usize, usize)> = VecDeque::new();
    let mut graph = DotGraph::new("propnet", &["rankdir=LR", "node [shape=box, height=0.2]"]);
    let mut shown = 0;
    for (number, (name, wire)) in outputs.iter().enumerate() {
        if room == 0 {
            break;
        }
        room -= 1;
        shown += 1;
        graph.node(format_args!("o{number}"), name, "style=bold");
        draw_wire(&mut graph, *wire, &format!("o{number}"));
        open.push_back((wire.gate(), 1));
    }
    if shown < outputs.len() {
        graph.node("more", &format!("{} more outputs", outputs.len() - shown), "style=dashed");
    }
    while let Some((gate, depth)) = open.pop_front() {
        if std::mem::replace(&mut drawn[gate], true) {
            continue;
        }
        let inside = room > 0 && depth <= limits.depth;
        room = room.saturating_sub(1);
        let id = format!("g{gate}");
        match &gates[gate] {
            Gate::False => graph.node(id, "false", ""),
            Gate::Input(input) => graph.node(id, &inputs[*input as usize], "style=rounded"),
            Gate::And(wires) if inside => {
                graph.node(&id, "and", "");
                for &wire in wires {
                    draw_wire(&mut graph, wire, &id);
                    open.push_back((wire.gate(), depth + 1));
                }
            }
            Gate::And(wires) => graph.node(id, &format!("and of {}", wires.len()), "style=dashed"),
        }
    }
    graph.finish()
}

fn draw_wire(graph: &mut DotGraph, from: Wire, to: &str) {
    let end = if from.is_negated() { "arrowhead=odot" } else { "" };
    graph.arrow(format_args!("g{}", from.gate()), to, end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propnet::{GroundingLimits, ground};
    use hyperplay_logic::gdl::{Source, load};

    /// The text of a part of a coin's network.
    fn drawn(part: &str, limits: DotLimits) -> String {
        let text = "(role guesser) (role random) (init hiding)
            (<= (legal random (hide heads)) (true hiding)) (<= (legal random (hide tails)) (true hiding))
            (<= (legal random noop) (not (true hiding)))
            (<= (legal guesser noop) (true hiding))
            (<= (legal guesser (call heads)) (not (true hiding))) (<= (legal guesser (call tails)) (not (true hiding)))
            (<= (next (hidden ?side)) (does random (hide ?side)))
            (<= (next (hidden ?side)) (true (hidden ?side)))
            (<= (next (called ?side)) (does guesser (call ?side)))
            (<= terminal (true (called ?side)))
            (<= (goal guesser 100) (true (called ?side)) (true (hidden ?side)))
            (<= (goal guesser 0) (true (called ?side)) (not (true (hidden ?side))))";
        let game = load(Source::new("coin", text), None).game.unwrap();
        let (net, _) = ground(&game, &GroundingLimits::default()).unwrap();
        dot(&net, game.terms(), game.roles(), part, limits)
    }

    #[test]
    fn a_part_is_drawn_with_its_names_and_nothing_else() {
        let text = drawn("next (hidden heads)", DotLimits::default());
        for name in ["next (hidden heads)", "does random (hide heads)", "\"(hidden heads)\"", "\"and\""] {
            assert!(text.contains(name), "{name} is missing:\\n{text}");
        }
        assert!(!text.contains("tails"), "{text}");
        assert!(!text.contains("dashed"), "{text}");
        assert_eq!(text, drawn("next (hidden heads)", DotLimits::default()));
        assert!(drawn("", DotLimits::default()).contains("legal guesser (call tails)"));
    }

    #[test]
    fn a_drawing_stays_within_its_limits() {
        let nodes = |text: &str| text.lines().filter(|line| line.contains("[label")).count();
        let small = drawn("", DotLimits { nodes: 3, depth: 12 });
        assert!(small.contains("more outputs"), "{small}");
        assert!(nodes(&small) < nodes(&drawn("", DotLimits::default())));
        let shallow = drawn("goal guesser 100", DotLimits { nodes: 200, depth: 0 });
        assert!(shallow.contains("and of 2\", style=dashed"), "{shallow}");
        assert_eq!(nodes(&shallow), 2);
    }
}
