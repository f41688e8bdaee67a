//! Graph: the rest of a game from one state, as an explicit graph.
//!
//! Every state that can be reached from the root appears once, however many ways lead to it (the transposition
//! table), and `order` lists the states so that each comes before all that follow from it. A graph exists only if all
//! of that fits the budget and no state recurs: in a game with a cycle, the rest of the tree is infinite and fits no
//! budget.
//!
//! The graph is built breadth first, with the successors of a state in one call of [`Bulk::advance`]. It is ordered
//! by Kahn's algorithm, which finds a cycle by the states that it cannot order. Nothing recurses, so no game is too
//! long for the stack. Every successor computed counts as one visited state, whether it is new or not. The values of
//! the states are decided in [`exact`](super::exact()).

use rustc_hash::FxHashMap;

use super::context::SearchContext;
use hyperplay_machine::{
    BudgetAccount, Bulk, ByRole, ChanceDistribution, Goal, JointMove, JointMoves, Move, Reached, Role,
    StateMachineExt,
};

/// A state of a [`Graph`], by its position in it.
pub(super) type Index = u32;

/// The continuations of a state.
#[derive(Debug)]
pub(super) enum Node {
    /// The game is over (or a role has no move, a fault of the rules that ends the game here).
    End(ByRole<Goal>),
    /// The legal moves of each role, and the successor of each joint move, the last role's move changing fastest.
    Inner {
        /// Never empty for any role.
        legal: ByRole<Vec<Move>>,
        /// In the order of [`JointMoves`].
        successors: Box<[Index]>,
        /// The role `random` and the distribution over its moves, where they are not equally likely.
        uneven: Option<(Role, ChanceDistribution)>,
    },
}

/// All states that follow from a root.
#[derive(Debug)]
pub(super) struct Graph {
    /// The root first, then in the order in which they were met.
    pub nodes: Vec<Node>,
    /// All positions; each before its successors.
    pub order: Vec<Index>,
}

impl Graph {
    /// The rest of the game from `root`, not terminal; `None` if it does not fit the account or has no end, or if the
    /// deadline of the scratch passes.
    pub fn build<M: Bulk>(
        context: &mut SearchContext<'_, M>,
        root: &M::State,
        account: &mut BudgetAccount,
    ) -> Option<Graph> {
        let machine = context.machine;
        let scratch = &mut *context.scratch;
        let mut found: FxHashMap<M::State, Index> = FxHashMap::default();
        found.insert(root.clone(), 0);
        // Met but not yet opened, and its goals if it is terminal.
        let mut met: Vec<Reached<M::State>> = vec![(root.clone(), None)];
        let mut nodes = Vec::new();
        while let Some((state, end)) = met.get_mut(nodes.len()) {
            if let Some(goals) = end.take() {
                nodes.push(Node::End(goals));
                continue;
            }
            let state = state.clone();
            let legal = machine.legal_by_role(&state, scratch);
            if machine.is_interrupted(scratch) {
                return None;
            }
            if legal.values().iter().any(Vec::is_empty) {
                nodes.push(Node::End(machine.goals(&state, scratch)));
                continue;
            }
            let successors = successors(machine, &state, &legal, account, scratch)?
                .into_iter()
                .map(|(next, end)| {
                    *found.entry(next).or_insert_with_key(|next| {
                        met.push((next.clone(), end));
                        Index::try_from(met.len() - 1).expect("memory ends long before 2^32 states")
                    })
                })
                .collect();
            let chance = |random| (random, ChanceDistribution::of(machine, &state, scratch));
            let uneven = machine.random().map(chance).filter(|(_, chance)| !chance.is_uniform());
            nodes.push(Node::Inner { legal, successors, uneven });
        }
        if machine.is_interrupted(scratch) {
            return None;
        }
        let order = order(&nodes)?;
        Some(Graph { nodes, order })
    }
}

/// What follows from each joint move of a state, in order; `None` if the account does not grant them all, or the
/// deadline of the scratch passed.
pub(super) fn successors<M: Bulk>(
    machine: &M,
    state: &M::State,
    legal: &ByRole<Vec<Move>>,
    account: &mut BudgetAccount,
    scratch: &mut M::Scratch,
) -> Option<Vec<Reached<M::State>>> {
    if JointMoves::count(legal) > account.left() {
        return None;
    }
    let joints: Vec<JointMove> = JointMoves::new(legal).collect();
    if !joints.iter().all(|_| account.spend()) {
        return None;
    }
    let steps: Vec<_> = joints.iter().map(|joint| (state, joint)).collect();
    let reached = machine.advance(&steps, scratch);
    (!machine.is_interrupted(scratch)).then_some(reached)
}

/// Kahn's algorithm; `None` if there is a cycle.
fn order(nodes: &[Node]) -> Option<Vec<Index>> {
    let successors = |index: Index| match &nodes[index as usize] {
        Node::End(_) => &[][..],
        Node::Inner { successors, .. } => successors,
    };
    let mut waiting = vec![0_u32; nodes.len()];
    for index in 0..nodes.len() as Index {
        for &next in successors(index) {
            waiting[next as usize] += 1;
        }
    }
    if waiting[0] > 0 {
        return None; // the root recurs
    }
    let mut order: Vec<Index> = vec![0];
    let mut next_to_open = 0;
    while let Some(&index) = order.get(next_to_open) {
        next_to_open += 1;
        for &next in successors(index) {
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                order.push(next);
            }
        }
    }
    (order.len() == nodes.len()).then_some(order)
}
