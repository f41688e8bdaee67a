//! The dependency graph of a rulesheet: which relation is derived from which.
//!
//! The nodes are the relations. There is an edge from `q` to `p` if `q` occurs in the body of a clause with head `p`;
//! the edge is marked if `q` occurs negated. The temporal pairs have no edge: `true` does not depend on `next` or
//! `init`, and `does` does not depend on `legal`, because the two relations of a pair are about different states.
//!
//! Invariant: an edge is labelled with the first clause, in the order of the text, that makes it. Two relations are
//! *in a cycle* if each is derived from the other; a relation is in a cycle with itself only if it is derived from
//! itself. The definitions are those of the GDL specification (Love et al. 2008): the dependency graph, stratified
//! negation and the recursion restriction.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{DotGraph, Literal, Rule};
use hyperplay_machine::terms::{Symbol, Symbols};

/// An edge from a relation in a body to the relation of the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dependency {
    /// The relation of the head.
    pub(super) head: Symbol,
    /// The relation in the body.
    pub(super) body: Symbol,
    /// Whether it occurs negated.
    pub(super) negative: bool,
    /// The index of the first clause that makes the edge.
    pub(super) clause: usize,
}

/// The dependency graph with its cycles.
///
/// ```
/// use hyperplay_logic::gdl::{Dependencies, Source, load};
///
/// let text = "(role x) (legal x noop) (goal x 1) (init a) (<= terminal (not (true a)))";
/// let game = load(Source::new("t.kif", text), None).game.unwrap();
/// let dot = Dependencies::of(game.rules()).dot(game.terms().symbols());
/// assert!(dot.contains("\"true\" -> \"terminal\" [style=dashed];"));
/// ```
#[derive(Clone, Debug)]
pub struct Dependencies {
    graph: DiGraph<Symbol, Dependency>,
    node: FxHashMap<Symbol, NodeIndex>,
    /// The strongly connected component of each node.
    component: Vec<usize>,
    /// Whether a component has an edge inside.
    cyclic: Vec<bool>,
}

impl Dependencies {
    /// The dependency graph of the rules. O(size of the rules).
    pub fn of(rules: &[Rule]) -> Self {
        let mut heads = rules.iter().map(|rule| rule.head.relation);
        let mut arrows = rules.iter().flat_map(|rule| {
            rule.body.iter().filter_map(Literal::signed).map(|(atom, negative)| Dependency {
                head: rule.head.relation,
                body: atom.relation,
                negative,
                clause: rule.clause,
            })
        });
        Dependencies::new(&mut heads, &mut arrows)
    }

    /// The graph with these relations and edges; of equal edges the first is kept.
    pub(super) fn new(
        relations: &mut dyn Iterator<Item = Symbol>,
        arrows: &mut dyn Iterator<Item = Dependency>,
    ) -> Self {
        let mut graph = DiGraph::new();
        let mut node = FxHashMap::default();
        let mut place = |graph: &mut DiGraph<Symbol, Dependency>, relation| {
            *node.entry(relation).or_insert_with(|| graph.add_node(relation))
        };
        for relation in relations {
            place(&mut graph, relation);
        }
        let mut seen = FxHashSet::default();
        for arrow in arrows {
            if seen.insert((arrow.head, arrow.body, arrow.negative)) {
                let (from, to) = (place(&mut graph, arrow.body), place(&mut graph, arrow.head));
                graph.add_edge(from, to, arrow);
            }
        }
        let mut component = vec![0; graph.node_count()];
        // Tarjan's algorithm is recursive in petgraph, and a chain of relations may be as long as the text.
        let components = kosaraju_scc(&graph);
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|member| component[member.index()] = number);
        }
        let mut cyclic = vec![false; components.len()];
        for edge in graph.edge_references() {
            let number = component[edge.source().index()];
            cyclic[number] |= number == component[edge.target().index()];
        }
        Dependencies { graph, node, component, cyclic }
    }

    /// The graph without its negative arrows.
    pub(super) fn positive(&self) -> Self {
        let mut arrows = self.graph.edge_weights().copied().filter(|arrow| !arrow.negative);
        Dependencies::new(&mut self.graph.node_weights().copied(), &mut arrows)
    }

    /// Whether each of the two relations is derived from the other.
    pub(crate) fn in_a_cycle(&self, a: Symbol, b: Symbol) -> bool {
        let number = |symbol| self.node.get(&symbol).map(|node| self.component[node.index()]);
        number(a).is_some_and(|a| Some(a) == number(b) && self.cyclic[a])
    }

    /// For every component in which a relation depends on its own negation, the shortest cycle through its first
    /// negation: `p` depends on `not q`, `q` on `r`, and `r` on `p`. The cycles are ordered by clause.
    pub(super) fn negative_cycles(&self) -> Vec<Vec<Dependency>> {
        let mut first: FxHashMap<usize, Dependency> = FxHashMap::default();
        for edge in self.graph.edge_references() {
            let number = self.component[edge.source().index()];
            if edge.weight().negative && number == self.component[edge.target().index()] {
                let kept = first.entry(number).or_insert(*edge.weight());
                if edge.weight().clause < kept.clause {
                    *kept = *edge.weight();
                }
            }
        }
        let mut first: Vec<Dependency> = first.into_values().collect();
        first.sort_by_key(|arrow| arrow.clause);
        let cycle = |arrow: Dependency| {
            let back = self.routes(&[arrow.head], &|symbol| self.in_a_cycle(symbol, arrow.head));
            std::iter::once(arrow).chain(back.path(arrow.body)).collect()
        };
        first.into_iter().map(cycle).collect()
    }

    /// The shortest paths down to a wanted relation from every relation that `through` admits; they lead only through
    /// such relations.
    pub(super) fn routes(&self, wanted: &[Symbol], through: &dyn Fn(Symbol) -> bool) -> Routes {
        let mut first: FxHashMap<Symbol, Option<Dependency>> = FxHashMap::default();
        let mut queue = VecDeque::new();
        for &node in wanted.iter().filter_map(|relation| self.node.get(relation)) {
            first.insert(self.graph[node], None);
            queue.push_back(node);
        }
        while let Some(node) = queue.pop_front() {
            let mut above: Vec<_> = self.graph.edges_directed(node, Direction::Outgoing).collect();
            above.sort_by_key(|edge| edge.weight().clause);
            for edge in above {
                let head = edge.weight().head;
                if through(head)
                    && let Entry::Vacant(entry) = first.entry(head)
                {
                    entry.insert(Some(*edge.weight()));
                    queue.push_back(edge.target());
                }
            }
        }
        Routes { first }
    }

    /// The graph in the language of Graphviz, with dashed edges for negations and boxes for keywords.
    pub fn dot(&self, symbols: &Symbols) -> String {
        let quoted = |symbol| format!("{:?}", symbols.name(symbol));
        let mut graph = DotGraph::new("dependencies", &[]);
        for &symbol in self.graph.node_weights() {
            let shape = if symbol.keyword_arity().is_some() { "box" } else { "ellipse" };
            graph.statement(quoted(symbol), &format!("shape={shape}"));
        }
        for arrow in self.graph.edge_weights() {
            let style = if arrow.negative { "style=dashed" } else { "" };
            graph.arrow(quoted(arrow.body), quoted(arrow.head), style);
        }
        graph.finish()
    }
}

/// The shortest paths down the graph to some relation.
pub(super) struct Routes {
    /// The first edge of the path from each relation; none for a wanted relation.
    first: FxHashMap<Symbol, Option<Dependency>>,
}

impl Routes {
    /// Whether a path begins at the relation.
    pub(super) fn begin_at(&self, relation: Symbol) -> bool {
        self.first.contains_key(&relation)
    }

    /// The edges from a relation to the wanted one; none if it is wanted itself or has no path.
    pub(super) fn path(&self, start: Symbol) -> impl Iterator<Item = Dependency> {
        let next = |relation: Symbol| self.first.get(&relation).copied().flatten();
        std::iter::successors(next(start), move |arrow| next(arrow.body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph from words such as `p<-q` and `p<-!q`, one for each clause.
    fn graph(arrows: &[&str]) -> (Dependencies, Symbols) {
        let mut symbols = Symbols::new();
        let arrows: Vec<Dependency> = arrows
            .iter()
            .enumerate()
            .map(|(clause, arrow)| {
                let (head, body) = arrow.split_once("<-").unwrap();
                let negative = body.starts_with('!');
                let body = symbols.intern(body.trim_start_matches('!'));
                Dependency { head: symbols.intern(head), body, negative, clause }
            })
            .collect();
        (Dependencies::new(&mut std::iter::empty(), &mut arrows.into_iter()), symbols)
    }

    #[test]
    fn a_relation_is_in_a_cycle_with_itself_only_if_it_is_derived_from_itself() {
        let (graph, symbols) = graph(&["p<-q", "q<-r", "r<-q", "s<-s"]);
        let [p, q, r, s] = ["p", "q", "r", "s"].map(|name| symbols.get(name).unwrap());
        assert!(graph.in_a_cycle(q, r) && graph.in_a_cycle(q, q) && graph.in_a_cycle(s, s));
        assert!(!graph.in_a_cycle(p, q) && !graph.in_a_cycle(p, p) && !graph.in_a_cycle(q, s));
    }

    #[test]
    fn only_a_negation_inside_a_cycle_breaks_stratification() {
        let (stratified, _) = graph(&["p<-!q", "q<-r", "r<-q"]);
        assert!(stratified.negative_cycles().is_empty());
        let (broken, symbols) = graph(&["a<-p", "p<-!q", "q<-r", "r<-p", "q<-s", "s<-q"]);
        let cycles = broken.negative_cycles();
        let names: Vec<_> = cycles[0].iter().map(|arrow| symbols.name(arrow.head)).collect();
        assert_eq!((cycles.len(), names), (1, vec!["p", "q", "r"]));
        let (itself, _) = graph(&["p<-!p"]);
        assert_eq!(itself.negative_cycles()[0].len(), 1);
    }

    #[test]
    fn a_way_goes_around_what_it_may_not_pass() {
        let (graph, symbols) = graph(&["legal<-sees", "sees<-does", "legal<-h", "h<-g"]);
        let h = symbols.get("h").unwrap();
        let routes = graph.routes(&[Symbol::DOES], &|_| true);
        let heads: Vec<Symbol> = routes.path(Symbol::LEGAL).map(|arrow| arrow.head).collect();
        assert_eq!(heads, [Symbol::LEGAL, Symbol::SEES]);
        assert!(routes.begin_at(Symbol::DOES) && !routes.begin_at(h));
        let around = graph.routes(&[Symbol::DOES], &|symbol| symbol != Symbol::SEES);
        assert!(!around.begin_at(Symbol::SEES) && !around.begin_at(Symbol::LEGAL));
    }

    #[test]
    fn a_chain_may_be_long() {
        let mut symbols = Symbols::new();
        let chain: Vec<Symbol> = (0..200_000).map(|number| symbols.intern(&format!("p{number}"))).collect();
        let arrow = |pair: &[Symbol]| Dependency { head: pair[0], body: pair[1], negative: true, clause: 0 };
        let graph = Dependencies::new(&mut std::iter::empty(), &mut chain.windows(2).map(arrow));
        assert!(!graph.in_a_cycle(chain[0], chain[199_999]));
        assert_eq!(graph.routes(&chain[199_999..], &|_| true).path(chain[0]).count(), 199_999);
    }

    #[test]
    fn graphviz_gets_every_arrow() {
        let (graph, symbols) = graph(&["goal<-!p"]);
        let dot = graph.dot(&symbols);
        assert!(dot.contains("\"p\" -> \"goal\" [style=dashed];") && dot.contains("\"goal\" [shape=box]"));
    }
}
