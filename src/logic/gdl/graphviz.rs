//! Graphs as Graphviz text.
//!
//! A graph is written line by line, in the order of the calls, so that equal calls give equal text.

use std::fmt::{Display, Write as _};

/// The labels of one arrow that are written; more are counted.
const MOST_LABELS: usize = 6;

/// A directed graph in the language of Graphviz.
///
/// ```
/// use hyperplay_logic::gdl::DotGraph;
///
/// let mut graph = DotGraph::new("coin", &["rankdir=LR"]);
/// graph.node("s0", "the \"start\"", "shape=box");
/// graph.labelled_arrow("s0", "s1", (1..=8).map(|number| format!("way {number}")).collect());
/// graph.arrow("s1", "s0", "style=dashed");
/// let text = graph.finish();
/// assert!(text.starts_with("digraph coin {\n  rankdir=LR;\n  s0 [label=\"the \\\"start\\\"\", shape=box];\n"));
/// assert!(text.contains("way 6\\nand 2 more\"];\n") && text.ends_with("  s1 -> s0 [style=dashed];\n}\n"));
/// ```
#[derive(Clone, Debug)]
pub struct DotGraph {
    text: String,
}

impl DotGraph {
    /// A graph with a name and statements about the whole.
    pub fn new(name: &str, statements: &[&str]) -> Self {
        let mut graph = DotGraph { text: format!("digraph {name} {{\n") };
        statements.iter().for_each(|statement| graph.statement(statement, ""));
        graph
    }

    /// A node with its label and further attributes, which may be empty.
    pub fn node(&mut self, id: impl Display, label: &str, attributes: &str) {
        let separator = if attributes.is_empty() { "" } else { ", " };
        self.statement(id, &format!("label={}{separator}{attributes}", Self::quoted(label)));
    }

    /// An arrow with its attributes, which may be empty.
    pub fn arrow(&mut self, from: impl Display, to: impl Display, attributes: &str) {
        self.statement(format_args!("{from} -> {to}"), attributes);
    }

    /// An arrow with several labels; of many labels the first ones are written and the others counted.
    pub fn labelled_arrow(&mut self, from: impl Display, to: impl Display, mut labels: Vec<String>) {
        if labels.len() > MOST_LABELS {
            let more = labels.len() - MOST_LABELS;
            labels.truncate(MOST_LABELS);
            labels.push(format!("and {more} more"));
        }
        self.arrow(from, to, &format!("label={}", Self::quoted(&labels.join("\n"))));
    }

    /// A statement with its attributes, which may be empty.
    pub fn statement(&mut self, statement: impl Display, attributes: &str) {
        match attributes {
            "" => writeln!(self.text, "  {statement};"),
            _ => writeln!(self.text, "  {statement} [{attributes}];"),
        }
        .expect("a string can be written to");
    }

    /// The text of the graph.
    pub fn finish(self) -> String {
        self.text + "}\n"
    }

    /// A text between quotation marks, as a label is written.
    pub fn quoted(text: &str) -> String {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
    }
}
