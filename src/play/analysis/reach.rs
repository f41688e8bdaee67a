//! The states that can be reached, breadth first, up to a limit.
//!
//! This graph answers questions about the whole game: how many states it has, the fewest steps to an end, whether a
//! state can come again, whether every role can always move, and who can win. Every answer is exact if the graph is
//! complete; where it is not, only what was *found* holds, and [`Reach::complete`] says so.
//!
//! Invariant: states are numbered in breadth-first order (by joint moves in their natural order), so the graph and
//! every line of play read off it are the same in every run.

use petgraph::algo::toposort;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::referee::Interrupt;
use hyperplay_machine::{
    ByRole, Evaluated, Goal, JointMove, JointMoves, Role, StateMachine, StateMachineExt,
};

/// The facts that are known of one state.
#[derive(Clone, Debug)]
pub struct ReachNode {
    /// The fewest steps that lead here.
    pub depth: usize,
    /// The state before it on a shortest line, with the joint move made there; none for the initial state.
    pub parent: Option<(NodeIndex, JointMove)>,
    /// The events that can happen here.
    pub kind: ReachKind,
}

/// The events that can happen in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReachKind {
    /// The end, with its goals.
    Terminal(ByRole<Goal>),
    /// All its successors are in the graph.
    Expanded,
    /// This role has no legal move: a fault of the rules.
    Stuck(Role),
    /// The limit came before its turn.
    Unexpanded,
}

/// The graph of reachable states.
#[derive(Clone, Debug)]
pub struct Reach {
    /// States and the joint moves between them; the initial state is number 0.
    pub graph: DiGraph<ReachNode, JointMove>,
    /// Whether every reachable state is in the graph, with its successors.
    pub complete: bool,
}

/// The part of the game that the exploration visits.
#[derive(Clone, Copy, Debug)]
pub enum Sight<'a, S> {
    /// A state, each once.
    State(&'a S),
    /// A joint move tried in a state.
    Step(&'a S, &'a JointMove),
}

/// Explores the states of a game until all are known or the next one has more joint moves than are left of `limit`;
/// `visit` is called with each state and with each joint move tried, in the order of the graph. An interrupt ends it
/// as the limit does.
///
/// # Errors
/// If the rules cannot be evaluated.
pub fn reach<M: StateMachine>(
    machine: &M,
    limit: usize,
    interrupt: &Interrupt,
    mut visit: impl FnMut(Sight<'_, M::State>),
) -> Evaluated<Reach> {
    let mut scratch = machine.scratch();
    machine.set_deadline(&mut scratch, interrupt.budget.deadline);
    let mut graph = DiGraph::new();
    let mut numbers: FxHashMap<M::State, NodeIndex> = FxHashMap::default();
    let mut states = vec![machine.initial()];
    numbers.insert(
        machine.initial(),
        graph.add_node(ReachNode { depth: 0, parent: None, kind: ReachKind::Unexpanded }),
    );
    let (mut current, mut full) = (0, false);
    while current < states.len() && !interrupt.is_raised() {
        let index = NodeIndex::new(current);
        let state = states[current].clone();
        visit(Sight::State(&state));
        current += 1;
        let terminal = machine.terminal(&state, &mut scratch);
        if terminal {
            let goals = machine.goals(&state, &mut scratch);
            if machine.is_interrupted(&scratch) {
                break;
            }
            graph[index].kind = ReachKind::Terminal(goals);
        } else {
            let legal = machine.legal_by_role(&state, &mut scratch);
            if machine.is_interrupted(&scratch) {
                break;
            }
            if let Some((role, _)) = legal.iter().find(|(_, moves)| moves.is_empty()) {
                graph[index].kind = ReachKind::Stuck(role);
                continue;
            }
            // Once full always full: the expanded states are a beginning of the breadth-first order.
            full |= JointMoves::count(&legal) > (limit - graph.edge_count()) as u64;
            if !full {
                graph[index].kind = ReachKind::Expanded;
                let depth = graph[index].depth + 1;
                for joint in JointMoves::new(&legal) {
                    visit(Sight::Step(&state, &joint));
                    let next = machine.next(&state, &joint, &mut scratch);
                    if machine.is_interrupted(&scratch) || interrupt.is_raised() {
                        graph[index].kind = ReachKind::Unexpanded;
                        break;
                    }
                    let to = *numbers.entry(next).or_insert_with_key(|next| {
                        states.push(next.clone());
                        let parent = Some((index, joint.clone()));
                        graph.add_node(ReachNode { depth, parent, kind: ReachKind::Unexpanded })
                    });
                    graph.add_edge(index, to, joint);
                }
            }
        }
        if let Some(failure) = machine.take_failure(&mut scratch) {
            return Err(failure);
        }
    }
    let complete = graph.node_weights().all(|node| node.kind != ReachKind::Unexpanded);
    Ok(Reach { graph, complete })
}

impl Reach {
    /// The fewest steps to an end; `None` if there is none, or none that is known to be the nearest.
    pub fn fewest_steps(&self) -> Option<usize> {
        let is_end = |node: &&ReachNode| matches!(node.kind, ReachKind::Terminal(_));
        let found = self.graph.node_weights().find(is_end)?.depth;
        let is_open = |node: &&ReachNode| node.kind == ReachKind::Unexpanded;
        let hidden = self.graph.node_weights().find(is_open).map_or(usize::MAX, |node| node.depth + 1);
        (found <= hidden).then_some(found)
    }

    /// Whether a state can come again: `Some(true)` if a cycle was found, `Some(false)` if there is none, `None` if
    /// the graph is incomplete and shows none.
    pub fn loops(&self) -> Option<bool> {
        if toposort(&self.graph, None).is_err() { Some(true) } else { self.complete.then_some(false) }
    }

    /// The longest match in steps, if it is known: the graph is complete and no state can come again.
    pub fn longest_match(&self) -> Option<usize> {
        let order = toposort(&self.graph, None).ok().filter(|_| self.complete)?;
        let mut longest = vec![0; self.graph.node_count()];
        for &node in order.iter() {
            for next in self.graph.neighbors(node) {
                longest[next.index()] = longest[next.index()].max(longest[node.index()] + 1);
            }
        }
        longest.into_iter().max()
    }

    /// The first role without a legal move in a state that is not terminal, with that state.
    pub fn stuck(&self) -> Option<(NodeIndex, Role)> {
        self.graph.node_indices().find_map(|index| match self.graph[index].kind {
            ReachKind::Stuck(role) => Some((index, role)),
            _ => None,
        })
    }

    /// The joint moves of a shortest line to a state.
    pub fn line(&self, to: NodeIndex) -> Vec<JointMove> {
        let mut line: Vec<JointMove> =
            std::iter::successors(self.graph[to].parent.as_ref(), |(before, _)| {
                self.graph[*before].parent.as_ref()
            })
            .map(|(_, joint)| joint.clone())
            .collect();
        line.reverse();
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Toy;

    #[test]
    fn the_toy_is_known_completely() {
        let (mut states, mut steps) = (0, 0);
        let reach = reach(&Toy::coin(), 100, &Interrupt::default(), |sight| match sight {
            Sight::State(_) => states += 1,
            Sight::Step(..) => steps += 1,
        })
        .unwrap();
        assert_eq!((reach.graph.node_count(), reach.graph.edge_count()), (7, 6));
        assert_eq!((states, steps), (7, 6));
        assert!(reach.complete);
        assert_eq!(
            (reach.fewest_steps(), reach.longest_match(), reach.loops()),
            (Some(2), Some(2), Some(false))
        );
        assert_eq!(reach.line(NodeIndex::new(6)).len(), 2);
        assert_eq!(reach.stuck(), None);
    }

    #[test]
    fn an_incomplete_graph_says_so() {
        let reach = reach(&Toy::coin(), 3, &Interrupt::default(), |_| ()).unwrap();
        assert_eq!((reach.complete, reach.graph.node_count()), (false, 3));
        assert_eq!((reach.fewest_steps(), reach.loops()), (None, None));
    }

    #[test]
    fn an_interrupt_leaves_an_incomplete_graph() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        let reach = reach(&Toy::coin(), 100, &interrupt, |_| ()).unwrap();
        assert_eq!((reach.complete, reach.graph.node_count()), (false, 1));
    }
}
