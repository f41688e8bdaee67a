//! Alpha-beta: what each move is worth where two roles move in turn and what one wins the other loses.
//!
//! The search finds out on the way whether a game is of this kind: in every state opened at most one role has a
//! choice and `random` has none, and the goals of the two roles sum to the same at every end met. The first state
//! where that fails ends the search with [`Answer::NotAlternating`].
//!
//! The search is iterative deepening over an explicit graph. Every state met has one node. It holds the successors,
//! once the state was opened, and the bound that the search found for the state last (the transposition table). So a
//! deeper iteration asks the machine only for what no earlier one has seen, and a state is opened once at most. Hence
//! a proof never visits more states than the [complete graph](super::graph) has, and usually far fewer. The successors
//! of a state are computed in one call of [`Bulk::advance`]. Each own move is judged with the full window, because
//! the values of all of them are wanted, to be averaged over the particles.
//!
//! Leaf values were measured (`docs/measurements.md`): with playouts or the goals of unfinished games there, the search
//! loses to a tree of playouts; with mobility it wins in breakthrough and loses elsewhere. [Leaf values](LeafValues) that
//! follow from the state alone take the place of mobility.
//!
//! A value is *complete* when no leaf value has a part in it. It is then exact, however deep the search went.
//!
//! References: Knuth, Moore 1975 (alpha-beta); Slate, Atkin 1977 (iterative deepening).

use rustc_hash::FxHashMap;

use super::context::SearchContext;
use super::evaluation::{Evaluation, Method};
use super::graph::{Index, successors};
use crate::tree::LeafValues;
use hyperplay_machine::{Budget, BudgetAccount, Bulk, ByRole, Goal, Move, Role, StateMachineExt};

/// No search goes deeper: it recurses, and a game that can loop would never be complete.
const MAX_DEPTH: u32 = 400;

/// The value of a state where the search stops short of the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// Nothing: only proven values count.
    Proof,
    /// The leaf values of the context, or the role with the more moves at the last two steps where these are playouts.
    Estimated,
}

/// The result of the search.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// The moves are judged.
    Judged(Evaluation),
    /// The budget ended before anything could be said.
    OutOfBudget,
    /// Both have a choice at once, or there is chance, or the goals do not sum to a constant.
    NotAlternating,
}

/// Judges the moves of the context's role in `state`, not terminal. Also returns the number of states visited,
/// whatever the result.
pub fn alphabeta<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    state: &M::State,
    leaves: Leaves,
) -> (Answer, u64) {
    match to_each_depth(context, state, leaves) {
        (None, spent) => (Answer::NotAlternating, spent),
        (Some(mut depths), spent) => {
            let deepest = depths
                .pop()
                .filter(|deepest| leaves != Leaves::Proof || deepest.method == Method::ExactZeroSum);
            (deepest.map_or(Answer::OutOfBudget, Answer::Judged), spent)
        }
    }
}

/// Judges the moves to depth 1, 2 and so on, as deep as the budget allows or until all values are proven;
/// `None` where that does not apply, as with [`Answer::NotAlternating`]. Also returns the number of states visited.
pub(super) fn to_each_depth<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    state: &M::State,
    leaves: Leaves,
) -> (Option<Vec<Evaluation>>, u64) {
    context.by_deadline(|context| {
        let SearchContext { machine, role, budget, leaves: values, .. } = *context;
        let mut opponents = context.opponents();
        let (Some(other), None) = (opponents.next(), opponents.next()) else {
            return (None, 0);
        };
        drop(opponents);
        let account = BudgetAccount::new(budget);
        let scratch = &mut *context.scratch;
        let (nodes, found) = (Vec::new(), FxHashMap::default());
        let mut search =
            Search { machine, role, other, leaves, values, account, scratch, nodes, found, sum: None };
        search.enter(state.clone(), None);
        (search.deepen(&budget), search.account.spent())
    })
}

/// Why a search ends early.
enum Stop {
    Budget,
    NotAlternating,
}

/// The relation of a value to the true one, at the depth searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// The last result of the search for a state.
#[derive(Clone, Copy, Debug)]
struct Found {
    depth: u32,
    value: f64,
    bound: Bound,
    complete: bool,
}

/// The moves in a state, in which only one role has a choice.
#[derive(Debug)]
struct Opened {
    /// The role with a choice; the searching role if none has.
    active: Role,
    legal: ByRole<Vec<Move>>,
    successors: Vec<Index>,
}

#[derive(Debug)]
struct Node<S> {
    state: S,
    /// The goal of the searching role, if the game is over.
    end: Option<f64>,
    opened: Option<Opened>,
    leaf: Option<f64>,
    found: Option<Found>,
}

struct Search<'a, M: Bulk> {
    machine: &'a M,
    role: Role,
    other: Role,
    leaves: Leaves,
    values: &'a dyn LeafValues<M>,
    account: BudgetAccount,
    scratch: &'a mut M::Scratch,
    nodes: Vec<Node<M::State>>,
    found: FxHashMap<M::State, Index>,
    /// The sum of the goals of the two.
    sum: Option<u16>,
}

impl<M: Bulk> Search<'_, M> {
    /// Searches to increasing depths until all values are proven or the budget ends. Returns the values of every depth
    /// that was finished; `None` where alpha-beta does not apply.
    fn deepen(&mut self, budget: &Budget) -> Option<Vec<Evaluation>> {
        let mut depths = Vec::new();
        for depth in 1..=MAX_DEPTH {
            if budget.is_late() {
                break;
            }
            let values = match self.root(depth) {
                Ok(values) => values,
                Err(Stop::Budget) => break,
                Err(Stop::NotAlternating) => return None,
            };
            let complete = values.iter().all(|&(_, complete)| complete);
            let method = if complete { Method::ExactZeroSum } else { Method::AlphaBeta(depth) };
            depths.push(self.evaluation(&values, method));
            if complete {
                break;
            }
        }
        Some(depths)
    }

    /// The value of each own move, and whether it is complete.
    fn root(&mut self, depth: u32) -> Result<Vec<(f64, bool)>, Stop> {
        self.open(0)?;
        let opened = self.opened(0);
        if opened.active != self.role {
            return Ok(vec![self.search(0, depth, 0.0, 100.0)?]);
        }
        let successors = opened.successors.clone();
        if depth == 1 {
            self.judge_leaves(0, &successors)?;
        }
        successors.into_iter().map(|next| self.search(next, depth - 1, 0.0, 100.0)).collect()
    }

    fn evaluation(&self, values: &[(f64, bool)], method: Method) -> Evaluation {
        let values = values.iter().map(|&(value, _)| value).collect();
        Evaluation { values, method, ..Evaluation::unjudged(self.opened(0).legal[self.role].clone()) }
    }

    /// The value of a state to `depth` if it lies between `alpha` and `beta`, else a bound beyond them (fail-soft).
    fn search(&mut self, at: Index, depth: u32, alpha: f64, beta: f64) -> Result<(f64, bool), Stop> {
        let node = &self.nodes[at as usize];
        if let Some(goal) = node.end {
            return Ok((goal, true));
        }
        if let Some(Found { depth: to, value, bound, complete }) = node.found
            && (complete || to >= depth)
            && match bound {
                Bound::Exact => true,
                Bound::AtLeast => value >= beta,
                Bound::AtMost => value <= alpha,
            }
        {
            return Ok((value, complete));
        }
        if depth == 0 {
            return Ok((node.leaf.unwrap_or(50.0), false));
        }
        self.open(at)?;
        let opened = self.opened(at);
        let maximises = opened.active == self.role;
        let mut successors = opened.successors.clone();
        if depth == 1 {
            self.judge_leaves(at, &successors)?;
        }
        self.sort(&mut successors, maximises);
        let (mut low, mut high) = (alpha, beta);
        let (mut best, mut complete) = (if maximises { f64::NEG_INFINITY } else { f64::INFINITY }, true);
        for next in successors {
            let (value, proven) = self.search(next, depth - 1, low, high)?;
            complete &= proven;
            if maximises {
                best = best.max(value);
                low = low.max(value);
            } else {
                best = best.min(value);
                high = high.min(value);
            }
            if low >= high {
                // The values of the others have no part in the bound.
                complete = proven;
                break;
            }
        }
        let bound = match best {
            best if best <= alpha && alpha > 0.0 => Bound::AtMost,
            best if best >= beta && beta < 100.0 => Bound::AtLeast,
            _ => Bound::Exact,
        };
        self.nodes[at as usize].found = Some(Found { depth, value: best, bound, complete });
        Ok((best, complete))
    }

    /// The likely best first: by what the last search found.
    fn sort(&self, successors: &mut [Index], maximises: bool) {
        let guess = |&index: &Index| {
            let node = &self.nodes[index as usize];
            node.end.or(node.found.map(|found| found.value)).or(node.leaf).unwrap_or(50.0)
        };
        successors.sort_by(|a, b| {
            let order = guess(a).total_cmp(&guess(b));
            if maximises { order.reverse() } else { order }
        });
    }

    fn opened(&self, at: Index) -> &Opened {
        self.nodes[at as usize].opened.as_ref().expect("the node was opened")
    }

    /// The node of a state, a new one if need be.
    fn enter(&mut self, state: M::State, end: Option<f64>) -> Index {
        if let Some(&index) = self.found.get(&state) {
            return index;
        }
        let index = Index::try_from(self.nodes.len()).expect("memory ends long before 2^32 states");
        self.found.insert(state.clone(), index);
        self.nodes.push(Node { state, end, opened: None, leaf: None, found: None });
        index
    }

    /// Computes the successors of a state that is not over, once.
    fn open(&mut self, at: Index) -> Result<(), Stop> {
        if self.nodes[at as usize].opened.is_some() {
            return Ok(());
        }
        let state = self.nodes[at as usize].state.clone();
        let legal = self.machine.legal_by_role(&state, self.scratch);
        if self.machine.is_interrupted(self.scratch) {
            return Err(Stop::Budget);
        }
        let choosing = legal.iter().filter(|(_, moves)| moves.len() != 1).map(|(role, _)| role);
        let active = match choosing.collect::<Vec<Role>>()[..] {
            [] => self.role,
            [one] if Some(one) != self.machine.random() && !legal[one].is_empty() => one,
            _ => return Err(Stop::NotAlternating),
        };
        let reached = successors(self.machine, &state, &legal, &mut self.account, self.scratch);
        let reached = reached.ok_or(Stop::Budget)?;
        let mut successors = Vec::with_capacity(reached.len());
        for (next, end) in reached {
            let end = end.map(|goals| self.end(&goals)).transpose()?;
            successors.push(self.enter(next, end));
        }
        self.nodes[at as usize].opened = Some(Opened { active, legal, successors });
        Ok(())
    }

    fn end(&mut self, goals: &ByRole<Goal>) -> Result<f64, Stop> {
        let sum = u16::from(goals[self.role].value()) + u16::from(goals[self.other].value());
        if *self.sum.get_or_insert(sum) != sum {
            return Err(Stop::NotAlternating);
        }
        Ok(goals[self.role].into())
    }

    /// Gives every successor of a state that is neither over nor has one its leaf value.
    fn judge_leaves(&mut self, at: Index, successors: &[Index]) -> Result<(), Stop> {
        if self.leaves == Leaves::Proof {
            return Ok(());
        }
        let mut open: Vec<Index> = successors.to_vec();
        open.sort_unstable();
        open.dedup();
        open.retain(|&next| {
            let node = &self.nodes[next as usize];
            node.end.is_none() && node.leaf.is_none()
        });
        let before = self.mobility(at)?;
        for next in open {
            let leaf = match self.values.values(self.machine, &self.nodes[next as usize].state) {
                Some(values) => values[self.role],
                None => {
                    let sum = before + self.mobility(next)?;
                    50.0 + 40.0 * sum.signum() * sum.abs().min(100.0) / 100.0
                }
            };
            self.nodes[next as usize].leaf = Some(leaf);
        }
        Ok(())
    }

    /// The moves of the active role, counted for or against the searching role.
    fn mobility(&mut self, at: Index) -> Result<f64, Stop> {
        let legal = self.machine.legal_by_role(&self.nodes[at as usize].state, self.scratch);
        if self.machine.is_interrupted(self.scratch) {
            return Err(Stop::Budget);
        }
        Ok(legal[self.role].len() as f64 - legal[self.other].len() as f64)
    }
}
