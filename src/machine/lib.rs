//! The contract between games and everything that plays them.
//!
//! Engines implement [`StateMachine`]; belief, search and players use it. This module also defines the types that they
//! share ([`Role`], [`Move`], [`History`], [`Evidence`], ...), the budgets, and the tree of random streams ([`Seed`]).
//! There is no logic programming here.
//!
//! [`terms`] holds the ground terms that moves, percepts and fluents are.
//!
//! Third-party: `boxcar`, `hashbrown` (the store of terms), `rand`, `rand_chacha` (streams), `smallvec` (joint moves,
//! maps over roles), `thiserror`.
//!
//! ```
//! use hyperplay_engine::Interpreter;
//! use hyperplay_machine::{History, Role, Seed, StateMachine, StateMachineExt};
//! # use hyperplay_logic::gdl::{self, Source};
//! # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
//! #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
//! # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
//! // In this game `a` picks x or y, which ends it, and `b` looks on.
//! let machine = Interpreter::new(&game)?;
//! let (mut scratch, mut rng) = (machine.scratch(), Seed::root(1).rng());
//! let joint = machine.random_joint(&machine.initial(), &mut scratch, &mut rng).expect("everybody has a move");
//! let history = History(vec![joint]);
//! let end = machine.replay(&history, &mut scratch);
//! assert!(machine.terminal(&end, &mut scratch));
//! let evidence = machine.evidence(&history, Role::new(1), &mut scratch);
//! assert!(evidence.over && evidence.step() == 1);
//! # Ok::<(), hyperplay_engine::EngineError>(())
//! ```

#![warn(unreachable_pub, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

pub mod laws;
pub mod terms;

mod budget;
mod bulk;
mod cancel;
mod chance;
mod consistent;
mod evidence;
mod moves;
mod role;
mod shared_work;
pub mod state;
mod state_machine;
mod stream;
mod weights;
mod words;

pub use budget::{Budget, BudgetAccount, Stopwatch};
pub use bulk::{Bulk, PLAYOUT_STEPS, Reached, Start, Successor, Tally, advance_each, expand_each};
pub use cancel::CancelFlag;
pub use chance::{ChanceDistribution, draw_weighted, share_at};
pub use consistent::{ConsistentDraws, ConsistentStep, ObservedStep, StepAttempts, select_consistent};
pub use evidence::{Evidence, History, Observation, OwnMove};
pub use moves::{Goal, JointMove, Move, Percept, Percepts};
pub use role::{ByRole, Role};
pub use shared_work::{note_shared_work, shared_work};
pub use state::State;
pub use state_machine::{Evaluated, EvaluationFailure, GameSetup, JointMoves, StateMachine, StateMachineExt};
pub use stream::Seed;
pub use weights::MoveWeights;
pub use words::counted;
