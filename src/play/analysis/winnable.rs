//! Winnability: which roles can reach their best goals, with the help of the others or against them.
//!
//! A role can win *weakly* if some line of play leads to an end with its best goal; a game is weakly winnable if
//! every role can. A role can win *strongly* if it can choose its moves so that the best goal comes whatever the
//! others, `random` included, do; a game is strongly winnable if some role can. Both are read off the graph of
//! reachable states. In an incomplete graph a state that was not expanded may turn out either way, so a claim is
//! shown if it holds when all of these are lost, refuted if it fails when all of these are won, else undecided.
//!
//! Strongly here means by a choice that may depend on the state. Where a role does not see the state this shows less
//! than the definition asks for: the caller says so for games with imperfect information. A refutation holds for them
//! too.
//!
//! Definition: Love et al., *GDL specification* (2008), section on well-formed games.

use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::reach::{Reach, ReachKind};
use hyperplay_machine::{Goal, JointMove, Move, Role};

/// The state of knowledge about a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Winnability {
    /// It holds; a line of play that shows it.
    Shown(Vec<JointMove>),
    /// It does not hold.
    Refuted,
    /// The limit came first.
    Undecided,
}

/// Whether some line of play gives `role` the goal `best`.
pub fn weakly(reach: &Reach, role: Role, best: Goal) -> Winnability {
    let wins = |&index: &NodeIndex| is_won(&reach.graph[index].kind, role, best, false);
    match reach.graph.node_indices().find(wins) {
        Some(end) => Winnability::Shown(reach.line(end)),
        None if reach.complete => Winnability::Refuted,
        None => Winnability::Undecided,
    }
}

/// Whether `role` can force the goal `best`, choosing by the state.
pub fn strongly(reach: &Reach, role: Role, best: Goal) -> Winnability {
    let shown = forced(reach, role, best, false);
    if shown[0].is_some() {
        return Winnability::Shown(line(reach, role, &shown));
    }
    let refuted = || forced(reach, role, best, true)[0].is_none();
    if reach.complete || refuted() { Winnability::Refuted } else { Winnability::Undecided }
}

fn is_won(kind: &ReachKind, role: Role, best: Goal, hopeful: bool) -> bool {
    match kind {
        ReachKind::Terminal(goals) => goals[role] >= best,
        ReachKind::Unexpanded => hopeful,
        ReachKind::Expanded | ReachKind::Stuck(_) => false,
    }
}

/// For every state the number of the round in which it was found to be won (a won end in round 0), if it was.
///
/// A least fixpoint: in a round, a state is won if some move of the role leads only to states won in earlier
/// rounds. So following won states with falling rounds reaches an end, even where states can come again.
fn forced(reach: &Reach, role: Role, best: Goal, hopeful: bool) -> Vec<Option<usize>> {
    let graph = &reach.graph;
    let mut won: Vec<Option<usize>> =
        graph.node_weights().map(|node| is_won(&node.kind, role, best, hopeful).then_some(0)).collect();
    for round in 1.. {
        let open = graph.node_indices().filter(|&index| won[index.index()].is_none());
        let fresh: Vec<NodeIndex> =
            open.filter(|&index| winning_move(reach, role, &won, index).is_some()).collect();
        if fresh.is_empty() {
            break;
        }
        fresh.into_iter().for_each(|index| won[index.index()] = Some(round));
    }
    won
}

/// A move of `role` all of whose outcomes are won.
fn winning_move(reach: &Reach, role: Role, won: &[Option<usize>], at: NodeIndex) -> Option<Move> {
    if reach.graph[at].kind != ReachKind::Expanded {
        return None;
    }
    // Edges come out newest first; joint moves were added in order, so the moves of one role come in any order.
    let mut verdicts: Vec<(Move, bool)> = Vec::new();
    for edge in reach.graph.edges(at) {
        let own = edge.weight().of(role);
        let good = won[edge.target().index()].is_some();
        match verdicts.iter_mut().find(|(of, _)| *of == own) {
            Some((_, all)) => *all &= good,
            None => verdicts.push((own, good)),
        }
    }
    verdicts.into_iter().find(|&(_, all)| all).map(|(own, _)| own)
}

/// One line of play on which the role makes its winning moves, the others what comes first.
fn line(reach: &Reach, role: Role, won: &[Option<usize>]) -> Vec<JointMove> {
    let mut line = Vec::new();
    let mut at = NodeIndex::new(0);
    while let Some(round @ 1..) = won[at.index()] {
        let earlier: Vec<Option<usize>> =
            won.iter().map(|found| found.filter(|&found| found < round)).collect();
        let own = winning_move(reach, role, &earlier, at).expect("a won state has a winning move");
        let edge =
            reach.graph.edges(at).find(|edge| edge.weight().of(role) == own).expect("the move leads on");
        line.push(edge.weight().clone());
        at = edge.target();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::reach::reach;
    use crate::referee::Interrupt;
    use crate::toy::Toy;

    #[test]
    fn the_guesser_wins_with_luck_or_sight() {
        let machine = Toy::coin();
        let whole = reach(&machine, 100, &Interrupt::default(), |_| ()).unwrap();
        let guesser = Role::new(1);
        assert!(matches!(weakly(&whole, guesser, Goal::MAX), Winnability::Shown(line) if line.len() == 2));
        assert!(matches!(strongly(&whole, guesser, Goal::MAX), Winnability::Shown(line) if line.len() == 2));
        // `random` has laid the coin before the guess.
        assert_eq!(strongly(&whole, Role::new(0), Goal::MAX), Winnability::Refuted);
        let part = reach(&machine, 3, &Interrupt::default(), |_| ()).unwrap();
        assert_eq!(weakly(&part, guesser, Goal::MAX), Winnability::Undecided);
        assert_eq!(strongly(&part, guesser, Goal::MAX), Winnability::Undecided);
    }
}
