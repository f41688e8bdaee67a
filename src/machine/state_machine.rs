//! The contract between the rules and everything that plays.
//!
//! Every engine implements [`StateMachine`]; belief, search and the extensive form see nothing else. The machine is
//! immutable and shared by all threads. Whatever an evaluation writes lies in a [`Scratch`] that the caller owns, one
//! for each thread. The answers of a machine are ids of the term store of its game. Whatever it lists (legal moves,
//! percepts) is in the natural order of terms, the same on every engine, so one seed gives the same match on each.
//!
//! [`Scratch`]: StateMachine::Scratch
//!
//! # Laws
//! A non-terminal state gives every role a legal move; `next` is deterministic; a terminal state gives each role one
//! goal in 0..=100; replaying a history gives the same state; printing a move and reading it again gives the same move.
//! The laws are functions in [`laws`](super::laws) and hold for every game without fault findings.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Instant;

use rand::{Rng, RngExt};
use thiserror::Error;

use super::terms::{TermStore, fold};
use super::{ByRole, ChanceDistribution, Evidence, Goal, History, JointMove, Move, Percepts, Role};

/// Why an evaluation of the rules did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("evaluation of the rules stopped: {reason}")]
pub struct EvaluationFailure {
    /// Which limit was met, and where.
    pub reason: String,
}

/// What an evaluation of the rules came to.
pub type Evaluated<T = ()> = Result<T, EvaluationFailure>;

/// The knowledge of a machine about its game before any step.
#[derive(Clone, Debug)]
pub struct GameSetup<S> {
    /// The ground terms of the game.
    pub terms: Arc<TermStore>,
    /// The names of the roles, in role order.
    pub roles: ByRole<String>,
    /// The role that moves at random, if there is one.
    pub random: Option<Role>,
    /// The state in which the game begins.
    pub initial: S,
}

/// A game as states and steps, by the definitions of GDL-II (Thielscher 2011, section 3).
///
/// ```
/// use hyperplay_engine::Interpreter;
/// use hyperplay_machine::{JointMove, Role, StateMachine, StateMachineExt};
/// # use hyperplay_logic::gdl::{self, Source};
/// # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
/// #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
/// # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
/// let machine = Interpreter::new(&game)?;
/// let (a, b) = (Role::new(0), Role::new(1));
/// let (mut scratch, start) = (machine.scratch(), machine.initial());
/// let mut legal = Vec::new();
/// machine.legal(&start, a, &mut scratch, &mut legal);
/// assert_eq!(legal.iter().map(|&own| machine.show_move(own)).collect::<Vec<_>>(), ["x", "y"]);
/// let noop = machine.legal_by_role(&start, &mut scratch)[b][0];
/// let joint = JointMove::new([legal[0], noop]);
/// let seen = machine.percepts(&start, &joint, b, &mut scratch);
/// assert_eq!(machine.terms().show(seen[0].0), "(did a x)");
/// let end = machine.next(&start, &joint, &mut scratch);
/// assert_eq!(machine.fluents(&end), ["(did x)"]);
/// assert!(machine.terminal(&end, &mut scratch));
/// assert_eq!(machine.goal(&end, a, &mut scratch).value(), 100);
/// assert_eq!(machine.take_failure(&mut scratch), None);
/// # Ok::<(), hyperplay_engine::EngineError>(())
/// ```
pub trait StateMachine: Send + Sync {
    /// The set of fluents that hold. Equal sets are equal states.
    type State: Clone + Eq + Hash + Send + Sync + Debug;
    /// The memory that evaluation writes to; owned by the caller, reusable for every state of this machine.
    type Scratch: Clone + Send + Sync;

    /// Scratch space for this machine.
    fn scratch(&self) -> Self::Scratch;

    /// The knowledge about the game before any step.
    fn setup(&self) -> &GameSetup<Self::State>;

    /// The ground terms of the game: what moves, percepts and fluents print as.
    fn terms(&self) -> &TermStore {
        &self.setup().terms
    }

    /// The names of the roles, in role order.
    fn roles(&self) -> &ByRole<String> {
        &self.setup().roles
    }

    /// The role that moves uniformly at random, if there is one.
    fn random(&self) -> Option<Role> {
        self.setup().random
    }

    /// The state in which the game begins.
    fn initial(&self) -> Self::State {
        self.setup().initial.clone()
    }

    /// Puts the legal moves of `role` into `out` (cleared first), in the natural order of terms.
    fn legal(&self, state: &Self::State, role: Role, scratch: &mut Self::Scratch, out: &mut Vec<Move>);

    /// Puts the weights of the legal moves of `random` into `out` (cleared first), in the order in which they are
    /// listed: whole numbers above 0 whose sum fits into 64 bits; the probability of a move is its weight divided by
    /// the sum. False, and nothing in `out`, where all moves are equally likely, as always in GDL-II.
    /// [`ChanceDistribution`] is the usual way to ask.
    fn chance_weights(&self, _state: &Self::State, _scratch: &mut Self::Scratch, out: &mut Vec<u64>) -> bool {
        out.clear();
        false
    }

    /// The state after a joint move.
    fn next(&self, state: &Self::State, joint: &JointMove, scratch: &mut Self::Scratch) -> Self::State;

    /// The percepts of `role` at the step that makes `joint` in `state`, the state *before* the step. In a GDL-I game
    /// these are `(did r m)` for every role.
    fn percepts(
        &self,
        state: &Self::State,
        joint: &JointMove,
        role: Role,
        scratch: &mut Self::Scratch,
    ) -> Percepts;

    /// Whether the game is over.
    fn terminal(&self, state: &Self::State, scratch: &mut Self::Scratch) -> bool;

    /// The goal value of `role`; 0 where the rules give none.
    fn goal(&self, state: &Self::State, role: Role, scratch: &mut Self::Scratch) -> Goal;

    /// How many different goal values the rules give `role`: one at every end, unless the rules have a fault.
    fn goal_count(&self, _state: &Self::State, _role: Role, _scratch: &mut Self::Scratch) -> usize {
        1
    }

    /// The fluents that hold, printed, in the natural order of terms.
    fn fluents(&self, state: &Self::State) -> Vec<String>;

    /// Why an evaluation with this scratch met a limit, if one did since the last call; forgets it. Answers given
    /// with the scratch since the failure may be wrong, so the owner of a scratch calls this after each step or
    /// batch. Other scratches are not affected.
    fn take_failure(&self, _scratch: &mut Self::Scratch) -> Option<EvaluationFailure> {
        None
    }

    /// From now on an evaluation with this scratch stops soon after the deadline; without one it runs to its end.
    /// Forgets an interruption. Returns the deadline that there was.
    ///
    /// A machine whose questions take no longer than some milliseconds need not obey, as this one that is provided.
    /// [`StateMachineExt::by_deadline`] is the safe form of this method.
    fn set_deadline(&self, _scratch: &mut Self::Scratch, _deadline: Option<Instant>) -> Option<Instant> {
        None
    }

    /// Whether an evaluation with this scratch was stopped by the deadline since that was set. This is not a failure of
    /// the rules. From then on the machine may answer any question as at the end of a game, and at once. So whoever
    /// sets a deadline asks this before using an answer, and drops what was computed from one that may be wrong. Once
    /// the deadline is replaced, all answers are right again.
    fn is_interrupted(&self, _scratch: &Self::Scratch) -> bool {
        false
    }
}

/// The methods that follow from the contract; provided for every machine, never overridden.
///
/// ```
/// use hyperplay_engine::Interpreter;
/// use hyperplay_machine::{Role, StateMachine, StateMachineExt};
/// # use hyperplay_logic::gdl::{self, Source};
/// # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
/// #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
/// # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
/// let machine = Interpreter::new(&game)?;
/// let (mut scratch, start) = (machine.scratch(), machine.initial());
/// assert_eq!(machine.role_named("B"), Some(Role::new(1)));
/// assert_eq!(machine.each_role().count(), 2);
/// // There are two joint moves, and both end the game.
/// assert_eq!([1, 2].map(|depth| machine.perft(&start, depth, &mut scratch)), [2, 0]);
/// # Ok::<(), hyperplay_engine::EngineError>(())
/// ```
pub trait StateMachineExt: StateMachine {
    /// All roles, in role order.
    fn each_role(&self) -> impl Iterator<Item = Role> + use<Self> {
        (0..self.roles().len()).map(Role::new)
    }

    /// The role with this name, ignoring case.
    fn role_named(&self, name: &str) -> Option<Role> {
        self.each_role().find(|&role| fold(&self.roles()[role]) == fold(name))
    }

    /// The legal moves of every role.
    fn legal_by_role(&self, state: &Self::State, scratch: &mut Self::Scratch) -> ByRole<Vec<Move>> {
        ByRole::from_fn(self.roles().len(), |role| {
            let mut moves = Vec::new();
            self.legal(state, role, scratch, &mut moves);
            moves
        })
    }

    /// The goals of every role.
    fn goals(&self, state: &Self::State, scratch: &mut Self::Scratch) -> ByRole<Goal> {
        ByRole::from_fn(self.roles().len(), |role| self.goal(state, role, scratch))
    }

    /// Whether the rules give a role other than `random` no goal, or several.
    fn has_goal_fault(&self, state: &Self::State, scratch: &mut Self::Scratch) -> bool {
        let mut roles = self.each_role().filter(|&role| Some(role) != self.random());
        roles.any(|role| self.goal_count(state, role, scratch) != 1)
    }

    /// A joint move in which every role chooses uniformly among its legal moves, and `random` by the weights of its;
    /// `None` if one has none.
    fn random_joint(
        &self,
        state: &Self::State,
        scratch: &mut Self::Scratch,
        rng: &mut impl Rng,
    ) -> Option<JointMove> {
        let mut legal = Vec::new();
        let mut moves = Vec::with_capacity(self.roles().len());
        for role in self.each_role() {
            self.legal(state, role, scratch, &mut legal);
            if legal.is_empty() {
                return None;
            }
            moves.push(legal[self.draw_for(role, state, legal.len(), scratch, rng)]);
        }
        Some(JointMove::new(moves))
    }

    /// The place of a move of a role among `moves` moves, drawn uniformly, or by the weights of the moves of `random`.
    #[inline]
    fn draw_for(
        &self,
        role: Role,
        state: &Self::State,
        moves: usize,
        scratch: &mut Self::Scratch,
        rng: &mut impl Rng,
    ) -> usize {
        if moves > 1 && self.random() == Some(role) {
            ChanceDistribution::of(self, state, scratch).draw(moves, rng)
        } else {
            rng.random_range(0..moves)
        }
    }

    /// The state after a history, from the initial state on.
    fn replay(&self, history: &History, scratch: &mut Self::Scratch) -> Self::State {
        history.0.iter().fold(self.initial(), |state, joint| self.next(&state, joint, scratch))
    }

    /// The evidence of `role` after a history. `over` is read off the last state.
    fn evidence(&self, history: &History, role: Role, scratch: &mut Self::Scratch) -> Evidence {
        use super::evidence::{Observation, OwnMove};
        let mut evidence = Evidence::new(role);
        let mut state = self.initial();
        for joint in &history.0 {
            let percepts = self.percepts(&state, joint, role, scratch);
            evidence.steps.push(Observation { own: OwnMove::Known(joint.of(role)), percepts });
            state = self.next(&state, joint, scratch);
        }
        evidence.over = self.terminal(&state, scratch);
        evidence
    }

    /// The number of sequences of `depth` legal joint moves from a state, none passing through a terminal state;
    /// `u64::MAX` if there are more.
    fn perft(&self, state: &Self::State, depth: usize, scratch: &mut Self::Scratch) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.terminal(state, scratch) {
            return 0;
        }
        let legal = self.legal_by_role(state, scratch);
        if depth == 1 {
            return JointMoves::count(&legal);
        }
        JointMoves::new(&legal)
            .map(|joint| self.perft(&self.next(state, &joint, scratch), depth - 1, scratch))
            .fold(0, u64::saturating_add)
    }

    /// Does some work whose evaluations stop at a deadline: this one, or that of the scratch if it is earlier. The
    /// work itself asks [`is_interrupted`](StateMachine::is_interrupted) before it uses an answer. Afterwards the
    /// scratch has the deadline that it had before.
    fn by_deadline<T>(
        &self,
        deadline: Option<Instant>,
        scratch: &mut Self::Scratch,
        work: impl FnOnce(&mut Self::Scratch) -> T,
    ) -> T {
        let outer = self.set_deadline(scratch, None);
        self.set_deadline(scratch, outer.into_iter().chain(deadline).min());
        let made = work(scratch);
        self.set_deadline(scratch, outer);
        made
    }

    /// A move as the rules spell it.
    fn show_move(&self, own: Move) -> String {
        self.terms().show(own.0)
    }
}

impl<M: StateMachine + ?Sized> StateMachineExt for M {}

/// All combinations of one legal move per role, the last role's move changing fastest.
///
/// Yields nothing when some role has no move.
#[derive(Clone, Debug)]
pub struct JointMoves<'a> {
    legal: &'a ByRole<Vec<Move>>,
    position: Vec<usize>,
    done: bool,
}

impl<'a> JointMoves<'a> {
    /// The combinations of these moves.
    pub fn new(legal: &'a ByRole<Vec<Move>>) -> Self {
        let done = legal.values().iter().any(Vec::is_empty);
        JointMoves { legal, position: vec![0; legal.len()], done }
    }

    /// How many combinations there are; `u64::MAX` if there are more. O(roles).
    pub fn count(legal: &ByRole<Vec<Move>>) -> u64 {
        legal.values().iter().map(|moves| moves.len() as u64).fold(1, u64::saturating_mul)
    }
}

impl Iterator for JointMoves<'_> {
    type Item = JointMove;

    fn next(&mut self) -> Option<JointMove> {
        if self.done {
            return None;
        }
        let joint = JointMove::new(self.legal.iter().map(|(role, moves)| moves[self.position[role.index()]]));
        self.done = true;
        for (role, moves) in self.legal.iter().collect::<Vec<_>>().into_iter().rev() {
            let position = &mut self.position[role.index()];
            *position += 1;
            if *position < moves.len() {
                self.done = false;
                break;
            }
            *position = 0;
        }
        Some(joint)
    }
}

impl ChanceDistribution {
    /// The distribution in a state.
    pub fn of<M: StateMachine + ?Sized>(machine: &M, state: &M::State, scratch: &mut M::Scratch) -> Self {
        let mut distribution = Self::default();
        distribution.read(machine, state, scratch);
        distribution
    }

    /// Becomes the distribution in a state.
    pub fn read<M: StateMachine + ?Sized>(
        &mut self,
        machine: &M,
        state: &M::State,
        scratch: &mut M::Scratch,
    ) {
        if !machine.chance_weights(state, scratch, &mut self.weights) {
            self.weights.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{Symbols, TermStore};

    #[test]
    fn joint_moves_are_as_many_as_are_listed_and_no_number_is_too_large() {
        let mut symbols = Symbols::new();
        let names: Vec<_> = (0..16).map(|name| symbols.intern(&name.to_string())).collect();
        let terms = TermStore::new(symbols);
        let moves: Vec<Move> = names.iter().map(|&name| Move(terms.intern(name, &[]))).collect();
        let of =
            |counts: &[usize]| ByRole::from_fn(counts.len(), |role| moves[..counts[role.index()]].to_vec());
        for counts in [&[1][..], &[2, 3], &[4, 0, 2], &[3, 3, 3]] {
            let legal = of(counts);
            assert_eq!(JointMoves::count(&legal), JointMoves::new(&legal).count() as u64, "{counts:?}");
        }
        // The product is 2^64.
        assert_eq!(JointMoves::count(&of(&[16; 16])), u64::MAX);
    }
}
